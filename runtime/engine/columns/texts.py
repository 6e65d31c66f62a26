"""The values of columns as text."""

from __future__ import annotations

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.encode import Uniform
from megabatt.runtime.engine.columns.sequences import Sequences
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.values import CUT, show_cut

_LEAST = 3
"""The fewest characters of an element in its container's text, with the comma and space."""

_MOST_WEIGHT = 1 << 20
"""The most weight of values whose text is made in full before it is cut."""


def shown_cut(column: Column, most: int) -> list[str]:
    """Return `values.show_cut` of every value: its text, cut after `most` characters.

    Much text is made from arrays, without a Python object for every element.
    """
    if isinstance(column, Uniform):
        return [show_cut(column.value, most)] * len(column)
    begun = column
    if isinstance(column, Sequences):
        begun = column.shortened(xp.minimum(column.counts, most // _LEAST + 1))
    if not begun.spells or int(begun.weights().sum()) > _MOST_WEIGHT:
        return [show_cut(value, most) for value in column.decode()]
    return [text if len(text) <= most else text[:most] + CUT for text in begun.texts()]
