"""`megabatt.read` and `megabatt.parse`: programs from files and texts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from megabatt.codegen.errors import ProgramError, count_unread, has_unknown_primitive
from megabatt.codegen.sources.paths import read_paths
from megabatt.codegen.sources.python import Reading, Speech
from megabatt.codegen.sources.text import read_text
from megabatt.runtime.arguments import path_of
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.pictures import fragment_of, preformatted
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import brief, printable, printable_lines, short
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import counted, cut

__all__ = ["ProgramError", "ProgramErrors", "Programs", "parse", "read"]


class ProgramErrors(ValueError):
    """Raised for sources that cannot be read.

    Attributes:
        errors: The mistakes, each a `ProgramError`.
    """

    def __init__(self, errors: Iterable[ProgramError]) -> None:
        self.errors = list(errors)
        lines = [printable_lines(error.shown) for error in self.errors]
        shown = cut(lines, 10, "and {} more".format)
        super().__init__("\n".join([*shown, *_advice_on(self.errors)]))

    def __reduce__(self) -> tuple[Any, ...]:
        # By itself, pickle would call the class with the message instead of the errors.
        return type(self), (self.errors,)


def _advice_on(errors: list[ProgramError]) -> list[str]:
    like_none = [error for error in errors if "did you mean" not in error.message]
    advice = ["if an unknown primitive is your own, import its module first"]
    return advice if has_unknown_primitive(like_none) else []


_MOST_SHOWN = 20
"""The most programs, and the most mistakes, that a notebook shows."""


class Programs(list[Program]):
    """A list of the programs that could be read.

    Attributes:
        errors: The mistakes in the other programs, each a `ProgramError`.
        notes: Lines that say which parts of a source were skipped, such as imports, or what an
            unknown primitive may need.
    """

    def __init__(
        self,
        programs: Iterable[Program] = (),
        errors: Iterable[ProgramError] = (),
        notes: Iterable[str] = (),
    ) -> None:
        super().__init__(programs)
        self.errors = list(errors)
        self.notes = list(notes)

    def __repr__(self) -> str:
        notes = f"; {counted(len(self.notes), 'note')}: see .notes" if self.notes else ""
        count = count_unread(self.errors)
        unread = f"{count} that cannot be read"
        if self.errors and not count:
            unread = self.errors[0].message
        return f"<{counted(len(self), 'program')}, {unread}{notes}>"

    def _repr_html_(self) -> str:
        shown = cut(self, _MOST_SHOWN, "and {:,} more".format)
        shown += [error.shown for error in self.errors[:_MOST_SHOWN]]
        return fragment_of(*map(preformatted, [repr(self), *shown]))


def read(
    path: str | Path,
    *,
    strict: bool = False,
    aliases: Mapping[str, str] | None = None,
    workload: str | Workload[Any] = "arc",
) -> Programs:
    """Read the programs of a `.py`, `.jsonl` or Markdown file, or of a folder of such files.

    Nothing in them is executed. Where a folder takes seconds, lines on standard error say how many
    of its files are read.

    Args:
        path: The file or folder.
        strict: Raise `ProgramErrors` if a program cannot be read, instead of leaving it out.
        aliases: Other names for primitives and constants, such as {"vertical_mirror": "vmirror"}.
        workload: The workload whose language the programs are in.

    Raises:
        ProgramErrors: A program cannot be read, and `strict` is set.
        OSError: A file cannot be read.
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
    """
    source = path_of("path", path)
    reading = Reading([], [], [])
    speech = speech_of(workload, aliases)
    try:
        read_paths([source], speech, reading, _progress_of(source))
    except OSError as error:
        why = f"{source}: {error.strerror or error}"
        why = "a text, not a file: mb.parse reads texts" if "\n" in str(source) else why
        raise type(error)(brief(why)) from error
    return _programs(reading, strict)


_PATIENCE, _AGAIN = 2.0, 10.0
"""Seconds from the start of reading a folder to the first line on it; between two lines."""


def _progress_of(folder: Path) -> Callable[[int, int], None]:
    """Return a function that sometimes says how many of a folder's files are read."""
    next_time = time.monotonic() + _PATIENCE

    def tell(read: int, files: int) -> None:
        nonlocal next_time
        if read < files and time.monotonic() > next_time:
            next_time = time.monotonic() + _AGAIN
            line = f"megabatt reads {folder}: {read:,} of {counted(files, 'file')}"
            print(printable(line), file=sys.stderr)

    return tell


def parse(
    text: str,
    *,
    name: str = "program",
    strict: bool = False,
    aliases: Mapping[str, str] | None = None,
    workload: str | Workload[Any] = "arc",
    folder: str | Path | None = None,
) -> Programs:
    """Read the programs of a text: Python, or Markdown with Python in fences.

    Nothing in it is executed.

    Args:
        text: The source itself, not a path: `read` takes paths.
        name: The name of a program that consists of assignments, without a function.
        strict: Raise `ProgramErrors` if a program cannot be read, instead of leaving it out.
        aliases: Other names for primitives and constants, such as {"vertical_mirror": "vmirror"}.
        workload: The workload whose language the programs are in.
        folder: Where the modules lie that the text imports. None: it imports none.

    Raises:
        ProgramErrors: A program cannot be read, and `strict` is set.
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be the source of programs, not {short(text)}")
    if not isinstance(name, str):
        raise TypeError(f"name must be text, not {short(name)}")
    reading = Reading([], [], [])
    where = None if folder is None else path_of("folder", folder)
    read_text("text", text, speech_of(workload, aliases), reading, unnamed=name, folder=where)
    return _programs(reading, strict)


def speech_of(
    workload: str | Workload[Any], aliases: Mapping[str, str] | None = None
) -> Speech:
    """Return a workload's `Speech`: the names in its sources. Raises TypeError, ValueError."""
    language = given.workload_of(workload).language
    if aliases is not None and not isinstance(aliases, Mapping):
        raise TypeError(f"aliases must be names by other names, not {short(aliases)}")
    pairs = tuple((aliases or {}).items())
    for alias, name in pairs:
        if not (isinstance(alias, str) and isinstance(name, str)):
            raise TypeError(f"aliases must be texts by texts, not {short(name)} by {short(alias)}")
    return _speech(language, pairs, (*language.constants, *language.primitives))


@lru_cache(maxsize=16)
def _speech(
    language: Language, aliases: tuple[tuple[str, str], ...], names: tuple[str, ...]
) -> Speech:
    """Make the speech of a language. names: All its names; new names make a new speech."""
    return Speech(language, dict(aliases))


def _programs(reading: Reading, strict: bool) -> Programs:
    if strict and reading.errors:
        raise ProgramErrors(reading.errors)
    notes = [*reading.notes, *_advice_on(reading.errors)]
    return Programs([read.program for read in reading.programs], reading.errors, notes)
