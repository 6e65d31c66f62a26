"""Runs batches on one GPU, or on several GPUs with a process for each.

If a device is lost, other devices compute its batches, or the CPU if no device is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.run.compute import BatchOutcome, finish
from megabatt.runtime.megabatch.run.cpu import on_cpus
from megabatt.runtime.megabatch.run.device_worker import DeviceLost, DeviceWorker
from megabatt.runtime.megabatch.run.parts import parts_of
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.run.workers import Worker
from megabatt.runtime.megabatch.run.writers import Writers

Processes = Sequence[Worker]
"""A process for each device."""


@contextmanager
def devices_processes(names: Sequence[str]) -> Iterator[Processes]:
    """Yield a process for each device, which starts with its first call; end all at the exit."""
    processes = [Worker() for _ in names]
    try:
        yield processes
    finally:
        for process in processes:
            process.end()


def run_on_devices(
    settings: Settings, batches: list[Batch], processes: Processes | None, stop: Stop
) -> Iterator[BatchOutcome]:
    """Compute batches on the devices of the settings; yield outcomes, also of parts, when ready.

    processes: For several devices, the processes to use and leave running. stop: No batch begins
    after a request to stop.
    """
    if len(settings.devices) == 1:
        yield from _on_one(settings, batches, stop)
        return
    parts = parts_of(settings, batches, len(settings.devices))
    every = [part for of_batch in parts for part in of_batch]
    with nullcontext(processes) if processes else devices_processes(settings.devices) as mine:
        yield from _on_several(settings, every, mine, stop)


def _on_one(settings: Settings, batches: list[Batch], stop: Stop) -> Iterator[BatchOutcome]:
    writers = Writers(settings, len(batches))
    try:
        yield from _on_one_device(settings, batches, writers, stop)
        yield from writers.rest()
    finally:
        writers.close()


def _on_one_device(
    settings: Settings, batches: list[Batch], writers: Writers, stop: Stop
) -> Iterator[BatchOutcome]:
    (name,) = settings.devices
    left, why = list(batches), ""
    try:
        device = hardware.opened(name)
        worker = DeviceWorker(settings, batches, device)
    except Exception as error:  # after any error, the device cannot be used
        why = f"{name} does not begin, {error!r}"
    while left and not why and not stop.asked:
        try:
            computed = worker.compute(left[0], left[1] if len(left) > 1 else None)
        except DeviceLost as lost:
            why = f"{device.name} lost, {lost}"
        else:
            del left[0]
            yield from writers.outcomes(computed)
    yield from _on_cpu(settings, left, why, stop)


def _on_cpu(
    settings: Settings, batches: list[Batch], why: str, stop: Stop
) -> Iterator[BatchOutcome]:
    for outcome in on_cpus(settings, batches, settings.workers, stop):
        outcome.rescued = outcome.rescued or f"computed on the CPU: {why}"
        yield outcome


# Several devices


_worker: DeviceWorker | None = None
"""The worker in this process, which serves one device."""


def _begin(settings: Settings, batches: list[Batch], name: str) -> None:
    global _worker
    _worker = None
    device = hardware.opened(name)
    _worker = DeviceWorker(settings, batches, device)


def _run(batch: Batch, following: Batch | None) -> BatchOutcome:
    if _worker is None:
        raise DeviceLost("it does not begin")
    return finish(_worker.settings, _worker.compute(batch, following))


class Queue:
    """Hands out batches to devices, and sets aside a next batch for each, which is sent ahead."""

    def __init__(self, batches: list[Batch]) -> None:
        self.waiting = list(batches)
        self.ahead: dict[int, Batch] = {}

    def take(self, device: int) -> tuple[Batch, Batch | None] | None:
        """Return a batch for the device, and the device's next batch; None if no batch is left.

        At the end, a device takes a batch that was set aside for another device.
        """
        if device in self.ahead:
            batch = self.ahead.pop(device)
        elif self.waiting:
            batch = self.waiting.pop(0)
        elif self.ahead:
            _, batch = self.ahead.popitem()
        else:
            return None
        if self.waiting:
            self.ahead[device] = self.waiting.pop(0)
        return batch, self.ahead.get(device)

    def give_back(self, device: int, batch: Batch) -> None:
        """Put back a lost device's batch, and the batch set aside for the device."""
        self.waiting.insert(0, batch)
        if device in self.ahead:
            self.waiting.insert(1, self.ahead.pop(device))

    def left(self) -> list[Batch]:
        """List the batches that no device has taken."""
        return [*self.waiting, *self.ahead.values()]


def _on_several(
    settings: Settings, batches: list[Batch], processes: Processes, stop: Stop
) -> Iterator[BatchOutcome]:
    """Give each device's process a batch whenever the process is idle; yield outcomes.

    A process that dies is replaced once. A second death, or another error, loses the device.
    """
    names = settings.devices
    queue, idle = Queue(batches), list(range(len(names)))
    ended = [0] * len(names)
    running: dict[Future[BatchOutcome], tuple[int, Batch]] = {}
    why = ""

    def begin(device: int) -> Future[None]:
        return processes[device].submit(_begin, settings, batches, names[device])

    begun = [begin(device) for device in idle]
    while running or (idle and queue.left() and not stop.asked):
        while idle and not stop.asked and (taken := queue.take(idle[0])):
            device = idle.pop(0)
            running[processes[device].submit(_run, *taken)] = device, taken[0]
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            device, batch = running.pop(future)
            try:
                outcome = future.result()
            except Exception as error:
                queue.give_back(device, batch)
                ended[device] += isinstance(error, BrokenProcessPool)
                if isinstance(error, BrokenProcessPool) and ended[device] < 2:
                    begun[device] = begin(device)
                    idle.append(device)
                else:  # the device is lost
                    why = f"{names[device]} lost, {begun[device].exception() or error}"
            else:
                idle.append(device)
                yield outcome
    if not stop.asked:
        yield from _on_cpu(settings, queue.left(), why, stop)
