"""The grid language's vocabulary of images, which a search makes of a grid, layer by layer.

An image is a name and an expression: calls of primitives on `I`, the image at hand. `Z` is the size
of the output, `c` a color of all inputs, `d` a color of all outputs: an expression with `c` stands
for one image for each such color. A user adds images by `dataclasses.replace` of `IMAGES`.

An aspect is such an image too, for rules to look at: a number for each cell of a grid. A number is
a color, or any from 0 to 255: the size of the cell's object, the color to the right of the cell.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice

from megabatt.runtime.arc.language import CONSTANTS
from megabatt.runtime.arc.values import colors_of
from megabatt.runtime.arc.workload.data import ArcSample
from megabatt.runtime.megabatch.images import Images

_Named = Iterator[tuple[str, str]]
"""Images: names with expressions."""

NOT_BLACK = "difference(asindices(I), ofcolor(I, ZERO))"
BLANK = "canvas(ZERO, shape(I))"
_DRAWN = f"toobject({NOT_BLACK}, I)"
_INK = f"mostcolor({_DRAWN})"


def _on_blank(patch: str) -> str:
    return f"fill({BLANK}, {_INK}, {patch})"


def _in_turn(function: str, image: str, others: Iterable[str]) -> str:
    """Call a function of two on an image and each of other values, in turn."""
    return reduce(lambda made, other: f"{function}({made}, {other})", others, image)


def _beneath(objects: Iterable[str]) -> str:
    """Paint objects, one over the other, under the image's colored cells."""
    return _in_turn("paint", "I", [*objects, _DRAWN])



_HOLES = "mfilter(colorfilter(objects(I, T, F, F), ZERO), compose(flip, rbind(bordering, I)))"
_FRINGE = "combine(mapply(neighbors, ofcolor(I, ZERO)), box(asindices(I)))"


def _colored_rows(image: str) -> str:
    return f"sfilter({image}, compose(positive, maximum))"


_COLORED_ROWS_TURNED = f"dmirror({_colored_rows('I')})"


def _squares(patch: str, side: int) -> str:
    """Return the cells of all squares of side `side` that lie in a patch."""
    steps = [f"astuple({i}, {j})" for i in range(side) for j in range(side)][1:]
    corners = _in_turn("intersection", patch, [f"shift({patch}, invert({by}))" for by in steps])
    return _in_turn("combine", corners, [f"shift({corners}, {step})" for step in steps])


_COLORED = "sfilter(partition(I), compose(flip, matcher(color, ZERO)))"
DIRECTIONS = {
    "right": "RIGHT", "left": "LEFT", "down": "DOWN", "up": "UP",
    "south-east": "UNITY", "north-west": "NEG_UNITY",
    "north-east": "UP_RIGHT", "south-west": "DOWN_LEFT",
}  # fmt: skip
_SINGLE = tuple((one,) for one in DIRECTIONS)
_LINES = (
    ("right", "left"), ("down", "up"), ("south-east", "north-west"), ("north-east", "south-west"),
)  # fmt: skip
_SETS_OF_DIRECTIONS = (
    *_SINGLE, *_LINES[:2], _LINES[0] + _LINES[1], *_LINES[2:], _LINES[2] + _LINES[3],
    tuple(DIRECTIONS),
)  # fmt: skip


def _rays(direction: str) -> str:
    shot = f"compose(lbind(mapply, rbind(shoot, {DIRECTIONS[direction]})), toindices)"
    return f"mapply(fork(recolor, color, {shot}), {_COLORED})"


_PAIRS = "fork(lbind(prapply, connect), toindices, toindices)"
"""The lines between all cells of an object."""


def _joined(lines: str) -> str:
    return f"mapply(fork(recolor, color, compose({lines}, {_PAIRS})), {_COLORED})"


_ROWS, _COLUMNS = _joined("rbind(mfilter, hline)"), _joined("rbind(mfilter, vline)")


def _restored() -> _Named:
    """Yield grids with black cells, or a color's cells, filled in; and the filled cells alone."""
    for erased, image, cells in (
        ("black", "I", "ofcolor(I, ZERO)"), ("a color", FUNCTIONS["erase"], "ofcolor(I, c)")
    ):  # fmt: skip
        shown = f"toobject(difference(asindices({image}), ofcolor({image}, ZERO)), {image})"
        ways = {"completed": f"completed({image})", "symmetrized": f"symmetrized({image})"}
        for turn in ("hmirror", "vmirror", "rot180", "dmirror", "cmirror"):
            ways[f"completed by {turn} too"] = f"completed(paint({turn}({image}), {shown}))"
        for way, restored in ways.items():
            yield f"{way} where {erased} is", restored
            yield f"{way} where {erased} is, cut to that", f"subgrid({cells}, {restored})"


