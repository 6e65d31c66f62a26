"""Enumeration: every combination once, by cost; equal values once, each with its program."""

from __future__ import annotations

import itertools
from operator import getitem

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.search.enumerate.combinations import PlaceChoices, combinations
from megabatt.runtime.search.enumerate.costs import Costs
from megabatt.runtime.search.enumerate.enumeration import Enumeration
from megabatt.runtime.search.enumerate.strategy import Enumerated, FromBelow, enumeration_of
from megabatt.runtime.search.enumerate.waiting import Waiting
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import problems_of
from megabatt.runtime.search.state import State
from megabatt.runtime.search.typed import Vocabulary
from megabatt.runtime.search.workroom import Workroom

SEEDS = mb.read(f"{LISTS[0]}/training.py")
INPUTS = [((1, 0, 2), (0, 0, 2)), ((3, 3), (0, 3), (3, 0)), ((5, 4, 0),)]
SHOWN = 2


@pytest.fixture(scope="module")
def grammar():
    return Grammar.counted(SEEDS, WORKLOAD.draws)


@pytest.fixture(scope="module")
def costs(grammar):
    return Costs(grammar)


def enumeration(costs, outputs, **options):
    return Enumeration(costs, {"I": INPUTS}, outputs, **options)


def outputs_of(program):
    found = mb.evaluate([program], [(grid, None) for grid in INPUTS], outputs="all")
    return [found.output(0, k) for k in range(len(INPUTS))]


def assert_found(found, outputs):
    """Assert that the first program found right gives the shown outputs."""
    program = next(one.program for one in found if one.right == SHOWN)
    pairs = list(zip(INPUTS, outputs, strict=True))[:SHOWN]
    assert mb.evaluate([program], pairs).fits.all()


def place_of(costs):
    order = np.argsort(costs, kind="stable").astype(np.int64)
    return PlaceChoices(order, np.array(costs, dtype=np.float64)[order])


@given(st.lists(st.lists(st.floats(0, 8, width=16), max_size=6), min_size=1, max_size=4),
       st.floats(0, 10), st.floats(0, 6), st.integers(1, 40))  # fmt: skip
def test_combinations_are_complete_within_the_asked_costs(costs, above, width, at_once):
    places = [place_of(c) for c in costs]
    found = []
    for operands, sums in combinations(places, above, above + width, at_once):
        found += zip(*(of.tolist() for of in operands), strict=True)
        assert ((sums > above) & (sums <= above + width)).all()
    every = itertools.product(*(range(len(c)) for c in costs))
    totals = {chosen: sum(map(getitem, costs, chosen)) for chosen in every}
    assert sorted(found) == [k for k, total in totals.items() if above < total <= above + width]


calls = st.tuples(st.integers(0, 2), st.integers(0, 50), st.integers(0, 3), st.floats(0, 8))


@given(st.lists(calls), st.lists(st.floats(-1, 9), min_size=12, max_size=12))
def test_waiting_calls_are_taken_out_up_to_a_cost(every, limits):
    limits, waiting = np.array(limits).reshape(3, 4), Waiting()
    for head, operand, layout, cost in every:
        waiting.add(head, [np.array([operand])], np.array([cost]), np.array([layout]))

    def taken(limits):
        return sorted(
            (head, int(found.operands[0][k]), int(found.layouts[k]), float(found.costs[k]))
            for head, found in waiting.taken(limits)
            for k in range(len(found.costs))
        )

    cheap = [call for call in sorted(every) if call[3] <= limits[call[0], call[2]]]
    dear = [call for call in sorted(every) if call[3] > limits[call[0], call[2]]]
    assert (taken(limits), taken(np.full((3, 4), 8.0))) == (cheap, dear)
    assert waiting.nbytes == 0


@pytest.mark.parametrize(
    "operations",
    [
        [["O", "rot90", "I"]],
        [["x1", "vmirror", "I"], ["O", "hconcat", "I", "x1"]],
        [["x1", "asobject", "I"], ["x2", "sfilter", "x1", "identity"], ["O", "dmirror", "I"]],
        [["x1", "leastcolor", "I"], ["x2", "ofcolor", "I", "x1"], ["O", "fill", "I", "FIVE", "x2"]],
    ],
)
def test_a_program_that_fits_is_found(costs, operations):
    outputs = outputs_of(mb.program("asked", operations))
    assert_found(enumeration(costs, outputs[:SHOWN]).run(150_000), outputs)


def test_values_are_what_their_programs_give_and_no_two_are_equal(costs):
    task = enumeration(costs, [((9,),)] * SHOWN)
    list(task.run(8000))
    words = len(task.grammar.vocabulary.primitives) + len(LANGUAGE.constants)
    data = [k for k in range(len(task.bank)) if task.bank.layouts[k] >= 0]
    made = [k for k in data if task.bank.origin(k)[0] is not None]
    assert len(made) > 400 and len(data) < len(task.bank) - words // 2
    programs = [task.bank.program(k) for k in made]
    evaluation = mb.evaluate(programs, [(i, None) for i in INPUTS], outputs="all")
    assert not evaluation.errors and not evaluation.failed.any()
    distinct = set()
    for place, number in enumerate(made):
        values = tuple(task.bank.values(np.array([number])))
        assert values == tuple(evaluation.output(place, k) for k in range(len(INPUTS)))
        distinct.add(tuple((type(v), v) for v in values))
    assert len(distinct) == len(made)


