"""Writes expressions of plain Python from forms, which have names in place of arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from megabatt.codegen.analysis.nodes import nodes_in, once_a_node, placed
from megabatt.codegen.analysis.ownership import mark_number, may_change
from megabatt.codegen.arrays.functions import reads_once
from megabatt.codegen.errors import Wrong


def changed(node: Any, **fields: Any) -> Any:
    """Return a copy of a node with other fields."""
    return placed(node.__class__(**{**dict(ast.iter_fields(node)), **fields}), node)


def call_of_lambda(names: Sequence[str], body: ast.expr, given: Sequence[Any]) -> ast.Call:
    """Return an expression that computes others once, for names that it reads."""
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    return ast.Call(ast.Lambda(arguments, body), list(given), [])


def constant_of(node: ast.AST) -> Any:
    """Return the value of a constant; of anything else, a value that is equal to no other."""
    try:
        return ast.literal_eval(node)  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return object()


def is_simple(node: ast.AST) -> bool:
    """Tell whether an expression may be computed again and again."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return is_simple(operand)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return all(part is None or is_simple(part) for part in (lower, upper, step))
    return False


def check_order(given: Iterable[Any]) -> None:
    """Refuse arguments that change something: a form need not compute them in Python's order."""
    for node in given:
        if isinstance(node, ast.AST) and may_change(node):
            raise Wrong(node, "a change within this is not read beside NumPy: name it before")


class Forms:
    """Writes forms, with names that the source does not have."""

    def __init__(self, tree: ast.AST) -> None:
        self._taken = {part.id for part in nodes_in(tree, ast.Name)}
        self._taken |= {part.arg for part in nodes_in(tree, ast.arg)}
        self._numbered = 0
        self.modules = {name: self.fresh(name) for name in ("copy", "dsl", "functools", "math")}
        """The names of the modules that are read, `dsl` for that of primitives."""

    def fresh(self, name: str) -> str:
        """Return a new name like another."""
        while True:
            self._numbered += 1
            made = f"{name.rstrip('_0123456789')}_{self._numbered}"
            if made not in self._taken:
                return made

    def simple(self, node: Any, late: dict[str, Any]) -> Any:
        """Return an expression that may be computed again and again: a new name if need be.

        late: The expressions of such names.
        """
        if is_simple(node):
            return node
        if isinstance(node, ast.Slice):
            parts = (part and self.simple(part, late) for _, part in ast.iter_fields(node))
            return placed(ast.Slice(*parts), node)
        name = self.fresh("x")
        late[name] = node
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def written(self, form: ast.expr, given: Mapping[str, Any], place: ast.AST) -> Any:
        """Write a form with arguments."""
        check_order(given.values())
        late: dict[str, Any] = {}
        direct = self.direct(form, given, late)
        return self._computed_once(late, self.filled(form, direct, place), place)

    def direct(
        self, form: ast.AST, given: Mapping[str, Any], late: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments of a form as it may read them, see `simple`."""
        once = reads_once(form)
        return {k: node if k in once else self.simple(node, late) for k, node in given.items()}

    def _computed_once(self, late: Mapping[str, Any], made: Any, place: ast.AST) -> Any:
        """Return an expression within which names stand for others."""
        return placed(call_of_lambda([*late], made, [*late.values()]), place) if late else made

    def filled(self, form: Any, given: Mapping[str, Any], place: ast.AST) -> Any:
        """Return a form with expressions in place of names, and new names for those it binds."""
        new = {name: self.fresh(name) for name in _bound_in(form)}
        return _filled(form, given, new, place)

    def of_each(
        self, place: ast.AST, form: ast.expr, nodes: Sequence[Any], ranks: Sequence[int]
    ) -> Any:
        """Write a form of x, y and z for each element of arrays. ranks: 0 for a number."""
        check_order(nodes)
        late: dict[str, Any] = {}
        most = max(ranks)
        simple = [
            node if 0 < most == rank else self.simple(node, late)
            for node, rank in zip(nodes, ranks, strict=True)
        ]
        return self._computed_once(late, self._of_each(place, form, simple, ranks), place)

    def _of_each(
        self, place: ast.AST, form: ast.expr, nodes: Sequence[Any], ranks: Sequence[int]
    ) -> Any:
        most = max(ranks)
        if not most:
            made = self.filled(form, dict(zip("xyz", nodes, strict=False)), place)
            if isinstance(made, ast.Call | ast.IfExp):
                mark_number(made)
            return made
        names = [self.fresh("x") if rank == most else "" for rank in ranks]
        inner = [
            ast.Name(name, ast.Load()) if name else node
            for name, node in zip(names, nodes, strict=True)
        ]
        element = self._of_each(place, form, inner, [k - (k == most) for k in ranks])
        targets: list[Any] = [ast.Name(name, ast.Store()) for name in names if name]
        containers = [node for name, node in zip(names, nodes, strict=True) if name]
        target, container = targets[0], containers[0]
        if len(targets) > 1:
            strict = ast.keyword("strict", ast.Constant(True))
            container = ast.Call(ast.Name("zip", ast.Load()), containers, [strict])
            target = ast.Tuple(targets, ast.Store())
        return placed(ast.ListComp(element, [ast.comprehension(target, container, [], 0)]), place)


@once_a_node
def _bound_in(form: ast.AST) -> list[str]:
    """List the names that a form binds."""
    names = {part.arg for part in ast.walk(form) if isinstance(part, ast.arg)}
    names |= {
        part.id
        for part in ast.walk(form)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return sorted(names)


def _filled(
    node: Any, given: Mapping[str, Any], renamed: Mapping[str, str], place: ast.AST
) -> Any:
    """Return a copy of a form with expressions, or new names, in place of names."""
    match node:
        case ast.Name(id=name):
            if name in given:
                return given[name]
            made: Any = ast.Name(renamed.get(name, name), node.ctx)
        case ast.arg(arg=name):
            made = ast.arg(renamed.get(name, name))
        case ast.AST(_fields=fields):
            parts = (_filled(getattr(node, field), given, renamed, place) for field in fields)
            made = node.__class__(*parts)
        case list():
            return [_filled(part, given, renamed, place) for part in node]
        case _:
            return node
    return ast.copy_location(made, place)
