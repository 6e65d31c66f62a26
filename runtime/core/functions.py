"""Functions that build functions: compose, chain, matcher, rbind, lbind, power, fork; identity.

Building only makes a value, a `Function`. The function's class stands beside the primitive and
defines the function's call, on values and on words.
"""

from __future__ import annotations

from typing import Any as Value
from typing import Protocol

from megabatt.runtime.core.table import charge, compiled, m, primitive
from megabatt.runtime.core.types import Any, Callable, Integer
from megabatt.runtime.engine.language.limits import ArityError, budget
from megabatt.runtime.engine.language.registry import Primitive
from megabatt.runtime.engine.language.values import Function, arity_of, identical, size_of
from megabatt.runtime.engine.language.values import equal as values_equal
from megabatt.runtime.engine.machine.forms import form_of, kind_number
from megabatt.runtime.vocabulary import counted


@primitive
def identity(x: Any) -> Any:
    """Return the argument itself."""
    return x


@compiled(identity)
def identity(heap, x):
    return x


def _made(function: Function) -> Function:
    """Charge a new function with its size, so that no tower of functions outgrows the budget."""
    charge(function.size)
    return function


class Caller(Protocol):
    """Makes the inner calls of a built function's call: on words, or on kinds."""

    def call(self, function: Value, args: list[Value]) -> Value:
        """Call a function."""

    def apply(self, primitive: Primitive, args: list[Value]) -> Value:
        """Call a primitive."""


class Built(Function):
    """A function built from other functions, which it calls."""

    __slots__ = ()
    arities: tuple[int, ...] = (1,)
    """The arities that functions of the class may have."""

    @staticmethod
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        """Make the inner calls of one call of the function, and return the result."""
        raise NotImplementedError


class Composed(Built):
    """outer(inner(x))"""

    __slots__ = ()
    name = "compose"

    def __call__(self, x: Value) -> Value:
        outer, inner = self.args
        return outer(inner(x))

    @staticmethod
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        outer, inner = bound
        return make.call(outer, [make.call(inner, args)])


@primitive(builds=Composed)
def compose(outer: Callable, inner: Callable) -> Callable:
    """Return the function x -> outer(inner(x))."""
    return _made(Composed(1, outer, inner))


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
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        h, g, f = bound
        return make.call(h, [make.call(g, [make.call(f, args)])])


@primitive(builds=Chained)
def chain(h: Callable, g: Callable, f: Callable) -> Callable:
    """Return the function x -> h(g(f(x)))."""
    return _made(Chained(1, h, g, f))


_CHAINED = kind_number(Chained)


@compiled(chain)
def chain(heap, h, g, f):
    return m.build(heap, _CHAINED, 1, 3, h, g, f)


def same(x: Any, target: Any) -> Any:
    """Tell whether two values are equal. Every call of a `Matched` ends with `same`."""
    return bool(x == target)


_SAME = Primitive(same)


def same_words(heap, x, target):
    return m.boolean(m.equal(heap, x, target))


_SAME.declare_compiled(form_of(_SAME, same_words))


class Matched(Built):
    """function(x) == target"""

    __slots__ = ()
    name = "matcher"

    def __call__(self, x: Value) -> bool:
        function, target = self.args
        return values_equal(function(x), target)

    @staticmethod
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        function, target = bound
        return make.apply(_SAME, [make.call(function, args), target])


