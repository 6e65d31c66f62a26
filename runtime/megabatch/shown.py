"""The display of a workload in a terminal and on pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic

from megabatt.runtime.megabatch.data import AnySample, Data
from megabatt.runtime.megabatch.pictures import Panel, Picture


class Shown(Generic[AnySample]):
    """The display of a workload's samples, values and results; a subclass may change any part."""

    numeric_outputs: tuple[str, ...] = ()
    """The names of the `output_fields` of numbers or lists of numbers; a report shows the
    distribution of each."""

    def names_of_numbers(self, column: str, count: int) -> Sequence[str]:
        """Return a name for each number of a numeric column's lists of `count` numbers."""
        return [column] if count == 1 else [f"{column} {k}" for k in range(count)]

    def heading(self, sample: AnySample) -> str:
        """Return the heading above a sample."""
        return sample.key

    def number(self, sample: AnySample, place: int) -> int:
        """Return a sample's number in its group. place: Its place among the samples read."""
        return place

    def overview(self, data: Data[AnySample]) -> Sequence[Panel]:
        """Draw a group as a whole: panels above its samples; none by default."""
        return ()

    def picture(self, value: Any, other: Any = None, among: Sequence[Any] = ()) -> Picture | None:
        """Draw a value; return None to show the value's source in place of a picture.

        other: A value to compare with; the picture marks the differences. among: The values from
        which this value was computed, the nearest first.
        """
        return None

    def difference(self, value: Any, other: Any) -> str:
        """Say in a line how a value differs from `other`; return "" for no line."""
        return ""

    def page(self, folder: Path, workload: Any) -> str | None:
        """Return the workload's own HTML page on a run's folder; None for the usual page.

        workload: The `Workload` of the run. Raises DataError.
        """
        return None
