"""Hashes of values: an int64 for every lane, the same for equal values of one layout.

A value's hash comes from the hashes of its parts. A tuple's comes from the sum of its elements'
hashes, each times the odd number of its place. A set's comes from their plain sum, for its elements
are in no order. A salt picks one of many such functions, so two salts give 128 bits. Bits are mixed
by the finalizer of SplitMix64 (Steele, Lea and Flood 2014). Sums of products with random numbers
are the multilinear hashing of Carter and Wegman. All arithmetic is modulo 2**64.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy import int64

from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import MAX
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel
from megabatt.runtime.engine.device.scheduling import ask

_FIRST, _SECOND = int64(0xBF58476D1CE4E5B9 - (1 << 64)), int64(0x94D049BB133111EB - (1 << 64))
_OF_33, _OF_34, _OF_37 = int64((1 << 33) - 1), int64((1 << 34) - 1), int64((1 << 37) - 1)


@device_function
def mixed_bits(bits):
    """Mix 64 bits: each bit of the result depends on all bits given."""
    bits = (bits ^ ((bits >> 30) & _OF_34)) * _FIRST
    bits = (bits ^ ((bits >> 27) & _OF_37)) * _SECOND
    return bits ^ ((bits >> 31) & _OF_33)


@device_function
def mixed_code(code, salt):
    """Hash an int64."""
    return mixed_bits(code + salt)


@device_function
def mixed_sum(total, count, salt):
    """Hash a container, by the sum of its elements' hashes and their number."""
    return mixed_bits((total ^ salt) + count * _SECOND)


@lane_kernel
def mix_code(lane, codes, salt, hashes):
    hashes[lane] = mixed_code(codes[lane], salt)


@lane_kernel
def mix_tuple(lane, starts, counts, elements, factors, salt, hashes):
    """Hash a tuple."""
    total = int64(0)
    for k in range(counts[lane]):
        total += elements[starts[lane] + k] * factors[k]
    hashes[lane] = mixed_sum(total, counts[lane], salt)


@lane_kernel
def mix_set(lane, starts, counts, elements, salt, hashes):
    """Hash a set."""
    total = int64(0)
    for k in range(counts[lane]):
        total += elements[starts[lane] + k]
    hashes[lane] = mixed_sum(total, counts[lane], salt)


def salted(salt: int, name: str) -> int:
    """Return the salt for things of a name, such as "integer" or "set"."""
    digest = blake2b(f"{salt} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def hashed_text(texts: list[str], salt: int) -> Array:
    """Hash texts, for values that arrays do not hold; int64 (n,)."""
    return xp.asarray(np.array([salted(salt, text) for text in texts], dtype=np.int64))


def hashed_codes(codes: Array, salt: int, name: str) -> Array:
    """Hash int64 codes; int64 (n,)."""
    hashes = xp.empty(len(codes), dtype=xp.int64)
    mix_code(len(codes), codes, salted(salt, name), hashes)
    return hashes


def hashed_tuples(starts: Array, counts: Array, elements: Array, salt: int) -> Array:
    """Hash tuples, from the hashes of their elements, which lie in runs; int64 (n,)."""
    hashes = xp.empty(len(counts), dtype=xp.int64)
    factors = factors_of(ask(counts, MAX) if len(counts) else 0, salt)
    mix_tuple(len(counts), starts, counts, elements, factors, salted(salt, "tuple"), hashes)
    return hashes


def hashed_records(fields: list[Array], salt: int) -> Array:
    """Hash tuples of one length. fields: the hashes of their elements, an array for each place."""
    n, width = len(fields[0]), len(fields)
    elements = xp.empty(n * width, dtype=xp.int64)
    for place, hashes in enumerate(fields):
        elements[place::width] = hashes
    starts = xp.arange(0, n * width, width, dtype=xp.int64)
    return hashed_tuples(starts, xp.full(n, width, dtype=xp.int64), elements, salt)


def hashed_sets(starts: Array, counts: Array, elements: Array, salt: int) -> Array:
    """Hash sets, from the hashes of their elements, which lie in runs; int64 (n,)."""
    hashes = xp.empty(len(counts), dtype=xp.int64)
    mix_set(len(counts), starts, counts, elements, salted(salt, "set"), hashes)
    return hashes


def factors_of(places: int, salt: int) -> Array:
    """Return the odd number of each place of a tuple; int64 (places,)."""
    return hashed_codes(xp.arange(places, dtype=xp.int64), salt, "place") | 1


def fingerprints(column: Any) -> tuple[Array, Array]:
    """Return 128 bits for every value of a column, the same for equal values: two int64 (n,).

    They come from the canonical layout, so they do not depend on the operations that made a value.
    """
    settled = column if column.coded else column.canonical()
    return settled.hashes(0), settled.hashes(1)
