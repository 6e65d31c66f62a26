"""Primitives for Python's operators, subscripts, choices and functions in programs."""

from functools import reduce
from itertools import islice
from typing import Any as Value

from megabatt.runtime.core.charges import (
    cost,
    count,
    element_weight,
    kept,
    steps_in_kernels,
    weight,
)
from megabatt.runtime.core.containers import (
    element_at,
    joined,
    merged_sets,
    place_from,
    tuple_of,
)
from megabatt.runtime.core.logic import first_place
from megabatt.runtime.core.mapping import first_satisfying, paid, satisfying, store_result
from megabatt.runtime.core.reals import are_numbers, number, total
from megabatt.runtime.core.table import compiled, compiled_as, m, primitive
from megabatt.runtime.core.tuples import weight_of_all
from megabatt.runtime.core.types import (
    Any,
    Boolean,
    Callable,
    Container,
    ContainerContainer,
    Integer,
    Number,
    Tuple,
)
from megabatt.runtime.engine.language.charges import Measure
from megabatt.runtime.engine.language.limits import SHORTAGES, LimitError, charge
from megabatt.runtime.engine.language.types import kind_name
from megabatt.runtime.engine.language.values import ascending, call_cost, truth
from megabatt.runtime.engine.language.values import equal as values_equal
from megabatt.runtime.engine.machine.copying import moved_to
from megabatt.runtime.engine.machine.functions import on_reals
from megabatt.runtime.vocabulary import counted


def _no_operands(sign: str, a: Value, b: Value) -> TypeError:
    return TypeError(f"`{sign}` does not take {kind_name(a)} and {kind_name(b)}")


@Measure
def held(value: Value) -> int:
    """Weigh the elements of a container; return 0 for any other value."""
    return element_weight(value) if value.__class__ in (tuple, frozenset) else 0


@held.for_words
def held(heap, value):
    return m.element_weight(heap, value) if m.is_container(heap, value) else 0


@Measure
def repetitions(value: Value) -> int:
    """Return how often a number repeats a tuple; 0 for any other value."""
    return max(int(value), 0) if value.__class__ in (int, bool) else 0


@repetitions.for_words
def repetitions(heap, value):
    return max(m.number_of(value), 0) if m.is_number(value) else 0


@primitive(chooses=True)
def if_else(condition: Any, a: Any, b: Any) -> Any:
    """Return `a` if the condition is true in Python's sense, else `b`."""
    return a if truth(condition) else b


@compiled(if_else)
def if_else(heap, condition, a, b):
    return a if m.truth(condition) else b


@primitive
def item(container: Tuple, index: Integer) -> Any:
    """Return the element at a place, from 0 on; a negative place counts from the end."""
    return container[index]


compiled_as(item, element_at)


@primitive
def inner_item(container: Tuple, outer: Integer, inner: Integer) -> Any:
    """Return the element at a place of the tuple at a place; the places are as in `item`."""
    row = container[outer]
    if row.__class__ is not tuple:
        raise TypeError(f"only tuples have elements at places, got {kind_name(row)}")
    return row[inner]


@compiled(inner_item)
def inner_item(heap, container, outer, inner):
    if not m.is_table(heap, container):
        row = m.required(element_at(heap, container, outer))
        return element_at(heap, row, inner) if m.is_tuple(heap, row) else m.WRONG_TYPE
    width = m.width_of(heap, container)
    i = m.required(place_from(outer, m.height_of(heap, container)))
    j = m.required(place_from(inner, width))
    return heap[m.numbers_at(container) + i * width + j]


@primitive(charge=lambda container, value: kept(container) + weight(value))
def append(container: Tuple, value: Any) -> Tuple:
    """Return the tuple with a value behind its last element."""
    return (*container, value)


