"""The command line: `megabatt compile SOURCE... --out DIR`, or `python -m codegen`."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from megabatt.codegen.aliases import ALIASES
from megabatt.codegen.check import check
from megabatt.codegen.errors import ProgramError, advice_on_modules, count_unread
from megabatt.codegen.language import LanguageError, hint_at_language, load_language
from megabatt.codegen.output.emit import FILES, operations_of, render
from megabatt.codegen.output.write import differences, require_own, write
from megabatt.codegen.sources.paths import read_paths
from megabatt.codegen.sources.python import Reading, Speech
from megabatt.runtime import LANGUAGES
from megabatt.runtime.completing import (
    files_beginning,
    folders_beginning,
    languages_beginning,
)
from megabatt.runtime.merging import merge
from megabatt.runtime.printable import echo
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import counted, cut, did_you_mean


@click.command("compile")
@click.argument(
    "sources", metavar="SOURCE...", nargs=-1, required=True, shell_complete=files_beginning
)
@click.option(
    "--out",
    metavar="DIR",
    required=True,
    shell_complete=folders_beginning,
    help="Folder to write the package to: a new or empty one, or one that it wrote.",
)
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing, and say whether DIR is current."
)
@click.option(
    "--skip-errors", is_flag=True, help="Compile the right programs, and list the others."
)
@ALIASES
@click.option(
    "--language",
    "language_name",
    metavar="NAME",
    default="arc",
    show_default=True,
    shell_complete=languages_beginning,
    help="The language of the sources: arc, signals, or a module with a LANGUAGE.",
)
@click.option(
    "--primitives",
    metavar="MODULE",
    multiple=True,
    help="A module that registers more primitives with the language, or its file. megabatt "
    "imports it: name only a module that you trust. May be repeated.",
)
def main(
    sources: tuple[str, ...],
    out: str,
    only_check: bool,
    skip_errors: bool,
    aliases: dict[str, str],
    language_name: str,
    primitives: tuple[str, ...],
) -> None:
    """Compile solvers (operation lists) to one Python package.

    A SOURCE is a Python file of solver functions, which is read and never executed:

    \b
        def solve_x(I):
            x1 = objects(I, T, F, T)
            x2 = argmax(x1, size)
            O = subgrid(x2, I)
            return O

    or a .jsonl file with one program a line:

    \b
        {"name": "solve_x", "operations": [["x1", "objects", "I", "T", "F", "T"],
         ["x2", "argmax", "x1", "size"], ["O", "subgrid", "x2", "I"]]}

    or Markdown with Python in fences, or a folder of such files.

    DIR gets batt.py, all solvers merged into one program in which no operation occurs twice, and
    solvers.py, each solver by itself; both have a form for one sample and a form for a batch.

    With --check the exit status is 0 if DIR is current, and 1 if not. All errors in the sources are
    reported together, as file:line:column: program: message; the exit status is then 2, and nothing
    is written. With --skip-errors the right programs are written. A warning names each operation
    that is certain to fail, because an argument has another type, and each solver that is compiled
    under another name, because its own is a primitive's, a constant's, an input's or another
    solver's.

    \b
    Example:
        megabatt compile my_solvers.py generated.jsonl --out generated
    """
    try:
        module = LANGUAGES.get(language_name, language_name)
        language = load_language(module, primitives)
        speech = Speech(language, aliases)
    except LanguageError as error:
        raise click.UsageError(f"{error}{did_you_mean(module, LANGUAGES)}") from error
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    directory = Path(out)
    if not only_check:
        with _refusing(out):  # before minutes of work
            require_own(directory, FILES)
    programs = _programs(sources, speech, skip_errors, primitives)
    merged = merge(programs)
    files = render(programs, merged, language, module)
    with _refusing(out):
        if only_check:
            _report_differences(differences(directory, files))
        else:
            write(directory, files)
    verb = "current in" if only_check else "->"
    echo(f"{_summary(programs, merged)} {verb} {directory / 'batt.py'}, {directory / 'solvers.py'}")


@contextmanager
def _refusing(out: str) -> Iterator[None]:
    """Turn errors of the folder for the package into a usage error."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"{error.filename or out}: {error.strerror or error}") from error


def _reach(bar: Any, read: int, files: int) -> None:
    """Advance a bar to `read` of `files` files."""
    bar.length = files
    bar.update(read - bar.pos)


def _programs(
    sources: Sequence[str], speech: Speech, skip_errors: bool, modules: Sequence[str]
) -> list[Program]:
    """Return the checked programs of all sources; report errors, and exit unless they are skipped.

    Exits on errors even with `skip_errors` if no program is right.
    """
    reading = Reading([], [], [])
    for source in sources:
        try:
            if Path(source).is_fifo():  # reading would wait for somebody to write
                raise OSError(errno.EINVAL, "not a regular file")
            with click.progressbar(
                length=1, label="reading", file=sys.stderr, hidden=not sys.stderr.isatty()
            ) as bar:
                read_paths([Path(source)], speech, reading, partial(_reach, bar))
        except OSError as error:
            message = f"cannot read: {error.strerror}"
            reading.errors.append(ProgramError(source, 1, 1, message))
    warnings: list[ProgramError] = []
    programs = check(reading.programs, speech.language, warnings.append)
    errors = sorted(set(reading.errors))
    hint = hint_at_language(errors)
    advised = [hint] if hint else advice_on_modules(errors, modules)
    for line in [*(error.shown for error in errors), *advised]:
        echo(line, err=True)
    if errors and not (skip_errors and programs):
        advice = "; --skip-errors leaves these out and compiles the others" if programs else ""
        echo(f"nothing is written{advice}", err=True)
        sys.exit(2)
    if count_unread(errors):
        echo(f"skipped {counted(count_unread(errors), 'program')}", err=True)
    distinct = [warning.shown for warning in sorted(set(warnings))]
    for line in cut(distinct, _MOST_WARNINGS, lambda left: counted(left, "more warning")):
        echo(line, err=True)
    return programs


_MOST_WARNINGS = 20


def _report_differences(lines: Sequence[str]) -> None:
    if lines:
        echo("\n".join([*lines, "run the same command without --check"]), err=True)
        sys.exit(1)


def _summary(programs: Sequence[Program], merged: Sequence[Program]) -> str:
    total = sum(len(program.operations) for program in programs)
    kept = len(operations_of(merged))
    return (
        f"{counted(len(programs), 'solver')}, {counted(kept, 'operation')} "
        f"({total - kept} dead or repeated of {total:,} dropped)"
    )


if __name__ == "__main__":
    main()
