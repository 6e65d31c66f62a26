"""Writes what changes one of several lists once for each of them.

After `side = left if k else right`, the statements up to the last one that reads `side` become
part of an `if`: those for `side = left`, and those for `side = right`. `[left, right][k > 0].pop()`
and `(left if k else right).pop()` are read as such a choice. A loop over `(left, right)` is written
as its rounds, and `a, b = rows[0], rows[1]` as two assignments. After `rows.append(row)`, `row =
rows[-1]` tells where the row is that changes then. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from megabatt.codegen.analysis.liveness import leaves, loads
from megabatt.codegen.analysis.names import bound_in, named_in, names_in, names_shared_in
from megabatt.codegen.analysis.nodes import (
    all_nodes_in,
    assignment,
    copy_of_all,
    forget,
    functions_within,
    nodes_in,
    once_a_node,
    placed,
)
from megabatt.codegen.analysis.ownership import CHANGING, names_changed_in
from megabatt.codegen.rewriting.places import Replacement, changes_in
from megabatt.codegen.rewriting.second_names import (
    bindings_of,
    blocks_in,
    bound_to_part,
    is_held_in,
    is_new_in,
    is_plain,
    owner_of,
    reads_of,
    up_to_last_reader,
    up_to_next,
)

_MOST_NODES = 500
"""The most nodes of statements that are written once for each of several lists."""
_MOST_OF_FUNCTION = 5000
"""The most nodes of a function whose loops are written as rounds."""
_GIVEN = (ast.Constant, ast.List, ast.Load, ast.Name, ast.Tuple)
_LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)


def with_choices_spread(tree: ast.Module) -> ast.Module:
    """Return a source in which a name that changes has one list alone. May change `tree`."""
    for function in nodes_in(tree, ast.FunctionDef):
        if any([_spread(block, function, tree) for block in blocks_in(function)]):
            forget(tree)
    return tree


def _spread(block: list[ast.stmt], function: ast.FunctionDef, tree: ast.Module) -> bool:
    """Rewrite the choices of a block. Returns whether there are any."""
    is_made = False
    place = 0
    while place < len(block):
        for lines in _rewritten(block, place, function, tree):
            block[place : place + 1] = lines
            forget(function)
            is_made = True
        lines = _chosen(block[place : place + 2], names_shared_in(tree))
        chosen = lines[-1]
        changed = names_changed_in(function)
        name = _name_bound_by(chosen) if changed else ""
        if name and name in changed:
            rest = up_to_last_reader(block[place + len(lines) :], name)
            if _only_read(rest, name, chosen, function):
                _append(chosen, rest)
                block[place : place + len(lines) + len(rest)] = lines
                forget(function)
                is_made = True
        place += 1
    return is_made


def _rewritten(
    block: list[ast.stmt], place: int, function: ast.FunctionDef, tree: ast.Module
) -> Iterator[list[ast.stmt]]:
    """Yield what a statement of a block becomes, again and again."""
    if rounds := _rounds(block[place], function):
        yield rounds
    if _name_elements(block[place]):
        yield [block[place]]
    if alone := _changes_alone(block[place], function, tree):
        yield alone
    if part := _held_part(block[place], block[place + 1 :]):
        yield [block[place], part]
    if added := _put_back(block, place, function):
        yield [added]


def _name_elements(loop: ast.stmt) -> bool:
    """Write `for a, b in pairs` as `for pair in pairs: a, b = pair[0], pair[1]` if one changes."""
    match loop:
        case ast.For(ast.Tuple([_, ast.Tuple(parts) as whole]), ast.Call(ast.Name("enumerate"), _)):
            pass
        case ast.For(ast.Tuple(parts) as whole, ast.Name()):
            pass
        case _:
            return False
    assert isinstance(loop, ast.For)
    changed = _changed_in(loop.body)
    if changed.isdisjoint(names_in(whole)) or not all(isinstance(one, ast.Name) for one in parts):
        return False
    name = f" {whole.lineno}:{whole.col_offset}:pair"
    for place, part in reversed(list(enumerate(parts))):
        value = ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(place), ast.Load())
        loop.body.insert(0, placed(ast.Assign([part], value), whole))
    loop.target = Replacement(whole, placed(ast.Name(name, ast.Store()), whole)).visit(loop.target)
    return True


def _changed_in(lines: Sequence[ast.stmt]) -> set[str]:
    """Return the names of what changes in place within statements."""
    return set().union(*map(_changed_by, lines))


@once_a_node
def _changed_by(statement: ast.stmt) -> Set[str]:
    return {name for name, _, _ in changes_in(all_nodes_in(statement))}


def _rounds(loop: ast.stmt, function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the rounds of a loop over a few names, one of which it changes; else nothing."""
    match loop:
        case ast.For(target, ast.List(parts) | ast.Tuple(parts), body, []):
            inside = ast.Module(body, [])
            given = set().union(*map(named_in, parts))
            if (
                _changed_in(body).isdisjoint(names_in(target))
                or not all(isinstance(node, _GIVEN) for part in parts for node in ast.walk(part))
                or not given.isdisjoint([*bound_in(inside), *names_in(target)])
                or not given.isdisjoint(names_shared_in(function))
                or any(map(leaves, body))
                or len(all_nodes_in(inside)) * len(parts) > _MOST_NODES
                or len(all_nodes_in(function)) > _MOST_OF_FUNCTION
            ):
                return []
            made: list[ast.stmt] = []
            for part in parts:
                first = ast.Assign([copy_of_all(target)], part)
                made += [placed(first, part), *map(copy_of_all, body)]
            return made
    return []


