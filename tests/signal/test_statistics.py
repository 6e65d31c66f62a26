"""Random values have the right distributions, against SciPy and closed formulas.

Seeds are stated. The right formula keeps a bound by far, and a wrong formula misses it.
"""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.signal
import scipy.stats
from scipy.special import j0

from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.constants import FEATURES, PROFILES
from megabatt.runtime.signal.modulation import rrc_pulse
from megabatt.runtime.signal.parameters import record
from megabatt.runtime.signal.profiles import TDL, Profile
from megabatt.runtime.signal.values import signal_of
from tests.signal.forms import vectorized

SEED = 20_221_105
LEAST_P = 1e-3
"""The bound of Kolmogorov-Smirnov tests: a lower p-value counts as another distribution."""

RATE = 200_000.0


def of(name, lanes):
    values, failures = vectorized(LANGUAGE.primitives[name].function, lanes)
    assert not any(failures)
    return values


def drawn(name, lanes):
    """Return the samples of signals: complex128 (lanes, samples)."""
    return np.stack([samples for _, samples in of(name, lanes)]).astype(np.complex128)


def p_value(found, distribution):
    return scipy.stats.kstest(found, distribution.cdf).pvalue


def keys(count):
    return [(SEED, number, 0) for number in range(count)]


def constant(samples, rate=RATE):
    return signal_of(rate, np.ones(samples))


@pytest.fixture(scope="module")
def fadings():
    """Draw fading of 20 Hz at 2,000 samples a second, in 1,500 lanes of 256 samples."""
    given = record(sample_rate_hz=2000.0, doppler_hz=20.0, k_factor_db=6.0)
    lanes = [(constant(256, 2000.0), given, key, 0) for key in keys(1500)]
    return {name: drawn(name, lanes) for name in ("rayleigh", "rician")}


def test_envelopes_are_of_the_rayleigh_distribution_or_the_rice_one_of_their_k_factor(fadings):
    rayleigh, rician = (np.abs(fadings[name][:, 0]) for name in ("rayleigh", "rician"))
    assert p_value(rayleigh, scipy.stats.rayleigh(scale=math.sqrt(0.5))) > LEAST_P
    assert p_value(rayleigh, scipy.stats.rayleigh(scale=0.8)) < LEAST_P

    def rice(k_db):
        k = 10 ** (k_db / 10)
        sigma = math.sqrt(1 / (2 * (k + 1)))
        return scipy.stats.rice(math.sqrt(k / (k + 1)) / sigma, scale=sigma)

    assert p_value(rician, rice(6.0)) > LEAST_P
    assert p_value(rician, rice(3.0)) < LEAST_P and p_value(rician, rice(9.0)) < LEAST_P


def test_the_autocorrelation_of_fading_is_the_bessel_function(fadings):
    fading = fadings["rayleigh"]
    lags = np.arange(0, 200, 8)
    found = np.array([np.mean(np.conj(fading[:, 0]) * fading[:, lag]).real for lag in lags])
    deviation = 1 / math.sqrt(len(fading))
    assert np.abs(found - j0(2 * np.pi * 20.0 * lags / 2000.0)).max() < 4 * deviation
    assert np.abs(found - j0(2 * np.pi * 22.0 * lags / 2000.0)).max() > 4 * deviation


def welch(rows, rate, points):
    """Return the frequencies in order, and the mean over rows of SciPy's estimate."""
    frequencies, densities = scipy.signal.welch(
        rows, rate, nperseg=points, detrend=False, return_onesided=False
    )
    return np.fft.fftshift(frequencies), np.fft.fftshift(np.atleast_2d(densities).mean(axis=0))


def test_block_fading_changes_once_a_block_and_is_complex_normal():
    given = record(coherence_ms=0.1)  # 20 samples
    lanes = [(constant(200), given, key, 0) for key in keys(300)]
    blocks = drawn("rayleigh", lanes).reshape(-1, 20)
    assert np.all(blocks == blocks[:, :1])
    parts = np.concatenate([blocks[:, 0].real, blocks[:, 0].imag]) * math.sqrt(2)
    assert p_value(parts, scipy.stats.norm) > LEAST_P


