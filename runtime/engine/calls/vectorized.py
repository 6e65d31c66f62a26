"""What a program's vectorized form runs on: a batch of samples, one operation at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Self

import numpy as np

from megabatt.runtime.engine.calls.concurrent import Schedule, Target
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.operate import host_lanes_of, operate
from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.columns import Bools, Column, Uniform, concat, encode, same
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import CPU, computing_on, current, to_host
from megabatt.runtime.engine.device.scheduling import side_by_side
from megabatt.runtime.engine.machine.passes import Call, InputWords, Pass, PassOnCpu
from megabatt.runtime.engine.machine.values import NoWord
from megabatt.runtime.engine.memory import require_memory

Observer = Callable[[int, Any, tuple[Any, ...], Target, "np.ndarray[Any, Any]"], None]
"""Called after each operation: its number, function, arguments, target, failed (bool (lanes,))."""


class Columns:
    """A column for every solver of a batch, and the batch's failures.

    columns: by the solver's name; failed: bool (operations + 1, lanes), row n for operation n;
    both on the device that computed them, see `on_host`. cones: solver name -> the numbers of the
    operations that compute it, ascending; host_lanes: how many lanes scalar code has computed, over
    all operations.
    """

    def __init__(
        self,
        columns: dict[str, Column],
        failed: np.ndarray[Any, Any],
        cones: dict[str, list[int]],
        host_lanes: int,
    ) -> None:
        self.columns = columns
        self.failed = failed
        self.cones = cones
        self.host_lanes = host_lanes

    def on_host(self) -> Self:
        """Return the same in NumPy arrays, fetched from the device in use in one transfer."""
        if current() is CPU:
            return self
        flags: Column = Bools(self.failed.ravel())
        *there, flags = columns_to_host([*self.columns.values(), flags])
        assert isinstance(flags, Bools)
        columns = dict(zip(self.columns, there, strict=True))
        failed = flags.data.reshape(self.failed.shape)
        return type(self)(columns, failed, self.cones, self.host_lanes)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Join batches of one program into one batch, with the lanes in the given order."""
        columns = {
            name: concat([part.columns[name] for part in parts]) for name in parts[0].columns
        }
        failed = np.concatenate([part.failed for part in parts], axis=1)
        return cls(columns, failed, parts[0].cones, sum(part.host_lanes for part in parts))


class Results(Columns):
    """A batch's outputs and failures."""

    @property
    def outputs(self) -> dict[str, Column]:
        """The outputs, by the solver's name."""
        return self.columns

    def compared_with(self, expected: Column, judge: Callable[[Any, Any], bool]) -> Comparison:
        """Compare each output with the value expected in its lane. judge: the language's `same`.

        On a device this is far less to bring to the host than the outputs.
        """
        asked = [partial(same, column, expected, judge) for column in self.columns.values()]
        flags = [Bools(found) for found in side_by_side(asked)]
        columns: dict[str, Column] = dict(zip(self.columns, flags, strict=True))
        return Comparison(columns, self.failed, self.cones, self.host_lanes)

    def in_parts(self, most: int) -> Iterator[tuple[range, Self]]:
        """Yield the results in ranges of lanes, whose outputs together weigh at most `most`.

        A lane whose outputs weigh more is a range by itself.
        """
        lanes = self.failed.shape[1]
        weights = np.zeros(lanes, dtype=np.int64)
        for column in self.columns.values():
            weights += np.minimum(to_host(column.weights()), most)
        yield from map(self._part, ranges_within(weights, most))

    def _part(self, lanes: range) -> tuple[range, Self]:
        """Take some lanes. Returns these, and their results."""
        if len(lanes) == self.failed.shape[1]:
            return lanes, self
        index = xp.asarray(np.arange(lanes.start, lanes.stop))
        columns = {name: column.take(index) for name, column in self.columns.items()}
        failed = self.failed[:, lanes.start : lanes.stop]
        return lanes, type(self)(columns, failed, self.cones, self.host_lanes)

    def decode(self) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
        """Return for every lane what the sequential form does: (outputs, failed operations)."""
        names = list(self.columns)
        columns = [column.decode() for column in self.columns.values()]
        lanes = zip(*columns, strict=True) if columns else [()] * self.failed.shape[1]
        return [
            (dict(zip(names, values, strict=True)), tuple(np.flatnonzero(flags).tolist()))
            for values, flags in zip(lanes, to_host(self.failed).T, strict=True)
        ]


