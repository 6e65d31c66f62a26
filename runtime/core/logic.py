"""Booleans, equality and choice."""

from megabatt.runtime.core.charges import searched
from megabatt.runtime.core.table import compiled, m, primitive
from megabatt.runtime.core.types import Any, Boolean, Container
from megabatt.runtime.engine.language.values import equal as values_equal


@primitive
def flip(b: Boolean) -> Boolean:
    """Tell whether `b` is false."""
    return not b


@compiled(flip)
def flip(heap, b):
    return m.boolean(b == m.FALSE)


@primitive
def equality(a: Any, b: Any) -> Boolean:
    """Tell whether two values are equal."""
    return values_equal(a, b)


@compiled(equality)
def equality(heap, a, b):
    return m.boolean(m.equal(heap, a, b))


@primitive(charge=lambda value, container: searched(container))
def contained(value: Any, container: Container) -> Boolean:
    """Tell whether `value` is in the container."""
    if container.__class__ is tuple:
        return any(values_equal(value, e) for e in container)
    return value in container


@compiled(contained)
def contained(heap, value, container):
    if m.is_set(heap, container):
        count, tag = m.count_of(heap, container), heap[m.address_of(container) + 2]
        place = m.position_in_set(heap, m.first_word(container), count, tag, value)
    else:
        place = m.required(first_place(heap, container, value, 1))
    return m.boolean(place >= 0)


@m.machine_function
def first_place(heap, container, value, equals):
    """Find the first element that equals a value (1) or differs (0); -1 if none does; or `FULL`."""
    top = heap[m.TOP]
    for k in range(m.count_of(heap, container)):
        word = m.required(m.element(heap, container, k))
        found = m.equal(heap, word, value)
        heap[m.TOP] = top
        if found == equals:
            return k
    return -1


@primitive
def both(a: Boolean, b: Boolean) -> Boolean:
    """Tell whether a and b are true."""
    return a and b


@compiled(both)
def both(heap, a, b):
    return m.boolean(a == m.TRUE and b == m.TRUE)


@primitive
def either(a: Boolean, b: Boolean) -> Boolean:
    """Tell whether a or b is true."""
    return a or b


@compiled(either)
def either(heap, a, b):
    return m.boolean(a == m.TRUE or b == m.TRUE)


@primitive
def branch(condition: Boolean, a: Any, b: Any) -> Any:
    """Return `a` if the condition is true, else `b`."""
    return a if condition else b


@compiled(branch)
def branch(heap, condition, a, b):
    return a if condition == m.TRUE else b
