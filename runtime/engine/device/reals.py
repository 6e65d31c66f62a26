"""Functions of float64 that kernels may call, in the form that Numba compiles.

A GPU's forms stand under the same names in `cuda_text`.
"""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.device.kernels import inlined_function


@inlined_function
def quotient(a, b):
    """a / b, infinite or NaN for b = 0: a loop in which nothing is looked for is faster."""
    return np.divide(a, b)


@inlined_function
def rounded_down(x):
    """The greatest integer that is not above x, as a float64."""
    return np.floor(x)


@inlined_function
def square_root(x):
    """The square root; NaN below zero."""
    return np.sqrt(x)


@inlined_function
def magnitude(x):
    """The absolute value."""
    return abs(x)
