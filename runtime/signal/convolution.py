"""Convolution of signals with short filters, one for every lane."""

from __future__ import annotations

from numpy import float32, float64, int64, uint64

from megabatt.runtime.engine.columns.rules import Frame
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.kernels import inlined_function, team_kernel
from megabatt.runtime.engine.device.teams import sum_of_team
from megabatt.runtime.signal.lanes import Scratch, groups_of
from megabatt.runtime.signal.layouts.sampled import Signals

HALF_WIDTH = 8
"""The reach of a windowed sinc to each side, in samples."""

MOST_TAPS = 4096
"""The most taps of a filter."""


def convolved(
    frame: Frame, signals: Signals, taps: Array, starts: Array, counts: Array, leads: Array
) -> Signals:
    """Filter signals, padded with zeros, and pay the charges. Signals keep their length.

    Sample k of lane l is the sum of taps[starts[l] + j] * x[k + leads[l] - j] over counts[l] taps.
    taps: float64, real and imaginary part one after the other; starts, counts, leads: int64 (n,).
    """
    made = Signals.allocate(signals.steps, xp.where(frame.pay(), signals.counts, 0))
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    padded = made.counts + counts + UNROLLED
    parts = [Scratch(xp.float32) for _ in range(2)]
    sums = [Scratch(xp.float64) for _ in range(2)]
    for first, last in groups_of(padded):
        lanes = slice(first, last)
        offsets = offsets_of(padded[lanes])
        n, room = last - first, total_of(offsets)
        real, imaginary = (scratch.of(room) for scratch in parts)
        tiles = [scratch.of(n * convolve.threads * TILE) for scratch in sums]
        shifts = counts[lanes] - 1 - leads[lanes]
        pad_samples(
            n, offsets, signals.starts[lanes], made.counts[lanes], shifts, padded[lanes],
            signals.numbers, real, imaginary,
        )  # fmt: skip
        convolve(
            n, offsets, made.starts[lanes], made.counts[lanes], starts[lanes], counts[lanes], taps,
            real, imaginary, *tiles, made.numbers, wrong[lanes],
        )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def pad_samples(
    lane, place, team, offsets, starts, counts, shifts, padded, numbers, real, imaginary
):
    """Store a lane's samples `shifts` places on, padded with zeros, real and imaginary parts apart.

    Samples beyond the end are left out.
    """
    source = uint64(2 * starts[lane])
    target = uint64(offsets[lane])
    shift = shifts[lane]
    first = min(max(int64(0), -shift), counts[lane])
    last = max(min(counts[lane], padded[lane] - shift), first)
    before = min(max(shift, int64(0)), padded[lane])
    for k in range(place, before, team):
        real[target + uint64(k)] = float32(0.0)
        imaginary[target + uint64(k)] = float32(0.0)
    for k in range(before + last - first + place, padded[lane], team):
        real[target + uint64(k)] = float32(0.0)
        imaginary[target + uint64(k)] = float32(0.0)
    target = target + uint64(before)
    source = source + uint64(2 * first)
    for k in range(place, last - first, team):
        real[target + uint64(k)] = numbers[source + uint64(2) * uint64(k)]
        imaginary[target + uint64(k)] = numbers[source + uint64(2) * uint64(k) + uint64(1)]


UNROLLED = 4
"""The number of taps summed together, to read and write sums less often."""

TILE = 1024
"""The number of samples whose sums stay in the cache while all taps are added."""


@team_kernel
def convolve(
    lane, place, team, offsets, into, counts, starts, lengths, taps, real, imaginary, sums_re,
    sums_im, out, wrong,
):  # fmt: skip
    """Sum a lane's samples over the taps, the last tap first, tile by tile."""
    base = offsets[lane]
    target = uint64(2 * into[lane])
    length = lengths[lane]
    count = counts[lane]
    infinite = int64(0)
    for tile in range(place, (count + TILE - 1) // TILE, team):
        begin = uint64((lane * team + place) * TILE)
        here = uint64(base + tile * TILE)
        size = min(int64(TILE), count - tile * TILE)
        for k in range(size):
            sums_re[begin + uint64(k)] = 0.0
            sums_im[begin + uint64(k)] = 0.0
        for group in range((length + UNROLLED - 1) // UNROLLED):
            j = group * UNROLLED
            a0 = tap_part(taps, starts[lane], length, j, 0)
            b0 = tap_part(taps, starts[lane], length, j, 1)
            a1 = tap_part(taps, starts[lane], length, j + 1, 0)
            b1 = tap_part(taps, starts[lane], length, j + 1, 1)
            a2 = tap_part(taps, starts[lane], length, j + 2, 0)
            b2 = tap_part(taps, starts[lane], length, j + 2, 1)
            a3 = tap_part(taps, starts[lane], length, j + 3, 0)
            b3 = tap_part(taps, starts[lane], length, j + 3, 1)
            for k in range(size):
                to = begin + uint64(k)
                at = here + uint64(k + j)
                x0 = float64(real[at])
                y0 = float64(imaginary[at])
                x1 = float64(real[at + uint64(1)])
                y1 = float64(imaginary[at + uint64(1)])
                x2 = float64(real[at + uint64(2)])
                y2 = float64(imaginary[at + uint64(2)])
                x3 = float64(real[at + uint64(3)])
                y3 = float64(imaginary[at + uint64(3)])
                sums_re[to] += (a0 * x0 - b0 * y0 + (a1 * x1 - b1 * y1)) + (
                    a2 * x2 - b2 * y2 + (a3 * x3 - b3 * y3)
                )
                sums_im[to] += (a0 * y0 + b0 * x0 + (a1 * y1 + b1 * x1)) + (
                    a2 * y2 + b2 * x2 + (a3 * y3 + b3 * x3)
                )
        for k in range(size):
            x = float32(sums_re[begin + uint64(k)])
            y = float32(sums_im[begin + uint64(k)])
            to = target + uint64(2) * uint64(tile * TILE + k)
            out[to] = x
            out[to + uint64(1)] = y
            infinite += int64(x - x + y - y != 0.0)
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0


@inlined_function
def tap_part(taps, start, length, j, part):
    """Return the real (0) or imaginary (1) part of the tap j before the last; 0 beyond the taps."""
    value = 0.0
    if j < length:
        value = taps[2 * (start + length - 1 - j) + part]
    return value
