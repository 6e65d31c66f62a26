"""The kinds of the values of a source that uses NumPy, as far as its meaning depends on them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Kind:
    """What is known of a value."""


@dataclass(frozen=True)
class Scalar(Kind):
    """A number, a Boolean, a text or None.

    of: "int"; "bool", a Boolean of NumPy's; "truth", one of Python's; "either" of both; "any" of
    all these, or a text; "float"; "number", an int or a float; "text";
    "other", a text or None.
    """

    of: str


@dataclass(frozen=True)
class Array(Kind):
    """An array. rank: 1 to 4. of: "int", "bool", "float", or "number": "int" or "float".

    side: "row" or "column" for an array of rank 2 that is written as one, such as `a[:, :1]`.
    is_listed: Whether the array is made of a list: of an empty list, NumPy makes Reals of rank 1.
    width: The length of its innermost lines, if it is known, as of those of np.argwhere; else 0.
    """

    rank: int
    of: str
    side: str = ""
    is_listed: bool = False
    width: int = 0

    def elements(self) -> Kind:
        if self.rank == 1:
            return Scalar(self.of)
        return Array(self.rank - 1, self.of, width=self.width)


class Site(NamedTuple):
    """Where containers come from: a parameter of a function, or an expression at a place in it.

    path: Where they are in what is given, or made, there.
    """

    function: ast.FunctionDef | None
    path: tuple[object, ...]
    parameter: str = ""
    place: object = None


@dataclass(frozen=True)
class Container(Kind):
    """What has elements. sites: Where it may come from; what has a site in common may be one."""

    sites: frozenset[Site] = field(default=frozenset(), kw_only=True)

    @cached_property
    def depth(self) -> int:
        """The number of containers that are each within the last one."""
        return 1 + max((getattr(part, "depth", 0) for part in within(self)), default=0)


@dataclass(frozen=True)
class Many(Container):
    """A container whose elements are of one kind. is_list: Whether it is a list or a tuple.

    is_even: Whether it is certain that its elements are lists of one length.
    is_no_tuple: Whether it is certain to be no tuple, which is another index than a list.
    """

    of: Kind
    is_list: bool = True
    is_even: bool = False
    is_no_tuple: bool = False


@dataclass(frozen=True)
class Few(Container):
    """A tuple of so many elements."""

    parts: tuple[Kind, ...]


@dataclass(frozen=True)
class Dict(Container):
    """A dictionary. fields: The kind of each value, by key, if all keys are constant texts."""

    keys: Kind
    values: Kind
    fields: tuple[tuple[str, Kind], ...] = ()


@dataclass(frozen=True)
class Field(Kind):
    """A constant text that is a key."""

    name: str


@dataclass(frozen=True)
class Span(Kind):
    """A slice that is a value: its start and its stop, in a tuple."""


@dataclass(frozen=True)
class Vectorized(Kind):
    """A function of `np.vectorize`. made: The call that makes it."""

    made: ast.Call


@dataclass(frozen=True)
class Known(Kind):
    """A module, or a function that the source does not define."""

    name: str


@dataclass(frozen=True)
class Type(Kind):
    """The type of an array's elements."""

    of: str


@dataclass(frozen=True)
class Function(Kind):
    """A function of the source. frame: The names around it."""

    node: ast.FunctionDef
    frame: Any = field(compare=False)


@dataclass(frozen=True)
class Chosen(Kind):
    """One of some functions, as its number. numbers: Those of the functions that it may be."""

    numbers: frozenset[int]


NOTHING, UNKNOWN, PLAIN = (type(name, (Kind,), {})() for name in ("Nothing", "Unknown", "Plain"))
"""The kind of no value; of any; of any that holds no array."""
_DEEPEST = 9
"""The depth of containers from which on what they hold is not followed."""
INT, BOOL, TRUTH, EITHER, ANY, FLOAT, NUMBER, TEXT, OTHER = map(
    Scalar, ("int", "bool", "truth", "either", "any", "float", "number", "text", "other")
)
BOOLEANS = {BOOL, TRUTH, EITHER}
NO_NUMBERS = {ANY, TEXT, OTHER}
REALS = {FLOAT.of, NUMBER.of}
MAY_BE_REALS = "whether this array is of Integers or of Reals depends on its values"


