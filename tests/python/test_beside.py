"""A program's results never depend on other programs or samples evaluated beside it."""


import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt as mb
from tests.evaluations import said_of
from tests.examples import examples
from tests.python.scalar import random_programs
from tests.toy.workload import WORKLOAD as STATIONS
from tests.toy.workload import Series

SERIES = [Series(0, 0, (), (), None), Series(0, 1, (1.0,), (2.0,), None)]
GRIDS = [([[1, 0, 2]], [[2, 0, 1]]), ([[0, 1]], None), ([[3], [4]], [[3], [4]])]
KINDS = ["no function", "none at all", "a function"]


def over_nothing(kind, form, other, k):
    """Return a program that calls a value over a container that is empty in some samples.

    The container and the called value differ in kind between samples.
    """
    called = {"no function": ["f", "compose", k, k], "none at all": ["f", "identity", k],
              "a function": ["f", "lbind", "equality", k]}[kind]  # fmt: skip
    return mb.program(f"{form} {kind} {k}", [
        ["n", "initset", k], ["m", "astuple", k, k], ["e", "difference", "n", "n"],
        ["z", "size", other], ["c", "equality", "z", 0], called,
        ["y", "branch", "c", "e", "m"], ["x", "sfilter", "y", "f"], ["O", form, "f", "x"],
    ])  # fmt: skip


def task_of(grids):
    """Return a task of one demonstration, which programs see, with the grids as its tests."""
    tests = [{"input": given} | ({"output": wanted} if wanted else {}) for given, wanted in grids]
    return {"train": [{"input": [[5, 0]], "output": [[0, 5]]}], "test": tests}


def evaluated(programs, samples, **options):
    return mb.evaluate(programs, samples, outputs="all", **options)


@pytest.mark.parametrize("form", ["apply", "mapply", "sfilter", "rapply"])
@pytest.mark.parametrize(
    "samples, other, options",
    [(SERIES, "W", {"workload": STATIONS}), (GRIDS, "I", {})],
    ids=["of columns", "of words"],
)
def test_a_value_called_over_nothing_fails_alike_alone_and_beside_others(
    samples, other, options, form
):
    programs = [over_nothing(kind, form, other, k) for k in range(20) for kind in KINDS]
    together = evaluated(programs, samples, **options)
    for k in range(0, len(programs), 7):
        assert said_of(evaluated([programs[k]], samples, **options)) == said_of(together, [k])
    each = mb.evaluate_each([(program, samples) for program in programs], outputs="all", **options)
    for k, alone in enumerate(each):
        assert said_of(alone) == said_of(together, [k])


@settings(max_examples=examples(15))
@given(st.integers(0, 1000), st.permutations(GRIDS))
def test_programs_give_in_each_sample_what_they_give_in_any_order_of_samples(seed, moved):
    programs = random_programs(12, seed=seed)
    found, other = (
        said_of(evaluated(programs, task_of(grids), max_elements=3000)) for grids in (GRIDS, moved)
    )
    places = [0] + [1 + moved.index(grid) for grid in GRIDS]
    assert found.errors == other.errors
    assert found.outputs == {(k, s): other.outputs[k, places[s]] for k, s in found.outputs}
    assert found.failed == [[of[place] for place in places] for of in other.failed]
