"""Rewrites `:=`, and `x.pop()` within expressions, as what is read: assignments, comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from megabatt.codegen.liveness import LOOPS, read_by_functions
from megabatt.codegen.ownership import (
    Comprehension,
    call_of_change,
    indices_of,
    names_changed_in,
)
from megabatt.codegen.scopes import Functions, forget, nodes_in, placed

_READ: tuple[type[Any], ...] = (ast.Assign, ast.Expr, ast.Return)
"""The statements whose value may be `x.pop()` itself."""


def rewrite(source: ast.AST) -> None:
    """Rewrite the functions within a part of a source. Raises RecursionError if it is too deep."""
    read = {part.value for kind in _READ for part in nodes_in(source, kind)}
    pops = [call for call in nodes_in(source, ast.Call) if _is_pop(call) and call not in read]
    if not pops and not nodes_in(source, ast.NamedExpr):
        return
    for function in ast.walk(source):
        if isinstance(function, ast.FunctionDef):
            forget(function)
            for part in ast.walk(function):
                if isinstance(part, Comprehension) and _assigns(part):
                    _rewrite_comprehension(part, function)
            function.body = _rewritten(function.body, function.body)
    forget(source)


def as_function(name: str, node: Functions) -> Functions:
    """Return a lambda with `:=` as the function that it is; any other function as it is."""
    if not isinstance(node, ast.Lambda) or not _assigns(node.body):
        return node
    body = [placed(ast.Return(node.body), node.body)]
    return placed(ast.FunctionDef(name, node.args, body, []), node)  # type: ignore[no-any-return]


def _assigns(node: ast.AST) -> bool:
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _is_pop(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("pop", "popleft") and call_of_change(node) is not None
    return False


def _is_assignment(node: ast.AST) -> bool:
    """Tell whether an expression is a `:=`, or an `x.pop()`."""
    return isinstance(node, ast.NamedExpr) or _is_pop(node)


def _rewritten(block: Iterable[ast.stmt], whole: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a block of a function, the whole, rewritten."""
    made: list[ast.stmt] = []
    for statement in block:
        if isinstance(statement, ast.If | LOOPS):
            statement.body = _rewritten(statement.body, whole)
            statement.orelse = _rewritten(statement.orelse, whole)
        before = _hoisted(statement, whole)
        if isinstance(statement, ast.While) and before:  # it has no `else`: that is refused
            stop = ast.If(ast.UnaryOp(ast.Not(), statement.test), [ast.Break()], [])
            statement.body[:0] = [*before, placed(stop, statement)]
            statement.test, before = placed(ast.Constant(True), statement), []
        made += [*before, statement]
    return made


def _set(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), place)  # type: ignore[no-any-return]


class _Hoist(ast.NodeTransformer):
    """Replaces each `:=` and each `x.pop()` that is computed once and always by a name.

    An expression stays if something before it sees what it changes.
    parts: The expression, and what stands before it. late: The names that functions read, which
    may be called before. found: Assignments of what was replaced, in order.
    """

    def __init__(self, parts: Iterable[ast.AST], late: set[str]) -> None:
        self.found: list[ast.stmt] = []
        self._names = {n for one in parts for n in ast.walk(one) if isinstance(n, ast.Name)}
        self._late = late

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node.value if _is_pop(node.value) else node)
        return self._replaced(node, node.target.id, node.value)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = f" {node.lineno}:{node.col_offset}"  # of no variable
        return self._replaced(node, name, node) if _is_pop(node) else node

    def _replaced(self, node: ast.expr, name: str, value: ast.expr) -> ast.expr:
        place = node.lineno, node.col_offset
        before = {n.id for n in self._names if (n.lineno, n.col_offset) < place}
        if (before | self._late) & {name, *names_changed_in(value)}:
            return node
        self.found.append(_set(name, value, node))
        self._names.difference_update(n for n in ast.walk(value) if isinstance(n, ast.Name))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node.values[0] = self.visit(node.values[0])
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        node.left, node.comparators[0] = self.visit(node.left), self.visit(node.comparators[0])
        return node

    def _as_it_is(self, node: ast.AST) -> ast.AST:
        return node

    visit_IfExp = visit_Lambda = visit_Dict = visit_keyword = _as_it_is
    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _as_it_is


def _hoisted(statement: ast.stmt, whole: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Take `:=` and `x.pop()` out of the expression that a statement begins with.

    Returns assignments.
    """
    for field in ("test", "iter", "value"):
        expression = getattr(statement, field, None)
        if isinstance(expression, ast.expr) and any(map(_is_assignment, ast.walk(expression))):
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            is_read = isinstance(statement, _READ)
            changed = is_read and call_of_change(expression)
            read = _before_arguments(expression) if changed else [expression]
            hoist = _Hoist([*filter(None, targets), *read], read_by_functions(whole, expression))
            if changed:
                hoist.generic_visit(expression)
            else:
                setattr(statement, field, hoist.visit(expression))
            return hoist.found
    return []


def _before_arguments(call: Any) -> list[ast.expr]:
    """List what is read before an argument of `name[a][b].method(...)` is computed.

    The name is not, unless an argument may change which list it has, or has at [a][b].
    """
    owner, indices = indices_of(call.func.value)
    read = [*indices, *call.args]
    parts: list[Any] = [part for argument in call.args for part in ast.walk(argument)]
    for part in filter(_is_assignment, parts):
        if isinstance(part, ast.NamedExpr) or len(indices_of(part.func.value)[1]) < len(indices):
            return [owner, *read]
    return read


def _rewrite_comprehension(node: Any, function: ast.FunctionDef) -> None:
    """Write `[y for x in a if (y := f(x))]` as `[y for x in a for y in [f(x)] if y]`.

    This is the same if y is named nowhere else, and not in `f(x)`.
    """

    def count(inside: ast.AST) -> int:
        return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(inside))

    ends = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for k, part in enumerate(node.generators):
        part.ifs = [one for condition in part.ifs for one in _parts_of_and(condition)]
        for m, condition in enumerate(part.ifs):
            rest = [*part.ifs[m:], *node.generators[k + 1 :], *ends]
            first: Any = condition.left if isinstance(condition, ast.Compare) else condition
            name = first.target.id if isinstance(first, ast.NamedExpr) else ""
            if name and sum(map(count, rest)) - count(first.value) == count(function):
                read = ast.copy_location(ast.Name(name, ast.Load()), first)
                if isinstance(condition, ast.Compare):
                    condition.left = read
                else:
                    part.ifs[m] = read
                over = placed(ast.List([first.value], ast.Load()), first)
                more = ast.comprehension(first.target, over, part.ifs[m:], 0)
                node.generators.insert(k + 1, more)
                del part.ifs[m:]
                break


def _parts_of_and(test: ast.expr) -> list[ast.expr]:
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if is_and else [test]  # type: ignore[attr-defined]
