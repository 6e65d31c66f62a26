"""Reads items ahead of their use, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")


def read_ahead(items: Callable[[], Iterator[T]], ahead: int = 1) -> Iterator[T]:
    """Yield the items of `items`, which a thread makes up to `ahead` items ahead.

    An error of `items` is raised here, after the items before the error. The thread ends with this
    iterator.
    """
    made: Queue[tuple[T | None, BaseException | None]] = Queue(ahead)
    stopped = Event()

    def put(item: T | None, error: BaseException | None = None) -> bool:
        while not stopped.is_set():
            try:
                made.put((item, error), timeout=0.1)
            except Full:
                continue
            return True
        return False

    def make() -> None:
        try:
            for item in items():
                if not put(item):
                    return
            put(None)
        except BaseException as error:  # raised again for the consumer
            put(None, error)

    thread = Thread(target=make, name="read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = made.get()
            if error is not None:
                raise error
            if item is None:
                return
            yield item
    finally:
        stopped.set()
        thread.join()
