"""What datasets of modulations are made of: the links of datasets, with a modulated carrier.

P.modulation says which modulation it is.
"""

# ruff: noqa: F405
from megabatt.runtime.signal import *  # noqa: F403


def link_modulated_features(P, K):
    """A modulated carrier over echoes and a fading channel, in noise, measured."""
    clean = modulated(P, K)
    echoes = multipath(clean, P, K)
    faded = rayleigh(echoes, P, K)
    scaled = set_power(faded, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_modulated_power(P, K):
    """A modulated carrier over echoes and a fading channel: the power without noise."""
    clean = modulated(P, K)
    echoes = multipath(clean, P, K)
    faded = rayleigh(echoes, P, K)
    scaled = set_power(faded, P)
    O = power_dbm(scaled)
    return O


def link_modulated_signal(P, K):
    """A modulated carrier over echoes and a fading channel, in noise."""
    clean = modulated(P, K)
    echoes = multipath(clean, P, K)
    faded = rayleigh(echoes, P, K)
    scaled = set_power(faded, P)
    O = awgn(scaled, P, K)
    return O


def link_modulated_echoes_features(P, K):
    """A modulated carrier over echoes, in noise, measured."""
    clean = modulated(P, K)
    echoes = multipath(clean, P, K)
    scaled = set_power(echoes, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_modulated_echoes_power(P, K):
    """A modulated carrier over echoes: the power without noise."""
    clean = modulated(P, K)
    echoes = multipath(clean, P, K)
    scaled = set_power(echoes, P)
    O = power_dbm(scaled)
    return O


def link_modulated_echoes_signal(P, K):
    """A modulated carrier over echoes, in noise."""
    clean = modulated(P, K)
    echoes = multipath(clean, P, K)
    scaled = set_power(echoes, P)
    O = awgn(scaled, P, K)
    return O


def link_modulated_fading_features(P, K):
    """A modulated carrier over a fading channel, in noise, measured."""
    clean = modulated(P, K)
    faded = rayleigh(clean, P, K)
    scaled = set_power(faded, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_modulated_fading_power(P, K):
    """A modulated carrier over a fading channel: the power without noise."""
    clean = modulated(P, K)
    faded = rayleigh(clean, P, K)
    scaled = set_power(faded, P)
    O = power_dbm(scaled)
    return O


def link_modulated_fading_signal(P, K):
    """A modulated carrier over a fading channel, in noise."""
    clean = modulated(P, K)
    faded = rayleigh(clean, P, K)
    scaled = set_power(faded, P)
    O = awgn(scaled, P, K)
    return O


def link_modulated_clear_features(P, K):
    """A modulated carrier over a clear channel, in noise, measured."""
    clean = modulated(P, K)
    scaled = set_power(clean, P)
    noisy = awgn(scaled, P, K)
    O = features(noisy, P)
    return O


def link_modulated_clear_power(P, K):
    """A modulated carrier over a clear channel: the power without noise."""
    clean = modulated(P, K)
    scaled = set_power(clean, P)
    O = power_dbm(scaled)
    return O


def link_modulated_clear_signal(P, K):
    """A modulated carrier over a clear channel, in noise."""
    clean = modulated(P, K)
    scaled = set_power(clean, P)
    O = awgn(scaled, P, K)
    return O
