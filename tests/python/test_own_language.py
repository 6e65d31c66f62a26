"""Programs in a language of the user's own, which names and declares what it likes."""

from typing import Any as PythonAny
from typing import NamedTuple

import numpy as np
import pytest

import megabatt as mb
from megabatt.language import CORE, Any, Data, Integer, Language, Policy, Workload
from megabatt.runtime.engine.device.device import CPU
from megabatt.runtime.engine.language.registry import Primitives
from megabatt.runtime.engine.language.values import frozen
from megabatt.runtime.megabatch import given as options
from megabatt.runtime.megabatch.evaluation import evaluator as evaluator_module
from tests.engine.strict import StrictDevice
from tests.evaluations import said_of

WORDS = Policy(integers=(-(2**31), 2**31 - 1), has_complex=False)


class One(NamedTuple):
    """A sample: a value, and what is expected of it."""

    I: PythonAny  # noqa: E741
    expected: PythonAny = None


def own(policy=None, **constants):
    """Make a workload of a new language: of columns, or of words if the policy fits them."""

    class Own(Workload[One]):
        name = "own"
        language = Language(inputs=("I",), constants=constants, policy=policy)

        def load(self):
            return Data([One(1)])

        def words(self, name, domains, heap):
            return heap.put_all([getattr(one, name) for domain in domains for one in domain])

    Own.language.include(CORE)
    return Own()


def output(workload, operations, value=1):
    """Return what the last operation gives for a value."""
    program = mb.program("p", operations, operations[-1][0])
    return mb.evaluate([program], [One(value)], workload=workload, outputs="all").output(0, 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([0.123456789012], [0.123456789013]),
        (np.zeros(2000), np.eye(1, 2000, 1000)[0]),
        ([0.0], [-0.0]),
        ([1], [1.0]),
        (np.zeros((1, 2)), np.zeros((2, 1))),
    ],
)
@pytest.mark.parametrize("within", [lambda array: array, lambda array: (7, (array,))])
def test_constants_that_differ_are_told_apart(one, other, within):
    def told(value):
        array = value[1][0] if value.__class__ is tuple else value
        return array.dtype, array.shape, array.tobytes()

    given = [within(frozen(np.array(array))) for array in (one, other)]
    workload = own(ONE=given[0], OTHER=given[1])
    found = [output(workload, [["O", "identity", name]]) for name in ("ONE", "OTHER")]
    assert list(map(told, found)) == list(map(told, given))


@pytest.mark.parametrize("device", [CPU, StrictDevice()], ids=["cpu", "strict"])
def test_a_failed_call_of_a_scalar_form_has_its_safe_default_on_any_device(device, monkeypatch):
    monkeypatch.setattr(options, "device_of", lambda *_: device)
    workload, included = own(WORDS), Primitives()

    @included.primitive
    def turned(n: Integer) -> Any:
        if n > 2:
            raise RecursionError("short") if n > 3 else ValueError("no value")
        return ((n, 0), (0, n))

    workload.language.include(included, {"turned": ((7, 8), (9, 1))})
    programs = [mb.program("p", [["O", "turned", "I"]]), mb.program("q", [["O", "turned", 4]])]
    found = mb.evaluate(programs, [One(n) for n in (3, 1, 2)], workload=workload, outputs="all")
    outputs = [found.output(0, sample) for sample in range(3)]
    assert outputs == [((7, 8), (9, 1)), ((1, 0), (0, 1)), ((2, 0), (0, 2))]
    assert found.errors == {1: "not computed: RecursionError: short"}


def short_for(policy, shortage):
    """Make a workload with a primitive `large`, which raises for the numbers of a set: for 2."""
    workload, numbers = own(policy), {2}

    @workload.language.primitive
    def large(n: Integer) -> Integer:
        if n in numbers:
            raise shortage("short")
        return n

    return workload, numbers


@pytest.mark.parametrize("at_once", [1, 1 << 16])
@pytest.mark.parametrize("policy", [WORDS, None], ids=["words", "columns"])
@pytest.mark.parametrize("shortage", [MemoryError, RecursionError, SystemError])
def test_what_was_short_for_one_call_is_made_by_the_next_or_is_an_error_again(
    shortage, policy, at_once, monkeypatch
):
    monkeypatch.setattr(evaluator_module, "_LANES_AT_ONCE", at_once)
    workload, numbers = short_for(policy, shortage)
    evaluator = mb.Evaluator([One(n, n) for n in (1, 2, 3)], workload=workload)
    programs = [mb.program("p", [["O", called, "I"]]) for called in ("large", "identity", "large")]
    error = f"not computed: {shortage.__name__}: short"
    for _ in range(2):
        found = evaluator.evaluate(programs)
        assert found.errors == {0: error, 2: error} and found.fits.tolist() == [False, True, False]
    numbers.clear()
    found = evaluator.evaluate(programs)
    assert found.errors == {} and found.fits.all()


@pytest.mark.parametrize("expected", [2, None])
@pytest.mark.parametrize("policy", [WORDS, None], ids=["words", "columns"])
def test_a_program_that_was_not_computed_fits_nowhere_wherever_it_stops(policy, expected):
    workload, _ = short_for(policy, RecursionError)
    program, samples = mb.program("p", [["O", "large", "I"]]), [One(1, 1), One(2, expected)]
    how = {"workload": workload, "outputs": "all", "closeness": True}
    whole, stopped = (mb.evaluate([program], samples, **how, stop_at_miss=s) for s in (False, True))
    assert whole.errors and not whole.fits.any()
    said = [(said_of(one), one.closeness.tolist()) for one in (whole, stopped)]
    assert said[0] == said[1]
