"""Runs that are stopped from outside or go on, their files, and comparisons of outcomes."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
import psutil

from megabatt.runtime.arc.workload import ArcSample
from megabatt.runtime.megabatch.batches import batches_of, batches_of_sizes
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.run.folder import open_folder
from megabatt.runtime.megabatch.run.job import Job
from megabatt.runtime.megabatch.run.manifest import manifest_of
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.commands import (
    MODULES,
    ROOT,
    SETTINGS,
    rows_in,
    sorted_rows_in,
    workers_of,
)

TASKS = "007bbfb7 00d62c1b 017c7c7b 025d127b"
RUN = [
    "run", "--batt", "generated", "--tasks", TASKS, "--batch-size", 2, "--workers", 2,
    "--device", "cpu", "--outputs", "all",
]  # fmt: skip
BATCHES = 10

SAMPLES = [
    ArcSample("a", (), ((k, k + 1),) * 2, ((k + 1, k),) * 2, "training", k, k > 5) for k in range(8)
]
"""Eight samples of a task that `vmirror` solves, for runs within this process."""


def started(*arguments, run=RUN, program=("run_batt.py",)):
    """Start a run as `python PROGRAM...`; return its process, with its output in pipes."""
    environment = {**os.environ, **MODULES, **SETTINGS}
    words = [sys.executable, *program, *map(str, [*run, *arguments])]
    return subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip


def ended(process, timeout=120):
    """Wait until a process and its child processes end; return its status, output and errors."""
    output, errors = process.communicate(timeout=timeout)
    return process.returncode, output, errors


def wait_for(condition, process=None, seconds=120):
    """Wait until the condition holds or the process has ended; fail after `seconds`."""
    until = time.monotonic() + seconds
    while not condition():
        if process is not None and process.poll() is not None:
            return
        assert time.monotonic() < until, "the condition did not come true in time"
        time.sleep(0.02)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def batches_in(folder):
    return [name for name in files_in(folder) if name.startswith("batch-")]


def rows_by_key(folder):
    """Return the rows of all files by task, sample and solver. Asserts that no row is repeated."""
    found = {}
    for row in rows_in(folder):
        key = row["task"], row["sample"], row["solver"]
        assert key not in found, f"{key} is there twice"
        found[key] = row
    return found


def summary_in(folder):
    return json.loads((folder / "summary.json").read_text())


def kill_something(process, random):
    """Kill the run or one of its workers, at random; tell whether the run goes on."""
    workers = workers_of(process.pid)
    if workers and random.random() < 0.5:
        with suppress(psutil.Error):
            random.choice(workers).kill()
        return True
    process.kill()
    return False


def group_is_gone(process, seconds=10):
    """Tell whether all processes of the run's session end in time; kill them if they do not."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    return False


@contextmanager
def job_of(settings, samples, size=2, **options):
    """Open the folder of a run in batches of `size`; yield the job of its missing batches."""
    data = Data(samples)
    batches = batches_of(settings, data, size)
    manifest = manifest_of(settings, data, {"data": "tests", "tasks": ()}, batches)
    with open_folder(settings.out, manifest, **options) as folder:
        yield Job(settings, batches_of_sizes(settings, data, folder.manifest.batches), folder)


def computed(settings, batch, folder, run=run_batch, **options):
    """Run a batch into a new folder, or the batches; return the outcome and the folder's rows."""
    out = Store.at(folder)
    out.make()
    return run(replace(settings, out=out, **options), batch), sorted_rows_in(folder)


def assert_alike(found, expected):
    """Assert that two lists of outcomes of batches are equal."""
    for got, wanted in zip(found, expected, strict=True):
        assert got.batch == wanted.batch and got.not_computed == wanted.not_computed
        assert got.operation_lanes == wanted.operation_lanes
        assert got.failed_lanes == wanted.failed_lanes
        assert got.matches.keys() == wanted.matches.keys()
        for name, matches in wanted.matches.items():
            assert np.array_equal(got.matches[name], matches)
