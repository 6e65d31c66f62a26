"""Tells which lists, sets and dictionaries one name alone holds: a change assigns them anew.

A value has levels: a list of lists of numbers has two. A name owns the outer levels of its value
that nothing else holds, so that nobody else sees a change there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Set
from typing import NamedTuple

from megabatt.codegen.scopes import Functions, names_in, names_of, nodes_in, once_a_node
from megabatt.runtime.program import Word

ALL = 99
"""As many levels as a value may have."""


_DEEP = 5
"""Values with as many levels may have any number: loops then soon know no more of their names."""


class Hold(NamedTuple):
    """What is known of the lists and sets that a value is or holds.

    levels: The outer levels that are new: nothing else holds them. depth: The levels that may be
    lists and sets, or hold some; 0 for a value that nothing can change.
    """

    levels: int
    depth: int

    def elements(self) -> Hold:
        """Return what is known of the elements of the value."""
        return Hold(max(self.levels - 1, 0), self.depth - 1) if self.depth > 1 else FIXED

    def within(self, count: int) -> Hold:
        """Return what is known of a value that has this one behind some levels."""
        depth = count + self.depth
        return Hold(min(count + self.levels, ALL), depth if depth < _DEEP else ALL)


FIXED = Hold(ALL, 0)
"""A value that nothing can change."""
SHARED = Hold(0, ALL)
"""A value of which nothing is known."""


class Owned(NamedTuple):
    """The meaning of a name whose value may be or hold lists and sets."""

    word: Word
    hold: Hold


def merged(holds: Iterable[Hold]) -> Hold:
    """Return what is certain of a value that is one of several."""
    found = [hold for hold in holds if hold.depth]
    return Hold(min(h.levels for h in found), max(h.depth for h in found)) if found else FIXED


CHANGING = {
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "pop", "popitem", "popleft", "remove", "reverse", "rotate",
    "setdefault", "sort", "subtract", "symmetric_difference_update", "update",
}  # fmt: skip
"""The methods of lists, sets and dictionaries that change them."""
_NEW = {"copy", "deepcopy", "deque", "list", "set", "sorted"}
"""The functions of Python that make lists and sets."""
_DICTIONARIES = {"Counter", "OrderedDict", "dict"}
"""The functions of Python that make dictionaries."""
_COPIES = {"deque", "frozenset", "list", "max", "min", "next", "set", "sorted", "sum", "tuple"}
"""The functions of Python whose results hold a container's elements, but not the container."""
_ONE = {"max", "min", "next", "sum"}
"""Those of them whose result may be an argument, if they have several."""
_NUMBERS = {"abs", "all", "any", "bool", "int", "len", "range"}
"""The functions of Python whose results are numbers, or hold nothing else."""
_WRAP = {"enumerate": 2, "frozenset": 1, "iter": 1, "reversed": 1, "tuple": 1, "zip": 2}
"""For functions of Python, the levels of their results around a container's elements."""
_NEW_SETS = {"difference", "intersection", "union"}
_VIEWS = {"items": 2, "keys": 0, "values": 1}
"""For methods of dictionaries, the levels of their results around a dictionary's values."""
_ITERATORS = {"enumerate", "filter", "iter", "map", "reversed", "zip"}
"""The functions of Python whose results hold a container until they are used up."""
_LOOKS = {"all", "any", "bool", "deepcopy", "len", "print"}
"""The functions of Python whose results hold nothing of what they are called with."""
_LOOKING_METHODS = {"count", "deepcopy", "index"}
KNOWN = {*_NEW, *_COPIES, *_ITERATORS, *_LOOKS, *_DICTIONARIES, "defaultdict"}


Known = Callable[[ast.Name | ast.Call], Hold | None]
"""Returns what is known of the value of a name or a call; None if the call says it itself."""


