"""What a program's sequential form runs on: one sample, an operation after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO

from runtime.engine.limits import MAX_ELEMENTS, UNLIMITED, budget


class Sequential:
    """The failures of one sample's run, and the budget of the operation under way.

    log_path: a file that a line is appended to for each failure: task, operation, error.
    """

    def __init__(
        self, task_id: str, log_path: str | Path | None = None, max_elements: int = MAX_ELEMENTS
    ) -> None:
        self.task_id = task_id
        self.log_path = log_path
        self.max_elements = max_elements
        self.number = 0
        self.failed: list[int] = []
        self._log: TextIO | None = None

    def start(self, number: int) -> None:
        """Begin operation `number`, with a fresh budget."""
        self.number = number
        budget.left = self.max_elements

    def fail(self, error: Exception, default: Any) -> Any:
        """Record that the operation under way has failed; returns its safe default."""
        self.failed.append(self.number)
        if self.log_path is not None:
            if self._log is None:
                self._log = open(self.log_path, "a", encoding="utf-8")
            message = " ".join(str(error).split())
            self._log.write(
                f"{self.task_id}\toperation {self.number}\t{type(error).__name__}: {message}\n"
            )
        return default

    def finish(self, outputs: dict[str, Any]) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The run's result: the outputs, and the numbers of the failed operations, ascending."""
        budget.left = UNLIMITED
        if self._log is not None:
            self._log.close()
        return outputs, tuple(self.failed)
