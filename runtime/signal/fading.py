"""Fading of signals in time: Rayleigh and Rician, by Clarke's model or block by block."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import float32, float64, int64, uint64

from megabatt.runtime.engine.columns import Column, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.kernels import inlined_function, team_kernel
from megabatt.runtime.engine.device.reals import quotient
from megabatt.runtime.engine.device.teams import sum_of_team, wait_for_team
from megabatt.runtime.signal.charges import length
from megabatt.runtime.signal.draws import FIRST_BLOCK, LANE_DRAWS, sample_normals, uniforms_of
from megabatt.runtime.signal.lanes import Streams, groups_of, values_of
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
    uniforms,
)
from megabatt.runtime.signal.types import Key, Parameters, Signal, Site
from megabatt.runtime.signal.values import phasors, signal_of, wide

WAVES = 32
"""The scattered waves in Clarke's model."""

_TURNED, _PHASES, _DIRECT = 0, 1, 1 + WAVES
"""The places of the draws in their stream: the turn of all waves, the phases of the waves, then the
angle and the phase of the direct path."""
_DRAWS = _DIRECT + 2
assert _DRAWS <= LANE_DRAWS

MOST_SHIFT = 50.0
"""The most turns of the fastest wave in a sample: with more, samples at the end of a long signal
depend on the rounding of the waves' shifts."""

MOST_TURNS = 0.0125
"""The most turns of the fastest wave between two knots. Fading is computed at the knots; quintics
interpolate between them, with an error of at most 2e-9, little even in a deep fade."""

BEFORE, KNOTS = 2, 6
"""The knots before the interval that a quintic fills, and all knots of a quintic."""


@primitive(charge=lambda signal, P, K, site: length(signal))
def rayleigh(signal: Signal, P: Parameters, K: Key, site: Site) -> Signal:
    """Fade a signal by Rayleigh fading of mean power 1.

    Clarke's model: 32 waves from all sides, of random phases, with Doppler shifts up to
    P.doppler_hz. If P.coherence_ms is not 0, each block of that length is instead faded by one
    complex normal number. Fails for a Doppler shift above 50 times the sample rate.
    """
    return signal_of(signal[0], wide(signal) * _scattered(signal, P, K, site))


