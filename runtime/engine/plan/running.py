"""Running a plan on the lanes of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.batch import Batch, BatchInputs, with_default
from megabatt.runtime.engine.calls.dispatch import call, call_primitive
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.calls.registry import Type
from megabatt.runtime.engine.columns import (
    Column,
    Empty,
    Functions,
    Planned,
    Uniform,
    concat,
    repeated,
    scatter,
)
from megabatt.runtime.engine.device.arrays import Array, Growing, xp
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.engine.device.room import room
from megabatt.runtime.engine.plan.bodies import (
    ARGUMENT,
    BOUND,
    FUNCTION,
    MADE,
    BodyStep,
    Member,
    Source,
    body_plan,
)
from megabatt.runtime.engine.plan.graph import UNKNOWN, Distrusted, Graph, Shape
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
from megabatt.runtime.engine.policy import FUNCTION as FUNCTION_KIND


class Run:
    """The values of a graph on the samples of its domains, made as they are wanted.

    lanes: how many samples each domain has.
    host_lanes: operation-lanes that were computed by scalar code; operation_lanes: all of them.
    """

    def __init__(self, graph: Graph, lanes: Sequence[int]) -> None:
        self.graph = graph
        self.store = Store()
        self.lanes = np.array(lanes, dtype=np.int64)
        self.host_lanes = 0
        self.steps = 0
        self.operation_lanes = 0
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

    def set_input(self, number: int, column: Callable[[], Column]) -> None:
        """Say what gives the column of an input, for the lanes of its domain."""
        self._inputs[number] = column

    def make(self, wanted: Iterable[int]) -> None:
        """Make values, and all that they need."""
        self._make_room()
        made = np.flatnonzero(self._base >= 0).tolist()
        for step in plan_of(self.graph, wanted, made):
            right = self._of_right_types(step)
            if right is not None:
                self.run(right)
        self._failed_at[list(self.graph.never)] = self._all_failed

    def column(self, numbers: Numbers, lanes: Numbers | int) -> Column:
        """The values with these numbers, each for so many lanes, one after the other."""
        return self._gathered(numbers, np.broadcast_to(lanes, numbers.shape))

    def failures(self, operations: Numbers, begins: Numbers, lanes: int) -> np.ndarray[Any, Any]:
        """How many operations failed: of each run of them, in each lane; int64 (runs, lanes).

        begins: shape (runs + 1,), where the runs begin. All operations are of one domain, or none.
        """
        flags = to_host(self._failed.data)
        rows = self._failed_at[operations][:, None] + np.arange(lanes)
        sums = np.concatenate([np.zeros((1, lanes), np.int64), flags[rows].cumsum(axis=0)])
        return sums[begins[1:]] - sums[begins[:-1]]  # type: ignore[no-any-return]

    def failed(self, number: int, lanes: int) -> np.ndarray[Any, Any]:
        """In which of so many lanes an operation has failed; bool (lanes,)."""
        at = int(self._failed_at[number])
        return to_host(self._failed.data[at : at + lanes])

    # ---- steps

    def _of_right_types(self, step: Step) -> Step | None:
        """The step without the operations that the layouts of their arguments tell to fail.

        Those get their safe default here. None where nothing is left.
        """
        self._make_room()
        if step.primitive is None:
            return step
        right = np.ones(len(step.numbers), dtype=np.bool_)
        for declared, argument in zip(step.primitive.types, step.arguments, strict=True):
            if isinstance(argument, Given):
                tags = self._tags_of(argument.numbers)
                for tag in np.unique(tags).tolist():
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
        """Whether no value of a layout is of a type."""
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
        """Make an operation that is too much for all lanes at once, in parts."""
        n = int(counts.sum())
        batch = Batch(self.graph.language, BatchInputs(n, {}), 1, self.graph.max_elements)
        columns = [self._argument(_built(argument), step, counts) for argument in step.arguments]
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
            columns = [self._argument(argument, step, counts) for argument in step.arguments]
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

    def _argument(self, argument: Argument, step: Step, counts: Numbers) -> Column:
        n = int(counts.sum())
        match argument:
            case Constant(value):
                return Uniform(value, n)
            case Given(numbers):
                return self._gathered(numbers, counts)
            case Built(shape, bound):
                columns = [self._gathered(numbers, counts) for numbers in bound]
                return built(shape, columns, n)
            case Called(shapes, which, bound):
                makers = [partial(self._gathered, numbers, counts) for numbers in bound]
                return planned(shapes, np.repeat(which, counts), Bound(makers, None), True)

    def _distrust(self, column: Column, numbers: Numbers, counts: Numbers) -> None:
        """Raise Distrusted where an operation gave functions that was taken to give none."""
        assumed = np.array([n in self.graph.assumed for n in numbers.tolist()])
        distrust_functions(column.take(xp.asarray(np.flatnonzero(np.repeat(assumed, counts)))))

    def _gathered(self, numbers: Numbers, counts: Numbers) -> Column:
        """Values one after the other, each for so many lanes."""
        distinct, which = np.unique(numbers, return_inverse=True)
        lanes = int(counts[0])
        if 2 * len(distinct) > len(numbers) or (counts != lanes).any():
            return self._fetched(numbers, counts)
        fetched = self._fetched(distinct, np.full(len(distinct), lanes))
        return fetched.take(xp.asarray((which[:, None] * lanes + np.arange(lanes)).ravel()))

    def _fetched(self, numbers: Numbers, counts: Numbers) -> Column:
        tags = self._tags_of(numbers)
        tag = int(tags[0]) if (tags == tags[0]).all() else MIXED
        strides = self._stride[numbers]
        if strides.all():
            rows = _rows(self._base[numbers], counts)
        else:
            within = _rows(np.zeros_like(counts), counts)
            rows = np.repeat(self._base[numbers], counts) + np.repeat(strides, counts) * within
        return self.store.get(xp.asarray(rows), tag)

    def _tags_of(self, numbers: Numbers) -> Numbers:
        """The layout of each of these values, or `MIXED`. Puts constants into the store."""
        for number in numbers[self._base[numbers] < 0].tolist():
            if self._base[number] < 0:
                self._put(number)
        return self._tags[numbers]

    def _put(self, number: int) -> None:
        """Give an input, a constant or a function that is known its rows."""
        if number in self._inputs:
            column = self._inputs[number]()
            if number in self.graph.assumed:
                distrust_functions(column)
            self._base[number], self._tags[number] = self.store.put(column)
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

    def _counts(self, numbers: Numbers) -> Numbers:
        """How many lanes each of these values has."""
        if len(self.lanes) == 1:
            return np.full(len(numbers), self.lanes[0])
        domains = self.graph.domains
        return self.lanes[[domains[n] for n in numbers.tolist()]]

    def _make_room(self) -> None:
        """Have an entry for each value of the graph."""
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
    """An argument for one operation, a function as a column that anything can be done with."""
    if isinstance(argument, Called):
        return Built(argument.shapes[int(argument.which[0])], argument.bound)
    return argument


def _rows(first: Numbers, counts: Numbers) -> Numbers:
    """The rows of runs that begin at these and are of these lengths."""
    offsets = np.cumsum(counts) - counts
    total = int(counts.sum())
    return np.repeat(first - offsets, counts) + np.arange(total)


# ---- functions


class Bound:
    """What functions bind: a column for each place, made when it is first asked for.

    lanes: of those columns, which each function's is; None where they are one and the same.
    """

    def __init__(self, columns: Sequence[Any], lanes: Array | None) -> None:
        self._makers = list(columns)
        self._made: dict[int, Column] = {}
        self.lanes = lanes

    def column(self, place: int) -> Column:
        if place not in self._made:
            self._made[place] = self._makers[place]()
        column = self._made[place]
        return column if self.lanes is None else repeated(column, self.lanes)

    def taken(self, lanes: Array) -> Bound:
        """What the functions of these lanes bind."""
        other = Bound(self._makers, lanes if self.lanes is None else self.lanes[lanes])
        other._made = self._made
        return other


def planned(shapes: tuple[Shape, ...], which: Array, bound: Bound, trusting: bool) -> Planned:
    """A column of known functions; which: the shape of each lane's, int64 (n,).

    trusting: as of `Graph`.
    """
    sizes = [_size(shape) for shape in shapes]
    alike = len(set(sizes)) == 1
    depth = max(_depth(shape) for shape in shapes)
    return Planned(
        partial(_call_planned, shapes, xp.asarray(which), bound, trusting),
        xp.arange(len(which), dtype=xp.int64),
        sizes[0] if alike else xp.asarray(np.array(sizes, dtype=np.int64))[which],
        depth,
    )


def _size(shape: Shape) -> int:
    return shape[2] if isinstance(shape, tuple) else 1


def _depth(shape: Shape) -> int:
    return shape[3] if isinstance(shape, tuple) else 0


def built(shape: Shape, bound: list[Column], lanes: int) -> Column:
    """The column of functions of a shape that bind these columns."""
    if isinstance(shape, int):
        return bound[shape]
    if not isinstance(shape, tuple):
        return Uniform(shape, lanes)
    made_by, arity, size, _, parts = shape
    return Functions(made_by, arity, [built(part, bound, lanes) for part in parts], size)


def _call_planned(
    shapes: tuple[Shape, ...],
    which: Array,
    bound: Bound,
    trusting: bool,
    frame: Frame,
    lanes: Array,
    args: list[Column],
) -> Column:
    """Call each lane's function: those of all shapes together."""
    n = frame.n
    if not n:
        return Empty()
    shape_of = which[lanes]
    counts = to_host(xp.bincount(shape_of, minlength=len(shapes)))
    present = np.flatnonzero(counts)
    of_present = tuple([shapes[k] for k in present.tolist()])
    order = None
    if (shape_of[1:] < shape_of[:-1]).any():
        order = xp.argsort(shape_of, kind="stable")
    taken = bound.taken(lanes if order is None else lanes[order])
    ordered = args if order is None else [column.take(order) for column in args]
    bodies = _Bodies(frame, of_present, counts[present], taken, ordered, order)
    try:
        return bodies.made(trusting)
    except Distrusted:
        if len(present) == 1:
            return bodies.made(trusting=False)
    parts = []
    upper = shape_of >= int(present[len(present) // 2])
    for index in (xp.flatnonzero(~upper), xp.flatnonzero(upper)):
        child = frame.child(index)
        of_part = [column.take(index) for column in args]
        made = _call_planned(shapes, which, bound, trusting, child, lanes[index], of_part)
        frame.close(child, index)
        parts.append((index, made))
    return scatter(parts, n)


class _Bodies:
    """One call of functions of several shapes, the lanes of each shape together.

    counts: the lanes of each shape. order: which of the frame's lanes each is; None where they are
    one and the same.
    """

    def __init__(
        self,
        frame: Frame,
        shapes: tuple[Shape, ...],
        counts: Numbers,
        bound: Bound,
        args: list[Column],
        order: Array | None,
    ) -> None:
        self._frame = frame
        self._counts = counts
        self._starts = np.cumsum(counts) - counts
        self._bound = bound
        self._args = args
        self._order = order
        self._shapes = shapes

    def made(self, trusting: bool) -> Column:
        """What the calls give; what they spend and where they fail is noted on the frame.

        trusting: as of `Graph`. Raises `Distrusted`, and nothing is noted.
        """
        self._trusting = trusting
        self._plan = body_plan(self._shapes, len(self._args), trusting)
        self._columns: list[Column] = []
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        self._failed: Array | None = None
        self._spent: Array | None = None
        self._host: Array | None = None
        for place in self._plan.assumed:
            distrust_functions(self._args[place])
        if any(self._plan.charges):
            self._spent = xp.asarray(np.repeat(np.array(self._plan.charges), self._counts))
        for step in self._plan.steps:
            self._run(step)
        result = self._result()
        frame, order = self._frame, self._order
        if self._spent is not None:
            frame.charge(self._as_before(self._spent))
        if self._failed is not None:
            frame.fail(self._as_before(self._failed))
        if self._host is not None:
            frame.note_host(xp.flatnonzero(self._as_before(self._host)))
        if order is None:
            return result
        return result.take(self._as_before(xp.arange(frame.n)))

    def _as_before(self, values: Array) -> Array:
        """Values of the lanes, which lie by shape, as the frame has them."""
        if self._order is None:
            return values
        out = xp.empty_like(values)
        out[self._order] = values
        return out

    def _run(self, step: BodyStep) -> None:
        functions = [member.function for member in step.members]
        counts = self._counts[functions]
        n = int(counts.sum())
        offsets = np.cumsum(counts) - counts
        for member, offset in zip(step.members, offsets.tolist(), strict=True):
            self._places[member] = (len(self._columns), offset)
        every = n == self._frame.n and functions == list(range(len(self._counts)))
        lanes = None if every else xp.asarray(_rows(self._starts[functions], counts))
        columns = [self._source(source, step, lanes, n) for source in step.sources]
        operation = Operation(n, self._frame.operation.max_elements)
        frame = Frame(operation, n)
        if step.primitive is None:
            column = call(frame, columns[0], columns[1:])
        else:
            column = call_primitive(frame, step.primitive, columns)
        if step.assumed:
            distrust_functions(column)
        self._columns.append(column)
        if operation.charged:
            self._spend(step, operation, counts, offsets, lanes)
        if frame.flagged:
            self._failed = self._flagged(self._failed, frame.failed, lanes)
        if operation.host is not None:
            self._host = self._flagged(self._host, operation.host, lanes)

    def _source(self, source: Source, step: BodyStep, lanes: Array | None, n: int) -> Column:
        kind, detail = source
        if kind == ARGUMENT:
            column = self._args[detail]
            return column if lanes is None else column.take(lanes)
        if kind == BOUND:
            return (self._bound if lanes is None else self._bound.taken(lanes)).column(detail)
        if kind == MADE:
            return self._made_for(step, detail)
        functions, called = detail
        most = max(len(function.sources) for function in functions)
        makers = [
            partial(self._each, step, [_at(f.sources, place) for f in functions], lanes, n)
            for place in range(most)
        ]
        if not called:
            return built(functions[0].shape, [make() for make in makers], n)
        distinct: dict[Shape, int] = {}
        which = [distinct.setdefault(function.shape, len(distinct)) for function in functions]
        counts = self._counts[[member.function for member in step.members]]
        return planned(
            tuple(distinct), np.repeat(np.array(which), counts), Bound(makers, None), self._trusting
        )

    def _each(self, step: BodyStep, sources: list[Source], lanes: Array | None, n: int) -> Column:
        """The values that each member has from a source of its own, for the lanes of a step."""
        first = sources[0]
        if first[0] != MADE and all(source == first for source in sources):
            return self._source(first, step, lanes, n)
        members = step.members
        if all(kind == MADE for kind, _ in sources):
            made = [Member(m.function, d) for m, (_, d) in zip(members, sources, strict=True)]
            return self._made_for(step, made)
        pieces = []
        for member, (kind, detail) in zip(members, sources, strict=True):
            f = member.function
            if kind == MADE:
                pieces.append(self._pieced([(*self._places[f, detail], int(self._counts[f]))]))
            else:
                start = int(self._starts[f])
                within = xp.arange(start, start + int(self._counts[f]), dtype=xp.int64)
                pieces.append(self._source((kind, detail), step, within, len(within)))
        return concat(pieces)

    def _made_for(self, step: BodyStep, made: Sequence[Any]) -> Column:
        """The values that members made, for the lanes of as many members of a step."""
        places = [(*self._places[member], int(self._counts[member.function])) for member in made]
        return self._pieced(places)

    def _pieced(self, places: list[tuple[int, int, int]]) -> Column:
        """Runs of lanes of columns one after the other: number of the column, first lane, count."""
        used = sorted({number for number, _, _ in places})
        columns = [self._columns[number] for number in used]
        bases = dict(zip(used, np.cumsum([0, *map(len, columns)]).tolist(), strict=False))
        joined = columns[0] if len(columns) == 1 else concat(columns)
        first = np.array([bases[number] + offset for number, offset, _ in places])
        counts = np.array([count for _, _, count in places])
        if counts.sum() == len(joined) and (first == np.cumsum(counts) - counts).all():
            return joined
        return joined.take(xp.asarray(_rows(first, counts)))

    def _result(self) -> Column:
        """What each lane's function gives."""
        results = self._plan.results
        if all(kind == MADE for kind, _ in results):
            return self._pieced(
                [
                    (*self._places[f, number], int(self._counts[f]))
                    for f, (_, number) in enumerate(results)
                ]
            )
        pieces = []
        for f, (kind, detail) in enumerate(results):
            start, count = int(self._starts[f]), int(self._counts[f])
            lanes = xp.arange(start, start + count, dtype=xp.int64)
            step = BodyStep(None, (Member(f, -1),), (1,), (), False)
            if kind == FUNCTION:
                detail = ((detail,), False)
            elif kind == MADE:
                detail = (Member(f, detail),)
            pieces.append(self._source((kind, detail), step, lanes, count))
        return concat(pieces)

    def _spend(
        self, step: BodyStep, operation: Operation, counts: Numbers, offsets: Numbers,
        lanes: Array | None,
    ) -> None:  # fmt: skip
        spent = operation.max_elements - operation.remaining
        if any(times != 1 for times in step.times):
            spent = spent * xp.asarray(np.repeat(np.array(step.times, dtype=np.int64), counts))
        if self._spent is None:
            if lanes is None:
                self._spent = spent
                return
            self._spent = xp.zeros(self._frame.n, dtype=xp.int64)
        for member, count, offset in zip(
            step.members, counts.tolist(), offsets.tolist(), strict=True
        ):
            at = int(self._starts[member.function])
            self._spent[at : at + count] += spent[offset : offset + count]

    def _flagged(self, before: Array | None, flags: Array, lanes: Array | None) -> Array:
        if lanes is None:
            return flags if before is None else before | flags
        flagged = xp.zeros(self._frame.n, dtype=xp.bool_) if before is None else before.copy()
        flagged[lanes[xp.flatnonzero(flags)]] = True
        return flagged


def _at(sources: tuple[Source, ...], place: int) -> Source:
    """A function's source there; where it binds less, one that any lane has."""
    return sources[place] if place < len(sources) else (ARGUMENT, 0)


def distrust_functions(column: Column) -> None:
    """Raise Distrusted where functions may be among a column's values."""
    if any(part.kind == FUNCTION_KIND or part.on_host for _, part in column.split()):
        raise Distrusted
