"""Columns: one value for every lane, in the layouts of Arrow and Awkward Array, a class a layout.

base        the base class of columns
numbers     numbers and Booleans; runs of them: tuples of numbers, NumPy arrays
objects     any values, as Python objects; one value in all lanes
encode      turns plain values into columns; joins columns, compares two; values as text
transfer    moves columns between devices
rules       the rules of primitives; the lanes of a call, their failures and budgets
dispatch    an operation in all lanes: calls the rule of its function
"""

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.encode import concat, encode, same, scatter, shown_cut
from megabatt.runtime.engine.columns.numbers import Arrays, Bools, Floats, Ints, Lists
from megabatt.runtime.engine.columns.objects import Hosts, Uniform

__all__ = [
    "Arrays", "Bools", "Column", "Floats", "Hosts", "Ints", "Lists", "Uniform", "concat", "encode",
    "same", "scatter", "shown_cut",
]  # fmt: skip