def _scattered(signal: Signal, P: Parameters, K: Key, site: Site) -> Any:
    """Compute the Rayleigh fading of every sample, complex."""
    rate, samples = signal
    greatest, coherence = _shift_of(P, rate), value_of(P, "coherence_ms")
    if coherence > 0:
        block = max(math.floor(coherence * rate / 1000 + 0.5), 1)
        block = min(block, len(samples))
        blocks = -(-len(samples) // block)
        parts = sample_normals(K, site, 2 * blocks).view(np.complex128) / math.sqrt(2)
        return np.repeat(parts, block)[: len(samples)]
    draws = uniforms_of(K, site, _DRAWS)
    fading = np.zeros(len(samples), dtype=np.complex128)
    times = np.arange(len(samples))
    for wave in range(WAVES):
        shift = greatest * math.cos(2 * math.pi * (wave + draws[_TURNED]) / WAVES)
        fading += phasors(shift * times + draws[_PHASES + wave])
    return fading / math.sqrt(WAVES)


def _shift_of(P: Parameters, rate: float) -> float:
    """Return the most turns of a wave in a sample. Raises ValueError above MOST_SHIFT."""
    shift = value_of(P, "doppler_hz") / rate
    if not shift <= MOST_SHIFT:
        raise ValueError(f"a Doppler shift of {shift} turns a sample")
    return shift


@rule(rayleigh)
def rayleigh(frame: Frame, signal: Signals, P: Lists, K: Lists, site: Ints) -> Column:
    ones, zeros = xp.ones(frame.n, dtype=xp.float64), xp.zeros(frame.n, dtype=xp.float64)
    return _faded(frame, signal, P, Streams(K, site), ones, zeros)


@primitive(charge=lambda signal, P, K, site: length(signal))
def rician(signal: Signal, P: Parameters, K: Key, site: Site) -> Signal:
    """Fade a signal by Rician fading of mean power 1: Rayleigh fading, and a direct path.

    The direct path has P.k_factor_db more power than all other paths together. The path comes from
    a random side, which sets the path's Doppler shift, and has a random phase. Fails where
    `rayleigh` does.
    """
    rate, samples = signal
    ratio = 10 ** (value_of(P, "k_factor_db") / 10)
    angle, phase = uniforms_of(K, site, _DRAWS)[_DIRECT:]
    shift = _shift_of(P, rate) * math.cos(2 * math.pi * angle)
    direct = phasors(shift * np.arange(len(samples)) + phase)
    scattered = _scattered(signal, P, K, site)
    fading = math.sqrt(ratio / (ratio + 1)) * direct + math.sqrt(1 / (ratio + 1)) * scattered
    return signal_of(rate, wide(signal) * fading)


@rule(rician)
def rician(frame: Frame, signal: Signals, P: Lists, K: Lists, site: Ints) -> Column:
    ratio = 10 ** (values_of(frame, P, "k_factor_db") / 10)
    scattered, direct = xp.sqrt(1 / (ratio + 1)), xp.sqrt(ratio / (ratio + 1))
    return _faded(frame, signal, P, Streams(K, site), scattered, direct)


def _faded(
    frame: Frame, signal: Signals, P: Lists, streams: Streams, scattered: Array, direct: Array
) -> Column:
    """Fade signals, given the amplitudes of the scattered and of the direct part, float64 (n,)."""
    shifts = values_of(frame, P, "doppler_hz") / signal.steps
    frame.fail(~(shifts <= MOST_SHIFT))
    coherence = values_of(frame, P, "coherence_ms")
    blocks = xp.floor(xp.minimum(coherence * signal.steps / 1000, 1e15) + 0.5)
    by_block = coherence > 0
    made = Signals.allocate(signal.steps, xp.where(frame.pay(), signal.counts, 0))
    # both parts are computed every `steps` samples, except a scattered part drawn by blocks
    steps = xp.floor(MOST_TURNS / xp.maximum(shifts, 1e-12))
    steps = xp.minimum(xp.maximum(steps, 1), xp.maximum(made.counts, 1)).astype(xp.int64)
    knots = (made.counts + steps - 1) // steps + KNOTS - 1
    lengths = xp.minimum(xp.maximum(blocks, 1), xp.maximum(made.counts, 1)).astype(xp.int64)
    lengths = xp.where(by_block, lengths, 0)
    draws = uniforms(streams, _DRAWS).ravel()
    wrong = xp.zeros(frame.n, dtype=xp.bool_)
    for first, last in groups_of(knots):
        lanes = slice(first, last)
        n = last - first
        offsets = offsets_of(knots[lanes])
        room = xp.empty(2 * total_of(offsets), dtype=xp.float64)
        set_knots(
            n, offsets, steps[lanes], knots[lanes], shifts[lanes], scattered[lanes], direct[lanes],
            lengths[lanes], draws[first * _DRAWS :], room,
        )  # fmt: skip
        arrays = [array[lanes] for array in streams.arrays]
        fade(
            n, offsets, steps[lanes], signal.starts[lanes], made.starts[lanes],
            made.counts[lanes], lengths[lanes], scattered[lanes], *arrays, room, signal.numbers,
            made.numbers, wrong[lanes],
        )  # fmt: skip
    frame.fail(wrong)
    return made


@team_kernel
def set_knots(
    lane, place, team, offsets, steps, knots, shifts, scattered, direct, blocks, draws, out
):
    """Compute a lane's fading at every step, from `BEFORE` steps before the first sample on.

    The scattered part is left out if it is drawn block by block.
    """
    at = lane * _DRAWS
    shift = shifts[lane]
    step = steps[lane]
    base = uint64(2 * offsets[lane])
    waves = int64(WAVES)
    if blocks[lane] > 0:
        waves = int64(0)
    amplitude = direct[lane]
    each = shift * cos_turns(draws[at + _DIRECT])
    phase = draws[at + _DIRECT + 1]
    for k in range(place, knots[lane], team):
        turns = each * float64((k - BEFORE) * step) + phase
        to = base + uint64(2) * uint64(k)
        out[to] = amplitude * cos_turns(turns)
        out[to + uint64(1)] = amplitude * sin_turns(turns)
    scale = scattered[lane] * _PER_WAVE
    for wave in range(waves):
        each = shift * cos_turns((float64(wave) + draws[at + _TURNED]) * _PER_TURN)
        phase = draws[at + _PHASES + wave]
        for k in range(place, knots[lane], team):
            turns = each * float64((k - BEFORE) * step) + phase
            to = base + uint64(2) * uint64(k)
            out[to] += scale * cos_turns(turns)
            out[to + uint64(1)] += scale * sin_turns(turns)


_PER_WAVE, _PER_TURN = 1 / math.sqrt(WAVES), 1 / WAVES
_ROOT_HALF = math.sqrt(0.5)


@inlined_function
def block_normal(words, part):
    """Make one of the two normal numbers of two words: `part` 0 or 1."""
    turns = second_uniform(words)
    if part == 1:
        turns = turns - 0.25
    return normal_radius(first_uniform(words)) * cos_turns(turns)


# The coefficients of the powers of x in the quintic that is a at -2, b at -1, c at 0, ... f at 3.


@inlined_function
def first_power(a, b, c, d, e, f):
    return (3.0 * a - 30.0 * b - 20.0 * c + 60.0 * d - 15.0 * e + 2.0 * f) * (1.0 / 60.0)


@inlined_function
def second_power(a, b, c, d, e):
    return (16.0 * (b + d) - a - e - 30.0 * c) * (1.0 / 24.0)


@inlined_function
def third_power(a, b, c, d, e, f):
    return (10.0 * c - a - b - 14.0 * d + 7.0 * e - f) * (1.0 / 24.0)


@inlined_function
def fourth_power(a, b, c, d, e):
    return (a + e - 4.0 * (b + d) + 6.0 * c) * (1.0 / 24.0)


@inlined_function
def fifth_power(a, b, c, d, e, f):
    return (f - a + 5.0 * (b - e) + 10.0 * (d - c)) * (1.0 / 120.0)


@team_kernel
def fade(
    lane, place, team, offsets, steps, starts, into, counts, blocks, scattered, seeds, samples,
    receivers, sites, knots, numbers, out, wrong,
):  # fmt: skip
    """Multiply samples by the fading: quintics through six knots, and a number for each block."""
    step = steps[lane]
    count = counts[lane]
    block = blocks[lane]
    source = uint64(2 * starts[lane])
    target = uint64(2 * into[lane])
    part = quotient(1.0, float64(step))
    infinite = int64(0)
    for segment in range(place, (count + step - 1) // step, team):
        at = uint64(2 * (offsets[lane] + segment))
        p0 = knots[at + uint64(0)]
        p1 = knots[at + uint64(2)]
        p2 = knots[at + uint64(4)]
        p3 = knots[at + uint64(6)]
        p4 = knots[at + uint64(8)]
        p5 = knots[at + uint64(10)]
        q0 = knots[at + uint64(1)]
        q1 = knots[at + uint64(3)]
        q2 = knots[at + uint64(5)]
        q3 = knots[at + uint64(7)]
        q4 = knots[at + uint64(9)]
        q5 = knots[at + uint64(11)]
        a1 = first_power(p0, p1, p2, p3, p4, p5)
        b1 = first_power(q0, q1, q2, q3, q4, q5)
        a2 = second_power(p0, p1, p2, p3, p4)
        b2 = second_power(q0, q1, q2, q3, q4)
        a3 = third_power(p0, p1, p2, p3, p4, p5)
        b3 = third_power(q0, q1, q2, q3, q4, q5)
        a4 = fourth_power(p0, p1, p2, p3, p4)
        b4 = fourth_power(q0, q1, q2, q3, q4)
        a5 = fifth_power(p0, p1, p2, p3, p4, p5)
        b5 = fifth_power(q0, q1, q2, q3, q4, q5)
        begin = segment * step
        size = min(step, count - begin)
        for k in range(size):
            x = float64(k) * part
            p = ((((a5 * x + a4) * x + a3) * x + a2) * x + a1) * x + p2
            q = ((((b5 * x + b4) * x + b3) * x + b2) * x + b1) * x + q2
            place_of = uint64(2) * uint64(begin + k)
            u = float64(numbers[source + place_of])
            v = float64(numbers[source + place_of + uint64(1)])
            real = float32(u * p - v * q)
            imaginary = float32(u * q + v * p)
            infinite += int64(real - real + imaginary - imaginary != 0.0)
            out[target + place_of] = real
            out[target + place_of + uint64(1)] = imaginary
    if block > 0:
        wait_for_team()  # other threads of the team wrote the samples above
        for number in range((count + block - 1) // block):
            index = number // 2 + FIRST_BLOCK
            words = low_words(index, sites[lane], receivers[lane], samples[lane], seeds[lane])
            if number % 2 == 1:
                words = high_words(index, sites[lane], receivers[lane], samples[lane], seeds[lane])
            p = block_normal(words, 0) * scattered[lane] * _ROOT_HALF
            q = block_normal(words, 1) * scattered[lane] * _ROOT_HALF
            begin = number * block
            for k in range(begin + place, min(begin + block, count), team):
                place_of = uint64(2) * uint64(k)
                u = float64(numbers[source + place_of])
                v = float64(numbers[source + place_of + uint64(1)])
                real = float32(out[target + place_of] + u * p - v * q)
                imaginary = float32(out[target + place_of + uint64(1)] + u * q + v * p)
                infinite += int64(real - real + imaginary - imaginary != 0.0)
                out[target + place_of] = real
                out[target + place_of + uint64(1)] = imaginary
    infinite = sum_of_team(infinite)
    if place == 0:
        wrong[lane] = infinite > 0
