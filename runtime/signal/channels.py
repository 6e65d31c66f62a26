"""Signals over several paths: echoes, tapped delay lines, and delays by parts of samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # imports `scipy.signal`, which takes a second, where it is first used
from numpy import float64, int64, uint64

from megabatt.runtime.engine.columns import Column, Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import Array, offsets_of, total_of, xp
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.engine.device.reals import magnitude, quotient
from megabatt.runtime.signal.charges import length
from megabatt.runtime.signal.constants import PROFILES
from megabatt.runtime.signal.convolution import HALF_WIDTH, MOST_TAPS, convolved
from megabatt.runtime.signal.draws import uniforms_of
from megabatt.runtime.signal.lanes import Streams, numbers_of, values_of
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.layouts.sampled import Signals
from megabatt.runtime.signal.parameters import MOST_SAMPLES, value_of
from megabatt.runtime.signal.philox import normal
from megabatt.runtime.signal.profiles import MOST_PATHS, Profile
from megabatt.runtime.signal.randomness import cos_turns, normals, sin_turns, uniforms
from megabatt.runtime.signal.types import Key, Parameters, Real, Reals, Signal, Site
from megabatt.runtime.signal.values import signal_of, wide

_FEW_TAPS = 64

LEAST_WEIGHT = 1e-12
"""Smaller values of a windowed sinc are 0."""

NEAR = 1e-6
"""Within this distance of its middle, a sinc is 1."""

ECHOES = 3
ECHO_DELAY_S = 0.5e-6, 5e-6
ECHO_POWER_DB = -25.0, -10.0
_NUMBER, _DELAYS, _POWERS, _PHASES = 0, 1, 4, 7
"""The places of the echoes' draws in their stream."""

_OF_PROFILE = [Profile(name) for name in PROFILES[1:]]
_PATHS = MOST_PATHS + 1
"""The most paths of a lane, including the direct one."""


@primitive(charge=lambda signal, P, K, site: length(signal))
def multipath(signal: Signal, P: Parameters, K: Key, site: Site) -> Signal:
    """Send a signal over several paths, by P.profile.

    ECHOES: the signal, and 2 or 3 echoes 0.5 to 5 us later, 10 to 25 dB weaker, of any phase.
    Any other profile: its taps, each faded by a complex normal number. The unit of delay of TDL
    profiles is P.delay_spread_s. A sinc in a Hann window of 16 samples delays by parts of samples.
    Fails for delays of more than 4,080 samples.
    """
    rate = signal[0]
    delays, gains = _paths_of(P, K, site)
    return signal_of(rate, _over_paths(wide(signal), delays * rate, gains))


def _paths_of(P: Parameters, K: Key, site: Site) -> tuple[Any, Any]:
    """Return the delays of the paths, in s, and their complex gains."""
    number = int(value_of(P, "profile"))
    spread = value_of(P, "delay_spread_s")
    if number == 0:
        draws = np.array(uniforms_of(K, site, _PHASES + ECHOES))
        count = 2 + int(draws[_NUMBER] >= 0.5)
        least, most = ECHO_DELAY_S
        delays = least + (most - least) * draws[_DELAYS : _DELAYS + count]
        least, most = ECHO_POWER_DB
        powers = least + (most - least) * draws[_POWERS : _POWERS + count]
        phases = np.exp(2j * np.pi * draws[_PHASES : _PHASES + count])
        return np.append(0.0, delays), np.append(1.0, 10 ** (powers / 20) * phases)
    profile = _OF_PROFILE[number - 1]
    paths = len(profile.powers)
    parts = normal(*K, site, np.arange(2 * paths)).reshape(paths, 2)
    gains = np.sqrt(profile.powers / 2) * (parts[:, 0] + 1j * parts[:, 1])
    gains[0] += math.sqrt(profile.direct)
    return profile.delays * (spread if profile.scaled else 1.0), gains


def _over_paths(samples: Any, delays: Any, gains: Any) -> Any:
    """Add up the samples over all paths, each with its delay in samples and its gain."""
    first = math.floor(np.min(delays))
    count = _taps_for(float(np.max(delays)) - first)
    if count > MOST_TAPS or first > MOST_SAMPLES:
        raise ValueError(f"a delay of {np.max(delays)} samples")
    places = np.arange(int(count))[:, None] - (HALF_WIDTH - 1) - (delays - first)
    inside = np.abs(places) < HALF_WIDTH
    windows = np.where(inside, 0.5 + 0.5 * np.cos(np.pi * places / HALF_WIDTH), 0.0)
    weights = np.sinc(places) * windows
    taps = np.where(np.abs(weights) < LEAST_WEIGHT, 0.0, weights) @ gains
    direct = len(taps) <= _FEW_TAPS  # sums of zeros are then exactly 0
    filtered = (np.convolve if direct else scipy.signal.oaconvolve)(samples, taps)
    begin = HALF_WIDTH - 1 - first
    return np.append(np.zeros(max(-begin, 0)), filtered[max(begin, 0) :])[: len(samples)]


