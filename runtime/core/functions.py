"""Functions that build functions: compose, chain, matcher, rbind, lbind, power, fork; identity.

Such a primitive only makes a value, a `Function`. The class of that function stands beside it and
says what a call does, on values and on columns.
"""

from __future__ import annotations

from typing import Any as Value

from numpy import int64

from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import Any, Callable, Integer
from megabatt.runtime.engine.calls.dispatch import Calls, call, fill_in
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.calls.registry import Primitive, rule
from megabatt.runtime.engine.columns import (
    Bools,
    Column,
    Functions,
    Ints,
    Uniform,
    Union,
    as_array,
    equal,
    most_deep,
)
from megabatt.runtime.engine.device.arrays import Array, any_set, where_set, where_unset, xp
from megabatt.runtime.engine.limits import TOO_DEEP, budget, charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled, form_of, kind_number
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.policy import policy
from megabatt.runtime.engine.values import Function, arity_of, identical, size_of
from megabatt.runtime.engine.values import equal as values_equal


@primitive
def identity(x: Any) -> Any:
    """Return the argument itself."""
    return x


@rule(identity)
def identity(frame: Frame, x: Column) -> Column:
    return x


@compiled(identity)
def identity(heap, x):
    return x


def _made(function: Function) -> Function:
    """Charge a new function with its size, so that no tower of functions outgrows the budget.

    Not declared, since a declared charge is an array: most often all lanes have functions of one
    size, which `_make` charges as one number.
    """
    charge(function.size)
    return function


def _make(
    frame: Frame, kind: type[Function], arity: int, bound: list[Column], size: Array | int
) -> Functions:
    """Make a column of functions, charging each lane the size of its function as `_made` does."""
    max_depth = policy().max_depth
    if max(column.deepest() for column in bound) >= max_depth:
        size = xp.where(most_deep(bound, frame.n) < max_depth, size, TOO_DEEP)
    if isinstance(size, int):
        frame.charge_alike(size)
    else:
        frame.charge(size)
    return Functions(kind, arity, bound, size)


class Built(Function):
    """A function built from others: a call of it is made of calls of these."""

    __slots__ = ()
    arities: tuple[int, ...] = (1,)
    """How many arguments its functions may take."""

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        """Make the calls that one call of the function consists of, and return the result.

        make: makes the calls, on columns, for a plan or as a compiled form.
        """
        raise NotImplementedError

    @classmethod
    def call_columns(cls, frame: Frame, bound: list[Column], args: list[Column]) -> Column:
        return cls.calls(Calls(frame), bound, args)  # type: ignore[no-any-return]


class Composed(Built):
    """outer(inner(x))"""

    __slots__ = ()
    name = "compose"

    def __call__(self, x: Value) -> Value:
        outer, inner = self.args
        return outer(inner(x))

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        outer, inner = bound
        return make.call(outer, [make.call(inner, args)])


@primitive(builds=Composed)
def compose(outer: Callable, inner: Callable) -> Callable:
    """Return the function x -> outer(inner(x))."""
    return _made(Composed(1, outer, inner))


@rule(compose)
def compose(frame: Frame, outer: Column, inner: Column) -> Column:
    return _make(frame, Composed, 1, [outer, inner], 1 + outer.sizes + inner.sizes)


_COMPOSED = kind_number(Composed)


@compiled(compose)
def compose(heap, outer, inner):
    return m.build(heap, _COMPOSED, 1, 2, outer, inner, 0)


class Chained(Built):
    """h(g(f(x)))"""

    __slots__ = ()
    name = "chain"

    def __call__(self, x: Value) -> Value:
        h, g, f = self.args
        return h(g(f(x)))

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        h, g, f = bound
        return make.call(h, [make.call(g, [make.call(f, args)])])


@primitive(builds=Chained)
def chain(h: Callable, g: Callable, f: Callable) -> Callable:
    """Return the function x -> h(g(f(x)))."""
    return _made(Chained(1, h, g, f))


