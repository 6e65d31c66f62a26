"""Writes changes of a part of an array that has a name as changes of the array.

    inner = out[1:n, 1:-1]        stop = n
    inner[inner == 0] = 4         part = out[1:stop, 1:-1].copy()
                                  part[out[1:stop, 1:-1] == 0] = 4
                                  out[1:stop, 1:-1] = part

The source does the same as before: reads of `inner` see what `out` has become, too.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from megabatt.codegen.analysis.names import stored_in
from megabatt.codegen.analysis.nodes import (
    assignment,
    copy_of_all,
    functions_within,
    nodes_in,
    placed,
)


def with_view_written(
    block: Sequence[ast.stmt], function: ast.FunctionDef
) -> list[ast.stmt] | None:  # fmt: skip
    """Return a block whose first statement is `view = array[place]` without the view.

    Returns None if neither the view nor the array is changed, if the view may have another value
    where it is read, or is read in an inner function, or if the array gets another value meanwhile.
    """
    match block[0]:
        case ast.Assign([ast.Name(view)], ast.Subscript(ast.Name(array)) as part):
            pass
        case _:
            return None
    lines = _by_assignment(view, block)[0]
    inner = [one for defined in functions_within(function) for one in nodes_in(defined, ast.Name)]
    if (
        not any(_changes(one, view) or _may_change(one, array) for one in lines[1:])
        or not _is_apart(view, lines, function)
        or any(one.id == view for one in inner)
        or any(array in stored_in(statement) for statement in lines)
    ):
        return None
    begin: list[ast.stmt] = []
    writer = _Writer(view, _with_fixed_place(part, view, begin))
    made: list[ast.stmt] = []
    for statement in lines[1:]:
        written = writer.visit(copy_of_all(statement))  # blocks of loops are read again
        made += written if isinstance(written, list) else [written]
    return [*begin, *made, *block[len(lines) :]]


def _by_assignment(view: str, block: Sequence[ast.stmt]) -> list[Sequence[ast.stmt]]:
    """Return the lines of a block from each `view = ...` on, up to the next one."""
    begins = [
        k for k, statement in enumerate(block)
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == view
    ]  # fmt: skip
    return [block[k:n] for k, n in pairwise([*begins, len(block)])]


def _is_apart(view: str, lines: Sequence[ast.stmt], function: ast.FunctionDef) -> bool:
    """Tell whether what a function reads of a view is what the first of some lines has assigned.

    Other lines may assign the name, if they do so for those behind them alone.
    """

    def uses_in(nodes: Sequence[ast.AST]) -> list[ast.Name]:
        return [one for node in nodes for one in nodes_in(node, ast.Name) if one.id == view]

    uses = uses_in([function])
    each = [lines]
    if len(uses_in(lines)) < len(uses):
        each = [
            others for node in ast.walk(function) for block in vars(node).values()
            if isinstance(block, list) for others in _by_assignment(view, block)
        ]  # fmt: skip
    sums = [one.target for node in (function, *lines) for one in nodes_in(node, ast.AugAssign)]
    return sum(len(uses_in(one)) for one in each) == len(uses) and all(
        sum(isinstance(use.ctx, ast.Store) and use not in sums for use in uses_in(one)) == 1
        and len(uses_in(one[:1])) == 1
        for one in each
    )


def with_part_named(statement: ast.stmt) -> list[ast.stmt]:
    """Return `array[place][index] = value` as a change of a copy of the part, and its return."""
    made = copy_of_all(statement)
    match made:
        case ast.Assign([ast.Subscript(ast.Subscript() as part) as target]) | ast.AugAssign(
            ast.Subscript(ast.Subscript() as part) as target
        ):
            begin, target.value, end = _put_back(" ", part, made)
            return [begin, made, end]
    raise TypeError(statement)


def _put_back(
    view: str, part: ast.Subscript, node: ast.stmt
) -> tuple[ast.Assign, ast.Name, ast.Assign]:
    """Return what names a copy of a part of an array, the name, and what puts the copy back."""
    name = f" {view}:{node.lineno}:{node.col_offset}:part"
    read, stored = copy_of_all(part), copy_of_all(part)
    read.ctx, stored.ctx = ast.Load(), ast.Store()
    copied = placed(ast.Call(ast.Attribute(read, "copy", ast.Load()), [], []), node)
    end = placed(ast.Assign([stored], ast.Name(name, ast.Load())), node)
    return assignment(name, copied, node), placed(ast.Name(name, ast.Load()), part), end


def changes_of(view: str, block: Sequence[ast.stmt]) -> list[ast.stmt]:
    """List the assignments within statements that change elements of a view."""
    kinds = ast.Assign, ast.AugAssign
    each = [one for statement in block for kind in kinds for one in nodes_in(statement, kind)]
    return [one for one in each if _changes(one, view)]


def _changes(statement: ast.stmt, view: str) -> bool:
    """Tell whether a statement changes elements of a view."""
    sums = [one.target for one in nodes_in(statement, ast.AugAssign)]
    return any(getattr(target, "id", "") == view for target in sums) or any(
        not isinstance(part.ctx, ast.Load) and getattr(part.value, "id", "") == view
        for part in nodes_in(statement, ast.Subscript)
    )


def _may_change(statement: ast.stmt, array: str) -> bool:
    """Tell whether a statement changes elements of an array, or gives it to a function alone."""
    alone = (one.value for one in nodes_in(statement, ast.Expr) if isinstance(one.value, ast.Call))
    given = {getattr(argument, "id", "") for call in alone for argument in call.args}
    return _changes(statement, array) or array in given


def _with_fixed_place(
    part: ast.Subscript, view: str, begin: list[ast.stmt]
) -> ast.Subscript:  # fmt: skip
    """Return a part of an array at a place that does not change. begin: Gets what keeps it."""

    def kept(node: ast.expr | None) -> ast.expr | None:
        if node is None or isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Slice):
            bounds = map(kept, (node.lower, node.upper, node.step))
            return placed(ast.Slice(*bounds), node)
        name = f" {view}:{part.lineno}:{part.col_offset}:{len(begin)}"
        begin.append(assignment(name, node, part))
        return placed(ast.Name(name, ast.Load()), node)

    place = part.slice
    if isinstance(place, ast.Tuple):
        parts = [one for one in map(kept, place.elts) if one is not None]
        return placed(ast.Subscript(part.value, ast.Tuple(parts, ast.Load()), ast.Load()), part)
    return placed(ast.Subscript(part.value, kept(place) or place, ast.Load()), part)


class _Writer(ast.NodeTransformer):
    """Writes a part of an array in place of its name."""

    def __init__(self, view: str, part: ast.Subscript) -> None:
        self._view = view
        self._whole = part

    def _part(self, context: ast.expr_context) -> ast.Subscript:
        made = copy_of_all(self._whole)
        made.ctx = context
        return made

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._part(ast.Load()) if node.id == self._view else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self._changed(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if isinstance(node.target, ast.Name) and node.target.id == self._view:
            node.target = self._part(ast.Store())
            node.value = self.visit(node.value)
            return node
        return self._changed(node, [node.target])

    def _changed(self, node: ast.stmt, targets: list[ast.expr]) -> ast.AST | list[ast.stmt]:
        """Return what changes the part in a copy, and puts the copy into the array."""
        target = targets[0]
        is_change = isinstance(target, ast.Subscript) and len(targets) == 1
        if not isinstance(target, ast.Subscript) or not is_change or (
            getattr(target.value, "id", "") != self._view
        ):  # fmt: skip
            return self.generic_visit(node)
        begin, name, end = _put_back(self._view, self._whole, node)
        self.generic_visit(node)
        target.value = name
        return [begin, node, end]
