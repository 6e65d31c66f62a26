"""The machine: operations on one lane at a time, in functions that Numba compiles.

Columns make an operation for many lanes at once, at a fixed cost that few lanes do not repay. The
machine makes one after the other at next to no fixed cost. A primitive's compiled form stands beside
its scalar form and its rule, see `forms.compiled`.

words      a value as an int64: itself, or where it lies
heap       the memory of values: an int64 array, with the nodes of containers and functions
functions  how compiled functions call one another
order      the order of values, equality; sorting
contents   containers opened, and made
weights    what values weigh
calls      calls of functions that are values
forms      a primitive's compiled form: declared, with its types checked and its charge paid
values     plain values to words and back
"""
