"""A CUDA device that is the host's CPU: unchanged CuPy runs on it without a GPU.

    python -m tests.host_cuda FOLDER
    PYTHONPATH=FOLDER python run_batt.py verify --device cuda

The first line builds the device (`build`) from CuPy's own source and `driver.cpp`, which does the
work of the part of CUDA that CuPy uses. The machine's C++ compiler compiles the kernels, CuPy's and
ours, behind `include/device.h`. With FOLDER on the path every Python process has such a device. The
variables that `driver.cpp` names set its memory, the number of devices, or when it breaks. The
device finds wrong uses of CuPy, and measures the host's time (`benchmarks.host`) and the length of
threads (`benchmarks.threads`). It says nothing about the speed of a GPU.
"""
