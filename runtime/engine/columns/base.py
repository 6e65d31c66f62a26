"""The base class of columns."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any, Self

from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.charges import Measure

CHECKED = bool(os.environ.get("MEGABATT_CHECK_COLUMNS"))
"""Whether constructors check their arrays, as in the tests."""


class Column:
    """One value for every lane.

    A column is immutable; `take` shares arrays where it can, such as the content of lists.
    """

    __slots__ = ()

    def check(self) -> None:
        """Raise AssertionError if the arrays do not fit the constructor's description."""

    if CHECKED:

        def __post_init__(self) -> None:
            self.check()

    # ---- lanes

    def __len__(self) -> int:
        """Return the number of lanes."""
        raise NotImplementedError

    @property
    def key(self) -> Hashable:
        """The key of the layout: columns of one key can be joined. `Uniform` has none."""
        raise NotImplementedError

    def take(self, index: Array) -> Column:
        """Return the column whose lane k is lane index[k] of this column."""
        raise NotImplementedError

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        """Join columns of this class and of one key, one after the other."""
        raise NotImplementedError

    def measured_by(self, measure: Measure, *others: Any) -> Array:
        """Measure the values; int64 (n,). others: further arguments. Raises TypeError."""
        if measure.of_columns is None:
            raise TypeError(f"{measure.of_value.__name__} is no measure of columns")
        return measure.of_columns(self, *others)

    def packed(self) -> Self:
        """Drop the elements that belong to no lane; the others lie in the order of lanes."""
        return self

    # ---- values

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        """Put values that this layout holds into a column."""
        raise NotImplementedError

    @classmethod
    def filled(cls, value: Any, lanes: int) -> Column:
        """Put one value that this layout holds into `lanes` lanes."""
        return cls.encode([value]).take(xp.zeros(lanes, dtype=xp.int64))

    def decode(self) -> list[Any]:
        """Return the plain Python value of every lane."""
        raise NotImplementedError

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        """Return the column with the default in flagged lanes (bool (n,)).

        Returns None if the layout cannot hold the default.
        """
        return None

    def weights(self) -> Array:
        """Return `values.weight` of every value; int64 (n,)."""
        raise NotImplementedError
