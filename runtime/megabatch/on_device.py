"""Batches on a GPU: their inputs sent ahead, their results fetched in one piece, none ever lost.

A batch that outgrows the device's memory is computed in halves, and a single lane that does by
the CPU. When the device is lost the batch in hand and all that follow are the CPU's.
"""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from math import gcd
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from runtime.engine.batch import BatchInputs, Results
from runtime.engine.devices import CPU, Device, computing_on
from runtime.megabatch import devices
from runtime.megabatch.batches import BatchOutcome, Computed, compute, finish, joined, run_batch
from runtime.megabatch.feeding import Feed
from runtime.megabatch.finishing import Finishing
from runtime.megabatch.programs import Job, Program
from runtime.megabatch.samples import batch_inputs


class DeviceLost(Exception):
    """The device computes nothing any more."""


class DeviceWorker:
    """Computes a run's batches on one device, in any order.

    compares: whether of the outputs only those that are as expected are asked for, which is
    then found on the device.
    """

    def __init__(
        self,
        folder: str,
        jobs: list[Job],
        device: Device,
        max_elements: int,
        compares: bool = False,
    ) -> None:
        self.folder = folder
        self.device = device
        self.max_elements = max_elements
        self.compares = compares
        self._transfers = device.transfers
        self.lanes: dict[int, range] = {}
        at = 0
        batches = {job.number: job.samples for job in jobs}  # of which parts have the same
        for number, samples in batches.items():
            self.lanes[number] = range(at, at + len(samples))
            at += len(samples)
        with computing_on(device):
            self.feed = Feed(device, [s for samples in batches.values() for s in samples])

    def compute(self, job: Job, following: Job | None = None) -> Computed:
        """The batch, its results on the host. Raises DeviceLost.

        following: the batch to come after it, whose inputs can be on their way meanwhile.
        """
        began = time.perf_counter()
        try:
            results = self.results(job, following)
        except Exception as error:
            if self.device.lost(error):
                raise DeviceLost(f"{type(error).__name__}: {error}") from error
            computed = compute(self.folder, job, self.max_elements)
            computed.rescued = computed.rescued or f"{type(error).__name__}: {error}"
            return computed
        seconds = {"compute": time.perf_counter() - began}
        transfers = self._new_transfers()
        return Computed(job, results, seconds, compared=self.compares, transfers=transfers)

    def _new_transfers(self) -> int:
        """How often anything was brought to the device or back since this was last asked."""
        before, self._transfers = self._transfers, self.device.transfers
        return self._transfers - before

    def results(self, job: Job, following: Job | None = None) -> Results:
        """The batch's results on the host. Raises what the device raises, unless its memory is
        full."""
        with computing_on(self.device):
            program = job.program(self.folder)
            return self._results(program, job, self.lanes[job.number], following)

    def _results(
        self, program: Program, job: Job, lanes: range, following: Job | None = None
    ) -> Results:
        try:
            inputs = self.feed.inputs(lanes, job.solvers)
            if following is not None:
                self.feed.send_ahead(self.lanes[following.number])
            return self._computed(program, inputs).on_host()
        except Exception as error:
            if not self.device.exhausted(error):
                raise
        gc.collect()  # operations that were to come and their arguments point at one another
        self.device.release()
        if len(lanes) == 1:
            sample = job.samples[lanes.start - self.lanes[job.number].start]
            with computing_on(CPU):
                return self._computed(program, batch_inputs([sample], solvers=job.solvers))
        middle = (lanes.start + lanes.stop) // 2
        halves = [range(lanes.start, middle), range(middle, lanes.stop)]
        parts = [self._results(program, job, half) for half in halves]
        with computing_on(CPU):
            return Results.joined(parts)

    def _computed(self, program: Program, inputs: BatchInputs) -> Results:
        results: Results = program.vectorized(inputs, max_elements=self.max_elements)
        return results.compared_with(inputs.column("C")) if self.compares else results


def run_on_devices(
    folder: str,
    jobs: list[Job],
    names: list[str],
    max_elements: int,
    out: Path | None,
    workers: int = 1,
    processes: Processes | None = None,
) -> Iterator[BatchOutcome]:
    """The outcome of every job, as they are ready. What no device is left for the CPU computes.

    workers: how many processes there may be to write what one device has computed; processes: of
    several devices, to be used and left running.
    """
    if len(names) > 1:
        parts = [job.parts(folder, _parts_of_each(len(jobs), len(names))) for job in jobs]
        whole = _Whole(folder, parts)
        every = [part for parts_of_job in parts for part in parts_of_job]
        with nullcontext(processes) if processes else devices_processes(names) as pools:
            for outcome in _on_several(folder, every, names, max_elements, out, pools):
                yield from whole.outcomes(outcome)
        return
    finishing = Finishing(folder, out, min(workers, len(jobs)))
    try:
        yield from _on_one(folder, jobs, names[0], max_elements, finishing)
        yield from finishing.rest()
    finally:
        finishing.close()


def _parts_of_each(batches: int, processes: int) -> int:
    """In how many parts to compute each batch's program, so that all processes have as much to do.

    What a batch takes the host hardly depends on its lanes, so that programs are divided where
    batches would otherwise have to be.
    """
    return 1 if batches >= 2 * processes else processes // gcd(batches, processes)


