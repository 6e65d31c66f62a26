"""Programs of generated source: their operations, which run on batches of samples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.columns import Bools, Column, concat, encode
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import CPU, current, to_host
from megabatt.runtime.engine.executor.columns import ColumnRun
from megabatt.runtime.engine.executor.device import DeviceExecutor
from megabatt.runtime.engine.executor.host import HostExecutor
from megabatt.runtime.engine.executor.operations import VARIABLE, Operations, Written
from megabatt.runtime.engine.executor.schedule import Flags, Input, Ready, Schedule
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.machine.archive import WordColumn, keep
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.on_device import DeviceHeap
from megabatt.runtime.memory import SpareMemory

_Executor = HostExecutor | DeviceExecutor

_ARCHIVES = SpareMemory()
"""The memory of the heaps of kept outputs."""
_WORDS = 1 << 12
"""The first room of the heap of kept outputs, in words."""


@dataclass(slots=True, eq=False)
class Target:
    """The value of a variable of a program, and the operations that it depends on.

    source: The operation's number, or an input's name. cone: Bit n stands for operation n.
    """

    source: int | str
    cone: int = 0


NONE, RIGHT, ALL = range(3)
"""The outputs of a lane to keep."""


@dataclass(eq=False)
class BatchInputs:
    """The inputs of a batch, made when a program first reads them.

    values      by input name, the list of the lanes' values, or a function that returns the values'
                column or, in a language of words, puts them into a heap and returns their words
    every       whether the values of all operations stay, for `Results.column`
    solvers     the names of the solvers whose outputs are wanted, by default all; operations that
                only other solvers need do not run
    kept        uint8 (lanes,): the outputs to keep, `NONE`, `RIGHT` (right ones) or `ALL`, by
                default all; a language of columns keeps all
    seconds     float64 (operations + 1,): gets the seconds of each operation on the CPU, by number
    expected    the name of the expected output among `values`, or None
    workers     the most threads on the CPU
    heap        the heap of the device in use, if it already has the inputs' words
    groups      int64 (lanes,): the number of each lane's group, by default one a lane; an output
                that is wrong in a lane that keeps `RIGHT` need not be kept in any lane of its group
    """

    lanes: int
    values: Mapping[str, list[Any] | Callable[..., Any]]
    every: bool = False
    solvers: Collection[str] | None = None
    kept: np.ndarray[Any, Any] | None = None
    seconds: np.ndarray[Any, Any] | None = None
    expected: str | None = None
    heap: Any = None
    workers: int = 1
    groups: np.ndarray[Any, Any] | None = None
    _columns: dict[str, Column] = field(default_factory=dict, init=False)

    def column(self, name: str) -> Column:
        if name not in self._columns:
            values = self.values[name]
            self._columns[name] = values() if callable(values) else encode(values)
        return self._columns[name]


@dataclass(eq=False)
class Results:
    """The results of a batch's solvers.

    columns      the outputs of each solver: a `Column`, or a `WordColumn`
    reasons      uint8 (operations + 1, lanes): row n has the `Reason` for operation n's failure in
                 each lane; like the columns, on the device that computed it, see `on_host`
    cones        the numbers of the operations that each solver's output needs, ascending
    host_lanes   the number of operation-lanes that scalar code computed
    matches      in a language of words, the lanes in which each solver's output is right, bool
                 (lanes,); outputs that are not kept are then 0
    column       returns the column of an operation's value or of an input, if the values stay
    """

    columns: dict[str, Any]
    reasons: np.ndarray[Any, Any]
    cones: dict[str, list[int]]
    host_lanes: int
    matches: dict[str, np.ndarray[Any, Any]] | None = None
    column: Callable[[Target], Any] | None = None

    @property
    def failed(self) -> np.ndarray[Any, Any]:
        """The failures of operations; bool (operations + 1, lanes)."""
        return self.reasons != 0  # type: ignore[no-any-return]

    def on_host(self) -> Results:
        """Return the results in NumPy arrays, fetched from the device in use in one transfer."""
        if current() is CPU or self.matches is not None:
            return self
        of_lanes: Column = Bools(self.reasons.view(np.bool_).ravel())  # any bytes will do
        *there, of_lanes = columns_to_host([*self.columns.values(), of_lanes])
        assert isinstance(of_lanes, Bools)
        columns = dict(zip(self.columns, there, strict=True))
        reasons = of_lanes.data.view(np.uint8).reshape(self.reasons.shape)
        return Results(columns, reasons, self.cones, self.host_lanes)

    @classmethod
    def joined(cls, parts: Sequence[Results]) -> Results:
        """Join batches of one program into one batch, with the lanes in the given order."""
        first = parts[0]
        columns = {}
        for name, column in first.columns.items():
            join = getattr(column, "joined", concat)
            columns[name] = join([part.columns[name] for part in parts])
        matches = first.matches and {
            name: np.concatenate([(part.matches or {})[name] for part in parts])
            for name in first.matches
        }
        reasons = np.concatenate([part.reasons for part in parts], axis=1)
        return cls(columns, reasons, first.cones, sum(part.host_lanes for part in parts), matches)

    def decode(self) -> list[tuple[dict[str, Any], dict[int, Reason]]]:
        """Return each lane's outputs and reasons of failures, as the sequential form does."""
        names = list(self.columns)
        columns = [column.decode() for column in self.columns.values()]
        lanes = zip(*columns, strict=True) if columns else [()] * self.reasons.shape[1]
        return [
            (
                dict(zip(names, values, strict=True)),
                {number: Reason(of_lane[number]) for number in np.flatnonzero(of_lane).tolist()},
            )
            for values, of_lane in zip(lanes, to_host(self.reasons).T, strict=True)
        ]


