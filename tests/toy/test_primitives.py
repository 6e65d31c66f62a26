"""The rules of the toy language give its scalar forms' results, on columns and on devices."""

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.device.device import computing_on
from tests.engine.on_columns import assert_same_on_columns
from tests.engine.strict import StrictDevice
from tests.toy import primitives
from tests.toy.language import LANGUAGE

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True, params=[None, StrictDevice()], ids=["here", "strict"])
def language_in_use(policy_in_use, request):
    """Compute here, and on a device that refuses what CuPy does not do."""
    LANGUAGE.use()
    with computing_on(request.param) if request.param else nullcontext():
        yield


reals = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e300, -1e300]), st.floats(-1e3, 1e3), st.integers(-3, 3)
)
lists = st.lists(st.one_of(st.floats(-9, 9), st.sampled_from([1e308, -1e308])), max_size=5)
wrong = st.sampled_from([True, None, (), (1.0, 2), frozenset(), "no value", (True,)])
BY_TYPE = {
    "Real": st.one_of(reals, reals, reals, wrong),
    "Reals": st.one_of(lists.map(tuple), lists.map(tuple), lists.map(tuple), wrong),
    "Integer": st.one_of(st.integers(-2, 6), st.booleans()),
}
OWN = [name for name, p in LANGUAGE.primitives.items() if p.module == primitives.__name__]


@pytest.mark.parametrize("name", OWN)
@given(data=st.data())
def test_rule_gives_what_the_scalar_form_gives(name, data):
    primitive = LANGUAGE.primitives[name]
    arguments = [BY_TYPE[declared.name] for declared in primitive.types]
    lanes = data.draw(st.lists(st.tuples(*arguments), min_size=1, max_size=6))
    assert_same_on_columns(primitive.function, lanes, data.draw(st.sampled_from([131_072, 3])))
