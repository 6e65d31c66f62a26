"""`megabatt check`: one's own primitives, checked the way that megabatt's are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from megabatt.codegen.language import LanguageError, load_primitives
from megabatt.command_line.options import LanguageCommand
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.report import print_first, print_line
from megabatt.runtime.megabatch.verify.fuzz import fuzz
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import echo
from megabatt.runtime.terminal import Terminal

_INSIDE = "MEGABATT_CHECK_INSIDE"


@click.command(cls=LanguageCommand)
@click.argument("module", metavar="MODULE")
@click.option("--programs", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many random programs.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=8, show_default=True,
              help="How many inputs each is run on.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of programs and inputs.")
def check(workload: Workload[Any], module: str, programs: int, samples: int, seed: int) -> None:
    """Check primitives of your own: both forms on random values, with every index checked.

    MODULE is my_primitives or my_primitives.py; it is imported, so it must be one that you trust.
    Random programs that use its primitives run in both forms, alone and among others, on columns of
    any kind, under low limits and where calls fail: values, failures and charges must be the same.
    Kernels are compiled anew with their bounds checked, in a process of their own, so that one that
    writes where it must not ends that process alone. Exits with 1 if anything is found.
    """
    name = Path(module).stem if module.endswith(".py") else module
    if workload.draws is None:
        raise click.UsageError(f"workload {workload.name} does not say what to make programs of")
    if _INSIDE not in os.environ:
        sys.exit(_in_a_process_of_its_own(module))
    _check(workload, name, programs, samples, seed)


def _in_a_process_of_its_own(module: str) -> int:
    """Run the same command with bounds checked and nothing compiled; return its exit status."""
    with tempfile.TemporaryDirectory() as cache:
        settings = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache, _INSIDE: "1"}
        folder = str(Path(module).resolve().parent) if module.endswith(".py") else os.getcwd()
        path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-m", "megabatt", *sys.argv[1:]]
        status = subprocess.run(command, env={**os.environ, **settings, "PYTHONPATH": path})
    if status.returncode >= 0:
        return status.returncode
    name = signal.Signals(-status.returncode).name
    echo(f"{module}: the process was ended by {name}: a kernel works where it must not")
    return 1


def _check(workload: Workload[Any], module: str, programs: int, samples: int, seed: int) -> None:
    console = Terminal()
    try:
        names = load_primitives(workload.language, module)
    except LanguageError as error:
        raise click.UsageError(str(error)) from error
    if not names:
        raise click.UsageError(f"{module} registers no primitive of the language {workload.name}")
    assert workload.draws is not None
    workload.draws = replace(workload.draws, deck=tuple(names))
    with report.progress_bar(console, "checking", programs * samples) as bar:
        found = fuzz(
            workload, programs, samples, seed, progress=lambda done: bar.advance(done * samples)
        )
    for difference in found.differences:
        print_line(console, f"{difference}\n")
    print_first(console, "not compared", found.not_compared)
    never = []
    for name in names:
        lanes, succeeded, host = found.coverage.counts.get(name, (0, 0, 0))
        print_line(
            console,
            f"{name}: {lanes} operation-lanes compared, {lanes - succeeded} of them fail, "
            f"{host} computed by the scalar form",
        )
        if not succeeded:
            never.append(name)
    if never:
        print_line(console, f"never succeeded on a random value: {', '.join(never)}")
    print_line(console, f"checked {len(names)} primitives: {len(found.differences)} differences")
    sys.exit(1 if found.differences or found.not_compared or never else 0)
