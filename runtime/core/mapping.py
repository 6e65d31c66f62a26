"""Functions over the elements of containers: apply and its kin, the filters, extract.

On columns they flatten: a container's elements become the lanes of an inner frame, each with
the lane it belongs to. The function runs once on all of them, and the results are regrouped.
Each primitive charges `call_cost` for every call, and the weight of each result above one.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import Any as Value

from numpy import int64

from megabatt.runtime.core.charges import (
    call_of_each,
    calls,
    calls_of_all,
    calls_of_two,
    shorter,
)
from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import (
    Any,
    Callable,
    Container,
    ContainerContainer,
    FrozenSet,
    Tuple,
)
from megabatt.runtime.engine.calls.dispatch import call
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import (
    Column,
    Lists,
    Sequences,
    as_array,
    call_costs,
    concat,
    flags_of,
    flatten,
    make_sets,
    opened,
    repeated,
)
from megabatt.runtime.engine.device.arrays import (
    Array,
    lane_any,
    lanes_at,
    offsets_of,
    ranges_at,
    room_for,
    segment_sum,
    total_of,
    xp,
)
from megabatt.runtime.engine.device.kernels import lane_kernel, run_kernel
from megabatt.runtime.engine.device.room import TooMuchAtOnce
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.policy import SET
from megabatt.runtime.engine.values import (
    ascending,
    call_cost,
    order_key,
    set_of,
    total_weight,
    truth,
)


def like(
    container: Column, counts: Array, content: Column, offsets: Array | None = None
) -> Sequences:
    """Make containers of `container`'s kind: tuples keep the elements, sets sort and deduplicate.

    offsets: those of the counts, if they are known.
    """
    if container.kind == SET:
        return make_sets(counts, content, offsets)
    return Lists.of_counts(counts, content.materialized(), offsets)


def call_each(frame: Frame, function: Column, container: Sequences) -> Column:
    """Call each lane's function on the elements of its container; the containers are opened."""
    lanes = container.lanes
    function = repeated(function, lanes)
    return call_inner(frame, lanes, container.offsets, function, [container.content])


def call_inner(
    frame: Frame, lanes: Array, offsets: Array | None, function: Column, args: list[Column]
) -> Column:
    """Call functions on arguments in an inner frame, a lane for each.

    lanes: the frame's lane that each call belongs to; offsets: where each lane's calls begin, if
    known. An operation of one lane that would lay out too much at once is computed in parts.
    """
    operation = frame.operation
    before = operation.state() if operation.lanes == 1 else None
    child = frame.child(lanes, offsets)
    try:
        results = call(child, function, args)
    except TooMuchAtOnce:
        if before is None or len(lanes) < 2:
            raise  # the operation's own lanes can be split
        operation.restore(before)
        return _in_halves(frame, lanes, function, args)
    frame.close(child, lanes)
    return results


def _in_halves(frame: Frame, lanes: Array, function: Column, args: list[Column]) -> Column:
    """Do `call_inner` for the first half of the lanes, then for the others."""
    half = len(lanes) // 2
    parts = []
    for begin, end in ((0, half), (half, len(lanes))):
        part = xp.arange(begin, end, dtype=xp.int64)
        taken = [column.take(part) for column in args]
        parts.append(call_inner(frame, lanes[part], None, function.take(part), taken))
    return concat(parts)


def charge_results(results: Collection[Value]) -> None:
    """Charge each result's weight above one, which is known only when the result is there."""
    charge(total_weight(results) - len(results))


def charge_weights(frame: Frame, offsets: Array, elements: Column) -> None:
    """Charge as `charge_results` does, for columns: a lane's elements begin at its offset."""
    if not elements.weighs_one:
        frame.charge(segment_sum(elements.weights() - 1, offsets))


def merge_columns(frame: Frame, outer: Column, offsets: Array, inner: Column) -> Sequences:
    """Merge each lane's run of containers into one of `outer`'s kind.

    offsets: where the runs begin. A lane fails if its run has a value that is no container.
    """
    sizes_of_inner, elements, wrong = flatten(inner)
    if wrong is not None:
        frame.fail(lane_any(wrong, lanes_at(offsets, len(inner)), frame.n))
    return like(outer, segment_sum(sizes_of_inner, offsets), elements)


def _mapped(frame: Frame, function: Column, container: Column) -> Lists:
    """Call each lane's function on its container's elements; list the results in their order."""
    sequences = opened(container, frame.pay())
    results = call_each(frame, function, sequences)
    charge_weights(frame, sequences.offsets, results)
    return Lists.of_counts(sequences.counts, results, sequences.offsets)


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


@rule(apply)
def apply(frame: Frame, function: Column, container: Column) -> Column:
    results = _mapped(frame, function, container)
    return like(container, results.counts, results.content, results.offsets)


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


@rule(mapply)
def mapply(frame: Frame, function: Column, container: Column) -> Column:
    results = _mapped(frame, function, container)
    return merge_columns(frame, container, results.offsets, results.content)


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


