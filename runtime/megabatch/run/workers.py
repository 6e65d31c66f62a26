"""Worker processes: each computes one call at a time, and is replaced after its death.

Each worker is a pool of its own, which tells in which call a process died. A worker ends with its
parent process, even a killed parent, and leaves Ctrl-C and SIGTERM to the parent.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker as tracker_of_python
from typing import Any, Generic, Protocol, TypeVar

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend import resource_tracker as loky_tracker

from megabatt.runtime.megabatch.run.memory import keep_large_workers
from megabatt.runtime.megabatch.run.stopping import Stop

Unit = TypeVar("Unit")
Outcome = TypeVar("Outcome")


class Worker:
    """A process that starts with its first call, and with the first call after a death."""

    def __init__(self) -> None:
        self._pool: Any = None

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Compute a call in the process; if that dies, the future raises BrokenProcessPool."""
        with safe_path():
            for tracker in (loky_tracker, tracker_of_python):  # these would unblock signals
                tracker.ensure_running()
            # A process that starts now keeps the signals blocked.
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
            try:
                with suppress(BrokenProcessPool):
                    if self._pool is not None:
                        return self._pool.submit(function, *args)  # type: ignore[no-any-return]
                self.end()
                self._pool = ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(),))
                return self._pool.submit(function, *args)  # type: ignore[no-any-return]
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def end(self) -> None:
        """End the process, even during a call."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=True)
            self._pool = None


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep processes that start within the block from importing modules of the working folder.

    Without this, such a process searches the working folder first, until it gets this process's
    `sys.path`.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _begin(parent: int) -> None:
    """Set up a new worker: its memory may grow, and it ends with its parent, even a killed one."""
    keep_large_workers()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def reason_of_death(error: BaseException) -> str:
    """Say in a line how a process ended."""
    found = re.search(r"\{(SIG\w+|EXIT)\((-?\d+)\)\}", str(error))
    if found is None:
        return "the process that computed it died"
    name, number = found.groups()
    how = f"by {name}" if name != "EXIT" else f"with exit status {number}"
    hint = ", most likely for want of memory" if name == "SIGKILL" else ""
    return f"the process that computed it was ended {how}{hint}"


_idle: list[Worker] = []
"""Workers that wait for this process's next run, with kernels loaded."""


@contextmanager
def workers(count: int) -> Iterator[list[Worker]]:
    """Yield `count` workers; keep the workers for later if the block ends without an error."""
    mine = [_idle.pop() if _idle else Worker() for _ in range(count)]
    try:
        yield mine
    except BaseException:
        for worker in mine:
            worker.end()
        raise
    _idle.extend(mine)


class Engine(Protocol):
    """Computes calls in processes of this machine or of a cluster.

    capacity: The number of calls to submit at a time.
    """

    @property
    def capacity(self) -> int: ...

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]: ...

    def death(self, error: BaseException) -> str | None:
        """Say why the process of a call died; return None if the call itself raised the error."""


class LocalEngine:
    """Computes calls in workers of this machine."""

    def __init__(self, of_run: Sequence[Worker]) -> None:
        self.capacity = len(of_run)
        self._last: dict[Worker, Future[Any] | None] = dict.fromkeys(of_run)

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        idle = (worker for worker, last in self._last.items() if last is None or last.done())
        worker = next(idle)
        future = self._last[worker] = worker.submit(function, *args)
        return future

    def death(self, error: BaseException) -> str | None:
        return reason_of_death(error) if isinstance(error, BrokenProcessPool) else None


@dataclass
class Rescue(Generic[Unit, Outcome]):
    """The treatment of a unit of work on which processes die.

    halves: Returns the unit's halves; an empty list for a unit too small. lost: Returns the outcome
    of a unit that cannot be computed, given the reason.
    """

    halves: Callable[[Unit], list[Unit]]
    lost: Callable[[Unit, str], Outcome]


def computed(
    engine: Engine,
    function: Callable[[Unit], Outcome],
    units: Sequence[Unit],
    rescue: Rescue[Unit, Outcome],
    stop: Stop | None = None,
) -> Iterator[tuple[Unit, Outcome]]:
    """Compute units; yield each unit, or each of its halves, with the outcome, when ready.

    A unit whose process dies is tried again, then in halves; a unit without halves is lost. No unit
    begins after a request to stop.
    """
    stop = stop or Stop()
    waiting = deque((unit, False) for unit in units)
    running: dict[Future[Outcome], tuple[Unit, bool]] = {}
    while running or (waiting and not stop.asked):
        while waiting and len(running) < engine.capacity and not stop.asked:
            unit, tried = waiting.popleft()
            running[engine.submit(function, unit)] = unit, tried
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            unit, tried = running.pop(future)
            error = future.exception()
            why = engine.death(error) if error is not None else None
            if why is None:
                yield unit, future.result()
            elif stop.asked:
                continue
            elif not tried:
                waiting.appendleft((unit, True))
            elif halves := rescue.halves(unit):
                waiting.extendleft((half, True) for half in reversed(halves))
            else:
                yield unit, rescue.lost(unit, why)


def in_processes(
    function: Callable[[Unit], Outcome],
    units: Sequence[Unit],
    count: int,
    rescue: Rescue[Unit, Outcome],
) -> Iterator[Outcome]:
    """Compute units in `count` workers, or in this process for one worker; yield outcomes."""
    count = min(count, len(units))
    if count < 2:
        yield from map(function, units)
        return
    with workers(count) as mine:
        for _, outcome in computed(LocalEngine(mine), function, units, rescue):
            yield outcome
