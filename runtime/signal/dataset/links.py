"""Places transmitters and receivers, and computes their links, before any signal is made.

A candidate's draws, by `philox`, depend on the seed and its number alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from megabatt.runtime.signal import philox
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.geometry import (
    ENVIRONMENT_DB,
    LEAST_POWER_DBM,
    TERRAIN_DB,
    great_circle_of,
    path_loss_of,
    sum_rows,
)
from megabatt.runtime.signal.parameters import PARAMETERS

Array = np.ndarray[Any, Any]

INSIDE_SHARE = 0.7
"""The share of transmitters inside the receivers' box."""
MARGIN_DEGREES = 0.5
"""The width of the margin around the box, in which the other transmitters are."""
MOST_CANDIDATES = 1 << 32
"""The most candidates: random numbers count samples with 32 bits."""

_EVERYONE = 0xFFFFFFFF
"""The receiver's number for draws of a candidate as a whole."""
_TRANSMITTER, _COUNT, _RECEIVER, _LOSS, _LABEL = range(0xDA7A0000, 0xDA7A0005)
"""The sites of the draws, distinct from those of programs' operations."""


@dataclass(frozen=True)
class Links:
    """Candidates, and their links to receivers.

    candidates: int64 (n,), their numbers. latitude, longitude: float64 (n,), of the transmitter, in
    degrees. gdop: float64 (n,), of the hearing receivers. label: int64 (n,), the modulation's place
    in the configuration; 0 without a choice. Of the links, (n, receivers): there, heard: bool;
    receiver_latitude, receiver_longitude, distance_km, rx_power_dbm, snr_db: float64.
    """

    candidates: Array
    latitude: Array
    longitude: Array
    gdop: Array
    label: Array
    there: Array
    heard: Array
    receiver_latitude: Array
    receiver_longitude: Array
    distance_km: Array
    rx_power_dbm: Array
    snr_db: Array

    def __len__(self) -> int:
        return len(self.candidates)

    def take(self, index: Any) -> Self:
        """Return some of the candidates, by their places in these links."""
        return type(self)(
            **{field.name: getattr(self, field.name)[index] for field in fields(self)}
        )


def links_of(configuration: Configuration, candidates: Array) -> Links:
    """Draw the links of the candidates with these numbers, int64 (n,)."""
    there, latitudes, longitudes = _receivers(configuration, candidates)
    latitude, longitude = _transmitters(configuration, candidates, there, latitudes, longitudes)
    distance = great_circle_of(latitude[:, None], longitude[:, None], latitudes, longitudes)
    power = configuration.tx_power_dbm - _loss(configuration, candidates, distance)
    power = np.clip(power, LEAST_POWER_DBM, PARAMETERS["rx_power_dbm"].most)
    if configuration.snr_db is None:
        snr = np.minimum(power - configuration.noise_floor_dbm, PARAMETERS["snr_db"].most)
    else:
        snr = np.full_like(power, configuration.snr_db)
    heard = there & (snr >= configuration.min_snr_db)
    gdop = dilution_of(latitudes, longitudes, latitude, longitude, heard)
    return Links(
        candidates, latitude, longitude, gdop, _labels(configuration, candidates), there, heard,
        latitudes, _turned(longitudes), distance, power, snr,
    )  # fmt: skip


def _draws(configuration: Configuration, candidate: Array, receiver: Any, site: int) -> list[Array]:
    """Draw four numbers, uniform in (0, 1), for each candidate and receiver."""
    words = philox.block(configuration.seed, candidate, receiver, site, 0)
    return [(word + 0.5) * 2.0**-32 for word in words]


def _labels(configuration: Configuration, candidates: Array) -> Array:
    """Draw the place of each candidate's modulation in the configuration."""
    drawn = _draws(configuration, candidates, _EVERYONE, _LABEL)[0]
    return np.floor(drawn * max(len(configuration.modulations), 1)).astype(np.int64)


