"""Spectra of signals, and estimates of the ratio of signal to noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # imports `scipy.signal`, which takes a second, where it is first used
from numpy import float32, float64, int64, uint64

from megabatt.runtime.core.types import Integer
from megabatt.runtime.engine.columns import Column, Floats, Ints
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import quotient
from megabatt.runtime.engine.device.teams import real_sum_of_team, sum_of_team
from megabatt.runtime.signal.charges import length
from megabatt.runtime.signal.lanes import groups_by_length, groups_of
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals, Spectra
from megabatt.runtime.signal.randomness import sin_turns
from megabatt.runtime.signal.types import Real, Signal, Spectrum
from megabatt.runtime.signal.values import spectrum_of
from megabatt.runtime.vocabulary import counted

LOWEST = 0.3
"""The share of bins, from the lowest on, that count as noise."""

OF_MEAN = -math.log1p(-LOWEST / 2)
"""The median of white noise's lowest bins, over the mean of all bins, which are exponential."""

LEAST_FLOOR = 1e-7
"""The least noise floor, over a signal's mean bin. Lower bins may be rounding."""

LEAST_SQUARE, GREATEST_SQUARE = 1e-30, 1e37
"""The least mean of a transform's squares, so that its least floor is a normal float32; and the
greatest square."""

LEAST_SNR = 1e-3


