"""The machine's values are the language's: put, read, compared, weighed, told apart, packed."""

from __future__ import annotations

import pickle
import sys
from math import nan

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.core.functions import identity
from megabatt.runtime.core.types import Callable
from megabatt.runtime.engine.device.device import CPU
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import (
    Function,
    fails,
    frozen,
    identical,
    order_key,
    weight,
)
from megabatt.runtime.engine.machine.archive import WordColumn, keep
from megabatt.runtime.engine.machine.constants import put_constants
from megabatt.runtime.engine.machine.copying import unpacked
from megabatt.runtime.engine.machine.heap import Heap, NoWord
from megabatt.runtime.engine.machine.layout import BEGIN, HOST, NODE, WRONG, WRONG_TYPE
from megabatt.runtime.engine.machine.loops import Loop
from megabatt.runtime.engine.machine.order import compare
from megabatt.runtime.megabatch import given as options
from megabatt.runtime.signal import LANGUAGE as SIGNALS
from tests.arc.lanes import lanes_of
from tests.engine.forms import form_of
from tests.engine.machine_calls import call_once, pack
from tests.engine.machine_values import CAPTURING_TWO, functions, grids, places, towers, values
from tests.engine.strict import StrictDevice
from tests.evaluations import said_of
from tests.python.scalar import random_programs

some = st.lists(values, min_size=1, max_size=8)
PAIRS = [([[1, 0, 2]], [[2, 0, 1]]), ([[0, 1], [3, 4]], [[1, 0], [4, 3]]), ([[3], [4]], None)]


@Loop
def _compare_all(heap, words, others, found):
    for k in range(len(words)):
        found[k] = compare(heap, words[k], others[k])


@Loop
def _unpack(heap, word):
    return unpacked(heap, word)


@pytest.fixture(scope="module")
def heap():
    return Heap(LANGUAGE, 1 << 22)


def put_all(heap, some):
    return np.array([heap.put(value) for value in some], dtype=np.int64)


def each_two(heap, some):
    """Return all pairs of values: the first words, the second words, the pairs of values."""
    words = put_all(heap, some)
    first, second = np.divmod(np.arange(len(some) ** 2), len(some))
    two = [(some[a], some[b]) for a, b in zip(first, second, strict=True)]
    return words[first], words[second], two


def assert_in_order(heap, some):
    words, others, two = each_two(heap, some)
    found = np.zeros(len(words), dtype=np.int64)
    _compare_all(heap.array, words, others, found)
    keys = [(order_key(a), order_key(b)) for a, b in two]
    assert found.tolist() == [(a > b) - (a < b) for a, b in keys]


# ---- values and words


@given(some)
@example([(arc.lbind(arc.add, 1),), (arc.lbind(arc.add, True),)])
@example([(1, 2, 3), (1, 2, 3, 4), (1, 2)])
def test_words_are_the_same_exactly_for_identical_values_and_in_the_language_s_order(heap, some):
    assert_in_order(heap, some)
    words, others, two = each_two(heap, some)
    assert heap.same(words, others).tolist() == [identical(a, b) for a, b in two]
    by_word = (words == others) | ((words >> 61 == 1) & (others >> 61 == 1))
    assert all(by_word[k] for k, (a, b) in enumerate(two) if identical(a, b))


@given(st.lists(values | functions, max_size=6))
def test_constants_are_values_like_those_that_are_put_one_by_one(heap, some):
    some = (*some, CAPTURING_TWO, *some)
    words = np.array(put_constants(heap, some))
    assert identical(tuple(map(heap.get, words.tolist())), some)
    assert heap.same(words, put_all(heap, some)).all()


class Other(Function):
    """A function of no language."""

    name = "other"


@pytest.mark.parametrize(
    "value",
    [1e300, nan, 2j, 2**31, -(2**31) - 1, "text", frozen(np.arange(3)), Other(1), lambda x: x],
)
def test_some_values_have_no_word_and_languages_of_others_no_heap(heap, value):
    for within in (value, (1, value), frozenset([(value,)]), Other(1, value)):
        with pytest.raises(NoWord):
            heap.put(within)
    with pytest.raises(NoWord):
        Heap(SIGNALS, 100)


# ---- memory


