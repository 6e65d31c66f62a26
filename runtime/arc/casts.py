"""Columns as ARC's own declared types take them; see `core.casts` for the others."""

from __future__ import annotations

from collections.abc import Callable

from numpy import int8, int64

from megabatt.runtime.arc.columns import fits_cell, is_cell
from megabatt.runtime.arc.layouts import Cells, Grids, Pairs
from megabatt.runtime.arc.layouts.packing import both_fit, column_part, pack_pair, row_part
from megabatt.runtime.core.casts import all_failed, to_ints, to_tuples
from megabatt.runtime.engine.calls.registry import Cast
from megabatt.runtime.engine.columns import (
    Bools,
    Column,
    Empty,
    Hosts,
    Indexed,
    Ints,
    Lists,
    Records,
    Sequences,
    Sets,
    Union,
    interleave,
    make_sets,
)
from megabatt.runtime.engine.device.arrays import Array, offsets_of, segment_any, xp
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.teams import most_of_team, wait_for_team
from megabatt.runtime.engine.policy import TUPLE


def to_numbers(column: Column) -> Cast:
    return to_ints(column) if isinstance(column, (Ints, Bools)) else to_pairs(column)


def to_pairs(column: Column) -> Cast:
    """Cast tuples of two Integers, in any layout, to pairs; what no code holds goes to the host."""
    if isinstance(column, Pairs):
        return Cast(column)
    if isinstance(column, Records):
        return _pairs_of_fields(column)
    if not isinstance(column, Lists):
        return all_failed(column)
    failed = column.counts != 2
    content = column.content
    if isinstance(content, (Ints, Bools)):
        values = xp.append(content.data.astype(xp.int64), xp.zeros(2, dtype=xp.int64))
        starts = xp.where(failed, len(content), column.starts)
        first, second = values[starts], values[starts + 1]
        return Cast(Pairs(pack_pair(first, second)), failed, ~both_fit(first, second))
    if isinstance(content, Union):
        return Cast(column, failed, ~failed)
    return all_failed(column)


def _pairs_of_fields(records: Records) -> Cast:
    if len(records.fields) != 2:
        return all_failed(records)
    first, second = (to_ints(field.gathered()) for field in records.fields)
    if isinstance(first.column, Ints) and isinstance(second.column, Ints):
        a, b = first.column.data, second.column.data
        return Cast(Pairs(pack_pair(a, b)), None, ~both_fit(a, b))
    if any(isinstance(field, Union) for field in records.fields):
        return Cast(records, host=xp.ones(len(records), dtype=xp.bool_))
    return all_failed(records)


def to_grids(column: Column) -> Cast:
    """Cast tuples of rows, in any layout, to grids; those with large Integers go to the host."""
    if isinstance(column, Grids):
        return Cast(column)
    if isinstance(column, Records):
        column = interleave(list(column.fields))
    if not isinstance(column, Sequences):
        return all_failed(column)
    filled = column.counts > 0
    content = column.content
    if isinstance(column, Lists):
        if isinstance(content, Pairs):
            return _grids_of_pairs(column, content)
        if isinstance(content, Lists) and isinstance(content.content, Ints):
            return _grids_of_rows(column, content, content.content)
        if isinstance(content, (Lists, Records, Union, Grids)):
            return _grids_of_empty_rows(column)
    zeros = xp.zeros(len(column), dtype=xp.int64)
    return Cast(Grids(zeros, zeros, zeros, xp.zeros(0, dtype=xp.int8)), failed=filled)


def _grids_of_empty_rows(column: Lists) -> Cast:
    """Make grids where all rows are empty.

    A lane fails where only some rows are empty; where none is, the scalar form has to look.
    """
    packed = column.packed()
    empty = _are_empty_tuples(packed.content)
    filled = _any_element(~empty, packed)
    uneven = filled & _any_element(empty, packed)
    zeros = xp.zeros(len(column), dtype=xp.int64)
    heights = xp.where(filled, 0, column.counts)
    grids = Grids(heights, zeros, zeros, xp.zeros(0, dtype=xp.int8))
    return Cast(grids, uneven, filled & ~uneven)


