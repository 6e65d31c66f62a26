"""Columns of tuples and sets of other columns' values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, chain
from typing import Any, ClassVar, Self

import numpy as np
from numpy import int64

from megabatt.runtime.engine.columns.base import (
    CHECKED,
    Column,
    Compound,
    Empty,
    Encoder,
    Pool,
)
from megabatt.runtime.engine.columns.equality import equal
from megabatt.runtime.engine.columns.hosts import host_column
from megabatt.runtime.engine.columns.indexed import Indexed, repeated
from megabatt.runtime.engine.columns.union import Part, Union, concat, scatter
from megabatt.runtime.engine.device.arrays import (
    Array,
    Growing,
    all_set,
    any_set,
    lane_any,
    lanes_at,
    offsets_of,
    ranges,
    ranges_at,
    segment_sum,
    taken,
    total_of,
    where_set,
    xp,
)
from megabatt.runtime.engine.device.device import SUM, to_host
from megabatt.runtime.engine.device.kernels import lane_kernel
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.limits import TOO_DEEP
from megabatt.runtime.engine.policy import SET, TUPLE, levels_left, policy, ranks
from megabatt.runtime.engine.sets.distinct import distinct_codes
from megabatt.runtime.engine.sets.ordering import distinct, is_ascending, kept, sort_order
from megabatt.runtime.engine.sets.runs import distinct_runs
from megabatt.runtime.engine.values import ascending, show

_NOTHING = Empty()
_MOST_NODES = 256
"""The most columns that tuples are made of. A tuple that holds a tuple twice has twice its columns.
Python holds that tuple once, so towers of them are left to Python."""


class Containers(Column):
    """What sets, and tuples of every layout, can do by means of their elements."""

    __slots__ = ()

    def canonical(self) -> Column:
        return self.as_sequences().canonical()  # type: ignore[no-any-return]

    def equals(self, other: Column) -> Array:
        return equal_elements(self.as_sequences(), other.as_sequences())

    def united(self, column: Column) -> Column:
        counts, content, _ = flatten(column)
        return Lists.of_counts(counts, content)

    def lengths(self) -> Array:
        return self.as_sequences().counts

    def truth(self) -> Array:
        return self.lengths() > 0

    def kind_ranks(self) -> Array:
        return 2 * ranks()[self.kind] + self.truth()


class Sequences(Containers, Compound):
    """Runs of a content column: lane k's elements are content[starts[k] : starts[k] + counts[k]].

    starts, counts: int64, shape (n,). Lanes may share elements, and content may hold elements of
    no lane, so `take` copies no content; `packed` gives offsets + content. A content of several
    layouts is the exception: when `take` needs less of it, it copies that part. Lanes of ever
    deeper values would otherwise each keep the layouts of all the others.
    """

    __slots__ = (
        "starts", "counts", "content", "is_packed", "_offsets", "_lanes", "_opened", "_of_packed",
    )  # fmt: skip
    word: ClassVar[str]
    empty: ClassVar[Any]
    brackets: ClassVar[tuple[str, str, str]]
    """What begins a value's text, ends it after a single element, and ends it otherwise."""

    def __init__(
        self, starts: Array, counts: Array, content: Column, is_packed: bool = False
    ) -> None:
        """Make the column.

        is_packed: `content` is known to have the lanes' elements in order, and no others.
        """
        self.starts = starts
        self.counts = counts
        # an empty content keeps no layout: keys would grow with every empty product
        self.content = content if len(content) else _NOTHING
        self.is_packed = is_packed
        self._offsets: Array | None = None
        self._lanes: Array | None = None
        self._opened: Self | None = None
        self._of_packed = False
        if CHECKED:
            self.check()

    @property
    def nodes(self) -> int:  # type: ignore[override]
        return 1 + self.content.nodes

    def check(self) -> None:
        assert self.starts.dtype == "int64" and self.counts.dtype == "int64"
        assert self.starts.shape == self.counts.shape and self.counts.ndim == 1
        if len(self) and isinstance(self.counts, np.ndarray):
            ends = (self.starts + self.counts)[self.counts > 0]
            assert self.counts.min() >= 0 and not (ends > len(self.content)).any()

    @classmethod
    def of_counts(cls, counts: Array, content: Column, offsets: Array | None = None) -> Self:
        """Make lanes whose elements lie in `content` one after the other, counts[k] in lane k.

        offsets: those of the counts, if they are known.
        """
        offsets = offsets_of(counts) if offsets is None else offsets
        column = cls(offsets[:-1], counts, content, True)
        column._offsets = offsets
        return column

    @classmethod
    def all_empty(cls, lanes: int) -> Self:
        """Make `lanes` empty containers."""
        zeros = xp.zeros(lanes, dtype=xp.int64)
        return cls(zeros, zeros, Empty(), True)

    # ---- lanes

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def key(self) -> Any:
        return (self.word, self.content.key)

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        return self.content.mixed

    @property
    def integral(self) -> bool:  # type: ignore[override]
        return self.content.integral

    def take(self, index: Array) -> Column:
        starts, counts = taken(index, self.starts, self.counts)
        column = type(self)(starts, counts, self.content)
        if self.content.mixed and ask(counts, SUM) < len(self.content):
            return column.packed()
        return column

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [_slim(column) for column in columns]
        bases = [0, *accumulate(len(column.content) for column in columns)]
        return cls(
            xp.concatenate([c.starts + base for c, base in zip(columns, bases, strict=False)]),
            xp.concatenate([column.counts for column in columns]),
            concat([column.content for column in columns]),
            all(column.is_packed for column in columns),
        )

    def packed(self) -> Self:
        """Pack the content: it is the lanes' elements in order, and no others."""
        opened = self.opened()
        content = opened.content.gathered()
        if content is opened.content:
            return opened
        return type(self).of_counts(opened.counts, content, opened.offsets)

    def opened(self) -> Self:
        """Pack as `packed` does, but leave a content that was not packed indexed."""
        if self.is_packed:
            return self
        if self._opened is None:
            offsets = offsets_of(self.counts)
            total = total_of(offsets)
            # lanes of a packed column whose total is unchanged have lost no element
            if total == len(self.content) and (
                self._of_packed or all_set(self.starts == offsets[:-1])
            ):
                self.is_packed, self._offsets = True, offsets
                return self
            index = ranges_at(self.starts, offsets, total)
            content = repeated(self.content, index) if total else Empty()
            self._opened = type(self).of_counts(self.counts, content, offsets)
        return self._opened

    @property
    def offsets(self) -> Array:
        """Where each lane's elements begin, int64 (n + 1,). Only for packed columns."""
        if self._offsets is None:
            self._offsets = xp.append(self.starts, len(self.content))
        return self._offsets

    @property
    def lanes(self) -> Array:
        """The lane of each element, int64. Only for packed columns."""
        if self._lanes is None:
            self._lanes = lanes_at(self.offsets, len(self.content))
        return self._lanes

    def compact(self) -> Column:
        outer = self.packed()
        return type(self)(outer.starts, outer.counts, outer.content.compact(), True)

    def pool(self) -> Pool | None:
        of_content = self.content.pool()
        return None if of_content is None else SequencePool(type(self), of_content)

    # ---- values

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        offsets = xp.asarray(np.fromiter(accumulate(map(len, values), initial=0), np.int64))
        content = encoder(list(cls._elements(values)))
        return cls.of_counts(offsets[1:] - offsets[:-1], content, offsets)

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        return super().filled(value, lanes, encoder) if value else cls.all_empty(lanes)

    @classmethod
    def _elements(cls, values: list[Any]) -> Iterable[Any]:
        raise NotImplementedError

    def _decoded_elements(self) -> Iterator[list[Any]]:
        """Yield each lane's elements. Shared ones are decoded once, those of no lane not at all."""
        fewer = int(self.counts.sum()) < len(self.content)
        column = self.packed() if fewer else self
        content = column.content.decode()
        for start, count in zip(column.starts.tolist(), column.counts.tolist(), strict=True):
            yield content[start : start + count]

    @property
    def spells(self) -> bool:  # type: ignore[override]
        return self.content.spells

    def texts(self) -> list[str]:
        packed = self.packed()
        elements, begin, of_one, end = packed.content.texts(), *self.brackets
        none = show(self.empty)
        return [
            begin + ", ".join(elements[first : first + count]) + (of_one if count == 1 else end)
            if count
            else none
            for first, count in zip(packed.starts.tolist(), packed.counts.tolist(), strict=True)
        ]

    def arrow(self) -> Any:
        import pyarrow

        packed = self.packed()
        offsets = pyarrow.array(to_host(packed.offsets), pyarrow.int32())
        return pyarrow.ListArray.from_arrays(offsets, packed.content.materialized().arrow())

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return self.shortened(xp.where(failed, 0, self.counts)) if default == self.empty else None

    # ---- questions

    def equals(self, other: Column) -> Array:
        return equal_elements(self, other.as_sequences())

    def as_runs(self, offsets: Array) -> tuple[Array, Array]:
        packed = self.packed()
        runs = packed.offsets
        return runs, packed.content.ordinals(runs[offsets])

    def weights(self, levels: int | None = None) -> Array:
        return xp.maximum(self.element_weights(levels_left(levels) - 1), 1)

    def beyond(self, least: int, most: int) -> Array:
        packed = self.packed()
        return lane_any(packed.content.beyond(least, most), packed.lanes, len(self))

    # ---- containers

    def as_sequences(self) -> Any:
        return self

    def lengths(self) -> Array:
        return self.counts

    def shortened(self, counts: Array) -> Self:
        column = type(self)(self.starts, counts, self.content)
        column._of_packed = self.is_packed
        return column

    def are_empty(self) -> bool:
        if self.is_packed or not len(self.content):
            return not len(self.content)
        return not any_set(self.counts)

    def empties(self, kind: int | None, lanes: int) -> Column | None:
        return self.all_empty(lanes) if kind == self.kind else None

    def element_weights(self, levels: int | None = None) -> Array:
        levels = levels_left(levels)
        if levels < 0:
            return xp.where(self.counts > 0, TOO_DEEP, 0)
        if self.content.weighs_one:
            return self.counts
        running = offsets_of(self.content.weights(levels))
        totals = xp.empty(len(self), dtype=xp.int64)
        weigh_run(len(self), self.starts, self.counts, running, totals)
        return totals

    def end_element(self, last: int) -> tuple[Column, Array | None]:
        n = len(self)
        index, empty = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.bool_)
        find_element(n, self.starts, self.counts, last, index, empty)
        return self.content.take(index), empty

    def element(self, position: Array) -> Column:
        """Return the element at a position of each lane. The position must be within the lane."""
        return self.content.take(self.starts + position)

    def having(self, keep: Array) -> Self:
        """Keep the elements whose flag is set. Only for packed columns."""
        positions, counts, offsets = kept(keep, self.offsets)
        return type(self).of_counts(counts, self.content.selected(positions), offsets)

    # ---- canonical layout

    def canonical(self) -> Column:
        packed = self.packed()
        content = packed.content.canonical()
        return type(self)(packed.starts, packed.counts, content, True)._sorted_out()

    def _sorted_out(self) -> Column:
        """Separate the lanes by the layout of their elements."""
        sequences = self._simplified()
        content = sequences.content
        if not isinstance(content, Union):
            return sequences
        n = len(sequences)
        parts: list[Part] = []
        tags = xp.append(content.tags.astype(xp.int64), 0)
        first = tags[sequences.starts]
        lanes = sequences.lanes
        mixed = lane_any(content.tags != first[lanes], lanes, n)
        kind = xp.where(mixed, len(content.parts), first)
        for tag in range(len(content.parts) + 1):
            members = where_set(kind == tag)
            if len(members):
                part = sequences.take(members)
                assert isinstance(part, Sequences)
                parts.append((members, part._simplified()))
        return scatter(parts, n)

    def _simplified(self) -> Self:
        """Pack, with a content that is no union if its elements are all of one layout."""
        packed = self.packed()
        if not isinstance(packed.content, Union):
            return packed
        return type(self).of_counts(packed.counts, packed.content.simplified(), packed.offsets)


