"""Runs hold no more memory than they may: solvers that exceed every limit, hundreds of batches."""

import json
import time

import psutil
import pyarrow.parquet as pq
import pytest

from tests.examples import LONG
from tests.megabatch.commands import command, compiled, printed
from tests.megabatch.hostile import hostile_solvers
from tests.megabatch.runs import started

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
    summary = json.loads((out / "summary.json").read_text())
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
