"""Compiled forms: primitives on the machine.

A primitive's compiled form stands beside its scalar form:

    @compiled(backwards)
    def backwards(heap, numbers):
        '''...'''

A compiled form takes the heap and the arguments' words, cast to the declared types, and returns the
word of the result or a wrong word: `NO_VALUE` or another reason to fail, as the scalar form does,
or `HOST` if the scalar form must make the call. The declared charge is paid around the form; the
form pays other charges by `charge`. A form must not change values in the heap, since it is called
again if the heap had no room.

Without a compiled form, the scalar form computes a primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from megabatt.runtime.engine.language.charges import Formula, Measure, OfResult
from megabatt.runtime.engine.language.estimating import MOST
from megabatt.runtime.engine.language.registry import Primitive, builder_of, the_primitive
from megabatt.runtime.engine.language.values import Function
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.functions import MachineFunction, Routine, taken_by, written

F = TypeVar("F", bound=Callable[..., Any])

def compiled(function: F) -> Callable[[Callable[..., int]], F]:
    """Declare the compiled form of a primitive.

    Define the form under the primitive's name, which afterwards still means the scalar form.

    Args:
        function: The primitive.

    Raises:
        TypeError: The function is no primitive, the charge or a declared type is not defined on
            words, or the primitive has a rule.
    """
    primitive = the_primitive(function)

    def declare(body: Callable[..., int]) -> F:
        primitive.declare_compiled(form_of(primitive, m.machine_function(body)))
        return function

    return declare


def compiled_as(function: Callable[..., Any], body: MachineFunction, *last: Any) -> None:
    """Declare as the compiled form of a primitive what others share.

    body: Takes the heap, the primitive's arguments, and `last`: numbers and machine functions.
    """
    primitive = the_primitive(function)
    primitive.declare_compiled(form_of(primitive, body, last))


def form_of(primitive: Primitive, body: MachineFunction, last: Sequence[Any] = ()) -> Routine:
    """Return the routine that casts the arguments, pays the charge and runs the body.

    last: The body's last arguments, after the primitive's.
    """
    names = primitive.parameters
    taken = taken_by(body.function)
    if len(taken) != 1 + len(names) + len(last):
        both = f"({', '.join(taken)}), not (heap, {', '.join(names)})"
        raise TypeError(f"the compiled form of {primitive.name} takes {both}")
    given = {f"_last_{k}": value for k, value in enumerate(last)}
    scope = {"_m": m, "_body": body, "_required_budget": required_budget, **given}
    lines = [f"def {primitive.name}(heap, {', '.join(names)}):"]
    for k, (name, declared) in enumerate(zip(names, primitive.types, strict=True)):
        if declared.of_word is None:
            raise TypeError(f"{primitive.name}: {declared.name} has no form on words")
        if declared.of_word is not m.any_word:
            scope[f"cast_{k}"] = declared.of_word
            lines += [f"    {name} = _m.required(cast_{k}(heap, {name}))"]
    if primitive.each is not None:
        lines += [f"    _m.required(_required_budget(heap, {', '.join(primitive.each)}))"]
    if charged := primitive.charged(*[Traced(name, scope) for name in names]):
        lines += [f"    _m.required(_m.charge(heap, {charged}))"]
    lines += [f"    _result = _m.required(_body(heap, {', '.join([*names, *given])}))"]
    if isinstance(primitive.charge, OfResult):
        charged = primitive.charge.measure(Traced("_result", scope))
        lines += [f"    _m.required(_m.charge(heap, {charged}))"]
    lines += ["    return _result"]
    return Routine(written(lines, scope, body.function), body.function)


@dataclass(slots=True, eq=False)
class Traced:
    """An expression on words, as source. Arithmetic and measures give expressions again.

    So a charge computed of words' names is the charge's source. scope: The functions that the
    expression calls, by name.
    """

    source: str
    scope: dict[str, Any]

    def measured_by(self, measure: Measure, *others: Any) -> Traced:
        """Return a measure of this expression. Raises TypeError if it has no form on words."""
        if measure.of_words is None:
            raise TypeError(f"{measure.of_value.__name__} is no measure of words")
        return self._called(measure.of_words, ("heap", self, *others))

    def computed_by(self, formula: Formula, numbers: tuple[Any, ...]) -> Traced:
        """Return the expression of a formula of numbers, this expression among them."""
        return self._called(formula.of_ints, numbers)

    def _called(self, function: Callable[..., int], arguments: tuple[Any, ...]) -> Traced:
        name = f"{function.__name__}_{len(self.scope)}"
        self.scope[name] = m.machine_function(function)
        return Traced(f"{name}({', '.join(map(str, arguments))})", self.scope)

    def __str__(self) -> str:
        return self.source

    def __add__(self, other: Any) -> Traced:
        return Traced(f"({self} + {other})", self.scope)

    def __mul__(self, other: Any) -> Traced:
        return Traced(f"({self} * {other})", self.scope)

    __radd__ = __add__
    __rmul__ = __mul__


@cache
def called_of(kind: type[Function]) -> Routine | None:
    """Return the routine that calls a built function of a kind: (heap, address, arguments, count).

    The routine is `kind.called_on_words`, else derived from `kind.calls`, the calls that make up a
    call. None if the scalar form makes the calls: the kind has neither, or some of its calls are of
    primitives without a compiled form.
    """
    if kind.called_on_words is not None:
        return Routine(_known_where_made(kind.called_on_words))
    with suppress(_NoForm):
        return Routine(_traced(kind)) if hasattr(kind, "calls") else None
    return None


def _known_where_made(called: Callable[..., int]) -> Callable[..., int]:
    """Return a function that does `called`, but returns `UNKNOWN` while a charge is estimated."""
    names = ", ".join(taken_by(called))
    lines = [f"def {called.__name__}({names}):", "    if heap[_m.ESTIMATING] != 0:",
             "        return _m.UNKNOWN", f"    return _called({names})"]  # fmt: skip
    scope = {"_m": m, "_called": m.machine_function(called)}
    return written(lines, scope, called)  # type: ignore[no-any-return]


def estimate_of(primitive: Primitive | None) -> Routine:
    """Return the routine that replaces a primitive's form while charges are estimated."""
    if primitive is not None and primitive.compiled is not None:
        if primitive.builds is not None:
            return primitive.compiled  # type: ignore[no-any-return]
        if primitive.each is not None:
            in_order = primitive.each == primitive.parameters
            return charge_of_each.routine if in_order else charge_of_each_behind
    return unknown


