"""Compares and writes computed batches in processes, while a device computes the next batch."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool

from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.run.compute import BatchOutcome, Computed, finish
from megabatt.runtime.megabatch.run.workers import LocalEngine, Worker


class Writers:
    """The processes that compare and write the batches that a device has computed.

    Writing a batch can take longer than computing the batch. If results are written and there are
    several workers, each worker has a process, which takes one batch at a time.
    """

    def __init__(self, settings: Settings, batches: int) -> None:
        """Prepare for a number of batches."""
        self.settings = settings
        count = min(settings.workers, batches)
        there = count if settings.out is not None and count > 1 else 0
        self._workers = [Worker() for _ in range(there)]
        self._engine = LocalEngine(self._workers)
        self._running: dict[Future[BatchOutcome], Computed] = {}

    def outcomes(self, computed: Computed) -> Iterator[BatchOutcome]:
        """Take over a computed batch; yield outcomes that are ready."""
        if not self._workers:
            yield finish(self.settings, computed)
            return
        yield from self._done(wait_for_one=len(self._running) == len(self._workers))
        self._running[self._engine.submit(finish, self.settings, computed)] = computed

    def rest(self) -> Iterator[BatchOutcome]:
        """Yield the outcomes of all remaining batches."""
        while self._running:
            yield from self._done(wait_for_one=True)

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    def _done(self, wait_for_one: bool) -> Iterator[BatchOutcome]:
        timeout = None if wait_for_one else 0
        for future in wait(self._running, timeout, return_when=FIRST_COMPLETED).done:
            computed = self._running.pop(future)
            try:
                yield future.result()
            except BrokenProcessPool:  # nothing is lost: this process writes the batch
                yield finish(self.settings, computed)
