"""The declared types of any language: what a parameter takes, as a value, a word or a column.

The names for signatures are defined at the end: `Integer`, `Container`, ... Each is a plain Python
type for type checkers, annotated with the language's type. Subclasses of `Declared` make others.

The scalar form of a primitive gets arguments as these values:
    Integer, IntegerSet           plain ints (Booleans are made Integers)
    Number                        an int or a float
    Container, FrozenSet, Tuple   tuples and frozensets of anything
A rule gets columns: Ints for Integer, Bools for Boolean. The other types have no columns, so a
primitive that takes them has no rule.
"""

from typing import Annotated
from typing import Any as PythonAny

from megabatt.runtime.core import words
from megabatt.runtime.engine.columns import Bools, Column, Ints
from megabatt.runtime.engine.columns.rules import Cast
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.language.types import Declared
from megabatt.runtime.engine.machine.layout import any_word

__all__ = [
    "Any", "Boolean", "Callable", "Container", "ContainerContainer", "FrozenSet", "Integer",
    "IntegerSet", "Number", "Tuple", "TupleTuple",
]  # fmt: skip
INT = {int}
INTEGERS = {int, bool}
"""The Python types that an Integer may have: Booleans are accepted."""

_KNOWN_VALUES = 4096


class Shaped(Declared):
    """A type whose check walks through the value.

    The type remembers, and keeps alive, the last valid values: most are checked several times.
    """

    def __init__(self, *args: PythonAny, **named: PythonAny) -> None:
        super().__init__(*args, **named)
        self.known: dict[int, PythonAny] = {}

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        scope[f"known_{name}"] = self.known.get
        return f"known_{name}(id({name}), ...) is not {name}"  # else None would seem known

    def check(self, value: PythonAny) -> PythonAny:
        value = self.checked(value)
        if len(self.known) >= _KNOWN_VALUES:
            self.known.clear()
        self.known[id(value)] = value
        return value

    def checked(self, value: PythonAny) -> PythonAny:
        """Return `value` as primitives take it. Raises TypeError if it is not of this type."""
        raise NotImplementedError


class _OfClasses(Declared):
    """A type of values of given Python classes, and of values that convert to these classes."""

    classes: tuple[type, ...]

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return " and ".join(f"{name}.__class__ is not {kind.__name__}" for kind in self.classes)

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ in self.classes:
            return value
        made = self.made_of(value)
        if made is None:
            raise self.expected(value)
        return made

    def made_of(self, value: PythonAny) -> PythonAny:
        """Convert a value of another class; return None if the type does not take the value."""
        return None


class _Integer(_OfClasses):
    classes: tuple[type, ...] = (int,)

    def made_of(self, value: PythonAny) -> PythonAny:
        return int(value) if value.__class__ is bool else None


class _Number(_Integer):
    classes = (int, float)


class _Boolean(_OfClasses):
    classes = (bool,)


class _Container(_OfClasses):
    classes = (tuple, frozenset)

    def made_of(self, value: PythonAny) -> PythonAny:
        return frozenset(value) if value.__class__ is set else None


class _FrozenSet(_OfClasses):
    classes = (frozenset,)

    def made_of(self, value: PythonAny) -> PythonAny:
        return frozenset(value) if value.__class__ is set or value == () else None


class _Tuple(_OfClasses):
    classes = (tuple,)

    def made_of(self, value: PythonAny) -> PythonAny:
        return () if value.__class__ in (set, frozenset) and not value else None

    def described(self, value: PythonAny) -> str:
        advice = ", which has no places: write first(...) or totuple(...)"
        return super().described(value) + advice * isinstance(value, frozenset)


class _Integers(Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset):
            kind, kinds = tuple if value.__class__ is tuple else frozenset, set(map(type, value))
            if kinds <= INTEGERS:
                return kind(value if kinds <= INT else map(int, value))
        raise self.expected(value)


class _Callable(Declared):
    called = may_be_functions = True

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"not callable({name})"

    def check(self, value: PythonAny) -> PythonAny:
        if callable(value):
            return value
        raise self.expected(value)


class _Any(Declared):
    may_be_functions = True

    def guard(self, name: str, scope: dict[str, PythonAny]) -> None:
        return None

    def check(self, value: PythonAny) -> PythonAny:
        return value


def all_failed(column: Column) -> Cast:
    """Make the cast of a column whose layout holds no value of the type: every lane fails."""
    return Cast(column, never=True)


def to_ints(column: Column) -> Cast:
    if isinstance(column, Ints):
        return Cast(column)
    if isinstance(column, Bools):
        return Cast(Ints(column.data.astype(xp.int64)))
    return all_failed(column)


def to_bools(column: Column) -> Cast:
    return Cast(column) if isinstance(column, Bools) else all_failed(column)


Any = Annotated[PythonAny, _Any("Any", "()", of_word=any_word)]
Boolean = Annotated[bool, _Boolean("Boolean", "False", to_bools, of_word=words.to_boolean)]
Integer = Annotated[int, _Integer("Integer", "0", to_ints, of_word=words.to_integer)]
Number = Annotated[PythonAny, _Number("Number", "0", of_word=words.to_number)]
IntegerSet = Annotated[PythonAny, _Integers("IntegerSet", "frozenset()", of_word=words.to_integers)]
Container = Annotated[PythonAny, _Container("Container", "()", of_word=words.to_container)]
ContainerContainer = Annotated[
    PythonAny, _Container("ContainerContainer", "()", of_word=words.to_container)
]
FrozenSet = Annotated[
    frozenset[PythonAny], _FrozenSet("FrozenSet", "frozenset()", of_word=words.to_set)
]
Tuple = Annotated[tuple[PythonAny, ...], _Tuple("Tuple", "()", of_word=words.to_tuple)]
TupleTuple = Annotated[tuple[PythonAny, ...], _Tuple("TupleTuple", "()", of_word=words.to_tuple)]
Callable = Annotated[PythonAny, _Callable("Callable", "fails", of_word=words.to_callable)]
