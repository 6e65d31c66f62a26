"""Enumerates the values of a task by cost: calls candidates on one sample, then some on all.

Most candidates are never operands, because the most expensive candidates are by far the most
numerous. So a candidate is called on one sample first. It is called on all samples if its value is
right there, or when its value may be an operand. The value is kept if the call fails on no sample,
and no earlier candidate gave the same value.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.registry import Primitive
from megabatt.runtime.engine.language.values import weight
from megabatt.runtime.program import Program, Word
from megabatt.runtime.search.bank import Made, may_be_called
from megabatt.runtime.search.enumerate.combinations import (
    Array,
    Choices,
    PlaceChoices,
    Taken,
    combinations,
    left_for,
    places_of,
)
from megabatt.runtime.search.enumerate.costs import Costs
from megabatt.runtime.search.enumerate.functions import Signatures
from megabatt.runtime.search.enumerate.seen import Seen
from megabatt.runtime.search.enumerate.space import Space
from megabatt.runtime.search.enumerate.waiting import Waiting
from megabatt.runtime.search.values import Values

log = logging.getLogger("megabatt.search")

_STEP = 2.0
"""The width of a window of costs, in bits. An operation adds at least as much to the costs of its
operands, so the candidates of a window need no value of the same window."""
_FEW = 1 << 9
"""The most load of calls that are made on all samples from the start."""
_LOAD_AT_ONCE = 1 << 15
"""The load of calls between two questions whether to go on. The load is the number of lanes, or the
weight of the values that functions are called on."""
_COMBINATIONS_AT_ONCE = 1 << 20
_LIGHT = 4
"""The most weight of a value in a sample on which functions are called at no extra cost."""
_TRIED = 12
"""The failed calls, without a success, after which no others are made on the same layouts."""
_NEVER = 1 << 60
_OVER = object()
"""Marks the end of the windows: a small language may have no further candidate."""
MAX_ELEMENTS = 5_000
"""The elements that a call may build in a lane: enough for grids, too few for explosive calls."""


@dataclass(frozen=True)
class RightValue:
    """A value with right outputs.

    right: The number of right outputs. cost: The program's cost, in bits. candidates: The number of
    candidates evaluated until then.
    """

    program: Program
    cost: float
    right: int
    candidates: int


class Enumeration:
    """The programs of a language by cost, on some samples.

    A candidate is one operation on known values. candidates: The number of candidates so far.
    """

    def __init__(
        self,
        costs: Costs,
        inputs: Mapping[str, Sequence[Any]],
        expected: Sequence[Any],
        *,
        max_elements: int = MAX_ELEMENTS,
        space: Space | None = None,
    ) -> None:
        """Begin with the inputs.

        inputs: The values, in all samples, of each input that programs may read. expected: The
        outputs of the first samples. space: The memory for values; by default a `Space` of its own.
        """
        self.grammar = costs.grammar
        self.language = language = self.grammar.vocabulary.language
        self._table = costs
        self.candidates = 0
        self.samples = len(next(iter(inputs.values())))
        self.space = Space() if space is None else space
        self.cost_reached = 0.0
        self._seen = Seen()
        self._waiting = Waiting()
        every = self.grammar.vocabulary.primitives
        self._primitives = [p for _, p in sorted(every.items()) if may_be_called(p)]
        self._costs = Growing(np.float64)
        self._head_of = Growing()
        self._failures: dict[tuple[Any, ...], int] = {}
        self._lost: set[str] = set()
        self._signatures = Signatures(costs.functions)
        layout_of = self._signatures.of_primitive
        self.bank = Values(language, inputs, max_elements, layout_of=layout_of, primitives=every)
        self.space.count(self.bank, self._costs, self._head_of, self._seen, self._waiting)
        self._steps = self._windows()
        self._factors = _factors_of(self.samples)
        self._best = 0
        self._told: list[RightValue] = []
        """The right values that `run` has not yielded yet."""
        self._begin(expected)
        with language.in_use():
            own = [values for name, values in inputs.items() if name != language.shared]
            self._first = np.array([_lightest(own, len(expected))])

    def _begin(self, expected: Sequence[Any]) -> None:
        """Note the given values and the expected outputs."""
        with self.language.in_use():
            self._expected = self.bank.fingerprints_of(expected)
            for number, word in self.bank.words.items():
                self._append(np.zeros(1), self._table.numbers[self.grammar.head_of(word)])
                if self.bank.layouts[number] >= 0:
                    self._new(*self.bank.fingerprints(np.array([number])), np.ones(1, np.bool_))

    def _append(self, costs: Array, head: int) -> None:
        """Note the costs and the head of the bank's last values."""
        self._costs.add(costs)
        self._head_of.add(np.full(len(costs), head))

    def give(self, programs: Sequence[Program]) -> None:
        """Put the values of programs beside the inputs; the values of first programs are cheapest.

        Values that fail on a sample are left out, and so are values that another program has given.
        """
        known: dict[Any, int] = {}
        with self.language.in_use():
            for rank, program in enumerate(programs):
                self._give(program, np.full(1, 1 + log2(1 + rank)), known)

    def _give(self, program: Program, cost: Array, known: dict[Any, int]) -> None:
        """Give the values of one program, as `give` does.

        known: Values by their fingerprints, and functions by their builders and operands.
        """
        variables: dict[Word, int] = {}
        for target, function, *words in program.operations:
            primitive = self.grammar.vocabulary.primitives.get(str(function))
            if primitive is None or len(words) != primitive.arity or not may_be_called(primitive):
                continue
            try:
                numbers = [variables[w] if w in variables else self.bank.word(w) for w in words]
            except LookupError:  # an operand was left out
                continue
            while len(self._costs.data) < len(self.bank):  # Integers that were written out
                self._append(np.zeros(1), self._table.numbers[self.grammar.head_of(1)])
            number = self._given(primitive, [np.array([k]) for k in numbers], cost, known)
            if number is not None:
                variables[target] = number

    def _given(
        self, primitive: Primitive, operands: list[Array], cost: Array, known: dict[Any, int]
    ) -> int | None:
        """Make a call and return the number of its value; None if the call fails on a sample."""
        if primitive.builds is not None:
            built = (primitive.name, *[int(numbers[0]) for numbers in operands])
            if built not in known:
                before = len(self.bank)
                [layouts] = self._grouped(operands).layouts
                if not self._hopeful(primitive, layouts):
                    return None
                self._build(primitive, operands, cost)
                if len(self.bank) == before:
                    return None
                known[built] = before
            return known[built]
        made = self.bank.call(primitive, operands)
        if made.failed.any():
            return None
        bits = made.fingerprints()
        number = known.get(key := b"".join([of.tobytes() for of in bits]))
        if number is None:
            self._new(*bits, np.ones(1, dtype=np.bool_))
            number = known[key] = int(self.bank.keep(made)[0])
            self._append(cost, self._table.numbers[primitive.name])
            self._told += self._found(made, cost, np.zeros(1, dtype=np.int64))
        return number

    # ---- the loop

    def run(
        self, most_candidates: int | None = None, going_on: Callable[[], bool] = lambda: True
    ) -> Iterator[RightValue]:
        """Go on with the enumeration until no candidate is left, and yield right values.

        These are the values with all outputs right, and each value called on all samples with more
        right outputs than any value before. most_candidates: The most candidates of all runs
        together. going_on: Asked between calls whether to go on.
        """
        while True:
            told, self._told = self._told, []
            yield from told
            if most_candidates is not None and self.candidates >= most_candidates:
                return
            if not going_on():
                return
            with self.language.in_use():
                if next(self._steps, _OVER) is _OVER:
                    return

    def _windows(self) -> Iterator[None]:
        """Make all candidates, cheapest first. Pauses after each part."""
        dearest = self._costs.data.max()
        while True:
            most = self.cost_reached + _STEP
            before = self.candidates
            yield from self._called_on_all(most)
            choices = self._choices(most)
            slower = self._for_functions(choices)
            for primitive in self._primitives:
                taken = [self._taken(primitive, place) for place in range(primitive.arity)]
                places = places_of(slower if _called_places(primitive) else choices, taken, most)
                for operands, costs in self._chosen(primitive, places, most):
                    if primitive.builds is None:
                        self._try(primitive, operands, costs)
                    else:
                        self._build(primitive, operands, costs)
                    yield None
            self.cost_reached = most
            if self.candidates > before:
                dearest = most
            elif most > self._bound(max(dearest, slower.costs.max())):
                return
            yield None

    def _bound(self, dearest: float) -> float:
        """Return a cost that no candidate exceeds, if no operand costs more than `dearest`."""
        of_places = [
            [dearest + max(_STEP, self._table.edges(one.name, k).max()) for k in range(one.arity)]
            for one in self._primitives
        ]
        return max(map(sum, of_places), default=0.0)

    # ---- candidates

    def _choices(self, most: float) -> Choices:
        """Return the values that cost at most `most`."""
        cheap = np.flatnonzero(self._costs.data <= most)
        order = cheap[np.argsort(self._costs.data[cheap], kind="stable")]
        return Choices(
            order,
            self._costs.data[order],
            self._head_of.data[order],
            np.maximum(self.bank.layouts[order], -1),
            self.bank.are_made(order),
        )

    def _called_on_all(self, most: float) -> Iterator[None]:
        """Call on all samples the waiting candidates that an operation of cost `most` may take."""
        for head, calls in self._waiting.taken(self._limits(most)):
            primitive = self.language.primitives[str(self._table.heads[head])]
            every = np.arange(len(calls.costs))
            for part in self._in_parts(primitive, every, calls.operands, self.samples):
                self._call(primitive, [of[part] for of in calls.operands], calls.costs[part])
                yield None

    def _limits(self, most: float) -> Array:
        """Return the most that values may cost as operands of an operation that costs `most`.

        float64 (heads, layouts), -inf for values that no operation takes.
        """
        choices = self._with_waiting(self._choices(most), most)
        limits = np.full((len(self._table.heads), self.bank.layout_count), -np.inf)
        for primitive in self._primitives:
            taken = [self._taken(primitive, place) for place in range(primitive.arity)]
            for place, left in zip(taken, left_for(choices, taken, most) or (), strict=False):
                dearest = left - np.maximum(place.edges, place.step)
                layouts = np.flatnonzero(place.layouts[:-1])
                limits[:, layouts] = np.maximum(limits[:, layouts], dearest[:, None])
        return limits

    def _with_waiting(self, choices: Choices, most: float) -> Choices:
        """Add the cheapest waiting value of each head and layout to choices."""
        heads, layouts, costs = self._waiting.least()
        none = np.full(len(heads), -1)
        waiting = (none, costs, heads, layouts, none < 0)
        joined = [np.concatenate(pair) for pair in zip(choices, waiting, strict=True)]
        order = np.argsort(joined[1], kind="stable")
        order = order[joined[1][order] <= most]
        return Choices(*(of[order] for of in joined))

    def _for_functions(self, choices: Choices) -> Choices:
        """Return the values with the costs of calling functions on them.

        A heavier value takes more time. Time is part of the cost, as in Levin's search: a bit for
        each doubling.
        """
        weights = self.bank.weights(choices.numbers) / self.samples
        costs = choices.costs + np.log2(np.maximum(weights / _LIGHT, 1))
        order = np.lexsort((choices.numbers, costs))
        return Choices(*(of[order] for of in choices._replace(costs=costs)))

    def _taken(self, primitive: Primitive, place: int) -> Taken:
        """Return the values that a place of a primitive takes, as `Taken`."""
        layouts = self.bank.taken(primitive.types[place])
        return Taken(layouts, self._table.edges(primitive.name, place), _STEP)

    def _chosen(
        self, primitive: Primitive, places: list[PlaceChoices] | None, most: float
    ) -> Iterator[tuple[list[Array], Array]]:
        """Yield the operands of a primitive's calls in the window, and the cost of each call."""
        if places is None:
            return
        for operands, costs in combinations(places, self.cost_reached, most, _COMBINATIONS_AT_ONCE):
            groups = self._grouped(operands)
            hopeful = [self._hopeful(primitive, layouts) for layouts in groups.layouts]
            calls = groups.order[np.repeat(hopeful, groups.sizes)]
            for part in self._in_parts(primitive, calls, operands, 1):
                yield [numbers[part] for numbers in operands], costs[part]

    def _in_parts(
        self, primitive: Primitive, calls: Array, operands: Sequence[Array], samples: int
    ) -> Iterator[Array]:
        """Yield calls in parts that can be made at once, with the calls of a function in a row.

        samples: The number of samples that calls are made on.
        """
        at_once = max(_LOAD_AT_ONCE // samples, 1)
        parts = np.arange(len(calls)) // at_once
        called = _called_places(primitive)
        if called:
            calls = calls[np.lexsort([operands[place][calls] for place in called])]
            weights = sum(self.bank.weights(numbers[calls]) for numbers in operands)
            parts = parts + np.cumsum(weights * samples // self.samples) // _LOAD_AT_ONCE
        ends = np.flatnonzero(parts[1:] != parts[:-1]) + 1
        yield from np.split(calls, ends)

    def _hopeful(self, primitive: Primitive, layouts: tuple[int, ...]) -> bool:
        """Tell whether calls on these layouts may succeed.

        For a built function its signature decides; for other calls, the results of earlier calls.
        """
        if primitive.builds is not None:
            return self._signatures.of_built(self.bank, primitive, layouts) is not None
        return self._failures.get((primitive.name, *layouts), 0) < _TRIED

    def _grouped(self, operands: Sequence[Array]) -> _Groups:
        return _Groups.of([self.bank.layouts[numbers] for numbers in operands])

    # ---- operations

    def _build(self, primitive: Primitive, operands: list[Array], costs: Array) -> None:
        """Build functions of operands that are `_hopeful`."""
        self.candidates += len(costs)
        if self.space.is_full():
            return
        groups = self._grouped(operands)
        found = [self._signatures.of_built(self.bank, primitive, of) for of in groups.layouts]
        layouts = np.empty(len(costs), dtype=np.int64)
        layouts[groups.order] = np.repeat(np.array(found, dtype=np.int64), groups.sizes)
        self.bank.add_built(primitive, operands, layouts)
        self._append(costs, self._table.numbers[primitive.name])

    def _try(self, primitive: Primitive, operands: list[Array], costs: Array) -> None:
        """Call a primitive on one sample, and on all samples if the value is right there."""
        self.candidates += len(costs)
        if self.samples == 1 or self._load(primitive, operands) <= _FEW:
            self._call(primitive, operands, costs)
            return
        made = self._made(primitive, operands, self._first)
        if made is None:
            return
        failed = made.failed[:, 0]
        self._note_failures(primitive, operands, failed)
        right = self._equal(made.fingerprints(), self._first)[:, 0] & ~failed
        waiting = np.flatnonzero(~failed & ~right)
        if len(waiting) and not self.space.is_full():
            head = self._table.numbers[primitive.name]
            layouts = made.taken(waiting).layouts
            self._waiting.add(head, [of[waiting] for of in operands], costs[waiting], layouts)
        if right.any():
            self._call(primitive, [of[right] for of in operands], costs[right])

    def _made(self, primitive: Primitive, operands: list[Array], samples: Array) -> Made | None:
        """Call a primitive on some samples. Warns once and returns None if memory runs short."""
        try:
            return self.bank.call(primitive, operands, samples)
        except SHORTAGES as error:
            if primitive.name not in self._lost:
                self._lost.add(primitive.name)
                log.warning(
                    "calls of %s were left out: %s: %s",
                    primitive.name, type(error).__name__, error,
                )  # fmt: skip
            return None

    def _load(self, primitive: Primitive, operands: Sequence[Array]) -> int:
        """Return the load of calls on all samples."""
        if _called_places(primitive):
            return sum(int(self.bank.weights(numbers).sum()) for numbers in operands)
        return len(operands[0]) * self.samples

    def _call(self, primitive: Primitive, operands: list[Array], costs: Array) -> None:
        """Call a primitive on all samples, keep new values, and note right values."""
        made = self._made(primitive, operands, self.bank.every)
        if made is None:
            return
        right: Array = ~np.asarray(made.failed.any(axis=1))
        self._note_failures(primitive, operands, np.asarray(made.failed.all(axis=1)))
        kept = np.flatnonzero(self._new(*made.fingerprints(), right))
        self._told += self._found(made, costs, kept)
        if len(kept) and not self.space.is_full():
            self.bank.keep(made.taken(kept))
            self._append(costs[kept], self._table.numbers[primitive.name])

    def _note_failures(self, primitive: Primitive, operands: list[Array], lost: Array) -> None:
        """Remember on which layouts all calls have failed."""
        groups = self._grouped(operands)
        begins = np.cumsum(groups.sizes) - groups.sizes
        all_lost = np.logical_and.reduceat(lost[groups.order], begins).tolist()
        for layouts, size, failed in zip(groups.layouts, groups.sizes, all_lost, strict=True):
            key = (primitive.name, *layouts)
            self._failures[key] = self._failures.get(key, 0) + int(size) if failed else -_NEVER

    def _new(self, low: Array, high: Array, wanted: Array) -> Array:
        """Flag the wanted values that were not seen before, and note them; bool (values,)."""
        factors = self._factors
        with np.errstate(over="ignore"):
            return self._seen.add(
                (low * factors[0]).sum(axis=1), (high * factors[1]).sum(axis=1), wanted
            )

    def _found(self, made: Made, costs: Array, new: Array) -> list[RightValue]:
        """List the new values that `run` must yield."""
        primitive, known = made.primitive.name, len(self._expected[0])
        bits = tuple([of[new, :known] for of in made.fingerprints()])
        right = self._equal(bits, np.arange(known)).sum(axis=1)
        told = []
        for at in np.flatnonzero((right == known) | (right > self._best)).tolist():
            if right[at] > self._best or right[at] == known:
                self._best = int(right[at])
                call = int(new[at])
                operands = [int(of[call]) for of in made.operands]
                program = self.bank.program_of_call(primitive, operands, "enumerated")
                cost = float(costs[call]) + self.grammar.root(primitive)
                told.append(RightValue(program, cost, self._best, self.candidates))
        return told

    def _equal(self, bits: tuple[Array, ...], samples: Array) -> Array:
        """Flag the fingerprints that equal those of expected outputs; bool (values, samples)."""
        low, high = [found == of[samples] for found, of in zip(bits, self._expected, strict=True)]
        return low & high  # type: ignore[no-any-return]


def _lightest(inputs: Sequence[Sequence[Any]], samples: int) -> int:
    """Return which of the first samples has the lightest inputs."""
    weights = [sum(weight(of[k]) for of in inputs) for k in range(samples)]
    return int(np.argmin(weights))


def _factors_of(samples: int) -> list[Array]:
    """Return two rows of odd factors, one for each sample."""
    random = np.random.default_rng(0)
    return list(random.integers(-(1 << 62), 1 << 62, (2, samples)) * 2 + 1)


def _called_places(primitive: Primitive) -> list[int]:
    """List the places whose functions a primitive calls."""
    if primitive.builds is not None:
        return []
    return [place for place, declared in enumerate(primitive.types) if declared.called]


class _Groups(NamedTuple):
    """Calls by the layouts of their operands.

    order: The calls, group by group. sizes: The groups' sizes. layouts: The groups' layouts.
    """

    order: Array
    sizes: Array
    layouts: list[tuple[int, ...]]

    @classmethod
    def of(cls, layouts: Sequence[Array]) -> _Groups:
        """Group calls. layouts: For each place, the layout of every call's operand."""
        order = np.lexsort(layouts[::-1])
        differs = np.arange(len(order)) == 0
        for of in layouts:
            ordered = of[order]
            differs[1:] |= ordered[1:] != ordered[:-1]
        begins = np.flatnonzero(differs)
        firsts = [of[order[begins]].tolist() for of in layouts]
        return cls(order, np.diff(begins, append=len(order)), list(zip(*firsts, strict=True)))
