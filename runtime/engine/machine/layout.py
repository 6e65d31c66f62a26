"""How values lie in memory: words, and nodes in the heap.

A word, an int64, is the value itself, or the address of its node.

    Integer                     itself, within 32 bits
    Boolean                     `FALSE` or `TRUE`
    None                        `NONE`
    (i, j)                      `PAIR` + its code (`pair`), for parts in [-BIAS, BIAS)
    (n, (i, j))                 a labelled pair, `LABELLED_PAIR` + its code (`labelled_pair`), for
                                labels n in [-LABEL_BIAS, LABEL_BIAS)
    a Real                      `ZERO` + or - its code (`real`), for infinity, 0, and sizes from
                                2**-255 up to 2**255
    a primitive                 `PRIMITIVE` + its number
    anything else               `NODE` + its address

A value has one word, except that two nodes may hold equal values. Two Integers, two Reals, two
pairs or two labelled pairs compare as their words do.

A function that returns a word may return a wrong word instead, at most `WRONG`: the call has failed
for a reason (`WRONG_TYPE`, `NO_VALUE`, `OVER_LIMIT`, `WRONG_ARITY`); the scalar form must make the
call (`HOST`); or the heap has no room (`FULL`). The caller must return it too, see `required`.

The heap is one array of int64. Its first words are the machine's own: the end of the used part, the
budget of the current operation, the language's decisions, the addresses of routines. Then come
nodes, the values without a word of their own:

    a tuple    `TUPLE`, its length, the tag of its elements, their words
    a set      `SET`, then as for a tuple; the elements are distinct and ascend
    a table    `TABLE`, its height, its width, its numbers row by row: a tuple of tuples of
               Integers, at least one row, all of one length
    a packed table `PACKED`, its height, its width, its numbers, eight to a word (see `copying`)
    a function `FUNCTION`, the number of bound values, its kind, these values, arity, size, depth

A value has one form: a value that can be a word is no node, and a tuple that can be a table is a
table. The tag of a node is the common tag of its elements, or `MIXED`. `()` and `frozenset()` have
fixed places.
"""

from megabatt.runtime.engine.machine.functions import (
    ADDRESSES,
    MOST_ROUTINES,
    machine_function,
    real_of,
)

WRONG_TYPE = -(2**63)
NO_VALUE, OVER_LIMIT, WRONG_ARITY, HOST, FULL = range(WRONG_TYPE + 1, WRONG_TYPE + 6)
WRONG = FULL

NONE = -(2**62)
UNKNOWN = NONE + 1
"""Stands for an unknown value while a charge is estimated."""
ZERO = -(2**61)
"""The word of the Real 0.0."""
FALSE = 2**33
TRUE = FALSE + 1
PRIMITIVE = 2**35
PAIR = 2**44
NODE = 2**61
LABELLED_PAIR = 2**62

INFINITE, SHIFT, INFINITE_CODE = 2047 << 52, 767 << 52, 511 << 52
"""The bits of an infinite float64; the bits of a finite one less its code; infinity's code."""

BIAS = 1 << 20
LABEL_BIAS = 1 << 19
PART = (1 << 21) - 1
"""The bits of a part of a pair: `BIAS` and the part."""
COLUMN, ROW, LABEL = 0, 21, 42
"""The numbers of bits below the parts and the label in the word of a pair, labelled or not."""
_PARTS = (1 << 42) - 1

MIXED, INTEGERS, PAIRS, LABELLED_PAIRS = range(4)
"""The tags of words: `MIXED` is the tag of all words but Integers, pairs and labelled pairs."""


def required(word: int) -> int:
    """Return a word; if it is wrong, the machine function that calls `required` returns it at once.

    A machine function writes `name = required(word)` or `required(word)`; translators spell it out.
    """
    raise NotImplementedError("only machine functions call it")


@machine_function
def reason_of(word):
    """Return the `Reason` of a wrong word; 0 for `HOST`, `FULL` and right words."""
    return word - WRONG_TYPE + 1 if word <= WRONG_ARITY else 0


@machine_function
def is_integer(word):
    """Tell whether a word is an Integer and no Boolean."""
    return -2147483648 <= word and word <= 2147483647


@machine_function
def is_boolean(word):
    return word >> 1 == 4294967296


@machine_function
def is_number(word):
    return is_integer(word) or is_boolean(word)


@machine_function
def number_of(word):
    """Return the number of an Integer or a Boolean."""
    return word if is_integer(word) else word & 1


@machine_function
def is_real(word):
    return word > UNKNOWN and word < -2251799813685248


@machine_function
def is_numeric(word):
    """Tell whether a word is an Integer, a Boolean or a Real."""
    return is_number(word) or is_real(word)


@machine_function
def real(bits):
    """Return the Real of a float64's bits; `NO_VALUE` for no number, `OVER_LIMIT` out of range."""
    size = bits & 9223372036854775807
    if size == 0:
        return ZERO
    if size > INFINITE:
        return NO_VALUE
    code = INFINITE_CODE if size == INFINITE else size - SHIFT
    if code < 4503599627370496 or (code >= INFINITE_CODE and size != INFINITE):
        return OVER_LIMIT
    return ZERO + code if bits > 0 else ZERO - code


