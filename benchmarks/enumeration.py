"""Times bottom-up enumeration: candidates a second of one core, on tasks of ARC.

    python -m benchmarks.enumeration SEEDS... [--task ID]... [--candidates N]

Prints the figures of each task as JSON. Seconds are CPU seconds of this process, after a short run
on the same task that compiles the kernels.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import click

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD, samples_of
from megabatt.runtime.megabatch.run.memory import peak_rss_mb
from megabatt.runtime.search.enumerate.enumeration import Enumeration
from megabatt.runtime.search.enumerate.strategy import enumeration_of
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import Problem, problems_of
from megabatt.runtime.search.workroom import Workroom

_WARM_UP = 20_000
_EVERY = 33


@click.command()
@click.argument("seeds", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--task",
    "ids",
    multiple=True,
    default=(),
    show_default=f"every {_EVERY}rd",
    help="An evaluation task to enumerate on; may be repeated.",
)
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    default=300_000,
    show_default=True,
    help="How many candidates of each task.",
)
def main(seeds: tuple[Path, ...], ids: tuple[str, ...], candidates: int) -> None:
    """Enumerate on tasks, by the grammar of the programs in SEEDS."""
    programs = [program for source in seeds for program in mb.read(source)]
    grammar = Grammar.counted(programs, WORKLOAD.draws)
    tasks = mb.tasks("arcagi", "evaluation", ids)
    problems = problems_of(WORKLOAD, samples_of(tasks))[:: 1 if ids else _EVERY]
    room = Workroom(WORKLOAD, problems, programs, grammar)
    rows = [timed(room, problem, candidates) for problem in problems]
    rates = [row["candidates_a_second"] for row in rows]
    print(json.dumps({
        "tasks": rows,
        "candidates_a_second": {"median": median(rates), "least": min(rates), "most": max(rates)},
        "peak_rss_mb": round(peak_rss_mb()),
    }, indent=1))  # fmt: skip


def timed(room: Workroom, problem: Problem, candidates: int) -> dict[str, Any]:
    """Return the figures of a task."""
    enumerated(room, problem, _WARM_UP)
    began = time.process_time()
    enumeration, fitting = enumerated(room, problem, candidates)
    seconds = time.process_time() - began
    return {
        "task": problem.name,
        "samples": len(problem.samples),
        "candidates": enumeration.candidates,
        "values": len(enumeration.bank),
        "fitting": fitting,
        "bits": enumeration.cost_reached,
        "seconds": round(seconds, 2),
        "candidates_a_second": round(enumeration.candidates / seconds),
        "mb_kept": enumeration.space.nbytes >> 20,
    }


def enumerated(room: Workroom, problem: Problem, candidates: int) -> tuple[Enumeration, int]:
    """Enumerate on a task; return the enumeration, and how many programs fit."""
    enumeration = enumeration_of(room, problem)
    found = enumeration.run(candidates)
    return enumeration, sum(of.right == problem.demonstrations for of in found)


if __name__ == "__main__":
    main()
