"""Writes an element as `rows[k]` where a second name stands for it while it changes.

`row = rows[k]; row[0] = 4` becomes `rows[k]; rows[k][0] = 4`, and `votes = counts.setdefault(k,
{}); votes[v] = 1` becomes `counts.setdefault(k, {}); counts[k][v] = 1`. So does `row = rows[k];
rows[k][0] = row[1]`, and `side = left; side.append(v)` becomes `left.append(v)`; an element of an
element is written so twice. So one name alone holds what changes. The source does the same as
before.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence, Set

from megabatt.codegen.analysis.names import bound_in, named_in, names_in, names_of
from megabatt.codegen.analysis.nodes import (
    Functions,
    assignment,
    forget,
    functions_in,
    functions_within,
    nodes_in,
    once_a_node,
    placed,
)
from megabatt.codegen.analysis.ownership import names_changed_in
from megabatt.codegen.rewriting.generators import has_own_rows
from megabatt.codegen.rewriting.places import (
    PURE,
    Replacer,
    changes_in,
    hides,
    only_looks,
    parents_in,
)

_NEW = {"Counter", "OrderedDict", "deepcopy", "defaultdict", "dict", "list", "sorted"}
"""The functions of Python that make a list or a dictionary that nothing else holds."""
_PLAIN = (
    ast.Constant, ast.Name, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load
)  # fmt: skip
"""The nodes of an index that gives the same whenever it is computed."""


def without_second_names(tree: ast.Module) -> ast.Module:
    """Return a source with changes through second names rewritten. May change `tree`."""
    functions = list(nodes_in(tree, ast.FunctionDef))
    if any([_with_lines_named(function) for function in functions]):
        forget(tree)
    if any([_Function(function).rewrite() for function in functions if _may_have(function)]):
        forget(tree)
    return tree


def _with_lines_named(function: ast.FunctionDef) -> bool:
    """Write `cell = rows[i][j]`, if it may change, as `row = rows[i]; cell = row[j]`.

    Returns whether there is any.
    """
    changed, made = names_changed_in(function), False
    for block in blocks_in(function):
        for place, statement in reversed(list(enumerate(block))):
            match statement:
                case ast.Assign(
                    [ast.Name(name)], ast.Subscript(ast.Subscript(ast.Name()) as line) as element
                ) if name in changed:
                    row = f" row:{line.lineno}:{line.col_offset}:{name}"
                    element.value = placed(ast.Name(row, ast.Load()), line)
                    block.insert(place, assignment(row, line, line))
                    made = True
    return made


def _may_have(function: ast.FunctionDef) -> bool:
    changed = names_changed_in(function)
    return any(
        found is not None and not changed.isdisjoint((found[0], owner_of(found[1])))
        for found in map(bound_to_part, nodes_in(function, ast.Assign))
    )


def owner_of(part: ast.expr) -> str:
    """Return the name of `name` or `name[k]`."""
    return getattr(getattr(part, "value", part), "id", "")


def bound_to_part(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Return what `second_name` does; for `name = other`, the name and the other one too."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Name() as other):
            return name, other
    return second_name(statement)


def is_plain(index: ast.expr) -> bool:
    """Tell whether an index gives the same whenever it is computed and its names have the same."""
    return all(isinstance(part, _PLAIN) for part in ast.walk(index))


def second_name(statement: ast.stmt) -> tuple[str, ast.Subscript] | None:
    """Return the name that a statement binds to an element, and the element; None for others."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Subscript(ast.Name()) as element):
            return name, element
        case ast.Assign(
            [ast.Name(name)], ast.Call(ast.Attribute(ast.Name() as owner, "setdefault"), [key, _])
        ):
            return name, ast.Subscript(owner, key, ast.Load())
    return None


