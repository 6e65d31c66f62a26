"""Reads a run's folder as data, without importing any file of the folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.megabatch.checksums import Damaged, reading_parquet
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.run.manifest import MANIFEST, Manifest, read_manifest
from megabatt.runtime.megabatch.run.results import (
    figures_in,
    is_whole,
    lacking_columns,
    number_in,
    schema_of,
)
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.summaries import read_summary_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.vocabulary import counted

AGAIN = "--resume of the `megabatt run` that wrote it makes it again"
"""What to do about a damaged file."""


@contextmanager
def advising() -> Iterator[None]:
    """Raise DataError, with a remedy, for a damaged file, and DataError for an unreadable file."""
    try:
        yield
    except Damaged as error:
        raise DataError(f"{error}; {AGAIN}") from error
    except OSError as error:
        raise DataError(str(error)) from error


def read_summary(folder: Path) -> dict[str, Any]:
    """Read a run's summary.json. Raises DataError if there is none, or a file is gone."""
    _refuse_others(folder)
    with advising():
        summary = read_summary_of(Store.at(folder))
    if summary is None:
        _refuse_begun(folder)
        if (folder / MANIFEST).is_file():  # the run was killed at its end
            raise DataError(f"{folder}: no summary.json; --resume of the run writes it")
        raise DataError(f"{folder}: no results; `megabatt run --out {folder}` writes them")
    if not isinstance(summary.get("workload"), str):
        raise DataError(f"{folder}: its summary.json does not name the workload of the run")
    return summary


def _refuse_others(folder: Path) -> None:
    """Raise DataError for a file, and for the folder of a search."""
    if folder.is_file():
        raise DataError(f"{folder} is a file: name its folder, {folder.parent}")
    if (folder / "search.log").is_file():
        raise DataError(
            f"{folder} has a search, no run: its submission is {folder / 'submission.json'}, and "
            f"`megabatt compile {folder / 'solvers.py'} --out FOLDER` makes programs to run"
        )


def _refuse_begun(folder: Path) -> None:
    """Raise DataError for the folder of an unfinished run."""
    missing = what_is_missing(folder)
    if missing:
        raise DataError(f"{folder}: {missing}, if it is not under way")


def what_is_missing(folder: Path) -> str:
    """Say in a line what an unfinished run lacks; "" for any other folder.

    Raises DataError, also if a file is gone.
    """
    store = Store.at(folder)
    try:
        manifest = read_manifest(store)
    except (Damaged, OSError) as error:
        raise DataError(str(error)) from error
    with advising():
        summary = read_summary_of(store)
        if manifest is not None:
            return _missing_rows(store, manifest)
    begun = summary is None and (folder / "dataset.json").is_file()
    if begun or (summary or {}).get("samples_missing"):
        return "the dataset is not complete; go on with --resume of the run"
    return ""


def _missing_rows(store: Store, manifest: Manifest) -> str:
    """Say what an unfinished run lacks. Raises Damaged, OSError."""
    sizes, solvers = dict(enumerate(manifest.batches)), manifest.solvers_of_batch
    rows = dict.fromkeys(sizes, 0)
    for name in store.names():
        number = number_in(name)
        if number in sizes and is_whole(name):
            rows[number] += sizes[number] * solvers
        elif number in sizes:
            with reading_parquet(store, name, manifest.run) as file:
                rows[number] += file.metadata.num_rows
    left = [number for number, size in sizes.items() if rows[number] < size * solvers]
    if not left:
        return ""
    samples = sum(sizes[number] for number in left)
    have = "has" if samples == 1 else "have"
    return (
        f"the run is not complete ({len(sizes) - len(left):,} of {counted(len(sizes), 'batch')}): "
        f"{counted(samples, 'sample')} {have} no outputs; go on with --resume of the run"
    )


def table_of(
    folder: Path, name: str, columns: list[str], schema: pa.Schema, run: str
) -> pa.Table:
    """Read some columns of a run's Parquet file, which must have `schema`. Raises DataError."""
    with _file_of(folder, name, schema, run) as file:
        return file.read(columns=columns)


@contextmanager
def _file_of(folder: Path, name: str, schema: pa.Schema, run: str) -> Iterator[pq.ParquetFile]:
    """Open a run's Parquet file, which must have `schema`. Raises DataError, also for the block."""
    with advising(), reading_parquet(Store.at(folder), name, run) as file:
        if lacking := lacking_columns(file.schema_arrow, schema):
            raise Damaged(f"{folder / name}: {lacking}")
        if not file.schema_arrow.equals(schema):
            raise DataError(f"{folder / name}: its columns are not those of the run")
        yield file


@dataclass(frozen=True)
class StoredRun:
    """The results of `megabatt run --out`.

    schema: The schema of the Parquet files. files: The names of these files, grouped by batch.
    """

    folder: Path
    manifest: Manifest
    schema: pa.Schema
    files: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path, workload: Workload[Any]) -> Self:
        """Read the manifest and list the files. Raises DataError if there are no results."""
        _refuse_others(folder)
        try:
            store = Store.at(folder)
            manifest = read_manifest(store)
            files = tuple(name for name in store.names() if number_in(name) is not None)
        except (Damaged, OSError, ValueError) as error:
            raise DataError(str(error)) from error
        if manifest is None or not files:
            _refuse_begun(folder)
            raise DataError(f"{folder}: no results; `megabatt run --out {folder}` writes them")
        if manifest.workload != workload.name:
            raise DataError(
                f"{folder}: results of workload {manifest.workload}, not of {workload.name}"
            )
        return cls(folder, manifest, schema_of(workload), files)

    def rows(self, columns: list[str]) -> Iterator[pa.Table]:
        """Yield the given columns, a part of a file at a time. Raises DataError."""
        for name in self.files:
            with _file_of(self.folder, name, self.schema, self.manifest.run) as file:
                for group in range(file.num_row_groups):  # a whole file of grids is a GB and more
                    yield file.read_row_group(group, columns=columns)

    def operation_seconds(self) -> dict[tuple[str, int], float]:
        """Add up the seconds of each operation, over all batches that timed operations.

        A key is a program, given by its solver's name or "" for the merged program, and the number
        of the operation in the program. Raises DataError.
        """
        store = Store.at(self.folder)
        seconds: Counter[tuple[str, int]] = Counter()
        for name in self.files:
            try:
                with advising(), reading_parquet(store, name, self.manifest.run) as file:
                    micros = figures_in(file).get("operation_us", [])
                program = self._program_in(name)
                for number, taken in enumerate(micros):
                    if taken:
                        seconds[program, number] += taken
            except (ValueError, TypeError) as error:
                raise DataError(f"{self.folder / name}: {error}") from error
        return {operation: taken / 1e6 for operation, taken in seconds.items()}

    def _program_in(self, name: str) -> str:
        """Return the name of the program that computed a file's rows; "" for the merged program."""
        if not self.manifest.own:
            return ""
        table = table_of(self.folder, name, ["solver"], self.schema, self.manifest.run)
        return str(table["solver"][0].as_py())