def join(a: Kind, b: Kind) -> Kind:
    """Return the kind of a value that is of one kind or of another."""
    match a, b:
        case _ if a == b or b is NOTHING or (b == OTHER and a is not NOTHING):
            return a
        case _ if a is NOTHING or a == OTHER:
            return b
        case Scalar(), Scalar():
            if {a, b} <= {INT, FLOAT, NUMBER}:
                return NUMBER
            if not {FLOAT, NUMBER}.isdisjoint((a, b)):
                return PLAIN
            return EITHER if {a, b} <= BOOLEANS else ANY
        case Chosen(one), Chosen(other):
            return Chosen(one | other)
        case Many(one, k), Many(other, m):
            no_tuple = a.is_no_tuple and b.is_no_tuple
            sites = a.sites | b.sites
            return Many(join(one, other), k and m, is_no_tuple=no_tuple, sites=sites)
        case Few(one), Few(other) if len(one) == len(other):
            return Few(tuple(map(join, one, other)), sites=a.sites | b.sites)
        case (Few() | Many()), (Few() | Many()):
            return join(_as_many(a), _as_many(b))
        case Dict(), Dict() if all(one.fields or is_empty_dictionary(one) for one in (a, b)):
            fields = dict(a.fields)
            for name, kind in b.fields:
                fields[name] = join(fields.get(name, NOTHING), kind)
            return record_of(fields, a.sites | b.sites)
        case Dict(), Dict():
            keys, values = join(a.keys, b.keys), join(a.values, b.values)
            return Dict(keys, values, sites=a.sites | b.sites)
        case Array(m, one), Array(k, other) if m == k and (
            one == other or "bool" not in (one, other)
        ):
            is_listed = a.is_listed or b.is_listed
            return Array(m, one if one == other else "number", is_listed=is_listed)
    return UNKNOWN if holds_array(a) or holds_array(b) else PLAIN


def record_of(fields: Mapping[str, Kind], sites: frozenset[Site] = frozenset()) -> Dict:
    """Return the kind of a dictionary of which all keys are constant texts."""
    keys = TEXT if fields else NOTHING
    return Dict(keys, joined(fields.values()), tuple(fields.items()), sites=sites)


def is_empty_dictionary(kind: Dict) -> bool:
    return kind.keys is NOTHING and kind.values is NOTHING


def is_empty(kind: Kind) -> bool:
    """Tell whether no value, but an empty list, is of a kind."""
    return kind is NOTHING or (isinstance(kind, Many) and is_empty(kind.of))


def joined(kinds: Iterable[Kind]) -> Kind:
    """Return the kind of a value that is of any of some kinds."""
    return reduce(join, kinds, NOTHING)


def _as_many(kind: Kind) -> Kind:
    return Many(joined(kind.parts), sites=kind.sites) if isinstance(kind, Few) else kind


def elements(kind: Kind) -> Kind:
    """Return the kind of what an iteration over a value gives."""
    match kind:
        case Array():
            return kind.elements()
        case Many(of):
            return of
        case Few(parts):
            return joined(parts)
        case Dict(keys):
            return keys
    return kind if kind in (NOTHING, UNKNOWN, PLAIN) else PLAIN


def element_at(kind: Kind, place: object) -> Kind:
    """Return the kind of a container's element. place: A constant, or None."""
    if isinstance(kind, Few) and isinstance(place, int) and -len(kind.parts) <= place < len(
        kind.parts
    ):
        return kind.parts[place]
    if isinstance(kind, Dict):
        return next((of for name, of in kind.fields if name == place), kind.values)
    return elements(kind)


def holds_array(kind: Kind) -> bool:
    """Tell whether a value may be or hold an array."""
    is_array = isinstance(kind, Array | Chosen | Function | Span | Vectorized) or kind is UNKNOWN
    return is_array or any(map(holds_array, within(kind)))


