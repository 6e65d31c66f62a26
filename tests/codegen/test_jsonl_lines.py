"""Lines give the same programs scanned at once and read one by one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.codegen.sources import jsonl
from megabatt.codegen.sources.jsonl import _Reader
from megabatt.codegen.sources.python import Reading, Speech
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.program import as_json
from tests.python.scalar import random_programs

SPEECH = Speech(LANGUAGE)
LINE = '{"name": "a", "operations": [["x", "hmirror", "I"], ["O", "vmirror", "x"]], "returns": "O"}'
PIECES = [
    "", '"', "\\", "[", "]", "{", "}", ",", ":", " ", "\t", "\r", "I", "x", "O", "x1", "if", "1",
    "-", "0.5", "true", "false", "null", "é", "\x00", "12345678901", '"name"',
    '["O", "rot90", "I"]', '"(1, 2)"', '"1"', "upscale", "\u2028", "\ud800", '"x2", ',
    "False", '"returns": "I",',
]  # fmt: skip


def read(text, at_once=True):
    """Read a source. Returns its programs with their sources and places, and the mistakes in
    others."""
    reading = Reading([], [], [])
    with pytest.MonkeyPatch.context() as patch:
        if not at_once:
            patch.setattr(_Reader, "plain", lambda self, lines, first: [None] * len(lines))
        jsonl.read_jsonl("a.jsonl", text, SPEECH, reading)
    programs = [(one.program, one.source, *one.where()) for one in reading.programs]
    return programs, reading.errors


@st.composite
def lines(draw):
    """Draw lines of programs, and lines that are nearly programs."""
    some = []
    for program in [*random_programs(3, draw(st.integers(0, 99))), None]:
        if program is None:
            some.append(LINE)
            continue
        rows = [list(map(as_json, row)) for row in program.operations]
        items = {"name": program.name, "operations": rows, "returns": program.returns}
        keys = draw(st.permutations(list(items)))
        separators = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " :  ")]))
        some.append(json.dumps({key: items[key] for key in keys}, separators=separators))
    for _ in range(draw(st.integers(0, 3))):
        k = draw(st.integers(0, len(some) - 1))
        begin = draw(st.integers(0, len(some[k])))
        end = begin + draw(st.integers(0, 3))
        some[k] = some[k][:begin] + draw(st.sampled_from(PIECES)) + some[k][end:]
    return draw(st.permutations(["", " ", *some]))


@given(lines())
def test_the_programs_read_do_not_depend_on_how_lines_are_scanned(lines):
    text = "\n".join(lines)
    assert read(text) == read(text, at_once=False)


def test_programs_are_scanned_at_once():
    reader = _Reader("a.jsonl", SPEECH, Reading([], [], []))
    assert None not in reader.plain([LINE, LINE.replace(" ", "")], 1)


def test_very_many_words_are_read():
    words = (1 << 16) + 9
    rows = [[f"x{k}", "identity", "I"] for k in range(words)]
    value = {"name": "many", "operations": rows, "returns": f"x{words - 1}"}
    ((program, source, _, places),), errors = read("\n" + json.dumps(value))
    assert len(program.operations) == len(places) == words and source.line == 1 and errors == []
