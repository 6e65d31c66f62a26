"""A run's folder as one HTML page, which needs nothing from elsewhere.

folder      the folder read again
programs    what solvers call, where it failed and how long it took
numbers     how numbers are distributed
page        the page, with what a workload adds to it
"""
