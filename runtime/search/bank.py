"""A bank of numbered values: calls primitives on arrays of numbers, without programs.

A search that builds programs from the bottom up calls a primitive on very many combinations of
values at once, compares the fingerprints of the results, and keeps the new results. The machine
makes the calls. It drops each result at once; the results to keep are made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.language.registry import Language, Primitive
from megabatt.runtime.engine.language.types import Declared
from megabatt.runtime.engine.machine.archive import WordColumn
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.printable import short
from megabatt.runtime.search.calls import (
    MOST_OPERANDS,
    call_all,
    keep_all,
    learnt,
)
from megabatt.runtime.search.fingerprints import CLASSES
from megabatt.runtime.vocabulary import counted

Bits = np.ndarray[Any, Any]

_UNKNOWN = -1
"""The weight of a value that is not weighed yet; the row of a function that is not built yet."""
_WORDS = 1 << 16
"""The words that a bank's heap has room for at first."""
_EXAMPLES = 8
"""The most values of a class of words that are tried to tell which types take the class."""


class Made:
    """Properties of calls. The values themselves are made again when they are read.

    Attributes:
        failed: bool (calls, samples): whether the call failed.
        primitive: The primitive that was called.
        operands: For each parameter, the numbers of its values.
    """

    def __init__(
        self,
        bank: Bank,
        primitive: Primitive,
        operands: Sequence[Numbers],
        lanes: Numbers,
        failed: Bits,
        fingerprints: tuple[Bits, Bits],
        classes: Bits,
    ) -> None:
        self.primitive = primitive
        self.operands = operands
        self.failed = failed
        self._fingerprints = fingerprints
        self._bank = bank
        self._lanes = lanes
        self._classes = classes

    def __repr__(self) -> str:
        calls, samples = self.failed.shape
        on = f"{counted(calls, 'call')} of {self.primitive.name} on {counted(samples, 'sample')}"
        return f"Made({on}, {int(self.failed.sum()):,} failed)"

    def fingerprints(self) -> tuple[Bits, Bits]:
        """Return 128 bits that only equal values share, of each: two int64 (calls, samples)."""
        return self._fingerprints

    @cached_property
    def layouts(self) -> Numbers:
        """The layout that each value would have in the bank; int64 (calls,)."""
        return self._bank.layouts_of(self._classes)

    @property
    def values(self) -> list[Any]:
        """The values, call by call; the safe default for a failed call."""
        return self._bank.values_of_calls(self.primitive, self.operands, self._lanes)

    def taken(self, calls: Numbers) -> Made:
        """Return the properties of some of the calls."""
        low, high = self._fingerprints
        return Made(
            self._bank,
            self.primitive,
            [numbers[calls] for numbers in self.operands],
            self._lanes,
            self.failed[calls],
            (low[calls], high[calls]),
            self._classes[calls],
        )


