"""Functions over the elements of containers: apply and its kin, the filters, extract.

Each primitive charges `call_cost` for every call, and the weight of each result above one.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import Any as Value

from numpy import int64

from megabatt.runtime.core.charges import call_of_each, calls, calls_of_all, calls_of_two
from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import (
    Any,
    Callable,
    Container,
    ContainerContainer,
    FrozenSet,
    Tuple,
)
from megabatt.runtime.engine.language.limits import charge
from megabatt.runtime.engine.language.values import (
    ascending,
    call_cost,
    order_key,
    set_of,
    total_weight,
    truth,
)
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import machine_function, routine


def charge_results(results: Collection[Value]) -> None:
    """Charge each result's weight above one, which is known only when the result is there."""
    charge(total_weight(results) - len(results))


@primitive(charge=lambda function, container: calls(container, function))
def apply(function: Callable, container: Container) -> Container:
    """Return the results of `function` for each element, in a container of the same kind."""
    results = [function(e) for e in container]
    charge_results(results)
    if container.__class__ is tuple:
        return tuple(results)
    return set_of(results, lambda: _in_order(container, results))


def _in_order(container: Value, results: Collection[Value]) -> list[Value]:
    """Reorder the results as if the container had been iterated ascending."""
    in_turn = list(results)
    return [in_turn[k] for k in _turns(container)]


def _turns(container: Value) -> list[int]:
    """List the elements' positions in the iteration, sorted by the language's order."""
    if container.__class__ is tuple:
        return list(range(len(container)))
    keys = list(map(order_key, container))
    return sorted(range(len(keys)), key=keys.__getitem__)


@compiled(apply)
def apply(heap, function, container):
    at = results_of(heap, function, container)
    if at <= m.WRONG:
        return at
    count = m.count_of(heap, container)
    return m.finish_like(heap, at, count, m.container_kind(heap, container))


@machine_function
def results_of(heap, function, container):
    """Call a function on each element, and pay for the results.

    Returns the address of a node begun with the results, or a wrong word.
    """
    elements = m.opened(heap, container)
    at = m.begin_beside(heap, elements)
    if at < 0:
        return int64(m.FULL)
    for k in range(m.count_of(heap, elements)):
        top = heap[m.TOP]
        result = m.call_of_one(heap, function, heap[m.first_word(elements) + k])
        if not store_result(heap, at, k, result, top):
            return result if result <= m.WRONG else int64(m.FAILED)
    return at


@machine_function
def store_result(heap, at, k, result, top):
    """Put the k-th result into a node begun, and pay for it. Returns whether all is right.

    top: where the heap ended before the call that gave it.
    """
    if result <= m.WRONG:
        return False
    if not m.is_node(result):
        heap[m.TOP] = top
    heap[at + m.CONTENT + k] = result
    return m.pay(heap, m.weight(heap, result) - 1)


@primitive(charge=lambda function, container: calls(container, function))
def mapply(function: Callable, container: ContainerContainer) -> FrozenSet:
    """Merge the results of `function` for each element, containers themselves, into one."""
    results = [function(e) for e in container]
    charge_results(results)
    return merged(container, results)


def merged(outer: Value, results: Collection[Value]) -> Value:
    """Merge the results for `outer`'s elements into one container of `outer`'s kind.

    Raises TypeError where a result is no container.
    """
    for result in results:
        if result.__class__ is not frozenset and result.__class__ is not tuple:
            raise TypeError(f"expected a container to merge, got {type(result).__name__}")
    if outer.__class__ is tuple:
        return tuple(chain.from_iterable(map(ascending, results)))
    return set_of(
        list(chain.from_iterable(results)),
        lambda: chain.from_iterable(_in_order(outer, results)),
    )


@compiled(mapply)
def mapply(heap, function, container):
    at = results_of(heap, function, container)
    if at <= m.WRONG:
        return at
    count = m.count_of(heap, container)
    return merged_words(heap, at + m.CONTENT, count, m.container_kind(heap, container))


