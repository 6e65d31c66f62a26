"""Tables from kinds of cells to colors, and the doubts about a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.search.layers.expressions import Expression, parsed, put_in
from megabatt.runtime.search.rules.views import Views

_MOST_EXCEPTIONS = 40
_FEW = 2


class Rule(NamedTuple):
    """A table from the codes of cells to colors. A code is made of the numbers of some views.

    missed: The demonstrations that the rule misses if learnt from the others. unknown: The number
    of tests' cells of a kind that no demonstration has. views: The places of the views. base: The
    place of the view with the colors of all cells but the exceptions. exceptions: The codes and
    colors of the other cells. outputs: The colors of the tests' cells, as bytes.
    """

    missed: int
    unknown: int
    views: tuple[int, ...]
    base: int
    exceptions: tuple[tuple[int, int], ...]
    outputs: bytes

    @property
    def length(self) -> int:
        """The length of the rule: its exceptions, and two for each view."""
        return len(self.exceptions) + 2 * len(self.views)

    @property
    def order(self) -> tuple[int, int, int]:
        """The sort key: the rules that miss fewest left-out demonstrations, then the shortest."""
        return self.missed, self.length, self.unknown

    @property
    def doubt(self) -> int:
        """The doubts about the rule: one for each demonstration missed, and one for many views."""
        return self.missed + (len(self.views) > _FEW)


def factors(views: Views, chosen: Sequence[int]) -> list[int]:
    """Return the powers of ten that multiply a code before the number of each view is added."""
    most = [int(views.shown[place].max(initial=0)) for place in chosen]
    return [10 ** len(str(number)) for number in most]


def rule_of(views: Views, chosen: tuple[int, ...], demonstrations: int) -> Rule | None:
    """Return the shortest rule that some views make; None if there is none of moderate length.

    chosen: The places of views that agree with the expected colors.
    """
    codes = np.zeros(len(views.lanes), dtype=np.int64)
    for place, factor in zip(chosen, factors(views, chosen), strict=True):
        codes = codes * factor + views.shown[place]
    if codes.max(initial=0) >= 1 << 31:
        return None
    kinds, of_cells = np.unique(codes, return_inverse=True)
    shown = len(views.wanted)
    colors = np.full(len(kinds), -1, dtype=np.int64)
    colors[of_cells[:shown]] = views.wanted
    in_lanes = np.zeros((demonstrations, len(kinds)), dtype=np.int64)
    np.add.at(in_lanes, (views.lanes[:shown], of_cells[:shown]), 1)
    alone = (in_lanes > 0) & (in_lanes == in_lanes.sum(axis=0))
    best = None
    for base in chosen:
        of_base = np.zeros(len(kinds), dtype=np.int64)
        of_base[of_cells] = views.shown[base]
        differ = (colors >= 0) & (colors != of_base)
        if differ.sum() <= _MOST_EXCEPTIONS and (best is None or differ.sum() < best[0]):
            best = differ.sum(), base, of_base, differ
    if best is None:
        return None
    _, base, of_base, differ = best
    made = np.where(differ, colors, of_base)
    return Rule(
        int((alone & differ).any(axis=1).sum()),
        int((colors[of_cells[shown:]] < 0).sum()),
        chosen,
        base,
        tuple(zip(kinds[differ].tolist(), colors[differ].tolist(), strict=True)),
        made[of_cells[shown:]].astype(np.uint8).tobytes(),
    )


def expression_of(
    images: Images, views: Views, rule: Rule, of_views: Sequence[Expression]
) -> Expression:
    """Return the expression of a rule. of_views: The expressions of the rule's views."""
    code, *others = of_views
    for expression, factor in zip(others, factors(views, rule.views)[1:], strict=True):
        words = {images.image: expression, images.below: code, "k": factor}
        code = put_in(parsed(images.coded), words)
    made = of_views[rule.views.index(rule.base)]
    for number, color in rule.exceptions:
        words = {images.image: code, images.below: made, "k": number, "n": color}
        made = put_in(parsed(images.where), words)
    return made
