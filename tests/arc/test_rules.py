"""Every rule against its scalar form, on random lanes that mix kinds, empties and wrong types."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import megabatt.runtime.arc  # noqa: F401
from megabatt.runtime.arc.language import LANGUAGE
from tests.arc.lanes import assert_same, lanes_of
from tests.examples import examples

pytestmark = pytest.mark.device

WITH_RULE = sorted(name for name, p in LANGUAGE.primitives.items() if p.rule is not None)


@pytest.mark.parametrize("name", WITH_RULE)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_rule_gives_what_the_scalar_form_gives(name, data):
    primitive = LANGUAGE.primitives[name]
    lanes = data.draw(lanes_of(primitive))
    limit = data.draw(st.sampled_from([131_072, 131_072, 60, 8]))
    assert_same(primitive.function, lanes, limit)
