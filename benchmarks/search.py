"""What a search finds, and how fast: figures as one JSON object.

    python -m benchmarks.search baseline arc-dsl         # 76,800 mutants on all evaluation tasks
    python -m benchmarks.search hour arc-dsl --seconds 3600
    python -m benchmarks.search hour bundled --seconds 3600
    python -m benchmarks.search growth FOUND growth.png  # of `megabatt search --out FOUND`

The first argument of `baseline` and `hour` is a folder with arc-dsl's solvers.py, or `bundled` for
megabatt's own programs for training tasks. `growth` draws the numbers of fitted and solved tasks
against time, and how many tasks each strategy was the first to solve.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import click
from matplotlib import pyplot

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Finds, Found
from megabatt.runtime.search.problems import solved_with
from megabatt.runtime.search.result import ATTEMPTS
from megabatt.runtime.search.strategies import Mutation, Seeds, Strategy


def _searched(
    seeds: str, strategies: list[Strategy] | None, workers: int, split: str, **budget: Any
) -> dict[str, Any]:
    """Search on all tasks of a split of ARC-AGI-1; return the figures."""
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
    """Try mutants of the seeds on all tasks, as in the CodeIt paper."""
    strategies: list[Strategy] = [Seeds(), Mutation(finds=False)]
    print(json.dumps(_searched(seeds, strategies, workers, split, programs=programs)))


@main.command()
@_with_options
@click.option("--seconds", default=3600.0, show_default=True)
def hour(seeds: str, workers: int, split: str, seconds: float) -> None:
    """Search with all strategies, for a given time."""
    print(json.dumps(_searched(seeds, None, workers, split, seconds=seconds)))


_STRATEGIES = {
    "seed ": "seeds", "an image": "layers", " layers": "layers", "a rule ": "rules",
    " between ": "conjugation", "substitution ": "substitution", "mutation ": "mutation",
    "crossing ": "crossing", "pursuit ": "pursuit", "enumeration": "enumeration",
}  # fmt: skip
"""The strategies, by a text that the origins of their programs contain."""


class _Point(NamedTuple):
    """The progress of a search: tasks fitted, and solved with three attempts.

    first: By strategy, the number of tasks for which it was the first to find a right program.
    """

    seconds: float
    programs: int
    fitted: int
    solved: int
    first: dict[str, int]


@main.command()
@click.argument("found", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("image", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--split", default="evaluation", show_default=True)
def growth(found: Path, image: Path, split: str) -> None:
    """Draw how a search's finds have grown."""
    events = [json.loads(line) for line in (found / "search.log").read_text().splitlines()]
    points = _points(events, mb.tasks("arcagi", split))
    figure, (of_all, of_each) = pyplot.subplots(1, 2, figsize=(9, 3.5))
    _draw(of_all, points, fitted=[point.fitted for point in points],
          **{"solved, 3 attempts": [point.solved for point in points]})  # fmt: skip
    strategies = points[-1].first if points else {}
    _draw(of_each, points, **{
        name: [point.first.get(name, 0) for point in points] for name in strategies
    })  # fmt: skip
    of_all.set_ylabel("tasks")
    of_each.set_ylabel("tasks solved first")
    figure.tight_layout()
    figure.savefig(image, dpi=120)
    print(json.dumps(points[-1]._asdict() if points else {}))


def _draw(axes: Any, points: list[_Point], **lines: list[int]) -> None:
    """Draw lines against time, the highest first in the legend."""
    for name, counts in sorted(lines.items(), key=lambda line: -line[1][-1]):
        axes.step([point.seconds / 60 for point in points], counts, where="post", label=name)
    axes.set_xlabel("minutes")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize="small", loc="center right",
                bbox_to_anchor=(1, 0.65))  # fmt: skip


def _points(events: list[dict[str, Any]], tasks: list[mb.Task]) -> list[_Point]:
    """Return the progress of a search after each event."""
    by_name = {task.name: task for task in tasks}
    programs = [Program(e["task"], tuple(map(tuple, e["program"])), e["returns"]) for e in events]
    pairs = [(program, by_name[program.name]) for program in programs]
    finds = Finds()
    solved: dict[str, bool] = {}
    first: dict[str, str] = {}
    points = []
    evaluations = mb.evaluate_each(pairs, outputs="all")
    for event, (program, task), evaluation in zip(events, pairs, evaluations, strict=True):
        tests = [k for k, pair in enumerate(task.pairs) if pair.is_test]
        outputs = tuple(evaluation.output(0, k) for k in tests)
        finds.add(Found(task.name, program, event["cost"], outputs, event["origin"]))
        attempts = [one.outputs for one in finds.ranked(task.name)]
        answers = tuple(task.pairs[k].output for k in tests)
        solved[task.name] = bool(solved_with(attempts, answers, ATTEMPTS[-1], LANGUAGE.same))
        if outputs == answers:
            by = (name for mark, name in _STRATEGIES.items() if mark in event["origin"])
            first.setdefault(task.name, next(by, "others"))
        counts = dict(Counter(first.values()))
        points.append(
            _Point(event["seconds"], event["tried"], len(finds), sum(solved.values()), counts)
        )
    return points


if __name__ == "__main__":
    main()
