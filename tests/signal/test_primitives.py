"""The rules of the language, and random numbers, give in any lanes what the scalar forms give."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.signal import FAMILIES, LANGUAGE, philox
from megabatt.runtime.signal.lanes import Streams
from megabatt.runtime.signal.parameters import FIRST_NAME, NAMES, record
from megabatt.runtime.signal.randomness import normals, uniforms
from megabatt.runtime.signal.values import signal_of, spectrum_of
from tests.engine.on_columns import on_columns
from tests.signal.forms import assert_same_forms, vectorized

pytestmark = pytest.mark.device

few = settings(max_examples=15)

MODULES = {module.__name__ for module in FAMILIES}
OWN = [name for name, p in LANGUAGE.primitives.items() if p.module in MODULES]

numbers = st.integers(0, 2**31)


@st.composite
def signals(draw):
    count = draw(st.sampled_from([1, 2, 3, 15, 16, 79, 80, 81, 200, 333]))
    random = np.random.default_rng(draw(numbers))
    samples = random.normal(size=count) + 1j * random.normal(size=count)
    rate = draw(st.sampled_from([8000.0, 200_000.0, 1e6]))
    sizes = st.sampled_from([1.0, 1e-6, 0.0, 1e-20, 1e15, 1e20, 1e-30, 1e30])
    return signal_of(rate, samples * draw(sizes))


@st.composite
def records(draw):
    rate = draw(st.sampled_from([1.0, 8000.0, 200_000.0, 1e6]))
    given = {
        "sample_rate_hz": rate,
        "offset_hz": draw(st.sampled_from([50.0, 1e9])),
        "duration_ms": 1000 * draw(st.sampled_from([0, 1, 5, 100, 301])) / rate,
        "modulation": draw(st.integers(0, 5)),
        "profile": draw(st.integers(0, 11)),
        "symbol_rate_hz": draw(st.sampled_from([1e3, 1e4, 1e6])),
        "roll_off": draw(st.sampled_from([0.0, 0.25, 0.35, 0.5, 1.0])),
        "coherence_ms": draw(st.sampled_from([0.0, 0.0, 0.01, 1.0])),
        "doppler_hz": draw(st.sampled_from([0.0, 5.0, 500.0, 1e5])),
        "thermal": draw(st.integers(0, 1)),
        "terrain": draw(st.integers(0, 2)),
        "environment": draw(st.integers(0, 1)),
        "shadowing_db": draw(st.sampled_from([0.0, 8.0])),
        "snr_db": draw(st.sampled_from([-10.0, 20.0])),
    }
    made = record(**given)
    if draw(st.integers(0, 5)) == 0:  # out of its range
        place = draw(st.integers(0, len(NAMES) - 1))
        made = (*made[:place], draw(st.sampled_from([-1.0, 1e300, math.inf])), *made[place + 1 :])
    return made


reals = st.one_of(
    st.sampled_from([0.0, -1.0, 1e-6, 1e-3, 5.0, 90.0, 1e9, math.inf, math.nan]),
    st.floats(-200, 200),
    st.integers(-3, 9),
)
wrong = st.sampled_from([True, None, (), (1.0, 2), frozenset(), (1.0, np.zeros(2))])
BY_TYPE = {
    "Real": st.one_of(reals, reals, reals, wrong),
    "Reals": st.lists(st.floats(-90, 90), max_size=6).map(tuple),
    "Integer": st.integers(-1, 70),
    "Boolean": st.booleans(),
    "Parameters": st.one_of(records(), records(), records(), wrong),
    "Name": st.integers(FIRST_NAME - 1, FIRST_NAME + len(NAMES)),
    "Key": st.one_of(st.tuples(numbers, numbers, numbers), wrong),
    "Site": st.integers(-1, 5),
    "Signal": st.one_of(signals(), signals(), signals(), wrong),
    "Spectrum": st.just(spectrum_of(1.0, [1.0, 2.0])),
}


def arguments_of(name):
    return st.tuples(*[BY_TYPE[declared.name] for declared in LANGUAGE.primitives[name].types])


@pytest.mark.parametrize("name", OWN)
@few
@given(data=st.data())
def test_rule_gives_what_the_scalar_form_gives(name, data):
    lanes = data.draw(st.lists(arguments_of(name), min_size=1, max_size=5))
    limit = data.draw(st.sampled_from([1 << 24, 1 << 24, 100]))
    assert_same_forms(LANGUAGE.primitives[name].function, lanes, limit)


@pytest.mark.parametrize("tdoa", [False, True])
@pytest.mark.parametrize("target", [(0.0, 0.0), (10.0, 180.0), (-10.0, -180.0)])
def test_dilution_near_the_target_and_across_the_date_line(target, tdoa):
    """Rounding of places changes no receiver's direction, nor whether it has a direction."""
    north, east = target
    lanes = []
    for near in (0.0, 1e-300, 1e-12, 1e-8):
        for far in (180.0, -180.0, 1e-15, 179.9):
            latitudes = north, north + near, north + 1.0, north
            longitudes = east + 1.0, east, east, east + far
            lanes.append((latitudes, longitudes, *target, tdoa))
    assert_same_forms(LANGUAGE.primitives["gdop"].function, lanes)


