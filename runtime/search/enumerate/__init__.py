"""Bottom-up enumeration of programs by cost. The first of programs with equal outputs is kept.

enumeration    the loop for a task: combinations, calls, new values, right values
combinations   the values that a primitive is called on next, by cost
costs          the cost of each head at each place
functions      the signatures of functions: functions that always fail are left out
seen           the fingerprints of the values made
waiting        candidates called on one sample, until others are built on their values
space          the memory that an enumeration may take
strategy       enumeration as a strategy of a search
"""
