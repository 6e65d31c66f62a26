"""The engine: columns, lane kernels, the primitive registry. Knows nothing of ARC.

values, limits       plain values: order, weight, functions; the element budget
registry             primitives, their declared types and rules: a language
devices, transfer    where columns live: CPU or GPU (cuda), its array namespace; the way there
asking, schedule     numbers from the device; operations side by side, that wait for them together
arrays, kernels      array idioms; loops over one lane, compiled
teams                what threads that work on one lane together tell one another
columns/, encode     one value for every lane, in a layout a class; values into columns
ordering, runs, distinct, equality, weights, tuples, plain
                     what is asked of columns of any layout
frames, dispatch     calls on columns: failure flags, budgets, unions, the host fallback
batch, sequential    what the two emitted forms of a program run on
"""

from __future__ import annotations

from runtime.engine.batch import Batch, BatchInputs, Results
from runtime.engine.limits import MAX_ELEMENTS
from runtime.engine.sequential import Sequential

__all__ = ["MAX_ELEMENTS", "Batch", "BatchInputs", "Results", "Sequential"]
