"""Data classes, TypedDicts and NamedTuples without functions are records."""

import pytest

import megabatt as mb
from tests.codegen.meaning import GRID, as_program, assert_as_python
from tests.codegen.test_reading import GRIDS

RECORDS = """
from collections import namedtuple
from dataclasses import dataclass, field
from typing import List, NamedTuple, TypedDict, cast

@dataclass(frozen=True)
class Part:
    color: int
    cells: List[tuple]
    where: str = "top"
    seen: list = field(default_factory=list)

class Box(NamedTuple):
    \"\"\"Where something is.\"\"\"
    top: int
    left: int
    size: int = 3

class Info(TypedDict):
    count: int
    part: Part

Point = namedtuple("Point", "r c")

def parts_of(grid) -> List[Part]:
    out: List[Part] = []
    for i, row in enumerate(grid):
        for j, v in enumerate(row):
            if v:
                out.append(Part(v, [(i, j)], where="low" if i else "top"))
    return out

def solve(I):
    parts = parts_of(I)
    best = max(parts, key=lambda part: part.color)
    box = Box(best.cells[0][0], left=best.cells[0][1])
    info = Info(count=len(parts), part=best)
    r, c = Point(r=1, c=2)
    top, left, size = cast(Box, box)
    return (
        best.color, box.top, box[1], box.size, info["count"], info["part"].where == "top", r + c,
        top + left + size, best == parts[0], [p.color for p in parts if p.where == "low"],
        best == Part(best.color, [(0, 0)]), len(best.seen), box == (box.top, box.left, 3))
"""


def test_a_source_with_records_means_what_it_means_in_python():
    assert_as_python(RECORDS, *GRIDS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    seen: list = field(default_factory=list)", "    def __len__(self): return 3"),
        ("(frozen=True)", "(eq=False)"), ("(frozen=True)", "(kw_only=True)"),
        ("len(best.seen)", "isinstance(best, Part)"), ("Part(v, [(i, j)], where", "Part(v, where"),
        ("Point = ", "@dataclass\nclass Other:\n    color: int\n    cells: list\n    where: str\n"
         "    seen: list\n\nPoint = "),
    ],
)  # fmt: skip
def test_other_classes_are_refused(old, new):
    errors = mb.parse(RECORDS.replace(old, new)).errors
    assert errors and ("not read" in errors[0].message or "isinstance" in errors[0].message)


def test_records_are_made_of_starred_arguments_and_by_functions_of_pythons():
    source = """
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple
@dataclass
class Part:
    cells: list
    color: int = 0
class Box(NamedTuple):
    top: int
    size: int = 3
    def moved(self, by):
        return Box(*(a + b for a, b in zip(self, by)))
def solve(I):
    boxes = [Box(*row) for row in ((1,), (len(I), 4))] + [Box._make((5, 6)), *map(Box, I[0])]
    parts = [Part(*pair) for pair in ((box.moved((1, 2)), box.top) for box in boxes)]
    return [(part.cells.size, part.color) for part in parts], [b.top for b in starmap(Box, boxes)]
"""
    assert_as_python(source, *GRIDS)
    wrong = source.replace("color: int = 0", "color: list = field(default_factory=list)")
    assert "has `*`: write each argument" in mb.parse(wrong).errors[0].message


def test_data_classes_have_an_order_and_equal_no_tuples_and_no_others():
    source = """
from dataclasses import dataclass
@dataclass(order=True)
class P:
    v: int
    i: int = 2
@dataclass(frozen=True, order=True)
class Q:
    v: int
    i: int
def solve(I):
    found = [P(v, i) for i, v in enumerate(I[0])] + [P(v=4)]
    found[0].i = 9
    return ([(p.v, p.i) for p in sorted(found)], max(found).i, found[0] < found[1], P(1) == (1, 2),
            P(1) == Q(1, 2), len({Q(1, 2), Q(1, 2), (" Q", 1), ("Q", 1, 2)}))
"""
    assert_as_python(source, *GRIDS)


def test_an_attribute_of_an_array_or_of_a_module_is_no_field():
    source = """
import math
from typing import NamedTuple
import numpy as xp
class Box(NamedTuple):
    shape: int
    inf: int
def solve(grid):
    a, least, box = xp.array(grid), math.inf, Box(1, 2)
    for v in a[0]:
        least = min(least, v)
    return [[a.shape[0], least, box.inf]]
"""
    (program,) = mb.parse(source)
    assert as_program(program, GRID) == ((len(GRID), min(GRID[0]), 2),)