def hold_of(node: ast.expr, known: Known) -> Hold:
    """Return what is known of an expression's value."""
    match node:
        case ast.Constant() | ast.Compare() | ast.UnaryOp() | ast.Attribute():
            return FIXED
        case ast.Name():
            return known(node) or SHARED
        case ast.List(elts=parts) | ast.Set(elts=parts):
            return _of_any(parts, known).within(1)
        case ast.Tuple(elts=parts):
            elements = _of_any(parts, known)
            return elements.within(1) if elements.depth else FIXED
        case ast.Dict(keys=keys, values=parts):
            holds = [hold_of(part, known) for part in parts]
            pairs = zip(keys, holds, strict=True)
            return merged(hold if key else hold.elements() for key, hold in pairs).within(1)
        case ast.Starred(value=value):
            return hold_of(value, known).elements()
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return _of_elements(node, known).within(1)
        case ast.IfExp(body=body, orelse=orelse):
            return _of_any([body, orelse], known)
        case ast.BoolOp(values=values):
            return _of_any(values, known)
        case ast.BinOp(left=left, right=right):
            found = _of_any([left, right], known)
            return found._replace(levels=0).elements().within(1) if found.depth else FIXED
        case ast.Subscript(value=value, slice=ast.Slice()):
            return hold_of(value, known)._replace(levels=0).elements().within(1)
        case ast.Subscript(value=value):
            return hold_of(value, known).elements()
        case ast.Call():
            return known(node) or _of_result(node, known)
    return SHARED


def _of_any(parts: Iterable[ast.expr], known: Known) -> Hold:
    return merged(hold_of(part, known) for part in parts)


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _of_elements(node: Comprehension, known: Known) -> Hold:
    """Return what is known of the elements that a comprehension makes."""
    bound: dict[str, Hold] = {}

    def inside(part: ast.Name | ast.Call) -> Hold | None:
        name = getattr(part.func if isinstance(part, ast.Call) else part, "id", "")
        return bound.get(name) or known(part)

    for part in node.generators:
        elements = hold_of(part.iter, inside).elements()
        bound.update(dict.fromkeys(names_in(part.target), elements._replace(levels=0)))
    return hold_of(node.value if isinstance(node, ast.DictComp) else node.elt, inside)


def _of_result(node: ast.Call, known: Known) -> Hold:
    """Return what is known of the result of a function or a method of Python."""
    is_method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if is_method else node.func.id  # type: ignore[attr-defined]
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "key")]
    owner = hold_of(node.func.value, known) if is_method else FIXED  # type: ignore[attr-defined]
    if is_method and name == "copy" and not given:
        return owner._replace(levels=0).elements().within(1)
    if name == "deepcopy":
        return Hold(ALL, max(_of_any(given, known).depth, 1))
    if name in _DICTIONARIES:
        return Hold(1, max(_of_any(given, known).depth, 1))
    if name == "fromkeys":
        return _of_any(given[1:], known)._replace(levels=0).within(1)
    if name == "defaultdict":
        return _of_default_dict(given, known)
    if is_method and name in _VIEWS:
        elements = owner.elements()
        return elements.within(_VIEWS[name]) if elements.depth and _VIEWS[name] else FIXED
    if is_method and name == "get":
        return merged([owner._replace(levels=0).elements(), _of_any(given[1:], known)])
    if name in _NUMBERS or (is_method and name in _LOOKING_METHODS):
        return FIXED
    if is_method and name in _NEW_SETS:
        return Hold(ALL, 1)
    match given:
        case [ast.Call(ast.Name("map"), [ast.Name("list" | "set" | "sorted"), rows])] if (
            name == "list"
        ):
            return hold_of(rows, known).elements()._replace(levels=0).elements().within(2)
        case [ast.GeneratorExp() as made] if name in _COPIES:
            elements = _of_elements(made, known)
        case _:
            elements = _of_any(given, known).elements()
    if name in _NEW:
        return elements.within(1)
    if name in _ONE and len(given) == 1:
        return elements
    if name in _WRAP:
        return elements.within(_WRAP[name]) if elements.depth else FIXED
    return hold_of_call(node, known)


