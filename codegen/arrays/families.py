"""Families of NumPy's functions on lists: forms, as in `functions`, that differ in a word."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

_OF_LINES = """
def {name}(a: R) -> {one}: {flat}
def {name}(a: A2, axis: 0) -> {of}1: [{column} for j in range(len(a[0]))]
def {name}(a: A2, axis: 1) -> {of}1: [{row} for row in a]
"""
_OF_RANK_3 = """
def {name}(a: A3, axis: 0) -> {of}2:
    [[{layers} for j in range(len(a[0][0]))] for i in range(len(a[0]))]
def {name}(a: A3, axis: 1) -> {of}2: [[{inner} for j in range(len(p[0]))] for p in a]
def {name}(a: A3, axis: 2) -> {of}2: [[{row} for row in p] for p in a]
def {name}(a: A3, axis: (0, 1)) -> {of}1: [{columns} for j in range(len(a[0][0]))]
def {name}(a: A3, axis: (1, 2)) -> {of}1: [{rows} for p in a]
def {name}(a: A4, axis: (2, 3)) -> {of}2: [[{rows} for p in b] for b in a]
def {name}(a: A4, axis: (1, 3)) -> {of}2: [[{blocks} for j in range(len(b[0]))] for b in a]
"""
_LINES = {
    "flat": "a", "row": "row", "column": "[row[j] for row in a]",
    "inner": "[row[j] for row in p]",
    "layers": "[p[i][j] for p in a]", "rows": "[v for row in p for v in row]",
    "columns": "[row[j] for p in a for row in p]", "blocks": "[v for q in b for v in q[j]]",
}  # fmt: skip
"""The lines of an array that a function makes one element of."""
_PRODUCT = "functools.reduce(lambda x, y: x * y, {}, 1)"
_REDUCED = {
    "all": ("all({})", "B", "B"), "any": ("any({})", "B", "B"),
    "argmax": ("(lambda c: c.index(max(c)))({})", "A", "N"),
    "argmin": ("(lambda c: c.index(min(c)))({})", "A", "N"),
    "count_nonzero": ("sum([1 for v in {} if v])", "A", "N"),
    "max": ("max({})", "E", "E"), "min": ("min({})", "E", "E"),
    "mean": ("(lambda c: sum(c) / len(c))({})", "F", "Q"),
    "median":
        ("(lambda c: (c[(len(c) - 1) // 2] + c[len(c) // 2]) / 2)(sorted({}))", "F", "Q"),
    "prod": (_PRODUCT, "M", "M"), "ptp": ("(lambda c: max(c) - min(c))({})", "S", "E"),
    "sum": ("sum({})", "M", "M"),
}  # fmt: skip
"""How a function makes a line one element, and the annotations of its results."""
REDUCING = frozenset(_REDUCED)
"""The functions that make lines of arrays one element each."""
_FLAT_ALONE = {
    "max": "max([initial, *a])", "min": "min([initial, *a])", "sum": "initial + sum(a)",
}  # fmt: skip
"""The functions that take a first value."""

_ACCUMULATED = """
def {name}_accumulate(a: {sort}1) -> {of}1: [{call}(a[: i + 1]) for i in range(len(a))]
def {name}_accumulate(a: {sort}2, axis: 0 = 0) -> {of}2:
    [[{call}([row[j] for row in a[: i + 1]]) for j in range(len(a[0]))] for i in range(len(a))]
def {name}_accumulate(a: {sort}2, axis: 1) -> {of}2:
    [[{call}(row[: j + 1]) for j in range(len(row))] for row in a]
"""
_ACCUMULATE = {
    "add": ("sum", "I", "A"), "logical_and": ("all", "B", "B"), "logical_or": ("any", "B", "B"),
    "maximum": ("max", "A", "S"), "minimum": ("min", "A", "S"),
}  # fmt: skip
REDUCE = {
    "add": "sum", "logical_and": "all", "logical_or": "any", "maximum": "max", "minimum": "min",
    "multiply": "prod",
}  # fmt: skip
"""What `np.maximum.reduce`, and its like, are along an axis."""

PLACES = {
    "edge": "min(max({i}, 0), {n} - 1)", "reflect": "(lambda k: min(k, 2 * {n} - 2 - k))"
    "({i} % max(2 * {n} - 2, 1))", "symmetric": "(lambda k: min(k, 2 * {n} - 1 - k))"
    "({i} % (2 * {n}))", "wrap": "{i} % {n}",
}  # fmt: skip
"""For ways to go on beyond an axis of length n, the place that stands at place i."""
_PADDED = """
def pad(a: A2, pad_width: {width}, mode: "{mode}") -> S2:
    [
        [row[{column}] for j in range(-({left}), len(row) + {right})]
        for row in [a[{row}] for i in range(-({top}), len(a) + {bottom})]
    ]
"""
_PADDED_ROW = """
def pad(a: A1, pad_width: {width}, mode: "{mode}") -> S1:
    [a[{row}] for i in range(-({top}), len(a) + {bottom})]
"""
_FILLED_ROW = """
def pad(a: A1, pad_width: {width}, mode: "constant" = "constant", *, constant_values: N = 0) -> S1:
    [constant_values] * ({top}) + list(a) + [constant_values] * ({bottom})