def _are_empty_tuples(column: Column) -> Array:
    """Flag the values that are empty tuples; bool (n,)."""
    if isinstance(column, Union):
        return column.measured(_are_empty_tuples)
    if column.kind != TUPLE:
        return xp.zeros(len(column), dtype=xp.bool_)
    return column.lengths() == 0


def _grids_of_pairs(column: Lists, pairs: Pairs) -> Cast:
    """Cast tuples of pairs to grids two cells wide."""
    column = column.packed()
    if not isinstance(column.content, Pairs):
        return _grids_of_empty_rows(column)
    first, second = row_part(column.content.data), column_part(column.content.data)
    small = fits_cell(first) & fits_cell(second)
    grids = Grids.allocate(column.counts, xp.full(len(column), 2, dtype=xp.int64))
    grids.cells[0::2] = first
    grids.cells[1::2] = second
    return Cast(grids, host=_any_element(~small, column))


def _grids_of_rows(column: Lists, rows: Lists, cells: Ints) -> Cast:
    n = len(column)
    widths = xp.zeros(n, dtype=xp.int64)
    failed = xp.zeros(n, dtype=xp.bool_)
    host = xp.zeros(n, dtype=xp.bool_)
    measure_rows(
        n, column.starts, column.counts, rows.starts, rows.counts, cells.data, widths, failed, host
    )
    wrong = failed | host
    grids = Grids.allocate(xp.where(wrong, 0, column.counts), widths)
    copy_rows(
        n,
        column.starts,
        grids.heights,
        grids.widths,
        rows.starts,
        cells.data,
        grids.starts,
        grids.cells,
    )
    return Cast(grids, failed, host)


def _any_element(flags: Array, packed: Sequences) -> Array:
    running = offsets_of(flags)
    offsets = packed.offsets
    return running[offsets[1:]] > running[offsets[:-1]]


def to_patches(column: Column) -> Cast:
    """Return sets of pairs or of cells; tuples of them are made sets."""
    if isinstance(column, Grids):
        return _patches_of_grids(column)
    if isinstance(column, Records):
        column = interleave(list(column.fields))
    if not isinstance(column, Sequences):
        return all_failed(column)
    if isinstance(column.content, Union):
        return _of_unions(column, to_patches)
    if isinstance(column.content, (Pairs, Cells, Empty)):
        if isinstance(column, Sets):
            return Cast(column)
        packed = column.packed()
        return Cast(make_sets(packed.counts, packed.content))
    return _only_empty(column)


def _of_unions(column: Sequences, cast: Callable[[Column], Cast]) -> Cast:
    """Cast patches whose elements lie in several layouts.

    Keeps lanes all of pairs, or all of cells: those in the layout that most places are in. Other
    lanes fail if an element is certain to be neither; the scalar form decides the rest.
    """
    packed = column.packed()
    union = packed.content
    if isinstance(union, Union):
        union = union.simplified()
    if not isinstance(union, Union):
        return cast(type(packed).of_counts(packed.counts, union, packed.offsets))
    parts = union.split()
    kept_part = _most_places(parts)
    wrong = xp.zeros(len(union), dtype=xp.bool_)
    unsure = xp.zeros(len(union), dtype=xp.bool_)
    for k, (members, part) in enumerate(parts):
        if k != kept_part:
            wrong[members] = _no_places(part)
            unsure[members] = True
    failed = segment_any(wrong, packed.offsets)
    host = segment_any(unsure, packed.offsets) & ~failed
    kept = cast(packed.having(~(failed | host)[packed.lanes]))
    if kept.failed is not None:
        failed = failed | kept.failed
    if kept.host is not None:
        host = host | kept.host
    return Cast(kept.column, failed, host)


def _most_places(parts: list[tuple[Array, Column]]) -> int:
    """Return the index of the part with the most pairs or cells; -1 if there are none."""
    places = [len(p) if isinstance(p, (Pairs, Cells)) else 0 for _, p in parts]
    return places.index(max(places)) if any(places) else -1


def _no_places(part: Column) -> Array:
    """Flag the lanes that are certain to be neither pairs nor cells; bool (n,)."""
    n = len(part)
    if isinstance(part, Lists):
        return part.counts == 0
    if isinstance(part, Records):
        numbers = isinstance(part.first, (Ints, Bools, Union, Indexed))
        return xp.full(n, not numbers, dtype=xp.bool_)
    return xp.full(n, not isinstance(part, (Pairs, Cells, Hosts)), dtype=xp.bool_)


