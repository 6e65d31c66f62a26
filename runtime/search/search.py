"""A search: runs rounds of units in any number of processes, and merges the outcomes.

The units of a round depend only on the state before the round, and their outcomes are merged in the
units' order. So the number of processes changes only the time.
"""

from __future__ import annotations

import logging
import pickle
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import psutil

from megabatt.runtime.engine.language.sequential import raised_by_handler
from megabatt.runtime.megabatch.run.compiling import is_compiled, note_compiled
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.run.workers import LocalEngine, Rescue, computed, workers
from megabatt.runtime.printable import short
from megabatt.runtime.search.found import Found, Outcome
from megabatt.runtime.search.guesses import guess
from megabatt.runtime.search.ranking import rank
from megabatt.runtime.search.result import Result
from megabatt.runtime.search.shortening import shorten
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies import STRATEGIES, Strategy, Unit, strategies_named
from megabatt.runtime.search.workroom import Workroom

log = logging.getLogger("megabatt.search")


class Event(NamedTuple):
    """A report of a running search.

    Attributes:
        kind: "found" (new outputs for a task's tests), "improved" (a better program for known
            outputs), or "progress" (after each unit of work).
        state: The state of the search.
        found: The program; None for "progress".
    """

    kind: str
    state: State
    found: Found | None = None

    def __repr__(self) -> str:
        found = "" if self.found is None else f", {self.found.task}: {self.found.origin}"
        return f"Event({self.kind!r}, {self.state.tried:,} programs tried{found})"


Listener = Callable[[Event], None]

_FEW = 20
"""The seeds of a rehearsal, and the programs that each strategy tries in it."""
_IDLE_ROUNDS = 10
"""The rounds in a row without a program after which the search ends: nothing is left to try."""


