"""Searches: their finds are right, the same for any number of workers, and independent of the
outputs of tests."""

from __future__ import annotations

import json
import os
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import parent_process

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.program import Lambda
from megabatt.runtime.search.found import Found, Near, Outcome
from megabatt.runtime.search.search import Search
from megabatt.runtime.search.shortening import shorten
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies import (
    Mutation,
    Pursuit,
    Seeds,
    strategies_named,
)
from megabatt.runtime.search.written import Log
from tests import examples
from tests.python.interrupting import interrupt, lines_of
from tests.search.tasks import (
    RULES,
    SEEDS,
    made_up,
    state_and_room,
    task_of_pairs,
    with_tests,
)
from tests.toy.workload import Series, Stations

TASKS = made_up()
PROGRAMS = 800


def strategies():
    return [Seeds(), Mutation(blocks=1), Pursuit(tasks=2, programs=500)]


def searched(tasks, key=0, workers=1):
    state, room = state_and_room(tasks, key)
    Search(state, room, strategies(), workers=workers).run(programs=PROGRAMS)
    return state


@pytest.fixture(scope="module")
def state():
    return searched(TASKS)


def finds_of(state):
    return {
        task: [(f.program, f.outputs, f.origin, f.tried) for f in state.finds.ranked(task)]
        for task in sorted(state.finds.by_task)
    }


def test_tests_outputs_are_never_read(state):
    """All that strategies, guesses and ranking know of tasks is the same, whatever they are."""
    _, room = state_and_room(TASKS)
    for output in (None, ((9,),)):
        changed = [with_tests(task, output) for task in TASKS]
        known, there = state_and_room(changed)
        assert (known.problems, there.problems) == (state.problems, room.problems)
        assert finds_of(searched(changed)) == finds_of(state)


def test_workers_change_nothing_and_another_key_draws_other_programs(state):
    assert finds_of(searched(TASKS, workers=2)) == finds_of(state)
    assert finds_of(searched(TASKS, key=1)) != finds_of(state)


def dies():
    assert parent_process() is not None
    os.kill(os.getpid(), signal.SIGKILL)


def errs():
    raise AssertionError("no such layout")


def gives_nothing():
    return None


@dataclass(frozen=True)
class Failing:
    """Work that fails by calling a function."""

    fails: Callable[[], None]
    programs: int = 7

    def run(self, room):
        return self.fails()


class Once:
    """A strategy whose only units are the given work."""

    name = "once"

    def __init__(self, *work):
        self.work = work

    def units(self, state):
        return [*self.work] if state.round == 0 and not state.tried else []


ERROR = "AssertionError: no such layout (in errs, "
DEATH = "the process that computed it was ended by SIGKILL, most likely for want of"


@pytest.mark.parametrize(
    ("workers", "failing"),
    [
        (1, {errs: ERROR, gives_nothing: "run returned None, not an Outcome"}),
        (2, {dies: DEATH, errs: ERROR}),
    ],
)
def test_work_that_fails_is_given_up_and_the_rest_goes_on(state, caplog, workers, failing):
    survived, room = state_and_room(TASKS)
    once = Once(*map(Failing, failing))
    search = Search(survived, room, [once, *strategies()], workers=workers)
    search.run(programs=PROGRAMS + 14)
    assert survived.tried == state.tried + 14
    for task in state.finds.by_task:
        programs = [found.program for found in survived.finds.ranked(task)]
        assert programs == [found.program for found in state.finds.ranked(task)]
    for why in failing.values():
        assert f"7 programs on all tasks were given up: {why}" in caplog.text


@pytest.mark.parametrize("units", [1, *(pytest.param(k, marks=pytest.mark.long) for k in (2, 4))])
def test_a_search_that_was_stopped_goes_on_where_it_was(state, tmp_path, units):
    begun, room = state_and_room(TASKS)
    done = []

    def stop(event):
        done.append(event.kind)
        if done.count("progress") == units:
            raise KeyboardInterrupt

    def save(after):
        after.save(tmp_path / "state")

    with pytest.raises(KeyboardInterrupt):
        Search(begun, room, strategies(), listener=stop).run(programs=PROGRAMS, after_round=save)
    resumed = State.read(tmp_path / "state", WORKLOAD)
    assert 0 < resumed.tried < state.tried
    assert finds_of(resumed) == finds_of(begun)
    Search(resumed, room, strategies()).run(programs=PROGRAMS)
    assert finds_of(resumed) == finds_of(state) and resumed.tried == state.tried