class Bank:
    """Numbered values, each in all lanes.

    A value's layout is a number for the set of classes of its words. Functions have negative
    layouts, which the caller chooses; a function is built when it is first called.

    host_lanes: The number of lanes of `call` that the scalar form has computed.
    """

    def __init__(
        self, language: Language, lanes: int, max_elements: int, most_bytes: int = 1 << 62
    ) -> None:
        """Make an empty bank.

        max_elements: The elements that a call may build in a lane. most_bytes: The bytes that
        values may take; beyond that, making values of calls raises MemoryError. Raises NoWord if
        words do not hold the language's values.
        """
        self.language = language
        self.lanes = lanes
        self.max_elements = max_elements
        self.most_bytes = most_bytes
        self.host_lanes = 0
        self.every = np.arange(lanes)
        self._heap = Heap(language, _WORDS)
        self._words = Growing()
        self._rows = Growing()
        self._layouts = Growing()
        self._weights = Growing()
        self._made_by = Growing()
        self._operands = Growing()
        self._operands_at = Growing()
        self._primitives: list[Primitive] = []
        self._makers: dict[str, int] = {}
        self._masks: dict[int, int] = {}
        self._classes: list[list[int]] = []
        self._examples: dict[int, list[Any]] = {}
        self._taken: dict[Declared, Bits] = {}
        self._classes_taken: dict[tuple[Declared, int], bool] = {}

    def __len__(self) -> int:
        return self._rows.count

    @property
    def nbytes(self) -> int:
        """The approximate bytes in use."""
        arrays = (
            self._words, self._rows, self._layouts, self._weights, self._made_by,
            self._operands_at, self._operands,
        )  # fmt: skip
        return 8 * self._heap.top + sum(array.nbytes for array in arrays)

    @property
    def layouts(self) -> Numbers:
        """The layout of every value; int64 (values,)."""
        return self._layouts.data  # type: ignore[no-any-return]

    @property
    def layout_count(self) -> int:
        """The number of layouts, without those of functions."""
        return len(self._classes)

    # ---- adding values

    def add(self, values: Sequence[Any]) -> Numbers:
        """Add plain values, value by value in all `lanes` lanes. Returns their numbers."""
        words = self._heap.put_all(values).reshape(-1, self.lanes)
        return self._add_words(words, None, [])

    def keep(self, made: Made) -> Numbers:
        """Add the values of calls, the safe default for a failed call. Returns their numbers."""
        self.check_made("keep", made)
        words = self._values_of(made.primitive, made.operands)
        return self._add_words(words, made.primitive, made.operands)

    def check_made(self, taker: str, made: Made) -> None:
        """Check that something is the result of a call on these values.

        Raises TypeError for anything else, and ValueError for a call on other values.
        """
        if not isinstance(made, Made):
            raise TypeError(f"{taker} takes what a call returned, not {short(made)}")
        if made._bank is not self:
            raise ValueError(f"{taker} takes calls on the same values, not {made} of others")

    def add_constant(self, value: Any) -> int:
        """Add a value that all lanes share, which must be no function. Returns its number."""
        words = np.full((1, self.lanes), self._heap.put(value))
        return int(self._add_words(words, None, [])[0])

    def add_function(self, function: Any, layout: int) -> int:
        """Add a primitive, or a function built from primitives alone. Returns its number."""
        first = self._words.add(np.full(self.lanes, self._heap.put(function)))
        return int(self._add(np.full(1, first), np.full(1, layout), None, [])[0])

    def add_built(
        self, primitive: Primitive, operands: Sequence[Numbers], layouts: Numbers | int
    ) -> Numbers:
        """Add the functions that calls of a primitive make. Returns their numbers.

        primitive: A primitive that builds functions. operands: As in `call`. layouts: Negative
        numbers by which the caller tells functions apart, one for each call or one for all. A
        function is built when it is first called; if it cannot be built, it fails then.
        """
        count = len(operands[0])
        rows = np.full(count, _UNKNOWN)
        return self._add(rows, np.full(count, layouts), primitive, operands)

    def _add_words(
        self, words: Numbers, primitive: Primitive | None, operands: Sequence[Numbers]
    ) -> Numbers:
        """Add values given as words, int64 (values, lanes)."""
        if not words.size:
            return np.zeros(0, dtype=np.int64)
        _, _, classes = learnt(self._heap, words.ravel())
        self._note_examples(classes, words.ravel())
        first = self._words.add(words.ravel())
        rows = first + self.lanes * np.arange(len(words))
        return self._add(rows, self.layouts_of(classes.reshape(words.shape)), primitive, operands)

    def _add(
        self,
        rows: Numbers,
        layouts: Numbers,
        primitive: Primitive | None,
        operands: Sequence[Numbers],
    ) -> Numbers:
        """Add values and their origins. rows: The place of each value's first word."""
        count = len(rows)
        begin = len(self)
        flat = np.array(operands, dtype=np.int64).T.ravel()
        at = self._operands.add(flat) + len(operands) * np.arange(count)
        columns = (
            (self._operands_at, at),
            (self._made_by, np.full(count, self._maker(primitive))),
            (self._layouts, layouts),
            (self._weights, np.where(layouts < 0, 0, _UNKNOWN)),
            (self._rows, rows),  # last: the length of the bank is that of `_rows`
        )
        for column, elements in columns:
            column.count = begin  # overwrites the rest of an interrupted call
            column.add(elements)
        return np.arange(begin, begin + count)

    def _maker(self, primitive: Primitive | None) -> int:
        """Return the number of the values' maker; -1 for given values."""
        if primitive is None:
            return -1
        if primitive.name not in self._makers:
            self._primitives.append(primitive)
            self._makers[primitive.name] = len(self._primitives) - 1
        return self._makers[primitive.name]

    def layouts_of(self, classes: Bits) -> Numbers:
        """Return the layouts of values, int64 (values,), by the classes of their words."""
        masks, which = np.unique(
            np.bitwise_or.reduce(np.int64(1) << classes, axis=1), return_inverse=True
        )
        return np.array([self._layout(mask) for mask in masks.tolist()], dtype=np.int64)[which]

    def _layout(self, mask: int) -> int:
        if mask not in self._masks:
            self._classes.append([one for one in range(CLASSES) if mask >> one & 1])
            self._masks[mask] = len(self._classes) - 1
        return self._masks[mask]

    def _note_examples(self, classes: Numbers, words: Numbers) -> None:
        """Remember the first few values of each class."""
        for one in np.unique(classes).tolist():
            examples = self._examples.get(one, [])
            if len(examples) < _EXAMPLES:
                some = words[classes == one][: _EXAMPLES - len(examples)]
                more = [self._heap.get(word) for word in some.tolist()]
                self._forget_taken(one)
                self._examples[one] = examples + more

    # ---- asking

    def origin(self, number: int) -> tuple[Primitive | None, list[int]]:
        """Return the primitive that made a value (None if given), and the operands' numbers."""
        maker = int(self._made_by.data[number])
        if maker < 0:
            return None, []
        primitive = self._primitives[maker]
        at = int(self._operands_at.data[number])
        return primitive, self._operands.data[at : at + primitive.arity].tolist()

    def are_made(self, numbers: Numbers) -> Bits:
        """Flag the values that operations made; bool (n,)."""
        return np.asarray(self._made_by.data[numbers] >= 0)

    def taken(self, declared: Declared) -> Bits:
        """Flag the layouts whose values may be of a declared type in all lanes.

        bool (layouts + 1,); the last flag, for functions, is set if the type's values are called.
        """
        known = self._taken.get(declared)
        if known is None or len(known) <= self.layout_count:
            layouts = [self._may_take(declared, classes) for classes in self._classes]
            known = self._taken[declared] = np.array([*layouts, declared.called])
        return known

    def _may_take(self, declared: Declared, classes: Sequence[int]) -> bool:
        """Tell whether a type may take values of all these classes: it takes an example of each."""
        return not declared.called and all(self._takes_class(declared, one) for one in classes)

    def _takes_class(self, declared: Declared, one: int) -> bool:
        key = declared, one
        takes = self._classes_taken.get(key)
        if takes is None:
            examples = self._examples.get(one)
            takes = examples is None or any(_is_of(declared, value) for value in examples)
            self._classes_taken[key] = takes
        return takes

    def _forget_taken(self, one: int) -> None:
        """Forget which types take a class, because the class has more examples now."""
        for declared in [of for of, other in self._classes_taken if other == one]:
            if not self._classes_taken.pop((declared, one)):
                self._taken.pop(declared, None)

    def weights(self, numbers: Numbers) -> Numbers:
        """Return the weights of values, summed over lanes; int64 (n,). Functions weigh 0."""
        weights = self._weights.data
        unknown = np.unique(numbers[weights[numbers] == _UNKNOWN])
        if len(unknown):
            column = WordColumn(self._heap, self._words_of(unknown).ravel())
            weights[unknown] = column.weights().reshape(-1, self.lanes).sum(axis=1)
        return weights[numbers]  # type: ignore[no-any-return]

    def values(self, numbers: Numbers) -> list[Any]:
        """Return plain values by their numbers, value by value in all lanes."""
        return WordColumn(self._heap, self._words_of(numbers).ravel()).decode()

    def fingerprints(self, numbers: Numbers) -> tuple[Bits, Bits]:
        """Return the fingerprints of values, as in `Made`; two int64 (n, lanes)."""
        words = self._words_of(numbers)
        low, high, _ = learnt(self._heap, words.ravel())
        return low.reshape(words.shape), high.reshape(words.shape)

    def fingerprints_of(self, values: Sequence[Any]) -> tuple[Bits, Bits]:
        """Return the fingerprints of plain values, without adding the values; two int64 (n,)."""
        top = self._heap.top
        low, high, _ = learnt(self._heap, self._heap.put_all(values))
        self._heap.forget_from(top)
        return low, high

    def values_of_calls(
        self, primitive: Primitive, operands: Sequence[Numbers], lanes: Numbers
    ) -> list[Any]:
        """Return the values of calls in some lanes, as `Made.values` does."""
        top = self._heap.top
        words = self._values_of(primitive, operands)
        values = WordColumn(self._heap, words[:, lanes].ravel()).decode()
        self._heap.forget_from(top)
        return values

    def _words_of(self, numbers: Numbers) -> Numbers:
        """Return the words of values; int64 (n, lanes)."""
        return self._words.data[self._rows.data[numbers][:, None] + self.every]  # type: ignore[no-any-return]

    # ---- calling

    def call(
        self, primitive: Primitive, operands: Sequence[Numbers], lanes: Numbers | None = None
    ) -> Made:
        """Call a primitive on values: call k takes the k-th number of each array.

        Each call may build `max_elements` in each lane. lanes: The lanes to call in, int64; by
        default all lanes.
        """
        chosen = self.every if lanes is None else lanes
        called, on_host = call_all(
            self._heap,
            self._heap.put(primitive.function),
            self._places(operands),
            self._words.data,
            chosen,
            self.max_elements,
        )
        self.host_lanes += on_host
        bits = called.low, called.high
        return Made(self, primitive, operands, chosen, called.failed, bits, called.classes)

    def _values_of(self, primitive: Primitive, operands: Sequence[Numbers]) -> Numbers:
        """Make calls in all lanes and put the values into the heap. Returns their words."""
        if self.nbytes > self.most_bytes:
            raise MemoryError(f"values take {self.nbytes >> 20} MB: memory= allows no more")
        places = self._places(operands)
        top = self._heap.top
        try:
            return keep_all(
                self._heap,
                self._heap.put(primitive.function),
                places,
                self._words.data,
                self.max_elements,
                self._heap.put(self.language.default_of(primitive.function)),
                self.lanes,
            )
        except BaseException:
            self._heap.forget_from(top)
            raise

    def _places(self, operands: Sequence[Numbers]) -> Numbers:
        """Return the place of each operand's first word; int64 (parameters, calls).

        Builds functions among the operands.
        """
        numbers = np.array(operands, dtype=np.int64).reshape(len(operands), -1)
        places = self._rows.data[numbers]
        if (places < 0).any():
            self._build(np.unique(numbers[places < 0]))
            places = self._rows.data[numbers]
        return places  # type: ignore[no-any-return]

    def _build(self, functions: Numbers) -> None:
        """Build functions, and the functions of lower numbers among their operands."""
        for maker in np.unique(self._made_by.data[functions]).tolist():
            primitive = self._primitives[maker]
            mine = functions[self._made_by.data[functions] == maker]
            at = self._operands_at.data[mine]
            operands = [self._operands.data[at + place] for place in range(primitive.arity)]
            words = self._values_of(primitive, operands)
            first = self._words.add(words.ravel())
            self._rows.data[mine] = first + self.lanes * np.arange(len(mine))


def may_be_called(primitive: Primitive) -> bool:
    """Tell whether a bank can call a primitive: on one value up to `MOST_OPERANDS` values."""
    return 0 < primitive.arity <= MOST_OPERANDS


def _is_of(declared: Declared, value: Any) -> bool:
    try:
        declared.check(value)
    except TypeError:
        return False
    return True
