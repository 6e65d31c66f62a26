"""The head of a heap: the addresses of compiled forms, and properties of functions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.compiling import expecting
from megabatt.runtime.engine.language.closures import Closure
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.registry import Language, builder_of, primitive_of
from megabatt.runtime.engine.language.values import Function, arity_of, fails, name_of
from megabatt.runtime.engine.machine import closures, forms  # noqa: F401 - it says how to call them
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.functions import ADDRESSES, Routine, routines_needed
from megabatt.runtime.engine.machine.llvm import address_of, loaded
from megabatt.runtime.engine.machine.loops import Loop

_MOST_CALLS = 512


@Routine
def fail(heap):
    """Fail: the compiled form of `values.fails`."""
    return m.NO_VALUE


@Routine
def leave(heap):
    """Leave the call to the scalar form; stands in for a missing compiled form or caller."""
    return m.HOST


class Head:
    """The first words of a language's heaps, with the forms that were loaded so far.

    words: int64. functions: The callable functions by number: primitives, and `fails`. numbers: The
    functions' numbers. names: The primitives' names, by number. loads: The number of loadings.
    """

    def __init__(self, policy: Policy, functions: tuple[Callable[..., Any], ...]) -> None:
        self.functions = (*functions, fails)
        self.numbers = {function: k for k, function in enumerate(self.functions)}
        self.names = list(map(name_of, functions))
        self.words = words = np.zeros(m.BEGIN, dtype=np.int64)
        self.loads = 0
        self._loaded: set[int | type[Function]] = set()
        self._loading = threading.RLock()
        words[m.LEAST], words[m.MOST] = policy.integers
        words[m.MOST_CALLS] = _MOST_CALLS
        words[m.MAX_DEPTH] = policy.max_depth
        words[m.PLACES_WEIGH_ONE] = policy.places_weigh_one
        words[m.EMPTY_TUPLE_AT], words[m.EMPTY_SET_AT] = m.TUPLE, m.SET
        for primitive in map(primitive_of, functions):
            if primitive is not None and primitive.builds is not None:
                forms.kind_number(primitive.builds)
        names = [name_of(function) for function in self.functions]
        kinds = [kind.name for kind in forms.FUNCTION_KINDS]
        ranks = {name: rank for rank, name in enumerate(sorted({*names, *kinds}))}
        words[m.KIND_RANKS : m.KIND_RANKS + len(kinds)] = [ranks[name] for name in kinds]
        words[m.COMPARED : m.COMPARED + len(kinds)] = [k.compared for k in forms.FUNCTION_KINDS]
        words[m.RANKS : m.RANKS + len(names)] = [ranks[name] for name in names]
        words[m.ARITIES : m.ARITIES + len(names)] = list(map(arity_of, self.functions))
        words[m.ARITIES + self.numbers[fails]] = m.ANY_ARITY
        words[m.FORMS : m.FORMS + len(names)] = address_of(leave)
        words[m.FORMS + self.numbers[fails]] = address_of(fail)
        words[m.ESTIMATES : m.ESTIMATES + len(names)] = address_of(forms.unknown)
        self._loops = 0

    @classmethod
    def of(cls, language: Language, names: Iterable[str] | None = None) -> Head:
        """Return the head of a language's heaps, with the routines that loops call.

        names: Those of primitives by number, by default in the language's order, which is that of
        imports. A name that the language lacks means `fails`.
        """
        primitives = language.primitives
        found: Iterable[Any] = primitives.values() if names is None else map(primitives.get, names)
        functions = tuple([fails if one is None else one.function for one in found])
        head = _head_of(language.policy, functions)
        head.load_loops()
        return head

    def load_loops(self) -> None:
        """Load the routines for loops that were defined since the last call."""
        with self._loading:
            if self._loops < len(Loop.every):
                for loop in Loop.every[self._loops :]:
                    self._load(routines_needed(loop.function))
                self.loads += 1
                self._loops = len(Loop.every)

    def load_all(self, functions: Iterable[Callable[..., Any]]) -> None:
        """Load the compiled forms, with callees, of those primitives that the language has."""
        self.load({self.numbers[one] for one in functions if one in self.numbers})

    def load(self, wanted: set[int | type[Function]]) -> None:
        """Load the routines for some primitives, by number, and some kinds, unless loaded."""
        lacking = wanted - self._loaded
        if lacking:
            with self._loading:
                routines = dict(chain.from_iterable(map(self._routines_for, lacking)))
                self._load(dict.fromkeys(n for called in routines.values() for n in called.needed))
                for place, called in routines.items():
                    self.words[place] = address_of(called)
                self.loads += 1  # before the next line: after an interrupt, heaps still follow
                self._loaded |= lacking

    def routines(self) -> Iterator[tuple[int, Routine]]:
        """Return the routines for all functions, with the places of their addresses."""
        return chain.from_iterable(map(self._routines_for, [*range(len(self.functions)), Closure]))

    def _routines_for(self, one: int | type[Function]) -> Iterator[tuple[int, Routine]]:
        """Yield the routines for a primitive, by number, or a kind, with their places."""
        if not isinstance(one, int):
            called = forms.called_of(one)  # type: ignore[arg-type]
            yield m.CALLED + forms.kind_number(one), called or leave
            return
        primitive = primitive_of(self.functions[one])
        if primitive is not None and primitive.compiled is not None:
            yield m.FORMS + one, primitive.compiled
            yield m.ESTIMATES + one, forms.estimate_of(primitive)
        if primitive is not None and primitive.builds is not None:
            yield from self._routines_for(primitive.builds)

    def knows(self, kind: type[Function]) -> bool:
        """Tell whether the language has functions of a kind."""
        primitive = builder_of(kind)
        return kind is Closure or primitive is not None and primitive.function in self.numbers

    def _load(self, routines: Collection[Routine]) -> None:
        for k, needed in enumerate(routines, 1):
            with expecting(len(routines) - k):
                loaded(needed)
        for needed in routines:
            self.words[ADDRESSES + needed.number] = address_of(needed)


_head_of = lru_cache(maxsize=8)(Head)
"""Returns the head for a policy and functions; the results are cached."""
