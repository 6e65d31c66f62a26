"""Casts of words to ARC's own types; see `core.words` for the other types.

A grid is a table, or `()`. A patch is a set of pairs or of cells, or `frozenset()`. An object is a
set or a tuple of cells, or an empty one.
"""

from megabatt.runtime.core.words import to_integer
from megabatt.runtime.engine.machine import prelude as m

CELLS, cell, is_cell = m.LABELLED_PAIRS, m.labelled_pair, m.is_labelled_pair
"""A cell is a color with a location: a labelled pair."""
color_of, location_of, colored = m.label_of, m.pair_in, m.labelled


@m.machine_function
def run_end(heap, at, end, bits):
    """Find the end, up to `end`, of the run of words from `at` on that agree above `bits` bits."""
    key = heap[at] >> bits
    while at < end and heap[at] >> bits == key:
        at += 1
    return at


@m.machine_function
def locations_fit(h, w):
    """Tell whether pairs hold all locations of a grid."""
    return w == 0 or (m.fits(h - 1) and m.fits(w - 1))


@m.machine_function
def to_pair(heap, word):
    """Cast to an IntegerTuple: a pair."""
    if m.is_pair(word):
        return word
    if not m.is_pair_of_numbers(heap, word):
        return m.WRONG_TYPE
    return m.pair(m.number_of(m.element(heap, word, 0)), m.number_of(m.element(heap, word, 1)))


@m.machine_function
def to_cell(heap, word):
    """Cast to a cell; `HOST` for any other tuple."""
    if is_cell(word):
        return word
    return m.HOST if m.is_tuple(heap, word) else m.WRONG_TYPE


@m.machine_function
def to_numerical(heap, word):
    """Cast to an Integer or a pair."""
    number = to_integer(heap, word)
    return number if number != m.WRONG_TYPE else to_pair(heap, word)


@m.machine_function
def to_grid(heap, word):
    """Cast to a table or `()`."""
    if m.is_table(heap, word) or word == m.EMPTY_TUPLE:
        return word
    if word == m.EMPTY_SET:
        return m.EMPTY_TUPLE
    return grid_of_numbers(heap, word) if m.kind_at(heap, word) == m.TUPLE else m.WRONG_TYPE


@m.routine
def grid_of_numbers(heap, word):
    """Make a grid from a tuple of rows with Booleans; `WRONG_TYPE` if the rows make no grid."""
    rows = m.count_of(heap, word)
    grid, width = m.EMPTY_TUPLE, 0
    for i in range(rows):
        row = m.element(heap, word, i)
        if not m.is_tuple(heap, row) or m.is_table(heap, row) or is_cell(row):
            return m.WRONG_TYPE
        if i == 0:
            width = m.count_of(heap, row)
            grid = m.required(m.new_table(heap, rows, width))
        if m.count_of(heap, row) != width:
            return m.WRONG_TYPE
        for j in range(width):
            number = m.element(heap, row, j)
            if not m.is_number(number):
                return m.WRONG_TYPE
            heap[m.numbers_at(grid) + i * width + j] = m.number_of(number)
    return grid


@m.machine_function
def to_patch(heap, word):
    """Cast to a set of pairs or of cells."""
    if word == m.EMPTY_SET or word == m.EMPTY_TUPLE:
        return m.EMPTY_SET
    if m.kind_at(heap, word) == m.SET:
        tag = heap[m.address_of(word) + 2]
        if tag == m.PAIRS or tag == CELLS:
            return word
    return patch_of(heap, word, 0)


@m.machine_function
def to_object(heap, word):
    """Cast to a set or a tuple of cells."""
    kind = m.kind_at(heap, word)
    if word == m.EMPTY_SET or word == m.EMPTY_TUPLE:
        return word
    if (kind == m.SET or kind == m.TUPLE) and heap[m.address_of(word) + 2] == CELLS:
        return word
    return patch_of(heap, word, 1)


@m.routine
def patch_of(heap, word, as_object):
    """Make a set of pairs or of cells out of a container, with Booleans made Integers.

    as_object: 1 to take cells only, and to keep a tuple. `WRONG_TYPE` or `HOST`: See `place_of`.
    """
    kind = m.kind_at(heap, word)
    if kind != m.SET and kind != m.TUPLE and kind != m.TABLE:
        return m.WRONG_TYPE
    count = m.count_of(heap, word)
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        place = m.required(place_of(heap, m.element(heap, word, k)))
        heap[at + m.CONTENT + k] = place
        is_other = is_cell(place) != is_cell(heap[at + m.CONTENT])
        if is_other or (as_object == 1 and not is_cell(place)):
            return m.WRONG_TYPE
    if as_object == 1 and kind != m.SET:
        return m.finish_tagged(heap, at, m.TUPLE, count, CELLS)
    return m.finish_set(heap, at, count)


@m.machine_function
def place_of(heap, word):
    """Make a pair or a cell; `WRONG_TYPE` for other values, `HOST` where a part does not fit."""
    if is_cell(word):
        return word
    if m.kind_at(heap, word) == m.TUPLE and m.count_of(heap, word) == 2:
        color, place = m.element(heap, word, 0), to_pair(heap, m.element(heap, word, 1))
        if m.is_number(color) and place != m.WRONG_TYPE:
            return m.HOST if place == m.HOST else colored(m.number_of(color), place)
    return to_pair(heap, word)


@m.routine
def to_object_set(heap, word):
    if not m.is_container(heap, word) or m.is_pair(word) or is_cell(word):
        return m.WRONG_TYPE
    count = m.count_of(heap, word)
    at = m.required(m.begin_node(heap, count))
    changed = not m.is_set(heap, word)
    for k in range(count):
        one = m.element(heap, word, k)
        made = m.required(to_object(heap, one))
        changed |= made != one
        heap[at + m.CONTENT + k] = made
    if changed:
        return m.finish_set(heap, at, count)
    heap[m.TOP] = at
    return word


@m.machine_function
def to_piece(heap, word):
    return to_grid(heap, word) if m.is_tuple(heap, word) else to_patch(heap, word)


@m.machine_function
def to_element(heap, word):
    return to_grid(heap, word) if m.is_tuple(heap, word) else to_object(heap, word)


@m.machine_function
def to_tuple_or_patch(heap, word):
    return word if m.is_tuple(heap, word) else to_patch(heap, word)