@m.routine
def with_element(heap, container, place, value):
    """Return a tuple with a value at a place, perhaps that behind the last. `FULL` without room."""
    count = m.count_of(heap, container)
    size = max(count, place + 1)
    if m.is_table(heap, container) and m.row_width(heap, value) == m.width_of(heap, container):
        width = m.width_of(heap, container)
        made = m.required(m.new_table(heap, size, width))
        m.copy_words(heap, m.numbers_at(container), m.numbers_at(made), count * width)
        m.copy_row(heap, value, m.numbers_at(made) + place * width)
        return made
    elements = m.required(m.opened(heap, container))
    at = m.required(m.begin_node(heap, size))
    m.copy_words(heap, m.first_word(elements), at + m.CONTENT, count)
    heap[at + m.CONTENT + place] = value
    if place < count or count < 2:
        return m.finish_tuple(heap, at, size)
    tag = heap[m.address_of(elements) + 2]
    return m.finish_tagged(heap, at, m.TUPLE, size, tag if m.tag_of(value) == tag else m.MIXED)


@compiled(append)
def append(heap, container, value):
    return with_element(heap, container, m.count_of(heap, container), value)


@primitive(charge=lambda container, index, value: kept(container) + weight(value))
def put(container: Tuple, index: Integer, value: Any) -> Tuple:
    """Return the tuple with another value at a place, which is as in `item`."""
    container[index]  # raises IndexError
    place = index % len(container)
    return (*container[:place], value, *container[place + 1 :])


@compiled(put)
def put(heap, container, index, value):
    place = m.required(place_from(index, m.count_of(heap, container)))
    return with_element(heap, container, place, value)


@primitive(charge=kept)
def drop(container: Tuple, index: Integer) -> Tuple:
    """Return the tuple without the element at a place, which is as in `item`."""
    container[index]  # raises IndexError
    place = index % len(container)
    return container[:place] + container[place + 1 :]


@compiled(drop)
def drop(heap, container, index):
    count = m.count_of(heap, container)
    place = m.required(place_from(index, count))
    if m.is_table(heap, container):
        width = m.width_of(heap, container)
        made = m.required(m.new_table(heap, count - 1, width))
        source, to, before = m.numbers_at(container), m.numbers_at(made), place * width
        m.copy_words(heap, source, to, before)
        m.copy_words(heap, source + before + width, to + before, (count - 1) * width - before)
        return made
    elements = m.required(m.opened(heap, container))
    first = m.first_word(elements)
    at = m.required(m.begin_node(heap, count - 1))
    m.copy_words(heap, first, at + m.CONTENT, place)
    m.copy_words(heap, first + place + 1, at + m.CONTENT + place, count - 1 - place)
    return m.finish_tuple(heap, at, count - 1)


@primitive(charge=count)
def unpack(container: Container, number: Integer) -> Tuple:
    """Return the elements as a tuple. Fails unless the container has `number` elements."""
    if len(container) != number:
        raise ValueError(f"{counted(len(container), 'element')} where {number} are wanted")
    return tuple(ascending(container))


@compiled(unpack)
def unpack(heap, container, number):
    count = m.count_of(heap, container)
    return tuple_of(heap, container) if count == number else m.NO_VALUE


@primitive(charge=count)
def span(container: Tuple, start: Any, stop: Any, step: Any) -> Tuple:
    """Return Python's `container[start:stop:step]`; None stands for a bound left out."""
    return container[start:stop:step]


@compiled(span)
def span(heap, container, start, stop, step):
    length = m.count_of(heap, container)
    by = 1 if step == m.NONE else m.number_of(step)
    if by == 0 and is_bound(step):
        return m.NO_VALUE
    if not (is_bound(step) and is_bound(start) and is_bound(stop)):
        return m.WRONG_TYPE
    least = 0 if by > 0 else -1
    most = length if by > 0 else length - 1
    first = (least if by > 0 else most) if start == m.NONE else bound(start, length, least, most)
    end = (most if by > 0 else least) if stop == m.NONE else bound(stop, length, least, most)
    count = steps_in_kernels(first, end, by)
    elements = m.required(m.opened(heap, container))
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = heap[m.first_word(elements) + first + k * by]
    return m.finish_tuple(heap, at, count)


@m.machine_function
def is_bound(word):
    """Tell whether a value may be a bound of a slice."""
    return word == m.NONE or m.is_number(word)


