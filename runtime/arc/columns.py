"""What the rules share: arrays out of the columns that casts give."""

from __future__ import annotations

from runtime.engine.arrays import Array, xp
from runtime.engine.columns import Cells, Column, Grids, Pairs, Sequences
from runtime.engine.packing import LOCATION


def codes_of(content: Column) -> Array:
    """The codes of a patch's content: Pairs, Cells, or none."""
    if isinstance(content, (Pairs, Cells)):
        return content.data
    return xp.zeros(0, dtype=xp.int64)


def location_codes(content: Column) -> Array:
    """The codes of the locations of a patch's content."""
    codes = codes_of(content)
    return codes & LOCATION if isinstance(content, Cells) else codes


def has_cells(patch: Sequences) -> bool:
    """Whether a patch column is one of objects (else of indices, or all empty)."""
    return isinstance(patch.content, Cells)


def fits_cell(values: Array) -> Array:
    """Bool: which integers can be a cell of `Grids`."""
    return (values >= 0) & (values < 256)


def copy_of(grids: Grids) -> Grids:
    """Grids to write into, with the same cells and none shared between lanes."""
    packed = grids.packed()
    if packed is grids:
        return Grids(grids.heights, grids.widths, grids.starts, grids.cells.copy())
    return packed