class SequencePool:
    """A pool of tuples, or of sets; their elements are in a pool too."""

    def __init__(self, layout: type[Sequences], of_content: Pool) -> None:
        self._layout = layout
        self._of_content = of_content
        self._starts, self._counts = Growing(xp.int64), Growing(xp.int64)

    def add(self, column: Sequences) -> int:
        packed = column.packed()
        base = self._of_content.add(packed.content) if len(packed.content) else 0
        self._counts.add(packed.counts)
        return self._starts.add(packed.starts + base)

    def take(self, index: Array) -> Column:
        starts, counts = taken(index, self._starts.data, self._counts.data)
        offsets = offsets_of(counts)
        total = total_of(offsets)
        content = self._of_content.take(ranges_at(starts, offsets, total)) if total else _NOTHING
        return self._layout.of_counts(counts, content, offsets)

    @property
    def nbytes(self) -> int:
        return self._starts.nbytes + self._counts.nbytes + self._of_content.nbytes


class Lists(Sequences):
    """Tuples of any length.    (5, 6), (), (7,)   ->   starts 0 2 2, counts 2 0 1, content 5 6 7"""

    __slots__ = ()
    word = "list"
    kind = TUPLE
    empty = ()
    brackets = "(", ",)", ")"

    @classmethod
    def _elements(cls, values: list[Any]) -> Iterable[Any]:
        return chain.from_iterable(values)

    def decode(self) -> list[Any]:
        return list(map(tuple, self._decoded_elements()))

    def weights(self, levels: int | None = None) -> Array:
        total = super().weights(levels)
        ones = policy().lanes_weigh_one(self)
        return total if ones is None else xp.where(ones, 1, total)

    def canonical(self) -> Column:
        """Settle the layout as for any sequences; tuples of two get the language's own layouts."""
        packed = self.packed()
        lists = Lists(packed.starts, packed.counts, packed.content.canonical(), True)
        n = len(lists)
        two = where_set(lists.counts == 2)
        if not len(two):
            return lists._sorted_out()
        starts = lists.starts[two]
        made = policy().tuples_of([lists.content.take(starts), lists.content.take(starts + 1)])
        if made is None:
            return lists._sorted_out()
        rest = xp.ones(n, dtype=xp.bool_)
        parts: list[Part] = []
        for lanes, part in made.split():
            if isinstance(part, Records):
                continue
            parts.append((two[lanes], part))
            rest[two[lanes]] = False
        others = where_set(rest)
        if len(others):
            left = lists.take(others)
            assert isinstance(left, Lists)
            parts.append((others, left._sorted_out()))
        return scatter(parts, n)


