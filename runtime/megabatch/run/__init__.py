"""Runs: computes batches over worker processes and devices, writes results, sums up.

run            runs all batches, over worker processes or devices; job: a run with its folder
compute        computes one batch, compares its outputs, writes its results (results)
compiling      compiles kernels before worker processes start; memory: memory of a process
hardware       the machine's devices, and the choice of a run's devices
on_devices     batches on one GPU (device_worker, device_inputs, writers) or several (parts)
stages         measures the time of a batch, stage by stage
monitor        measures the machine's use during a run
report         progress bars and tables for a person
"""
