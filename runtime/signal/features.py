"""Measurements of a signal at a receiver: 18 features, with their statistics over 5 chunks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.fft
from numpy import float64, int64, uint64

from megabatt.runtime.engine.columns import Column, Floats, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import magnitude, quotient, square_root
from megabatt.runtime.engine.device.teams import real_most_of_team, real_sum_of_team, sum_of_team
from megabatt.runtime.signal.charges import length
from megabatt.runtime.signal.constants import FEATURES, STATISTICS
from megabatt.runtime.signal.lanes import groups_by_length
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals
from megabatt.runtime.signal.spectra import (
    LEAST_FLOOR,
    OF_MEAN,
    floors_of,
    has_no_squares,
    powers,
    rank_of_floor,
    rows_of,
    snr_of,
    snr_of_value,
    squares_of,
)
from megabatt.runtime.signal.types import Parameters, Reals, Signal
from megabatt.runtime.vocabulary import counted

CHUNKS = 5
LEAST_POINTS = 16
"""The fewest samples of a chunk."""

LAGS = 32
ROLL_OFF = 0.85
PRESENT_DB = 3.0


@primitive(charge=lambda signal, P: length(signal))
def features(signal: Signal, P: Parameters) -> Reals:
    """Measure a signal's 18 features: mean, deviation, minimum and maximum over its 5 chunks.

    Returns 72 numbers: the means of all features, in the order of FEATURES, then the deviations,
    the minima, and the maxima. The chunks have equal length; up to four samples at the end are left
    out. Fails below 16 samples a chunk, and for a chunk without power, or of a power so low or high
    that float32 does not hold its spectrum.
    """
    rate, samples = signal
    points = len(samples) // CHUNKS
    if points < LEAST_POINTS:
        raise ValueError(f"too few for features: {counted(len(samples), 'sample')}")
    chunks = np.asarray(samples[: CHUNKS * points]).reshape(CHUNKS, points)
    rows = np.array([_features_of(chunk, rate) for chunk in chunks])
    found = [rows.mean(axis=0), rows.std(axis=0), rows.min(axis=0), rows.max(axis=0)]
    return tuple(np.concatenate(found).tolist())


def _features_of(chunk: np.ndarray[Any, Any], rate: float) -> list[float]:
    """Measure the features of a chunk, complex64. Raises ValueError if it has no power."""
    points = len(chunk)
    samples = chunk.astype(np.complex128)
    envelope = np.abs(samples)
    power = np.mean(envelope**2)
    if has_no_squares(power, points):
        raise ValueError(f"a chunk of power {power}")
    real = chunk.real
    turn = np.vdot(samples[:-1], samples[1:])  # the angle is the mean frequency
    crossings = np.count_nonzero((real[1:] >= 0) != (real[:-1] >= 0))
    spectrum = np.fft.fftshift(powers(chunk).astype(np.float32)).astype(np.float64)
    total = float(np.sum(spectrum))
    rank = rank_of_floor(points)
    floor = float(np.partition(spectrum, rank)[rank])
    snr = snr_of_value(total, floor, points)
    noise = max(floor / OF_MEAN * points, LEAST_FLOOR * total) / total * power
    step = rate / points
    frequencies = (np.arange(points) - points // 2) * step
    peak = int(np.argmax(spectrum))
    spread, coherence, confidence = _delays(spectrum, rate)
    return [
        10 * math.log10(power),
        snr,
        10 * math.log10(noise),
        float(np.angle(turn)) * rate / (2 * math.pi),
        _width_at_half(spectrum, peak) * step,
        float(frequencies[peak]),
        float(np.sum(frequencies * spectrum)) / total,
        (_crossing_of(np.cumsum(spectrum), ROLL_OFF) - points // 2) * step,
        float(np.mean(envelope)),
        float(np.std(envelope)),
        float(np.max(envelope)),
        float(np.max(envelope)) / math.sqrt(power),
        crossings * rate / points,
        spread,
        coherence,
        confidence,
        float(snr >= PRESENT_DB),
        1 / (1 + 10 ** ((PRESENT_DB - snr) / 10)),
    ]


def _width_at_half(spectrum: np.ndarray[Any, Any], peak: int) -> float:
    """Count the bins around the peak that are above half of the peak, with interpolated edges."""
    half = spectrum[peak] / 2
    width = 0.0
    for side in (spectrum[peak:], spectrum[peak::-1]):
        below = np.flatnonzero(side < half)
        if len(below):
            at = int(below[0])
            width += at - 1 + (side[at - 1] - half) / (side[at - 1] - side[at])
        else:
            width += len(side) - 1
    return float(width)


def _crossing_of(running: np.ndarray[Any, Any], share: float) -> float:
    """Find where a running sum reaches a share of its end, in bins, interpolated."""
    wanted = share * running[-1]
    at = int(np.searchsorted(running, wanted))
    before = running[at - 1] if at else 0.0
    return float(at + (wanted - before) / (running[at] - before))


def _delays(spectrum: np.ndarray[Any, Any], rate: float) -> tuple[float, float, float]:
    """Measure the delay spread, the coherence bandwidth, and the confidence in the bandwidth.

    The spread is the deviation of the delays, weighed by the squares of the first 32 values of the
    autocorrelation, which is the transform of the periodogram.
    """
    correlation = scipy.fft.rfft(np.fft.ifftshift(spectrum).astype(np.float32))[:LAGS]
    real, imaginary = (part.astype(np.float64) for part in (correlation.real, correlation.imag))
    weights = real * real + imaginary * imaginary
    delays = np.arange(len(weights)) / rate
    mean = np.sum(weights * delays) / np.sum(weights)
    spread = math.sqrt(np.sum(weights * (delays - mean) ** 2) / np.sum(weights))
    return spread, 1 / (5 * spread), math.sqrt(weights[1] / weights[0])


@rule(features)
def features(frame: Frame, signal: Signals, P: Lists) -> Column:
    frame.fail(signal.counts < CHUNKS * LEAST_POINTS)
    counts = xp.where(frame.pay(), signal.counts // CHUNKS, 0)
    counts = xp.where(counts < LEAST_POINTS, 0, counts)
    each = len(STATISTICS) * len(FEATURES)
    result = xp.zeros((frame.n, each), dtype=xp.float64)
    powerless = xp.zeros(frame.n, dtype=xp.bool_)
    for points, lanes in groups_by_length(counts):
        rows = rows_of(signal, lanes, 0, CHUNKS * points, CHUNKS)
        rates = xp.repeat(signal.steps[lanes], CHUNKS)
        found, nothing = _measured(rows, rates)
        powerless[lanes] = nothing.reshape(-1, CHUNKS).any(axis=1)
        values = found.reshape(len(lanes), CHUNKS, len(FEATURES))
        mean = values.sum(axis=1) / CHUNKS
        deviation = xp.sqrt(((values - mean[:, None]) ** 2).sum(axis=1) / CHUNKS)
        summed = [mean, deviation, values.min(axis=1), values.max(axis=1)]
        result[lanes] = xp.concatenate(summed, axis=1)
    frame.fail(powerless)
    return Lists.of_counts(
        xp.full(frame.n, each, dtype=xp.int64), Floats(xp.ascontiguousarray(result.ravel()))
    )


_OF_TIME, _OF_SPECTRUM = 7, 4
"""How many numbers each kernel finds for a row."""


def _measured(rows: Array, rates: Array) -> tuple[Array, Array]:
    """Measure the features of rows (rows, 18), and flag the rows that have no power."""
    count, points = rows.shape
    of_time = xp.empty(count * _OF_TIME, dtype=xp.float64)
    describe_time(count, points, rows.reshape(-1).view(xp.float32), of_time)
    power, turn_re, turn_im, mean, deviation, most, crossings = of_time.reshape(count, -1).T
    nothing = has_no_squares(power, points)
    power = xp.where(nothing, 1.0, power)
    squares, totals = squares_of(rows)
    totals = xp.where(nothing, 1.0, totals)
    floors = floors_of(squares, count, points)
    of_spectrum = xp.empty(count * _OF_SPECTRUM, dtype=xp.float64)
    describe_spectrum(count, points, squares, totals, of_spectrum)
    width, peak, centroid, roll_off = of_spectrum.reshape(count, -1).T
    spread, confidence = _delays_of(squares.reshape(count, points), rates, nothing)
    snr = snr_of(totals, floors, points)
    noise = xp.maximum(floors / OF_MEAN * points, LEAST_FLOOR * totals) / totals * power
    step = rates / points
    columns = [
        10 * xp.log10(power),
        snr,
        10 * xp.log10(noise),
        xp.arctan2(turn_im, turn_re) * rates / (2 * math.pi),
        width * step,
        peak * step,
        centroid * step,
        roll_off * step,
        mean,
        deviation,
        most,
        most / xp.sqrt(power),
        crossings * rates / points,
        spread,
        1 / (5 * spread),
        confidence,
        (snr >= PRESENT_DB).astype(xp.float64),
        1 / (1 + 10 ** ((PRESENT_DB - snr) / 10)),
    ]
    found = xp.empty((count, len(FEATURES)), dtype=xp.float64)
    for k, column in enumerate(columns):  # stacking columns would transfer their addresses
        found[:, k] = column
    return found, nothing


def _delays_of(squares: Array, rates: Array, nothing: Array) -> tuple[Array, Array]:
    """Measure as `_delays` does: the delay spread of rows, the confidence in their bandwidth."""
    halves = current().fourier.rfft(squares, axis=-1)
    correlation = halves[:, :LAGS].astype(xp.complex128)
    weights = correlation.real**2 + correlation.imag**2
    weights = xp.where(nothing[:, None], 1.0, weights)
    total = weights.sum(axis=1)
    places = xp.arange(weights.shape[1], dtype=xp.float64)
    mean = (weights * places).sum(axis=1) / total
    variance = (weights * (places - mean[:, None]) ** 2).sum(axis=1) / total
    return xp.sqrt(variance) / rates, xp.sqrt(weights[:, 1] / weights[:, 0])


@team_kernel
def describe_time(lane, place, team, points, numbers, found):
    """Measure power, product of neighbours, envelope, and zero crossings of a row of samples."""
    base = uint64(2 * lane * points)
    power = 0.0
    turn_re = 0.0
    turn_im = 0.0
    mean = 0.0
    crossings = int64(0)
    for k in range(place, points - 1, team):
        at = base + uint64(2) * uint64(k)
        x = float64(numbers[at])
        y = float64(numbers[at + uint64(1)])
        u = float64(numbers[at + uint64(2)])
        v = float64(numbers[at + uint64(3)])
        square = x * x + y * y
        power += square
        mean += square_root(square)
        turn_re += x * u + y * v
        turn_im += x * v - y * u
        crossings += int64((x >= 0.0) != (u >= 0.0))
    power = real_sum_of_team(power)
    mean = real_sum_of_team(mean)
    turn_re = real_sum_of_team(turn_re)
    turn_im = real_sum_of_team(turn_im)
    crossings = sum_of_team(crossings)
    last = base + uint64(2) * uint64(points - 1)
    x = float64(numbers[last])
    y = float64(numbers[last + uint64(1)])
    power += x * x + y * y
    mean += square_root(x * x + y * y)
    scale = quotient(1.0, float64(points))
    mean = mean * scale
    squares = 0.0
    most = 0.0
    for k in range(place, points, team):
        at = base + uint64(2) * uint64(k)
        x = float64(numbers[at])
        y = float64(numbers[at + uint64(1)])
        envelope = square_root(x * x + y * y)
        squares += (envelope - mean) * (envelope - mean)
        most = max(most, envelope)
    squares = real_sum_of_team(squares)
    most = real_most_of_team(most)
    if place == 0:
        to = lane * 7
        found[to] = power * scale
        found[to + 1] = turn_re
        found[to + 2] = turn_im
        found[to + 3] = mean
        found[to + 4] = square_root(squares * scale)
        found[to + 5] = most
        found[to + 6] = float64(crossings)


@team_kernel
def describe_spectrum(lane, place, team, points, squares, totals, found):
    """Measure width, peak, centroid and roll-off of a row of bins, in bins from the middle.

    Bin j of the spectrum in the order of its frequencies is bin (j + half) % points of the row.
    """
    base = uint64(lane * points)
    middle = points // 2
    half = points - middle
    moment = 0.0
    for k in range(place, points, team):
        frequency = k
        if k >= half:
            frequency = k - points
        moment += float64(squares[base + uint64(k)]) * float64(frequency)
    moment = real_sum_of_team(moment)
    if place == 0:
        top = -1.0
        peak = int64(0)
        running = 0.0
        wanted = ROLL_OFF * totals[lane]
        roll_off = float64(points)
        for j in range(points):
            at = j + half
            if at >= points:
                at = at - points
            value = float64(squares[base + uint64(at)])
            if value > top:
                top = value
                peak = int64(j)
            if running < wanted:
                if running + value >= wanted:
                    roll_off = j + quotient(wanted - running, value)
            running += value
        width = 0.0
        for side in range(2):
            step = 1 - 2 * side
            j = peak
            before = top
            value = top
            edge = False
            while value >= 0.5 * top and not edge:
                j += step
                if j < 0 or j >= points:
                    edge = True
                else:
                    at = j + half
                    if at >= points:
                        at = at - points
                    before = value
                    value = float64(squares[base + uint64(at)])
            width += magnitude(float64(j - peak)) - 1.0
            if not edge:
                width += quotient(before - 0.5 * top, before - value)
        at = lane * 4
        found[at] = width
        found[at + 1] = float64(peak - middle)
        found[at + 2] = quotient(moment, totals[lane])
        found[at + 3] = roll_off - float64(middle)
