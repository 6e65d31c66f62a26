"""Writes what changes one of several lists once for each of them.

After `side = left if k else right`, the statements up to the last one that reads `side` become part
of an `if`: those for `side = left`, and those for `side = right`. `[left, right][k > 0].append(v)`
and `(left if k else right).append(v)` are read as such a choice, and `a, b = rows[0], rows[1]` as
two assignments. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from megabatt.codegen.analysis.ownership import CHANGING, names_changed_in
from megabatt.codegen.analysis.scopes import (
    assignment,
    copy_of_all,
    forget,
    names_in,
    nodes_in,
    placed,
)
from megabatt.codegen.rewriting.places import names_read_in
from megabatt.codegen.rewriting.second_names import (
    bindings_of,
    blocks_in,
    bound_to_part,
    owner_of,
    reads_of,
)

_MOST_NODES = 500
"""The most nodes of statements that are written once for each of several lists."""
_LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)


def with_choices_spread(tree: ast.Module) -> ast.Module:
    """Return a source in which a name that changes has one list alone. May change `tree`."""
    for function in nodes_in(tree, ast.FunctionDef):
        if any([_spread(block, function) for block in blocks_in(function)]):
            forget(tree)
    return tree


def _spread(block: list[ast.stmt], function: ast.FunctionDef) -> bool:
    """Rewrite the choices of a block. Returns whether there are any."""
    is_made = False
    place = 0
    while place < len(block):
        if alone := _changes_alone(block[place], function):
            block[place : place + 1] = alone
            forget(function)
            is_made = True
        chosen, count = _chosen(block[place : place + 2])
        name = _name_bound_by(chosen)
        rest = _up_to_last_reader(block[place + count :], name)
        is_changed = bool(name) and name in names_changed_in(function)
        if is_changed and _only_read(rest, name, chosen, function):
            _append(chosen, rest)
            block[place : place + count + len(rest)] = [chosen]
            is_made = True
        place += 1
    return is_made


def _changes_alone(statement: ast.stmt, function: ast.FunctionDef) -> list[ast.stmt]:
    """Return assignments, each of one list, that a statement stands for; else nothing."""
    match statement:
        case ast.Assign([ast.Tuple(targets)], value):
            values = _elements_of(value, len(targets))
            if len(targets) != len(values):
                return []
            pairs = zip(targets, values, strict=True)
            made = [placed(ast.Assign([one], value), statement) for one, value in pairs]
            found = [bound_to_part(one) for one in made]
            names = {name for target in targets for name in names_in(target)}
            owners = {owner_of(one[1]) for one in found if one}
            if (
                all(found)
                and names.isdisjoint(set().union(*map(names_read_in, values)))
                and not names_changed_in(function).isdisjoint(names | owners)
            ):
                return made
        case ast.Expr(ast.Call(ast.Attribute(owner, method), given, keywords)) if (
            method in CHANGING and _choice_of(owner)
        ):
            name = f" {owner.lineno}:{owner.col_offset}:chosen"
            changed = ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load())
            call = ast.Expr(ast.Call(changed, given, keywords))
            return [assignment(name, owner, statement), placed(call, statement)]
    return []


def _elements_of(value: ast.expr, count: int) -> list[ast.expr]:
    """List what a tuple, or a slice `x[k : k + count]`, has as elements; nothing for others."""
    match value:
        case ast.Tuple(elts=parts):
            return parts
        case ast.Subscript(ast.Name() as owner, ast.Slice(ast.Name(first), end, None)) if end:
            if ast.unparse(end) == f"{first} + {count}":
                number = ast.Name(first, ast.Load())
                places = [ast.BinOp(number, ast.Add(), ast.Constant(k)) for k in range(count)]
                parts = [ast.Subscript(owner, one, ast.Load()) for one in places]
                return [placed(part, value) for part in parts]
    return []


def _choice_of(value: ast.expr) -> ast.IfExp | None:
    """Return `a if k else b`, or what `[b, a][k]` stands for if `k` is 0 or 1; else None."""
    match value:
        case ast.IfExp():
            return value
        case ast.Subscript(ast.List([one, other]) | ast.Tuple([one, other]), index):
            is_bit = isinstance(index, ast.Compare) or (
                isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Not)
            )
            match index:
                case ast.BinOp(_, ast.Mod(), ast.Constant(2)) | ast.BinOp(
                    _, ast.BitAnd(), ast.Constant(1)
                ):
                    is_bit = True
            if is_bit:
                return placed(ast.IfExp(index, other, one), value)  # type: ignore[no-any-return]
    return None


def _chosen(statements: Sequence[ast.stmt]) -> tuple[ast.stmt, int]:
    """Return the `if` by which some statements choose, and how many they are; else the first."""
    first = statements[0]
    match statements:
        case [ast.Assign([ast.Name(name)], part), ast.If(test, body, []) as second] if (
            bound_to_part(first)
            and not any(reads_of(ast.Module([second], []), name))
            and (isinstance(part, ast.Name) or not nodes_in(test, ast.Call))
        ):
            return placed(ast.If(test, body, [first]), second), 2
    return _as_if(first), 1


def _as_if(statement: ast.stmt) -> ast.stmt:
    """Return `name = a if k else b` as an `if`; other statements as they are."""
    match statement:
        case ast.Assign([ast.Name(name)], value) if choice := _choice_of(value):
            sides = [
                [_as_if(assignment(name, side, statement))]
                for side in (choice.body, choice.orelse)
            ]
            return placed(ast.If(choice.test, *sides), statement)  # type: ignore[no-any-return]
    return statement


def _name_bound_by(statement: ast.stmt) -> str:
    """Return the name that an `if` binds to a list or an element, in any case; "" for others."""
    if not isinstance(statement, ast.If):
        return ""
    names = set()
    for end in _ends(statement):
        if not isinstance(end, _LEAVING):
            found = bound_to_part(end) if end else None
            names.add(found[0] if found else "")
    return names.pop() if len(names) == 1 else ""


def _ends(chosen: ast.If) -> Iterator[ast.stmt | None]:
    """Yield the last statements of the sides of an `if`; None for an empty side."""
    for side in (chosen.body, chosen.orelse):
        last = _as_if(side[-1]) if side else None
        if isinstance(last, ast.If):
            yield from _ends(last)
        else:
            yield last


def _append(chosen: ast.stmt, rest: list[ast.stmt]) -> None:
    """Append statements to each side of an `if` that binds a name."""
    assert isinstance(chosen, ast.If)
    for side in (chosen.body, chosen.orelse):
        side[-1] = _as_if(side[-1])
        if isinstance(side[-1], ast.If):
            _append(side[-1], rest)
        elif not isinstance(side[-1], _LEAVING):
            side += map(copy_of_all, rest)


def _up_to_last_reader(statements: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """Return the statements up to the last one that reads a name."""
    readers = [k for k, one in enumerate(statements) if any(reads_of(one, name))]
    return list(statements[: readers[-1] + 1]) if readers else []


def _only_read(
    rest: list[ast.stmt], name: str, chosen: ast.stmt, function: ast.FunctionDef
) -> bool:
    """Tell whether some statements, which are not many, alone read a name and never bind it."""
    body = ast.Module(rest, [])
    return (
        len(list(ast.walk(body))) < _MOST_NODES
        and not any(bindings_of(body, name))
        and not any(reads_of(chosen, name))
        and set(reads_of(body, name)) == set(reads_of(function, name))
    )
