"""Calls of one primitive on the values of several banks, made as one.

The banks' values lie in one store, so a column of rows holds values of any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.calls.registry import Primitive
from megabatt.runtime.engine.calls.vectorized import BatchInputs, Vectorized
from megabatt.runtime.engine.columns import Bools, Column, Uniform, Union, scatter
from megabatt.runtime.engine.columns.hashing import fingerprints
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.plan.calling import functions_of, rows_of
from megabatt.runtime.engine.plan.graph import Shape
from megabatt.runtime.engine.plan.plan import Built, Called, Numbers
from megabatt.runtime.engine.plan.store import Store

if TYPE_CHECKING:
    from megabatt.runtime.engine.plan.bank import Bank

Bits = np.ndarray[Any, Any]


class Request(NamedTuple):
    """Calls of a primitive on values of a bank: call k takes the k-th number of each operand.

    lanes: where to make them; int64.
    """

    bank: Bank
    primitive: Primitive
    operands: Sequence[Numbers]
    lanes: Numbers


class Results:
    """What calls gave that were made together.

    column: all values; host_lanes: how many of them were computed by scalar code.
    """

    def __init__(self, column: Column, store: Store, host_lanes: int) -> None:
        self.column = column
        self.host_lanes = host_lanes
        self._store = store

    @cached_property
    def fingerprints(self) -> tuple[Bits, Bits]:
        """Of each value, see `fingerprints_of`."""
        return fingerprints_of(self.column)

    @cached_property
    def tags(self) -> Bits:
        """The layout that each value would have in the store; int32 (n,)."""
        return self._store.tags_in(self.column)


class Made:
    """What the calls of a request gave: a value and a failure flag for every call in every lane.

    failed: bool (calls, lanes). primitive, operands: what was called, and the numbers of the values
    for each place. results: these values and those of calls made together with them.
    """

    def __init__(
        self,
        results: Results,
        places: Numbers,
        failed: Bits,
        primitive: Primitive,
        operands: Sequence[Numbers],
    ) -> None:
        """places: where the values stand in the results; int64 (calls, lanes)."""
        self.results = results
        self.failed = failed
        self.primitive = primitive
        self.operands = operands
        self.places = places

    @cached_property
    def column(self) -> Column:
        """The values, those of a call one after the other."""
        places, every = self.places.ravel(), self.results.column
        if len(places) == len(every) and (places == np.arange(len(every))).all():
            return every
        return every.take(xp.asarray(places))

    def fingerprints(self) -> tuple[Bits, Bits]:
        """Return those of `fingerprints_of`, each int64 (calls, lanes)."""
        low, high = self.results.fingerprints
        return low[self.places], high[self.places]

    def tags(self) -> Bits:
        """Return the layout that each value would have in the store; int32 (calls, lanes)."""
        return self.results.tags[self.places]

    def taken(self, calls: Numbers) -> Made:
        """Return what some of the calls gave."""
        operands = [numbers[calls] for numbers in self.operands]
        places, failed = self.places[calls], self.failed[calls]
        return Made(self.results, places, failed, self.primitive, operands)


def fingerprints_of(column: Column) -> tuple[Bits, Bits]:
    """Return 128 bits a value: two int64 (n,), the same for equal values alone.

    Booleans, which equal Integers, differ from them here: not every type takes both.
    """
    low, high = fingerprints(column)
    return to_host(low + _booleans(column)), to_host(high)


def _booleans(column: Column) -> Array:
    """Return 1 for each Boolean, 0 for other values; int64 (n,)."""
    if isinstance(column, Union):
        return column.measured(_booleans)
    boolean = isinstance(column.materialized(), Bools)
    return xp.full(len(column), int(boolean), dtype=xp.int64)


def called(requests: Sequence[Request]) -> list[Made]:
    """Make calls of one primitive, and return what each request's calls gave.

    The requests' banks are of one language, with one store and one limit of elements.
    """
    bank, primitive = requests[0].bank, requests[0].primitive
    calls = _Calls.of(requests)
    operands = [_operand(requests, place) for place in range(primitive.arity)]
    order = _order(operands)
    if order is not None:
        operands = [operand.taken(order) for operand in operands]
        calls = calls.taken(order)
    n = len(calls.lanes)
    batch = Vectorized(bank.language, BatchInputs(n, {}), 1, bank.max_elements)
    columns = [operand.column(calls, bank.store) for operand in operands]
    with np.errstate(all="ignore"):
        column, _ = batch.operate(1, Uniform(primitive.function, n), columns)
    results = Results(column, bank.store, batch.host_lanes)
    return _shared_out(requests, results, to_host(batch.failed[1]), calls, order)


def keep_together(some: Sequence[tuple[Bank, Made]]) -> None:
    """Add to each bank what calls gave that were made together. None may have failed."""
    places = np.concatenate([made.places.ravel() for _, made in some])
    first, _ = some[0][0].store.put(some[0][1].results.column.take(xp.asarray(places)))
    for bank, made in some:
        bank.add_made(made, first)
        first += made.places.size


def _shared_out(
    requests: Sequence[Request], results: Results, failed: Bits, calls: _Calls, order: Any
) -> list[Made]:
    """Return the results of each request. order: as of `_order`."""
    begins = calls.begins
    if order is not None:
        begins = np.empty_like(begins)
        begins[order] = calls.begins
    made, first = [], 0
    for request in requests:
        end = first + len(request.operands[0])
        places = begins[first:end, None] + np.arange(len(request.lanes))
        made.append(Made(results, places, failed[places], request.primitive, request.operands))
        first = end
    return made


class _Calls(NamedTuple):
    """In which lanes calls are made.

    counts, begins: how many lanes each call has, and where they begin; lanes: those of all calls.
    """

    counts: Numbers
    begins: Numbers
    lanes: Numbers

    @classmethod
    def of(cls, requests: Sequence[Request]) -> _Calls:
        """Return where requests want their calls."""
        sizes = [len(request.operands[0]) for request in requests]
        counts = np.repeat([len(request.lanes) for request in requests], sizes)
        lanes = [np.tile(of.lanes, size) for of, size in zip(requests, sizes, strict=True)]
        return cls(counts, np.cumsum(counts) - counts, np.concatenate(lanes))

    def places(self, calls: Numbers) -> Numbers:
        """Return the places of some calls' lanes."""
        return rows_of(self.begins[calls], self.counts[calls])

    def taken(self, calls: Numbers) -> _Calls:
        """Return some of the calls."""
        counts = self.counts[calls]
        return _Calls(counts, np.cumsum(counts) - counts, self.lanes[self.places(calls)])

    def rows(self, firsts: Numbers) -> Array:
        """Return the rows of values, one for each call, from the first row of each."""
        return xp.asarray(np.repeat(firsts, self.counts) + self.lanes)


