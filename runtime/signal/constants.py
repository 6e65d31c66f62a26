"""The constants of the language, by name."""

from __future__ import annotations

from typing import Any

from megabatt.runtime.signal.parameters import FIRST_NAME, NAMES

MODULATIONS = ("AM", "PSK2", "PSK4", "PSK8", "QAM16", "QAM64")
"""The meanings of P.modulation, from 0 on."""

PROFILES = (
    "ECHOES",
    "TDL_A", "TDL_B", "TDL_C", "TDL_D", "TDL_E",
    "INDOOR_A", "INDOOR_B", "PEDESTRIAN_A", "PEDESTRIAN_B", "VEHICULAR_A", "VEHICULAR_B",
)  # fmt: skip
"""The meanings of P.profile, from 0 on: random echoes, 3GPP TR 38.901, ITU-R M.1225."""

FEATURES = (
    "rssi_dbm", "snr_db", "noise_floor_dbm", "frequency_offset_hz", "bandwidth_hz", "peak_hz",
    "centroid_hz", "roll_off_hz", "envelope_mean", "envelope_std", "envelope_max", "crest",
    "zero_crossings_hz", "delay_spread_s", "coherence_bandwidth_hz", "coherence_confidence",
    "present", "confidence",
)  # fmt: skip
"""The features, in their order."""

STATISTICS = ("mean", "std", "min", "max")
"""The statistics of the features over the chunks. The result has all features per statistic."""

CONSTANTS: dict[str, Any] = {
    "T": True,
    "F": False,
    "ZERO": 0.0,
    "HALF": 0.5,
    "ONE": 1.0,
    "TEN": 10.0,
    "MICROSECOND": 1e-6,
    "HALF_SECOND_MS": 500.0,
    "SPACING_HZ": 25_000.0,
    **{name: float(number) for number, name in enumerate(MODULATIONS)},
    **{name: float(number) for number, name in enumerate(PROFILES)},
    **{name.upper(): FIRST_NAME + place for place, name in enumerate(NAMES)},
}
