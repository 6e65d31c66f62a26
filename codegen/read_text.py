"""Reads texts: Python, or Markdown that has Python in fences."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

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


_CODE = re.compile(r"def |from |import |[A-Za-z_]\w* *=")
"""How lines of Python begin that are not indented."""
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$")
_PYTHON = {"", "py", "python", "python3"}


def _parts(text: str) -> list[tuple[int, str]]:
    """Return what is Python in a text, each part with the number of lines before it."""
    if "```" in text or "~~~" in text:
        blocks = list(_fenced(text.split("\n")))
        if blocks:
            return _together(blocks)
    return [_within_words(_dedented(text))]


class _Block(NamedTuple):
    """What stands in a fence. line: how many lines stand before it. is_python: it is said to be."""

    line: int
    text: str
    is_python: bool


def _together(blocks: list[_Block]) -> list[tuple[int, str]]:
    """Return blocks as one part, if they are right as one.

    Else each is a part, but for those that are no Python and are not said to be, such as a grid.
    """
    parts = [block[:2] for block in blocks]
    if len(parts) == 1 or _is_python(whole := _in_their_lines(parts)):
        return parts if len(parts) == 1 else [(0, whole)]
    meant = [
        block[:2]
        for block in blocks
        if block.is_python or "def " in block.text or _is_python(block.text)
    ]
    return meant or parts


def _in_their_lines(parts: list[tuple[int, str]]) -> str:
    lines: list[str] = []
    for line, text in parts:
        lines += [""] * (line - len(lines))
        lines += text.split("\n")
    return "\n".join(lines)


def _is_python(text: str) -> bool:
    return not isinstance(parsed(Source("", text)), ProgramError)


def _within_words(text: str) -> tuple[int, str]:
    """Return the code of a text without the words before and after it, and the lines before it.

    It is the whole text where that is Python, or where what is left is none.
    """
    stripped = text.strip()
    if _CODE.match(stripped) and _CODE_ENDS.match(stripped[stripped.rfind("\n") + 1 :]):
        return 0, text
    lines = text.split("\n")
    code = [k for k, line in enumerate(lines) if _CODE.match(line)]
    if not code or _is_python(text):
        return 0, text
    end = max(k for k, line in enumerate(lines) if _CODE_ENDS.match(line))
    part = "\n".join(lines[code[0] : end + 1])
    return (code[0], part) if _is_python(part) else (0, text)


_CODE = re.compile(r"def |from |import |[A-Za-z_]\w* *=")
"""How code begins in a text."""
_CODE_ENDS = re.compile(rf"[ \t]+\S|{_CODE.pattern}")
"""How its last line begins."""
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$")
_PYTHON = {"", "py", "python", "python3"}


def _fenced(lines: list[str]) -> Iterator[_Block]:
    """Yield the Python in fences; one that is never closed goes to the end."""
    begin, mark, label = 0, "", ""
    for k, line in enumerate([*lines, ""]):
        fence = _FENCE.match(line)
        is_end = k == len(lines)
        if not mark and fence is not None:
            begin, mark, label = k + 1, fence[1], fence[2].lower()
        elif mark and (is_end or (fence is not None and fence[1].startswith(mark))):
            if label in _PYTHON:
                yield _Block(begin, _dedented("\n".join(lines[begin:k])), label != "")
            mark = ""


def _dedented(text: str) -> str:
    """Take the indentation of a text away that all of its lines have."""
    code = text.lstrip()
    is_indented = text[: len(text) - len(code)][-1:] in (" ", "\t")
    return textwrap.dedent(text) if is_indented else text
