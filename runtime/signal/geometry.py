"""Places on the Earth, and the loss of a radio link between them.

The scalar forms take plain numbers. `great_circle_of` and `path_loss_of` take arrays of many links,
of NumPy or of the device in use.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from megabatt.runtime.core.types import Boolean
from megabatt.runtime.engine.columns import Bools, Column, Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel
from megabatt.runtime.engine.device.reals import quotient, square_root
from megabatt.runtime.signal import philox
from megabatt.runtime.signal.charges import count
from megabatt.runtime.signal.lanes import Streams, numbers_of, values_of
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.parameters import value_of
from megabatt.runtime.signal.randomness import normals, uniforms
from megabatt.runtime.signal.types import Key, Parameters, Real, Reals, Site

EARTH_RADIUS_KM = 6371.0
LEAST_DISTANCE_KM = 1e-3
"""At smaller distances the loss is the loss at this distance."""

LEAST_POWER_DBM = -120.0
LEAST_RECEIVERS = 3
LEAST_DETERMINANT = 1e-12
"""The least determinant of the rows' products, over the square of their trace. Products with a
lower determinant count as singular."""

LEAST_DEGREES = 1e-9
"""Places nearer than this are the same: neither has a direction from the other."""

ENVIRONMENT_DB = 5.0, 15.0
TERRAIN_DB = (0.0, 0.0), (10.0, 25.0), (25.0, 40.0)
"""The least and the greatest loss by the terrain, by P.terrain."""
_TERRAIN = np.array(TERRAIN_DB)


def great_circle_of(latitude_a: Any, longitude_a: Any, latitude_b: Any, longitude_b: Any) -> Any:
    """Return the distances in km of places in degrees, arrays, by the haversine formula."""
    a, b = xp.radians(latitude_a), xp.radians(latitude_b)
    along = xp.sin((b - a) / 2) ** 2
    across = xp.sin(xp.radians(longitude_b - longitude_a) / 2) ** 2
    part = xp.minimum(along + xp.cos(a) * xp.cos(b) * across, 1.0)
    return 2 * EARTH_RADIUS_KM * xp.arcsin(xp.sqrt(part))


@primitive
def great_circle(latitude_a: Real, longitude_a: Real, latitude_b: Real, longitude_b: Real) -> Real:
    """Return the distance in km of two places in degrees, along the Earth's surface.

    Uses the haversine formula on a sphere of 6,371 km. Fails for latitudes beyond 90 degrees and
    longitudes beyond 360.
    """
    for latitude, longitude in ((latitude_a, longitude_a), (latitude_b, longitude_b)):
        if not (abs(latitude) <= 90 and abs(longitude) <= 360):
            raise ValueError(f"no place: {latitude}, {longitude}")
    a, b = math.radians(latitude_a), math.radians(latitude_b)
    along = math.sin((b - a) / 2) ** 2
    across = math.sin(math.radians(longitude_b - longitude_a) / 2) ** 2
    part = min(along + math.cos(a) * math.cos(b) * across, 1.0)
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(part))


@rule(great_circle)
def great_circle(
    frame: Frame, latitude_a: Floats, longitude_a: Floats, latitude_b: Floats, longitude_b: Floats
) -> Column:
    places = [column.data for column in (latitude_a, longitude_a, latitude_b, longitude_b)]
    right = xp.ones(frame.n, dtype=xp.bool_)
    for place, most in zip(places, (90, 360, 90, 360), strict=True):
        right &= abs(place) <= most
    frame.fail(~right)
    return Floats(great_circle_of(*[xp.where(right, place, 0.0) for place in places]))


def path_loss_of(
    distance_km: Any,
    frequency_mhz: Any,
    exponent: Any = 2.0,
    shadowing_db: Any = 0.0,
    environment_db: Any = 0.0,
    terrain_db: Any = 0.0,
) -> Any:
    """Return the loss of links in dB, arrays or numbers: `path_loss` with its draws given."""
    module = xp if not isinstance(distance_km, float | int | np.ndarray) else np
    distance = module.log10(module.maximum(distance_km, LEAST_DISTANCE_KM))
    free = 32.44 + 10 * exponent * distance + 20 * module.log10(frequency_mhz)
    return free + shadowing_db + environment_db + terrain_db


@primitive
def path_loss(distance: Real, P: Parameters, K: Key, site: Site) -> Real:
    """Return the loss of a link in dB, from its distance in km.

    The loss is the sum of: free space, 32.44 + 10 P.path_exponent lg d/km + 20 lg f/MHz; log-normal
    shadowing of P.shadowing_db; 5 to 15 dB by P.environment; 10 to 25 or 25 to 40 dB by P.terrain.
    The last two are uniform. Below 1 m, the distance counts as 1 m. Fails for negative and infinite
    distances.
    """
    if not 0 <= distance < math.inf:
        raise ValueError(f"a distance of {distance} km")
    exponent, frequency = value_of(P, "path_exponent"), value_of(P, "frequency_mhz")
    least, most = TERRAIN_DB[int(value_of(P, "terrain"))]
    surroundings = value_of(P, "environment") >= 1.0
    draws = [philox.uniform(*K, site, index) for index in (2, 3)]
    return (
        32.44
        + 10 * exponent * math.log10(max(distance, LEAST_DISTANCE_KM))
        + 20 * math.log10(frequency)
        + value_of(P, "shadowing_db") * philox.normal(*K, site, 0)
        + surroundings * (ENVIRONMENT_DB[0] + (ENVIRONMENT_DB[1] - ENVIRONMENT_DB[0]) * draws[0])
        + (least + (most - least) * draws[1])
    )


@rule(path_loss)
def path_loss(frame: Frame, distance: Floats, P: Lists, K: Lists, site: Ints) -> Column:
    right = (distance.data >= 0) & (distance.data < math.inf)
    frame.fail(~right)
    streams = Streams(K, site)
    draws = uniforms(streams, 2, first=2)
    shadowing = values_of(frame, P, "shadowing_db") * normals(streams, 1)[:, 0]
    least, most = ENVIRONMENT_DB
    environment = xp.where(
        values_of(frame, P, "environment") >= 1.0, least + (most - least) * draws[:, 0], 0.0
    )
    bounds = current().constant(_TERRAIN)[values_of(frame, P, "terrain").astype(xp.int64)]
    terrain = bounds[:, 0] + (bounds[:, 1] - bounds[:, 0]) * draws[:, 1]
    loss = path_loss_of(
        xp.where(right, distance.data, 1.0),
        values_of(frame, P, "frequency_mhz"),
        values_of(frame, P, "path_exponent"),
        shadowing,
        environment,
        terrain,
    )
    return Floats(loss)


@primitive
def received_power(loss: Real, P: Parameters) -> Real:
    """Return the received power in dBm: P.tx_power_dbm less the loss, at least -120 dBm."""
    return max(value_of(P, "tx_power_dbm") - loss, LEAST_POWER_DBM)


@rule(received_power)
def received_power(frame: Frame, loss: Floats, P: Lists) -> Column:
    left = values_of(frame, P, "tx_power_dbm") - loss.data
    return Floats(xp.where(left < LEAST_POWER_DBM, LEAST_POWER_DBM, left))


@primitive(charge=count)
def gdop(
    latitudes: Reals, longitudes: Reals, latitude: Real, longitude: Real, tdoa: Boolean
) -> Real:
    """Return the geometric dilution of precision of receivers for a target, places in degrees.

    The dilution is sqrt(tr((H^T H)^-1)). H has a row for each receiver, in the plane through the
    target: the unit vector across the receiver's bearing, or, for time differences of arrival, the
    unit vector to the receiver less the vector to the first receiver. A receiver within 1e-9
    degrees of the target has no direction: its vector is zero. The dilution is infinite below 3
    receivers, and where all receivers lie in one line with the target. Fails for unequal numbers of
    latitudes and longitudes, and for latitudes or longitudes out of range.
    """
    if len(latitudes) != len(longitudes):
        raise ValueError(f"latitudes are {len(latitudes)}, longitudes {len(longitudes)}")
    north, east = np.array([*latitudes, latitude]), np.array([*longitudes, longitude])
    if not (np.all(np.abs(north) <= 90) and np.all(np.abs(east) <= 360)):
        raise ValueError("no places")
    if len(latitudes) < LEAST_RECEIVERS:
        return math.inf
    north = north[:-1] - latitude
    east = np.remainder(east[:-1] - longitude + 180, 360) - 180
    east = east * math.cos(math.radians(latitude))
    distance = np.hypot(east, north)
    apart = distance > LEAST_DEGREES
    towards = np.stack([east, north], axis=1) * (apart / np.where(apart, distance, 1.0))[:, None]
    rows = towards[1:] - towards[0] if tdoa else towards @ np.array([[0.0, -1.0], [1.0, 0.0]])
    information = rows.T @ rows
    if np.linalg.det(information) <= LEAST_DETERMINANT * np.trace(information) ** 2:
        return math.inf
    return float(np.sqrt(np.trace(np.linalg.inv(information))))


@rule(gdop)
def gdop(
    frame: Frame,
    latitudes: Lists,
    longitudes: Lists,
    latitude: Floats,
    longitude: Floats,
    tdoa: Bools,
) -> Column:
    here = (abs(latitude.data) <= 90) & (abs(longitude.data) <= 360)
    wrong = (latitudes.counts != longitudes.counts) | ~here
    squares = xp.zeros(frame.n, dtype=xp.float64)
    sum_rows(
        frame.n, wrong, latitudes.starts, longitudes.starts, latitudes.counts,
        numbers_of(latitudes), numbers_of(longitudes), latitude.data, longitude.data,
        xp.cos(xp.radians(xp.where(here, latitude.data, 0.0))), tdoa.data, squares,
    )  # fmt: skip
    frame.fail(wrong)
    return Floats(xp.sqrt(squares))


@device_function
def within_a_turn(degrees):
    """Reduce degrees from -720 to 1080 to 0 to 360, rounded as `numpy.remainder` rounds."""
    for _ in range(2):
        if degrees >= 360.0:
            degrees -= 360.0
        if degrees < 0.0:
            degrees += 360.0
    return degrees


@lane_kernel
def sum_rows(
    lane, wrong, latitude_starts, longitude_starts, counts, latitudes, longitudes, latitude,
    longitude, shrinking, tdoa, squares,
):  # fmt: skip
    """Sum the products of a lane's rows; store the trace of their inverse, or infinity.

    Also flags the lane in `wrong` if a receiver's place is invalid.
    """
    a = 0.0
    b = 0.0
    c = 0.0
    first_east = 0.0
    first_north = 0.0
    count = counts[lane]
    if wrong[lane]:
        count = 0
    for k in range(count):
        at_latitude = latitudes[latitude_starts[lane] + k]
        at_longitude = longitudes[longitude_starts[lane] + k]
        if not (at_latitude <= 90.0 and at_latitude >= -90.0):
            wrong[lane] = True
        if not (at_longitude <= 360.0 and at_longitude >= -360.0):
            wrong[lane] = True
        north = at_latitude - latitude[lane]
        east = within_a_turn(at_longitude - longitude[lane] + 180.0) - 180.0
        east *= shrinking[lane]
        distance = square_root(east * east + north * north)
        if distance > LEAST_DEGREES:
            east = quotient(east, distance)
            north = quotient(north, distance)
        else:
            east = 0.0
            north = 0.0
        if tdoa[lane]:
            if k == 0:
                first_east = east
                first_north = north
            east = east - first_east
            north = north - first_north
        a += east * east
        b += east * north
        c += north * north
    determinant = a * c - b * b
    value = quotient(1.0, 0.0)  # infinite
    if count >= LEAST_RECEIVERS and determinant > LEAST_DETERMINANT * (a + c) * (a + c):
        value = quotient(a + c, determinant)
    squares[lane] = value
