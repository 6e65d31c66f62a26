"""The heap as Python sees it: it is made ready for a language, values go in and come out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, builder_of, primitive_of
from megabatt.runtime.engine.machine.forms import FUNCTION_KINDS, called_of, kind_number
from megabatt.runtime.engine.machine.functions import (
    ADDRESSES,
    Loop,
    Routine,
    heap_at,
    routines_needed,
)
from megabatt.runtime.engine.machine.heap import (
    ARITIES,
    BEGIN,
    CALLED,
    CONTENT,
    EMPTY_SET,
    EMPTY_SET_AT,
    EMPTY_TUPLE,
    EMPTY_TUPLE_AT,
    END,
    FORMS,
    FUNCTION,
    KIND_RANKS,
    LEAST,
    MAX_DEPTH,
    MOST,
    PLACES_WEIGH_ONE,
    RANKS,
    SET,
    TABLE,
    TOP,
    TUPLE,
)
from megabatt.runtime.engine.machine.packing import PACKED
from megabatt.runtime.engine.machine.words import (
    BIAS,
    CELL,
    CELLS,
    COLOR_BIAS,
    FAILED,
    FALSE,
    HOST,
    INTEGERS,
    MIXED,
    NODE,
    NONE,
    PAIR,
    PAIRS,
    PRIMITIVE,
    TRUE,
)
from megabatt.runtime.engine.policy import KINDS
from megabatt.runtime.engine.values import Function, arity_of, ascending, fails, name_of

_MOST_WORDS = 1 << 27
"""A heap that is larger does not grow."""
_WORDS_AN_ELEMENT, _LEAST_ROOM = 32, 1 << 16
"""What a call is given room for: so many words an element that it may build, and so many at least."""


class NoWord(Exception):
    """A value that words do not hold: an array, a real number, a function of another language."""


@Routine
def fail(heap):
    """Be the compiled form of a function that always fails."""
    return FAILED


@Routine
def leave(heap):
    """Be the compiled form of a primitive without one."""
    return HOST


class Heap:
    """A heap for a language.

    array: int64; words beyond `top` are free.
    """

    def __init__(self, language: Language, words: int) -> None:
        """Make a heap with room for so many words. Raises NoWord for a language without words."""
        if not holds(language):
            raise NoWord("the language has values that words do not hold")
        self.language = language
        self.array = np.empty(BEGIN + words, dtype=np.int64)
        self.array[:BEGIN] = 0
        self._functions: list[Any] = [*(p.function for p in language.primitives.values()), fails]
        self._numbers = {function: k for k, function in enumerate(self._functions)}
        self._set_up()

    def _set_up(self) -> None:
        array, policy = self.array, self.language.policy
        array[TOP], array[END] = BEGIN, len(array)
        array[LEAST], array[MOST] = policy.integers
        array[MAX_DEPTH], array[PLACES_WEIGH_ONE] = policy.max_depth, policy.places_weigh_one
        array[EMPTY_TUPLE_AT], array[EMPTY_SET_AT] = TUPLE, SET
        names = [name_of(function) for function in self._functions]
        kinds = [kind.name for kind in FUNCTION_KINDS]
        ranks = {name: rank for rank, name in enumerate(sorted({*names, *kinds}))}
        for number, name in enumerate(kinds):
            array[KIND_RANKS + number] = ranks[name]
        self._load([leave, fail])
        for loop in Loop.every:
            self._load(routines_needed(loop.function))
        for number, function in enumerate(self._functions):
            array[ARITIES + number] = arity_of(function)
            array[RANKS + number] = ranks[names[number]]
            array[FORMS + number] = leave.address
        array[FORMS + self._numbers[fails]] = fail.address

    @property
    def top(self) -> int:
        """How many words are in use."""
        return int(self.array[TOP])

    def may_grow(self, limit: int) -> bool:
        """Tell whether it may become larger for a call that has not enough room.

        limit: how many elements the call may build.
        """
        enough = _WORDS_AN_ELEMENT * limit + _LEAST_ROOM
        return len(self.array) - self.top < enough and len(self.array) < _MOST_WORDS

    def make_room(self, limit: int) -> int:
        """Grow until there is room for a call that may build so many elements. Returns the room."""
        room = _WORDS_AN_ELEMENT * limit + _LEAST_ROOM
        while len(self.array) - self.top < room:
            self.grow()
        return room

    def grow(self) -> None:
        """Double the room."""
        more = np.empty(2 * len(self.array), dtype=np.int64)
        more[: self.top] = self.array[: self.top]
        more[END] = len(more)
        self.array = more

    def load(self, function: Callable[..., Any]) -> None:
        """Make a primitive's compiled form, and what it calls, ready to be called."""
        number = self._numbers[function]
        primitive = primitive_of(function)
        if primitive is None or self.array[FORMS + number] != leave.address:
            return
        if primitive.compiled is not None:
            self._load(primitive.compiled.needed)
            self.array[FORMS + number] = primitive.compiled.address
        if primitive.builds is not None:
            called = called_of(primitive.builds)
            self._load(called.needed)
            self.array[CALLED + kind_number(primitive.builds)] = called.address

    def _load(self, routines: list[Routine]) -> None:
        for needed in routines:
            if not self.array[ADDRESSES + needed.number]:
                self.array[ADDRESSES + needed.number] = needed.address

    # ---- values

    def put(self, value: Any) -> int:
        """Return the word of a value. Raises NoWord where there is none."""
        kind = value.__class__
        if kind is int and -(2**31) <= value < 2**31:
            return value  # type: ignore[no-any-return]
        if kind is bool:
            return TRUE if value else FALSE
        if kind is tuple:
            return self._put_tuple(value)
        if kind is frozenset:
            return self._node(SET, list(map(self.put, ascending(value))))
        if value is None:
            return NONE
        if isinstance(value, Function):
            return self._put_function(value)
        number = self._numbers.get(value) if callable(value) else None
        if number is None:
            raise NoWord(f"no word for {kind.__name__}")
        self.load(value)
        return PRIMITIVE + number

    def _put_tuple(self, value: tuple[Any, ...]) -> int:
        if set(map(type, value)) == {tuple} and len(set(map(len, value))) == 1:
            numbers = list(chain.from_iterable(value))
            if set(map(type, numbers)) <= {int}:
                return self.put_table(len(value), len(value[0]), np.array(numbers, dtype=np.int64))
        if len(value) == 2 and value[0].__class__ is int:
            word = _place(*value)
            if word != HOST:
                return word
        return self._node(TUPLE, list(map(self.put, value)))

    def put_table(self, height: int, width: int, numbers: np.ndarray[Any, Any]) -> int:
        """Return the word of a table, of at least one row. numbers: row by row, of any int dtype."""
        at = self._room(CONTENT + height * width)
        self.array[at : at + CONTENT] = TABLE, height, width
        self.array[at + CONTENT : at + CONTENT + height * width] = numbers
        return NODE + at

    def _put_function(self, value: Function) -> int:
        primitive = builder_of(value.__class__)
        if primitive is None or primitive.function not in self._numbers:
            raise NoWord(f"no word for functions of the kind {value.name}")
        self.load(primitive.function)
        bound = list(map(self.put, value.args))
        words = [*bound, value.arity, min(value.size, 1 << 62), value.depth]
        at = self._room(CONTENT + len(words))
        self.array[at : at + CONTENT] = FUNCTION, len(bound), kind_number(value.__class__)
        self.array[at + CONTENT : at + CONTENT + len(words)] = words
        return NODE + at

    def _node(self, kind: int, words: list[int]) -> int:
        if not words:
            return EMPTY_TUPLE if kind == TUPLE else EMPTY_SET
        tags = set(map(_tag, words))
        at = self._room(CONTENT + len(words))
        self.array[at : at + CONTENT] = kind, len(words), tags.pop() if len(tags) == 1 else MIXED
        self.array[at + CONTENT : at + CONTENT + len(words)] = words
        return NODE + at

    def _room(self, words: int) -> int:
        while self.top + words > len(self.array):
            self.grow()
        at = self.top
        self.array[TOP] = at + words
        return at

    def put_tables(
        self, heights: np.ndarray[Any, Any], widths: np.ndarray[Any, Any], numbers: Any
    ) -> np.ndarray[Any, Any]:
        """Return the words of tables, int64 (n,); a table of no rows is `()`.

        heights, widths: int64 (n,). numbers: of all tables one after the other, of any int dtype.
        """
        at = self._room(int((heights * widths).sum()) + CONTENT * len(heights))
        words = np.empty(len(heights), dtype=np.int64)
        _put_tables(self.array.ctypes.data, at, heights, widths, numbers, words)
        return words

    def tables(self, words: np.ndarray[Any, Any]) -> Any:
        """Return tables as `put_tables` takes them; None where a word is no table and not `()`."""
        at = words - NODE
        if not (words >> 61 == 1).all():
            return None
        empty = words == EMPTY_TUPLE
        if not ((self.array[at] == TABLE) | empty).all():
            return None
        heights = self.array[at + 1]
        widths = np.where(empty, 0, self.array[at + 2])
        areas = heights * widths
        ends = np.cumsum(areas)
        total = int(ends[-1]) if len(ends) else 0
        index = np.repeat(at + CONTENT - ends + areas, areas) + np.arange(total)
        return heights, widths, self.array[index]

    def get(self, word: int) -> Any:
        """Return the value of a word."""
        if -(2**31) <= word < 2**31:
            return word
        if word in (FALSE, TRUE):
            return word == TRUE
        if word == NONE:
            return None
        if word >> 61 == 1:
            return self._value_at(word - NODE)
        if word >> 62 == 1:
            return ((word >> 42) & (1 << 20) - 1) - COLOR_BIAS, _pair_in(word)
        if word >> 42 == PAIR >> 42:
            return _pair_in(word)
        return self._functions[word - PRIMITIVE]

    def _value_at(self, at: int) -> Any:
        kind, count, third = self.array[at : at + CONTENT].tolist()
        begin = at + CONTENT
        if kind == PACKED:
            numbers = self.array[begin : begin + (count * third + 7) // 8].view(np.uint8)
            rows = numbers[: count * third].reshape(count, third).tolist()
            return tuple(map(tuple, rows))
        if kind == TABLE:
            cells = self.array[begin : begin + count * third].tolist()
            return tuple([tuple(cells[k * third : (k + 1) * third]) for k in range(count)])
        words = self.array[begin : begin + count].tolist()
        values = words if kind != FUNCTION and third == INTEGERS else list(map(self.get, words))
        if kind == TUPLE:
            return tuple(values)
        if kind == SET:
            return frozenset(values)
        return FUNCTION_KINDS[third](int(self.array[begin + count]), *values)


@Loop
def _put_tables(address, at, heights, widths, numbers, words):
    heap = heap_at(address)
    taken = 0
    for k in range(len(heights)):
        words[k] = EMPTY_TUPLE
        if heights[k] > 0:
            area = heights[k] * widths[k]
            heap[at] = TABLE
            heap[at + 1] = heights[k]
            heap[at + 2] = widths[k]
            for cell in range(area):
                heap[at + CONTENT + cell] = numbers[taken + cell]
            words[k] = NODE + at
            taken += area
            at += CONTENT + area


def holds(language: Language) -> bool:
    """Tell whether words hold a language's values: Integers of 32 bits, in the order of kinds."""
    policy = language.policy
    least, most = policy.integers
    return (
        set(policy.numbers) <= {bool, int}
        and -(2**31) <= least
        and most < 2**31
        and policy.order == KINDS
        and language.exact
    )


def _place(first: int, second: Any) -> int:
    """Return the word of a pair or a cell; `HOST` where it has none."""
    if second.__class__ is int:
        return PAIR | _code(first, second) if _fit(first, second) else HOST
    if second.__class__ is tuple and len(second) == 2 and set(map(type, second)) == {int}:
        if _fit(*second) and -COLOR_BIAS <= first < COLOR_BIAS:
            return CELL | (first + COLOR_BIAS) << 42 | _code(*second)
    return HOST


def _fit(i: int, j: int) -> bool:
    return -BIAS <= i < BIAS and -BIAS <= j < BIAS


def _code(i: int, j: int) -> int:
    return (i + BIAS) << 21 | (j + BIAS)


def _pair_in(word: int) -> tuple[int, int]:
    """Return the pair, or a cell's location, that a word holds."""
    part = 2 * BIAS - 1
    return (word >> 21 & part) - BIAS, (word & part) - BIAS


def _tag(word: int) -> int:
    if -(2**31) <= word < 2**31:
        return INTEGERS
    if word >> 42 == PAIR >> 42:
        return PAIRS
    return CELLS if word >> 62 == 1 else MIXED