_SIDES = ("I", "hmirror(I)", "vmirror(I)", "rot180(I)")
_TWICE = "vconcat(hconcat({0}, {0}), hconcat({0}, {0}))"


def _tiled(image: str) -> str:
    return f"crop({_TWICE.format(_TWICE.format(image))}, ORIGIN, Z)"


_MIRRORED = "vconcat(hconcat(I, vmirror(I)), hmirror(hconcat(I, vmirror(I))))"

_CUT_ACROSS = "rbind(hsplit, increment(size(sfilter(frontiers(I), vline))))"
_BANDS = "vsplit(compress(I), increment(size(sfilter(frontiers(I), hline))))"
_SEPARATED = f"mapply({_CUT_ACROSS}, {_BANDS})"
_PICKED = {
    "most colors": "argmax({}, numcolors)", "fewest colors": "argmin({}, numcolors)",
    "most black": "argmax({}, rbind(colorcount, ZERO))",
    "least black": "argmin({}, rbind(colorcount, ZERO))",
    "most common": "mostcommon({})", "least common": "leastcommon({})",
}  # fmt: skip
"""Images that are each one of several grids."""
_PARTS_OF_GRIDS = {
    f"of {count} {name}": f"{split}(I, {word})"
    for split, name in (("hsplit", "columns"), ("vsplit", "rows"))
    for count, word in ((2, "TWO"), (3, "THREE"), (4, "FOUR"))
}

SENSES = {
    "object": "objects(I, T, F, T)", "linked object": "objects(I, T, T, T)",
    "mixed object": "objects(I, F, F, T)", "linked mixed object": "objects(I, F, T, T)",
    "piece": "objects(I, T, F, F)", "color": "fgpartition(I)",
}  # fmt: skip
MEASURES = {
    "size": "size", "colors": "numcolors", "height": "height", "width": "width",
    "row": "uppermost", "column": "leftmost", "holes": "compose(size, delta)",
}  # fmt: skip


def _of_objects(function: str, objects: str, patch: str = "identity") -> str:
    """Return the image of a function's results by object, in the cells of each object's patch."""
    return f"paint({BLANK}, mapply(fork(recolor, {function}, {patch}), {objects}))"


def _sorted_out(name: str, objects: str, best: str) -> _Named:
    """Yield images of the objects for which a function is true: the first, all, all others."""
    yield f"{name}, cropped", f"subgrid(extract({objects}, {best}), I)"
    yield f"{name}, kept", f"paint({BLANK}, mfilter({objects}, {best}))"
    yield f"{name}, dropped", f"paint({BLANK}, mfilter({objects}, compose(flip, {best})))"


def _selected(sense: str, objects: str, measure: str, function: str) -> _Named:
    """Yield images of the objects that have the most and the least of a measure."""
    for which, chosen in (("most", "valmax"), ("least", "valmin")):
        best = f"matcher({function}, {chosen}({objects}, {function}))"
        yield from _sorted_out(f"{sense}, {which} {measure}", objects, best)


_TESTS = {
    "at the border": "rbind(bordering, I)",
    "square": "square",
    "of one cell": "matcher(size, ONE)",
    "like its mirror image": "fork(equality, identity, vmirror)",
    "like itself upside down": "fork(equality, identity, hmirror)",
    "with a color": "compose(lbind(contained, c), palette)",
}
_LOOKS = {"size": "size", "shape": "compose(toindices, normalize)", "look": "normalize"}
_PATCHES = {
    "box filled": "backdrop", "inner frame": "inbox", "outer frame": "outbox", "corners": "corners",
    "center": "compose(initset, center)",
}  # fmt: skip
_TURNS = {"upside down": "hmirror", "mirrored": "vmirror"}


def _told_apart(sense: str, objects: str) -> _Named:
    """Yield images of the objects that pass a test, of the other objects, and of each object."""
    for name, test in _TESTS.items():
        for which, function in ((name, test), (f"not {name}", f"compose(flip, {test})")):
            yield from islice(_sorted_out(f"{sense} {which}", objects, function), 2)
    for name, function in _LOOKS.items():
        for which in ("most", "least"):
            looks = f"apply({function}, totuple({objects}))"
            best = f"matcher({function}, {which}common({looks}))"
            yield from _sorted_out(f"{sense} of the {which} common {name}", objects, best)
    yield from _selected(sense, objects, "of a color", "rbind(colorcount, c)")
    for name, patch in _PATCHES.items():
        yield f"{sense}'s {name}", _of_objects("mostcolor", objects, patch)
    for name, turn in _TURNS.items():
        yield f"{sense} {name}", f"paint({BLANK}, mapply({turn}, {objects}))"


