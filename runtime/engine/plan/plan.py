"""Which operations are made together, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Primitive
from megabatt.runtime.engine.plan.bodies import is_called
from megabatt.runtime.engine.plan.graph import UNKNOWN, Graph, Known, Shape

Numbers = np.ndarray[Any, Any]
"""Numbers of values in a graph, int64."""


@dataclass(frozen=True)
class Given:
    """An argument that is another value: its number for each operation."""

    numbers: Numbers


@dataclass(frozen=True)
class Constant:
    """An argument that is the same constant for all operations."""

    value: Any


@dataclass(frozen=True)
class Called:
    """An argument that is a known function, which is called.

    shapes: of the functions, each once. which: int64 (operations,), the shape of each operation's
    function. bound: int64 (most bound, operations), what that function binds. A function that binds
    less has any number in the other places.
    """

    shapes: tuple[Shape, ...]
    which: Numbers
    bound: Numbers


@dataclass(frozen=True)
class Built:
    """An argument that is a known function, of one shape for all operations. bound: as `Called`."""

    shape: Shape
    bound: Numbers


Argument = Given | Constant | Called | Built


@dataclass(frozen=True)
class Step:
    """Operations that are made together.

    primitive: None for calls of the function that is the first argument. default: the result of
    those that fail. numbers: of the operations, int64.
    """

    primitive: Primitive | None
    default: Any
    numbers: Numbers
    arguments: tuple[Argument, ...]

    def part(self, members: Numbers) -> Step:
        """Return the step for some of its operations."""
        parts = tuple(_part(argument, members) for argument in self.arguments)
        return Step(self.primitive, self.default, self.numbers[members], parts)


def _part(argument: Argument, members: Numbers) -> Argument:
    match argument:
        case Given(numbers):
            return Given(numbers[members])
        case Called(shapes, which, bound):
            return Called(shapes, which[members], bound[:, members])
        case Built(shape, bound):
            return Built(shape, bound[:, members])
        case _:
            return argument


def plan_of(
    graph: Graph, wanted: Iterable[int], is_made: Callable[[int], bool] = lambda number: False
) -> list[Step]:
    """List the steps that make the wanted values and all values that these need.

    is_made: tells whether a value is there already.

    Operations of one primitive are made together once their arguments are there. The next primitive
    is the one with the shallowest operation: most others wait for it.
    """
    return _Scheduler(graph, wanted, is_made).steps()


class _Scheduler:
    def __init__(self, graph: Graph, wanted: Iterable[int], is_made: Callable[[int], bool]) -> None:
        self._graph = graph
        self._lacks: dict[int, int] = {}
        self._users: dict[int, list[int]] = {}
        self._ready: dict[Any, list[int]] = {}
        self._shallowest: dict[Any, int] = {}
        self._visit(wanted, is_made)

    def _visit(self, wanted: Iterable[int], is_made: Callable[[int], bool]) -> None:
        """Note which operations to make, and what each waits for."""
        graph, lacks, users = self._graph, self._lacks, self._users
        to_visit: list[int] = []
        for number in wanted:
            unknown = graph.values[number] is UNKNOWN and graph.operands[number] is not None
            to_visit += [number] if unknown else graph.needs[number]
        while to_visit:
            number = to_visit.pop()
            if number in lacks or is_made(number):
                continue
            needed = [k for k in graph.needs[number] if not is_made(k)]
            lacks[number] = len(needed)
            for k in needed:
                users.setdefault(k, []).append(number)
            to_visit += needed
        for number in sorted(lacks):
            if not lacks[number]:
                self._add(number)

    def _add(self, number: int) -> None:
        key = self._key(number)
        depth = self._graph.depths[number]
        group = self._ready.get(key)
        if group is None:
            self._ready[key], self._shallowest[key] = [number], depth
            return
        group.append(number)
        if depth < self._shallowest[key]:
            self._shallowest[key] = depth

    def steps(self) -> list[Step]:
        steps = []
        while self._ready:
            key = min(self._shallowest, key=self._shallowest.__getitem__)
            numbers = self._ready.pop(key)
            del self._shallowest[key]
            steps.append(self._step(key, numbers))
            for number in numbers:
                for user in self._users.get(number, ()):
                    self._lacks[user] -= 1
                    if not self._lacks[user]:
                        self._add(user)
        return steps

    def _key(self, number: int) -> Any:
        """Return what operations made together share: primitive, and shapes of given functions."""
        graph = self._graph
        values = graph.values
        operands = graph.operands[number]
        assert operands is not None
        primitive = graph.primitive(operands[0])
        if primitive is None or len(operands) != primitive.arity + 1:
            primitive = None
        shapes: list[Any] = []
        for place in range(0 if primitive is None else 1, len(operands)):
            k = operands[place]
            known = None if values[k] is UNKNOWN else graph.known(k)
            if known is None:
                shapes.append(None)
            elif (primitive is None and place == 0) or is_called(primitive, place - 1):
                shapes.append(Called)
            else:
                shapes.append(known.shape)
        return primitive, tuple(shapes)

    def _step(self, key: Any, numbers: list[int]) -> Step:
        graph = self._graph
        primitive, shapes = key
        skipped = 0 if primitive is None else 1
        for position, shape in enumerate(shapes):
            if shape is Called:  # functions of one shape side by side
                numbers = self._by_shape(numbers, position + skipped)
                break
        rows = np.array([graph.operands[n] for n in numbers], dtype=np.int64)
        arguments = tuple(
            self._argument(shape, rows[:, position + skipped])
            for position, shape in enumerate(shapes)
        )
        default = graph.default_of(int(rows[0, 0]))
        return Step(primitive, default, np.array(numbers, dtype=np.int64), arguments)

    def _by_shape(self, numbers: list[int], place: int) -> list[int]:
        """Group operations by the shape of the function at a place of their operands."""
        groups: dict[Shape, list[int]] = {}
        for number in numbers:
            operands = self._graph.operands[number]
            assert operands is not None
            groups.setdefault(self._known(operands[place]).shape, []).append(number)
        return list(chain.from_iterable(groups.values()))

    def _known(self, number: int) -> Known:
        known = self._graph.known(number)
        assert known is not None
        return known

    def _argument(self, shape: Any, numbers: Numbers) -> Argument:
        graph = self._graph
        if shape is None:
            first = int(numbers[0])
            if graph.values[first] is not UNKNOWN and (numbers == first).all():
                return Constant(graph.values[first])
            return Given(numbers)
        known = [self._known(k) for k in numbers.tolist()]
        bound = _table([k.bound for k in known], graph.constant(()))
        if shape is not Called:
            return Built(shape, bound)
        shapes: dict[Shape, int] = {}
        which = [shapes.setdefault(k.shape, len(shapes)) for k in known]
        return Called(tuple(shapes), np.array(which, dtype=np.int64), bound)


def _table(bound: list[tuple[int, ...]], filling: int) -> Numbers:
    """Tabulate what functions bind, one a column. One that binds less repeats its first.

    filling: for functions that bind nothing.
    """
    most = max(map(len, bound))
    table = np.empty((most, len(bound)), dtype=np.int64)
    for k, numbers in enumerate(bound):
        table[: len(numbers), k] = numbers
        table[len(numbers) :, k] = numbers[0] if numbers else filling
    return table
