"""Rewrites loops that change a list's elements, so that nothing else holds an element meanwhile.

If nothing reads the list afterwards, its elements are taken out: `for row in rows: clean(row)`
becomes `for k in range(len(rows)): row = rows.pop(0); clean(row)`. Else they are put back, by
`rows.insert(k, row)`. `[clean(row) for row in rows]` becomes such a loop. The source does the same
as before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from megabatt.codegen.analysis.lists import levels_of_lists
from megabatt.codegen.analysis.liveness import breaks, leaves, loads
from megabatt.codegen.analysis.names import assigned_by, bound_in, names_in, names_of
from megabatt.codegen.analysis.nodes import (
    call_of_method,
    copy_of,
    copy_of_all,
    forget,
    functions_within,
    nodes_in,
    placed,
)
from megabatt.codegen.analysis.ownership import names_changed_in
from megabatt.codegen.rewriting.places import Replacer

_USED = {"len", "range", "enumerate"}
"""The functions of Python that must have their own names."""
_UNSUITABLE = (ast.NamedExpr, ast.Nonlocal, ast.Global, ast.Yield, ast.YieldFrom)


def with_elements_taken(tree: ast.Module) -> ast.Module:
    """Return a source with loops that take elements out where they change. May change `tree`."""
    functions = nodes_in(tree, ast.FunctionDef)
    if not _USED.isdisjoint(bound_in(tree)):
        return tree
    changing = {one.name: _changed_parameters(one) for one in functions}
    for function in functions:
        if any(nodes_in(function, kind) for kind in _UNSUITABLE):
            continue
        made = list(_Function(function, tree, changing).rewritten(function.body))
        if made != function.body:
            function.body = made
            forget(tree)
    return tree


def _changed_parameters(function: ast.FunctionDef) -> list[int]:
    """List the places of the parameters that a function changes."""
    changed = names_changed_in(function)
    parameters = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
    return [place for place, name in enumerate(parameters) if name in changed]


class _Function:
    """Rewrites the statements of one function.

    changing: The places of the parameters that functions change, by the functions' names.
    """

    def __init__(
        self, function: ast.FunctionDef, tree: ast.Module, changing: Mapping[str, list[int]]
    ) -> None:
        self._function = function
        self._tree = tree
        self._changing = changing

    @cached_property
    def _lists(self) -> set[str]:
        """The names that only ever are lists, which no function within reads."""
        function = self._function
        names = set(levels_of_lists(function, self._tree))
        inner = functions_within(function)
        return names.difference(*(loads(one) - names_of(one) | loads(one.args) for one in inner))

    def rewritten(
        self, statements: Sequence[ast.stmt], later: frozenset[str] = frozenset()
    ) -> Iterator[ast.stmt]:
        """Yield the statements of a block. later: The names that are read behind the block."""
        for k, statement in enumerate(statements):
            has_loop = isinstance(getattr(statement, "value", None), ast.ListComp)
            if not (has_loop or isinstance(statement, ast.If | ast.For)):
                yield statement
                continue
            after = later.union(*map(loads, statements[k + 1 :]))
            match statement:
                case ast.If(body=body, orelse=orelse):
                    sides = [list(self.rewritten(side, after)) for side in (body, orelse)]
                    if sides != [body, orelse]:
                        statement = ast.copy_location(ast.If(statement.test, *sides), statement)
                case ast.For(orelse=[]) if loop := self._loop(statement, after):
                    yield loop
                    continue
                case (
                    ast.Assign([ast.Name()], ast.ListComp() as made)
                    | ast.Return(ast.ListComp() as made)
                ) if len(made.generators) == 1:
                    result = f" {made.lineno}:{made.col_offset}"
                    if loop := self._loop(_as_loop(made, result), after - assigned_by(statement)):
                        empty = ast.List([], ast.Load())
                        begin = ast.Assign([ast.Name(result, ast.Store())], empty)
                        yield placed(begin, statement)
                        yield loop
                        statement = copy_of(statement)
                        statement.value = placed(ast.Name(result, ast.Load()), made)
            yield statement

    def _loop(self, loop: ast.For, after: frozenset[str]) -> ast.For | None:
        """Return a loop that takes elements out; None where the elements need not, or may not."""
        match loop.iter, loop.target:
            case ast.Name(over), ast.Name(element):
                index = f" {element}:place"
            case ast.Call(ast.Name("enumerate"), [ast.Name(over)], []), ast.Tuple(
                [ast.Name(index), ast.Name(element)]
            ):
                pass
            case _:
                return None
        if (
            not self._changes(loop, element)
            or over not in self._lists
            or any(over in loads(statement) for statement in loop.body)
            or not {over, element, index}.isdisjoint(bound_in(ast.Module(loop.body, [])))
        ):
            return None
        is_kept = over in after
        if is_kept and (breaks(loop.body) or any(map(leaves, loop.body))):
            return None
        number = ast.Name(index, ast.Load()) if is_kept else ast.Constant(0)
        taken = ast.Assign([ast.Name(element, ast.Store())], call_of_method(over, "pop", number))
        back = call_of_method(over, "insert", copy_of_all(number), ast.Name(element, ast.Load()))
        body = [placed(taken, loop), *loop.body, *([placed(ast.Expr(back), loop)] * is_kept)]
        count = ast.Call(ast.Name("len", ast.Load()), [ast.Name(over, ast.Load())], [])
        places = ast.Call(ast.Name("range", ast.Load()), [count], [])
        target = ast.Name(index, ast.Store())
        return placed(ast.For(target, placed(places, loop), body, []), loop)

    def _changes(self, loop: ast.For, element: str) -> bool:
        """Tell whether a loop may change its element, itself or by a function that it calls."""
        if element in names_changed_in(loop):
            return True
        for statement in loop.body:
            for call in nodes_in(statement, ast.Call):
                places = self._changing.get(getattr(call.func, "id", ""), [])
                given = [getattr(part, "id", "") for part in call.args]
                if any(place < len(given) and given[place] == element for place in places):
                    return True
        return False


def _as_loop(made: ast.ListComp, result: str) -> ast.For:
    """Return a loop that appends the elements of a list to another."""
    (part,) = made.generators
    hidden = {name: f" {name}:{made.lineno}" for name in names_in(part.target)}
    value, tests, target = copy_of_all(made.elt), list(map(copy_of_all, part.ifs)), part.target
    for name, other in hidden.items():
        replacer = Replacer(name, placed(ast.Name(other, ast.Load()), made))
        value, tests = replacer.visit(value), list(map(replacer.visit, tests))
    names = [ast.Name(hidden[name], ast.Store()) for name in names_in(target)]
    target = names[0] if isinstance(target, ast.Name) else ast.Tuple([*names], ast.Store())
    element = f"{result}:element"
    append = call_of_method(result, "append", ast.Name(element, ast.Load()))
    body: list[ast.stmt] = [
        ast.Assign([ast.Name(element, ast.Store())], value), ast.Expr(append)
    ]  # fmt: skip
    for test in reversed(tests):
        body = [ast.If(test, body, [])]
    return placed(ast.For(target, copy_of_all(part.iter), body, []), made)
