"""The calls of primitives that calls of known functions consist of, many functions together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from megabatt.runtime.engine.calls.registry import Primitive, primitive_of
from megabatt.runtime.engine.calls.sequential import attempt
from megabatt.runtime.engine.limits import UNLIMITED
from megabatt.runtime.engine.plan.graph import Shape, Slot, function_of, shape_of
from megabatt.runtime.engine.values import Function

ARGUMENT, BOUND, MADE, FUNCTION = "argument", "bound", "made", "function"

Source = tuple[str, Any]
"""Where a value comes from: (ARGUMENT, place in the call), (BOUND, place in the function),
(MADE, the call in the body that gives it), (FUNCTION, `Bound` function)."""

LARGEST = 1024
"""The size up to which a function is traced; a call of a larger one is made as a whole."""


class BoundFunction(NamedTuple):
    """A known function, with the sources of the values that it binds."""

    shape: Shape
    sources: tuple[Source, ...]


class BodyCall(NamedTuple):
    """A call in a body: of a primitive, or where that is None of the first source's function."""

    primitive: Primitive | None
    sources: tuple[Source, ...]


class Body(NamedTuple):
    """The calls that a call of a function makes, in order, equal ones once.

    times: how often each is charged. result: where the value comes from. charge: for functions that
    are built on the way. assumed: sources of values taken for no functions.
    """

    calls: tuple[BodyCall, ...]
    times: tuple[int, ...]
    result: Source
    charge: int
    assumed: frozenset[Source]


class _Tracer:
    """Takes down the calls that are made. Values are sources, or functions that bind `Slot`s.

    trusting: as of `Graph`.
    """

    def __init__(self, trusting: bool) -> None:
        self.times: dict[BodyCall, int] = {}
        self.charge = 0
        self.assumed: set[Source] = set()
        self._trusting = trusting
        self._numbers: dict[BodyCall, int] = {}
        self._may_be_functions: list[bool] = []

    def call(self, function: Any, args: list[Any]) -> Any:
        if isinstance(function, Function):
            if function.arity == len(args) and function.size <= LARGEST:
                if hasattr(function, "calls"):
                    return function.calls(self, list(map(_unslotted, function.args)), args)
            return self._note(None, [function, *args])
        primitive = None if isinstance(function, tuple) else primitive_of(function)
        if primitive is None or primitive.arity != len(args):
            return self._note(None, [function, *args])
        return self.apply(primitive, args)

    def apply(self, primitive: Primitive, args: list[Any]) -> Any:
        if primitive.builds:
            function = self._built(primitive, args)
            if function is not None:
                return function
        return self._note(primitive, args)

    def _built(self, primitive: Primitive, args: list[Any]) -> Any:
        """Build the function that a primitive makes; None where that is not known yet."""
        assumed = set()
        for declared, arg in zip(primitive.types, args, strict=True):
            if isinstance(arg, tuple):
                if declared.called or not declared.may_be_functions:
                    return None
                if arg[0] == MADE and self._may_be_functions[arg[1]]:
                    return None
                if arg[0] != BOUND:
                    assumed.add(arg)
        if assumed and not self._trusting:
            return None
        slotted = [Slot(arg) if isinstance(arg, tuple) else arg for arg in args]
        function, failed, left = attempt(primitive.function, slotted, UNLIMITED)
        if failed:
            return None
        self.assumed |= assumed
        self.charge += UNLIMITED - left
        return function

    def _note(self, primitive: Primitive | None, values: list[Any]) -> Source:
        call = BodyCall(primitive, tuple(map(_source, values)))
        number = self._numbers.setdefault(call, len(self._numbers))
        if number == len(self._may_be_functions):
            self._may_be_functions.append(self._may_give_functions(primitive, call.sources))
        self.times[call] = self.times.get(call, 0) + 1
        return MADE, number

    def _may_give_functions(self, primitive: Primitive | None, sources: Sequence[Source]) -> bool:
        if primitive is None or primitive.builds or primitive.result.called:
            return True
        if not self._trusting:
            return primitive.result.may_be_functions
        return any(
            origin == FUNCTION or (origin == MADE and self._may_be_functions[detail])
            for origin, detail in sources
        )


def _unslotted(value: Any) -> Any:
    return value.source if isinstance(value, Slot) else value


def _source(value: Any) -> Source:
    """Return where a value of a trace comes from."""
    if isinstance(value, tuple):
        return value
    leaves: list[Any] = []
    shape = shape_of(value, leaves)
    return FUNCTION, BoundFunction(shape, tuple([leaf.source for leaf in leaves]))


@lru_cache(maxsize=16384)
def body_of(shape: Shape, arguments: int, trusting: bool) -> Body:
    """Return the body of functions of this shape. trusting: as of `Graph`."""
    tracer = _Tracer(trusting)
    function = function_of(shape, lambda place: Slot((BOUND, place)))
    result = tracer.call(function, [(ARGUMENT, k) for k in range(arguments)])
    calls = tuple(tracer.times)
    times = tuple(tracer.times.values())
    return Body(calls, times, _source(result), tracer.charge, frozenset(tracer.assumed))


