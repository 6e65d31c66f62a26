"""Tells which lists, sets and dictionaries one name alone holds: a change assigns them anew.

A value has levels: a list of lists of numbers has two. A name owns the outer levels of its value
that nothing else holds, so that nobody else sees a change there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple, get_args

from megabatt.codegen.analysis.names import assigned_by, named_in, names_in, names_of
from megabatt.codegen.analysis.nodes import (
    Functions,
    all_nodes_in,
    certain_parts,
    functions_in,
    nodes_in,
    once_a_node,
)
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

    @property
    def is_shared(self) -> bool:
        """Whether something else may hold some of the lists and sets."""
        return self.depth > self.levels

    def elements(self) -> Hold:
        """Return what is known of the elements of the value."""
        return Hold(max(self.levels - 1, 0), self.depth - 1) if self.depth > 1 else FIXED

    def shared(self) -> Hold:
        """Return what is known of the value once something else holds it too."""
        return Hold(0, self.depth)

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
    made = FIXED
    for hold in holds:
        if made.depth and hold.depth and hold != made:
            made = Hold(min(made.levels, hold.levels), max(made.depth, hold.depth))
        elif hold.depth:
            made = hold
    return made


CHANGING = {
    "__setitem__", "add", "append", "appendleft", "clear", "difference_update", "discard", "extend",
    "extendleft", "insert", "intersection_update", "pop", "popitem", "popleft", "remove", "reverse",
    "rotate", "setdefault", "sort", "subtract", "symmetric_difference_update", "update",
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
_NUMBERS = {"abs", "all", "any", "bool", "int", "isinstance", "len", "range"}
"""The functions of Python whose results are numbers, or hold nothing else."""
_WRAP = {"enumerate": 2, "frozenset": 1, "iter": 1, "reversed": 1, "tuple": 1, "zip": 2}
"""For functions of Python, the levels of their results around a container's elements."""
_NEW_OF_KEYS = {"difference", "intersection", "most_common", "union"}
"""The methods whose results are new, and hold only what a set or a dictionary can find again."""
_VIEWS = {"items": 2, "keys": 0, "values": 1}
"""For methods of dictionaries, the levels of their results around a dictionary's values."""
ITERATORS = {"enumerate", "filter", "iter", "map", "reversed", "zip"}
"""The functions of Python whose results hold a container until they are used up."""
_LOOKS = {*_NUMBERS, "deepcopy", "print"}
"""The functions of Python whose results hold nothing of what they are called with."""
_LOOKING_METHODS = {"count", "deepcopy", "index"}
_UNSTEADY = (ast.Call, ast.NamedExpr, ast.Slice)
"""The nodes of indices that may differ when they are computed again, or stand for several."""
KNOWN = {*_NEW, *_COPIES, *ITERATORS, *_LOOKS, *_DICTIONARIES, "defaultdict"}


Known = Callable[[ast.Name | ast.Call], Hold | None]
"""Returns what is known of the value of a name or a call; None if the call says it itself."""


def hold_of(node: ast.expr, known: Known) -> Hold:
    """Return what is known of an expression's value."""
    match node:
        case ast.Name():
            return known(node) or SHARED
        case ast.Subscript() | ast.Call() | ast.IfExp() if is_marked_number(node):
            return FIXED
        case ast.Call(ast.Lambda(body=body) as function, given, []) if _takes(function, given):
            names = (argument.arg for argument in function.args.args)
            taken = (hold_of(part, known) for part in given)
            return hold_of(body, _with(dict(zip(names, taken, strict=True)), known))
        case ast.Call():
            return known(node) or _of_result(node, known)
        case ast.Constant() | ast.Compare() | ast.UnaryOp():
            return FIXED
        case ast.Attribute(value=owner):  # a method holds its owner
            return hold_of(owner, known).shared()
        case ast.Subscript(value=value, slice=ast.Slice()):
            return hold_of(value, known).elements().within(1)
        case ast.Subscript(value=value):
            return hold_of(value, known).elements()
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
        case ast.BinOp(left=left, op=operator, right=right):
            found = _of_any([left, right], known)
            found = found.shared() if isinstance(operator, ast.Mult) else found
            return found.elements().within(1) if found.depth else FIXED
    return SHARED


def _of_any(parts: Iterable[ast.expr], known: Known) -> Hold:
    return merged(hold_of(part, known) for part in parts)


