"""The grammar: probabilities of heads by place, and costs that add up; and mutants, drawn by it."""

from __future__ import annotations

import pickle
from math import isclose
from random import Random

import numpy as np
import pytest

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.merging import without_dead
from megabatt.runtime.search.grammar import CALLED, INTEGER, ROOT, Grammar
from megabatt.runtime.search.mutation import Mutator, conjugated
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


# Mutants: programs of the language, new ones, and the same from the same generator


SAMPLE = [([[1, 0, 2], [0, 0, 3]], None)]


@pytest.fixture(scope="module")
def mutator():
    return Mutator(Grammar.counted(SEEDS, WORKLOAD.draws))


def mutants(mutator, how, count=120):
    for k in range(count):
        parent = SEEDS[k % len(SEEDS)]
        rng = Random(f"{how}:{k}")
        others = (SEEDS[-k],) if how == "crossed" else ()
        yield parent, getattr(mutator, how)(parent, *others, rng)


@pytest.mark.parametrize("how", ["exchanged", "varied", "crossed", "substituted"])
def test_a_mutant_is_another_program_of_the_language_and_the_same_from_the_same_generator(
    mutator, how
):
    drawn = list(mutants(mutator, how))
    made = [program for _, program in drawn if program is not None]
    assert len(made) > 90
    assert mb.evaluate(made, SAMPLE, max_elements=5000, outputs="none").errors == {}
    for parent, program in drawn:
        if program is not None:
            assert how == "crossed" or program[1:] != canonical(parent)[1:]
            words = {word for operation in program.operations for word in operation[2:]}
            assert "C" not in words  # C is the expected output
    assert list(mutants(Mutator(Grammar.counted(SEEDS, WORKLOAD.draws)), how)) == drawn


def test_a_substitution_exchanges_a_constant_wherever_it_stands(mutator):
    parent = mb.program("p", [["x", "ofcolor", "I", "TWO"], ["O", "fill", "I", "TWO", "x"]])
    for k in range(30):
        (_, _, _, first), (_, _, _, second, _) = mutator.substituted(parent, Random(k)).operations
        assert first == second != "TWO"
    assert mutator.substituted(mb.program("p", [["O", "hmirror", "I"]]), Random(0)) is None


def test_a_conjugated_program_does_the_same_to_grids_that_are_turned():
    pairs = [(pair.input, None) for pair in mb.tasks("arcagi", "training", ["67a3c6ac"])[0].pairs]
    turn = mb.evaluate([mb.program("t", [["O", "rot90", "I"]])], pairs, outputs="all")
    turned = [(turn.output(0, k), None) for k in range(len(pairs))]
    back = [
        parent._replace(
            operations=(*parent.operations, ("_end", "rot270", parent.returns)), returns="_end"
        )
        for parent in SEEDS
    ]
    between = [conjugated(parent, "rot90", "rot270", "I") for parent in SEEDS]
    found = mb.evaluate(between, pairs, outputs="all")
    expected = mb.evaluate(back, turned, outputs="all")
    assert (found.failed == expected.failed).all()
    for k, lane in np.argwhere(found.failed == 0):
        assert found.output(k, lane) == expected.output(k, lane)