def is_called(primitive: Primitive | None, position: int) -> bool:
    """Tell whether a primitive only calls the function that it is given at a position.

    False without a primitive: a call that a body makes as a whole needs its functions built.
    """
    if primitive is None:
        return False
    return primitive.types[position].called and primitive.rule is not None and not primitive.builds


@cache
def called_places(primitive: Primitive | None) -> tuple[int, ...]:
    """List the places of the arguments that a call only calls."""
    if primitive is None:
        return (0,)
    return tuple([k for k in range(primitive.arity) if is_called(primitive, k)])


class Member(NamedTuple):
    """A call of a body: the number of its function, and the number of the call in the body."""

    function: int
    call: int


class BodyStep(NamedTuple):
    """Calls of one primitive in several bodies, made together.

    sources: for each argument where it comes from, and a detail:
        ARGUMENT    place in the call
        BOUND       place in each member's function
        MADE        the `Member` that gives it, for each member
        FUNCTION    the `BoundFunction` of each member; whether it is called
    assumed: whether the results were taken for no functions.
    """

    primitive: Primitive | None
    members: tuple[Member, ...]
    times: tuple[int, ...]
    sources: tuple[tuple[str, Any], ...]
    assumed: bool


class BodyPlan(NamedTuple):
    """How calls of several functions are made together.

    results, charges: of each function. assumed: the arguments taken for no functions.
    """

    steps: tuple[BodyStep, ...]
    results: tuple[Source, ...]
    charges: tuple[int, ...]
    assumed: tuple[int, ...]


@lru_cache(maxsize=4096)
def body_plan(shapes: tuple[Shape, ...], arguments: int, trusting: bool) -> BodyPlan:
    """Plan the calls of functions of these shapes. arguments: how many each call has.

    trusting: as of `Graph`.
    """
    bodies = [body_of(shape, arguments, trusting) for shape in shapes]
    waiting: dict[Any, list[Member]] = {}
    users: dict[Member, list[Member]] = {}
    lacks: dict[Member, int] = {}
    steps: list[BodyStep] = []

    def ready(member: Member) -> None:
        waiting.setdefault(_key(bodies[member.function].calls[member.call]), []).append(member)

    for f, body in enumerate(bodies):
        for k, call in enumerate(body.calls):
            member = Member(f, k)
            needed = set(_needed(call.sources))
            lacks[member] = len(needed)
            for number in needed:
                users.setdefault(Member(f, number), []).append(member)
            if not needed:
                ready(member)
    while waiting:
        key = min(waiting, key=lambda k: min(member.call for member in waiting[k]))
        members = tuple(sorted(waiting.pop(key)))
        steps.append(_step(bodies, members))
        for member in members:
            for user in users.get(member, ()):
                lacks[user] -= 1
                if not lacks[user]:
                    ready(user)
    assumed = {number for body in bodies for origin, number in body.assumed if origin == ARGUMENT}
    return BodyPlan(
        tuple(steps),
        tuple(body.result for body in bodies),
        tuple(body.charge for body in bodies),
        tuple(sorted(assumed)),
    )


def _needed(sources: Iterable[Source]) -> Iterator[int]:
    """Yield the numbers of the body's calls whose values these sources need."""
    for origin, detail in sources:
        if origin == MADE:
            yield detail
        elif origin == FUNCTION:
            yield from _needed(detail.sources)


def _key(call: BodyCall) -> Any:
    """Return what calls made together have in common."""
    origins: list[Any] = []
    for position, (origin, detail) in enumerate(call.sources):
        if origin == MADE:
            origins.append(origin)
        elif origin == FUNCTION and is_called(call.primitive, position):
            origins.append(origin)
        elif origin == FUNCTION:
            origins.append((origin, detail.shape))
        else:
            origins.append((origin, detail))
    return call.primitive, tuple(origins)


def _step(bodies: Sequence[Body], members: tuple[Member, ...]) -> BodyStep:
    calls = [bodies[member.function].calls[member.call] for member in members]
    first = calls[0]
    sources: list[tuple[str, Any]] = []
    for position, (origin, detail) in enumerate(first.sources):
        if origin == MADE:
            made = tuple(
                Member(member.function, call.sources[position][1])
                for member, call in zip(members, calls, strict=True)
            )
            sources.append((origin, made))
        elif origin == FUNCTION:
            functions = tuple(call.sources[position][1] for call in calls)
            sources.append((origin, (functions, is_called(first.primitive, position))))
        else:
            sources.append((origin, detail))
    times = tuple(bodies[member.function].times[member.call] for member in members)
    assumed = any((MADE, m.call) in bodies[m.function].assumed for m in members)
    return BodyStep(first.primitive, members, times, tuple(sources), assumed)
