"""The images that a vocabulary makes of a problem's inputs, by number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.layout import WRONG
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.search.layers.expressions import (
    Expression,
    interned,
    parsed,
    put_in,
    words_of,
)
from megabatt.runtime.search.layers.plan import plan_of
from megabatt.runtime.search.layers.tables import Tables, values
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.typed import Vocabulary

LARGEST = 1600
"""The most cells that an image may have."""
_MAX_ELEMENTS, _OF_IMAGES = 20_000, 5_000
"""The elements that a call may build in a lane, for an image of the input and of an image."""
_WORDS = 1 << 16
"""The words that the heap has room for at first."""


class Gallery:
    """The images of a problem, in all its samples, and the expressions that give them.

    tables: The images by number; the first is the input, if the input is an image. parameters: The
    words that each parameter of the vocabulary stands for.
    """

    def __init__(
        self, workload: Workload[Any], images: Images, problem: Problem, vocabulary: Vocabulary
    ) -> None:
        """Begin with the inputs. vocabulary: Its primitives alone make images."""
        self._vocabulary = vocabulary
        self.images = images
        self.problem = problem
        samples = list(problem.samples)
        with workload.language.in_use():
            self._heap = Heap(workload.language, _WORDS)
            inputs = workload.words(images.image, [samples], self._heap)
        self.lanes = len(samples)
        self.tables = Tables(self._heap, self.lanes, LARGEST)
        self._language = workload.language
        self._given: dict[str, Numbers] = {images.image: inputs}
        self._meanings: dict[str, Expression] = {}
        self._batches: list[tuple[int, list[Expression]]] = []
        self._name_terms()
        self.parameters = self._parameters()
        with self._language.in_use():
            plan = plan_of(self._heap, [images.image], self._given)
            self.tables.apply(plan, None, _MAX_ELEMENTS)

    def _name_terms(self) -> None:
        """Name the terms that have a value in all samples."""
        names = list(self.images.terms)
        expressions = [parsed(self.images.terms[name]) for name in names]
        for name, expression, words in zip(
            names, expressions, self.values(expressions), strict=True
        ):
            if (words > WRONG).all():
                self.name(name, expression, words)

    def name(self, word: str, expression: Expression, words: Numbers) -> None:
        """Let a word stand for a value of the input: an expression, and the machine's words."""
        self._given[word] = words
        self._meanings[word] = expression

    def put(self, values: Sequence[Any]) -> Numbers:
        """Return the machine's words of plain values, one for each sample."""
        with self._language.in_use():
            return self._heap.put_all(values)

    def values(self, expressions: Sequence[Expression]) -> Numbers:
        """Return the machine's words of expressions of the input; int64 (expressions, lanes)."""
        with self._language.in_use():
            plan = plan_of(self._heap, expressions, self._given)
            return values(self._heap, plan, _MAX_ELEMENTS)

    def _parameters(self) -> dict[str, list[str]]:
        """Return the words that each parameter stands for, without terms that lack a value here."""
        words = self.images.words(self.problem.samples)
        unknown = self.images.terms.keys() - self._given
        return {name: [w for w in of if w not in unknown] for name, of in words.items()}

    def values_of(self, word: str) -> Numbers:
        """Return the number that a parameter's word means in each sample; int64 (lanes,)."""
        if word in self._given:
            return self._given[word]
        return np.full(self.lanes, self._language.constants[word], dtype=np.int64)

    # ---- images

    def open(self, going_on: Callable[[], bool]) -> None:
        """Make all images of the input, except those that need the output's size."""
        self._make({**self.images.functions, **self.images.once}, range(len(self.tables)), going_on)

    def name_size(
        self, expression: Expression, sizes: Numbers, going_on: Callable[[], bool]
    ) -> None:
        """Name the output's size, and make the images of the input that need it.

        sizes: Heights and widths, int64 (lanes, 2).
        """
        name = self.images.size
        self.name(name, expression, self.put(list(map(tuple, sizes.tolist()))))
        every = {**self.images.functions, **self.images.once}
        sized = {key: text for key, text in every.items() if name in _read(text)[1]}
        self._make(sized, range(min(1, len(self.tables))), going_on)

    def look(
        self, aspects: Mapping[str, str], numbers: Sequence[int], going_on: Callable[[], bool]
    ) -> None:
        """Make the images of some images that only rules use."""
        self._make(aspects, numbers, going_on)

    def deepen(self, numbers: Sequence[int], going_on: Callable[[], bool]) -> None:
        """Make all images of some images, while `going_on`."""
        self._make(self.images.functions, numbers, going_on)

    def _make(
        self, functions: Mapping[str, str], numbers: Sequence[int], going_on: Callable[[], bool]
    ) -> None:
        expressions = self._instances(functions)
        self._batches.append((len(self.tables), expressions))
        with self._language.in_use():
            plan = plan_of(self._heap, expressions, self._given)
            for number in numbers:
                if not going_on():
                    break
                self.tables.apply(plan, number, _OF_IMAGES if number else _MAX_ELEMENTS)

    def _instances(self, functions: Mapping[str, str]) -> list[Expression]:
        """Return the expressions of functions, one for each choice of words for the parameters."""
        made: list[Expression] = []
        for text in functions.values():
            _, words = _read(text)
            if not self._vocabulary.has(words):
                continue
            if self.images.size in words and self.images.size not in self._given:
                continue
            names = tuple([name for name in self.parameters if name in words])
            for chosen in product(*[self.parameters[name] for name in names]):
                made.append(_instance(text, names, chosen))
        return made

    def expression(self, number: int) -> Expression:
        """Return the expression of the input that gives an image; it may read named terms."""
        of, output = self.tables.made[number].tolist()
        if of < 0:
            return self.images.image
        batch = bisect_right([first for first, _ in self._batches], number) - 1
        function = self._batches[batch][1][output]
        return put_in(function, {self.images.image: self.expression(of)})

    def whole(self, expression: Expression) -> Expression:
        """Return an expression with its named terms replaced by their expressions."""
        return put_in(expression, self._meanings)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Expression, frozenset[str | int]]:
    expression = parsed(text)
    return expression, frozenset(words_of(expression))


@lru_cache(maxsize=1 << 14)
def _instance(text: str, names: tuple[str, ...], chosen: tuple[str, ...]) -> Expression:
    """Return an expression with the chosen words in the place of the parameters' names."""
    return interned(put_in(_read(text)[0], dict(zip(names, chosen, strict=True))))
