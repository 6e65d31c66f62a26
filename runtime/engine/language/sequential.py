"""Runs a program's sequential form: one sample, operation by operation."""

from __future__ import annotations

import _signal  # signal.getsignal takes twenty times as long
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from megabatt.runtime.engine.language.limits import SHORTAGES, budget
from megabatt.runtime.engine.language.reasons import Reason, detail_of
from megabatt.runtime.engine.language.registry import Language


class Sequential:
    """The failures of one sample's run, and the budget of the current operation.

    log_path: A file that gets a line for each failure: key, operation, error.

    Enter the object for the run. Its exit closes the log, and restores the policy and the limit.
    """

    def __init__(
        self,
        language: Language,
        key: str,
        log_path: str | Path | None = None,
        max_elements: int | None = None,
    ) -> None:
        self._policy = language.in_use()
        self.key = key
        self.log_path = log_path
        self.max_elements = language.max_elements if max_elements is None else max_elements
        self.number = 0
        self.failed: dict[int, Reason] = {}
        self._log: TextIO | None = None

    def __enter__(self) -> Sequential:
        self._policy.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._policy.__exit__(None, None, None)
        budget.begin()
        if self._log is not None:
            self._log.close()

    def start(self, number: int) -> None:
        """Begin operation `number`, with a fresh budget."""
        self.number = number
        budget.begin(self.max_elements)

    def fail(self, error: Exception, default: Any) -> Any:
        """Record that the current operation has failed, and return its safe default.

        Raises `error` again if it is no failure: one of `SHORTAGES` or a signal handler's.
        """
        if isinstance(error, SHORTAGES) or raised_by_handler(error):
            raise error
        self.failed[self.number] = reason = Reason.of(error)
        if self.log_path is not None:
            if self._log is None:
                self._log = open(self.log_path, "a", encoding="utf-8")
            self._log.write(f"{self.key}\toperation {self.number}\t{reason}: {detail_of(error)}\n")
        return default

    def finish(self, outputs: dict[str, Any]) -> tuple[dict[str, Any], dict[int, Reason]]:
        """Return the outputs, and the reason of each failed operation, by ascending number."""
        return outputs, self.failed


def attempt(
    function: Callable[..., Any], args: Sequence[Any], limit: int
) -> tuple[Any, Exception | None, int]:
    """Call `function` in its scalar form with a budget of its own.

    Returns the value (None after a failure), the error of the failure or None, and the rest of the
    budget. Raises the errors of `SHORTAGES` and those of signal handlers, which are no failures.
    """
    budget.begin(limit)
    try:
        return function(*args), None, budget.left
    except Exception as error:
        if isinstance(error, SHORTAGES) or raised_by_handler(error):
            raise
        error.__traceback__ = error.__context__ = None  # both keep values alive
        return None, error, budget.left
    finally:
        budget.begin()


_SIGNALS = tuple(map(int, signal.valid_signals()))


def raised_by_handler(error: Exception) -> bool:
    """Tell whether the handler of a signal raised an error, such as a timeout of the caller's.

    Python calls handlers between any two instructions of its main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    handlers = map(_signal.getsignal, _SIGNALS)
    codes = {_code_of(handler) for handler in handlers if callable(handler)}
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))


def _code_of(handler: Any) -> Any:
    """Return the code of a function, a method, a partial function, or an object that is called."""
    while hasattr(handler, "func"):
        handler = handler.func
    return getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