class _Function:
    """A function whose second names are rewritten."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._function = function
        self._parameters = {part.arg for part in nodes_in(function.args, ast.arg)}

    def rewrite(self) -> bool:
        """Rewrite what is possible. Returns whether anything is."""
        made = self._rewrite_once()
        while made and self._rewrite_once():  # more may change than before
            pass
        return made

    def _rewrite_once(self) -> bool:
        made = False
        for block in blocks_in(self._function):
            for place, statement in reversed(list(enumerate(block))):
                found = bound_to_part(statement)
                if found is None:
                    continue
                name, element = found
                rest = up_to_next(block[place + 1 :], name)
                changed = names_changed_in(ast.Module(up_to_last_reader(rest, name), []))
                if not changed.isdisjoint((name, owner_of(element))) and (
                    self._may_be_rewritten(name, element, _up_to_last_read(rest, name))
                ):
                    block[place] = placed(ast.Expr(statement.value), statement)  # type: ignore[attr-defined]
                    replacer = Replacer(name, placed(element, statement))
                    for part in rest:
                        replacer.visit(part)
                    forget(self._function)
                    made = True
        return made

    def _may_be_rewritten(self, name: str, element: ast.expr, rest: list[ast.AST]) -> bool:
        """Tell whether nothing replaces a list or element while `name` is read."""
        body = ast.Module(rest, [])  # type: ignore[arg-type]
        nodes = list(ast.walk(body))
        is_whole = isinstance(element, ast.Name)
        index = ast.Constant(0) if is_whole else element.slice  # type: ignore[attr-defined]
        owner, read = owner_of(element), named_in(index)
        fixed, changed = {name, owner, *read}, names_changed_in(body)
        return (
            name not in read | {owner}
            and is_plain(index)
            and read | ({owner} if is_whole else set()) <= set(bound_in(self._function))
            and not any(bindings_of(body, name))
            and (read | {owner}).isdisjoint(bound_in(body))
            and not any(fixed.intersection(n.names) for n in self._shared())
            and changed.isdisjoint(read)
            and not any(isinstance(n, Functions) and name in named_in(n) for n in nodes)
            and not self._is_read_by_functions(name)
            and self._is_bound_apart(name)
            and (is_whole or self._keeps_elements(owner, name, body, nodes))
        )

    def _is_read_by_functions(self, name: str) -> bool:
        """Tell whether a function within may read a name, when it is called."""
        inner = functions_within(self._function)
        return any(name in named_in(one) and name not in names_of(one) for one in inner)

    def _shared(self) -> list[ast.Global | ast.Nonlocal]:
        """List the statements that share names with other functions."""
        return [*nodes_in(self._function, ast.Global), *nodes_in(self._function, ast.Nonlocal)]

    def _keeps_elements(
        self, owner: str, name: str, body: ast.Module, nodes: list[ast.AST]
    ) -> bool:
        """Tell whether no element of the owner is replaced while statements change `name`."""
        changes = [(one, len(indices) - is_store) for one, indices, is_store in changes_in(nodes)]
        outright = {one for one, level in changes if not level}
        outright |= {getattr(part.target, "id", "") for part in nodes_in(body, ast.AugAssign)}
        if owner in outright or is_held_in(body, owner):
            return False
        for function in functions_within(self._function):
            if owner in names_changed_in(function) | set(bound_in(function)):
                return False
        if not self._may_be_held(owner):
            return True
        calls_own = any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and node.func.id not in PURE | _NEW for node in nodes
        )  # fmt: skip
        within = {one for one, level in changes if level} - {name, owner}
        return not (calls_own or any(map(self._may_be_held, outright - {name}))) and all(
            self._is_new(one) and has_own_rows(one, self._function, parents_in(self._function))
            for one in within
        )

    def _may_be_held(self, name: str) -> bool:
        """Tell whether something else may hold the list or dictionary of a name."""
        is_parameter = name in self._parameters and [*bound_in(self._function)].count(name) == 1
        return not (is_parameter or self._is_new(name)) or is_held_in(self._function, name)

    def _is_new(self, name: str) -> bool:
        return is_new_in(self._function, name)

    def _is_bound_apart(self, name: str) -> bool:
        """Tell whether each place that reads a name is reached by one binding of the name alone."""
        regions: list[list[ast.stmt]] = []
        for loop in nodes_in(self._function, ast.For):
            if name in names_in(loop.target):
                regions.append(loop.body)
        for block in blocks_in(self._function):
            for place, statement in enumerate(block):
                if _assigns(statement, name):
                    regions.append(up_to_next(block[place + 1 :], name))
        if len(regions) != len(list(bindings_of(self._function, name))):
            return False
        reached: set[ast.AST] = set()
        for region in regions:
            body = ast.Module(region, [])
            if any(bindings_of(body, name)):
                return False
            reached.update(reads_of(body, name))
        return reached.issuperset(reads_of(self._function, name))


def is_held_in(node: ast.AST, name: str) -> bool:
    """Tell whether something within a node may hold the value of a name."""
    reads = [
        part for part in nodes_in(node, ast.Name)
        if part.id == name and isinstance(part.ctx, ast.Load)
    ]  # fmt: skip
    if not reads:
        return False
    parents = parents_in(node)
    returned = {part for one in nodes_in(node, ast.Return) for part in ast.walk(one)}
    for function in functions_in(node):
        if function is not node:
            returned.difference_update(ast.walk(function))
    for part in reads:
        if part not in returned:
            parent = parents[part]
            is_owner = isinstance(parent, ast.Subscript) and parent.value is part
            is_method = isinstance(parent, ast.Attribute) and isinstance(parents[parent], ast.Call)
            is_owner |= is_method and parents[parent].func is parent  # type: ignore[attr-defined]
            if not (is_owner or isinstance(parent, ast.BinOp) or only_looks(part, parent)):
                return True
    return False


def is_new_in(function: ast.FunctionDef, name: str) -> bool:
    """Tell whether a function binds a name to nothing but new lists and dictionaries."""
    values = [
        assignment.value for assignment in nodes_in(function, ast.Assign)
        if [getattr(target, "id", "") for target in assignment.targets] == [name]
    ]  # fmt: skip
    return [*bound_in(function)].count(name) == len(values) > 0 and all(map(_makes_new, values))


def blocks_in(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements of a function, without those of functions in it."""
    left: list[ast.AST] = [function]
    for node in left:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block
                left += [part for part in block if not isinstance(part, ast.FunctionDef)]