def _of_default_dict(given: list[ast.expr], known: Known) -> Hold:
    """Return what is known of a defaultdict: each value that it adds is new."""
    match given:
        case [ast.Name("int" | "bool")]:
            return Hold(ALL, 1)
        case [ast.Name("list" | "set" | "tuple")]:
            return Hold(ALL, 2)
        case [ast.Lambda(body=body)]:
            return hold_of(body, known).within(1)
    return SHARED


def hold_of_call(node: ast.Call, known: Known) -> Hold:
    """Return what is known of the result of any function."""
    parts = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    parts += [*node.args, *(keyword.value for keyword in node.keywords)]
    return SHARED if _of_any(parts, known).depth else FIXED


def is_list(node: ast.AST | None) -> bool:
    """Tell whether an expression's value is certain to be a list."""
    match node:
        case ast.List() | ast.ListComp() | ast.Call(ast.Name("deque" | "list" | "sorted")):
            return True
        case ast.BinOp(left=left, right=right):
            return is_list(left) or is_list(right)
    return False


def indices_of(target: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """Split `name[a][b]` into the name and its indices."""
    indices: list[ast.expr] = []
    while isinstance(target, ast.Subscript):
        indices.insert(0, target.slice)
        target = target.value
    return target, indices


def call_of_change(value: ast.AST) -> tuple[str, str] | None:
    """Return the name and the method of a call that changes the name's value.

    The call is `name.method(...)`, or `name[a][b].method(...)`.
    """
    match value:
        case ast.Call(ast.Attribute(owner, method)) if method in CHANGING:
            name = indices_of(owner)[0]
            return (name.id, method) if isinstance(name, ast.Name) else None
    return None


def makes_set(node: ast.AST | None) -> bool:
    """Tell whether an expression's value is certain to be a set."""
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(ast.Name("set")):
            return True
        case ast.BinOp(left=left, right=right):
            return makes_set(left) or makes_set(right)
    return False


def assigned_to(name: str, statements: Iterable[ast.AST]) -> Iterator[ast.expr | None]:
    """Yield the expressions that statements assign to a name, and None for any other value."""
    for statement in statements:
        yield from _assigned_in(statement).get(name, ())


@once_a_node
def _assigned_in(statement: ast.AST) -> dict[str, list[ast.expr | None]]:
    """Return what a statement assigns to each name, see `assigned_to`."""
    values: dict[ast.AST, ast.expr | None] = {}
    changed = set()
    found: dict[str, list[ast.expr | None]] = {}
    for part in nodes_in(statement):
        match part:
            case ast.Assign(targets, value):
                for target in targets:
                    values[target] = value
                    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                        values.update(zip(target.elts, value.elts, strict=False))
            case ast.AnnAssign(target, _, value):
                values[target] = value
            case ast.AugAssign(target):
                changed.add(target)
            case ast.Name(bound, ast.Store()) | ast.arg(bound):
                if part not in changed:
                    found.setdefault(bound, []).append(values.get(part))
    return found


@once_a_node
def names_changed_in(statement: ast.AST) -> Set[str]:
    """Return the names whose values a statement, or a part of it, may change in place."""
    names = set()
    for part in nodes_in(statement):
        if isinstance(part, ast.AugAssign):
            names.add(getattr(part.target, "id", ""))
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store | ast.Del):
            names.add(getattr(indices_of(part)[0], "id", ""))
        elif call := call_of_change(part):
            names.add(call[0])
    return names


Exposed = Iterator[tuple[str, int]]


def exposed_by(statement: ast.stmt) -> Exposed:
    """Yield names that a simple statement reads, with the outer levels that stay theirs."""
    match statement:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) if (
            changed := call_of_change(call)
        ):
            method = changed[1]
            for argument in call.args:
                yield from exposed(argument, int(method in ("extend", "update")))
            if method == "setdefault" and isinstance(statement, ast.Assign):
                yield changed[0], 1
        case ast.AugAssign(value=value):
            yield from exposed(value, 1)
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            if value is not None:
                yield from exposed(value)
        case ast.Expr(value=value):
            yield from exposed(value, ALL)


