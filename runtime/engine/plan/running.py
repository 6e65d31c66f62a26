"""Running a plan on the lanes of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.concurrent import Target
from megabatt.runtime.engine.calls.dispatch import call, call_primitive
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.calls.registry import Type
from megabatt.runtime.engine.calls.vectorized import BatchInputs, Vectorized, with_default
from megabatt.runtime.engine.columns import Column, Empty, Uniform, same
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.arrays import Array, Growing, xp
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.engine.device.room import room
from megabatt.runtime.engine.plan.bodies import called_places
from megabatt.runtime.engine.plan.calling import (
    built,
    distrust_functions,
    functions_of,
    planned_of,
    rows_of,
)
from megabatt.runtime.engine.plan.graph import UNKNOWN, Graph
from megabatt.runtime.engine.plan.plan import (
    Argument,
    Built,
    Called,
    Constant,
    Given,
    Numbers,
    Step,
    plan_of,
)
from megabatt.runtime.engine.plan.store import MIXED, Store

_WORTH_GROUPING = 10
"""How many operations steps must have on average: a step costs more than an operation."""

_FEW_LANES = 12
"""The most lanes, on average, at which grouping pays: with more, work outweighs overhead."""


Columns = Callable[[Sequence[int]], Column]
"""Gives the column of an input for the samples of some domains, one domain's after the other's."""


class Run:
    """The values of a graph on the samples of its domains, made as they are wanted.

    lanes: how many samples each domain has.
    host_lanes: operation-lanes that were computed by scalar code; operation_lanes: all of them.
    """

    def __init__(self, graph: Graph, lanes: Sequence[int], grouped: bool | None = None) -> None:
        """Prepare a run.

        grouped: whether operations of one primitive are made together; None: where it pays.
        """
        self.graph = graph
        self._grouped = grouped
        self.store = Store()
        self.lanes = np.array(lanes, dtype=np.int64)
        self.host_lanes = 0
        self.steps = 0
        self.operation_lanes = 0
        self.lost: dict[int, str] = {}  # what is not computed raises
        self._never_noted = 0
        self._inputs: dict[int, Callable[[], Column]] = {}
        self._wrong: dict[tuple[Type, int], bool] = {}
        self._base = np.full(0, -1, dtype=np.int64)
        self._stride = np.zeros(0, dtype=np.int64)
        self._tags = np.zeros(0, dtype=np.int64)
        self._failed_at = np.zeros(0, dtype=np.int64)
        self._failed = Growing(xp.bool_)
        most = int(self.lanes.max())
        self._failed.add(xp.zeros(most, dtype=xp.bool_))  # of what never fails, from row 0 on
        self._all_failed = self._failed.add(xp.ones(most, dtype=xp.bool_))

    @property
    def bytes_kept(self) -> int:
        """About how much memory the values take."""
        return self.store.nbytes

    def set_inputs(self, numbers: Sequence[int], column: Columns) -> None:
        """Set what gives the columns of an input: its number in each domain, and see `Columns`."""
        for domain, number in enumerate(numbers):
            self._inputs[number] = partial(column, [domain])

    def make(self, wanted: Iterable[int]) -> None:
        """Make values, and all that they need. The language handles overflow of floats."""
        with np.errstate(all="ignore"):
            self._make(list(wanted))

    def _make(self, wanted: list[int]) -> None:
        self._make_room()
        steps = plan_of(self.graph, wanted, self._is_made)
        if not self._pays(steps):
            self._make_alone(wanted)
        else:
            for step in steps:
                right = self._of_right_types(step)
                if right is not None:
                    self.run(right)
        never = self.graph.never
        self._failed_at[never[self._never_noted :]] = self._all_failed
        self._never_noted = len(never)

    def _is_made(self, number: int) -> bool:
        return bool(self._base[number] >= 0)

    def _pays(self, steps: list[Step]) -> bool:
        """Tell whether to make operations by these steps."""
        if self._grouped is not None:
            return self._grouped
        operations = sum(len(step.numbers) for step in steps)
        few = self.lanes.mean() <= _FEW_LANES
        return bool(few and operations >= _WORTH_GROUPING * len(steps))

    def _make_alone(self, wanted: list[int]) -> None:
        """Make values one operation after the other."""
        graph = self.graph
        of_domain: dict[int, set[int]] = {}
        for number in graph.lacking(wanted, self._is_made):
            of_domain.setdefault(graph.domains[number], set()).add(number)
        ends = set(wanted)
        for domain, operations in of_domain.items():
            lanes = int(self.lanes[domain])
            numbers = sorted(operations)
            inputs = BatchInputs(lanes, {})
            inputs.by_machine = False
            batch = Vectorized(graph.language, inputs, len(numbers), graph.max_elements)
            targets: dict[int, Any] = {}
            for place, number in enumerate(numbers, 1):
                operands = graph.operands[number] or ()
                values = [self._value_alone(k, targets, lanes) for k in operands]
                targets[number] = batch.call(place, *values)
            batch.finish({})
            for place, number in enumerate(numbers, 1):
                column = targets[number].column
                if number in graph.assumed:
                    distrust_functions(column)
                self._failed_at[number] = self._failed.add(batch.failed[place])
                if number in ends:
                    self._base[number], self._tags[number] = self.store.put(column)
                    self._stride[number] = 1
            self.steps += len(numbers)
            self.operation_lanes += lanes * len(numbers)
            self.host_lanes += batch.host_lanes

    def _value_alone(self, number: int, targets: dict[int, Any], lanes: int) -> Any:
        """Return an operand as `Vectorized.call` takes it: an operation's result as a target."""
        if number in targets:
            return targets[number]
        if self._is_made(number) and self.graph.domains[number] >= 0:
            column = self._gathered(np.array([number]), np.array([lanes]))
            targets[number] = Target(column, "made", 0)
            return targets[number]
        if number in self._inputs:
            targets[number] = Target(self._input(number), "input", 0)
            return targets[number]
        value = self.graph.values[number]
        return value if self.graph.operands[number] is None else Target(Uniform(value, lanes), 0, 0)

    def column(self, numbers: Numbers, lanes: Numbers | int) -> Column:
        """Return the values with these numbers, one after the other. lanes: of each, or of all."""
        return self._gathered(numbers, np.broadcast_to(lanes, numbers.shape))

    def picked(self, numbers: Numbers, lanes: Numbers) -> Column:
        """Return values, each in a lane. numbers, lanes: int64 (n,)."""
        self._tags_of(numbers)
        return self.store.get(xp.asarray(self._base[numbers] + self._stride[numbers] * lanes))

    def picked_on_host(self, numbers: Numbers, lanes: Numbers) -> Column:
        """Return values, each in a lane, on the host. numbers, lanes: int64 (n,)."""
        (column,) = columns_to_host([self.picked(numbers, lanes).compact()])
        return column

    def are_same(self, numbers: Numbers, others: Numbers, lanes: Numbers) -> np.ndarray[Any, Any]:
        """Flag where two values are the same, each two in a lane; bool (n,)."""
        columns = self.picked(numbers, lanes), self.picked(others, lanes)
        return to_host(same(*columns, self.graph.language.same))

    def failures(self, operations: Numbers, begins: Numbers, lanes: int) -> np.ndarray[Any, Any]:
        """Count the operations that failed, of each run, in each lane; int64 (runs, lanes).

        begins: shape (runs + 1,), where the runs begin. All operations are of one domain, or none.
        """
        flags = to_host(self._failed.data)
        rows = self._failed_at[operations][:, None] + np.arange(lanes)
        sums = np.concatenate([np.zeros((1, lanes), np.int64), flags[rows].cumsum(axis=0)])
        return sums[begins[1:]] - sums[begins[:-1]]  # type: ignore[no-any-return]

    def failed(self, number: int, lanes: int) -> np.ndarray[Any, Any]:
        """Flag the lanes in which an operation has failed; bool (lanes,)."""
        at = int(self._failed_at[number])
        return to_host(self._failed.data[at : at + lanes])

    # ---- steps

    def _of_right_types(self, step: Step) -> Step | None:
        """Return the step without the operations whose arguments' layouts already make them fail.

        Those get their safe default here. None where nothing is left.
        """
        self._make_room()
        if step.primitive is None:
            return step
        right = np.ones(len(step.numbers), dtype=np.bool_)
        for declared, argument in zip(step.primitive.types, step.arguments, strict=True):
            if isinstance(argument, Given):
                tags = self._tags_of(argument.numbers)
                for tag in set(tags.tolist()):
                    if tag != MIXED and self._never(declared, tag):
                        right &= tags != tag
        if right.all():
            return step
        wrong = step.numbers[~right]
        default = self.graph.constant(step.default)
        self._make_room()
        self._tags_of(np.array([default]))
        self._base[wrong], self._tags[wrong] = self._base[default], self._tags[default]
        self._failed_at[wrong] = self._all_failed
        return step.part(np.flatnonzero(right)) if right.any() else None

    def _never(self, declared: Type, tag: int) -> bool:
        """Tell whether no value of a layout is of a type."""
        key = (declared, tag)
        never = self._wrong.get(key)
        if never is None:
            column = self.store.one_of(tag)
            never = self._wrong[key] = column is not None and declared.cast(column).never
        return never

    def run(self, step: Step) -> None:
        """Make the operations of a step."""
        counts = self._counts(step.numbers)
        try:
            column, frame = self._operate(step, counts)
        except (MemoryError, RecursionError) as error:
            if current().exhausted(error):
                raise
            if len(step.numbers) < 2:
                self._run_alone(step, counts)
                return
            half = len(step.numbers) // 2
            self.run(step.part(np.arange(half)))
            self.run(step.part(np.arange(half, len(step.numbers))))
            return
        host = frame.operation.host
        self._note(step, counts, column, frame.failed, 0 if host is None else int(host.sum()))

    def _run_alone(self, step: Step, counts: Numbers) -> None:
        """Make an operation in parts, as it is too much for all lanes at once."""
        n = int(counts.sum())
        inputs = BatchInputs(n, {})
        inputs.by_machine = False
        batch = Vectorized(self.graph.language, inputs, 1, self.graph.max_elements)
        columns = [self._argument(_built(argument), counts) for argument in step.arguments]
        if step.primitive is not None:
            columns.insert(0, Uniform(step.primitive.function, n))
        column, _ = batch.operate(1, columns[0], columns[1:])
        failed = batch.failed[1]
        column = with_default(column, failed, step.default)
        self._note(step, counts, column, failed, batch.host_lanes)

    def _note(
        self, step: Step, counts: Numbers, column: Column, failed: Array, host_lanes: int
    ) -> None:
        """Keep what a step has made."""
        numbers = step.numbers
        if not self.graph.assumed.isdisjoint(numbers.tolist()):
            self._distrust(column, numbers, counts)
        first, tag = self.store.put(column)
        offsets = np.cumsum(counts) - counts
        self._base[numbers] = first + offsets
        self._stride[numbers] = 1
        self._tags[numbers] = self.store.tags_of(first, counts) if tag == MIXED else tag
        self._failed_at[numbers] = self._failed.add(failed) + offsets
        self.steps += 1
        self.operation_lanes += len(failed)
        self.host_lanes += host_lanes

    def _operate(self, step: Step, counts: Numbers) -> tuple[Column, Frame]:
        n = int(counts.sum())
        frame = Frame(Operation(n, self.graph.max_elements), n)
        if not n:
            return Empty(), frame
        room.limited = True
        try:
            columns = [self._argument(argument, counts) for argument in step.arguments]
            for place in called_places(step.primitive):
                columns[place] = planned_of(columns[place])
            if step.primitive is None:
                column = call(frame, columns[0], columns[1:])
            else:
                column = call_primitive(frame, step.primitive, columns)
            column = column.gathered()
        finally:
            room.limited = False
        if frame.lost:
            return Uniform(step.default, n), frame
        if frame.flagged:
            column = with_default(column, frame.failed, step.default)
        return column, frame

    def _argument(self, argument: Argument, counts: Numbers) -> Column:
        match argument:
            case Constant(value):
                return Uniform(value, int(counts.sum()))
            case Given(numbers):
                return self._gathered(numbers, counts)
            case _:
                rows = partial(self._rows, counts=counts)
                return functions_of(argument, rows, self.store.get, counts)

    def _distrust(self, column: Column, numbers: Numbers, counts: Numbers) -> None:
        """Raise Distrusted where an operation that was assumed to give no functions gave some."""
        assumed = np.array([n in self.graph.assumed for n in numbers.tolist()])
        distrust_functions(column.take(xp.asarray(np.flatnonzero(np.repeat(assumed, counts)))))

    def _gathered(self, numbers: Numbers, counts: Numbers) -> Column:
        """Return values one after the other. counts: the lanes of each."""
        lanes = int(counts[0])
        if (counts != lanes).any():
            return self.store.get(self._rows(numbers, counts))
        within = np.arange(lanes)
        places: dict[int, int] = {}
        which = [places.setdefault(number, len(places)) for number in numbers.tolist()]
        if 2 * len(places) > len(which):
            return self._fetched(numbers, within)
        fetched = self._fetched(np.array(list(places)), within)
        return fetched.take(xp.asarray((np.array(which)[:, None] * lanes + within).ravel()))

    def _rows(self, numbers: Numbers, counts: Numbers) -> Array:
        """Return the rows of values. counts: the lanes of each."""
        self._tags_of(numbers)
        within = rows_of(np.zeros_like(counts), counts)
        base, stride = self._base[numbers], self._stride[numbers]
        return xp.asarray(np.repeat(base, counts) + np.repeat(stride, counts) * within)

    def _fetched(self, numbers: Numbers, within: Numbers) -> Column:
        """Return values one after the other. within: the lanes of each."""
        tags = self._tags_of(numbers)
        tag = int(tags[0]) if (tags == tags[0]).all() else MIXED
        rows = self._base[numbers][:, None] + self._stride[numbers][:, None] * within
        return self.store.get(xp.asarray(rows.ravel()), tag)

    def _tags_of(self, numbers: Numbers) -> Numbers:
        """Return the layout of each value, or `MIXED`. Puts values without rows into the store."""
        if (self._base[numbers] < 0).any():
            for number in set(numbers[self._base[numbers] < 0].tolist()):
                self._put(number)
        return self._tags[numbers]

    def _put(self, number: int) -> None:
        """Store an input, a constant or a known function, and note its rows."""
        if number in self._inputs:
            self._base[number], self._tags[number] = self.store.put(self._input(number))
            self._stride[number] = 1
            return
        value = self.graph.values[number]
        assert value is not UNKNOWN, f"value {number} is not made"
        if number not in self.graph.open:
            self._base[number], self._tags[number] = self.store.put(Uniform(value, 1))
            return
        known = self.graph.known(number)
        assert known is not None
        counts = self._counts(np.array([number]))
        columns = [self._gathered(np.array([k]), counts) for k in known.bound]
        column = built(known.shape, columns, int(counts[0]))
        self._base[number], self._tags[number] = self.store.put(column)
        self._stride[number] = 1

    def _input(self, number: int) -> Column:
        """Return the column of an input."""
        column = self._inputs[number]()
        if number in self.graph.assumed:
            distrust_functions(column)
        return column

    def _counts(self, numbers: Numbers) -> Numbers:
        """Return how many lanes each of these values has."""
        if len(self.lanes) == 1:
            return np.full(len(numbers), self.lanes[0])
        domains = self.graph.domains
        return self.lanes[[domains[n] for n in numbers.tolist()]]

    def _make_room(self) -> None:
        """Grow the tables to an entry for each value of the graph."""
        known, now = len(self._base), len(self.graph)
        if now <= known:
            return
        grown = np.full(now + now // 2, -1)
        grown[:known] = self._base
        self._base = grown
        self._stride = np.resize(self._stride, len(grown))
        self._stride[known:] = 0
        self._tags = np.resize(self._tags, len(grown))
        self._failed_at = np.resize(self._failed_at, len(grown))
        self._failed_at[known:] = 0


def _built(argument: Argument) -> Argument:
    """Return the argument of one operation. A function becomes a column for any use."""
    if isinstance(argument, Called):
        return Built(argument.shapes[int(argument.which[0])], argument.bound)
    return argument