@routine
def merged_words(heap, at, count, kind):
    """Merge containers, words from an address on, into one of a kind, `SET` or `TUPLE`."""
    total = int64(0)
    for k in range(count):
        if not m.is_container(heap, heap[at + k]):
            return int64(m.FAILED)
        total += m.count_of(heap, heap[at + k])
    made = m.begin_node(heap, total)
    if made < 0:
        return int64(m.FULL)
    to = made + m.CONTENT
    for k in range(count):
        elements = m.opened(heap, heap[at + k])
        if elements <= m.WRONG:
            return elements
        size = m.count_of(heap, elements)
        m.copy_words(heap, m.first_word(elements), to, size)
        to += size
    return m.finish_like(heap, made, total, kind)


@primitive(charge=call_of_each)
def rapply(functions: Container, value: Any) -> Container:
    """Return the result of each of `functions` for `value`, in a container of the same kind."""
    results = [function(value) for function in functions]
    charge_results(results)
    if functions.__class__ is tuple:
        return tuple(results)
    return set_of(results, lambda: _in_order(functions, results))


@compiled(rapply)
def rapply(heap, functions, value):
    elements = m.opened(heap, functions)
    at = m.begin_beside(heap, elements)
    if at < 0:
        return int64(m.FULL)
    count = m.count_of(heap, elements)
    for k in range(count):
        top = heap[m.TOP]
        result = m.call_of_one(heap, heap[m.first_word(elements) + k], value)
        if not store_result(heap, at, k, result, top):
            return result if result <= m.WRONG else int64(m.FAILED)
    return m.finish_like(heap, at, count, m.container_kind(heap, functions))


@primitive(charge=lambda function, a, b: calls_of_two(a, b, function))
def papply(function: Callable, a: Tuple, b: Tuple) -> Tuple:
    """Apply `function` to the elements of two tuples side by side, up to the shorter's end."""
    results = [function(i, j) for i, j in zip(a, b, strict=False)]
    charge_results(results)
    return tuple(results)


@compiled(papply)
def papply(heap, function, a, b):
    at = results_of_two(heap, function, a, b)
    if at <= m.WRONG:
        return at
    return m.finish_tuple(heap, at, min(m.count_of(heap, a), m.count_of(heap, b)))


@machine_function
def results_of_two(heap, function, a, b):
    """Do `results_of` for the elements of two tuples side by side."""
    first = m.opened(heap, a)
    second = m.opened(heap, b)
    if first <= m.WRONG or second <= m.WRONG:
        return int64(m.FULL)
    count = min(m.count_of(heap, first), m.count_of(heap, second))
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    for k in range(count):
        top = heap[m.TOP]
        one, other = heap[m.first_word(first) + k], heap[m.first_word(second) + k]
        result = m.call_of_two(heap, function, one, other)
        if not store_result(heap, at, k, result, top):
            return result if result <= m.WRONG else int64(m.FAILED)
    return at


@primitive(charge=lambda function, a, b: calls_of_two(a, b, function))
def mpapply(function: Callable, a: Tuple, b: Tuple) -> Tuple:
    """Merge the results of `papply`, containers themselves, into one tuple."""
    results = [function(i, j) for i, j in zip(a, b, strict=False)]
    charge_results(results)
    return merged((), results)  # type: ignore[no-any-return]


@compiled(mpapply)
def mpapply(heap, function, a, b):
    at = results_of_two(heap, function, a, b)
    if at <= m.WRONG:
        return at
    count = min(m.count_of(heap, a), m.count_of(heap, b))
    return merged_words(heap, at + m.CONTENT, count, m.TUPLE)


@primitive(charge=lambda function, a, b: calls_of_all(a, b, function))
def prapply(function: Callable, a: Container, b: Container) -> FrozenSet:
    """Return the set of the results of `function` for each element of `a` with each of `b`."""
    results = [function(i, j) for j in b for i in a]
    charge_results(results)
    return set_of(results, lambda: _pairs_in_order(a, b, results))


