"""Values of a task by cost: each new operation on all samples at once, each distinct value once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, Primitive
from megabatt.runtime.engine.columns import Column, Unsupported
from megabatt.runtime.engine.columns.hashing import factors_of
from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.plan.bank import Bank, Made
from megabatt.runtime.engine.plan.graph import Shape
from megabatt.runtime.program import Program, Word
from megabatt.runtime.search.enumerate.combinations import Array, Place, combinations
from megabatt.runtime.search.enumerate.functions import may_be_called
from megabatt.runtime.search.enumerate.seen import Seen
from megabatt.runtime.search.grammar import Grammar

_STEP = 0.5
"""The bits by which the cost of candidates grows from a window to the next, and which an operation
adds at least: so those of a window need no value of the same."""
_LANES_AT_ONCE = 1 << 13
_COMBINATIONS_AT_ONCE = 1 << 20
_TRIED = 3
"""Calls that fail in all lanes, after which others on the same layouts are not made."""
_NEVER = 1 << 60
MAX_ELEMENTS = 20_000
"""What a call may build in a lane: enough for grids, too little for what explodes."""


@dataclass(frozen=True)
class Found:
    """A value whose outputs are right.

    right: how many of the expected outputs; cost: of the program, in bits; candidates: how many had
    been evaluated by then.
    """

    program: Program
    cost: float
    right: int
    candidates: int


@dataclass
class Counts:
    """What an enumeration has done: combinations called, calls that failed in some lane, values
    that were new, functions built; seconds by stage."""

    candidates: int = 0
    failed: int = 0
    distinct: int = 0
    functions: int = 0
    choosing: float = 0.0
    calling: float = 0.0
    comparing: float = 0.0
    keeping: float = 0.0


class Enumeration:
    """The programs of a language by cost, on some samples.

    A candidate is one operation on values that exist. It is called on all samples at once; it is
    kept where it fails on none of them, and gives something that no candidate before has given.
    """

    def __init__(
        self,
        grammar: Grammar,
        language: Language,
        inputs: Mapping[str, Column],
        expected: Column,
        *,
        max_elements: int = MAX_ELEMENTS,
        most_bytes: int = 1 << 30,
    ) -> None:
        """inputs: a column for each input that programs may read, of all samples. expected: the
        outputs of the first samples. most_bytes: about what values and fingerprints may take."""
        self.grammar = grammar
        self.language = language
        self.counts = Counts()
        self.samples = len(next(iter(inputs.values())))
        self.bank = Bank(language, self.samples, max_elements)
        self.most_bytes = most_bytes
        self.cost_reached = 0.0
        self._seen = Seen()
        one = np.zeros((1, len(expected)), dtype=np.bool_)
        self._expected = [bits[0] for bits in Made(expected, one).fingerprints()]
        self._heads: list[Word] = []
        self._head_numbers: dict[Word, int] = {}
        self._primitives = [p for _, p in sorted(language.primitives.items())]
        self._edges: dict[tuple[str, int], Array] = {}
        self._costs = Growing(np.float64, np)
        self._head_of = Growing(np.int64, np)
        self._makers = Growing(np.int64, np)
        self._operands = Growing(np.int64, np)
        self._most_operands = max(p.arity for p in self._primitives)
        self._names: list[Word] = []
        self._failures: dict[tuple[Any, ...], int] = {}
        self._callable: dict[tuple[Any, ...], bool] = {}
        self._work = self._windows()
        self._factors = [
            to_host(factors_of(self.samples, salt)) for salt in (0, 1)
        ]
        self._best = 0
        self._begin(inputs)

    # ---- what there is at the beginning

    def _begin(self, inputs: Mapping[str, Column]) -> None:
        words = self.grammar.vocabulary
        for name, column in inputs.items():
            self._name(name, self.bank.add(column))
            self._note_seen(column)
        for name, value in self.language.constants.items():
            if not callable(value):
                self._name(name, np.array([self.bank.add_constant(value)]))
                self._note_seen(self.bank.column(np.array([len(self.bank) - 1])))
        for name in words.primitives:
            function = self.language.primitives[name].function
            self._name(name, np.array([self.bank.add_constant(function)]))
        assert len(self._names) == len(self.bank)

    def _name(self, word: Word, numbers: Array) -> None:
        self._names.append(word)
        head = self._head(self.grammar.head_of(word))
        self._append(np.zeros(len(numbers)), head, -1, [])

    def _note_seen(self, column: Column) -> None:
        made = Made(column, np.zeros((1, self.samples), dtype=np.bool_))
        self._new(*made.fingerprints(), np.ones(1, dtype=np.bool_))

    def _head(self, head: Word) -> int:
        number = self._head_numbers.get(head)
        if number is None:
            number = self._head_numbers[head] = len(self._heads)
            self._heads.append(head)
        return number

    def _append(
        self, costs: Array, head: int, maker: int, operands: Sequence[Array]
    ) -> None:
        """Note what the bank's last values cost, and how they are made."""
        n = len(costs)
        rows = np.full((n, self._most_operands), -1, dtype=np.int64)
        for place, some in enumerate(operands):
            rows[:, place] = some
        self._costs.add(costs)
        self._head_of.add(np.full(n, head))
        self._makers.add(np.full(n, maker))
        self._operands.add(rows.ravel())

    # ---- the loop

    def run(
        self, most_candidates: int | None = None, going_on: Callable[[], bool] = lambda: True
    ) -> Iterator[Found]:
        """Go on from where the last run has stopped.

        Yields what has more outputs right than any before, and everything that has all of them
        right. most_candidates: how many to make at most, in all runs together; going_on: asked
        between calls.
        """
        while going_on() and (most_candidates is None or self.counts.candidates < most_candidates):
            yield from next(self._work)

    def _windows(self) -> Iterator[list[Found]]:
        """Make all candidates, cheapest first: of each call what is to be told of it."""
        while True:
            most = self.cost_reached + _STEP
            for number, primitive in enumerate(self._primitives):
                for operands, costs in self._candidates(primitive, self.cost_reached, most):
                    make = self._build if primitive.builds is not None else self._call
                    yield make(number, primitive, operands, costs)
            self.cost_reached = most
            yield []

    # ---- candidates

    def _candidates(
        self, primitive: Primitive, above: float, most: float
    ) -> Iterator[tuple[list[Array], Array]]:
        """The operands of a primitive's calls in a window of costs, and what each call costs."""
        places = [self._place(primitive, place, most) for place in range(primitive.arity)]
        for operands, costs in combinations(places, above, most, _COMBINATIONS_AT_ONCE):
            layouts = [self.bank.layouts[numbers] for numbers in operands]
            order, begins = _grouped(layouts)
            kept = [
                order[begin:end]
                for begin, end in pairwise(begins)
                if self._hopeful(primitive, [int(of[order[begin]]) for of in layouts])
            ]
            if primitive.builds is not None:
                groups = kept
            else:
                joined = np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)
                at_once = max(_LANES_AT_ONCE // self.samples, 1)
                groups = [joined[k : k + at_once] for k in range(0, len(joined), at_once)]
            for group in groups:
                yield [numbers[group] for numbers in operands], costs[group]

    def _place(self, primitive: Primitive, place: int, most: float) -> Place:
        """What may stand at a place of a primitive, and what it costs there, up to a cost."""
        cheap = np.flatnonzero(self._costs.data < most)
        layouts = self.bank.layouts[cheap]
        distinct, which = np.unique(layouts, return_inverse=True)
        declared = primitive.types[place]
        takes = np.array([self.bank.takes(declared, int(layout)) for layout in distinct])
        numbers = cheap[takes[which]]
        heads = self._head_of.data[numbers]
        edges = self._edges_at(primitive.name, place)[heads]
        made = self._makers.data[numbers] >= 0
        edges = np.where(made, np.maximum(edges, _STEP), edges)
        return Place.of(numbers, self._costs.data[numbers] + edges)

    def _edges_at(self, name: str, place: int) -> Array:
        """What each head costs at a place, in bits."""
        known = self._edges.get((name, place))
        if known is None or len(known) < len(self._heads):
            edges = [self.grammar.edge((name, place), head) for head in self._heads]
            known = self._edges[name, place] = np.array(edges)
        return known

    def _hopeful(self, primitive: Primitive, layouts: list[int]) -> bool:
        """Whether calls on such layouts may succeed, as far as calls before have shown."""
        return self._failures.get((primitive.name, *layouts), 0) < _TRIED

    # ---- operations

    def _build(
        self, maker: int, primitive: Primitive, operands: list[Array], costs: Array
    ) -> list[Found]:
        """Build functions, of operands of the same layouts."""
        self.counts.candidates += len(costs)
        built = self.bank.shape_built(primitive, [int(numbers[0]) for numbers in operands])
        if built is None or not self._may_be_called(*built):
            key = (primitive.name, *[int(self.bank.layouts[of[0]]) for of in operands])
            self._failures[key] = _TRIED
            return []
        if not self._is_full():
            numbers = self.bank.add_built(primitive, operands)
            order = np.argsort(numbers, kind="stable")
            order = order[np.searchsorted(numbers[order], 0) :]
            self.counts.functions += len(order)
            taken = [of[order] for of in operands]
            self._append(costs[order], self._head(primitive.name), maker, taken)
        return []

    def _may_be_called(self, shape: Shape, bound: list[int | None]) -> bool:
        key = (shape, tuple(bound))
        known = self._callable.get(key)
        if known is None:
            known = may_be_called(self.bank, self.grammar.vocabulary, shape, bound)
            self._callable[key] = known
        return known

    def _call(
        self, maker: int, primitive: Primitive, operands: list[Array], costs: Array
    ) -> list[Found]:
        """Call a primitive, keep what is new, and tell of what is right."""
        began = time.perf_counter()
        self.counts.candidates += len(costs)
        try:
            made = self.bank.call(primitive, operands)
            called = time.perf_counter()
            bits = made.fingerprints()
        except (*SHORTAGES, Unsupported):
            self.counts.failed += len(costs)
            return []
        right = ~made.failed.any(axis=1)
        self._note_failures(primitive, operands, made.failed.all(axis=1))
        new = self._new(*bits, right)
        found = self._found(maker, operands, costs, np.flatnonzero(new), bits)
        compared = time.perf_counter()
        kept = np.flatnonzero(new)
        self.counts.failed += int((~right).sum())
        self.counts.distinct += len(kept)
        if len(kept) and not self._is_full():
            self.bank.add(made.taken(kept).column)
            taken = [of[kept] for of in operands]
            self._append(costs[kept], self._head(primitive.name), maker, taken)
        self.counts.calling += called - began
        self.counts.comparing += compared - called
        self.counts.keeping += time.perf_counter() - compared
        return found

    def _note_failures(self, primitive: Primitive, operands: list[Array], lost: Array) -> None:
        """Remember on which layouts all calls have failed in all lanes."""
        layouts = [self.bank.layouts[numbers] for numbers in operands]
        order, begins = _grouped(layouts)
        for begin, end in pairwise(begins):
            key = (primitive.name, *[int(of[order[begin]]) for of in layouts])
            if lost[order[begin:end]].all():
                self._failures[key] = self._failures.get(key, 0) + end - begin
            else:
                self._failures[key] = -_NEVER

    def _new(self, low: Array, high: Array, wanted: Array) -> Array:
        """Which values were not seen before; bool (values,)."""
        factors = self._factors
        with np.errstate(over="ignore"):
            return self._seen.add(
                (low * factors[0]).sum(axis=1), (high * factors[1]).sum(axis=1), wanted
            )

    def _found(
        self,
        maker: int,
        operands: list[Array],
        costs: Array,
        new: Array,
        bits: tuple[Array, Array],
    ) -> list[Found]:
        """What new values have to be told of."""
        known = len(self._expected[0])
        same = (bits[0][new, :known] == self._expected[0]) & (
            bits[1][new, :known] == self._expected[1]
        )
        right = same.sum(axis=1)
        found = []
        for at in np.flatnonzero((right == known) | (right > self._best)):
            if right[at] > self._best or right[at] == known:
                self._best = int(right[at])
                program = self._program(maker, [int(of[new[at]]) for of in operands])
                cost = float(costs[new[at]]) + self.grammar.root(self._primitives[maker].name)
                found.append(Found(program, cost, int(right[at]), self.counts.candidates))
        return found

    def _is_full(self) -> bool:
        """Whether no more values are kept, for want of memory."""
        rows = self._operands.nbytes + self._costs.nbytes + self._makers.nbytes
        return self.bank.nbytes + self._seen.nbytes + rows > self.most_bytes

    def _program(self, maker: int, operands: Sequence[int]) -> Program:
        """The program of a call: all that its operands are made of comes first."""
        operations: list[tuple[Word, ...]] = []
        names: dict[int, Word] = {}
        words = [self._word(number, names, operations) for number in operands]
        operations.append(("O", self._primitives[maker].name, *words))
        return Program("enumerated", tuple(operations))

    def _word(self, number: int, names: dict[int, Word], operations: list[Any]) -> Word:
        """The word for a value; what makes it is added to the operations."""
        if number < len(self._names):
            return self._names[number]
        if number not in names:
            maker = self._primitives[int(self._makers.data[number])]
            at = number * self._most_operands
            row = self._operands.data[at : at + maker.arity].tolist()
            words = [self._word(operand, names, operations) for operand in row]
            names[number] = f"x{len(operations) + 1}"
            operations.append((names[number], maker.name, *words))
        return names[number]


def _grouped(layouts: list[Array]) -> tuple[Array, list[int]]:
    """The order that brings rows of the same layouts together, and where each group begins."""
    n = len(layouts[0])
    order = np.lexsort(layouts[::-1])
    differs = np.zeros(n, dtype=np.bool_)
    for of in layouts:
        ordered = of[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    return order, [0, *np.flatnonzero(differs).tolist(), n]
