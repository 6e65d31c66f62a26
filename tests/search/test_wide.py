"""Every executor measures programs alike, on one sample of each of many tasks."""

from __future__ import annotations

import time

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
from tests.engine.forms import form_of
from tests.python.test_evaluation import SMALL, WAYS
from tests.search.tasks import RULES, SEEDS, made_up, state_and_room, task_of_pairs

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


@pytest.mark.parametrize("others", [[], ["mirror"]])
def test_a_program_is_measured_on_a_task_whatever_the_other_tasks_are(others):
    """An operation of a right program may fail in all of them."""
    grids = [((k, 1, 2), (0, k, 3)) for k in range(4)]
    task = task_of_pairs("same", [(grid, grid) for grid in grids[:3]], grids[3])
    _, room = state_and_room([task, *made_up(others)])
    found = room.wide.rated(OF_ALL_KINDS).closeness[:, 0]
    names = [program.name for program in OF_ALL_KINDS]
    assert found[names.index("fails always")] == found[names.index("as it is")] == 1
    assert not any(found[names.index(name)] for name in ("wrong", "malformed", "expected"))


def test_primitives_without_a_compiled_form_are_measured_alike_too():
    _, room = state_and_room(made_up())
    expected = room.wide.rated(SEEDS).closeness
    with form_of("ofcolor", None):
        assert np.array_equal(room.wide.rated(SEEDS).closeness, expected)


def test_programs_that_the_deadline_cuts_off_are_not_tried(monkeypatch):
    mirror, doubled = (mb.program(name, RULES[name]) for name in ("mirror", "doubled"))
    programs = [mirror, *mutants_of(SEEDS[2:], 150, 0), doubled]
    _, room = state_and_room(made_up(["mirror", "doubled"]))

    def tried(room):
        outcome = room.try_on_all(programs, ["tests"] * len(programs))
        assert outcome.distinct == outcome.tried
        return outcome.tried, {one.task for one in outcome.found}

    whole = tried(room)
    assert whole[0] == len(programs) and whole[1] >= {"mirror", "doubled"}
    assert tried(room.until(time.time() + 1000)) == whole
    assert tried(room.until(0.0)) == (0, set())
    assert room.until(0.0).grammar is room.grammar  # its constants stay rare
    rated, never = room.wide.rated, float("inf")
    monkeypatch.setattr(
        room.wide, "rated", lambda part, _: rated(part, never if part[0] is mirror else 0.0)
    )
    count, tasks = tried(room.until(time.time() + 1000))
    assert 1 < count < len(programs) and tasks == whole[1] - {"doubled"}
