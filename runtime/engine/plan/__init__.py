"""Many programs at once: their operations side by side, those of one primitive as one call.

graph      the operations of all programs, equal ones once; functions known before any value is
plan       which operations are made together, in which order; what calls of functions come to
store      the values of all operations, by the rows that they lie in
running    a plan's steps, made on the lanes of samples
"""
