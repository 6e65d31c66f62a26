"""Collects the values that a source gives to names, to fields, and to elements of containers."""

from __future__ import annotations

import ast

from megabatt.codegen.analysis.names import assigned_by


class Values(ast.NodeVisitor):
    """Collects what a source assigns to each name, to each field as ".field", and what it puts into
    a container as "[name]", and returns from a function as "name()". A container without a name is
    "[]".

    None stands for a value of which nothing is known, `annotation[T]` for one of a type, and
    `x[None]` for an element of `x`.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.found: dict[str, list[ast.expr | None]] = {}
        self._function = ""
        self.visit(tree)

    def _note(self, target: ast.AST | None, value: ast.expr | None) -> None:
        match target, value:
            case ast.Name(name) | ast.arg(name), _:
                self.found.setdefault(name, []).append(value)
            case ast.Attribute(attr=name), _:
                self.found.setdefault(f".{name}", []).append(value)
            case ast.Subscript(ast.Name(name)), _:
                self.found.setdefault(f"[{name}]", []).append(value)
            case ast.Subscript(ast.Attribute(attr=name)), _:
                self.found.setdefault(f"[.{name}]", []).append(value)
            case ast.Subscript(), _:
                self.found.setdefault("[]", []).append(value)
            case (ast.Tuple(targets), ast.Tuple(values)) if len(targets) == len(values):
                for one, its in zip(targets, values, strict=True):
                    self._note(one, its)
            case ast.Tuple(targets) | ast.List(targets), _:
                for one in targets:
                    self._note(one, None)
            case ast.Starred(one), _:
                self._note(one, None)

    def _note_elements(self, target: ast.expr, over: ast.expr) -> None:
        match target, over:
            case ast.Tuple([number, one]), ast.Call(ast.Name("enumerate"), [over, *_]):
                self._note(number, ast.Constant(0))
                self._note_elements(one, over)
            case ast.Tuple([key, one]), ast.Call(ast.Attribute(owner, "items")):
                self._note(key, None)
                self._note(one, element_of(owner))
            case _:
                self._note(target, element_of(over))

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._note(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        is_known = node.value is not None and not isinstance(node.value, ast.Constant)
        self._note(node.target, node.value if is_known else annotated(node.annotation))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._note(element_of(node.target), element_of(node.value))
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._note(node.target, node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._note_elements(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._note_elements(node.target, node.iter)
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        self._note(node.optional_vars, None)

    def visit_arg(self, node: ast.arg) -> None:
        self._note(node, node.annotation and annotated(node.annotation))

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(ast.Attribute(owner, "append" | "appendleft" | "add"), [value]):
                self._note(element_of(owner), value)
            case ast.Call(ast.Attribute(owner, "insert" | "setdefault"), [_, value]):
                self._note(element_of(owner), value)
            case ast.Call(ast.Attribute(owner, "extend" | "update"), [values]):
                self._note(element_of(owner), element_of(values))
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                field = ast.Attribute(part.target, part.target.id)
                self._note(field, annotated(part.annotation))
            else:
                for name in assigned_by(part):  # a property or a value of the class
                    self._note(ast.Attribute(ast.Name(node.name), name), None)
                self.visit(part)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        around, self._function = self._function, node.name
        self.found.setdefault(f"{node.name}()", [])
        self.generic_visit(node)
        self._function = around

    def visit_Return(self, node: ast.Return) -> None:
        self.found.setdefault(f"{self._function}()", []).append(node.value or ast.Constant(None))
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield) -> None:
        self.found.setdefault(f"{self._function}()", []).append(None)
        self.generic_visit(node)


def annotated(kind: ast.expr) -> ast.expr:
    """Return what stands for a value with an annotation."""
    return ast.Subscript(ast.Name("annotation"), kind)


def element_of(container: ast.expr) -> ast.Subscript:
    """Return what stands for an element of a container."""
    return ast.Subscript(container, ast.Constant(None))