def _with(bound: Mapping[str, Hold], known: Known) -> Known:
    """Return what is known within an expression that binds names."""

    def inside(part: ast.Name | ast.Call) -> Hold | None:
        name = getattr(part.func if isinstance(part, ast.Call) else part, "id", "")
        return bound.get(name) or known(part)

    return inside


def _takes(function: ast.Lambda, given: Sequence[ast.expr]) -> bool:
    """Tell whether a lambda takes arguments one by one, by place."""
    taken = function.args
    is_plain = not (taken.vararg or taken.kwarg or taken.kwonlyargs or taken.posonlyargs)
    is_starred = any(isinstance(part, ast.Starred) for part in given)
    return is_plain and not is_starred and len(taken.args) == len(given)


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _of_elements(node: Comprehension, known: Known) -> Hold:
    """Return what is known of the elements that a comprehension makes."""
    bound: dict[str, Hold] = {}
    inside = _with(bound, known)
    made = node.value if isinstance(node, ast.DictComp) else node.elt
    for part in node.generators:
        elements = hold_of(part.iter, inside).elements()
        is_selected = isinstance(made, ast.Name) and len(node.generators) == 1
        if not (is_selected and isinstance(part.target, ast.Name)):
            elements = elements.shared()  # a result may hold an element several times
        bound.update(_of_target(part.target, elements))
        bound.update(dict.fromkeys(numbers_in(part), FIXED))
    return hold_of(made, inside)


def _of_target(target: ast.expr, hold: Hold) -> Iterator[tuple[str, Hold]]:
    """Yield the names of a target, each with what is known of the part that it gets of a value."""
    match target:
        case ast.Name(name):
            yield name, hold
        case ast.Starred(value=rest):
            yield from _of_target(rest, hold.within(1))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _of_target(part, hold.elements())


def numbers_in(loop: ast.For | ast.comprehension) -> set[str]:
    """Return the names of numbers in `for k, x in enumerate(...)` and `zip(range(n), ...)`."""
    found: list[str] = []
    match loop.target, _unwrapped(loop.iter):
        case ast.Tuple([ast.Name(name), _]), ast.Call(ast.Name("enumerate")):
            found = [name]
        case ast.Tuple(parts), ast.Call(ast.Name("zip"), containers):
            pairs = zip(parts, containers, strict=False)
            found = [getattr(part, "id", "") for part, over in pairs if _has_numbers(over)]
    names = [*names_in(loop.target)]
    return {name for name in found if names.count(name) == 1}


def _has_numbers(container: ast.expr) -> bool:
    """Tell whether the elements of a container are certain to be numbers, or other constants."""
    match container:
        case ast.Call(ast.Name("range")):
            return True
        case ast.Tuple(parts) | ast.List(parts):
            return all(isinstance(part, ast.Constant) for part in parts)
    return False


def _unwrapped(container: ast.expr) -> ast.expr:
    """Return the container whose elements another one has, as in `reversed(list(container))`."""
    match container:
        case ast.Call(ast.Name("list" | "reversed" | "tuple"), [ast.Call() as inner], []):
            return _unwrapped(inner)
    return container


def numbers_in_test(test: ast.expr) -> set[str]:
    """Return the names that are no lists if a test is true: it orders them beside constants."""
    match test:
        case ast.BoolOp(ast.And(), parts):
            return set().union(*map(numbers_in_test, parts))
        case ast.Compare(left, operators, others):
            found = set()
            for operator, *pair in zip(operators, [left, *others], others, strict=False):
                is_order = isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
                if is_order and any(isinstance(part, ast.Constant) for part in pair):
                    found |= {part.id for part in pair if isinstance(part, ast.Name)}
            return found
    return set()


