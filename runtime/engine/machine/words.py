"""Values as words: an int64 is the value itself, or the address of its node in the heap.

    Integer                     itself, within 32 bits
    Boolean                     `FALSE` or `TRUE`
    None                        `NONE`
    (i, j)                      `PAIR` + its code (`pair`), for parts in [-BIAS, BIAS)
    (n, (i, j))                 a labelled pair, `LABELLED_PAIR` + its code (`labelled_pair`), for
                                labels n in [-LABEL_BIAS, LABEL_BIAS)
    a primitive                 `PRIMITIVE` + its number
    anything else               `NODE` + its address, see `nodes`

A value has one word, except that two nodes may hold equal values. Two Integers, two pairs or two
labelled pairs compare as their words do.

A function that returns a word may return a wrong word instead, at most `WRONG`: the call has failed
for a reason (`WRONG_TYPE`, `NO_VALUE`, `OVER_LIMIT`, `WRONG_ARITY`); the scalar form must make the
call (`HOST`); or the heap has no room (`FULL`). The caller must return it too, see `required`.
"""


from megabatt.runtime.engine.machine.functions import machine_function

WRONG_TYPE = -(2**63)
NO_VALUE, OVER_LIMIT, WRONG_ARITY, HOST, FULL = range(WRONG_TYPE + 1, WRONG_TYPE + 6)
WRONG = FULL

NONE = -(2**62)
UNKNOWN = NONE + 1
"""Stands for an unknown value while a charge is estimated."""
FALSE = 2**33
TRUE = FALSE + 1
PRIMITIVE = 2**35
PAIR = 2**44
NODE = 2**61
LABELLED_PAIR = 2**62

BIAS = 1 << 20
LABEL_BIAS = 1 << 19
PART = (1 << 21) - 1
"""The bits of a part of a pair: `BIAS` and the part."""
_PARTS = (1 << 42) - 1

MIXED, INTEGERS, PAIRS, LABELLED_PAIRS = range(4)
"""The tags of words: `MIXED` is the tag of all words but Integers, pairs and labelled pairs."""


def required(word: int) -> int:
    """Return a word; if it is wrong, the machine function that calls `required` returns it at once.

    A machine function may write `name = required(word)`, or `required(word)` as a statement.
    Translators spell out `required`.
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
def row_of(word):
    """Return `i` of the pair `(i, j)`, labelled or not."""
    return ((word >> 21) & PART) - BIAS


@machine_function
def column_of(word):
    """Return `j` of the pair `(i, j)`, labelled or not."""
    return (word & PART) - BIAS


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
