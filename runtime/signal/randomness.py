"""The random numbers of `philox` for kernels, and the functions of reals that the draws need.

The arithmetic vectorizes on CPUs. Logarithm, sine and cosine are series, good to 1e-14.
"""

from __future__ import annotations

import math

from numpy import float64, int64, uint64

from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.kernels import inlined_function, lane_kernel
from megabatt.runtime.engine.device.reals import quotient, rounded_down, square_root
from megabatt.runtime.signal import philox
from megabatt.runtime.signal.lanes import Streams

_M0, _M1 = map(uint64, philox.MULTIPLIERS)
_W0, _W1 = map(uint64, philox.WEYL)
_LOW, _HALF = uint64(philox.LOW), uint64(32)
_STEP = 2.0**-32
_LN2 = math.log(2.0)
_ROOT_HALF = math.sqrt(0.5)
_QUARTER_TURN = math.pi / 2


@inlined_function
def low_words(block, site, receiver, sample, seed):
    """Draw words 0 and 1 of a block of a stream, in one word of 64 bits."""
    c0 = uint64(block) & _LOW
    c1 = uint64(site) & _LOW
    c2 = uint64(receiver) & _LOW
    c3 = uint64(sample) & _LOW
    k0 = uint64(seed) & _LOW
    k1 = uint64(seed) >> _HALF
    for _ in range(10):
        p = c0 * _M0
        q = c2 * _M1
        c0 = (q >> _HALF) ^ c1 ^ k0
        c1 = q & _LOW
        c2 = (p >> _HALF) ^ c3 ^ k1
        c3 = p & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0 | (c1 << _HALF)


@inlined_function
def high_words(block, site, receiver, sample, seed):
    """Draw words 2 and 3 of a block of a stream, in one word of 64 bits."""
    c0 = uint64(block) & _LOW
    c1 = uint64(site) & _LOW
    c2 = uint64(receiver) & _LOW
    c3 = uint64(sample) & _LOW
    k0 = uint64(seed) & _LOW
    k1 = uint64(seed) >> _HALF
    for _ in range(10):
        p = c0 * _M0
        q = c2 * _M1
        c0 = (q >> _HALF) ^ c1 ^ k0
        c1 = q & _LOW
        c2 = (p >> _HALF) ^ c3 ^ k1
        c3 = p & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c2 | (c3 << _HALF)


@inlined_function
def first_uniform(words):
    """Return the first of two words as a number uniform in (0, 1)."""
    return (float64(int64(words & _LOW)) + 0.5) * _STEP


@inlined_function
def second_uniform(words):
    """Return the second of two words as a number uniform in (0, 1)."""
    return (float64(int64(words >> _HALF)) + 0.5) * _STEP


@inlined_function
def log_of_uniform(x):
    """Return the natural logarithm of a number of (2**-34, 1]."""
    exponent = 0.0
    if x < 2.0**-16:
        x = x * 65536.0
        exponent = exponent - 16.0
    if x < 2.0**-8:
        x = x * 256.0
        exponent = exponent - 8.0
    if x < 2.0**-4:
        x = x * 16.0
        exponent = exponent - 4.0
    if x < 2.0**-2:
        x = x * 4.0
        exponent = exponent - 2.0
    if x < 0.5:
        x = x * 2.0
        exponent = exponent - 1.0
    if x < 0.5:
        x = x * 2.0
        exponent = exponent - 1.0
    if x < _ROOT_HALF:
        x = x * 2.0
        exponent = exponent - 1.0
    s = quotient(x - 1.0, x + 1.0)  # without a check for division by zero
    z = s * s
    p = 1.0 / 19.0
    p = p * z + 1.0 / 17.0
    p = p * z + 1.0 / 15.0
    p = p * z + 1.0 / 13.0
    p = p * z + 1.0 / 11.0
    p = p * z + 1.0 / 9.0
    p = p * z + 1.0 / 7.0
    p = p * z + 1.0 / 5.0
    p = p * z + 1.0 / 3.0
    p = p * z + 1.0
    return exponent * _LN2 + 2.0 * s * p


@inlined_function
def normal_radius(uniform):
    """Return the radius of two normal numbers, by Box and Muller."""
    return square_root(-2.0 * log_of_uniform(uniform))


@inlined_function
def cos_turns(turns):
    """Return the cosine of an angle in turns."""
    quarters = (turns - rounded_down(turns)) * 4.0
    quarter = rounded_down(quarters)
    a = (quarters - quarter - 0.5) * _QUARTER_TURN  # from the middle of the quarter
    z = a * a
    c = 1.0 / 20922789888000.0
    c = c * z - 1.0 / 87178291200.0
    c = c * z + 1.0 / 479001600.0
    c = c * z - 1.0 / 3628800.0
    c = c * z + 1.0 / 40320.0
    c = c * z - 1.0 / 720.0
    c = c * z + 1.0 / 24.0
    c = c * z - 0.5
    c = c * z + 1.0
    s = -1.0 / 1307674368000.0
    s = s * z + 1.0 / 6227020800.0
    s = s * z - 1.0 / 39916800.0
    s = s * z + 1.0 / 362880.0
    s = s * z - 1.0 / 5040.0
    s = s * z + 1.0 / 120.0
    s = s * z - 1.0 / 6.0
    s = a + a * z * s
    near = (c - s) * _ROOT_HALF
    far = (c + s) * _ROOT_HALF
    value = near
    if quarter == 1.0:
        value = -far
    if quarter == 2.0:
        value = -near
    if quarter == 3.0:
        value = far
    return value


@inlined_function
def sin_turns(turns):
    """Return the sine of an angle in turns."""
    return cos_turns(turns - 0.25)


@lane_kernel
def draw_uniform(lane, each, seeds, samples, receivers, sites, first, out):
    """Draw one number; a lane of the kernel is one of the `each` numbers of a stream."""
    owner = lane // each
    index = lane % each + first
    block = index >> 2
    words = low_words(block, sites[owner], receivers[owner], samples[owner], seeds[owner])
    if index & 2:
        words = high_words(block, sites[owner], receivers[owner], samples[owner], seeds[owner])
    value = first_uniform(words)
    if index & 1:
        value = second_uniform(words)
    out[lane] = value


@lane_kernel
def draw_normal(lane, each, seeds, samples, receivers, sites, first, out):
    """Draw one number as `draw_uniform` does, of the standard normal distribution."""
    owner = lane // each
    index = lane % each + first
    block = index >> 2
    words = low_words(block, sites[owner], receivers[owner], samples[owner], seeds[owner])
    if index & 2:
        words = high_words(block, sites[owner], receivers[owner], samples[owner], seeds[owner])
    turns = second_uniform(words)
    if index & 1:
        turns = turns - 0.25
    out[lane] = normal_radius(first_uniform(words)) * cos_turns(turns)


def uniforms(streams: Streams, each: int, first: int = 0) -> Array:
    """Draw `each` uniform numbers of every lane, from number `first` on; float64 (n, each)."""
    return _drawn(draw_uniform, streams, each, first)


def normals(streams: Streams, each: int, first: int = 0) -> Array:
    """Draw `each` normal numbers of every lane, from number `first` on; float64 (n, each)."""
    return _drawn(draw_normal, streams, each, first)


def _drawn(kernel, streams: Streams, each: int, first: int) -> Array:  # type: ignore[no-untyped-def]
    n = len(streams.seeds)
    out = xp.empty(n * each, dtype=xp.float64)
    kernel(n * each, each, *streams.arrays, first, out)
    return out.reshape(n, each)