def _of_result(node: ast.Call, known: Known) -> Hold:
    """Return what is known of the result of a function or a method of Python."""
    is_method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if is_method else node.func.id  # type: ignore[attr-defined]
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "key")]
    owner = hold_of(node.func.value, known) if is_method else FIXED  # type: ignore[attr-defined]
    if is_method and name == "copy" and not given:
        return owner.elements().within(1)
    if name == "deepcopy":
        copied = _of_any(given, known)
        if copied.levels and copied.is_shared:
            return copied  # one list in two places is one list in the copy too
        return Hold(ALL, max(copied.depth, 1))
    if name in _DICTIONARIES:
        return _of_dictionary(node, known)
    if name == "fromkeys":
        return _of_any(given[1:], known).shared().within(1)
    if name == "defaultdict":
        return _of_default_dict(given, known)
    if is_method and name in _VIEWS:
        return _around(owner, owner.elements(), _VIEWS[name])
    if is_method and name == "get":
        return merged([owner.shared().elements(), _of_any(given[1:], known)])
    if name in _NUMBERS or (is_method and name in _LOOKING_METHODS):
        return FIXED
    if is_method and name in _NEW_OF_KEYS:
        return Hold(ALL, 1)
    match given:
        case [ast.Name("list" | "set" | "sorted"), rows] if name == "map":
            return hold_of(rows, known).elements().shared().elements().within(2)
        case [ast.GeneratorExp() as made] if name in _COPIES:
            elements = _of_elements(made, known)
        case [rows, ast.List(elts=[])] if name == "sum":
            return hold_of(rows, known).shared().elements().elements().within(1)
        case _:
            elements = _of_any(given, known).elements()
    if name in _NEW:
        return elements.within(1)
    if name in _ONE and len(given) == 1:
        return elements
    if name in _WRAP:
        held = _of_any(given, known) if name in ITERATORS else FIXED
        return _around(held, elements, _WRAP[name])
    return hold_of_call(node, known)


def _around(held: Hold, elements: Hold, levels: int) -> Hold:
    """Return what is known of a value made of elements, such as an iterator or a list of pairs.

    held: The container that an iterator or a view reads; FIXED for any other value. levels: The
    number of containers around each element; 0 if the value has none of the elements.
    """
    if levels and elements.depth:
        return elements.within(levels)
    return Hold(0, 1) if held.depth else FIXED


def _of_dictionary(node: ast.Call, known: Known) -> Hold:
    """Return what is known of a dictionary of pairs, of another one's values, or of keywords."""
    elements = _of_any(node.args, known).elements()
    values = _of_any((keyword.value for keyword in node.keywords if keyword.arg), known)
    others = _of_any((keyword.value for keyword in node.keywords if not keyword.arg), known)
    return merged([elements, elements.elements(), values, others.elements()]).within(1)


def _of_default_dict(given: list[ast.expr], known: Known) -> Hold:
    """Return what is known of a defaultdict: each value that it adds is new."""
    match given:
        case [ast.Name("bool" | "float" | "int")]:
            return Hold(ALL, 1)
        case [ast.Name("Counter" | "OrderedDict" | "dict" | "list" | "set" | "tuple")]:
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


def mark_field(element: ast.Subscript, is_number: bool) -> ast.Subscript:
    """Mark that an element is the field of an object, or a number too, and return it."""
    element.is_field = True  # type: ignore[attr-defined]
    element.is_number = is_number  # type: ignore[attr-defined]
    return element


def is_field(element: ast.Subscript) -> bool:
    """Tell whether a source writes an element as the field of an object."""
    return getattr(element, "is_field", False)


def mark_number(node: ast.expr) -> None:
    """Mark that an expression's value is certain to be a number."""
    node.is_number = True  # type: ignore[attr-defined]


def is_marked_number(node: ast.AST) -> bool:
    """Tell whether an expression is marked as one that only ever is a number."""
    return getattr(node, "is_number", False)


