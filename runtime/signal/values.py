"""Signals and spectra as plain values: tuples of a step and a read-only array."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.engine.language.values import frozen

Signal = tuple[float, np.ndarray[Any, Any]]


def signal_of(rate: float, samples: Any) -> Signal:
    """Make a signal of samples. Raises ValueError without samples, and unless all are finite."""
    return _sampled(rate, np.array(samples, dtype=np.complex64))


def spectrum_of(distance: float, bins: Any) -> Signal:
    """Make a spectrum of bins. Raises ValueError without bins, and unless all are finite."""
    return _sampled(distance, np.array(bins, dtype=np.float32))


def _sampled(step: float, samples: np.ndarray[Any, Any]) -> Signal:
    if not len(samples) or not np.all(np.isfinite(samples)):
        raise ValueError("samples must be finite, and at least one")
    return float(step), frozen(samples)


def wide(signal: Signal) -> np.ndarray[Any, Any]:
    """Return the samples as complex128, for computing."""
    return np.asarray(signal[1], dtype=np.complex128)


def phasors(turns: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return complex numbers of size 1 and of these angles; whole turns round nothing."""
    return np.exp(2j * np.pi * (turns - np.floor(turns)))  # type: ignore[no-any-return]


def mean_power(signal: Signal) -> float:
    """Return the mean of the squares of the samples, in mW."""
    samples = wide(signal)
    return float(np.mean(samples.real**2 + samples.imag**2))
