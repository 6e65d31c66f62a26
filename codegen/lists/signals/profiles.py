"""Each channel profile: a QPSK signal over its paths, measured."""

# ruff: noqa: F405
from megabatt.runtime.signal import *  # noqa: F403


def echoes_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, ECHOES)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def tdl_a_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, TDL_A)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def tdl_b_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, TDL_B)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def tdl_c_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, TDL_C)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def tdl_d_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, TDL_D)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def tdl_e_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, TDL_E)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def indoor_a_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, INDOOR_A)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def indoor_b_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, INDOOR_B)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def pedestrian_a_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, PEDESTRIAN_A)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def pedestrian_b_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, PEDESTRIAN_B)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def vehicular_a_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, VEHICULAR_A)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O


def vehicular_b_features(P, K):
    sent = with_parameter(P, MODULATION, PSK4)
    over = with_parameter(sent, PROFILE, VEHICULAR_B)
    clean = modulated(over, K)
    heard = multipath(clean, over, K)
    faded = rayleigh(heard, over, K)
    noisy = awgn(faded, over, K)
    O = features(noisy, over)
    return O
