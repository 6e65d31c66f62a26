"""Calls on indexed columns give the same as calls on the columns gathered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.calls.dispatch import call
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.columns import Uniform, encode, repeated
from megabatt.runtime.engine.values import identical
from tests.arc.lanes import lanes_of

NAMES = ["apply", "sfilter", "astuple", "insert", "combine", "lbind", "repeat"]


def called(function, columns, n, limit):
    """List failure, value and charge of each lane of a call; the latter two are None on failure."""
    operation = Operation(n, limit)
    frame = Frame(operation, n)
    values = call(frame, Uniform(function, n), columns).gathered().decode()
    failed = frame.failed.tolist()
    spent = (limit - operation.remaining).tolist()
    return [
        (flag, None if flag else value, None if flag else charge)
        for flag, value, charge in zip(failed, values, spent, strict=True)
    ]


def same(a, b):
    return a[0] == b[0] and a[2] == b[2] and identical(a[1], b[1])


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_all_arguments_of_one_index(name, data):
    primitive = LANGUAGE.primitives[name]
    lanes = data.draw(lanes_of(primitive))
    index = np.array(data.draw(st.lists(st.sampled_from(range(len(lanes))), min_size=1)))
    limit = data.draw(st.sampled_from([131_072, 20]))
    columns = [encode(list(column)) for column in zip(*lanes, strict=True)]
    indexed = [repeated(column, index) for column in columns]
    taken = [column.take(index) for column in columns]
    function = primitive.function
    got, expected = (called(function, c, len(index), limit) for c in (indexed, taken))
    assert all(map(same, got, expected))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-3, 9), min_size=1, max_size=5),
    st.lists(st.integers(-3, 9), min_size=1, max_size=9),
    st.data(),
)
def test_functions_that_bind_what_is_indexed(bound, given, data):
    """Each lane's function adds what an element of another container is bound to."""
    index = np.array(
        data.draw(
            st.lists(st.sampled_from(range(len(bound))), min_size=len(given), max_size=len(given))
        )
    )
    functions = repeated(encode([arc.lbind(arc.add, value) for value in bound]), index)
    n = len(given)
    frame = Frame(Operation(n, 1000), n)
    sums = call(frame, functions, [encode(given)]).gathered()
    assert sums.decode() == [bound[k] + value for k, value in zip(index, given, strict=True)]
