"""Steps for building other chains: mixing, adding, conjugating, cutting and resampling signals."""

from __future__ import annotations

import math

import numpy as np
import scipy  # imports `scipy.signal`, which takes a second, where it is first used
from numpy import float32, float64, int64, uint64

from megabatt.runtime.core.types import Integer
from megabatt.runtime.engine.columns import Column, Floats, Ints
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import quotient
from megabatt.runtime.engine.device.teams import real_sum_of_team, sum_of_team
from megabatt.runtime.engine.language.charges import Measure
from megabatt.runtime.signal.charges import length
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals
from megabatt.runtime.signal.randomness import cos_turns, sin_turns
from megabatt.runtime.signal.types import Real, Signal
from megabatt.runtime.signal.values import phasors, signal_of, wide

MOST_FACTOR = 64
HALF_PULSES = 10
KAISER_BETA = 5.0
MOST_TURNS = 1e6


@primitive(charge=lambda signal, frequency_hz: length(signal))
def mix(signal: Signal, frequency_hz: Real) -> Signal:
    """Shift a signal in frequency: times exp(j 2 pi f t). Fails above 1e6 times its rate."""
    rate, samples = signal
    step = frequency_hz / rate
    if not abs(step) <= MOST_TURNS:
        raise ValueError(f"a shift of {frequency_hz} Hz")
    return signal_of(rate, wide(signal) * phasors(step * np.arange(len(samples))))


@rule(mix)
def mix(frame: Frame, signal: Signals, frequency_hz: Floats) -> Column:
    steps = frequency_hz.data / signal.steps
    wrong = ~(abs(steps) <= MOST_TURNS)
    frame.fail(wrong)
    made = Signals.allocate(signal.steps, xp.where(frame.pay(), signal.counts, 0))
    turn_samples(
        frame.n, signal.starts, made.starts, made.counts, xp.where(wrong, 0.0, steps),
        signal.numbers, made.numbers, wrong,
    )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def turn_samples(lane, place, team, starts, into, counts, steps, numbers, out, wrong):
    step = steps[lane]
    source = uint64(2 * starts[lane])
    target = uint64(2 * into[lane])
    infinite = int64(0)
    for k in range(place, counts[lane], team):
        turns = step * float64(k)
        c = cos_turns(turns)
        s = sin_turns(turns)
        at = uint64(2) * uint64(k)
        x = float64(numbers[source + at])
        y = float64(numbers[source + at + uint64(1)])
        real = float32(x * c - y * s)
        imaginary = float32(x * s + y * c)
        infinite += int64(real - real + imaginary - imaginary != 0.0)
        out[target + at] = real
        out[target + at + uint64(1)] = imaginary
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0


@primitive(charge=lambda a, b: length(a))
def add(a: Signal, b: Signal) -> Signal:
    """Add two signals. Fails if they have unlike rates or lengths."""
    if a[0] != b[0] or len(a[1]) != len(b[1]):
        raise ValueError("signals of unlike rates or lengths")
    return signal_of(a[0], wide(a) + wide(b))


@rule(add)
def add(frame: Frame, a: Signals, b: Signals) -> Column:
    unlike = (a.steps != b.steps) | (a.counts != b.counts)
    frame.fail(unlike)
    counts = xp.where(frame.pay() & ~unlike, a.counts, 0)
    made = Signals.allocate(a.steps, counts)
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    add_samples(
        frame.n, a.starts, b.starts, made.starts, counts, a.numbers, b.numbers, made.numbers, wrong
    )
    frame.fail(wrong)
    return made


@team_kernel
def add_samples(lane, place, team, a_starts, b_starts, into, counts, a, b, out, wrong):
    first = uint64(2 * a_starts[lane])
    second = uint64(2 * b_starts[lane])
    target = uint64(2 * into[lane])
    infinite = int64(0)
    for k in range(place, 2 * counts[lane], team):
        value = float32(float64(a[first + uint64(k)]) + float64(b[second + uint64(k)]))
        infinite += int64(value - value != 0.0)
        out[target + uint64(k)] = value
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0


@primitive(charge=length)
def conjugate(signal: Signal) -> Signal:
    """Mirror the spectrum of a signal: conjugate every sample."""
    return signal_of(signal[0], np.conj(signal[1]))


@rule(conjugate)
def conjugate(frame: Frame, signal: Signals) -> Column:
    made = Signals.allocate(signal.steps, xp.where(frame.pay(), signal.counts, 0))
    mirror_samples(frame.n, signal.starts, made.starts, made.counts, signal.numbers, made.numbers)
    return made


@team_kernel
def mirror_samples(lane, place, team, starts, into, counts, numbers, out):
    source = uint64(2 * starts[lane])
    target = uint64(2 * into[lane])
    for k in range(place, counts[lane], team):
        at = uint64(2) * uint64(k)
        out[target + at] = numbers[source + at]
        out[target + at + uint64(1)] = -numbers[source + at + uint64(1)]


@primitive
def slice_time(signal: Signal, begin_ms: Real, end_ms: Real) -> Signal:
    """Cut out the part of a signal between two times, each taken to the nearest sample.

    Fails if the signal has no sample between them, and for times that are not finite.
    """
    rate, samples = signal
    begin, end = _place(begin_ms, rate, len(samples)), _place(end_ms, rate, len(samples))
    return signal_of(rate, samples[begin:end])


def _place(milliseconds: float, rate: float, count: int) -> int:
    """Return the sample at a time, within 0..count. Raises ValueError unless the time is finite."""
    if not math.isfinite(milliseconds):
        raise ValueError("no time")
    return math.floor(min(max(milliseconds * rate / 1000, 0.0), float(count)) + 0.5)


