"""Programs on one sample of each of many tasks: the machine and columns measure the same."""

from __future__ import annotations

import numpy as np
import pytest

import megabatt as mb
from benchmarks.programs import mutants_of
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.samples import samples_of
from megabatt.runtime.engine.machine.values import NoWord
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.megabatch.run.hardware import opened
from megabatt.runtime.search.problems import problems_of
from megabatt.runtime.search.wide import wide as wide_module
from megabatt.runtime.search.wide.loaded import Loaded
from megabatt.runtime.search.wide.wide import Wide
from tests.engine.forms import form_of
from tests.search.tasks import RULES, SEEDS, made_up, state_and_room

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


def both_ways(wide, programs):
    with LANGUAGE.in_use(), np.errstate(all="ignore"):
        loaded = Loaded(Operations(LANGUAGE, wide._max_elements), programs)
        return wide._on_machine(loaded), wide._on_columns(loaded)


def wide_on(problems, limit=LANGUAGE.max_elements):
    return Wide(WORKLOAD, [problem.samples[0] for problem in problems], limit, opened("cpu"))


@pytest.mark.parametrize("limit", [LANGUAGE.max_elements, 300])
def test_the_machine_and_columns_measure_the_same(tasks, limit):
    programs = mb.read(f"{LISTS[0]}/training.py")[::4]
    programs += mutants_of(programs, 150, 3, words=2) + OF_ALL_KINDS
    machine, columns = both_ways(wide_on(tasks, limit), programs)
    assert machine.dtype == columns.dtype == np.float32
    assert machine.shape == columns.shape == (len(programs), len(tasks))
    assert np.array_equal(machine, columns)
    assert (machine == 1).any() and ((machine > 0) & (machine < 1)).any()


def test_what_fails_in_every_sample_is_not_close():
    _, room = state_and_room(made_up())
    machine, columns = both_ways(room.wide, OF_ALL_KINDS)
    assert np.array_equal(machine, columns)
    names = [program.name for program in OF_ALL_KINDS]
    for name in ("fails always", "known to fail", "wrong", "malformed", "expected"):
        assert not machine[names.index(name)].any()
    assert machine[names.index("as it is")].all()


def test_no_program_at_all(tasks):
    for close in both_ways(wide_on(tasks), []):
        assert close.shape[0] == 0


def test_columns_do_where_the_machine_does_not(monkeypatch):
    _, room = state_and_room(made_up())
    expected = room.wide.closeness(SEEDS)

    def refused(self, loaded):
        raise NoWord("no word")

    with monkeypatch.context() as scarce:
        scarce.setattr(wide_module.OnMachine, "__init__", refused)
        assert np.array_equal(room.wide.closeness(SEEDS), expected)
    monkeypatch.setattr(LANGUAGE, "of_words", False)
    assert np.array_equal(room.wide.closeness(SEEDS), expected)


def test_so_do_primitives_without_a_compiled_form():
    _, room = state_and_room(made_up())
    expected = room.wide.closeness(SEEDS)
    with form_of("ofcolor", None):
        assert np.array_equal(room.wide.closeness(SEEDS), expected)