FUNCTIONS: dict[str, str] = {
    **{name: f"{name}(I)" for name in (
        "rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror",
        "tophalf", "bottomhalf", "lefthalf", "righthalf", "compress", "trim",
    )},
    "box": f"subgrid({NOT_BLACK}, I)",
    "keep": f"fill({BLANK}, c, ofcolor(I, c))",
    "erase": "replace(I, c, ZERO)",
    "shape": f"fill(I, d, {NOT_BLACK})",
    "complement": f"fill({BLANK}, d, ofcolor(I, ZERO))",
    "hull": _on_blank(f"backdrop({NOT_BLACK})"),
    "interior": _on_blank(_HOLES),
    "filled": f"fill({_on_blank(_HOLES)}, {_INK}, {NOT_BLACK})",
    "around": _on_blank(f"intersection(mapply(neighbors, {NOT_BLACK}), ofcolor(I, ZERO))"),
    "beside": _on_blank(f"intersection(mapply(dneighbors, {NOT_BLACK}), ofcolor(I, ZERO))"),
    "edge": f"paint({BLANK}, toobject(intersection({_FRINGE}, {NOT_BLACK}), I))",
    "inside": f"paint({BLANK}, toobject(difference({NOT_BLACK}, {_FRINGE}), I))",
    "frame": "paint(canvas(d, add(shape(I), TWO)), shift(asobject(I), UNITY))",
    "border": f"fill({BLANK}, d, box(asindices(I)))",
    "without black lines": f"dmirror({_colored_rows(_COLORED_ROWS_TURNED)})",
    "without repeats": "dmirror(dedupe(dmirror(dedupe(I))))",
    "padded": "paint(canvas(ZERO, increment(shape(I))), asobject(I))",
    "cut to a color": "subgrid(ofcolor(I, c), I)",
    "cut to all other colors": "subgrid(difference(asindices(I), ofcolor(I, c)), I)",
    "thick": f"paint({BLANK}, toobject({_squares(NOT_BLACK, 2)}, I))",
    "thin": f"paint({BLANK}, toobject(difference({NOT_BLACK}, {_squares(NOT_BLACK, 2)}), I))",
    "thick black": f"fill({BLANK}, d, {_squares('ofcolor(I, ZERO)', 2)})",
    "thicker black": f"fill({BLANK}, d, {_squares('ofcolor(I, ZERO)', 3)})",
    "holes of objects": f"paint({BLANK}, mapply(fork(recolor, color, delta), objects(I, T, F, T)))",
    "rows by colored cells": "order(I, compose(size, rbind(sfilter, positive)))",
    "rows with sorted cells": "apply(rbind(order, identity), I)",
    "rows in their most common color": "apply(compose(rbind(repeat, width(I)), mostcommon), I)",
    "columns in their most common color": (
        "dmirror(apply(compose(rbind(repeat, height(I)), mostcommon), dmirror(I)))"
    ),
    **{
        f"one {where}": f"paint({BLANK}, shift(asobject(I), {where.upper()}))"
        for where in ("right", "left", "down", "up")
    },
    **{f"rays {', '.join(ways)}": _beneath(map(_rays, ways)) for ways in _SETS_OF_DIRECTIONS},
    "joined along rows": _beneath([_ROWS]),
    "joined along columns": _beneath([_COLUMNS]),
    "joined": _beneath([_ROWS, _COLUMNS]),
    "joined along diagonals too": _beneath([_joined("merge")]),
    **{
        f"{join} of {first} and {second}": f"{join}({first}, {second})"
        for join in ("hconcat", "vconcat")
        for first, second in [("I", side) for side in _SIDES] + [(side, "I") for side in _SIDES[1:]]
    },
    "turned around": "vconcat(hconcat(I, rot90(I)), hconcat(rot270(I), rot180(I)))",
    "mirrored at its last column": "hconcat(I, crop(vmirror(I), RIGHT, subtract(shape(I), RIGHT)))",
    "mirrored at its last row": "vconcat(I, crop(hmirror(I), DOWN, subtract(shape(I), DOWN)))",
    "tiled": _tiled(_TWICE.format("I")),
    "mirrored": _tiled(_MIRRORED),
    "scaled": "vupscale(hupscale(I, divide(last(Z), width(I))), divide(first(Z), height(I)))",
    "reduced": "downscale(I, divide(height(I), first(Z)))",
    **{
        f"{which} {name}": f"{which}({grids})"
        for name, grids in _PARTS_OF_GRIDS.items()
        for which in ("first", "last")
    },
    "flooded": "flooded(I, ZERO)",
    "flooded but by the most common color": f"flooded(I, {_INK})",
    **{
        f"smeared {', '.join(ways)}": _in_turn("smeared", "I", [DIRECTIONS[way] for way in ways])
        for ways in _SINGLE + _LINES
    },
}  # fmt: skip
"""Images of any image, by name."""
ONCE: dict[str, str] = {
    "plain": "canvas(d, shape(I))",
    "fallen down": "fallen(I)",
    "fallen up": "hmirror(fallen(hmirror(I)))",
    "fallen to the right": "rot270(fallen(rot90(I)))",
    "fallen to the left": "rot90(fallen(rot270(I)))",
    **dict(_restored()),
    **{
        f"{name}, {which}": text.format(grids)
        for name, grids in {"of separated cells": _SEPARATED, **_PARTS_OF_GRIDS}.items()
        for which, text in _PICKED.items()
    },
    **{
        f"{which} of separated cells":
            f"apply(compose(lbind(apply, {which}), {_CUT_ACROSS}), {_BANDS})"
        for which in ("mostcolor", "leastcolor")
    },
    **dict(
        image
        for sense, objects in SENSES.items()
        for measure in MEASURES.items()
        for image in _selected(sense, objects, *measure)
    ),
    **dict(
        image
        for sense in ("object", "linked object", "mixed object", "linked mixed object")
        for image in _told_apart(sense, SENSES[sense])
    ),
}  # fmt: skip
"""Images of the input alone, by name: too many to make of any image."""

