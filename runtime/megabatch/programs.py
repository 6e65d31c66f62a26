"""Generated programs, loaded from the folder that codegen wrote."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from runtime.megabatch.samples import Sample


@dataclass(frozen=True)
class Program:
    """Both forms of a program.

    sequential(task_id, S, I, C, log_path=None, max_elements=...), vectorized(inputs,
    max_elements=...); operations: how many it has; solvers: the names of its outputs.
    """

    sequential: Callable[..., Any]
    vectorized: Callable[..., Any]
    operations: int
    solvers: tuple[str, ...]


class ProgramError(Exception):
    """The folder holds no program that can be loaded."""


@lru_cache
def merged_program(folder: str) -> Program:
    """All solvers of a generated folder as one program."""
    module = _load(folder, "batt")
    return Program(module.batt, module.batt_vectorized, module.OPERATIONS, tuple(module.SOLVERS))


@lru_cache
def own_programs(folder: str) -> dict[str, Program]:
    """Each solver of a generated folder as a program of its own, by the solver's name."""
    table = _load(folder, "solvers").SOLVERS
    return {
        name: Program(sequential, vectorized, operations, (name,))
        for name, (sequential, vectorized, operations) in table.items()
    }


def solver_for(task_id: str, solvers: dict[str, Program]) -> Program | None:
    """The program of the solver whose name ends in a task's id, if there is one."""
    for name, program in solvers.items():
        if name == task_id or name.endswith(f"_{task_id}"):
            return program
    return None


def _load(folder: str, name: str) -> ModuleType:
    path = Path(folder) / f"{name}.py"
    if not path.is_file():
        raise ProgramError(
            f"{path}: not found; write it with `python -m codegen SOURCE... --out {folder}`"
        )
    module_name = f"megabatt_{abs(hash(str(path.resolve())))}_{name}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ProgramError(f"{path}: {type(error).__name__}: {error}") from error
    return module


class Part(NamedTuple):
    """Some of a program's solvers, as one of the parts that it is computed in."""

    number: int
    solvers: tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """Samples that one program is run on together: a batch, or a part of the program's on it."""

    number: int
    solver: str | None
    samples: list[Sample]
    part: Part | None = None

    def program(self, folder: str) -> Program:
        return merged_program(folder) if self.solver is None else own_programs(folder)[self.solver]

    @property
    def solvers(self) -> tuple[str, ...] | None:
        """Those that are to be computed, None for all."""
        return None if self.part is None else self.part.solvers

    def parts(self, folder: str, count: int) -> list[Job]:
        """The batch in at most so many parts, each with every so-manieth of the solvers.

        Neighbours are of one length, and the shorter come first: parts of neighbours would not be
        alike.
        """
        names = self.program(folder).solvers
        if count < 2 or len(names) < 2:
            return [self]
        return [
            replace(self, part=Part(number, names[number::count]))
            for number in range(min(count, len(names)))
        ]


_WORTH_A_BATCH = 100
"""Samples that are worth a batch of their own where a worker would have nothing to do."""


def jobs_of(
    folder: str, samples: list[Sample], own: bool, batch_size: int, workers: int = 1
) -> list[Job]:
    """The batches: of all samples for the merged program, or of each solver's own task's.

    Of the merged program they are of one size, at most batch_size, and as many for each worker.
    """
    if not own:
        merged_program(folder)
        count = -(-len(samples) // batch_size)
        if len(samples) >= workers * _WORTH_A_BATCH:
            count = -(-count // workers) * workers
        cuts = [k * len(samples) // count for k in range(count + 1)]
        return [Job(k, None, samples[cuts[k] : cuts[k + 1]]) for k in range(count)]
    solvers = own_programs(folder)
    by_task: dict[str, list[Sample]] = {}
    for sample in samples:
        by_task.setdefault(sample.task_id, []).append(sample)
    jobs: list[Job] = []
    for task_id, members in by_task.items():
        program = solver_for(task_id, solvers)
        if program is not None:
            for at in range(0, len(members), batch_size):
                jobs.append(Job(len(jobs), program.solvers[0], members[at : at + batch_size]))
    return jobs
