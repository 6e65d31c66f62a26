"""Reads programs from files and folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from megabatt.codegen.errors import NO_FILE, ProgramError
from megabatt.codegen.sources.jsonl import read_jsonl
from megabatt.codegen.sources.modules import imported_files
from megabatt.codegen.sources.python import Reading, Speech, may_have_programs
from megabatt.codegen.sources.text import has_python, read_text
from megabatt.runtime.printable import printable

SUFFIXES = (".py", ".jsonl", ".md")
"""The suffixes of the files that are read from a folder."""
NO_SOURCE = "programs are in .py, .jsonl and .md files; `megabatt score` takes a submission"
"""Why a `.json` file is not read."""
MODULE = "passed over: other files import it, and no function is called solve or the like"
"""The note on a folder's module."""
NO_PYTHON = "passed over: it has no Python"
"""The note on a folder's Markdown file without Python."""


def read_paths(
    paths: Iterable[Path],
    speech: Speech,
    reading: Reading,
    progress: Callable[[int, int], object] = lambda read, files: None,
) -> None:
    """Read the programs of files and folders.

    progress: Called after each file of a folder with the number of files read so far, and of all.
    Raises OSError if one of `paths` cannot be read.
    """
    for path in paths:
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
            for folder in sorted(file for file in path.iterdir() if file.is_dir()):
                if folder.name[0] not in "._" and folder not in files:
                    reading.notes.append(f"{folder}: passed over: a folder in the folder")
            if not files:
                reading.errors.append(ProgramError(str(path), 1, 1, NO_FILE))
            modules = _modules_among(files)
            for read, file in enumerate(files, 1):
                try:
                    if not file.is_file():  # reading from a pipe would wait for somebody to write
                        raise OSError("not a regular file" if file.exists() else "does not exist")
                    if file in modules:
                        reading.notes.append(f"{file}:1: {MODULE}")
                    else:
                        _read_file(file, speech, reading, among_others=True)
                except OSError as error:
                    message = f"cannot read: {error.strerror or error}"
                    name = printable(file.stem)
                    reading.errors.append(ProgramError(str(file), 1, 1, message, name))
                progress(read, len(files))
        else:
            _read_file(path, speech, reading)


def _modules_among(files: Iterable[Path]) -> set[Path]:
    """Return the files of a folder that others import, and that seem to have no programs."""
    imported, with_programs = set[Path](), set[Path]()
    for file in files:
        if file.suffix == ".py" and file.is_file() and os.access(file, os.R_OK):
            text = file.read_text(encoding="utf-8", errors="replace")
            imported |= imported_files(text, file.parent) - {file}
            if may_have_programs(text):
                with_programs.add(file)
    return imported - with_programs


def _read_file(
    path: Path, speech: Speech, reading: Reading, among_others: bool = False
) -> None:
    """Read a file or pipe. Raises OSError, also for a device, which may never end.

    among_others: Whether to pass over Markdown without Python, with a note.
    """
    if path.exists() and not (path.is_file() or path.is_fifo()):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if path.suffix == ".json":
        raise OSError(errno.EINVAL, NO_SOURCE, str(path))
    name = printable(path.stem)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8: {error.reason} at byte {error.start}: save it as UTF-8"
        reading.errors.append(ProgramError(str(path), 1, 1, message, name))
        return
    if path.suffix == ".jsonl":
        read_jsonl(str(path), text, speech, reading)
    elif among_others and path.suffix == ".md" and not has_python(text):
        reading.notes.append(f"{path}:1: {NO_PYTHON}")
    else:
        read_text(str(path), text, speech, reading, name, folder=path.parent)
