"""Times bottom-up enumeration: candidates a second of one core, on tasks of ARC.

    python -m benchmarks.enumeration SEEDS... [--task ID]... [--candidates N]

Prints its figures as JSON. Seconds are CPU seconds of this process, after a short run on the same
task that compiles the kernels.
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
from megabatt.runtime.search.enumerate.strategy import enumeration_of
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import problems_of
from megabatt.runtime.search.workroom import Workroom

_WARM_UP = 2000


@click.command()
@click.argument("seeds", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--task",
    "ids",
    multiple=True,
    default=("0a1d4ef5", "e9b4f6fc", "00576224"),
    show_default=True,
    help="Of the evaluation tasks, which to enumerate on.",
)
@click.option(
    "--candidates", type=click.IntRange(min=1), default=300_000, show_default=True,
    help="Of each task, how many.",
)  # fmt: skip
def main(seeds: tuple[Path, ...], ids: tuple[str, ...], candidates: int) -> None:
    """Enumerate on tasks, by the grammar of programs."""
    programs = [program for source in seeds for program in mb.read(source)]
    grammar = Grammar.counted(programs, WORKLOAD.draws)
    tasks = mb.tasks("arcagi", "evaluation", ids)
    problems = problems_of(WORKLOAD, samples_of(tasks))
    room = Workroom(WORKLOAD, problems, programs, grammar)
    rows = [timed(room, problem, candidates) for problem in problems]
    rates = [row["candidates_a_second"] for row in rows]
    print(json.dumps({
        "tasks": rows,
        "candidates_a_second": {"median": median(rates), "least": min(rates), "most": max(rates)},
        "peak_rss_mb": round(peak_rss_mb()),
    }, indent=1))  # fmt: skip


def timed(room: Workroom, problem: Any, candidates: int) -> dict[str, Any]:
    """Return the figures of one task."""
    list(enumeration_of(room, problem).run(_WARM_UP))
    enumeration = enumeration_of(room, problem)
    began = time.process_time()
    found = [f for f in enumeration.run(candidates) if f.right == problem.demonstrations]
    seconds = time.process_time() - began
    counts = enumeration.counts
    return {
        "task": problem.name,
        "samples": len(problem.samples),
        "candidates": counts.candidates,
        "on_all_samples": counts.on_all,
        "distinct": counts.distinct,
        "functions": counts.functions,
        "failed": counts.failed,
        "fitting": len(found),
        "bits": enumeration.cost_reached,
        "seconds": round(seconds, 2),
        "candidates_a_second": round(counts.candidates / seconds),
        "seconds_on_one_sample": round(counts.trying, 2),
        "seconds_on_all": round(counts.calling, 2),
        "mb_kept": enumeration.bank.nbytes >> 20,
    }


if __name__ == "__main__":
    main()
