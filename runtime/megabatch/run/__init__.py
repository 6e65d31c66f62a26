"""Runs: batches over worker processes and devices, results written, and a summary.

run            all batches, over worker processes or devices; job: a run with its folder
compute        one batch: computed, compared with what is expected, written (results)
compiling      compiles kernels before worker processes start; memory: of the process
hardware       the machine's devices, and the choice of those that a run uses
on_devices     batches on one GPU (device_worker, device_inputs, writers) or several (parts)
stages         the time of a batch, stage by stage
monitor        the machine's use during a run
report         progress bars and tables for a person
"""
