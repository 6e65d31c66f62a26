"""Reads texts: Python, or Markdown that has Python in fences."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Set
from pathlib import Path
from typing import NamedTuple

from megabatt.codegen.analysis.names import assigned_in
from megabatt.codegen.analysis.nodes import nodes_in
from megabatt.codegen.errors import NO_PROGRAM, ProgramError
from megabatt.codegen.sources.python import (
    ENTRIES,
    Reading,
    Source,
    Speech,
    is_function,
    parsed,
    read_python,
)


def read_text(
    file: str,
    text: str,
    speech: Speech,
    reading: Reading,
    name: str = "",
    unnamed: str = "",
    folder: Path | None = None,
) -> None:
    """Read the programs of a text: Python, or Markdown with Python in fences.

    file: The text's name in messages. name: A name to add to its only program if its function is
    called `solve` or the like. unnamed: The name of a program without a function. folder: Where
    modules lie that it imports; None for nowhere.
    """
    begun = len(reading.errors)
    for line, part, own in _parts("\n".join(lines_of(text.removeprefix(_BYTE_ORDER_MARK)))):
        has_code = not part.strip() or any(map(_ANY_CODE.match, part.split("\n")))
        if not has_code and not _is_python(part):
            reading.errors.append(ProgramError(file, line + 1, 1, NO_PROGRAM, name))
            continue
        source = Source(file, part, name, unnamed or name, line, folder)
        if own is None:
            read_python(source, speech, reading)
            continue
        found = Reading([], [], [])
        read_python(source, speech, found)
        reading.programs.extend(read for read in found.programs if read.line_of() in own)
        reading.errors.extend(
            error
            for error in found.errors
            if (error.begin or error.line) in own and error.message != NO_PROGRAM
        )
        reading.notes.extend(note for note in found.notes if note not in reading.notes)
    reading.errors[begun:] = sorted(reading.errors[begun:], key=lambda error: error[1:3])


_BYTE_ORDER_MARK = "\ufeff"
"""What some editors write before a text; it means nothing."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which end at a line feed, a carriage return, or both."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def has_python(text: str) -> bool:
    """Tell whether a text has fences of Python, or of no language, or a function between words."""
    lines = lines_of(text)
    return next(_fenced(lines), None) is not None or any(map(_FUNCTION.match, lines))


class _Part(NamedTuple):
    """A part of a text that is Python.

    line: The number of lines before it. own: The lines of the text where its
    programs begin; None for all.
    """

    line: int
    text: str
    own: Set[int] | None = None


def _parts(text: str) -> list[_Part]:
    """Return the parts of a text that are Python."""
    if ("```" in text or "~~~" in text) and not _is_module(text):  # not only in its docstrings
        blocks = list(_fenced(text.split("\n")))
        if blocks:
            return _together(blocks)
    return [_Part(*_within_words(_dedented(text)))]


class _Block(NamedTuple):
    """A fenced block. line: The number of lines before it. is_python: Whether it says Python."""

    line: int
    text: str
    is_python: bool


def _together(blocks: list[_Block]) -> list[_Part]:
    """Return blocks as one part if they parse as one, or else those that parse and have functions.

    Each other block is a part, except blocks that neither parse nor claim to be Python, such as a
    grid. Blocks that define the same name are attempts at a program, and several parts.
    """
    whole = [_Part(*block[:2]) for block in blocks]
    if len(blocks) == 1 or _is_python(_in_their_lines(whole)):
        return _programs_in(whole)
    right = [_Part(*block[:2]) for block in blocks if _is_python(block.text)]
    wrong = [
        part
        for block, part in zip(blocks, whole, strict=True)
        if part not in right and (block.is_python or "def " in block.text)
    ]
    return [*(_programs_in(right) if any(map(_has_function, right)) else right), *wrong] or whole


def _programs_in(parts: list[_Part]) -> list[_Part]:
    """Return a part for each block that assigns `O` without a function, and the others' parts.

    Such a block is a program of its own beside functions and other such blocks. It reads the names
    that blocks of neither kind assign.
    """
    lists = [part for part in parts if _OUTPUT.search(part.text) and not _has_function(part)]
    others = [part for part in parts if part not in lists]
    has_functions = any(map(_has_function, others))
    if len(lists) < (1 if has_functions else 2):
        return _attempts(parts)
    plain = [part for part in others if not _has_function(part)]
    alone = [_Part(0, _in_their_lines(sorted([*plain, part]))) for part in lists]
    return [*(_attempts(others) if has_functions else []), *alone]


