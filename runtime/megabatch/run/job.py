"""A whole run: computes the batches that the run's folder lacks, and collects all outcomes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.checksums import Damaged
from megabatt.runtime.megabatch.run.clusters import ClusterEngine
from megabatt.runtime.megabatch.run.compute import BatchOutcome
from megabatt.runtime.megabatch.run.folder import RunFolder
from megabatt.runtime.megabatch.run.progress import Teller, Told
from megabatt.runtime.megabatch.run.run import RunOutcome, run_batches, settle_pieces
from megabatt.runtime.megabatch.run.stopping import Stop


class Job:
    """The batches of a run: finished batches, and missing batches that this process runs.

    ended: Why the run stopped early, in a line; "" if the run did not. damaged: A line for each
    damaged batch; this process computes the damaged batches of its share again.
    """

    def __init__(self, settings: Settings, batches: list[Batch], folder: RunFolder | None) -> None:
        self.settings = replace(settings, run=folder.manifest.run) if folder else settings
        self.batches = batches
        self.folder = folder
        self.ended = ""
        done, self.damaged = folder.done(batches) if folder else ({}, [])
        self.before = list(done.values())
        mine = [batch for batch in batches if folder is None or folder.is_mine(batch.number)]
        self.missing = [batch for batch in mine if batch.number not in done]
        if folder:
            folder.clear(self.missing)
        self.outcome = RunOutcome()

    @property
    def samples_missing(self) -> int:
        return sum(len(batch.samples) for batch in self.missing)

    def run(
        self,
        stop: Stop,
        progress: Callable[[BatchOutcome], None] = lambda batch: None,
        compiled: Callable[[str], None] = lambda kernel: None,
        tell: Told | None = None,
        every: float = 1.0,
        cluster: ClusterEngine | None = None,
    ) -> None:
        """Run the missing batches, until all are done or `stop` is asked for.

        If results cannot be written, or on a second signal, the run ends with the batches done so
        far. progress, compiled, cluster: As for `run_batches`. tell: Called with the progress.
        every: The least seconds between two calls of `tell`.
        """
        if tell is not None:
            teller = Teller(tell, stop, len(self.missing), every)
            samples = sum(len(batch.samples) for batch in self.batches)
            teller.begin(self.before, len(self.batches), samples)
            progress = _both(progress, teller.add)
        try:
            for of_batch in self.before:
                if self.folder is None or self.folder.is_mine(of_batch.batch.number):
                    settle_pieces(self.settings, of_batch)
            run_batches(
                self.settings, self.missing, progress, compiled,
                stop=stop, outcome=self.outcome, cluster=cluster,
            )  # fmt: skip
        except KeyboardInterrupt:
            stop.ask()
        except Damaged as error:
            self.ended = str(error)
        except OSError as error:
            self.ended = f"{self.settings.out}: {error.strerror or error}"
        if stop.asked and len(self.outcome.batches) < len(self.missing):
            self.ended = stop.cause
        if self.ended and self.folder is not None:
            left = {batch.number for batch in self.missing}
            left -= {of_batch.batch.number for of_batch in self.outcome.batches}
            with suppress(OSError):
                self.folder.clear([batch for batch in self.missing if batch.number in left])

    def found(self, by_others: bool = True) -> tuple[RunOutcome, list[BatchOutcome]]:
        """Return the outcome of all finished batches, and empty outcomes of the other batches.

        by_others: Whether to look for batches that other shards have finished.
        """
        if by_others and self.folder is not None and self.folder.shard is not None:
            known = {of_batch.batch.number for of_batch in [*self.before, *self.outcome.batches]}
            others = [batch for batch in self.batches if batch.number not in known]
            self.before += self.folder.done(others)[0].values()
        done = {of_batch.batch.number: of_batch for of_batch in self.before}
        done |= {of_batch.batch.number: of_batch for of_batch in self.outcome.batches}
        in_order = [done[number] for number in sorted(done)]
        left = [self._not_run(batch) for batch in self.batches if batch.number not in done]
        return replace(self.outcome, batches=in_order), left

    def _not_run(self, batch: Batch) -> BatchOutcome:
        n = len(batch.samples)
        matches = {name: np.zeros(n, dtype=np.bool_) for name in self.settings.forms(batch).solvers}
        why: dict[int, str] = dict.fromkeys(range(n), "not run")
        figures: dict[str, Any] = {"seconds": {}, "peak_rss_mb": {}, "not_computed": why}
        return BatchOutcome(batch, matches, 0, {}, 0, **figures)


def _both(
    one: Callable[[BatchOutcome], None], other: Callable[[BatchOutcome], None]
) -> Callable[[BatchOutcome], None]:
    def both(outcome: BatchOutcome) -> None:
        one(outcome)
        other(outcome)

    return both
