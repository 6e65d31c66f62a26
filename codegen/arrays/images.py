"""The functions of scipy.ndimage on lists, as forms, see `functions`."""

from __future__ import annotations

from itertools import product

from megabatt.codegen.arrays.families import PLACES

_CROSS = "[[0, 1, 0], [1, 1, 1], [0, 1, 0]]"
_FORMS = f"""
def ndimage_generate_binary_structure(rank: 2, connectivity: 1) -> B2:
    [[False, True, False], [True, True, True], [False, True, False]]
def ndimage_generate_binary_structure(rank: 2, connectivity: 2) -> B2:
    [[True] * 3 for _ in range(3)]
def ndimage_label(input: A2, structure: A2 = {_CROSS}) -> (A2, N):
    (
        lambda numbers: (
            [[numbers.get((i, j), 0) for j in range(len(row))] for i, row in enumerate(input)],
            max([0, *numbers.values()]),
        )
    )({{
        place: k + 1
        for k, cells in enumerate(sorted([
            sorted([place for _, place in part])
            for part in dsl.objects(
                tuple([tuple([int(v != 0) for v in row]) for row in input]),
                True,
                bool(
                    ({_CROSS}, [[1, 1, 1], [1, 1, 1], [1, 1, 1]]).index(
                        [[int(v != 0) for v in row] for row in structure]
                    )
                ),
                False,
            )
            if 1 in [v for v, _ in part]
        ]))
        for place in cells
    }})
def ndimage_find_objects(input: I2) -> list[(Y, Y)]:
    [
        ((min(rows), max(rows) + 1), (min(columns), max(columns) + 1)) if rows else None
        for k in range(1, max([v for row in input for v in row]) + 1)
        for rows, columns in [(
            [i for i, row in enumerate(input) for v in row if v == k],
            [j for row in input for j, v in enumerate(row) if v == k],
        )]
    ]
def ndimage_binary_fill_holes(input: A2) -> B2:
    (
        lambda outside: [
            [(i, j) not in outside for j in range(len(row))] for i, row in enumerate(input)
        ]
    )({{
        place
        for part in dsl.objects(
            tuple([tuple([int(v != 0) for v in row]) for row in input]), True, False, False
        )
        if 0 in [v for v, _ in part]
        and any([i in (0, len(input) - 1) or j in (0, len(input[0]) - 1) for _, (i, j) in part])
        for _, place in part
    }})
"""
_MORPHED = """
    functools.reduce(
        lambda m, _: [
            [
                {test}([
                    y in range(len(m)) and x in range(len(row)) and m[y][x]
                    for p, line in enumerate(structure)
                    for q, k in enumerate([line][len(line) % 2 == 0])
                    if k
                    for y, x in [(
                        i {sign} (p - len(structure) // 2), j {sign} (q - len(line) // 2)
                    )]
                ])
                for j in range(len(row))
            ]
            for i, row in enumerate(m)
        ],
        range([iterations][iterations < 1 or len(structure) % 2 == 0]),
        {start},
    )
"""
_START = "[[v != 0 for v in row] for row in input]"
_DILATED = {"test": "any", "sign": "-"}
_ERODED = {"test": "all", "sign": "+"}
_STEPS = {
    "binary_dilation": [_DILATED], "binary_erosion": [_ERODED],
    "binary_opening": [_ERODED, _DILATED], "binary_closing": [_DILATED, _ERODED],
}  # fmt: skip
_FILTERED = """
def ndimage_{name}(input: I2, {extent}, *, mode: "{mode}"{default}{more}) -> A2:
    [
        [
            {call}([
                {value}
                for p in range([{size}][{size} % 2 == 0])
                for q in range([{size2}][{size2} % 2 == 0])
                for y, x in [(i {sign} (p - {size} // 2), j {sign} (q - {size2} // 2))]
            ])
            for j in range(len(row))
        ]
        for i, row in enumerate(input)
    ]
"""
_WEIGHTED = {
    "extent": "weights: A2", "size": "len(weights)", "size2": "len(weights[0])", "call": "sum",
    "weight": "(weights[p][q] | 0) * ",
}
_SIZED = {"extent": "size: D", "size": "size", "size2": "size", "sign": "+", "weight": ""}
_FILTERS = {
    "convolve": {**_WEIGHTED, "sign": "-"}, "correlate": {**_WEIGHTED, "sign": "+"},
    "maximum_filter": {**_SIZED, "call": "max"}, "minimum_filter": {**_SIZED, "call": "min"},
}  # fmt: skip
_MODES = {
    "constant": "", "mirror": PLACES["reflect"], "nearest": PLACES["edge"],
    "reflect": PLACES["symmetric"], "wrap": PLACES["wrap"],
}  # fmt: skip
"""The modes of SciPy, whose names are others than NumPy's."""
_OF_LABELS = """
def ndimage_{name}(input: {sort}, labels: I, index: I) -> {of}1:
    [
        (lambda c: {line})([v for v, k in zip(input, labels, strict=True) if k == n])
        for n in index
    ]
def ndimage_{name}(input: {sort}, labels: I, index: K) -> {one}:
    (lambda c: {line_of_one})([v for v, k in zip(input, labels, strict=True) if k == index])
"""
_MEASURED = {
    "maximum": ("I", "max(c) if c else 0", "A", "N"), "mean": ("R", "sum(c) / len(c)", "F", "Q"),
    "minimum": ("I", "min(c) if c else 0", "A", "N"), "sum": ("R", "sum(c)", "F", "Q"),
    "sum_labels": ("R", "sum(c)", "F", "Q"),
}  # fmt: skip
_CENTER = """
    (lambda c: (
        sum([v * i for v, i, j in c]) / sum([v for v, i, j in c]),
        sum([v * j for v, i, j in c]) / sum([v for v, i, j in c]),
    ))([(v, i, j) for i, row in enumerate(input) for j, v in enumerate(row){test}])
"""
_CENTERS = f"""
def ndimage_center_of_mass(input: A2) -> (Q, Q): {_CENTER.format(test="").strip()}
def ndimage_center_of_mass(input: A2, labels: I2, index: K) -> (Q, Q):
    {_CENTER.format(test=" if labels[i][j] == index").strip()}
def ndimage_center_of_mass(input: A2, labels: I2, index: I) -> list[(Q, Q)]:
    [{_CENTER.format(test=" if labels[i][j] == n").strip()} for n in index]
"""
OF_IMAGES = frozenset(
    ["label", "find_objects", "generate_binary_structure", "binary_fill_holes", "center_of_mass"]
    + [*_STEPS, *_FILTERS, *_MEASURED]
)
"""The functions of scipy.ndimage that are read; the forms of `sum` are those of `ndimage_sum`."""


