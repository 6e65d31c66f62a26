"""Rewrites loops over lists that change in them as loops over the lists' places.

`for row in rows: row[0] = 4` becomes `for k in range(len(rows)): rows[k][0] = 4`. In `for j, v in
enumerate(rows[i]): rows[i][j] = v + 1`, a round begins with `v = rows[i][j]`. Loops over the values
of dictionaries become loops over the keys. So nothing else holds an element that changes. The
source does the same as before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Set
from typing import Any

from megabatt.codegen.analysis.lists import levels_of_lists
from megabatt.codegen.analysis.liveness import LOOPS, flow_of, loads, read_in_rounds
from megabatt.codegen.analysis.names import (
    assigned_in,
    assigned_in_expressions,
    bound_in,
    named_in,
    names_in,
    names_of,
)
from megabatt.codegen.analysis.nodes import (
    Functions,
    copy_of_all,
    forget,
    functions_within,
    nodes_in,
    nodes_of_scope,
    placed,
)
from megabatt.codegen.analysis.ownership import (
    ALL,
    CHANGING,
    Comprehension,
    call_of_change,
    exposed_within,
    indices_of,
    names_changed_in,
)

PURE = {
    "abs", "all", "any", "bool", "enumerate", "int", "len", "list", "max", "min", "print", "range",
    "reversed", "set", "sorted", "str", "sum", "tuple", "zip",
}  # fmt: skip
"""The functions of Python that change nothing."""
_USED = {"enumerate", "len", "list", "range", "reversed", "tuple", "zip"}
"""The functions of Python that must have their own names."""
_NO_LISTS = {
    "Counter", "OrderedDict", "defaultdict", "dict", "enumerate", "filter", "iter", "map",
    "reversed", "zip",
}  # fmt: skip
"""The functions of Python that make dictionaries and iterators."""


def with_places(tree: ast.Module) -> ast.Module:
    """Return a source with loops over places where the lists change. May change `tree`."""
    if not any(map(loops_over, nodes_in(tree, ast.For))) or not _USED.isdisjoint(bound_in(tree)):
        return tree
    functions = list(nodes_in(tree, ast.FunctionDef))
    while any([_rewrite(loop, one, tree) for one in functions for loop in _loops_in(one)]):
        forget(tree)  # a loop around may change more than before
    return tree


def _loops_in(function: ast.FunctionDef) -> Iterator[ast.For]:
    """Yield a function's own loops, the outer ones first: they may be rewritten meanwhile."""
    nodes = nodes_of_scope(function)
    return (node for node in nodes if isinstance(node, ast.For))


def _rewrite(loop: ast.For, function: ast.FunctionDef, tree: ast.Module) -> bool:
    """Rewrite a loop as far as that is possible. Returns whether it is."""
    is_made = False
    while found := [one for one in loops_over(loop) if one.may_be_rewritten(function, tree)]:
        found[0].rewrite()
        forget(function)
        is_made = True
    return is_made


def loops_over(loop: ast.For) -> list[_Loop]:
    """List the lists and dictionaries that a loop is over and may change, with their elements."""
    changed = names_changed_in(loop)
    found = list(_loops_over(loop, loop.target, loop.iter))
    names = {name for one in found for name in (one.element, one.owner)}
    bound = Counter(names_in(loop.target))
    is_once = all(times == 1 for times in bound.values())
    return found if is_once and not names.isdisjoint(changed) else []


