"""How links, runs and datasets are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.pictures import Panel, Picture
from megabatt.runtime.megabatch.shown import Shown
from megabatt.runtime.signal.constants import FEATURES, STATISTICS
from megabatt.runtime.signal.workload.links import Link
from megabatt.runtime.signal.workload.pictures import picture_of


class LinksShown(Shown[Link]):
    """Signals and spectra drawn; a dataset has maps, and a page of its own."""

    numeric_outputs = ("numbers",)

    def overview(self, data: Data[Link]) -> Sequence[Panel]:
        from megabatt.runtime.signal.dataset.looking import DatasetLinks

        return data.maps if isinstance(data, DatasetLinks) else ()

    def picture(self, value: Any, other: Any = None, among: Sequence[Any] = ()) -> Picture | None:
        return picture_of(value, among)

    def names_of_numbers(self, column: str, count: int) -> Sequence[str]:
        """Name the numbers that `features` gives: each feature, with its statistic over chunks."""
        if count == len(FEATURES) * len(STATISTICS):
            return [f"{feature}, {of}" for of in STATISTICS for feature in FEATURES]
        return super().names_of_numbers(column, count)

    def page(self, folder: Path, workload: Any) -> str | None:
        """Return the HTML page of a dataset; None for a run."""
        from megabatt.runtime.signal.dataset.page import page_of_dataset

        return page_of_dataset(folder) if (folder / "dataset.json").is_file() else None
