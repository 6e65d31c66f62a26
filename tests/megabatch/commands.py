"""Commands as a user types them, in a process of their own or, faster, in the test's process."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import traceback
from contextlib import chdir, suppress
from pathlib import Path
from unittest import mock

import psutil
import pyarrow.parquet as pq
from click.testing import CliRunner

from megabatt.command_line.main import main
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.megabatch.programs import merged_program, own_programs
from tests.examples import WITHOUT_PANDAS

ROOT = Path(__file__).parents[2]


def solvers(**results):
    """Write a function solve_NAME(I) for each NAME=EXPRESSION, its result; return the source."""
    return "".join(f"def solve_{name}(I):\n    return {it}\n" for name, it in results.items())


MIRRORS = solvers(mirror="vmirror(I)", larger="subgrid(argmax(objects(I, T, F, T), size), I)")

CACHE = tempfile.mkdtemp()
"""Replaces the user's cache folder, which may hold a batch size kept by a sweep."""

SETTINGS = {"XDG_CACHE_HOME": CACHE, "COLUMNS": "120"}
MODULES = {"PYTHONPATH": os.pathsep.join([str(ROOT), WITHOUT_PANDAS])}
"""Where processes that tests start find modules."""


def command(*args, cwd=ROOT, env=None, status=None):
    """Run `python ARGS...`; return the completed process, with output as text.

    Asserts that it ends with `status`, if given.
    """
    environment = {**os.environ, **MODULES, **SETTINGS, **(env or {})}
    done = subprocess.run(
        [sys.executable, *map(str, args)], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert status in (None, done.returncode), done.stdout + done.stderr
    return done


def megabatt(*args, cwd=ROOT, env=None, status=None):
    """Do `megabatt ARGS...` in this process; return what `command` does.

    Asserts that it ends with `status`, if given, and without a traceback. Modules that the command
    imports stay imported. Its output lacks the output of worker processes, which keep the working
    folder of the first command that starts them.
    """
    for loaded in (merged_program, own_programs):
        loaded.cache_clear()  # a process of its own would load them as they are now
    words = [str(arg) for arg in args]
    runner = CliRunner(env={**SETTINGS, **(env or {})})
    with chdir(cwd), mock.patch.object(sys, "argv", ["megabatt", *words]):
        with mock.patch.object(sys, "path", list(sys.path)):
            done = runner.invoke(main, words, prog_name="megabatt")
    gc.enable()  # `compile` turns it off
    (Path(CACHE) / "megabatt" / "batch_size.json").unlink(missing_ok=True)  # kept by a sweep
    errors = done.stderr
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        errors += "".join(traceback.format_exception(done.exception))
    if status is not None:
        assert done.exit_code == status and "Traceback" not in errors, done.stdout + errors
    return subprocess.CompletedProcess(sys.argv, done.exit_code, done.stdout, errors)


def printed(*args, cwd=ROOT, env=None):
    """Do `megabatt ARGS...`; return its output. Asserts that it ends well."""
    return megabatt(*args, cwd=cwd, env=env, status=0).stdout


def compiled(folder, source=MIRRORS, *options):
    """Compile operation lists given as text; return the generated folder."""
    path = folder / "lists.py"
    path.write_text(source)
    printed("compile", path, "--out", folder / "batt", *options)
    return folder / "batt"


def workers_of(process):
    """Find the worker processes of a process. process: Its number or its psutil.Process."""
    if isinstance(process, int):
        process = psutil.Process(process)
    found = []
    for child in process.children(recursive=True):
        with suppress(psutil.Error):
            line = " ".join(child.cmdline())
            if "popen_loky" in line:
                found.append(child)
    return found


def same_outcome(a, b):
    """Tell whether two outcomes of a sample are the same: outputs by solver, failed operations."""
    return a[1] == b[1] and a[0].keys() == b[0].keys() and all(
        identical(a[0][name], b[0][name]) for name in a[0]
    )


def rows_in(folder):
    """Return the rows of all Parquet files in a folder."""
    files = sorted(folder.glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def sorted_rows_in(folder):
    """Return the rows of a run's folder by task, sample and solver."""
    return sorted(rows_in(folder), key=lambda row: (row["task"], row["sample"], row["solver"]))


def write_task(folder, task_id, train, test):
    """Write a task file in ARC's format from pairs of (input, output) grids as lists."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = {
        kind: [{"input": a, "output": b} for a, b in listed]
        for kind, listed in (("train", train), ("test", test))
    }
    (folder / f"{task_id}.json").write_text(json.dumps(pairs))


CHECKOUT = {
    "solvers.py": "from dsl import *\n"
    + "".join(f"\n\ndef solve_{task}(I):\n    O = vmirror(I)\n    return O\n"
              for task in ("67a3c6ac", "68b16354")),
    "dsl.py": "from megabatt.runtime.arc import LANGUAGE\n"
    "globals().update({name: each.function for name, each in LANGUAGE.primitives.items()})\n",
}  # fmt: skip
"""The files of a checkout with our primitives as its language, and two solvers."""


def mirror_task(folder, task_id="mirror"):
    """Write a task that `vmirror` solves."""
    grids = [[[1, 2, 3], [4, 5, 6]], [[0, 7]], [[3, 3, 8], [0, 0, 1], [2, 0, 0]]]
    pairs = [(grid, [row[::-1] for row in grid]) for grid in grids]
    write_task(folder, task_id, pairs[:2], pairs[2:])
