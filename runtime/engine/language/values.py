"""Plain Python values: their order, their weight, and functions.

A value is None, a bool, int, float or complex, a tuple, a frozenset, an immutable NumPy array, or a
function: a primitive, a `Function` built from primitives, or a caller's Python callable.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import Any, ClassVar

import numpy as np

from megabatt.runtime.engine.language.limits import TOO_DEEP, LimitError
from megabatt.runtime.engine.language.policy import (
    ARRAY,
    FUNCTION,
    NONE,
    NUMBER,
    SET,
    TUPLE,
    policy,
)
from megabatt.runtime.literals import is_real

_INTEGERS = {int, bool}
_NESTED = {tuple, frozenset}
_ALIKE: set[type] = {int, type(None), *_NESTED}
"""The types whose values equal only values of the same type, but for their elements."""
_SPELLED_ALIKE: set[type] = {int, bool, type(None), tuple}
"""The types whose values `repr` shows as `show` does, but for their elements."""


class FrozenArray(np.ndarray[Any, Any]):
    """An immutable, hashable array.

    Arrays are equal if their shapes and numbers are. Arrays computed from one are plain arrays.
    """

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar or context is None and not plain.ndim else plain

    def astype(self, *args: Any, **named: Any) -> Any:
        return np.asarray(self).astype(*args, **named)

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return isinstance(other, np.ndarray) and np.array_equal(np.asarray(self), other)

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        numbers = np.asarray(self, dtype=np.complex128) + 0.0  # -0.0 is 0.0
        return hash((self.shape, numbers.tobytes()))


def frozen(array: np.ndarray[Any, Any]) -> FrozenArray:
    """Return an array as a value. The caller must not change the array from now on."""
    made = array.view(FrozenArray)
    made.flags.writeable = False
    return made


class Function:
    """A function built from others, of a kind (the subclass), with bound arguments.

    Functions are equal if kind and arguments are: sets hold them. Subclasses define `__call__`.
    """

    __slots__ = ("args", "arity", "_hash", "_size", "_depth")
    name: ClassVar[str]
    """The name of the primitive that builds such functions."""
    compared: ClassVar[int] = sys.maxsize
    """The most bound arguments, the first ones, that are compared."""
    called_on_words: ClassVar[Callable[..., int] | None] = None
    """Makes a call on words, see `engine.machine.forms.called_of`."""

    def __init__(self, arity: int, *args: Any) -> None:
        self.arity = arity
        self.args = args
        self._hash: int | None = None
        self._size: int | None = None
        self._depth: int | None = None

    @property
    def size(self) -> int:
        """The most functions that one call runs, not counting functions that primitives run."""
        if self._size is None:
            self._size = self.measure() if self.depth <= policy().max_depth else TOO_DEEP
        return self._size

    @property
    def depth(self) -> int:
        """One more than the greatest depth of the functions that it binds."""
        if self._depth is None:
            self._depth = 1 + max(map(depth_of, self.args), default=0)
        return self._depth

    @property
    def identity(self) -> tuple[Any, ...]:
        """The bound arguments that are compared."""
        return self.args[: self.compared]

    def spelled(self) -> tuple[str, Sequence[Any]]:
        """Return the beginning of the text, and the values in brackets after that, if any."""
        return self.name, self.args

    def measure(self) -> int:
        """Return the size: one more than the sizes of the functions that it binds."""
        return 1 + sum(map(size_within, self.args))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Function) and (
            self.__class__ is other.__class__ and self.identity == other.identity
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.name, self.identity))
        return self._hash

    def __reduce__(self) -> Any:
        return self.__class__, (self.arity, *self.args)

    def __repr__(self) -> str:
        head, values = self.spelled()
        return f"{head}({', '.join(map(show, values))})" if values else head

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError


def fails(*args: Any) -> Any:
    """Raise ValueError for any arguments. This function is the safe default of a Callable."""
    raise ValueError("a call of a function that an earlier operation failed to make")


def arity_of(function: Callable[..., Any]) -> int:
    """Return the arity of `function`; 1 for a Python callable without one."""
    if isinstance(function, Function):
        return function.arity
    code = getattr(function, "__code__", None)
    return 1 if code is None else code.co_argcount


def size_of(function: Callable[..., Any]) -> int:
    """Return `Function.size`; 1 for a primitive or another Python callable."""
    return function.size if isinstance(function, Function) else 1


def size_within(value: Any) -> int:
    """Return the size of a function, or of all functions in a container; 0 for other values."""
    if callable(value):
        return size_of(value)
    return sum(map(size_within, value)) if _may_hold_functions(value) else 0


def depth_of(value: Any) -> int:
    """Return `Function.depth`, the greatest one in a container; 0 for other values."""
    if isinstance(value, Function):
        return value.depth
    return max(map(depth_of, value), default=0) if _may_hold_functions(value) else 0


def _may_hold_functions(value: Any) -> bool:
    return value.__class__ in _NESTED and not set(map(type, value)) <= _INTEGERS


def call_cost(function: Callable[..., Any]) -> int:
    """Return the charge of a call by a container primitive: 1 + 1 per 16 of the function's size."""
    return 1 + size_of(function) // 16


