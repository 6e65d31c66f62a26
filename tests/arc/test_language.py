"""ARC's language as a whole: what its operations leave when they fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc import ARC_DSL
from megabatt.runtime.arc.beyond.table import BEYOND
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.core import operators
from megabatt.runtime.engine.language.values import identical
from tests.arc.lanes import cells, lanes_of, pairs, scalar
from tests.examples import examples


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("size", 0), ("numcolors", 0), ("add", 0), ("flip", False), ("shape", (0, 0)),
        ("astuple", (0, 0)), ("rot90", ()), ("apply", ()), ("objects", frozenset()),
        ("product", frozenset()), ("first", ()), ("compose", arc.fails),
    ],
)
def test_a_failed_operation_leaves_the_safe_default_of_what_it_calls(name, default):
    assert identical(LANGUAGE.default_of(getattr(arc, name)), default)


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
def test_the_sequential_form_is_written_with_the_default_that_the_other_takes(name):
    written = eval(LANGUAGE.default_source(name), vars(arc))
    assert identical(written, LANGUAGE.default_of(getattr(arc, name)))


def test_the_language_has_all_of_arc_dsl_s_primitives():
    added = [p for p in LANGUAGE.primitives.values() if p.module == operators.__name__]
    assert len(LANGUAGE.primitives) - len(added) - len(BEYOND.primitives) == 160
    assert len(ARC_DSL) == 160 and ARC_DSL.isdisjoint(BEYOND.primitives)
    assert {name: getattr(arc, name) for name in LANGUAGE.primitives} == {
        name: primitive.function for name, primitive in LANGUAGE.primitives.items()
    }


def test_every_primitive_has_a_compiled_form():
    without = [name for name, p in LANGUAGE.primitives.items() if p.compiled is None]
    assert without == []
OF_PLACES = [
    (name, place, declared.name)
    for name, primitive in LANGUAGE.primitives.items()
    for place, declared in enumerate(primitive.types)
    if declared.name in ("Patch", "Object")
]
IN_THEIR_ORDER = {"paint", "underpaint", "color"}
"""Primitives to which the order of the cells of a tuple matters."""


def outcomes(name, args, place, values):
    """Return what becomes of a call with each value in one place: whether it succeeds, its result.

    A call that fails has no result.
    """
    found = []
    for value in values:
        succeeded, result, _ = scalar(
            LANGUAGE.primitives[name].function, (*args[:place], value, *args[place + 1 :]), 3000
        )
        found.append((succeeded, result if succeeded else None))
    return found


@pytest.mark.parametrize(("name", "place", "declared"), OF_PLACES)
@settings(max_examples=examples(20))
@given(data=st.data())
def test_a_tuple_of_places_is_measured_as_the_set_of_its_elements(name, place, declared, data):
    (args,) = data.draw(lanes_of(LANGUAGE.primitives[name], max_lanes=1))
    some = cells if declared == "Object" else data.draw(st.sampled_from([cells, pairs]))
    places = data.draw(st.lists(some, min_size=1, max_size=5))
    if name in IN_THEIR_ORDER:
        places = sorted(set(places))
    of_tuple, of_set = outcomes(name, args, place, [tuple(places), frozenset(places)])
    assert identical(of_tuple, of_set)


@pytest.mark.parametrize("name", sorted(IN_THEIR_ORDER))
def test_a_tuple_of_cells_is_painted_in_its_own_order(name):
    cells = (2, (0, 0)), (1, (0, 0))
    args = [((0,),), None][-LANGUAGE.primitives[name].arity :]
    place = len(args) - 1
    forwards, backwards = outcomes(name, args, place, [cells, cells[::-1]])
    assert forwards[0] and backwards[0] and forwards != backwards


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (name, place)
        for name, primitive in LANGUAGE.primitives.items()
        for place, declared in enumerate(primitive.types)
        if declared.name in ("Patch", "Object", "Objects", "FrozenSet")
    ],
)
@settings(max_examples=examples(10))
@given(data=st.data())
def test_an_empty_tuple_is_the_empty_set_where_a_set_is_declared(name, place, data):
    (args,) = data.draw(lanes_of(LANGUAGE.primitives[name], max_lanes=1))
    of_tuple, of_set = outcomes(name, args, place, [(), frozenset()])
    assert identical(of_tuple, of_set)


@pytest.mark.parametrize("empty", [(), frozenset()])
@pytest.mark.parametrize(
    ("name", "others"),
    [("normalize", []), ("shift", [(1, 1)]), ("toindices", []),
     ("backdrop", []), ("delta", []), ("box", []), ("difference", [frozenset()])],
)  # fmt: skip
def test_a_primitive_of_patches_gives_the_empty_set_back(name, others, empty):
    assert identical(LANGUAGE.primitives[name].function(empty, *others), frozenset())
