"""The strength of signals: their power, amplification, and noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import float32, float64, int64, uint64

from megabatt.runtime.engine.columns import Column, Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import quotient
from megabatt.runtime.engine.device.teams import real_sum_of_team, sum_of_team
from megabatt.runtime.signal.charges import length
from megabatt.runtime.signal.draws import FIRST_BLOCK, sample_normals
from megabatt.runtime.signal.lanes import Streams, values_of
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals
from megabatt.runtime.signal.parameters import value_of
from megabatt.runtime.signal.randomness import (
    cos_turns,
    first_uniform,
    high_words,
    low_words,
    normal_radius,
    second_uniform,
    sin_turns,
)
from megabatt.runtime.signal.types import Key, Parameters, Real, Signal, Site
from megabatt.runtime.signal.values import mean_power, signal_of, wide

BOLTZMANN = 1.380649e-23


def powers_of(signals: Signals) -> Array:
    """Return the mean power of every lane's samples, in mW; float64 (n,)."""
    powers = xp.empty(len(signals), dtype=xp.float64)
    average_power(len(signals), signals.starts, signals.counts, signals.numbers, powers)
    return powers


@team_kernel
def average_power(lane, place, team, starts, counts, numbers, powers):
    """Average a lane's power by four sums side by side: one sum would wait for each addition."""
    a = 0.0
    b = 0.0
    c = 0.0
    d = 0.0
    base = uint64(2 * starts[lane])
    fours = counts[lane] // 4
    for k in range(place, fours, team):
        at = base + uint64(8) * uint64(k)
        x = float64(numbers[at])
        y = float64(numbers[at + uint64(1)])
        a += x * x + y * y
        x = float64(numbers[at + uint64(2)])
        y = float64(numbers[at + uint64(3)])
        b += x * x + y * y
        x = float64(numbers[at + uint64(4)])
        y = float64(numbers[at + uint64(5)])
        c += x * x + y * y
        x = float64(numbers[at + uint64(6)])
        y = float64(numbers[at + uint64(7)])
        d += x * x + y * y
    for k in range(4 * fours + place, counts[lane], team):
        at = base + uint64(2) * uint64(k)
        x = float64(numbers[at])
        y = float64(numbers[at + uint64(1)])
        a += x * x + y * y
    total = real_sum_of_team((a + b) + (c + d))
    if place == 0:
        powers[lane] = quotient(total, float64(counts[lane]))


@primitive(charge=length)
def power_dbm(signal: Signal) -> Real:
    """Return the mean power of a signal, in dBm. Fails if the power is 0."""
    return 10 * math.log10(mean_power(signal))


@rule(power_dbm)
def power_dbm(frame: Frame, signal: Signals) -> Column:
    powers = powers_of(signal)
    frame.fail(powers <= 0)
    return Floats(10 * xp.log10(xp.where(powers > 0, powers, 1.0)))


@primitive(charge=length)
def scale(signal: Signal, factor: Real) -> Signal:
    """Multiply every sample by a factor. Fails if the product is no complex64."""
    return signal_of(signal[0], wide(signal) * factor)


@rule(scale)
def scale(frame: Frame, signal: Signals, factor: Floats) -> Column:
    return scaled(frame, signal, factor.data)


def scaled(frame: Frame, signals: Signals, factors: Array) -> Signals:
    """Multiply each signal by its factor, float64 (n,). Lanes with no complex64 product fail."""
    made = Signals.allocate(signals.steps, xp.where(frame.pay(), signals.counts, 0))
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    scale_samples(
        frame.n, signals.starts, made.starts, made.counts, factors, signals.numbers, made.numbers,
        wrong,
    )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def scale_samples(lane, place, team, starts, into, counts, factors, numbers, out, wrong):
    factor = factors[lane]
    source = uint64(2 * starts[lane])
    target = uint64(2 * into[lane])
    infinite = int64(0)
    for k in range(place, 2 * counts[lane], team):
        value = float32(float64(numbers[source + uint64(k)]) * factor)
        infinite += int64(value - value != 0.0)
        out[target + uint64(k)] = value
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0 or factor - factor != 0.0


@primitive(charge=lambda signal, P: length(signal))
def set_power(signal: Signal, P: Parameters) -> Signal:
    """Scale a signal to a mean power of P.rx_power_dbm. Fails for a signal without power."""
    power = mean_power(signal)
    if not power > 0:
        raise ValueError("a signal without power")
    wanted = 10 ** (value_of(P, "rx_power_dbm") / 10)
    return signal_of(signal[0], wide(signal) * math.sqrt(wanted / power))


