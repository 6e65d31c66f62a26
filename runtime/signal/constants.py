"""The constants of the language, by name."""

from __future__ import annotations

from typing import Any

from megabatt.runtime.signal.parameters import FIRST_NAME, NAMES

MODULATIONS = ("AM", "PSK2", "PSK4", "PSK8", "QAM16", "QAM64")
"""What P.modulation stands for, from 0 on."""

PROFILES = (
    "ECHOES",
    "TDL_A", "TDL_B", "TDL_C", "TDL_D", "TDL_E",
    "INDOOR_A", "INDOOR_B", "PEDESTRIAN_A", "PEDESTRIAN_B", "VEHICULAR_A", "VEHICULAR_B",
)  # fmt: skip
"""What P.profile stands for, from 0 on: random echoes, 3GPP TR 38.901, ITU-R M.1225."""

CONSTANTS: dict[str, Any] = {
    "T": True,
    "F": False,
    **{name: float(number) for number, name in enumerate(MODULATIONS)},
    **{name: float(number) for number, name in enumerate(PROFILES)},
    **{name.upper(): FIRST_NAME + place for place, name in enumerate(NAMES)},
}
