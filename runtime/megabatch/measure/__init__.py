"""Times: both forms in one run, and batch sizes on every device.

bench      both forms timed in one run
sweep      batch sizes timed on every device
"""
