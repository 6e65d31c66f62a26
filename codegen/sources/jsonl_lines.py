"""Finds the words of plain JSON Lines in a compiled loop: operations on names, constants, Integers.

    {"name": "solve_x", "operations": [["O", "vmirror", "I"]], "returns": "O"}

Lines of any other form are left to `read_jsonl`, as are texts with escapes or beyond ASCII.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.loops import Loop

Numbers = np.ndarray[Any, Any]

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE, _COMMA, _MINUS, _ZERO, _NINE, _COLON = b'\t\n\r ",-09:'
_OPEN, _BACKSLASH, _CLOSE, _BEGIN, _END, _LAST = b"[\\]{}~"
_MOST_DIGITS = 10

_KNOWN = np.frombuffer(b'"name""operations""returns"truefalse', dtype=np.uint8)
_NAME_AT, _OPERATIONS_AT, _RETURNS_AT, _TRUE_AT, _FALSE_AT, _KNOWN_END = 0, 6, 18, 27, 31, 36
"""The offsets of a program's keys and of the Booleans in `_KNOWN`."""
_NAME, _OPERATIONS, _RETURNS, _ALL = 1, 2, 4, 7
"""The keys as bits."""

_DISTINCT = 1 << 16
"""The most distinct words that a scan can hold; lines with more are not plain."""
_WORDS, _ROWS, _TOLD, _NAME_BEGIN, _NAME_END, _RETURNED = range(6)
"""Places in `state`: three counts, the bounds of the program's name, and its returned word."""


VARIABLE, READABLE, WRONG = range(3)
"""The meaning of a word: readable once it is assigned, always readable, or never."""
MOST_ARGUMENTS = 30


class Scanned(NamedTuple):
    """The content of plain lines.

    plain     bool (lines,): which lines are plain
    distinct  the distinct words, as JSON
    words     (words,): the words of all operations in order, as places in `distinct`
    lengths   (operations,): the number of words of each operation
    counts    (programs,): the number of operations of each program
    returns   (programs,): the word that each program returns, as in `words`
    names     the names of the programs
    """

    plain: Numbers
    distinct: list[str]
    words: Numbers
    lengths: Numbers
    counts: Numbers
    returns: Numbers
    names: list[str]

    def right(self, meanings: Numbers, calls: Numbers) -> list[bool]:
        """Tell which programs are right for certain; another one may be right too.

        meanings: int64 (distinct,), the meaning of each word. calls: int64 (distinct,), the numbers
        of arguments that each word may be called with, as bits.
        """
        found = np.zeros(len(self.counts), dtype=np.bool_)
        assigned = np.zeros(len(meanings), dtype=np.int64)
        _check(
            self.words, self.lengths, self.counts, self.returns, meanings, calls, assigned, found
        )
        return found.tolist()  # type: ignore[no-any-return]


def scanned(text: str, lines: int) -> Scanned:
    """Scan a text of `lines` lines, each ended by a line feed."""
    content = text.encode("utf-8", "surrogatepass")
    most = len(content) // 2 + 1
    words, lengths = np.empty((2, most), dtype=np.int64)
    counts, returns = np.empty((2, lines), dtype=np.int64)
    names = np.empty((lines, 2), dtype=np.int64)
    plain = np.zeros(lines, dtype=np.bool_)
    state = np.zeros(6, dtype=np.int64)
    places = np.empty((_DISTINCT, 2), dtype=np.int64)
    programs = _scan(
        np.frombuffer(content, dtype=np.uint8), _KNOWN, words, lengths, counts, returns, names,
        plain, state, places, np.zeros(_DISTINCT, dtype=np.int64), np.full(4 * _DISTINCT, -1),
    )  # fmt: skip
    return Scanned(
        plain,
        [content[a:b].decode() for a, b in places[: state[_TOLD]].tolist()],
        words[: state[_WORDS]],
        lengths[: state[_ROWS]],
        counts[:programs],
        returns[:programs],
        [content[a:b].decode() for a, b in names[:programs].tolist()],
    )


