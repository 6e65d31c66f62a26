"""What every column has, and what may be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from typing import Any, NoReturn, Protocol

import numpy as np

from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.sets.ordering import dense_ranks
from megabatt.runtime.engine.sets.runs import ranks_of_runs
from megabatt.runtime.engine.values import show

Part = tuple[Array, "Column"]
"""Lanes, ascending, and the column with a value for each of them."""

Encoder = Callable[[list[Any]], "Column"]
"""Puts plain values into a column."""

CHECKED = bool(os.environ.get("MEGABATT_CHECK_COLUMNS"))
"""Whether constructors check their arrays; the tests run with it on."""


RANK_BITS = 40
"""What `Column.ranks` fit in."""


class Unsupported(TypeError):
    """A layout was asked for what it lacks."""


class Pool(Protocol):
    """Values of one layout, one after the other. Columns are added to it and taken from it."""

    def add(self, column: Any) -> int:
        """Add the values of a column. Returns the position of the first."""

    def take(self, index: Array) -> Column:
        """Return the column whose lane k has the value at position index[k]."""

    @property
    def nbytes(self) -> int:
        """About how much memory is kept for the values."""


class Column:
    """One value for every lane.

    A column is never changed once made; `take` shares what it can (columns taken from a column of
    sets share its content). A layout has the methods for what it can do; the others raise
    Unsupported.

    key: names the layout; columns of one key can be concatenated into one of that key.
    kind: the kind of its values, by the numbers of `engine.policy`; None where lanes may differ.
    mixed: whether there is a union in it, at any depth. constant: whether it is a `Uniform`.
    on_host: whether its values are Python objects, of any kind.
    weighs_one: whether the layout alone says that every value weighs 1.
    integral: whether all numbers in it are Integers; equal values are then the same.
    coded: whether it is one int64 array, `data`, that compares as the values do.
    nodes: how many columns it is made of, itself among them.
    spells: whether `texts` makes some characters for each unit of the values' weight, and no more.
    """

    __slots__ = ()
    kind: Any = None
    mixed = False
    constant = False
    on_host = False
    weighs_one = False
    integral = False
    coded = False
    nodes = 1
    spells = False

    def _lacks(self, what: str) -> NoReturn:
        raise Unsupported(f"{type(self).__name__} columns have no {what}")

    def check(self) -> None:
        """Raise AssertionError where the arrays are not what the constructor says."""

    # ---- lanes

    def __len__(self) -> int:
        """Return the number of lanes."""
        self._lacks("length")

    @property
    def key(self) -> Hashable:
        self._lacks("key")

    def take(self, index: Array) -> Column:
        """Return the column whose lane k is this one's lane index[k]."""
        self._lacks("take")

    def selected(self, index: Array) -> Column:
        """Take lanes as `take` does, with no union if those lanes have one layout.

        Containers select their elements with it.
        """
        return self.take(index)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        """Join columns of this class and of one key, one after the other."""
        raise Unsupported(f"{cls.__name__} columns have no concat")

    def parts_in(self, lanes: Array) -> list[Part]:
        """Split a column that is to lie in these lanes into parts of one layout each."""
        return [(lanes, self)]

    def split(self) -> list[Part]:
        """Split the column by layout: the lanes of each, and its values for them."""
        return self.parts_in(xp.arange(len(self), dtype=xp.int64))

    # ---- layouts

    def gathered(self) -> Column:
        """Return the same values in a layout that rules know: no index is left to follow."""
        return self

    def materialized(self) -> Column:
        """Lay out the same values in arrays. A uniform function stays as it is."""
        return self

    def canonical(self) -> Column:
        """Return the same values in the one layout that belongs to them.

        Operations may leave a tuple in a `Lists`, a `Records` or a union of its elements. Here it
        gets the layout that encoding would choose. Lanes of unlike elements become parts of a
        union, Booleans become Integers. So the layout tells what the values are.
        """
        return self

    def compact(self) -> Column:
        """Drop the elements that belong to no lane, at any depth."""
        return self

    # ---- values

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        """Encode values that this layout holds; `encoder` encodes what is within them."""
        raise Unsupported(f"{cls.__name__} columns encode no values")

    def pool(self) -> Pool | None:
        """Make an empty pool for columns of this layout; None where arrays do not make it up."""
        return None

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        """Encode one value in `lanes` lanes."""
        return cls.encode([value], encoder).take(xp.zeros(lanes, dtype=xp.int64))

    def words(self, heap: Any) -> Any:
        """Put the values into a heap of the machine; return their words, int64 (n,) on the host.

        Raises NoWord where a value has none.
        """
        return np.array([heap.put(value) for value in self.decode()], dtype=np.int64)

    def decode(self) -> list[Any]:
        """Return the plain Python value of every lane."""
        self._lacks("decode")

    def texts(self) -> list[str]:
        """Return `values.show` of every value."""
        return list(map(show, self.decode()))

    def arrow(self) -> Any:
        """Return the values as a `pyarrow.Array`, for Parquet. Only for columns on the host."""
        self._lacks("Arrow array")

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        """Put the default where a flag (bool (n,)) is set, without a union.

        None where the layout does not hold that default.
        """
        return None

    # ---- questions

    def equals(self, other: Column) -> Array:
        """Flag the lanes whose values equal those of another column of the same kind; bool (n,).

        Ask `equality.equal`, which takes any two columns.
        """
        self._lacks("equality")

    def truth(self) -> Array:
        """Flag the values that are true as Python has it; bool (n,). False for the `truthless`."""
        self._lacks("truth")

    def truthless(self) -> Array | None:
        """Flag values neither true nor false, such as arrays; bool (n,), or None for no lane."""
        return None

    def ordinals(self, offsets: Array) -> Array:
        """Return an int64 for every element. Within a run they compare as the values do.

        offsets: shape (runs + 1,), where the runs of elements begin. Equal values of a run have
        equal ordinals; across runs ordinals mean nothing.
        """
        self._lacks("order")

    def ranks(self, offsets: Array) -> Array:
        """Return `ordinals` from 0 to less than 2**RANK_BITS: ranks of kinds fit above the bits."""
        return dense_ranks(self.ordinals(offsets), offsets)

    def kind_ranks(self) -> Array:
        """Return where each value's kind stands in the order; int64 (n,).

        It is twice the place of the kind, plus one except for empty containers.
        """
        self._lacks("order")

    def united(self, column: Column) -> Column:
        """Bring a union to one layout. This column is its first part; all parts are of one kind."""
        self._lacks("layout in common with others of their kind")

    def weights(self, levels: int | None = None) -> Array:
        """Return `values.weight` of every value; int64 (n,).

        levels: how deep containers may be nested; what is deeper weighs `TOO_DEEP`.
        """
        if not self.weighs_one:
            self._lacks("weight")
        return xp.ones(len(self), dtype=xp.int64)

    def beyond(self, least: int, most: int) -> Array:
        """Flag the lanes that hold, or may hold, an Integer outside least..most; bool (n,).

        "May": values on the host.
        """
        self._lacks("Integers to look for")

    # ---- containers

    def as_sequences(self) -> Any:
        """Return containers as `Lists` or `Sets`; None where the values are no containers."""
        return None

    def lengths(self) -> Array:
        """Count the elements of each lane's container; -1 for no container; int64 (n,)."""
        return xp.full(len(self), -1, dtype=xp.int64)

    def shortened(self, counts: Array) -> Column:
        """Keep the first counts[k] elements of lane k's container, which has at least as many."""
        sequences = self.as_sequences()
        if sequences is None:
            self._lacks("elements")
        return sequences.shortened(counts)  # type: ignore[no-any-return]

    def end_element(self, last: int) -> tuple[Column, Array | None]:
        """Return the first element of each lane's container, or the last if `last` is 1.

        Also returns flags of the empty lanes (bool (n,), None for no lane). Those lanes get some
        element, so there must be at least one.
        """
        sequences = self.as_sequences()
        if sequences is None:
            self._lacks("elements")
        return sequences.end_element(last)  # type: ignore[no-any-return]

    def are_empty(self) -> bool:
        """Tell whether no lane has an element."""
        return False

    def empties(self, kind: int | None, lanes: int) -> Column | None:
        """Make `lanes` empty containers of a kind in this layout; None if it cannot hold them."""
        return None

    def element_weights(self, levels: int | None = None) -> Array:
        """Sum the weights of the elements of each lane's container; int64 (n,)."""
        sequences = self.as_sequences()
        if sequences is None:
            self._lacks("elements")
        return sequences.element_weights(levels)  # type: ignore[no-any-return]

    # ---- functions

    @property
    def sizes(self) -> Array | int:
        """`values.size_of` every lane's function, 0 for other values; int64 (n,), or an int where
        all lanes have the same."""
        return 0

    def depths(self) -> Array:
        """Return `values.depth_of` every lane's value; int64 (n,)."""
        return xp.zeros(len(self), dtype=xp.int64)

    def deepest(self) -> int:
        """Return a depth that no lane's function exceeds."""
        return 0