class Search:
    """Goes on from a state, round by round, until the budget is spent or the search is stopped."""

    def __init__(
        self,
        state: State,
        room: Workroom,
        strategies: Sequence[Strategy] | None = None,
        *,
        workers: int = 1,
        listener: Listener | None = None,
    ) -> None:
        """Set up the search. room: The workroom for units; each process has its own copy."""
        self.state = state
        self.strategies = list(strategies_named(STRATEGIES) if strategies is None else strategies)
        chosen = {strategy.name for strategy in self.strategies}
        left = [(name, unit) for name, unit in state.pending if name in chosen]
        if len(left) < len(state.pending):
            state.pending, state.shares = left, ((), None)
            state.round += not left
        self._room = room
        self._workers = workers
        self._listener = listener
        self._peak = 0
        self._is_exhausted = False

    def run(
        self,
        *,
        programs: int | None = None,
        seconds: float | None = None,
        after_round: Callable[[State], None] | None = None,
    ) -> State:
        """Search until `programs` programs were tried in all, or for `seconds` seconds from now.

        after_round: Called with the state after each round, and when the search is stopped. Raises
        ValueError if neither bound is given, and KeyboardInterrupt if the search is stopped. The
        state then has the finds so far, and the rest of the round.
        """
        if programs is None and seconds is None:
            raise ValueError("a search needs a number of programs or of seconds")
        state = self.state
        began = time.time() - state.elapsed
        room = self._room
        if seconds is not None:
            room = room.until(time.time() + seconds)
        idle = 0
        with _processes(room, self._workers) as outcomes_of:
            while not (room.late or idle == _IDLE_ROUNDS or self._is_spent(programs)):
                tried = state.tried
                if units := self._units(programs):
                    try:
                        for outcome in outcomes_of(units):
                            state.elapsed = time.time() - began
                            self._take(outcome)
                        state.growth.append((state.elapsed, state.tried, len(state.finds)))
                    finally:
                        self._peak = max(self._peak, _bytes_in_use())
                        if after_round is not None:
                            after_round(state)
                else:  # the round has none
                    state.round += 1
                idle = 0 if state.tried > tried else idle + (not state.pending)
        self._is_exhausted = not (room.late or self._is_spent(programs))
        state.elapsed = time.time() - began
        return state

    def rehearse(self) -> Iterator[str]:
        """Have each strategy try a few programs on one task, which compiles the strategy's code.

        Yields each strategy's name before its turn; nothing if all were compiled before. Only
        megabatt's own strategies are rehearsed.
        """
        known = [one for one in self.strategies if one.name in STRATEGIES]
        names = ", ".join(one.name for one in known)
        what = f"search of {self._room.workload.name} by {names}"
        if is_compiled(what):
            return
        small = State(self.state.problems[:1], self.state.seeds[:_FEW], self.state.grammar)
        room = self._room.on(small.problems, small.seeds)
        for one in known:
            yield one.name
            Search(small, room, [one]).run(programs=small.tried + _FEW)
        if small.seeds:  # else programs made of seeds are not compiled
            note_compiled(what)

    def result(self, answers: Mapping[str, tuple[Any, ...]], stopped: str = "") -> Result:
        """Shorten the finds, add guesses where finds are few, rank all, and return the result.

        answers: The expected outputs of the tests, for the count alone. stopped: Why the search
        ended early.
        """
        shorten(self.state, self._room)
        guess(self.state, self._room)
        rank(self.state, self._room)
        if self._is_exhausted:
            stopped = stopped or "the strategies have nothing left to try"
        peak = max(self._peak, _bytes_in_use())
        return Result(self._room.workload, self.state, answers, peak, stopped)

    def _is_spent(self, programs: int | None) -> bool:
        return programs is not None and self.state.tried >= programs

    def _units(self, programs: int | None) -> list[Unit]:
        """Return the rest of the round, or the next round, cut to the budget; none if it has none.

        The other units stay pending, and run if earlier units use less than their share. Shares are
        kept, so that a search that is stopped and goes on with its budget runs the same units.
        """
        state = self.state
        if not state.pending:
            begun = replace(state, memory=deepcopy(state.memory))
            begun.pending = list(self._round(begun))
            vars(state).update(vars(begun))  # at once: a round that is stopped here begins again
        units = [unit for _, unit in state.pending]
        shares, budget = state.shares
        if programs is None:
            shares = tuple([unit.programs for unit in units])
        elif not shares or budget != programs:
            before = accumulate([unit.programs for unit in units], initial=state.tried)
            lefts = [programs - tried for tried in before]
            fitting = zip(units, lefts, strict=False)
            shares = tuple([min(left, unit.programs) for unit, left in fitting if left > 0])
        state.shares = shares, programs
        return [
            unit if share == unit.programs else replace(unit, programs=share)  # type: ignore[type-var]
            for unit, share in zip(units, shares, strict=False)
        ]

    def _round(self, state: State) -> Iterator[tuple[str, Unit]]:
        """Return the units of a state's next round, with the names of their strategies.

        Raises TypeError if a strategy gives anything but units.
        """
        of_each = []
        for strategy in self.strategies:
            units = list(strategy.units(state))
            for unit in units:
                if not (hasattr(unit, "programs") and hasattr(unit, "run")):
                    raise TypeError(
                        f"strategy {strategy.name!r} gave {short(unit)} in place of a unit, which "
                        "has programs and run"
                    )
            of_each.append([(strategy.name, unit) for unit in units])
        return _in_turn(of_each)

    def _take(self, outcome: Outcome) -> None:
        """Add the outcome of the first pending unit to the state, whole or not at all."""
        state = self.state.copied()
        state.tried += outcome.tried
        state.distinct += outcome.distinct
        state.candidates += outcome.candidates
        state.seconds.update(outcome.seconds)  # type: ignore[arg-type]
        state.near.add(outcome.near)
        found = [replace(one, tried=state.tried, seconds=state.elapsed) for one in outcome.found]
        kinds = [(state.guesses if one.guess else state.finds).add(one) for one in found]
        shares, budget = state.shares
        is_spent = budget is not None and state.tried >= budget
        if not (is_spent and shares[0] < state.pending[0][1].programs):
            del state.pending[0]  # else the budget cut it short: with more, it runs whole
        state.shares = shares[1:], budget
        state.round += not state.pending
        vars(self.state).update(vars(state))  # at once: an interrupt comes before or after
        for kind, one in zip(kinds, found, strict=True):
            if kind and not one.guess:
                self._tell(kind, one)
        self._tell("progress")

    def _tell(self, kind: str, found: Found | None = None) -> None:
        if self._listener is not None:
            self._listener(Event(kind, self.state, found))


