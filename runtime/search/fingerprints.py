"""Fingerprints of values, of 128 bits, and classes of words."""


from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.functions import machine_function, routine

_LOW_FACTOR, _HIGH_FACTOR = 0x9E3779B97F4A7C15 - (1 << 64), 0xC2B2AE3D27D4EB4F - (1 << 64)
LOW_STEP, HIGH_STEP = 0x2545F4914F6CDD1D, 0x5851F42D4C957F2D
"""Odd factors with about half of their bits set."""


@machine_function
def mixed(number):
    """Mix a number, so that every bit depends on all bits."""
    number = (number ^ (number >> 32)) * _LOW_FACTOR
    number = (number ^ (number >> 29)) * _HIGH_FACTOR
    return number ^ (number >> 32)


@machine_function
def followed(bits, factor, number):
    """Return the bits of a sequence of numbers, from the bits of its beginning and its last number.

    Without the shift, the bits would be a polynomial, which is equal for some patterns of numbers.
    """
    return (bits ^ (bits >> 29)) * factor + number


@machine_function
def fingerprint(heap, word):
    """Return 64 bits of a value's fingerprint, and store 64 more at `HIGH`."""
    if m.is_node(word):
        return fingerprint_of_node(heap, word)
    heap[m.HIGH] = mixed(word * HIGH_STEP + 1)
    return mixed(word * LOW_STEP + 2)


@routine
def fingerprint_of_node(heap, word):
    """Do `fingerprint` for a value that is a node."""
    at = m.address_of(word)
    kind = heap[at]
    count = heap[at + 1]
    head = kind * 31 + count * 1048576
    if kind == m.TABLE or kind == m.FUNCTION:
        head += heap[at + 2] * 17
    if kind == m.TABLE:
        count *= heap[at + 2]
    low = mixed(head)
    high = mixed(head + _HIGH_FACTOR)
    first = at + m.CONTENT
    if m.has_words(heap, at):
        for k in range(count):
            low = followed(low, LOW_STEP, fingerprint(heap, heap[first + k]))
            high = followed(high, HIGH_STEP, heap[m.HIGH])
    else:  # two numbers at a time, for instruction-level parallelism
        other_low = 0
        other_high = 0
        for k in range(0, count - 1, 2):
            low = followed(low, LOW_STEP, heap[first + k])
            high = followed(high, HIGH_STEP, heap[first + k])
            other_low = followed(other_low, LOW_STEP, heap[first + k + 1])
            other_high = followed(other_high, HIGH_STEP, heap[first + k + 1])
        if count & 1 == 1:
            low = followed(low, LOW_STEP, heap[first + count - 1])
            high = followed(high, HIGH_STEP, heap[first + count - 1])
        low = followed(low, LOW_STEP, mixed(other_low))
        high = followed(high, HIGH_STEP, mixed(other_high))
    heap[m.HIGH] = mixed(high)
    return mixed(low)


CLASSES = 48
"""The number of classes of words."""
_OF_TUPLES, _OF_SETS = 16, 32
(
    _NONE, _BOOLEAN, _INTEGER, _PAIR, _LABELLED_PAIR, _FUNCTION,
    _EMPTY_TUPLE, _EMPTY_SET, _TABLE, _TABLE_OF_PAIRS, _TUPLE, _SET,
) = range(12)  # fmt: skip


@machine_function
def class_of(heap, word):
    """Return the class of a word: its kind and, for a tuple or a set, its first element's kind."""
    simple = simple_class(heap, word)
    if simple < _TUPLE:
        return simple
    at = m.address_of(word)
    base = _OF_SETS if simple == _SET else _OF_TUPLES
    return base + simple_class(heap, heap[at + m.CONTENT])


@machine_function
def simple_class(heap, word):
    """Return the class of a word without regard to its elements."""
    if m.is_integer(word):
        return _INTEGER
    if m.is_pair(word):
        return _PAIR
    if m.is_labelled_pair(word):
        return _LABELLED_PAIR
    if m.is_boolean(word):
        return _BOOLEAN
    if word == m.EMPTY_TUPLE:
        return _EMPTY_TUPLE
    if word == m.EMPTY_SET:
        return _EMPTY_SET
    if not m.is_node(word):
        return _FUNCTION if m.is_primitive(word) else _NONE
    at = m.address_of(word)
    if heap[at] == m.FUNCTION:
        return _FUNCTION
    if heap[at] == m.TABLE:
        return _TABLE_OF_PAIRS if heap[at + 2] == 2 else _TABLE
    return _SET if heap[at] == m.SET else _TUPLE
