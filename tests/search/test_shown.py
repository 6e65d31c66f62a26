"""Programs that read `S`, the demonstrations: in a search none shows the pair that is asked for."""

from random import Random

import pytest

import megabatt as mb
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.ranking import rank
from megabatt.runtime.search.strategies import FromBelow
from megabatt.runtime.search.written import verified
from tests.search.tasks import (
    SEEDS,
    assert_fits,
    grid_of,
    noise,
    state_and_room,
    task_of_pairs,
)

TABLE = mb.program("table", [["O", "lookup_or", "S", "I", "I"]])
"""Fits any demonstrations that it is shown."""
FIRST = [["a", "first", "S"], ["b", "last", "a"], ["c", "mostcolor", "b"]]
HONEST = mb.program("honest", [*FIRST, ["O", "replace", "I", "ONE", "c"]])
"""Paints in the color that a demonstration's output has."""
COUNTING = mb.program("counting", [["n", "size", "S"], ["O", "canvas", "n", "UNITY"]])
"""Gives the number of demonstrations."""


def painted(shown=3):
    rng = Random(0)
    inputs = [grid_of(rng, (1, 1, 1, 1, 1, 2), 3, 4) for _ in range(shown + 1)]
    outputs = [tuple(tuple({1: 7}.get(c, c) for c in row) for row in grid) for grid in inputs]
    return task_of_pairs("painted", list(zip(inputs[:-1], outputs, strict=False)), inputs[-1])


def found(task, program):
    _, room = state_and_room([task])
    everywhere = room.try_on_all([program], ["by hand"]).found
    alone = room.found_on(room.problems[task.name], [program], ["by hand"])
    assert [one for one in everywhere if not one.missed] == alone
    return alone


@pytest.mark.parametrize("shown", [1, 2, 3])
def test_outputs_that_are_looked_up_are_no_finds(shown):
    task = noise(shown=shown)
    assert mb.evaluate([TABLE], task).fits[0]
    assert not found(task, TABLE)


def test_equal_demonstrations_do_not_show_one_another():
    first, *others = noise().demonstrations
    assert not found(task_of_pairs("twice", [first, first, *others], ((1,),)), TABLE)


def test_a_program_that_learns_from_the_other_demonstrations_is_a_find_in_all_their_turns():
    task = painted()
    (one,) = found(task, HONEST)
    assert_fits(one, task)
    state, room = state_and_room([task])
    state.finds.add(one)
    rank(state, room)
    assert [ranked.turned for ranked in state.finds.ranked(task.name)] == [7]
    assert one.outputs == (mb.evaluate([HONEST], task, outputs="all").output(0, 3),)


def test_a_program_that_fits_only_where_its_own_pair_is_left_out_is_no_find():
    pairs = [(grid, ((2,),)) for grid, _ in noise().demonstrations]
    task = task_of_pairs("two", pairs, ((1,),))
    assert not mb.evaluate([COUNTING], task).fits[0]
    assert not found(task, COUNTING)
    state, room = state_and_room([task])
    one = Found("two", COUNTING, 1.0, (((3,),),), "by hand")
    assert not verified(room.workload, state.problems, {"two": [one]}).by_task


def test_a_search_with_a_seed_that_looks_outputs_up_fits_no_noise():
    tasks = [noise(), noise("one", 1), painted()]
    result = mb.search(
        tasks, seeds=[TABLE, HONEST, *SEEDS], programs=1000, workers=1,
        strategies=["seeds", "mutation", "crossing", FromBelow(programs=100)],
    )  # fmt: skip
    assert all(found.missed for task in ("noise", "one") for found in result.attempts(task))
    fitting = [found for found in result.attempts("painted") if not found.missed]
    assert fitting
    for found in fitting:
        assert_fits(found, tasks[-1])
