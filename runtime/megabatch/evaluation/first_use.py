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

COMPILING = "compiling, once on this machine"

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
            _say(progress_of_compiling(compiled, seconds_making_ready() - before))

    with on_compiled(listener):
        yield


def _say(progress: str) -> None:
    message = f"megabatt: {progress} (`megabatt warm-up` does it ahead)"
    print(message, file=sys.stderr)
    log.info(message)


def progress_of_compiling(compiled: int, seconds: float) -> str:
    """Say how many functions are compiled and how many are left. seconds: The seconds so far."""
    left = still_expected()
    if not left:
        return f"{COMPILING}: {counted(compiled, 'function')}"
    longest = max(left * seconds / compiled, 1)
    most = counted(compiled + left, "function")
    return f"{COMPILING}: {compiled} of at most {most}, about {longest:.0f} s left"
