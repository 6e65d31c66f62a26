"""Pictures of values: in the terminal with and without colours, and as SVG."""

import io
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from megabatt.runtime.arc import asobject, lbind, objects, ofcolor
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.pictures import COLOURS, difference, differing_cells, picture_of
from megabatt.runtime.megabatch.pictures import Panel, Row, html_of, svg_of, words
from tests.arc import lanes

GRID = ((0, 1, 1), (0, 0, 2))


def printed(renderable, width=80, **how):
    console = Console(file=io.StringIO(), width=width, **how)
    console.print(renderable)
    return console.file.getvalue()


def lines(value, other=None, among=(), width=80):
    text = printed(picture_of(value, other, among), width)
    return [line.rstrip() for line in text.splitlines()]


def grids(least=-3, most=12):
    return lanes.grids(6, st.integers(least, most)).filter(lambda grid: grid and grid[0])


@given(grids())
def test_a_grid_is_its_numbers_and_in_svg_rectangles_that_cover_each_cell_in_its_colour(grid):
    assert [tuple(map(int, line.split())) for line in lines(grid)] == list(grid)
    picture = picture_of(grid)
    drawn = ET.fromstring(picture.svg())
    side = (picture.size[0] - 1) / len(grid[0])
    cells = {}
    for rectangle in drawn.iter("rect"):
        i, j = float(rectangle.get("y")) / side, float(rectangle.get("x")) / side
        for k in range(round(float(rectangle.get("width")) / side)):
            assert (i, j + k) not in cells
            cells[i, j + k] = rectangle.get("fill")
    assert len(cells) == len(grid) * len(grid[0])
    for (i, j), colour in cells.items():
        cell = grid[int(i)][int(j)]
        assert colour not in COLOURS if not 0 <= cell <= 9 else colour == COLOURS[cell]


def test_in_a_terminal_a_cell_is_two_letters_of_its_colour_or_one_where_there_is_no_room():
    text = printed(picture_of(((2, 2),)), force_terminal=True, color_system="truecolor")
    assert text.count("48;2;255;65;54") == 2 and "2;2m" not in text
    wide = ((1,) * 30,)
    assert lines(wide, width=80) == [" ".join("1" * 30)]
    assert lines(wide, width=40) == ["1" * 30]


def test_a_long_text_beside_a_grid_takes_the_room_that_is_left():
    row = Row("", [Panel("", picture_of(((1,) * 5,))), Panel("it " * 60, words("x"))])
    first, *_ = printed(row, 80).splitlines()
    assert first.startswith("1 1 1 1 1    it it it") and len(first.rstrip()) > 70


@given(grids(0, 9), grids(0, 9))
def test_cells_that_differ_are_marked_and_the_first_are_named(grid, other):
    same_shape = len(grid) == len(other) and len(grid[0]) == len(other[0])
    cells = differing_cells(grid, other)
    said = difference(grid, other)
    assert "".join(lines(grid, other)).count("*") == len(cells)
    if not same_shape:
        assert cells == [] and "not" in said and " x " in said
    elif cells:
        (i, j), *_ = cells
        assert said.startswith(f"{len(cells)} cell")
        assert f"({i}, {j}) is {grid[i][j]}, not {other[i][j]}" in said
    else:
        assert grid == other and said == ""


def test_a_patch_is_drawn_on_its_grid_each_object_has_an_outline_and_grids_stand_side_by_side():
    assert lines((GRID, ((7,),))) == ["0 1 1   7", "0 0 2"]
    found = objects(GRID, True, False, True)
    assert lines(ofcolor(GRID, 1), among=[3, GRID]) == [". 1*1*", ". . ."]
    assert lines(found, among=[GRID]) == [". 1 1", ". . 2"]
    assert lines(asobject(((5,),)), among=[]) == ["5"]
    drawn = ET.fromstring(picture_of(found, among=[GRID]).svg())
    outlines = {path.get("d") for path in drawn.iter("path") if path.get("stroke") == "#d100d1"}
    assert len(outlines) == 2


@pytest.mark.parametrize("value", [3, True, (), frozenset(), (1, 2), frozenset({1}), lbind])
def test_other_values_and_large_values_have_no_picture(value):
    assert picture_of(value) is None and WORKLOAD.shown.picture(value) is None
    assert picture_of(((0,) * 1000,)) is None
    assert picture_of(frozenset({(1, (0, 0)), (1, (0, 1000))})) is None


def test_panels_stand_side_by_side_as_far_as_there_is_room():
    panels = [Panel(name, picture_of(((1,) * 20,))) for name in "abc"]
    for width, rows in ((130, [3]), (85, [2, 1]), (50, [1, 1, 1]), (21, [1, 1, 1])):
        text = printed(Row("", panels), width)
        titles = [line.split() for line in text.splitlines() if "1" not in line and line.strip()]
        assert list(map(len, titles)) == rows, width


def test_svg_and_html_need_nothing_from_elsewhere():
    rows = [Row("x < y", [Panel("a & b", picture_of(GRID)), Panel("", words("<script>"))])]
    svg, page = svg_of(rows), html_of("<title>", rows)
    ET.fromstring(svg)
    for text in (svg, page):
        assert "<script" not in text and "x &lt; y" in text
        assert "src=" not in text and "href" not in text and "url(" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
