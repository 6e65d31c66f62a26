"""Primitives and the language that they make up: JAX's table of primitives and rules, for columns.

A primitive is declared once, in its scalar form; what it means for whole columns is a rule that
stands beside it:

    @primitive
    def rot90(grid: Grid) -> Grid:
        '''Quarter clockwise rotation.'''
        charge(area(grid))
        return tuple(zip(*grid[::-1]))

    @rule(rot90)
    def _(frame, grid): ...

A primitive without a rule works all the same: its lanes are computed by the scalar form.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar, get_type_hints

from runtime.engine.arrays import Array
from runtime.engine.columns import Column

F = TypeVar("F", bound=Callable[..., Any])


class Cast(NamedTuple):
    """A column as a declared type takes it.

    failed and host are bool (n,) or None for no lane: where the values are not of the type, and
    where only the scalar form can tell or do it. The column counts in the other lanes alone.
    never: the layout alone says that no lane is of the type; nothing else counts then.
    """

    column: Column
    failed: Array | None = None
    host: Array | None = None
    never: bool = False


class Type:
    """A declared type: what a parameter takes, in both forms, and a result's safe default."""

    name: str
    default: Any = ()
    default_source: str = "()"
    splits: bool = True
    """Whether a rule wants the lanes of each part of a union apart, and indexed ones gathered."""

    def check(self, value: Any) -> Any:
        """`value` in the form that primitives take. Raises TypeError if it is not of this type."""
        raise NotImplementedError

    def guard(self, name: str, scope: dict[str, Any]) -> str | None:
        """Source of a quick test that is true where `check` must look at the variable `name`.

        `scope` is where the source will run; names may be added to it. None: nothing to check.
        """
        raise NotImplementedError

    def cast(self, column: Column) -> Cast:
        """A column that is no union as a column of this type."""
        raise NotImplementedError

    def settled(self, column: Column) -> Column:
        """The lanes that `cast` leaves to the host, laid out so that it can tell more of them.

        Values may change as `check` would change them.
        """
        return column

    def doubtful(self, column: Column) -> Array | None:
        """The lanes of a settled column for which the host's word is still needed: bool (n,).

        Others that `cast` leaves to the host are not of this type. None: all of them.
        """
        return None

    def expected(self, value: Any) -> TypeError:
        return TypeError(f"expected {self.name}, got {type(value).__name__}")


class Primitive:
    """A primitive: its name, signature, scalar form, and rule if it has one.

    function: the scalar form with its arguments checked, a plain Python function.
    body: the same unchecked, as it was written.
    rule: (frame, *columns) -> column, the columns cast to the declared types.
    """

    def __init__(self, body: Callable[..., Any]) -> None:
        self.body = body
        self.name = body.__name__
        self.module = body.__module__
        self.parameters = tuple(inspect.signature(body).parameters)
        hints = get_type_hints(body, include_extras=True)
        self.types = tuple(self._declared(hints, name) for name in self.parameters)
        self.result = self._declared(hints, "return")
        self.rule: Callable[..., Column] | None = None
        self.function = self._checked()

    def _declared(self, hints: dict[str, Any], name: str) -> Type:
        for note in getattr(hints.get(name), "__metadata__", ()):
            if isinstance(note, Type):
                return note
        raise TypeError(
            f"primitive {self.name}: {name} is not annotated with a type of the language"
        )

    @property
    def arity(self) -> int:
        return len(self.parameters)

    @property
    def default(self) -> Any:
        return self.result.default

    @property
    def default_source(self) -> str:
        return self.result.default_source

    def _checked(self) -> Callable[..., Any]:
        """The body behind a check of each argument, written out so that a call costs little."""
        scope: dict[str, Any] = {"body": self.body, "__name__": self.module}
        lines = [f"def {self.name}({', '.join(self.parameters)}):"]
        for k, (parameter, declared) in enumerate(zip(self.parameters, self.types, strict=True)):
            guard = declared.guard(parameter, scope)
            if guard is not None:
                scope[f"check_{k}"] = declared.check
                lines.append(f"    if {guard}: {parameter} = check_{k}({parameter})")
        lines.append(f"    return body({', '.join(self.parameters)})")
        exec(compile("\n".join(lines), f"<checks of {self.name}>", "exec"), scope)
        function: Callable[..., Any] = scope[self.name]
        function.__doc__ = self.body.__doc__
        function.__qualname__ = self.body.__qualname__
        function.__annotations__ = self.body.__annotations__
        return function


_PRIMITIVES: dict[Any, Primitive] = {}


def primitive_of(function: Any) -> Primitive | None:
    """The primitive that a function is the scalar form of."""
    try:
        return _PRIMITIVES.get(function)
    except TypeError:
        return None


def rule(function: Callable[..., Any]) -> Callable[[F], F]:
    """Declare what primitive `function` does to columns: (frame, *columns) -> column.

    The columns come cast to the declared types and have `frame.n` lanes, at least one. The rule
    charges what the scalar form charges, flags failures on the frame and gives some value in the
    lanes that fail.
    """
    primitive = _PRIMITIVES[function]

    def declare(body: F) -> F:
        primitive.rule = body
        return body

    return declare


class Language:
    """A language: its primitives, its constants and what every program reads.

    inputs: the names of the inputs; unknown_default(_source): what a failed call of a computed
    function leaves.
    """

    def __init__(
        self, inputs: tuple[str, ...], constants: Mapping[str, Any], unknown_default: Any = ()
    ) -> None:
        self.inputs = inputs
        self.constants = dict(constants)
        self.unknown_default = unknown_default
        self.unknown_default_source = repr(unknown_default)
        self.primitives: dict[str, Primitive] = {}

    def primitive(self, body: F) -> F:
        """Add a primitive, given by its scalar form: plain Python with annotated parameters.

        Returns the function to call, which checks its arguments. Raises TypeError where a
        parameter is not annotated with a type of the language.
        """
        primitive = Primitive(body)
        self.primitives[primitive.name] = primitive
        _PRIMITIVES[primitive.function] = primitive
        return primitive.function  # type: ignore[return-value]
