"""Columns keep their values when they go to another device and come back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.columns.transfer import Parcel, columns_to_host
from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.engine.language.values import identical
from tests.engine.machine_values import columns
from tests.engine.strict import StrictDevice


@given(columns, columns)
def test_columns_go_to_a_device_and_back_in_a_transfer_each(first, second):
    device = StrictDevice()
    parcel = Parcel([encode(first), encode(second)])
    with computing_on(device):
        back = columns_to_host(parcel.unpacked(device.send(parcel.bytes)()))
    assert (device.sent, device.fetched) == (1, 1)
    assert identical(tuple(tuple(one.decode()) for one in back), (tuple(first), tuple(second)))


@given(columns, st.data())
def test_compact_columns_hold_only_the_data_of_their_lanes(lanes, data):
    chosen = data.draw(st.lists(st.sampled_from(range(len(lanes))), min_size=1, max_size=8))
    few = encode(lanes).take(np.array(chosen)).packed()
    assert identical(tuple(few.decode()), tuple(lanes[k] for k in chosen))
    if set(chosen) == {chosen[0]}:
        assert Parcel([few.take(np.array([0])).packed()]).bytes.nbytes <= size_of(lanes[chosen[0]])


def size_of(value):
    """Return more bytes than any layout of one value takes."""
    if isinstance(value, tuple | frozenset):
        return 64 + sum(map(size_of, value))
    return 256


def test_an_array_that_columns_share_goes_once():
    column = encode([tuple(range(100)), tuple(range(50))])
    twice = Parcel([column, column.take(np.array([1, 0]))])
    assert twice.bytes.nbytes < 1.5 * Parcel([column]).bytes.nbytes
