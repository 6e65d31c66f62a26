"""The heap for Python: converts plain values to words and back, and makes calls by scalar forms."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import Function, ascending
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import FUNCTION_KINDS, kind_number
from megabatt.runtime.engine.machine.linking import Head
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.memory import SpareMemory

MOST_WORDS = 1 << 27
"""The most words to which a heap grows."""
_LEAST, _MOST = -(2**31), 2**31 - 1
"""The range of Integers, which are words themselves."""
_WORDS_AN_ELEMENT, _LEAST_ROOM = 32, 1 << 16
"""The room for a call, in words: for each element that the call may build, and at least."""


def room_of_call(limit: int) -> int:
    """Return the words that a call may take. limit: The elements that the call may build."""
    return _WORDS_AN_ELEMENT * limit + _LEAST_ROOM


class NoWord(Exception):
    """Raised for a value without a word: an array, a real number, a foreign function."""


class Heap:
    """A heap for a language. array: int64; words beyond `top` are free."""

    def __init__(
        self, language: Language, words: int, memory: SpareMemory | None = None,
        is_for_calls: bool = True, head: Head | None = None,
    ) -> None:  # fmt: skip
        """Make a heap with room for `words` words. Raises NoWord for a language of columns.

        memory: Where the heap takes its memory from; by default it takes new memory. is_for_calls:
        Whether functions that are put in are loaded. A heap for transfers to a device that has its
        own forms loads none. head: By default the language's present head.
        """
        if not language.of_words:
            raise NoWord("the language has values that words do not hold")
        self.language = language
        self.is_for_calls = is_for_calls
        words += m.BEGIN
        self._source = memory
        self._memory = self._new(words)
        self.array = self._memory[:words]
        self.head = head or Head.of(language)
        self._loads = self.head.loads
        self.array[:m.BEGIN] = self.head.words
        self.array[m.TOP], self.array[m.END] = m.BEGIN, len(self.array)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values, which get the same places in another process."""
        nodes, names = self.array[m.BEGIN : self.top].copy(), self.head.names
        return _heap_of, (self.language, nodes, names)

    def copy(self) -> Heap:
        """Return a copy with the same places and room."""
        made = Heap(self.language, len(self.array) - m.BEGIN, self._source, head=self.head)
        nodes = slice(m.BEGIN, self.top)
        made.array[nodes], made.array[m.TOP] = self.array[nodes], self.top
        return made

    def _new(self, words: int) -> Numbers:
        source = self._source
        return np.empty(words, dtype=np.int64) if source is None else source.array(words)

    @property
    def top(self) -> int:
        """The number of words in use."""
        return int(self.array[m.TOP])

    def forget_from(self, top: int) -> None:
        """Free all words from a place on."""
        self.array[m.TOP] = top

    def trim(self, top: int) -> None:
        """Free all words from a place on, and return most of their memory to the system."""
        self.forget_from(top)
        SpareMemory.trim(self.array, top)

    def grow_for_call(self, limit: int, most: int = 2 * MOST_WORDS) -> bool:
        """Grow for a call that lacks room, unless it has all that a call may take.

        limit: The elements that the call may build. Returns whether the heap grew. Raises
        MemoryError if the heap would outgrow `most` words.
        """
        words, at_once = len(self.array), self.top + room_of_call(limit)
        if words >= min(at_once, MOST_WORDS):
            return False
        if 2 * words > most:
            raise MemoryError(f"it takes more than the {most * 8 / 1e6:,.0f} MB allowed")
        try:
            self.grow(at_once if at_once <= min(most, MOST_WORDS) else 0)
        except MemoryError:
            self.grow()
        return True

    def make_room(self, limit: int) -> int:
        """Grow until there is room for a call that may build `limit` elements. Returns the room."""
        room = room_of_call(limit)
        self.forget_from(self.reserve(room))
        return room

    def grow(self, words: int = 0) -> None:
        """Grow to `words` words, at least twice the present room; untouched memory is free."""
        words = max(words, 2 * len(self.array))
        if words > len(self._memory):
            more = self._new(words)
            more[: self.top] = self.array[: self.top]
            self._memory = more
        self.array = self._memory[:words]
        self.array[m.END] = words

    def load_all(self, values: Iterable[Any]) -> None:
        """Compile or load the forms of the primitives among some values, and their callees."""
        self.head.load_all(filter(callable, values))
        self.follow()

    def follow(self) -> None:
        """Take over the addresses of forms that were loaded for other heaps."""
        loads = self.head.loads
        if self._loads != loads:
            addresses = slice(m.ADDRESSES, m.EMPTY_TUPLE_AT)
            self.array[addresses] = self.head.words[addresses]
            self._loads = loads

    # ---- values

    def put(self, value: Any) -> int:
        """Return the word of a value. Raises NoWord for a value without a word."""
        kind = value.__class__
        if kind is int and _LEAST <= value <= _MOST:
            return value  # type: ignore[no-any-return]
        if kind is bool:
            return m.TRUE if value else m.FALSE
        if kind is tuple:
            return self._put_tuple(value)
        if kind is frozenset:
            return self._container(m.SET, ascending(value))
        if value is None:
            return m.NONE
        if kind is float:
            return _word_of_real(value)
        if isinstance(value, Function):
            return self._put_function(value)
        number = self.head.numbers.get(value) if callable(value) else None
        if number is None:
            raise NoWord(f"no word for {kind.__name__}")
        if self.is_for_calls:
            self.load_all([value])
        return m.PRIMITIVE + number

    def put_all(self, values: Iterable[Any]) -> Numbers:
        """Return the words of values, int64 (n,). Each object is put in once. Raises NoWord."""
        listed = list(values)
        put: dict[int, int] = {}
        for value in listed:
            if id(value) not in put:
                put[id(value)] = self.put(value)
        return np.array([put[id(value)] for value in listed], dtype=np.int64)

    def _put_tuple(self, value: tuple[Any, ...]) -> int:
        first = value[0].__class__ if value else None
        if first is tuple and set(map(type, value)) == {tuple} and len(set(map(len, value))) == 1:
            numbers = list(chain.from_iterable(value))
            if set(map(type, numbers)) <= {int}:
                shape = len(value), len(value[0])
                return self._node((m.TABLE, *shape), np.array(numbers, dtype=np.int64))
        if len(value) == 2 and first is int:
            word = _place(*value)
            if word != m.HOST:
                return word
        return self._container(m.TUPLE, value)

    def _put_function(self, value: Function) -> int:
        kind = value.__class__
        if not self.head.knows(kind):
            raise NoWord(f"no word for functions of the kind {value.name}")
        if self.is_for_calls:
            self.head.load({kind})
            self.follow()
        bound = list(map(self.put, value.args))
        words = [*bound, value.arity, min(value.size, 1 << 62), value.depth]
        return self._node((m.FUNCTION, len(bound), kind_number(kind)), words)

    def _container(self, kind: int, elements: Sequence[Any]) -> int:
        if not elements:
            return m.EMPTY_TUPLE if kind == m.TUPLE else m.EMPTY_SET
        if set(map(type, elements)) == {int} and _LEAST <= min(elements) <= max(elements) <= _MOST:
            return self._node((kind, len(elements), m.INTEGERS), elements)
        words = list(map(self.put, elements))
        tags = set(map(_tag, words))
        return self._node((kind, len(words), tags.pop() if len(tags) == 1 else m.MIXED), words)

    def _node(self, head: tuple[int, int, int], content: Any) -> int:
        at = self.reserve(m.CONTENT + len(content))
        self.array[at : at + m.CONTENT] = head
        self.array[at + m.CONTENT : at + m.CONTENT + len(content)] = content
        return m.NODE + at

    def reserve(self, words: int) -> int:
        """Allocate words. Returns the place of the first word."""
        at = self.top
        if at + words > len(self.array):
            self.grow(at + words)
        self.array[m.TOP] = at + words
        return at

    def put_tables(self, tables: Numbers, count: int) -> Numbers:
        """Return the words of tables, int64 (count,); a table of no rows is `()`.

        tables: The height, the width and the numbers row by row of each table; any int dtype.
        """
        self.forget_from(self.reserve(len(tables) + (m.CONTENT - 2) * count))
        words = np.empty(count, dtype=np.int64)
        _put_tables(self.array, tables, words)
        return words

    def on_host(self, words: Numbers) -> tuple[Heap, Numbers]:
        """Return a heap of the host with some values, which is this heap, and the values' words."""
        return self, words

    def bring(self, put: Callable[[Heap], Any]) -> Any:
        """Put values into a heap of the host, which is this heap. Returns the values' words."""
        return put(self)

    def same(self, words: Numbers, others: Numbers) -> Numbers:
        """Flag the pairs of words whose values are identical; bool (n,)."""
        found = np.empty(len(words), dtype=np.bool_)
        _compare(self.array, words, others, found)
        return found

    def get(self, word: int) -> Any:
        if _LEAST <= word <= _MOST:
            return word
        if word in (m.FALSE, m.TRUE):
            return word == m.TRUE
        if word == m.NONE:
            return None
        if m.UNKNOWN < word < _LEAST:
            return struct.unpack("<d", struct.pack("<q", m.bits_of_real.function(word)))[0]
        if word >> 61 == 1:
            return self._value_at(word - m.NODE)
        if word >> 62 == 1:
            return ((word >> 42) & (1 << 20) - 1) - m.LABEL_BIAS, _pair_in(word)
        if word >> 42 == m.PAIR >> 42:
            return _pair_in(word)
        return self.head.functions[word - m.PRIMITIVE]

    def _value_at(self, at: int) -> Any:
        kind, count, third = self.array[at : at + m.CONTENT].tolist()
        begin = at + m.CONTENT
        if kind == m.TABLE or kind == m.PACKED:
            numbers = self.array[begin:] if kind == m.TABLE else self.array[begin:].view(np.uint8)
            return tuple(map(tuple, numbers[: count * third].reshape(count, third).tolist()))
        words = self.array[begin : begin + count].tolist()
        values = words if kind != m.FUNCTION and third == m.INTEGERS else list(map(self.get, words))
        if kind == m.TUPLE:
            return tuple(values)
        if kind == m.SET:
            return frozenset(values)
        return FUNCTION_KINDS[third](int(self.array[begin + count]), *values)


