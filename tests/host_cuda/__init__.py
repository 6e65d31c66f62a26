"""A CUDA device that is the host's CPU: it lets CuPy run as it is where there is no GPU.

    python -m tests.host_cuda FOLDER
    PYTHONPATH=FOLDER python run_batt.py verify --device cuda

The first line builds it (`build`) from CuPy's own source and `driver.cpp`, which does the work of
the part of CUDA that CuPy uses. The machine's C++ compiler compiles the kernels, CuPy's and ours,
behind `include/device.h`. With FOLDER on the path every Python process has such a device. The
variables that `driver.cpp` names give it less memory, or several devices, or have it break. It
finds wrong uses of CuPy. It measures how long the host takes (`benchmarks.host`) and how far
threads walk (`benchmarks.threads`). It says nothing about how fast a GPU is.
"""
