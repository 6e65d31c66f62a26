"""The engine: columns, lane kernels, the primitive registry.

values, limits   plain values: order, weight, functions; the element budget
device/          arrays, kernels, teams, scheduling, CUDA
columns/         one value for every lane, in a layout a class
sets/            order within lanes, distinct elements, sets made and merged
calls/           registry, frames, dispatch, batch, the sequential form
"""

from __future__ import annotations

from megabatt.runtime.engine.calls.batch import Batch, BatchInputs, Results
from megabatt.runtime.engine.calls.sequential import Sequential
from megabatt.runtime.engine.limits import MAX_ELEMENTS

__all__ = ["MAX_ELEMENTS", "Batch", "BatchInputs", "Results", "Sequential"]
