"""Columns: one value a lane, in the layouts of Arrow and Awkward Array, a class a layout."""

from runtime.engine.columns.atoms import (
    Bools,
    Cells,
    Flat,
    Hosts,
    Ints,
    Nones,
    Pairs,
    host_column,
)
from runtime.engine.columns.base import Column, Empty, Uniform
from runtime.engine.columns.functions import Functions
from runtime.engine.columns.grids import Grids
from runtime.engine.columns.indexed import Indexed, contents, gathered, repeated, selected
from runtime.engine.columns.merge import concat, scatter
from runtime.engine.columns.sequences import Lists, Records, Sequences, Sets, empty_sequences
from runtime.engine.columns.union import Union

__all__ = [
    "Bools",
    "Cells",
    "Column",
    "Empty",
    "Flat",
    "Functions",
    "Grids",
    "Hosts",
    "Indexed",
    "Ints",
    "Lists",
    "Nones",
    "Pairs",
    "Records",
    "Sequences",
    "Sets",
    "Uniform",
    "Union",
    "concat",
    "contents",
    "empty_sequences",
    "gathered",
    "host_column",
    "repeated",
    "selected",
    "scatter",
]