@once_a_node
def read_as_indices(statement: ast.stmt) -> Set[str]:
    """Return the names that a simple statement is certain to read as indices: they are no lists."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
        return frozenset()
    parts = [part for part in certain_parts(statement) if isinstance(part, ast.Subscript)]
    names = {part.slice.id for part in parts if isinstance(part.slice, ast.Name)}
    return names - assigned_by(statement)


def mark_changed(assignment: ast.Assign, names: Set[str]) -> None:
    """Mark that an assignment gives names the objects that they had, which a call has changed."""
    assignment.changed = names  # type: ignore[attr-defined]


def lend(assignment: ast.Assign, names: Set[str]) -> None:
    """Mark that names cannot be read while the call runs whose results an assignment gives them."""
    assignment.lent = names  # type: ignore[attr-defined]


def lent_by(statement: ast.AST) -> Set[str]:
    """Return the names that `lend` marked."""
    return getattr(statement, "lent", frozenset())


def _changed_by(assignment: ast.AST) -> Set[str]:
    """Return the names that `mark_changed` marked."""
    return getattr(assignment, "changed", frozenset())


def assigned_to(name: str, statements: Iterable[ast.AST]) -> Iterator[ast.expr | None]:
    """Yield the expressions that statements assign to a name, and None for any other value.

    A changed object is no other value.
    """
    for statement in statements:
        yield from _assigned_in(statement).get(name, ())


@once_a_node
def _assigned_in(statement: ast.AST) -> dict[str, list[ast.expr | None]]:
    """Return what a statement assigns to each name, see `assigned_to`."""
    values: dict[ast.AST, ast.expr | None] = {}
    found: dict[str, list[ast.expr | None]] = {}
    for assignment in nodes_in(statement, ast.Assign):
        value = assignment.value
        for target in assignment.targets:
            values[target] = value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                values.update(zip(target.elts, value.elts, strict=False))
    values.update((part.target, part.value) for part in nodes_in(statement, ast.AnnAssign))
    changed: set[ast.AST] = {part.target for part in nodes_in(statement, ast.AugAssign)}
    for assignment in nodes_in(statement, ast.Assign):
        same = _changed_by(assignment)
        targets = (name for target in assignment.targets for name in nodes_in(target, ast.Name))
        changed |= {name for name in targets if name.id in same}
    for name in nodes_in(statement, ast.Name):
        if isinstance(name.ctx, ast.Store) and name not in changed:
            found.setdefault(name.id, []).append(values.get(name))
    for parameter in nodes_in(statement, ast.arg):
        found.setdefault(parameter.arg, []).append(None)
    return found


@once_a_node
def names_changed_in(statement: ast.AST) -> Set[str]:
    """Return the names whose values a statement, or a part of it, may change in place."""
    names = {getattr(part.target, "id", "") for part in nodes_in(statement, ast.AugAssign)}
    for part in nodes_in(statement, ast.Subscript):
        if not isinstance(part.ctx, ast.Load):
            names.add(getattr(indices_of(part)[0], "id", ""))
    names.update(*map(_changed_by, nodes_in(statement, ast.Assign)))
    changes = map(call_of_change, nodes_in(statement, ast.Call))
    return names | {change[0] for change in changes if change is not None}


@once_a_node
def may_change(node: ast.AST) -> bool:
    """Tell whether a part of a node changes a value in place, or is a `:=`."""
    methods = {part.attr for part in nodes_in(node, ast.Attribute)}
    changed = names_changed_in(node) or CHANGING & methods or nodes_in(node, ast.NamedExpr)
    return bool(changed)


class Exposure(NamedTuple):
    """A name that is read, and the outer levels of its value that stay its own.

    call: If the result of this call turns out to hold only what is new, all levels stay its own.
    """

    name: str
    levels: int
    call: ast.Call | None = None


Exposed = list[Exposure]


@once_a_node
def exposed_by(statement: ast.stmt) -> Exposed:
    """List names that a simple statement reads."""
    match statement:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) if (
            changed := call_of_change(call)
        ):
            method = changed[1]
            found = _of_parts(call.args, int(method in ("extend", "update")))
            if method == "setdefault" and isinstance(statement, ast.Assign):
                found.append(Exposure(changed[0], 1))
            return found
        case ast.AugAssign(value=value):
            return exposed(value, 1)
        case ast.Assign(targets=[target]) if is_swap(statement):
            return exposed(target, ALL)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return exposed(value)
        case ast.Expr(value=value):
            return exposed_by_test(value)
    return []


def is_swap(statement: ast.stmt) -> bool:
    """Tell whether a statement swaps two elements: `a[i], a[j] = a[j], a[i]`."""
    match statement:
        case ast.Assign([ast.Tuple([ast.Subscript() as one, ast.Subscript() as other])]):
            pass
        case _:
            return False
    (owner, indices), (_, others) = indices_of(one), indices_of(other)
    steady = (*indices, *others)
    return (
        isinstance(owner, ast.Name)
        and len(indices) == len(others)
        and ast.unparse(one.value) == ast.unparse(other.value)
        and ast.unparse(statement.value) == ast.unparse(ast.Tuple([other, one], ast.Load()))
        and not any(owner.id in named_in(index) for index in steady)
        and not any(nodes_in(index, kind) for index in steady for kind in _UNSTEADY)
    )


@once_a_node
def exposed_at_once(statement: ast.stmt) -> Exposed:
    """List the names of `exposed_by` that are exposed whatever calls in the statement return."""
    return [one for one in exposed_by(statement) if not one.call]


@once_a_node
def exposed_to_results(statement: ast.stmt) -> Exposed:
    """List the other names of `exposed_by`."""
    return [one for one in exposed_by(statement) if one.call]


@once_a_node
def uses_of(statement: ast.stmt) -> dict[str, tuple[int, int]]:
    """Return the names that a simple statement reads.

    Each comes with two numbers of outer levels of its value: of those that the statement leaves its
    own, and of those that it leaves its own everywhere but in one place.
    """
    if isinstance(statement, ast.Return):
        found = exposed(statement.value) if statement.value else []
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
        found = exposed_by(statement)
    else:
        return {}
    levels: dict[str, list[int]] = {}
    for one in found:
        levels.setdefault(one.name, [ALL]).append(one.levels)
    least = {name: sorted(found)[:2] for name, found in levels.items()}
    return {name: (a, b) for name, (a, b) in least.items() if a < b}


@once_a_node
def read_again_by(statement: ast.stmt) -> Set[str]:
    """Return the names that a simple statement may read after its value was computed in part."""
    kinds = (ast.Lambda, *get_args(Comprehension))
    calls = nodes_in(statement, ast.Call)
    given = {call.func: set().union(*map(named_in, call.args)) for call in calls}
    repeated = [part for kind in kinds for part in nodes_in(statement, kind)]
    read = {
        name.id for part in repeated for name in _read_again_in(part)
        if name.id in given.get(part, (name.id,))  # a function that is called here reads once
    }  # fmt: skip
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    for target in filter(None, targets):
        names = nodes_in(target, ast.Name)
        read |= {name.id for name in names if isinstance(name.ctx, ast.Load)}
    return read | (names_changed_in(statement) - _changed_by(statement))


@once_a_node
def read_beside_calls_of(statement: ast.stmt) -> list[tuple[ast.Call, Set[str]]]:
    """List calls in a statement, with the names that both they and the rest of it read."""
    names = [part for part in nodes_in(statement, ast.Name) if isinstance(part.ctx, ast.Load)]
    if len({name.id for name in names}) == len(names):
        return []
    found: list[tuple[ast.Call, Set[str]]] = []
    for call in nodes_in(statement, ast.Call):
        inside = {*nodes_in(call, ast.Name)}
        read = {name.id for name in names if name not in inside} & {name.id for name in inside}
        if read:
            found.append((call, read))
    return found


def _read_again_in(part: ast.AST) -> list[ast.Name]:
    """List the names within a function or a comprehension, but for what it is over at first."""
    first = part.generators[0].iter if isinstance(part, Comprehension) else None
    once = nodes_in(first, ast.Name) if first is not None else ()
    return [name for name in nodes_in(part, ast.Name) if name not in once]


@once_a_node
def exposed_by_test(test: ast.expr) -> Exposed:
    """List names that an expression reads of which only the truth matters, or nothing."""
    return exposed(test, ALL)


@once_a_node
def exposed_by_iterable(loop: ast.For) -> Exposed:
    """List names that the iterable of a loop reads."""
    changed = names_changed_in(loop)
    held = [found for found in exposed(loop.iter) if found.name in changed]
    return held + exposed(loop.iter, 1)


def exposed(node: ast.AST, kept: int = 0) -> Exposed:
    """List names that an expression reads, with the outer levels that stay theirs.

    kept: The outer levels of the expression's value that nothing holds afterwards.
    """
    match node:
        case ast.Name(id=name):
            return [Exposure(name, kept)]
        case ast.Constant() | ast.Lambda():  # for functions, see leaked_by_functions
            return []
        case ast.Subscript() if is_marked_number(node):
            return []
        case ast.Call() | ast.IfExp() if is_marked_number(node):
            return _of_parts(ast.iter_child_nodes(node), ALL)
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)):
            return _of_call(node, name, kept)
        case ast.Subscript(value=value, slice=ast.Slice()):
            return exposed(value, max(kept, 1))
        case ast.Subscript(value=value, slice=index):
            return exposed(value, kept + 1) + exposed(index, ALL)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _of_parts(parts, kept if kept >= ALL else max(kept - 1, 0))
        case ast.BinOp():
            return _of_parts([node.left, node.right], max(kept, 1))
        case ast.Starred(value=value):
            return exposed(value, kept + 1)
        case ast.Compare():
            return _of_parts([node.left, *node.comparators], ALL)
        case ast.UnaryOp(operand=operand):
            return exposed(operand, ALL)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return exposed(test, ALL) + _of_parts([body, orelse], kept)
        case ast.BoolOp(values=values):
            return _of_parts(values, kept)
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            return _of_comprehension(node, kept)
        case ast.GeneratorExp() if kept:  # it is used up
            return _of_comprehension(node, kept)
        case ast.Call(func=ast.Lambda(body=body) as function, keywords=[]):
            return _of_lambda(function, body, node.args, kept)
    return _of_parts(ast.iter_child_nodes(node), 0)


def owners_in(value: ast.expr) -> Set[str]:
    """Return the names of which an expression's value may hold parts."""
    return {found.name for found in exposed(value) if found.levels < ALL}


