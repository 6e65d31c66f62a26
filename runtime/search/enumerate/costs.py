"""A grammar's costs as arrays, made once for all tasks."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from typing import Any

import numpy as np

from megabatt.runtime.search.enumerate.functions import FunctionSignatures
from megabatt.runtime.search.grammar import INTEGER, RARE, Grammar, Word


class Costs:
    """The cost of every head at every place of a primitive.

    heads: All heads. numbers: The place of each head in the arrays. functions: The signatures of
    built functions.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        words = grammar.vocabulary
        values = [*words.inputs, *words.constants, *words.primitives]
        self.heads: list[Word] = list(dict.fromkeys([*map(grammar.head_of, values), INTEGER]))
        self.heads += words.primitives
        self.numbers = {head: number for number, head in enumerate(self.heads)}
        self.functions = FunctionSignatures(words)
        self._edges: dict[tuple[str, int], np.ndarray[Any, Any]] = {}
        self._more = np.zeros(len(self.heads))

    def with_rare(self, rare: Collection[Word]) -> Costs:
        """Return these costs with some constants made `Grammar.rare`."""
        made = copy(self)
        made._more = np.array([RARE if head in rare else 0.0 for head in self.heads])
        return made

    def edges(self, name: str, place: int) -> np.ndarray[Any, Any]:
        """Return the bits of each head at a place of a primitive; float64 (heads,)."""
        known = self._edges.get((name, place))
        if known is None:
            edges = [self.grammar.edge((name, place), head) for head in self.heads]
            known = self._edges[name, place] = np.array(edges)
        return known + self._more
