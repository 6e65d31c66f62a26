"""The order of a task's programs: what speaks against and for each, beside its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from megabatt.runtime.megabatch.evaluation import evaluate_each
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom

_LOOKED_AT = 8
"""Of a task's programs that fit, and of its guesses, how many are looked at: the likeliest."""
_CLEAR = 3.0
"""The best program stands out if every equally odd and equally turned one costs so many bits more.
"""
_DEARER = 20.0
"""It does not stand out if an odder or less turned program costs more than so many bits less."""
_FOUND_BEFORE = 1
"""It does not stand out if more programs with other answers were found before it: such a search
keeps changing its mind."""


def rank(state: State, room: Workroom) -> None:
    """Note what speaks against and for the best programs and guesses of every task.

    Against one speaks what is odd about its outputs, and a test on which more operations fail than
    on any demonstration; for it that it also fits the demonstrations when they are turned. What
    fits a task is a guess if its best program does not stand out.
    """
    for finds in (state.finds, state.guesses):
        for task in finds.by_task:
            for one in _looked_at(room, task, finds.ranked(task)[:_LOOKED_AT]):
                finds.by_task[task][one.outputs] = one
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
    evaluations = evaluate_each(
        [(one.program, samples) for one in found],
        device=room.device, max_elements=room.max_elements, workload=workload, blind=True,
    )  # fmt: skip
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
