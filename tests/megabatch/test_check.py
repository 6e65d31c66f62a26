"""`megabatt check`: a user's primitives are checked as ours are, in a process of their own."""

from __future__ import annotations

import pytest

from megabatt.runtime.arc import LANGUAGE, primitive
from megabatt.runtime.arc.types import Grid
from tests.megabatch.commands import command

HEAD = '''
from megabatt.runtime.arc import primitive
from megabatt.runtime.arc.charges import area
from megabatt.runtime.arc.types import Grid
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled


@primitive(charge=area)
def brighter(grid: Grid) -> Grid:
    """The grid with every cell one more."""
    return tuple(tuple(cell + 1 for cell in row) for row in grid)


@compiled(brighter)
def brighter(heap, grid):
    out = m.new_table(heap, m.height_of(heap, grid), m.width_of(heap, grid))
    if out <= m.WRONG:
        return out
    for k in range(m.area_of(heap, grid)):
        heap[m.numbers_at(out) + k] = heap[m.numbers_at(grid) + k] + MORE
    return out
'''


def check(folder, more):
    (folder / "my_primitives.py").write_text(HEAD.replace("MORE", str(more)))
    options = ["--programs", 2, "--samples", 3]
    return command("-m", "megabatt", "check", "my_primitives.py", *options, cwd=folder)


def test_a_compiled_form_that_gives_another_value_is_found(tmp_path):
    done = check(tmp_path, 2)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "brighter" in done.stdout and "0 differences" not in done.stdout.splitlines()[-1]


def test_the_fuzzer_draws_a_user_s_primitives_too(tmp_path):
    (tmp_path / "my_primitives.py").write_text(HEAD.replace("MORE", "1"))
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