def within(kind: Kind) -> tuple[Kind, ...]:
    """Return the kinds of what a container holds."""
    match kind:
        case Many(of):
            return (of,)
        case Few(parts):
            return parts
        case Dict(keys, values, fields):
            return keys, *((of for _, of in fields) if fields else (values,))
    return ()


def holds_number_of(kind: Kind) -> bool:
    """Tell whether a value is or holds a slice or a function, which are numbers here."""
    return isinstance(kind, Span | Chosen) or any(map(holds_number_of, within(kind)))


def with_sites(
    kind: Kind,
    sites: Callable[[frozenset[Site], tuple[object, ...]], frozenset[Site]],
    path: tuple[object, ...] = (),
) -> Kind:
    """Return a kind whose containers have other sites. sites: Gives these of the old and a path."""
    match kind:
        case Many(of):
            parts: dict[str, Any] = {"of": with_sites(of, sites, (*path, "of"))}
        case Few(few):
            each = (with_sites(part, sites, (*path, k)) for k, part in enumerate(few))
            parts = {"parts": tuple(each)}
        case Dict(fields=fields) if fields:
            made = {name: with_sites(of, sites, (*path, name)) for name, of in fields}
            return record_of(made, sites(kind.sites, path))
        case Dict(keys, values):
            parts = {
                "keys": with_sites(keys, sites, (*path, "keys")),
                "values": with_sites(values, sites, (*path, "values")),
            }
        case _:
            return kind
    return replace(kind, sites=sites(kind.sites, path), **parts)


def sites_at(kind: Kind, path: tuple[object, ...]) -> frozenset[Site]:
    """Return the sites of a container within another."""
    found: dict[tuple[object, ...], frozenset[Site]] = {}
    with_sites(kind, lambda sites, place: found.setdefault(place, sites))
    return found.get(path, frozenset())


def made_at(kind: Kind, function: ast.FunctionDef | None, node: ast.AST) -> Kind:
    """Return the kind of an expression, from which the containers come that have no sites."""
    if getattr(kind, "depth", 0) > _DEEPEST:
        return UNKNOWN
    if _has_sites(kind):
        return kind
    place = node.__class__, *(getattr(node, one, 0) for one in node._attributes)
    site = Site(function, (), place=place)
    return with_sites(kind, lambda sites, path: sites or frozenset([site._replace(path=path)]))


def _has_sites(kind: Kind) -> bool:
    has_own = bool(kind.sites) if isinstance(kind, Container) else True
    return has_own and all(map(_has_sites, within(kind)))


def without_sites(kind: Kind) -> Kind:
    """Return the kind of a copy of a container and of those within it."""
    return with_sites(kind, lambda sites, path: frozenset())


def copied(kind: Kind) -> Kind:
    """Return the kind of a copy of a container."""
    return replace(kind, sites=frozenset()) if isinstance(kind, Container) else kind


def grown(kind: Kind, sites: Set[Site], element: Kind, key: Kind) -> Kind:
    """Return a kind in which the containers that come from some sites have one more element."""
    made = _grown(kind, sites, element, key)
    return UNKNOWN if getattr(made, "depth", 0) > _DEEPEST else made


def _grown(kind: Kind, sites: Set[Site], element: Kind, key: Kind) -> Kind:
    is_grown = isinstance(kind, Container) and not sites.isdisjoint(kind.sites)
    match kind:
        case Many(of):
            inner = _grown(of, sites, element, key)
            if is_grown or inner is not of:
                inner = join(inner, element) if is_grown else inner
                return replace(kind, of=inner, is_even=False)
        case Few(parts):
            few = tuple(_grown(part, sites, element, key) for part in parts)
            kind = replace(kind, parts=few) if any(map(operator.is_not, few, parts)) else kind
            return join(kind, Many(element, sites=kind.sites)) if is_grown else kind
        case Dict(fields=fields) if fields or (is_grown and is_empty_dictionary(kind)):
            made = {name: _grown(of, sites, element, key) for name, of in fields}
            if is_grown and isinstance(key, Field):
                made[key.name] = join(made.get(key.name, NOTHING), element)
            elif is_grown and (element, key) != (NOTHING, NOTHING):
                values = join(joined(made.values()), element)
                return Dict(join(kind.keys, key), values, sites=kind.sites)
            return record_of(made, kind.sites) if tuple(made.items()) != fields else kind
        case Dict(keys, values):
            inner = _grown(values, sites, element, key)
            key = TEXT if isinstance(key, Field) else key
            if is_grown:
                return replace(kind, keys=join(keys, key), values=join(inner, element))
            return kind if inner is values else replace(kind, values=inner)
    return kind


