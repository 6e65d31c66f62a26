"""The group of all commands."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from megabatt.runtime.printable import printable_errors

COMMANDS = {
    "try": "Try the programs of a file on tasks: what fits, what is near, and why the rest is not.",
    "compile": "Compile solvers (operation lists) to one Python package.",
    "run": "Run all solvers on all samples in one mega-batch and sum up what they give.",
    "show": "Show a task's samples as pictures, with what a solver gives and where that is wrong.",
    "report": "Write a run's folder as an HTML page: programs, failures, for any browser.",
    "submit": "Write a run's outputs as a submission: two attempts for every test input.",
    "search": "Look for programs that fit tasks, and write those that both forms agree on.",
    "score": "Score a submission: two attempts for every test output, of which one must be right.",
    "verify": "Run both forms on the same samples and print every difference.",
    "warm-up": "Compile the kernels that programs need, so that what comes next starts at once.",
    "bench": "Time both forms, and print the speedup of the vectorized one by the number of lanes.",
    "sweep": "Time batch sizes on every device and keep the best for runs to come of all solvers.",
    "check": "Check primitives of your own on random values.",
    "completion": "Print what makes a shell complete megabatt's commands, options and values.",
    "fuzz": "Compare both forms on random programs over the whole language.",
}
"""What each command does. Its module is imported when it is called, as that takes a second."""


_MODULES = {"try": "try_out"}
"""The modules of commands whose names are words of Python's."""


class Commands(click.Group):
    """The commands, each imported when it is asked for. What they refuse is said printably."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with printable_errors():
            return super().make_context(*args, **options)

    def invoke(self, context: click.Context) -> Any:
        with printable_errors():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = _MODULES.get(name, name.replace("-", "_"))
        command = getattr(import_module(f"megabatt.command_line.{module}"), module)
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
    """Evaluate a program of many solvers on many samples at once.

    `compile` turns operation lists into a folder of programs; the other commands run it. Modules
    that their options name are looked for in the working folder too.

    A sample is what a program is run on once: of ARC, an input grid of a task. Samples are computed
    in batches; a lane is one sample of a batch. What a GPU or a kernel cannot do is done by the
    host: by Python on the CPU, sample by sample, with the same result.
    """
