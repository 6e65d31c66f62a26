"""Measures times.

bench      times both forms in one run
sweep      times batch sizes on every device
"""
