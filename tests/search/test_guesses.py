"""Guesses answer after all fitting programs; odd programs come last among fitting ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.search.found import Near
from megabatt.runtime.search.problems import answers_of
from megabatt.runtime.search.ranking import rank
from megabatt.runtime.search.result import Result
from megabatt.runtime.search.search import Search
from tests.search.tasks import (
    made_up,
    state_and_room,
    task_of_pairs,
    with_outputs,
)  # fmt: skip

MIRROR = mb.program("mirror", [["O", "vmirror", "I"]])
TURNED = mb.program("turned", [["O", "rot180", "I"]])
(TASK,) = made_up(["mirror"])


def ranked(task, programs, costs, tried=None):
    """Rank fitting programs as if they had these costs; return the result."""
    state, room = state_and_room([task])
    found = room.found_on(room.problems[task.name], programs, ["by hand"] * len(programs))
    for one, cost, at in zip(found, costs, tried or costs, strict=True):
        state.finds.add(replace(one, cost=cost, tried=at))
    rank(state, room)
    return result_of(task, state)


def result_of(task, state):
    return Result(WORKLOAD, state, answers_of(WORKLOAD, samples_of([task])))


def test_at_the_end_a_program_right_on_some_demonstrations_answers_if_none_fits():
    task = with_outputs(TASK, {0: ((5,),)})
    state, room = state_and_room([task])
    state.near.add([Near("mirror", TURNED, 0.5, 1.0), Near("mirror", MIRROR, 0.51, 2.0)])
    search = Search(state, room, [])
    search.run(programs=1)
    result = search.result(answers_of(WORKLOAD, samples_of([task])))
    (one,) = result.attempts("mirror")
    assert one.program == MIRROR and one.missed == 1 and one.guess
    assert result.ranked("mirror") == [] and result.solved(1) == ["mirror"]
    assert result.figures["fitted"] == result.figures["solved_by_fitting_with_1"] == 0
    assert result.figures["solved_with_1"] == 1
    assert "solved with 1/2/3 attempts: 1/1/1, by fitting 0/0/0" in repr(result)


def test_guesses_come_after_all_fitting_programs():
    """A guess with the outputs of a fitting program is no further attempt."""
    state, room = state_and_room([TASK])
    (fitting,) = room.found_on(room.problems["mirror"], [MIRROR], ["by hand"])
    state.finds.add(replace(fitting, cost=1e6))
    state.guesses.add(replace(fitting, missed=1))
    assert result_of(TASK, state).attempts("mirror") == state.finds.ranked("mirror")
    outputs = tuple(mb.evaluate([TURNED], TASK, outputs="all").output(0, k) for k in (3, 4))
    for missed in (1, 0):
        state.guesses.add(
            replace(fitting, program=TURNED, outputs=outputs, cost=1.0, missed=missed, doubt=1)
        )
    result = result_of(TASK, state)
    assert [one.program for one in result.attempts("mirror")] == [MIRROR, TURNED]
    assert not result.attempts("mirror")[1].missed
    assert result.found == {"mirror": result.ranked("mirror")}
    assert result.figures["fitted_but_wrong_at_first"] == 0


@pytest.mark.parametrize(("bits", "guessed"), [(19, False), (21, True)])
def test_a_fitting_program_that_also_fits_the_turned_task_comes_first(bits, guessed):
    """The identity also fits the turned task; a painted corner does not.

    If the identity costs far more bits, neither stands out.
    """
    grid, test = ((1, 0), (0, 0)), ((2, 1), (0, 0))
    task = task_of_pairs("same", [(grid, grid)], test)
    corner = mb.program(
        "corner", [["x", "canvas", "ZERO", "TWO_BY_TWO"], ["y", "initset", "ORIGIN"],
                   ["O", "fill", "x", "ONE", "y"]]
    )  # fmt: skip
    same = mb.program("same", [["x", "hmirror", "I"], ["O", "hmirror", "x"]])
    attempts = ranked(task, [corner, same], [1.0, 1.0 + bits]).attempts("same")
    assert [one.program for one in attempts] == [same, corner]
    assert [(one.turned, one.guess) for one in attempts] == [(7, guessed), (1, guessed)]


@pytest.mark.parametrize(("earlier", "guessed"), [(1, False), (2, True)])
def test_a_program_found_after_several_other_answers_is_a_guess(earlier, guessed):
    task = task_of_pairs("mirrored", [(((1, 1), (1, 1)),) * 2], ((2, 1), (0, 3)))
    names = ("rot180", "hmirror", "vmirror")
    programs = [mb.program(name, [["O", name, "I"]]) for name in names]
    tried = [5, *[1 if k < earlier else 9 for k in range(2)]]
    best, *others = ranked(task, programs, [1.0, 11.0, 21.0], tried).attempts("mirrored")
    assert best.program == programs[0] and len(others) == 2 and best.guess == guessed


@pytest.mark.parametrize(
    ("shown", "test", "bits", "guessed"),
    [
        ((((1, 1), (1, 1)),) * 2, ((2, 1), (0, 2)), 2.9, True),
        ((((1, 1), (1, 1)),) * 2, ((2, 1), (0, 2)), 3.1, False),
        ((((1, 2), (2, 1)), ((2, 1), (1, 2))), ((3, 3), (3, 3)), 9.0, True),
    ],
    ids=["as likely as another", "likelier than others", "odd: the input unchanged"],
)
def test_a_fitting_program_is_a_guess_if_none_stands_out(shown, test, bits, guessed):
    task = task_of_pairs("mirrored", [shown], test)
    programs = [mb.program("one", [["O", name, "I"]]) for name in ("hmirror", "vmirror")]
    result = ranked(task, programs, [1.0, 1.0 + bits])
    attempts = result.attempts("mirrored")
    assert attempts[0].program == programs[0]
    assert {one.guess for one in attempts} == {guessed}
    assert result.figures["fitted"] == (not guessed)


def test_odd_programs_come_last():
    grid = ((1, 0, 2), (0, 0, 1))
    outputs = {
        "new color": ((7, 0, 2), (0, 0, 1)), "other size": ((1, 0), (0, 0)), "no grid": 3,
        "unchanged": grid, "plain": ((0, 0, 2), (0, 0, 1)),
    }  # fmt: skip
    task = task_of_pairs("t", [(((1, 2, 0),), ((2, 1, 0),)), (((1, 2),), ((2, 1),))], grid)
    samples = samples_of([task])
    oddity = {name: WORKLOAD.oddity(samples, (output,)) for name, output in outputs.items()}
    assert oddity == {"new color": 1, "other size": 1, "no grid": 4, "unchanged": 1, "plain": 0}