class Call(NamedTuple):
    """An operation of a program: its number, its function, its arguments."""

    number: int
    function: Any
    args: tuple[Any, ...]


class Vectorized:
    """A program's operations, which the program's vectorized form lists, and a run of them.

    calls: The operations in order; a `Target` is an input or an earlier operation's value. outputs:
    A target or a constant for each solver. operations: The number of operations.
    """

    def __init__(
        self,
        language: Language,
        inputs: BatchInputs | Sequence[Sequence[Any]] | None,
        operations: int,
        max_elements: int,
    ) -> None:
        """Begin the list.

        inputs: `BatchInputs`; or a sequence of the sequential form's tuples, an id and the
        language's inputs; or None, to list the operations alone.
        """
        if inputs is not None and not isinstance(inputs, BatchInputs):
            names = enumerate(language.inputs)
            fields = {name: [sample[k + 1] for sample in inputs] for k, name in names}
            inputs = BatchInputs(len(inputs), fields)
        self.language = language
        self.operations = operations
        self.calls: list[Call] = []
        self.outputs: dict[str, Any] = {}
        self._inputs = inputs
        self._max_elements = max_elements

    def input(self, name: str) -> Target:
        return Target(name)

    def call(self, number: int, function: Any, *args: Any) -> Target:
        """Call a primitive or a target on targets and constants, as operation `number`."""
        cone = 1 << number
        for value in (function, *args):
            if isinstance(value, Target):
                cone |= value.cone
        self.calls.append(Call(number, function, args))
        return Target(number, cone)

    def finish(self, outputs: dict[str, Any]) -> Results | Vectorized:
        """Run the operations, if there are inputs. outputs: See `Vectorized`."""
        self.outputs = outputs
        inputs, self._inputs = self._inputs, None
        return self if inputs is None else self.run(inputs, self._max_elements)

    def run(self, inputs: BatchInputs, max_elements: int) -> Results:
        with self.language.in_use():
            return _numbered(self, max_elements).run(inputs)

    @cached_property
    def cones(self) -> dict[str, list[int]]:
        """The numbers of the operations that each solver's output needs, ascending."""
        return {
            name: _numbers_in(value.cone) if isinstance(value, Target) else []
            for name, value in self.outputs.items()
        }


