"""Devices, on which columns are stored and kernels run: the CPU or a GPU."""
