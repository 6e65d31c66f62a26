"""A run's folder: its manifest, its finished batches, and a lock against other runs.

The manifest is written before the first batch is computed. The manifest identifies programs and
data, so that results of different runs never mix, and lists the sizes of the batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq

from megabatt.runtime.megabatch.batches import Batch, Part
from megabatt.runtime.megabatch.checksums import Damaged, reading_parquet
from megabatt.runtime.megabatch.locks import InUse, locked
from megabatt.runtime.megabatch.run.compute import BatchOutcome, joined
from megabatt.runtime.megabatch.run.manifest import (
    MANIFEST,
    Manifest,
    read_manifest,
    some_of,
    write_manifest,
)
from megabatt.runtime.megabatch.run.progress import log
from megabatt.runtime.megabatch.run.results import (
    figures_in,
    lacking_columns,
    matches_in,
    number_in,
)
from megabatt.runtime.megabatch.store import Store, temporary_for
from megabatt.runtime.megabatch.summaries import SUMMARY, write_summary
from megabatt.runtime.megabatch.workload import Report
from megabatt.runtime.vocabulary import counted


class FolderError(Exception):
    """Raised if a folder cannot be used for a run; the message gives the reason and a remedy."""


class RunFolder:
    """The locked folder of a run.

    shard: This process's share of the batches, as (number from 0, number of shares); None for all.
    """

    def __init__(self, store: Store, manifest: Manifest, shard: tuple[int, int] | None) -> None:
        self.store = store
        self.manifest = manifest
        self.shard = shard

    def is_mine(self, number: int) -> bool:
        """Tell whether this process computes the batch of that number."""
        return self.shard is None or number % self.shard[1] == self.shard[0]

    def done(self, batches: list[Batch]) -> tuple[dict[int, BatchOutcome], list[str]]:
        """Read the outcomes, by number, of the batches whose files are complete.

        Also returns a line for each damaged batch. Raises FolderError if a file cannot be read.
        """
        files: dict[int, list[str]] = {}
        for name in self.store.names():
            number = number_in(name)
            if number is not None:
                files.setdefault(number, []).append(name)
        found, damaged = {}, []
        for batch in batches:
            try:
                outcome = self._outcome(batch, files.get(batch.number, []))
            except Damaged as error:
                damaged.append(str(error))
            except OSError as error:
                raise FolderError(f"cannot read batch {batch.number}: {error}") from error
            else:
                if outcome is not None:
                    found[batch.number] = outcome
        return found, damaged

    def _outcome(self, batch: Batch, names: list[str]) -> BatchOutcome | None:
        """Read a batch's outcome; return None if the files of its parts and pieces lack rows.

        Raises Damaged, OSError.
        """
        outcomes = [self._outcome_in(name, batch) for name in names]
        rows = sum(len(outcome.matches) * len(outcome.samples) for outcome in outcomes)
        if rows != len(batch.samples) * self.manifest.solvers_of_batch:
            return None
        return joined(outcomes, batch)

    def _outcome_in(self, name: str, batch: Batch) -> BatchOutcome:
        """Read the outcome of the samples and solvers in one file of a batch.

        Raises Damaged, OSError.
        """
        with reading_parquet(self.store, name, self.manifest.run) as file:
            try:
                return _outcome_of(figures_in(file), file, batch)
            except (ValueError, KeyError, TypeError) as error:
                raise Damaged(f"{self.store}/{name}: {error}") from error

    def clear(self, missing: list[Batch]) -> None:
        """Remove the files of missing batches, and temporary files of this process's share.

        Keeps the files that other shards are writing.
        """
        numbers = {batch.number for batch in missing}
        for name in self.store.names():
            became = temporary_for(name)
            number = number_in(became or name)
            if number is None:
                of_nobody = became in (MANIFEST, SUMMARY) and self.shard is None
            else:
                of_nobody = self.is_mine(number) and (became is not None or number in numbers)
            if of_nobody:
                self._remove(name)

    def _remove(self, name: str) -> None:
        try:
            self.store.remove(name)
        except OSError as error:  # a folder with something in it
            why = error.strerror or error
            raise FolderError(f"{self.store}/{name} is in the way: {why}; move it away") from error

    def summed_up(
        self, summary: Callable[[], tuple[dict[str, Any], Report]]
    ) -> tuple[dict[str, Any], Report]:
        """Call `summary`, write the first part of its result as summary.json, return the result.

        Processes that share the run take turns, so that the last process sums up all batches.
        """
        with locked(self.store, ".summary.lock", "being summed up", wait=True):
            found = summary()
            files = [name for name in self.store.names() if number_in(name) is not None]
            try:
                write_summary(self.store, found[0], files)
            except OSError as error:  # the disk may be full; the results are there
                log.warning("%s is not written: %s", self.store.path(SUMMARY), error)
        return found


def _outcome_of(figures: dict[str, Any], file: pq.ParquetFile, batch: Batch) -> BatchOutcome:
    if lacking := lacking_columns(file.schema_arrow):
        raise ValueError(lacking)
    lanes = figures.pop("lanes")
    matches = matches_in(file, lanes)
    first, count = figures.pop("first"), sum(lanes)
    in_pieces = len(lanes) > 1 and not figures.get("settled", False)
    figures.pop("settled", None)
    figures.pop("operation_us", None)
    not_computed = {int(lane): why for lane, why in figures.pop("not_computed").items()}
    piece, part = batch.of_lanes(range(first, first + count)), figures.pop("part")
    if part is not None:
        piece = replace(piece, part=Part(part, tuple(matches)))
    return BatchOutcome(
        piece, matches, peak_rss_mb={}, not_computed=not_computed, in_pieces=in_pieces, **figures
    )


@contextmanager
def open_folder(
    store: Store,
    manifest: Manifest,
    resume: bool = False,
    overwrite: bool = False,
    shard: tuple[int, int] | None = None,
) -> Iterator[RunFolder]:
    """Open and lock a run's folder, and make a missing folder. Raises FolderError.

    resume: Go on with the folder's run. overwrite: Delete the folder's run first. The `RunFolder`
    has the manifest with which the run began.
    """
    try:
        store.make()
        names = [name for name in store.names() if not _is_lock(name)]
        with _locked_for(store, shard):
            with locked(store, ".manifest.lock", "being begun", wait=True):
                kept = _kept_manifest(store, names)
                if kept is not None and overwrite:
                    _delete_run(store)
                    kept = None
                elif kept is not None and not (resume or shard):
                    raise FolderError(_there_is_a_run(store, kept))
                if kept is None:
                    write_manifest(store, manifest)
                    kept = _kept_manifest(store, [])  # another process's, without locks
                    assert kept is not None
            if different := manifest.differences(kept):
                raise FolderError(
                    f"{store} holds a run of {_and(different)}: choose another --out, or "
                    "--overwrite to delete what is there"
                )
            yield RunFolder(store, kept, shard)
    except InUse as error:
        raise FolderError(str(error)) from None
    except OSError as error:
        raise FolderError(f"cannot write to {store}: {error.strerror or error}") from error


def _is_lock(name: str) -> bool:
    return name.startswith(".") and name.endswith(".lock")


def _kept_manifest(store: Store, names: list[str]) -> Manifest | None:
    """Read the manifest of the folder's run; None for an empty folder.

    Raises FolderError for a folder with other files.
    """
    try:
        kept = read_manifest(store)
    except Damaged as error:
        raise FolderError(f"{error}: choose another --out") from error
    others = [name for name in names if temporary_for(name) is None]
    if kept is None and others:
        raise FolderError(
            f"{store} holds files that are not of a run ({some_of(others)}): choose another --out"
        )
    return kept


def _there_is_a_run(store: Store, kept: Manifest) -> str:
    done = {number_in(name) for name in store.names()} - {None}
    return (
        f"{store} holds a run, {len(done)} of {counted(len(kept.batches), 'batch')}: --resume "
        "goes on with it, --overwrite deletes it"
    )


def _delete_run(store: Store) -> None:
    for name in store.names():
        became = temporary_for(name) or name
        if became == SUMMARY or number_in(became) is not None:
            store.remove(name)
    store.remove(MANIFEST)  # last, so that an interrupted deletion leaves a run's folder


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


@contextmanager
def _locked_for(store: Store, shard: tuple[int, int] | None) -> Iterator[None]:
    """Lock a folder against other runs, but not against other shards of the same run."""
    if shard is None:
        with locked(store, ".run.lock", "in use by another run"):
            yield
        return
    number, count = shard[0] + 1, shard[1]
    with (
        locked(store, ".run.lock", "in use by another run", shared=True),
        locked(store, f".shard-{number}.lock", f"in use by another shard {number} of {count}"),
    ):
        yield
