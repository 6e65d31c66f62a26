"""What is told of compiling: what has been compiled, how long it took, that nothing can be kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import current_process

log = logging.getLogger("megabatt.kernels")

_listeners: list[Callable[[str], None]] = []


@contextmanager
def on_compiled(listener: Callable[[str], None]) -> Iterator[None]:
    """Tell `listener`, while this is entered, the name of each kernel that has been compiled.

    Only the first of those that are entered is told.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def is_listened_to() -> bool:
    """Tell whether there is a listener."""
    return bool(_listeners)


def tell_compiled(name: str) -> None:
    """Tell the listener, if there is one, what has been compiled."""
    for listener in _listeners[:1]:
        listener(name)


_expected: set[object] = set()


@contextmanager
def expecting(wanted: set[object]) -> Iterator[None]:
    """Have some functions count, while this is entered, as still to be compiled or loaded."""
    global _expected
    before = _expected
    _expected = before | wanted
    try:
        yield
    finally:
        _expected = before


def made_ready(function: object) -> None:
    """Count a function no longer as one that is still to be compiled or loaded."""
    _expected.discard(function)


def still_expected() -> int:
    """Return how many functions are still to be compiled or loaded, as far as is known."""
    return len(_expected)


_making_ready = 0.0


def seconds_making_ready() -> float:
    """Return the seconds that this process has spent on loading and compiling what is kept."""
    return _making_ready


@contextmanager
def making_ready() -> Iterator[None]:
    """Count the seconds while this is entered among those of `seconds_making_ready`."""
    began = time.perf_counter()
    try:
        yield
    finally:
        add_making_ready(time.perf_counter() - began)


def add_making_ready(seconds: float) -> None:
    """Count seconds among those of `seconds_making_ready`."""
    global _making_ready
    _making_ready += seconds


@lru_cache
def say_that_nothing_is_kept() -> None:
    """Warn, once, that there is no folder to keep what is compiled in."""
    if current_process().name == "MainProcess":  # and not each worker
        log.warning(
            "compiled kernels cannot be kept, so that every process compiles them again: neither "
            "megabatt's own folder nor the user's cache can be written; set NUMBA_CACHE_DIR to a "
            "folder that can"
        )