@primitive(builds=Matched)
def matcher(function: Callable, target: Any) -> Callable:
    """Return the function x -> function(x) == target."""
    return _made(Matched(1, function, target))


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

        Raises ArityError if the number of `args` is not the arity.
        """
        if len(args) != self.arity:
            message = f"a function of {counted(self.arity, 'value')} is called with {len(args)}"
            raise ArityError(f"{self.name}: {message}")
        return self.args


class RightBound(Bound):
    """function with its last argument fixed"""

    __slots__ = ()
    name = "rbind"

    def __call__(self, *args: Value) -> Value:
        function, fixed = self.parts_for(args)
        return function(*args, fixed)

    @staticmethod
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        function, fixed = bound
        return make.call(function, [*args, fixed])


@primitive(builds=RightBound)
def rbind(function: Callable, fixed: Any) -> Callable:
    """Return the function that calls `function` with `fixed` as last argument."""
    return _made(RightBound(_bound_arity(function), function, fixed))


_RIGHTBOUND = kind_number(RightBound)


@compiled(rbind)
def rbind(heap, function, fixed):
    return bind_word(heap, _RIGHTBOUND, function, fixed)


@m.machine_function
def bind_word(heap, kind, function, fixed):
    """Make a function of a kind, `rbind` or `lbind`, with an argument fixed."""
    arity = m.arity_of(heap, function) - 1
    return m.WRONG_ARITY if arity < 0 else m.build(heap, kind, arity, 2, function, fixed, 0)


class LeftBound(Bound):
    """function with its first argument fixed"""

    __slots__ = ()
    name = "lbind"

    def __call__(self, *args: Value) -> Value:
        function, fixed = self.parts_for(args)
        return function(fixed, *args)

    @staticmethod
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        function, fixed = bound
        return make.call(function, [fixed, *args])


@primitive(builds=LeftBound)
def lbind(function: Callable, fixed: Any) -> Callable:
    """Return the function that calls `function` with `fixed` as first argument."""
    return _made(LeftBound(_bound_arity(function), function, fixed))


_LEFTBOUND = kind_number(LeftBound)


@compiled(lbind)
def lbind(heap, function, fixed):
    return bind_word(heap, _LEFTBOUND, function, fixed)


def _bound_arity(function: Value) -> int:
    arity = arity_of(function) - 1
    if arity < 0:
        raise ArityError("a function of no arguments has none to bind")
    return arity


class Powered(Function):
    """function(function(...function(x))), n times"""

    __slots__ = ()
    name = "power"

    def measure(self) -> int:
        function, n = self.args
        return n * size_of(function)

    def __call__(self, x: Value) -> Value:
        """Apply the function n times, or until the value no longer changes.

        The applications that this saves are charged too.
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
        """Do `__call__`, with the same comparisons and charges."""
        function, n = m.bound_to(heap, at, 0), m.bound_to(heap, at, 1)
        look = 4
        for applied in range(1, n + 1):
            left = heap[m.BUDGET]
            made = m.required(m.call_of_one(heap, function, x))
            if applied == look:
                look *= 2
                if m.same(heap, x, made) == 1:
                    m.required(m.charge(heap, (n - applied) * (left - heap[m.BUDGET])))
                    return made
            x = made
        return x


_LOOKS = {1 << k for k in range(2, 31)}
"""The applications after which values are compared: comparing can cost as much as applying."""


@primitive(builds=Powered)
def power(function: Callable, n: Integer) -> Callable:
    """Return the function that applies `function` n times. Fails unless n >= 1."""
    if n < 1:
        raise ValueError("power: n must be at least 1")
    return _made(Powered(1, function, n))


_POWERED = kind_number(Powered)
_MOST_TIMES = 1 << 31
"""The cap on sizes: beyond every limit, and within int64."""


@compiled(power)
def power(heap, function, n):
    if n < 1:
        return m.NO_VALUE
    at = m.required(m.begin_node(heap, 2 + 3))
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
    def calls(make: Caller, bound: list[Value], args: list[Value]) -> Value:
        outer, a, b = bound
        return make.call(outer, [make.call(a, args), make.call(b, args)])


@primitive(builds=Forked)
def fork(outer: Callable, a: Callable, b: Callable) -> Callable:
    """Return the function x -> outer(a(x), b(x))."""
    return _made(Forked(1, outer, a, b))


_FORKED = kind_number(Forked)


@compiled(fork)
def fork(heap, outer, a, b):
    return m.build(heap, _FORKED, 1, 3, outer, a, b)
