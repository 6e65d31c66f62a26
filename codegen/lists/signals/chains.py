"""Chains of a receiver's training data: from a clean signal to what is measured of it."""

# ruff: noqa: F405
from megabatt.runtime.signal import *  # noqa: F403


def noisy_tone(P, K):
    """A carrier at the power that arrives, in white noise."""
    clean = tone(P, K)
    scaled = set_power(clean, P)
    O = awgn(scaled, P, K)
    return O


def two_noises(P, K):
    """The level of the same signal with two noises: they differ."""
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    once = awgn(scaled, P, K)
    twice = awgn(once, P, K)
    O = power_dbm(twice)
    return O
