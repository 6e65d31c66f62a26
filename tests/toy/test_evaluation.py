"""Programs of a language of columns, evaluated side by side, give their scalar forms' results."""

import tracemalloc
from contextlib import nullcontext

import numpy as np
import pytest

import megabatt as mb
from megabatt.runtime.engine.columns import dispatch
from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.megabatch.run.hardware import opened
from megabatt.runtime.megabatch.verify.compare import little_room
from megabatt.runtime.megabatch.verify.fuzz import Coverage, differing_case
from megabatt.runtime.megabatch.verify.planned import differing
from megabatt.runtime.search.wide import Wide
from tests.engine.strict import StrictDevice
from tests.python.scalar import computed
from tests.toy.language import LANGUAGE, same
from tests.toy.workload import WORKLOAD

pytestmark = pytest.mark.device

SAMPLES = WORKLOAD.load(stations=3).samples
RAMPS = mb.program("ramps", [["x", "ramp", 3, "HALF"], ["O", "weighted", "X", "W"]])
STEADY = mb.program("steady", [
    ["x", "lbind", "above", "HALF"], ["y", "sfilter", "X", "x"], ["O", "total", "y"],
])  # fmt: skip
SCALED = mb.program("scaled", [["x", "scaled", "X", "TWO"], ["O", "total", "x"]])
ANSWER = [["x", "weighted", "X", "W"], ["m", "mean", "x"], ["n", "quotient", "ONE", 100_000]]
NEAR = mb.program("near", [*ANSWER, ["t", "times", "n", "n"], ["O", "plus", "m", "t"]])
FAR = mb.program("far", [*ANSWER, ["O", "plus", "m", "n"]])
CHOOSING = mb.program("choosing", [
    ["m", "mean", "X"], ["c", "above", "m", "HALF"], ["q", "quotient", "ONE", 0],
    ["O", "if_else", "c", "m", "q"],
])  # fmt: skip
PROGRAMS = [RAMPS, STEADY, SCALED, NEAR, FAR, CHOOSING]


def evaluated(programs, **options):
    """Evaluate programs in the language of a module, which is given by its name."""
    return mb.evaluate(programs, SAMPLES, workload="tests.toy.workload", outputs="all", **options)


@pytest.mark.parametrize(("seed", "limit"), [(0, 20_000), (1, 30)])
@pytest.mark.parametrize("device", [None, StrictDevice()], ids=["here", "strict"])
def test_random_programs(seed, limit, device):
    computed = []
    with computing_on(device) if device else nullcontext():
        for number in range(12):
            assert differing_case(WORKLOAD, seed, number, 4, limit, Coverage(), computed) is None
        assert computed
        for room in (1 << 40, 60):
            with little_room(room):
                assert differing(WORKLOAD, computed, limit) is None


@pytest.mark.parametrize("device", [None, StrictDevice()], ids=["here", "strict"])
@pytest.mark.parametrize("closeness", [False, True])
def test_outputs_and_failures_are_those_of_the_scalar_form(device, closeness, monkeypatch):
    """Programs run on every device, all together and one by one."""
    expected = evaluated(PROGRAMS, closeness=closeness)
    if device is not None:
        monkeypatch.setattr("megabatt.runtime.megabatch.given.device_of", lambda *_: device)
    found = evaluated(PROGRAMS, closeness=closeness)
    each = mb.evaluate_each([(p, SAMPLES) for p in PROGRAMS], workload=WORKLOAD, outputs="all")
    for k, program in enumerate(PROGRAMS):
        for lane, sample in enumerate(SAMPLES):
            with LANGUAGE.in_use():
                output, failed, *_ = computed(program, sample, LANGUAGE.max_elements, LANGUAGE)
            right = sample.expected is not None and same(output, sample.expected)
            for one, at in ((found, k), (each[k], 0)):
                assert same(one.output(at, lane), output)
                assert (one.failed[at, lane], one.matches[at, lane]) == (failed, right)
    assert found.known.tolist() == [sample.expected is not None for sample in SAMPLES]
    assert found.fits.tolist() == [program is NEAR for program in PROGRAMS]
    assert not closeness or np.array_equal(found.closeness, expected.closeness)
    assert device is None or device.launches


def test_rules_compute_on_columns_and_the_core_on_the_host():
    assert evaluated([SCALED]).host_share == 0
    assert evaluated([STEADY]).host_share == pytest.approx(1 / 2, abs=0.1)