def _in_turn(of_each: list[list[tuple[str, Unit]]]) -> Iterator[tuple[str, Unit]]:
    """Interleave the units of all strategies: each strategy has its share from the start."""
    places = [
        (k / len(units), number, pair)
        for number, units in enumerate(of_each)
        for k, pair in enumerate(units)
    ]
    for _, _, pair in sorted(places, key=lambda place: place[:2]):
        yield pair


def _bytes_in_use() -> int:
    """Return the bytes in use by this process and its children."""
    own = psutil.Process()
    total = 0
    for process in [own, *own.children(recursive=True)]:
        try:
            total += process.memory_info().rss
        except psutil.Error:
            continue
    return total


Round = Callable[[Sequence[Unit]], Iterator[Outcome]]
"""Does units and yields their outcomes, in order; skips units not begun at the deadline."""


@contextmanager
def _processes(room: Workroom, count: int) -> Iterator[Round]:
    """Yield a `Round` that does units in `count` processes; a count of 1 is this process."""
    if count == 1:
        yield partial(_done_here, room)
        return
    with TemporaryDirectory() as folder, workers(count) as mine:
        path = Path(folder) / "room"
        path.write_bytes(pickle.dumps(room))
        yield partial(_done_by_workers, room, str(path), LocalEngine(mine))


def _done_here(room: Workroom, units: Sequence[Unit]) -> Iterator[Outcome]:
    for unit in units:
        if room.late:
            return
        yield _outcome_of(unit, _attempted(unit, room))


def _done_by_workers(
    room: Workroom, path: str, engine: LocalEngine, units: Sequence[Unit]
) -> Iterator[Outcome]:
    """Do units in workers, which read the room from a file; yield the outcomes in order."""
    ready: dict[int, Outcome] = {}
    stop = Stop()
    rescue: Rescue[tuple[int, Unit], Outcome | str] = Rescue(
        lambda numbered: [], lambda numbered, why: why
    )
    with stop.after(None if room.deadline == float("inf") else room.deadline - time.time()):
        numbered = list(enumerate(units))
        following = 0
        attempts = computed(engine, partial(_done, path), numbered, rescue, stop)
        for (number, unit), attempt in attempts:
            ready[number] = _outcome_of(unit, attempt)
            while following in ready:
                yield ready.pop(following)
                following += 1


def _done(path: str, numbered: tuple[int, Unit]) -> Outcome | str:
    """Do a unit in a worker; return what `_attempted` does."""
    return _attempted(numbered[1], _room_in(path))


def _attempted(unit: Unit, room: Workroom) -> Outcome | str:
    """Do a unit; return its outcome, or a line on the error that ended it, with the place.

    What a signal handler raises, such as a timeout of the caller's, ends the search.
    """
    try:
        outcome = unit.run(room)
        if not isinstance(outcome, Outcome):
            return f"run returned {short(outcome)}, not an Outcome"
        return outcome
    except Exception as error:
        if raised_by_handler(error):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} (in {place.name}, {place.filename}:{place.lineno})"


@lru_cache(maxsize=1)
def _room_in(path: str) -> Workroom:
    room: Workroom = pickle.loads(Path(path).read_bytes())
    return room


def tasks_of(unit: Unit) -> Sequence[str]:
    """Return the names of a unit's tasks; none if the unit is for all tasks."""
    task = getattr(unit, "task", None)
    return getattr(unit, "tasks", ()) if task is None else [task]


def _outcome_of(unit: Unit, attempt: Outcome | str) -> Outcome:
    """Return a unit's outcome. A failed unit is charged its planned programs."""
    if isinstance(attempt, Outcome):
        return attempt
    where = ", ".join(tasks_of(unit)) or "all tasks"
    log.warning("%d programs on %s were given up: %s", unit.programs, where, attempt)
    return Outcome(unit.programs)
