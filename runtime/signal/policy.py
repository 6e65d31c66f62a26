"""The language's policy for columns: signals and spectra have layouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.signal.layouts.sampled import layout_of


@dataclass(frozen=True)
class SignalPolicy(Policy):
    """A step and samples make a signal or a spectrum; an operation may build 2**24 samples."""

    has_complex: bool = False
    max_elements: int = 1 << 24

    def layout_of(self, value: tuple[Any, ...]) -> Any:
        return layout_of(value)