class Sets(Sequences):
    """Sets, elements ascending and distinct.    {6, 5}   ->   starts 0, counts 2, content 5 6"""

    __slots__ = ()
    word = "set"
    kind = SET
    empty = frozenset()
    brackets = "frozenset({", "})", "})"

    @classmethod
    def _elements(cls, values: list[Any]) -> Iterable[Any]:
        return chain.from_iterable(map(ascending, values))

    def check(self) -> None:
        super().check()
        if self.content.coded and isinstance(self.counts, np.ndarray):
            runs = ranges(self.starts, self.counts)
            codes = self.content.data[runs]  # type: ignore[attr-defined]
            assert is_ascending(codes, offsets_of(self.counts), strictly=True)

    def decode(self) -> list[Any]:
        return list(map(frozenset, self._decoded_elements()))


def make_sets(counts: Array, content: Column, offsets: Array | None = None) -> Sets:
    """Make sets of runs of elements: sort each run, and keep the first of equal elements.

    counts: int64 (lanes,); content: the lanes' elements, one run after the other; offsets: those
    of the counts, if they are known.
    """
    content = content.materialized()
    offsets = offsets_of(counts) if offsets is None else offsets
    if not len(content):
        return Sets.of_counts(counts, content, offsets)
    if isinstance(content, Compound):
        order, counts = distinct_runs(*content.as_runs(offsets), offsets)
        return Sets.of_counts(counts, content.selected(order))
    codes = content.ordinals(offsets)
    if is_ascending(codes, offsets, strictly=True):
        return Sets.of_counts(counts, content, offsets)
    if content.coded:
        codes, counts, offsets = distinct_codes(codes, offsets)
        return Sets.of_counts(counts, type(content)(codes), offsets)  # type: ignore[call-arg]
    order = sort_order(codes, offsets)
    if order is not None:
        codes = codes[order]
    positions, counts, offsets = kept(distinct(codes, offsets), offsets)
    chosen = positions if order is None else order[positions]
    return Sets.of_counts(counts, content.selected(chosen), offsets)


