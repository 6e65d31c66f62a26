"""Functions that build functions: compose, chain, matcher, rbind, lbind, power, fork; identity.

Building only makes a value, a `Function`. The function's class stands beside the primitive and
defines the function's call, on values and on words.
"""

from typing import Any as Value
from typing import NamedTuple

from megabatt.runtime.core.logic import equality
from megabatt.runtime.core.table import charge, compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import Any, Callable, Integer
from megabatt.runtime.engine.language.limits import ArityError, budget
from megabatt.runtime.engine.language.registry import the_primitive
from megabatt.runtime.engine.language.values import Function, arity_of, identical, size_of
from megabatt.runtime.engine.language.values import equal as values_equal
from megabatt.runtime.engine.machine.forms import kind_number
from megabatt.runtime.vocabulary import counted


@primitive
def identity(x: Any) -> Any:
    """Return the argument itself."""
    return x


compiled_as(identity, m.any_word)


def _made(function: Function) -> Function:
    """Charge a new function with its size, so that no tower of functions outgrows the budget."""
    charge(function.size)
    return function


class _StandIn(NamedTuple):
    """A bound value, of which `make` makes the calls."""

    make: Value
    value: Value

    def __call__(self, *args: Value) -> Value:
        plain = [one.value if isinstance(one, _StandIn) else one for one in args]
        return self.make.call(self.value, plain)


class Built(Function):
    """A function built from other functions, which it calls."""

    __slots__ = ()
    arities: tuple[int, ...] = (1,)
    """The arities that functions of the class may have."""

    @classmethod
    def calls(cls, make: Value, bound: list[Value], args: list[Value]) -> Value:
        """Make the inner calls of one call of the function, as `__call__`; return the result.

        make: Makes a call on words or kinds: `call` of a function, `apply` of a primitive.
        """
        return cls(len(args), *[_StandIn(make, value) for value in bound])(*args)


class Composed(Built):
    """outer(inner(x))"""

    __slots__ = ()

    def __call__(self, x: Value) -> Value:
        outer, inner = self.args
        return outer(inner(x))


@primitive(builds=Composed)
def compose(outer: Callable, inner: Callable) -> Callable:
    """Return the function x -> outer(inner(x))."""
    return _made(Composed(1, outer, inner))


compiled_as(compose, m.build_of_two, kind_number(Composed), 1)


class Chained(Built):
    """h(g(f(x)))"""

    __slots__ = ()

    def __call__(self, x: Value) -> Value:
        h, g, f = self.args
        return h(g(f(x)))


@primitive(builds=Chained)
def chain(h: Callable, g: Callable, f: Callable) -> Callable:
    """Return the function x -> h(g(f(x)))."""
    return _made(Chained(1, h, g, f))


compiled_as(chain, m.build_of_three, kind_number(Chained), 1)


class Matched(Built):
    """function(x) == target"""

    __slots__ = ()

    def __call__(self, x: Value) -> bool:
        function, target = self.args
        return values_equal(function(x), target)

    @staticmethod
    def calls(make: Value, bound: list[Value], args: list[Value]) -> Value:
        function, target = bound
        return make.apply(the_primitive(equality), [make.call(function, args), target])


@primitive(builds=Matched)
def matcher(function: Callable, target: Any) -> Callable:
    """Return the function x -> function(x) == target."""
    return _made(Matched(1, function, target))


compiled_as(matcher, m.build_of_two, kind_number(Matched), 1)


class Bound(Built):
    """A function with its first argument fixed, or the last one if it `fixes_last`."""

    __slots__ = ()
    arities = (0, 1, 2, 3)
    fixes_last: bool

    def __call__(self, *args: Value) -> Value:
        if len(args) != self.arity:
            message = f"a function of {counted(self.arity, 'value')} is called with {len(args)}"
            raise ArityError(f"{self.name}: {message}")
        function, fixed = self.args
        return function(*args, fixed) if self.fixes_last else function(fixed, *args)


class RightBound(Bound):
    """function with its last argument fixed"""

    __slots__ = ()
    fixes_last = True


@primitive(builds=RightBound)
def rbind(function: Callable, fixed: Any) -> Callable:
    """Return the function that calls `function` with `fixed` as last argument."""
    return _made(RightBound(_bound_arity(function), function, fixed))


@m.machine_function
def bind_word(heap, function, fixed, kind):
    """Make a function of a kind, `rbind` or `lbind`, with an argument fixed."""
    arity = m.arity_of(heap, function) - 1
    return m.WRONG_ARITY if arity < 0 else m.build_of_two(heap, function, fixed, kind, arity)


compiled_as(rbind, bind_word, kind_number(RightBound))


class LeftBound(Bound):
    """function with its first argument fixed"""

    __slots__ = ()
    fixes_last = False


@primitive(builds=LeftBound)
def lbind(function: Callable, fixed: Any) -> Callable:
    """Return the function that calls `function` with `fixed` as first argument."""
    return _made(LeftBound(_bound_arity(function), function, fixed))


compiled_as(lbind, bind_word, kind_number(LeftBound))


def _bound_arity(function: Value) -> int:
    arity = arity_of(function) - 1
    if arity < 0:
        raise ArityError("a function of no arguments has none to bind")
    return arity


class Powered(Function):
    """function(function(...function(x))), n times"""

    __slots__ = ()

    def measure(self) -> int:
        function, n = self.args
        return n * size_of(function)

    def __call__(self, x: Value) -> Value:
        """Apply the function n times, or until the value no longer changes; charge all n."""
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
        function, n = heap[at + m.CONTENT], heap[at + m.CONTENT + 1]
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
    at = m.required(m.begin_function(heap, _POWERED, 2))
    heap[at + m.CONTENT] = function
    heap[at + m.CONTENT + 1] = n
    size = n * min(m.size_of(heap, function), _MOST_TIMES)
    return m.finish_function(heap, at, 1, size, m.depth_of(heap, function) + 1)


class Forked(Built):
    """outer(a(x), b(x))"""

    __slots__ = ()

    def __call__(self, x: Value) -> Value:
        outer, a, b = self.args
        return outer(a(x), b(x))


@primitive(builds=Forked)
def fork(outer: Callable, a: Callable, b: Callable) -> Callable:
    """Return the function x -> outer(a(x), b(x))."""
    return _made(Forked(1, outer, a, b))


compiled_as(fork, m.build_of_three, kind_number(Forked), 1)
