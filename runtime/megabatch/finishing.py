"""Computed batches compared and written by other processes, while the device computes the next."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from runtime.megabatch.batches import BatchOutcome, Computed, finish


class Finishing:
    """What is left to do of batches that come from a device.

    Writing a batch can take longer than computing it. With more than one worker, and something to
    write, it is done in so many processes, which hold as many batches at a time.
    """

    def __init__(self, folder: str, out: Path | None, workers: int) -> None:
        self.folder = folder
        self.out = out
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        if out is not None and workers > 1:
            self._pool = ProcessPoolExecutor(workers, get_context("spawn"))
        self._running: dict[Future[BatchOutcome], Computed] = {}

    def outcomes(self, computed: Computed) -> Iterator[BatchOutcome]:
        """Take a batch over; the outcomes that are ready meanwhile."""
        future = self._submitted(computed)
        if future is None:
            yield finish(self.folder, computed, self.out)
            return
        self._running[future] = computed
        yield from self._done(wait_for_one=len(self._running) > self.workers)

    def _submitted(self, computed: Computed) -> Future[BatchOutcome] | None:
        """None where this process has to finish the batch."""
        if self._pool is None:
            return None
        try:
            return self._pool.submit(finish, self.folder, computed, self.out)
        except (BrokenProcessPool, OSError):  # a process has ended, or none can be started
            self._pool = None
            return None

    def rest(self) -> Iterator[BatchOutcome]:
        """The outcomes of all that was taken over and is not done."""
        while self._running:
            yield from self._done(wait_for_one=True)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _done(self, wait_for_one: bool) -> Iterator[BatchOutcome]:
        timeout = None if wait_for_one else 0
        for future in wait(self._running, timeout, return_when=FIRST_COMPLETED).done:
            computed = self._running.pop(future)
            try:
                yield future.result()
            except BrokenProcessPool:  # nothing is lost, as this process goes on
                self._pool = None
                yield finish(self.folder, computed, self.out)