def _receivers(configuration: Configuration, candidates: Array) -> tuple[Array, Array, Array]:
    """Draw which receivers exist, and their places: bool, latitudes, longitudes.

    All are (n, receivers). Longitudes are continuous around the network's first receiver, beyond
    180 degrees too.
    """
    network, n = configuration.receivers, len(candidates)
    first = network[0].longitude
    places = np.array([[r.latitude, first + _wrapped(r.longitude - first)] for r in network])
    if not configuration.use_random_receivers:
        shape = n, len(network)
        north, east = np.broadcast_to(places[:, 0], shape), np.broadcast_to(places[:, 1], shape)
        return np.ones(shape, dtype=np.bool_), north, east
    least, most = configuration.min_receivers, configuration.max_receivers
    drawn = _draws(configuration, candidates, _EVERYONE, _COUNT)[0]
    counts = least + np.floor(drawn * (most - least + 1)).astype(np.int64)
    numbers = np.arange(most)
    north, east, _, _ = _draws(configuration, candidates[:, None], numbers, _RECEIVER)
    (south, west), (top, right) = places.min(axis=0), places.max(axis=0)
    return (
        numbers < counts[:, None],
        south + (top - south) * north,
        west + (right - west) * east,
    )


def _transmitters(
    configuration: Configuration,
    candidates: Array,
    there: Array,
    latitudes: Array,
    longitudes: Array,
) -> tuple[Array, Array]:
    """Draw the transmitters' latitudes and longitudes: inside the receivers' box, or around it."""
    inside, side, a, b = _draws(configuration, candidates, _EVERYONE, _TRANSMITTER)
    south, west = (np.where(there, p, np.inf).min(axis=1) for p in (latitudes, longitudes))
    north, east = (np.where(there, p, -np.inf).max(axis=1) for p in (latitudes, longitudes))
    around = _around(north - south, east - west, side, a, b)
    is_inside = inside < INSIDE_SHARE
    latitude = south + np.where(is_inside, (north - south) * a, around[0])
    longitude = west + np.where(is_inside, (east - west) * b, around[1])
    return np.clip(latitude, -90.0, 90.0), _turned(longitude)


def _around(height: Array, width: Array, side: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """Place points uniformly in the margin around boxes, as seen from their south-west corners.

    side: Picks a side, with a probability proportional to its area. The south and north sides have
    the corners.
    """
    m = MARGIN_DEGREES
    along = (width + 2 * m) * m  # of the south side, and of the north side
    upright = height * m
    at = side * 2 * (along + upright)
    on_south, on_north, on_west = at < along, at < 2 * along, at < 2 * along + upright
    flat = on_south | on_north
    latitude = np.where(flat, np.where(on_south, -m + m * a, height + m * a), height * a)
    longitude = np.where(
        flat, -m + (width + 2 * m) * b, np.where(on_west, -m + m * b, width + m * b)
    )
    return latitude, longitude


def _loss(configuration: Configuration, candidates: Array, distance: Array) -> Array:
    """Return the links' path loss in dB: of free space, environment and terrain.

    The environment adds 5 to 15 dB. Terrain adds nothing, 10 to 25 or 25 to 40 dB, each on a third
    of the links.
    """
    numbers = np.arange(distance.shape[1])
    around, kind, much, _ = _draws(configuration, candidates[:, None], numbers, _LOSS)
    terrain = np.array(TERRAIN_DB)[np.floor(kind * len(TERRAIN_DB)).astype(np.int64)]
    return path_loss_of(  # type: ignore[no-any-return]
        distance,
        configuration.frequency_mhz,
        environment_db=ENVIRONMENT_DB[0] + (ENVIRONMENT_DB[1] - ENVIRONMENT_DB[0]) * around,
        terrain_db=terrain[..., 0] + (terrain[..., 1] - terrain[..., 0]) * much,
    )


def dilution_of(
    latitudes: Array, longitudes: Array, latitude: Array, longitude: Array, heard: Array
) -> Array:
    """Return the dilution of precision, by the bearings of receivers that hear the transmitter."""
    n, counts = len(latitude), heard.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    squares = np.zeros(n)
    sum_rows(
        n, np.zeros(n, dtype=np.bool_), starts, starts, counts, latitudes[heard], longitudes[heard],
        latitude, longitude, np.cos(np.radians(latitude)), np.zeros(n, dtype=np.bool_), squares,
    )  # fmt: skip
    return np.sqrt(squares)


def _wrapped(degrees: float) -> float:
    """Wrap an angle to -180 to 180."""
    return math.remainder(degrees, 360.0)


def _turned(longitudes: Array) -> Array:
    """Wrap longitudes to -180 to 180."""
    turned: Array = np.remainder(longitudes + 180.0, 360.0) - 180.0
    return turned
