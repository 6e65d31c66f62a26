"""A process that computes batch after batch holds no more memory after hundreds than after ten."""

import time

import psutil
import pytest

from tests.megabatch.commands import compiled
from tests.megabatch.runs import started

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
