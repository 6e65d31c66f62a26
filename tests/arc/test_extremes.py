"""Extreme arguments: both forms do the same, and the scalar form takes no more than is allowed."""

import itertools
import resource
import sys
from random import Random

import pytest

import megabatt.runtime.arc  # noqa: F401
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from tests.arc.lanes import assert_same, scalar

FAR = 2**31 - 1
EXTREMES = [
    0, -1, FAR, -FAR, True, (FAR, -1), (-1, FAR), (0, FAR), (FAR, 0), (FAR, FAR), (), ((),),
    ((1,),), ((1, 2), (3, 1)), frozenset(), frozenset({(1, (0, 0)), (1, (2, 1))}),
    frozenset({(0, 0), (2, 1)}), frozenset({frozenset({(1, (0, 0)), (1, (2, 1))})}),
    megabatt.runtime.arc.identity,
]
ROOM = 1 << 30
COMPARED = 120
"""With how many of the extreme arguments both forms of a primitive are called."""


@pytest.fixture
def little_memory():
    """Limit this process to `ROOM` bytes more of address space than it has; only Linux can."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux limits the address space")
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
def test_extreme_arguments_take_little_memory(name, little_memory):
    primitive = LANGUAGE.primitives[name]
    for arguments in itertools.product(EXTREMES, repeat=len(primitive.parameters)):
        _, result, _ = scalar(primitive.function, arguments, MAX_ELEMENTS)
        assert not isinstance(result, MemoryError), arguments


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
def test_extreme_arguments_give_the_same_in_both_forms(name):
    primitive = LANGUAGE.primitives[name]
    arguments = [*itertools.product(EXTREMES, repeat=primitive.arity)]
    chosen = Random(name).sample(arguments, min(COMPARED, len(arguments)))
    assert_same(primitive.function, chosen)
