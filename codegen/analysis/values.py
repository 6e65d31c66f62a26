"""Collects the values that a source gives to names, to fields, and to elements of containers."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from megabatt.codegen.analysis.names import assigned_by
from megabatt.codegen.analysis.nodes import annotations_in, called_name, last_name, nodes_in
from megabatt.codegen.fields import for_now

_HARMLESS = {"cache", "classmethod", "lru_cache", "property", "staticmethod"}
"""Decorators with which a function gets the arguments of its calls."""

_FROM_OUTSIDE = ast.Constant("")
"""Stands for what the source does not make; it and its parts are no objects of the source."""


class Values(ast.NodeVisitor):
    """Collects what a source assigns to each name, to each field as ".field", and what it puts into
    a container as "[name]", and returns from a function as "name()". A container without a name is
    "[]". A parameter has what calls give it, and a text if no other function calls its function.

    None stands for a value of which nothing is known, `annotation[T]` for one of a type, `x[None]`
    for an element of `x`, and `(*x,)[0]` for what `x` gives to the first of several targets.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.found: dict[str, list[ast.expr | None]] = {}
        self._function = self._of = ""
        """The function, and the class of the method, at hand."""
        self._over: dict[ast.expr, list[ast.expr]] = {}
        """The containers from which a lambda gets its arguments."""
        self._calls: defaultdict[str, list[ast.Call]] = defaultdict(list)
        for call in nodes_in(tree, ast.Call):
            self._calls[last_name(call.func)].append(call)
        self._held = set(held_in(tree))
        self._classes = {one.name for one in nodes_in(tree, ast.ClassDef)}
        self.visit(tree)

    def _note(self, target: ast.AST | None, value: ast.expr | None) -> None:
        match target, value:
            case ast.Name(name) | ast.arg(name), _:
                self.found.setdefault(name, []).append(value)
            case ast.Attribute(attr=name), _:
                self.found.setdefault(f".{name}", []).append(value)
            case ast.Subscript(owner, ast.Slice()), ast.expr():
                self._note(element_of(owner), element_of(value))
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
                has_rest = any(isinstance(one, ast.Starred) for one in targets)
                for place, one in enumerate(targets):
                    parts = value and ast.Tuple([ast.Starred(value)])
                    at = ast.Constant(None if has_rest else place)
                    self._note(one, parts and ast.Subscript(parts, at))
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
            case ast.Tuple(targets), ast.Call(ast.Name("zip"), given) if len(targets) == len(given):
                for one, its in zip(targets, given, strict=True):
                    self._note_elements(one, its)
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
        self._note(node.target, ast.BinOp(node.target, node.op, node.value))
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

    def _note_parameters(self, function: ast.FunctionDef) -> None:
        """Note what the parameters of a function get: what calls give, if all calls are known."""
        given = function.args
        decorators = {*map(called_name, function.decorator_list)}
        is_method = self._of != "" and "staticmethod" not in decorators
        name = self._of if function.name == "__init__" else function.name
        has_others = any(call not in nodes_in(function, ast.Call) for call in self._calls[name])
        is_known = name not in self._held and not name.endswith("__") and decorators <= _HARMLESS
        for place, one in enumerate([*given.posonlyargs, *given.args, *given.kwonlyargs]):
            self.found.setdefault(one.arg, [])
            kind = one.annotation
            of = getattr(kind, "value", last_name(kind)) if kind is not None else ""
            if place < is_method:
                self._note(one, annotated(ast.Name(self._of)))
            elif of in self._classes or not is_known:  # else calls tell more than an annotation
                self._note(one, kind and annotated(kind))
            else:
                if not (has_others or self._of):
                    self._note(one, _FROM_OUTSIDE)
                for call in self._calls[name]:
                    owner = last_name(getattr(call.func, "value", call))
                    has_object = owner in self._classes and "classmethod" not in decorators
                    for value in _given(call, place - (is_method and not has_object), one.arg):
                        self._note(one, value)
        self._note(given.kwarg, None)
        first = len(given.posonlyargs) + len(given.args) - is_method
        is_plain = is_known and (self._of == "" or function.name == "__init__")
        self._note(given.vararg, None if not is_plain else ast.Tuple([], ast.Load()))
        for call in self._calls[name] if is_plain else ():
            is_certain = not any(isinstance(one, ast.Starred) for one in call.args[:first])
            others = ast.Tuple(call.args[first:], ast.Load())
            self._note(given.vararg, others if is_certain else None)
        for one, default in _defaults(given):
            self._note(one, default)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        over = dict(zip(node.args.args, self._over.get(node, []), strict=False))
        for one in nodes_in(node.args, ast.arg):
            self._note(one, element_of(over[one]) if one in over else None)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(ast.Attribute(owner, "append" | "appendleft" | "add"), [value]):
                self._note(element_of(owner), value)
            case ast.Call(ast.Attribute(owner, "insert" | "setdefault"), [_, value]):
                self._note(element_of(owner), value)
            case ast.Call(ast.Attribute(owner, "extend" | "update"), [values]):
                self._note(element_of(owner), element_of(values))
        for key in (word.value for word in node.keywords if word.arg == "key"):
            match node:
                case ast.Call(ast.Name("max" | "min" | "sorted"), [over]):
                    self._over[key] = [over]
                case ast.Call(ast.Attribute(owner, "sort")):
                    self._over[key] = [owner]
        match node:
            case ast.Call(ast.Name("filter" | "map"), [function, *given]):
                self._over[function] = given
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        place = 0
        for part in node.body:
            self._of = node.name
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                self._note_field(node.name, place, part.target.id, part.annotation)
                place += 1
            else:
                if isinstance(part, ast.Assign):  # a value of the class
                    for name in assigned_by(part):
                        self._note(ast.Attribute(ast.Name(node.name), name), None)
                self.visit(part)
        self._of = ""

    def _note_field(self, of: str, place: int, name: str, kind: ast.expr) -> None:
        """Note what a field of a record gets: an annotation may be wrong, and binds no call."""
        field = ast.Attribute(ast.Name(of), name)
        self._note(field, annotated(kind))
        if of in self._held:
            self._note(field, None)
        copies = [*self._calls["replace"], *self._calls["_replace"]]
        for call in self._calls[of] + copies:
            for value in _given(call, place if call not in copies else len(call.args), name):
                self._note(field, value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._note_parameters(node)
        with for_now(self, _function=node.name, _of=""):
            self.found.setdefault(f"{node.name}()", [])
            self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        self.found.setdefault(f"{self._function}()", []).append(node.value or ast.Constant(None))
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield) -> None:
        self._give(node.value or ast.Constant(None))
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self._give(ast.Starred(node.value, ast.Load()))
        self.generic_visit(node)

    def _give(self, part: ast.expr) -> None:
        """Note what a generator gives: an iterator has it as a list would."""
        made = ast.List([part], ast.Load())
        self.found.setdefault(f"{self._function}()", []).append(made)


