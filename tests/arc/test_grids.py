"""Integers, grids and patches: what core's tests of definitions check, and patches that fall."""

from collections import Counter
from operator import add, eq, floordiv, gt, mul, sub

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import of_language
from tests.arc import lanes
from tests.arc.lanes import assert_same, grids, patch_sets

LEAST, MOST = -(2**31), 2**31 - 1
G = ((1, 2, 3), (4, 5, 6))
NO_COLUMNS = ((), ())
HATCHED = ((1, 0, 0, 2), (0, 1, 0, 2), (3, 0, 0, 3))
EMPTY = frozenset()
integers = st.integers(-3, 3) | st.integers(-40_000, 40_000) | st.sampled_from([LEAST, MOST])
locations = st.tuples(integers, integers) | lanes.pairs
near = st.integers(0, 2)
bounds = st.integers(-9, 9) | st.sampled_from([2**20 - 1, -(2**20)])
many_colors = lanes.colors | st.sampled_from([300, -129, LEAST, MOST])
close_together = st.frozensets(st.tuples(lanes.colors, st.tuples(near, near)), max_size=9)
objects = lanes.objects | close_together
nearby = patch_sets | st.frozensets(st.tuples(near, st.integers(0, 1)))
patches = nearby | st.frozensets(locations, max_size=3)
ways = st.builds(arc.multiply, st.integers(0, 4), st.sampled_from([(1, 1), (-1, 1), (0, -1)]))
of_three = grids(4, near).filter(lambda grid: grid and grid[0])
some = st.frozensets(st.tuples(near, st.tuples(near, near)), max_size=6)
periodic = st.builds(
    lambda obj, times, gap: frozenset(
        (color, (i, j + k * (arc.width(obj) + gap))) for color, (i, j) in obj for k in range(times)
    ),
    some, st.integers(1, 3), near,
)  # fmt: skip
few = grids(2, st.sampled_from([0, 1, 300]))
DRAWN = {
    "n": integers, "m": integers, "a": integers | locations, "b": integers | locations,
    "color": many_colors, "other_color": many_colors, "factor": st.integers(-3, 4),
    "grid": lanes.filled_grids | st.just(HATCHED), "any_grid": grids(6),
    "rows": grids().filter(bool) | st.just(NO_COLUMNS), "few": few.filter(bool),
    "more": few | grids(3), "place": locations, "way": lanes.pairs | ways,
    "start": lanes.pairs | ways,
    "bound": st.tuples(bounds, bounds), "size": st.tuples(bounds, bounds),
    "patch": patches, "nearby": nearby, "beside": nearby, "extended": patches | grids(),
    "far": lanes.far_indices | nearby, "off": lanes.far_indices | nearby, "obj": objects,
    "univalued": lanes.booleans, "diagonal": lanes.booleans, "without_background": lanes.booleans,
    "piece": grids() | objects, "several": lanes.object_sets, "of_three": of_three,
    "some": some | some.map(lambda obj: arc.shift(obj, (-9, 9))),
    "periodic": periodic | periodic.filter(bool).map(arc.dmirror),
    "cells": objects.map(sorted).map(tuple) | objects.map(lambda of: tuple(sorted(of)[::-1])),
}  # fmt: skip
"""The values of a parameter of a definition, by its name."""


def by_parts(step, *numbers):
    """Compute part by part. An Integer counts as both parts of a pair."""
    parts = [n if isinstance(n, tuple) else (n, n) for n in numbers]
    results = tuple(map(step, *parts))
    return results if tuple in map(type, numbers) else results[0]


def sign(n):
    return (n > 0) - (n < 0)


def turned(rows, turn):
    return tuple(map(tuple, turn(np.array(rows)).tolist()))


def moved(patch, move):
    """Move the places of a patch. Cells keep their colors."""
    return frozenset(
        (of[0], move(*of[1])) if isinstance(of[1], tuple) else move(*of) for of in patch
    )


def turned_patch(patch, move):
    """Move the places of a patch. move: A function of a place and the patch's bounds."""
    bounds = bounds_of(patch)
    return moved(patch, lambda i, j: move(i, j, *bounds))


