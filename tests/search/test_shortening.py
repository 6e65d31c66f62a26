"""Shortening: a found program gives the same outputs with fewer operations."""

from __future__ import annotations

import megabatt as mb
from megabatt.runtime.search.shortening import shorten
from tests.search.tasks import RULES, made_up, state_and_room

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
