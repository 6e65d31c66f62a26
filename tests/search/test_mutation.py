"""Mutants: programs of the language, new ones, and the same from the same generator."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.search.found import Near, best_of
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.layers.expressions import parsed, program_of
from megabatt.runtime.search.mutation import Mutator, conjugated, constants_of
from megabatt.runtime.search.typed import canonical
from tests.search.tasks import made_up, state_and_room
from tests.search.test_grammar import SEEDS
from tests.toy.workload import DRAWS

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


def test_an_exchange_changes_one_place(mutator):
    parent = mb.program("p", [["x1", "hmirror", "I"], ["O", "hconcat", "x1", "I"]])
    for k in range(60):
        mutant = mutator.exchanged(parent, Random(k))
        assert len(mutant.operations) <= len(parent.operations) + 1


def test_a_substitution_exchanges_a_constant_wherever_it_stands(mutator):
    parent = mb.program("p", [["x", "ofcolor", "I", "TWO"], ["O", "fill", "I", "TWO", "x"]])
    for k in range(30):
        (_, _, _, first), (_, _, _, second, _) = mutator.substituted(parent, Random(k)).operations
        assert first == second != "TWO"
    assert mutator.substituted(mb.program("p", [["O", "hmirror", "I"]]), Random(0)) is None


def test_constants_that_are_rare_are_hardly_drawn(mutator):
    rare = [name for name in mutator.words.constants if name not in ("ONE", "FIVE")]
    choosy = Mutator(mutator.grammar.with_rare(rare))
    parent = mb.program("p", [["x", "ofcolor", "I", "ONE"], ["O", "fill", "I", "ONE", "x"]])
    made = [choosy.substituted(parent, Random(k)) for k in range(20)]
    assert {word for program in made for word in constants_of(program, choosy.words)} == {"FIVE"}


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


def test_generations_of_crossing_make_no_program_that_is_very_long(mutator):
    program, rng = SEEDS[0], Random(0)
    longest = 0
    for _ in range(60):
        crossed = mutator.crossed(program, program, rng)
        program = program if crossed is None else crossed
        longest = max(longest, len(program.operations))
    assert 64 < longest <= 256


def with_flags(*flags):
    name = "flags " + ", ".join(map(str, flags))
    return mb.program(name, [["x", "objects", "I", *flags], ["y", "argmax", "x", "size"],
                             ["O", "subgrid", "y", "I"]])  # fmt: skip


def test_a_program_with_1_is_another_than_one_with_true():
    """They are equal in Python, but only the second runs: it is found although it comes second."""
    one, true = with_flags(1, 0, 1), with_flags(True, False, True)
    _, room = state_and_room(made_up(["outer"]))
    outcome = room.try_on_all([one, true], ["one", "true"])
    assert outcome.distinct == 2
    assert [found.origin for found in outcome.found] == ["true"]
    known = [Near("outer", program, 0.5, 1.0) for program in (one, true)]
    assert best_of(known, 2) == known
    words = room.grammar.vocabulary
    kinds = [words.typed(mb.program("p", [["O", "identity", word]]))["O"] for word in (1, True)]
    assert kinds == ["int", "bool"]
    both = program_of(parsed("astuple(identity(1), identity(True))"), "both")
    assert mb.evaluate([both], SAMPLE, outputs="all").output(0, 0) == (1, True)
    assert len(both.operations) == 3


def test_a_program_may_be_shortened_to_any_input_of_its_kind():
    words = Mutator(Grammar.counted([], DRAWS))
    shorter = words.shorter(mb.program("scaled", [["O", "scaled", "W", "ONE"]]))
    assert {program.returns for program in shorter if not program.operations} == {"W", "X"}