def places(patch):
    return frozenset(of[1] if isinstance(of[1], tuple) else of for of in patch)


def bounds_of(patch):
    """Return the first and the last row, and the first and the last column."""
    return tuple(of(place[k] for place in places(patch)) for k in (0, 1) for of in (min, max))


def extent(piece):
    if isinstance(piece, tuple) or not piece:
        return len(piece), len(piece[0]) if piece else 0
    top, bottom, left, right = bounds_of(piece)
    return bottom - top + 1, right - left + 1


def is_full(patch):
    return len(patch) == extent(patch)[0] * extent(patch)[1]


def cells_of(piece):
    if isinstance(piece, frozenset):
        return piece
    return frozenset((color, (i, j)) for i, row in enumerate(piece) for j, color in enumerate(row))


def counts(piece):
    return Counter(color for color, _ in cells_of(piece))


def with_count(piece, most):
    """Return the most or the least common color. Ties fall to the smallest."""
    return min(counts(piece), key=lambda color: (-most * counts(piece)[color], color))


def by_color(grid, background=None):
    cells, colors = cells_of(grid), {*counts(grid)} - {background}
    return frozenset(frozenset(cell for cell in cells if cell[0] == color) for color in colors)


def components(grid, univalued, diagonal, without_bg):
    """Find the objects of a grid, each by growing from one of its cells.

    Cells connect by sides, or also by corners, within a color, or across all but background.
    """
    around = arc.neighbors if diagonal else arc.dneighbors
    background = arc.mostcolor(grid) if without_bg else None
    left = {place: color for color, place in arc.asobject(grid) if color != background}
    found = set()
    while left:
        members, reached = set(), [next(iter(left))]
        while reached:
            place = reached.pop()
            if place in left:
                color = left.pop(place)
                members.add((color, place))
                reached += [p for p in around(place) if not univalued or left.get(p) == color]
        found.add(frozenset(members))
    return frozenset(found)


def painted(grid, cells, only=None):
    """Paint cells one after the other; if `only` is a color, only over cells of that color."""
    found = {place: color for color, place in cells_of(grid)}
    for color, place in cells:
        if place in found and only in (None, found[place]):
            found[place] = color
    return tuple(tuple(found[i, j] for j in range(len(row))) for i, row in enumerate(grid))


def filled(grid, color, patch, only=None):
    return painted(grid, [(color, place) for place in places(patch)], only)


def period(obj):
    """Return the least way on which each cell leads back to a cell of the object.

    Only cells within the width count, and holes only where a cell falls on them.
    """
    left, wide = min((j for _, (_, j) in obj), default=0), extent(obj)[1]
    back = {way: all((color, (i, j - way)) in obj for color, (i, j) in obj if j - way >= left)
            for way in range(1, wide)}  # fmt: skip
    return next((way for way in back if back[way]), wide)


def distance(a, b):
    """Return the least distance of all."""
    return min(abs(i - k) + abs(j - m) for i, j in places(a) for k, m in places(b))


def block(top, bottom, left, right):
    return frozenset((i, j) for i in range(top, bottom + 1) for j in range(left, right + 1))


def box(patch, more=0):
    """Return the outermost places of a patch's bounds moved outwards. Sides may swap."""
    top, bottom, left, right = map(add, bounds_of(patch), (-more, more, -more, more))
    (top, bottom), (left, right) = sorted((top, bottom)), sorted((left, right))
    return block(top, bottom, left, right) - block(top + 1, bottom - 1, left + 1, right - 1)


def line(start, way):
    """Return the places of a way, if it is straight or diagonal."""
    (i, j), (di, dj), steps = start, way, max(map(abs, way))
    if 0 not in way and abs(di) != abs(dj):
        return EMPTY
    return frozenset((i + sign(di) * k, j + sign(dj) * k) for k in range(steps + 1))


def split(lines, n):
    """Cut lines into n pieces. The last are smaller where there is too little."""
    size, step = len(lines) // n, len(lines) // n + (len(lines) % n != 0)
    return tuple(lines[k * step :][:size] for k in range(n))


