"""A search: rounds of units, done by any number of processes, and what they find put together.

The units of a round depend on the state before it alone, and their outcomes are put together in the
units' order. So the number of processes changes nothing but the time.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import NamedTuple

import psutil

from megabatt.runtime.search.found import Found, Outcome
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies import STRATEGIES, Strategy, Unit, strategies_named
from megabatt.runtime.search.workroom import Workroom


class Event(NamedTuple):
    """What a search tells while it runs.

    kind: "found" (other outputs for a task's tests than were known), "improved" (a likelier
    program for known outputs), or "progress" (after each unit, found is None then).
    """

    kind: str
    state: State
    found: Found | None = None


Listener = Callable[[Event], None]

_IDLE_ROUNDS = 10
"""Rounds without a program, one after the other, after which there is nothing left to try."""


class Search:
    """Goes on from a state, round by round, until its budget is spent or it is stopped."""

    def __init__(
        self,
        state: State,
        room: Workroom,
        strategies: Sequence[Strategy] | None = None,
        *,
        workers: int = 1,
        listener: Listener | None = None,
    ) -> None:
        """Set up the search. room: where units are done; each process has a copy of its own."""
        self.state = state
        self.strategies = list(strategies_named(STRATEGIES) if strategies is None else strategies)
        self._room = room
        self._workers = workers
        self._listener = listener
        self._peak = 0

    @property
    def peak_bytes(self) -> int:
        """The most memory that all processes were seen to have together."""
        return self._peak

    def run(
        self,
        *,
        programs: int | None = None,
        seconds: float | None = None,
        after_round: Callable[[State], None] | None = None,
    ) -> State:
        """Search until so many programs were tried in all, or for so many seconds from now.

        after_round: is given the state after each round, and when the search is stopped. Raises
        ValueError where nothing bounds the search, and KeyboardInterrupt when it is stopped. The
        state then has what was found, and what is left of the round.
        """
        if programs is None and seconds is None:
            raise ValueError("a search needs a number of programs or of seconds")
        state = self.state
        began = time.time() - state.elapsed
        self._room.deadline = time.time() + seconds if seconds is not None else float("inf")
        idle = 0
        with _Workers(self._room, self._workers) as workers:
            while not self._room.late and idle < _IDLE_ROUNDS:
                tried = state.tried
                state.pending = self._units(programs)
                if not state.pending:
                    break
                try:
                    for outcome in workers.outcomes([unit for _, unit in state.pending]):
                        state.elapsed = time.time() - began
                        self._take(outcome)
                    state.growth.append((state.elapsed, state.tried, len(state.finds)))
                finally:
                    self._peak = max(self._peak, workers.bytes_in_use())
                    if after_round is not None:
                        after_round(state)
                idle = idle + 1 if state.tried == tried else 0
        state.elapsed = time.time() - began
        return state

    def _units(self, programs: int | None) -> list[tuple[str, Unit]]:
        """Return what is left of the round, or the next one: no more than the budget allows."""
        state = self.state
        left = None if programs is None else programs - state.tried
        state.left = left
        units: list[tuple[str, Unit]] = []
        for name, unit in state.pending or self._round():
            if left is not None:
                if left <= 0:
                    break
                unit = replace(unit, programs=min(left, unit.programs))  # type: ignore[type-var]
                left -= unit.programs
            units.append((name, unit))
        return units

    def _round(self) -> Iterator[tuple[str, Unit]]:
        """Return the units of the next round, with the names of their strategies."""
        return _in_turn(
            [
                [(strategy.name, unit) for unit in strategy.units(self.state)]
                for strategy in self.strategies
            ]
        )

    def _take(self, outcome: Outcome) -> None:
        """Add the outcome of the next unit to what is known."""
        state = self.state
        name, unit = state.pending[0]
        state.tried += outcome.tried
        state.distinct += outcome.distinct
        state.candidates += outcome.candidates
        state.seconds.update(outcome.seconds)  # type: ignore[arg-type]
        state.near.add(outcome.near)
        strategy = next((one for one in self.strategies if one.name == name), None)
        noted = getattr(strategy, "noted", None)
        if noted is not None and outcome.notes is not None:
            noted(state, unit, outcome.notes)
        found = [replace(one, tried=state.tried, seconds=state.elapsed) for one in outcome.found]
        kinds = [state.finds.add(one) for one in found]
        del state.pending[0]
        state.round += not state.pending
        for kind, one in zip(kinds, found, strict=True):
            if kind:
                self._tell(kind, one)
        self._tell("progress")

    def _tell(self, kind: str, found: Found | None = None) -> None:
        if self._listener is not None:
            self._listener(Event(kind, self.state, found))


def _in_turn(of_each: list[list[tuple[str, Unit]]]) -> Iterator[tuple[str, Unit]]:
    """Yield the units of all strategies, so that each has its share from the beginning."""
    places = [
        (k / len(units), number, pair)
        for number, units in enumerate(of_each)
        for k, pair in enumerate(units)
    ]
    for _, _, pair in sorted(places, key=lambda place: place[:2]):
        yield pair


_room: Workroom | None = None
"""The workroom of a worker process."""


def _open(room: Workroom) -> None:
    global _room
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the process that waits
    _room = room


def _done(unit: Unit) -> Outcome:
    assert _room is not None
    return unit.run(_room)


class _Workers:
    """The processes that do the units. A count of 1 means this process alone."""

    def __init__(self, room: Workroom, count: int) -> None:
        self._room = room
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Workers:
        if self._count > 1:
            self._pool = ProcessPoolExecutor(
                self._count, get_context("spawn"), initializer=_open, initargs=(self._room,)
            )
        return self

    def __exit__(self, *raised: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=raised[0] is None, cancel_futures=True)

    def outcomes(self, units: list[Unit]) -> Iterator[Outcome]:
        """Yield the units' outcomes, in order. Units not begun at the deadline are left."""
        if self._pool is None:
            for unit in units:
                if self._room.late:
                    return
                yield unit.run(self._room)
            return
        futures = [self._pool.submit(_done, unit) for unit in units]
        try:
            for future in futures:
                if self._room.late:
                    self._cancel(futures)
                if future.cancelled():
                    return
                yield future.result()
        finally:
            self._cancel(futures)

    def _cancel(self, futures: list[Future[Outcome]]) -> None:
        for future in futures:
            future.cancel()

    def bytes_in_use(self) -> int:
        """Add up the memory of this process and of those that it has begun."""
        own = psutil.Process()
        total = 0
        for process in [own, *own.children(recursive=True)]:
            try:
                total += process.memory_info().rss
            except psutil.Error:
                continue
        return total