def _pairs_in_order(a: Value, b: Value, results: list[Value]) -> list[Value]:
    """Reorder the results for all pairs as if both containers had been iterated ascending."""
    first, n = _turns(a), len(a)
    return [results[n * j + i] for j in _turns(b) for i in first]


@compiled(prapply)
def prapply(heap, function, a, b):
    first = m.opened(heap, a)
    second = m.opened(heap, b)
    if first <= m.WRONG or second <= m.WRONG:
        return int64(m.FULL)
    count = m.count_of(heap, first)
    total = count * m.count_of(heap, second)
    at = m.begin_node(heap, total)
    if at < 0:
        return int64(m.FULL)
    for k in range(total):
        top = heap[m.TOP]
        one, other = heap[m.first_word(first) + k % count], heap[m.first_word(second) + k // count]
        result = m.call_of_two(heap, function, one, other)
        if not store_result(heap, at, k, result, top):
            return result if result <= m.WRONG else int64(m.FAILED)
    return m.finish_set(heap, at, total)


@primitive(charge=lambda container, condition: calls(container, condition))
def sfilter(container: Container, condition: Callable) -> Container:
    """Keep the elements that satisfy `condition`, in a container of the same kind."""
    return container.__class__([e for e in container if truth(condition(e))])


@compiled(sfilter)
def sfilter(heap, container, condition):
    at = satisfying(heap, container, condition)
    if at <= m.WRONG:
        return at
    count = heap[at + 1]
    if m.container_kind(heap, container) == m.SET:
        return m.finish_ascending(heap, at, count)
    return m.finish_tuple(heap, at, count)


@machine_function
def satisfying(heap, container, condition):
    """Begin a node with the elements that satisfy a condition.

    Returns its address, with their number at 1, or a wrong word.
    """
    elements = m.opened(heap, container)
    at = m.begin_beside(heap, elements)
    if at < 0:
        return int64(m.FULL)
    kept = int64(0)
    top = heap[m.TOP]
    for k in range(m.count_of(heap, elements)):
        word = heap[m.first_word(elements) + k]
        result = m.call_of_one(heap, condition, word)
        if result <= m.WRONG:
            return result
        heap[m.TOP] = top
        if m.truth(result):
            heap[at + m.CONTENT + kept] = word
            kept += 1
    heap[at + 1] = kept
    return at


@primitive(charge=lambda container, function: calls(container, function))
def mfilter(container: Container, function: Callable) -> FrozenSet:
    """Merge the elements that satisfy `function`, containers themselves, into one."""
    kept = container.__class__([e for e in container if truth(function(e))])
    charge_results(kept)
    return merged(kept, kept)


@compiled(mfilter)
def mfilter(heap, container, function):
    at = satisfying(heap, container, function)
    if at <= m.WRONG:
        return at
    count = heap[at + 1]
    for k in range(count):
        if not m.pay(heap, m.weight(heap, heap[at + m.CONTENT + k]) - 1):
            return int64(m.FAILED)
    return merged_words(heap, at + m.CONTENT, count, m.container_kind(heap, container))


@primitive
def extract(container: Container, condition: Callable) -> Any:
    """Return the first element that satisfies `condition`; none behind it is looked at."""
    cost = call_cost(condition)
    for element in ascending(container):
        charge(cost)
        if truth(condition(element)):
            return element
    raise ValueError("extract: no element satisfies the condition")


@compiled(extract)
def extract(heap, container, condition):
    elements = m.opened(heap, container)
    if elements <= m.WRONG:
        return elements
    cost = m.call_cost(heap, condition)
    for k in range(m.count_of(heap, elements)):
        word = heap[m.first_word(elements) + k]
        top = heap[m.TOP]
        if not m.pay(heap, cost):
            return int64(m.FAILED)
        result = m.call_of_one(heap, condition, word)
        if result <= m.WRONG:
            return result
        heap[m.TOP] = top
        if m.truth(result):
            return word
    return int64(m.FAILED)