_COLORS = {
    value: name for name, value in CONSTANTS.items() if value.__class__ is int and 0 < value < 10
}
"""The constants' names for the colors that are not black, by number."""
_TERMS = {"most": f"mostcolor({_DRAWN})", "least": f"leastcolor({_DRAWN})"}


def _words(samples: Sequence[ArcSample]) -> dict[str, list[str]]:
    """Return the colors to look for (`c`), and the colors to draw with (`d`).

    If the inputs or the outputs differ in colors, both have the most and the least common color.
    """
    inputs = [colors_of([sample.I]) for sample in samples]
    outputs = [colors_of([sample.C]) for sample in samples if sample.C is not None]
    of_all = [set.intersection(*colors) for colors in (inputs, outputs)]
    alike = all(set.union(*colors) - {0} <= shared
                for colors, shared in zip((inputs, outputs), of_all, strict=True))  # fmt: skip
    terms = [] if alike else list(_TERMS)
    looked_for, drawn = (
        [_COLORS[color] for color in sorted(colors) if color in _COLORS] + terms
        for colors in of_all
    )
    return {"c": looked_for, "d": drawn}


_COUNTS = (
    "numcolors(I)", "decrement(numcolors(I))", "size(objects(I, T, F, T))",
    f"size({NOT_BLACK})", "colorcount(I, ZERO)",
    *(f"size({objects})" for objects in SENSES.values()),
)  # fmt: skip

IMAGES = Images(
    image="I", size="Z", below="B", number="d",
    functions=FUNCTIONS, once=ONCE, words=_words, terms=_TERMS,
    blank="canvas(ZERO, Z)",
    fitted="paint(canvas(ZERO, Z), asobject(I))",
    over=f"paint(B, {_DRAWN})",
    under="fill(B, ZERO, ofcolor(I, ZERO))",
    shape=f"fill(B, d, {NOT_BLACK})",
    coded="papply(lbind(papply, add), apply(lbind(apply, lbind(multiply, k)), B), I)",
    where="fill(B, n, ofcolor(I, k))",
    size_of="shape(I)", height="height(I)", width="width(I)", pair="astuple(h, w)",
    counts=tuple(dict.fromkeys(_COUNTS)),
    times="multiply(n, k)", part="divide(n, k)", plus="add(n, k)",
)  # fmt: skip

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
    **{
        f"colored of {count} around": _of_cells(
            f"compose(size, compose(lbind(intersection, {NOT_BLACK}), {around}))"
        )
        for count, around in (("eight", "neighbors"), ("four", "dneighbors"))
    },
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
"""Aspects of any image, by name."""
