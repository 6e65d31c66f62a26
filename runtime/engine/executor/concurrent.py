"""Runs a program's operations side by side, each as soon as its arguments are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from megabatt.runtime.engine.device.scheduling import Tasks


@dataclass(slots=True, eq=False)
class Target:
    """The value of a variable of the program: a column, and the operations that it depends on.

    source: The number of the operation, or the name of an input. cone: Bit n is set if it depends
    on operation n. made: The `Column` or `WordColumn`; None until the operation has run. waiting:
    The operations that wait for the column.
    """

    source: int | str
    cone: int = 0
    made: Any = None
    waiting: list[Pending] = field(default_factory=list)

    @property
    def column(self) -> Any:
        assert self.made is not None, "the operation has not run"
        return self.made


@dataclass(slots=True, eq=False)
class Pending:
    """A pending operation: its target, and the number of missing arguments."""

    target: Target
    function: Any
    args: tuple[Any, ...]
    lacks: int = 0


_SIDE_BY_SIDE = 128
"""The most unfinished operations at a time. Four times as many would take a fifth more memory, and
hardly wait less often."""


class SideBySide:
    """Operations that run as tasks.

    run: Makes a target's column from a function and its arguments' columns.
    """

    def __init__(self, run: Callable[[Target, Any, tuple[Any, ...]], None]) -> None:
        self._run = run
        self._tasks = Tasks()
        self._unfinished = 0

    def add(self, target: Target, function: Any, args: tuple[Any, ...]) -> None:
        """Run an operation once its arguments are there. Waits while too many hold memory."""
        pending = Pending(target, function, args)
        for value in (function, *args):
            if isinstance(value, Target) and value.made is None:
                value.waiting.append(pending)
                pending.lacks += 1
        self._unfinished += 1
        if not pending.lacks:
            self._tasks.start(partial(self._work, pending))
        while self._unfinished >= _SIDE_BY_SIDE:
            self._tasks.step()

    def finish(self) -> None:
        while self._tasks.step():
            pass

    def _work(self, pending: Pending) -> None:
        target = pending.target
        self._run(target, pending.function, pending.args)
        pending.function, pending.args = None, ()  # frees their columns
        self._unfinished -= 1
        waiting, target.waiting = target.waiting, []
        for other in waiting:
            other.lacks -= 1
            if not other.lacks:
                self._tasks.start(partial(self._work, other))
