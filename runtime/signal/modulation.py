"""Modulated signals: AM, PSK and QAM with root-raised-cosine pulses."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import scipy  # imports `scipy.signal`, which takes a second, where it is first used
from numpy import float32, float64, int64, uint64

from megabatt.runtime.engine.columns import Column, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import magnitude, quotient, rounded_down, square_root
from megabatt.runtime.engine.device.teams import real_sum_of_team
from megabatt.runtime.signal.charges import duration
from megabatt.runtime.signal.draws import FIRST_BLOCK, sample_uniforms, uniforms_of
from megabatt.runtime.signal.lanes import Streams, groups_of, values_of
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals
from megabatt.runtime.signal.parameters import samples_of, value_of
from megabatt.runtime.signal.randomness import (
    cos_turns,
    first_uniform,
    high_words,
    low_words,
    second_uniform,
    sin_turns,
    uniforms,
)
from megabatt.runtime.signal.types import Key, Parameters, Signal, Site
from megabatt.runtime.signal.values import phasors, signal_of

AM = 0
SYMBOLS = {1: 2, 2: 4, 3: 8, 4: 16, 5: 64}
"""The number of points of each modulation but AM, by P.modulation."""

SIDE = 4
"""Reach of a pulse to each side, in symbols."""

MOST_SAMPLES_A_SYMBOL = 1 << 16


@primitive(charge=lambda P, K, site: duration(P))
def modulated(P: Parameters, K: Key, site: Site) -> Signal:
    """Make a modulated carrier of mean power 1 mW, by P.modulation; offset and phase as in `tone`.

    AM: a message of one frequency, P.symbol_rate_hz, of random phase, and index P.am_depth. PSK and
    QAM: independent symbols, equally likely, as root-raised-cosine pulses of P.roll_off that reach
    4 symbols to each side. A symbol has a whole number of samples, at least 2: the number nearest
    to P.symbol_rate_hz.
    """
    count, rate = samples_of(P), value_of(P, "sample_rate_hz")
    number, symbol_rate = int(value_of(P, "modulation")), value_of(P, "symbol_rate_hz")
    depth, roll_off = value_of(P, "am_depth"), value_of(P, "roll_off")
    offset, phase, start = uniforms_of(K, site, 3)
    turns = value_of(P, "offset_hz") * (2 * offset - 1) / rate * np.arange(count) + phase
    carrier = phasors(turns)
    if number == AM:
        message = phasors(symbol_rate / rate * np.arange(count) + start).real
        return signal_of(rate, carrier * (1 + depth * message) / math.sqrt(1 + depth**2 / 2))
    each = _samples_a_symbol(rate, symbol_rate)
    symbols = -(-count // each) + 2 * SIDE
    draws = sample_uniforms(K, site, symbols)
    points = _constellation(number)[np.floor(draws * SYMBOLS[number]).astype(np.int64)]
    spread = np.zeros(symbols * each, dtype=np.complex128)
    spread[::each] = points
    pulse = rrc_pulse(each, roll_off)
    shaped = (np.convolve if len(pulse) < 200 else scipy.signal.oaconvolve)(spread, pulse)
    begin = 2 * SIDE * each
    return signal_of(rate, carrier * shaped[begin : begin + count])


def _samples_a_symbol(rate: float, symbol_rate: float) -> int:
    """Return the number of samples of a symbol. Raises ValueError if there are too many."""
    each = max(math.floor(rate / symbol_rate + 0.5), 2)
    if each > MOST_SAMPLES_A_SYMBOL:
        raise ValueError(f"{each} samples a symbol")
    return each


@cache
def _constellation(number: int) -> np.ndarray[Any, Any]:
    """Return the points of a modulation, of mean power 1."""
    count = SYMBOLS[number]
    if count <= 8:
        return np.exp(2j * np.pi * np.arange(count) / count)
    side = math.isqrt(count)
    levels = 2 * np.arange(side) - (side - 1)
    points = (levels[:, None] + 1j * levels[None, :]).ravel()
    return points / np.sqrt(np.mean(np.abs(points) ** 2))  # type: ignore[no-any-return]


def rrc_pulse(each: int, roll_off: float) -> np.ndarray[Any, Any]:
    """Make a root-raised-cosine pulse from -4 to 4 symbols; the sum of its squares is `each`.

    each: Samples a symbol. The pulse has the limit of the usual formula where the formula is 0/0.
    """
    t = np.arange(-SIDE * each, SIDE * each + 1) / each
    with np.errstate(divide="ignore", invalid="ignore"):
        pulse = (
            np.sin(np.pi * t * (1 - roll_off))
            + 4 * roll_off * t * np.cos(np.pi * t * (1 + roll_off))
        ) / (np.pi * t * (1 - (4 * roll_off * t) ** 2))
    pulse[t == 0] = 1 - roll_off + 4 * roll_off / np.pi
    if roll_off > 0:
        limit = (1 + 2 / np.pi) * math.sin(math.pi / (4 * roll_off))
        limit += (1 - 2 / np.pi) * math.cos(math.pi / (4 * roll_off))
        edge = np.abs(np.abs(4 * roll_off * t) - 1) < EDGE
        pulse[edge] = roll_off / math.sqrt(2) * limit
    return pulse * math.sqrt(each / np.sum(pulse**2))  # type: ignore[no-any-return]


EDGE = 1e-8
"""The pulse has its limit within this distance of where the formula is 0/0."""


@rule(modulated)
def modulated(frame: Frame, P: Lists, K: Lists, site: Ints) -> Column:
    n = frame.n
    counts = duration(P)
    frame.fail(counts == 0)
    rates, symbol_rates = (
        values_of(frame, P, name) for name in ("sample_rate_hz", "symbol_rate_hz")
    )
    numbers = values_of(frame, P, "modulation").astype(xp.int64)
    depths, roll_offs = values_of(frame, P, "am_depth"), values_of(frame, P, "roll_off")
    streams = Streams(K, site)
    offset, phases, begins = (column.copy() for column in uniforms(streams, 3).T)
    steps = values_of(frame, P, "offset_hz") * (2 * offset - 1) / rates
    each = xp.maximum(xp.floor(rates / symbol_rates + 0.5), 2)
    wrong = (each > MOST_SAMPLES_A_SYMBOL) & (numbers != AM)
    frame.fail(wrong)
    made = Signals.allocate(rates, xp.where(frame.pay() & ~wrong, counts, 0))
    each = xp.where(wrong | (numbers == AM), 2, each).astype(xp.int64)
    offsets, pulses = _pulses(n, each, roll_offs, numbers)
    table = current().constant(_POINTS)
    symbols = xp.where(numbers == AM, 0, -(-made.counts // each) + 2 * SIDE)
    for first, last in groups_of(symbols):
        lanes = slice(first, last)
        starts = offsets_of(symbols[lanes])
        room = xp.empty(2 * total_of(starts), dtype=xp.float64)
        arrays = [array[lanes] for array in streams.arrays]
        draw_symbols(last - first, starts, symbols[lanes], numbers[lanes], *arrays, table, room)
        shape_symbols(
            last - first, starts, each[lanes], offsets[lanes], numbers[lanes],
            made.starts[lanes], made.counts[lanes], steps[lanes], phases[lanes], pulses, room,
            made.numbers,
        )  # fmt: skip
    modulate_amplitude(
        n, numbers, made.starts, made.counts, steps, phases, symbol_rates / rates, begins, depths,
        made.numbers,
    )  # fmt: skip
    return made


def _table_of_points() -> np.ndarray[Any, Any]:
    """Return the points of all modulations for kernels: 64 of each, real and imaginary part."""
    table = np.zeros((max(SYMBOLS) + 1, max(SYMBOLS.values())), dtype=np.complex128)
    for number, count in SYMBOLS.items():
        table[number, :count] = _constellation(number)
    return table.ravel().view(np.float64)


_POINTS = _table_of_points()
_MOST_POINTS = max(SYMBOLS.values())


def _pulses(n: int, each: Array, roll_offs: Array, numbers: Array) -> tuple[Array, Array]:
    """Make the pulses of all lanes; also return where each begins."""
    counts = xp.where(numbers == AM, 0, 2 * SIDE * each + 1)
    offsets = offsets_of(counts)
    pulses = xp.empty(total_of(offsets), dtype=xp.float64)
    limits = xp.where(roll_offs > 0, math.pi / 4 / xp.where(roll_offs > 0, roll_offs, 1.0), 0.0)
    limits = (1 + 2 / math.pi) * xp.sin(limits) + (1 - 2 / math.pi) * xp.cos(limits)
    set_pulse(n, offsets, counts, each, roll_offs, roll_offs / math.sqrt(2) * limits, pulses)
    return offsets[:-1].copy(), pulses


@team_kernel
def set_pulse(lane, place, team, offsets, counts, each, roll_offs, limits, pulses):
    """Make a lane's root-raised-cosine pulse, as `rrc_pulse` does."""
    roll_off = roll_offs[lane]
    squares = 0.0
    for k in range(place, counts[lane], team):
        t = quotient(float64(k - SIDE * each[lane]), float64(each[lane]))
        edge = 4.0 * roll_off * t
        value = limits[lane]
        if t == 0.0:
            value = 1.0 - roll_off + 4.0 * roll_off * (1.0 / math.pi)
        elif magnitude(magnitude(edge) - 1.0) >= EDGE:
            value = sin_turns(0.5 * t * (1.0 - roll_off))
            value += edge * cos_turns(0.5 * t * (1.0 + roll_off))
            value = quotient(value, math.pi * t * (1.0 - edge * edge))
        pulses[offsets[lane] + k] = value
        squares += value * value
    squares = real_sum_of_team(squares)
    scale = square_root(quotient(float64(each[lane]), squares))
    for k in range(place, counts[lane], team):
        pulses[offsets[lane] + k] *= scale


