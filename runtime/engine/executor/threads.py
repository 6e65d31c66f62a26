"""Work done by several threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

Part = TypeVar("Part")


def share_out(
    workers: list[Callable[[Part], None]], parts: Iterable[Part], stop: Callable[[], None]
) -> None:
    """Share parts of some work out to workers, the first in this thread, the others in their own.

    A worker that is done with a part takes the next one. stop: makes the workers end soon; it is
    called where one raises an exception, which is raised here once all have ended.
    """
    left = deque(parts)
    raised: list[BaseException] = []

    def work(worker: Callable[[Part], None]) -> None:
        try:
            while not raised and (part := _taken(left)):
                worker(*part)
        except BaseException as error:
            raised.append(error)
            stop()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers[1:]]
    try:
        for thread in threads:
            thread.start()
        work(workers[0])
        _join(threads)
    except BaseException as error:  # this thread was interrupted outside of its work
        raised.append(error)
        stop()
        _join(threads)
    if raised:
        try:
            raise raised[0]
        finally:
            raised.clear()  # an error that holds itself would hold all that its frames hold


def _taken(left: deque[Part]) -> list[Part]:
    """Take the first part, if there is one left."""
    try:
        return [left.popleft()]
    except IndexError:
        return []


def _join(threads: list[threading.Thread]) -> None:
    """Wait for threads to end, those that were started."""
    for thread in threads:
        if thread.ident is not None:
            thread.join()
