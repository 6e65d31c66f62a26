"""The grid language's vocabulary of images, which a search makes of a grid, layer by layer.

An image is a name and an expression: calls of primitives on `I`, the image at hand. `Z` is the size
of the output, `c` a color of all inputs, `d` a color of all outputs: an expression with `c` stands
for one image for each such color. A user adds images by `dataclasses.replace` of `IMAGES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from megabatt.runtime.arc.constants import CONSTANTS
from megabatt.runtime.arc.workload.data import ArcSample, colors_of
from megabatt.runtime.megabatch.images import Images

NOT_BLACK = "difference(asindices(I), ofcolor(I, ZERO))"
BLANK = "canvas(ZERO, shape(I))"
_DRAWN = f"toobject({NOT_BLACK}, I)"
_INK = f"mostcolor({_DRAWN})"


def _on_blank(patch: str) -> str:
    return f"fill({BLANK}, {_INK}, {patch})"


def _beneath(objects: Iterable[str]) -> str:
    """Paint objects, one over the other, under the image's colored cells."""
    image = "I"
    for one in objects:
        image = f"paint({image}, {one})"
    return f"paint({image}, {_DRAWN})"


_TURNED = {name: f"{name}(I)" for name in (
    "rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror",
    "tophalf", "bottomhalf", "lefthalf", "righthalf", "compress", "trim",
)}  # fmt: skip

_HOLES = "mfilter(colorfilter(objects(I, T, F, F), ZERO), compose(flip, rbind(bordering, I)))"
_FRINGE = "combine(mapply(neighbors, ofcolor(I, ZERO)), box(asindices(I)))"


def _colored_rows(image: str) -> str:
    return f"sfilter({image}, compose(positive, maximum))"


_COLORED_ROWS_TURNED = f"dmirror({_colored_rows('I')})"


def _squares(patch: str, side: int) -> str:
    """Return the cells of all squares of side `side` that lie in a patch."""
    steps = [f"astuple({i}, {j})" for i in range(side) for j in range(side)][1:]
    corners = patch
    for step in steps:
        corners = f"intersection({corners}, shift({patch}, invert({step})))"
    squares = corners
    for step in steps:
        squares = f"combine({squares}, shift({corners}, {step}))"
    return squares


_PARTS = {
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
}

_COLORED = "sfilter(partition(I), compose(flip, matcher(color, ZERO)))"
DIRECTIONS = {
    "right": "RIGHT", "left": "LEFT", "down": "DOWN", "up": "UP",
    "south-east": "UNITY", "north-west": "NEG_UNITY",
    "north-east": "UP_RIGHT", "south-west": "DOWN_LEFT",
}  # fmt: skip
_SETS_OF_DIRECTIONS = (
    *((one,) for one in DIRECTIONS),
    ("right", "left"), ("down", "up"), ("right", "left", "down", "up"),
    ("south-east", "north-west"), ("north-east", "south-west"),
    ("south-east", "north-west", "north-east", "south-west"),
    tuple(DIRECTIONS),
)  # fmt: skip


def _rays(direction: str) -> str:
    shot = f"compose(lbind(mapply, rbind(shoot, {DIRECTIONS[direction]})), toindices)"
    return f"mapply(fork(recolor, color, {shot}), {_COLORED})"


_RAYS = {
    f"rays {', '.join(chosen)}": _beneath(map(_rays, chosen)) for chosen in _SETS_OF_DIRECTIONS
}


_PAIRS = "fork(lbind(prapply, connect), toindices, toindices)"
"""The lines between all cells of an object."""


def _joined(lines: str) -> str:
    return f"mapply(fork(recolor, color, compose({lines}, {_PAIRS})), {_COLORED})"


_ROWS, _COLUMNS = _joined("rbind(mfilter, hline)"), _joined("rbind(mfilter, vline)")
_JOINED = {
    "joined along rows": _beneath([_ROWS]),
    "joined along columns": _beneath([_COLUMNS]),
    "joined": _beneath([_ROWS, _COLUMNS]),
    "joined along diagonals too": _beneath([_joined("merge")]),
}

_LINES = (
    ("right", "left"), ("down", "up"), ("south-east", "north-west"), ("north-east", "south-west"),
)  # fmt: skip