def read_by_iterator(node: ast.AST) -> Set[str]:
    """Return the names of the lists that an iterator reads while it is used."""
    match node:
        case ast.GeneratorExp(generators=[part, *_]):
            parts = [part.iter]
        case ast.Call(ast.Name("enumerate" | "filter" | "iter" | "map" | "zip"), parts):
            pass
        case _:
            return frozenset()
    owners: set[str] = set()
    for owner, indices in map(indices_of, parts):
        if not any(isinstance(index, ast.Slice) for index in indices):
            owners.add(getattr(owner, "id", ""))
    return owners.union(*map(read_by_iterator, parts))


@once_a_node
def leaked_by_functions(function: Functions) -> Exposed:
    """List names that functions within a function read, with the levels that no result holds."""
    leaked: Exposed = []
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    keys = _keys_in(function)
    for inner in (inner for part in body for inner in functions_in(part)):
        its_own = names_of(inner)
        if isinstance(inner, ast.Lambda):
            found = exposed(inner.body, ALL if inner in keys else 0)
        else:
            found = _exposed_by_results(inner)
        leaked += [one for one in found if one.name not in its_own]
        leaked += exposed(inner.args)
    return leaked


def _keys_in(function: Functions) -> list[ast.expr]:
    """List the keys by which a function sorts and chooses: nothing holds their results."""
    found: list[ast.expr] = []
    for call in nodes_in(function, ast.Call):
        match call.func:
            case ast.Name("max" | "min" | "sorted") | ast.Attribute(attr="sort"):
                found += [keyword.value for keyword in call.keywords if keyword.arg == "key"]
    return found