@dataclass(frozen=True)
class Part:
    """Work that uses less than its share, or nothing, and notes what it was."""

    number: int
    programs: int = 10
    idle: bool = False

    def run(self, room):
        NOTED.append(self)
        return Outcome(0 if self.idle else min(self.programs, 6 + self.number % 5))


NOTED: list[Part] = []


class Parts:
    """Rounds of parts. first: The first round that has any."""

    name = "parts"

    def __init__(self, first=0, rounds=99):
        self.rounds = range(first, first + rounds)

    def units(self, state):
        return [Part(20 * state.round + k) for k in range(20 * (state.round in self.rounds))]


def noted(state, room, strategy, programs, **options):
    NOTED.clear()
    with suppress(KeyboardInterrupt):
        Search(state, room, [strategy], **options).run(programs=programs)
    return [*NOTED]


@given(st.integers(1, 400), st.integers(1, 40))
def test_a_search_that_is_stopped_anywhere_does_the_same_work(programs, units):
    def stop(event):
        if len(NOTED) == units:
            raise KeyboardInterrupt

    (whole, room), (stopped, _) = state_and_room(TASKS), state_and_room(TASKS)
    expected = noted(whole, room, Parts(), programs)
    done = noted(stopped, room, Parts(), programs, listener=stop)
    assert done + noted(stopped, room, Parts(), programs) == expected
    assert stopped.tried == whole.tried == programs


@given(st.integers(1, 250), st.integers(1, 150))
def test_work_that_a_budget_cut_short_runs_whole_with_a_larger_budget(programs, more):
    state, room = state_and_room(TASKS)
    *done, last = noted(state, room, Parts(), programs)
    again = noted(state, room, Parts(), programs + more)
    numbers = [part.number for part in [*done, *[last][last.programs < 10 :], *again]]
    assert numbers == list(range(len(numbers)))


@pytest.mark.parametrize(
    "fields", [None, 3, ("megabatt search 7", {}), ("megabatt search 7", {"other": 1})]
)
def test_a_file_that_is_no_state_is_named(tmp_path, fields):
    (tmp_path / "state").write_bytes(pickle.dumps(fields))
    with pytest.raises(ValueError, match="state: not the state of a search"):
        State.read(tmp_path / "state", WORKLOAD)


def test_a_round_without_work_does_not_end_a_search():
    state, room = state_and_room(TASKS)
    assert len(noted(state, room, Parts(first=4, rounds=2), 1000)) == 40
    state, room = state_and_room(TASKS)
    Search(state, room, strategies_named(["roles"])).run(programs=20)
    assert state.tried >= 20


def test_seeds_with_functions_of_their_own_are_run_changed_and_written(tmp_path):
    maker = Lambda(("c",), ("o",), (("k", "color", "o"), ("s", "equality", "k", "c")), "s")
    turned = Lambda((), ("g",), (("a", "hmirror", "g"), ("b", "vconcat", "g", "a")), "b")
    own = [
        mb.program("keep", [["x", "objects", "I", "T", "F", "T"], ["f", maker, "TWO"],
                            ["y", "mfilter", "x", "f"], ["O", "fill", "I", "SEVEN", "y"]]),
        mb.program("turn", [["O", turned, "I"]]),
        mb.program("each", [["f", "apply", maker, "I"], ["O", "apply", turned, "f"]]),
    ]  # fmt: skip
    result = mb.search(made_up(["recolored", "doubled"]), seeds=own, programs=1000)
    (found, *_) = result.found["recolored"]
    log = Log(tmp_path / "search.log", goes_on=False)
    log.write("found", replace(found, program=own[0]))
    log.close()
    written = json.loads((tmp_path / "search.log").read_text())["program"][1][1]
    assert written["operations"] == [list(row) for row in maker.operations]