def _changes_alone(
    statement: ast.stmt, function: ast.FunctionDef, tree: ast.Module
) -> list[ast.stmt]:
    """Return assignments, each of one list, that a statement stands for; else nothing."""
    match statement:
        case ast.Assign([ast.Tuple(targets)], value):
            values = _elements_of(value, len(targets), function, tree)
            places = [part for target in targets for part in nodes_in(target, ast.Subscript)]
            if places or len(targets) != len(values):  # a value may be of what a place changes
                return []
            pairs = zip(targets, values, strict=True)
            made = [placed(ast.Assign([one], value), statement) for one, value in pairs]
            found = [
                bound_to_part(one) for one in made if not isinstance(one.value, ast.Constant)
            ]
            names = {name for target in targets for name in names_in(target)}
            owners = {owner_of(one[1]) for one in found if one}
            if (
                all(found)
                and names.isdisjoint(set().union(*map(named_in, values)))
                and not names_changed_in(function).isdisjoint(names | owners)
            ):
                return [*made]
        case ast.Expr(ast.Call(ast.Attribute(owner, method), given, keywords)) if (
            method in CHANGING and _choice_of(owner)
        ):
            name = f" {owner.lineno}:{owner.col_offset}:chosen"
            changed = ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load())
            call = ast.Expr(ast.Call(changed, given, keywords))
            return [assignment(name, owner, statement), placed(call, statement)]
    return []


def _held_part(statement: ast.stmt, later: list[ast.stmt]) -> ast.stmt | None:
    """Return `x = rows[-1]` to follow `rows.append(x)`, and `x = d[k]` to follow `d[k] = x`.

    None for other statements, or if no later statement changes x.
    """
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as rows, "append"), [ast.Name(name)], [])):
            part = ast.Subscript(rows, ast.Constant(-1), ast.Load())
        case ast.Assign([ast.Subscript(ast.Name() as rows, key)], ast.Name(name)):
            part = ast.Subscript(rows, copy_of_all(key), ast.Load())
        case _:
            return None
    is_changed = name in _changed_in(up_to_next(later, name))
    return assignment(name, part, statement) if is_changed and is_plain(part.slice) else None


def _put_back(
    block: list[ast.stmt], place: int, function: ast.FunctionDef
) -> ast.stmt | None:
    """Return `x = d.setdefault(k, v)` for `x = d.get(k, v)` if `d[k] = x` follows, and drop that.

    None for other statements, and if the lines between change `k`, may leave the block, or may read
    `d`: by its name, by another name or in a function. Nothing else holds `d`, which is made here.
    """
    match block[place]:
        case ast.Assign(
            [ast.Name(name)], ast.Call(ast.Attribute(ast.Name(owner), "get"), [key, _], [])
        ):
            pass
        case _:
            return None
    inner = functions_within(function)
    is_seen = is_held_in(function, owner) or any(owner in named_in(one) for one in inner)
    if is_seen or not is_new_in(function, owner):
        return None
    fixed = named_in(key) | {name}
    for later, line in enumerate(block[place + 1 :], place + 1):
        match line:
            case ast.Assign([ast.Subscript(ast.Name(other), index)], ast.Name(put)) if (
                (other, put, ast.dump(index)) == (owner, name, ast.dump(key)) and is_plain(key)
            ):
                del block[later]
                made = copy_of_all(block[place])
                made.value.func.attr = "setdefault"  # type: ignore[attr-defined]
                return made
        if owner in named_in(line) or leaves(line) or not fixed.isdisjoint(bound_in(line)):
            return None
    return None


