"""Every executor measures programs alike, on one sample of each of many tasks."""

from __future__ import annotations

import numpy as np
import pytest

import megabatt as mb
from benchmarks.programs import mutants_of
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.megabatch.run.hardware import opened
from megabatt.runtime.search.problems import problems_of
from megabatt.runtime.search.wide import Wide
from tests.python.test_evaluation import SMALL, WAYS
from tests.search.tasks import RULES, made_up, state_and_room, task_of_pairs

OF_ALL_KINDS = [
    *[mb.program(name, operations) for name, operations in RULES.items()],
    mb.program("as it is", [], "I"),
    mb.program("constant", [], "TWO"),
    mb.program("function", [["f", "lbind", "hconcat", "I"]], "f"),
    mb.program("expected", [["O", "identity", "C"]]),
    mb.program("demonstrations", [["O", "size", "S"]]),
    mb.program("fails always", [["x", "first", "ONE"], ["O", "fill", "I", "ONE", "x"]]),
    mb.program("fails at times", [["x", "crop", "I", "ORIGIN", "THREE_BY_THREE"],
                                  ["O", "rot90", "x"]]),
    mb.program("known to fail", [["x", "color", "size"], ["O", "canvas", "x", "TWO_BY_TWO"]]),
    mb.program("rows taken out", [["x", "first", "I"], ["y", "identity", "x"],
                                  ["O", "remove", "y", "I"]]),
    mb.program("wrong", [["O", "nothing", "I"]]),
    mb.Program("malformed", (("x",),), "x"),
]  # fmt: skip


@pytest.fixture(scope="module")
def tasks():
    names = ["67a3c6ac", "68b16354", "83302e8f", "be94b721", "25ff71a9", "00d62c1b"]
    return problems_of(WORKLOAD, samples_of(mb.tasks("arcagi", "training", names)))


def by_every_executor(wide, programs):
    """Measure on the CPU, with values dropped all the time, and on a device; return all three."""
    found = []
    for way in ("values of all samples kept", SMALL, "as on a device"):
        with pytest.MonkeyPatch.context() as chosen:
            for change in WAYS[way]:
                chosen.setattr(*change)
            found.append(wide.rated(programs).closeness)
    return found


def wide_on(problems, limit=LANGUAGE.max_elements):
    return Wide(WORKLOAD, [problem.samples[0] for problem in problems], limit, opened("cpu"))


@pytest.mark.parametrize("limit", [LANGUAGE.max_elements, 300])
def test_programs_are_measured_as_an_evaluation_measures_them(tasks, limit):
    programs = mb.read(f"{LISTS[0]}/training.py")[::4]
    programs += mutants_of(programs, 150, 3, words=2) + OF_ALL_KINDS
    found, *others = by_every_executor(wide_on(tasks, limit), programs)
    assert found.dtype == np.float32 and found.shape == (len(programs), len(tasks))
    assert all(np.array_equal(found, other) for other in others)
    assert (found == 1).any() and ((found > 0) & (found < 1)).any()
    for at, problem in enumerate(tasks):
        evaluator = mb.Evaluator(problem.samples[:1], max_elements=limit, blind=True)
        close = evaluator.evaluate(programs, closeness=True).closeness[:, 0]
        assert np.array_equal(found[:, at], close)
    assert wide_on(tasks).rated([]).closeness.shape == (0, len(tasks))


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
