"""Candidates are placed by counting: a candidate depends on the seed and its number alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.signal import gdop, great_circle
from megabatt.runtime.signal.dataset.configuration import KEYS, Configuration, Receiver
from megabatt.runtime.signal.dataset.links import links_of
from megabatt.runtime.signal.dataset.measuring import samples_of
from megabatt.runtime.signal.dataset.rejection import (
    Fruitless,
    in_units,
    reasons_of,
    survivors_from,
)

RANDOM = Configuration()
FIXED = Configuration(use_random_receivers=False)
MANY = np.arange(20_000)
NUMBER = st.integers(0, 2**32 - 1)


@given(
    numbers=st.lists(NUMBER, min_size=1, max_size=8),
    seed=st.integers(0, 2**63 - 1),
    fixed=st.booleans(),
)
def test_a_candidate_is_the_same_alone_and_among_others(numbers, seed, fixed):
    configuration = replace(FIXED if fixed else RANDOM, seed=seed)
    together = links_of(configuration, np.array(numbers))
    for place, number in enumerate(numbers):
        np.testing.assert_equal(
            vars(together.take([place])), vars(links_of(configuration, np.array([number])))
        )


def test_seeds_and_numbers_give_other_candidates():
    places = [links_of(replace(RANDOM, seed=seed), MANY).latitude for seed in (0, 1, 2**40)]
    assert len(np.unique(np.concatenate(places))) > 0.99 * 3 * len(MANY)


@given(
    seed=st.integers(0, 2**63 - 1),
    extremes=st.fixed_dictionaries(
        {name: st.sampled_from([KEYS[name].least, KEYS[name].most])
         for name in ("frequency_mhz", "tx_power_dbm", "noise_floor_dbm", "min_snr_db")}
    ),
)  # fmt: skip
def test_what_may_be_configured_is_in_the_range_of_a_lane(seed, extremes):
    configuration = replace(RANDOM, seed=seed, **extremes)
    links = links_of(configuration, np.arange(4))
    assert len(samples_of(configuration, links)) == links.heard.sum()


def in_the_box(links):
    """Flag the transmitters within their receivers' box, and within 0.5 degrees of the box."""
    inside = near = True
    for own, of_receivers in (
        (links.latitude, links.receiver_latitude), (links.longitude, links.receiver_longitude)
    ):
        least = np.where(links.there, of_receivers, np.inf).min(axis=1)
        most = np.where(links.there, of_receivers, -np.inf).max(axis=1)
        inside &= (least <= own) & (own <= most)
        near &= (least - 0.5 - 1e-9 <= own) & (own <= most + 0.5 + 1e-9)
    return inside, near


def deviations(share, count):
    """Return five standard deviations of a share of `count`, the bound of its error."""
    return 5 * math.sqrt(share * (1 - share) / count)


@pytest.mark.parametrize("configuration", [RANDOM, FIXED])
def test_seventy_of_a_hundred_transmitters_are_inside_the_box_and_all_are_near(configuration):
    inside, near = in_the_box(links_of(configuration, MANY))
    assert near.all()
    assert inside.mean() == pytest.approx(0.7, abs=deviations(0.7, len(MANY)))


def test_transmitters_around_the_box_are_spread_evenly_over_the_margin():
    links = links_of(FIXED, MANY)
    inside, _ = in_the_box(links)
    latitude, longitude = links.latitude[~inside], links.longitude[~inside]
    north, south = links.receiver_latitude.max(), links.receiver_latitude.min()
    east, west = links.receiver_longitude.max(), links.receiver_longitude.min()
    whole = (north - south + 1) * (east - west + 1) - (north - south) * (east - west)
    for part, area in [
        (latitude > north, (east - west + 1) * 0.5), (latitude < south, (east - west + 1) * 0.5),
        (longitude > east, (north - south + 1) * 0.5),
        ((latitude > north) & (longitude < west), 0.25),
    ]:
        bound = deviations(area / whole, len(latitude))
        assert part.mean() == pytest.approx(area / whole, abs=bound)


def test_there_are_as_many_receivers_as_were_asked_for_each_number_as_often():
    counts = links_of(replace(RANDOM, min_receivers=4, max_receivers=7), MANY).there.sum(axis=1)
    shares = np.bincount(counts) / len(MANY)
    assert shares == pytest.approx([0] * 4 + [0.25] * 4, abs=deviations(0.25, len(MANY)))


def test_without_random_receivers_the_network_hears():
    links = links_of(FIXED, np.arange(5))
    assert links.there.all()
    places = np.array([(one.latitude, one.longitude) for one in FIXED.receivers])
    np.testing.assert_allclose(links.receiver_latitude - places[:, 0], 0)
    np.testing.assert_allclose(links.receiver_longitude - places[:, 1], 0, atol=1e-9)


