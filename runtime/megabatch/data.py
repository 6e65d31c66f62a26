"""Samples, and the data of a workload."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from megabatt.runtime.printable import brief


class Sample(Protocol):
    """The inputs of one run of a program.

    For each input of the language, the sample has an attribute of the input's name with the value.
    """

    @property
    def key(self) -> str:
        """The sample's name in output; no other sample of the data has the same name."""

    @property
    def group(self) -> str:
        """The name of the sample's group: samples that may share inputs or a solver."""

    @property
    def expected(self) -> Any:
        """The right output; None for an unknown output."""


AnySample = TypeVar("AnySample", bound=Sample)


@dataclass
class Data(Generic[AnySample]):
    """The samples that a workload has loaded.

    Attributes:
        samples: The samples.
        problems: A line for each part of the data that could not be read.
        solver_for: A function of a group and the names of all solvers. It returns the only solver
            to run on the group's samples, or None to run none. If `solver_for` is None, every
            solver runs on every sample.
        incomplete: The groups with a sample that could not be read: whether a solver solves such
            a group is not known.
    """

    samples: list[AnySample]
    problems: list[str] = field(default_factory=list)
    solver_for: Callable[[str, Collection[str]], str | None] | None = None
    incomplete: Collection[str] = ()

    def __post_init__(self) -> None:
        """Raise DataError if the samples are of a class without what every sample has."""
        for sample in self.samples[:1]:
            lacking = [f"`{name}`" for name in _OF_SAMPLES if not hasattr(sample, name)]
            if lacking:
                line = "a sample has `key` (a name of its own), `group` and `expected`"
                what = f"{type(sample).__name__} has no {' and no '.join(lacking)}"
                raise DataError(f"{line}; {what}")


_OF_SAMPLES = ("key", "group", "expected")


class DataError(ValueError):
    """The data cannot be loaded.

    Attributes:
        problems: A line for each part of the data that could not be read.
    """

    def __init__(self, message: str | Sequence[str], problems: Sequence[str] = ()) -> None:
        """Make the error. message: a line, or a line for each mistake."""
        lines = [message] if isinstance(message, str) else message
        super().__init__("\n".join(map(brief, lines)))
        self.problems = list(problems)
