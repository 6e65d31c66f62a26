"""If memory or stack is short or the machine cannot go on, a sample is right or not computed."""

import json
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from random import Random
from unittest import mock

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.arc.workload.data import Task
from megabatt.runtime.arc.workload.outcome import outcome_by_task
from megabatt.runtime.engine.executor.program import NumberedProgram
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.values import CUT
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run import memory, results
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.run.memory import LEAST_BYTES, free_bytes, shares_of_memory
from megabatt.runtime.megabatch.run.run import run_batches
from megabatt.runtime.megabatch.verify import fuzz
from megabatt.runtime.megabatch.workload import MOST_CHARACTERS
from megabatt.runtime.memory import held_bytes
from tests.engine.forms import form_of
from tests.examples import LONG
from tests.megabatch.commands import (
    command,
    compiled,
    megabatt,
    printed,
    solvers,
    write_task,
)
from tests.megabatch.runs import assert_alike, computed, started, summary_in

on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads what memory a process holds"
)
SOURCE = solvers(
    mirror="vmirror(I)", height="astuple(add(height(I), ONE), first(first(first(I))))"
)

GRIDS = [tuple((k, k + 1) for _ in range(k)) for k in range(1, 6)]
SAMPLES = [
    ArcSample("a", (), grid, tuple(row[::-1] for row in grid), "training", k, k > 2)
    for k, grid in enumerate(GRIDS)
]
BATCH = Batch(0, None, SAMPLES)
SCARCE = 3
"""The sample for which `height` runs out of memory."""


@pytest.fixture(scope="module")
def settings_of(tmp_path_factory):
    """Give a function that compiles a source, and returns the settings of a run of the programs."""
    return lambda source: Settings(
        WORKLOAD, str(compiled(tmp_path_factory.mktemp("short"), source))
    )


@pytest.fixture(scope="module")
def settings(settings_of):
    return settings_of(SOURCE)


@pytest.fixture
def scarce(monkeypatch):
    """Leave `height` to its scalar form; give a function that makes it raise for one sample."""
    primitive = LANGUAGE.primitives["height"]

    def raising(error):
        def body(grid):
            if grid == GRIDS[SCARCE]:
                raise error
            return primitive.body(grid)

        monkeypatch.setitem(primitive.function.__globals__, "body", body)

    with form_of("height", None):
        yield raising


@pytest.mark.parametrize("error", SHORTAGES)
def test_a_run_reports_a_sample_that_cannot_be_computed_and_the_others_are_right(
    settings, scarce, tmp_path, error
):
    expected, wanted = computed(settings, [BATCH], tmp_path / "expected", run_batches)
    scarce(error("too much"))
    outcome, found = computed(settings, [BATCH], tmp_path / "found", run_batches)
    assert outcome.not_computed == [f"task a, sample {SCARCE}: {error.__name__}: too much"]
    (batch,), (whole,) = outcome.batches, expected.batches
    halved = "; computed in halves" if error is MemoryError else ""
    assert batch.rescued == f"{error.__name__}: too much{halved}"
    assert (whole.operation_lanes, sum(whole.failed_lanes.values())) == (7 * 5, 5)
    assert (batch.operation_lanes, sum(batch.failed_lanes.values())) == (7 * 4, 4)
    assert outcome.failed_share == expected.failed_share
    task = Task("a", "training", (), "a")
    (there,), (here,) = (outcome_by_task(run.batches, [task]) for run in (expected, outcome))
    assert (there.right, there.tests, there.tests_right) == (["solve_mirror"], 2, 2)
    assert (here.right, here.tests, here.tests_right) == ([], 2, 1)
    assert (here.unknown, here.tests_unknown) == (True, 1)
    for row, right in zip(found, wanted, strict=True):
        if row["sample"] == SCARCE:
            unknown = ("matches", "failed_operations", "first_failed", "output", "other_output")
            right = {**right, **dict.fromkeys(unknown), "reason": "not computed"}
        assert row == right


def test_fuzz_takes_short_memory_for_no_difference(monkeypatch):
    outcomes = [None, None, None, MemoryError, None]
    monkeypatch.setattr(fuzz, "fuzz_program", mock.Mock(side_effect=outcomes))
    report = fuzz.fuzz(WORKLOAD, 5, 2)
    assert (report.programs, report.differences) == (5, [])
    assert report.not_compared == ["program 3: MemoryError"]


def test_the_commands_say_so_and_exit_with_1(settings, scarce, tmp_path):
    scarce(MemoryError("no room"))
    pairs = [[[list(row) for row in grid] for grid in (s.I, s.C)] for s in SAMPLES]
    write_task(tmp_path, "a", pairs[:2], pairs[2:])
    chosen = ["--batt", settings.folder, "--data", tmp_path, "--workers", 1, "--batch-size", 10]
    run, verified, timed = (
        megabatt(name, *chosen, status=1).stdout.splitlines() for name in ("run", "verify", "bench")
    )
    assert f"not computed: task a, sample {SCARCE}: MemoryError: no room" in run
    assert "1 sample not computed: the results are unknown" in run
    assert run[-1] == "solved 0 of 1 task, 1 unknown"
    assert f"not compared: task a, sample {SCARCE}: MemoryError: no room" in verified
    assert verified[-1].endswith(": 0 differences, 1 sample not compared")
    assert json.loads(timed[-1])["not_computed"] == 2


