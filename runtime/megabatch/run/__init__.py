"""Batches over worker processes and devices, their results written, the run summed up.

run            all batches, over worker processes or devices
compute        one batch: computed, compared with what is expected, written (results)
compiling      kernels compiled before the work is shared out; memory: of the process
hardware       the machine's devices, and which a run computes on
on_devices     batches on one GPU (device_worker, device_inputs, writers) or several (parts)
stages         what a batch's time goes to
monitor        the machine's use during a run
report         the tables that a person reads
"""
