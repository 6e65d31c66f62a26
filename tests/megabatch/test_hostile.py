"""Runs hold no more memory than they may: solvers that exceed every limit, hundreds of batches."""

import time
from functools import partial
from random import Random

import psutil
import pyarrow.parquet as pq
import pytest

from megabatt.runtime.arc import LANGUAGE
from tests.examples import LONG
from tests.megabatch.commands import command, compiled, printed
from tests.megabatch.runs import started, summary_in

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
    some = ["--samples", 7 if LONG else 2]  # the scalar form takes more than a second a sample
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


# Solvers built to exceed every limit: towers, large literals, arguments of any type


CONSTANTS = ["I", "ZERO", "ONE", "TWO", "TEN", "NEG_ONE", "T", "F", "ORIGIN", "UNITY", "127", "-1"]
LARGE = ["2147483647", "-2147483648", "1000000", "65536", "2147483646"]
SETS = ["asindices(I)", "asobject(I)", "palette(I)", "objects(I, T, T, F)"]
BOUND = [f"{bind}({name}, TEN)" for bind in ("lbind", "rbind") for name in ("add", "astuple")]
MAPS = ["apply", "mapply", "sfilter"]
REPEATED = ["double", "vmirror", "identity", "increment", "size"]

TOWERS = [
    (SETS, ["product({0}, {0})"], 4,
     ["size(x2)", "apply(identity, x2)", "mapply(astuple, x2)", "totuple(x2)"]),
    (["difference(I, I)", "ofcolor(I, NEG_ONE)"], ["product({0}, {0})"], 32,
     ["difference({0}, {0})", "insert(ONE, {0})", "sizefilter({0}, ZERO)"]),
    (BOUND, ["compose({0}, {0})", "fork(astuple, {0}, {0})", "chain({0}, {0}, {0})"], 24,
     ["{0}(ONE)", "identity({0})"]),
    (["upscale(I, TWO)"], [f"{how}({{0}}, {by})" for how in ("upscale", "hupscale", "vupscale")
                           for by in ("TEN", "100", *LARGE)], 6, ["identity({0})"]),
    ([f"power({name}, TEN)" for name in REPEATED], ["power({0}, TEN)"], 4,
     [f"{{0}}({value})" for value in CONSTANTS]),
    (["identity(I)"], ["hconcat({0}, {0})", "vconcat({0}, {0})", "astuple({0}, {0})",
                       "combine({0}, {0})", "initset({0})", "repeat({0}, NINE)"], 24,
     ["identity({0})"]),
    ([f"canvas(ONE, {large})" for large in LARGE] + [f"repeat(I, {large})" for large in LARGE],
     ["astuple({0}, {0})"], 2, [f"interval(ZERO, {large}, ONE)" for large in LARGE]),
    (["astuple(I, size)", "fork(add, height, width)", "frontiers(I)", "totuple(asobject(I))"],
     ["identity({0})"], 2, ["{0}", "astuple(2147483647, -2147483648)"]),
    (["lbind(lbind, astuple)", *(f"rbind({how}, asindices(I))" for how in MAPS)],
     [f"rbind({how}, {{0}})" for how in MAPS], 4, [f"{how}({{0}}, asindices(I))" for how in MAPS]),
]  # fmt: skip
"""Of each kind of tower: first calls, how a call takes the value before, how often, last calls."""


def hostile_solvers(count, seed):
    """Return the source of `count` solvers, each with a tower of some kind, drawn from a seed."""
    random = Random(seed)
    kinds = [*(partial(tower, random, *kind) for kind in TOWERS), partial(any_types, random)]
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


def any_types(random):
    """Return calls of any primitives on any values."""
    primitives = [(name, primitive.arity) for name, primitive in LANGUAGE.primitives.items()]
    calls = []
    for _ in range(random.randint(3, 25)):
        name, arity = random.choice(primitives)
        made = [f"x{k}" for k in range(1, len(calls) + 1)]
        words = [random.choice([*CONSTANTS, name, *made, *made]) for _ in range(arity)]
        calls.append(f"{name}({', '.join(words)})")
    return calls
