"""Discrete Fourier transforms of many rows at once, on the device in use: SciPy's, or cuFFT's.

Rows are transformed as each would be alone. Single precision stays single.
"""

from __future__ import annotations

from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import current


def transformed(rows: Array) -> Array:
    """Return the transform of every row of a complex array (rows, points)."""
    return current().fourier.fft(rows, axis=-1)


def transformed_reals(rows: Array) -> Array:
    """Return the first half of every real row's transform: (rows, points // 2 + 1)."""
    return current().fourier.rfft(rows, axis=-1)