class _Operand(NamedTuple):
    """What stands at a place of calls.

    firsts: the first row of each call's value, -1 for functions; functions: the functions, with
    first rows as what they bind. Calls without one have any. None where there is no function.
    """

    firsts: Numbers
    functions: Called | None

    def taken(self, calls: Numbers) -> _Operand:
        """Return what stands there in some of the calls."""
        of = self.functions
        if of is not None:
            of = Called(of.shapes, of.which[calls], of.bound[:, calls])
        return _Operand(self.firsts[calls], of)

    def column(self, calls: _Calls, store: Store) -> Column:
        """Return the values, those of a call one after the other."""
        are_functions = self.firsts < 0
        if self.functions is None or not are_functions.any():
            return store.get(calls.rows(self.firsts))
        if are_functions.all():
            shapes, which, bound = self.functions.shapes, self.functions.which, self.functions.bound
            alike = (which == which[0]).all()
            argument = Built(shapes[which[0]], bound) if alike else self.functions
            return functions_of(argument, calls.rows, store.get, calls.counts)
        parts = []
        for some in [np.flatnonzero(~are_functions), *np.flatnonzero(are_functions)[:, None]]:
            column = self.taken(some).column(calls.taken(some), store)
            parts.append((xp.asarray(calls.places(some)), column))
        return scatter(parts, len(calls.lanes))


def _operand(requests: Sequence[Request], place: int) -> _Operand:
    """Return what requests want at a place of their calls."""
    firsts = [request.bank.first_rows(request.operands[place]) for request in requests]
    every = np.concatenate(firsts)
    if (every >= 0).all():
        return _Operand(every, None)
    found = [
        request.bank.closures.of(request.operands[place][of_request < 0])
        for request, of_request in zip(requests, firsts, strict=True)
    ]
    return _Operand(every, _joined(requests, found, np.flatnonzero(every < 0)))


def _joined(requests: Sequence[Request], found: Sequence[Called], calls: Numbers) -> Called:
    """Join the functions of requests into one argument.

    found: the functions of each. calls: which calls' functions they are. Where one binds less than
    another it gets what that one binds, or else any value.
    """
    shapes: dict[Shape, int] = {}
    n = sum(len(request.operands[0]) for request in requests)
    most = max(len(functions.bound) for functions in found)
    which, bound = np.zeros(n, dtype=np.int64), np.full((most, n), -1)
    begin = 0
    for request, functions in zip(requests, found, strict=True):
        numbers = np.array([shapes.setdefault(shape, len(shapes)) for shape in functions.shapes])
        mine = calls[begin : begin + len(functions.which)]
        which[mine] = numbers[functions.which]
        bound[: len(functions.bound), mine] = request.bank.first_rows(functions.bound)
        begin += len(mine)
    last = len(requests[0].bank.store) - max(len(request.lanes) for request in requests)
    for of_place in bound:
        some = of_place[np.argmax(of_place >= 0)]
        of_place[of_place < 0] = min(some, last)
    return Called(tuple(shapes), which, bound)


def _order(operands: Sequence[_Operand]) -> Numbers | None:
    """Return an order of the calls in which functions of a shape are in a row; None for as is."""
    for operand in operands:
        if operand.functions is not None:
            which = operand.functions.which
            if (which[1:] < which[:-1]).any():
                return np.argsort(which, kind="stable")
    return None
