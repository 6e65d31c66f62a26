"""The output that a user sees while a search runs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import megabatt as mb
from megabatt.runtime.search.search import Event
from megabatt.runtime.terminal import Terminal
from megabatt.watching import InLines, InTerminal, clock_or_count
from tests.search.tasks import RULES, made_up, state_and_room


def finds(room, state):
    """Find two programs with the same outputs for the first task."""
    name = state.problems[0].name
    programs = [mb.program("a", RULES[name]), mb.program("b", [*RULES[name], ["P", "rot90", "O"],
                ["Q", "rot270", "P"]])]  # fmt: skip
    return room.found_on(state.problems[0], programs, ["made up"] * 2)


@pytest.mark.parametrize("kind", [InTerminal, InLines])
def test_the_first_program_of_a_task_is_shown_with_its_size(capsys, kind):
    state, room = state_and_room(made_up())
    console = Terminal(force_terminal=kind is InTerminal, width=100)
    with kind(room.workload, state, "1:00", console) as watch:
        for one in finds(room, state):
            watch.told(Event("found", state, one))
        watch.told(Event("progress", state))
    shown = capsys.readouterr().out
    assert shown.count("mirror: 1 operation, made up") == 1
    assert ("vmirror(I)" in shown) == (kind is InTerminal)


def test_progress_of_a_search_names_the_task_under_way_and_the_nearest():
    state, room = state_and_room(made_up())
    watch = InLines(room.workload, state, clock_or_count(60, None), Terminal())
    assert "compiling" in watch.line()
    watch.compiling = ""
    outcome = room.try_on_all(state.seeds, ["seed"] * len(state.seeds))
    state.near.add(outcome.near)
    state.pending = [("pursuit", outcome)]
    line = watch.line()
    assert f"0 of {len(state.problems)}" in line and "0:00 of 1:00" in line
    assert "now: pursuit on all tasks" in line
    nearest = max(outcome.near, key=lambda near: near.closeness)
    assert f"nearest on one demonstration: {nearest.task} {100 * nearest.closeness:.0f} %" in line


def test_compiling_counts_as_no_time_of_a_search(monkeypatch):
    now = 0.0
    monkeypatch.setattr("megabatt.watching.time", SimpleNamespace(monotonic=lambda: now))
    state, room = state_and_room(made_up())
    watch = InLines(room.workload, state, clock_or_count(None, 1), Terminal())

    class Search:
        """A search whose kernels take a hundred seconds to compile."""

        strategies = ("seeds",)

        def rehearse(self):
            nonlocal now
            yield "seeds"
            assert "strategy seeds, 0 of 1 done" in watch.line()
            now = 100.0
            assert "1:40" in watch.line()

    watch.compile_first(Search())
    assert "0:00 of 1 program" in watch.line()