"""
_FILLED = """
def pad(a: A2, pad_width: D2, mode: "constant" = "constant", *, constant_values: N = 0) -> S2:
    (lambda first, last, width: (
        [[constant_values] * width for _ in range(first)]
        + [[constant_values] * first + list(row) + [constant_values] * last for row in a]
        + [[constant_values] * width for _ in range(last)]
    ))(pad_width[0], pad_width[1], len(a[0]) + pad_width[0] + pad_width[1])
"""
_WIDTHS = {
    "D": ("pad_width",) * 4,
    "D2": ("pad_width[0]", "pad_width[1]", "pad_width[0]", "pad_width[1]"),
    "D22": ("pad_width[0][0]", "pad_width[0][1]", "pad_width[1][0]", "pad_width[1][1]"),
}
"""The widths above, below, left and right."""
_UNIQUE = {
    "return_index": "[a.index(v) for v in sorted(set(a))]",
    "return_inverse": "[sorted(set(a)).index(v) for v in a]",
    "return_counts": "[a.count(v) for v in sorted(set(a))]",
}
_UNIQUE_ROWS = {
    "return_index": "[[list(r) for r in {a}].index(row) for row in {rows}]",
    "return_counts": "[[list(r) for r in {a}].count(row) for row in {rows}]",
}


def _reduced() -> list[str]:
    """Return the forms of the functions that make lines one element each."""
    texts = []
    for name, (line, of, one) in _REDUCED.items():
        lines = {key: line.format(text) for key, text in _LINES.items()}
        words = {"name": name, "of": of, "one": one, **lines}
        texts += [form.format(**words) for form in (_OF_LINES, _OF_RANK_3)]
    ofs = {name: _REDUCED[name][2] for name in _FLAT_ALONE}
    texts += [
        f"def {name}(a: I, initial: K) -> {ofs[name]}: {text}\n"
        for name, text in _FLAT_ALONE.items()
    ]
    return texts


def _padded() -> list[str]:
    """Return the forms of np.pad."""
    texts = [_FILLED]
    for width, sides in _WIDTHS.items():
        top, bottom, left, right = sides
        words = {"width": width, "top": top, "bottom": bottom, "left": left, "right": right}
        if width != "D22":
            texts.append(_FILLED_ROW.format(**words))
        for mode, place in PLACES.items():
            words |= {"mode": mode, "row": place.format(i="i", n="len(a)")}
            words |= {"column": place.format(i="j", n="len(row)")}
            texts.append(_PADDED.format(**words))
            if width != "D22":
                texts.append(_PADDED_ROW.format(**words))
    return texts


def _transposed() -> Iterator[str]:
    """Yield the forms of functions that exchange the axes of arrays of rank 3 and 4."""
    sides = {"i": "len(a)", "j": "len(a[0])", "k": "len(a[0][0])", "l": "len(a[0][0][0])"}
    for rank in (3, 4):
        places = [*sides][:rank]
        for axes in permutations(range(rank)):
            made = "a" + "".join(f"[{place}]" for place in places)
            for place in (places[axis] for axis in reversed(axes)):
                made = f"[{made} for {place} in range({sides[place]})]"
            yield f"def transpose(a: A{rank}, axes: {axes}) -> W{rank}: {made}\n"
            if axes == (*reversed(range(rank)),):
                yield f"def transpose(a: A{rank}) -> W{rank}: {made}\n"
            for m, n in product(range(rank), repeat=2):
                left = [axis for axis in range(rank) if axis != m]
                if axes == (*left[:n], m, *left[n:]):
                    yield f"def moveaxis(a: A{rank}, m: {m}, n: {n}) -> W{rank}: {made}\n"
            moved = [axis for place, axis in enumerate(axes) if axis != place]
            for m, n in permutations(moved) if len(moved) == 2 else ():
                yield f"def swapaxes(a: A{rank}, m: {m}, n: {n}) -> W{rank}: {made}\n"


def _unique() -> list[str]:
    """Return the forms of np.unique with several results."""
    texts = []
    for asked in product([False, True], repeat=3):
        names = [name for name, is_asked in zip(_UNIQUE, asked, strict=True) if is_asked]
        keywords = ", ".join(f"{name}: True" for name in names)
        if len(names) > 1:
            sort = "A1" if "return_inverse" in names else "R"
            results = ", ".join(_UNIQUE[name] for name in names)
            of = ", ".join(["S1"] + ["A1"] * len(names))
            texts.append(
                f"def unique(a: {sort}, {keywords}) -> ({of}): (sorted(set(a)), {results})\n"
            )
        if names and "return_inverse" not in names:
            rows = "[list(row) for row in sorted({tuple(row) for row in a})]"
            results = ", ".join(_UNIQUE_ROWS[name].format(a="a", rows=rows) for name in names)
            of = ", ".join(["S2"] + ["A1"] * len(names))
            texts.append(f"def unique(a: A2, axis: 0, {keywords}) -> ({of}): ({rows}, {results})\n")
    return texts


def families() -> list[str]:
    """Return the forms of all families."""
    accumulated = [
        _ACCUMULATED.format(name=name, call=call, sort=sort, of=of)
        for name, (call, sort, of) in _ACCUMULATE.items()
    ]
    return [*_reduced(), *accumulated, *_padded(), *_transposed(), *_unique()]
