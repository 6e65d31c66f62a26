"""Plain Python values of the language: their order, their weight, and functions among them.

A value is None, an int or bool, a tuple, a frozenset, or a function (a primitive, a
`Function` built from primitives, or any Python callable that a caller brings along).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import Any, ClassVar

from runtime.engine.limits import MAX_DEPTH, TOO_DEEP

_INTEGERS = {int, bool}


class Function:
    """A function built from others: a kind (the subclass) and the arguments it binds.

    Two are equal when they are of one kind and their arguments are equal, so that sets of
    functions behave as sets. Subclasses say what a call does on values (`__call__`) and on
    columns (`call_columns`).
    """

    __slots__ = ("args", "arity", "_hash", "_size", "_depth")
    name: ClassVar[str]

    def __init__(self, arity: int, *args: Any) -> None:
        self.arity = arity
        self.args = args
        self._hash: int | None = None
        self._size: int | None = None
        self._depth: int | None = None

    @property
    def size(self) -> int:
        """How many functions one call runs at the most, those within other calls left out."""
        if self._size is None:
            self._size = self.measure() if self.depth <= MAX_DEPTH else TOO_DEEP
        return self._size

    @property
    def depth(self) -> int:
        """One more than that of the deepest function it is built from."""
        if self._depth is None:
            self._depth = 1 + max(map(depth_of, self.args))
        return self._depth

    def measure(self) -> int:
        """The size from the arguments': one more than theirs together."""
        return 1 + sum(size_of(arg) for arg in self.args if callable(arg))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.__class__ is other.__class__ and self.args == other.args  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.name, self.args))
        return self._hash

    def __reduce__(self) -> Any:
        return _rebuild, (self.__class__, self.arity, self.args)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(show, self.args))})"

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError

    @staticmethod
    def call_columns(frame: Any, bound: list[Any], args: list[Any]) -> Any:
        """What `__call__` does, for every lane of `frame` at once."""
        raise NotImplementedError


def fails(*args: Any) -> Any:
    """The safe default of a Callable: a function that fails whenever it is called."""
    raise ValueError("a call of a function that an earlier operation failed to make")


def _rebuild(cls: type[Function], arity: int, args: tuple[Any, ...]) -> Function:
    function = cls.__new__(cls)
    Function.__init__(function, arity, *args)
    return function


def arity_of(function: Callable[..., Any]) -> int:
    """How many arguments `function` takes; 1 for a Python callable that does not say."""
    if isinstance(function, Function):
        return function.arity
    code = getattr(function, "__code__", None)
    return 1 if code is None else code.co_argcount


def size_of(function: Callable[..., Any]) -> int:
    """`Function.size`; 1 for a primitive or another Python callable."""
    return function.size if isinstance(function, Function) else 1


def depth_of(value: Any) -> int:
    """`Function.depth`; 0 for any other value."""
    return value.depth if isinstance(value, Function) else 0


def call_cost(function: Callable[..., Any]) -> int:
    """What a call from within a container primitive is charged: one, and one for 16 of its size."""
    return 1 + size_of(function) // 16


def name_of(function: Callable[..., Any]) -> str:
    """The name that a function is ordered by."""
    if isinstance(function, Function):
        return function.name
    return getattr(function, "__name__", type(function).__name__)


