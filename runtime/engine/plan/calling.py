"""Calls of known functions, in all lanes and of all shapes together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.dispatch import call, call_primitive, fill_in
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.columns import (
    Column,
    Empty,
    Functions,
    Planned,
    Uniform,
    Union,
    concat,
    repeated,
    scatter,
)
from megabatt.runtime.engine.device.arrays import Array, where_set, xp
from megabatt.runtime.engine.device.device import to_host
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
from megabatt.runtime.engine.plan.graph import Distrusted, Shape, function_of, shape_of
from megabatt.runtime.engine.plan.plan import Built, Called, Numbers
from megabatt.runtime.engine.policy import FUNCTION as FUNCTION_KIND
from megabatt.runtime.engine.values import fails


def rows_of(first: Numbers, counts: Numbers) -> Numbers:
    """List the rows of runs. first: where each run begins; counts: how long it is."""
    offsets = np.cumsum(counts) - counts
    total = int(counts.sum())
    return np.repeat(first - offsets, counts) + np.arange(total)


class Bound:
    """What functions bind: a column for each place, made when it is first asked for.

    lanes: the lane of the columns that belongs to each function; None where it is the same lane.
    """

    def __init__(self, columns: Sequence[Any], lanes: Array | None) -> None:
        self._makers = list(columns)
        self._made: dict[int, Column] = {}
        self.lanes = lanes

    def __len__(self) -> int:
        return len(self._makers)

    def column(self, place: int) -> Column:
        if place not in self._made:
            self._made[place] = self._makers[place]()
        column = self._made[place]
        return column if self.lanes is None else repeated(column, self.lanes)

    def taken(self, lanes: Array) -> Bound:
        """Return what the functions of these lanes bind."""
        other = Bound(self._makers, lanes if self.lanes is None else self.lanes[lanes])
        other._made = self._made
        return other

    def called(self, lanes: Array) -> Bound:
        """Return what these lanes' functions bind, for calls that are made together."""
        return self.taken(lanes)


class BoundRows(Bound):
    """Bound values that lie in rows. They are laid out only for the functions that are called.

    rows: for each place, the row of each function's value; int64 (functions,). get: gives the
    column of rows.
    """

    def __init__(self, rows: Sequence[Array], get: Callable[[Array], Column]) -> None:
        super().__init__([partial(get, of_place) for of_place in rows], None)
        self._rows = rows
        self._get = get

    def called(self, lanes: Array) -> Bound:
        if not self._rows:
            return self
        are_called = xp.zeros(len(self._rows[0]), dtype=xp.bool_)
        are_called[lanes] = True
        kept = where_set(are_called)
        position = xp.cumsum(are_called) - 1
        return Bound(
            [partial(self._get, of_place[kept]) for of_place in self._rows], position[lanes]
        )


def planned(shapes: tuple[Shape, ...], which: Array, bound: Bound, trusting: bool) -> Planned:
    """Make a column of known functions. which: the shape of each lane's function, int64 (n,).

    trusting: as of `Graph`.
    """
    sizes = [_size(shape) for shape in shapes]
    alike = len(set(sizes)) == 1
    depth = max(_depth(shape) for shape in shapes)
    return Planned(
        partial(_call_planned, shapes, which, bound, trusting),
        partial(_values_of, shapes, which, bound),
        xp.arange(len(which), dtype=xp.int64),
        sizes[0] if alike else xp.asarray(np.array(sizes, dtype=np.int64))[which],
        depth,
    )


def _size(shape: Shape) -> int:
    return shape[2] if isinstance(shape, tuple) else 1


def _depth(shape: Shape) -> int:
    return shape[3] if isinstance(shape, tuple) else 0


def built(shape: Shape, bound: list[Column], lanes: int) -> Column:
    """Make the column of functions of a shape that bind these columns."""
    if isinstance(shape, int):
        return bound[shape]
    if not isinstance(shape, tuple):
        return Uniform(shape, lanes)
    made_by, arity, size, _, parts = shape
    return Functions(made_by, arity, [built(part, bound, lanes) for part in parts], size)


def functions_of(
    argument: Built | Called,
    rows: Callable[[Numbers], Array],
    get: Callable[[Array], Column],
    counts: Numbers,
) -> Column:
    """Make the column of an argument that is a known function, for several operations.

    rows: gives the rows of bound values by their numbers, one number for each operation. get: gives
    the column of rows. counts: int64 (operations,), how many lanes each operation has.
    """
    of_places = [rows(numbers) for numbers in argument.bound]
    if isinstance(argument, Built):
        return built(argument.shape, list(map(get, of_places)), int(counts.sum()))
    which = xp.asarray(np.repeat(argument.which, counts))
    return planned(argument.shapes, which, BoundRows(of_places, get), trusting=True)