@pytest.mark.parametrize("snr_db", [-10.0, 0.0, 15.0])
def test_noise_is_white_normal_and_as_strong_as_asked(snr_db):
    given = record(snr_db=snr_db, duration_ms=100.0)
    lanes = [(constant(20_000), given, key, 1) for key in keys(4)]
    noise = drawn("awgn", lanes) - 1
    power = np.mean(np.abs(noise) ** 2)
    assert abs(-10 * np.log10(power) - snr_db) < 0.08  # of 80,000: 4 deviations are 0.06 dB
    parts = np.concatenate([noise.real.ravel(), noise.imag.ravel()])
    assert p_value(parts / math.sqrt(power / 2), scipy.stats.norm) > LEAST_P
    for other in (noise[:, 1:] * noise[:, :-1].conj(), noise.real * noise.imag):
        assert abs(other.mean()) / power < 4 / math.sqrt(noise.size)


@pytest.mark.parametrize("roll_off", [0.2, 0.35, 0.5])
def test_the_spectrum_of_symbols_by_welch_is_a_raised_cosine(roll_off):
    rate = 10_000.0
    given = record(modulation=2, symbol_rate_hz=rate, roll_off=roll_off, offset_hz=0.0)
    rows = drawn("modulated", [(given, key, 0) for key in keys(12)])
    frequencies, density = welch(rows, RATE, 512)
    apart = np.abs(frequencies) / rate

    def error(roll_off):
        """Return the greatest error of the density, in units of the greatest density."""
        edge = np.clip((apart - (1 - roll_off) / 2) / roll_off, 0, 1)
        return np.abs(density * rate - 0.5 * (1 + np.cos(np.pi * edge))).max()

    assert error(roll_off) < 0.06
    assert error(roll_off + 0.15) > 0.06 and error(roll_off - 0.15) > 0.06
    assert density[apart > (1 + roll_off) / 2 + 0.2].max() * rate < 0.01


def test_the_phase_noise_of_fm_by_welch_is_that_of_a_mean_of_ten():
    """Its density is deviation^2 / rate * (sin(10 pi f / rate) / (10 sin(pi f / rate)))^2."""
    given = record(offset_hz=0.0, phase_noise_rad=0.3)
    rows = drawn("fm_tone", [(given, key, 0) for key in keys(12)])
    phase = np.unwrap(np.angle(rows), axis=1)
    phase -= phase.mean(axis=1, keepdims=True)
    frequencies, density = welch(phase, RATE, 256)
    turns = np.where(frequencies == 0, 1e-9, frequencies / RATE)

    def error(smoothed):
        shape = np.sin(smoothed * np.pi * turns) / (smoothed * np.sin(np.pi * turns))
        found, wanted = density * RATE / 0.3**2, shape**2
        return np.abs(found - wanted)[np.abs(turns) > 2 / 256].max()  # the mean is taken off

    assert error(10) < 0.03
    assert error(9) > 0.03 and error(11) > 0.03


def test_thermal_noise_has_the_power_of_k_t_b_and_the_noise_figure():
    given = record(thermal=1.0, bandwidth_hz=200e3, noise_figure_db=6.0, temperature_k=290.0)
    silent = signal_of(RATE, np.full(50_000, 1e-12))
    samples = drawn("awgn", [(silent, given, keys(1)[0], 0)])
    found = 10 * np.log10(np.mean(np.abs(samples) ** 2))
    assert abs(found - (-173.975 + 53.010 + 6.0)) < 0.1  # dBm


def test_two_sites_two_keys_and_two_receivers_draw_unlike_noise():
    given, signal = record(), constant(4000)
    numbers = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    lanes = [(signal, given, (SEED, sample, receiver), site) for sample, receiver, site in numbers]
    noises = drawn("awgn", lanes) - 1
    for k, a in enumerate(noises):
        for b in noises[:k]:
            assert abs(np.vdot(a, b)) / np.vdot(a, a).real < 5 / math.sqrt(len(a))


@pytest.mark.parametrize("snr_db", [0.0, 10.0, 20.0])
def test_the_measured_snr_is_the_given_snr(snr_db):
    given = record(snr_db=snr_db, duration_ms=100.0)
    clean = of("tone", [(given, key, 0) for key in keys(8)])
    noisy = of("awgn", [(s, given, key, 1) for s, key in zip(clean, keys(8), strict=True)])
    assert abs(np.mean(of("snr_estimate", [(s,) for s in noisy])) - snr_db) < 0.3
    rows = np.array(of("features", [(s, given) for s in noisy]))
    assert abs(rows[:, FEATURES.index("snr_db")].mean() - snr_db) < 0.8  # of a chunk more leaks


def test_a_periodogram_equals_scipy_s():
    random = np.random.default_rng(SEED)
    samples = random.normal(size=999) + 1j * random.normal(size=999)
    ((step, bins),) = of("psd", [(signal_of(RATE, samples),)])
    frequencies, density = scipy.signal.periodogram(
        samples, RATE, detrend=False, return_onesided=False
    )
    np.testing.assert_allclose(
        np.asarray(bins), np.fft.fftshift(density), rtol=1e-3, atol=1e-9 * density.max()
    )
    assert step == pytest.approx(frequencies[1])


