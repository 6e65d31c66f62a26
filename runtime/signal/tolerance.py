"""When two results are the same: the tolerance of the language.

Integers, Booleans and keys exactly; Reals within 1e-4 of their size; signals and spectra within
1e-5 of their root mean square; containers element by element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.engine.values import Function, ascending, identical

REALS = 1e-4
SAMPLES = 1e-5
LEAST = 1e-12
"""What Reals may differ by, however small they are."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same within the tolerance."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _samples_near(a, b)
    if a.__class__ is not b.__class__:
        return False
    if a.__class__ is float:
        return _near(a, b)
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
    return abs(a - b) <= max(REALS * max(abs(a), abs(b)), LEAST)


def _samples_near(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc" or np.array_equal(a, b):
        return bool(np.array_equal(a, b))
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    left, right = np.asarray(a, dtype=wide), np.asarray(b, dtype=wide)
    scale = np.sqrt(np.mean(np.abs(left) ** 2))
    return bool(np.all(np.abs(left - right) <= SAMPLES * scale))
