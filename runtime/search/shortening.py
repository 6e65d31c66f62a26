"""Shortens found programs: leaves out operations that they do not need."""

from __future__ import annotations

from dataclasses import replace

from megabatt.runtime.search.found import Found
from megabatt.runtime.search.mutation import Mutator
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom

_OF_TASK = 3
"""The number of a task's best programs that are shortened: the number of attempts."""


def shorten(state: State, room: Workroom) -> None:
    """Replace the best found programs by shorter ones.

    Operations are left out one by one, as long as the program fits all demonstrations and gives
    the same test outputs.
    """
    mutator = Mutator(room.grammar)
    best = {(f.task, f.outputs): f for task in state.finds.by_task for f in _best(state, task)}
    changed = dict(best)
    while changed:
        tries = [(f, p) for f in changed.values() for p in mutator.shorter(f.program)]
        fitting = room.fitting(
            [program for _, program in tries],
            [found.origin for found, _ in tries],
            [found.task for found, _ in tries],
        )
        changed = {}
        for one in fitting:
            known = best.get((one.task, one.outputs))
            if known is not None and _length(one) < _length(known):
                one = replace(one, tried=known.tried, seconds=known.seconds)
                best[one.task, one.outputs] = changed[one.task, one.outputs] = one
    for found in best.values():
        state.finds.by_task[found.task][found.outputs] = found


def _length(found: Found) -> tuple[int, float]:
    return found.size, found.cost


def _best(state: State, task: str) -> list[Found]:
    return state.finds.ranked(task)[:_OF_TASK]
