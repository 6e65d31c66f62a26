"""Makes one program of a vocabulary's expressions, with each distinct call once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.search.calls import MOST_OPERANDS
from megabatt.runtime.search.layers.expressions import Expression
from megabatt.runtime.search.layers.tables import TableProgram


def plan_of(
    heap: Heap, expressions: Sequence[Expression], given: Mapping[str, Numbers]
) -> TableProgram:
    """Return the program that gives the values of expressions.

    given: The machine's words, int64 (lanes,) each, of the words in expressions that are no words
    of the language; the first stands for the table. Parts that read no such word are computed here.
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
        self._varying: dict[Expression, int] = {word: slot for slot, word in enumerate(given)}
        self._constants: dict[tuple[type, Expression], int] = {}
        self._calls: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._known: dict[int, int | None] = {}

    def plan(self, expressions: Sequence[Expression]) -> TableProgram:
        outputs = list(map(self._slot, expressions))
        width = 1 + MOST_OPERANDS
        padded = [call + (0,) * (width - len(call)) for call in self._calls]
        calls = self._numbered(padded).reshape(-1, width)
        return TableProgram(
            np.ascontiguousarray(calls[:, 0]),
            np.array([len(call) - 1 for call in self._calls], dtype=np.int64),
            np.ascontiguousarray(calls[:, 1:]),
            np.array(self._words),
            self._numbered(outputs),
        )

    def _numbered(self, slots: Sequence[Any]) -> Numbers:
        """Return final slots: the slots of calls come after the slots of words."""
        numbers = np.array(slots, dtype=np.int64)
        return np.where(numbers < 0, len(self._words) - 1 - numbers, numbers)

    def _slot(self, expression: Expression) -> int:
        """Return the slot of an expression's value: `-1 - k` for the value of the k-th call."""
        slot = self._slot_if_varying(expression)
        return self._slot_of_constant(expression) if slot is None else slot

    def _slot_if_varying(self, expression: Expression) -> int | None:
        """Return the slot of an expression's value; None if the value is the same in all lanes."""
        varying, known = self._varying, self._known
        if not isinstance(expression, tuple):
            return varying.get(expression)
        key = id(expression)  # the caller keeps the expressions; hashing them takes longer
        if key not in known:
            slots = [
                varying.get(part) if part.__class__ is not tuple else self._slot_if_varying(part)
                for part in expression
            ]
            fixed = slots.count(None)
            known[key] = None if fixed == len(slots) else self._slot_of_call(expression, slots)
        return known[key]

    def _slot_of_call(self, parts: Sequence[Expression], slots: Sequence[int | None]) -> int:
        call = tuple([
            self._slot_of_constant(part) if slot is None else slot
            for part, slot in zip(parts, slots, strict=True)
        ])  # fmt: skip
        if call not in self._numbers:
            self._calls.append(call)
            self._numbers[call] = -len(self._calls)
        return self._numbers[call]

    def _slot_of_constant(self, expression: Expression) -> int:
        key = expression.__class__, expression  # True equals 1, but is another constant
        if key not in self._constants:
            word = self._heap.put(self._constant(expression))
            self._constants[key] = len(self._words)
            self._words.append(np.full_like(self._words[0], word))
        return self._constants[key]

    def _constant(self, expression: Expression) -> object:
        """Return the value of an expression that has words of the language only."""
        if not isinstance(expression, tuple):
            return self._named[expression] if isinstance(expression, str) else expression
        function, *args = map(self._constant, expression)
        return function(*args)  # type: ignore[operator]