def _morphed() -> list[str]:
    """Return the forms of dilation, erosion and what is made of both."""
    texts = []
    for name, steps in _STEPS.items():
        made = _START
        for step in steps:
            made = _MORPHED.format(start=made, **step).strip()
        parameters = f"input: A2, structure: A2 = {_CROSS}, iterations: K = 1"
        texts.append(f"def ndimage_{name}({parameters}) -> B2: {made}\n")
    return texts


def _filtered() -> list[str]:
    """Return the forms of the filters."""
    texts = []
    for (name, words), (mode, place) in product(_FILTERS.items(), _MODES.items()):
        if place:
            row, column = place.format(i="y", n="len(input)"), place.format(i="x", n="len(row)")
            value = f"input[{row}][{column}]"
        else:
            inside = "y in range(len(input)) and x in range(len(row))"
            value = f"(input[y][x] if {inside} else cval)"
        given = {**words, "value": words["weight"] + value, "name": name, "mode": mode}
        default = ' = "reflect"' if mode == "reflect" else ""
        given |= {"default": default, "more": "" if place else ", cval: K = 0"}
        texts.append(_FILTERED.format(**given))
    return texts


def images() -> list[str]:
    """Return the forms of all functions."""
    measured = [
        _OF_LABELS.format(
            name=name, sort=sort, line=line, line_of_one=line.removesuffix(" if c else 0"),
            of=of, one=one,
        )
        for name, (sort, line, of, one) in _MEASURED.items()
    ]  # fmt: skip
    return [_FORMS, *_morphed(), *_filtered(), *measured, _CENTERS]
