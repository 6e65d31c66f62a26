"""Images stacked, rules by images' colors, and roles of colors: tasks made of these are fitted."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.images import IMAGES
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.layers.expressions import parsed, program_of, put_in
from megabatt.runtime.search.layers.strategy import Layered
from megabatt.runtime.search.rules.strategy import Ruled
from megabatt.runtime.search.strategies import FromBelow, Layers, Rules
from megabatt.runtime.search.strategies.roles import Recast
from megabatt.runtime.search.written import solvers_source
from tests.search import tasks
from tests.search.tasks import SEEDS, answers, assert_fits, grid_of, state_and_room, with_outputs

KEEP = "fill(canvas(ZERO, shape(I)), TWO, ofcolor(I, TWO))"
LAYERS = {
    "turned upon itself": "paint(I, asobject(rot180(keep)))",
    "marked": "fill(replace(keep, TWO, SEVEN), EIGHT, box(asindices(I)))",
    "enlarged": "upscale(I, numcolors(I))",
    "twice as wide": "hconcat(I, hmirror(I))",
}
RULES = {
    "colored by size": "paint(I, mapply(fork(recolor, size, identity), objects(I, T, F, T)))",
    "exchanged": "switch(I, ONE, TWO)",
    "where neither half shows": "fill(canvas(ZERO, shape(lefthalf(I))), THREE, intersection("
    "ofcolor(lefthalf(I), ZERO), ofcolor(righthalf(I), ZERO)))",
}


def task_of(name, text):
    """Make a task of an expression of the input: four demonstrations and two tests."""
    rng = Random(name)
    grids = [grid_of(rng, (0, 0, 0, 1, 2), 7, 8) for _ in range(6)]
    expression = put_in(parsed(text), {"keep": parsed(KEEP)})
    return tasks.task_of(name, program_of(expression, name), grids, shown=4)


TASKS = {name: task_of(name, text) for name, text in (LAYERS | RULES).items()}


def attempted(given, name, depth=2, images=None):
    _, room = state_and_room(given)
    return Layered(name, depth, 60, images).run(room)


# The vocabulary


def test_every_image_of_the_vocabulary_is_one_of_some_input():
    """Each image uses the language's words alone, and gives a grid on some input."""
    rng = Random(0)
    grids = [grid_of(rng, (0, 0, 0, 1, 2), 9, 9) for _ in range(6)]
    cross = arc.combine(arc.vfrontier((3, 3)), arc.hfrontier((3, 3)))
    lines = arc.fill(grid_of(rng, (0, 1, 2), 7, 7), 5, cross)
    pattern = tuple(tuple(2 + (i + j) % 3 for j in range(9)) for i in range(9))
    holed = arc.fill(arc.fill(pattern, 1, frozenset({(4, 4)})), 0, frozenset({(3, 4)}))
    values = {"c": "ONE", "d": "TWO", "Z": parsed("shape(I)")}
    images = {**IMAGES.functions, **IMAGES.once}
    programs = [program_of(put_in(parsed(text), values), "p") for text in images.values()]
    samples = [(grid, None) for grid in [*grids, lines, pattern, holed]]
    evaluation = mb.evaluate(programs, samples, outputs="all")
    assert not evaluation.errors
    works = (evaluation.failed == 0).any(axis=1)
    assert [name for name, right in zip(images, works, strict=True) if not right] == []


def test_a_user_adds_images():
    """A task is fitted once the vocabulary has the image that it needs."""
    stripes = "fill(I, {}, sfilter(asindices(I), compose(even, fork(add, first, last))))"
    task = task_of("own", stripes.format("NINE"))
    without = attempted([task], "own")
    assert not [one for one in without.found if not one.guess]
    own = {**IMAGES.functions, "striped": stripes.format("d")}
    outcome = attempted([task], "own", images=replace(IMAGES, functions=own))
    assert "an image" in [one.origin for one in outcome.found if not one.guess]


# The strategies


