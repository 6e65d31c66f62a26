"""Both forms of a primitive side by side, within the tolerance of the language."""

import numpy as np

from megabatt.runtime.engine.columns import Uniform, encode
from megabatt.runtime.engine.columns.dispatch import call
from megabatt.runtime.engine.columns.frames import Frame, Operation
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.tolerance import same

LIMIT = 1 << 24


def vectorized(function, lanes, limit=LIMIT):
    """Return values, failures and charges of the vectorized form, each by lane."""
    LANGUAGE.use()
    n = len(lanes)
    operation = Operation(n, limit)
    frame = Frame(operation, n)
    columns = [encode(list(column)) for column in zip(*lanes, strict=True)]
    values = call(frame, Uniform(function, n), columns).decode()
    assert operation.host is None, "computed by the scalar form"
    return values, (frame.reasons != 0).tolist(), (limit - operation.remaining).tolist()


def assert_same_forms(function, lanes, limit=LIMIT):
    """Check that values, failures and charges are the same in both forms, in every lane."""
    values, failures, charges = vectorized(function, lanes, limit)
    for lane, value, failed, spent in zip(lanes, values, failures, charges, strict=True):
        with np.errstate(all="ignore"):
            expected, error, left = attempt(function, lane, limit)
        assert failed == (error is not None), (function.__name__, lane)
        if error is None:
            assert spent == limit - left, (function.__name__, lane)
            assert same(expected, value), (function.__name__, lane, expected, value)
