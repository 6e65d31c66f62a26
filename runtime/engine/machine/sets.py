"""Makes sets of words: sorts the words, and keeps the first of equal words."""


from megabatt.runtime.engine.machine import layout as m
from megabatt.runtime.engine.machine.contents import finish_tuple, tag_of_words
from megabatt.runtime.engine.machine.functions import machine_function, routine, trailing_zeros
from megabatt.runtime.engine.machine.order import compare

_FEW = 12
"""The most words that are sorted by insertion."""
_RECENT = 64
"""The number of words that are remembered to find repeats; a power of 2."""
_MANY_DESCENTS = 2
"""The number of descents from which a table is faster than sorting and merging numbers."""
_WORDS_A_NUMBER = 4
"""The most words of a table for each number: with larger tables, merging is faster."""


@machine_function
def comes_before(heap, a, b, tag):
    """Tell whether one word's value comes before another's. tag: The tag of both, or `MIXED`."""
    return a < b if tag != m.MIXED else compare(heap, a, b) < 0


@machine_function
def finish_set(heap, at, count):
    """Make the set of the words of a begun node; `FULL` without room.

    Keeps the first of equal words. May free the memory behind the node, if no element lies in it.
    """
    tag = tag_of_words(heap, at + m.CONTENT, count)
    kept = m.required(distinct_in_order(heap, at + m.CONTENT, count, tag))
    return finish_ascending(heap, at, kept, tag)


@machine_function
def finish_ascending(heap, at, count, tag):
    """Make the set of a begun node's distinct ascending words. tag: Theirs; `MIXED` to find it."""
    if tag == m.MIXED:
        tag = tag_of_words(heap, at + m.CONTENT, count)
    return m.finish_tagged(heap, at, m.SET, count, tag)


@machine_function
def finish_like(heap, at, count, container):
    """Make a container of the kind of another: do `finish_set` or `finish_tuple`."""
    is_set = m.is_set(heap, container)
    return finish_set(heap, at, count) if is_set else finish_tuple(heap, at, count)


@machine_function
def distinct_in_order(heap, at, count, tag):
    """Sort words of one tag in place, and keep the first of equals. Returns how many, or `FULL`."""
    k = 1
    while k < count and comes_before(heap, heap[at + k - 1], heap[at + k], tag):
        k += 1
    if k >= count:
        return count
    return distinct_numbers(heap, at, count) if tag != m.MIXED else distinct_values(heap, at, count)


@routine
def distinct_numbers(heap, at, count):
    """Sort numbers in place without repeats. Returns their number; `FULL` without room.

    Numbers that are close together, such as the cells of a grid, are put in a table. Otherwise
    ascending runs, such as the sets of a union, are found and merged in pairs.
    """
    top = heap[m.TOP]
    bounds = m.required(m.room_for(heap, 2 * count + 1))
    other = bounds + count + 1
    descents = descents_in(heap, at, count)
    if descents >= _MANY_DESCENTS:
        room = min(min(descents, _WORDS_A_NUMBER) * count, heap[m.END] - bounds)
        kept = distinct_by_place(heap, at, count, bounds, room)
        if kept >= 0:
            heap[m.TOP] = top
            return kept
    runs = runs_of(heap, at, count, bounds)
    source = at
    target = other
    while runs > 1:
        to = target
        for run in range(0, runs, 2):
            begin = source + heap[bounds + run]
            middle = source + heap[bounds + run + 1]
            end = source + heap[bounds + run + 2] if run + 1 < runs else middle
            heap[bounds + (run >> 1)] = to - target
            to = merge_numbers(heap, begin, middle, end, to)
        runs = (runs + 1) >> 1
        heap[bounds + runs] = to - target
        source, target = target, source
    kept = heap[bounds + 1]
    if source != at:
        m.copy_words(heap, source, at, kept)
    heap[m.TOP] = top
    return kept


@machine_function
def runs_of(heap, at, count, bounds):
    """Arrange numbers into consecutive strictly ascending runs. Returns the number of runs.

    A run already ascends, or is a few numbers, sorted, without repeats. bounds: Gets the bounds.
    """
    runs = 0
    to = at
    k = at
    end = at + count
    while k < end:
        begin = to
        heap[bounds + runs] = begin - at
        runs += 1
        few = min(k + _FEW, end)
        while k < end:
            word = heap[k]
            if to > begin and word <= heap[to - 1]:
                if k >= few:
                    break
                place = to
                while place > begin and word < heap[place - 1]:
                    place -= 1
                if place > begin and heap[place - 1] == word:
                    k += 1
                    continue
                for back in range(to, place, -1):
                    heap[back] = heap[back - 1]
                heap[place] = word
            else:
                heap[to] = word
            to += 1
            k += 1
    heap[bounds + runs] = to - at
    return runs


@machine_function
def descents_in(heap, at, count):
    """Count the numbers that are no greater than their predecessor."""
    descents = 0
    for k in range(at + 1, at + count):
        descents += heap[k] <= heap[k - 1]
    return descents