@Loop
def _scan(
    text, known, words, lengths, counts, returns, names, plain, state, places, assigned, slots
):  # fmt: skip
    """Scan lines, and return the number of programs.

    assigned: for each word, the number of the last program that assigns it, from 1.
    """
    at = programs = 0
    for line in range(len(plain)):
        first_word = state[_WORDS]
        first_row = state[_ROWS]
        end = scanned_line(
            text, at, known, words, lengths, state, places, assigned, slots, programs + 1
        )
        if end < 0:
            state[_WORDS] = first_word
            state[_ROWS] = first_row
            end = at
            while text[end] != _NEWLINE:
                end += 1
        else:
            plain[line] = True
            counts[programs] = state[_ROWS] - first_row
            returns[programs] = state[_RETURNED]
            names[programs, 0] = state[_NAME_BEGIN]
            names[programs, 1] = state[_NAME_END]
            programs += 1
        at = end + 1
    return programs


@machine_function
def scanned_line(text, at, known, words, lengths, state, places, assigned, slots, program):
    """Scan a line, and return its end; -1 if it is not plain."""
    keys = 0
    at = behind_spaces(text, at)
    if text[at] != _BEGIN:
        return -1
    while text[at] == (_COMMA if keys else _BEGIN):
        at = behind_spaces(text, at + 1)
        end = text_end(text, at)
        key = key_of(text, at, end, known)
        if key == 0 or keys & key:
            return -1
        keys |= key
        at = behind_spaces(text, end)
        if text[at] != _COLON:
            return -1
        at = behind_spaces(text, at + 1)
        if key == _OPERATIONS:
            end = scanned_rows(
                text, at, known, words, lengths, state, places, assigned, slots, program
            )
        elif key == _NAME:
            end = text_end(text, at)
            state[_NAME_BEGIN] = at + 1
            state[_NAME_END] = end - 1
        else:
            end = word_end(text, at, known)
            if end >= 0:
                state[_RETURNED] = place_of_word(text, at, end, state, places, slots)
                end = -1 if state[_RETURNED] < 0 else end
        if end < 0:
            return -1
        at = behind_spaces(text, end)
    if keys != _ALL or text[at] != _END:
        return -1
    at = behind_spaces(text, at + 1)
    return at if text[at] == _NEWLINE else -1


@machine_function
def key_of(text, at, end, known):
    """Return which key of a program stands at an offset; 0 for none."""
    if stands_at(text, at, end, known, _NAME_AT, _OPERATIONS_AT):
        return _NAME
    if stands_at(text, at, end, known, _OPERATIONS_AT, _RETURNS_AT):
        return _OPERATIONS
    if stands_at(text, at, end, known, _RETURNS_AT, _TRUE_AT):
        return _RETURNS
    return 0


@machine_function
def stands_at(text, at, end, known, begin, behind):
    """Tell whether text[at:end] equals known[begin:behind]."""
    return end - at == behind - begin and begins_with(text, at, known, begin, behind)


@machine_function
def begins_with(text, at, known, begin, behind):
    """Tell whether the text at an offset begins with known[begin:behind]."""
    k = 0
    while begin + k < behind and text[at + k] == known[begin + k]:
        k += 1
    return begin + k == behind


@machine_function
def scanned_rows(text, at, known, words, lengths, state, places, assigned, slots, program):
    """Scan the operations of a program, and return their end; -1 if they are not plain."""
    if text[at] != _OPEN:
        return -1
    at = behind_spaces(text, at + 1)
    if text[at] == _CLOSE:
        return at + 1
    while True:
        end = scanned_row(text, at, known, words, lengths, state, places, assigned, slots, program)
        if end < 0:
            return -1
        at = behind_spaces(text, end)
        if text[at] == _CLOSE:
            return at + 1
        if text[at] != _COMMA:
            return -1
        at = behind_spaces(text, at + 1)


