"""Functions over the elements of containers: apply and its kin, the filters, extract.

Each primitive charges `call_cost` for every call, and the weight of each result above one.
"""

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any as Value

from megabatt.runtime.core.charges import call_of_each, calls_of, calls_on_each, cost, count, lesser
from megabatt.runtime.core.table import charge, compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import (
    Any,
    Callable,
    Container,
    ContainerContainer,
    FrozenSet,
    Tuple,
)
from megabatt.runtime.engine.language.types import kind_name
from megabatt.runtime.engine.language.values import ascending, call_cost, total_weight, truth


def paid(results: Iterator[Value]) -> list[Value]:
    """List the results of calls, and charge their weight above one, also if a later call fails."""
    made: list[Value] = []
    try:
        made.extend(results)
    finally:
        charge_results(made)
    return made


def charge_results(results: Collection[Value]) -> None:
    """Charge each result's weight above one, which is known only after the call."""
    charge(total_weight(results) - len(results))


@primitive(charge=calls_of, each=("function", "container"))
def apply(function: Callable, container: Container) -> Container:
    """Return the results of `function` for each element, in a container of the same kind."""
    return container.__class__(paid(function(e) for e in ascending(container)))


@compiled(apply)
def apply(heap, function, container):
    at = m.required(results_of(heap, container, function, 0))
    return m.finish_like(heap, at, m.count_of(heap, container), container)


@m.machine_function
def results_of(heap, container, other, of_other):
    """Call a function on each element, or (of_other: 1) each element on a value; pay for results.

    Returns the address of a begun node with the results, or a wrong word.
    """
    elements = m.required(m.opened(heap, container))
    count = m.count_of(heap, elements)
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        top = heap[m.TOP]
        word = heap[m.first_word(elements) + k]
        function = word if of_other else other
        result = m.required(m.call_of_one(heap, function, other if of_other else word))
        m.required(store_result(heap, at, k, result, top))
    return at


@m.machine_function
def store_result(heap, at, k, result, top):
    """Put the k-th result into a begun node, and pay for it. Returns a wrong word if that fails.

    top: The end of the heap before the call.
    """
    if not m.is_node(result):
        heap[m.TOP] = top
    heap[at + m.CONTENT + k] = result
    return m.charge(heap, m.weight(heap, result) - 1)


@primitive(charge=calls_of, each=("function", "container"))
def mapply(function: Callable, container: ContainerContainer) -> FrozenSet:
    """Merge the containers that `function` returns for each element into one container."""
    return merged(container.__class__, paid(function(e) for e in ascending(container)))


def merged(kind: type, containers: Collection[Value]) -> Value:
    """Merge containers into a tuple or a frozenset (kind). Raises TypeError for other values."""
    for container in containers:
        if container.__class__ is not frozenset and container.__class__ is not tuple:
            raise TypeError(f"only containers are merged, got {kind_name(container)}")
    if kind is tuple:
        return tuple(chain.from_iterable(map(ascending, containers)))
    return frozenset(chain.from_iterable(containers))


@compiled(mapply)
def mapply(heap, function, container):
    at = m.required(results_of(heap, container, function, 0))
    return merged_words(heap, at + m.CONTENT, m.count_of(heap, container), container)


@m.routine
def merged_words(heap, at, count, container):
    """Merge `count` containers from an address on into one of another container's kind."""
    total = 0
    for k in range(count):
        if not m.is_container(heap, heap[at + k]):
            return m.WRONG_TYPE
        total += m.count_of(heap, heap[at + k])
    made = m.required(m.begin_node(heap, total))
    to = made + m.CONTENT
    for k in range(count):
        elements = m.required(m.opened(heap, heap[at + k]))
        size = m.count_of(heap, elements)
        m.copy_words(heap, m.first_word(elements), to, size)
        to += size
    return m.finish_like(heap, made, total, container)


@primitive(charge=call_of_each)
def rapply(functions: Container, value: Any) -> Container:
    """Return the result of each of `functions` for `value`, in a container of the same kind."""
    return functions.__class__(paid(function(value) for function in ascending(functions)))


@compiled(rapply)
def rapply(heap, functions, value):
    at = m.required(results_of(heap, functions, value, 1))
    return m.finish_like(heap, at, m.count_of(heap, functions), functions)


@primitive(charge=lambda function, a, b: lesser(count(a), count(b)) * cost(function))
def papply(function: Callable, a: Tuple, b: Tuple) -> Tuple:
    """Apply `function` to the elements of two tuples side by side, up to the shorter's end."""
    return tuple(paid(function(i, j) for i, j in zip(a, b, strict=False)))


@compiled(papply)
def papply(heap, function, a, b):
    at = m.required(results_of_two(heap, function, a, b, 0))
    return m.finish_tuple(heap, at, min(m.count_of(heap, a), m.count_of(heap, b)))