@machine_function
def distinct_by_place(heap, at, count, table, room):
    """Do `distinct_numbers` by a table with a bit for every number that may occur.

    A number has three parts: the label (the bits above a pair), the row and the column. The table
    has a bit for each combination of parts, in order, between the least and the greatest of each
    part. Each row begins with a word of its own. Returns -1, and changes nothing, if the table
    needs more than `room` words.
    """
    least, most = heap[at], heap[at]
    top_row, left = m.part_of(least, m.ROW), m.part_of(least, m.COLUMN)
    bottom, right = top_row, left
    for k in range(at + 1, at + count):
        number = heap[k]
        least, most = min(least, number), max(most, number)
        row, column = m.part_of(number, m.ROW), m.part_of(number, m.COLUMN)
        top_row, bottom = min(top_row, row), max(bottom, row)
        left, right = min(left, column), max(right, column)
    first, last = least >> m.LABEL, most >> m.LABEL
    rows = bottom - top_row + 1
    width = (right - left + 64) >> 6
    size = (last - first + 1) * rows * width
    if size > room:
        return -1
    m.fill_words(heap, table, size, 0)
    for k in range(at, at + count):
        number = heap[k]
        column = m.part_of(number, m.COLUMN) - left
        row = ((number >> m.LABEL) - first) * rows + m.part_of(number, m.ROW) - top_row
        heap[table + row * width + (column >> 6)] |= 1 << (column & 63)
    to = at
    for label in range(first, last + 1):
        for row in range(top_row, bottom + 1):
            number = (label << 42) + (row << 21) + left
            for _ in range(width):
                bits = heap[table]
                while bits != 0:
                    heap[to] = number + trailing_zeros(bits)
                    bits &= bits - 1
                    to += 1
                number += 64
                table += 1
    return to - at


@machine_function
def merge_numbers(heap, left, middle, end, to):
    """Merge two adjacent strictly ascending runs. Returns the end of the result."""
    right = middle
    while left < middle and right < end:
        one = heap[left]
        other = heap[right]
        heap[to] = min(one, other)
        left += one <= other
        right += other <= one
        to += 1
    m.copy_words(heap, left, to, middle - left)
    to += middle - left
    m.copy_words(heap, right, to, end - right)
    return to + end - right


@routine
def distinct_values(heap, at, count):
    """Do `distinct_in_order` for words of mixed tags."""
    count = m.required(without_repeats(heap, at, count))
    m.required(sort(heap, at, count, m.MIXED))
    kept = 1
    for k in range(1, count):
        if compare(heap, heap[at + kept - 1], heap[at + k]) < 0:
            heap[at + kept] = heap[at + k]
            kept += 1
    return kept


@machine_function
def without_repeats(heap, at, count):
    """Drop some repeated words. Returns the number of words left; `FULL` without room.

    Many calls give the same word, such as the empty set, and sorting all repeats takes long.
    """
    if count < _RECENT:
        return count
    recent = m.required(m.room_for(heap, _RECENT))
    m.fill_words(heap, recent, _RECENT, m.FULL)
    to = at
    for k in range(at, at + count):
        word = heap[k]
        place = recent + ((word ^ (word >> 6)) & (_RECENT - 1))
        if heap[place] != word:
            heap[place] = word
            heap[to] = word
            to += 1
    heap[m.TOP] = recent
    return to - at


@routine
def sort(heap, at, count, tag):
    """Sort words in place, stably. tag: The tag of all words. Returns `FULL` without room."""
    for begin in range(0, count, _FEW):
        end = min(begin + _FEW, count)
        for k in range(begin + 1, end):
            word = heap[at + k]
            to = k
            while to > begin and comes_before(heap, word, heap[at + to - 1], tag):
                heap[at + to] = heap[at + to - 1]
                to -= 1
            heap[at + to] = word
    if count <= _FEW:
        return 0
    top = heap[m.TOP]
    other = m.required(m.room_for(heap, count))
    source = at
    target = other
    length = _FEW
    while length < count:
        for begin in range(0, count, 2 * length):
            middle = min(begin + length, count)
            end = min(begin + 2 * length, count)
            merge_words(heap, source + begin, source + middle, source + end, target + begin, tag)
        source, target = target, source
        length *= 2
    if source != at:
        m.copy_words(heap, source, at, count)
    heap[m.TOP] = top
    return 0


@machine_function
def merge_words(heap, left, middle, end, to, tag):
    """Merge two adjacent sorted runs, stably."""
    right = middle
    if right == end or not comes_before(heap, heap[right], heap[right - 1], tag):
        m.copy_words(heap, left, to, end - left)
        return
    while left < middle and right < end:
        if comes_before(heap, heap[right], heap[left], tag):
            heap[to] = heap[right]
            right += 1
        else:
            heap[to] = heap[left]
            left += 1
        to += 1
    m.copy_words(heap, left, to, middle - left)
    m.copy_words(heap, right, to + middle - left, end - right)


@machine_function
def place_among(heap, at, count, tag, word):
    """Return the place before which a word belongs among `count` ascending words with a tag."""
    if m.tag_of(word) != tag:
        tag = m.MIXED
    low = 0
    high = count
    while low < high:
        middle = (low + high) >> 1
        if comes_before(heap, heap[at + middle], word, tag):
            low = middle + 1
        else:
            high = middle
    return low


@machine_function
def position_in_set(heap, at, count, tag, word):
    """Return the place of a word among ascending words; -1 if it is missing."""
    place = place_among(heap, at, count, tag, word)
    if place < count and compare(heap, heap[at + place], word) == 0:
        return place
    return -1
