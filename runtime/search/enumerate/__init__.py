"""Bottom-up enumeration: programs by cost. Of programs with equal outputs the first is kept.

enumeration    the loop for a task: combinations, calls, what is new, what fits
combinations   which values a primitive is called on next, by cost
costs          what each head costs at each place
functions      which functions can be called at all, by the types of what they call
seen           fingerprints of what has been made
waiting        what was called on one sample, till others are built on it
space          how much memory there is
strategy       all of it as a strategy of a search
"""
