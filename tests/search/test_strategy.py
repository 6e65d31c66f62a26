"""Enumeration as a strategy: every task in turn, deeper each time, without expected outputs."""

from __future__ import annotations

import pickle

import pytest

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.search.enumerate.strategy import Enumerated, FromBelow, enumeration_of
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import problems_of
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom

TASKS = ["67a3c6ac", "68b16354", "83302e8f"]
SEEDS = mb.read(f"{LISTS[0]}/training.py")


@pytest.fixture(scope="module")
def problems():
    return problems_of(WORKLOAD, samples_of(mb.tasks("arcagi", "training", TASKS)))


@pytest.fixture(scope="module")
def grammar():
    return Grammar.counted(SEEDS, WORKLOAD.draws)


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


def test_values_take_a_share_of_the_memory_that_a_process_has(problems, grammar):
    little, more = (
        pickle.loads(pickle.dumps(Workroom(WORKLOAD, problems, SEEDS, grammar, memory=memory)))
        for memory in (1 << 28, 1 << 30)
    )
    of_little, of_more = (enumeration_of(room, problems[0]).space for room in (little, more))
    assert 0 < of_little.most_bytes < 1 << 27
    assert of_more.most_bytes == 4 * of_little.most_bytes


def test_an_enumeration_reads_no_expected_output(room, problems):
    enumeration = enumeration_of(room, problems[0])
    assert enumeration.samples == len(problems[0].samples)
    assert WORKLOAD.language.expected not in enumeration.bank.words.values()


def test_the_nearest_program_is_told(room):
    outcome = Enumerated(TASKS[2], 10).run(room)
    assert not outcome.found
    assert all(0 < near.closeness < 1 for near in outcome.near)


def test_tasks_come_in_turn_and_get_more_each_time(problems, grammar):
    state = State(problems, SEEDS, grammar)
    strategy = FromBelow(tasks=2, programs=100, most=1600)
    budgets = {name: [] for name in TASKS}
    while units := strategy.units(state):
        assert len(units) <= 2
        for unit in units:
            budgets[unit.task].append(unit.programs)
    assert budgets == {name: [100, 400, 1600] for name in TASKS}


def test_a_task_that_is_fitted_is_left_alone_and_a_budget_is_kept(problems, grammar):
    state = State(problems, SEEDS, grammar)
    state.finds.add(Found(TASKS[0], SEEDS[0], 1.0, ((),), "seed"))
    state.left = 150
    units = FromBelow(tasks=3, programs=100).units(state)
    assert [(unit.task, unit.programs) for unit in units] == [(TASKS[1], 100), (TASKS[2], 50)]


def test_a_room_with_a_deadline_is_the_same_room(problems, grammar):
    """Its constants stay rare, and it keeps everything that it has learnt."""
    room = Workroom(WORKLOAD, problems, SEEDS, grammar.with_rare(["FOUR"]))
    until = room.until(0.0)
    assert until.late and not room.late
    assert until.grammar is room.grammar
    assert until.wide is room.wide
