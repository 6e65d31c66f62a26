"""The group of all commands."""

from __future__ import annotations

import errno
import gc
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from megabatt.runtime.garbage import no_collection
from megabatt.runtime.printable import echo, printable_errors, printable_lines

COMMANDS = {
    "try": "Try the programs of a file or a folder on tasks; say which fit, and why others do not.",
    "compile": "Compile solvers (operation lists) to one Python package.",
    "run": "Run all solvers on all samples, merged into one program, and sum up the results.",
    "show": "Show a task's samples as pictures, with a solver's outputs and their wrong cells.",
    "report": "Write a run as an HTML page: tasks, programs, failures and times, for any browser.",
    "submit": "Write a run's outputs as a submission: two attempts for each test input.",
    "search": "Search for programs that fit tasks, and write them.",
    "score": "Score a submission: one of two attempts must be right for each test output.",
    "verify": "Run both forms of the programs on the same samples, and print every difference.",
    "warm-up": "Compile what programs need, so that the next command starts at once.",
    "bench": "Time both forms, and print the vectorized form's speedup by lanes.",
    "sweep": "Time batch sizes on every device, and keep the best size for later runs.",
    "check": "Check primitives of your own on random values.",
    "completion": "Print the script that completes megabatt's commands and options in a shell.",
    "fuzz": "Compare both forms on random programs over the whole language.",
}
"""The help of each command. A command is imported when it is called: that takes a second."""


_MODULES = {"try": "try_out"}
"""The modules of commands whose names are Python keywords."""


_NO_THREAD = "can't start new thread"
"""Python's words if the system gives no thread, for which it has no exception of its own."""
_INTERRUPTED, _TERMINATED = 130, 143
"""The exit statuses after Ctrl-C and SIGTERM, as in shells."""


class _Terminated(KeyboardInterrupt):
    """SIGTERM came. Processes are ended as after Ctrl-C."""


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Raise _Terminated in the block on SIGTERM."""

    def end(*_: object) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


@contextmanager
def _told_if_output_fails() -> Iterator[None]:
    """Turn an error of standard output, which has no file name, into a line."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        raise click.ClickException(f"cannot write the output: {error.strerror}") from error


class Commands(click.Group):
    """The group of commands: imports a command when it is called, and makes errors printable."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with printable_errors(), _told_if_output_fails():
            return super().make_context(*args, **options)

    def invoke(self, context: click.Context) -> Any:
        try:
            with printable_errors(), _told_if_output_fails(), _ended_by_sigterm():
                return super().invoke(context)
        except _Terminated:
            echo("\nstopped by SIGTERM", err=True)
            sys.exit(_TERMINATED)
        except KeyboardInterrupt:
            echo("\nstopped by Ctrl-C", err=True)
            sys.exit(_INTERRUPTED)
        except MemoryError as shortage:
            why = f": {shortage}" if str(shortage) else ""
            raise click.ClickException(f"memory ran out{printable_lines(why)}") from shortage
        except RuntimeError as error:
            if str(error) != _NO_THREAD:
                raise
            line = f"memory or processes ran out: {_NO_THREAD} (see `ulimit -v` and `ulimit -u`)"
            raise click.ClickException(line) from error

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = _MODULES.get(name, name.replace("-", "_"))
        with no_collection():  # a collection looks at all modules, and finds no garbage
            command = getattr(import_module(f"megabatt.command_line.{module}"), module)
        gc.freeze()
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and near and not context.resilient_parsing:
            context.fail(f"No such command {args[0]!r}; did you mean {near[0]!r}?")
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="megabatt", prog_name="megabatt")
def main() -> None:
    """Evaluate many programs on many samples at once.

    `try` and `search` take files of programs. `compile` turns such files into a folder of compiled
    programs, which `run`, `verify` and `bench` take. Modules that options name may lie in the
    working folder.

    A sample is one input of a program: in ARC, an input grid of a task. A lane is one sample of a
    batch. Python computes on the CPU what a GPU or a kernel cannot, with the same result.

    NO_COLOR=1 in the environment takes colors away; FORCE_COLOR=1 gives them to files and pipes.
    """