def name_of(function: Callable[..., Any]) -> str:
    """Return the name that orders a function among others."""
    if isinstance(function, Function):
        return function.name
    return getattr(function, "__name__", type(function).__name__)


def of_language(value: Any) -> Any:
    """Return `value` if it belongs to the language in use.

    Raises TypeError for another object, LimitError for numbers out of range or too deep containers.
    """
    rules = policy()
    least, most = rules.integers
    level: Collection[Any] = [value]
    for _ in range(rules.max_depth + 1):
        containers = []
        for element in level:
            kind = element.__class__
            if kind is tuple or kind is frozenset:
                containers.append(element)
            elif kind is int:
                if not least <= element <= most:
                    raise LimitError("an Integer out of range")
            elif kind is float and rules.fits_words and not is_real(element):
                raise LimitError("a Real out of range")
            elif not (
                kind is bool or kind is float or (kind is complex and rules.has_complex)
                or element is None or callable(element) or isinstance(element, np.ndarray)
            ):  # fmt: skip
                raise TypeError(f"no value of the language: {kind.__name__}")
        if not containers:
            return value
        level = list(chain.from_iterable(containers))
    raise LimitError("containers are nested too deeply")


def show(value: Any) -> str:
    """Write `value` as source that builds it, sets in ascending order."""
    return _begun(value, sys.maxsize, {})


CUT = "... (cut)"
"""The end of a text that `show_cut` has cut."""


def show_cut(value: Any, most: int) -> str:
    """Write `value` as `show` does, but cut the text after `most` characters, and mark the cut.

    The rest of the text is never made: a value's text may be far larger than the value.
    """
    text = _begun(value, most, {})
    return text if len(text) <= most else text[:most] + CUT


def _begun(value: Any, most: int, known: dict[int, str]) -> str:
    """Return the text of `show`, or a beginning of it with more than `most` characters.

    known: The text of each container or function by `id`, so that each text is made once.
    """
    spelled = _BRACKETS.get(value.__class__)
    if spelled is None and not isinstance(value, Function):
        if value.__class__ is float:
            return repr(value).replace("inf", "1e999")
        return name_of(value) if callable(value) else repr(value)
    text = known.get(id(value))
    if text is None:
        if spelled is None:
            head, elements = value.spelled()
            begin, of_one, end = f"{head}(", ")", ")"
        else:
            begin, of_one, end = spelled
            elements = ascending(value)
        parts = _begun_each(elements, most, known)
        text = begin + ", ".join(parts) + (of_one if len(elements) == 1 else end)
        known[id(value)] = text = text if elements else repr(value)
    return text


