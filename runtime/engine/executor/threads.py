"""Shares work among threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Part = TypeVar("Part")


def share_out(
    workers: Sequence[Callable[[Part], None]], parts: Iterable[Part], stop: Callable[[], None]
) -> None:
    """Share parts of work among workers: the first in this thread, each other in its own.

    Each worker takes one part after another. stop: Makes workers end soon; called if a worker
    raises an exception, which is raised here once all workers have ended.
    """
    left = iter(list(parts))  # threads may share a list's iterator
    raised: list[BaseException] = []

    def work(worker: Callable[[Part], None]) -> None:
        try:
            for part in left:
                if raised:
                    break
                worker(part)
        except BaseException as error:
            raised.append(error)
            stop()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers[1:]]
    try:
        for thread in threads:
            thread.start()
        work(workers[0])
        _join(threads)
    except BaseException as error:  # an interrupt outside of this thread's work
        raised.append(error)
        stop()
        _join(threads)
    if raised:
        try:
            raise raised[0]
        finally:
            raised.clear()  # breaks a cycle that would keep frames alive


def _join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        if thread.ident is not None:
            thread.join()
