"""Many random numbers of one stream at once, for the scalar forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.signal import philox

LANE_DRAWS = 64
"""The number of draws at a stream's beginning, for the whole lane; draws for samples follow."""

FIRST_BLOCK = LANE_DRAWS // 4

Floats = np.ndarray[Any, np.dtype[np.float64]]


def uniforms_of(key: tuple[int, int, int], site: int, each: int) -> list[float]:
    """Draw the first numbers of a stream, for the lane as a whole; at most LANE_DRAWS."""
    return philox.uniform(*key, site, np.arange(each)).tolist()  # type: ignore[no-any-return]


def sample_uniforms(key: tuple[int, int, int], site: int, count: int) -> Floats:
    """Draw uniform numbers for samples; float64 (count,)."""
    words = _words(key, site, -(-count // 4))
    return ((words + 0.5) * 2.0**-32)[:count]  # type: ignore[no-any-return]


def sample_normals(key: tuple[int, int, int], site: int, count: int) -> Floats:
    """Draw numbers of the standard normal distribution for samples; float64 (count,)."""
    words = _words(key, site, -(-count // 4))
    uniform = (words + 0.5) * 2.0**-32
    radius, angle = np.sqrt(-2.0 * np.log(uniform[0::2])), 2.0 * np.pi * uniform[1::2]
    drawn = np.empty(len(words))
    drawn[0::2], drawn[1::2] = radius * np.cos(angle), radius * np.sin(angle)
    return drawn[:count]


def _words(key: tuple[int, int, int], site: int, blocks: int) -> Any:
    numbers = np.arange(FIRST_BLOCK, FIRST_BLOCK + blocks, dtype=np.uint64)
    return np.stack(philox.block(*key, site, numbers), axis=1).ravel()