def test_an_evaluator_makes_each_operation_once():
    evaluator = mb.Evaluator(SAMPLES, workload=WORKLOAD)
    first = evaluator.evaluate([SCALED], outputs="all")
    longer = mb.program("longer", [*SCALED.operations, ("P", "plus", "O", "ONE")], "P")
    second = evaluator.evaluate([longer], outputs="all")
    assert (first.operations, first.seen, second.operations, second.seen) == (2, 0, 3, 2)
    for lane in range(len(SAMPLES)):
        assert second.output(0, lane) == first.output(0, lane) + 1.0


def test_a_program_that_is_wrong_or_short_of_memory_leaves_the_others_alone(monkeypatch):
    def short(function, args, limit):
        if function is LANGUAGE.primitives["order"].function:
            raise MemoryError("no memory")
        return attempt(function, args, limit)

    monkeypatch.setattr(dispatch, "attempt", short)
    ordered = mb.program("ordered", [["x", "order", "X", "identity"], ["O", "total", "x"]])
    found = evaluated([ordered, SCALED, mb.program("wrong", [["O", "hmirror", "X"]])])
    assert list(found.errors) == [0, 2] and "hmirror" in found.errors[2]
    assert found.errors[0] == "not computed: MemoryError: no memory"
    assert (found.failed[1] == 0).all() and (found.failed[0] == -1).all()


def test_lanes_of_several_layouts_are_computed_by_their_rules():
    """A branch gives numbers in some lanes and tuples in others."""
    program = mb.program("mixed", [
        ["m", "mean", "X"], ["c", "above", "m", "HALF"], ["x", "branch", "c", "X", "m"],
        ["O", "plus", "x", "ONE"],
    ])  # fmt: skip
    samples = [s._replace(X=(float(k % 2),) * 2) for k, s in enumerate(SAMPLES)]
    found = mb.evaluate([program], samples, workload=WORKLOAD, outputs="all")
    for lane in range(len(samples)):
        assert found.failed[0, lane] == lane % 2
        assert found.output(0, lane) == (0.0 if lane % 2 else 1.0)
    assert found.host_share == 1 / 4  # the branches


def test_wide_searches_run_programs_operation_by_operation():
    wide = Wide(WORKLOAD, SAMPLES, 20_000, opened("cpu"))
    wrong = mb.program("wrong", [["O", "nothing", "X"]])
    fails = mb.program("fails", [["x", "quotient", "ONE", 0], ["O", "plus", "x", "x"]])
    close = wide.rated([SCALED, STEADY, wrong, fails, SCALED]).closeness
    assert close.shape == (5, len(SAMPLES)) and close.dtype == np.float32
    found = evaluated([SCALED, STEADY]).matches
    assert np.array_equal(close[:2] == 1, found) and np.array_equal(close[4], close[0])
    assert not close[2:4].any()


def test_tables_and_traces_have_what_was_evaluated():
    found = evaluated(PROGRAMS)
    rows = found.to_arrow().to_pylist()
    places = list(np.ndindex(found.matches.shape))
    assert [(row["program"], row["failed"]) for row in rows] == [
        (PROGRAMS[k].name, found.failed[k, sample]) for k, sample in places
    ]
    for k, sample in places:
        trace = found.trace(k, sample)
        assert same(trace.output, found.output(k, sample))
        assert str(trace) and "<svg" in trace._repr_html_()


LONG = [one._replace(X=tuple(np.linspace(0, 1, 20_000).tolist())) for one in SAMPLES[:2]]
DEEP = 40


def deep(factor):
    """Return a program that makes `DEEP` long lists, each of the one before."""
    rows = [[f"x{k}", "smoothed", f"x{k - 1}"] for k in range(1, DEEP)]
    rows = [["x0", "scaled", "X", factor], *rows, ["O", "total", f"x{DEEP - 1}"]]
    return mb.program("deep", rows)


@pytest.mark.parametrize(
    ("keeps", "memory"), [(False, None), (True, "4MB")], ids=["no values", "a bound"]
)
def test_values_are_dropped_once_they_are_not_needed_or_take_too_much(keeps, memory):
    evaluator = mb.Evaluator(LONG, workload=WORKLOAD, keeps=keeps, memory=memory)
    programs = [deep(factor) for factor in ("ONE", "TWO", "HALF")]
    expected = mb.evaluate(programs, LONG, workload=WORKLOAD, outputs="all")
    tracemalloc.start()
    try:
        for k, program in enumerate(programs):
            found = evaluator.evaluate([program], outputs="all")
            assert found.output(0, 0) == expected.output(k, 0)
        left, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    of_a_program = 8 * DEEP * sum(len(one.X) for one in LONG)
    assert left < of_a_program / 4
    assert keeps or most < of_a_program / 2