def array_of(kind: Kind) -> Array | None:
    """Return the kind of the array that NumPy makes of a value; None if that is not known."""
    match kind:
        case Array():
            return kind
        case Many(is_list=True) | Few():
            inner = elements(kind)
            if inner == NUMBER and FLOAT in getattr(kind, "parts", ()):
                return Array(1, "float")
            if isinstance(inner, Scalar) and inner not in NO_NUMBERS:
                return Array(1, "bool" if inner in BOOLEANS else inner.of)
            row = array_of(inner)
            return Array(row.rank + 1, row.of) if row is not None and row.rank < 3 else None
    return None


# What functions and methods of Python give

ADDING = {
    "add", "append", "appendleft", "difference_update", "extend", "extendleft", "insert",
    "intersection_update", "setdefault", "symmetric_difference_update", "update",
}  # fmt: skip
"""The methods that add to a container."""
ADDING_ALL = {"extend", "extendleft", "update", "symmetric_difference_update"}
"""Those of them that add the elements of their argument."""
REMOVING = {"clear", "pop", "popleft", "remove"}
"""The methods that make a container shorter."""


def entries(kind: Kind) -> tuple[Kind, Kind]:
    """Return the kinds of the keys and values that a value adds to a dictionary or a Counter."""
    if isinstance(kind, Dict):
        return kind.keys, kind.values
    of = elements(kind)
    key, value = of.parts if isinstance(of, Few) and len(of.parts) == 2 else (NOTHING, NOTHING)
    return join(of, key), join(INT, value)


def of_method(kind: Kind, name: str, given: Sequence[Kind]) -> Kind:
    """Return the kind of what a method gives. given: The kinds of its arguments."""
    match kind, name:
        case Dict(keys, values), _ if name in _OF_DICTIONARIES:
            return _OF_DICTIONARIES[name](keys, values, joined(given[1:]))
        case _, "pop" | "popleft":
            return elements(kind)
        case _, "copy":
            return copied(kind)
        case _, "count" | "index":
            return INT
        case _, "union" | "intersection" | "difference" | "symmetric_difference":
            return Many(joined(map(elements, (kind, *given))), False)
    return OTHER if name in ADDING else NOTHING if kind is NOTHING else PLAIN


_OF_DICTIONARIES: dict[str, Callable[[Kind, Kind, Kind], Kind]] = {
    "get": lambda keys, values, default: join(values, join(default, OTHER)),
    "items": lambda keys, values, default: Many(Few((keys, values)), False),
    "keys": lambda keys, values, default: Many(keys, False),
    "most_common": lambda keys, values, default: Many(Few((keys, values))),
    "pop": lambda keys, values, default: join(values, default),
    "popitem": lambda keys, values, default: Few((keys, values)),
    "setdefault": lambda keys, values, default: join(values, default),
    "values": lambda keys, values, default: Many(values, False),
}
"""For each method of dictionaries, what gives its result's kind, also from its default's."""


def _all_of(kinds: Sequence[Kind]) -> Kind:
    return joined(map(elements, kinds))


def _extreme_of(kinds: Sequence[Kind]) -> Kind:
    is_one = isinstance(kinds[0], Array | Many | Few | Dict)
    return joined([elements(kinds[0]), *kinds[1:]] if is_one else kinds)


