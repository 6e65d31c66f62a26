"""A vocabulary's expressions as the calls of one program, in which equal ones are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.machine.banks import MOST_OPERANDS
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.tables import Calls
from megabatt.runtime.search.layers.expressions import Expression


def plan_of(heap: Heap, expressions: Sequence[Expression], given: Mapping[str, Numbers]) -> Calls:
    """Return the calls that give the values of expressions.

    given: the machine's words, int64 (lanes,) each, of those words of the expressions that are none
    of the language: first the one that stands for the table. What reads none of these is computed
    here.
    """
    return _Planner(heap, given).plan(expressions)


class _Planner:
    def __init__(self, heap: Heap, given: Mapping[str, Numbers]) -> None:
        self._heap = heap
        language = heap.language
        self._named = {
            **language.constants,
            **{name: one.function for name, one in language.primitives.items()},
        }
        self._words = list(given.values())
        self._slots: dict[tuple[type, Expression], int] = {
            (str, word): slot for slot, word in enumerate(given)
        }
        self._varying = set(given)
        self._calls: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def _given(self, word: int) -> int:
        """Return the slot of a word that all lanes have."""
        self._words.append(np.full_like(self._words[0], word))
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
        key = expression.__class__, expression  # True is no 1
        if key not in self._slots:
            self._slots[key] = self._new_slot(expression)
        return self._slots[key]

    def _new_slot(self, expression: Expression) -> int:
        if not self._varies(expression):
            return self._given(self._heap.put(self._constant(expression)))
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