@rule(slice_time)
def slice_time(frame: Frame, signal: Signals, begin_ms: Floats, end_ms: Floats) -> Column:
    finite = xp.isfinite(begin_ms.data) & xp.isfinite(end_ms.data)
    begins, ends = (
        xp.floor(
            xp.minimum(xp.maximum(xp.where(finite, times, 0.0) * signal.steps / 1000, 0.0), most)
            + 0.5
        ).astype(xp.int64)
        for most in [signal.counts.astype(xp.float64)]
        for times in (begin_ms.data, end_ms.data)
    )
    counts = xp.maximum(ends - begins, 0)
    frame.fail(~finite | (counts == 0))
    return Signals(signal.steps, signal.starts + begins, counts, signal.samples)


@Measure
def resampled_length(signal: Signal, up: int, down: int) -> int:
    """Count the samples of a resampled signal; 0 for factors out of range."""
    if not (1 <= up <= MOST_FACTOR and 1 <= down <= MOST_FACTOR):
        return 0
    return -(-len(signal[1]) * up // down)


@resampled_length.for_columns
def resampled_length(signal: Signals, up: Ints, down: Ints) -> Array:
    right = (up.data >= 1) & (up.data <= MOST_FACTOR) & (down.data >= 1)
    right &= down.data <= MOST_FACTOR
    return xp.where(right, -(-signal.counts * up.data // xp.where(right, down.data, 1)), 0)


@primitive(charge=lambda signal, up, down: resampled_length(signal, up, down))
def resample(signal: Signal, up: Integer, down: Integer) -> Signal:
    """Resample a signal to up / down times its rate, both from 1 to 64.

    Works as `scipy.signal.resample_poly`: by a low-pass filter in a Kaiser window.
    """
    if not (1 <= up <= MOST_FACTOR and 1 <= down <= MOST_FACTOR):
        raise ValueError(f"resampling by {up}/{down}")
    return signal_of(signal[0] * up / down, scipy.signal.resample_poly(wide(signal), up, down))


@rule(resample)
def resample(frame: Frame, signal: Signals, up: Ints, down: Ints) -> Column:
    right = (up.data >= 1) & (up.data <= MOST_FACTOR)
    right &= (down.data >= 1) & (down.data <= MOST_FACTOR)
    frame.fail(~right)
    ups, downs = xp.where(right, up.data, 1), xp.where(right, down.data, 1)
    counts = xp.where(frame.pay() & right, resampled_length(signal, up, down), 0)
    made = Signals.allocate(signal.steps * ups / downs, counts)
    divisor = xp.gcd(ups, downs)
    ups, downs = ups // divisor, downs // divisor
    widths = xp.where(ups == downs, 0, HALF_PULSES * xp.maximum(ups, downs))
    offsets = offsets_of(2 * widths + 1)
    taps = xp.empty(total_of(offsets), dtype=xp.float64)
    set_low_pass(frame.n, offsets, widths, ups, downs, taps)
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    resample_lane(
        frame.n, offsets, widths, ups, downs, signal.starts, signal.counts, made.starts, counts,
        taps, signal.numbers, made.numbers, wrong,
    )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def set_low_pass(lane, place, team, offsets, widths, ups, downs, taps):
    """Store the taps of a windowed sinc, `widths` to each side, that add up to `up`.

    The filter passes the frequencies that both rates can hold.
    """
    width = widths[lane]
    base = offsets[lane]
    if width == 0:
        taps[base] = 1.0
    else:
        cutoff = quotient(1.0, float64(max(ups[lane], downs[lane])))
        total = 0.0
        for k in range(place, 2 * width + 1, team):
            where = float64(k - width)
            value = cutoff
            if k != width:
                value = quotient(sin_turns(0.5 * cutoff * where), math.pi * where)
            ratio = quotient(where, float64(width))
            # the modified Bessel function of the first kind, by its series
            square = 0.25 * KAISER_BETA * KAISER_BETA * max(1.0 - ratio * ratio, 0.0)
            term = 1.0
            window = 1.0
            for m in range(1, 30):
                term = quotient(term * square, float64(m * m))
                window += term
            value = value * window
            taps[base + k] = value
            total += value
        total = real_sum_of_team(total)
        scale = quotient(float64(ups[lane]), total)
        for k in range(place, 2 * width + 1, team):
            taps[base + k] *= scale


@team_kernel
def resample_lane(
    lane, place, team, offsets, widths, ups, downs, starts, lengths, into, counts, taps, numbers,
    out, wrong,
):  # fmt: skip
    """Resample a lane: the signal is spread by `up`, and filtered by the taps that meet samples."""
    width = widths[lane]
    up = ups[lane]
    source = uint64(2 * starts[lane])
    target = uint64(2 * into[lane])
    infinite = int64(0)
    for k in range(place, counts[lane], team):
        middle = k * downs[lane]  # in the spread signal
        first = max((middle - width + up - 1) // up, int64(0))
        last = min((middle + width) // up, lengths[lane] - 1)
        real = 0.0
        imaginary = 0.0
        for j in range(first, last + 1):
            weight = taps[uint64(offsets[lane] + width + middle - j * up)]
            at = source + uint64(2) * uint64(j)
            real += weight * float64(numbers[at])
            imaginary += weight * float64(numbers[at + uint64(1)])
        to = target + uint64(2) * uint64(k)
        x = float32(real)
        y = float32(imaginary)
        infinite += int64(x - x + y - y != 0.0)
        out[to] = x
        out[to + uint64(1)] = y
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0