@m.machine_function
def bound(word, length, least, most):
    """Return the place of a bound of a slice, clipped to the tuple."""
    place = m.number_of(word)
    if place < 0:
        place += length
    return min(max(place, least), most)


@primitive
def less(a: Any, b: Any) -> Boolean:
    """Tell whether a < b in Python's sense; for sets, whether `a` is a proper subset of `b`.

    Fails for two values that Python does not compare.
    """
    result = a < b
    if result.__class__ is not bool:
        raise _no_operands("<", a, b)
    return result


@compiled(less)
def less(heap, a, b):
    while m.is_tuple(heap, a) and m.is_tuple(heap, b):
        size_a, size_b = m.count_of(heap, a), m.count_of(heap, b)
        place = 0
        while place < min(size_a, size_b):
            top = heap[m.TOP]
            one = m.required(m.element(heap, a, place))
            other = m.required(m.element(heap, b, place))
            if not m.equal(heap, one, other):
                break
            heap[m.TOP] = top
            place += 1
        if place == min(size_a, size_b):
            return m.boolean(size_a < size_b)
        a, b = one, other
    if m.is_number(a) and m.is_number(b):
        return m.boolean(m.number_of(a) < m.number_of(b))
    if m.is_numeric(a) and m.is_numeric(b):
        return m.boolean(m.compare(heap, a, b) < 0)
    if m.is_set(heap, a) and m.is_set(heap, b):
        rest = m.required(merged_sets(heap, a, b, 1, 0, 0))
        return m.boolean(rest == m.EMPTY_SET and m.count_of(heap, a) < m.count_of(heap, b))
    return m.WRONG_TYPE


@primitive(charge=lambda a, b: held(a) + held(b))
def sum_of(a: Any, b: Any) -> Any:
    """Return the sum of two numbers, or the concatenation of two tuples."""
    if are_numbers(a, b):
        return number(a + b)
    if a.__class__ is tuple and b.__class__ is tuple:
        return a + b
    raise _no_operands("+", a, b)


@compiled(sum_of)
def sum_of(heap, a, b):
    if m.is_number(a) and m.is_number(b):
        return m.integer(heap, m.number_of(a) + m.number_of(b))
    if m.is_numeric(a) and m.is_numeric(b):
        return m.real(on_reals("+", m.bits_of(a), m.bits_of(b)))
    if not m.is_tuple(heap, a) or not m.is_tuple(heap, b):
        return m.WRONG_TYPE
    return joined(heap, a, b)


@primitive(charge=lambda a, b: held(a) + held(b))
def union_of(a: Any, b: Any) -> Any:
    """Return the union of two sets, or of the bits of two numbers; a's of two equal elements."""
    if are_numbers(a, b):
        return a | b
    if a.__class__ is frozenset and b.__class__ is frozenset:
        return a.union(b)
    raise _no_operands("|", a, b)


@compiled(union_of)
def union_of(heap, a, b):
    if m.is_set(heap, a) and m.is_set(heap, b):
        return merged_sets(heap, a, b, 1, 1, 1)
    if m.is_boolean(a) and m.is_boolean(b):
        return a | b
    if m.is_number(a) and m.is_number(b):
        return m.number_of(a) | m.number_of(b)
    return m.WRONG_TYPE


@primitive(charge=lambda a, b: held(a) + held(b))
def difference_of(a: Any, b: Any) -> Any:
    """Return the difference of two numbers, or of two sets."""
    if are_numbers(a, b):
        return number(a - b)
    if a.__class__ is frozenset and b.__class__ is frozenset:
        return a - b
    raise _no_operands("-", a, b)


@compiled(difference_of)
def difference_of(heap, a, b):
    if m.is_number(a) and m.is_number(b):
        return m.integer(heap, m.number_of(a) - m.number_of(b))
    if m.is_numeric(a) and m.is_numeric(b):
        return m.real(on_reals("-", m.bits_of(a), m.bits_of(b)))
    if m.is_set(heap, a) and m.is_set(heap, b):
        return merged_sets(heap, a, b, 1, 0, 0)
    return m.WRONG_TYPE


