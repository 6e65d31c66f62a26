"""Casts of words to ARC's own types; see `core.words` for the others.

A grid is a table, or `()`. A patch is a set of pairs or of cells, or `frozenset()`. An object is a
set or a tuple of cells, or an empty one.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.core.words import to_integer
from megabatt.runtime.engine.machine.contents import element
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    EMPTY_SET,
    EMPTY_TUPLE,
    SET,
    TABLE,
    TUPLE,
    address_of,
    begin_node,
    count_of,
    finish_tagged,
    is_set,
    is_table,
    is_tuple,
    kind_at,
    new_table,
    numbers_at,
)
from megabatt.runtime.engine.machine.sets import finish_set
from megabatt.runtime.engine.machine.weights import is_pair_of_numbers
from megabatt.runtime.engine.machine.words import (
    FULL,
    HOST,
    LABELLED_PAIRS,
    MIXED,
    PAIRS,
    WRONG,
    WRONG_TYPE,
    column_of,
    is_labelled_pair,
    is_number,
    is_pair,
    label_of,
    labelled,
    labelled_pair,
    number_of,
    pair,
    pair_in,
    row_of,
)

CELLS, cell, is_cell = LABELLED_PAIRS, labelled_pair, is_labelled_pair
"""A cell is a color with a location: a labelled pair."""
color_of, location_of, colored = label_of, pair_in, labelled


@machine_function
def to_pair(heap, word):
    """Cast to an IntegerTuple: a pair."""
    if is_pair(word):
        return word
    if is_pair_of_numbers(heap, word):
        return pair_of_numbers(heap, word)
    return int64(WRONG_TYPE)


@machine_function
def pair_of_numbers(heap, word):
    """Make a tuple of two Integers or Booleans a pair; `HOST` where it does not fit."""
    return pair(number_of(element(heap, word, 0)), number_of(element(heap, word, 1)))


@machine_function
def to_numerical(heap, word):
    """Cast to an Integer or a pair."""
    number = to_integer(heap, word)
    if number != WRONG_TYPE:
        return number
    return to_pair(heap, word)


@machine_function
def to_grid(heap, word):
    """Cast to a table or `()`."""
    if is_table(heap, word) or word == EMPTY_TUPLE:
        return word
    if word == EMPTY_SET:
        return int64(EMPTY_TUPLE)
    if kind_at(heap, word) == TUPLE:
        return grid_of_numbers(heap, word)
    return int64(WRONG_TYPE)


@routine
def grid_of_numbers(heap, word):
    """Make Booleans in a tuple of tuples Integers; `WRONG_TYPE` where it is no grid then."""
    rows = count_of(heap, word)
    width = int64(-1)
    for i in range(rows):
        row = element(heap, word, i)
        if not is_tuple(heap, row) or is_table(heap, row) or is_cell(row):
            return int64(WRONG_TYPE)
        if width >= 0 and count_of(heap, row) != width:
            return int64(WRONG_TYPE)
        width = count_of(heap, row)
        for j in range(width):
            if not is_number(element(heap, row, j)):
                return int64(WRONG_TYPE)
    grid = new_table(heap, rows, width)
    if grid <= WRONG:
        return grid
    at = numbers_at(grid)
    for i in range(rows):
        row = element(heap, word, i)
        for j in range(width):
            heap[at + i * width + j] = number_of(element(heap, row, j))
    return grid


@machine_function
def to_patch(heap, word):
    """Cast to a set of pairs or of cells."""
    if word == EMPTY_SET or word == EMPTY_TUPLE:
        return int64(EMPTY_SET)
    if kind_at(heap, word) == SET:
        tag = heap[address_of(word) + 2]
        if tag == PAIRS or tag == CELLS:
            return word
    return patch_of(heap, word, 0)


@machine_function
def to_object(heap, word):
    """Cast to a set or a tuple of cells."""
    kind = kind_at(heap, word)
    if word == EMPTY_SET or word == EMPTY_TUPLE:
        return word
    if (kind == SET or kind == TUPLE) and heap[address_of(word) + 2] == CELLS:
        return word
    return patch_of(heap, word, 1)


@routine
def patch_of(heap, word, as_object):
    """Make a container of pairs or of cells a set of such words, Booleans made Integers.

    as_object: 1 to take cells only, and leave a tuple a tuple. `WRONG_TYPE` for other values,
    `HOST` where a part does not fit.
    """
    kind = kind_at(heap, word)
    if kind != SET and kind != TUPLE and kind != TABLE:
        return int64(WRONG_TYPE)
    count = count_of(heap, word)
    at = begin_node(heap, count)
    if at < 0:
        return int64(FULL)
    tag = int64(MIXED)
    host = False
    for k in range(count):
        place = element(heap, word, k)
        mine = place_tag(heap, place)
        if mine == MIXED or (tag != MIXED and mine != tag) or (as_object == 1 and mine == PAIRS):
            return int64(WRONG_TYPE)
        tag = mine
        made = place_of(heap, place, tag)
        if made <= WRONG:
            host = True
        heap[at + CONTENT + k] = made
    if host:
        return int64(HOST)
    if as_object == 1 and kind != SET:
        return finish_tagged(heap, at, TUPLE, count, tag)
    return finish_set(heap, at, count)


@machine_function
def place_tag(heap, word):
    """Return `PAIRS` or `CELLS` for what can be made one, else `MIXED`."""
    if is_pair_of_numbers(heap, word):
        return int64(PAIRS)
    if is_cell(word):
        return int64(CELLS)
    if kind_at(heap, word) == TUPLE and count_of(heap, word) == 2:
        if is_number(element(heap, word, 0)) and is_pair_of_numbers(heap, element(heap, word, 1)):
            return int64(CELLS)
    return int64(MIXED)


@machine_function
def place_of(heap, word, tag):
    """Return the pair or the cell that a value can be made; `HOST` where a part does not fit."""
    if is_pair(word) or is_cell(word):
        return word
    if tag == PAIRS:
        return pair_of_numbers(heap, word)
    place = pair_of_numbers(heap, element(heap, word, 1))
    if place <= WRONG:
        return place
    return cell(number_of(element(heap, word, 0)), row_of(place), column_of(place))


@routine
def to_object_set(heap, word):
    """Cast to a set of objects."""
    if not (is_set(heap, word) or is_tuple(heap, word)):
        return int64(WRONG_TYPE)
    if is_pair(word) or is_cell(word):
        return int64(WRONG_TYPE)
    count = count_of(heap, word)
    at = int64(-1)
    for k in range(count):
        one = element(heap, word, k)
        made = to_object(heap, one)
        if made <= WRONG:
            return made
        if at < 0 and (made != one or not is_set(heap, word)):
            at = begin_node(heap, count)
            if at < 0:
                return int64(FULL)
            for before in range(k):
                heap[at + CONTENT + before] = element(heap, word, before)
        if at >= 0:
            heap[at + CONTENT + k] = made
    if at >= 0:
        return finish_set(heap, at, count)
    if count == 0:
        return int64(EMPTY_SET)
    return word


@machine_function
def to_piece(heap, word):
    """Cast to a grid, if the value is a tuple, else to a patch."""
    if is_tuple(heap, word):
        return to_grid(heap, word)
    return to_patch(heap, word)


@machine_function
def to_element(heap, word):
    """Cast to a grid, if the value is a tuple, else to an object."""
    if is_tuple(heap, word):
        return to_grid(heap, word)
    return to_object(heap, word)


@machine_function
def to_tuple_or_patch(heap, word):
    """Take any tuple as it is; cast other values to a patch."""
    if is_tuple(heap, word):
        return word
    return to_patch(heap, word)