def _has_function(part: _Part) -> bool:
    return _FUNCTION.search(part.text) is not None


def _attempts(parts: list[_Part]) -> list[_Part]:
    """Return blocks as one part; if several define the same name, each with those that it needs.

    A name then means what its own block defines, or else what is defined last before the block, or
    else behind it.
    """
    if len(parts) < 2:  # most answers: parsing would take longer than reading
        return parts
    trees = [parsed(Source("", part.text)) for part in parts]
    bodies = [tree.body for tree in trees if isinstance(tree, ast.Module)]
    defined = [assigned_in(body) for body in bodies]
    functions = {n for body in bodies for s in body if is_function(s) for n in assigned_in([s])}
    is_once = sum(map(len, defined)) == len(set().union(*defined))
    if is_once or not functions or len(bodies) < len(parts):
        return [_Part(0, _in_their_lines(parts))]
    homes: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        for name in defined[k] | _imported_in(body):
            homes.setdefault(name, []).append(k)
    read = [
        {n.id for s in body for n in nodes_in(s, ast.Name)} & homes.keys()
        for body in bodies
    ]
    helpers: set[tuple[int, str]] = set()
    together: list[list[_Part]] = []
    for k in range(len(parts)):
        needed = [k]
        for block in needed:  # grows
            for name in read[block]:
                home = next((j for j in reversed(homes[name]) if j <= k), homes[name][0])
                if home != k:
                    helpers.add((home, name))
                    needed += [] if home in needed else [home]
        together.append([parts[j] for j in sorted(needed)])
    own = [
        {
            parts[k].line + s.lineno
            for s in body
            if _is_read(s, functions)
            and all((k, n) not in helpers or ENTRIES.match(n) for n in assigned_in([s]))
        }
        for k, body in enumerate(bodies)
    ]
    return [
        _Part(some[0].line, _in_their_lines(some, some[0].line), lines)
        for some, lines in zip(together, own, strict=True)
    ]


_ASIDE = ast.Import | ast.ImportFrom | ast.Assert | ast.Pass | ast.Delete | ast.Expr | ast.Return


def _is_read(statement: ast.stmt, functions: Set[str]) -> bool:
    """Tell whether a statement beside functions is a program, or a mistake."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return is_function(statement) or getattr(statement.value, "id", None) in functions
    return not isinstance(statement, _ASIDE)


def _imported_in(statements: list[ast.stmt]) -> set[str]:
    imports = [s for s in statements if isinstance(s, ast.Import | ast.ImportFrom)]
    return {a.asname or a.name.partition(".")[0] for s in imports for a in s.names}


def _in_their_lines(parts: list[_Part], before: int = 0) -> str:
    """Return parts as one text, from the line after `before` on."""
    lines: list[str] = []
    for line, text, _ in parts:
        lines += [""] * (line - before - len(lines))
        lines += text.split("\n")
    return "\n".join(lines)


def _is_python(text: str) -> bool:
    return not isinstance(parsed(Source("", text)), ProgramError)


def _is_module(text: str) -> bool:
    """Tell whether a whole text is Python, with more than words and comments."""
    if not _MODULE.match(text):  # parsing words would take longer than reading the fences
        return False
    tree = parsed(Source("", text))
    return isinstance(tree, ast.Module) and any(not isinstance(s, ast.Expr) for s in tree.body)


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
_OUTPUT = re.compile(r"^O\s*=", re.MULTILINE)
_CODE = re.compile(r"def |from |import |[A-Za-z_]\w* *=")
"""Matches the first line of code in a text."""
_CODE_ENDS = re.compile(rf"[ \t]+\S|{_CODE.pattern}")
"""Matches the last line of code in a text."""
_ANY_CODE = re.compile(rf"\s*(?:return\b|class |@|{_CODE.pattern})")
"""Matches a line of a text that may be meant as code; no other text has a program."""
_MODULE = re.compile(
    r"(?:[ \t]*(?:#.*)?\n)*(?:[\"']|(?:assert|del|for|if|try|while|with)\b|[A-Za-z_][\w.]*[(\[]"
    rf"|[(\[]?[A-Za-z_][\w., ()\[\]]*=|{_ANY_CODE.pattern})"
)
"""Matches a text that begins with code or a docstring, after comments."""

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
