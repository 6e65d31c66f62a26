"""Columns of signals and of spectra."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy import uint64

from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.columns.base import CHECKED
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.language.values import frozen


class Sampled(Column):
    """Tuples of a step and an array of samples, one step apart; or `()`.

    steps: float64 (n,); starts, counts: int64 (n,); samples: flat, of `dtype`. Lane k's samples are
    samples[starts[k] : starts[k] + counts[k]]; a lane without any is `()`. Lanes may share samples.

        (2e5, array([1, 1j])), ()   ->   steps 2e5 0, starts 0 2, counts 2 0, samples 1 1j
    """

    __slots__ = ("steps", "starts", "counts", "samples", "is_packed")
    word: ClassVar[str]
    dtype: ClassVar[Any]

    def __init__(
        self, steps: Array, starts: Array, counts: Array, samples: Array, is_packed: bool = False
    ) -> None:
        """Make a column. is_packed: `samples` is the lanes' samples in order, with no others."""
        self.steps = steps
        self.starts = starts
        self.counts = counts
        self.samples = samples
        self.is_packed = is_packed
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.samples.dtype == self.dtype and self.samples.ndim == 1
        assert self.steps.dtype == "float64"
        assert self.starts.dtype == "int64" and self.counts.dtype == "int64"
        assert self.steps.shape == self.starts.shape == self.counts.shape
        if len(self) and isinstance(self.counts, np.ndarray):
            ends = (self.starts + self.counts)[self.counts > 0]
            assert self.counts.min() >= 0 and not (ends > len(self.samples)).any()

    @classmethod
    def allocate(cls, steps: Array, counts: Array) -> Self:
        """Make a column with `counts` samples in the lanes, not yet written."""
        offsets = offsets_of(counts)
        samples = xp.empty(total_of(offsets), dtype=cls.dtype)
        return cls(steps, offsets[:-1], counts, samples, True)

    @property
    def numbers(self) -> Array:
        """The samples for kernels; a complex sample is two float32: real, imaginary."""
        return self.samples.view(xp.float32)

    @property
    def width(self) -> int:
        """The number of `numbers` in a sample."""
        return self.samples.dtype.itemsize // 4  # type: ignore[no-any-return]

    # ---- lanes

    @property
    def key(self) -> str:
        return self.word

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, index: Array) -> Column:
        return type(self)(self.steps[index], self.starts[index], self.counts[index], self.samples)

    def packed(self) -> Self:
        """Pack the column: the lanes' samples one after the other, with no others between."""
        if self.is_packed:
            return self
        made = self.allocate(self.steps, self.counts)
        width = self.width
        copy_samples(
            len(self), self.starts * width, made.starts * width, self.counts * width,
            self.numbers, made.numbers,
        )  # fmt: skip
        return made

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [column.packed() for column in columns]
        bases = accumulate((len(column.samples) for column in columns), initial=0)
        starts = [c.starts + base for c, base in zip(columns, bases, strict=False)]
        return cls(
            xp.concatenate([column.steps for column in columns]),
            xp.concatenate(starts),
            xp.concatenate([column.counts for column in columns]),
            xp.concatenate([column.samples for column in columns]),
            True,
        )

    # ---- values

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        counts = xp.asarray(np.array([len(samples) for _, samples in values], dtype=np.int64))
        steps = xp.asarray(np.array([step for step, _ in values], dtype=np.float64))
        samples = xp.asarray(np.concatenate([samples for _, samples in values]))
        return cls(steps, offsets_of(counts)[:-1], counts, samples, True)

    def decode(self) -> list[Any]:
        packed = self.packed()
        samples, ends = to_host(packed.samples), accumulate(packed.counts.tolist())
        rows = zip(packed.steps.tolist(), packed.counts.tolist(), ends, strict=True)
        return [
            (step, frozen(samples[end - count : end].copy())) if count else ()
            for step, count, end in rows
        ]

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return self.emptied(failed) if default == () else None

    def emptied(self, lanes: Array) -> Self:
        """Return the column with `()` in the flagged lanes (bool (n,))."""
        counts = xp.where(lanes, 0, self.counts)
        return type(self)(self.steps, self.starts, counts, self.samples)

    def weights(self) -> Array:
        return xp.where(self.counts > 0, self.counts + 1, 1)


class Signals(Sampled):
    """Signals: the step is the sample rate in Hz, the samples are complex64."""

    __slots__ = ()
    word = "signal"
    dtype = np.dtype(np.complex64)


class Spectra(Sampled):
    """Spectra: the step is the distance between bins in Hz, the samples are float32."""

    __slots__ = ()
    word = "spectrum"
    dtype = np.dtype(np.float32)


LAYOUTS: dict[Any, type[Sampled]] = {np.dtype(c.dtype): c for c in (Signals, Spectra)}
"""The layouts by the dtype of their samples."""


def layout_of(value: tuple[Any, ...]) -> type[Sampled] | None:
    """Return the layout of a tuple of a step and samples; None for any other tuple."""
    if len(value) != 2 or value[0].__class__ is not float:
        return None
    samples = value[1]
    if not isinstance(samples, np.ndarray) or samples.ndim != 1 or not len(samples):
        return None
    return LAYOUTS.get(samples.dtype)


@team_kernel
def copy_samples(lane, place, team, starts, into, counts, numbers, out):
    source = uint64(starts[lane])
    target = uint64(into[lane])
    for k in range(place, counts[lane], team):
        out[target + uint64(k)] = numbers[source + uint64(k)]
