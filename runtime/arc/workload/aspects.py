"""The aspects that rules look at: a number for each cell of a grid, as an image of the grid.

Aspects are expressions as in `images`, of `I`, the grid at hand. A number is a color, or any from
0 to 255: the size of the cell's object, the color to the right of the cell.
"""

from __future__ import annotations

from megabatt.runtime.arc.workload.images import BLANK, DIRECTIONS, MEASURES, NOT_BLACK, SENSES

_STEPS = {
    **DIRECTIONS, "two to the right": "ZERO_BY_TWO", "two to the left": "astuple(0, -2)",
    "two down": "TWO_BY_ZERO", "two up": "astuple(-2, 0)",
}  # fmt: skip


def _of_cells(function: str) -> str:
    """Return the image of a function's results for each cell's place."""
    return f"paint({BLANK}, apply(fork(astuple, {function}, identity), asindices(I)))"


def _of_rows(function: str, image: str) -> str:
    """Return the image of a function's results for each row of an image."""
    return f"apply(compose(rbind(repeat, width({image})), {function}), {image})"


def _of_objects(function: str, objects: str, patch: str = "identity") -> str:
    """Return the image of a function's results by object, in the cells of each object's patch."""
    return f"paint({BLANK}, mapply(fork(recolor, {function}, {patch}), {objects}))"


_AROUND = {
    f"colored of {count} around": _of_cells(
        f"compose(size, compose(lbind(intersection, {NOT_BLACK}), {around}))"
    )
    for count, around in (("eight", "neighbors"), ("four", "dneighbors"))
}
_PLACES = {
    "row": "first", "column": "last", "even row": "compose(even, first)",
    "even column": "compose(even, last)", "chess": "compose(even, fork(add, first, last))",
}  # fmt: skip
_OF_LINES = {
    "most common color": "mostcommon", "least common color": "leastcommon",
    "greatest color": "maximum",
    "number of colored cells": "compose(size, rbind(sfilter, positive))",
}  # fmt: skip


def _properties(objects: str) -> dict[str, str]:
    return {
        **MEASURES,
        "most common color": "mostcolor", "least common color": "leastcolor",
        "squareness": "square", "tallness": "portrait",
        "being at the border": "rbind(bordering, I)",
        "being the largest": f"matcher(size, valmax({objects}, size))",
        "being the smallest": f"matcher(size, valmin({objects}, size))",
        "commonness of its color": "compose(lbind(colorcount, I), color)",
    }  # fmt: skip


ASPECTS: dict[str, str] = {
    **{
        f"moved {where}": f"paint(canvas(TEN, shape(I)), shift(asobject(I), {step}))"
        for where, step in _STEPS.items()
    },
    **_AROUND,
    **{name: _of_cells(function) for name, function in _PLACES.items()},
    **{f"row's {name}": _of_rows(function, "I") for name, function in _OF_LINES.items()},
    **{
        f"column's {name}": f"dmirror({_of_rows(function, 'dmirror(I)')})"
        for name, function in _OF_LINES.items()
    },
    **{
        f"{sense}'s {name}": _of_objects(function, objects)
        for sense, objects in SENSES.items()
        for name, function in _properties(objects).items()
    },
    **{
        f"color {where} of {sense}": _of_objects("mostcolor", objects, patch)
        for sense, objects in SENSES.items()
        for where, patch in (("in the box", "backdrop"), ("around the box", "outbox"))
    },
}
"""The aspects' expressions, by name."""