def repeated_weight(a: Value, b: Value) -> Value:
    """Weigh the elements of `a` repeated `b` times; 0 unless these are a container and a number."""
    return weight_of_all(repetitions(b), held(a))


@primitive(charge=lambda a, b: repeated_weight(a, b) + repeated_weight(b, a))
def product_of(a: Any, b: Any) -> Any:
    """Return the product of two numbers, or a tuple repeated."""
    if are_numbers(a, b):
        return number(a * b)
    if {a.__class__, b.__class__} in ({tuple, int}, {tuple, bool}):
        return a * b
    raise _no_operands("*", a, b)


@compiled(product_of)
def product_of(heap, a, b):
    if m.is_number(a) and m.is_number(b):
        return m.integer(heap, m.number_of(a) * m.number_of(b))
    if m.is_numeric(a) and m.is_numeric(b):
        return m.real(on_reals("*", m.bits_of(a), m.bits_of(b)))
    if m.is_number(a):
        return repeated(heap, b, m.number_of(a))
    return repeated(heap, a, m.number_of(b)) if m.is_number(b) else m.WRONG_TYPE


@m.routine
def repeated(heap, container, number):
    """Return a tuple repeated `number` times; `WRONG_TYPE` for another value."""
    if not m.is_tuple(heap, container):
        return m.WRONG_TYPE
    elements = m.required(m.opened(heap, container))
    count = m.count_of(heap, elements)
    total = count * max(number, 0)
    at = m.required(m.begin_node(heap, total))
    for k in range(total // max(count, 1)):
        m.copy_words(heap, m.first_word(elements), at + m.CONTENT + k * count, count)
    return m.finish_tuple(heap, at, total)


@primitive
def quotient_of(a: Number, b: Number) -> Number:
    """Return the quotient, rounded down. Fails if b is 0."""
    return number(a // b)


@compiled(quotient_of)
def quotient_of(heap, a, b):
    if m.is_real(a) or m.is_real(b):
        return m.HOST
    return m.NO_VALUE if b == 0 else m.integer(heap, a // b)


@primitive
def remainder_of(a: Number, b: Number) -> Number:
    """Return the remainder of a // b, which has b's sign. Fails if b is 0."""
    return number(a % b)


@compiled(remainder_of)
def remainder_of(heap, a, b):
    if m.is_real(a) or m.is_real(b):
        return m.HOST
    return m.NO_VALUE if b == 0 else a - (a // b) * b


@primitive(charge=count)
def total_of(container: Container) -> Number:
    """Return the sum of the numbers in a container."""
    if not are_numbers(*container):
        raise TypeError("expected numbers")
    return total(ascending(container))


@compiled(total_of)
def total_of(heap, container):
    if m.is_table(heap, container):
        return m.WRONG_TYPE
    result = 0
    for k in range(m.count_of(heap, container)):
        word = m.element(heap, container, k)
        if not m.is_number(word):
            return m.HOST if m.is_real(word) else m.WRONG_TYPE
        result += m.number_of(word)
    return m.integer(heap, result)


@primitive(charge=count)
def place_of(container: Tuple, value: Any) -> Integer:
    """Return a value's first place in a tuple, from 0 on. Fails if the tuple lacks the value."""
    for place, element in enumerate(container):
        if values_equal(value, element):
            return place
    raise ValueError("the value is not in the tuple")


@compiled(place_of)
def place_of(heap, container, value):
    place = m.required(first_place(heap, container, value, 1))
    return m.NO_VALUE if place < 0 else m.integer(heap, place)


@primitive(charge=element_weight)
def zipped(containers: ContainerContainer) -> Tuple:
    """Return the tuples of first elements, second elements, ..., up to the shortest's end."""
    return tuple(zip(*map(ascending, ascending(containers))))  # noqa: B905


@compiled(zipped)
def zipped(heap, containers):
    elements = m.required(m.opened(heap, containers))
    rows = m.count_of(heap, elements)
    columns = 0
    for j in range(rows):
        row = heap[m.first_word(elements) + j]
        if not m.is_container(heap, row):
            return m.WRONG_TYPE
        if j == 0 or m.count_of(heap, row) < columns:
            columns = m.count_of(heap, row)
    at = m.required(m.begin_node(heap, columns))
    for k in range(columns):
        column = m.required(m.begin_node(heap, rows))
        for j in range(rows):
            row = heap[m.first_word(elements) + j]
            heap[column + m.CONTENT + j] = m.required(m.element(heap, row, k))
        heap[at + m.CONTENT + k] = m.required(m.finish_tuple(heap, column, rows))
    return m.finish_tuple(heap, at, columns)


_GARBAGE = 1 << 13
"""The words, beside as many as the loop's value has, that the rounds of a loop may leave behind."""


@m.machine_function
def is_littered(heap, top, end):
    """Tell whether a loop should free what its rounds left behind.

    top: The end of the heap before the loop. end: The end after the loop last freed words.
    """
    return heap[m.TOP] - end > _GARBAGE + end - top


@primitive
def first_of(container: Container, condition: Callable) -> Tuple:
    """Return a tuple of the first element that satisfies `condition`, or `()`; see `extract`."""
    return tuple(islice(satisfying(container, condition), 1))


compiled_as(first_of, first_satisfying)


@primitive(charge=lambda function, start, container: count(container) * cost(function))
def fold(function: Callable, start: Any, container: Container) -> Any:
    """Return function(...function(function(start, first), second)..., last)."""
    return reduce(function, ascending(container), start)


@compiled(fold)
def fold(heap, function, start, container):
    elements = m.required(m.opened(heap, container))
    top = heap[m.TOP]
    end = top
    value = start
    for k in range(m.count_of(heap, elements)):
        value = m.required(m.call_of_two(heap, function, value, heap[m.first_word(elements) + k]))
        if is_littered(heap, top, end):
            value = m.required(moved_to(heap, top, value))
            end = heap[m.TOP]
    return value


_ROUND = 16
"""The charge of a round of `iterate`, beside its calls: a loop that never ends then fails soon."""


@primitive
def iterate(condition: Callable, function: Callable, start: Any) -> Any:
    """Apply `function` to `start` again and again while `condition` holds; return the result."""
    cost_of_test, cost_of_call = call_cost(condition), call_cost(function)
    value = start
    while True:
        charge(_ROUND + cost_of_test)
        if not truth(condition(value)):
            return value
        charge(cost_of_call)
        value = function(value)


@compiled(iterate)
def iterate(heap, condition, function, start):
    cost_of_test, cost_of_call = m.call_cost(heap, condition), m.call_cost(heap, function)
    top = heap[m.TOP]
    end = top
    value = start
    while True:
        m.required(m.charge(heap, _ROUND + cost_of_test))
        result = m.required(m.call_of_one(heap, condition, value))
        if not m.truth(result):
            return value
        m.required(m.charge(heap, cost_of_call))
        value = m.required(m.call_of_one(heap, function, value))
        if is_littered(heap, top, end):
            value = m.required(moved_to(heap, top, value))
            end = heap[m.TOP]


@primitive(charge=lambda function, argument: cost(function))
def attempt(function: Callable, argument: Any) -> Tuple:
    """Return `(function(argument),)`; `()` if the call fails, except by a limit."""
    try:
        return tuple(paid(map(function, (argument,))))
    except (LimitError, *SHORTAGES):
        raise
    except Exception:
        return ()


@compiled(attempt)
def attempt(heap, function, argument):
    at = m.required(m.begin_node(heap, 1))
    top, depth, nested = heap[m.TOP], heap[m.DEPTH], heap[m.NESTED]
    result = m.call_of_one(heap, function, argument)
    if result == m.WRONG_TYPE or result == m.NO_VALUE or result == m.WRONG_ARITY:
        heap[m.DEPTH], heap[m.NESTED] = depth, nested
        return m.finish_tuple(heap, at, 0)
    m.required(result)
    m.required(store_result(heap, at, 0, result, top))
    return m.finish_tuple(heap, at, 1)
