"""A program's operations side by side, each begun as soon as its arguments are there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from megabatt.runtime.engine.device.scheduling import Tasks


class Target:
    """What a variable of the program holds: a column, and the operations that it came from.

    made: the `Column` or `WordColumn`, None until the operation has run; source: the number of the
    operation, or the name of an input; cone: a bit for every operation that had a part in it (bit n
    for operation n); waiting: the operations that need the column to begin.
    """

    __slots__ = ("made", "source", "cone", "waiting")

    def __init__(self, made: Any, source: int | str, cone: int) -> None:
        self.made = made
        self.source = source
        self.cone = cone
        self.waiting: list[Pending] = []

    @property
    def column(self) -> Any:
        assert self.made is not None, "the operation has not run"
        return self.made


class Pending:
    """An operation that is to run: its target, and how many arguments it still lacks."""

    __slots__ = ("target", "function", "args", "lacks")

    def __init__(self, target: Target, function: Any, args: tuple[Any, ...]) -> None:
        self.target = target
        self.function = function
        self.args = args
        self.lacks = 0


_SIDE_BY_SIDE = 128
"""How many operations may be unfinished at a time. With four times as many a batch takes a fifth
more memory, and hardly waits less often."""


class SideBySide:
    """Operations that run as tasks.

    run: makes a target's column, from a function and its arguments, whose columns are made.
    """

    def __init__(self, run: Callable[[Target, Any, tuple[Any, ...]], None]) -> None:
        self._run = run
        self._tasks = Tasks()
        self._unfinished = 0

    def add(self, target: Target, function: Any, args: tuple[Any, ...]) -> None:
        """Have an operation run once its arguments are there. Waits while too many are unfinished.

        Unfinished operations hold memory, so their number is bounded.
        """
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
        """Run all operations to their end."""
        while self._tasks.step():
            pass

    def _work(self, pending: Pending) -> None:
        target = pending.target
        self._run(target, pending.function, pending.args)
        pending.function, pending.args = None, ()  # so that what they hold can be freed
        self._unfinished -= 1
        waiting, target.waiting = target.waiting, []
        for other in waiting:
            other.lacks -= 1
            if not other.lacks:
                self._tasks.start(partial(self._work, other))
