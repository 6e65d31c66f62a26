"""Cuts batches into parts for several processes, and joins the outcomes of parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import gcd

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.compute import BatchOutcome, joined


def parts_of_each(batches: int, processes: int) -> int:
    """Return the number of parts of each batch that keeps all processes equally busy.

    A part has some of the program's solvers and all lanes: fewer lanes would hardly save time.
    """
    return 1 if batches >= 2 * processes else processes // gcd(batches, processes)


def whole_batches(
    settings: Settings, batches: list[Batch], outcomes: Iterable[BatchOutcome]
) -> Iterator[BatchOutcome]:
    """Join the outcomes of parts of batches, and of pieces of parts; yield those of whole batches.

    outcomes: In any order. A batch is whole once each solver has an outcome on each sample.
    """
    whole = {batch.number: batch for batch in batches}
    missing = {
        batch.number: len(batch.samples) * len(settings.forms(batch).solvers) for batch in batches
    }
    found: dict[int, list[BatchOutcome]] = defaultdict(list)
    for outcome in outcomes:
        number = outcome.batch.number
        found[number].append(outcome)
        missing[number] -= len(outcome.samples) * len(outcome.matches)
        if not missing[number]:
            pieces, batch = found.pop(number), whole[number]
            yield pieces[0] if len(pieces) == 1 else joined(pieces, batch)


def parts_of(settings: Settings, batches: list[Batch], processes: int) -> list[list[Batch]]:
    """Cut each batch into parts for a number of processes; return a list for each batch."""
    count = parts_of_each(len(batches), processes)
    return [settings.parts(batch, count) for batch in batches]
