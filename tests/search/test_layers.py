"""Layers: images of a vocabulary, stacked until the demonstrations are right."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload.images import IMAGES
from megabatt.runtime.search.layers.expressions import parsed, program_of, put_in
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
    task = task_of("own", parsed(stripes.format("NINE")))
    without = attempted([task], "own")
    assert not [one for one in without.found if not one.guess]
    own = {**IMAGES.functions, "striped": stripes.format("d")}
    outcome = attempted([task], "own", images=replace(IMAGES, functions=own))
    assert "an image" in [one.origin for one in outcome.found if not one.guess]


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