@machine_function
def bits_of(word):
    """Return the bits of the float64 that a Real, an Integer or a Boolean equals."""
    return bits_of_real(word) if is_real(word) else real_of(number_of(word))


@machine_function
def bits_of_real(word):
    """Return the bits of a Real's float64."""
    code = abs(word - ZERO)
    size = code + SHIFT if code < INFINITE_CODE else INFINITE
    if code == 0:
        return 0
    return size if word > ZERO else size + WRONG_TYPE


@machine_function
def boolean(flag):
    """Return the word of a flag: a bool, 0 or 1."""
    return FALSE + flag


@machine_function
def is_pair(word):
    return word >> 42 == 4


@machine_function
def is_labelled_pair(word):
    return word >> 62 == 1


@machine_function
def is_node(word):
    return word >> 61 == 1


@machine_function
def is_primitive(word):
    return word >> 35 == 1


@machine_function
def tag_of(word):
    if is_integer(word):
        return INTEGERS
    if is_pair(word):
        return PAIRS
    if is_labelled_pair(word):
        return LABELLED_PAIRS
    return MIXED


@machine_function
def fits(part):
    """Tell whether an int can be a part of a pair."""
    return -1048576 <= part and part < 1048576


@machine_function
def pair(i, j):
    """Return the word of (i, j); `HOST` where a part does not fit."""
    if fits(i) and fits(j):
        return PAIR | ((i + BIAS) << 21) | (j + BIAS)
    return HOST


@machine_function
def labelled_pair(label, i, j):
    """Return the word of (label, (i, j)); `HOST` where a part does not fit."""
    return labelled(label, pair(i, j)) if fits(i) and fits(j) else HOST


@machine_function
def part_of(word, bits):
    """Return the row or column of a pair, labelled or not, plus `BIAS`. bits: `ROW`, `COLUMN`."""
    return (word >> bits) & PART


@machine_function
def row_of(word):
    """Return `i` of the pair `(i, j)`, labelled or not."""
    return part_of(word, ROW) - BIAS


@machine_function
def column_of(word):
    """Return `j` of the pair `(i, j)`, labelled or not."""
    return part_of(word, COLUMN) - BIAS


@machine_function
def label_of(word):
    return ((word >> 42) & 1048575) - LABEL_BIAS


@machine_function
def pair_in(word):
    """Return the pair of a labelled pair, or a pair itself."""
    return PAIR | (word & _PARTS)


@machine_function
def labelled(label, pair):
    """Return a pair with a new label; `HOST` if the label does not fit."""
    if -524288 <= label and label < 524288:
        return LABELLED_PAIR | ((label + LABEL_BIAS) << 42) | (pair & _PARTS)
    return HOST


@machine_function
def any_word(heap, word):
    """Cast a word to `Any`: return it as it is."""
    return word


TOP, END, BUDGET, DEPTH, HIGH, NESTED, ALLOWED, ESTIMATING = range(8)
"""The places of: the address of the first free word; the end of the heap's room, 0 once something
lacked room; the rest of the budget; the depth of nested calls; the higher half of the last
fingerprint; the depth of nested calls of functions of a program's own; the operation's budget; 0,
or while a charge is estimated the distance from `FORMS` to `ESTIMATES`. On a device each thread has
these words of its own."""

OWN = 8
"""The number of the thread's own words. The next words, up to `EMPTY_TUPLE_AT`, are constant."""

LEAST, MOST, MAX_DEPTH, PLACES_WEIGH_ONE, MOST_CALLS = range(OWN, OWN + 5)
"""The places of: the least and the greatest Integer; the greatest depth of containers; whether
pairs, labelled or not, count as one element; the depth of calls beyond which scalar forms call."""

MOST_PRIMITIVES, MOST_KINDS = 1024, 64
FORMS = ADDRESSES + MOST_ROUTINES
ESTIMATES = FORMS + MOST_PRIMITIVES
ARITIES = ESTIMATES + MOST_PRIMITIVES
RANKS = ARITIES + MOST_PRIMITIVES
"""The places, by a primitive's number, of: the address of its compiled form; the address of that
form's replacement while a charge is estimated; the arity; the rank, the place of its name among all
functions' names."""

MOST_OPERANDS = 5
"""The most operands, a function and its arguments; a call with more fails."""

ANY_ARITY = -1
"""The arity of the function that fails for any arguments."""

CALLED = RANKS + MOST_PRIMITIVES
KIND_RANKS = CALLED + MOST_KINDS
COMPARED = KIND_RANKS + MOST_KINDS
"""The places, by the number of a kind of built functions, of: the address of the caller; the
rank; the number of bound values that are compared."""

EMPTY_TUPLE_AT = COMPARED + MOST_KINDS
EMPTY_SET_AT = EMPTY_TUPLE_AT + 3
BEGIN = EMPTY_SET_AT + 3
"""The address of the first node."""

