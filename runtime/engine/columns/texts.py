"""The values of columns as text."""

from __future__ import annotations

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.uniform import Uniform
from megabatt.runtime.engine.language.values import show_cut


def shown_cut(column: Column, most: int) -> list[str]:
    """Return `values.show_cut` of every value: its text, cut after `most` characters."""
    if isinstance(column, Uniform):
        return [show_cut(column.value, most)] * len(column)
    return [show_cut(value, most) for value in column.decode()]
