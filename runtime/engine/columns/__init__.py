"""Columns: one value for every lane, in the layouts of Arrow and Awkward Array, a class a layout.

base        what every column has
flat        numbers and Booleans; lists: tuples of numbers; ndarrays: NumPy arrays
hosts       any values, as Python objects
uniform     one value in all lanes
encode      plain values into columns; columns put together
same        two columns compared
transfer    columns from one device to another
texts       values as text

Primitives on columns:

rules       what a primitive does to columns
frames      the lanes of a call: which have failed, what each may still build
dispatch    a function and its arguments to the rule for their layouts
operate     an operation in all lanes, in parts where memory or the stack is short

What is done to columns:

take, concat, scatter     other lanes; columns one after the other; parts, each into its lanes
packed, compact           no element left that belongs to no lane
defaulted                 a default in the lanes that failed
encode, decode, arrow     from plain values, back to them, and into Parquet

and what they are made of:

lane                      a place in a column
run, offsets              a lane's elements in a flat array; where each lane's run begins
part                      lanes with a column of their values
host lane                 a lane that the scalar form computes
"""

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.encode import concat, encode, encode_uniform, scatter
from megabatt.runtime.engine.columns.flat import Bools, Complexes, Flat, Floats, Ints
from megabatt.runtime.engine.columns.hosts import Hosts
from megabatt.runtime.engine.columns.lists import Lists
from megabatt.runtime.engine.columns.ndarrays import Arrays
from megabatt.runtime.engine.columns.same import same
from megabatt.runtime.engine.columns.texts import shown_cut
from megabatt.runtime.engine.columns.uniform import Uniform

__all__ = [
    "Arrays",
    "Bools",
    "Column",
    "Complexes",
    "Flat",
    "Floats",
    "Hosts",
    "Ints",
    "Lists",
    "Uniform",
    "concat",
    "encode",
    "encode_uniform",
    "same",
    "scatter",
    "shown_cut",
]
