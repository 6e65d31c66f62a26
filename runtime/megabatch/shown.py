"""How a workload is shown to a person: in a terminal, and as pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic

from megabatt.runtime.megabatch.data import AnySample, Data
from megabatt.runtime.megabatch.pictures import Panel, Picture


class Shown(Generic[AnySample]):
    """How samples, values and results of a workload are shown. A subclass changes what it will."""

    numeric_outputs: tuple[str, ...] = ()
    """Those of the workload's `output_fields` that are numbers, or lists of numbers; a report shows
    how they are distributed."""

    def names_of_numbers(self, column: str, count: int) -> Sequence[str]:
        """Name each of the numbers in such a column's lists of this length."""
        return [column] if count == 1 else [f"{column} {k}" for k in range(count)]

    def heading(self, sample: AnySample) -> str:
        """Return the heading above a sample."""
        return sample.key

    def overview(self, data: Data[AnySample]) -> Sequence[Panel]:
        """Draw a group as a whole: pictures to stand above its samples; none by default."""
        return ()

    def picture(self, value: Any, other: Any = None, among: Sequence[Any] = ()) -> Picture | None:
        """Draw a value; return None if its text says more.

        other: a value to compare it with; the picture says where they differ. among: the values
        that it was computed from, the nearest first.
        """
        return None

    def difference(self, value: Any, other: Any) -> str:
        """Say in a line how a value differs from `other`; empty if nothing is to be said."""
        return ""

    def page(self, folder: Path, workload: Any) -> str | None:
        """Return what a run wrote to a folder, as an HTML page of the workload's own.

        None: it has none, and the page is the one that any run has. workload: the `Workload` that
        is shown. Raises DataError.
        """
        return None