def _begun_each(elements: Sequence[Any], most: int, known: dict[int, str]) -> Iterable[str]:
    """Return the texts of as many elements as needed; see `_begun`."""
    whole = most == sys.maxsize and _are_only(_SPELLED_ALIKE, elements)
    if whole or set(map(type, elements)) <= _INTEGERS:
        return map(repr, elements[: most + 1])
    parts, length = [], 0
    for element in elements:
        parts.append(_begun(element, most, known))
        length += len(parts[-1])
        if length > most:
            break
    return parts


_BRACKETS = {tuple: ("(", ",)", ")"), frozenset: ("frozenset({", "})", "})")}
"""A container's text: its beginning, its end after one element, and its end otherwise."""


def _are_only(types: set[type], values: Collection[Any]) -> bool:
    """Tell whether values, and what containers among them hold, are only of some types."""
    level = values
    while level:
        kinds = set(map(type, level))
        if not kinds <= types:
            return False
        if kinds.isdisjoint(_NESTED):
            return True
        if not kinds <= _NESTED:
            level = [e for e in level if e.__class__ in _NESTED]
        level = list(chain.from_iterable(level))
    return True


def key_of(value: Any) -> Any:
    """Return the key of a constant or primitive: distinct values have distinct keys."""
    return value.__class__, value if callable(value) else show(value), *_arrays_in(value)


def _arrays_in(value: Any) -> Iterator[Any]:
    """Yield the arrays within a value, whose numbers `show` rounds and cuts, as bytes."""
    if isinstance(value, np.ndarray):
        yield value.dtype, value.shape, value.tobytes()
    elif value.__class__ in _NESTED:
        for element in ascending(value):
            yield from _arrays_in(element)


def order_key(value: Any) -> Any:
    """Return a key that sorts values of any kind, by the policy in use."""
    return _key(value, policy().ranks)


def _key(value: Any, rank: tuple[int, ...]) -> Any:
    kind = value.__class__
    if kind is int or kind is bool:
        return (rank[NUMBER], value)
    if kind is tuple:
        return (rank[TUPLE], *[_key(element, rank) for element in value])
    if kind is frozenset:
        return (rank[SET], *sorted([_key(element, rank) for element in value]))
    if value is None:
        return (rank[NONE],)
    if kind is float or kind is complex:
        return (rank[NUMBER], *_number_key(value))
    if isinstance(value, np.ndarray):
        return (rank[ARRAY], *_array_key(value))
    bound = value.identity if isinstance(value, Function) else ()
    return (rank[FUNCTION], name_of(value), *[_key(argument, rank) for argument in bound])


def _number_key(value: Any) -> tuple[Any, ...]:
    """Return a key of a number: complex ones by real, then imaginary part; NaN comes last."""
    if isinstance(value, complex):
        return (*_number_key(value.real), *_number_key(value.imag))
    return (inf, 1) if value != value else (value,)


