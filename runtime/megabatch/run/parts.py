"""Batches computed in parts, which several processes share, and their outcomes put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from math import gcd

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.compute import BatchOutcome, joined


def parts_of_each(batches: int, processes: int) -> int:
    """Return in how many parts to compute each batch, so that all processes are equally busy.

    Each part has some of the program's solvers and all of the lanes. Fewer lanes would hardly spare
    the host any time.
    """
    return 1 if batches >= 2 * processes else processes // gcd(batches, processes)


class Assembly:
    """Batches put together again from what was computed of them: parts, and pieces of these.

    parts: gives the number of parts that a batch is computed in.
    """

    def __init__(self, batches: list[Batch], parts: Callable[[Batch], int] = lambda _: 1) -> None:
        self._batches = {batch.number: batch for batch in batches}
        self._missing = {batch.number: len(batch.samples) * parts(batch) for batch in batches}
        self._found: dict[int, list[BatchOutcome]] = defaultdict(list)

    def add(self, outcome: BatchOutcome) -> Iterator[BatchOutcome]:
        """Add an outcome; yield that of the whole batch, if nothing else of it was missing."""
        number = outcome.batch.number
        self._found[number].append(outcome)
        self._missing[number] -= len(outcome.samples)
        if not self._missing[number]:
            found, batch = self._found.pop(number), self._batches[number]
            yield found[0] if len(found) == 1 else joined(found, batch)


def parts_of(settings: Settings, batches: list[Batch], processes: int) -> list[list[Batch]]:
    """List for each batch the parts in which so many processes compute it."""
    count = parts_of_each(len(batches), processes)
    return [settings.parts(batch, count) for batch in batches]
