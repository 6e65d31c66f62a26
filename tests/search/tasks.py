"""Small tasks with known right programs, made up for tests of the search."""

from __future__ import annotations

from random import Random
from typing import Any

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.data import Pair, Task
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.megabatch.workload import Workload
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


def made_up(names: Any = RULES, seed: int = 0) -> list[Task]:
    """Make tasks with three demonstrations and two tests each."""
    return [_task(name, Random(f"{seed}:{name}")) for name in names]


def _task(name: str, rng: Random) -> Task:
    grids = [
        tuple(tuple(rng.choices(range(4), k=6)) for _ in range(4 + rng.randrange(3)))
        for _ in range(5)
    ]
    rule = mb.program(name, RULES[name])
    found = mb.evaluate([rule], [(grid, None) for grid in grids], outputs="all")
    pairs = [Pair(k, grid, found.output(0, k), k > 2) for k, grid in enumerate(grids)]
    return Task(name, "made up", tuple(pairs), name)


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
