"""Reads numbers from the device, in tasks that wait together.

A rule needs, for example, the size of its results, or whether any lane has failed. The host then
waits until the device has finished all earlier launches, and the device is idle until the next
launch. If waiting is expensive, independent operations run as tasks: a task that asks is
suspended, and once all tasks have asked or ended, the host waits once for all answers.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from greenlet import greenlet

from megabatt.runtime.engine.device.device import FIRST, Number, current, room

_SIDE_BY_SIDE = 128
"""The most unfinished operations at a time. More would take more memory, for hardly fewer waits."""

_Tasks = deque[tuple[Any, tuple[int, ...]]]
"""Functions that run in turn, each until it asks: as greenlets, with the answers to go on with."""
_step_aside: Callable[[tuple[Any, Number]], int] | None = None
"""Suspends the running task with its question; None outside of tasks."""


def ask(values: Any, number: Number = FIRST) -> int:
    """Ask the device for a number about an array, by default its first element."""
    if _step_aside is None:
        return current().answers([(values, number)])[0]
    limited, room.limited = room.limited, False
    answer = _step_aside((values, number))
    room.limited = limited
    return answer


def _step(ready: _Tasks) -> bool:
    """Run every task until it asks or ends, then fetch all answers in one transfer.

    Returns whether any task is left. Raises the exception of a task, and abandons the others.
    """
    asking: list[Any] = []
    asked: list[tuple[Any, Number]] = []
    while ready:
        task, answer = ready.popleft()
        question = _run(task, answer)
        if not task.dead:
            asking.append(task)
            asked.append(question)
    if asked:
        ready.extend((task, (n,)) for task, n in zip(asking, current().answers(asked), strict=True))
    return bool(asked)


def _run(task: Any, answer: tuple[int, ...]) -> Any:
    global _step_aside
    _step_aside = task.parent.switch
    try:
        return task.switch(*answer)
    finally:
        _step_aside = None
        room.limited = False


def side_by_side(functions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Call all functions, as tasks if the device answers together. Returns their results."""
    results: list[Any] = [None] * len(functions)

    def run(k: int) -> None:
        results[k] = functions[k]()

    run_in_order(range(len(functions)), lambda _: (), run)
    return results


def run_in_order(
    numbers: Iterable[int], needed: Callable[[int], Iterable[int]], run: Callable[[int], None]
) -> None:
    """Run operations after the operations they need; side by side if the device answers together.

    numbers: The operations; none needs a later one. needed: Returns the numbers of the values that
    an operation needs. At most `_SIDE_BY_SIDE` operations are unfinished at a time.
    """
    if not current().asks_together:
        for number in numbers:
            run(number)
        return
    ready: _Tasks = deque()
    waiting: dict[int, list[int]] = {}  # the operations that need each unfinished one
    lacks: dict[int, int] = {}

    def work(number: int) -> None:
        run(number)
        for other in waiting.pop(number):
            lacks[other] -= 1
            if not lacks[other]:
                start(other)

    def start(number: int) -> None:
        ready.append((greenlet(partial(work, number)), ()))

    for number in numbers:
        missing = waiting.keys() & set(needed(number))
        for other in missing:
            waiting[other].append(number)
        waiting[number], lacks[number] = [], len(missing)
        if not missing:
            start(number)
        while len(waiting) >= _SIDE_BY_SIDE:
            _step(ready)
    while _step(ready):
        pass
