"""Reads a dataset's configuration from a TOML file; every key has a type, range and default."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from megabatt.runtime.signal.constants import MODULATIONS
from megabatt.runtime.signal.features import CHUNKS, LEAST_POINTS
from megabatt.runtime.signal.parameters import MOST_SAMPLES
from megabatt.runtime.vocabulary import counted, did_you_mean, there_are


class ConfigurationError(Exception):
    """Raised for a wrong configuration; the message has a line for each mistake."""


class Receiver(NamedTuple):
    """The place of a receiver of the network, in degrees."""

    name: str
    latitude: float
    longitude: float


NETWORK = (
    Receiver("Torino", 45.07, 7.69),
    Receiver("Aosta", 45.74, 7.32),
    Receiver("Novara", 45.45, 8.62),
    Receiver("Alessandria", 44.91, 8.61),
    Receiver("Cuneo", 44.39, 7.55),
    Receiver("Savona", 44.31, 8.48),
    Receiver("Piacenza", 45.05, 9.69),
)
"""The default places of receivers."""

LEAST_SAMPLES = CHUNKS * LEAST_POINTS
"""The fewest samples of a signal that has features."""

IQ_FORMATS = ("none", "npy", "sigmf")


@dataclass(frozen=True)
class Configuration:
    """A dataset's configuration; `KEYS` says what each key means.

    snr_db: None to use the link budget. receivers: Of the network. modulations: Pairs of a label
    and a modulation; each transmitter gets one pair. Empty for `fm_tone`.
    """

    dataset_name: str = "signals"
    num_samples: int = 10_000
    seed: int = 0
    frequency_mhz: float = 145.0
    tx_power_dbm: float = 40.0
    noise_floor_dbm: float = -120.0
    snr_db: float | None = None
    sample_rate_hz: float = 200_000.0
    duration_ms: float = 1000.0
    enable_multipath: bool = True
    enable_fading: bool = True
    min_snr_db: float = 3.0
    max_gdop: float = 100.0
    use_random_receivers: bool = True
    min_receivers: int = 3
    max_receivers: int = 10
    batch_size: int = 64
    keep_iq: str = "none"
    modulations: tuple[tuple[str, str], ...] = ()
    receivers: tuple[Receiver, ...] = NETWORK

    @property
    def signal_length(self) -> int:
        """The number of samples of a signal."""
        return math.floor(self.sample_rate_hz * self.duration_ms / 1000.0 + 0.5)

    @property
    def most_receivers(self) -> int:
        """The most receivers that a sample may have."""
        return self.max_receivers if self.use_random_receivers else len(self.receivers)


class Key(NamedTuple):
    """The values that a key may have. least, most: A number's bounds; None for a text or a flag."""

    kind: type
    least: float | None
    most: float | None
    meaning: str


KEYS = {
    "dataset_name": Key(str, None, None, "what the dataset is called"),
    "num_samples": Key(int, 1, 1_000_000_000, "samples (transmitters) to accept"),
    "seed": Key(int, 0, 2**63 - 1, "of all draws"),
    "frequency_mhz": Key(float, 0.001, 1e6, "carrier frequency"),
    "tx_power_dbm": Key(float, -300, 300, "power sent"),
    "noise_floor_dbm": Key(float, -300, 300, "noise at a receiver"),
    "snr_db": Key(float, -300, 300, "signal over noise of every link, in place of the budget's"),
    "sample_rate_hz": Key(float, 1, 1e9, "complex samples a second"),
    "duration_ms": Key(float, 0.001, 1e6, "length of a signal"),
    "enable_multipath": Key(bool, None, None, "whether signals have echoes"),
    "enable_fading": Key(bool, None, None, "whether signals fade"),
    "min_snr_db": Key(float, -300, 300, "below it a receiver does not hear the transmitter"),
    "max_gdop": Key(float, 0, 1e9, "above it the receivers' geometry is too poor"),
    "use_random_receivers": Key(bool, None, None, "receivers anywhere in the network's box"),
    "min_receivers": Key(int, 3, 1000, "the fewest drawn, and the fewest that must hear"),
    "max_receivers": Key(int, 3, 1000, "the most drawn"),
    "batch_size": Key(int, 1, 1 << 20, "signals computed at once"),
    "keep_iq": Key(str, None, None, "whether to keep the signals: " + ", ".join(IQ_FORMATS)),
    "modulations": Key(list, None, None, "a list of modulations, or a table: label = modulation"),
    "receivers": Key(list, None, None, "the network: [[receivers]] of name, latitude, longitude"),
}
"""The keys of a configuration file, all optional."""