EMPTY_TUPLE, EMPTY_SET = NODE + EMPTY_TUPLE_AT, NODE + EMPTY_SET_AT
"""The words of `()` and `frozenset()`."""

TUPLE, SET, TABLE, FUNCTION, PACKED = range(1, 6)
CONTENT = 3
"""The place in a node of its first element, number or bound value."""


@machine_function
def begin_operation(heap, limit):
    """Begin an operation. limit: The elements that the operation may build."""
    heap[BUDGET] = limit
    heap[ALLOWED] = limit
    heap[ESTIMATING] = 0
    heap[DEPTH] = 0
    heap[NESTED] = 0


@machine_function
def charge(heap, elements):
    """Charge elements; below 0, nothing. Returns the rest of the budget, or `OVER_LIMIT`."""
    heap[BUDGET] -= max(elements, 0)
    return heap[BUDGET] if heap[BUDGET] >= 0 else OVER_LIMIT


@machine_function
def room_for(heap, words):
    """Allocate words. Returns their address; without room `FULL`, and `FULL` from then on."""
    at = heap[TOP]
    if words < 0 or words > heap[END] - at:
        heap[END] = 0
        return FULL
    heap[TOP] = at + words
    return at


@machine_function
def outcome(heap, result, end):
    """Return a call's result; `FULL` if anything lacked room. end: The room's end, restored."""
    if heap[END] == 0:
        heap[END] = end
        return FULL
    return result


@machine_function
def address_of(word):
    return word & (NODE - 1)


@machine_function
def word_at(address):
    return NODE | address


@machine_function
def kind_at(heap, word):
    """Return the kind of a node, such as `TUPLE` or `PACKED`; 0 for other words."""
    return heap[address_of(word)] if is_node(word) else 0


@machine_function
def is_set(heap, word):
    return kind_at(heap, word) == SET


@machine_function
def is_table(heap, word):
    return kind_at(heap, word) == TABLE


@machine_function
def is_tuple(heap, word):
    """Tell whether a value is a tuple; pairs, labelled pairs and tables are tuples too."""
    kind = kind_at(heap, word)
    return kind == TUPLE or kind == TABLE or is_pair(word) or is_labelled_pair(word)


@machine_function
def is_container(heap, word):
    return is_tuple(heap, word) or is_set(heap, word)


@machine_function
def count_of(heap, word):
    """Count the elements of a tuple or a set."""
    if is_node(word):
        return heap[address_of(word) + 1]  # the height of a table
    return 2


@machine_function
def has_words(heap, at):
    """Tell whether elements of the node at an address may be nodes."""
    kind = heap[at]
    return kind == FUNCTION or (kind != TABLE and kind != PACKED and heap[at + 2] == MIXED)


@machine_function
def integer(heap, number):
    """Return an Integer, or `OVER_LIMIT` if it is out of the language's range."""
    return number if heap[LEAST] <= number and number <= heap[MOST] else OVER_LIMIT


@machine_function
def height_of(heap, table):
    """Return the height of a table; 0 for `()`."""
    return heap[address_of(table) + 1]


@machine_function
def width_of(heap, table):
    """Return the width of a table; 0 for `()`."""
    at = address_of(table)
    return heap[at + 2] if heap[at] == TABLE else 0


@machine_function
def area_of(heap, table):
    """Count the numbers of a table; 0 for `()`."""
    return height_of(heap, table) * width_of(heap, table)


@machine_function
def numbers_at(table):
    """Return the address of a table's first number."""
    return address_of(table) + CONTENT


@machine_function
def new_table(heap, height, width):
    """Make a table, to be filled from `numbers_at` on; `()` without rows. `FULL` without room."""
    if height <= 0:
        return EMPTY_TUPLE
    at = required(room_for(heap, CONTENT + height * width))
    heap[at] = TABLE
    heap[at + 1] = height
    heap[at + 2] = width
    return word_at(at)


@machine_function
def begin_node(heap, most):
    """Return the address of a new node for at most `most` elements; `FULL` without room.

    Store the elements from `CONTENT` on. `finish_tuple` or `finish_set` makes the value.
    """
    return room_for(heap, CONTENT + most)


@machine_function
def finish_tagged(heap, at, kind, count, tag):
    """Finish a begun node, and return the word of its value.

    kind: `SET`, for distinct ascending elements, or `TUPLE`, for a value that is no pair, labelled
    pair or table. tag: The common tag of the elements. The memory behind the node is freed, unless
    elements may lie in it.
    """
    if count == 0:
        heap[TOP] = at
        return EMPTY_SET if kind == SET else EMPTY_TUPLE
    if tag != MIXED:
        heap[TOP] = at + CONTENT + count
    heap[at] = kind
    heap[at + 1] = count
    heap[at + 2] = tag
    return word_at(at)


@machine_function
def fill_words(heap, at, count, word):
    """Store a word in `count` places from an address on."""
    for k in range(count):
        heap[at + k] = word


@machine_function
def copy_words(heap, source, to, count):
    """Copy words in order. Target and source may overlap if the target begins first."""
    for k in range(count):
        heap[to + k] = heap[source + k]