@pytest.fixture(scope="module")
def found():
    """Return what is found for each task, by layers or by rules."""
    _, room = state_and_room([*TASKS.values()])
    units = [Layered(name, 2, 60) for name in LAYERS] + [Ruled(name, 1, 20) for name in RULES]
    return {unit.task: unit.run(room).found for unit in units}


@pytest.mark.parametrize("name", TASKS)
def test_tasks_made_of_images_and_of_rules_by_the_part_that_a_cell_belongs_to_are_fitted(
    found, name
):
    fitting = [one for one in found[name] if not one.guess]
    assert min(fitting, key=lambda one: one.order).outputs == answers(TASKS[name])
    for one in fitting:
        assert_fits(one, TASKS[name])


def test_a_found_program_is_an_ordinary_program(found):
    """It reads the input alone, repeats no operation, and its source can be read back."""
    for name in LAYERS:
        for one in found[name]:
            operations = one.program.operations
            again = mb.program("p", operations, one.program.returns)
            assert mb.evaluate([again], [(((1, 2), (0, 1)), None)]).errors == {}
            assert len({operation[1:] for operation in operations}) == len(operations)
            read = {word for operation in operations for word in operation}
            assert "I" in read and not read & {"C", "S", "Z", "B", "c", "d", "most", "least"}


def test_guesses_are_right_on_some_demonstration():
    contrary = with_outputs(TASKS["twice as wide"], {2: ((3, 1, 4), (1, 5, 9))})
    outcome = attempted([contrary], contrary.name)
    assert all(one.guess for one in outcome.found)
    for one in outcome.found:
        matches = mb.evaluate([one.program], contrary).matches[0, :4]
        assert 0 < matches.sum() == 4 - one.missed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fil(I, d, asindices(I))", "image 'mine': unknown primitive 'fil'; did you mean 'fill'?"),
        ("fill(I, q, asindices(I))", "image 'mine': unknown name 'q'"),
        ("fill(I, d)", "image 'mine': fill(grid, value, patch) takes 3 arguments, not 2"),
        ("rot90(I", "image 'mine': 'rot90(I' is no expression"),
        ("I + 1", "write names, integers and calls"),
        ("f(x=1)", "write names, integers and calls"),
        (7, "image 'mine' must be text such as 'rot90(I)', not 7"),
    ],
)
def test_an_image_of_ones_own_that_is_no_expression_is_named(text, why):
    images = replace(IMAGES, functions={**IMAGES.functions, "mine": text})
    with pytest.raises((TypeError, ValueError), match=re.escape(why)):
        mb.search([TASKS["marked"]], seeds=SEEDS, programs=50, strategies=[Layers(images)])


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
            strategies=[Layers(programs=20), Rules(programs=10), FromBelow(programs=15)],
        )  # fmt: skip
        assert result.state.candidates > 1500 and not caplog.records
        programs = [one.program for one in result.attempts("flooded")]
        words = {word for program in programs for row in program.operations for word in row}
        assert bool(words & beyond) == (not vocabulary)
        assert (result.solved(1) == ["flooded"]) == (not vocabulary)


def test_seeds_that_a_vocabulary_does_not_make_are_refused():
    beyond = [mb.program("s", [["O", "fallen", "I"]])]
    with pytest.raises(ValueError, match="no seed is made of the primitives of arc-dsl alone"):
        mb.search([TASKS["marked"]], seeds=beyond, programs=1, vocabulary="arc-dsl")


def test_a_program_says_what_it_is_made_of_beyond_arc_dsl():
    programs = [
        mb.program("own", [["x", "flooded", "I", "ZERO"], ["O", "fallen", "x"]]),
        mb.program("plain", [["O", "rot90", "I"]]),
    ]
    found = {one.name: [Found(one.name, one, 1.0, (), "by hand")] for one in programs}
    source = solvers_source(found, ["I"], WORKLOAD)
    own, plain = [line for line in source.splitlines() if line.startswith("# task")]
    assert own.endswith("beyond arc-dsl: fallen, flooded") and "beyond" not in plain