_FREE = ("num_samples", "batch_size")
"""The keys that may differ when a dataset is resumed."""


def read_configuration(path: Path) -> Configuration:
    """Read the configuration in a TOML file. Raises ConfigurationError."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        _refuse_large_integers(found)
    except RecursionError:
        raise ConfigurationError(f"{path}: not TOML: nested too deeply") from None
    except ValueError as error:  # of tomllib, of UTF-8, of numbers with thousands of digits
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from error
    wrong: list[str] = []
    values = {name: _checked(name, value, wrong) for name, value in found.items()}
    if not wrong:
        configuration = Configuration(**values)
        _check_together(configuration, wrong)
    if wrong:
        raise ConfigurationError("\n".join(f"{path}: {line}" for line in wrong))
    return configuration


def _refuse_large_integers(value: Any) -> None:
    """Refuse integers of more than 1023 bits: TOML has 64. Raises ValueError."""
    if isinstance(value, int) and value.bit_length() > 1023:
        raise ValueError("an integer has far more than 64 bits")
    if isinstance(value, dict):
        value = list(value.values())
    for element in value if isinstance(value, list) else ():
        _refuse_large_integers(element)


def _checked(name: str, value: Any, wrong: list[str]) -> Any:
    """Return the key's checked value; add mistakes to `wrong`."""
    if name not in KEYS:
        meant = did_you_mean(name, KEYS)
        wrong.append(f"unknown key {name}" + (meant or f"; the keys are {', '.join(KEYS)}"))
        return None
    key = KEYS[name]
    if name == "receivers":
        return _receivers(value, wrong)
    if name == "modulations":
        return _modulations(value, wrong)
    if name == "keep_iq":
        value = {False: "none", True: "npy"}.get(value, value) if type(value) is bool else value
        if value not in IQ_FORMATS:
            wrong.append(f"{name} is {value!r}; it must be true, false or {_either(IQ_FORMATS)}")
        return value
    return _number(name, value, key, wrong)


_CALLED = {str: "a text", int: "an integer", float: "a number", bool: "true or false"}


def _number(name: str, value: Any, key: Key, wrong: list[str]) -> Any:
    """Check a value's type and range; return it, as a float if the key has floats."""
    if key.kind is float and type(value) is int:
        value = float(value)
    kind: Any = type(value)
    if kind is not key.kind:
        wrong.append(f"{name} is {value!r}; it must be {_CALLED[key.kind]}")
    elif key.least is not None and key.most is not None and not key.least <= value <= key.most:
        wrong.append(f"{name} is {value}; it must be from {key.least:,} to {key.most:,}")
    elif key.kind is str and not value.strip():
        wrong.append(f"{name} is empty")
    return value


