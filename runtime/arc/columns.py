"""What the rules share: arrays out of the columns that casts give."""

from __future__ import annotations

from dataclasses import dataclass

from numpy import int64

from megabatt.runtime.arc.layouts import Cells, Grids, Pairs
from megabatt.runtime.arc.layouts.grids import LEAST_CELL, MOST_CELL
from megabatt.runtime.arc.layouts.packing import LOCATION, color_of, column_of, row_of
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.columns import Column, Sequences, Sets, make_sets
from megabatt.runtime.engine.device.arrays import (
    Array,
    elementwise,
    offsets_of,
    unset_flag,
    where_counted,
    xp,
)
from megabatt.runtime.engine.device.device import MAX
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel, team_kernel
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.device.teams import (
    count_up,
    least_of_team,
    most_of_team,
    wait_for_team,
)


def codes_of(content: Column) -> Array:
    """Return the codes of a patch's content: of Pairs or Cells, else none."""
    if isinstance(content, (Pairs, Cells)):
        return content.data
    return xp.empty(0, dtype=xp.int64)


def arrays_of(patch: Sequences) -> tuple[Array, Array, Array]:
    """Return patches as kernels take them: starts, counts, codes."""
    return patch.starts, patch.counts, codes_of(patch.content)


def code_step(di, dj):
    """Return what a step of di rows and dj columns adds to a code: integers or int64 arrays."""
    return di * (1 << 21) + dj


@device_function
def is_cell(value):
    """Tell whether an integer can be a cell of `Grids`."""
    return value >= LEAST_CELL and value <= MOST_CELL


@device_function
def is_no_cell(value):
    return not is_cell(value)


@device_function
def is_of_no_cell(code):
    """Tell whether the color in a cell's code cannot be a cell of `Grids`."""
    return not is_cell(color_of(code))


fits_cell = elementwise(is_cell, "bool")
no_cell = elementwise(is_no_cell, "bool")
of_no_cell = elementwise(is_of_no_cell, "bool")


def color_range(grids: Grids) -> tuple[int, int]:
    """Return the least color that a cell may have, and the number of colors from it on."""
    if not len(grids.cells):
        return 0, 1
    most = ask(grids.cells.view(xp.uint8), MAX)  # as bytes, colors below 0 are the greatest
    return (0, most + 1) if most <= MOST_CELL else (LEAST_CELL, MOST_CELL - LEAST_CELL + 1)


def most_common_colors(grids: Grids) -> Array:
    """Return each grid's most common color, the smallest of ties; 0 where it has no cells."""
    return colors_by_count(grids, 1)