def _exposed_by_results(function: ast.FunctionDef) -> Exposed:
    """List names that a function reads, with the levels that its result does not hold.

    The function's own names hold values only while it runs, unless they are part of the result, or
    functions in it read them, which may be called later.
    """
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in all_nodes_in(function)):
        return exposed_within(function)
    statements = [part for part in all_nodes_in(function) if isinstance(part, ast.stmt)]
    found: Exposed = []
    inner = [part for part in functions_in(function) if part is not function]
    held: set[str] = set().union(*(named_in(part) for part in inner))
    known: set[str] | None = None
    while known is None or not held <= known:
        known = set(held)
        found = [
            one for part in statements
            if isinstance(part, ast.Return) or held & filled_by(part)
            for one in exposed_alone(part)
        ]  # fmt: skip
        held |= {one.name for one in found if one.levels < ALL}
    return found


def filled_by(statement: ast.stmt) -> Set[str]:
    """Return the names that get what a statement reads, alone or as a part of their values."""
    if isinstance(statement, ast.For):
        return set(names_in(statement.target))
    return assigned_by(statement) | names_changed_in(statement)


@once_a_node
def exposed_within(node: ast.stmt) -> Exposed:
    """List names that a statement and the statements within it read."""
    return [one for part in all_nodes_in(node) for one in exposed_alone(part)]