def _numbers_in(cone: int) -> list[int]:
    """List the numbers of the set bits, ascending."""
    octets = np.frombuffer(cone.to_bytes(cone.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()


class NumberedProgram:
    """A program's operations, numbered and merged for an executor."""

    def __init__(self, recorded: Vectorized, max_elements: int) -> None:
        """Number the operations. Raises ValueError if an operation breaks the language's rules."""
        self._recorded = recorded
        self._operations = operations = Operations(recorded.language, max_elements)
        inputs = recorded.language.inputs
        self._inputs = operations.add_inputs(range(1), len(inputs) + 1)
        known: dict[Any, int] = dict(zip(inputs, self._inputs[0].tolist(), strict=False))
        words = [word for call in recorded.calls for word in (call.function, *call.args)]
        words += recorded.outputs.values()
        constants = {id(word): word for word in words if not isinstance(word, Target)}
        known |= zip(constants, operations.constants(constants.values()), strict=True)
        first = recorded.operations + 1

        def number(word: Any) -> int:
            """Number a word: the results of operations, then all other values."""
            source = word.source if isinstance(word, Target) else None
            if isinstance(source, int):
                return source
            return first + known[source or id(word)]

        rows = [
            (call.number, number(call.function), *map(number, call.args))
            for call in recorded.calls
        ]
        returned = list(map(number, recorded.outputs.values()))
        written = Written(
            words=np.fromiter(chain.from_iterable(rows), np.int64),
            lengths=np.array(list(map(len, rows)), dtype=np.int64),
            counts=np.array([len(rows)]),
            returns=np.array(returned[:1] or [0]),
            domains=np.zeros(1, dtype=np.int64),
        )
        others = np.arange(len(operations))
        meanings = np.concatenate([np.full(first, VARIABLE), others])
        _, values = operations.merge(written, meanings, self._inputs)
        if len(values) and values.min() < 0:
            wrong = recorded.calls[int(np.argmin(values))]
            raise ValueError(f"operation {wrong.number} breaks the rules of the language")
        self._numbers = np.zeros(first, dtype=np.int64)
        self._numbers[[call.number for call in recorded.calls]] = values
        of_words = np.concatenate([self._numbers, others])
        self._outputs = dict(zip(recorded.outputs, of_words[returned].tolist(), strict=True))
        self._schedules: dict[tuple[tuple[str, ...], bool], Schedule] = {}

    def run(self, inputs: BatchInputs) -> Results:
        """Run the program on a batch. Raises the scalar form's error if memory is short."""
        names = [name for name in self._outputs if inputs.solvers is None or name in inputs.solvers]
        run = self._on_words if self._recorded.language.of_words else self._on_columns
        return run(inputs, names)

    def _on_columns(self, inputs: BatchInputs, names: list[str]) -> Results:
        """Run an operation at a time in all lanes, on the device in use."""
        recorded, lanes = self._recorded, inputs.lanes
        run = ColumnRun(self._operations, [lanes], keeps=inputs.every, raises=True)
        for name, number in zip(recorded.language.inputs, self._inputs[0].tolist(), strict=False):
            run.inputs[number] = partial(inputs.column, name)
        cones = {name: recorded.cones[name] for name in names}
        mine = sorted(set().union(*cones.values()))
        run.make([self._outputs[name] for name in names])
        numbers = self._numbers[mine].tolist()
        reasons = xp.zeros((recorded.operations + 1, lanes), dtype=xp.uint8)
        for k, number in zip(mine, numbers, strict=True):
            reasons[k] = run.reasons[number]
        if inputs.seconds is not None:
            inputs.seconds[mine] += [run.seconds[number] for number in numbers]
        in_lanes = partial(run.in_lanes, lanes=lanes)
        columns = {name: in_lanes(self._outputs[name]) for name in names}
        kept = partial(self._column, inputs.column, in_lanes) if inputs.every else None
        return Results(columns, reasons, cones, run.host_lanes, column=kept)

    def _on_words(self, inputs: BatchInputs, names: list[str]) -> Results:
        """Make the calls of all lanes."""
        recorded = self._recorded
        executor = self._executor(inputs)
        schedule = self._schedule(executor, tuple(names), inputs.every)
        made = _Made(schedule, inputs, executor)
        seconds = None if inputs.seconds is None else np.zeros(len(schedule.numbers))
        done = executor.run(schedule, made, seconds=seconds)
        if done.lost:
            raise next(iter(done.lost.values()))
        calls = np.full(len(self._operations), -1, dtype=np.int64)
        calls[schedule.numbers] = np.arange(len(schedule.numbers))
        mine = np.flatnonzero(calls[self._numbers] >= 0)
        mine = mine[mine > 0]
        reasons = np.zeros((recorded.operations + 1, inputs.lanes), dtype=np.uint8)
        reasons[mine] = done.reasons.of(self._numbers[mine]).T
        if seconds is not None and inputs.seconds is not None:
            inputs.seconds[mine] += seconds[calls[self._numbers[mine]]]
        return Results(
            {name: made.column(self._outputs[name]) for name in names},
            reasons,
            {name: recorded.cones[name] for name in names},
            done.host_lanes,
            {name: made.matching(self._outputs[name]) for name in names},
            partial(self._column, made.input, made.column) if inputs.every else None,
        )

    def _column(
        self, of_input: Callable[[str], Any], of_value: Callable[[int], Any], target: Target
    ) -> Any:
        """Return the column of a target: of an input by its name, or of a value by its number."""
        source = target.source
        return of_input(source) if isinstance(source, str) else of_value(int(self._numbers[source]))

    def _executor(self, inputs: BatchInputs) -> _Executor:
        given = [
            Input(self._inputs[:, place], partial(_words, inputs, name))
            for place, name in enumerate([*self._recorded.language.inputs, inputs.expected])
            if name is not None
        ]
        if current().asks_together:
            return DeviceExecutor(self._operations, [inputs.lanes], given, inputs.heap)
        return HostExecutor(self._operations, [inputs.lanes], given, workers=inputs.workers)

    def _schedule(self, executor: _Executor, names: tuple[str, ...], every: bool) -> Schedule:
        """Schedule the operations of some solvers. every: Whether all values are wanted."""
        if (names, every) not in self._schedules:
            numbers = [self._outputs[name] for name in names]
            if every:
                cones = map(self._recorded.cones.__getitem__, names)
                numbers += self._numbers[list(set().union(*cones))].tolist()
            wanted = np.unique(np.array(numbers, dtype=np.int64))
            self._schedules[names, every] = executor.schedule(wanted, np.zeros_like(wanted))
        return self._schedules[names, every]


_numbered = lru_cache(maxsize=64)(NumberedProgram)
"""Returns the numbered operations of a program; the results are cached."""


class _Made:
    """The outputs of a batch: flags of matches, and kept values."""

    def __init__(self, schedule: Schedule, inputs: BatchInputs, executor: _Executor) -> None:
        lanes = np.arange(inputs.lanes)
        self._schedule = schedule
        self._inputs = inputs
        self._rows = schedule.rows(np.zeros_like(lanes))
        self._expected = None
        if inputs.expected is not None:  # the last of the inputs
            self._expected = executor.words_of_input(len(executor.inputs) - 1, lanes)
        self._kept = np.full(inputs.lanes, ALL) if inputs.kept is None else inputs.kept
        self._groups = lanes if inputs.groups is None else inputs.groups
        count = int(self._groups.max(initial=-1)) + 1
        self._missed = np.zeros((count, len(schedule.outputs)), dtype=np.bool_)
        self._archive = Heap(executor.operations.language, _WORDS, _ARCHIVES)
        self._words = np.zeros(len(self._rows.lanes), dtype=np.int64)
        self._matches = np.zeros(len(self._rows.lanes), dtype=np.bool_)
        self._places = {number: k for k, number in enumerate(schedule.outputs.tolist())}

    def __call__(self, ready: Ready) -> None:
        rows = slice(ready.first, ready.first + len(ready.words))
        lanes = self._rows.lanes[rows]
        if self._expected is not None:
            self._matches[rows] = ready.values.same(ready.words, self._expected[xp.asarray(lanes)])
        which, right = self._kept[lanes], self._matches[rows]
        groups, outputs = self._groups[lanes], self._rows.outputs[rows]
        wrong = (which == RIGHT) & ~right
        self._missed[groups[wrong], outputs[wrong]] = True
        chosen = np.flatnonzero((which + right >= ALL) & ~self._missed[groups, outputs])
        if len(chosen):
            heap, words = ready.values.on_host(ready.words[xp.asarray(chosen)])
            self._words[rows][chosen] = keep(self._archive, heap, words)

    def column(self, number: int) -> WordColumn:
        """Return the values of an output; 0 in lanes whose value is not kept."""
        return WordColumn(self._archive, self._of_lanes(self._words, number))

    def matching(self, number: int) -> Flags:
        """Flag the lanes in which an output is the expected one; bool (lanes,)."""
        return self._of_lanes(self._matches, number)

    def _of_lanes(self, rows: Flags, number: int) -> Flags:
        return rows[self._rows.firsts + self._places[number]]

    def input(self, name: str) -> WordColumn:
        return WordColumn(self._archive, _words(self._inputs, name, self._archive))


def _words(inputs: BatchInputs, name: str, heap: Heap | DeviceHeap) -> Any:
    """Put the values of an input into a heap. Returns their words, int64 (lanes,)."""
    values = inputs.values[name]
    if heap is inputs.heap and callable(values):
        return values(heap)  # the words are there
    return heap.bring(lambda here: values(here) if callable(values) else here.put_all(values))