def held_in(tree: ast.Module) -> Iterator[str]:
    """Yield the names of functions and classes that may be called in other ways than by them."""
    passed_over: set[ast.AST] = {call.func for call in nodes_in(tree, ast.Call)}
    passed_over.update(one.value for one in nodes_in(tree, ast.Attribute))
    passed_over |= annotations_in(tree)
    for one in (*nodes_in(tree, ast.Name), *nodes_in(tree, ast.Attribute)):
        if one not in passed_over:
            yield last_name(one)


def _given(call: ast.Call, place: int, name: str) -> Iterator[ast.expr | None]:
    """Yield what a call may give for a parameter."""
    stars = any(isinstance(one, ast.Starred) for one in call.args)
    if stars or any(word.arg is None for word in call.keywords):
        yield None
    yield from call.args[place : place + 1]
    yield from (word.value for word in call.keywords if word.arg == name)


def _defaults(given: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Yield the parameters that have defaults, and these."""
    taken = [*given.posonlyargs, *given.args]
    yield from zip(taken[len(taken) - len(given.defaults) :], given.defaults, strict=True)
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if default is not None:
            yield one, default


def annotated(kind: ast.expr) -> ast.expr:
    """Return what stands for a value with an annotation."""
    return ast.Subscript(ast.Name("annotation"), kind)


def element_of(container: ast.expr) -> ast.Subscript:
    """Return what stands for an element of a container."""
    return ast.Subscript(container, ast.Constant(None))
