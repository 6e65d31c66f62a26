"""Says why the first evaluation on a machine takes so long: it compiles what programs use."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from megabatt.runtime.engine.device.compiling import on_compiled

log = logging.getLogger("megabatt.evaluation")

_PATIENCE = 1.0
"""Seconds of an evaluation after which it says that it compiles."""

_MESSAGE = (
    "megabatt compiles what the programs use; it takes up to a minute, once on this machine. "
    "`megabatt warm-up` does it ahead."
)
_told = False


@contextmanager
def telling_of_compilation() -> Iterator[None]:
    """Say once that things are compiled, when the work done while this is entered takes long.

    The message goes to a terminal or a notebook, else to the log.
    """
    began = time.monotonic()

    def listener(name: str) -> None:
        global _told
        if not _told and time.monotonic() - began > _PATIENCE:
            _told = True
            _say(_MESSAGE)

    with on_compiled(listener):
        yield


def _say(message: str) -> None:
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(message, file=sys.stderr)
    else:
        log.info(message)
