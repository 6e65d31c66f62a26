"""Chains of a receiver's training data: from a clean signal to what is measured of it."""

# ruff: noqa: F405
from megabatt.runtime.signal import *  # noqa: F403


def link_features(P, K):
    """FM over echoes and a fading channel, in noise, measured."""
    clean = fm_tone(P, K)
    echoes = multipath(clean, P, K)
    faded = rayleigh(echoes, P, K)
    scaled = set_power(faded, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_signal(P, K):
    """The same link's signal itself."""
    clean = fm_tone(P, K)
    echoes = multipath(clean, P, K)
    faded = rayleigh(echoes, P, K)
    scaled = set_power(faded, P)
    O = awgn(scaled, P, K)
    return O


def noisy_tone(P, K):
    """A carrier at the power that arrives, in white noise."""
    clean = tone(P, K)
    scaled = set_power(clean, P)
    O = awgn(scaled, P, K)
    return O


def two_noises(P, K):
    """The level of a signal with noise twice: the noises differ."""
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    once = awgn(scaled, P, K)
    twice = awgn(once, P, K)
    O = power_dbm(twice)
    return O


def direct_path(P, K):
    """How far a link with a direct path stands above thermal noise at the power that arrives."""
    distance = parameter(P, DISTANCE_KM)
    loss = path_loss(distance, P, K)
    level = received_power(loss, P)
    budget = with_parameter(P, RX_POWER_DBM, level)
    heated = with_parameter(budget, THERMAL, PSK2)
    clean = tone(heated, K)
    faded = rician(clean, heated, K)
    scaled = set_power(faded, heated)
    noisy = awgn(scaled, heated, K)
    O = snr_estimate(noisy)
    return O


def interference(P, K):
    """The spectrum of a signal and of a weaker one on another frequency."""
    wanted = fm_tone(P, K)
    beside = modulated(P, K)
    weaker = scale(beside, HALF)
    shifted = mix(weaker, SPACING_HZ)
    heard = add(wanted, shifted)
    O = psd(heard)
    return O


def narrow_band(P, K):
    """The features of a signal at a quarter of its rate."""
    clean = fm_tone(P, K)
    noisy = awgn(clean, P, K)
    slower = resample(noisy, 1, 4)
    O = features(slower, P)
    return O


def early_half(P, K):
    """The power of the first half second of a delayed signal, its spectrum mirrored."""
    clean = modulated(P, K)
    later = delay(clean, MICROSECOND)
    mirrored = conjugate(later)
    half = slice_time(mirrored, ZERO, HALF_SECOND_MS)
    O = power_dbm(half)
    return O
