"""Every compiled form against its scalar form, on random arguments, some of them of wrong types."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.machine.words import LABEL_BIAS
from tests.arc.lanes import LIMIT, assert_same, lanes_of, scalar
from tests.examples import examples


def integers_in(value):
    """Return the Integers in a value, and those that a function binds."""
    parts = value if isinstance(value, (tuple, frozenset)) else getattr(value, "args", ())
    return {abs(value)} if value.__class__ is int else {0}.union(*map(integers_in, parts))


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_it_gives_what_the_scalar_form_gives(name, data):
    """It leaves to that only what pairs and cells on the machine do not hold."""
    primitive = LANGUAGE.primitives[name]
    limit = data.draw(st.sampled_from([LIMIT, LIMIT, 60, 8]))
    for args in assert_same(primitive.function, data.draw(lanes_of(primitive)), limit):
        _, result, _ = scalar(primitive.function, args, limit)
        assert max(integers_in((*args, result))) >= LABEL_BIAS, args
