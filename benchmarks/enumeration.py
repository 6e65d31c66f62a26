"""Times bottom-up enumeration: candidates a second of one core, on tasks of ARC.

    python -m benchmarks.enumeration SEEDS... [--task ID]... [--candidates N] [--together K]

Prints its figures as JSON, for each group of tasks that are enumerated together. Seconds are CPU
seconds of this process, after a short run on the same tasks that compiles the kernels.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import click

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD, samples_of
from megabatt.runtime.megabatch.run.memory import peak_rss_mb
from megabatt.runtime.search.enumerate.enumeration import Enumeration
from megabatt.runtime.search.enumerate.lockstep import run_together
from megabatt.runtime.search.enumerate.space import Space
from megabatt.runtime.search.enumerate.strategy import enumeration_of, space_in
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
    help="Of the evaluation tasks, which to enumerate on.",
)
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    default=300_000,
    show_default=True,
    help="Of each task, how many.",
)
@click.option(
    "--together", type=click.IntRange(min=1), default=4, show_default=True,
    help="How many tasks at once.",
)  # fmt: skip
def main(seeds: tuple[Path, ...], ids: tuple[str, ...], candidates: int, together: int) -> None:
    """Enumerate on tasks, by the grammar of programs."""
    programs = [program for source in seeds for program in mb.read(source)]
    grammar = Grammar.counted(programs, WORKLOAD.draws)
    tasks = mb.tasks("arcagi", "evaluation", ids)
    problems = problems_of(WORKLOAD, samples_of(tasks))[:: 1 if ids else _EVERY]
    room = Workroom(WORKLOAD, problems, programs, grammar)
    groups = [problems[k : k + together] for k in range(0, len(problems), together)]
    rows = [timed(room, group, candidates) for group in groups]
    rates = [row["candidates_a_second"] for row in rows]
    print(json.dumps({
        "groups": rows,
        "candidates_a_second": {"median": median(rates), "least": min(rates), "most": max(rates)},
        "peak_rss_mb": round(peak_rss_mb()),
    }, indent=1))  # fmt: skip


def timed(room: Workroom, problems: Sequence[Problem], candidates: int) -> dict[str, Any]:
    """Return the figures of some tasks, enumerated together."""
    enumerated(room, problems, _WARM_UP)
    began = time.process_time()
    enumerations, space, fitting = enumerated(room, problems, candidates)
    seconds = time.process_time() - began
    counts = [asdict(enumeration.counts) for enumeration in enumerations]
    sums = {name: sum(of[name] for of in counts) for name in counts[0]}
    return {
        "tasks": [problem.name for problem in problems],
        "samples": [len(problem.samples) for problem in problems],
        **sums,
        "fitting": fitting,
        "bits": [enumeration.cost_reached for enumeration in enumerations],
        "seconds": round(seconds, 2),
        "candidates_a_second": round(sums["candidates"] / seconds),
        "seconds_calling": round(space.seconds_calling, 2),
        "mb_kept": space.nbytes >> 20,
    }


def enumerated(
    room: Workroom, problems: Sequence[Problem], candidates: int
) -> tuple[list[Enumeration], Space, int]:
    """Enumerate on tasks; return the enumerations, their space, and how many programs fit."""
    space = space_in(room)
    enumerations = [enumeration_of(room, problem, space) for problem in problems]
    shown = dict(zip(enumerations, [of.demonstrations for of in problems], strict=True))
    found = run_together(enumerations, candidates)
    return enumerations, space, sum(of.right == shown[one] for one, of in found)


if __name__ == "__main__":
    main()
