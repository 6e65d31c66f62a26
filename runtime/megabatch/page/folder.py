"""A run's folder read again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.megabatch.run.results import read_figures
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import DataError


def read_summary(folder: Path) -> dict[str, Any]:
    """Read a run's summary.json. Raises DataError where there is none."""
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # nested too deeply
        raise DataError(
            f"{folder}: no results; `megabatt run --out {folder}` writes them"
        ) from error
    if not isinstance(summary, dict) or not isinstance(summary.get("workload"), str):
        raise DataError(f"{folder}: its summary.json does not say what the run was of")
    return summary


def table_of(file: Path, columns: list[str]) -> pa.Table:
    """Read some columns of a Parquet file. Raises DataError."""
    try:
        table = pq.read_table(file, columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{file}: {error}") from error
    if missing := set(columns).difference(table.column_names):
        raise DataError(f"{file}: it has no column {', '.join(sorted(missing))}")
    return table


@dataclass(frozen=True)
class RunFolder:
    """What `megabatt run --out` wrote.

    folder: where; summary: what summary.json has; files: a Parquet file a batch.
    """

    folder: Path
    summary: dict[str, Any]
    files: tuple[Path, ...]

    @classmethod
    def read(cls, folder: Path) -> RunFolder:
        """Read the summary and list the files. Raises DataError where there are no results."""
        summary = read_summary(folder)
        files = tuple(sorted(folder.glob("batch-*.parquet")))
        if not files:
            raise DataError(f"{folder}: no results; the run has written no batch")
        if not isinstance(summary.get("program"), str):
            raise DataError(f"{folder}: its summary.json does not say what the run was of")
        return cls(folder, summary, files)

    def rows(self, columns: list[str]) -> Iterator[pa.Table]:
        """Yield these columns of each file. Raises DataError."""
        for file in self.files:
            yield table_of(file, columns)

    @property
    def compute_seconds(self) -> float:
        """The seconds that its batches took to compute; 0 where its summary.json does not say."""
        stages = self.summary.get("seconds")
        seconds = stages.get("compute") if isinstance(stages, dict) else None
        return float(seconds) if isinstance(seconds, int | float) else 0.0

    def operation_seconds(self, own: bool) -> dict[tuple[str, int], float]:
        """Add up the seconds that operations took, over all batches that timed them.

        own: whether each solver was run as a program of its own. An operation is named by its
        program ("" for the merged one, or the solver's name) and its number there. Raises
        DataError.
        """
        seconds: Counter[tuple[str, int]] = Counter()
        store = Store.at(self.folder)
        for file in self.files:
            try:
                micros = read_figures(store, file.name).get("operation_us", [])
                program = _solver_in(file) if own and micros else ""
                for number, taken in enumerate(micros):
                    if taken:
                        seconds[program, number] += taken
            except (OSError, ValueError, TypeError) as error:
                raise DataError(f"{file}: {error}") from error
        return {operation: taken / 1e6 for operation, taken in seconds.items()}


def _solver_in(file: Path) -> str:
    """Return the solver that all of a file's rows are of."""
    return str(table_of(file, ["solver"])["solver"][0].as_py())
