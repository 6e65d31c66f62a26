"""Many programs at once: their operations side by side, those of one primitive as one call.

graph      the operations of all programs, equal ones once; functions known before any value is
bodies     what calls of functions come to
plan       which operations are made together, and in which order
store      the values of all operations, by the rows that they lie in
calling    calls of functions that are known, made together
running    a plan's steps, made on the lanes of samples
loading    programs into a graph
"""
