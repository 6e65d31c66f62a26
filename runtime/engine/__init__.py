"""The engine: the machine and its executor, columns, lane kernels, the primitive registry.

values, limits   plain values: order, weight, functions; the element budget
device/          arrays, kernels, teams, scheduling, CUDA
columns/         one value for every lane, in a layout a class
machine/         operations on one lane at a time, in functions that Numba compiles
calls/           registry, frames, dispatch, what both forms run on
executor/        operations of programs by number, made on the machine or on columns
"""

from __future__ import annotations

from megabatt.runtime.engine.calls.sequential import Sequential
from megabatt.runtime.engine.calls.vectorized import BatchInputs, Results, Vectorized
from megabatt.runtime.engine.limits import MAX_ELEMENTS

__all__ = ["MAX_ELEMENTS", "BatchInputs", "Results", "Sequential", "Vectorized"]