@Loop
def _compare(heap, words, others, found):
    for k in range(len(words)):
        found[k] = words[k] == others[k] or m.same(heap, words[k], others[k]) == 1


@Loop
def _put_tables(heap, tables, words):
    taken = 0
    for k in range(len(words)):
        words[k] = m.new_table(heap, tables[taken], tables[taken + 1])
        taken += 2
        area = m.area_of(heap, words[k])
        to = m.numbers_at(words[k])
        for n in range(area):
            heap[to + n] = tables[taken + n]
        taken += area


def _heap_of(language: Language, nodes: Numbers, names: Sequence[str]) -> Heap:
    heap = Heap(language, len(nodes), head=Head.of(language, names))
    heap.array[heap.reserve(len(nodes)) : heap.top] = nodes
    return heap


def _place(first: int, second: Any) -> int:
    """Return the word of a pair, labelled or not; `HOST` for a pair without a word."""
    if second.__class__ is int:
        return m.PAIR | _code(first, second) if _fit(first, second) else m.HOST
    if second.__class__ is tuple and len(second) == 2 and set(map(type, second)) == {int}:
        if _fit(*second) and -m.LABEL_BIAS <= first < m.LABEL_BIAS:
            return m.LABELLED_PAIR | (first + m.LABEL_BIAS) << 42 | _code(*second)
    return m.HOST