def stacked(rows, more):
    if len(set(map(len, rows + more))) > 1:
        raise ValueError("rows of different lengths")
    return rows + more


def columns_of(rows):
    return tuple(tuple(row[j] for row in rows) for j in range(len(rows[0])))


def of_one_color(lines):
    return [k for k, line in enumerate(lines) if len(set(line)) == 1]


def frontiers(rows):
    across, down = of_one_color(rows), of_one_color(columns_of(rows))
    lines = [[cell for cell in cells_of(rows) if cell[1][0] == i] for i in across]
    lines += [[cell for cell in cells_of(rows) if cell[1][1] == j] for j in down]
    return frozenset(map(frozenset, lines))


def compressed(rows):
    across, down = of_one_color(rows), of_one_color(columns_of(rows))
    left = [row for i, row in enumerate(rows) if i not in across]
    return tuple(tuple(one for j, one in enumerate(row) if j not in down) for row in left)


# One or two definitions of each primitive, by the kind of its arguments

INTEGERS = [
    (arc.add, lambda a, b: by_parts(add, a, b)),
    (arc.subtract, lambda a, b: by_parts(sub, a, b)),
    (arc.multiply, lambda a, b: by_parts(mul, a, b)),
    (arc.divide, lambda a, b: by_parts(floordiv, a, b)),  # rounds down
    (arc.invert, lambda a: by_parts(lambda n: -n, a)),
    (arc.double, lambda a: by_parts(lambda n: 2 * n, a)),
    (arc.halve, lambda a: by_parts(lambda n: n // 2, a)),
    (arc.increment, lambda a: by_parts(lambda n: n + 1, a)),
    (arc.decrement, lambda a: by_parts(lambda n: n - 1, a)),
    (arc.sign, lambda a: by_parts(sign, a)),
    (arc.crement, lambda a: by_parts(lambda n: n + sign(n), a)),
    (arc.identity, lambda a: a),
    (arc.positive, lambda n: n > 0),
    (arc.greater, lambda n, m: n > m),
    (arc.even, lambda n: n % 2 == 0),
    (arc.toivec, lambda n: (n, 0)),
    (arc.tojvec, lambda n: (0, n)),
]
GRIDS = [
    (arc.rot90, lambda rows: turned(rows, lambda array: np.rot90(array, -1))),
    (arc.rot180, lambda rows: turned(rows, lambda array: np.rot90(array, 2))),
    (arc.rot270, lambda rows: turned(rows, np.rot90)),
    (arc.hmirror, lambda rows: turned(rows, np.flipud)),
    (arc.vmirror, lambda rows: turned(rows, np.fliplr)),
    (arc.dmirror, lambda rows: turned(rows, np.transpose)),
    (arc.cmirror, lambda rows: turned(rows, lambda array: np.rot90(array, 2).T)),
    (arc.hupscale, lambda grid, factor: turned(grid, lambda a: a.repeat(max(factor, 0), 1))),
    (arc.vupscale, lambda grid, factor: turned(grid, lambda a: a.repeat(max(factor, 0), 0))),
    (arc.upscale, lambda grid, factor: arc.vupscale(arc.hupscale(grid, factor), factor)),
    (arc.downscale, lambda grid, factor: tuple(
        tuple(color for j, color in enumerate(row) if j % factor == 0)
        for i, row in enumerate(grid) if i % factor == 0)),
    (arc.hconcat, lambda few, more: tuple(map(add, few, more))),
    (arc.vconcat, lambda few, more: stacked(few, more)),
    (arc.cellwise, lambda few, more, color: tuple(
        tuple(one if one == more[i][j] else color for j, one in enumerate(row))
        for i, row in enumerate(few))),
    (arc.replace, lambda grid, color, other_color: tuple(
        tuple(other_color if one == color else one for one in row) for row in grid)),
    (arc.switch, lambda grid, color, other_color: tuple(
        tuple({color: other_color, other_color: color}.get(one, one) for one in row)
        for row in grid)),
    (arc.canvas, lambda color, way: ((color,) * way[1],) * way[0]),
    (arc.crop, lambda any_grid, bound, size: tuple(
        row[bound[1] : bound[1] + size[1]] for row in any_grid[bound[0] : bound[0] + size[0]])),
    (arc.subgrid, lambda nearby, grid: arc.crop(grid, bounds_of(nearby)[::2], extent(nearby))),
    (arc.index, lambda grid, place: {at: color for color, at in cells_of(grid)}.get(place)),
    (arc.trim, lambda any_grid: tuple(row[1:-1] for row in any_grid[1:-1])),
    (arc.tophalf, lambda any_grid: any_grid[: len(any_grid) // 2]),
    (arc.bottomhalf, lambda any_grid: any_grid[(len(any_grid) + 1) // 2 :]),
    (arc.lefthalf, lambda any_grid: tuple(row[:half] for row in any_grid)
     if (half := extent(any_grid)[1] // 2) else ()),
    (arc.righthalf, lambda any_grid: tuple(row[-half:] for row in any_grid)
     if (half := extent(any_grid)[1] // 2) else ()),
    (arc.vsplit, lambda rows, factor: split(rows, factor)),
    (arc.hsplit, lambda rows, factor: tuple(
        zip(*[split(row, factor) for row in rows], strict=True))),
    (arc.frontiers, lambda any_grid: frontiers(any_grid)),
    (arc.compress, lambda any_grid: any_grid and compressed(any_grid)),
    (arc.asobject, lambda any_grid: cells_of(any_grid)),
    (arc.asindices, lambda any_grid: places(cells_of(any_grid))),
    (arc.ofcolor, lambda any_grid, color: frozenset(
        place for one, place in cells_of(any_grid) if one == color)),
    (arc.partition, lambda any_grid: by_color(any_grid)),
    (arc.fgpartition, lambda any_grid: by_color(any_grid, with_count(any_grid, 1))),
    (arc.objects, lambda grid, univalued, diagonal, without_background: components(
        grid, univalued, diagonal, without_background)),
    (arc.colorfilter, lambda several, color: frozenset(
        obj for obj in several if min(obj)[0] == color)),
    # an empty object occurs everywhere, and behind every row and column
    (arc.occurrences, lambda of_three, some: frozenset(
        (i, j) for i in range(len(of_three) - extent(some)[0] + 1)
        for j in range(len(of_three[0]) - extent(some)[1] + 1)
        if all(of_three[i + down][j + across] == color
               for color, (down, across) in arc.normalize(some)))),
    (arc.fill, lambda grid, color, patch: filled(grid, color, patch)),
    (arc.underfill, lambda grid, color, patch: filled(grid, color, patch, with_count(grid, 1))),
    (arc.cover, lambda grid, patch: filled(grid, with_count(grid, 1), patch)),
    (arc.paint, lambda grid, cells: painted(grid, cells)),
    (arc.paint, lambda grid, obj: painted(grid, sorted(obj))),
    (arc.underpaint, lambda grid, cells: painted(grid, cells, with_count(grid, 1))),
    (arc.underpaint, lambda grid, obj: painted(grid, sorted(obj), with_count(grid, 1))),
    (arc.move, lambda grid, obj, place: arc.paint(
        arc.cover(grid, obj), of_language(moved(obj, lambda i, j: (i + place[0], j + place[1]))))),
    (arc.toobject, lambda patch, grid: frozenset(
        cell for cell in cells_of(grid) if cell[1] in places(patch))),
]
PATCHES = [
    (arc.hmirror, lambda patch: turned_patch(
        patch, lambda i, j, top, bottom, left, right: (top + bottom - i, j))),
    (arc.vmirror, lambda patch: turned_patch(
        patch, lambda i, j, top, bottom, left, right: (i, left + right - j))),
    (arc.dmirror, lambda patch: turned_patch(
        patch, lambda i, j, top, bottom, left, right: (top + j - left, left + i - top))),
    (arc.cmirror, lambda patch: turned_patch(
        patch, lambda i, j, top, bottom, left, right: (top + right - j, left + bottom - i))),
    (arc.upscale, lambda obj, factor: frozenset(
        (color, (i * factor - (factor - 1) * top + down, j * factor - (factor - 1) * left + right))
        for color, (i, j) in obj for top, left in [arc.ulcorner(obj)]
        for down in range(factor) for right in range(factor))),
    (arc.toindices, lambda patch: places(patch)), (arc.toindices, lambda cells: places(cells)),
    (arc.recolor, lambda color, patch: frozenset((color, place) for place in places(patch))),
    (arc.shift, lambda patch, place: moved(patch, lambda i, j: (i + place[0], j + place[1]))),
    (arc.normalize, lambda patch: patch and turned_patch(
        patch, lambda i, j, top, bottom, left, right: (i - top, j - left))),
    (arc.dneighbors, lambda place: frozenset(
        arc.add(place, way) for way in [(-1, 0), (1, 0), (0, -1), (0, 1)])),
    (arc.ineighbors, lambda place: frozenset(
        arc.add(place, way) for way in [(-1, -1), (1, -1), (-1, 1), (1, 1)])),
    (arc.neighbors, lambda place: arc.dneighbors(place) | arc.ineighbors(place)),
    (arc.uppermost, lambda patch: bounds_of(patch)[0]),
    (arc.lowermost, lambda patch: bounds_of(patch)[1]),
    (arc.leftmost, lambda patch: bounds_of(patch)[2]),
    (arc.rightmost, lambda patch: bounds_of(patch)[3]),
    (arc.ulcorner, lambda patch: bounds_of(patch)[::2] if patch else ()),
    (arc.urcorner, lambda patch: bounds_of(patch)[::3] if patch else ()),
    (arc.llcorner, lambda patch: bounds_of(patch)[1:3] if patch else ()),
    (arc.lrcorner, lambda patch: bounds_of(patch)[1::2] if patch else ()),
    (arc.center, lambda patch: by_parts(
        lambda start, size: start + size // 2, bounds_of(patch)[::2], extent(patch))),
    # a place counts once in the sums, but each cell in their divisor
    (arc.centerofmass, lambda patch: tuple(
        sum(side) // len(patch) for side in zip(*places(patch), strict=True))),
    (arc.square, lambda nearby: is_full(nearby) and extent(nearby)[0] == extent(nearby)[1]),
    (arc.vline, lambda nearby: is_full(nearby) and extent(nearby)[1] == 1),
    (arc.hline, lambda nearby: is_full(nearby) and extent(nearby)[0] == 1),
    (arc.backdrop, lambda nearby: nearby and block(*bounds_of(nearby))),
    (arc.delta, lambda nearby: nearby and block(*bounds_of(nearby)) - places(nearby)),
    (arc.corners, lambda nearby: frozenset(
        corner(nearby) for corner in (arc.ulcorner, arc.urcorner, arc.llcorner, arc.lrcorner))),
    (arc.box, lambda nearby: nearby and box(nearby)),
    (arc.outbox, lambda nearby: box(nearby, 1)),
    (arc.inbox, lambda nearby: box(nearby, -1)),
    (arc.connect, lambda start, way: line(start, (way[0] - start[0], way[1] - start[1]))),
    (arc.shoot, lambda start, way: line(start, (42 * way[0], 42 * way[1]))),
    (arc.vfrontier, lambda start: line((0, start[1]), (29, 0))),
    (arc.hfrontier, lambda start: line((start[0], 0), (0, 29))),
]
RELATIONS = [
    (arc.hperiod, lambda periodic: period(periodic)),
    (arc.vperiod, lambda periodic: period(arc.dmirror(periodic) if periodic else periodic)),
    (arc.hmatching, lambda far, off: any(i == k for i, _ in places(far) for k, _ in places(off))),
    (arc.vmatching, lambda far, off: any(j == m for _, j in places(far) for _, m in places(off))),
    (arc.manhattan, lambda far, off: distance(far, off)),
    (arc.adjacent, lambda far, off: distance(far, off) == 1),
    (arc.bordering, lambda nearby, grid: any(
        map(eq, bounds_of(nearby), (0, len(grid) - 1, 0, len(grid[0]) - 1)))),
    # a patch around the same center lies to the left
    (arc.position, lambda nearby, beside: (0, -1) if arc.center(nearby) == arc.center(beside)
     else by_parts(lambda i, k: sign(k - i), arc.center(nearby), arc.center(beside))),
]
PIECES = [
    (arc.height, lambda extended: extent(extended)[0]),
    (arc.width, lambda extended: extent(extended)[1]),
    (arc.shape, lambda extended: extent(extended)),
    (arc.portrait, lambda extended: gt(*extent(extended))),
    (arc.square, lambda any_grid: len(any_grid) == len(any_grid[0])),
    (arc.colorcount, lambda piece, color: counts(piece)[color]),
    (arc.palette, lambda piece: frozenset(counts(piece))),
    (arc.numcolors, lambda piece: len(counts(piece))),
    (arc.mostcolor, lambda piece: with_count(piece, 1)),
    (arc.leastcolor, lambda piece: with_count(piece, -1)),
    (arc.color, lambda obj: min(obj)[0]),
    (arc.color, lambda cells: cells[0][0]),
]
MEANINGS = INTEGERS + GRIDS + PATCHES + RELATIONS + PIECES


# Calls without a result, and what calls cost

TOP_LEFT, ENDS = frozenset({(0, 0)}), frozenset({(LEAST, 0), (MOST, 0)})
FAR, WIDE = frozenset({(0, 0), (2**30, 2**30)}), frozenset({(1, (0, 0)), (1, (0, 10**6))})
RELATED = (arc.manhattan, arc.adjacent, arc.position, arc.gravitate)
FAILING = {
    LimitError: [
        (arc.add, MOST, 1), (arc.subtract, LEAST, 1), (arc.multiply, 2**16, 2**15),
        (arc.multiply, (1, 2**16), 2**15), (arc.divide, LEAST, -1), (arc.invert, (0, LEAST)),
        (arc.double, 2**30), (arc.increment, (0, MOST)), (arc.decrement, LEAST),
        (arc.crement, LEAST), (arc.height, ENDS), (arc.dmirror, frozenset({(MOST, 0), (MOST, 1)})),
        (arc.cmirror, frozenset({(MOST, 0), (MOST, 1)})),
        *((arc.shift, frozenset({(0, 0), (MOST, LEAST)}), way) for way in [(1, 0), (0, -1)]),
        *((near, place) for near in (arc.dneighbors, arc.ineighbors, arc.neighbors)
          for place in [(MOST, 0), (0, LEAST)]),
        (arc.move, G, frozenset({(7, (1, 1))}), (MOST, 0)),
        # huge results, which fail before they are built
        (arc.vupscale, NO_COLUMNS, 2**30), (arc.upscale, NO_COLUMNS, 2**30),
        (arc.canvas, 0, (2**30, 0)), (arc.hsplit, G, MOST), (arc.vsplit, G, MOST),
        *((draw, FAR) for draw in (arc.backdrop, arc.delta, arc.box, arc.inbox, arc.outbox)),
        (arc.connect, (LEAST, 0), (MOST, 0)), (arc.shoot, (0, 0), (2**30, 0)),
        (arc.outbox, frozenset({(0, MOST)})), (arc.inbox, frozenset({(LEAST, 0)})),
        (arc.hperiod, WIDE),
    ],
    ZeroDivisionError: [
        (arc.divide, (1, 1), 0), (arc.divide, 4, (2, 0)), (arc.divide, (0, 0), (0, 1)),
    ],
    IndexError: [
        *((arc.cellwise, G, smaller, 0) for smaller in [(), ((1, 2, 3),), ((1, 2), (3, 4))]),
        (arc.downscale, (), 1), (arc.index, (), (0, 0)), (arc.hsplit, (), 2), (arc.vsplit, (), 2),
        (arc.bordering, frozenset({(5, 5)}), ()), (arc.objects, (), True, True, False),
    ],
    ValueError: [
        *((relation, EMPTY, TOP_LEFT) for relation in RELATED),
        *((relation, TOP_LEFT, EMPTY) for relation in RELATED),
        *((of, piece) for of in (arc.mostcolor, arc.leastcolor) for piece in (EMPTY, (), ((),))),
        *((arc.underfill, grid, 1, ()) for grid in ((), ((),))),
        *((of, grid, ()) for of in (arc.underpaint, arc.cover) for grid in ((), ((),))),
        *((arc.move, grid, (), (0, 0)) for grid in ((), ((),))),
        (arc.colorfilter, frozenset({EMPTY}), 4), (arc.objects, ((),), True, True, True),
    ],
}  # fmt: skip


EDGES = [
    ((arc.increment, MOST - 1), MOST), ((arc.subtract, -1, MOST), LEAST),
    ((arc.multiply, -(2**16), 2**15), LEAST), ((arc.rot90, ((True, 0),)), ((1,), (0,))),
    ((arc.height, (5, 6, 7)), 3), ((arc.height, (ENDS,)), 1), ((arc.square, EMPTY), True),
    ((arc.fill, ((),), 1, ()), ((),)), ((arc.paint, ((),), ()), ((),)),
    ((arc.subgrid, TOP_LEFT, ()), ()), ((arc.bordering, TOP_LEFT, ()), True),
    ((arc.underpaint, ((0, 5),), ((1, (0, 0)), (2, (0, 0)))), ((1, 5),)),
    ((arc.underpaint, ((0, 5),), ((0, (0, 0)), (2, (0, 0)))), ((2, 5),)),
    *((((arc.hperiod, frozenset((1, (0, j)) for j in columns)), period)
      for columns, period in [((0, 2, 4), 2), ((0, 2, 3), 3), ((1, 2), 1)])),
    ((arc.occurrences, ((1, 2), (2, 1)), frozenset({(1, (0, 0)), (2, (0, 0))})), EMPTY),
    ((arc.centerofmass, EMPTY), ()), ((arc.objects, ((),), True, True, False), EMPTY),
]  # fmt: skip
"""Calls and what they give."""


def test_the_machine_recolors_grids_of_any_integers():
    colors = [(G, 1, 300), (G, 9, -129), (G, 300, 301), (G, 1, MOST), (G, LEAST, 1)]
    assert assert_same(arc.replace, colors) == assert_same(arc.switch, colors) == []


CORNERS = frozenset({(1, 1), (3, 4)})


CHARGES = [
    ((arc.corners, CORNERS), 4), ((arc.backdrop, CORNERS), 12), ((arc.delta, CORNERS), 12),
    ((arc.box, CORNERS), 10), ((arc.box, EMPTY), 0), ((arc.inbox, CORNERS), 2),
    ((arc.outbox, CORNERS), 18), ((arc.connect, (0, 0), (0, 9)), 10),
    ((arc.connect, (0, 0), (1, 9)), 0), ((arc.connect, (0, 0), (1, 2**30)), 0),
    ((arc.shoot, (0, 0), (1, 0)), 43), ((arc.vfrontier, (0, 0)), 30),
    ((arc.palette, ((3, 3, 1), (1, 0, 3))), 3), ((arc.vconcat, NO_COLUMNS, NO_COLUMNS), 4),
]  # fmt: skip
"""Calls and their charges: the numbers of indices, colors or rows."""


# Patches that fall

placed = (lanes.indices | lanes.far_indices).filter(bool)


@given(placed, placed)
def test_gravitate_leads_next_to_the_destination_or_42_steps_away(a, b):
    di, dj = arc.gravitate(a, b)
    assert di == 0 or dj == 0
    assert arc.adjacent(arc.shift(a, (di, dj)), b) or abs(di + dj) == 42
    assert (di == 0) or arc.vmatching(a, b)
    assert_same(arc.gravitate, [(a, b)])


def test_gravitate_falls_along_a_shared_column_first():
    assert arc.gravitate(block(0, 0, 0, 1), block(6, 6, 0, 1)) == (5, 0)
    assert arc.gravitate(block(0, 0, 9, 10), block(0, 2, 0, 1)) == (0, -7)
    assert arc.gravitate(block(0, 0, 0, 0), block(1, 1, 0, 0)) == (0, 0)
    assert arc.gravitate(block(0, 0, 0, 0), block(0, 0, 90, 90)) == (0, 42)