def _assigns(statement: ast.stmt, name: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(name in names_in(target) for target in targets)


def up_to_next(statements: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """Return the statements before the next one that assigns to a name."""
    for place, statement in enumerate(statements):
        if _assigns(statement, name):
            return list(statements[:place])
    return list(statements)


def up_to_last_reader(statements: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """Return the statements up to the last one that reads a name."""
    readers = [k for k, one in enumerate(statements) if any(reads_of(one, name))]
    return list(statements[: readers[-1] + 1]) if readers else []


def _up_to_last_read(statements: Sequence[ast.stmt], name: str) -> list[ast.AST]:
    """Return the parts of statements that read a name, or come before a part that reads it."""
    rest: list[ast.AST] = [*up_to_last_reader(statements, name)]
    if rest and isinstance(rest[-1], ast.If):
        last = rest.pop()
        sides = (_up_to_last_read(side, name) for side in (last.body, last.orelse))  # type: ignore[attr-defined]
        rest += [last.test, *itertools.chain(*sides)]  # type: ignore[attr-defined]
    return rest


def bindings_of(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield what binds a name, except within comprehensions that bind the name."""
    for part in _walk_outside(node, name):
        match part:
            case ast.Name(id=found, ctx=ast.Store() | ast.Del()) | ast.arg(arg=found):
                pass
            case ast.FunctionDef(name=found) | ast.ClassDef(name=found):
                pass
            case _:
                continue
        if found == name:
            yield part


def reads_of(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield where a name is read, except within comprehensions that bind the name."""
    for part in _walk_outside(node, name):
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load):
            yield part


def _walk_outside(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield the nodes within a node where a name may stand, as far as its statements tell.

    Comprehensions that bind the name themselves are left out.
    """
    left = [node]
    for part in left:
        if isinstance(part, ast.stmt) and name not in _mentioned_in(part):
            continue
        yield part
        if hides(part, name):
            left.append(part.generators[0].iter)  # type: ignore[attr-defined]
        else:
            left += ast.iter_child_nodes(part)


@once_a_node
def _mentioned_in(statement: ast.stmt) -> Set[str]:
    return named_in(statement) | set(bound_in(statement))


def _makes_new(value: ast.expr) -> bool:
    """Tell whether an expression makes a list or a dictionary that nothing else holds."""
    match value:
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
            return name in _NEW
        case ast.BinOp(ast.List(), ast.Mult()):
            return True
    return isinstance(value, ast.List | ast.ListComp | ast.Dict | ast.DictComp)
