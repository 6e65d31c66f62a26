"""The machine: compiled functions that run operations on one lane at a time.

An operation on columns runs in many lanes at once, at a fixed cost that is too high for few lanes.
A call on the machine costs little more than its work. On a GPU many calls run side by side, each in
a thread. A primitive's compiled form stands beside its scalar form.
"""