class Records(Containers, Compound):
    """Tuples of one length, a column for each place.

    A language may have layouts of its own for some of these, see `tuples_of`. A field may be
    indexed.

        (8, {1}), (9, {2})   ->   fields: Ints 8 9, Sets {1} {2}
    """

    __slots__ = ("fields", "nodes")
    kind = TUPLE

    def __init__(self, *fields: Column) -> None:
        self.fields = fields
        self.nodes = 1 + sum([field.nodes for field in fields])
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.fields and len(set(map(len, self.fields))) == 1

    def __len__(self) -> int:
        return len(self.fields[0])

    @property
    def key(self) -> Any:
        return ("record", *(field.key for field in self.fields))

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        return any(field.mixed for field in self.fields)

    @property
    def integral(self) -> bool:  # type: ignore[override]
        return all(field.integral for field in self.fields)

    @property
    def first(self) -> Column:
        return self.fields[0]

    @property
    def second(self) -> Column:
        return self.fields[1]

    def take(self, index: Array) -> Column:
        return Records(*(field.selected(index) for field in self.fields))

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        fields = zip(*(column.fields for column in columns), strict=True)
        return Records(*(concat(list(field)) for field in fields))

    def compact(self) -> Column:
        return Records(*(field.compact() for field in self.fields))

    def decode(self) -> list[Any]:
        return list(zip(*(field.decode() for field in self.fields), strict=True))

    @property
    def spells(self) -> bool:  # type: ignore[override]
        return all(field.spells for field in self.fields)

    def texts(self) -> list[str]:
        end = ",)" if len(self.fields) == 1 else ")"
        rows = zip(*(field.texts() for field in self.fields), strict=True)
        return ["(" + ", ".join(row) + end for row in rows]

    def arrow(self) -> Any:
        import pyarrow

        names = [str(k) for k in range(len(self.fields))]
        fields = [field.materialized().arrow() for field in self.fields]
        return pyarrow.StructArray.from_arrays(fields, names)

    def as_runs(self, offsets: Array) -> tuple[Array, Array]:
        return joined_ordinals(list(self.fields), offsets)

    def weights(self, levels: int | None = None) -> Array:
        return self.as_sequences().weights(levels)  # type: ignore[no-any-return]

    def beyond(self, least: int, most: int) -> Array:
        result = xp.zeros(len(self), dtype=xp.bool_)
        for field in self.fields:
            result |= field.beyond(least, most)
        return result

    def as_sequences(self) -> Any:
        return interleave(list(self.fields))

    def end_element(self, last: int) -> tuple[Column, Array | None]:
        return self.fields[-last], None

    def lengths(self) -> Array:
        return xp.full(len(self), len(self.fields), dtype=xp.int64)

    def element_weights(self, levels: int | None = None) -> Array:
        return self.as_sequences().element_weights(levels)  # type: ignore[no-any-return]


