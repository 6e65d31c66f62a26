"""Solvers as a source has them, and as blocks: their operations numbered, each once."""

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
class NumberedOperation:
    """A call whose operands may be numbers of others; the block's list numbers it, from 1."""

    function: Operand
    arguments: tuple[Operand, ...]
    solver: str
    """The solver that first needs it."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The function and the arguments, which value numbering compares."""
        return (self.function, *self.arguments)


@dataclass(frozen=True)
class Block:
    """Operations of one or several solvers, in an order in which they can run, and the outputs."""

    operations: tuple[NumberedOperation, ...]
    outputs: Mapping[str, Operand]
