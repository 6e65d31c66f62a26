"""Values as words: an int64 that is the value itself, or says where in the heap it lies.

    Integer                     itself, within 32 bits
    Boolean                     `FALSE` or `TRUE`
    None                        `NONE`
    (i, j)                      `PAIR` + its code (`pair`), for parts in [-BIAS, BIAS)
    (c, (i, j))                 `CELL` + its code (`cell`), for c in [-COLOR_BIAS, COLOR_BIAS)
    a primitive                 `PRIMITIVE` + its number
    anything else               `NODE` + its address, see `heap`

A value has one word only; but two nodes may be equal. Words that are both Integers, both pairs or
both cells compare as the values do.

A function that returns a word may return a wrong one instead, which is no more than `WRONG`: the
call has failed (`FAILED`), the scalar form must make it (`HOST`), or the heap has no room (`FULL`).
The caller returns it too.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.machine.functions import machine_function

FAILED = -(2**63)
HOST = FAILED + 1
FULL = FAILED + 2
WRONG = FULL

NONE = -(2**62)
FALSE = 2**33
TRUE = FALSE + 1
PRIMITIVE = 2**35
PAIR = 2**44
NODE = 2**61
CELL = 2**62

BIAS = 1 << 20
COLOR_BIAS = 1 << 19
PART = (1 << 21) - 1
"""The bits of a part of a pair or a cell: `BIAS` and the part."""
_LOCATION = (1 << 42) - 1

MIXED, INTEGERS, PAIRS, CELLS = range(4)
"""The tags of words: of Integers, pairs, cells; `MIXED` of all others."""


@machine_function
def is_integer(word):
    """Tell whether a word is an Integer and no Boolean."""
    return -2147483648 <= word and word <= 2147483647


@machine_function
def is_boolean(word):
    return word >> 1 == 4294967296


@machine_function
def is_number(word):
    """Tell whether a word is an Integer or a Boolean."""
    return is_integer(word) or is_boolean(word)


@machine_function
def number_of(word):
    """Return the number that an Integer or a Boolean is."""
    if is_integer(word):
        return word
    return word & int64(1)


@machine_function
def boolean(flag):
    """Return the word of a flag, a bool or 0 or 1."""
    return int64(FALSE) + int64(flag)


@machine_function
def is_pair(word):
    return word >> 42 == 4


@machine_function
def is_cell(word):
    return word >> 62 == 1


@machine_function
def is_node(word):
    return word >> 61 == 1


@machine_function
def is_primitive(word):
    return word >> 35 == 1


@machine_function
def tag_of(word):
    """Return the tag of a word."""
    if is_integer(word):
        return int64(INTEGERS)
    if is_pair(word):
        return int64(PAIRS)
    if is_cell(word):
        return int64(CELLS)
    return int64(MIXED)


@machine_function
def fits(part):
    """Tell whether an int can be a part of a pair, or of a cell's location."""
    return -1048576 <= part and part < 1048576


@machine_function
def pair(i, j):
    """Return the word of (i, j); `HOST` where a part does not fit."""
    if fits(i) and fits(j):
        return int64(PAIR) | ((i + int64(BIAS)) << 21) | (j + int64(BIAS))
    return int64(HOST)


@machine_function
def cell(color, i, j):
    """Return the word of (color, (i, j)); `HOST` where a part does not fit."""
    if fits(i) and fits(j) and -524288 <= color and color < 524288:
        location = ((i + int64(BIAS)) << 21) | (j + int64(BIAS))
        return int64(CELL) | ((color + int64(COLOR_BIAS)) << 42) | location
    return int64(HOST)


@machine_function
def row_of(word):
    """Return i of a pair or a cell."""
    return ((word >> 21) & int64(PART)) - int64(BIAS)


@machine_function
def column_of(word):
    """Return j of a pair or a cell."""
    return (word & int64(PART)) - int64(BIAS)


@machine_function
def color_of(word):
    """Return the color of a cell."""
    return ((word >> 42) & int64(1048575)) - int64(COLOR_BIAS)


@machine_function
def location_of(word):
    """Return the pair of a cell: its location. A pair is its own."""
    return int64(PAIR) | (word & int64(_LOCATION))


@machine_function
def colored(color, location):
    """Return the cell of a color at a pair, or where another cell is; `HOST` if it does not fit."""
    if -524288 <= color and color < 524288:
        return int64(CELL) | ((color + int64(COLOR_BIAS)) << 42) | (location & int64(_LOCATION))
    return int64(HOST)


@machine_function
def any_word(heap, word):
    """Cast a word to `Any`: return it as it is."""
    return word