@machine_function
def scanned_row(text, at, known, words, lengths, state, places, assigned, slots, program):
    """Scan an operation, and return its end; -1 if it is not plain, or assigns a variable again."""
    if text[at] != _OPEN:
        return -1
    at = behind_spaces(text, at + 1)
    count = 0
    while True:
        end = word_end(text, at, known)
        if end < 0 or (count < 2 and text[at] != _QUOTE):
            return -1
        place = place_of_word(text, at, end, state, places, slots)
        if place < 0:
            return -1
        if count == 0:
            if assigned[place] == program:
                return -1
            assigned[place] = program
        words[state[_WORDS]] = place
        state[_WORDS] += 1
        count += 1
        at = behind_spaces(text, end)
        if text[at] == _CLOSE:
            break
        if text[at] != _COMMA:
            return -1
        at = behind_spaces(text, at + 1)
    lengths[state[_ROWS]] = count
    state[_ROWS] += 1
    return at + 1 if count > 1 else -1


@machine_function
def behind_spaces(text, at):
    """Return the offset of the first character from `at` on that is no space."""
    while text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN:
        at += 1
    return at


@machine_function
def text_end(text, at):
    """Return the offset behind the closing quote of a text without escapes; -1 for none."""
    if text[at] != _QUOTE:
        return -1
    at += 1
    while text[at] != _QUOTE:
        if text[at] < _SPACE or text[at] > _LAST or text[at] == _BACKSLASH:
            return -1
        at += 1
    return at + 1


@machine_function
def word_end(text, at, known):
    """Return the end of a text, an Integer or a Boolean; -1 for none."""
    if text[at] == _QUOTE:
        return text_end(text, at)
    if begins_with(text, at, known, _TRUE_AT, _FALSE_AT):
        return at + 4
    if begins_with(text, at, known, _FALSE_AT, _KNOWN_END):
        return at + 5
    begin = at + 1 if text[at] == _MINUS else at
    end = begin
    while _ZERO <= text[end] <= _NINE:
        end += 1
    if end == begin or end - begin > _MOST_DIGITS or (text[begin] == _ZERO and end > begin + 1):
        return -1
    return end


@machine_function
def place_of_word(text, at, end, state, places, slots):
    """Return the place of a word among the distinct words; -1 if there are too many."""
    code = end - at
    for k in range(at, end):
        code = (code ^ text[k]) * 0x2545F4914F6CDD1D
        code ^= (code >> 29) & 0x7FFFFFFFF
    slot = code & (len(slots) - 1)
    while slots[slot] >= 0:
        place = slots[slot]
        if stands_at(text, at, end, text, places[place, 0], places[place, 1]):
            return place
        slot = (slot + 1) & (len(slots) - 1)
    place = state[_TOLD]
    if place == len(places):
        return -1
    state[_TOLD] += 1
    slots[slot] = place
    places[place, 0] = at
    places[place, 1] = end
    return place


@Loop
def _check(words, lengths, counts, returns, meanings, calls, assigned, found):
    """Do `Scanned.right`. assigned: for each word, the last program that assigned it, from 1."""
    at = row = 0
    for k in range(len(counts)):
        right = True
        for _ in range(counts[k]):
            arguments = lengths[row] - 2
            function = words[at + 1]
            right = right and meanings[words[at]] == VARIABLE and arguments <= MOST_ARGUMENTS
            right = right and is_readable(function, k + 1, meanings, assigned)
            if right and meanings[function] == READABLE:
                right = (calls[function] >> arguments) & 1
            for place in range(at + 2, at + 2 + arguments):
                right = right and is_readable(words[place], k + 1, meanings, assigned)
            assigned[words[at]] = k + 1
            at += 2 + arguments
            row += 1
        found[k] = right and is_readable(returns[k], k + 1, meanings, assigned)


@machine_function
def is_readable(word, program, meanings, assigned):
    """Tell whether a word has a value at its place in a program."""
    return meanings[word] == READABLE or (meanings[word] == VARIABLE and assigned[word] == program)
