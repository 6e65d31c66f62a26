"""Every executor measures programs alike, on one sample of each of many tasks."""

from __future__ import annotations

import megabatt as mb
from tests.search.tasks import made_up, state_and_room, task_of_pairs

TWICE = mb.program("twice", [["x", "astuple", "I", "I"], ["O", "first", "x"]])
"""A program that gives its input, and builds twice as much."""


def test_programs_that_fail_by_the_limit_alone_are_tried_again_with_more():
    grids = [((k, 1, 2), (0, k, 3)) for k in range(4)]
    task = task_of_pairs("same", [(grid, grid) for grid in grids[:3]], grids[3], grids[3])
    state, room = state_and_room([task], max_elements=10)
    assert room.wide.rated([TWICE]).limited.all() and not room.wide.rated([TWICE]).closeness.any()
    (found,) = room.try_on_all([TWICE], ["tests"]).found
    assert (found.task, found.program, found.outputs) == ("same", TWICE, (grids[3],))


def test_the_limit_alone_speaks_against_a_program():
    small, large, other = ((1, 2, 3),), tuple((k, k, k) for k in range(9)), ((3,),)
    programs = [TWICE, mb.program("constant", [["O", "canvas", "ONE", "UNITY"]])]
    for pairs, limit, limited, fits in [
        ([(small, small)], 3, [True, False], [False, False]),
        ([(small, small)], 10, [False, False], [True, False]),
        ([(small, small), (large, large)], 10, [True, False], [False, False]),
        ([(small, other), (large, large)], 10, [False, False], [False, False]),
    ]:
        found = mb.evaluate(programs, pairs, max_elements=limit)
        assert (found.limited.tolist(), found.fits.tolist()) == (limited, fits)


def test_programs_that_cannot_be_run_are_told_once(caplog):
    _, room = state_and_room(made_up())
    wrong = mb.program("wrong", [["O", "vmirorr", "I"]])
    for _ in range(2):
        room.try_on_all([wrong], ["tests"])
    assert caplog.text.count("some programs cannot be run: wrong: unknown primitive") == 1
