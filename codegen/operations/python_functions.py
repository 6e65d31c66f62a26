"""Writes calls of Python's own functions and methods as calls of primitives."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import partial

from megabatt.codegen.analysis.names import ATTEMPT
from megabatt.codegen.errors import Wrong
from megabatt.codegen.operations.operators import Operators
from megabatt.runtime.engine.language.values import ascending, show
from megabatt.runtime.program import Lambda, Word

_NO_ARGUMENT = "()"


def _len(at: Operators, node: ast.AST, container: Word) -> Word:
    return at.call(node, "size", container)


def _tuple(at: Operators, node: ast.AST, container: Word = _NO_ARGUMENT) -> Word:
    try:
        return at.literal(node, tuple(ascending(at.constant_of(container))))
    except (TypeError, ValueError):
        return at.as_tuple(node, container)


def _set(at: Operators, node: ast.AST, container: Word = _NO_ARGUMENT) -> Word:
    try:
        return at.literal(node, frozenset(at.constant_of(container)))
    except (TypeError, ValueError):
        return at.call(node, "combine", "frozenset()", container)


def _bool(at: Operators, node: ast.AST, value: Word) -> Word:
    return at.call(node, "if_else", value, True, False)


def _rounded(way: int, at: Operators, node: ast.AST, number: Word) -> Word:
    """Write `int`, or another function that rounds. way: As `rounded` takes it."""
    if at.is_integer(number):
        return at.binary(node, ast.Add, 0, number)
    return at.call(node, "rounded", number, way)


def _int(at: Operators, node: ast.AST, number: Word = 0) -> Word:
    if at.numerals is not None and not at.is_number(number):
        number = at.call(node, "lookup_or", at.numerals, number, number)
    return _rounded(0, at, node, number)


def _float(at: Operators, node: ast.AST, number: Word = 0) -> Word:
    if number not in at.texts:
        return at.call(node, "ratio_of", number, 1)
    try:  # a text is a function with its characters
        made = float("".join(map(chr, at.constant_of(at.maker_of(number)[-1]))))
    except ValueError:
        raise Wrong(node, "this text is no number") from None
    return at.literal(node, made)


def _sqrt(at: Operators, node: ast.AST, number: Word) -> Word:
    return at.call(node, "root_of", number)


def _isqrt(at: Operators, node: ast.AST, number: Word) -> Word:
    root = at.call(node, "root_of", at.integer(node, number))
    return at.call(node, "rounded", root, 1)


def _pow(at: Operators, node: ast.AST, base: Word, exponent: Word) -> Word:
    return at.binary(node, ast.Pow, base, exponent)


def _abs(at: Operators, node: ast.AST, number: Word) -> Word:
    is_negative = at.less(node, number, 0)
    negative = at.binary(node, ast.Sub, 0, number)
    positive = at.binary(node, ast.Add, 0, number)
    return at.call(node, "if_else", is_negative, negative, positive)


def _divmod(at: Operators, node: ast.AST, a: Word, b: Word) -> Word:
    return at.tuple_of(node, [at.binary(node, ast.FloorDiv, a, b), at.binary(node, ast.Mod, a, b)])


def _sum(at: Operators, node: ast.AST, container: Word, start: Word = 0) -> Word:
    if start == _NO_ARGUMENT:
        return _chained(at, node, container)
    if not at.is_number(start):
        return at.call(node, "fold", "sum_of", start, container)
    if start != 0:
        first = at.tuple_of(node, (start,))
        container = at.call(node, "combine", first, at.as_tuple(node, container))
    return at.call(node, "total_of", container)


def _extreme(
    primitive: str, at: Operators, node: ast.AST, *values: Word,
    key: Word = "None", default: Word | None = None,
) -> Word:  # fmt: skip
    """Write `max` or `min` of several values, or of the elements of one container."""
    container = values[0] if len(values) == 1 else at.tuple_of(node, values)
    found = at.call(node, primitive, container, _key(at, node, container, key))
    if default is None:
        return found
    return at.call(node, "if_else", at.call(node, "size", container), found, default)


def _key(at: Operators, node: ast.AST, container: Word, key: Word) -> Word:
    has_key = key != "None"
    if at.gives_sets(key) if has_key else at.holds_sets(container):
        raise Wrong(node, "Python orders sets by inclusion alone: write a key, such as key=size")
    return key if has_key else "identity"


def _sorted(
    at: Operators, node: ast.AST, container: Word, key: Word = "None", reverse: Word = False
) -> Word:
    if reverse not in (True, False):  # 1 and 0 are read too
        raise Wrong(node, "`reverse` must be True or False")
    key = _key(at, node, container, key)
    if not reverse:
        return at.call(node, "order", container, key)
    backwards = _reversed(at, node, at.as_tuple(node, container))  # keeps equal keys in order
    return _reversed(at, node, at.call(node, "order", backwards, key))


def _reversed(at: Operators, node: ast.AST, container: Word) -> Word:
    return at.call(node, "span", container, "None", "None", -1)


def _range(
    at: Operators, node: ast.AST, start: Word, stop: Word | None = None, step: Word = 1
) -> Word:
    if stop is None:
        start, stop = 0, start
    return at.call(node, "interval", start, stop, step)


def _zip(at: Operators, node: ast.AST, *containers: Word, strict: Word = False) -> Word:
    if strict not in (True, False):
        raise Wrong(node, "`strict` must be True or False")
    if strict and containers:
        first, *others = (at.as_tuple(node, one) for one in containers)
        size = at.call(node, "size", first)
        containers = first, *(_of_size(at, node, one, size) for one in others)
    if len(containers) == 2:
        return at.call(node, "pair", *[at.as_tuple(node, one) for one in containers])
    return at.call(node, "zipped", at.tuple_of(node, containers) if containers else _NO_ARGUMENT)


def _of_size(at: Operators, node: ast.AST, container: Word, size: Word) -> Word:
    """Return the container; the call fails if it has another size."""
    is_other = at.negation(node, at.call(node, "equality", at.call(node, "size", container), size))
    return at.call(node, "item", at.tuple_of(node, [container]), is_other)


def _enumerate(at: Operators, node: ast.AST, container: Word, start: Word = 0) -> Word:
    count = at.call(node, "size", container)
    end = count if start == 0 else at.binary(node, ast.Add, start, count)
    numbers = at.call(node, "interval", start, end, 1)
    return at.call(node, "pair", numbers, at.as_tuple(node, container))


def _map(
    at: Operators, node: ast.AST, function: Word, container: Word, other: Word | None = None
) -> Word:
    elements = at.as_tuple(node, container)
    if other is None:
        return at.call(node, "apply", function, elements)
    if isinstance(function, Lambda) and len(function.parameters) < 2:
        raise Wrong(node, "this function takes 1 argument, not 2: write lambda a, b: ...")
    return at.call(node, "papply", function, elements, at.as_tuple(node, other))


def _filter(at: Operators, node: ast.AST, condition: Word, container: Word) -> Word:
    if condition == "None":
        condition = _truth_in(at)
    elif at.may_hold_mappings:
        condition = at.call(node, "compose", "keys_in", condition)
    return at.call(node, "sfilter", at.as_tuple(node, container), condition)


def _truth_in(at: Operators) -> Word:
    """Return a function whose results are true where elements are: keys of those with keys."""
    return "keys_in" if at.may_hold_mappings else "identity"


def _any(at: Operators, node: ast.AST, container: Word) -> Word:
    return _bool(at, node, at.call(node, "first_of", container, _truth_in(at)))


def _all(at: Operators, node: ast.AST, container: Word) -> Word:
    true = at.call(node, "sfilter", container, _truth_in(at))
    sizes = at.call(node, "size", true), at.call(node, "size", container)
    return at.call(node, "equality", *sizes)


def _next(at: Operators, node: ast.AST, container: Word, default: Word | None = None) -> Word:
    first = at.call(node, "first", container)
    return first if default is None else at.call(node, "if_else", container, first, default)


def _reduce(
    at: Operators, node: ast.AST, function: Word, container: Word, start: Word | None = None
) -> Word:
    """Write `functools.reduce`."""
    if start is not None:
        return at.call(node, "fold", function, start, container)
    elements = at.as_tuple(node, container)
    others = at.call(node, "span", elements, 1, "None", "None")
    return at.call(node, "fold", function, at.call(node, "item", elements, 0), others)


def _chain(at: Operators, node: ast.AST, *containers: Word) -> Word:
    return _chained(at, node, at.tuple_of(node, containers) if containers else _NO_ARGUMENT)


def _chained(at: Operators, node: ast.AST, containers: Word) -> Word:
    return at.call(node, "merge", at.as_tuple(node, containers))


def _combined(
    at: Operators, node: ast.AST, made: Word, elements: Callable[[Word], Word]
) -> Word:
    """Return tuples with one more element. elements: Returns the elements that a tuple may get."""

    def longer(start: Word) -> Word:
        def with_one(one: Word) -> Word:
            return at.call(node, "combine", start, at.tuple_of(node, [one]))

        added = elements(start)
        return at.call(node, "apply", at.lambda_of(node, with_one, 1, added), added)

    return at.call(node, "mapply", at.lambda_of(node, longer, 1, made), made)


def _product(at: Operators, node: ast.AST, *containers: Word, repeat: Word = 1) -> Word:
    """Write `itertools.product`."""
    if repeat.__class__ is not int or repeat < 0:  # type: ignore[operator]
        raise Wrong(node, "`repeat` must be a number, from 0 on, that is written out")
    made: Word = "((),)"
    for elements in [at.as_tuple(node, one) for one in containers] * int(repeat):
        made = _combined(at, node, made, partial(_always, elements))
    return made


def _always(elements: Word, _: Word) -> Word:
    return elements


def _combinations(at: Operators, node: ast.AST, container: Word, length: Word) -> Word:
    """Write `itertools.combinations`."""

    def behind(places: Word, size: Word) -> Word:
        last = at.call(node, "item", places, -1)
        start = at.call(node, "if_else", places, at.binary(node, ast.Add, last, 1), 0)
        return at.call(node, "interval", start, size, 1)

    return _arranged(at, node, container, length, behind)


def _permutations(at: Operators, node: ast.AST, container: Word, length: Word = "None") -> Word:
    """Write `itertools.permutations`."""

    def others(places: Word, size: Word) -> Word:
        is_other = at.lambda_of(
            node, lambda one: at.negation(node, at.call(node, "contained", one, places))
        )
        return at.call(node, "sfilter", at.call(node, "interval", 0, size, 1), is_other)

    return _arranged(at, node, container, length, others)


def _arranged(
    at: Operators,
    node: ast.AST,
    container: Word,
    length: Word,
    elements: Callable[[Word, Word], Word],
) -> Word:
    """Return all tuples of a length of elements of a container.

    elements: Returns the places that may follow some places, of as many as the container has.
    """
    container = at.as_tuple(node, container)
    size = at.call(node, "size", container)

    def longer(made: Word, _: Word) -> Word:
        return _combined(at, node, made, lambda places: elements(places, size))

    length = size if length == "None" else length
    start = at.call(node, "item", "(0,)", at.less(node, length, 0))  # fails if it is less
    rounds = at.call(node, "interval", start, length, 1)
    places = at.call(node, "fold", at.lambda_of(node, longer, 2), "((),)", rounds)
    element = at.lambda_of(node, lambda place: at.call(node, "item", container, place))
    chosen = at.lambda_of(node, lambda some: at.call(node, "apply", element, some))
    return at.call(node, "apply", chosen, places)


def _attempt(at: Operators, node: ast.AST, function: Word) -> Word:
    return at.call(node, "attempt", function, 0)


def _gcd(at: Operators, node: ast.AST, *numbers: Word) -> Word:
    """Write `math.gcd`."""
    goes_on = at.lambda_of(node, lambda pair: at.call(node, "item", pair, 1))

    def smaller(pair: Word) -> Word:
        a, b = (at.call(node, "item", pair, k) for k in (0, 1))
        return at.tuple_of(node, [b, at.binary(node, ast.Mod, a, b)])

    step = at.lambda_of(node, smaller)
    made: Word = 0
    for number in numbers:
        pair = at.tuple_of(node, [made, at.integer(node, number)])
        made = at.call(node, "item", at.call(node, "iterate", goes_on, step, pair), 0)
    return _abs(at, node, made)


def _union(at: Operators, node: ast.AST, container: Word, *others: Word) -> Word:
    for other in others:
        container = at.call(node, "combine", container, other)
    return container


def _with_others(
    primitive: str, at: Operators, node: ast.AST, container: Word, *others: Word
) -> Word:
    for other in others:
        container = at.call(node, primitive, container, _set(at, node, other))
    return container


_DIFFERENCE, _INTERSECTION = (
    partial(_with_others, primitive) for primitive in ("difference", "intersection")
)


def _is_disjoint(at: Operators, node: ast.AST, container: Word, other: Word) -> Word:
    shared = _INTERSECTION(at, node, container, other)
    return at.call(node, "equality", shared, "frozenset()")


def _is_subset(at: Operators, node: ast.AST, container: Word, other: Word) -> Word:
    left = _DIFFERENCE(at, node, container, other)
    return at.call(node, "equality", left, "frozenset()")


def _is_superset(at: Operators, node: ast.AST, container: Word, other: Word) -> Word:
    return _is_subset(at, node, _set(at, node, other), container)


def _append(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    return at.call(node, "append", container, value)


def _extend(at: Operators, node: ast.AST, container: Word, other: Word) -> Word:
    return at.call(node, "combine", container, at.as_tuple(node, other))


def _insert(at: Operators, node: ast.AST, container: Word, place: Word, value: Word) -> Word:
    before = at.call(node, "span", container, "None", place, "None")
    behind = at.call(node, "span", container, place, "None", "None")
    return at.call(node, "combine", _append(at, node, before, value), behind)


def _add(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    return at.call(node, "insert", value, container)


def _discard(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    return at.call(node, "difference", container, at.set_of(node, [value]))


def _pop(at: Operators, node: ast.AST, container: Word, place: Word = -1) -> Word:
    return at.call(node, "drop", container, place)


def _append_left(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    return at.call(node, "combine", at.tuple_of(node, [value]), container)


def _remove(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    return _pop(at, node, container, _place(at, node, container, value))


def _remove_of_set(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    is_missing = at.negation(node, at.call(node, "contained", value, container))
    found = at.call(node, "item", at.tuple_of(node, [value]), is_missing)  # fails without it
    return _discard(at, node, container, found)


def _count(at: Operators, node: ast.AST, container: Word, value: Word) -> Word:
    is_value = at.call(node, "matcher", "identity", value)
    return at.call(node, "size", at.call(node, "sfilter", container, is_value))


def _place(
    at: Operators, node: ast.AST, container: Word, value: Word,
    start: Word = 0, end: Word = "None",
) -> Word:  # fmt: skip
    if (start, end) == (0, "None"):
        return at.call(node, "place_of", container, value)
    part = at.call(node, "span", container, start, end, "None")
    before = at.call(node, "span", container, "None", start, "None")
    place = at.call(node, "place_of", part, value)
    return at.call(node, "sum_of", at.call(node, "size", before), place)


BUILTINS: dict[str, Callable[..., Word]] = {
    ATTEMPT: _attempt,
    "abs": _abs,
    "all": _all,
    "any": _any,
    "bool": _bool,
    "divmod": _divmod,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": _float,
    "frozenset": _set,
    "int": _int,
    "iter": Operators.as_tuple,
    "len": _len,
    "list": _tuple,
    "map": _map,
    "max": partial(_extreme, "argmax"),
    "min": partial(_extreme, "argmin"),
    "next": _next,
    "pow": _pow,
    "range": _range,
    "reversed": _reversed,
    "round": partial(_rounded, 3),
    "set": _set,
    "sorted": _sorted,
    "sum": _sum,
    "tuple": _tuple,
    "zip": _zip,
    "functools.reduce": _reduce,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chained,
    "itertools.combinations": _combinations,
    "itertools.permutations": _permutations,
    "itertools.product": _product,
    "math.ceil": partial(_rounded, 2),
    "math.floor": partial(_rounded, 1),
    "math.gcd": _gcd,
    "math.isqrt": _isqrt,
    "math.sqrt": _sqrt,
    "math.trunc": partial(_rounded, 0),
    "collections.deque": _tuple,
}
"""The writers of calls by Python function; a module's function has its qualified name."""
NUMBERS: dict[str, Word] = {
    "math.e": show(math.e), "math.inf": show(math.inf), "math.pi": show(math.pi),
    "numpy.e": show(math.e), "numpy.inf": show(math.inf), "numpy.pi": show(math.pi),
}  # fmt: skip
"""The constants of Python's modules, by qualified name."""

