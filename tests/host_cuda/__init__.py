"""A CUDA device that is the host's CPU: it lets CuPy run as it is where there is no GPU.

    python -m tests.host_cuda FOLDER
    PYTHONPATH=FOLDER python run_batt.py verify --device cuda

The first line builds it (`build`), from CuPy's own source and `driver.cpp`, which does what the
part of CUDA that CuPy uses would do; the kernels, CuPy's and ours, are compiled by the machine's
C++ compiler, behind `include/device.h`. With FOLDER on the path every Python process has such a
device. The variables that `driver.cpp` names give it less memory, or several devices, or have it
break. It finds what is wrong with how CuPy is used, how long the host takes (`benchmarks.host`),
and how far threads walk (`benchmarks.threads`); it says nothing about how fast a GPU is.
"""