def _elements_of(
    value: ast.expr, count: int, function: ast.FunctionDef, tree: ast.Module
) -> list[ast.expr]:
    """List what a tuple has as elements, or a slice `x[k : k + count]` if `k` counts from 0 on.

    Nothing for others.
    """
    match value:
        case ast.Tuple(elts=parts):
            return parts
        case ast.Subscript(ast.Name() as owner, ast.Slice(ast.Name(first), end, None)) if end:
            if ast.unparse(end) == f"{first} + {count}" and _counts_up(first, function, tree):
                number = ast.Name(first, ast.Load())
                places = [ast.BinOp(number, ast.Add(), ast.Constant(k)) for k in range(count)]
                parts = [ast.Subscript(owner, one, ast.Load()) for one in places]
                return [placed(part, value) for part in parts]
    return []


def _counts_up(name: str, function: ast.FunctionDef, tree: ast.Module) -> bool:
    """Tell whether a name is bound to nothing but the numbers of a `range` from 0, or more, on.

    The range may be the default of a parameter, if nothing reads the function's name.
    """
    if [*bound_in(function)].count(name) != 1:
        return False
    given = function.args
    parameters = [*given.posonlyargs, *given.args][::-1]
    defaults = {part.arg: one for part, one in zip(parameters, given.defaults[::-1], strict=False)}
    if function.name in loads(tree) or names_shared_in(tree):
        defaults.clear()
    for loop in nodes_in(function, ast.For):
        over = loop.iter
        if isinstance(over, ast.Name) and [*bound_in(function)].count(over.id) == 1:
            over = defaults.get(over.id, over)
        match loop.target, over:
            case ast.Name(counter), ast.Call(ast.Name("range"), [_] | [ast.Constant(int()), _]):
                if counter == name:
                    return True
    return False


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
            if is_bit and not any(nodes_in(part, ast.Call) for part in (one, other)):
                return placed(ast.IfExp(index, other, one), value)
    return None


def _chosen(statements: Sequence[ast.stmt], shared: Set[str]) -> list[ast.stmt]:
    """Return the first of some statements as an `if`, where it chooses; else as it is.

    Of `x = a` and `if test: x = b` both become an `if`, behind a line that reads `a`. shared: The
    names that a call in the test may assign.
    """
    first = statements[0]
    match statements:
        case [
            ast.Assign([ast.Name(name)], ast.Name() | ast.Subscript(ast.Name()) as part),
            ast.If(test, body, []) as second,
        ] if (
            not any(reads_of(ast.Module([second], []), name))
            and (isinstance(part, ast.Name) or not nodes_in(test, ast.Call))
            and named_in(part).isdisjoint([*shared, *bound_in(test)])
        ):
            chosen = placed(ast.If(test, body, [first]), second)
            return [placed(ast.Expr(part), first), chosen]
    return [_as_if(first)]


def _as_if(statement: ast.stmt) -> ast.stmt:
    """Return `name = a if k else b` as an `if`; other statements as they are."""
    match statement:
        case ast.Assign([ast.Name(name)], value) if choice := _choice_of(value):
            sides = [
                [_as_if(assignment(name, side, statement))]
                for side in (choice.body, choice.orelse)
            ]
            return placed(ast.If(choice.test, *sides), statement)
    return statement


def _name_bound_by(statement: ast.stmt) -> str:
    """Return the name that an `if` binds to a list or an element, in any case; "" for others."""
    if not isinstance(statement, ast.If):
        return ""
    name = ""
    for end in _ends(statement):
        if not isinstance(end, _LEAVING):
            found = bound_to_part(end) if end else None
            if found is None or name not in ("", found[0]):
                return ""
            name = found[0]
    return name


def _ends(chosen: ast.If) -> Iterator[ast.stmt | None]:
    """Yield the last statements of the sides of an `if`; None for an empty side."""
    left: list[ast.stmt | None] = [chosen]
    while left:
        last = left.pop()
        if isinstance(last, ast.If):
            left += [_as_if(side[-1]) if side else None for side in (last.orelse, last.body)]
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
