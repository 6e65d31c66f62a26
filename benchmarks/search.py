"""What a search finds, and how fast: figures as one JSON object.

    python -m benchmarks.search baseline arc-dsl         # 76,800 mutants on all evaluation tasks
    python -m benchmarks.search hour arc-dsl --seconds 3600
    python -m benchmarks.search hour bundled --seconds 3600

The first argument after the name is a folder with arc-dsl's solvers.py, or `bundled` for megabatt's
own programs for training tasks.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import click

import megabatt as mb
from megabatt.runtime.search.strategies import Mutation, Seeds, Strategy


def _searched(
    seeds: str, strategies: list[Strategy] | None, workers: int, split: str, **budget: Any
) -> dict[str, Any]:
    """The figures of a search on all tasks of a split of ARC-AGI-1."""
    path = None if seeds == "bundled" else Path(seeds) / "solvers.py"
    began = time.time()
    result = mb.search(
        mb.tasks("arcagi", split), seeds=path, strategies=strategies, workers=workers, **budget
    )
    return {
        "seeds": "bundled" if path is None else "arc-dsl",
        "split": split,
        "workers": workers,
        "load_of_the_machine": os.getloadavg()[0],
        "seconds_in_all": round(time.time() - began, 1),
        **result.figures,
    }


@click.group()
def main() -> None:
    """Time searches on ARC-AGI-1."""


_OPTIONS = [
    click.argument("seeds"),
    click.option("--workers", default=os.cpu_count() or 1, show_default="number of cores"),
    click.option("--split", default="evaluation", show_default=True),
]


def _with_options(command: Any) -> Any:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@main.command()
@_with_options
@click.option("--programs", default=76_800, show_default=True)
def baseline(seeds: str, workers: int, split: str, programs: int) -> None:
    """Mutants of the seeds on all tasks, as in the CodeIt paper."""
    strategies: list[Strategy] = [Seeds(), Mutation(finds=False)]
    print(json.dumps(_searched(seeds, strategies, workers, split, programs=programs)))


@main.command()
@_with_options
@click.option("--seconds", default=3600.0, show_default=True)
def hour(seeds: str, workers: int, split: str, seconds: float) -> None:
    """All strategies, for so long."""
    print(json.dumps(_searched(seeds, None, workers, split, seconds=seconds)))


if __name__ == "__main__":
    main()