ITU_SPREADS = {
    "INDOOR_A": 35e-9, "INDOOR_B": 100e-9, "PEDESTRIAN_A": 45e-9, "VEHICULAR_A": 370e-9,
    "VEHICULAR_B": 4000e-9,
}  # fmt: skip
"""The delay spreads of ITU-R M.1225; PEDESTRIAN_B's stated spread is not its taps' spread."""


@pytest.mark.parametrize("name", TDL)
def test_a_profile_has_the_taps_of_sionna(name):
    """Sionna's tables of TR 38.901 are compared; its functions are not needed."""
    found = importlib.util.find_spec("sionna")
    if found is None:
        pytest.skip("with Sionna's tables: pip install --no-deps sionna-no-rt")
    (folder,) = found.submodule_search_locations
    table = Path(folder, "phy/channel/tr38901/models/v16_1", f"{name.replace('_', '-')}.json")
    theirs = json.loads(table.read_text())
    powers = 10 ** (np.array(theirs["powers"]) / 10)
    ours = Profile(name)
    direct = theirs["los"]  # their first tap is then the direct path
    np.testing.assert_allclose(theirs["delays"][direct:], ours.delays)
    np.testing.assert_allclose(powers[direct:] / powers.sum(), ours.powers)
    assert ours.direct == pytest.approx(direct * powers[0] / powers.sum())


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_has_its_delay_spread_and_power(profile):
    """Both are measured on the mean square of 400 impulse responses at 20 MHz."""
    spread = 1e-6
    given = record(profile=PROFILES.index(profile), delay_spread_s=spread)
    impulse = signal_of(20e6, [*np.zeros(16), 1.0, *np.zeros(600)])
    answers = drawn("multipath", [(impulse, given, key, 0) for key in keys(400)])
    powers = np.mean(np.abs(answers) ** 2, axis=0)
    delays = (np.arange(len(powers)) - 16) / 20e6
    mean = np.sum(powers * delays) / powers.sum()
    found = math.sqrt(np.sum(powers * (delays - mean) ** 2) / powers.sum())
    if profile.startswith("TDL"):
        assert found == pytest.approx(spread, rel=0.12)
    if profile in ITU_SPREADS:
        assert found == pytest.approx(ITU_SPREADS[profile], rel=0.12)
    if profile != "ECHOES":
        assert powers.sum() == pytest.approx(1.0, rel=0.25)
    else:  # the direct path, and two or three echoes of -25 to -10 dB
        assert 1.0 < powers.sum() < 1.2


def test_a_fraction_of_a_sample_of_delay_turns_the_phase_of_a_tone():
    given = record(offset_hz=0.0, duration_ms=10.0)
    tone = of("mix", [(s, 20_000.0) for s in of("tone", [(given, keys(1)[0], 0)])])[0]
    ((_, later),) = of("delay", [(tone, 2.5 / RATE)])
    inner = slice(50, -50)
    turned = np.angle(later[inner] / tone[1][inner].astype(np.complex128))
    np.testing.assert_allclose(turned, -2 * np.pi * 20_000 * 2.5 / RATE, atol=2e-3)


@pytest.mark.parametrize("roll_off", [0.0, 0.25, 0.35, 1.0])
def test_two_root_raised_cosines_leave_no_symbol_in_another(roll_off):
    pulse = rrc_pulse(8, roll_off)
    both = np.convolve(pulse, pulse)[::8] / 8
    assert both[len(both) // 2] == pytest.approx(1.0)
    others = np.delete(both, len(both) // 2)
    assert np.abs(others).max() < (0.12 if roll_off == 0 else 0.02)


@pytest.mark.parametrize("number, moment", [(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.32), (5, 1.381)])
def test_symbols_have_mean_power_one_and_the_fourth_moment_of_their_kind(number, moment):
    given = record(modulation=number, symbol_rate_hz=10_000.0, offset_hz=0.0, duration_ms=400.0)
    (samples,) = drawn("modulated", [(given, keys(1)[0], 0)])
    received = np.convolve(samples, rrc_pulse(20, 0.35)) / 20
    symbols = received[80:-80:20][8:-8]
    power = np.mean(np.abs(symbols) ** 2)
    assert power == pytest.approx(1.0, abs=0.05)
    assert np.mean(np.abs(symbols) ** 4) / power**2 == pytest.approx(moment, abs=0.05)