def _array_key(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Return a key of an array: the shape of its items, then its numbers in order, by parts."""
    item = array.shape[1:]
    length = array.shape[:1] if 0 in item else ()
    parts = chain.from_iterable((n.real, n.imag) for n in array.ravel().tolist())
    numbers = chain.from_iterable((True, 0) if part != part else (False, part) for part in parts)
    return (array.ndim, *item, *length, *numbers)


def equal(a: Any, b: Any) -> bool:
    """Tell whether two values are equal, arrays by shape and numbers."""
    try:
        same = a == b
    except ValueError:  # arrays within
        return _equal_parts(a, b)
    return same if same.__class__ is bool else _equal_parts(a, b)


def _equal_parts(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if a.__class__ is tuple and b.__class__ is tuple:
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, Function) and isinstance(b, Function):
        return a.__class__ is b.__class__ and _equal_parts(a.identity, b.identity)
    return False


def truth(value: Any) -> bool:
    """Tell whether a value is true in Python's sense. Raises ValueError for an array."""
    if isinstance(value, np.ndarray):
        raise ValueError("an array is neither true nor false")
    return bool(value)


def _plain(elements: Collection[Any], kinds: set[type]) -> bool:
    """Tell whether elements of these kinds are all Integers, or tuples of one shape of Integers.

    Python orders such elements as the language does.
    """
    if kinds <= _INTEGERS:
        return True
    if kinds != {tuple} or len(set(map(len, elements))) != 1:
        return False
    return all(_plain(place, set(map(type, place))) for place in zip(*elements, strict=True))


def ascending(container: Any) -> Any:
    """List the elements of a set in the language's order; a tuple stays as it is."""
    if container.__class__ is tuple:
        return container
    if len(container) < 2:
        return tuple(container)
    kinds = set(map(type, container))
    if _plain(container, kinds):
        return sorted(container)
    if kinds == {frozenset}:
        elements = list(chain.from_iterable(container))
        if _plain(elements, set(map(type, elements))):
            return sorted(container, key=sorted)
    return sorted(container, key=order_key)


def sort_keys(values: list[Any]) -> list[Any]:
    """Return keys that order `values`, in the cheapest form that is exact."""
    return values if set(map(type, values)) <= _INTEGERS else list(map(order_key, values))


def weight(value: Any) -> int:
    """Return the number of elements that `value` counts as in a container.

    A value that is no container counts as one, and so do empty containers and the tuples that
    `Policy.weigh_one` names. An array counts its numbers, any other container its elements at every
    level, so that no operation can build a value that is too large to walk through. A value with
    more levels than the policy allows counts as `TOO_DEEP`.
    """
    return total_weight([value])


def total_weight(values: Collection[Any]) -> int:
    """Sum the weights of `values`; a container that repeats in a level is walked through once."""
    weigh_one, levels = policy().weigh_one, policy().max_depth
    total = 0
    level: list[tuple[int, Collection[Any]]] = [(1, values)]  # how often, and the elements
    while True:
        deeper: list[tuple[int, Collection[Any]]] = []
        for times, elements in level:
            kinds = set(map(type, elements))
            if kinds <= _INTEGERS or (kinds == {tuple} and weigh_one(elements)):
                total += times * len(elements)
                continue
            for element in elements:
                kind = element.__class__
                if kind is frozenset or kind is tuple:
                    if element and not (kind is tuple and weigh_one((element,))):
                        deeper.append((times, element))
                        continue
                elif isinstance(element, np.ndarray):
                    total += times * (max(element.size, 1) - 1)
                total += times
        if not deeper:
            return min(total, TOO_DEEP)
        if not levels:
            return TOO_DEEP
        levels -= 1
        level = _opened(deeper)


def _opened(containers: list[tuple[int, Collection[Any]]]) -> list[tuple[int, Collection[Any]]]:
    """Collect the elements of containers with their multiplicities."""
    distinct = {id(container): container for _, container in containers}
    if len(distinct) == len(containers) and len({times for times, _ in containers}) == 1:
        return [(containers[0][0], list(chain.from_iterable(distinct.values())))]
    occurs = dict.fromkeys(distinct, 0)
    for times, container in containers:
        occurs[id(container)] += times
    return [(occurs[key], container) for key, container in distinct.items()]


def identical(a: Any, b: Any) -> bool:
    """Tell whether two values are the same in value and in type, recursively."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    if a.__class__ is not b.__class__:
        return False
    if isinstance(a, Function):
        return len(a.args) == len(b.args) and all(map(identical, a.args, b.args))
    if _are_only(_ALIKE, [a, b]):  # unlike True and 1, which are equal
        return bool(a == b)
    if a.__class__ in _NESTED:
        return len(a) == len(b) and all(map(identical, ascending(a), ascending(b)))
    return bool(a == b) or (a != a and b != b)  # NaN is the same as NaN
