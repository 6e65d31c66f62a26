"""Both forms of a primitive side by side, within the tolerance of the language."""

from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.tolerance import same
from tests.engine.on_columns import assert_same_on_columns, on_columns

LIMIT = 1 << 24


def vectorized(function, lanes, limit=LIMIT):
    """Return values and failures of the vectorized form, each by lane."""
    LANGUAGE.use()
    values, frame = on_columns(function, lanes, limit)
    assert frame.operation.host is None, "computed by the scalar form"
    return values.decode(), (frame.reasons != 0).tolist()


def assert_same_forms(function, lanes, limit=LIMIT):
    """Check that values, failures and charges are the same in both forms, in every lane."""
    LANGUAGE.use()
    frame = assert_same_on_columns(function, lanes, limit, same)
    assert frame.operation.host is None, "computed by the scalar form"