@rule(rapply)
def rapply(frame: Frame, functions: Column, value: Column) -> Column:
    frame.pay()
    sequences = opened(functions)
    lanes, offsets = sequences.lanes, sequences.offsets
    results = call_inner(frame, lanes, offsets, sequences.content, [repeated(value, lanes)])
    charge_weights(frame, offsets, results)
    return like(functions, sequences.counts, results, offsets)


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


@rule(papply)
def papply(frame: Frame, function: Column, a: Column, b: Column) -> Column:
    results = _side_by_side(frame, function, a, b)
    return like(a, results.counts, results.content, results.offsets)


def _side_by_side(frame: Frame, function: Column, a: Column, b: Column) -> Lists:
    """Compute `papply`'s results, for columns."""
    first, second = a.as_sequences(), b.as_sequences()
    assert first is not None and second is not None
    counts = xp.where(frame.pay(), shorter(first, second), 0)
    offsets = offsets_of(counts)
    total = total_of(offsets)
    args = [repeated(s.content, ranges_at(s.starts, offsets, total)) for s in (first, second)]
    lanes = lanes_at(offsets, total)
    results = call_inner(frame, lanes, offsets, repeated(function, lanes), args)
    charge_weights(frame, offsets, results)
    return Lists.of_counts(counts, results, offsets)


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


@rule(mpapply)
def mpapply(frame: Frame, function: Column, a: Column, b: Column) -> Column:
    results = _side_by_side(frame, function, a, b)
    return merge_columns(frame, a, results.offsets, results.content)


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


@rule(prapply)
def prapply(frame: Frame, function: Column, a: Column, b: Column) -> Column:
    first, second = a.as_sequences(), b.as_sequences()
    assert first is not None and second is not None
    counts = xp.where(frame.pay(), first.counts * second.counts, 0)
    offsets, left, right = pairings(first, second, counts)
    lanes = lanes_at(offsets, len(left))
    results = call_inner(frame, lanes, offsets, repeated(function, lanes), [left, right])
    charge_weights(frame, offsets, results)
    return make_sets(counts, results, offsets)


def pairings(a: Sequences, b: Sequences, counts: Array) -> tuple[Array, Column, Column]:
    """Pair every element of a with every one of b; b's element changes slowest.

    counts: the pairs of each lane, 0 to leave it out. Returns the pairs' offsets, their elements
    of a and those of b.
    """
    offsets, left = room_for(counts)
    right = xp.empty_like(left)
    pair_up(len(counts), offsets, a.starts, a.counts, b.starts, left, right)
    return offsets, repeated(a.content, left), repeated(b.content, right)


@run_kernel
def pair_up(lane, k, offsets, a_starts, a_counts, b_starts, left, right):
    j = (k - offsets[lane]) // a_counts[lane]
    left[k] = a_starts[lane] + (k - offsets[lane]) - j * a_counts[lane]
    right[k] = b_starts[lane] + j


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


@rule(sfilter)
def sfilter(frame: Frame, container: Column, condition: Column) -> Column:
    return _filtered(frame, container, condition)


def _filtered(frame: Frame, container: Column, condition: Column) -> Sequences:
    sequences = opened(container, frame.pay())
    results = call_each(frame, condition, sequences)
    truthless = results.truthless()
    if truthless is not None:
        frame.fail_any(truthless, sequences.lanes)
    return sequences.having(results.truth())  # type: ignore[no-any-return]


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


@rule(mfilter)
def mfilter(frame: Frame, container: Column, function: Column) -> Column:
    kept = _filtered(frame, container, function)
    charge_weights(frame, kept.offsets, kept.content)
    return merge_columns(frame, container, kept.offsets, kept.content)


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


@rule(extract)
def extract(frame: Frame, container: Column, condition: Column) -> Column:
    """Try all elements, each on its own budget; charge those up to the first that satisfies."""
    sequences = opened(container)
    lanes = sequences.lanes
    trial = Frame(Operation(len(lanes), frame.operation.max_elements), len(lanes))
    results = call(trial, repeated(condition, lanes), [sequences.content])
    offsets = sequences.offsets
    first = xp.full(frame.n, len(lanes), dtype=xp.int64)
    failed = trial.failed | flags_of(results.truthless(), len(lanes))
    find_first(frame.n, offsets, results.truth() & ~failed, first)
    looked_at = xp.arange(len(lanes), dtype=xp.int64) <= first[lanes]
    costs = as_array(call_costs(condition), frame.n)
    spent = trial.operation.max_elements - trial.operation.remaining + costs[lanes]
    frame.charge(segment_sum(xp.where(looked_at, spent, 0), offsets))
    missing = first == len(lanes)
    frame.fail(missing | (segment_sum(failed & looked_at, offsets) > 0))
    if trial.operation.host is not None:
        frame.note_host(lanes[trial.operation.host & looked_at])
    return sequences.content.take(xp.where(missing, 0, first)) if len(lanes) else container


@lane_kernel
def find_first(lane, offsets, flags, first):
    """Store the position of a run's first set flag; leave `first` as it is without one."""
    k = offsets[lane]
    while k < offsets[lane + 1] and not flags[k]:
        k += 1
    if k < offsets[lane + 1]:
        first[lane] = k


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