@pytest.mark.parametrize("name", ["rayleigh", "rician"])
def test_forms_agree_in_deep_fades(name):
    """The signals are so short that some fade as a whole; the faded signals are compared."""
    P = record(duration_ms=0.16, doppler_hz=82.0, k_factor_db=1.8)
    signal = signal_of(200_000.0, np.ones(32))
    lanes = [(signal, P, (5, number, 0), 1) for number in range(300)]
    faded = [samples for _, samples in vectorized(LANGUAGE.primitives[name].function, lanes)[0]]
    deep = [k for k in range(len(lanes)) if np.abs(faded[k]).max() < 0.1]
    assert deep
    assert_same_forms(LANGUAGE.primitives[name].function, [lanes[k] for k in deep])


@given(st.integers(0, 2**40), st.sampled_from([-300.0, 0.0, 20.0]), st.floats(-1.001, 1.001))
def test_forms_agree_where_samples_come_near_to_the_greatest(seed, snr_db, factor):
    greatest = float(np.finfo(np.float32).max)
    for amplitude in (greatest, 0.7 * greatest, 1e23):
        signal = signal_of(8000.0, np.full(40, amplitude))
        noisy = [(signal, record(snr_db=snr_db), (seed, k, 0), 1) for k in range(4)]
        assert_same_forms(LANGUAGE.primitives["awgn"].function, noisy)
        factors = (factor, 1 + factor * 1e-7, math.inf, math.nan)
        assert_same_forms(LANGUAGE.primitives["scale"].function, [(signal, f) for f in factors])


@pytest.mark.parametrize("turns", [0.3, 49.0, 1e3, 9e5, 1e9])
def test_a_shift_by_very_many_turns_is_the_same_in_both_forms(turns):
    signal = signal_of(1.0, np.ones(50_000))
    assert_same_forms(LANGUAGE.primitives["mix"].function, [(signal, turns)])
    lane = signal, record(sample_rate_hz=1.0, doppler_hz=turns), (5, 0, 0), 1
    for name in ("rayleigh", "rician"):
        assert_same_forms(LANGUAGE.primitives[name].function, [lane])
    assert vectorized(LANGUAGE.primitives["rayleigh"].function, [lane])[1] == [turns > 50]


@pytest.mark.parametrize("amplitude", [1e-23, 1e-21, 1e-19, 1e-17, 1e17, 1e19, 1e21])
@pytest.mark.parametrize("rate", [1e-3, 1.0, 1e6])
def test_spectra_of_very_weak_and_strong_signals_are_the_same_in_both_forms(amplitude, rate):
    signal = signal_of(rate, amplitude * np.exp(1j * np.arange(200) ** 2))
    assert_same_forms(LANGUAGE.primitives["psd"].function, [(signal,)])
    assert_same_forms(LANGUAGE.primitives["welch"].function, [(signal, 16)])


KEYED = [name for name in OWN if "K" in LANGUAGE.primitives[name].parameters]


@pytest.mark.parametrize("name", [*KEYED, "features", "psd", "welch", "resample", "filter"])
@few
@given(data=st.data())
def test_a_lane_does_not_depend_on_the_others(name, data):
    """Results are equal bit for bit, in any order and batch."""
    lanes = data.draw(st.lists(arguments_of(name), min_size=2, max_size=6))
    order = data.draw(st.permutations(range(len(lanes))))
    function = LANGUAGE.primitives[name].function
    values, failures = vectorized(function, lanes)
    others, other_failures = vectorized(function, [lanes[k] for k in order])
    alone = [vectorized(function, [lane]) for lane in lanes[:2]]
    for at, k in enumerate(order):
        assert failures[k] == other_failures[at]
        assert failures[k] or identical(values[k], others[at])
    for k, (value, failure) in enumerate(alone):
        assert failures[k] == failure[0]
        assert failures[k] or identical(values[k], value[0])


@given(st.lists(st.one_of(signals(), st.just(()), st.just((1.0, 2.0))), min_size=1, max_size=5))
def test_columns_of_signals_hold_their_values(values):
    column = encode(values)
    assert all(map(identical, column.decode(), values))
    back = column.take(xp.asarray(np.arange(len(values))[::-1].copy()))
    assert all(map(identical, back.decode(), values[::-1]))
    sizes, _ = on_columns(LANGUAGE.primitives["size"].function, [(value,) for value in values])
    assert sizes.decode() == list(map(len, values))


# Philox4x32-10: Random123's published vectors, and its kernels


ONES = 0xFFFFFFFF
PUBLISHED = [  # of Random123's kat_vectors: counter, key, result
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]  # fmt: skip

wide_integers = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize("counter, key, result", PUBLISHED)
def test_it_gives_the_published_words(counter, key, result):
    assert philox.philox4x32(counter, key) == result


@given(st.tuples(*[wide_integers] * 4), st.lists(st.integers(0, 2**33), min_size=1))
def test_arrays_draw_what_integers_draw(lane, indices):
    drawn = philox.uniform(*lane, np.array(indices))
    assert drawn.tolist() == [philox.uniform(*lane, i) for i in indices]
    assert np.all((drawn > 0) & (drawn < 1))


@given(st.lists(st.tuples(*[wide_integers] * 4), min_size=1, max_size=5), st.integers(0, 9))
def test_kernels_draw_what_the_functions_draw(lanes, first):
    keys = encode([lane[:3] for lane in lanes])
    streams = Streams(keys, encode([lane[3] for lane in lanes]))

    indices = np.arange(first, first + 5)
    for lane, drawn, normal in zip(
        lanes, uniforms(streams, 5, first).tolist(), normals(streams, 5, first).tolist(),
        strict=True,
    ):
        assert drawn == philox.uniform(*lane, indices).tolist()
        np.testing.assert_allclose(normal, philox.normal(*lane, indices), rtol=0, atol=1e-12)