def _call_planned(
    shapes: tuple[Shape, ...],
    which: Array,
    bound: Bound,
    trusting: bool,
    frame: Frame,
    lanes: Array,
    args: list[Column],
) -> Column:
    """Call each lane's function, those of all shapes together."""
    n = frame.n
    if not n:
        return Empty()
    shape_of = to_host(which[lanes])
    counts = np.bincount(shape_of, minlength=len(shapes))
    present = np.flatnonzero(counts)
    of_present = tuple([shapes[k] for k in present.tolist()])
    order = None
    if (shape_of[1:] < shape_of[:-1]).any():
        order = xp.asarray(np.argsort(shape_of, kind="stable"))
    taken = bound.called(lanes if order is None else lanes[order])
    ordered = args if order is None else [column.take(order) for column in args]
    bodies = _Bodies(frame, of_present, counts[present], taken, ordered, order)
    try:
        return bodies.made(trusting)
    except Distrusted:
        if len(present) == 1:
            return bodies.made(trusting=False)
    parts = []
    upper = shape_of >= int(present[len(present) // 2])
    for members in (np.flatnonzero(~upper), np.flatnonzero(upper)):
        index = xp.asarray(members)
        child = frame.child(index)
        of_part = [column.take(index) for column in args]
        made = _call_planned(shapes, which, bound, trusting, child, lanes[index], of_part)
        frame.close(child, index)
        parts.append((index, made))
    return scatter(parts, n)


def _values_of(shapes: tuple[Shape, ...], which: Array, bound: Bound, lanes: Array) -> list[Any]:
    """Return each lane's function as the scalar form has it."""
    of_lane = to_host(which[lanes]).tolist()
    taken = bound.called(lanes)
    decoded = [taken.column(place).decode() for place in range(len(taken))]
    return [
        function_of(shapes[shape], lambda place, lane=lane: decoded[place][lane])  # type: ignore[misc]
        for lane, shape in enumerate(of_lane)
    ]


def planned_of(column: Column) -> Column:
    """Turn functions of several shapes into known ones, so that they are called together.

    A function stays as it is where its layout does not tell its shape.
    """
    if not isinstance(column, Union):
        return column
    shapes: list[Shape] = []
    bound: list[list[tuple[Array, Column]]] = []
    known: list[Array] = []
    others: list[tuple[Array, Column]] = []
    for lanes, part in column.split():
        leaves: list[Column] = []
        shape = _shape_of_column(part, leaves)
        if shape is None or any(map(may_be_functions, leaves)):
            others.append((lanes, part))
            continue
        at = xp.arange(sum(map(len, known)), sum(map(len, known)) + len(lanes), dtype=xp.int64)
        known.append(lanes)
        shapes.append(shape)
        bound += [[] for _ in range(len(leaves) - len(bound))]
        for place, leaf in enumerate(leaves):
            bound[place].append((at, leaf))
    if len(known) < 2:
        return column
    counts = list(map(len, known))
    which = xp.asarray(np.repeat(np.arange(len(known)), counts))
    makers = [partial(fill_in, of_place, sum(counts)) for of_place in bound]
    lanes = xp.concatenate(known)
    order = xp.asarray(np.argsort(to_host(lanes)))
    functions = planned(tuple(shapes), which, Bound(makers, None), True).take(order)
    return Union.of_parts([(lanes[order], functions), *others]) if others else functions


def _shape_of_column(column: Column, leaves: list[Column]) -> Shape | None:
    """Return the shape of a column's functions; None where it is not one known shape.

    The shape is `fails` where the values are no functions. What they bind is added to `leaves`.
    """
    if column.kind != FUNCTION_KIND:
        return None if column.kind is None else fails
    if isinstance(column, Uniform):
        values: list[Any] = []
        shape = shape_of(column.value, values)
        leaves += [Uniform(value, len(column)).materialized() for value in values]
        return shape
    if not isinstance(column, Functions):
        return None
    size = _one_size(column)
    if size is None:
        return None
    parts = []
    for leaf in column.bound:
        if leaf.kind == FUNCTION_KIND:
            parts.append(_shape_of_column(leaf, leaves))
        else:
            leaves.append(leaf.gathered())
            parts.append(len(leaves) - 1)
    if None in parts:
        return None
    return (column.made_by, column.arity, size, column.deepest(), tuple(parts))


def _one_size(column: Functions) -> int | None:
    """Return the size that all functions of a column have; None where sizes differ."""
    sizes = column.sizes
    if isinstance(sizes, int):
        return sizes
    found = to_host(sizes)
    return int(found[0]) if (found == found[0]).all() else None


class _Bodies:
    """One call of functions of several shapes, the lanes of each shape together.

    counts: the lanes of each shape. order: the frame's lane for each of these lanes; None where
    they are the same.
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
        """Return what the calls give, and note on the frame what they spend and where they fail.

        trusting: as of `Graph`. Raises `Distrusted`, and then notes nothing.
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
        """Put values that lie by shape back into the order of the frame's lanes."""
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
        lanes = None if every else xp.asarray(rows_of(self._starts[functions], counts))
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
        origin, detail = source
        if origin == ARGUMENT:
            column = self._args[detail]
            return column if lanes is None else column.take(lanes)
        if origin == BOUND:
            return (self._bound if lanes is None else self._bound.taken(lanes)).column(detail)
        if origin == MADE:
            return self._made_for(detail)
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
            tuple(distinct),
            xp.asarray(np.repeat(np.array(which), counts)),
            Bound(makers, None),
            self._trusting,
        )

    def _each(self, step: BodyStep, sources: list[Source], lanes: Array | None, n: int) -> Column:
        """Return, for the lanes of a step, the values that each member has from its own source."""
        first = sources[0]
        if first[0] != MADE and all(source == first for source in sources):
            return self._source(first, step, lanes, n)
        members = step.members
        if all(origin == MADE for origin, _ in sources):
            made = [Member(m.function, d) for m, (_, d) in zip(members, sources, strict=True)]
            return self._made_for(made)
        pieces = []
        for member, (origin, detail) in zip(members, sources, strict=True):
            f = member.function
            if origin == MADE:
                pieces.append(self._pieced([(*self._places[f, detail], int(self._counts[f]))]))
            else:
                start = int(self._starts[f])
                within = xp.arange(start, start + int(self._counts[f]), dtype=xp.int64)
                pieces.append(self._source((origin, detail), step, within, len(within)))
        return concat(pieces)

    def _made_for(self, made: Sequence[Any]) -> Column:
        """Return the values that members have made, one member's lanes after the other's."""
        places = [(*self._places[member], int(self._counts[member.function])) for member in made]
        return self._pieced(places)

    def _pieced(self, places: list[tuple[int, int, int]]) -> Column:
        """Join runs of lanes. places: the number of the column, the first lane, the count."""
        used = sorted({number for number, _, _ in places})
        columns = [self._columns[number] for number in used]
        bases = dict(zip(used, np.cumsum([0, *map(len, columns)]).tolist(), strict=False))
        joined = columns[0] if len(columns) == 1 else concat(columns)
        first = np.array([bases[number] + offset for number, offset, _ in places])
        counts = np.array([count for _, _, count in places])
        if counts.sum() == len(joined) and (first == np.cumsum(counts) - counts).all():
            return joined
        return joined.take(xp.asarray(rows_of(first, counts)))

    def _result(self) -> Column:
        """Return what each lane's function gives."""
        results = self._plan.results
        if all(origin == MADE for origin, _ in results):
            return self._pieced(
                [
                    (*self._places[f, number], int(self._counts[f]))
                    for f, (_, number) in enumerate(results)
                ]
            )
        pieces = []
        for f, (origin, detail) in enumerate(results):
            start, count = int(self._starts[f]), int(self._counts[f])
            lanes = xp.arange(start, start + count, dtype=xp.int64)
            step = BodyStep(None, (Member(f, -1),), (1,), (), False)
            if origin == FUNCTION:
                detail = ((detail,), False)
            elif origin == MADE:
                detail = (Member(f, detail),)
            pieces.append(self._source((origin, detail), step, lanes, count))
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
    """Return a function's source at a place. If it binds less: one that every lane has."""
    return sources[place] if place < len(sources) else (ARGUMENT, 0)


def distrust_functions(column: Column) -> None:
    """Raise Distrusted where functions may be among a column's values."""
    if may_be_functions(column):
        raise Distrusted


def may_be_functions(column: Column) -> bool:
    """Tell whether functions may be among a column's values."""
    parts = [part for _, part in column.split()] if isinstance(column, Union) else [column]
    return any(part.kind == FUNCTION_KIND or part.on_host for part in parts)
