"""Ranks a task's programs by the evidence against and for each, besides its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from megabatt.runtime.search.found import Found
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom

_LOOKED_AT = 8
"""The number of a task's best programs that are all looked at in the end, and of its guesses."""
_CLEAR = 3.0
"""The bits by which a program that stands out is cheaper than every program of the same `oddity`
and `turned`."""
_DEARER = 20.0
"""The most extra bits of a program that stands out over an odder or less turned program."""
_FOUND_BEFORE = 1
"""The most programs with other answers found before a program that stands out: a search with more
keeps changing its mind."""


def rank(state: State, room: Workroom) -> None:
    """Note the evidence against and for the best programs and guesses of every task.

    Odd outputs are evidence against a program, and so is a test on which more operations fail than
    on any demonstration. Turned sets of demonstrations that the program fits are evidence for it.
    All fits of a task become guesses if the best of them does not stand out.
    """
    for finds in (state.finds, state.guesses):
        for task, known in finds.by_task.items():
            seen: set[tuple[Any, ...]] = set()  # what is not looked at has no known oddity
            while new := [f for f in finds.ranked(task)[:_LOOKED_AT] if f.outputs not in seen]:
                known.update((one.outputs, one) for one in _looked_at(room, task, new))
                seen.update(one.outputs for one in new)
    for task in list(state.finds.by_task):
        if not _stands_out(*state.finds.ranked(task)):
            for one in state.finds.by_task.pop(task).values():
                state.guesses.add(replace(one, doubt=1))


def _stands_out(best: Found, *others: Found) -> bool:
    """Tell whether a task's best program is not odd, clearly likelier than others, and early."""
    likelier = all(
        best.cost + _CLEAR <= other.cost
        if (other.oddity, other.turned) == (best.oddity, best.turned)
        else best.cost - _DEARER <= other.cost
        for other in others
    )
    before = sum(other.tried < best.tried for other in others)
    return likelier and not best.oddity and before <= _FOUND_BEFORE


def _looked_at(room: Workroom, task: str, found: Sequence[Found]) -> list[Found]:
    workload, problem = room.workload, room.problems[task]
    views = workload.turned(problem.shown)
    samples = [*problem.samples, *(sample for view in views for sample in view)]
    evaluations = room.each([(one.program, samples) for one in found], "none")
    ranked = []
    for one, evaluation in zip(found, evaluations, strict=True):
        in_views = evaluation.matches[0, len(problem.samples) :].reshape(
            len(views), problem.demonstrations
        )
        failed = evaluation.failed[0, : len(problem.samples)]
        shown, tests = np.split(failed, [problem.demonstrations])
        odd = workload.oddity(problem.samples, one.outputs) + bool(
            tests.max(initial=0) > shown.max(initial=0)
        )
        ranked.append(replace(one, oddity=odd, turned=int(in_views.all(axis=1).sum())))
    return ranked
