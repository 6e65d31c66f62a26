"""A process that computes batch after batch holds no more memory after hundreds than after ten."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from tests.megabatch.commands import CACHE, ROOT, compiled

BATCHES = 500
MORE = 80
"""MB by which memory may vary, about what a batch takes at its largest."""


@pytest.mark.long
def test_memory_stays_level(tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [
            sys.executable, "run_batt.py", "run", "--batt", compiled(tmp_path), "--workers", "1",
            "--batch-size", "6", "--outputs", "all", "--device", "cpu", "--out", out, "--quiet",
        ],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": CACHE},
    )  # fmt: skip
    held = {}
    while process.poll() is None:
        done = len(list(out.glob("batch-*.parquet")))
        held[done] = psutil.Process(process.pid).memory_info().rss / 1e6
        time.sleep(0.02)
    assert process.returncode == 0 and max(held) >= BATCHES
    early = max(rss for done, rss in held.items() if 10 <= done < 60)
    late = max(rss for done, rss in held.items() if done >= BATCHES - 50)
    assert late < early + MORE
