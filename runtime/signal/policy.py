"""What the language says of columns: signals and spectra have layouts, and count their samples."""

from __future__ import annotations

from dataclasses import dataclass

from megabatt.runtime.engine.policy import Policy


@dataclass(frozen=True)
class SignalPolicy(Policy):
    """Signals and spectra are tuples with a layout of their own."""

    numbers: tuple[type, ...] = (bool, int, float)
    max_elements: int = 1 << 24