def tuples_of(fields: list[Column]) -> Column:
    """Make tuples of these columns' values, in the layouts that hold them best."""
    made = policy().tuples_of(fields)
    if made is not None:
        return made  # type: ignore[no-any-return]
    if sum([field.nodes for field in fields]) > _MOST_NODES:
        return host_column(list(zip(*(field.decode() for field in fields), strict=True)))
    return Records(*(f if isinstance(f, Indexed) else f.materialized() for f in fields))


def joined_ordinals(fields: list[Column], offsets: Array) -> tuple[Array, Array]:
    """Return tuples of one length as runs of codes: a code for each field."""
    n, width = len(fields[0]), len(fields)
    codes = xp.empty(n * width, dtype=xp.int64)
    for place, field in enumerate(fields):
        codes[place::width] = field.ordinals(offsets)
    return xp.arange(0, n * width + 1, width, dtype=xp.int64), codes


def interleave(fields: list[Column]) -> Lists:
    """Make lists: element k of each comes from column k. The columns have equal lengths."""
    n, width = len(fields[0]), len(fields)
    first = xp.arange(0, n * width, width, dtype=xp.int64)
    content = scatter([(first + k, field) for k, field in enumerate(fields)], n * width)
    return Lists(first, xp.full(n, width, dtype=xp.int64), content, True)


def flatten(column: Column) -> tuple[Array, Column, Array | None]:
    """Return the elements of every lane's container, in the order of the lanes.

    Returns the number in each lane, the elements, and flags of the lanes whose value is no
    container (bool (n,), or None for no lane). Those lanes count as empty.
    """
    column = column.gathered()
    if isinstance(column, Union):
        return _flatten_union(column)
    sequences = column.as_sequences()
    if sequences is None:
        n = len(column)
        return xp.zeros(n, dtype=xp.int64), Empty(), xp.ones(n, dtype=xp.bool_)
    packed = sequences.packed()
    return packed.counts, packed.content, None


def _flatten_union(union: Union) -> tuple[Array, Column, Array | None]:
    n = len(union)
    counts = xp.zeros(n, dtype=xp.int64)
    wrong = xp.zeros(n, dtype=xp.bool_)
    flat = []
    for lanes, part in union.split():
        part_counts, content, part_wrong = flatten(part)
        counts[lanes] = part_counts
        if part_wrong is not None:
            wrong[lanes] = part_wrong
        flat.append((lanes, part_counts, content))
    starts = offsets_of(counts)
    parts = [(ranges(starts[lanes], sizes), content) for lanes, sizes, content in flat]
    return counts, scatter(parts, total_of(starts)), wrong if any_set(wrong) else None


