"""A vocabulary's expressions as the calls of one program, in which equal ones are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.machine.banks import MOST_OPERANDS
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.tables import Calls
from megabatt.runtime.program import Word
from megabatt.runtime.search.layers.expressions import Expression


def plan_of(
    heap: Heap,
    expressions: Sequence[Expression],
    image: Word,
    given: Mapping[Word, Numbers],
    lanes: int,
) -> Calls:
    """Return the calls that give the values of expressions.

    image: the word that stands for the table. given: the words of others that are no words of the
    language, int64 (lanes,) each. What reads none of these is computed here.
    """
    return _Planner(heap, image, given, lanes).plan(expressions)


class _Planner:
    def __init__(self, heap: Heap, image: Word, given: Mapping[Word, Numbers], lanes: int) -> None:
        self._heap = heap
        self._lanes = lanes
        language = heap.language
        self._named = {
            **language.constants,
            **{name: one.function for name, one in language.primitives.items()},
        }
        self._words: list[Numbers] = [np.zeros(lanes, dtype=np.int64)]
        self._slots: dict[object, int] = {image: 0}
        for word, words in given.items():
            self._slots[word] = self._given(words)
        self._varying = set(self._slots)
        self._calls: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def _given(self, words: Numbers) -> int:
        self._words.append(words)
        return len(self._words) - 1

    def plan(self, expressions: Sequence[Expression]) -> Calls:
        outputs = [self._slot(expression) for expression in expressions]
        first = len(self._words)
        calls = np.zeros((len(self._calls), 1 + MOST_OPERANDS), dtype=np.int64)
        for row, call in zip(calls, self._calls, strict=True):
            row[: len(call)] = [first - 1 - slot if slot < 0 else slot for slot in call]
        counts = np.array([len(call) - 1 for call in self._calls], dtype=np.int64)
        return Calls(
            np.ascontiguousarray(calls[:, 0]),
            counts,
            np.ascontiguousarray(calls[:, 1:]),
            np.array(self._words),
            np.array([first - 1 - slot if slot < 0 else slot for slot in outputs]),
        )

    def _slot(self, expression: Expression) -> int:
        """Return the slot of an expression's value: `-1 - k` for what the k-th call gives."""
        key: object = (expression.__class__, expression)
        if expression in self._slots:
            return self._slots[expression]
        if key not in self._slots:
            self._slots[key] = self._new_slot(expression)
        return self._slots[key]

    def _new_slot(self, expression: Expression) -> int:
        if not self._varies(expression):
            return self._given(np.full(self._lanes, self._heap.put(self._constant(expression))))
        assert isinstance(expression, tuple)
        call = tuple([self._slot(part) for part in expression])
        if call not in self._numbers:
            self._calls.append(call)
            self._numbers[call] = -len(self._calls)
        return self._numbers[call]

    def _varies(self, expression: Expression) -> bool:
        if isinstance(expression, tuple):
            return any(map(self._varies, expression))
        return expression in self._varying

    def _constant(self, expression: Expression) -> object:
        """Return the value of an expression of words of the language alone."""
        if not isinstance(expression, tuple):
            return self._named[expression] if isinstance(expression, str) else expression
        function, *args = map(self._constant, expression)
        return function(*args)  # type: ignore[operator]
