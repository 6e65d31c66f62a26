"""The size of a problem's outputs: the simplest expression of the input that is always right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from math import log2
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.search.layers.expressions import Expression, parsed, put_in
from megabatt.runtime.search.layers.gallery import LARGEST, Gallery

_FACTORS = [(1, 1), *((k, 1) for k in range(2, 7)), *((1, k) for k in range(2, 7))]
_MOST_ADDED = 2
_KEPT = 40
"""The most rules for heights that are combined with as many rules for widths."""
_MOST_IMAGES = 400
_NOTHING = 1 << 30
"""The source of a rule for a constant."""
_SAME_SOURCE = 3.0
"""The bits that a height and a width save if both follow the same rule."""
_COUNT, _IMAGE = 2.0, 3.0
"""The bits of a rule that follows a count, or an image that is not the input."""


class Size(NamedTuple):
    """A size. expression: Of the input. sizes: Heights and widths, int64 (lanes, 2)."""

    expression: Expression
    sizes: Numbers


class _Rule(NamedTuple):
    """A rule for a number: the source's number times `times`, divided by `part`, plus `plus`.

    cost: In bits. source: The number of an image; -1 - k for the k-th count; `_NOTHING` if all
    demonstrations have the number `plus`.
    """

    cost: float
    source: int
    times: int
    part: int
    plus: int


def size_of(gallery: Gallery, outputs: Sequence[Any]) -> Size | None:
    """Return the simplest size that all demonstrations' outputs have; None if none is found.

    outputs: The demonstrations' outputs, tuples of rows.
    """
    wanted = np.array([[len(rows), len(rows[0]) if rows else 0] for rows in outputs])
    return _Sizes(gallery, wanted).best()


class _Sizes:
    def __init__(self, gallery: Gallery, wanted: Numbers) -> None:
        self._gallery = gallery
        self._wanted = wanted
        self._counts = [parsed(text) for text in gallery.images.counts]
        self._shapes = gallery.tables.shapes[:_MOST_IMAGES]
        words = gallery.values(self._counts)
        counted = np.all(np.abs(words) < LARGEST, axis=1)
        self._of_counts = np.where(counted[:, None], words, LARGEST)

    def best(self) -> Size | None:
        heights, widths = (nsmallest(_KEPT, self._rules(side)) for side in (0, 1))
        pairs = sorted(
            (h.cost + w.cost - (_SAME_SOURCE if h[1:] == w[1:] else 0.0), h, w)
            for h in heights
            for w in widths
        )
        for _, height, width in pairs:
            sizes = np.stack([self._numbers(height, 0), self._numbers(width, 1)], axis=1)
            if (sizes > 0).all() and (sizes.prod(axis=1) <= LARGEST).all():
                return Size(self._expression(height, width), sizes)
        return None

    def _rules(self, side: int) -> Iterator[_Rule]:
        wanted = self._wanted[:, side]
        if (wanted == wanted[0]).all():
            yield _Rule(0.0, _NOTHING, 1, 1, int(wanted[0]))
        values = np.concatenate([self._shapes[:, :, side], self._of_counts])
        shown = values[:, : len(wanted)]
        for times, part in _FACTORS:
            beyond = wanted - shown * times // part
            holds = (shown % part == 0) & (beyond == beyond[:, :1]) & (abs(beyond) <= _MOST_ADDED)
            for k in np.flatnonzero(holds.all(axis=1)).tolist():
                plus = int(beyond[k, 0])
                bits = log2(times * part) + 1.5 * abs(plus)
                yield _Rule(bits + self._bits(k), self._source(k), times, part, plus)

    def _bits(self, k: int) -> float:
        if k >= len(self._shapes):
            return _COUNT
        return _IMAGE + log2(k) / 2 if k else 0.0

    def _source(self, k: int) -> int:
        return k if k < len(self._shapes) else len(self._shapes) - 1 - k

    def _numbers(self, rule: _Rule, side: int) -> Numbers:
        """Return the numbers that a rule gives in all lanes; int64 (lanes,)."""
        if rule.source == _NOTHING:
            return np.full(self._gallery.lanes, rule.plus)
        if rule.source < 0:
            source = self._of_counts[-1 - rule.source]
        else:
            source = self._shapes[rule.source, :, side]
        return source * rule.times // rule.part + rule.plus

    def _expression(self, height: _Rule, width: _Rule) -> Expression:
        images = self._gallery.images
        if height[1:] == width[1:] and height[2:] == (1, 1, 0) and 0 <= height.source < _NOTHING:
            return self._of_image(images.size_of, height.source)
        sides: dict[str, Expression] = {
            "h": self._side(height, images.height),
            "w": self._side(width, images.width),
        }
        return put_in(parsed(images.pair), sides)

    def _side(self, rule: _Rule, text: str) -> Expression:
        images = self._gallery.images
        if rule.source == _NOTHING:
            return rule.plus
        if rule.source < 0:
            number = self._counts[-1 - rule.source]
        else:
            number = self._of_image(text, rule.source)
        for text, operand, idle in (
            (images.times, rule.times, 1), (images.part, rule.part, 1), (images.plus, rule.plus, 0),
        ):  # fmt: skip
            if operand != idle:
                number = put_in(parsed(text), {"n": number, "k": operand})
        return number

    def _of_image(self, text: str, number: int) -> Expression:
        images = self._gallery.images
        return put_in(parsed(text), {images.image: self._gallery.expression(number)})
