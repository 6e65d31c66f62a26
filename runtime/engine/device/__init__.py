"""Where columns live and kernels run: one device at a time, the CPU or a GPU.

device       the device in use, its array namespace `xp`, the way back to the host
arrays       array idioms that NumPy and CuPy spell differently, or lack
kernels      loops over one lane, compiled; teams: threads that work on one lane together
fourier      Fourier transforms of many rows
reals        functions of float64 for kernels
room         how much an operation may lay out at once
scheduling   numbers asked of the device; tasks that wait for them together
cuda         the same kernels on CUDA; cuda_text: the CUDA C++ written by hand
"""