def exposed(node: ast.AST, kept: int = 0) -> Exposed:
    """Yield names that an expression reads, with the outer levels that stay theirs.

    kept: The outer levels of the expression's value that nothing holds afterwards.
    """
    match node:
        case ast.Name(id=name):
            yield name, kept
        case ast.Lambda():
            pass  # see leaked_by_functions
        case ast.Subscript(value=value, slice=ast.Slice()):
            yield from exposed(value, max(kept, 1))
        case ast.Subscript(value=value, slice=index):
            yield from exposed(value, kept + 1)
            yield from exposed(index, ALL)
        case ast.BinOp():
            yield from _of_parts([node.left, node.right], max(kept, 1))
        case ast.Starred(value=value):
            yield from exposed(value, 1)
        case ast.Compare() | ast.UnaryOp():
            yield from _of_parts(ast.iter_child_nodes(node), ALL)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from exposed(test, ALL)
            yield from _of_parts([body, orelse], kept)
        case ast.BoolOp(values=values):
            yield from _of_parts(values, kept)
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            yield from _of_comprehension(node)
        case ast.GeneratorExp() if kept:  # it is used up
            yield from _of_comprehension(node)
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)):
            yield from _of_call(node, name, kept)
        case _:
            yield from _of_parts(ast.iter_child_nodes(node), 0)


@once_a_node
def leaked_by_functions(statement: ast.stmt) -> list[tuple[str, int]]:
    """List names that functions within a statement read, with the levels that no result holds."""
    leaked: list[tuple[str, int]] = []
    for function in nodes_in(statement):
        if isinstance(function, Functions):
            its_own = names_of(function)
            leaked += (found for found in _leaked(function) if found[0] not in its_own)
            leaked += exposed(function.args)
    return leaked


def _leaked(function: Functions) -> Exposed:
    if isinstance(function, ast.Lambda):
        yield from exposed(function.body)
        return
    for statement in nodes_in(function):
        match statement:
            case ast.If(test=test) | ast.While(test=test):
                yield from exposed(test, ALL)
            case ast.For(iter=iterated):
                yield from exposed(iterated, 1)
            case ast.stmt():
                value = getattr(statement, "value", None)
                if isinstance(value, ast.expr):
                    yield from exposed(value)


def _of_parts(parts: Iterable[ast.AST], kept: int) -> Exposed:
    for part in parts:
        yield from exposed(part, kept)


def _of_comprehension(node: Comprehension) -> Exposed:
    """Yield the names of a comprehension that is computed at once."""
    yield from exposed(node.value if isinstance(node, ast.DictComp) else node.elt)
    for part in node.generators:
        yield from exposed(part.iter, 1)
        yield from _of_parts(part.ifs, ALL)


def _of_call(node: ast.Call, name: str, kept: int) -> Exposed:
    """Yield the names of a call: its result may hold what it is called with."""
    is_method = isinstance(node.func, ast.Attribute)
    is_view = is_method and name in _VIEWS
    given = [*node.args, *(k.value for k in node.keywords if k.arg != "key")]
    if kept >= ALL or name in (_LOOKING_METHODS if is_method else _LOOKS):
        of_arguments = ALL
    elif name in _ONE and len(given) > 1:
        of_arguments = 0  # the result may be one of the arguments
    elif name in _COPIES | _DICTIONARIES or (kept and (is_view or name in _ITERATORS)):
        of_arguments = 1
    else:
        of_arguments = 0
    if isinstance(node.func, ast.Attribute):
        yield from exposed(node.func.value, max(of_arguments, int(not is_view)))
    for argument in given:
        yield from exposed(argument, of_arguments)