class Compound(Column):
    """A layout whose values have parts, and are ordered by these."""

    __slots__ = ()

    def as_runs(self, offsets: Array) -> tuple[Array, Array]:
        """Return the values as runs of codes (see `sets.runs`), which compare as the values do.

        offsets: as of `ordinals`. Returns where each value's run begins, and the codes.
        """
        self._lacks("order")

    def ordinals(self, offsets: Array) -> Array:
        return ranks_of_runs(*self.as_runs(offsets), offsets)

    def ranks(self, offsets: Array) -> Array:
        return self.ordinals(offsets)


def as_array(measure: Array | int, lanes: int) -> Array:
    """Return a measure of every lane as an array, given as an array or as one number."""
    return xp.full(lanes, measure, dtype=xp.int64) if isinstance(measure, int) else measure


def flags_of(flags: Array | None, lanes: int) -> Array:
    """Return the flags of every lane as an array, given as an array or as None for no lane."""
    return xp.zeros(lanes, dtype=xp.bool_) if flags is None else flags


class EmptyPool:
    """A pool for columns without values."""

    nbytes = 0

    def add(self, column: Column) -> int:
        return 0

    def take(self, index: Array) -> Column:
        return Empty()


class Empty(Column):
    """No lanes, and so no kind: the content of a column of containers that are all empty."""

    __slots__ = ()
    key = "empty"
    integral = True
    weighs_one = True
    spells = True

    def __len__(self) -> int:
        return 0

    def pool(self) -> Pool | None:
        return EmptyPool()

    def take(self, index: Array) -> Column:
        return self

    def decode(self) -> list[Any]:
        return []

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return columns[0]  # type: ignore[no-any-return]

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.nulls(0)

    def equals(self, other: Column) -> Array:
        return self.truth()

    def truth(self) -> Array:
        return xp.zeros(0, dtype=xp.bool_)

    def ordinals(self, offsets: Array) -> Array:
        return xp.zeros(0, dtype=xp.int64)

    def kind_ranks(self) -> Array:
        return xp.zeros(0, dtype=xp.int64)

    def beyond(self, least: int, most: int) -> Array:
        return self.truth()
