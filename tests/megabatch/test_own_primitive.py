"""A user's own primitive: a decorated scalar form is enough for both forms."""

import functools

import pytest

from megabatt.runtime.core.types import Any, Integer
from megabatt.runtime.engine.columns.rules import rule
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.registry import Primitives
from megabatt.runtime.engine.machine.forms import compiled
from tests.engine.on_columns import assert_same_on_columns

NO_VALUES = {
    "an Integer out of range": "2 ** 70",
    "an Integer just out of range": "2 ** 31",
    "a float": "0.5",
    "a list": "[1, 2]",
    "a list within a tuple": "(1, [2])",
    "a tuple nested too deeply": "functools.reduce(lambda inner, _: (inner,), range(40), 1)",
}


@pytest.mark.parametrize("source", NO_VALUES.values(), ids=NO_VALUES)
def test_a_result_that_is_no_value_of_the_language_fails_in_both_forms(source):
    scope = {"functools": functools, "Any": Any, "Integer": Integer}
    exec(f"def odd(n: Integer) -> Any:\n    return n if n > 0 else {source}", scope)
    primitives = Primitives()
    odd = primitives.primitive(scope["odd"])
    assert odd(3) == 3
    with pytest.raises((TypeError, LimitError)):
        odd(0)
    assert_same_on_columns(odd, [(3,), (0,), (-1,), (5,)])


@pytest.mark.parametrize(
    "options, said",
    [
        ({"charge": "area"}, "charge='area' must be a number, a measure, or a function"),
        ({"charge": 2.5}, "charge=2.5 must be a number, a measure, or a function"),
        ({"charge": lambda n: n}, r"sum_up takes \(n, m\), its charge <lambda> takes \(n\)"),
        ({"each": ("n", "container")}, "sum_up has no parameter 'container', as each= says"),
    ],
)
def test_options_that_name_no_arguments_are_refused(options, said):
    def sum_up(n: Integer, m: Integer) -> Integer:
        return n + m

    sum_up.__annotations__ = {"n": Integer, "m": Integer, "return": Integer}
    with pytest.raises(TypeError, match=said):
        Primitives().primitive(**options)(sum_up)


@pytest.mark.parametrize(
    ("hint", "write"),
    [(int, ": write Integer for int"), (bool, ": write Boolean for bool"),
     (tuple[int, ...], ": write Tuple for tuple"), (frozenset, ": write FrozenSet for frozenset"),
     (str, ""), (None, "")],
)  # fmt: skip
def test_a_type_of_python_is_refused_with_the_type_of_the_language(hint, write):
    def odd(k):
        return k

    odd.__annotations__ = {"k": hint, "return": Integer}
    with pytest.raises(TypeError) as raised:
        Primitives().primitive(odd)
    line = "primitive odd: k is not annotated with a type of the language"
    assert str(raised.value) == line + write


@pytest.mark.parametrize("declare", [compiled, rule])
def test_only_a_primitive_has_a_second_form(declare):
    with pytest.raises(TypeError, match="len is no primitive: declare its scalar form with @prim"):
        declare(len)