def _loops_over(loop: ast.For, target: ast.expr, over: ast.expr) -> Iterator[_Loop]:
    """Yield the lists whose elements a part of a loop's target gets, and dictionaries."""
    is_whole = over is loop.iter
    match over, target:
        case ast.Call(ast.Name("enumerate"), [ast.Name() | ast.Subscript() as counted], []), (
            ast.Tuple([ast.Name(index), ast.Name() as element])
        ) if is_whole and not isinstance(getattr(counted, "slice", None), ast.Slice):
            yield _Loop(loop, counted, element, index)
        case ast.Call(ast.Name("enumerate"), [counted, *_]), ast.Tuple([_, element]):
            yield from _loops_over(loop, element, counted)
        case ast.Call(ast.Name("zip"), lists, []), ast.Tuple(targets) if (
            len(lists) == len(targets)
        ):
            for part, one in zip(targets, lists, strict=True):
                yield from _loops_over(loop, part, one)
        case ast.Call(ast.Name("list" | "reversed" | "tuple"), [inner], []), _:
            yield from _loops_over(loop, target, inner)
        case ast.Call(ast.Attribute(values, "items"), [], []), ast.Tuple(
            [key, ast.Name() as element]
        ) if is_whole:
            index = key.id if isinstance(key, ast.Name) else ""
            yield _Loop(loop, values, element, index, True, None if index else key)
        case ast.Call(ast.Attribute(values, "values"), [], []), ast.Name() if is_whole:
            yield _Loop(loop, values, target, has_keys=True)
        case ast.Call(ast.Name("sorted"), [ast.Name() | ast.Subscript() as inner], _), ast.Name():
            yield _Loop(loop, inner, target, order=over)
        case ast.Subscript(sliced, ast.Slice()), _:
            yield from _loops_over(loop, target, sliced)
        case ast.Name() | ast.Subscript(), ast.Name():
            yield _Loop(loop, over, target)


