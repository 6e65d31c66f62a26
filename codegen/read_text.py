"""Reads texts: Python, or Markdown that has Python in fences."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from megabatt.codegen.errors import ProgramError
from megabatt.codegen.read_python import Reading, Source, Speech, parsed, read_python


def read_text(
    file: str, text: str, speech: Speech, reading: Reading, name: str = "", unnamed: str = ""
) -> None:
    """Read the programs of a text: Python, or Markdown with Python in fences.

    file: its name in messages. name: what its only program is for, if not what its function is
    called. unnamed: the name of a program that has no function.
    """
    for line, part in _parts(text):
        read_python(Source(file, part, name, unnamed or name, line), speech, reading)


_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$")
_PYTHON = {"", "py", "python", "python3"}


def _parts(text: str) -> list[tuple[int, str]]:
    """Return what is Python in a text, each part with the number of lines before it.

    What stands in several fences is one part, if it is right as one.
    """
    if "```" not in text and "~~~" not in text:
        return [(0, _dedented(text))]
    blocks = list(_fenced(text.split("\n")))
    if not blocks:
        return [(0, _dedented(text))]
    whole: list[str] = []
    for line, block in blocks:
        whole += [""] * (line - len(whole))
        whole += block.split("\n")
    together = "\n".join(whole)
    if len(blocks) == 1 or isinstance(parsed(Source("", together)), ProgramError):
        return blocks
    return [(0, together)]


def _fenced(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the Python in fences; one that is never closed goes to the end."""
    begin, mark, is_python = 0, "", False
    for k, line in enumerate([*lines, ""]):
        fence = _FENCE.match(line)
        is_end = k == len(lines)
        if not mark and fence is not None:
            begin, mark, is_python = k + 1, fence[1], fence[2].lower() in _PYTHON
        elif mark and (is_end or (fence is not None and fence[1].startswith(mark))):
            if is_python:
                yield begin, _dedented("\n".join(lines[begin:k]))
            mark = ""


def _dedented(text: str) -> str:
    """Take the indentation of a text away that all of its lines have."""
    return textwrap.dedent(text) if re.match(r"\s*\n*[ \t]", text) else text