@team_kernel
def draw_symbols(
    lane, place, team, offsets, counts, numbers, seeds, samples, receivers, sites, table, out
):
    """Draw the points of a lane's symbols, four a block."""
    number = numbers[lane]
    points = 1 << number
    if number == 4:
        points = 16
    if number == 5:
        points = 64
    for k in range(place, counts[lane], team):
        block = k // 4 + FIRST_BLOCK
        words = low_words(block, sites[lane], receivers[lane], samples[lane], seeds[lane])
        if k & 2:
            words = high_words(block, sites[lane], receivers[lane], samples[lane], seeds[lane])
        uniform = first_uniform(words)
        if k & 1:
            uniform = second_uniform(words)
        at = 2 * (number * _MOST_POINTS + int64(rounded_down(uniform * points)))
        to = 2 * (offsets[lane] + k)
        out[to] = table[at]
        out[to + 1] = table[at + 1]


@team_kernel
def shape_symbols(
    lane, place, team, offsets, each, pulse_starts, numbers, into, counts, steps, phases, pulses,
    symbols, out,
):  # fmt: skip
    """Sum the pulses that reach each sample, and put them on the carrier."""
    if numbers[lane] != 0:
        size = each[lane]
        pulse = pulse_starts[lane]
        source = 2 * offsets[lane]
        base = uint64(2 * into[lane])
        for k in range(place, counts[lane], team):
            symbol = k // size
            within = k - symbol * size
            real = 0.0
            imaginary = 0.0
            for m in range(2 * SIDE + 1):
                # symbol + m lies m - SIDE symbols from the symbol of this sample
                at = within + (2 * SIDE - m) * size
                if at <= 2 * SIDE * size:
                    weight = pulses[uint64(pulse + at)]
                    real += weight * symbols[uint64(source + 2 * (symbol + m))]
                    imaginary += weight * symbols[uint64(source + 2 * (symbol + m) + 1)]
            turns = steps[lane] * float64(k) + phases[lane]
            c = cos_turns(turns)
            s = sin_turns(turns)
            to = base + uint64(2) * uint64(k)
            out[to] = float32(real * c - imaginary * s)
            out[to + uint64(1)] = float32(real * s + imaginary * c)


@team_kernel
def modulate_amplitude(
    lane, place, team, numbers, into, counts, steps, phases, rates, begins, depths, out
):
    """Make a carrier whose amplitude follows a message of one frequency."""
    if numbers[lane] == 0:
        depth = depths[lane]
        scale = quotient(1.0, square_root(1.0 + 0.5 * depth * depth))
        base = uint64(2 * into[lane])
        for k in range(place, counts[lane], team):
            envelope = scale * (1.0 + depth * cos_turns(rates[lane] * float64(k) + begins[lane]))
            turns = steps[lane] * float64(k) + phases[lane]
            to = base + uint64(2) * uint64(k)
            out[to] = float32(envelope * cos_turns(turns))
            out[to + uint64(1)] = float32(envelope * sin_turns(turns))
