"""Programs, as they are written (Solver) and as they are understood (Program)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Position:
    """A place in a source; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True)
class SourceError:
    """One thing that is wrong in a source, for its author to mend."""

    position: Position
    message: str

    def __str__(self) -> str:
        return f"{self.position}: {self.message}"


@dataclass(frozen=True)
class Name:
    """A variable, input, constant or primitive, by its name."""

    text: str
    position: Position


@dataclass(frozen=True)
class Literal:
    """An integer or a Boolean that stands in the source."""

    value: int
    position: Position


@dataclass(frozen=True)
class Call:
    """A function applied to positional arguments."""

    function: Expression
    arguments: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True)
class Unreadable:
    """Stands for an expression already reported, so that it is not reported twice."""

    position: Position


Expression = Name | Literal | Call | Unreadable


@dataclass(frozen=True)
class Assignment:
    """`target = value`"""

    target: Name
    value: Expression


@dataclass(frozen=True)
class Solver:
    """One program as its source has it."""

    name: Name
    parameters: tuple[Name, ...]
    assignments: tuple[Assignment, ...]
    result: Expression


Operand = str | int
"""The text of a global name or literal, or the number of the operation that computes it."""


@dataclass(frozen=True)
class Operation:
    """One call; the program's list gives it its number, the first being 1."""

    function: Operand
    arguments: tuple[Operand, ...]
    solver: str
    """The solver that first needs it."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The function and the arguments; what value numbering compares."""
        return (self.function, *self.arguments)


@dataclass(frozen=True)
class Program:
    """Operations in an order in which they can run, and the output of each solver."""

    operations: tuple[Operation, ...]
    outputs: Mapping[str, Operand]


def counted(number: int, noun: str) -> str:
    """`1 operation`, `2 operations`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
