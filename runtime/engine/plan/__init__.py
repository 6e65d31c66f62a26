"""Many programs at once: their operations side by side, one call for those of a primitive.

numbered    values by number, and the operands of those that are operations, as arrays (operands)
operations  the operations of all programs, equal ones once, for the machine
graph       the same for a plan; functions are known before they run
loading     programs checked, and put into either
on_machine  operations run on the machine, one after the other
on_device   the same on a device, a level at a time
bodies      the calls of primitives that calls of functions consist of
plan        which operations are made together, and in which order
store       the values of all operations, by the rows that they lie in
calling     calls of functions that are known, made together
running     a plan's steps, made on the lanes of samples
bank        values by number, for a search that makes calls with no program around them
"""
