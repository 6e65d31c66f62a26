"""Reports compiling, which makes the first evaluations on a machine slow."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from megabatt.runtime.engine.device.compiling import (
    on_compiled,
    seconds_making_ready,
    still_expected,
)
from megabatt.runtime.vocabulary import counted

log = logging.getLogger("megabatt.evaluation")

_PATIENCE = 1.0
"""Seconds from the start of an evaluation to the first line on compiling."""
_AGAIN = 10.0
"""Seconds between two lines on compiling."""


@contextmanager
def telling_of_compilation() -> Iterator[None]:
    """Report, within the block, compiled functions and how many are left, if compiling is slow.

    Lines go to stderr, terminal or not, and to the log.
    """
    next_time = time.monotonic() + _PATIENCE
    compiled, before = 0, seconds_making_ready()

    def listener(name: str) -> None:
        nonlocal compiled, next_time
        compiled += 1
        if time.monotonic() > next_time:
            next_time = time.monotonic() + _AGAIN
            _say(_message(name, (seconds_making_ready() - before) / compiled))

    with on_compiled(listener):
        yield


def _message(name: str, seconds: float) -> str:
    """Return a line on compiling. name: The last function. seconds: The mean for a function."""
    left = still_expected()
    what = name.strip("_")
    message = f"megabatt compiles what the programs use, once on this machine: `{what}` is ready"
    if left:
        longest = max(left * seconds, 1)
        message += f", {counted(left, 'function')} left, about {longest:.0f} s at most"
    return f"{message} (`megabatt warm-up` does it ahead)"


def _say(message: str) -> None:
    print(message, file=sys.stderr)
    log.info(message)
