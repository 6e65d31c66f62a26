"""Computed batches compared and written by other processes, while the device computes the next."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.run.compute import BatchOutcome, Computed, finish


class Writers:
    """The processes that do what is left to do of batches that come from a device.

    Writing a batch can take longer than computing it. With more than one worker, and something to
    write, as many processes do it, each for one batch at a time. Each is a pool of its own: a pool
    of several that loses a process while it starts another may wait forever.
    """

    def __init__(self, settings: Settings, batches: int) -> None:
        """batches: how many there are to come."""
        self.settings = settings
        self.workers = workers = min(settings.workers, batches)
        self._pools: list[ProcessPoolExecutor] = []
        if settings.out is not None and workers > 1:
            context = get_context("spawn")
            self._pools = [ProcessPoolExecutor(1, context) for _ in range(workers)]
        self._running: dict[Future[BatchOutcome], tuple[ProcessPoolExecutor, Computed]] = {}

    def outcomes(self, computed: Computed) -> Iterator[BatchOutcome]:
        """Take a batch over; the outcomes that are ready meanwhile."""
        if self._submit(computed):
            yield from self._done(wait_for_one=len(self._running) > self.workers)
        else:
            yield finish(self.settings, computed)

    def _submit(self, computed: Computed) -> bool:
        """Hand the batch to the process that has the fewest; False where none is left."""
        while self._pools:
            busy = [pool for pool, _ in self._running.values()]
            pool = min(self._pools, key=busy.count)
            try:
                future = pool.submit(finish, self.settings, computed)
            except (BrokenProcessPool, OSError):  # the process has ended, or cannot be started
                self._give_up(pool)
            else:
                self._running[future] = pool, computed
                return True
        return False

    def _give_up(self, pool: ProcessPoolExecutor) -> None:
        if pool in self._pools:
            self._pools.remove(pool)
            pool.shutdown(wait=False, cancel_futures=True)

    def rest(self) -> Iterator[BatchOutcome]:
        """The outcomes of all that was taken over and is not done."""
        while self._running:
            yield from self._done(wait_for_one=True)

    def close(self) -> None:
        for pool in list(self._pools):
            self._give_up(pool)

    def _done(self, wait_for_one: bool) -> Iterator[BatchOutcome]:
        timeout = None if wait_for_one else 0
        for future in wait(self._running, timeout, return_when=FIRST_COMPLETED).done:
            pool, computed = self._running.pop(future)
            try:
                yield future.result()
            except BrokenProcessPool:  # nothing is lost, as this process goes on
                self._give_up(pool)
                yield finish(self.settings, computed)
