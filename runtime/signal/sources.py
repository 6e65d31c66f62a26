"""Signals to begin with: a tone, and narrow-band FM."""

from __future__ import annotations

import numpy as np
from numpy import float32, uint64

from megabatt.runtime.engine.columns import Column, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import rounded_down
from megabatt.runtime.signal.charges import duration
from megabatt.runtime.signal.draws import FIRST_BLOCK, sample_normals, uniforms_of
from megabatt.runtime.signal.lanes import Scratch, Streams, groups_of, values_of
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals
from megabatt.runtime.signal.parameters import samples_of, value_of
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
from megabatt.runtime.signal.values import phasors, signal_of

SMOOTHED = 10
"""Samples over which the phase noise of FM is smoothed."""


@primitive(charge=lambda P, K, site: duration(P))
def tone(P: Parameters, K: Key, site: Site) -> Signal:
    """Make a carrier of power 1 mW: exp(j 2 pi (f t + phi)).

    f is uniform from -P.offset_hz to P.offset_hz, phi from 0 to 1.
    """
    count, rate = samples_of(P), value_of(P, "sample_rate_hz")
    step, phase = _carrier(P, K, site)
    return signal_of(rate, phasors(step * np.arange(count) + phase))


def _carrier(P: Parameters, K: Key, site: Site) -> tuple[float, float]:
    """Draw a carrier: its turns per sample, and its phase at the first sample in turns."""
    offset, phase = uniforms_of(K, site, 2)
    rate = value_of(P, "sample_rate_hz")
    return value_of(P, "offset_hz") * (2 * offset - 1) / rate, phase


@rule(tone)
def tone(frame: Frame, P: Lists, K: Lists, site: Ints) -> Column:
    made, steps, phases = _allocated(frame, P, Streams(K, site))
    fill_tone(frame.n, made.starts, made.counts, steps, phases, made.numbers)
    return made


def _allocated(frame: Frame, P: Lists, streams: Streams) -> tuple[Signals, Array, Array]:
    """Pay for signals and make room for them; also draw their carriers, as `_carrier` does."""
    counts = duration(P)
    frame.fail(counts == 0)
    rates = values_of(frame, P, "sample_rate_hz")
    offset, phases = uniforms(streams, 2).T
    steps = values_of(frame, P, "offset_hz") * (2 * offset - 1) / rates
    made = Signals.allocate(rates, xp.where(frame.pay(), counts, 0))
    return made, steps, phases.copy()


@team_kernel
def fill_tone(lane, place, team, starts, counts, steps, phases, out):
    step = steps[lane]
    phase = phases[lane]
    base = uint64(2 * starts[lane])
    for k in range(place, counts[lane], team):
        turns = step * k + phase
        at = base + uint64(2) * uint64(k)
        out[at] = float32(cos_turns(turns))
        out[at + uint64(1)] = float32(sin_turns(turns))


@primitive(charge=lambda P, K, site: duration(P))
def fm_tone(P: Parameters, K: Key, site: Site) -> Signal:
    """Make a tone with narrow-band FM: normal phase noise of P.phase_noise_rad, smoothed.

    The noise is the mean of 10 neighbouring numbers; each has the deviation P.phase_noise_rad.
    """
    count, rate = samples_of(P), value_of(P, "sample_rate_hz")
    step, phase = _carrier(P, K, site)
    noise = sample_normals(K, site, count + SMOOTHED - 1)
    smooth = np.convolve(noise, np.full(SMOOTHED, 1 / SMOOTHED), mode="valid")
    turns = step * np.arange(count) + phase
    noisy = np.exp(1j * value_of(P, "phase_noise_rad") * smooth)
    return signal_of(rate, phasors(turns) * noisy)


@rule(fm_tone)
def fm_tone(frame: Frame, P: Lists, K: Lists, site: Ints) -> Column:
    streams = Streams(K, site)
    deviations = values_of(frame, P, "phase_noise_rad")
    made, steps, phases = _allocated(frame, P, streams)
    blocks = (made.counts + (SMOOTHED + 2)) // 4
    scale = deviations / (2 * np.pi * SMOOTHED)
    scratch = Scratch(xp.float64)
    for first, last in groups_of(made.counts):
        lanes = slice(first, last)
        offsets = offsets_of(blocks[lanes])
        noise = scratch.of(4 * total_of(offsets))
        arrays = [array[lanes] for array in streams.arrays]
        fill_normals(last - first, offsets, blocks[lanes], *arrays, noise)
        fill_fm(
            last - first, offsets, made.starts[lanes], made.counts[lanes], steps[lanes],
            phases[lanes], scale[lanes], noise, made.numbers,
        )  # fmt: skip
    return made


@team_kernel
def fill_normals(lane, place, team, offsets, blocks, seeds, samples, receivers, sites, out):
    """Draw the normal numbers for a lane's samples, four a block."""
    seed = seeds[lane]
    sample = samples[lane]
    receiver = receivers[lane]
    site = sites[lane]
    base = uint64(4 * offsets[lane])
    for k in range(place, blocks[lane], team):
        low = low_words(k + FIRST_BLOCK, site, receiver, sample, seed)
        high = high_words(k + FIRST_BLOCK, site, receiver, sample, seed)
        at = base + uint64(4) * uint64(k)
        radius = normal_radius(first_uniform(low))
        turns = second_uniform(low)
        out[at] = radius * cos_turns(turns)
        out[at + uint64(1)] = radius * sin_turns(turns)
        radius = normal_radius(first_uniform(high))
        turns = second_uniform(high)
        out[at + uint64(2)] = radius * cos_turns(turns)
        out[at + uint64(3)] = radius * sin_turns(turns)


@team_kernel
def fill_fm(lane, place, team, offsets, starts, counts, steps, phases, scales, noise, out):
    """Make a lane's carrier; its phase is turned on by the scaled sum of SMOOTHED numbers."""
    step = steps[lane]
    phase = phases[lane]
    scale = scales[lane]
    source = uint64(4 * offsets[lane])
    base = uint64(2 * starts[lane])
    for k in range(place, counts[lane], team):
        at = source + uint64(k)
        total = noise[at]
        for m in range(1, SMOOTHED):
            total += noise[at + uint64(m)]
        turns = step * k + phase
        turns = turns - rounded_down(turns) + scale * total
        target = base + uint64(2) * uint64(k)
        out[target] = float32(cos_turns(turns))
        out[target + uint64(1)] = float32(sin_turns(turns))