class _Loop:
    """A loop over `over`, which is `name` or `name[a][b]`, or over a part of it.

    element, index: The names of the element and, if any, of its place or key. has_keys: Whether
    `over` is a dictionary. key: The target of the key, if it has several names. order: The call of
    `sorted`, if there is one.
    """

    def __init__(
        self, loop: ast.For, over: ast.expr, target: ast.Name, index: str = "",
        has_keys: bool = False, key: ast.expr | None = None, order: Any = None,
    ) -> None:  # fmt: skip
        self._has_keys = has_keys
        self._key = key
        self._loop = loop
        self._target = target
        self._order = order
        self.over = over
        self.element = target.id
        self._index = index
        self._owner, self._indices = indices_of(over)
        self.owner = getattr(self._owner, "id", "")
        self._depth = len(self._indices)
        self._is_replaced = self._is_changed = self._has_place = False

    def may_be_rewritten(self, function: ast.FunctionDef, tree: ast.Module) -> bool:
        """Tell whether the loop changes the elements of the list, and nothing else of it."""
        if not isinstance(self._owner, ast.Name):
            return False
        name = self._owner.id
        outer = {part for one in nodes_in(function, ast.Nonlocal) for part in one.names}
        if name not in names_of(function) or outer & {name, self.element}:
            return False
        read = {name}
        for index in self._indices:
            parts = ast.walk(index)
            if any(isinstance(part, ast.Call | ast.NamedExpr | ast.Slice) for part in parts):
                return False
            read |= named_in(index)
        if not read.isdisjoint(names_in(self._loop.target)) or self._key_hides(read):
            return False
        fixed = {*read, self.element, self._index}
        body = ast.Module(self._loop.body, [])
        nodes = list(ast.walk(body))
        if fixed & (assigned_in(self._loop.body) | assigned_in_expressions(body)):
            return False
        return (
            self._changes_elements(nodes, name)
            and (self._has_place or self._has_keys or self._is_certain_list(function, tree))
            and (self._has_key_of_order() or self._levels(function, tree) > self._depth + 1)
            and (self._is_replaced or (fixed - {self.element}).isdisjoint(bound_in(body)))
            and not self._may_grow(body, name)
            and not _is_seen_by_functions(function, body, name, self.element)
            and not (self._is_replaced and (self._has_keys or not self._is_over_all()))
            and (self._has_keys or not _may_be_no_list(function, name))
            and (self._is_replaced or not _is_read_behind(function, self._loop, self.element))
            and not self._gives_elements_away(function, body)
        )

    def _gives_elements_away(self, function: ast.FunctionDef, body: ast.Module) -> bool:
        """Tell whether elements get other holders, while nothing reads the list any more."""
        return (
            isinstance(self._loop.iter, ast.Name)
            and self.owner not in loads(body)
            and not _is_read_behind(function, self._loop, self.owner)
            and any(one.name == self.element and one.levels < ALL for one in exposed_within(body))
        )

    def _changes_elements(self, nodes: list[ast.AST], name: str) -> bool:
        """Tell whether all changes of the list replace its elements, or all are within them."""
        for changed, indices, is_store in changes_in(nodes):
            depth = len(indices) - is_store
            if any(isinstance(index, ast.Slice) for index in indices[:depth]):
                return False
            is_one = is_store and not isinstance(indices[-1], ast.Slice)
            if changed == self.element:
                self._is_changed = self._has_place = True
            elif changed == name:
                if depth < self._depth or (depth == self._depth and not is_one):
                    return False
                self._is_changed |= depth > self._depth
                self._is_replaced |= depth == self._depth
                self._has_place |= self._index in named_in(indices[self._depth])
        return self._is_replaced != self._is_changed

    def _is_over_all(self) -> bool:
        """Tell whether the loop is over the whole list, one element after another."""
        return self._loop.iter is self.over or bool(self._index)

    def _is_certain_list(self, function: ast.FunctionDef, tree: ast.Module) -> bool:
        """Tell whether `over` is no dictionary."""
        slices = (part for part in ast.walk(self._loop.iter) if isinstance(part, ast.Subscript))
        if any(part.value is self.over and isinstance(part.slice, ast.Slice) for part in slices):
            return True
        return self._levels(function, tree) > self._depth

    def _has_key_of_order(self) -> bool:
        """Tell whether `sorted`, if it is called, compares no elements: sets have no order."""
        return self._order is None or any(one.arg == "key" for one in self._order.keywords)

    def _key_hides(self, names: Set[str]) -> bool:
        """Tell whether the key by which `sorted` orders binds some of the names itself."""
        keys = nodes_in(self._order, ast.Lambda) if self._order is not None else []
        return any(not names.isdisjoint(bound_in(key.body)) for key in keys)

    def _levels(self, function: ast.FunctionDef, tree: ast.Module) -> int:
        return levels_of_lists(function, tree).get(self.owner, 0)

    def _may_grow(self, body: ast.Module, name: str) -> bool:
        """Tell whether something may change the length of the list, or hold the list."""
        parents = parents_in(body)
        for node in list(parents):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            count, top = 0, node
            while isinstance(parents[top], ast.Subscript) and parents[top].value is top:  # type: ignore[attr-defined]
                top = parents[top]  # type: ignore[assignment]
                count += 1
            if count <= self._depth and not only_looks(top, parents[top]):
                return True
        return False

    def rewrite(self) -> None:
        """Rewrite the loop in place."""
        loop = self._loop
        index = self._index or f" {self.element}"
        place = placed(ast.Name(index, ast.Store()), loop.target)
        places = self.over
        if not self._has_keys:
            places = placed(_call("range", _call("len", self.over)), self.over)
        if self._has_keys or self._is_over_all():
            loop.target, loop.iter = place, places
        else:
            loop.target = Replacement(self._target, place).visit(loop.target)
            loop.iter = Replacement(self.over, places).visit(loop.iter)
            if self._order is not None:
                self._order.keywords = self._keywords_of_places()
        element = ast.Subscript(copy_of_all(self.over), ast.Name(index, ast.Load()), ast.Load())
        element.is_place = not self._has_keys  # type: ignore[attr-defined]
        element.has_key = self._has_keys  # type: ignore[attr-defined]
        if self._is_replaced:
            first = ast.Assign([ast.Name(self.element, ast.Store())], element)
            loop.body.insert(0, placed(first, self.over))
        else:
            replacer = Replacer(self.element, placed(element, self.over))
            loop.body = [replacer.visit(statement) for statement in loop.body]
        if self._key is not None:
            keys = ast.Assign([self._key], ast.Name(index, ast.Load()))
            loop.body.insert(0, placed(keys, self._key))
        forget(loop)

    def _keywords_of_places(self) -> list[ast.keyword]:
        """Return the arguments by which `sorted` orders the places as it did the elements."""
        number = f" {self.element}:place"
        element = ast.Subscript(copy_of_all(self.over), ast.Name(number, ast.Load()), ast.Load())
        value: ast.expr = _call("list", element)
        others = []
        for keyword in self._order.keywords:
            match keyword:
                case ast.keyword("key", ast.Lambda(args, body)) if ast.unparse(args).isidentifier():
                    value = Replacer(args.args[0].arg, element).visit(body)
                case ast.keyword("key", key):
                    value = ast.Call(key, [element], [])
                case _:
                    others.append(keyword)
        arguments = ast.arguments([], [ast.arg(number)], None, [], [], None, [])
        made = placed(ast.keyword("key", ast.Lambda(arguments, value)), self._order)
        return [made, *others]


