"""Batches computed in parts, which several processes share, and their outcomes put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.compute import BatchOutcome


def parts_of_each(batches: int, processes: int) -> int:
    """In how many parts to compute each batch's program, so that all processes are equally busy.

    What a batch takes the host hardly depends on its lanes, so that programs are divided where
    batches would otherwise have to be.
    """
    return 1 if batches >= 2 * processes else processes // gcd(batches, processes)


class Parts:
    """The parts of a run's batches. The outcome of a batch is put together from those of its parts.

    every: all of them, in the order of the batches.
    """

    def __init__(self, settings: Settings, batches: list[Batch], processes: int) -> None:
        count = parts_of_each(len(batches), processes)
        of_each = [settings.parts(batch, count) for batch in batches]
        self.settings = settings
        self.every = [part for parts in of_each for part in parts]
        self._missing = {parts[0].number: len(parts) for parts in of_each}
        self._found: dict[int, list[BatchOutcome]] = defaultdict(list)

    def outcomes(self, part: BatchOutcome) -> Iterator[BatchOutcome]:
        """The outcome of a batch, if no other part of it was missing."""
        number = part.batch.number
        self._found[number].append(part)
        self._missing[number] -= 1
        if not self._missing[number]:
            found = self._found.pop(number)
            whole = part.batch.part is None
            yield part if whole else joined(found, self.settings.forms(part.batch).solvers)


def joined(parts: list[BatchOutcome], solvers: tuple[str, ...]) -> BatchOutcome:
    """A batch's outcome, given those of all its parts; solvers: the program's."""
    matches = {name: found for part in parts for name, found in part.matches.items()}
    not_computed = {lane: why for part in parts for lane, why in part.not_computed.items()}
    for found in matches.values():
        found[list(not_computed)] = False
    seconds: dict[str, float] = defaultdict(float)
    peak_rss_mb: dict[int, float] = defaultdict(float)
    for part in parts:
        for stage, taken in part.seconds.items():
            seconds[stage] += taken
        for process, peak in part.peak_rss_mb.items():
            peak_rss_mb[process] = max(peak, peak_rss_mb[process])
    return BatchOutcome(
        replace(parts[0].batch, part=None),
        {name: matches[name] for name in solvers},
        sum(part.operation_lanes for part in parts),
        sum(part.failed_lanes for part in parts),
        sum(part.host_lanes for part in parts),
        dict(seconds),
        dict(peak_rss_mb),
        next((part.rescued for part in parts if part.rescued), ""),
        sum(part.transfers for part in parts),
        not_computed,
    )