def laid_out(column: Column, allowed: Array) -> Sequences:
    """Lay out containers as packed lists or sets; a lane that may not go on gets an empty one.

    allowed: the lanes that may go on, bool (n,).
    """
    return _allowed(column, allowed).packed()


def opened(column: Column, allowed: Array | None = None) -> Sequences:
    """Lay out as `laid_out` does, for a call on each element: elements may stay indexed."""
    return _allowed(column, allowed).opened()


def _allowed(column: Column, allowed: Array | None) -> Sequences:
    if allowed is not None and not all_set(allowed):
        column = column.shortened(xp.where(allowed, column.lengths(), 0))
    sequences = column.as_sequences()
    assert sequences is not None
    return sequences  # type: ignore[no-any-return]


def join(a: Sequences, b: Sequences) -> tuple[Lists, Array]:
    """Join, lane by lane, the elements of a and then those of b. Both are packed.

    Also returns, for every element of the result, its position in a's content followed by b's.
    """
    counts = a.counts + b.counts
    into = offsets_of(counts)[:-1]
    order = xp.empty(len(a.content) + len(b.content), dtype=xp.int64)
    order[ranges(into, a.counts)] = xp.arange(len(a.content), dtype=xp.int64)
    order[ranges(into + a.counts, b.counts)] = len(a.content) + xp.arange(
        len(b.content), dtype=xp.int64
    )
    both = concat([a.content, b.content])
    return Lists.of_counts(counts, both.selected(order) if len(order) else Empty()), order


def joint_ordinals(a: Sequences, b: Sequences) -> tuple[Array, Array]:
    """Return ordinals of two packed columns' elements, comparable within a lane across both."""
    if a.content.key == b.content.key and a.content.coded:
        return a.content.data, b.content.data  # type: ignore[attr-defined]
    joined, order = join(a, b)
    codes = joined.content.ordinals(joined.offsets)
    back = xp.empty_like(codes)
    back[order] = codes
    return back[: len(a.content)], back[len(a.content) :]


def _slim(column: Any) -> Any:
    """Return `column`, packed if most of the content that it keeps alive belongs to no lane."""
    if column.is_packed or len(column.content) <= 1024:
        return column
    wasteful = len(column.content) > 2 * ask(column.counts, SUM) + 1024
    return column.packed() if wasteful else column


def equal_elements(a: Sequences, b: Sequences) -> Array:
    """Flag lanes whose two containers have equal elements at equal places; bool (n,)."""
    n = len(a)
    same = xp.empty(n, dtype=xp.bool_)
    if a.content.coded and type(a.content) is type(b.content):
        codes = a.content.data, b.content.data  # type: ignore[attr-defined]
        compare_runs_of(n, a.starts, a.counts, codes[0], b.starts, b.counts, codes[1], same)
        return same
    same = a.counts == b.counts
    lanes = where_set(same)
    if not len(lanes):
        return same
    counts = a.counts[lanes]
    offsets = offsets_of(counts)
    total = total_of(offsets)
    if not total:
        return same
    within = [s.content.take(ranges_at(s.starts[lanes], offsets, total)) for s in (a, b)]
    same[lanes] = segment_sum(equal(*within), offsets) == counts
    return same


@lane_kernel
def find_element(lane, starts, counts, last, index, empty):
    """Find where a lane's first or last element is; 0 if it has none."""
    empty[lane] = counts[lane] == 0
    index[lane] = 0
    if counts[lane] > 0:
        index[lane] = starts[lane] + last * (counts[lane] - 1)


@lane_kernel
def compare_runs_of(lane, a_starts, a_counts, a, b_starts, b_counts, b, same):
    """Tell whether two runs of numbers are equal."""
    alike = a_counts[lane] == b_counts[lane]
    k = int64(0)
    while alike and k < a_counts[lane]:
        alike = a[a_starts[lane] + k] == b[b_starts[lane] + k]
        k += 1
    same[lane] = alike


@lane_kernel
def weigh_run(lane, starts, counts, running, totals):
    """Sum the weights of a container's elements, from the running sums of the weights."""
    total = running[starts[lane] + counts[lane]] - running[starts[lane]]
    totals[lane] = min(total, int64(TOO_DEEP))
