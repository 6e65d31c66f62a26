"""Mutants: of the language, another program each, and the same from the same generator."""

from __future__ import annotations

from random import Random

import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.mutation import Mutator
from megabatt.runtime.search.typed import canonical
from tests.search.test_grammar import SEEDS

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


@pytest.mark.parametrize("how", ["exchanged", "varied", "crossed"])
def test_a_mutant_is_a_program_of_the_language(mutator, how):
    made = [program for _, program in mutants(mutator, how) if program is not None]
    assert len(made) > 100
    assert mb.evaluate(made, SAMPLE, max_elements=5000, outputs="none").errors == {}


@pytest.mark.parametrize("how", ["exchanged", "varied"])
def test_a_mutant_is_another_program(mutator, how):
    for parent, program in mutants(mutator, how):
        if program is not None:
            assert program[1:] != canonical(parent)[1:]


@pytest.mark.parametrize("how", ["exchanged", "varied", "crossed"])
def test_the_same_generator_gives_the_same_mutant(mutator, how):
    anew = Mutator(Grammar.counted(SEEDS, WORKLOAD.draws))
    assert list(mutants(mutator, how, 40)) == list(mutants(anew, how, 40))


def test_an_exchange_changes_one_place(mutator):
    parent = mb.program("p", [["x1", "hmirror", "I"], ["O", "hconcat", "x1", "I"]])
    for k in range(60):
        mutant = mutator.exchanged(parent, Random(k))
        assert len(mutant.operations) <= len(parent.operations) + 1


def test_no_mutant_reads_what_is_expected(mutator):
    for how in ("exchanged", "varied", "crossed"):
        for _, program in mutants(mutator, how):
            words = {word for operation in program.operations for word in operation[2:]}
            assert "C" not in words