def _taps_for(delay: Any) -> Any:
    """Count the taps of a filter whose longest delay is `delay` samples."""
    return delay // 1 + 2 * HALF_WIDTH


@rule(multipath)
def multipath(frame: Frame, signal: Signals, P: Lists, K: Lists, site: Ints) -> Column:
    streams = Streams(K, site)
    numbers = values_of(frame, P, "profile").astype(xp.int64)
    spreads = values_of(frame, P, "delay_spread_s")
    delays = xp.zeros((frame.n, _PATHS), dtype=xp.float64)
    gains = xp.zeros((frame.n, 2 * _PATHS), dtype=xp.float64)
    draws = uniforms(streams, _PHASES + ECHOES)
    parts = normals(streams, 2 * MOST_PATHS)
    table = map(current().constant, _TABLES)
    set_paths(
        frame.n, numbers, spreads, draws.ravel(), parts.ravel(), *table, delays.ravel(),
        gains.ravel(),
    )  # fmt: skip
    return _delayed(frame, signal, delays * signal.steps[:, None], gains)


def _tables() -> tuple[Any, ...]:
    """Return the profiles for kernels, a row of MOST_PATHS paths each."""
    delays, powers = np.zeros((2, len(PROFILES), MOST_PATHS))
    direct, scaled = np.zeros(len(PROFILES)), np.zeros(len(PROFILES), dtype=np.bool_)
    for number, profile in enumerate(_OF_PROFILE, 1):
        delays[number, : len(profile.delays)] = profile.delays
        powers[number, : len(profile.powers)] = np.sqrt(profile.powers / 2)
        direct[number], scaled[number] = math.sqrt(profile.direct), profile.scaled
    return delays.ravel(), powers.ravel(), direct, scaled


_TABLES = _tables()


@team_kernel
def set_paths(
    lane, place, team, numbers, spreads, draws, parts, delays_of, powers_of, direct_of, scaled,
    delays, gains,
):  # fmt: skip
    """Store the delays and gains of a lane's paths; absent paths keep gain 0."""
    number = numbers[lane]
    to = lane * _PATHS
    if number == 0:
        at = lane * (_PHASES + ECHOES)
        if place == 0:
            gains[2 * to] = 1.0
        count = int64(2)
        if draws[at + _NUMBER] >= 0.5:
            count = int64(3)
        for k in range(place, count, team):
            delays[to + 1 + k] = _LEAST_DELAY + _DELAY_RANGE * draws[at + _DELAYS + k]
            power = _LEAST_POWER + _POWER_RANGE * draws[at + _POWERS + k]
            gain = 10.0 ** (power * 0.05)
            phase = draws[at + _PHASES + k]
            gains[2 * (to + 1 + k)] = gain * cos_turns(phase)
            gains[2 * (to + 1 + k) + 1] = gain * sin_turns(phase)
    else:
        scale = 1.0
        if scaled[number]:
            scale = spreads[lane]
        for k in range(place, MOST_PATHS, team):
            row = number * MOST_PATHS + k
            delays[to + k] = delays_of[row] * scale
            real = powers_of[row] * parts[2 * (lane * MOST_PATHS + k)]
            if k == 0:
                real += direct_of[number]
            gains[2 * (to + k)] = real
            gains[2 * (to + k) + 1] = powers_of[row] * parts[2 * (lane * MOST_PATHS + k) + 1]


_LEAST_DELAY, _DELAY_RANGE = ECHO_DELAY_S[0], ECHO_DELAY_S[1] - ECHO_DELAY_S[0]
_LEAST_POWER, _POWER_RANGE = ECHO_POWER_DB[0], ECHO_POWER_DB[1] - ECHO_POWER_DB[0]


