"""Philox4x32-10: Random123's published vectors, a peer of another width, and its kernels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.signal import philox
from megabatt.runtime.signal.lanes import Streams
from megabatt.runtime.signal.randomness import normals, uniforms

ONES = 0xFFFFFFFF
PUBLISHED = [  # of Random123's kat_vectors: counter, key, result
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
WIDTHS = {
    32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
}
words = st.integers(0, ONES)
numbers = st.integers(-(2**63), 2**63 - 1)


def written_again(counter, key, width):
    """Compute Philox4xW-10 by its paper, for words of any width."""
    multipliers, weyl = WIDTHS[width]
    mask = (1 << width) - 1
    left = [counter[0], counter[2]]
    right = [counter[1], counter[3]]
    key = list(key)
    for _ in range(10):
        products = [m * x for m, x in zip(multipliers, left, strict=True)]
        high = [p >> width for p in products]
        left, right = (
            [high[1] ^ right[0] ^ key[0], high[0] ^ right[1] ^ key[1]],
            [products[1] & mask, products[0] & mask],
        )
        key = [(k + w) & mask for k, w in zip(key, weyl, strict=True)]
    return left[0], right[0], left[1], right[1]


@pytest.mark.parametrize("counter, key, result", PUBLISHED)
def test_it_gives_the_published_words(counter, key, result):
    assert philox.philox4x32(counter, key) == result


@given(st.tuples(*[st.integers(0, 2**64 - 2)] * 4), st.tuples(*[st.integers(0, 2**64 - 1)] * 2))
def test_the_second_definition_is_that_of_numpy(counter, key):
    state = np.random.Philox(counter=np.array(counter, np.uint64), key=np.array(key, np.uint64))
    first = (counter[0] + 1, *counter[1:])  # NumPy counts up before it draws
    assert written_again(first, key, 64) == tuple(state.random_raw(4).tolist())


@given(st.tuples(*[words] * 4), st.tuples(words, words))
def test_it_gives_what_the_second_definition_gives(counter, key):
    assert philox.philox4x32(counter, key) == written_again(counter, key, 32)


@given(numbers, numbers, numbers, numbers, st.lists(st.integers(0, 2**33), min_size=1))
def test_arrays_draw_what_integers_draw(seed, sample, receiver, site, indices):
    drawn = philox.uniform(seed, sample, receiver, site, np.array(indices))
    assert drawn.tolist() == [philox.uniform(seed, sample, receiver, site, i) for i in indices]
    assert np.all((drawn > 0) & (drawn < 1))


@pytest.mark.device
@given(st.lists(st.tuples(*[numbers] * 4), min_size=1, max_size=5), st.integers(0, 9))
def test_kernels_draw_what_the_functions_draw(lanes, first):
    keys = encode([lane[:3] for lane in lanes])
    streams = Streams(keys, encode([lane[3] for lane in lanes]))

    indices = np.arange(first, first + 5)
    for lane, drawn, normal in zip(
        lanes, uniforms(streams, 5, first).tolist(), normals(streams, 5, first).tolist(),
        strict=True,
    ):
        assert drawn == philox.uniform(*lane, indices).tolist()
        np.testing.assert_allclose(normal, philox.normal(*lane, indices), rtol=0, atol=1e-12)