ITERATORS = {
    "enumerate", "filter", "iter", "map", "reversed", "zip", "itertools.chain",
    "itertools.chain.from_iterable", "itertools.combinations", "itertools.permutations",
    "itertools.product",
}  # fmt: skip
"""The functions whose results Python's programs can read once alone."""

OF_ALL = {"itertools.chain": "merge", "zip": "zipped"}
"""The primitives for calls with `*elements` alone: `zip(*rows)` is `zipped(rows)`."""

CHANGES: dict[str, Callable[..., Word]] = {
    "add": _add,
    "append": _append,
    "appendleft": _append_left,
    "clear": lambda at, node, container: _NO_ARGUMENT,
    "difference_update": _DIFFERENCE,
    "discard": _discard,
    "extend": _extend,
    "insert": _insert,
    "intersection_update": _INTERSECTION,
    "pop": _pop,
    "remove": _remove,
    "reverse": _reversed,
    "sort": _sorted,
    "update": _union,
}
"""For each method that changes a list or a set, the writer of its value after the change."""

CHANGES_OF_SETS: dict[str, Callable[..., Word]] = {
    "clear": lambda at, node, container: "frozenset()",
    "pop": _discard,
    "remove": _remove_of_set,
}
"""The same for the methods of sets that have the names of a list's methods."""

METHODS: dict[str, tuple[type, Callable[..., Word]]] = {
    "count": (tuple, _count),
    "difference": (frozenset, _DIFFERENCE),
    "index": (tuple, _place),
    "intersection": (frozenset, _INTERSECTION),
    "isdisjoint": (frozenset, _is_disjoint),
    "issubset": (frozenset, _is_subset),
    "issuperset": (frozenset, _is_superset),
    "union": (frozenset, _union),
}
"""For each method of tuples and sets, its type, and the writer of its calls."""
