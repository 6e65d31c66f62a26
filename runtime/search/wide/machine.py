"""Programs on samples, by the machine: all operations on one sample after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine.running import MOST_OPERANDS, Calls, run
from megabatt.runtime.engine.machine.values import Heap
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.search.wide.loaded import Loaded

Bits = np.ndarray[Any, Any]

_WORDS = 1 << 20
"""How many words the heap has room for at first."""

Rate = Callable[[Heap, Numbers, int], Bits]
"""Measures how close outputs, words of a heap, come to a sample's, by its place; float32 (n,)."""


class OnMachine:
    """The operations of loaded programs. The place of a value's word is its number."""

    def __init__(self, loaded: Loaded) -> None:
        """Put the constants into a heap. Raises NoWord where one has no word."""
        graph = loaded.graph
        self.heap = Heap(graph.language, _WORDS)
        self._max_elements = graph.max_elements
        self._loaded = loaded
        self._outputs = loaded.outputs
        self._words = np.zeros(len(graph), dtype=np.int64)
        for number, value in graph.values.items():
            self._words[number] = self.heap.put(value)
        self._calls = self._calls_of(loaded)

    def _calls_of(self, loaded: Loaded) -> Calls:
        graph, numbers = loaded.graph, loaded.operations
        counts = graph.table.counts(numbers)
        places = graph.table.table(numbers, counts, MOST_OPERANDS)
        functions, which = np.unique(places[:, 0], return_inverse=True)
        defaults = [self.heap.put(graph.default_of(number)) for number in functions.tolist()]
        return Calls(
            operands=places,
            steps=np.zeros_like(places),
            counts=counts - 1,
            lanes=np.ones(len(numbers), dtype=np.int64),
            targets=numbers,
            defaults=np.array(defaults, dtype=np.int64)[which],
        )

    def reads(self, number: int) -> bool:
        """Tell whether a program reads an input."""
        return number in self._outputs or number in self._calls.operands

    def closeness(self, inputs: Mapping[int, Numbers], samples: int, rate: Rate) -> Bits:
        """Measure how close outputs come to those of samples; float32 (programs, samples).

        inputs: by number, a word for each sample. An operation that fails in every sample ends the
        programs that need it: their closeness is 0.
        """
        close = np.zeros((len(self._outputs), samples), dtype=np.float32)
        right = np.flatnonzero(self._outputs >= 0)
        outputs = self._outputs[right]
        ended = np.ones(len(self._words), dtype=np.bool_)
        top = self.heap.top
        for sample in range(samples):
            for number, words in inputs.items():
                self._words[number] = words[sample]
            failed = np.zeros(len(self._words), dtype=np.bool_)
            run(self.heap, self._calls, self._words, failed, self._max_elements, lost={})
            ended &= failed
            close[right, sample] = rate(self.heap, self._words[outputs], sample)
            self.heap.forget_from(top)
        close[right[self._loaded.with_users(ended)[outputs]]] = 0
        return close