@m.machine_function
def results_of_two(heap, function, a, b, each_with_each):
    """Do `results_of` for the elements of two containers, side by side or each with each."""
    first = m.required(m.opened(heap, a))
    second = m.required(m.opened(heap, b))
    count, others = m.count_of(heap, first), m.count_of(heap, second)
    total = count * others if each_with_each else min(count, others)
    at = m.required(m.begin_node(heap, total))
    for k in range(total):
        top = heap[m.TOP]
        one = heap[m.first_word(first) + (k % count if each_with_each else k)]
        other = heap[m.first_word(second) + (k // count if each_with_each else k)]
        result = m.required(m.call_of_two(heap, function, one, other))
        m.required(store_result(heap, at, k, result, top))
    return at


@primitive(charge=lambda function, a, b: lesser(count(a), count(b)) * cost(function))
def mpapply(function: Callable, a: Tuple, b: Tuple) -> Tuple:
    """Merge the containers in the result of `papply` into one tuple."""
    results = paid(function(i, j) for i, j in zip(a, b, strict=False))
    return merged(tuple, results)  # type: ignore[no-any-return]


@compiled(mpapply)
def mpapply(heap, function, a, b):
    at = m.required(results_of_two(heap, function, a, b, 0))
    return merged_words(heap, at + m.CONTENT, min(m.count_of(heap, a), m.count_of(heap, b)), a)


@primitive(charge=lambda function, a, b: count(a) * count(b) * cost(function))
def prapply(function: Callable, a: Container, b: Container) -> FrozenSet:
    """Return the set of results of `function` for each element of `a` with each element of `b`."""
    first, second = ascending(a), ascending(b)
    return frozenset(paid(function(i, j) for j in second for i in first))


@compiled(prapply)
def prapply(heap, function, a, b):
    at = m.required(results_of_two(heap, function, a, b, 1))
    return m.finish_set(heap, at, m.count_of(heap, a) * m.count_of(heap, b))


@primitive(charge=calls_on_each, each=("condition", "container"))
def sfilter(container: Container, condition: Callable) -> Container:
    """Keep the elements that satisfy `condition`, in a container of the same kind."""
    return container.__class__([e for e in ascending(container) if truth(condition(e))])


@m.machine_function
def filtered(heap, container, value, test):
    """Return the elements of `passing`, in a container of the same kind."""
    at = m.required(passing(heap, container, value, test))
    if heap[at + 1] == m.count_of(heap, container):
        heap[m.TOP] = at
        return container
    if m.is_set(heap, container):
        return m.finish_ascending(heap, at, heap[at + 1], m.MIXED)
    return m.finish_tuple(heap, at, heap[at + 1])


@m.machine_function
def passing(heap, container, value, test):
    """Begin a node with the elements for which test(heap, element, value) is true.

    Returns the node's address, with the number of elements at offset 1, or a wrong word.
    """
    elements = m.required(m.opened(heap, container))
    count = m.count_of(heap, elements)
    at = m.required(m.begin_node(heap, count))
    kept = 0
    top = heap[m.TOP]
    for k in range(count):
        word = heap[m.first_word(elements) + k]
        result = m.required(test(heap, word, value))
        heap[m.TOP] = top
        heap[at + m.CONTENT + kept] = word
        kept += m.truth(result)
    heap[at + 1] = kept
    return at


@m.machine_function
def satisfies(heap, element, condition):
    return m.call_of_one(heap, condition, element)


compiled_as(sfilter, filtered, satisfies)


@primitive(charge=calls_on_each, each=("function", "container"))
def mfilter(container: Container, function: Callable) -> FrozenSet:
    """Merge the inner containers that satisfy `function` into one container."""
    kept = [e for e in ascending(container) if truth(function(e))]
    charge_results(kept)
    return merged(container.__class__, kept)


@compiled(mfilter)
def mfilter(heap, container, function):
    at = m.required(passing(heap, container, function, satisfies))
    count = heap[at + 1]
    for k in range(count):
        m.required(m.charge(heap, m.weight(heap, heap[at + m.CONTENT + k]) - 1))
    return merged_words(heap, at + m.CONTENT, count, container)


def satisfying(container: Collection[Value], condition: Value) -> Iterator[Value]:
    """Yield the elements that satisfy `condition`; pay each call before it is made."""
    cost = call_cost(condition)
    for element in ascending(container):
        charge(cost)
        if truth(condition(element)):
            yield element


@primitive
def extract(container: Container, condition: Callable) -> Any:
    """Return the first element that satisfies `condition`; later elements are not looked at."""
    for element in satisfying(container, condition):
        return element
    raise ValueError("extract: no element satisfies the condition")


@compiled(extract)
def extract(heap, container, condition):
    found = m.required(first_satisfying(heap, container, condition))
    return m.element(heap, found, 0) if m.count_of(heap, found) else m.NO_VALUE


@m.machine_function
def first_satisfying(heap, container, condition):
    """Return a tuple of the first element that satisfies `condition`, or `()`."""
    elements = m.required(m.opened(heap, container))
    cost = m.call_cost(heap, condition)
    at = m.required(m.begin_node(heap, 1))
    for k in range(m.count_of(heap, elements)):
        word = heap[m.first_word(elements) + k]
        top = heap[m.TOP]
        m.required(m.charge(heap, cost))
        result = m.required(m.call_of_one(heap, condition, word))
        heap[m.TOP] = top
        if m.truth(result):
            heap[at + m.CONTENT] = word
            return m.finish_tuple(heap, at, 1)
    return m.finish_tuple(heap, at, 0)
