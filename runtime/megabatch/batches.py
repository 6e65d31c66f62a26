"""A run's settings, and its batches: samples that one program is run on together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.megabatch.programs import Forms, ProgramError, merged_program, own_programs
from megabatt.runtime.megabatch.workload import Data, Sample, Workload


class Part(NamedTuple):
    """Some of a program's solvers, as one of the parts that a batch is computed in."""

    number: int
    solvers: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Samples that one program is run on together, or a part of it.

    solver: the one whose own program it is; None: the merged program of all.
    """

    number: int
    solver: str | None
    samples: list[Any]
    part: Part | None = None

    @property
    def solvers(self) -> tuple[str, ...] | None:
        """Those that are to be computed, None for all."""
        return None if self.part is None else self.part.solvers

    def parts(self, solvers: tuple[str, ...], count: int) -> list[Batch]:
        """The batch in at most so many parts, to which the program's solvers are dealt out in turn.

        Neighbours are of one length, and the shorter come first: parts of neighbours would not be
        alike.
        """
        if count < 2 or len(solvers) < 2:
            return [self]
        return [
            replace(self, part=Part(number, solvers[number::count]))
            for number in range(min(count, len(solvers)))
        ]


@dataclass(frozen=True)
class Settings:
    """What all batches of a run have in common.

    folder: of the workload's generated programs; max_elements: what an operation may build, None
    for what the language allows; out: for a Parquet file a batch, None to keep no outputs; workers:
    processes at most; devices: by their names.
    """

    workload: Workload[Any]
    folder: str
    max_elements: int | None = None
    out: Path | None = None
    workers: int = 1
    devices: tuple[str, ...] = ("cpu",)

    @property
    def language(self) -> Language:
        return self.workload.language

    @property
    def limit(self) -> int:
        """How many container elements an operation may build."""
        return self.language.max_elements if self.max_elements is None else self.max_elements

    def forms(self, batch: Batch) -> Forms:
        """The program that the batch is run on."""
        if batch.solver is None:
            return merged_program(self.folder)
        return own_programs(self.folder)[batch.solver]

    def scalar(self, forms: Forms, sample: Sample) -> tuple[dict[str, Any], tuple[int, ...]]:
        """What the scalar form gives for a sample: outputs by solver, failed operations."""
        inputs = self.workload.inputs_of(sample)
        return forms.sequential(sample.key, *inputs, max_elements=self.limit)  # type: ignore[no-any-return]

    def parts(self, batch: Batch, count: int) -> list[Batch]:
        """The batch in at most so many parts."""
        return batch.parts(self.forms(batch).solvers, count)


Of = ParamSpec("Of")
Made = TypeVar("Made")


def in_language(
    function: Callable[Concatenate[Settings, Of], Made],
) -> Callable[Concatenate[Settings, Of], Made]:
    """Have a function compute by the policy of the language that its settings are of."""

    @wraps(function)
    def computing(settings: Settings, *args: Of.args, **named: Of.kwargs) -> Made:
        with settings.language.in_use():
            return function(settings, *args, **named)

    return computing


def one_of_each_program(batches: list[Batch]) -> list[Batch]:
    """A batch for each program in use."""
    return list({batch.solver: batch for batch in batches}.values())


_WORTH_A_BATCH = 100
"""Samples that are worth a batch of their own where a worker would have nothing to do."""


def batches_of(
    settings: Settings, data: Data[Any], batch_size: int, workers: int = 1
) -> list[Batch]:
    """The batches: of all samples for the merged program, or of each group for its own solver.

    Of the merged program they are of one size, at most batch_size, and as many for each worker.
    Raises ProgramError where the folder's programs cannot be loaded or are of another language.
    """
    samples = data.samples
    if data.solver_for is None:
        _check_inputs(settings, merged_program(settings.folder))
        count = -(-len(samples) // batch_size)
        if len(samples) >= workers * _WORTH_A_BATCH:
            count = -(-count // workers) * workers
        cuts = [k * len(samples) // count for k in range(count + 1)]
        return [Batch(k, None, samples[cuts[k] : cuts[k + 1]]) for k in range(count)]
    solvers = own_programs(settings.folder)
    groups: dict[str, list[Any]] = {}
    for sample in samples:
        groups.setdefault(sample.group, []).append(sample)
    batches: list[Batch] = []
    for group, members in groups.items():
        solver = data.solver_for(group, solvers)
        if solver is not None:
            _check_inputs(settings, solvers[solver])
            for at in range(0, len(members), batch_size):
                batches.append(Batch(len(batches), solver, members[at : at + batch_size]))
    return batches


def _check_inputs(settings: Settings, forms: Forms) -> None:
    """Raises ProgramError where a program does not read what the workload gives."""
    workload = settings.workload
    if forms.inputs != workload.language.inputs:
        raise ProgramError(
            f"{settings.folder}: its programs read {', '.join(forms.inputs)}; those of workload "
            f"{workload.name} read {', '.join(workload.language.inputs)}"
        )
