"""Runs hold no more memory than they may: solvers that exceed every limit, hundreds of batches."""

import time
from random import Random

import psutil
import pyarrow.parquet as pq
import pytest

from megabatt.runtime.arc import LANGUAGE
from tests.examples import LONG
from tests.megabatch.commands import command, compiled, printed
from tests.megabatch.runs import started, summary_in

SOLVERS, TASKS = (408, "") if LONG else (20, "00d62c1b 6150a2bd")
MEMORY = 3_000 if LONG else 1_500
OTHERS = 700
"""MB that a run may hold beside its batches: the interpreter, kernels, results being written."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    return compiled(folder, hostile_solvers(SOLVERS, 8))


def chosen(folder):
    return ["--batt", folder, "--device", "cpu", "--memory", f"{MEMORY}MB",
            *(["--tasks", TASKS] if TASKS else ["--split", "training"])]  # fmt: skip


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
    some = ["--samples", "300"] if LONG else []  # the scalar form takes more than a second a sample
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


_CONSTANTS = ["I", "ZERO", "ONE", "TWO", "TEN", "NEG_ONE", "T", "F", "ORIGIN", "UNITY", "127", "-1"]
_LARGE = ["2147483647", "-2147483648", "1000000", "65536", "2147483646"]


def hostile_solvers(count, seed):
    """Return the source of `count` solvers, each with a tower of some kind, drawn from a seed."""
    random = Random(seed)
    kinds = [
        _products, _of_nothing, _functions, _scaled, _repeated, _literals, _any_types, _no_grid,
        _doubled, _nested,
    ]  # fmt: skip
    solvers = ""
    for number in range(count):
        calls = enumerate(kinds[number % len(kinds)](random), start=1)
        lines = [f"    x{k} = {call}\n" for k, call in calls]
        solvers += f"def solve_hostile_{number}(I):\n{''.join(lines)}    return x{len(lines)}\n\n\n"
    return solvers


def _tower(random, first, step, most=32):
    """Return the first calls, then calls that each take the value of the call before."""
    calls = list(first)
    for _ in range(random.randint(2, most)):
        calls.append(step(f"x{len(calls)}"))
    return calls


def _products(random):
    first = random.choice(["asindices(I)", "asobject(I)", "palette(I)", "objects(I, T, T, F)"])
    ends = ["size(x2)", "apply(identity, x2)", "mapply(astuple, x2)", "totuple(x2)"]
    return [*_tower(random, [first], lambda x: f"product({x}, {x})", 4), random.choice(ends)]


def _of_nothing(random):
    end = random.choice(["difference({0}, {0})", "insert(ONE, {0})", "sizefilter({0}, ZERO)"])
    calls = _tower(random, ["difference(I, I)", "toivec(ONE)", "ofcolor(I, NEG_ONE)"],
                   lambda x: f"product({x}, {x})")  # fmt: skip
    return [*calls, end.format(f"x{len(calls)}")]


def _functions(random):
    how = random.choice(["compose({0}, {0})", "fork(astuple, {0}, {0})", "chain({0}, {0}, {0})"])
    first = f"{random.choice(['lbind', 'rbind'])}({random.choice(['add', 'astuple'])}, TEN)"
    calls = _tower(random, [first], how.format, 24)
    return calls if random.random() < 0.3 else [*calls, f"x{len(calls)}(ONE)"]


def _scaled(random):
    by = random.choice(["TEN", "100", *_LARGE])
    how = random.choice(["upscale", "hupscale", "vupscale"])
    return _tower(random, [f"{how}(I, TWO)"], lambda x: f"{how}({x}, {by})", 6)


def _repeated(random):
    function = random.choice(["double", "vmirror", "identity", "increment", "size"])
    calls = _tower(random, [f"power({function}, TEN)"], lambda x: f"power({x}, TEN)", 4)
    return [*calls, f"x{len(calls)}({random.choice(_CONSTANTS)})"]


def _literals(random):
    how = random.choice(["canvas(ONE, {0})", "interval(ZERO, {0}, ONE)", "repeat(I, {0})"])
    large = random.choice(_LARGE)
    return [f"astuple({large}, {random.choice(_LARGE)})", how.format(random.choice(["x1", large])),
            "multiply(x1, x1)"][: random.randint(1, 3)]  # fmt: skip


def _any_types(random):
    """Return calls of any primitives on any values."""
    primitives = [(name, primitive.arity) for name, primitive in LANGUAGE.primitives.items()]
    calls = []
    for _ in range(random.randint(3, 25)):
        name, arity = random.choice(primitives)
        made = [f"x{k}" for k in range(1, len(calls) + 1)]
        words = [random.choice([*_CONSTANTS, name, *made, *made]) for _ in range(arity)]
        calls.append(f"{name}({', '.join(words)})")
    return calls


def _no_grid(random):
    ends = ["asindices(I)", "lbind(add, ONE)", "objects(I, F, T, T)", "frontiers(I)",
            "astuple(I, size)", "fork(add, height, width)", "totuple(asobject(I))"]  # fmt: skip
    return [random.choice(ends)]


def _doubled(random):
    how = random.choice(["hconcat({0}, {0})", "vconcat({0}, {0})", "astuple({0}, {0})",
                         "combine({0}, {0})", "initset({0})", "repeat({0}, NINE)"])  # fmt: skip
    return _tower(random, ["identity(I)"], how.format, 24)


def _nested(random):
    how = random.choice(["apply", "mapply", "sfilter"])
    calls = ["asindices(I)", f"rbind({how}, x1)", "compose(x2, identity)", "lbind(lbind, astuple)"]
    for _ in range(random.randint(1, 3)):
        calls.append(f"rbind({how}, x{random.choice([1, len(calls)])})")
    return [*calls, f"{how}(x{random.randint(2, len(calls))}, x1)"]