def _either(words: tuple[str, ...]) -> str:
    quoted = [f'"{word}"' for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _modulations(value: Any, wrong: list[str]) -> tuple[tuple[str, str], ...]:
    """Return labels and modulations; in a plain list, each modulation is its own label."""
    if value in ([], {}):
        wrong.append("modulations is empty; without this key, FM is sent")
        return ()
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        _refuse_repeated("modulations", value, wrong)
        value = {one: one for one in value}
    elif isinstance(value, dict):
        _refuse_repeated("modulations", [*value.values()], wrong)
    if not isinstance(value, dict) or not all(map(str.strip, value)):
        wrong.append(
            'modulations must be a list such as ["PSK2", "QAM16"], or a table of labels such as '
            '{bpsk = "PSK2"}'
        )
        return ()
    for modulation in value.values():
        if modulation == "FM":
            wrong.append("modulations: FM cannot be mixed in: FM is sent without this key")
        elif modulation not in MODULATIONS:
            wrong.append(f"modulations: {modulation!r} is not {_either(MODULATIONS)}")
            wrong[-1] += _meant(str(modulation))
    return tuple(value.items())


def _refuse_repeated(where: str, names: list[Any], wrong: list[str]) -> None:
    """Add a mistake for each name that is repeated."""
    counts = Counter(map(repr, names))
    wrong += [f"{where}: {name} is repeated" for name, count in counts.items() if count > 1]


_ALSO_CALLED = {"BPSK": "PSK2", "QPSK": "PSK4", "QAM4": "PSK4"}


def _meant(modulation: str) -> str:
    """Say which modulation was meant by a usual name, or by a name near its own."""
    name = re.sub(r"[^A-Z0-9]", "", modulation.upper())
    name = re.sub(r"^(\d+)([A-Z]+)$", r"\2\1", name)  # 16QAM
    return did_you_mean(_ALSO_CALLED.get(name, name), MODULATIONS)


_OF_RECEIVER = {
    "name": Key(str, None, None, ""),
    "latitude": Key(float, -90, 90, ""),
    "longitude": Key(float, -180, 180, ""),
}


def _receivers(value: Any, wrong: list[str]) -> tuple[Receiver, ...]:
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        wrong.append("receivers must be tables: [[receivers]] with name, latitude and longitude")
        return ()
    before = len(wrong)
    for number, table in enumerate(value, start=1):
        where = f"receivers, number {number}"
        for name, found in table.items():
            if name not in _OF_RECEIVER:
                wrong.append(f"{where}: unknown key {name}; there are {', '.join(_OF_RECEIVER)}")
            else:
                _number(f"{where}: {name}", found, _OF_RECEIVER[name], wrong)
        missing = [name for name in _OF_RECEIVER if name not in table]
        if missing:
            wrong.append(f"{where}: {' and '.join(missing)} missing")
    _refuse_repeated("receivers", [one["name"] for one in value if "name" in one], wrong)
    if len(value) < 3:
        there = there_are(len(value), "receiver")
        wrong.append(f"receivers: {there}; a network needs 3 or more")
    if len(wrong) > before:
        return ()
    return tuple(
        Receiver(table["name"], float(table["latitude"]), float(table["longitude"]))
        for table in value
    )


def _check_together(configuration: Configuration, wrong: list[str]) -> None:
    """Check the keys against each other; add mistakes to `wrong`."""
    c = configuration
    if c.use_random_receivers and c.min_receivers > c.max_receivers:
        wrong.append(
            f"min_receivers is {c.min_receivers}; it must not be above max_receivers, "
            f"{c.max_receivers}"
        )
    if not c.use_random_receivers and c.min_receivers > len(c.receivers):
        wrong.append(
            f"min_receivers is {c.min_receivers}; the network has "
            + counted(len(c.receivers), "receiver")
        )
    if not LEAST_SAMPLES <= c.signal_length <= MOST_SAMPLES:
        wrong.append(
            f"sample_rate_hz x duration_ms is a signal of {c.signal_length:,} samples; it may have "
            f"{LEAST_SAMPLES} to {MOST_SAMPLES:,}"
        )
    if c.snr_db is not None and c.snr_db < c.min_snr_db:
        wrong.append(f"snr_db is {c.snr_db}, below min_snr_db, {c.min_snr_db}: no link is heard")


def as_table(configuration: Configuration) -> dict[str, Any]:
    """Return the configuration by its keys, in JSON's values."""
    table = {name: getattr(configuration, name) for name in KEYS}
    table["modulations"] = dict(configuration.modulations)
    table["receivers"] = [receiver._asdict() for receiver in configuration.receivers]
    return table


def from_table(table: Mapping[str, Any]) -> Configuration:
    """Return the configuration of a table made by `as_table`. Raises TypeError."""
    receivers = tuple(Receiver(**receiver) for receiver in table["receivers"])
    modulations = tuple(table["modulations"].items())
    return Configuration(**{**table, "receivers": receivers, "modulations": modulations})


def fixed(configuration: Configuration) -> dict[str, Any]:
    """Return the entries of a dataset's configuration that may not change when it goes on."""
    table = as_table(configuration)
    return {name: value for name, value in table.items() if name not in _FREE}


def differences(configuration: Configuration, written: Mapping[str, Any]) -> list[str]:
    """List the differences that keep a begun dataset from being resumed, a line a key.

    Modulations in another order are others: a draw picks one by its place.
    """
    return [
        f"{name} was {written.get(name)!r} and is {value!r}"
        for name, value in fixed(configuration).items()
        if json.dumps(written.get(name)) != json.dumps(value)
    ]