def rank_of_floor(bins: Any) -> Any:
    """Return the rank, from 0 on, of the bin that is the median of the lowest bins."""
    return (max(bins * 3 // 10, 1) - 1) // 2


def powers(samples: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the squares of complex64 samples' transform, float64, in the transform's order."""
    found = scipy.fft.fft(np.asarray(samples))
    real, imaginary = found.real.astype(np.float64), found.imag.astype(np.float64)
    return real * real + imaginary * imaginary


def rows_of(signals: Signals, lanes: Array, first: int, count: int, parts: int = 1) -> Array:
    """Copy `count` samples of each lane, from sample `first` on, into `parts` rows a lane.

    Returns complex64 (lanes * parts, count // parts).
    """
    rows = xp.empty(len(lanes) * count, dtype=xp.complex64)
    copy_row(
        len(lanes), signals.starts[lanes], first, count, signals.numbers, rows.view(xp.float32)
    )
    return rows.reshape(len(lanes) * parts, count // parts)


@team_kernel
def copy_row(lane, place, team, starts, first, count, numbers, out):
    source = uint64(2 * (starts[lane] + first))
    target = uint64(2 * lane * count)
    for k in range(place, 2 * count, team):
        out[target + uint64(k)] = numbers[source + uint64(k)]


def transforms_of(rows: Array) -> Array:
    """Return the rows' transforms, one after the other: their parts, float32."""
    return current().fourier.fft(rows, axis=-1).reshape(-1).view(xp.float32)


def squares_of(rows: Array) -> tuple[Array, Array]:
    """Return the squares of the rows' transforms, float32, and their sums, float64 (rows,)."""
    count, points = rows.shape
    squares = xp.empty(count * points, dtype=xp.float32)
    totals = xp.empty(count, dtype=xp.float64)
    square_row(count, points, transforms_of(rows), squares, totals)
    return squares, totals


@team_kernel
def square_row(lane, place, team, points, numbers, squares, totals):
    base = uint64(lane * points)
    a = 0.0
    b = 0.0
    halves = points // 2
    for k in range(place, halves, team):
        at = base + uint64(2) * uint64(k)
        x = float64(numbers[uint64(2) * at])
        y = float64(numbers[uint64(2) * at + uint64(1)])
        square = x * x + y * y
        squares[at] = float32(square)
        a += square
        x = float64(numbers[uint64(2) * at + uint64(2)])
        y = float64(numbers[uint64(2) * at + uint64(3)])
        square = x * x + y * y
        squares[at + uint64(1)] = float32(square)
        b += square
    if place == 0:
        if points % 2 == 1:
            at = base + uint64(points - 1)
            x = float64(numbers[uint64(2) * at])
            y = float64(numbers[uint64(2) * at + uint64(1)])
            square = x * x + y * y
            squares[at] = float32(square)
            a += square
    total = real_sum_of_team(a + b)
    if place == 0:
        totals[lane] = total


def floors_of(squares: Array, rows: int, points: int) -> Array:
    """Return each row's median of its lowest bins; float64 (rows,)."""
    codes = xp.empty(rows, dtype=xp.int64)
    find_ranked(rows, points, rank_of_floor(points), squares.view(xp.int32), codes)
    return codes.astype(xp.int32).view(xp.float32).astype(xp.float64)


@team_kernel
def find_ranked(lane, place, team, points, rank, codes, found):
    """Find a row's element of a rank by bisection: floats from 0 on are ordered as their bits.

    codes: The bits of the rows' floats. Each step counts the codes that are not above the middle.
    """
    base = uint64(lane * points)
    low = int64(0)
    high = int64(0x7F800000)
    while low < high:
        middle = low + (high - low) // 2
        below = int64(0)
        for k in range(place, points, team):
            below += int64(codes[base + uint64(k)] <= middle)
        below = sum_of_team(below)
        if below > rank:
            high = middle
        else:
            low = middle + 1
    if place == 0:
        found[lane] = low


@primitive(charge=length)
def psd(signal: Signal) -> Spectrum:
    """Return the periodogram of a signal, in mW/Hz: from minus to plus half the sample rate.

    Works as `scipy.signal.periodogram` with detrend=False, but bins are in order of frequency.
    """
    rate, samples = signal
    _, density = scipy.signal.periodogram(
        np.asarray(samples), rate, detrend=False, return_onesided=False
    )
    return spectrum_of(rate / len(samples), np.fft.fftshift(density))


@rule(psd)
def psd(frame: Frame, signal: Signals) -> Column:
    counts = xp.where(frame.pay(), signal.counts, 0)
    made = Spectra.allocate(signal.steps / xp.maximum(signal.counts, 1), counts)
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    for points, lanes in groups_by_length(counts):
        found = transforms_of(rows_of(signal, lanes, 0, points))
        scales = 1.0 / (signal.steps[lanes] * points)
        one_each = xp.arange(len(lanes) + 1, dtype=xp.int64)
        mean_rows(
            len(lanes), points, lanes, one_each, scales, found, made.starts, made.samples, wrong
        )
    frame.fail(wrong)
    return made


@primitive(charge=length)
def welch(signal: Signal, points: Integer) -> Spectrum:
    """Return the mean periodogram of a signal's segments, in mW/Hz, with bins as in `psd`.

    Works as `scipy.signal.welch` with detrend=False. A segment has `points` samples in a Hann
    window and begins in the middle of the segment before. Fails if there is no whole segment.
    """
    rate, samples = signal
    if not 1 <= points <= len(samples):
        raise ValueError(f"segments of {points} of {counted(len(samples), 'sample')}")
    _, density = scipy.signal.welch(
        np.asarray(samples), rate, nperseg=points, detrend=False, return_onesided=False
    )
    return spectrum_of(rate / points, np.fft.fftshift(density))


@rule(welch)
def welch(frame: Frame, signal: Signals, points: Ints) -> Column:
    right = (points.data >= 1) & (points.data <= signal.counts)
    frame.fail(~right)
    counts = xp.where(frame.pay() & right, points.data, 0)
    made = Spectra.allocate(signal.steps / xp.maximum(counts, 1), counts)
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    for size, lanes in groups_by_length(counts):
        for first, last in groups_of(2 * signal.counts[lanes]):
            set_means(signal, lanes[first:last], size, made, wrong)
    frame.fail(wrong)
    return made


def set_means(signals: Signals, lanes: Array, size: int, made: Spectra, wrong: Array) -> None:
    """Set the lanes' spectra to the means over their segments of `size` points."""
    step = size - size // 2
    segments = (signals.counts[lanes] - size) // step + 1
    offsets = offsets_of(segments)
    found = transforms_of(segments_of(signals, lanes, offsets, size, step))
    scales = 1.0 / (signals.steps[lanes] * segments * hann_power(size))
    mean_rows(len(lanes), size, lanes, offsets, scales, found, made.starts, made.samples, wrong)


def hann_power(points: int) -> float:
    """Return the sum of the squares of a periodic Hann window; 1 for a single point."""
    return 1.0 if points == 1 else float(np.square(scipy.signal.get_window("hann", points)).sum())


def segments_of(signals: Signals, lanes: Array, offsets: Array, points: int, step: int) -> Array:
    """Copy the lanes' segments in a Hann window, lane by lane.

    Returns complex64 (segments, points). offsets: Where each lane's segments begin, and the end.
    """
    count = total_of(offsets)
    owners = lanes_at(offsets, count)
    starts = signals.starts[lanes][owners] + step * (xp.arange(count) - offsets[owners])
    rows = xp.empty(count * points, dtype=xp.complex64)
    copy_segment(count, starts, points, signals.numbers, rows.view(xp.float32))
    return rows.reshape(count, points)


def lanes_at(offsets: Array, total: int) -> Array:
    """Return the lane of each element of the runs. total: The number of elements."""
    lanes = xp.empty(total, dtype=xp.int64)
    fill_lane(len(offsets) - 1, offsets, lanes)
    return lanes


@team_kernel
def fill_lane(lane, place, team, offsets, lanes):
    for k in range(offsets[lane] + place, offsets[lane + 1], team):
        lanes[k] = lane


@team_kernel
def copy_segment(lane, place, team, starts, points, numbers, out):
    source = uint64(2 * starts[lane])
    target = uint64(2 * lane * points)
    for k in range(place, points, team):
        weight = 1.0
        if points > 1:
            sine = sin_turns(0.5 * quotient(float64(k), float64(points)))
            weight = sine * sine
        at = uint64(2) * uint64(k)
        out[target + at] = float32(weight * numbers[source + at])
        out[target + at + uint64(1)] = float32(weight * numbers[source + at + uint64(1)])


@team_kernel
def mean_rows(lane, place, team, points, lanes, offsets, scales, numbers, starts, out, wrong):
    """Average the squares of a lane's rows with its scale; the lowest frequency comes first."""
    scale = scales[lane]
    half = points - points // 2
    target = uint64(starts[lanes[lane]])
    infinite = int64(0)
    for k in range(place, points, team):
        at = k + half
        if at >= points:
            at = at - points
        total = 0.0
        for row in range(offsets[lane], offsets[lane + 1]):
            of_bin = uint64(2) * (uint64(row) * uint64(points) + uint64(at))
            x = float64(numbers[of_bin])
            y = float64(numbers[of_bin + uint64(1)])
            total += x * x + y * y
        density = float32(total * scale)
        infinite += int64(density - density != 0.0)
        out[target + uint64(k)] = density
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lanes[lane]] = infinite > 0


def has_no_squares(power: Any, points: int) -> Any:
    """Tell whether samples are too weak or too strong for the float32 squares of their transform.

    power: Their mean power, a number or an array. The squares average power * points, and are at
    most power * points**2.
    """
    return ~((power * points >= LEAST_SQUARE) & (power * points**2 <= GREATEST_SQUARE))


def snr_of_value(total: float, floor: float, bins: int) -> float:
    """Return the signal-to-noise ratio, in dB, from the bins' sum and the lowest bins' median."""
    noise = max(floor / OF_MEAN * bins, LEAST_FLOOR * total)
    return 10 * math.log10(max(total / noise - 1, LEAST_SNR))


def snr_of(totals: Array, floors: Array, bins: int) -> Array:
    """Compute `snr_of_value` for rows."""
    noise = xp.maximum(floors / OF_MEAN * bins, LEAST_FLOOR * totals)
    return 10 * xp.log10(xp.maximum(totals / noise - 1, LEAST_SNR))


@primitive(charge=length)
def snr_estimate(signal: Signal) -> Real:
    """Estimate how far a signal stands above white noise, in dB, from its periodogram.

    The noise is the median of the lowest 30 % of the bins, divided by this median's ratio to the
    mean in white noise. Signal in these bins counts as noise, so that a high ratio is estimated too
    low: 40 dB of FM as 32 dB. Fails for a signal without power.
    """
    found = powers(signal[1])
    total = float(np.sum(found))
    floor = float(
        np.partition(found.astype(np.float32), rank_of_floor(len(found)))[rank_of_floor(len(found))]
    )
    return snr_of_value(total, floor, len(found))


@rule(snr_estimate)
def snr_estimate(frame: Frame, signal: Signals) -> Column:
    counts = xp.where(frame.pay(), signal.counts, 0)
    found = xp.zeros(frame.n, dtype=xp.float64)
    powerless = counts == 0
    for points, lanes in groups_by_length(counts):
        squares, totals = squares_of(rows_of(signal, lanes, 0, points))
        floors = floors_of(squares, len(lanes), points)
        nothing = ~((totals > 0) & xp.isfinite(totals))
        powerless[lanes] = nothing
        found[lanes] = snr_of(
            xp.where(nothing, 1.0, totals), xp.where(nothing, 1.0, floors), points
        )
    frame.fail(powerless)
    return Floats(found)
