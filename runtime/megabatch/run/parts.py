"""Cuts batches into parts for several processes, and joins the outcomes of parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from math import gcd

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.compute import BatchOutcome, joined


def parts_of_each(batches: int, processes: int) -> int:
    """Return the number of parts of each batch that keeps all processes equally busy.

    A part has some of the program's solvers and all lanes: fewer lanes would hardly save time.
    """
    return 1 if batches >= 2 * processes else processes // gcd(batches, processes)


class Assembly:
    """Joins the outcomes of parts of batches, and of pieces of parts, to outcomes of batches.

    parts: Returns the number of parts of a batch.
    """

    def __init__(self, batches: list[Batch], parts: Callable[[Batch], int] = lambda _: 1) -> None:
        self._batches = {batch.number: batch for batch in batches}
        self._missing = {batch.number: len(batch.samples) * parts(batch) for batch in batches}
        self._found: dict[int, list[BatchOutcome]] = defaultdict(list)

    def add(self, outcome: BatchOutcome) -> Iterator[BatchOutcome]:
        """Add an outcome; yield the whole batch's outcome once no outcome is missing."""
        number = outcome.batch.number
        self._found[number].append(outcome)
        self._missing[number] -= len(outcome.samples)
        if not self._missing[number]:
            found, batch = self._found.pop(number), self._batches[number]
            yield found[0] if len(found) == 1 else joined(found, batch)


def parts_of(settings: Settings, batches: list[Batch], processes: int) -> list[list[Batch]]:
    """Cut each batch into parts for a number of processes; return a list for each batch."""
    count = parts_of_each(len(batches), processes)
    return [settings.parts(batch, count) for batch in batches]