def colors_by_count(grids: Grids, sign: int) -> Array:
    """Return each grid's most (sign 1) or least (-1) common color.

    It is the smallest of ties, and 0 where a grid has no cells.
    """
    colors = xp.zeros(len(grids), dtype=xp.int64)
    least, span = color_range(grids)
    lanes = max(_HISTOGRAM // span, 1)
    areas = grids.areas
    for first in range(0, len(grids), lanes):
        part = slice(first, first + lanes)
        taken = colors[part]
        histogram = xp.zeros(len(taken) * span, dtype=xp.int32)
        pick_color(
            len(taken),
            areas[part],
            grids.starts[part],
            grids.cells,
            least,
            span,
            sign,
            histogram,
            taken,
        )
    return colors


_HISTOGRAM = 1 << 22
"""The most counters that one pass over grids may use: it bounds the memory."""


@team_kernel
def pick_color(lane, place, team, areas, starts, cells, least, span, sign, histogram, colors):
    base = lane * span
    for at in range(starts[lane] + place, starts[lane] + areas[lane], team):
        count_up(histogram, base + int64(cells[at]) - least)
    wait_for_team()
    if place == 0:
        best = int64(0)
        for color in range(span):
            count = int64(histogram[base + color])
            if count > 0:
                if best == 0 or count * sign > best * sign:
                    best = count
                    colors[lane] = least + color


def bounds(patch: Sequences) -> tuple[Array, Array, Array, Array]:
    """Return top, left, bottom and right of each patch; 0, 0, -1, -1 of an empty one."""
    n = len(patch)
    top, left = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
    bottom, right = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
    bound_patch(n, *arrays_of(patch), top, left, bottom, right)
    return top, left, bottom, right


@team_kernel
def bound_patch(lane, place, team, starts, counts, codes, top, left, bottom, right):
    first = starts[lane]
    top_row = int64(0)
    left_column = int64(0)
    bottom_row = int64(-1)
    right_column = int64(-1)
    if counts[lane] > 0:
        top_row = row_of(codes[first])
        left_column = column_of(codes[first])
        bottom_row = row_of(codes[first])
        right_column = column_of(codes[first])
    for k in range(first + place, first + counts[lane], team):
        i = row_of(codes[k])
        j = column_of(codes[k])
        top_row = min(top_row, i)
        bottom_row = max(bottom_row, i)
        left_column = min(left_column, j)
        right_column = max(right_column, j)
    top_row = least_of_team(top_row)
    bottom_row = most_of_team(bottom_row)
    left_column = least_of_team(left_column)
    right_column = most_of_team(right_column)
    if place == 0:
        top[lane] = top_row
        bottom[lane] = bottom_row
        left[lane] = left_column
        right[lane] = right_column


def affordable(frame: Frame, counts: Array) -> Array:
    """Charge `counts`; return how many elements to build, 0 in the lanes that may not go on."""
    return xp.where(frame.charge(counts), counts, 0)


@dataclass(slots=True)
class Counts:
    """How many elements sets are going to have."""

    counts: Array

    def lengths(self) -> Array:
        return self.counts


def paid(frame: Frame, counts: Array) -> Array:
    """Pay what is due for sets of `counts` elements; return how many to build, as `affordable`."""
    return xp.where(frame.pay(Counts(counts)), counts, 0)


@dataclass(slots=True)
class GridSizes:
    """How large grids are going to be."""

    heights: Array
    widths: Array

    @property
    def areas(self) -> Array:
        return self.heights * self.widths


def new_grids(frame: Frame, heights: Array, widths: Array) -> Grids:
    """Pay what is due, and allocate grids, 0x0 in the lanes that may not go on."""
    return Grids.allocate(heights, widths, frame.pay(GridSizes(heights, widths)))


def location_sets(patch: Sequences) -> Sets:
    """Return the locations of patches (`values.locations`): sets of pairs, packed or not."""
    if not isinstance(patch.content, Cells):
        return Sets(patch.starts, patch.counts, patch.content)
    codes = patch.content.data
    if isinstance(patch, Sets) and not _of_several_colors(patch):
        return Sets(patch.starts, patch.counts, Pairs(codes & LOCATION))
    runs, lanes = _distinct_runs(patch)
    sets = make_sets(runs.counts, Pairs(codes_of(runs.content) & LOCATION))
    return sets.take(lanes)  # type: ignore[return-value]


def _of_several_colors(objects: Sets) -> bool:
    """Tell whether any object has several colors.

    If none has, locations are ascending and distinct.
    """
    found = unset_flag()
    find_colorful(len(objects), *arrays_of(objects), found)
    return bool(ask(found))


@lane_kernel
def find_colorful(lane, starts, counts, codes, found):
    """Set the flag if the colors of an object's first and last cell differ."""
    first = starts[lane]
    for k in range(first, first + min(counts[lane], 1)):
        if color_of(codes[k]) != color_of(codes[k + counts[lane] - 1]):
            found[0] = True


def _distinct_runs(patch: Sequences) -> tuple[Sequences, Array]:
    """Pack each distinct run of the lanes once; also return the index of each lane's run."""
    own = xp.arange(len(patch), dtype=xp.int64)
    users = xp.empty(len(patch.content) + 1, dtype=xp.int64)
    claim(len(patch), patch.starts, users)
    user = users[patch.starts]
    user = xp.where(patch.counts[user] == patch.counts, user, own)
    first = user == own
    running = offsets_of(first)
    runs = patch.take(where_counted(first, running))
    return runs.packed(), running[user]  # type: ignore[attr-defined]


@lane_kernel
def claim(lane, places, owners):
    """Make the lane the owner of its place; if several lanes claim it, any of them wins."""
    owners[places[lane]] = lane


def object_sets(obj: Sequences) -> Sets:
    """Return objects as packed sets of cells; tuples of cells are made sets."""
    packed = obj.packed()
    if isinstance(packed, Sets):
        return packed
    return make_sets(packed.counts, packed.content)
