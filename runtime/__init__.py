"""The runtime: everything that generated code needs.

engine/     columns, lane kernels, the primitive registry; knows nothing of ARC
core/       combinators and container primitives, which any language includes
arc/        the grid language: types, constants and primitives, a family a file
megabatch/  samples, batches, devices, results
"""
