"""The engine: a language, what runs its programs on the machine or on columns, devices.

language/        what a language is: primitives, types, charges, policy, limits, plain values
device/          arrays, kernels, teams, scheduling, CUDA
columns/         one value for every lane, in a layout a class; primitives on columns
machine/         operations on one lane at a time, in functions that LLVM compiles
executor/        operations of programs, equal ones once, made on the machine or on columns
memory           what memory there is
"""

from __future__ import annotations

from megabatt.runtime.engine.executor.vectorized import BatchInputs, Results, Vectorized
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.language.sequential import Sequential

__all__ = ["MAX_ELEMENTS", "BatchInputs", "Results", "Sequential", "Vectorized"]
