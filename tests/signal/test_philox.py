"""Philox4x32-10: Random123's published vectors, and its kernels."""

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

numbers = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize("counter, key, result", PUBLISHED)
def test_it_gives_the_published_words(counter, key, result):
    assert philox.philox4x32(counter, key) == result


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
