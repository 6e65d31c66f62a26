"""The engine: languages, executors of their programs on the machine or on columns, devices."""

from megabatt.runtime.engine.executor.program import BatchInputs, Results, Vectorized
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.language.sequential import Sequential

__all__ = ["MAX_ELEMENTS", "BatchInputs", "Results", "Sequential", "Vectorized"]