def test_the_received_power_follows_from_the_losses_of_the_link():
    links = links_of(RANDOM, np.arange(300))
    terrain = np.zeros(links.there.shape, dtype=np.int64)
    for at, receiver in zip(*np.nonzero(links.there), strict=True):
        here = links.latitude[at], links.longitude[at]
        there = (p[at, receiver] for p in (links.receiver_latitude, links.receiver_longitude))
        distance = great_circle(*map(float, (*here, *there)))
        assert links.distance_km[at, receiver] == pytest.approx(distance, rel=1e-9)
        free = 32.44 + 20 * math.log10(max(distance, 1e-3)) + 20 * math.log10(145.0)
        more = 40.0 - free - links.rx_power_dbm[at, receiver]
        if links.rx_power_dbm[at, receiver] > -120:
            assert 5 <= more <= 15 or 15 <= more <= 40 or 30 <= more <= 55
            terrain[at, receiver] = 1 + (more > 15)
        assert links.snr_db[at, receiver] == links.rx_power_dbm[at, receiver] + 120.0
    count = links.there.sum()
    assert (terrain == 1).sum() / count == pytest.approx(1 / 3, abs=deviations(1 / 3, count))


def test_dilution_is_computed_from_the_receivers_that_hear():
    links = links_of(replace(RANDOM, min_snr_db=12.0), np.arange(60))
    for at in range(len(links)):
        every = links.receiver_latitude, links.receiver_longitude
        places = (tuple(p[at][links.heard[at]].tolist()) for p in every)
        place = float(links.latitude[at]), float(links.longitude[at])
        assert links.gdop[at] == pytest.approx(gdop(*places, *place, False), rel=1e-9)
    assert np.isinf(links.gdop).any()


def test_a_given_snr_is_the_snr_of_every_link():
    links = links_of(replace(RANDOM, snr_db=7.0), np.arange(50))
    assert (links.snr_db == 7.0).all() and (links.heard == links.there).all()


@pytest.mark.parametrize("longitude", [179.5, -179.5])
def test_a_network_across_the_antimeridian_is_one_box(longitude):
    network = (
        Receiver("a", 10.0, longitude), Receiver("b", 11.0, -179.0), Receiver("c", 10.5, 179.0)
    )
    for configuration in (RANDOM, FIXED):
        links = links_of(replace(configuration, receivers=network), np.arange(500))
        assert links.distance_km[links.there].max() < 450
        for places in (links.longitude, links.receiver_longitude[links.there]):
            assert (np.abs(places) > 177).all() and (np.abs(places) <= 180).all()


# Rejected early


STRICT = replace(RANDOM, min_snr_db=15.0, max_gdop=1.2)


def test_a_candidate_with_receivers_enough_and_good_geometry_survives():
    links = links_of(STRICT, np.arange(2000))
    reasons = reasons_of(STRICT, links)
    assert ((links.heard.sum(axis=1) < 3) == (reasons == 0)).all()
    assert (links.gdop[reasons == 1] > 1.2).all() and (links.gdop[reasons < 0] <= 1.2).all()
    assert [(reasons == reason).sum() > 100 for reason in (-1, 0, 1)] == [True] * 3


@given(first=st.integers(0, 3000), signals=st.integers(1, 80), count=st.integers(1, 60))
def test_units_are_the_survivors_in_their_order_and_count_the_others(first, signals, count):
    units = list(in_units(survivors_from(STRICT, first), signals, count))
    found = np.concatenate([unit.links.candidates for unit in units])
    reasons = reasons_of(STRICT, links_of(STRICT, np.arange(first, found[-1] + 1)))
    assert (found == first + np.flatnonzero(reasons < 0)).all() and len(found) == count
    assert all(unit.signals.sum() <= signals or len(unit) == 1 for unit in units)
    rejected = sum(unit.rejected.sum(axis=0) for unit in units)
    assert rejected.tolist() == [(reasons == 0).sum(), (reasons == 1).sum()]


def test_without_survivors_the_reason_is_given():
    with pytest.raises(Fruitless, match="100 % are heard by fewer than 3 .*min_snr_db 250.0"):
        next(survivors_from(replace(RANDOM, min_snr_db=250.0), 0))
    with pytest.raises(Fruitless, match=r"100 % have a gdop above max_gdop \(0\.0\)$"):
        next(survivors_from(replace(RANDOM, max_gdop=0.0, snr_db=9.0), 0))
