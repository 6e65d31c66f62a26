"""Random numbers that are counted, not kept: Philox4x32-10, as plain functions.

A draw is a pure function of (seed, sample, receiver, site, index). It does not depend on earlier
draws, nor on batches, devices and workers. All functions take ints, or arrays of ints that
broadcast. `randomness` has the same functions for kernels.

J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
LOW = 0xFFFFFFFF

Words = tuple[Any, Any, Any, Any]


def philox4x32(counter: Words, key: tuple[Any, Any]) -> Words:
    """Make four random words of 32 bits from a counter of four words and a key of two words.

    Each word, given or returned, is an int or a uint64 array with elements below 2**32.
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        p, q = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (q >> 32) ^ c1 ^ k0, q & LOW, (p >> 32) ^ c3 ^ k1, p & LOW
        k0, k1 = (k0 + WEYL[0]) & LOW, (k1 + WEYL[1]) & LOW
    return c0, c1, c2, c3


def block(seed: Any, sample: Any, receiver: Any, site: Any, number: Any) -> Words:
    """Draw block `number`, four words, of the stream named by (seed, sample, receiver, site).

    Uses 64 bits of the seed, and 32 bits of each other number.
    """
    seed, sample, receiver, site, number = map(_bits, (seed, sample, receiver, site, number))
    counter = number & LOW, site & LOW, receiver & LOW, sample & LOW
    return philox4x32(counter, (seed & LOW, seed >> 32))


def word(seed: Any, sample: Any, receiver: Any, site: Any, index: Any) -> Any:
    """Draw word `index` of a stream, 32 bits: an int, or a uint64 array."""
    four = block(seed, sample, receiver, site, index >> 2)
    if not isinstance(four[0], np.ndarray) and not isinstance(index, np.ndarray):
        return four[index & 3]
    return np.choose(index & 3, four)


def uniform(seed: Any, sample: Any, receiver: Any, site: Any, index: Any) -> Any:
    """Draw number `index` of a stream, uniform in (0, 1): a float, or a float64 array."""
    return (word(seed, sample, receiver, site, index) + 0.5) * 2.0**-32


def normal(seed: Any, sample: Any, receiver: Any, site: Any, index: Any) -> Any:
    """Draw number `index` of a stream, standard normal (Box and Muller, 1958).

    Two neighbouring numbers come from two words: the first gives the radius, the second the angle.
    """
    radius = np.sqrt(-2.0 * np.log(uniform(seed, sample, receiver, site, index & ~1)))
    angle = 2.0 * np.pi * uniform(seed, sample, receiver, site, index | 1)
    drawn = radius * np.where(index & 1, np.sin(angle), np.cos(angle))
    return drawn if isinstance(drawn, np.ndarray) and drawn.ndim else float(drawn)


def _bits(number: Any) -> Any:
    """Return the two's complement of an integer in 64 bits."""
    if isinstance(number, np.ndarray):
        return number.astype(np.uint64)
    return int(number) & 0xFFFFFFFFFFFFFFFF
