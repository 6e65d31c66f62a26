"""The language's policy for columns: signals and spectra have layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.policy import Policy
from megabatt.runtime.signal.layouts.sampled import layout_of, tuples_of


@dataclass(frozen=True)
class SignalPolicy(Policy):
    """A step and samples make a signal or a spectrum; an operation may build 2**24 samples."""

    numbers: tuple[type, ...] = (bool, int, float)
    max_elements: int = 1 << 24

    def layout_of(self, value: tuple[Any, ...]) -> Any:
        return layout_of(value)

    def tuples_of(self, fields: Sequence[Column]) -> Column | None:
        return tuples_of(fields)
