"""Bottom-up enumeration: programs by cost, of those that give the same on a task only the first.

seen           fingerprints of what has been made
combinations   which values a primitive is called on next, by cost
functions      which functions can be called at all, by the types of what they call
enumeration    the loop: combinations, calls, what is new, what fits
"""
