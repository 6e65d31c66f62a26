"""Programs from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from megabatt.codegen.flatten import flatten
from megabatt.codegen.read_jsonl import read_jsonl
from megabatt.runtime.arguments import path_of
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import printable
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import Vocabulary


class ProgramErrors(ValueError):
    """A source with mistakes. errors: a line for each mistake, with its place."""

    def __init__(self, errors: list[str]) -> None:
        errors = list(map(printable, errors))
        shown = errors[:10] + ([f"and {len(errors) - 10} more"] if len(errors) > 10 else [])
        super().__init__("\n".join(shown))
        self.errors = errors


def read(path: str | Path, *, workload: str | Workload[Any] = "arc") -> list[Program]:
    """Read the programs of a `.py` or `.jsonl` file. Nothing in it is executed.

    workload: whose language they are in. Raises OSError where the file cannot be read,
    `ProgramErrors` where it is not as it should be, TypeError or ValueError for other arguments.
    Names and arities of operations are checked when the programs are evaluated.
    """
    source = path_of("path", path)
    chosen = given.workload_of(workload)
    try:
        text = source.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProgramErrors([f"{path}: not UTF-8: {error.reason} at byte {error.start}"]) from error
    if source.suffix == ".jsonl":
        solvers, errors = read_jsonl(str(path), text)
    else:
        from megabatt.codegen.read_python import read_python

        solvers, errors = read_python(str(path), text)
    if errors:
        raise ProgramErrors(list(map(str, sorted(errors))))
    vocabulary = Vocabulary(chosen.language)
    flats = [flatten(solver, vocabulary) for solver in solvers]
    errors = [error for flat in flats for error in flat.hidden]
    if errors:
        raise ProgramErrors(list(map(str, sorted(errors))))
    return [flat.program for flat in flats]