@rule(chain)
def chain(frame: Frame, h: Column, g: Column, f: Column) -> Column:
    return _make(frame, Chained, 1, [h, g, f], 1 + h.sizes + g.sizes + f.sizes)


_CHAINED = kind_number(Chained)


@compiled(chain)
def chain(heap, h, g, f):
    return m.build(heap, _CHAINED, 1, 3, h, g, f)


def same(x: Any, target: Any) -> Any:
    """Tell whether two values are equal. A call of a `Matched` ends in this."""
    return bool(x == target)


_SAME = Primitive(same)


def same_words(heap, x, target):
    return m.boolean(m.equal(heap, x, target))


_SAME.declare_rule(lambda frame, x, target: Bools(equal(x, target)))
_SAME.compiled = form_of(_SAME, same_words)


class Matched(Built):
    """function(x) == target"""

    __slots__ = ()
    name = "matcher"

    def __call__(self, x: Value) -> bool:
        function, target = self.args
        return values_equal(function(x), target)

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        function, target = bound
        return make.apply(_SAME, [make.call(function, args), target])


@primitive(builds=Matched)
def matcher(function: Callable, target: Any) -> Callable:
    """Return the function x -> function(x) == target."""
    return _made(Matched(1, function, target))


@rule(matcher)
def matcher(frame: Frame, function: Column, target: Column) -> Column:
    return _make(frame, Matched, 1, [function, target], 1 + function.sizes + target.sizes)


_MATCHED = kind_number(Matched)


@compiled(matcher)
def matcher(heap, function, target):
    return m.build(heap, _MATCHED, 1, 2, function, target, 0)