@once_a_node
def exposed_alone(node: ast.AST) -> Exposed:
    """List names that a statement reads, without the statements within it."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            return exposed_by_test(test)
        case ast.For(iter=iterated):
            return exposed(iterated, 1)
        case ast.AugAssign() | ast.Expr(ast.Call(ast.Attribute(attr="extend" | "update"))):
            return exposed_by(node)
        case ast.stmt():
            value = getattr(node, "value", None)
            return exposed(value) if isinstance(value, ast.expr) else []
    return []


def _of_parts(parts: Iterable[ast.AST], kept: int) -> Exposed:
    return [found for part in parts for found in exposed(part, kept)]


def _of_comprehension(node: Comprehension, kept: int) -> Exposed:
    """List the names of a comprehension that is computed at once."""
    ends = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    found = _of_parts(ends, max(kept - 1, 0))
    held = set().union(*map(named_in, functions_in(node)))
    for part in reversed(node.generators):
        found += _of_parts(part.ifs, ALL)
        least = {name: 0 if name in held else ALL for name in names_in(part.target)}
        for name, levels, _ in found:
            if name in least:
                least[name] = min(least[name], levels)
        found = [one for one in found if one.name not in least]
        found += _of_elements_of(part.iter, part.target, least)
    return found


def _of_elements_of(container: ast.expr, target: ast.expr, least: dict[str, int]) -> Exposed:
    """List the names of a container whose elements a target takes apart.

    least: The levels that stay their own of the value of each name of the target.
    """
    match target, _unwrapped(container):
        case ast.Tuple(elts=[_, element]), ast.Call(ast.Name("enumerate"), [counted]):
            return _of_elements_of(counted, element, least)
        case ast.Tuple(elts=parts), ast.Call(ast.Name("zip"), containers) if (
            len(parts) == len(containers)
        ):
            pairs = zip(containers, parts, strict=True)
            return [one for pair in pairs for one in _of_elements_of(*pair, least)]
    levels = min((least[name] for name in names_in(target)), default=0)
    return exposed(container, min(levels + 1, ALL))


def _of_lambda(
    function: ast.Lambda, body: ast.expr, given: list[ast.expr], kept: int
) -> Exposed:
    """List the names of a call of a lambda that is written where it is called."""
    names = [argument.arg for argument in function.args.args]
    if len(names) != len(given) or functions_in(body) or names_of(function) != set(names):
        return _of_parts([function.args, *given], 0) + exposed(body)
    arguments = dict(zip(names, given, strict=True))
    found: Exposed = []
    for one in exposed(body, kept):
        is_given = one.name in arguments
        found += exposed(arguments[one.name], one.levels) if is_given else [one]
    return found


def _of_call(node: ast.Call, name: str, kept: int) -> Exposed:
    """List the names of a call: its result may hold what it is called with."""
    is_method = isinstance(node.func, ast.Attribute)
    is_view = is_method and name in _VIEWS
    given = [*node.args, *(k.value for k in node.keywords if k.arg != "key")]
    if not (is_method or name in KNOWN):
        given.append(node.func)  # a function that a name holds may give what it holds
    if kept >= ALL or name in (_LOOKING_METHODS if is_method else _LOOKS):
        of_arguments = ALL
    elif name in _ONE and len(given) > 1:
        of_arguments = 0  # the result may be one of the arguments
    elif name in _COPIES or name in _DICTIONARIES or (kept and (is_view or name in ITERATORS)):
        of_arguments = 1
    else:
        of_arguments = 0
    match given:
        case [rows, ast.List(elts=[])] if name == "sum" and not is_method:
            return exposed(rows, max(kept + 1, 2))  # a new list of the elements of rows
        case [ast.Name("list" | "set" | "sorted"), rows] if name == "map" and kept:
            return exposed(rows, max(kept, 2))  # copies of the rows
        case [ast.Name() | ast.Lambda() as function, rows] if (
            name == "map" and kept and getattr(function, "id", "max") in KNOWN
        ):
            element = ast.Name(" element", ast.Store())
            over = ast.comprehension(element, rows, [], 0)
            made = ast.GeneratorExp(ast.Call(function, [element], []), [over])
            return _of_comprehension(made, kept)
        case [ast.GeneratorExp() as made, default] if name == "next" and not is_method:
            return exposed(made, kept + 1) + exposed(default, kept)
        case [key, *default] if name == "get" and isinstance(node.func, ast.Attribute):
            found = exposed(node.func.value, kept + 1) + exposed(key, ALL)
            return found + _of_parts(default, kept)
    found = _of_parts(given, of_arguments)
    if not (is_method or name in KNOWN):
        return [one if one.call else one._replace(call=node) for one in found]
    if isinstance(node.func, ast.Attribute):
        found += exposed(node.func.value, max(of_arguments, int(not is_view)))
    return found
