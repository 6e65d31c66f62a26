"""Selects the programs, samples, batches and devices that a command's options name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import click
from rich.console import Console

from megabatt.command_line.options import Options
from megabatt.runtime.engine.language.types import kind_name
from megabatt.runtime.megabatch.batches import Batch, Settings, batches_of, one_of_each_program
from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.measure.sweep import kept_size
from megabatt.runtime.megabatch.programs import Forms, PackageError, merged_program, own_programs
from megabatt.runtime.megabatch.run import hardware, report
from megabatt.runtime.megabatch.run.memory import shares_of_memory
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.samples import augmented, spread_evenly
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.vocabulary import counted, first_of


@dataclass(frozen=True)
class Selection:
    """The programs, samples, batches and devices of a command."""

    settings: Settings
    data: Data[Any]
    batch_size: int
    workers: int
    batches: list[Batch]

    @property
    def lanes(self) -> int:
        return sum(len(batch.samples) for batch in self.batches)

    @property
    def largest_batch(self) -> int:
        return max(len(batch.samples) for batch in self.batches)

    @property
    def programs(self) -> list[Forms]:
        """The programs in use, each once."""
        return [self.settings.forms(batch) for batch in one_of_each_program(self.batches)]

    @property
    def solvers(self) -> tuple[str, ...]:
        """All solvers, in use or not."""
        folder = self.settings.folder
        if self.data.solver_for is None:
            return merged_program(folder).solvers
        return tuple(own_programs(folder))

    def batches_of(self, samples: list[Any]) -> list[Batch]:
        data = replace(self.data, samples=samples)
        return batches_for(self.settings, data, self.batch_size, self.workers)


def select(
    console: Console,
    workload: Workload[Any],
    data: Options,
    folder: str,
    batch_size: int | None,
    device: str,
    gpus: str,
    gpu_threshold: int,
    workers: int,
    max_elements: int | None,
    lanes: int | None = None,
    samples: int | None = None,
    seed: int = 0,
    memory: int | None = None,
    out: Store | None = None,
    outputs: str = "all",
) -> Selection:
    """Select data, batches and devices. Exits with 2 if there are none.

    lanes: The number of samples; variants are added if there are too few. samples: The number of
    samples to draw at random by `seed`. memory: The bytes for all workers, by default three
    quarters of the free memory; it may lower the number of workers. out, outputs: As in `Settings`.
    """
    loaded = data_for(console, workload, data)
    chosen = spread_evenly(loaded.samples, samples, seed)
    size_of = partial(_batch_size, batch_size, workload, loaded.solver_for is not None)
    try:
        if lanes is not None:
            chosen = augmented(workload, spread_evenly(chosen, lanes, seed=0), lanes)
        names, _ = hardware.choose(device, numbers=gpus)
        size, note = size_of(names[0], names.count(names[0]))
        names, why = hardware.choose(device, min(size, len(chosen)), gpu_threshold, gpus)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if names == ["cpu"]:
        size, note = size_of("cpu")
    loaded = replace(loaded, samples=chosen)
    workers, share = shares_of_memory(memory, workers)
    settings = Settings(workload, folder, max_elements, out, workers, tuple(names), share, outputs)
    threads = workers if names == ["cpu"] else 1
    batches = batches_for(settings, loaded, size, threads)
    for line in (note, why if device != "cpu" else ""):
        if line:
            print_line(console, line)
    selection = Selection(settings, loaded, size, threads, batches)
    if loaded.solver_for is not None and len(selection.programs) < len(selection.solvers):
        print_line(console, _not_run(selection))
    return selection


def _not_run(selection: Selection) -> str:
    """Return a line on the number of solvers that run on their own tasks, and on the others."""
    of = counted(len(selection.solvers), "solver")
    run = {batch.solver for batch in selection.batches}
    others = [solver for solver in selection.solvers if solver not in run]
    return (
        f"{len(run):,} of {of} run, one for each task that a name ends in; "
        f"not run: {first_of(others, 3)}"
    )


def _batch_size(
    asked_for: int | None, workload: Workload[Any], own: bool, device: str, processes: int = 1
) -> tuple[int, str]:
    """Choose the batch size; return it with a line on why, "" if there is nothing to say.

    The size is the given one, the last sweep's best, the largest for a GPU, or the workload's.
    own: Whether each solver runs on its own group. processes: The processes that share the device.
    """
    kept = None if own or asked_for else kept_size(workload.name, device)
    if kept is not None:
        return kept, f"batch size {kept}: the best of the last sweep on this machine"
    if asked_for is None and device != "cpu":
        return hardware.batch_size_for(hardware.opened(device), processes), ""
    return asked_for or workload.batch_size, ""


def data_for(console: Console, workload: Workload[Any], options: Options) -> Data[Any]:
    """Load the data. Exits with 2 if there is none.

    Problems are printed only on exit; otherwise the caller prints them.
    """
    try:
        loaded = workload.load(**options)
        if not isinstance(loaded, Data):
            kind = kind_name(loaded)
            raise DataError(f"`load` of workload {workload.name} must return Data, not {kind}")
        if not loaded.samples:
            raise DataError("there are no samples", loaded.problems)
        for key, count in Counter(sample.key for sample in loaded.samples).most_common(1):
            if count > 1:
                raise DataError(f"{count} samples have the key {key!r}: give each its own")
    except DataError as error:
        report.print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
    return loaded


def batches_for(
    settings: Settings, data: Data[Any], batch_size: int, workers: int = 1
) -> list[Batch]:
    """Make the batches. Exits with 2 if there are none."""
    try:
        batches = batches_of(settings, data, batch_size, workers)
    except PackageError as error:
        raise click.UsageError(str(error)) from error
    if not batches:
        raise click.UsageError(f"no solver of {settings.folder} is meant for one of the samples")
    return batches
