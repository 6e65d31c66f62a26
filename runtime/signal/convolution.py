"""Convolution of signals with short filters, of which every lane has its own."""

from __future__ import annotations

from numpy import float32, float64, int64, uint64

from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.kernels import inlined_function, team_kernel
from megabatt.runtime.engine.device.teams import sum_of_team
from megabatt.runtime.signal.lanes import groups_of
from megabatt.runtime.signal.layouts.sampled import Signals

HALF_WIDTH = 8
"""Samples to each side that a windowed sinc reaches."""

MOST_TAPS = 4096
"""Taps that a filter may have."""


def convolved(
    frame: Frame, signals: Signals, taps: Array, starts: Array, counts: Array, leads: Array
) -> Signals:
    """Filtered signals of their own length, zero before and behind them. Pays what is due.

    Sample k of lane l is the sum of taps[starts[l] + j] * x[k + leads[l] - j] over counts[l] taps.
    taps: float64, real and imaginary part one after the other; starts, counts, leads: int64 (n,).
    """
    made = Signals.allocate(signals.steps, xp.where(frame.pay(), signals.counts, 0))
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    padded = made.counts + counts + 8  # of which the last few outputs read
    for first, last in groups_of(padded):
        lanes = slice(first, last)
        offsets = offsets_of(padded[lanes])
        room = xp.zeros(2 * total_of(offsets), dtype=xp.float32)
        n = last - first
        shifts = counts[lanes] - 1 - leads[lanes]
        pad_samples(
            n, offsets, signals.starts[lanes], made.counts[lanes], shifts, padded[lanes],
            signals.numbers, room,
        )  # fmt: skip
        convolve(
            n, offsets, made.starts[lanes], made.counts[lanes], starts[lanes], counts[lanes], taps,
            room, made.numbers, wrong[lanes],
        )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def pad_samples(lane, place, team, offsets, starts, counts, shifts, padded, numbers, out):
    """A lane's samples, so many places on, where there is room for them."""
    source = uint64(2 * starts[lane])
    target = uint64(2 * offsets[lane])
    shift = shifts[lane]
    first = max(int64(0), -shift)
    last = min(counts[lane], padded[lane] - shift)
    if shift >= 0:
        target = target + uint64(2 * shift)
    else:
        source = source + uint64(-2 * shift)
    for k in range(place, 2 * (last - first), team):
        out[target + uint64(k)] = numbers[source + uint64(k)]


@inlined_function
def write_sample(out, at, real, imaginary):
    """Write a sample; 1 where it is not finite."""
    x = float32(real)
    y = float32(imaginary)
    out[at] = x
    out[at + uint64(1)] = y
    return int64(x - x + y - y != 0.0)


@team_kernel
def convolve(lane, place, team, offsets, into, counts, starts, lengths, taps, numbers, out, wrong):
    """Four samples at a time, each a sum over the taps, the last tap first.

    Of each sample there are two sums for each of its parts: with the taps' real parts, and with
    their imaginary ones.
    """
    base = uint64(2 * offsets[lane])
    target = uint64(2 * into[lane])
    length = lengths[lane]
    last = uint64(2 * (starts[lane] + length - 1))
    count = counts[lane]
    infinite = int64(0)
    for k in range(place, (count + 3) // 4, team):
        a0 = 0.0
        a1 = 0.0
        a2 = 0.0
        a3 = 0.0
        a4 = 0.0
        a5 = 0.0
        a6 = 0.0
        a7 = 0.0
        b0 = 0.0
        b1 = 0.0
        b2 = 0.0
        b3 = 0.0
        b4 = 0.0
        b5 = 0.0
        b6 = 0.0
        b7 = 0.0
        at = base + uint64(8) * uint64(k)
        for j in range(length):
            tap = last - uint64(2) * uint64(j)
            real = taps[tap]
            imaginary = taps[tap + uint64(1)]
            x0 = float64(numbers[at])
            x1 = float64(numbers[at + uint64(1)])
            x2 = float64(numbers[at + uint64(2)])
            x3 = float64(numbers[at + uint64(3)])
            x4 = float64(numbers[at + uint64(4)])
            x5 = float64(numbers[at + uint64(5)])
            x6 = float64(numbers[at + uint64(6)])
            x7 = float64(numbers[at + uint64(7)])
            a0 += real * x0
            a1 += real * x1
            a2 += real * x2
            a3 += real * x3
            a4 += real * x4
            a5 += real * x5
            a6 += real * x6
            a7 += real * x7
            b0 += imaginary * x0
            b1 += imaginary * x1
            b2 += imaginary * x2
            b3 += imaginary * x3
            b4 += imaginary * x4
            b5 += imaginary * x5
            b6 += imaginary * x6
            b7 += imaginary * x7
            at = at + uint64(2)
        to = target + uint64(8) * uint64(k)
        left = count - 4 * k
        infinite += write_sample(out, to, a0 - b1, a1 + b0)
        if left > 1:
            infinite += write_sample(out, to + uint64(2), a2 - b3, a3 + b2)
        if left > 2:
            infinite += write_sample(out, to + uint64(4), a4 - b5, a5 + b4)
        if left > 3:
            infinite += write_sample(out, to + uint64(6), a6 - b7, a7 + b6)
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0
