"""Reports on compiling: to listeners, in seconds, and a warning if no code can be kept."""

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
    """Call `listener`, while entered as the outermost, with the name of each compiled kernel."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell_compiled(name: str) -> None:
    """Call the outermost listener, if any, with the name of a compiled kernel."""
    for listener in _listeners[:1]:
        listener(name)


_expected = 0


@contextmanager
def expecting(functions: int) -> Iterator[None]:
    """Count some functions, while entered, as still to be compiled or loaded."""
    global _expected
    _expected += functions
    try:
        yield
    finally:
        _expected -= functions


def still_expected() -> int:
    """Return the number of functions still to be compiled or loaded, as far as known."""
    return _expected


_making_ready = 0.0


def seconds_making_ready() -> float:
    """Return the seconds that this process has spent on compiling and loading functions."""
    return _making_ready


@contextmanager
def making_ready() -> Iterator[None]:
    """Add the seconds while entered to `seconds_making_ready`."""
    began = time.perf_counter()
    try:
        yield
    finally:
        add_making_ready(time.perf_counter() - began)


def add_making_ready(seconds: float) -> None:
    global _making_ready
    _making_ready += seconds


@lru_cache
def say_that_nothing_is_kept() -> None:
    """Warn, once, that there is no folder for compiled code."""
    if current_process().name == "MainProcess":  # and not each worker
        log.warning(
            "compiled kernels cannot be kept, so that every process compiles them again: neither "
            "megabatt's own folder nor the user's cache can be written; set NUMBA_CACHE_DIR to a "
            "folder that can"
        )
