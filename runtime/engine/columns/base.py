"""What every column has, and what may be asked of it."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any, ClassVar, NoReturn

import numpy as np

from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.charges import Measure

CHECKED = bool(os.environ.get("MEGABATT_CHECK_COLUMNS"))
"""Whether constructors check their arrays; the tests run with it on."""


class Column:
    """One value for every lane.

    A column is never changed once made; `take` shares what it can (columns taken from a column of
    lists share its content).

    on_host: whether its values are Python objects. exact: whether values that `equals` finds equal
    are the same, type and all.
    """

    __slots__ = ()
    on_host: ClassVar[bool] = False
    exact: ClassVar[bool] = False

    def _lacks(self, what: str) -> NoReturn:
        raise TypeError(f"{type(self).__name__} columns have no {what}")

    def check(self) -> None:
        """Raise AssertionError if the arrays are not what the constructor says."""

    # ---- lanes

    def __len__(self) -> int:
        """Return the number of lanes."""
        self._lacks("length")

    @property
    def key(self) -> Hashable:
        """What names the layout: columns of one key can be joined to one of that key."""
        self._lacks("key")

    def take(self, index: Array) -> Column:
        """Return the column whose lane k is this one's lane index[k]."""
        self._lacks("take")

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        """Join columns of this class and of one key, one after the other."""
        raise TypeError(f"{cls.__name__} columns have no concat")

    def measured_by(self, measure: Measure, *others: Any) -> Array:
        """Measure the values; int64 (n,). others: further arguments. Raises TypeError."""
        if measure.of_columns is None:
            raise TypeError(f"{measure.of_value.__name__} is no measure of columns")
        return measure.of_columns(self, *others)

    def compact(self) -> Column:
        """Drop the elements that belong to no lane."""
        return self

    # ---- values

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        """Put values that this layout holds into a column."""
        raise TypeError(f"{cls.__name__} columns encode no values")

    @classmethod
    def filled(cls, value: Any, lanes: int) -> Column:
        """Put one value that this layout holds into `lanes` lanes."""
        return cls.encode([value]).take(xp.zeros(lanes, dtype=xp.int64))

    def words(self, heap: Any) -> Any:
        """Put the values into a heap of the machine; return their words, int64 (n,) on the host.

        Raises NoWord if a value has none.
        """
        return np.array([heap.put(value) for value in self.decode()], dtype=np.int64)

    def decode(self) -> list[Any]:
        """Return the plain Python value of every lane."""
        self._lacks("values")

    def arrow(self) -> Any:
        """Return the values as a `pyarrow.Array`, for Parquet. Only for columns on the host."""
        self._lacks("Arrow array")

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        """Put the default where a flag (bool (n,)) is set.

        None if the layout does not hold that default.
        """
        return None

    def empties(self, lanes: int) -> Column | None:
        """Return `()` in `lanes` lanes in this layout; None if it does not hold that."""
        return None

    # ---- questions

    def equals(self, other: Any) -> Array:
        """Flag the lanes whose values equal those of another column of this key; bool (n,)."""
        self._lacks("equality")

    def weights(self) -> Array:
        """Return `values.weight` of every value; int64 (n,)."""
        self._lacks("weight")
