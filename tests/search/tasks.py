"""Small tasks with known right programs, made up for tests of the search."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.data import Pair, Task
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import problems_of
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom

RULES = {
    "mirror": [["O", "vmirror", "I"]],
    "doubled": [["x", "hmirror", "I"], ["O", "hconcat", "I", "x"]],
    "recolored": [["x", "ofcolor", "I", "TWO"], ["O", "fill", "I", "SEVEN", "x"]],
    "outer": [["x", "objects", "I", "T", "F", "T"], ["y", "argmax", "x", "size"],
              ["O", "subgrid", "y", "I"]],
}  # fmt: skip

SEEDS = [
    mb.program("tile", [["x", "vmirror", "I"], ["O", "hconcat", "I", "x"]]),
    mb.program("turn", [["O", "rot90", "I"]]),
    mb.program("paint", [["x", "ofcolor", "I", "ONE"], ["O", "fill", "I", "SEVEN", "x"]]),
    mb.program("crop", [["x", "objects", "I", "T", "F", "T"], ["y", "argmin", "x", "size"],
                        ["O", "subgrid", "y", "I"]]),
]  # fmt: skip


def made_up(names: Any = RULES) -> list[Task]:
    """Make tasks with three demonstrations and two tests each."""
    return [task_of(name, mb.program(name, RULES[name]), _grids(Random(f"0:{name}")))
            for name in names]  # fmt: skip


def _grids(rng: Random) -> list[Any]:
    return [grid_of(rng, range(4), 4 + rng.randrange(3), 6) for _ in range(5)]


def grid_of(rng: Random, colors: Any, height: int, width: int) -> Any:
    return tuple(tuple(rng.choices(colors, k=width)) for _ in range(height))


def task_of(name: str, rule: Program, grids: list[Any], shown: int = 3) -> Task:
    """Make a task of grids and a program's outputs; pairs from place `shown` on are tests."""
    found = mb.evaluate([rule], [(grid, None) for grid in grids], outputs="all")
    pairs = [Pair(k, grid, found.output(0, k), k >= shown) for k, grid in enumerate(grids)]
    return Task(name, "made up", tuple(pairs), name)


def task_of_pairs(name: str, shown: list[Any], test: Any, answer: Any = None) -> Task:
    """Make a task of pairs of grids and a test's input."""
    pairs = [Pair(k, *pair, False) for k, pair in enumerate(shown)]
    return Task(name, "made up", (*pairs, Pair(len(pairs), test, answer, True)), name)


def noise(name="noise", shown=3):
    rng = Random(name)
    grids = [grid_of(rng, range(10), 3, 4) for _ in range(2 * shown + 1)]
    return task_of_pairs(name, list(zip(grids[:shown], grids[shown:], strict=False)), grids[-1])


def with_outputs(task: Task, outputs: dict[int, Any]) -> Task:
    """Return a task with other outputs, by the places of their pairs."""
    pairs = [replace(pair, output=outputs.get(k, pair.output)) for k, pair in enumerate(task.pairs)]
    return replace(task, pairs=tuple(pairs))


def with_tests(task: Task, output: Any) -> Task:
    """Return a task with another output for its tests."""
    return with_outputs(task, {k: output for k, pair in enumerate(task.pairs) if pair.is_test})


def answers(task: Task) -> tuple[Any, ...]:
    return tuple(pair.output for pair in task.pairs if pair.is_test)


def assert_fits(found: Found, task: Task) -> None:
    """Assert that a found program is right, and gives the outputs for tests that it claims."""
    evaluation = mb.evaluate([found.program], task, outputs="all")
    shown = len(task.demonstrations)
    assert evaluation.matches[0, :shown].all()
    given = [evaluation.output(0, k) for k in range(shown, len(task.pairs))]
    assert tuple(given) == found.outputs


def state_and_room(
    tasks: list[Task],
    key: int = 0,
    workload: Workload[Any] = WORKLOAD,
    max_elements: int | None = None,
) -> tuple[State, Workroom]:
    problems = problems_of(workload, samples_of(tasks))
    grammar = Grammar.counted(SEEDS, workload.draws)
    room = Workroom(workload, problems, SEEDS, grammar, max_elements=max_elements)
    return State(problems, SEEDS, grammar, key), room
