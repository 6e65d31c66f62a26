"""The tolerance of the language: when two results are the same.

Integers, Booleans and keys are the same exactly; Reals within 1e-4 of their size; signals within
1e-5 of their root mean square; bins of spectra within 1e-4 of their size plus 1e-5 of their root
mean square; containers element by element.

The features of one signal, or of several put together, have a tolerance of their own. A deviation
has its feature's tolerance: where all chunks are alike, the deviation is only rounding. A frequency
has the greatest frequency's tolerance: a centroid near 0 is a sum of bins that cancel, and has the
bins' rounding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from megabatt.runtime.engine.language.values import Function, ascending, identical
from megabatt.runtime.signal.constants import FEATURES, STATISTICS

REALS = 1e-4
SAMPLES = 1e-5
_FREQUENCIES = [
    FEATURES.index(f"{name}_hz")
    for name in ("frequency_offset", "bandwidth", "peak", "centroid", "roll_off")
]
LEAST = 1e-12
"""The least tolerance of Reals, however small the Reals are."""


def same(a: Any, b: Any) -> bool:
    """Tell whether two values are the same within the tolerance."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _samples_near(a, b)
    if a.__class__ is not b.__class__:
        return False
    if a.__class__ is float:
        return _near(a, b)
    if a.__class__ is tuple and _are_features(a) and _are_features(b):
        return _features_near(np.array(a), np.array(b))
    if a.__class__ is tuple:
        return len(a) == len(b) and all(map(same, a, b))
    if a.__class__ is frozenset:
        return len(a) == len(b) and all(map(same, ascending(a), ascending(b)))
    if isinstance(a, Function):
        return a.arity == b.arity and len(a.args) == len(b.args) and all(map(same, a.args, b.args))
    return identical(a, b)


def _near(a: float, b: float) -> bool:
    if a == b or (a != a and b != b):
        return True
    return abs(a - b) <= max(REALS * max(abs(a), abs(b)), LEAST) < math.inf


def _are_features(value: tuple[Any, ...]) -> bool:
    each = len(FEATURES) * len(STATISTICS)
    return len(value) > 0 and len(value) % each == 0 and set(map(type, value)) == {float}


@np.errstate(invalid="ignore")
def _features_near(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    rows = np.stack([a, b]).reshape(2, -1, len(STATISTICS), len(FEATURES))
    sizes = _sizes(rows).max(axis=(0, 2), keepdims=True)[0]
    sizes[..., _FREQUENCIES] = sizes[..., _FREQUENCIES].max(axis=-1, keepdims=True)
    return _all_near(rows[0], rows[1], np.maximum(REALS * sizes, LEAST))


@np.errstate(invalid="ignore")
def _samples_near(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc" or np.array_equal(a, b):
        return bool(np.array_equal(a, b))
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    left, right = np.asarray(a, dtype=wide), np.asarray(b, dtype=wide)
    sizes = _sizes(left)
    scale = np.sqrt(np.mean(sizes**2))
    allowed = SAMPLES * scale + (0.0 if a.dtype.kind == "c" else REALS * sizes)
    return _all_near(left, right, allowed)


def _sizes(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the size of each number; 0 if it is infinite or NaN, which allows no tolerance."""
    return np.where(np.isfinite(numbers), np.abs(numbers), 0.0)


def _all_near(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any], allowed: Any) -> bool:
    equal = (left == right) | (np.isnan(left) & np.isnan(right))
    return bool(np.all(equal | (np.abs(left - right) <= allowed)))
