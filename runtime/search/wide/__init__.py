"""Many programs on one sample of each of many tasks.

wide       the samples, and what runs programs on them
loaded     programs as the operations of a graph
machine    all operations on one sample after the other
"""