def _smeared(*directions: str) -> str:
    """Smear colors in one direction after the other."""
    image = "I"
    for direction in directions:
        image = f"smeared({image}, {DIRECTIONS[direction]})"
    return image


_SMEARED = {
    f"smeared {', '.join(chosen)}": _smeared(*chosen)
    for chosen in (*((one,) for one in DIRECTIONS), *_LINES)
}

_FLOODED = {
    "flooded": "flooded(I, ZERO)",
    "flooded but by the most common color": f"flooded(I, {_INK})",
}
_FALLEN = {
    "fallen down": "fallen(I)",
    "fallen up": "hmirror(fallen(hmirror(I)))",
    "fallen to the right": "rot270(fallen(rot90(I)))",
    "fallen to the left": "rot90(fallen(rot270(I)))",
}


def _completed(image: str, under: str) -> str:
    """Complete an image, with another image under it."""
    shown = f"toobject(difference(asindices({image}), ofcolor({image}, ZERO)), {image})"
    return f"completed(paint({under}, {shown}))"


def _restored() -> Iterator[tuple[str, str]]:
    """Yield grids with black cells, or a color's cells, filled in; and the filled cells alone."""
    for erased, image, cells in (
        ("black", "I", "ofcolor(I, ZERO)"), ("a color", _PARTS["erase"], "ofcolor(I, c)")
    ):  # fmt: skip
        ways = {"completed": f"completed({image})", "symmetrized": f"symmetrized({image})"}
        for turn in ("hmirror", "vmirror", "rot180", "dmirror", "cmirror"):
            ways[f"completed by {turn} too"] = _completed(image, f"{turn}({image})")
        for way, restored in ways.items():
            yield f"{way} where {erased} is", restored
            yield f"{way} where {erased} is, cut to that", f"subgrid({cells}, {restored})"


_COMPLETED = dict(_restored())

_SIDES = ("I", "hmirror(I)", "vmirror(I)", "rot180(I)")
_DOUBLED = {
    f"{_join} of {_first} and {_second}": f"{_join}({_first}, {_second})"
    for _join in ("hconcat", "vconcat")
    for _first, _second in (
        *((_SIDES[0], _side) for _side in _SIDES), *((_side, _SIDES[0]) for _side in _SIDES[1:])
    )
}  # fmt: skip
_DOUBLED |= {
    "turned around": "vconcat(hconcat(I, rot90(I)), hconcat(rot270(I), rot180(I)))",
    "mirrored at its last column": "hconcat(I, crop(vmirror(I), RIGHT, subtract(shape(I), RIGHT)))",
    "mirrored at its last row": "vconcat(I, crop(hmirror(I), DOWN, subtract(shape(I), DOWN)))",
}

_TWICE = "vconcat(hconcat({0}, {0}), hconcat({0}, {0}))"


def _tiled(image: str) -> str:
    return f"crop({_TWICE.format(_TWICE.format(image))}, ORIGIN, Z)"


_MIRRORED = "vconcat(hconcat(I, vmirror(I)), hmirror(hconcat(I, vmirror(I))))"
_TO_SIZE = {
    "tiled": _tiled(_TWICE.format("I")),
    "mirrored": _tiled(_MIRRORED),
    "scaled": "vupscale(hupscale(I, divide(last(Z), width(I))), divide(first(Z), height(I)))",
    "reduced": "downscale(I, divide(height(I), first(Z)))",
}

_CUT_ACROSS = "rbind(hsplit, increment(size(sfilter(frontiers(I), vline))))"
_BANDS = "vsplit(compress(I), increment(size(sfilter(frontiers(I), hline))))"
_SEPARATED = f"mapply({_CUT_ACROSS}, {_BANDS})"
_FEWEST_BLACK = "rbind(colorcount, ZERO)"


def _picked(name: str, grids: str) -> dict[str, str]:
    """Return images that are each one of several grids."""
    return {
        f"{name}, most colors": f"argmax({grids}, numcolors)",
        f"{name}, fewest colors": f"argmin({grids}, numcolors)",
        f"{name}, most black": f"argmax({grids}, {_FEWEST_BLACK})",
        f"{name}, least black": f"argmin({grids}, {_FEWEST_BLACK})",
        f"{name}, most common": f"mostcommon({grids})",
        f"{name}, least common": f"leastcommon({grids})",
    }


