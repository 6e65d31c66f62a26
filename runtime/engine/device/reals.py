"""Functions of float64 for kernels, as Numba compiles them; `cuda_text` has a GPU's forms."""

import numpy as np

from megabatt.runtime.engine.device.kernels import inlined_function


@inlined_function
def quotient(a, b):
    """Return a / b, infinite or NaN for b = 0. Loops without a test of b are faster."""
    return np.divide(a, b)


@inlined_function
def rounded_down(x):
    """Return the greatest integer that is not above x, as a float64."""
    return np.floor(x)


@inlined_function
def square_root(x):
    """Return the square root; NaN below zero."""
    return np.sqrt(x)


@inlined_function
def magnitude(x):
    return abs(x)
