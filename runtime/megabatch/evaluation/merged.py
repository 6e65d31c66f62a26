"""Merges programs, so that equal operations occur once, and makes an executor of the operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.device import Device, computing_on, current
from megabatt.runtime.engine.executor.device import DeviceExecutor
from megabatt.runtime.engine.executor.host import HostExecutor
from megabatt.runtime.engine.executor.loading import EXPECTED, BulkLoader, Loaded
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Done, Input, Schedule
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.engine.machine.on_device import DeviceHeap
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.megabatch.evaluation.first_use import telling_of_compilation
from megabatt.runtime.megabatch.evaluation.judging import Judge
from megabatt.runtime.megabatch.evaluation.on_columns import ColumnsExecutor
from megabatt.runtime.megabatch.run.compute import reason_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.memory import keep_freed_memory
from megabatt.runtime.program import Program
from megabatt.runtime.program import program as written
from megabatt.runtime.vocabulary import mistakes

Executor = HostExecutor | DeviceExecutor | ColumnsExecutor

_KEPT_BYTES = 128 << 20
"""The freed bytes that the process keeps for the arrays of the next evaluation."""
_NOT_PLAIN = "its words are not Python's own; megabatt.program makes them so"


@contextmanager
def evaluating(workload: Workload[Any], device: Device) -> Iterator[None]:
    """Evaluate programs of a workload's language on a device within the block."""
    keep_freed_memory(_KEPT_BYTES)
    with workload.language.in_use(), computing_on(device), telling_of_compilation():
        yield


class Merged:
    """Merged programs of a workload's language."""

    def __init__(self, workload: Workload[Any], max_elements: int, blind: bool) -> None:
        """Begin without programs. blind: Whether programs read None for the expected output."""
        self._workload = workload
        self._blind = blind
        self.operations = Operations(workload.language, max_elements)
        self._loader = BulkLoader(self.operations)

    def add(self, programs: Sequence[Program], domains: Numbers | None = None) -> Loaded:
        """Do `BulkLoader.load`. In the result, `wrong` explains each wrong program."""
        with no_collection():
            loaded = self._loader.load(programs, domains)
        errors = {k: self._explained(programs[k], why) for k, why in sorted(loaded.wrong.items())}
        return loaded._replace(wrong=errors)

    def count_operations(self, loaded: Loaded) -> int:
        """Count the distinct operations that loaded programs need."""
        seen = np.zeros(len(self.operations), dtype=np.bool_)
        return len(self.operations.table.lacking(loaded.outputs[loaded.outputs >= 0], seen))

    def _explained(self, program: Program, why: str) -> str:
        """Say in a line what is wrong with a program. why: The loader's reason."""
        try:
            plain = written(*program)
        except TypeError as malformed:
            return str(malformed)
        return "; ".join(mistakes(plain, self._workload.language)) or f"{why}: {_NOT_PLAIN}"

    def executor(
        self,
        domains: Sequence[Sequence[Any]],
        keeps: bool,
        most_bytes: Callable[[], int],
        workers: int = 1,
    ) -> Executor:
        """Return the executor for the samples of each domain, on the device in use.

        keeps, most_bytes, workers: As for `HostExecutor`.
        """
        lanes = list(map(len, domains))
        names = [*self._workload.language.inputs, EXPECTED]
        numbers = [self._loader.inputs(name, len(domains)) for name in names]
        if not self._workload.language.of_words:
            columns = [partial(self._column, name, domains) for name in names]
            laid = list(zip(numbers, columns, strict=True))
            return ColumnsExecutor(self.operations, lanes, laid, keeps, most_bytes)
        inputs = [
            Input(of_domains, partial(_brought, partial(self._words, name, domains)))
            for of_domains, name in zip(numbers, names, strict=True)
        ]
        if current().asks_together:
            return DeviceExecutor(self.operations, lanes, inputs, most_bytes=most_bytes)
        return HostExecutor(self.operations, lanes, inputs, keeps, most_bytes, workers)

    @property
    def expected(self) -> int:
        """The place of the expected output among an executor's inputs."""
        return len(self._workload.language.inputs)

    def _words(self, name: str, domains: Sequence[Sequence[Any]], heap: Heap) -> Numbers:
        """Put an input, or the expected outputs, of all domains' samples into a heap."""
        if self._hides(name):
            return heap.put_all([None] * sum(map(len, domains)))
        return self._workload.words(self._named(name), domains, heap)

    def _column(self, name: str, domains: Sequence[Sequence[Any]], chosen: Sequence[int]) -> Column:
        """Return an input, or the expected outputs, of the chosen domains' samples."""
        samples = list(chain.from_iterable([domains[domain] for domain in chosen]))
        if self._hides(name):
            return Uniform(None, len(samples))
        return self._workload.column(self._named(name), samples)

    def _hides(self, name: str) -> bool:
        return self._blind and name == self._workload.language.expected

    def _named(self, name: str) -> str:
        return self._workload.expected_column if name == EXPECTED else name


def _brought(put: Callable[[Heap], Numbers], heap: Heap | DeviceHeap) -> Any:
    return heap.bring(put)


def lost_outputs(schedule: Schedule, done: Done, judge: Judge) -> dict[int, str]:
    """Return why outputs could not be computed or judged, by place in the schedule."""
    found = dict(judge.lost)
    if done.lost:
        places = np.flatnonzero(np.isin(schedule.members, list(done.lost)))
        outputs = np.searchsorted(schedule.member_begins, places, "right") - 1
        errors = [done.lost[number] for number in schedule.members[places].tolist()]
        found.update(zip(outputs.tolist(), errors, strict=True))
    return {k: f"not computed: {reason_of(error)}" for k, error in found.items()}
