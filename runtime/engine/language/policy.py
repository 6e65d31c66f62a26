"""Policies: how languages lay out, order and count values; and the policy in use."""

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from megabatt.runtime.engine.language.limits import MAX_ELEMENTS

KINDS = NONE, NUMBER, TUPLE, SET, FUNCTION, ARRAY = tuple(range(6))
"""The kinds of values: None; Booleans and numbers; tuples; sets; functions; NumPy arrays."""


@dataclass(frozen=True)
class Policy:
    """The decisions of a language; a language may derive a policy of its own.

    order          the kinds of values in order: sets iterate in this order, which also breaks ties
    integers       the least and the greatest Integer; an operation with a result outside fails
    has_complex    whether complex numbers are values, as Booleans, ints and floats are
    max_elements   the default number of elements that an operation may build
    max_depth      the greatest depth of nested containers, and of functions built from functions
    places_weigh_one
                   whether `weigh_one` holds for pairs of Integers and for Integers with a pair
                   of Integers, and for no other tuples
    """

    order: tuple[int, ...] = KINDS
    integers: tuple[int, int] = (-(2**63), 2**63 - 1)
    has_complex: bool = True
    max_elements: int = MAX_ELEMENTS
    max_depth: int = 32
    places_weigh_one: bool = False

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The place of each kind in the order, by the kind's number."""
        return tuple(self.order.index(kind) for kind in KINDS)

    @cached_property
    def fits_words(self) -> bool:
        """Whether words hold all values: Integers of 32 bits, no complex numbers, this order."""
        least, most = self.integers
        return -(2**31) <= least and most < 2**31 and not self.has_complex and self.order == KINDS

    def layout_of(self, value: tuple[Any, ...]) -> Any:
        """Return the language's class of columns for tuples like `value`; None for the engine's."""
        return None

    def weigh_one(self, tuples: Collection[tuple[Any, ...]]) -> bool:
        """Tell whether each of these tuples counts as one element of a container.

        An empty tuple counts as one element in any language.
        """
        return self.places_weigh_one and types_in_places(tuples) <= {int, bool}


def types_in_places(tuples: Collection[tuple[Any, ...]]) -> set[type]:
    """Return the types of the numbers in pairs, or in numbers with a pair; else {tuple}."""
    if set(map(len, tuples)) != {2}:
        return {tuple}
    first, second = zip(*tuples, strict=True)
    types = set(map(type, second))
    if types == {tuple} and set(map(len, second)) == {2}:
        types = set(map(type, chain.from_iterable(second)))
    return types.union(map(type, first))


class _InUse(threading.local):
    """The policy of a thread; at first, the policy of the process."""

    policy = Policy()


_in_use = _InUse()


def use(policy: Policy) -> None:
    """Make this thread use a language's policy from now on."""
    _in_use.policy = policy


@contextmanager
def using(policy: Policy) -> Iterator[None]:
    """Make this thread use a policy while entered."""
    before = _in_use.policy
    use(policy)
    try:
        yield
    finally:
        use(before)


def use_by_default(policy: Policy) -> None:
    """Make this thread and all later threads use a policy from now on."""
    _InUse.policy = policy
    use(policy)


def policy() -> Policy:
    return _in_use.policy