class ResultsOfPass(Results):
    """A batch's results that a device's machine has made: its columns are made on the host."""

    def __init__(self, made: Pass, names: list[str], cones: dict[str, list[int]]) -> None:
        super().__init__({}, made.failed, cones, made.host_lanes)
        self._made = made
        self._names = names

    def on_host(self) -> Results:  # type: ignore[override]
        made, failed = self._made.on_host()
        columns = dict(zip(self._names, made, strict=True))
        return Results(columns, failed, self.cones, self.host_lanes)

    def compared_with(self, expected: Column, judge: Callable[[Any, Any], bool]) -> Comparison:
        return self.compared_with_words(self._made.put(expected))

    def compared_with_words(self, expected: Array) -> Comparison:
        """Compare each output with the value expected in its lane, given the words of these."""
        flags = self._made.compared_with(expected)
        columns: dict[str, Column] = {name: Bools(flags[k]) for k, name in enumerate(self._names)}
        return Comparison(columns, self.failed, self.cones, self.host_lanes)

    def in_parts(self, most: int) -> Iterator[tuple[range, Results]]:  # type: ignore[override]
        with computing_on(CPU):
            yield from self.on_host().in_parts(most)

    def decode(self) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
        results = self.on_host()
        with computing_on(CPU):
            return results.decode()


class Comparison(Columns):
    """A batch's failures, and which of its outputs are the value expected."""

    @property
    def matches(self) -> dict[str, Array]:
        """bool (lanes,) by the solver's name."""
        return {name: column.data for name, column in self.columns.items()}  # type: ignore[attr-defined]


def ranges_within(weights: np.ndarray[Any, Any], most: int) -> Iterator[range]:
    """Yield ranges of positions, one after the other, whose weights add up to at most `most`.

    A greater weight is a range by itself.
    """
    first, held = 0, 0
    for position, weight in enumerate(weights.tolist()):
        if held + weight > most and position > first:
            yield range(first, position)
            first, held = position, 0
        held += weight
    if len(weights):
        yield range(first, len(weights))


_LANES_AT_ONCE = 64
"""In how many lanes the CPU's machine makes a program at once: all values are in memory then."""


class BatchInputs:
    """The inputs of a batch as columns, made when a program first reads them.

    values: input name -> the list of the lanes' values, or a function that gives the column;
    observer: told of every operation of the run; solvers: the names of the solvers whose outputs
    are wanted, all by default. Operations that these do not need are not run; words: the inputs as
    words, where a device's machine makes the pass; by_machine: whether the machine is to make it,
    by default where words hold the language's values; clock: told the number of each operation once
    it has run, on the CPU.
    """

    words: InputWords | None = None
    by_machine: bool | None = None
    clock: Callable[[int], None] | None = None

    def __init__(
        self,
        lanes: int,
        values: Mapping[str, list[Any] | Callable[[], Column]],
        observer: Observer | None = None,
        solvers: Collection[str] | None = None,
    ) -> None:
        self.lanes = lanes
        self.observer = observer
        self.solvers = solvers
        self._values = values
        self._columns: dict[str, Column] = {}

    def column(self, name: str) -> Column:
        if name not in self._columns:
            values = self._values[name]
            self._columns[name] = values() if callable(values) else encode(values)
        return self._columns[name]