class _Whole:
    """Puts the outcomes of batches together from those of their parts."""

    def __init__(self, folder: str, parts: list[list[Job]]) -> None:
        self.folder = folder
        self._missing = {of_job[0].number: len(of_job) for of_job in parts}
        self._found: dict[int, list[BatchOutcome]] = defaultdict(list)

    def outcomes(self, part: BatchOutcome) -> Iterator[BatchOutcome]:
        """The outcome of a batch, if no other part of it was missing."""
        number = part.job.number
        self._found[number].append(part)
        self._missing[number] -= 1
        if not self._missing[number]:
            found = self._found.pop(number)
            whole = part.job.part is None
            yield part if whole else joined(found, part.job.program(self.folder).solvers)


def _on_one(
    folder: str, jobs: list[Job], name: str, max_elements: int, finishing: Finishing
) -> Iterator[BatchOutcome]:
    out = finishing.out
    try:
        device = devices.opened(name)
        worker = DeviceWorker(folder, jobs, device, max_elements, compares=out is None)
    except Exception as error:  # whatever it is, there is no device to compute on
        yield from _on_cpu(folder, jobs, max_elements, out, f"{name} does not begin, {error!r}")
        return
    for at, job in enumerate(jobs):
        try:
            computed = worker.compute(job, jobs[at + 1] if at + 1 < len(jobs) else None)
        except DeviceLost as lost:
            yield from _on_cpu(folder, jobs[at:], max_elements, out, f"{device.name} lost, {lost}")
            return
        yield from finishing.outcomes(computed)


def _on_cpu(
    folder: str, jobs: list[Job], max_elements: int, out: Path | None, why: str
) -> Iterator[BatchOutcome]:
    for job in jobs:
        outcome = run_batch(folder, job, max_elements, out)
        outcome.rescued = outcome.rescued or f"computed on the CPU: {why}"
        yield outcome


_worker: DeviceWorker | None = None
"""Of a process that works for one device."""


def _begin(folder: str, jobs: list[Job], name: str, max_elements: int, compares: bool) -> None:
    global _worker
    _worker = None
    _worker = DeviceWorker(folder, jobs, devices.opened(name), max_elements, compares)


def _run_job(job: Job, following: Job | None, out: Path | None) -> BatchOutcome:
    if _worker is None:
        raise DeviceLost("it does not begin")
    return finish(_worker.folder, _worker.compute(job, following), out)


class _Shares:
    """Which device takes which batch next. Each has one set aside, to be sent there ahead."""

    def __init__(self, jobs: list[Job]) -> None:
        self.waiting = list(jobs)
        self.ahead: dict[int, Job] = {}

    def take(self, device: int) -> tuple[Job, Job | None] | None:
        """A batch for the device to compute, and the one to come after it; None if none is left.

        At the end it takes what was set aside for another, which is busy.
        """
        if device in self.ahead:
            job = self.ahead.pop(device)
        elif self.waiting:
            job = self.waiting.pop(0)
        elif self.ahead:
            _, job = self.ahead.popitem()
        else:
            return None
        if self.waiting:
            self.ahead[device] = self.waiting.pop(0)
        return job, self.ahead.get(device)

    def give_back(self, device: int, job: Job) -> None:
        """Put back what a lost device had."""
        self.waiting.insert(0, job)
        if device in self.ahead:
            self.waiting.insert(1, self.ahead.pop(device))

    def left(self) -> list[Job]:
        """What no device has taken."""
        return [*self.waiting, *self.ahead.values()]


Processes = list[ProcessPoolExecutor]
"""A process for each device, as a pool of its own."""


@contextmanager
def devices_processes(names: Sequence[str]) -> Iterator[Processes]:
    """Processes for devices, until it is left. They start with what they are given first."""
    pools = [ProcessPoolExecutor(1, get_context("spawn")) for _ in names]
    try:
        yield pools
    finally:
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, function: Callable[..., Any], *args: Any) -> Future[Any]:
    """What comes of the call in the pool's process, also where that has ended."""
    try:
        return pool.submit(function, *args)
    except BrokenProcessPool as error:
        ended: Future[Any] = Future()
        ended.set_exception(error)
        return ended


def _on_several(
    folder: str,
    jobs: list[Job],
    names: list[str],
    max_elements: int,
    out: Path | None,
    pools: Processes,
) -> Iterator[BatchOutcome]:
    """Every device's process takes a batch when it is done with the one before."""
    begun = [
        _submitted(pool, _begin, folder, jobs, name, max_elements, out is None)
        for pool, name in zip(pools, names, strict=True)
    ]
    shares, idle = _Shares(jobs), list(range(len(names)))
    running: dict[Future[BatchOutcome], tuple[int, Job]] = {}
    why = ""
    while running or (idle and shares.left()):
        while idle and (taken := shares.take(idle[0])):
            pool = idle.pop(0)
            running[_submitted(pools[pool], _run_job, *taken, out)] = pool, taken[0]
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            pool, job = running.pop(future)
            try:
                outcome = future.result()
            except Exception as error:  # the device is lost, or its process has ended
                shares.give_back(pool, job)
                why = f"{names[pool]} lost, {begun[pool].exception() or error}"
            else:
                idle.append(pool)
                yield outcome
    yield from _on_cpu(folder, shares.left(), max_elements, out, why)
