"""Bottom-up enumeration: programs by cost. Of programs with equal outputs the first is kept.

seen           fingerprints of what has been made
combinations   which values a primitive is called on next, by cost
functions      which functions can be called at all, by the types of what they call
enumeration    the loop: combinations, calls, what is new, what fits
"""
