"""`megabatt check`: a user's primitives are checked as ours are, in a process of their own."""

from __future__ import annotations

import pytest

from megabatt.runtime.arc import LANGUAGE, primitive
from megabatt.runtime.arc.types import Grid
from tests.megabatch.commands import command

HEAD = '''
import itertools

from megabatt.arc import Grid, Integer, IntegerTuple, Tuple, charges, compiled, machine, primitive


@primitive(charge=charges.area)
def brighter(grid: Grid) -> Grid:
    """Return the grid with every cell one more."""
    return tuple(tuple(cell + 1 for cell in row) for row in grid)
'''

COMPILED = '''

@compiled(brighter)
def brighter(heap, grid):
    out = machine.new_table(heap, machine.height_of(heap, grid), machine.width_of(heap, grid))
    if out <= machine.WRONG:
        return out
    for k in range(machine.area_of(heap, grid)):
        cell = heap[machine.numbers_at(grid) + k] + MORE
        heap[machine.numbers_at(out) + k] = cell
    return out
'''


def check(folder, source):
    (folder / "my_primitives.py").write_text(HEAD + source)
    options = ["--programs", 2, "--samples", 3]
    return command("-m", "megabatt", "check", "my_primitives.py", *options, cwd=folder)


def test_a_compiled_form_that_gives_another_value_is_found(tmp_path):
    done = check(tmp_path, COMPILED.replace("MORE", "2"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the forms differ" in done.stdout
    assert done.stdout.splitlines()[-1] == "checked 1 primitive: 1 wrong"


def test_a_scalar_form_alone_is_checked_without_compiling_anything(tmp_path):
    done = check(tmp_path, "")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "checked 1 primitive: all right"
    assert "compare" not in done.stdout


WRONG = {
    "a return is missing": (
        "(grid: Grid) -> Grid:\n    grid[::-1]",
        "declared to return Grid, it returns None: is a return missing?",
    ),
    "a list": (
        "(grid: Grid) -> Grid:\n    return [list(row) for row in grid]",
        "declared to return Grid, it returns a list: return a tuple",
    ),
    "a list within a tuple": (
        "(grid: Grid) -> Grid:\n    return ([0],)",
        "declared to return Grid, it returns a tuple: no value of the language: list",
    ),
    "another type": (
        "(n: Integer) -> IntegerTuple:\n    return n",
        "declared to return IntegerTuple, it returns an Integer",
    ),
    "another result each time": (
        "(n: Integer) -> Integer:\n    return next(COUNT)",
        "gives different results for the same arguments",
    ),
    "a name that is not there": (
        "(n: Integer) -> Integer:\n    return nowhere",
        "no call succeeded on a random value",
    ),
}


@pytest.mark.parametrize(("source", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_scalar_form_is_said(tmp_path, source, said):
    odd = f"\n\nCOUNT = itertools.count()\n\n\n@primitive(charge=1)\ndef odd{source}\n"
    done = check(tmp_path, odd)
    assert done.returncode == 1, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if f"odd: {said}" in line]
    assert done.stdout.splitlines()[-1] == "checked 2 primitives: 1 wrong"


def test_a_charge_that_is_missing_is_warned_about(tmp_path):
    twice = "\n\n@primitive\ndef twice(row: Tuple) -> Tuple:\n    return row + row\n"
    pair = "\n\n@primitive\ndef beside_one(n: Integer) -> IntegerTuple:\n    return n, 1\n"
    done = check(tmp_path, twice + pair)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if "warning" in line]
    assert line.startswith("twice: ") and "is charged nothing" in line


def test_a_call_that_is_charged_too_much_is_not_made(tmp_path):
    wide = "\n\n@primitive(charge=lambda n: max(n, 0))\ndef wide(n: Integer) -> Tuple:\n"
    done = check(tmp_path, wide + "    return tuple(range(n))\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_fuzzer_draws_a_user_s_primitives_too(tmp_path):
    (tmp_path / "my_primitives.py").write_text(HEAD + COMPILED.replace("MORE", "1"))
    options = ["--programs", 16, "--samples", 2, "--primitives", "my_primitives", "--workers", 2]
    done = command("-m", "megabatt", "fuzz", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = [line for line in done.stdout.splitlines() if "brighter" in line]
    assert int(row.split("│")[2]) > 0


def test_a_module_without_primitives_is_said_to_have_none(tmp_path):
    (tmp_path / "empty.py").write_text("")
    done = command("-m", "megabatt", "check", "empty.py", cwd=tmp_path)
    assert done.returncode == 2 and "empty registers no primitive" in done.stderr


def test_a_name_that_is_taken_is_refused_unless_it_is_to_be_replaced():
    def vmirror(grid: Grid) -> Grid:
        return grid

    vmirror.__annotations__ = {"grid": Grid, "return": Grid}
    before = LANGUAGE.primitives["vmirror"]
    with pytest.raises(ValueError, match="there is a primitive vmirror already, .*replace=True"):
        primitive(vmirror)
    try:
        assert primitive(replace=True)(vmirror)(((1, 2),)) == ((1, 2),)
    finally:
        LANGUAGE.primitives["vmirror"] = before
