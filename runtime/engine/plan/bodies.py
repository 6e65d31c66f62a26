"""What calls of known functions come to: calls of primitives, those of many functions together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from megabatt.runtime.engine.calls.registry import Primitive, primitive_of
from megabatt.runtime.engine.plan.graph import Shape

ARGUMENT, BOUND, MADE, FUNCTION = "argument", "bound", "made", "function"

Source = tuple[str, Any]
"""Where a value comes from: (ARGUMENT, which of the call), (BOUND, which of the function's),
(MADE, the call in the body that gives it), (FUNCTION, its shape)."""

LARGEST = 256
"""The size up to which a function is traced; a call of a larger one is made as a whole."""


class BodyCall(NamedTuple):
    """A call in a body: of a primitive, or of the first source's function where that is None."""

    primitive: Primitive | None
    sources: tuple[Source, ...]


class Body(NamedTuple):
    """The calls that a call of a function comes to, in order, equal ones once.

    times: how often each is made, as it is charged. result: where the value comes from.
    """

    calls: tuple[BodyCall, ...]
    times: tuple[int, ...]
    result: Source


class _Tracer:
    """Takes down the calls that are made."""

    def __init__(self) -> None:
        self.times: dict[BodyCall, int] = {}
        self._numbers: dict[BodyCall, int] = {}

    def call(self, function: Source, args: list[Source]) -> Source:
        kind, shape = function
        if kind != FUNCTION:
            return self._note(None, (function, *args))
        if isinstance(shape, tuple):
            made_by, arity, size, _, parts = shape
            if arity == len(args) and size <= LARGEST and hasattr(made_by, "calls"):
                return made_by.calls(self, list(map(_source, parts)), args)  # type: ignore[no-any-return]
            return self._note(None, (function, *args))
        primitive = primitive_of(shape)
        if primitive is None or primitive.arity != len(args):
            return self._note(None, (function, *args))
        return self._note(primitive, tuple(args))

    def apply(self, primitive: Primitive, args: list[Source]) -> Source:
        return self._note(primitive, tuple(args))

    def _note(self, primitive: Primitive | None, sources: tuple[Source, ...]) -> Source:
        call = BodyCall(primitive, sources)
        number = self._numbers.setdefault(call, len(self._numbers))
        self.times[call] = self.times.get(call, 0) + 1
        return MADE, number


def _source(part: Shape) -> Source:
    return (BOUND, part) if isinstance(part, int) else (FUNCTION, part)


@lru_cache(maxsize=16384)
def body_of(shape: Shape, arguments: int) -> Body:
    """What a call of a function of this shape comes to."""
    tracer = _Tracer()
    result = tracer.call((FUNCTION, shape), [(ARGUMENT, k) for k in range(arguments)])
    return Body(tuple(tracer.times), tuple(tracer.times.values()), result)


def is_called(primitive: Primitive | None, position: int) -> bool:
    """Whether a function that a primitive is given there is called, and nothing else done with it.

    What calls in a body leave to be called as a whole (no primitive) must be built for that.
    """
    if primitive is None:
        return False
    return primitive.types[position].called and primitive.rule is not None and not primitive.builds


class Member(NamedTuple):
    """A call of a body: the function's number among those of the bodies, and the call's in it."""

    function: int
    call: int


class BodyStep(NamedTuple):
    """Calls of one primitive in several bodies, made together.

    sources: for each argument its kind, and a detail that goes with the kind:
        ARGUMENT    which of the call
        BOUND       which of each member's function
        MADE        the `Member` that gives it, for each member
        FUNCTION    the shape of each member's function; whether it is called
    """

    primitive: Primitive | None
    members: tuple[Member, ...]
    times: tuple[int, ...]
    sources: tuple[tuple[str, Any], ...]


class BodyPlan(NamedTuple):
    """How calls of several functions are made together. results: of each function."""

    steps: tuple[BodyStep, ...]
    results: tuple[Source, ...]


@lru_cache(maxsize=4096)
def body_plan(shapes: tuple[Shape, ...], arguments: int) -> BodyPlan:
    """The plan of calls of functions of these shapes with so many arguments."""
    bodies = [body_of(shape, arguments) for shape in shapes]
    waiting: dict[Any, list[Member]] = {}
    users: dict[Member, list[Member]] = {}
    lacks: dict[Member, int] = {}
    steps: list[BodyStep] = []

    def ready(member: Member) -> None:
        waiting.setdefault(_key(bodies[member.function].calls[member.call]), []).append(member)

    for f, body in enumerate(bodies):
        for k, call in enumerate(body.calls):
            member = Member(f, k)
            needed = {number for kind, number in call.sources if kind == MADE}
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
    return BodyPlan(tuple(steps), tuple(body.result for body in bodies))


def _key(call: BodyCall) -> Any:
    """What calls have in common that are made together."""
    kinds = []
    for position, (kind, detail) in enumerate(call.sources):
        if kind == MADE:
            kinds.append(kind)
        elif kind == FUNCTION and is_called(call.primitive, position):
            kinds.append(kind)
        else:
            kinds.append((kind, detail))
    return call.primitive, tuple(kinds)


def _step(bodies: Sequence[Body], members: tuple[Member, ...]) -> BodyStep:
    calls = [bodies[member.function].calls[member.call] for member in members]
    first = calls[0]
    sources: list[tuple[str, Any]] = []
    for position, (kind, detail) in enumerate(first.sources):
        if kind == MADE:
            made = tuple(
                Member(member.function, call.sources[position][1])
                for member, call in zip(members, calls, strict=True)
            )
            sources.append((kind, made))
        elif kind == FUNCTION:
            shapes = tuple(call.sources[position][1] for call in calls)
            sources.append((kind, (shapes, is_called(first.primitive, position))))
        else:
            sources.append((kind, detail))
    times = tuple(bodies[member.function].times[member.call] for member in members)
    return BodyStep(first.primitive, members, times, tuple(sources))
