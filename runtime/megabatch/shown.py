"""The display of a workload in a terminal and on pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic

from megabatt.runtime.megabatch.data import AnySample, Data
from megabatt.runtime.megabatch.pictures import Panel, Picture


class Shown(Generic[AnySample]):
    """The display of a workload's samples, values and results, which a subclass may change."""

    numeric_outputs: tuple[str, ...] = ()
    """The names of `output_fields` with numbers or lists of numbers, whose distributions a report
    shows."""

    def names_of_numbers(self, column: str, count: int) -> Sequence[str]:
        """Return a name for each number in such a column's lists of this length."""
        return [column] if count == 1 else [f"{column} {k}" for k in range(count)]

    def heading(self, sample: AnySample) -> str:
        """Return the heading above a sample."""
        return sample.key

    def overview(self, data: Data[AnySample]) -> Sequence[Panel]:
        """Draw a group as a whole: panels above its samples; none by default."""
        return ()

    def picture(self, value: Any, other: Any = None, among: Sequence[Any] = ()) -> Picture | None:
        """Draw a value; return None if its text says more.

        other: A value to compare it with; the picture marks differences. among: The values that it
        was computed from, the nearest first.
        """
        return None

    def difference(self, value: Any, other: Any) -> str:
        """Say in a line how a value differs from `other`; return "" if there is nothing to say."""
        return ""

    def page(self, folder: Path, workload: Any) -> str | None:
        """Return an HTML page of the workload's own on a run's folder.

        None, the default, means the page for any run. workload: The `Workload` of the run. Raises
        DataError.
        """
        return None
