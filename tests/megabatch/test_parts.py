"""A batch's results, some lanes at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.executor.program import Results
from megabatt.runtime.engine.language.values import identical, weight
from megabatt.runtime.megabatch.parts import in_parts
from tests.engine.machine_values import columns


@given(columns, st.integers(1, 50), st.data())
def test_parts_equal_the_whole_and_weigh_no_more_than_asked(lanes, most, data):
    n = len(lanes)
    flags = data.draw(st.lists(st.booleans(), min_size=2 * n, max_size=2 * n))
    outputs = {"one": encode(lanes), "other": encode(lanes[::-1])}
    results = Results(outputs, np.array(flags).reshape(2, n), {"one": [1], "other": [1]}, 0)
    parts = list(in_parts(results, most))
    assert [lane for some, _ in parts for lane in some] == list(range(n))
    found = [row for _, part in parts for row in part.decode()]
    for (values, failed), (expected, flagged) in zip(found, results.decode(), strict=True):
        assert all(identical(values[name], expected[name]) for name in outputs)
        assert failed == flagged
    for some, _ in parts:
        held = sum(min(weight(lanes[k]), most) + min(weight(lanes[-1 - k]), most) for k in some)
        assert len(some) == 1 or held <= most
