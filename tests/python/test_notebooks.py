"""A notebook's output is a part of a page: whole, escaped, with nothing from elsewhere."""

import re
import xml.etree.ElementTree as ET

import pytest

import megabatt as mb
from megabatt.reading import Programs
from megabatt.runtime.arc.workload.data import Pair, Task

HOSTILE = "<script>alert(1)</script>&\x1b[31m\""
GRID, MIRRORED = ((1, 0, 2),), ((2, 0, 1),)
TASK = Task("a", "", (Pair(0, GRID, MIRRORED, False), Pair(1, GRID, None, True)), HOSTILE)
SELF = mb.program(HOSTILE, [["O", "vmirror", "I"]])
WRONG = mb.program("wrong", [["O", HOSTILE, "I"]])
KINDS = ["task", "program", "programs", "evaluation", "trace", "search"]


@pytest.fixture(scope="module")
def objects():
    """Return an object of each kind."""
    evaluation = mb.evaluate([SELF, WRONG], TASK, outputs="all")
    found = mb.search([TASK], seeds=[SELF._replace(name="seed")], programs=5)
    every = [TASK, SELF, Programs([SELF]), evaluation, evaluation.trace(0, 1), found]
    return dict(zip(KINDS, every, strict=True))


@pytest.fixture(scope="module")
def shown(objects):
    """Return the HTML that a notebook shows for each object."""
    return {kind: each._repr_html_() for kind, each in objects.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_whole_draws_grids_and_neither_takes_from_elsewhere_nor_styles_what_is_there(
    kind, shown, objects
):
    html = shown[kind]
    root = ET.fromstring(html)
    assert HOSTILE.replace("\x1b", "\\x1b") in "".join(root.itertext())
    assert not list(root.iter("script"))
    assert not re.search(r"[\x00-\x08\x0b-\x1f]|https?:|href|src=|url\(|@import", html)
    for style in root.iter("style"):
        rules = re.findall(r"([^{}]+)\{", style.text)
        assert rules and all(rule.startswith(".megabatt") for rule in rules)
    if not kind.startswith("program"):
        fills = {rect.get("fill") for rect in root.iter("rect")}
        assert {"#000000", "#0074d9", "#ff4136"} <= fills
    if kind in ("task", "evaluation", "trace"):
        text = str(objects[kind])
        assert "\\x1b" in text and all(line.isprintable() for line in text.splitlines())


def test_a_task_is_a_line():
    assert repr(TASK).count("\n") == 0 and repr(TASK).isprintable()
    (task,) = mb.tasks("arcagi", "training", ["67a3c6ac"])
    assert repr(task) == "<Task 67a3c6ac (training): 3 demonstrations, 1 test>"


def test_a_long_program_makes_no_long_page():
    rows = [("x", "hmirror", "I"), *(("x", "hmirror", "x") for _ in range(999))]
    trace = mb.evaluate([mb.program("long", rows, "x")], TASK).trace(0, 0)
    assert "701 more operations" in trace._repr_html_()
    assert str(trace).count("x = hmirror(") == 1000


def test_many_programs_make_no_long_page():
    programs = [SELF._replace(name=f"p{k}") for k in range(2000)]
    assert len(mb.evaluate(programs, TASK)._repr_html_()) < 20_000
