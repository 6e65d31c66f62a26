"""Asking a run to stop: by Ctrl-C, by SIGTERM, or by who watches its progress."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Whether a run is to end once the batches under way are done.

    signal: the number of the signal that asked, 0 for none; why: the reason where no signal asked;
    between_batches: whether batches are under way, so that a first signal waits for them. Where
    none are it ends the run at once.
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
        """Ask once so many seconds have passed within the block; never where they are None."""
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
    def exit_status(self) -> int:
        """What the process ends with: 130 after Ctrl-C, 143 after SIGTERM, 0 when time is up."""
        return 128 + self.signal if self.signal else 0


@contextmanager
def on_signals(noted: Callable[[], None]) -> Iterator[Stop]:
    """Yield a `Stop` that Ctrl-C and SIGTERM ask for; a second one raises KeyboardInterrupt.

    noted: called when a first one has to wait for batches. Signals are sent to the main thread
    alone: in any other nothing asks.
    """
    stop = Stop()

    def handler(number: int, frame: FrameType | None) -> None:
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