def _delayed(frame: Frame, signal: Signals, delays: Array, gains: Array) -> Column:
    """Send signals over paths: delays in samples (n, paths), gains (n, 2 * paths)."""
    first = xp.floor(delays.min(axis=1))
    longest = delays.max(axis=1) - first
    wrong = ~((_taps_for(longest) <= MOST_TAPS) & (first <= MOST_SAMPLES))
    frame.fail(wrong)
    first = xp.where(wrong, 0.0, first)
    delays = xp.where(wrong[:, None], 0.0, delays - first[:, None])
    counts = _taps_for(xp.where(wrong, 0.0, longest)).astype(xp.int64)
    offsets = offsets_of(counts)
    taps = xp.empty(2 * total_of(offsets), dtype=xp.float64)
    paths = delays.shape[1]
    set_taps(frame.n, paths, offsets, counts, delays.ravel(), gains.ravel(), taps)
    leads = HALF_WIDTH - 1 - first.astype(xp.int64)
    return convolved(frame, signal, taps, offsets[:-1].copy(), counts, leads)


@team_kernel
def set_taps(lane, place, team, paths, offsets, counts, delays, gains, taps):
    """Store the taps of a lane: windowed sincs, added up over its paths."""
    for k in range(place, counts[lane], team):
        real = 0.0
        imaginary = 0.0
        for path in range(paths):
            at = lane * paths + path
            where = float64(k - (HALF_WIDTH - 1)) - delays[at]
            if magnitude(where) < HALF_WIDTH:
                value = 1.0
                if magnitude(where) > NEAR:
                    angle = math.pi * where
                    value = quotient(sin_turns(0.5 * where), angle)
                value = value * (0.5 + 0.5 * cos_turns(where * (0.5 / HALF_WIDTH)))
                if magnitude(value) < LEAST_WEIGHT:
                    value = 0.0
                real += value * gains[2 * at]
                imaginary += value * gains[2 * at + 1]
        to = uint64(2 * (offsets[lane] + k))
        taps[to] = real
        taps[to + uint64(1)] = imaginary


@primitive(charge=lambda signal, seconds: length(signal))
def delay(signal: Signal, seconds: Real) -> Signal:
    """Delay a signal, also by parts of a sample; silence comes first, and the length stays.

    Uses a sinc in a Hann window of 16 samples. Fails for negative delays, and for delays of more
    than 2**24 samples.
    """
    if not 0 <= seconds < math.inf:
        raise ValueError(f"a delay of {seconds} s")
    delays = np.array([seconds * signal[0]])
    return signal_of(signal[0], _over_paths(wide(signal), delays, np.array([1.0 + 0j])))


@rule(delay)
def delay(frame: Frame, signal: Signals, seconds: Floats) -> Column:
    right = (seconds.data >= 0) & (seconds.data < math.inf)
    frame.fail(~right)
    delays = xp.where(right, seconds.data, 0.0) * signal.steps
    gains = xp.zeros((frame.n, 2), dtype=xp.float64)
    gains[:, 0] = 1.0
    return _delayed(frame, signal, delays[:, None], gains)


@primitive(charge=lambda signal, taps: length(signal))
def filter(signal: Signal, taps: Reals) -> Signal:
    """Filter a signal, silent before it begins, by a finite impulse response; the length stays.

    Works as `scipy.signal.lfilter(taps, 1, samples)`. Fails without taps, above 4,096 taps, and for
    taps that are not finite.
    """
    if not 1 <= len(taps) <= MOST_TAPS:
        raise ValueError(f"{len(taps)} taps")
    if not all(map(math.isfinite, taps)):
        raise ValueError("taps must be finite")
    return signal_of(signal[0], scipy.signal.lfilter(taps, 1.0, wide(signal)))


@rule(filter)
def filter(frame: Frame, signal: Signals, taps: Lists) -> Column:
    wrong = (taps.counts < 1) | (taps.counts > MOST_TAPS)
    counts = xp.where(wrong, 0, taps.counts)
    offsets = offsets_of(xp.maximum(counts, 1))
    complexes = xp.zeros(2 * total_of(offsets), dtype=xp.float64)
    infinite = xp.zeros(frame.n, dtype=xp.bool_)
    copy_taps(frame.n, offsets, taps.starts, counts, numbers_of(taps), complexes, infinite)
    frame.fail(wrong | infinite)
    leads = xp.zeros(frame.n, dtype=xp.int64)
    return convolved(frame, signal, complexes, offsets[:-1].copy(), xp.maximum(counts, 1), leads)


@team_kernel
def copy_taps(lane, place, team, offsets, starts, counts, reals, taps, infinite):
    for k in range(place, counts[lane], team):
        value = reals[starts[lane] + k]
        if value - value != 0.0:
            infinite[lane] = True
            value = 0.0
        taps[2 * (offsets[lane] + k)] = value