class Vectorized:
    """A run of a program's vectorized form on a batch of samples.

    inputs: `BatchInputs`, or a sequence of the tuples that the sequential form takes (an id, then
    the language's inputs). operations: how many the program has.

    On devices that answer together, operations that do not depend on one another run side by side,
    in any order. What they compute does not depend on the order.
    """

    in_any_order = True

    def __init__(
        self,
        language: Language,
        inputs: BatchInputs | Sequence[Sequence[Any]],
        operations: int,
        max_elements: int,
    ) -> None:
        if not isinstance(inputs, BatchInputs):
            names = enumerate(language.inputs)
            fields = {name: [sample[k + 1] for sample in inputs] for k, name in names}
            inputs = BatchInputs(len(inputs), fields)
        self.language = language
        self._language_in_use = language.in_use()
        self.inputs = inputs
        self.lanes = inputs.lanes
        self.max_elements = max_elements
        self.failed = xp.zeros((operations + 1, self.lanes), dtype=xp.bool_)
        self._constants: dict[int, Uniform] = {}
        self._inputs: list[Target] = []
        self.host_lanes = 0
        on_device = current().asks_together
        together = self.in_any_order and (inputs.observer is None or not on_device)
        self._schedule = Schedule(self._run) if together and on_device else None
        if inputs.by_machine is None:
            self._by_machine = together and language.of_words
        else:
            self._by_machine = inputs.by_machine
        put_off = self._by_machine or inputs.solvers is not None
        self._put_off: list[Call] | None = [] if put_off else None

    def input(self, name: str) -> Target:
        """Return the input of that name."""
        target = Target(None, name, 0)
        self._inputs.append(target)
        if not self._by_machine or self.inputs.words is None:
            self._make_inputs()
        return target

    def _make_inputs(self) -> None:
        """Make the columns of the inputs that were read."""
        with self._language_in_use:
            for target in self._inputs:
                target.made = self.inputs.column(str(target.source))

    def call(self, number: int, function: Any, *args: Any) -> Target:
        """Call a primitive or a target on targets and constants, as operation `number`."""
        cone = 1 << number
        for value in (function, *args):
            if isinstance(value, Target):
                cone |= value.cone
        target = Target(None, number, cone)
        if self._put_off is None:
            with self._language_in_use:
                self._begin(target, function, args)
        else:
            self._put_off.append((target, function, args))
        return target

    def _begin(self, target: Target, function: Any, args: tuple[Any, ...]) -> None:
        """Run or schedule an operation whose arguments have begun."""
        if self._schedule is not None:
            self._schedule.add(target, function, args)
            return
        self._run(target, function, args)
        number = target.source
        assert isinstance(number, int)
        if self.inputs.clock is not None:
            self.inputs.clock(number)
        if self.inputs.observer is not None:
            self.inputs.observer(number, function, args, target, to_host(self.failed[number]))

    def _run(self, target: Target, function: Any, args: tuple[Any, ...]) -> None:
        """Compute the operation of `target`. Lanes that fail get its safe default."""
        number = target.source
        assert isinstance(number, int)
        target.made = operate(
            self._column(function),
            [self._column(value) for value in args],
            self.language.default_of(function),
            self.max_elements,
            self.failed[number],
            self._note,
        )
        require_memory()

    def _column(self, value: Any) -> Column:
        """Return an argument's column. Constants are kept, so that each is laid out but once."""
        if isinstance(value, Target):
            return value.column
        column = self._constants.get(id(value))
        if column is None:
            column = self._constants[id(value)] = Uniform(value, self.lanes)  # keeps the value
        return column

    def _note(self, frame: Frame, lanes: Array | None) -> None:
        """Count the lanes that scalar code has computed."""
        found = host_lanes_of(frame)  # other operations may count meanwhile
        self.host_lanes += found

    def finish(self, outputs: dict[str, Any]) -> Results:
        """Run what is left, and return the result. outputs: solver name -> target or constant."""
        wanted = self.inputs.solvers
        if wanted is not None:
            outputs = {name: value for name, value in outputs.items() if name in wanted}
        cones = {}
        for name, value in outputs.items():
            cones[name] = _numbers_in(value.cone) if isinstance(value, Target) else []
        with self._language_in_use:
            calls = self._left(outputs.values())
            if self._by_machine:
                with suppress(NoWord):
                    return self._results_of_pass(calls, outputs, cones)
                self._make_inputs()
            self._run_left(calls)
        columns = {name: self._column(value) for name, value in outputs.items()}
        return Results(columns, self.failed, cones, self.host_lanes)

    def _results_of_pass(
        self, calls: list[Call], outputs: dict[str, Any], cones: dict[str, list[int]]
    ) -> Results:
        """Make the calls that are left on the machine. Raises NoWord."""
        operations, values = self.failed.shape[0] - 1, list(outputs.values())
        inputs, limit = self.inputs, self.max_elements
        given = operations, calls, values, limit, inputs.words
        if current().asks_together:
            return ResultsOfPass(Pass(self.language, self.lanes, *given), list(outputs), cones)
        if inputs.observer is None and self.lanes > _LANES_AT_ONCE:
            return self._results_in_parts(calls, outputs, cones)
        made = PassOnCpu(self.language, self.lanes, *given, inputs.clock)
        columns, failed = made.on_host()
        if inputs.observer is not None:
            for (target, function, args), column in zip(calls, made.results(calls), strict=True):
                assert isinstance(target.source, int)
                target.made = column
                inputs.observer(target.source, function, args, target, failed[target.source])
        return Results(dict(zip(outputs, columns, strict=True)), failed, cones, made.host_lanes)

    def _results_in_parts(
        self, calls: list[Call], outputs: dict[str, Any], cones: dict[str, list[int]]
    ) -> Results:
        """Make the calls on the CPU's machine, some lanes at a time. Raises NoWord."""
        lanes, given = self.lanes, [(target, target.column) for target in self._inputs]
        parts = []
        try:
            for first in range(0, lanes, _LANES_AT_ONCE):
                part = xp.arange(first, min(first + _LANES_AT_ONCE, lanes))
                self.lanes = len(part)
                for target, column in given:
                    target.made = column.take(part)
                parts.append(self._results_of_pass(calls, outputs, cones))
        finally:
            self.lanes = lanes
            for target, column in given:
                target.made = column
        return Results.joined(parts)

    def _left(self, outputs: Iterable[Any]) -> list[Call]:
        """Return the calls put off: where not all outputs are wanted, what has a part in them."""
        calls, self._put_off = self._put_off or [], None
        if self.inputs.solvers is None:
            return calls
        cone = 0
        for value in outputs:
            cone |= value.cone if isinstance(value, Target) else 0
        return [call for call in calls if cone >> int(call[0].source) & 1]

    def _run_left(self, calls: list[Call]) -> None:
        """Run calls, and all that were begun."""
        calls.reverse()
        while calls:  # drops each call, so that what it holds can be freed
            self._begin(*calls.pop())
        if self._schedule is not None:
            self._schedule.finish()


def _numbers_in(cone: int) -> list[int]:
    """List the numbers of the set bits, ascending. Few of many are set."""
    numbers = []
    while cone:
        lowest = cone & -cone
        numbers.append(lowest.bit_length() - 1)
        cone ^= lowest
    return numbers
