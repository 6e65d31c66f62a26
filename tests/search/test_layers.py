"""Layers: images of a vocabulary, stacked until the demonstrations are right."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.images import IMAGES
from megabatt.runtime.search.layers.expressions import parsed, program_of, put_in
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.sizes import size_of
from megabatt.runtime.search.layers.strategy import Layered, Layers
from tests.search import tasks
from tests.search.tasks import SEEDS, answers, assert_fits, grid_of, state_and_room, with_outputs

RULES = {
    "turned upon itself": "paint(I, asobject(rot180(keep)))",
    "marked": "fill(replace(keep, TWO, SEVEN), EIGHT, box(asindices(I)))",
    "enlarged": "upscale(I, numcolors(I))",
    "twice as wide": "hconcat(I, hmirror(I))",
}
KEEP = "fill(canvas(ZERO, shape(I)), TWO, ofcolor(I, TWO))"


def task_of(name, expression):
    """Make a task of an expression of the input: three demonstrations and two tests."""
    rng = Random(f"0:{name}")
    grids = [grid_of(rng, (0, 0, 1, 2), 4 + rng.randrange(3), 4 + k) for k in range(5)]
    return tasks.task_of(name, program_of(expression, name), grids)


TASKS = [
    task_of(name, put_in(parsed(text), {"keep": parsed(KEEP)})) for name, text in RULES.items()
]


def attempted(given, name, depth=2, images=None):
    _, room = state_and_room(given)
    return Layered(name, depth, 60, images).run(room)


def gallery_of(task):
    _, room = state_and_room([task])
    (problem,) = room.problems.values()
    gallery = Gallery(WORKLOAD, IMAGES, problem, room.grammar.vocabulary)
    gallery.open(always)
    return gallery


def always():
    return True


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


def test_the_images_that_a_gallery_makes_are_those_of_their_programs():
    task = TASKS[0]
    gallery = gallery_of(task)
    gallery.name_size(parsed("shape(I)"), gallery.tables.shapes[0], always)
    first = len(gallery.tables)
    gallery.deepen(range(1, 6), always)
    numbers = [*range(first), *range(first, len(gallery.tables), 7)]
    programs = [program_of(gallery.whole(gallery.expression(k)), "p") for k in numbers]
    evaluation = mb.evaluate(programs, task, outputs="all", max_elements=20_000)
    assert not evaluation.errors and not evaluation.failed.any()
    for place, number in enumerate(numbers):
        for lane in range(gallery.lanes):
            table = gallery.tables.table(number, lane).tolist()
            assert tuple(map(tuple, table)) == evaluation.output(place, lane)


def test_a_user_adds_images():
    """A task is fitted once the vocabulary has the image that it needs."""
    stripes = "fill(I, {}, sfilter(asindices(I), compose(even, fork(add, first, last))))"
    task = task_of("own", parsed(stripes.format("NINE")))
    without = attempted([task], "own")
    assert not [one for one in without.found if not one.guess]
    own = {**IMAGES.functions, "striped": stripes.format("d")}
    outcome = attempted([task], "own", images=replace(IMAGES, functions=own))
    assert "an image" in [one.origin for one in outcome.found if not one.guess]


# Sizes


@given(
    st.sampled_from(["shape(I)", "astuple(numcolors(I), width(I))", "shape(hconcat(I, I))"]),
    st.integers(1, 3), st.integers(-1, 2),
)  # fmt: skip
def test_a_size_that_follows_from_the_input_is_right_for_tests(text, times, plus):
    size = parsed(f"astuple(add(multiply(first({text}), {times}), {plus}), last({text}))")
    task = task_of("size", ("canvas", "THREE", size))
    if not all(pair.output for pair in task.pairs):
        return
    gallery = gallery_of(task)
    found = size_of(gallery, [output for _, output in task.demonstrations])
    shapes = [(len(pair.output), len(pair.output[0])) for pair in task.pairs]
    assert found is not None and list(map(tuple, found.sizes.tolist())) == shapes
    program = program_of(gallery.whole(found.expression), "p")
    evaluation = mb.evaluate([program], task, outputs="all")
    assert [evaluation.output(0, k) for k in range(5)] == shapes


# The strategy


@pytest.fixture(scope="module")
def outcomes():
    return {task.name: attempted(TASKS, task.name) for task in TASKS}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_tasks_made_of_images_are_fitted(outcomes, task):
    fitting = [one for one in outcomes[task.name].found if not one.guess]
    assert min(fitting, key=lambda one: one.order).outputs == answers(task)
    for one in fitting:
        assert_fits(one, task)


def test_a_found_program_is_an_ordinary_program(outcomes):
    """It reads the input alone, repeats no operation, and its source can be read back."""
    for outcome in outcomes.values():
        for one in outcome.found:
            operations = one.program.operations
            again = mb.program("p", operations, one.program.returns)
            assert mb.evaluate([again], [(((1, 2), (0, 1)), None)]).errors == {}
            assert len({operation[1:] for operation in operations}) == len(operations)
            read = {word for operation in operations for word in operation}
            assert "I" in read and not read & {"C", "S", "Z", "B", "c", "d", "most", "least"}


def test_guesses_are_right_on_some_demonstration():
    contrary = with_outputs(TASKS[3], {2: ((3, 1, 4), (1, 5, 9))})
    outcome = attempted([contrary], contrary.name)
    assert all(one.guess for one in outcome.found)
    for one in outcome.found:
        matches = mb.evaluate([one.program], contrary).matches[0, :3]
        assert 0 < matches.sum() == 3 - one.missed


def test_a_fitting_program_among_very_many_images_is_a_guess(outcomes):
    for task in TASKS:
        later = attempted(TASKS, task.name, depth=3).found
        assert all(one.guess for one in later)
        assert {one.outputs for one in outcomes[task.name].found} <= {one.outputs for one in later}


def test_every_task_that_is_not_fitted_has_deeper_turns_one_after_the_other():
    state, _ = state_and_room(TASKS)
    assert len(TASKS) == 4
    strategy = Layers(tasks=(2, 3), programs=10)
    rounds = [strategy.units(state) for _ in range(6)]
    assert [[(unit.depth, unit.programs) for unit in units] for units in rounds] == [
        [(2, 10)] * 4, [(3, 80)] * 2, [(3, 80)] * 2, [(3, 640)] * 3, [(3, 640)], [],
    ]  # fmt: skip
    for some in (rounds[:1], rounds[1:3], rounds[3:5]):
        assert {unit.task for units in some for unit in units} == {task.name for task in TASKS}


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
        mb.search(TASKS[:1], seeds=SEEDS, programs=50, strategies=[Layers(images)])
