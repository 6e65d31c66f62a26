"""Solvers as a source has them, with their places."""

from __future__ import annotations

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
