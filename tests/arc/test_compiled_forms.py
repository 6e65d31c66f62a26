"""Every compiled form against its scalar form: on random, extreme and large arguments."""

import itertools
import resource
import sys
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.machine.layout import LABEL_BIAS
from tests.arc.lanes import LIMIT, assert_same, lanes_of, scalar
from tests.examples import examples

each_primitive = pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))


# random arguments, some of them of wrong types


def numbers_in(value):
    """Return the numbers in a value or bound by a function."""
    parts = value if isinstance(value, (tuple, frozenset)) else getattr(value, "args", ())
    return [value] if isinstance(value, (int, float)) else sum(map(numbers_in, parts), [])


@each_primitive
@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_arguments_give_the_same_in_both_forms(name, data):
    """The machine leaves only calls with Reals or with large Integers to the scalar form."""
    primitive = LANGUAGE.primitives[name]
    limit = data.draw(st.sampled_from([LIMIT, LIMIT, 60, 8]))
    for args in assert_same(primitive.function, data.draw(lanes_of(primitive)), limit):
        _, result, _ = scalar(primitive.function, args, limit)
        numbers = numbers_in((*args, result))
        assert any(one.__class__ is float or abs(one) >= LABEL_BIAS for one in numbers), args


# extreme arguments


FAR = 2**31 - 1
EXTREMES = [
    0, -1, FAR, -FAR, True, (FAR, -1), (-1, FAR), (0, FAR), (FAR, 0), (FAR, FAR), (), ((),),
    ((1,),), ((1, 2), (3, 1)), frozenset(), frozenset({(1, (0, 0)), (1, (2, 1))}),
    frozenset({(0, 0), (2, 1)}), frozenset({frozenset({(1, (0, 0)), (1, (2, 1))})}),
    arc.identity,
]
ROOM = 1 << 30
CALLED, COMPARED = 2000, 120
"""The number of extreme arguments that the scalar form is called with, and that both are."""


@pytest.fixture
def little_memory():
    """Limit this process to `ROOM` bytes more of address space than it has; only Linux can."""
    if not sys.platform.startswith("linux"):
        yield
        return
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@each_primitive
def test_extreme_arguments_take_little_memory_and_give_the_same_in_both_forms(name, little_memory):
    primitive = LANGUAGE.primitives[name]
    arguments = [*itertools.product(EXTREMES, repeat=primitive.arity)]
    arguments = Random(name).sample(arguments, min(CALLED, len(arguments)))
    for args in arguments:
        _, result, _ = scalar(primitive.function, args, MAX_ELEMENTS)
        assert not isinstance(result, MemoryError), args
    assert_same(primitive.function, arguments[:COMPARED])


# large arguments


def grid(rng, side=None):
    """Make noise of few colors, in blots, so that components are of all sizes."""
    height, width = side or (rng.randint(1, 45), rng.randint(1, 45))
    colors = rng.sample(range(10), rng.randint(1, 4))
    rows = [[rng.choice(colors) for _ in range(width)] for _ in range(height)]
    for _ in range(rng.randint(0, 300)):
        i, j = rng.randrange(height), rng.randrange(width)
        rows[i][j] = rows[max(i - 1, 0)][j] = rows[i][max(j - 1, 0)]
    return tuple(map(tuple, rows))


def place(rng, reach=50):
    return rng.randint(-2, reach), rng.randint(-2, reach)


def indices(rng):
    """Make places close together, or as far apart as the code of a pair allows."""
    reach = rng.choice([5, 30, 30, 2000, 2**20 - 1])
    return frozenset(place(rng, reach) for _ in range(rng.choice([3, 40, 700])))


def cells(rng):
    """Make cells in any order. Many share a place."""
    reach, colors = rng.choice([3, 12, 40]), rng.choice([1, 2, 9])
    size = rng.choice([10, 33, 600])
    return tuple((rng.randint(0, colors), place(rng, reach)) for _ in range(size))


def an_object(rng):
    return frozenset(cells(rng))


def integers(rng):
    most = rng.choice([20, 10**4, 2**30])
    return frozenset(rng.randint(-most, most) for _ in range(rng.choice([5, 70, 900])))


def numbers(rng):
    return tuple(rng.randint(-9, 9) for _ in range(rng.choice([5, 70, 400])))


def object_sets(rng):
    """Make sets of cells, many of which are equal or begin alike."""
    few = [frozenset((c, place(rng, 2)) for c in range(3)) for _ in range(rng.choice([4, 60]))]
    return tuple(rng.choice(few) for _ in range(rng.choice([10, 150])))


def color(rng):
    return rng.randint(0, 9)


def always(value):
    return lambda rng: value


def some_places(count, reach):
    return lambda rng: tuple(place(rng, reach) for _ in range(count))


def one_of(*kinds):
    return lambda rng: rng.choice(kinds)(rng)


FUNCTIONS = [arc.size, arc.identity, arc.toindices, arc.even, arc.color, arc.initset]
LARGE = {
    "Any": one_of(color, grid, indices, an_object, object_sets, place),
    "Boolean": one_of(always(True), always(False)), "Integer": color, "IntegerTuple": place,
    "Number": one_of(color, lambda rng: rng.uniform(-9, 9)), "Numerical": one_of(color, place),
    "IntegerSet": integers, "Grid": grid,
    "Object": one_of(an_object, cells), "Objects": lambda rng: frozenset(object_sets(rng)),
    "Patch": one_of(indices, an_object), "Piece": one_of(grid, indices, an_object),
    "Element": one_of(grid, an_object), "Piece or tuple": one_of(grid, indices, numbers),
    "Container": one_of(integers, numbers, object_sets, an_object, grid),
    "ContainerContainer": one_of(object_sets, grid),
    "FrozenSet": one_of(integers, indices, an_object), "Tuple": one_of(numbers, object_sets, grid),
    "TupleTuple": one_of(grid, object_sets), "Callable": one_of(*map(always, FUNCTIONS)),
}  # fmt: skip
"""The function that makes a large value, by declared type."""

CASES = {
    "paint": (grid, cells), "upscale": (an_object, always(3)), "hupscale": (grid, always(2)),
    "hconcat": (lambda rng: grid(rng, (40, 7)), lambda rng: grid(rng, (40, 35))),
    "vconcat": (lambda rng: grid(rng, (9, 33)), lambda rng: grid(rng, (38, 33))),
    "combine": (integers, integers), "intersection": (integers, integers),
    "insert": (color, integers), "order": (numbers, always(arc.even)),
    "apply": (always(arc.toindices), lambda rng: frozenset(object_sets(rng))),
    "mapply": (always(arc.neighbors), lambda rng: frozenset(list(indices(rng))[:300])),
    "rapply": (always((arc.increment, arc.double)), color),
    "papply": (always(arc.add), numbers, numbers),
    "mpapply": (always(arc.connect), some_places(60, 50), some_places(60, 50)),
    "prapply": (always(arc.connect), some_places(14, 6), some_places(14, 6)),
}  # fmt: skip
"""The functions that make matching arguments, for primitives that fail on most others."""


@each_primitive
@settings(max_examples=examples(3), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_large_arguments_give_the_same_in_both_forms(name, seed):
    rng, types = Random(seed), LANGUAGE.primitives[name].types
    makers = CASES.get(name) or [LARGE[declared.name] for declared in types]
    lanes = [tuple(make(rng) for make in makers) for _ in range(3)]
    assert_same(LANGUAGE.primitives[name].function, lanes)
