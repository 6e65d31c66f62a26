"""Devices, on which columns are stored and kernels run: the CPU or a GPU.

device       the device in use: its array namespace `xp`, launches, transfers and limits
arrays       array functions that NumPy and CuPy spell differently, or lack
kernels      loops over one lane, compiled; teams: threads that work on one lane together
by_numba     compiles kernels for the CPU; compiling: reports on it; spelling: the keys of caches
reals        functions of float64 for kernels
scheduling   reads numbers from the device; tasks that wait together
cuda         the same kernels on CUDA; cuda_text: the CUDA C++ written by hand
"""
