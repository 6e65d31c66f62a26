"""The engine: columns, lane kernels, the primitive registry. Knows nothing of ARC.

values, limits       plain values: order, weight, functions; the element budget
registry             primitives, their declared types and rules: a language
columns/, encode     one value for every lane, in a layout a class; values into columns
arrays, kernels      the array namespace; loops over one lane, compiled
ordering, equality   what is asked of columns of any layout
frames, dispatch     calls on columns: failure flags, budgets, unions, the host fallback
"""
