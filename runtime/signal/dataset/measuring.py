"""Makes and measures signals: the features of survivors' links, and their plausibility."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from megabatt.runtime.engine.executor.program import Results
from megabatt.runtime.megabatch.batches import Batch, Part, Settings
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.run.compute import Computed, compute
from megabatt.runtime.megabatch.run.device_worker import DeviceLost, DeviceWorker
from megabatt.runtime.megabatch.run.memory import keep_large_workers
from megabatt.runtime.memory import keep_freed_memory
from megabatt.runtime.signal.constants import FEATURES, MODULATIONS
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.links import Array, Links
from megabatt.runtime.signal.dataset.rejection import Survivors
from megabatt.runtime.signal.parameters import record
from megabatt.runtime.signal.workload.links import Link

FEATURE_COUNT = len(FEATURES)
NOT_FINITE = "not finite"
WRONG_POWER = "power"
LATE = (NOT_FINITE, WRONG_POWER)
"""The reasons to reject a candidate after its signals are made."""

MOST_POWER_ERROR_DB = 0.5
"""The greatest error of a signal's power before noise."""


class Unmeasured(Exception):
    """Raised if a candidate's signals cannot be made; the message names candidate and reason."""


@dataclass(frozen=True)
class Chain:
    """The names of the solvers that make and measure a signal.

    features: Of the signal with its noise, the means of FEATURES first. power: Of the signal before
    noise, in dBm. signal: The signal with its noise; None if it is not kept.
    """

    features: str
    power: str
    signal: str | None

    @property
    def solvers(self) -> tuple[str, ...]:
        names = (self.features, self.power, self.signal)
        return tuple(name for name in names if name is not None)


def chain_of(configuration: Configuration) -> Chain:
    """Choose the configuration's solvers."""
    name = {
        (True, True): "link",
        (True, False): "link_echoes",
        (False, True): "link_fading",
        (False, False): "link_clear",
    }[configuration.enable_multipath, configuration.enable_fading]
    if configuration.modulations:
        name = name.replace("link", "link_modulated")
    signal = f"{name}_signal" if configuration.keep_iq != "none" else None
    return Chain(f"{name}_features", f"{name}_power", signal)


@dataclass(frozen=True)
class Measurements:
    """Survivors with their measurements.

    verdicts: The place in `LATE` of the reason to reject each survivor; -1 for no reason. features:
    float32 (signals, FEATURE_COUNT), of the heard links in order. signals: Of the same links,
    complex64; empty if signals are not kept. seconds: Of measuring. notes: Problems.
    """

    survivors: Survivors
    verdicts: Array
    features: Array
    signals: list[Array]
    seconds: float
    notes: tuple[str, ...] = ()


def measure(
    settings: Settings, configuration: Configuration, survivors: Survivors, device: str
) -> Measurements:
    """Make the signals of all heard links, in batches, and measure them. Raises Unmeasured."""
    began = time.perf_counter()
    keep_freed_memory()
    keep_large_workers()
    chain = chain_of(configuration)
    links = survivors.links
    owners, _ = np.nonzero(links.heard)
    lanes = samples_of(configuration, links)
    parts, notes = [], []
    for at in range(0, len(lanes), configuration.batch_size):
        batch = Batch(0, None, lanes[at : at + configuration.batch_size], Part(0, chain.solvers))
        computed = _computed(settings, batch, device)
        for lane, why in computed.not_computed.items():
            raise Unmeasured(f"candidate {batch.samples[lane].sample}: {why}")
        parts.append(_measured(chain, computed, configuration.signal_length))
        notes += [computed.rescued] if computed.rescued else []
    features = np.concatenate([features for features, _, _ in parts])
    powers = np.concatenate([powers for _, powers, _ in parts])
    verdicts = _verdicts(links, owners, features, powers)
    signals = [signal for _, _, signals in parts for signal in signals]
    seconds = time.perf_counter() - began
    return Measurements(survivors, verdicts, features, signals, seconds, tuple(notes))


def samples_of(configuration: Configuration, links: Links) -> list[Link]:
    """Make the lanes of all heard links, candidate by candidate."""
    c = configuration
    found = []
    numbers = [float(MODULATIONS.index(modulation)) for _, modulation in c.modulations]
    for at, receiver in zip(*np.nonzero(links.heard), strict=True):
        candidate = int(links.candidates[at])
        chosen = {"modulation": numbers[links.label[at]]} if numbers else {}
        parameters = record(
            sample_rate_hz=c.sample_rate_hz,
            duration_ms=c.duration_ms,
            frequency_mhz=c.frequency_mhz,
            tx_power_dbm=c.tx_power_dbm,
            distance_km=links.distance_km[at, receiver],
            rx_power_dbm=links.rx_power_dbm[at, receiver],
            snr_db=links.snr_db[at, receiver],
            **chosen,
        )
        found.append(Link(parameters, (c.seed, candidate, int(receiver))))
    return found


def _computed(settings: Settings, batch: Batch, device: str) -> Computed:
    """Compute the batch on the device, or on the CPU if the device is lost."""
    if device != "cpu":
        try:
            opened = hardware.opened(device)
            return DeviceWorker(settings, [batch], opened).compute(batch)
        except DeviceLost as lost:
            computed = compute(settings, batch)
            computed.rescued = computed.rescued or f"{device} lost, {lost}"
            return computed
    return compute(settings, batch)


def _measured(chain: Chain, computed: Computed, length: int) -> tuple[Array, Array, list[Array]]:
    """Return features and powers of a batch's lanes, NaN where an operation failed; the signals.

    Features are NaN too where the signal to keep is none of this length.
    """
    results = computed.results
    assert isinstance(results, Results)
    n = len(computed.batch.samples)
    features = np.full((n, FEATURE_COUNT), np.nan, dtype=np.float32)
    powers = np.full(n, np.nan)
    signals = [np.zeros(0, dtype=np.complex64)] * n
    right: dict[str, Array] = {
        name: np.asarray(~results.failed[cone].any(axis=0)) for name, cone in results.cones.items()
    }
    values = {name: column.decode() for name, column in results.columns.items()}
    for lane in range(n):
        if right[chain.features][lane]:
            features[lane] = values[chain.features][lane][:FEATURE_COUNT]
        if right[chain.power][lane]:
            powers[lane] = values[chain.power][lane]
        if chain.signal is not None:
            found = values[chain.signal][lane]
            kept: Any = found[1] if isinstance(found, tuple) and len(found) == 2 else None
            if right[chain.signal][lane] and np.shape(kept) == (length,) and np.iscomplexobj(kept):
                signals[lane] = np.asarray(kept)
            else:
                features[lane] = np.nan
    return features, powers, signals if chain.signal is not None else []


def _verdicts(links: Links, owners: Array, features: Array, powers: Array) -> Array:
    """Return the place in `LATE` of each candidate's reason; -1 for no reason."""
    infinite = ~(np.isfinite(features).all(axis=1) & np.isfinite(powers))
    wrong = ~(np.abs(powers - links.rx_power_dbm[links.heard]) <= MOST_POWER_ERROR_DB)
    verdicts = np.full(len(links), -1)
    verdicts[owners[wrong]] = LATE.index(WRONG_POWER)
    verdicts[owners[infinite]] = LATE.index(NOT_FINITE)
    return verdicts
