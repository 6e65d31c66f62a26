"""The parameters of a lane: the record `P`, a tuple of Reals, each with a name, a default, a range.

A name of the table is a constant of the language, in capitals: `parameter(P, SNR_DB)`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from megabatt.runtime.vocabulary import counted


class Parameter(NamedTuple):
    """A parameter: its default, its range, and its meaning."""

    default: float
    least: float
    most: float
    meaning: str


PARAMETERS = {
    "sample_rate_hz": Parameter(200_000.0, 1.0, 1e9, "complex samples a second"),
    "duration_ms": Parameter(1000.0, 0.0, 1e6, "length of a signal"),
    "offset_hz": Parameter(50.0, 0.0, 1e9, "carrier offset: uniform, from minus to plus this"),
    "bandwidth_hz": Parameter(12_500.0, 1e-3, 1e9, "channel's bandwidth, for thermal noise"),
    "phase_noise_rad": Parameter(0.3, 0.0, 1e3, "deviation of the phase noise of `fm_tone`"),
    "modulation": Parameter(3.0, 0.0, 5.0, "AM, PSK2, PSK4, PSK8, QAM16, QAM64"),
    "symbol_rate_hz": Parameter(10_000.0, 1e-3, 1e9, "symbols a second; AM: tone of the message"),
    "roll_off": Parameter(0.35, 0.0, 1.0, "of root-raised-cosine pulses"),
    "am_depth": Parameter(0.5, 0.0, 1.0, "modulation index of AM"),
    "profile": Parameter(0.0, 0.0, 11.0, "of the channel: ECHOES, TDL_A, ..., VEHICULAR_B"),
    "delay_spread_s": Parameter(1e-6, 0.0, 1.0, "root mean square, of profiles TDL_A to TDL_E"),
    "doppler_hz": Parameter(10.0, 0.0, 1e9, "greatest Doppler shift"),
    "k_factor_db": Parameter(6.0, -100.0, 100.0, "power of the direct path over the others'"),
    "coherence_ms": Parameter(0.0, 0.0, 1e6, "block fading with blocks of this length; 0: Jakes"),
    "rx_power_dbm": Parameter(-80.0, -300.0, 300.0, "mean power received"),
    "snr_db": Parameter(20.0, -300.0, 300.0, "signal over noise"),
    "thermal": Parameter(0.0, 0.0, 1.0, "1: noise of k T B and noise_figure_db, instead of snr_db"),
    "temperature_k": Parameter(290.0, 0.0, 1e6, "of thermal noise"),
    "noise_figure_db": Parameter(6.0, -100.0, 100.0, "of the receiver"),
    "frequency_mhz": Parameter(145.0, 1e-3, 1e6, "carrier frequency"),
    "tx_power_dbm": Parameter(40.0, -300.0, 300.0, "power sent"),
    "distance_km": Parameter(10.0, 0.0, 1e6, "from transmitter to receiver"),
    "path_exponent": Parameter(2.0, 0.0, 10.0, "log-distance exponent; 2: free space"),
    "shadowing_db": Parameter(0.0, 0.0, 100.0, "deviation of log-normal shadowing"),
    "environment": Parameter(0.0, 0.0, 1.0, "1: a loss of 5 to 15 dB by what is around"),
    "terrain": Parameter(0.0, 0.0, 2.0, "1: a loss of 10 to 25 dB by terrain; 2: of 25 to 40 dB"),
}
NAMES = tuple(PARAMETERS)
COUNT = len(NAMES)
PLACES = {name: place for place, name in enumerate(NAMES)}

FIRST_NAME = 1000
"""The Integer that stands for the first name: literals of programs are below it."""

MOST_SAMPLES = 1 << 24
"""The most samples of a signal."""


def record(**given: float) -> tuple[float, ...]:
    """Make a lane's parameters, with defaults for the parameters not given.

    Raises ValueError for an unknown name or a value out of its range.
    """
    unknown = sorted(given.keys() - PARAMETERS.keys())
    if unknown:
        raise ValueError(f"no parameter {unknown[0]!r}")
    values = tuple(float(given.get(name, about.default)) for name, about in PARAMETERS.items())
    for name in given:
        value_of(values, name)
    return values


def value_of(parameters: tuple[float, ...], name: str) -> float:
    """Return a parameter of a record. Raises ValueError if it is out of its range."""
    value, about = parameters[PLACES[name]], PARAMETERS[name]
    if not about.least <= value <= about.most:
        raise ValueError(f"{name} is {value}; it must be from {about.least:,} to {about.most:,}")
    return value


def samples_of(parameters: tuple[float, ...]) -> int:
    """Count the samples of a signal of these parameters.

    Raises ValueError if the count, the rate or the duration is out of its range.
    """
    rate, duration = value_of(parameters, "sample_rate_hz"), value_of(parameters, "duration_ms")
    count = math.floor(rate * duration / 1000.0 + 0.5)
    if not 1 <= count <= MOST_SAMPLES:
        raise ValueError(f"a signal of {counted(count, 'sample')}; it may have 1 to {MOST_SAMPLES}")
    return count
