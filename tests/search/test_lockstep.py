"""Enumerations in step: what tasks find together is what each finds alone."""

from __future__ import annotations

import numpy as np
import pytest

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.columns import encode
from megabatt.runtime.search.enumerate import lockstep
from megabatt.runtime.search.enumerate.costs import Costs
from megabatt.runtime.search.enumerate.enumeration import Enumeration
from megabatt.runtime.search.enumerate.lockstep import run_together
from megabatt.runtime.search.enumerate.space import Space
from megabatt.runtime.search.grammar import Grammar

GRIDS = [((1, 0, 2), (0, 0, 2)), ((3, 3), (0, 3), (3, 0)), ((5, 4, 0),), ((7, 7), (7, 0))]
ASKED = {
    "turned": ([["O", "rot90", "I"]], GRIDS[:3]),
    "doubled": ([["x1", "vmirror", "I"], ["O", "hconcat", "I", "x1"]], GRIDS[1:]),
    "framed": ([["x1", "asobject", "I"], ["x2", "box", "x1"], ["O", "fill", "I", "ONE", "x2"]],
               GRIDS[:1]),
    "halved": ([["O", "tophalf", "I"]], GRIDS[1:3]),
}  # fmt: skip


@pytest.fixture(autouse=True)
def language():
    with LANGUAGE.in_use():
        yield


@pytest.fixture(scope="module")
def costs():
    return Costs(Grammar.counted(mb.read(f"{LISTS[0]}/training.py"), WORKLOAD.draws))


def enumeration(costs, name, space=None):
    operations, grids = ASKED[name]
    program = mb.program(name, operations)
    outputs = [mb.evaluate([program], [(grid, None)], outputs="all").output(0, 0) for grid in grids]
    return Enumeration(costs, {"I": encode(grids)}, encode(outputs), space=space)


def in_step(costs):
    space = Space()
    return {name: enumeration(costs, name, space) for name in ASKED}


def fits(found, name):
    return [one.program.operations for one in found if one.right == len(ASKED[name][1])]


def test_each_task_finds_what_it_finds_alone(costs):
    tasks = in_step(costs)
    found = {name: [] for name in tasks}
    names = {task: name for name, task in tasks.items()}
    for task, one in run_together(list(tasks.values()), 30_000):
        found[names[task]].append(one)
    for name, task in tasks.items():
        alone = enumeration(costs, name)
        assert fits(found[name], name) == fits(alone.run(30_000), name) != []
        assert len(task.bank) == len(alone.bank)


def test_values_made_together_are_what_their_programs_give(costs):
    tasks = in_step(costs)
    list(run_together(list(tasks.values()), 3000))
    for name, task in tasks.items():
        grids = ASKED[name][1]
        data = [k for k in range(len(task.bank)) if task.bank.layouts[k] >= 0]
        made = [k for k in data if task.bank.origin(k)[0] is not None]
        programs = [task.bank.program(k) for k in made]
        evaluation = mb.evaluate(programs, [(grid, None) for grid in grids], outputs="all")
        assert len(made) > 100 and not evaluation.failed.any()
        for place, number in enumerate(made):
            expected = [evaluation.output(place, k) for k in range(len(grids))]
            assert task.bank.column(np.array([number])).decode() == expected


def test_calls_that_cannot_be_made_together_are_made_for_each_task(costs, monkeypatch, caplog):
    def only_one(requests):
        if len(requests) > 1:
            raise MemoryError
        return called(requests)

    called = lockstep.called
    monkeypatch.setattr(lockstep, "called", only_one)
    tasks = in_step(costs)
    list(run_together(list(tasks.values()), 2000))
    for name, task in tasks.items():
        alone = enumeration(costs, name)
        list(alone.run(2000))
        assert len(task.bank) == len(alone.bank)
    assert not caplog.records


def test_a_primitive_that_cannot_be_called_is_named_once_a_task_and_the_others_go_on(
    costs, monkeypatch, caplog
):
    def without_rot90(requests):
        if requests[0].primitive.name == "rot90":
            raise MemoryError("too large")
        return called(requests)

    called = lockstep.called
    monkeypatch.setattr(lockstep, "called", without_rot90)
    tasks = in_step(costs)
    list(run_together(list(tasks.values()), 10_000))
    assert [record.getMessage() for record in caplog.records] == [
        "calls of rot90 were left out: MemoryError: too large"
    ] * len(tasks)
    assert all(task.counts.candidates >= 10_000 for task in tasks.values())


def test_a_task_that_has_found_enough_stops_and_the_others_go_on(costs):
    tasks = list(in_step(costs).values())
    list(run_together(tasks, 5000, lambda one: one is not tasks[0]))
    assert tasks[0].counts.candidates == 0
    assert all(task.counts.candidates >= 5000 for task in tasks[1:])