@m.machine_function
def required_budget(heap, function, container):
    """Return `OVER_LIMIT` if a budget not drawn on cannot pay for calls on all elements, else 0."""
    if heap[m.BUDGET] != heap[m.ALLOWED] or m.count_of(heap, container) < 2:
        return 0
    return estimated_budget(heap, function, container)


@m.routine
def estimated_budget(heap, function, container):
    """Do `required_budget` by an estimate."""
    left = heap[m.BUDGET]
    top = heap[m.TOP]
    heap[m.ESTIMATING] = m.ESTIMATES - m.FORMS
    charge_of_each(heap, function, container)
    heap[m.ESTIMATING] = 0
    estimated = m.OVER_LIMIT if heap[m.BUDGET] < 0 else 0
    heap[m.BUDGET] = left
    heap[m.TOP] = top
    return estimated


@m.routine
def charge_of_each(heap, function, container):
    """Pay a lower bound for calls of a function on all elements. Returns `UNKNOWN`."""
    if not m.is_function(heap, function) or not m.is_container(heap, container):
        return m.UNKNOWN
    count = m.count_of(heap, container)
    if count == 0:
        return m.UNKNOWN
    m.required(m.charge(heap, count * m.call_cost(heap, function)))
    left = heap[m.BUDGET]
    m.required(m.call_of_one(heap, function, m.UNKNOWN))
    m.required(m.charge(heap, (count - 1) * min(left - heap[m.BUDGET], MOST)))
    return m.UNKNOWN


@Routine
def unknown(heap):
    """Return the result of a primitive with unknown arguments."""
    return m.UNKNOWN


@Routine
def charge_of_each_behind(heap, container, function):
    """Do `charge_of_each` with arguments in the other order."""
    return charge_of_each(heap, function, container)


class _NoForm(Exception):
    """Raised for a primitive without a compiled form."""


FUNCTION_KINDS: list[type[Function]] = []
"""The kinds of built functions, by number."""


def kind_number(kind: type[Function]) -> int:
    """Return the number of a kind of built functions, as in these functions' nodes."""
    if kind not in FUNCTION_KINDS:
        if len(FUNCTION_KINDS) == m.MOST_KINDS:
            raise ValueError(f"there are {m.MOST_KINDS} kinds of functions already")
        FUNCTION_KINDS.append(kind)
    return FUNCTION_KINDS.index(kind)


def _traced(kind: Any) -> Callable[..., int]:
    primitive = builder_of(kind)
    assert primitive is not None
    scope: dict[str, Any] = {"_m": m}
    lines = [f"def call_{kind.name}(heap, at, a, b, c, count):"]
    for arity in kind.arities:
        tracer = _Tracer(scope)
        bound = [f"heap[at + _m.CONTENT + {k}]" for k in range(primitive.arity)]
        result = kind.calls(tracer, bound, list("abc"[:arity]))
        lines += [f"    if count == {arity}:", *tracer.lines, f"        return {result}"]
    lines += ["    return _m.WRONG_ARITY"]
    return written(lines, scope, kind.calls)  # type: ignore[no-any-return]


class _Tracer:
    """Records the calls that make up a call of a function. Values are expressions."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self.lines: list[str] = []
        self._scope = scope
        self._calls = 0

    def call(self, function: str, args: list[str]) -> str:
        padded = [*args, *["0"] * (m.MOST_OPERANDS - 1 - len(args))]
        made = f"_m.call(heap, {function}, {len(args)}, {', '.join(padded)})"
        return self._made(f"_m.required({made})")

    def apply(self, primitive: Primitive, args: list[str]) -> str:
        if primitive.compiled is None:
            raise _NoForm
        self._scope[primitive.name] = primitive.compiled.stub
        made = self._made("_m.UNKNOWN")
        self.lines += [
            "        if heap[_m.ESTIMATING] == 0:",
            f"            {made} = _m.required({primitive.name}(heap, {', '.join(args)}))",
        ]
        return made

    def _made(self, value: str) -> str:
        result = f"made_{self._calls}"
        self._calls += 1
        self.lines += [f"        {result} = {value}"]
        return result