def _word_of_real(value: float) -> int:
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    word = m.real.function(bits)
    if word <= m.WRONG:
        raise NoWord(f"no word for {value}")
    return word  # type: ignore[no-any-return]


def _fit(i: int, j: int) -> bool:
    return -m.BIAS <= i < m.BIAS and -m.BIAS <= j < m.BIAS


def _code(i: int, j: int) -> int:
    return (i + m.BIAS) << 21 | (j + m.BIAS)


def _pair_in(word: int) -> tuple[int, int]:
    """Return the pair of a word, labelled or not."""
    part = 2 * m.BIAS - 1
    return (word >> 21 & part) - m.BIAS, (word & part) - m.BIAS


def _tag(word: int) -> int:
    if _LEAST <= word <= _MOST:
        return m.INTEGERS
    if word >> 42 == m.PAIR >> 42:
        return m.PAIRS
    return m.LABELLED_PAIRS if word >> 62 == 1 else m.MIXED


def by_scalar_form(heap: Heap, operands: list[int], limit: int, default: int) -> tuple[int, Reason]:
    """Make a call by its scalar form. Returns the word of the value, and the reason of a failure.

    operands: The words of the function and its arguments. default: The word for a failed call.
    """
    function, *args = map(heap.get, operands)
    value, error, _ = attempt(function, args, limit)
    reason = Reason.of(error)
    return (default if reason else heap.put(value)), reason