def show(value: Any) -> str:
    """`value` as source that builds it, sets in ascending order."""
    if isinstance(value, tuple):
        if _spelled_alike(value):
            return repr(value)
        inner = ", ".join(map(show, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, frozenset):
        elements = show(tuple(ascending(value)))[1 : -2 if len(value) == 1 else -1]
        return f"frozenset({{{elements}}})" if value else "frozenset()"
    if callable(value) and not isinstance(value, Function):
        return name_of(value)
    return repr(value)


def _spelled_alike(value: tuple[Any, ...]) -> bool:
    """Whether Python spells a tuple as `show` does: it does where there is no set or function."""
    level: Collection[Any] = value
    while level:
        kinds = set(map(type, level))
        if not kinds <= _SPELLED_ALIKE:
            return False
        level = [e for e in level if e.__class__ is tuple] if kinds != {tuple} else level
        level = list(chain.from_iterable(level)) if tuple in kinds else ()
    return True


_SPELLED_ALIKE = {int, bool, type(None), tuple}


def order_key(value: Any) -> Any:
    """A key that sorts any values: None < Integer < tuple < set < function."""
    kind = value.__class__
    if kind is int or kind is bool:
        return (1, value)
    if kind is tuple:
        return (2, *map(order_key, value))
    if kind is frozenset:
        return (3, *sorted(map(order_key, value)))
    if value is None:
        return (0,)
    bound = value.args if isinstance(value, Function) else ()
    return (4, name_of(value), *map(order_key, bound))


def _plain(elements: Iterable[Any], kinds: set[type]) -> bool:
    """Whether elements of these kinds are all Integers, or all tuples of one shape of Integers.

    Python orders such as the language does.
    """
    if kinds <= _INTEGERS:
        return True
    if kinds != {tuple} or len(set(map(len, elements))) != 1:
        return False
    return all(_plain(place, set(map(type, place))) for place in zip(*elements, strict=True))


def ascending(container: Any) -> Any:
    """The elements of a set in the language's order; a tuple as it stands."""
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
    """Keys that order `values`, in the cheapest form that is exact."""
    if set(map(type, values)) <= _INTEGERS:
        return values
    return list(map(order_key, values))


def weight(value: Any) -> int:
    """How many elements `value` counts as in a container that it is put into.

    What is no container, a pair of Integers and a cell (an Integer and such a pair) count as one,
    an empty container too, any other as what is in it. Counted through every level, so that no
    operation can build a value that a later one could not walk through; a value of more levels
    than `MAX_DEPTH` counts as `TOO_DEEP`.
    """
    return total_weight([value])


def total_weight(values: Collection[Any], levels: int = MAX_DEPTH) -> int:
    """The weights of `values` together."""
    total = 0
    level: Collection[Any] = values
    while level:
        kinds = set(map(type, level))
        if kinds <= _INTEGERS or (kinds == {tuple} and _all_places(level)):
            return total + len(level)
        deeper = []
        for element in level:
            kind = element.__class__
            if element and (kind is frozenset or (kind is tuple and not _all_places((element,)))):
                deeper.append(element)
            else:
                total += 1
        if deeper and not levels:
            return TOO_DEEP
        levels -= 1
        level = list(chain.from_iterable(deeper))
    return total


def _all_places(tuples: Collection[Any]) -> bool:
    """Whether all of these tuples are pairs of Integers, or all are cells."""
    if set(map(len, tuples)) != {2}:
        return False
    first, second = zip(*tuples, strict=True)
    if not set(map(type, first)) <= _INTEGERS:
        return False
    kinds = set(map(type, second))
    if kinds == {tuple} and set(map(len, second)) == {2}:
        kinds = set(map(type, chain.from_iterable(second)))
    return kinds <= _INTEGERS


def set_of(values: list[Any], in_order: Callable[[], Iterable[Any]]) -> frozenset[Any]:
    """The set of `values`; of equal ones of unlike type (True and 1) the first of `in_order()`.

    `in_order` gives the same values in the order that decides; it is seldom called.
    """
    made = frozenset(values)
    if len(made) == len(values) or not _has_boolean(values):
        return made
    return frozenset(in_order())


def _has_boolean(values: list[Any]) -> bool:
    level = values
    while level:
        kinds = set(map(type, level))
        if bool in kinds:
            return True
        if kinds.isdisjoint((tuple, frozenset)):
            return False
        nested = [e for e in level if e.__class__ is tuple or e.__class__ is frozenset]
        level = list(chain.from_iterable(nested))
    return False


def identical(a: Any, b: Any) -> bool:
    """Whether two values are the same in value and in type, recursively."""
    if a.__class__ is not b.__class__:
        return False
    if a.__class__ is tuple:
        return len(a) == len(b) and all(map(identical, a, b))
    if a.__class__ is frozenset:
        return len(a) == len(b) and all(map(identical, ascending(a), ascending(b)))
    return bool(a == b)
