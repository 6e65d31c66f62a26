"""The command line: `megabatt compile SOURCE... --out DIR`, or `python -m codegen`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from megabatt.codegen.check import check
from megabatt.codegen.emit import operations_of, render
from megabatt.codegen.language import Language, LanguageError, load_language
from megabatt.codegen.read_jsonl import read_jsonl
from megabatt.codegen.read_python import read_python
from megabatt.codegen.solver import Position, Solver, SourceError
from megabatt.codegen.write import differences, write
from megabatt.runtime.merging import merge
from megabatt.runtime.printable import echo
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import counted

_READERS = {".py": read_python, ".jsonl": read_jsonl}


@click.command("compile")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="Where the generated package goes.")
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; say whether DIR is current."
)
@click.option(
    "--language",
    "language_name",
    metavar="MODULE",
    default="megabatt.runtime.arc",
    show_default=True,
    help="The module whose LANGUAGE the sources are written in.",
)
@click.option(
    "--primitives",
    metavar="MODULE",
    multiple=True,
    help="A module of yours that registers more primitives with the language. It is imported, "
    "so it must be one that you trust. May be given several times.",
)
def main(
    sources: tuple[str, ...],
    out: str,
    only_check: bool,
    language_name: str,
    primitives: tuple[str, ...],
) -> None:
    """Compile solvers (operation lists) to one Python package.

    A SOURCE is a Python file of solver functions, which is read and never executed:

    \b
        def solve_x(I):
            x1 = objects(I, F, F, T)
            O = paint(I, x1)
            return O

    or a .jsonl file with one program a line:

    \b
        {"name": "solve_x", "operations": [["x1", "objects", "I", "F", "F", "T"],
         ["O", "paint", "I", "x1"]], "returns": "O"}

    DIR gets batt.py, all solvers merged into one program in which no operation occurs twice, and
    solvers.py, each solver by itself; both for one sample at a time and for a batch of them.

    With --check the exit code is 0 if DIR is what would be written and 1 if it is not. Errors in
    the sources are all reported together, as file:line:column: message, with exit code 2 and
    nothing written. An operation that is certain to fail, as an argument is of another type, is
    warned of in the same way.

    \b
    Example:
        megabatt compile my_solvers.py generated.jsonl --out generated
    """
    # LibCST's trees are large and free of garbage; looking for it would take a third of the time.
    gc.disable()
    try:
        language = load_language(language_name, primitives)
    except LanguageError as error:
        raise click.UsageError(str(error)) from error
    programs = _programs(sources, language)
    merged = merge(programs)
    files = render(programs, merged, language, language_name)
    directory = Path(out)
    try:
        if only_check:
            _report_differences(differences(directory, files))
        else:
            write(directory, files)
    except OSError as error:
        raise click.UsageError(f"{out}: {error}") from error
    verb = "current in" if only_check else "->"
    echo(
        f"{_summary(programs, merged)} {verb} {directory / 'batt.py'}, {directory / 'solvers.py'}"
    )


def _programs(sources: Sequence[str], language: Language) -> list[Program]:
    """Read and check all sources; on errors, report every one of them and exit."""
    solvers: list[Solver] = []
    errors: list[SourceError] = []
    for source in sources:
        found, wrong = _read(source)
        solvers.extend(found)
        errors.extend(wrong)
    warnings: list[SourceError] = []
    programs, wrong = check(solvers, language, warnings.append)
    errors.extend(wrong)
    if errors:
        for error in sorted(set(errors)):
            echo(error, err=True)
        sys.exit(2)
    _print_warnings(sorted(set(warnings)))
    return programs


_MOST_WARNINGS = 20


def _print_warnings(warnings: Sequence[SourceError]) -> None:
    for warning in warnings[:_MOST_WARNINGS]:
        echo(warning, err=True)
    if len(warnings) > _MOST_WARNINGS:
        echo(f"{len(warnings) - _MOST_WARNINGS} more warnings", err=True)


def _read(source: str) -> tuple[list[Solver], list[SourceError]]:
    start = Position(source, 1, 1)
    reader = _READERS.get(Path(source).suffix)
    if reader is None:
        return [], [SourceError(start, "a source is a .py or a .jsonl file")]
    try:
        text = Path(source).read_bytes().decode("utf-8-sig")
    except OSError as error:
        return [], [SourceError(start, f"cannot read: {error.strerror}")]
    except UnicodeDecodeError as error:
        return [], [SourceError(start, f"not UTF-8: {error.reason} at byte {error.start}")]
    solvers, errors = reader(source, text)
    if not solvers and not errors:
        errors = [SourceError(start, "the source has no solver")]
    return solvers, errors


def _report_differences(lines: Sequence[str]) -> None:
    if lines:
        echo("\n".join([*lines, "run the same command without --check"]), err=True)
        sys.exit(1)


def _summary(programs: Sequence[Program], merged: Sequence[Program]) -> str:
    total = sum(len(program.operations) for program in programs)
    kept = len(operations_of(merged))
    return (
        f"{counted(len(programs), 'solver')}, {counted(kept, 'operation')} "
        f"({total - kept} dead or repeated of {total} dropped)"
    )


if __name__ == "__main__":
    main()
