"""Each modulation, as it arrives and as it is measured."""

# ruff: noqa: F405
from megabatt.runtime.signal import *  # noqa: F403


def am_features(P, K):
    sent = with_parameter(P, MODULATION, AM)
    clean = modulated(sent, K)
    scaled = set_power(clean, sent)
    noisy = awgn(scaled, sent, K)
    O = features(noisy, sent)
    return O


def psk2_features(P, K):
    sent = with_parameter(P, MODULATION, PSK2)
    clean = modulated(sent, K)
    scaled = set_power(clean, sent)
    noisy = awgn(scaled, sent, K)
    O = features(noisy, sent)
    return O


def psk4_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    clean = modulated(sent, K)
    scaled = set_power(clean, sent)
    noisy = awgn(scaled, sent, K)
    O = features(noisy, sent)
    return O


def psk8_features(P, K):
    sent = with_parameter(P, MODULATION, PSK8)
    clean = modulated(sent, K)
    scaled = set_power(clean, sent)
    noisy = awgn(scaled, sent, K)
    O = features(noisy, sent)
    return O


def qam16_features(P, K):
    sent = with_parameter(P, MODULATION, QAM16)
    clean = modulated(sent, K)
    scaled = set_power(clean, sent)
    noisy = awgn(scaled, sent, K)
    O = features(noisy, sent)
    return O


def qam64_features(P, K):
    sent = with_parameter(P, MODULATION, QAM64)
    clean = modulated(sent, K)
    scaled = set_power(clean, sent)
    noisy = awgn(scaled, sent, K)
    O = features(noisy, sent)
    return O
