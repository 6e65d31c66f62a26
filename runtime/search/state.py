"""The state of a search: all that the next round depends on, and that `--resume` needs."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Finds, NearMisses
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.workroom import grammar_of

_FORMAT = "megabatt search 7"


@dataclass
class State:
    """A search between two rounds.

    Attributes:
        problems: All tasks.
        seeds: The known programs.
        grammar: Gives the programs' costs.
        key: The number that decides all draws.
        round: The number of the round that comes next, from 0.
        tried: The number of programs that were tried.
        distinct: The number of tried programs that differ within their units.
        candidates: The number of values that were enumerated, and of layers' images.
        elapsed: The seconds that the search has taken.
        finds: The programs that fit, by task.
        guesses: The guesses, by task.
        near: The programs that came near, by task.
        seconds: The seconds of one core, by stage.
        memory: The memories of strategies, by the strategies' names, pickled for `--resume`.
        pending: The units of the round that are not done, with their strategies' names.
        shares: The programs that the first of these may try, and the budget that decides this.
        growth: Seconds, programs tried and tasks fitted, after each round.
    """

    problems: Sequence[Problem]
    seeds: Sequence[Program]
    grammar: Grammar
    key: int = 0
    round: int = 0
    tried: int = 0
    distinct: int = 0
    candidates: int = 0
    elapsed: float = 0.0
    finds: Finds = field(default_factory=Finds)
    guesses: Finds = field(default_factory=Finds)
    near: NearMisses = field(default_factory=NearMisses)
    seconds: Counter[str] = field(default_factory=Counter)
    memory: dict[str, Any] = field(default_factory=dict)
    pending: list[tuple[str, Any]] = field(default_factory=list)
    shares: tuple[tuple[int, ...], int | None] = ((), None)
    growth: list[tuple[float, int, int]] = field(default_factory=list)

    def found_programs(self) -> list[Program]:
        """Return the best program of every task that is fitted, named after the task."""
        best = {task: self.finds.ranked(task)[0].program for task in sorted(self.finds.by_task)}
        return [program._replace(name=task) for task, program in best.items()]

    def copied(self) -> State:
        """Return a copy, to which an outcome is added without a change of this state."""
        copies = {
            name: copy(getattr(self, name))
            for name in ("finds", "guesses", "near", "seconds", "pending")
        }
        return replace(self, **copies)

    def save(self, path: Path) -> None:
        """Write the state, whole or not at all."""
        fields = {**vars(self), "grammar": self.grammar.parts}
        beside = path.with_suffix(".part")
        try:
            beside.write_bytes(pickle.dumps((_FORMAT, fields)))
            beside.replace(path)
        except OSError:  # a full disk has more room without it
            beside.unlink(missing_ok=True)
            raise

    @staticmethod
    def read(path: Path, workload: Workload[Any]) -> State:
        """Read a saved state. Raises OSError, or ValueError for any other file."""
        data = path.read_bytes()
        try:
            found, fields = pickle.loads(data)
            if found == _FORMAT:
                return State(**{**fields, "grammar": grammar_of(workload, *fields["grammar"])})
        except Exception as error:  # a damaged pickle may raise any
            raise ValueError(f"{path}: not the state of a search ({error})") from error
        raise ValueError(f"{path}: the state of a search by another version of megabatt")


def turns(state: State, name: str, tasks: Sequence[int]) -> list[tuple[str, int]]:
    """Return the tasks with a turn in the next round of a strategy, each with its turn's number.

    In the first round, all unfitted tasks have their first turn. Then some tasks each round have
    their second turn; when all have had it, some each round have their third turn, and so on.
    tasks: The numbers of tasks in a round's second turns, third turns, and so on, to the last turn.
    """
    had: dict[str, int] = state.memory.setdefault(name, {})
    left = [p.name for p in state.problems if p.name not in state.finds]
    fewest = min([had.get(task, 0) for task in left], default=0)
    most = [len(left), *tasks, 0][min(fewest, 1 + len(tasks))]
    chosen = [task for task in left if had.get(task, 0) == fewest][:most]
    for task in chosen:
        had[task] = fewest + 1
    return [(task, fewest + 1) for task in chosen]
