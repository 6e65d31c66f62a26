"""Rules: new colors of cells, by the images' colors there; and colors named by their roles."""

from __future__ import annotations

from random import Random

import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.layers.expressions import parsed, program_of
from megabatt.runtime.search.layers.strategy import Layered
from megabatt.runtime.search.rules.strategy import Ruled
from megabatt.runtime.search.strategies import FromBelow, Layers, Rules
from megabatt.runtime.search.strategies.roles import Recast
from megabatt.runtime.search.written import solvers_source
from tests.search import tasks
from tests.search.tasks import answers, assert_fits, grid_of, state_and_room

OBJECTS = "objects(I, T, F, T)"
RULES = {
    "colored by size": f"paint(I, mapply(fork(recolor, size, identity), {OBJECTS}))",
    "exchanged": "switch(I, ONE, TWO)",
    "where neither half shows": "fill(canvas(ZERO, shape(lefthalf(I))), THREE, intersection("
    "ofcolor(lefthalf(I), ZERO), ofcolor(righthalf(I), ZERO)))",
}


def task_of(name, expression):
    """Make a task of an expression of the input: four demonstrations and two tests."""
    rng = Random(name)
    grids = [grid_of(rng, (0, 0, 0, 1, 2), 7, 8) for _ in range(6)]
    return tasks.task_of(name, program_of(parsed(expression), name), grids, shown=4)


TASKS = [task_of(name, text) for name, text in RULES.items()]


def ruled(task):
    _, room = state_and_room([task])
    return Ruled(task.name, 1, 20).run(room).found


@pytest.fixture(scope="module")
def found():
    return {task.name: ruled(task) for task in TASKS}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_rules_by_the_part_that_a_cell_belongs_to_are_found(found, task):
    fitting = [one for one in found[task.name] if not one.guess]
    assert min(fitting, key=lambda one: one.order).outputs == answers(task)
    for one in found[task.name]:
        assert_fits(one, task)


# Roles


def by_roles():
    """Make a task in which the two most common colors of each input change places."""
    rng = Random(0)
    colors = [rng.sample(range(1, 10), 2) for _ in range(6)]
    grids = [grid_of(rng, (most, most, some, 0, 0), 7, 7) for most, some in colors]
    exchanged = parsed("unranked(switch(ranked(I, I), ONE, TWO), I)")
    return tasks.task_of("by roles", program_of(exchanged, "p"), grids, shown=4)


@pytest.mark.parametrize("unit", [Layered("by roles", 2, 20), Ruled("by roles", 1, 20)])
def test_rules_by_roles_of_colors_are_guessed(unit):
    task = by_roles()
    _, room = state_and_room([task])
    found = Recast(unit, unit.programs).run(room).found
    assert all(one.guess for one in found)
    best = min(found, key=lambda one: one.order)
    assert best.outputs == answers(task) and not best.missed
    assert mb.evaluate([best.program], task).matches.all()


def test_where_all_inputs_have_the_same_roles_nothing_is_recast():
    grid = ((1, 1, 1), (2, 2, 0))
    task = tasks.task_of_pairs("same", [(grid, grid)], grid[::-1])
    assert WORKLOAD.in_roles(WORKLOAD.given(task)) is None
    _, room = state_and_room([task])
    outcome = Recast(Ruled("same", 1, 20), 20).run(room)
    assert outcome.found == [] and outcome.tried == 0


# A vocabulary


def test_a_search_that_is_held_to_arc_dsl_makes_programs_of_its_primitives_alone(caplog):
    beyond = WORKLOAD.language.primitives.keys() - WORKLOAD.vocabularies["arc-dsl"]
    rows = ["flooded", "I", "ZERO"], ["rot90", "I"]
    seeds = [mb.program("s", [["O", *row]]) for row in rows]
    task = task_of("flooded", "flooded(I, ZERO)")
    for vocabulary in ("", "arc-dsl"):
        result = mb.search(
            [task], seeds=seeds, programs=400, vocabulary=vocabulary,
            strategies=[Layers(programs=20), Rules(programs=10), FromBelow(programs=50)],
        )  # fmt: skip
        assert result.state.candidates > 5000 and not caplog.records
        programs = [one.program for one in result.attempts("flooded")]
        words = {word for program in programs for row in program.operations for word in row}
        assert bool(words & beyond) == (not vocabulary)
        assert (result.solved(1) == ["flooded"]) == (not vocabulary)


def test_seeds_that_a_vocabulary_does_not_make_are_refused():
    beyond = [mb.program("s", [["O", "fallen", "I"]])]
    with pytest.raises(ValueError, match="no seed is made of the primitives of arc-dsl alone"):
        mb.search(TASKS[:1], seeds=beyond, programs=1, vocabulary="arc-dsl")


def test_a_program_says_what_it_is_made_of_beyond_arc_dsl():
    programs = [
        mb.program("own", [["x", "flooded", "I", "ZERO"], ["O", "fallen", "x"]]),
        mb.program("plain", [["O", "rot90", "I"]]),
    ]
    found = {one.name: [Found(one.name, one, 1.0, (), "by hand")] for one in programs}
    source = solvers_source(found, ["I"], WORKLOAD)
    own, plain = [line for line in source.splitlines() if line.startswith("# task")]
    assert own.endswith("beyond arc-dsl: fallen, flooded") and "beyond" not in plain
