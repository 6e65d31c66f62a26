"""Reads texts: Python, or Markdown that has Python in fences."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from megabatt.codegen.errors import NO_PROGRAM, ProgramError
from megabatt.codegen.read_python import Reading, Source, Speech, parsed, read_python


def read_text(
    file: str, text: str, speech: Speech, reading: Reading, name: str = "", unnamed: str = ""
) -> None:
    """Read the programs of a text: Python, or Markdown with Python in fences.

    file: The text's name in messages. name: A name to add to its only program if its function is
    called `solve` or the like. unnamed: The name of a program without a function.
    """
    begun = len(reading.errors)
    for line, part in _parts("\n".join(lines_of(text))):
        has_code = not part.strip() or any(map(_ANY_CODE.match, part.split("\n")))
        if not has_code and not _is_python(part):
            reading.errors.append(ProgramError(file, line + 1, 1, NO_PROGRAM, name))
            continue
        read_python(Source(file, part, name, unnamed or name, line), speech, reading)
    reading.errors[begun:] = sorted(reading.errors[begun:], key=lambda error: error[1:3])


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which end at a line feed, a carriage return, or both."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def has_python(text: str) -> bool:
    """Tell whether a text has fences of Python, or of no language, or a function between words."""
    lines = lines_of(text)
    return next(_fenced(lines), None) is not None or any(map(_FUNCTION.match, lines))


def _parts(text: str) -> list[tuple[int, str]]:
    """Return the parts of a text that are Python, each with the number of lines before it."""
    if "```" in text or "~~~" in text:
        blocks = list(_fenced(text.split("\n")))
        if blocks:
            return _together(blocks)
    return [_within_words(_dedented(text))]


class _Block(NamedTuple):
    """A fenced block. line: The number of lines before it. is_python: Whether it says Python."""

    line: int
    text: str
    is_python: bool


def _together(blocks: list[_Block]) -> list[tuple[int, str]]:
    """Return blocks as one part if they parse as one.

    Otherwise each block is a part, except blocks that neither parse nor claim to be Python, such as
    a grid.
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
    """Return the number of lines before a text's code, and the code without words around it.

    Returns the whole text if it parses, or if the code without the words does not parse.
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


_FUNCTION = re.compile(r"def \w+\(")
_CODE = re.compile(r"def |from |import |[A-Za-z_]\w* *=")
"""Matches the first line of code in a text."""
_CODE_ENDS = re.compile(rf"[ \t]+\S|{_CODE.pattern}")
"""Matches the last line of code in a text."""
_ANY_CODE = re.compile(rf"\s*(?:return\b|class |@|{_CODE.pattern})")
"""Matches a line of a text that may be meant as code; no other text has a program."""
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$")
_PYTHON = {"", "py", "python", "python3"}


def _fenced(lines: list[str]) -> Iterator[_Block]:
    """Yield the Python in fences; a fence that is never closed ends with the text.

    If the number of fences is odd, and the first fence follows a function and names no language,
    that fence ends a block that began before the text, such as in a model's prompt.
    """
    fences = [(k, fence) for k, line in enumerate(lines) if (fence := _FENCE.match(line))]
    begin, mark, label = 0, "", ""
    if len(fences) % 2 == 1:
        end, fence = fences[0]
        if not fence[2] and any(map(_FUNCTION.match, lines[:end])):
            mark, label = fence[1], "python"
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
    """Remove the indentation that all lines of a text share."""
    code = text.lstrip()
    is_indented = text[: len(text) - len(code)][-1:] in (" ", "\t")
    return textwrap.dedent(text) if is_indented else text
