"""The engine: languages, executors of their programs on the machine or on columns, devices.

language/        what every language has: primitives, types, charges, policy, limits, values
device/          arrays, kernels, teams, scheduling, CUDA
columns/         layouts of one value for every lane; primitives on columns
machine/         values as words, and compiled functions on them
executor/        runs merged operations of programs, on the machine or on columns
"""

from megabatt.runtime.engine.executor.program import BatchInputs, Results, Vectorized
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.language.sequential import Sequential

__all__ = ["MAX_ELEMENTS", "BatchInputs", "Results", "Sequential", "Vectorized"]