@given(st.sets(st.sampled_from(["rot90", "rot180", "dmirror", "vmirror", "tophalf", "flip"])))
def test_a_small_vocabulary_is_enumerated_to_its_end_and_its_words_alone(names):
    inputs = ((1, 2), (3, 4)), ((5, 6), (7, 8))
    grids, new = set(), {inputs}
    while new:
        grids |= new
        made = [
            [attempt(LANGUAGE.primitives[name].function, [grid], 100) for grid in of]
            for of in new
            for name in sorted(names - {"flip"})
        ]
        new = {(a, b) for (a, wrong, _), (b, other, _) in made if not (wrong or other)} - grids
    few = Grammar(Vocabulary(WORKLOAD.draws, "few", names), {})
    task = Enumeration(Costs(few), {"I": inputs}, [((9,),)])
    assert not list(task.run())
    named = {str(word) for word in task.bank.words.values()} & LANGUAGE.primitives.keys()
    assert named == names
    found = [tuple(task.bank.values(np.array([k]))) for k in range(len(task.bank))
             if task.bank.words.get(k, "I") == "I"]  # fmt: skip
    assert set(found) == grids and len(found) == len(grids)


def test_the_same_is_enumerated_at_one_go_and_in_parts_beside_others(costs):
    """Tasks take turns in a process: a task's finds do not depend on other tasks."""
    asked = ([((3, 3), (3, 3))] * SHOWN, [((1,),)] * SHOWN)
    beside = [enumeration(costs, outputs) for outputs in asked]
    for budget in range(0, 4001, 500):
        for task in beside:
            list(task.run(budget))
    for task, outputs in zip(beside, asked, strict=True):
        alone = enumeration(costs, outputs)
        list(alone.run(4000))
        assert task.candidates == alone.candidates
        assert len(task.bank) == len(alone.bank)
        every = np.arange(len(alone.bank))
        layouts = alone.bank.layouts[every]
        assert (task.bank.layouts[every] == layouts).all()
        data = np.flatnonzero(layouts >= 0)
        assert task.bank.values(data) == alone.bank.values(data)


LONG = mb.program("long", [
    ["x1", "asindices", "I"], ["x2", "shift", "x1", "UNITY"], ["x3", "intersection", "x1", "x2"],
    ["x4", "matcher", "first", "ONE"], ["x5", "sfilter", "x3", "x4"],
    ["O", "fill", "I", "SEVEN", "x5"],
])  # fmt: skip


def test_a_program_one_operation_above_a_given_program_is_found_soon(costs):
    last = ("turned", "dmirror", "O")
    outputs = outputs_of(LONG._replace(operations=(*LONG.operations, last), returns="turned"))
    alone, given = (enumeration(costs, outputs[:SHOWN]) for _ in range(2))
    given.give([LONG])
    assert_found(given.run(2000), outputs)
    assert not any(f.right == SHOWN for f in alone.run(2000))


# The strategy: every task in turn, deeper each time


TASKS = ["67a3c6ac", "68b16354", "83302e8f"]


@pytest.fixture(scope="module")
def problems():
    return problems_of(WORKLOAD, samples_of(mb.tasks("arcagi", "training", TASKS)))


@pytest.fixture
def room(problems, grammar):
    return Workroom(WORKLOAD, problems, SEEDS, grammar)


def test_fitting_programs_are_found_with_their_outputs_for_the_tests(room):
    for name in TASKS[:2]:
        outcome = Enumerated(name, 20).run(room)
        (task,) = mb.tasks("arcagi", "training", [name])
        best = min(outcome.found, key=lambda found: found.order)
        assert mb.evaluate([best.program], task).fits.all()
        assert outcome.candidates >= 2000 and outcome.tried == -(-outcome.candidates // 100)
        assert all(len(found.outputs) == 1 for found in outcome.found)


def test_programs_that_came_near_are_there_from_the_beginning(room):
    """A right value of such a program is found before anything is enumerated."""
    (task,) = mb.tasks("arcagi", "training", [TASKS[0]])
    (right,) = [seed for seed in SEEDS if seed.name == f"solve_{TASKS[0]}"]
    further = mb.program("further", [*right.operations, ("further", "vmirror", right.returns)])
    outcome = Enumerated(TASKS[0], 1, near=(further,)).run(room)
    assert mb.evaluate([min(outcome.found, key=lambda f: f.order).program], task).fits.all()


def test_an_enumeration_reads_no_expected_output(room, problems):
    enumeration = enumeration_of(room, problems[0])
    assert enumeration.samples == len(problems[0].samples)
    assert WORKLOAD.language.expected not in enumeration.bank.words.values()


def test_tasks_that_are_not_fitted_come_in_turn_and_get_more_each_time(problems, grammar):
    state = State(problems, SEEDS, grammar)
    state.finds.add(Found(TASKS[0], SEEDS[0], 1.0, ((),), "seed"))
    strategy = FromBelow(tasks=1, programs=100, most=1600)
    budgets = {name: [] for name in TASKS}
    while units := strategy.units(state):
        assert len(units) <= 1
        for unit in units:
            budgets[unit.task].append(unit.programs)
    assert budgets == {TASKS[0]: [], **{name: [100, 400, 1600] for name in TASKS[1:]}}
