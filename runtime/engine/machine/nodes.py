"""Nodes: the values without a word of their own, in the heap, which is one array of int64.

The heap's first words are the machine's own: the end of the used part, the budget of the current
operation, the language's decisions, the addresses of routines. Then come nodes:

    a tuple    `TUPLE`, its length, the tag of its elements, their words
    a set      `SET`, then as for a tuple; the elements are distinct and ascend
    a table    `TABLE`, its height, its width, its numbers row by row: a tuple of tuples of
               Integers, at least one row, all of one length
    a packed table `PACKED`, its height, its width, its numbers, eight to a word (see `copying`)
    a function `FUNCTION`, the number of bound values, the number of its kind, the bound values, its
               arity, its size, its depth

A value has one form: a value that can be a word is no node, and a tuple that can be a table is a
table. The tag of a node is the common tag of its elements, or `MIXED`. `()` and `frozenset()` have
fixed places.
"""


from megabatt.runtime.engine.machine.functions import ADDRESSES, MOST_ROUTINES, machine_function
from megabatt.runtime.engine.machine.words import (
    FULL,
    MIXED,
    NODE,
    OVER_LIMIT,
    is_labelled_pair,
    is_node,
    is_pair,
    required,
)

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
pairs of Integers, labelled or not, count as one element; the greatest depth of calls, beyond which
calls go to the scalar form."""

MOST_PRIMITIVES, MOST_KINDS = 1024, 64
FORMS = ADDRESSES + MOST_ROUTINES
ESTIMATES = FORMS + MOST_PRIMITIVES
ARITIES = ESTIMATES + MOST_PRIMITIVES
RANKS = ARITIES + MOST_PRIMITIVES
"""The places, by a primitive's number, of: the address of its compiled form; the address of that
form's replacement while a charge is estimated; the arity; the rank, the place of its name among all
functions' names."""

ANY_ARITY = -1
"""The arity of the function that fails for any arguments."""

CALLED = RANKS + MOST_PRIMITIVES
KIND_RANKS = CALLED + MOST_KINDS
"""The places, by the number of a kind of built functions, of: the address of the caller; the
rank."""

EMPTY_TUPLE_AT = KIND_RANKS + MOST_KINDS
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
    """Charge elements to the operation; below 0, nothing.

    Returns the rest of the budget, or `OVER_LIMIT`.
    """
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
    """Return a call's result; `FULL` if anything in the call lacked room.

    end: The end of the heap's room, which is restored.
    """
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
def container_kind(heap, container):
    """Return `SET` for a set, `TUPLE` for any tuple."""
    return SET if is_set(heap, container) else TUPLE


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
def copy_words(heap, source, to, count):
    """Copy words in order. Target and source may overlap if the target begins first."""
    for k in range(count):
        heap[to + k] = heap[source + k]
