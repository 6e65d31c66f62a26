"""`megabatt check`: checks primitives of your own as megabatt's are checked."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from megabatt.codegen.language import LanguageError, load_primitives
from megabatt.command_line.options import LanguageCommand, require_draws, uncompilable
from megabatt.runtime.engine.device.compiling import on_compiled
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.report import print_first, print_line
from megabatt.runtime.megabatch.verify.audit import Audit, audit
from megabatt.runtime.megabatch.verify.compare import calls_told_to
from megabatt.runtime.megabatch.verify.fuzz import fuzz
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import echo
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted

_INSIDE = "MEGABATT_CHECK_INSIDE"
"""The environment variable with the file that names the call under way, as the process that
compares forms notes it."""
_BETWEEN_LINES = 10.0
"""Seconds between lines on a call that makes no progress."""
_SILENT = 60.0
"""Seconds without a new call or a newly compiled function after which that process is ended."""


@click.command(cls=LanguageCommand)
@click.argument("module", metavar="MODULE")
@click.option("--programs", type=click.IntRange(min=1), default=100, show_default=True,
              help="Random programs to run.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=8, show_default=True,
              help="Inputs to run each program on.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True,
              help="Seed of the random programs and inputs.")  # fmt: skip
def check(workload: Workload[Any], module: str, programs: int, samples: int, seed: int) -> None:
    """Check primitives of your own on random values.

    MODULE is my_primitives or my_primitives.py. megabatt imports it: name only a module that you
    trust. Random programs call its primitives. Each result must be of the declared type, and
    equal arguments must give equal results.

    A primitive with a compiled form or a rule must give the same values, failures and charges in
    both forms: alone and among other programs, and under low limits. They are compiled with
    every index checked, and run in a process of their own: a kernel that writes out of bounds or
    does not end ends only that process. Exits with 1 if a primitive is wrong.
    """
    require_draws(workload)
    console = Terminal()
    names = _primitives_of(workload, module)
    size = {"programs": programs, "samples": samples, "seed": seed}
    if _INSIDE in os.environ:
        sys.exit(_compare(console, workload, names, **size))
    reasons = uncompilable(workload, names)
    if reasons:
        for why in reasons:
            print_line(console, why)
        print_line(console, f"checked {counted(len(names), 'primitive')}: {len(reasons)} wrong")
        sys.exit(1)
    with report.progress_bar(console, "calling scalar forms", programs * samples) as bar:
        audits = audit(workload, names, **size, progress=lambda done: bar.advance(done * samples))
    wrong = sum(_print_audit(console, found) for found in audits)
    if not wrong and any(_has_other_form(workload, name) for name in names):
        wrong = _in_a_process_of_its_own(module, names)
    end = f"{wrong} wrong" if wrong else "all right"
    print_line(console, f"checked {counted(len(names), 'primitive')}: {end}")
    sys.exit(1 if wrong else 0)


def _primitives_of(workload: Workload[Any], module: str) -> list[str]:
    """Import a module; return the names of its primitives. Exits with 2 if there are none."""
    try:
        names = load_primitives(workload.language, module)
    except LanguageError as error:
        raise click.UsageError(str(error)) from error
    if not names:
        raise click.UsageError(f"{module} registers no primitive of the language {workload.name}")
    return names


def _has_other_form(workload: Workload[Any], name: str) -> bool:
    primitive = workload.language.primitives[name]
    return primitive.rule is not None or primitive.compiled is not None


def _print_audit(console: Console, found: Audit) -> bool:
    """Print the audit of a primitive. Returns whether the primitive is wrong."""
    primitive = found.primitive
    name = primitive.name
    line = f"{name}: {counted(found.calls, 'call')}, {found.failed:,} fail"
    for error, count in found.errors.most_common(1):
        line += f" with {error}" if count == found.failed else f", {count:,} of these with {error}"
    print_line(console, line)
    for mistake, call in found.mistakes.items():
        print_line(console, f"{name}: {mistake}; in {call}")
    never = found.failed == found.calls
    if never:
        print_line(console, f"{name}: no call succeeded on a random value")
    if found.below_0:
        call, charge = found.below_0
        print_line(console, f"{name}: warning: a charge of {charge:,} counts as 0; in {call}")
    if found.uncharged > 1:
        print_line(
            console,
            f"{name}: warning: a call builds {found.uncharged:,} elements and is charged nothing; "
            "declare it, such as @primitive(charge=charges.area)",
        )
    return never or bool(found.mistakes)


def _in_a_process_of_its_own(module: str, names: list[str]) -> int:
    """Run the same command in a process that checks bounds.

    Returns a lower bound on the number of wrong primitives.
    """
    echo("comparing both forms, with every index checked", err=True)
    with tempfile.NamedTemporaryFile() as file:
        under_way = Path(file.name)
        settings = {"NUMBA_BOUNDSCHECK": "1", _INSIDE: file.name}
        command = [sys.executable, "-m", "megabatt", *sys.argv[1:]]
        process = subprocess.Popen(command, env={**os.environ, **settings})
        try:
            ends = _waited_for(process, under_way)
        finally:
            process.kill()  # nothing else ends a loop in a compiled form
            status = process.wait()
        call = _call_in(under_way)
    if not ends:
        name = call.partition("(")[0]
        form = f"the compiled form of {name}" if name in names else "a compiled form"
        echo(f"{module}: {form} does not end; in {call}")
    elif status < 0:
        name = signal.Signals(-status).name
        beyond = "an index lies beyond the allocated room"  # see `llvm.BOUNDS_CHECKED`
        why = beyond if -status == signal.SIGILL else "a kernel works where it must not"
        line = f"the process was ended by {name}: {why}"
        echo(f"{module}: {line}, in {call} or before")
    return 1 if status else 0


def _waited_for(process: subprocess.Popen[bytes], under_way: Path) -> bool:
    """Wait until a process ends, or is silent for `_SILENT` seconds. Returns whether it ended."""
    said = _BETWEEN_LINES
    while (silent := time.time() - under_way.stat().st_mtime) < _SILENT:
        if silent < _BETWEEN_LINES:
            said = _BETWEEN_LINES
        elif silent >= said + _BETWEEN_LINES:
            said += _BETWEEN_LINES
            name = _call_in(under_way).partition("(")[0]
            ends = f"given up after {_SILENT:.0f}"
            echo(f"{name} makes no progress for {said:.0f} s; {ends}", err=True)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
            return True
    return process.poll() is not None


def _call_in(under_way: Path) -> str:
    return under_way.read_text() or "the import"


def _compare(
    console: Console, workload: Workload[Any], names: list[str], programs: int, samples: int,
    seed: int,
) -> int:  # fmt: skip
    """Compare the forms of all primitives that have two forms. Returns the exit status."""
    names = [name for name in names if _has_other_form(workload, name)]
    under_way = Path(os.environ[_INSIDE])
    number = itertools.count(1)
    label = "compiling and comparing both forms"
    with report.progress_bar(console, label, programs * samples) as bar:

        def told(call: str) -> None:
            under_way.write_text(call)
            bar.advance(0)

        def compiled(name: str) -> None:
            under_way.touch()
            bar.relabel(f"{label}, {counted(next(number), 'function')} compiled")

        with calls_told_to(told), on_compiled(compiled):
            found = fuzz(
                workload, programs, samples, seed,
                progress=lambda done: bar.advance(done * samples), deck=names,
            )  # fmt: skip
    for example in found.counter_examples():
        print_line(console, example)
    print_first(console, "not compared", found.not_compared)
    for name in names:
        lanes, succeeded, host, differ = found.compared(name)
        fail = lanes - succeeded - differ
        failed = f"{fail:,} fail alike" + (" (some under low limits)" if fail else "")
        print_line(
            console,
            f"{name}: {counted(lanes, 'call')} compared, {failed}, {host:,} left to the scalar "
            "form" + (f", {differ:,} differ" if differ else ""),
        )
    compared = f"compared both forms of {counted(len(names), 'primitive')}"
    print_line(console, f"{compared}: {counted(len(found.differences), 'difference')}")
    return 1 if found.differences or found.not_compared else 0