@rule(set_power)
def set_power(frame: Frame, signal: Signals, P: Lists) -> Column:
    powers = powers_of(signal)
    frame.fail(~(powers > 0))
    wanted = 10 ** (values_of(frame, P, "rx_power_dbm") / 10)
    return scaled(frame, signal, xp.sqrt(wanted / xp.where(powers > 0, powers, 1.0)))


@primitive(charge=lambda signal, P, K, site: length(signal))
def awgn(signal: Signal, P: Parameters, K: Key, site: Site) -> Signal:
    """Add white Gaussian noise to a signal, half of its power in each component.

    The noise has the signal's power less P.snr_db. If P.thermal is 1, the noise has the power of
    thermal noise in P.bandwidth_hz, k T B, plus P.noise_figure_db.
    """
    noise = sample_normals(K, site, 2 * len(signal[1])).view(np.complex128)
    return signal_of(signal[0], wide(signal) + math.sqrt(_noise_power(signal, P) / 2) * noise)


def _noise_power(signal: Any, P: Parameters) -> float:
    """Return the power of the noise, in mW."""
    ratio = value_of(P, "snr_db")
    figure = value_of(P, "noise_figure_db")
    heat = 1e3 * BOLTZMANN * value_of(P, "temperature_k") * value_of(P, "bandwidth_hz")
    if value_of(P, "thermal") >= 1.0:
        return heat * 10 ** (figure / 10)  # type: ignore[no-any-return]
    return mean_power(signal) / 10 ** (ratio / 10)  # type: ignore[no-any-return]


@rule(awgn)
def awgn(frame: Frame, signal: Signals, P: Lists, K: Lists, site: Ints) -> Column:
    of_signal = powers_of(signal) / 10 ** (values_of(frame, P, "snr_db") / 10)
    figure = 10 ** (values_of(frame, P, "noise_figure_db") / 10)
    heat = 1e3 * BOLTZMANN * values_of(frame, P, "temperature_k")
    of_heat = heat * values_of(frame, P, "bandwidth_hz") * figure
    powers = xp.where(values_of(frame, P, "thermal") >= 1.0, of_heat, of_signal)
    made = Signals.allocate(signal.steps, xp.where(frame.pay(), signal.counts, 0))
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    add_noise(
        frame.n, signal.starts, made.starts, made.counts, *Streams(K, site).arrays,
        xp.sqrt(powers / 2), signal.numbers, made.numbers, wrong,
    )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def add_noise(
    lane, place, team, starts, into, counts, seeds, samples, receivers, sites, deviations, numbers,
    out, wrong,
):  # fmt: skip
    seed = seeds[lane]
    sample = samples[lane]
    receiver = receivers[lane]
    site = sites[lane]
    deviation = deviations[lane]
    source = uint64(2 * starts[lane])
    target = uint64(2 * into[lane])
    count = counts[lane]
    infinite = int64(0)
    for k in range(place, count // 2, team):  # two samples a block
        low = low_words(k + FIRST_BLOCK, site, receiver, sample, seed)
        high = high_words(k + FIRST_BLOCK, site, receiver, sample, seed)
        at = source + uint64(4) * uint64(k)
        to = target + uint64(4) * uint64(k)
        radius = deviation * normal_radius(first_uniform(low))
        turns = second_uniform(low)
        x = float32(numbers[at] + radius * cos_turns(turns))
        y = float32(numbers[at + uint64(1)] + radius * sin_turns(turns))
        infinite += int64(x - x + y - y != 0.0)
        out[to] = x
        out[to + uint64(1)] = y
        radius = deviation * normal_radius(first_uniform(high))
        turns = second_uniform(high)
        x = float32(numbers[at + uint64(2)] + radius * cos_turns(turns))
        y = float32(numbers[at + uint64(3)] + radius * sin_turns(turns))
        infinite += int64(x - x + y - y != 0.0)
        out[to + uint64(2)] = x
        out[to + uint64(3)] = y
    if place == 0 and count % 2 == 1:
        k = count // 2
        low = low_words(k + FIRST_BLOCK, site, receiver, sample, seed)
        at = source + uint64(4) * uint64(k)
        to = target + uint64(4) * uint64(k)
        radius = deviation * normal_radius(first_uniform(low))
        turns = second_uniform(low)
        x = float32(numbers[at] + radius * cos_turns(turns))
        y = float32(numbers[at + uint64(1)] + radius * sin_turns(turns))
        infinite += int64(x - x + y - y != 0.0)
        out[to] = x
        out[to + uint64(1)] = y
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0