def _sum_of(kinds: Sequence[Kind]) -> Kind:
    of = elements(kinds[0])
    if isinstance(of, Scalar) or of is NOTHING:
        if of in (FLOAT, NUMBER):
            return NUMBER  # the sum of nothing is an Integer
        return ANY if kinds[1:] and kinds[1] != INT else INT
    return copied(joined([of, *kinds[1:]]))


def quotient_of(a: Kind, b: Kind) -> Kind:
    """Return the kind of a // b."""
    if FLOAT in (a, b):
        return FLOAT
    return INT if {a, b} <= {INT, TRUTH} else NUMBER if NUMBER in (a, b) else PLAIN


def _tuple_of(kinds: Sequence[Kind]) -> Kind:
    match kinds:
        case [Few() as few]:
            return few
        case [Array(rank=1, of=of, width=width)] if width:
            return Few((Scalar(of),) * width)
    return Many(_all_of(kinds[:1]))


def _dictionary_of(kinds: Sequence[Kind]) -> Kind:
    if not kinds or isinstance(kinds[0], Dict):
        return copied(kinds[0]) if kinds else Dict(NOTHING, NOTHING)
    pair = elements(kinds[0])
    return Dict(element_at(pair, 0), element_at(pair, 1))


RESULTS: dict[str, Callable[[Sequence[Kind]], Kind]] = {
    **dict.fromkeys(
        ["len", "int", "ord", "floor", "ceil", "gcd", "isqrt", "round"], lambda kinds: INT
    ),
    **dict.fromkeys(["bool", "all", "any", "callable"], lambda kinds: TRUTH),
    **dict.fromkeys(
        ["sorted", "list", "deque"], lambda kinds: Many(_all_of(kinds[:1]), is_no_tuple=True)
    ),
    **dict.fromkeys(
        ["set", "frozenset", "iter", "reversed", "filter"],
        lambda kinds: Many(_all_of(kinds[:1]), False),
    ),
    **dict.fromkeys(
        ["combinations", "permutations"], lambda kinds: Many(Many(elements(kinds[0])), False)
    ),
    **dict.fromkeys(
        ["zip", "product"], lambda kinds: Many(Few(tuple(map(elements, kinds))), False)
    ),
    **dict.fromkeys(["max", "min"], _extreme_of),
    "copy": lambda kinds: copied(kinds[0]),
    "deepcopy": lambda kinds: without_sites(kinds[0]),
    "abs": lambda kinds: INT if kinds[0] == TRUTH else ANY if kinds[0] == EITHER else kinds[0],
    "chain": lambda kinds: Many(_all_of(kinds), False),
    "Counter": lambda kinds: Dict(_all_of(kinds[:1]), joined(
        [INT, *(kind.values for kind in kinds[:1] if isinstance(kind, Dict))]
    )),
    "defaultdict": lambda kinds: Dict(NOTHING, joined(kinds[:1])),
    "dict": _dictionary_of,
    "divmod": lambda kinds: Few((quotient_of(*kinds),) * 2),
    "enumerate": lambda kinds: Many(Few((INT, elements(kinds[0]))), False),
    **dict.fromkeys(["float", "sqrt"], lambda kinds: FLOAT),
    "map": lambda kinds: Many(joined(kinds[:1]), False),
    "next": lambda kinds: joined([elements(kinds[0]), *kinds[1:]]),
    "range": lambda kinds: Many(INT),
    "sum": _sum_of,
    "tuple": _tuple_of,
}
"""For each function of Python, what gives its result's kind from its arguments' kinds."""


def spread(args: Sequence[ast.expr], kinds: Sequence[Kind], count: int = 0) -> Iterator[Kind]:
    """Yield the kinds of positional arguments, of which there are `count` if one is starred."""
    missing = max(count - len(args) + 1, 1)
    for node, kind in zip(args, kinds, strict=True):
        if not isinstance(node, ast.Starred):
            yield kind
        elif isinstance(kind, Few):
            yield from kind.parts
        else:
            yield from [elements(kind)] * missing
