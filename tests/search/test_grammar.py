"""The grammar: probabilities of heads by place, and costs that add up."""

from __future__ import annotations

import pickle
from math import isclose, log2

import pytest

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.merging import without_dead
from megabatt.runtime.search.grammar import CALLED, INTEGER, ROOT, Grammar
from megabatt.runtime.search.state import State
from megabatt.runtime.search.typed import Vocabulary, canonical
from tests.search.tasks import made_up, state_and_room

SEEDS = mb.read(f"{LISTS[0]}/training.py")


@pytest.fixture(scope="module")
def grammar():
    return Grammar.counted(SEEDS, WORKLOAD.draws)


def every_head(grammar):
    words = grammar.vocabulary
    named = [*words.primitives, *words.constants, *words.inputs, INTEGER, CALLED]
    return [*named, *(f"&{name}" for name in words.primitives)]


def test_the_heads_of_a_place_have_probability_one(grammar):
    for slot in [ROOT, ("objects", 0), ("fill", 1), ("apply", 0), ("never_seen", 3), (CALLED, 1)]:
        assert isclose(sum(grammar.weights(slot, every_head(grammar))), 1, rel_tol=1e-9)


def test_unneeded_operations_cost_nothing(grammar):
    for program in SEEDS[:40]:
        longer = program._replace(operations=(("dead", "palette", "I"), *program.operations))
        assert grammar.cost(longer) == grammar.cost(program)
        assert without_dead(longer) == without_dead(program)


def test_a_use_that_was_seen_often_costs_less(grammar):
    assert grammar.edge(("objects", 0), "I") < grammar.edge(("objects", 0), "canvas")
    assert grammar.edge(("argmax", 1), "&size") < grammar.edge(("argmax", 1), "&vmirror")


def test_an_integer_costs_what_the_boolean_that_equals_it_costs(grammar):
    made = [mb.program("p", [["O", "repeat", "I", value]]) for value in (1, True)]
    cost = grammar.step("repeat", ["I", INTEGER]) + grammar.root("repeat")
    assert [grammar.cost(program) for program in made] == [cost, cost]


def test_refining_makes_parts_of_close_programs_likelier(grammar):
    near = mb.program("near", [["x1", "cmirror", "I"], ["O", "hconcat", "x1", "I"]])
    refined = grammar.refined([(near, 3.0)])
    assert refined.cost(near) < grammar.cost(near)
    assert refined.cost(SEEDS[0]) >= grammar.cost(SEEDS[0]) - 1e-9


def test_the_kinds_of_variables_are_those_of_the_language(grammar):
    program = mb.program(
        "p", [["x1", "objects", "I", "T", "F", "T"], ["x2", "first", "x1"],
              ["x3", "apply", "size", "x1"], ["x4", "compose", "first", "totuple"],
              ["x5", "x4", "x2"]]
    )  # fmt: skip
    kinds = grammar.vocabulary.typed(program)
    assert kinds["x1"] == ("set", ("set", "cell")) and kinds["x2"] == ("set", "cell")
    assert kinds["x3"] == ("set", "int")
    assert kinds["x4"][0] == "function" and kinds["x5"] == "any"


def test_programs_alike_but_for_names_are_canonically_the_same():
    one = mb.program("a", [["b", "hmirror", "I"], ["c", "hmirror", "I"], ["d", "hconcat", "b", "c"],
                           ["e", "rot90", "d"]], "d")  # fmt: skip
    other = mb.program("a", [["x", "hmirror", "I"], ["O", "hconcat", "x", "x"]])
    assert canonical(one).operations == canonical(other).operations
    assert canonical(one).returns == "O"


def test_no_head_that_a_place_takes_is_much_dearer_than_the_choice(grammar):
    """So short programs come before long programs, however rare their parts."""
    words = grammar.vocabulary
    places = [
        (name, k, one.name) for name, p in words.primitives.items() for k, one in enumerate(p.types)
    ]
    for name, place, declared in places:
        constants = [c for c in words.constants if words.accepts(declared, words.kinds[c])]
        for constant in constants:
            assert grammar.edge((name, place), constant) <= log2(len(every_head(grammar))) + 5
    rare = mb.program("rare", [["x", "numcolors", "I"], ["O", "upscale", "I", "x"]])
    assert grammar.cost(rare) < 3 * (log2(len(words.primitives)) + 5)


@pytest.mark.parametrize(("name", "primitives"), [("", None), ("", ["rot90"]), ("own", ["rot90"])])
def test_a_grammar_of_ones_own_is_the_same_in_other_processes_and_when_resumed(
    tmp_path, name, primitives
):
    words = Vocabulary(WORKLOAD.draws, name, primitives)
    own = Grammar(words, {}, ["SEVEN"]).refined([(SEEDS[0], 2.0)])
    state, room = state_and_room(made_up(["mirror"]))
    room.grammar = state.grammar = own
    state.save(tmp_path / "state")
    resumed = State.read(tmp_path / "state", WORKLOAD)
    for grammar in (pickle.loads(pickle.dumps(room)).grammar, resumed.grammar):
        assert grammar.parts == own.parts
        assert [grammar.cost(seed) for seed in SEEDS] == [own.cost(seed) for seed in SEEDS]


def test_a_vocabulary_holds_beside_a_grammar_of_ones_own(grammar):
    options = {"seeds": SEEDS[:40], "strategies": ["seeds"], "programs": 1, "grammar": grammar}
    found = mb.search(made_up(["mirror"]), vocabulary="arc-dsl", **options)
    counts, name, primitives, _ = found.state.grammar.parts
    assert (counts, name) == (grammar.counts, "arc-dsl")
    assert set(primitives) == set(WORKLOAD.vocabularies["arc-dsl"])
