"""Columns: one value for every lane, in the layouts of Arrow and Awkward Array, a class a layout.

Operations on columns:

take, concat, scatter     select lanes; join columns; put parts into their lanes
packed                    drop the elements that belong to no lane
defaulted                 put a default into the lanes that failed
encode, decode            convert from plain values, to plain values

Parts of columns:

lane                      a place in a column
run, offsets              a lane's elements in a flat array; where each lane's run begins
part                      lanes with a column of their values
host lane                 a lane that the scalar form computes
"""

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.encode import concat, encode, same, scatter, shown_cut
from megabatt.runtime.engine.columns.numbers import Arrays, Bools, Floats, Ints, Lists
from megabatt.runtime.engine.columns.objects import Hosts, Uniform

__all__ = [
    "Arrays", "Bools", "Column", "Floats", "Hosts", "Ints", "Lists", "Uniform", "concat", "encode",
    "same", "scatter", "shown_cut",
]  # fmt: skip
