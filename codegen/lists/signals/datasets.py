"""What datasets are made of: links with and without echoes and fading.

Of each the features and the signal with its noise, and the power before it, which has to be the one
that arrives. Those of links with echoes and fading are among the chains.
"""

# ruff: noqa: F405
from megabatt.runtime.signal import *  # noqa: F403


def link_power(P, K):
    """FM over echoes and a fading channel: the power without noise."""
    clean = fm_tone(P, K)
    echoes = multipath(clean, P, K)
    faded = rayleigh(echoes, P, K)
    scaled = set_power(faded, P)
    O = power_dbm(scaled)
    return O


def link_echoes_features(P, K):
    """FM over echoes, in noise, measured."""
    clean = fm_tone(P, K)
    echoes = multipath(clean, P, K)
    scaled = set_power(echoes, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_echoes_power(P, K):
    """FM over echoes: the power without noise."""
    clean = fm_tone(P, K)
    echoes = multipath(clean, P, K)
    scaled = set_power(echoes, P)
    O = power_dbm(scaled)
    return O


def link_echoes_signal(P, K):
    """FM over echoes, in noise."""
    clean = fm_tone(P, K)
    echoes = multipath(clean, P, K)
    scaled = set_power(echoes, P)
    O = awgn(scaled, P, K)
    return O


def link_fading_features(P, K):
    """FM over a fading channel, in noise, measured."""
    clean = fm_tone(P, K)
    faded = rayleigh(clean, P, K)
    scaled = set_power(faded, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_fading_power(P, K):
    """FM over a fading channel: the power without noise."""
    clean = fm_tone(P, K)
    faded = rayleigh(clean, P, K)
    scaled = set_power(faded, P)
    O = power_dbm(scaled)
    return O


def link_fading_signal(P, K):
    """FM over a fading channel, in noise."""
    clean = fm_tone(P, K)
    faded = rayleigh(clean, P, K)
    scaled = set_power(faded, P)
    O = awgn(scaled, P, K)
    return O


def link_clear_features(P, K):
    """FM over a clear channel, in noise, measured."""
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_clear_power(P, K):
    """FM over a clear channel: the power without noise."""
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    O = power_dbm(scaled)
    return O


def link_clear_signal(P, K):
    """FM over a clear channel, in noise."""
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    O = awgn(scaled, P, K)
    return O