class Tested(Stations):
    """Stations whose last series is a test."""

    def is_test(self, sample):
        return sample.number == 3

    def unanswered(self, sample):
        return sample._replace(expected=None)


def test_an_answer_is_right_that_is_the_same_in_the_language():
    """In a language of reals, what differs by rounding is the same, in tests as elsewhere."""
    series = {n: (n / 3, n / 7) for n in range(4)}
    samples = [Series(0, n, (1.0,), x, sum(x) * (1 + 1e-15)) for n, x in series.items()]
    seeds = [mb.program("total", [["O", "total", "X"]])]
    result = mb.search([samples], seeds=seeds, programs=1, workload=Tested(), strategies=["seeds"])
    assert result.attempts("station 0")[0].outputs != (samples[3].expected,)
    assert result.solved(1) == ["station 0"] and result.figures["solved_with_1"] == 1


LONG = {
    "mirror": [["a", "hmirror", "I"], ["b", "hmirror", "a"], ["O", "vmirror", "b"]],
    "doubled": [["t", "rot90", "I"], ["u", "rot270", "t"], ["x", "hmirror", "u"],
                ["y", "hconcat", "u", "x"], ["O", "identity", "y"]],
    "recolored": [["x", "ofcolor", "I", "TWO"], ["y", "fill", "I", "SEVEN", "x"],
                  ["z", "size", "x"], ["O", "fill", "y", "SEVEN", "x"]],
}  # fmt: skip


def test_unneeded_operations_are_left_out_and_shortest_programs_stay():
    names = list(LONG)
    state, room = state_and_room(made_up([*names, "outer"]))  # for which nothing is found
    programs = [mb.program(name, LONG[name]) for name in names]
    for found in room.fitting(programs, ["drawn"] * len(names), names):
        state.finds.add(found)
    before = {name: state.finds.ranked(name)[0] for name in names}
    shorten(state, room)
    for name in names:
        (found,) = state.finds.ranked(name)
        assert found.size == len(RULES[name])
        assert (found.outputs, found.origin) == (before[name].outputs, "drawn")
        assert found.cost < before[name].cost
        assert room.fitting([found.program], [""], [name])[0].outputs == found.outputs
    once = {name: state.finds.ranked(name) for name in RULES}
    shorten(state, room)
    assert once == {name: state.finds.ranked(name) for name in RULES} and once["outer"] == []


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


def test_what_a_signal_handler_raises_ends_a_search():
    def timeout(number, frame):
        raise TimeoutError

    def is_interrupted():
        signal.raise_signal(signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, timeout)
    try:
        with pytest.raises(TimeoutError):
            mb.search(TASKS, seeds=SEEDS, programs=9, strategies=[Once(Failing(is_interrupted))])
    finally:
        signal.signal(signal.SIGALRM, before)


class Noting:
    """A strategy that notes its turns; each of its two units finds a program."""

    name = "noting"

    def units(self, state):
        turns = state.memory.setdefault("turns", [])
        turns.append(state.round)
        return [Finding(2 * len(turns) + k) for k in range(2)]


@dataclass(frozen=True)
class Finding(Part):
    def run(self, room):
        found = Found("mirror", SEEDS[0], 1.0, (self.number,), "by hand", doubt=self.number % 2)
        near = Near("mirror", SEEDS[self.number % 4], 0.5, 1.0)
        return Outcome(7, 6, 5, [found], [near], {"parts": 2.0})


def test_a_search_that_is_interrupted_anywhere_notes_finds_and_counts_the_same():
    def content(state):
        of_kinds = [
            {outputs: one.tried for outputs, one in kind.by_task["mirror"].items()}
            for kind in (state.finds, state.guesses)
        ]
        names = "tried", "distinct", "candidates", "seconds", "memory", "round", "pending"
        return of_kinds, vars(state.near), [getattr(state, name) for name in names]

    def search():
        state, room = state_and_room(TASKS)
        return state, lambda: Search(state, room, [Noting()]).run(programs=21)

    whole, run = search()
    for line in range(1, lines_of(run) + 1, 1 if examples.LONG else 7):
        state, run = search()
        where = interrupt(run, line)
        run()
        assert content(state) == content(whole), where
