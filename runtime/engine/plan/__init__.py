"""Many programs at once: their operations side by side, one call for those of a primitive.

graph       the operations of all programs, equal ones once; functions known before they run
loading     programs into a graph
on_machine  a graph's operations run on the machine, one after the other
operands    the operands of a graph's operations, as arrays
bodies      the calls of primitives that calls of functions consist of
plan        which operations are made together, and in which order
store       the values of all operations, by the rows that they lie in
calling     calls of functions that are known, made together
running     a plan's steps, made on the lanes of samples
bank        values by number, for a search that makes calls with no program around them
"""