def _patches_of_grids(grids: Grids) -> Cast:
    """Cast grids to patches.

    A grid two cells wide is a tuple of pairs; one without rows is empty. Others fail.
    """
    failed = (grids.widths != 2) & (grids.heights > 0)
    heights = xp.where(failed, 0, grids.heights)
    cells = Grids(heights, grids.widths, grids.starts, grids.cells).packed().cells.astype(xp.int64)
    pairs = Pairs(pack_pair(cells[0::2].copy(), cells[1::2].copy()))
    return Cast(make_sets(heights, pairs), failed)


def _only_empty(column: Sequences) -> Cast:
    """Keep the empty containers of a column; the others fail, or go to the host to be looked at."""
    filled = column.counts > 0
    empties = Sets.all_empty(len(column))
    if isinstance(column.content, (Lists, Records, Grids)):
        return Cast(empties, host=filled)
    return Cast(empties, failed=filled)


def to_objects(column: Column) -> Cast:
    """Return sets of cells, or tuples of cells in their own order."""
    if isinstance(column, Records):
        column = interleave(list(column.fields))
    if isinstance(column, Grids):
        return Cast(Sets.all_empty(len(column)), failed=column.heights > 0)
    if not isinstance(column, Sequences):
        return all_failed(column)
    if isinstance(column.content, Union):
        return _of_unions(column, to_objects)
    if isinstance(column.content, (Cells, Empty)):
        return Cast(column)
    if isinstance(column.content, Pairs):
        return Cast(Sets.all_empty(len(column)), failed=column.counts > 0)
    return _only_empty(column)


def to_object_sets(column: Column) -> Cast:
    """Return sets of objects."""
    if isinstance(column, Sequences):
        content = column.content
        if isinstance(column, Sets) and isinstance(content, Empty):
            return Cast(column)
        if isinstance(column, Sets) and isinstance(content, Sets):
            if isinstance(content.content, (Cells, Empty)):
                return Cast(column)
        filled = column.counts > 0
        empties = Sets.all_empty(len(column))
        if isinstance(content, (Sequences, Records, Union, Grids)):
            return Cast(empties, host=filled)
        return Cast(empties, failed=filled)
    if isinstance(column, Grids):
        return _objects_of_rows(column)
    if isinstance(column, Records):
        return Cast(column, host=xp.ones(len(column), dtype=xp.bool_))
    return all_failed(column)


def _objects_of_rows(grids: Grids) -> Cast:
    """Cast grids to sets of objects. A row is an object where it is empty."""
    filled = grids.heights > 0
    wide = filled & (grids.widths > 0)
    return Cast(Sets.all_empty(len(grids)), wide, filled & ~wide)


def to_pieces(column: Column) -> Cast:
    return to_patches(column) if isinstance(column, Sets) else to_grids(column)


def to_elements(column: Column) -> Cast:
    return to_objects(column) if isinstance(column, Sets) else to_grids(column)


def to_tuples_or_patches(column: Column) -> Cast:
    return to_patches(column) if isinstance(column, Sets) else to_tuples(column)


@team_kernel
def measure_rows(
    lane, place, team, starts, counts, row_starts, row_counts, cells, widths, failed, host
):
    width = int64(0)
    if counts[lane] > 0:
        width = row_counts[starts[lane]]
    uneven = int64(0)
    for k in range(place, counts[lane], team):
        row = starts[lane] + k
        if row_counts[row] != width:
            uneven = int64(1)
        for at in range(row_starts[row], row_starts[row] + row_counts[row]):
            if not is_cell(cells[at]):
                host[lane] = True
    wait_for_team()
    uneven = most_of_team(uneven)
    if place == 0:
        widths[lane] = width
        if uneven > 0:
            failed[lane] = True
        if failed[lane]:
            host[lane] = False


@team_kernel
def copy_rows(lane, place, team, starts, heights, widths, row_starts, cells, out_starts, out):
    for i in range(place, heights[lane], team):
        at = out_starts[lane] + i * widths[lane]
        source = row_starts[starts[lane] + i]
        for j in range(widths[lane]):
            out[at] = int8(cells[source + j])
            at += 1
