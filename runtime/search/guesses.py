"""Adds guesses for tasks with too few fits: programs that are right on some demonstrations."""

from __future__ import annotations

from megabatt.runtime.search.result import ATTEMPTS
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom


def guess(state: State, room: Workroom) -> None:
    """Add guesses for the tasks with fewer fitting programs than attempts.

    A guess is a program that came near and is right on some demonstration.
    """
    for problem in state.problems:
        near = state.near.by_task.get(problem.name, ())
        if len(state.finds.ranked(problem.name)) < ATTEMPTS[-1]:
            programs = [one.program for one in near]
            for one in room.guessed_on(problem, programs, ["came near"] * len(programs)):
                if one.guess:
                    state.guesses.add(one)
