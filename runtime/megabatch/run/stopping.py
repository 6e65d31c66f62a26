"""Stops a run: on Ctrl-C, on SIGTERM, when time is up, or on request."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ONE_PRESS = 0.5
"""Equal signals within so many seconds count as one: `timeout` sends two at a time."""


class Stop:
    """A request to end a run after the batches under way.

    asked: Whether the request is made. signal: The number of the requesting signal; 0 for none.
    why: The reason of a request without a signal. between_batches: Whether a first signal waits for
    the batches under way; otherwise the signal ends the run at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self.signal = 0
        self.why = ""
        self.between_batches = False

    def ask(self, why: str = "") -> None:
        if not self.asked:
            self.asked, self.why = True, why

    @contextmanager
    def after(self, seconds: float | None) -> Iterator[None]:
        """Ask after `seconds` within the block; never for None."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self.ask, [f"stopped after {seconds:g} seconds"])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @property
    def cause(self) -> str:
        """The reason of the end in a line: Ctrl-C, SIGTERM, or `why`."""
        name = "Ctrl-C" if self.signal == signal.SIGINT else "SIGTERM" if self.signal else ""
        return f"stopped by {name}" if name else self.why or "stopped"

    @property
    def exit_status(self) -> int:
        """The exit status: 130 after Ctrl-C, 143 after SIGTERM, 0 without a signal."""
        return 128 + self.signal if self.signal else 0


@contextmanager
def on_signals(noted: Callable[[], None]) -> Iterator[Stop]:
    """Yield a `Stop` for Ctrl-C and SIGTERM; a second signal raises KeyboardInterrupt.

    noted: Called when a first signal waits for batches. Only the main thread gets signals.
    """
    stop = Stop()
    last = -_ONE_PRESS

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if number == stop.signal and last - before < _ONE_PRESS:
            return
        again, stop.asked, stop.signal = stop.asked, True, number
        if again or not stop.between_batches:
            raise KeyboardInterrupt
        noted()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, old in before.items():
            signal.signal(number, old)
