"""The runtime: everything that generated code needs.

engine/     columns, lane kernels, the primitive registry; knows nothing of ARC
arc/        the language: types, constants and primitives, a family a file
megabatch/  samples, batches, devices, fallback, results
"""
