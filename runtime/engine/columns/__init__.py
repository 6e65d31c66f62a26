"""Columns: one value a lane, in the layouts of Arrow and Awkward Array, a class a layout.

base        the protocol: what may be asked of any column; a layout that lacks it raises
flat        numbers, Booleans, None; ndarrays: NumPy arrays; hosts: Python objects
sequences   lists, sets and records, and what all containers can do by their elements
functions   functions built from others
union       lanes of several layouts, and putting columns together
indexed     columns taken from, but not yet gathered
encode      plain values into columns; columns of one value
equality    two columns compared, for equal or for the same; transfer: from one device to another
texts       values as text, from arrays where they are many

The words for what is done to columns:

take, selected            other lanes; the same in one layout, if they are of one
repeated                  take, without gathering: the result is `Indexed`
concat, scatter           columns one after the other; parts, each into lanes of its own
split                     a column in parts: the lanes of each layout, and their values
gathered, materialized    no index left to follow; no uniform value left either
packed, compact           no element left that belongs to no lane; at any depth
opened, laid_out          containers packed, the content perhaps indexed; gathered
shortened, having         containers with their first elements; with the flagged elements
flatten, make_sets        containers into runs of elements; runs of elements into sets
canonical                 the one layout that belongs to the values
defaulted                 a default in the lanes that failed
ordinals, as_runs         int64 codes that compare as the values do, one or several a value
encode, decode, arrow     from plain values, back to them, and into Parquet
texts, shown_cut          as source that builds them; cut where it is long

and for what they are made of:

lane, element             a place in a column; a value within a container
run, offsets              a lane's elements in a flat array; where each lane's run begins
part                      lanes, ascending, with a column of their values
code                      an integer that stands for a value and compares as it does
host lane                 a lane that the scalar form computes; a rule leaves it to the host
"""

from megabatt.runtime.engine.columns.base import (
    Column,
    Compound,
    Empty,
    Unsupported,
    as_array,
    flags_of,
)
from megabatt.runtime.engine.columns.encode import Uniform, encode, encode_uniform
from megabatt.runtime.engine.columns.equality import equal, same
from megabatt.runtime.engine.columns.flat import Bools, Complexes, Flat, Floats, Ints, Nones
from megabatt.runtime.engine.columns.functions import Functions, Planned, call_costs, most_deep
from megabatt.runtime.engine.columns.hosts import Hosts, host_column
from megabatt.runtime.engine.columns.indexed import Indexed, contents, repeated
from megabatt.runtime.engine.columns.ndarrays import Arrays
from megabatt.runtime.engine.columns.sequences import (
    Containers,
    Lists,
    Records,
    Sequences,
    Sets,
    flatten,
    interleave,
    join,
    joint_ordinals,
    laid_out,
    make_sets,
    opened,
    tuples_of,
)
from megabatt.runtime.engine.columns.texts import shown_cut
from megabatt.runtime.engine.columns.union import Union, concat, scatter

__all__ = [
    "Arrays",
    "Bools",
    "Column",
    "Complexes",
    "Compound",
    "Containers",
    "Empty",
    "Flat",
    "Floats",
    "Functions",
    "Hosts",
    "Indexed",
    "Ints",
    "Lists",
    "Nones",
    "Planned",
    "Records",
    "Sequences",
    "Sets",
    "Uniform",
    "Union",
    "Unsupported",
    "as_array",
    "flags_of",
    "call_costs",
    "concat",
    "contents",
    "encode",
    "encode_uniform",
    "equal",
    "flatten",
    "host_column",
    "interleave",
    "join",
    "joint_ordinals",
    "laid_out",
    "make_sets",
    "most_deep",
    "opened",
    "repeated",
    "same",
    "scatter",
    "shown_cut",
    "tuples_of",
]