@given(grids(), values)
def test_tables_of_bytes_are_packed_and_other_values_are_not(heap, table, other):
    top = heap.top
    word = heap.put(table)
    as_packed = pack(heap.array, top, word)
    assert heap.get(as_packed) == table
    assert heap.top - top == (3 + (sum(map(len, table)) + 7) // 8 if table else 0)
    assert heap.same(np.array([_unpack(heap.array, as_packed)]), put_all(heap, [table])).all()
    as_packed = pack(heap.array, heap.top, heap.put(other))
    assert identical(heap.get(as_packed), other)
    assert pack(heap.array, heap.top, as_packed) == as_packed


@given(st.lists(values | towers | places, max_size=8), grids())
def test_values_and_weights_are_those_that_were_put_and_an_archive_takes_less_room(
    heap, some, table
):
    some = [*some, (table, frozenset([table]))]
    archives = Heap(LANGUAGE, 1), Heap(LANGUAGE, 1)
    words = put_all(heap, some)
    assert identical(tuple(map(heap.get, words.tolist())), tuple(some))
    for source, archive in zip((None, heap, archives[0]), (heap, *archives), strict=True):
        words = words if source is None else keep(archive, source, words)
        kept = WordColumn(archive, words)
        assert identical(tuple(kept.decode()), tuple(some))
        assert kept.weights().tolist() == list(map(weight, some))
    one, two = (Heap(LANGUAGE, 1) for _ in range(2))
    keep(one, heap, np.array([heap.put((table, table))]))
    keep(two, heap, np.array([heap.put(table)]))
    assert one.top - two.top <= two.top - BEGIN + 5


@given(st.data())
def test_calls_give_the_same_in_a_heap_that_is_small_and_in_one_full_of_others_values(heap, data):
    names = sorted(LANGUAGE.primitives)
    primitive = LANGUAGE.primitives[data.draw(st.sampled_from(names))]
    (args,) = data.draw(lanes_of(primitive, 1))
    small, dirty = Heap(LANGUAGE, 1), Heap(LANGUAGE, 5000)
    dirt = st.sampled_from([-1, WRONG_TYPE, NODE + BEGIN, 7, 1 << 44])
    dirty.array[dirty.top :] = data.draw(dirt)
    put_all(dirty, data.draw(some))
    results = []
    for one in (small, dirty, heap):
        word = call_once(one, [one.put(part) for part in (primitive.function, *args)], 2000)
        results.append((word if word <= WRONG else None, word > WRONG and one.get(word)))
    assert identical(results[0], results[1]) and identical(results[1], results[2])


def test_functions_are_the_same_where_primitives_have_other_numbers(monkeypatch):
    """A process numbers primitives in the order of imports, and may lack some."""
    heap = Heap(LANGUAGE, 1)
    made = [arc.vmirror, arc.compose(arc.vmirror, arc.hmirror), arc.crop]
    pickled = pickle.dumps(WordColumn(heap, put_all(heap, made)))
    others = dict(reversed(LANGUAGE.primitives.items()))
    del others["crop"]
    monkeypatch.setattr(LANGUAGE, "primitives", others)
    assert pickle.loads(pickled).decode() == [*made[:2], fails]


# ---- calls left to the scalar form


class Early(Function):
    """A function of one argument, which it returns."""

    name = "early"

    def __call__(self, x):
        return x


class Late(Early):
    name = "late"


def test_functions_of_kinds_without_a_compiled_form_are_in_order_and_left_to_the_scalar_form():
    policy = Policy(integers=(-(2**31), 2**31 - 1), has_complex=False)
    own = Language(inputs=("A",), constants={}, policy=policy)
    own.primitive(identity)

    @own.primitive(builds=Late)
    def zlate(of: Callable) -> Callable:
        """Return a function."""
        return Late(1, of)

    @own.primitive(builds=Early)
    def early(of: Callable) -> Callable:
        """Return a function."""
        return Early(1, of)

    with own.in_use():
        heap = Heap(own, 100)
        made = [Late(1, identity), Early(1, identity), identity, zlate, early]
        assert_in_order(heap, made)
        assert call_once(heap, [heap.put(made[0]), 3], 100) == HOST


@pytest.mark.parametrize("device", [CPU, StrictDevice()], ids=["cpu", "strict"])
def test_a_value_that_no_word_holds_is_its_program_s_error(device, monkeypatch):
    """The scalar form of `vmirror` gives a value for which there is no word."""
    monkeypatch.setattr(options, "device_of", lambda *_: device)
    programs = [*random_programs(10, seed=7), mb.program("p", [["O", "vmirror", "I"]])]
    put = Heap.put

    def without_one(heap, value):
        if value == ((2, 0, 1),):
            raise NoWord("no word")
        return put(heap, value)

    inputs = [(grid, None) for grid, _ in PAIRS]
    expected = mb.evaluate(programs, inputs, outputs="all")
    monkeypatch.setattr(Heap, "put", without_one)
    with form_of("vmirror", None):
        found = mb.evaluate(programs, inputs, outputs="all")
    assert found.errors == {len(programs) - 1: "not computed: NoWord: no word"}
    assert found.failed[:-1].tolist() == expected.failed[:-1].tolist()


def test_calls_within_calls_that_are_too_many_are_left_to_the_scalar_form():
    """A function is called on itself again and again, until the limit or the depth ends it."""
    program = mb.program("p", [
        ["w", "fork", "apply", "identity", "initset"], ["x", "initset", "w"],
        ["O", "apply", "w", "x"],
    ])  # fmt: skip
    few = mb.evaluate([program], PAIRS, max_elements=500, outputs="all")
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    try:
        many = mb.evaluate([program], PAIRS, max_elements=5000, outputs="all")
    finally:
        sys.setrecursionlimit(before)
    assert said_of(few) == said_of(many) and (few.failed == 1).all()
    assert few.host_share == 0 and many.host_share == 1 / 3