BEYOND_WORDS = solvers(
    large="merge(rapply(apply(compose(lbind(lbind, shift), initset), asindices(I)), UNITY))",
    far="shift(asindices(I), tojvec(10000000))",
)


def test_the_scalar_form_makes_calls_on_values_without_words_and_batches_that_fail(
    tmp_path, monkeypatch
):
    """A batch that fails in an unforeseen way is computed by the scalar form alone."""
    settings = Settings(WORKLOAD, str(compiled(tmp_path, BEYOND_WORDS)), outputs="all")
    made, expected = computed(settings, BATCH, tmp_path / "made")
    assert made.rescued == "" and made.host_lanes > 0
    lost = RuntimeError("a device is lost")
    monkeypatch.setattr(NumberedProgram, "run", mock.Mock(side_effect=lost))
    rescued, rows = computed(settings, BATCH, tmp_path / "rescued")
    assert rescued.rescued == "RuntimeError: a device is lost" and rows == expected
    assert_alike([rescued], [made])


# A batch that would exceed the memory budget of a run is computed and written in halves


LARGE = solvers(large="product(asindices(I), asindices(I))")
WIDE = solvers(wide="upscale(replace(I, first(first(I)), 1000), 20)")

MANY = [
    ArcSample("a", (), ((k % 10,) * 16,) * 15, 240 * 240, "training", k, True) for k in range(48)
]
"""Samples whose products have 240 x 240 pairs of places; wide values have 240 x 400 cells."""


@on_linux
def test_a_batch_is_halved_until_it_keeps_to_the_budget(settings_of, tmp_path):
    settings = settings_of(WIDE)
    run_batch(settings, Batch(0, None, MANY[:2]))  # compiled and loaded code stays in memory
    whole, expected = computed(settings, Batch(0, None, MANY), tmp_path / "any")
    assert not whole.rescued
    memory.free_memory()
    little = replace(settings, memory=held_bytes() + (16 << 20))
    halved, rows = computed(little, Batch(0, None, MANY), tmp_path / "little")
    assert halved.rescued.startswith("MemoryError: ") and halved.rescued.endswith("in halves")
    assert halved.not_computed == {} and rows == expected
    assert_alike([halved], [whole])


def test_a_value_that_is_too_long_is_cut_and_marked_as_cut(settings_of, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "_SLICE_ELEMENTS", 2 * 240 * 240 * 5)  # rows of one or two samples
    _, rows = computed(settings_of(LARGE), Batch(0, None, MANY[:3]), tmp_path)
    found = [row["other_output"] for row in rows]
    assert len(found) == 3
    for text in found:
        assert text.startswith("frozenset({((0, 0), (0, 0)), ") and text.endswith(CUT)
        assert len(text) == MOST_CHARACTERS + len(CUT)


