"""The charges of primitives: samples and numbers that a call builds or walks through."""

from __future__ import annotations

from typing import Any

from megabatt.runtime.core.charges import count
from megabatt.runtime.engine.columns import Lists
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.charges import Measure
from megabatt.runtime.signal.layouts.sampled import Sampled
from megabatt.runtime.signal.parameters import MOST_SAMPLES, PARAMETERS, PLACES, samples_of

__all__ = ["count", "duration", "length"]


@Measure
def duration(parameters: Any) -> int:
    """Count the samples of a signal of these parameters."""
    return samples_of(parameters)


@duration.for_columns
def duration(parameters: Lists) -> Array:
    """Do `duration` for columns; 0 for parameters that no signal may have."""
    data = parameters.content.data  # type: ignore[attr-defined]
    rates, lengths = (
        data[parameters.starts + PLACES[name]] for name in ("sample_rate_hz", "duration_ms")
    )
    right = (rates >= PARAMETERS["sample_rate_hz"].least) & (
        rates <= PARAMETERS["sample_rate_hz"].most
    )
    right &= (lengths >= PARAMETERS["duration_ms"].least) & (
        lengths <= PARAMETERS["duration_ms"].most
    )
    counts = xp.floor(xp.where(right, rates * lengths, 0.0) / 1000.0 + 0.5)
    right &= (counts >= 1) & (counts <= MOST_SAMPLES)
    return xp.where(right, counts, 0).astype(xp.int64)


@Measure
def length(sampled: Any) -> int:
    """Count the samples of a signal, or the bins of a spectrum."""
    return len(sampled[1])


@length.for_columns
def length(sampled: Sampled) -> Array:
    return sampled.counts