def _call(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


class Replacer(ast.NodeTransformer):
    """Replaces a name where it is read."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name = name
        self._value = value

    def visit(self, node: ast.AST) -> Any:
        if hides(node, self._name):
            first = node.generators[0]  # type: ignore[attr-defined]
            first.iter = self.visit(first.iter)
            return node
        if isinstance(node, ast.Lambda) and self._name in names_of(node):
            node.args = self.visit(node.args)
            return node
        is_name = isinstance(node, ast.Name) and node.id == self._name
        return copy_of_all(self._value) if is_name else super().visit(node)


class Replacement(ast.NodeTransformer):
    """Puts an expression in the place of another one."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else super().visit(node)


def changes_in(nodes: list[ast.AST]) -> Iterator[tuple[str, list[ast.expr], bool]]:
    """Yield the changes in place: the name, the indices, and whether an element is stored."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            owner, indices = indices_of(node)
            if isinstance(owner, ast.Name):
                is_store = isinstance(node.ctx, ast.Store)
                yield owner.id, indices if is_store else indices[:-1], is_store
        elif changed := call_of_change(node):
            yield changed[0], indices_of(node.func.value)[1], False  # type: ignore[attr-defined]


def hides(node: ast.AST, name: str) -> bool:
    """Tell whether a node is a comprehension that binds a name itself."""
    return isinstance(node, Comprehension) and any(
        name in names_in(part.target) for part in node.generators
    )


def parents_in(node: ast.AST) -> dict[ast.AST, ast.AST]:
    """Return the parent of each node within a node."""
    return {part: parent for parent in ast.walk(node) for part in ast.iter_child_nodes(parent)}


def only_looks(node: ast.AST, parent: ast.AST) -> bool:
    """Tell whether a value that is read can neither change there nor be held."""
    match parent:
        case ast.Call(ast.Name(name), arguments) if node in arguments:
            return name in PURE
        case ast.Compare() | ast.UnaryOp():
            return True
        case ast.Attribute(attr=method):
            return method not in CHANGING
        case ast.For() | ast.comprehension():
            return True
    return False


def _is_seen_by_functions(
    function: ast.FunctionDef, body: ast.Module, name: str, element: str
) -> bool:
    """Tell whether a function in the loop may read the names, or one around it change the list."""
    for node in ast.walk(body):
        if isinstance(node, Functions) and named_in(node) & {name, element}:
            return True
    inner = (node for node in ast.walk(function) if node is not function)
    return any(isinstance(node, Functions) and name in names_changed_in(node) for node in inner)


def _may_be_no_list(function: ast.FunctionDef, name: str) -> bool:
    """Tell whether a function makes something else of a name than a list."""
    return any(
        name in names_in(target) and _is_no_list(assignment.value)
        for assignment in nodes_in(function, ast.Assign) for target in assignment.targets
    )  # fmt: skip


def _is_no_list(value: ast.expr) -> bool:
    match value:
        case ast.Call(ast.Name(made)):
            return made in _NO_LISTS
    return isinstance(value, ast.Dict | ast.DictComp | ast.GeneratorExp)


def _holds(node: ast.AST, part: ast.AST) -> bool:
    return any(one is part for one in ast.walk(node))


def _is_read_behind(function: ast.FunctionDef, loop: ast.For, name: str) -> bool:
    """Tell whether something may read the value that a loop has given a name, behind the loop."""
    inner = functions_within(function)
    if any(name in loads(one) and name not in names_of(one) for one in inner):
        return True
    return name in loads(ast.Module(loop.orelse, [])) | _read_behind(function.body, loop, set())


def _read_behind(statements: list[ast.stmt], loop: ast.For, after: Set[str]) -> Set[str]:
    """Return the names that are read behind a loop within statements. after: Those behind them."""
    for k, statement in enumerate(statements):
        if statement is not loop and not _holds(statement, loop):
            continue
        behind = flow_of(statements[k + 1 :]).before(after, after)
        if statement is loop:
            return behind
        if isinstance(statement, LOOPS):
            behind = behind | read_in_rounds(statement)
        sides = getattr(statement, "body", []), getattr(statement, "orelse", [])
        within = [side for side in sides if any(_holds(one, loop) for one in side)]
        return _read_behind(within[0], loop, behind) if within else behind
    return after