_DIGESTS = {
    f"{which} of separated cells": f"apply(compose(lbind(apply, {which}), {_CUT_ACROSS}), {_BANDS})"
    for which in ("mostcolor", "leastcolor")
}

_HALVES: dict[str, str] = {}
_OF_PARTS = _picked("of separated cells", _SEPARATED)
for _split, _name in (("hsplit", "columns"), ("vsplit", "rows")):
    for _count, _word in ((2, "TWO"), (3, "THREE"), (4, "FOUR")):
        _grids = f"{_split}(I, {_word})"
        _HALVES |= {
            f"first of {_count} {_name}": f"first({_grids})",
            f"last of {_count} {_name}": f"last({_grids})",
        }
        _OF_PARTS |= _picked(f"of {_count} {_name}", _grids)

SENSES = {
    "object": "objects(I, T, F, T)", "linked object": "objects(I, T, T, T)",
    "mixed object": "objects(I, F, F, T)", "linked mixed object": "objects(I, F, T, T)",
    "piece": "objects(I, T, F, F)", "color": "fgpartition(I)",
}  # fmt: skip
MEASURES = {
    "size": "size", "colors": "numcolors", "height": "height", "width": "width",
    "row": "uppermost", "column": "leftmost", "holes": "compose(size, delta)",
}  # fmt: skip


def _sorted_out(name: str, objects: str, best: str) -> dict[str, str]:
    """Return images of the objects for which a function is true: the first, all, all others."""
    return {
        f"{name}, cropped": f"subgrid(extract({objects}, {best}), I)",
        f"{name}, kept": f"paint({BLANK}, mfilter({objects}, {best}))",
        f"{name}, dropped": f"paint({BLANK}, mfilter({objects}, compose(flip, {best})))",
    }


def _selected(sense: str, objects: str, measure: str, function: str) -> dict[str, str]:
    """Return images of the objects that have the most and the least of a measure."""
    images: dict[str, str] = {}
    for which, chosen in (("most", "valmax"), ("least", "valmin")):
        best = f"matcher({function}, {chosen}({objects}, {function}))"
        images |= _sorted_out(f"{sense}, {which} {measure}", objects, best)
    return images


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


def _told_apart(sense: str, objects: str) -> dict[str, str]:
    """Return images of the objects that pass a test, of the other objects, and of each object."""
    images: dict[str, str] = {}
    for name, test in _TESTS.items():
        for which, function in ((name, test), (f"not {name}", f"compose(flip, {test})")):
            images[f"{sense} {which}, cropped"] = f"subgrid(extract({objects}, {function}), I)"
            images[f"{sense} {which}, kept"] = f"paint({BLANK}, mfilter({objects}, {function}))"
    for name, function in _LOOKS.items():
        for which in ("most", "least"):
            looks = f"apply({function}, totuple({objects}))"
            best = f"matcher({function}, {which}common({looks}))"
            images |= _sorted_out(f"{sense} of the {which} common {name}", objects, best)
    images |= _selected(sense, objects, "of a color", "rbind(colorcount, c)")
    for name, patch in _PATCHES.items():
        made = f"mapply(fork(recolor, mostcolor, {patch}), {objects})"
        images[f"{sense}'s {name}"] = f"paint({BLANK}, {made})"
    for name, turn in _TURNS.items():
        images[f"{sense} {name}"] = f"paint({BLANK}, mapply({turn}, {objects}))"
    return images


_OBJECTS = {
    name: text
    for sense, objects in SENSES.items()
    for measure, function in MEASURES.items()
    for name, text in _selected(sense, objects, measure, function).items()
}
for _sense in ("object", "linked object", "mixed object", "linked mixed object"):
    _OBJECTS |= _told_apart(_sense, SENSES[_sense])

FUNCTIONS: dict[str, str] = {
    **_TURNED, **_PARTS, **_RAYS, **_JOINED, **_DOUBLED, **_TO_SIZE, **_HALVES, **_FLOODED,
    **_SMEARED,
}  # fmt: skip
"""Images of any image, by name."""
ONCE: dict[str, str] = {
    "plain": "canvas(d, shape(I))", **_FALLEN, **_COMPLETED, **_OF_PARTS, **_DIGESTS, **_OBJECTS,
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