def test_workers_share_the_budget_and_are_no_more_than_it_allows():
    gb = 1 << 30
    assert shares_of_memory(8 * gb, 4) == (4, 2 * gb)
    assert shares_of_memory(gb, 4) == (2, gb // 2)
    assert shares_of_memory(1, 4) == (1, LEAST_BYTES)
    assert 0 < shares_of_memory(None, 1)[1] <= max(free_bytes(), LEAST_BYTES)


def test_a_run_that_gets_no_thread_ends_in_a_line(settings, monkeypatch):
    error = RuntimeError("can't start new thread")
    monkeypatch.setattr(threading.Thread, "start", mock.Mock(side_effect=error))
    said = megabatt("run", "--batt", settings.folder, "--device", "cpu", status=1).stderr
    assert said.startswith("Error: memory or processes ran out: can't start new thread")


def test_a_container_has_the_free_memory_that_its_limit_leaves(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CONTROL_GROUP", tmp_path)
    outside = free_bytes()
    for name, text in [
        ("max", "5000000"), ("current", "4000000"),
        ("stat", "anon 1000000\nfile 3000000\ninactive_file 2000000\n"),
    ]:  # fmt: skip
        (tmp_path / f"memory.{name}").write_text(text)
    assert free_bytes() == 3000000 < outside
    reals = pa.table({"real": np.random.default_rng(0).random(250000)})
    pq.write_table(reals, tmp_path / "reals.parquet")
    assert mb.ResidentDataset(tmp_path, say=None).nbytes is None
    assert mb.ResidentDataset(tmp_path, memory="2MB", say=None).nbytes == 2000000


def test_the_peak_is_of_this_process_not_of_its_parent():
    code = "from megabatt.runtime.megabatch.run.memory import peak_rss_mb; print(peak_rss_mb())"
    large = bytearray(500 << 20)
    large[::4096] = b"x" * len(large[::4096])
    assert memory.peak_rss_mb() > 500
    assert float(command("-c", code).stdout) < 400


# Runs hold no more memory than they may: solvers that exceed every limit, hundreds of batches


SOLVERS, TASKS = (408, "00d62c1b 6150a2bd") if LONG else (20, "6150a2bd")
MEMORY = 3_000 if LONG else 1_500
OTHERS = 700
"""MB that a run may hold beside its batches: the interpreter, kernels, results being written."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    return compiled(folder, hostile_solvers(SOLVERS, 8))


def chosen(folder):
    return ["--batt", folder, "--device", "cpu", "--memory", f"{MEMORY}MB", "--tasks", TASKS]


def test_every_sample_is_computed_within_the_memory(folder, tmp_path):
    out = tmp_path / "out"
    options = ["--out", out, "--outputs", "all", "--workers", "1"]
    command("-m", "megabatt", "run", *chosen(folder), *options, status=0)
    summary = summary_in(out)
    assert summary["complete"] and not summary["not_computed"]
    rows = sum(pq.read_metadata(file).num_rows for file in out.glob("*.parquet"))
    assert rows == summary["samples"] * SOLVERS
    assert summary["peak_rss_mb"] < MEMORY + OTHERS


def test_both_forms_agree(folder):
    some = ["--samples", 7 if LONG else 1]  # the scalar form takes more than a second a sample
    assert "0 differences" in printed("verify", *chosen(folder), *some, "--workers", "1")


BATCHES = 500
MORE = 80
"""MB by which memory may vary: about the memory of the largest batch."""


@pytest.mark.long
def test_memory_stays_level(tmp_path):
    out = tmp_path / "out"
    options = ["--workers", 1, "--batch-size", 6, "--outputs", "all", "--device", "cpu", "--quiet"]
    process = started("--out", out, *options, run=["run", "--batt", compiled(tmp_path)])
    held = {}
    while process.poll() is None:
        done = len(list(out.glob("batch-*.parquet")))
        held[done] = psutil.Process(process.pid).memory_info().rss / 1e6
        time.sleep(0.02)
    assert process.returncode == 0 and max(held) >= BATCHES
    early = max(rss for done, rss in held.items() if 10 <= done < 60)
    late = max(rss for done, rss in held.items() if done >= BATCHES - 50)
    assert late < early + MORE


# Solvers built to exceed every limit: towers and large literals


CONSTANTS = ["I", "ZERO", "ONE", "TWO", "TEN", "NEG_ONE", "T", "F", "ORIGIN", "UNITY", "127", "-1"]
LARGE_NUMBERS = ["2147483647", "-2147483648", "1000000", "65536", "2147483646"]
SETS = ["asindices(I)", "asobject(I)", "palette(I)", "objects(I, T, T, F)"]
BOUND = [f"{bind}({name}, TEN)" for bind in ("lbind", "rbind") for name in ("add", "astuple")]
REPEATED = ["double", "vmirror", "identity", "increment", "size"]

TOWERS = [
    (SETS, ["product({0}, {0})"], 4,
     ["size(x2)", "apply(identity, x2)", "mapply(astuple, x2)", "totuple(x2)"]),
    (BOUND, ["compose({0}, {0})", "fork(astuple, {0}, {0})", "chain({0}, {0}, {0})"], 24,
     ["{0}(ONE)", "identity({0})"]),
    (["upscale(I, TWO)"], [f"{how}({{0}}, {by})" for how in ("upscale", "hupscale", "vupscale")
                           for by in ("TEN", "100", *LARGE_NUMBERS)], 6, ["identity({0})"]),
    ([f"power({name}, TEN)" for name in REPEATED], ["power({0}, TEN)"], 4,
     [f"{{0}}({value})" for value in CONSTANTS]),
    (["identity(I)"], ["hconcat({0}, {0})", "vconcat({0}, {0})", "astuple({0}, {0})",
                       "combine({0}, {0})", "initset({0})", "repeat({0}, NINE)"], 24,
     ["identity({0})"]),
    ([f"{make}, {large})" for make in ("canvas(ONE", "repeat(I") for large in LARGE_NUMBERS],
     ["astuple({0}, {0})"], 2, [f"interval(ZERO, {large}, ONE)" for large in LARGE_NUMBERS]),
]  # fmt: skip
"""Of each kind of tower: first calls, how a call takes the value before, how often, last calls."""


def hostile_solvers(count, seed):
    """Return the source of `count` solvers, each with a tower of some kind, drawn from a seed."""
    random = Random(seed)
    kinds = [partial(tower, random, *kind) for kind in TOWERS]
    solvers = ""
    for number in range(count):
        calls = enumerate(kinds[number % len(kinds)](), start=1)
        lines = [f"    x{k} = {call}\n" for k, call in calls]
        solvers += f"def solve_hostile_{number}(I):\n{''.join(lines)}    return x{len(lines)}\n\n\n"
    return solvers


def tower(random, first, steps, most, ends):
    calls, step = [random.choice(first)], random.choice(steps)
    for how in [*[step] * random.randint(2, most), random.choice(ends)]:
        calls.append(how.format(f"x{len(calls)}"))
    return calls