class Bound(Built):
    """A function with one of its arguments fixed."""

    __slots__ = ()
    arities = (0, 1, 2, 3)

    def parts_for(self, args: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the function and its fixed argument.

        Raises TypeError where the number of `args` is not the arity.
        """
        if len(args) != self.arity:
            message = f"a function of {self.arity} arguments called with {len(args)}"
            raise TypeError(f"{self.name}: {message}")
        return self.args


class RightBound(Bound):
    """function with its last argument fixed"""

    __slots__ = ()
    name = "rbind"

    def __call__(self, *args: Value) -> Value:
        function, fixed = self.parts_for(args)
        return function(*args, fixed)

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        function, fixed = bound
        return make.call(function, [*args, fixed])


@primitive(builds=RightBound)
def rbind(function: Callable, fixed: Any) -> Callable:
    """Return the function that calls `function` with `fixed` behind its own arguments."""
    return _made(RightBound(_bound_arity(function), function, fixed))


@rule(rbind)
def rbind(frame: Frame, function: Column, fixed: Column) -> Column:
    return _bind_columns(frame, RightBound, function, fixed)


_RIGHTBOUND = kind_number(RightBound)


@compiled(rbind)
def rbind(heap, function, fixed):
    return bind_word(heap, _RIGHTBOUND, function, fixed)


@machine_function
def bind_word(heap, kind, function, fixed):
    """Make a function of a kind, `rbind` or `lbind`, that fixes an argument of another."""
    arity = m.arity_of(heap, function) - 1
    if arity < 0:
        return int64(m.FAILED)
    return m.build(heap, kind, arity, 2, function, fixed, 0)


class LeftBound(Bound):
    """function with its first argument fixed"""

    __slots__ = ()
    name = "lbind"

    def __call__(self, *args: Value) -> Value:
        function, fixed = self.parts_for(args)
        return function(fixed, *args)

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        function, fixed = bound
        return make.call(function, [fixed, *args])


@primitive(builds=LeftBound)
def lbind(function: Callable, fixed: Any) -> Callable:
    """Return the function that calls `function` with `fixed` before its own arguments."""
    return _made(LeftBound(_bound_arity(function), function, fixed))


@rule(lbind)
def lbind(frame: Frame, function: Column, fixed: Column) -> Column:
    return _bind_columns(frame, LeftBound, function, fixed)


_LEFTBOUND = kind_number(LeftBound)


@compiled(lbind)
def lbind(heap, function, fixed):
    return bind_word(heap, _LEFTBOUND, function, fixed)


def _bound_arity(function: Value) -> int:
    arity = arity_of(function) - 1
    if arity < 0:
        raise TypeError("a function of no arguments has none to bind")
    return arity


def _bind_columns(frame: Frame, kind: type[Function], function: Column, fixed: Column) -> Column:
    """Bind an argument in all lanes. They have one arity, as unions were split before."""
    if isinstance(function, Functions):
        arity = function.arity - 1
    else:
        assert isinstance(function, Uniform)
        arity = arity_of(function.value) - 1
    if arity < 0:
        frame.fail_all()
    bound = [function, fixed]
    return _make(frame, kind, max(arity, 0), bound, 1 + function.sizes + fixed.sizes)


class Powered(Function):
    """function(function(...function(x))), n times"""

    __slots__ = ()
    name = "power"

    def measure(self) -> int:
        function, n = self.args
        return n * size_of(function)

    def __call__(self, x: Value) -> Value:
        """Apply the function n times, or until the value no longer changes.

        The applications saved are charged as if they had been made.
        """
        function, n = self.args
        for applied in range(1, n + 1):
            before, left = x, budget.left
            x = function(x)
            if applied in _LOOKS and identical(before, x):
                charge((n - applied) * (left - budget.left))
                return x
        return x

    @staticmethod
    def called_on_words(heap, at, x, _b, _c, count):
        """Do what `__call__` does: compare where it does, and charge what it charges."""
        function = m.bound_to(heap, at, 0)
        n = m.bound_to(heap, at, 1)
        look = int64(4)
        for applied in range(1, n + 1):
            left = heap[m.BUDGET]
            made = m.call_of_one(heap, function, x)
            if made <= m.WRONG:
                return made
            if applied == look:
                look *= 2
                if m.same(heap, x, made) == 1:
                    if m.pay(heap, (n - applied) * (left - heap[m.BUDGET])):
                        return made
                    return int64(m.FAILED)
            x = made
        return x

    @staticmethod
    def call_columns(frame: Frame, bound: list[Column], args: list[Column]) -> Column:
        function, n = bound
        if not isinstance(n, Uniform):
            times = n.gathered()
            if isinstance(times, Union):  # other functions bind other values beside these
                times = times.simplified()
            assert isinstance(times, Ints)
            return _repeated(frame, function, times.data, args[0])
        value, left = args[0], n.value
        few = max(left - _FEW, 0)
        while left > few and not (frame.flagged and any_set(frame.failed)):
            value, left = call(frame, function, [value]), left - 1
        return _repeated(frame, function, left, value) if left else value


def _repeated(frame: Frame, function: Column, times: Array | int, value: Column) -> Column:
    """Apply each lane's function as often as the lane says; done and failed lanes drop out."""
    lanes = xp.arange(frame.n, dtype=xp.int64)
    failed = frame.failed
    done: list[tuple[Array, Column]] = []
    applied = 0
    while True:
        finished = failed
        if not isinstance(times, int):
            finished = failed | (times == applied)
        elif applied == times:
            return fill_in([*done, (lanes, value)], frame.n)
        leaving = where_set(finished)
        if len(leaving):
            done.append((lanes[leaving], value.take(leaving)))
            staying = where_unset(finished, leaving)
            if not len(staying):
                return fill_in(done, frame.n)
            lanes, value, function = lanes[staying], value.take(staying), function.take(staying)
            times = times if isinstance(times, int) else times[staying]
        child = frame.child(lanes)
        applied += 1
        if applied in _LOOKS:
            value, unchanged = _looked_at(child, function, value, times - applied)
            times = xp.where(unchanged, applied, times) if any_set(unchanged) else times
        else:
            value = call(child, function, [value])
        frame.close(child, lanes)
        failed = child.failed


_FEW = 3
"""Applications that are made before any comparison."""

_LOOKS = {1 << k for k in range(2, 31)}
"""After how many applications to compare: comparing can cost as much as applying."""


def _looked_at(
    frame: Frame, function: Column, value: Column, left: Array | int
) -> tuple[Column, Array]:
    """Apply each lane's function once; also flag the lanes whose value it leaves as it is.

    Flagged lanes (bool (n,)) are charged for all applications left, but these are not made.
    """
    limit = frame.operation.max_elements
    trial = Frame(Operation(frame.n, limit), frame.n)
    result = call(trial, function, [value]).gathered()
    unchanged = _same_values(value.gathered(), result)
    spent = limit - trial.operation.remaining
    frame.charge(xp.where(unchanged, spent * (1 + left), spent))
    if trial.flagged:
        frame.fail(trial.failed)
    if trial.operation.host is not None:
        frame.note_host(where_set(trial.operation.host))
    return result, unchanged


def _same_values(a: Column, b: Column) -> Array:
    """Flag the lanes where two columns surely have the same values of the same types; bool (n,).

    The layouts show the types, except those of bound arguments.
    """
    unsure = a.constant or b.constant or a.mixed or a.on_host or a.key != b.key
    if unsure or _has_functions(a.key):
        return xp.zeros(len(a), dtype=xp.bool_)
    return equal(a, b)


def _has_functions(key: Value) -> bool:
    return key == "function" or (isinstance(key, tuple) and any(map(_has_functions, key)))


@primitive(builds=Powered)
def power(function: Callable, n: Integer) -> Callable:
    """Return the function that applies `function` n times. Fails unless n >= 1."""
    if n < 1:
        raise ValueError("power: n must be at least 1")
    return _made(Powered(1, function, n))


@rule(power)
def power(frame: Frame, function: Column, n: Ints) -> Column:
    """Make failed lanes repeat only once, as they are still computed until the operation ends."""
    frame.fail(n.data < 1)
    times = xp.maximum(n.data, 1)
    # Both are cut at 2^31, which is beyond every limit, so that the product stays within int64.
    size = xp.minimum(times, 1 << 31) * xp.minimum(as_array(function.sizes, frame.n), 1 << 31)
    made = _make(frame, Powered, 1, [function, n], size)
    once = xp.where(frame.failed, 1, times)
    return Functions(Powered, 1, [function, Ints(once)], xp.where(frame.failed, 1, made.sizes))


_POWERED = kind_number(Powered)
_MOST_TIMES = 1 << 31
"""Sizes are cut there, which is beyond every limit, so that they stay within int64."""


@compiled(power)
def power(heap, function, n):
    if n < 1:
        return int64(m.FAILED)
    at = m.begin_node(heap, 2 + 3)
    if at < 0:
        return int64(m.FULL)
    heap[at] = m.FUNCTION
    heap[at + 1] = 2
    heap[at + 2] = _POWERED
    heap[at + m.CONTENT] = function
    heap[at + m.CONTENT + 1] = n
    size = n * min(m.size_of(heap, function), _MOST_TIMES)
    return m.finish_function(heap, at, 1, size, m.depth_of(heap, function) + 1)


class Forked(Built):
    """outer(a(x), b(x))"""

    __slots__ = ()
    name = "fork"

    def __call__(self, x: Value) -> Value:
        outer, a, b = self.args
        return outer(a(x), b(x))

    @staticmethod
    def calls(make: Calls, bound: list[Value], args: list[Value]) -> Value:
        outer, a, b = bound
        return make.call(outer, [make.call(a, args), make.call(b, args)])


@primitive(builds=Forked)
def fork(outer: Callable, a: Callable, b: Callable) -> Callable:
    """Return the function x -> outer(a(x), b(x))."""
    return _made(Forked(1, outer, a, b))


@rule(fork)
def fork(frame: Frame, outer: Column, a: Column, b: Column) -> Column:
    return _make(frame, Forked, 1, [outer, a, b], 1 + outer.sizes + a.sizes + b.sizes)


_FORKED = kind_number(Forked)


@compiled(fork)
def fork(heap, outer, a, b):
    return m.build(heap, _FORKED, 1, 3, outer, a, b)
