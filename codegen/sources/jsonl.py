"""Reads `.jsonl` sources: a program a line, as operations or as Python.

{"name": "solve_x", "operations": [["x1", "objects", "I", "F"], ["O", "paint", "I", "x1"]],
 "returns": "O"}
{"name": "solve_y", "operations": [["O", {"captured": [], "parameters": ["g"],
 "operations": [["a", "vmirror", "g"]], "returns": "a"}, "I"]], "returns": "O"}
{"name": "solve_x", "code": "def solve(I):\\n    return vmirror(I)"}
"""

from __future__ import annotations

import json
import keyword
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from megabatt.codegen.errors import NO_PROGRAM, Place, ProgramError
from megabatt.codegen.sources.jsonl_lines import (
    MOST_ARGUMENTS,
    READABLE,
    VARIABLE,
    WRONG,
    Numbers,
    scanned,
)
from megabatt.codegen.sources.python import Read, Reading, Source, Speech
from megabatt.codegen.sources.text import read_text
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.printable import printable
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import NameRules, mistakes_in

_KEYS = ("name", "operations", "returns")
_PARTS = ("captured", "parameters", "operations", "returns")
_NEEDED = _KEYS[:2]
"""The keys that a line has; without `returns` its program returns O."""
_ONCE = tuple(f'"{key}"' for key in _KEYS)
_CODE = ("code", "lines")
_LINES_AT_ONCE = 1 << 12
"""The number of lines that one scan takes."""
_NAMES = ("name", "id", "task", "task_id")


class _Object(dict[str, Any]):
    """A JSON object. repeated: The keys that occur more than once in it."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        times = Counter(key for key, _ in pairs)
        self.repeated = sorted(key for key in times if times[key] > 1)


def read_jsonl(file: str, text: str, speech: Speech, reading: Reading) -> None:
    """Read the programs of a JSON Lines source; blank lines are skipped."""
    begun = len(reading.programs), len(reading.errors)
    # Not splitlines(): a JSON string may hold the other line ends of Unicode.
    lines = text.split("\n")
    reader = _Reader(file, speech, reading)
    with no_collection():
        for at in range(0, len(lines), _LINES_AT_ONCE):
            some = lines[at : at + _LINES_AT_ONCE]
            each = zip(some, reader.plain(some, at + 1), strict=True)
            for number, (line, read) in enumerate(each, start=at + 1):
                if read is not None:
                    reading.programs.append(read)
                elif line.strip():
                    reader.read(number, line)
    if begun == (len(reading.programs), len(reading.errors)):
        reading.errors.append(ProgramError(file, 1, 1, NO_PROGRAM))


class _Known(dict[str, tuple[Any, int, int]]):
    """A cache by JSON text, Integer or Boolean: its word, its meaning, and the numbers of arguments
    that a call of it may have, as bits."""

    def __init__(self, vocabulary: NameRules) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, text: str) -> tuple[Any, int, int]:
        self[text] = found = self._found(json.loads(text))
        return found

    def _found(self, value: Any) -> tuple[Any, int, int]:
        rules = self._vocabulary
        if value.__class__ is str and not (_is_name(value) or is_literal(value)):
            return value, WRONG, 0
        word = _word(value)
        if _is_name(word) and rules.kind_of(word) is None:
            return word, VARIABLE, 0
        if rules.of_word(word, (), ()) is not None:
            return word, WRONG, 0
        counts = [n for n in range(MOST_ARGUMENTS + 1) if rules.of_call(word, n) is None]
        return word, READABLE, sum(1 << n for n in counts)


class _Reader:
    """Reads the lines of a file."""

    def __init__(self, file: str, speech: Speech, reading: Reading) -> None:
        self._file = file
        self._speech = speech
        self._reading = reading
        self._known = _Known(speech.vocabulary)
        self._words: set[Any] = set()
        """Words that were checked and are right."""

    def plain(self, lines: list[str], first: int) -> list[Read | None]:
        """Read the programs of many lines at once; return None for lines to read one by one.

        first: The number of the first line.
        """
        found: list[Read | None] = [None] * len(lines)
        scan = scanned("\n".join(lines) + "\n", len(lines))
        known = [self._known[text] for text in scan.distinct]
        words = [word for word, _, _ in known]
        meanings, calls = np.array([one[1:] for one in known], dtype=np.int64).reshape(-1, 2).T
        right = scan.right(meanings.copy(), calls.copy())
        spoken = tuple(map(words.__getitem__, scan.words.tolist()))
        rows = tuple([spoken[a:b] for a, b in _bounds(scan.lengths)])
        returns = map(words.__getitem__, scan.returns.tolist())
        numbers = np.flatnonzero(scan.plain).tolist()
        programs = zip(numbers, scan.names, _bounds(scan.counts), returns, right, strict=True)
        for k, name, (a, b), returned, is_right in programs:
            if is_right and _is_name(name):
                program = Program(name, rows[a:b], returned)
                found[k] = Read(
                    program, self._source(first + k, lines[k]), partial(_places, b - a)
                )
        return found

    def _source(self, number: int, line: str) -> Source:
        """Return a line as a source."""
        return Source(self._file, line, line=number - 1)

    def read(self, number: int, line: str) -> None:
        """Read a line."""
        at, name = 1, ""
        try:
            is_plain = "\\" not in line and all(line.count(key) == 1 for key in _ONCE)
            value = json.loads(line, object_pairs_hook=None if is_plain else _Object)
            name = _name_in(value)
            found = self._read_value(self._source(number, line), value, name)
        except json.JSONDecodeError as error:
            at, found = error.colno, [f"malformed JSON: {error.msg}"]
        except RecursionError:
            found = ["malformed JSON: nested too deeply"]
        except ValueError as error:  # an integer of thousands of digits
            found = [f"malformed JSON: {error}"]
        for message in dict.fromkeys(found):
            mistake = ProgramError(self._file, number, at, message, name, line[:200])
            self._reading.errors.append(mistake)

    def _read_value(self, source: Source, value: Any, name: str) -> list[str]:
        """Read the program of a line. Returns its mistakes; reports mistakes in code itself."""
        code = _code_in(value)
        if isinstance(value, dict) and "operations" in value:
            value.setdefault("returns", "O")
        if _is_text(code):
            repeated = list(_repeated_in(value))
            if repeated:
                return repeated
            text = code if isinstance(code, str) else "\n".join(code)
            self._read_code(source, text, name)
            return []
        if not self._is_plain(value):
            wrong = list(_wrong_in(value))
            if wrong:
                return wrong
        rows = _rows(value["operations"])
        program = Program(name, rows, _word(value["returns"]))
        targets = {row[0] for row in rows}
        wrong = [m.message for m in mistakes_in(program, self._speech.vocabulary, targets)]
        if not wrong:
            places = partial(_places, len(rows))
            if len(targets) < len(rows):
                program = _assigned_once(program)
            self._reading.programs.append(Read(program, source, places))
        return wrong

    def _read_code(self, source: Source, text: str, name: str) -> None:
        """Read the programs of a text. A single program takes the name that the line gives."""
        number = source.line + 1
        part = Reading([], [], [])
        read_text(
            f"{self._file}:{number}", text, self._speech, part, unnamed=f"line_{number}",
            folder=Path(self._file).parent,
        )  # fmt: skip
        reads, errors = part.programs, part.errors
        if name and len(reads) + len({error.name for error in errors}) == 1:
            reads = [read._replace(program=read.program._replace(name=name)) for read in reads]
            errors = [error._replace(name=name) for error in errors]
        for read in reads:
            places = partial(_places, len(read.program.operations))
            self._reading.programs.append(Read(read.program, source, places))
        for error in errors:
            message = f"line {error.line} of the code: {error.message}"
            here = error._replace(file=self._file, line=number, column=1, message=message, begin=0)
            self._reading.errors.append(here)
        self._reading.notes.extend(part.notes)

    def _is_plain(self, value: Any) -> bool:
        """Tell quickly whether a line has the form of operations on names and Integers."""
        if value.__class__ is not dict or value.keys() != set(_KEYS):
            return False
        rows = value["operations"]
        try:
            words = [*chain.from_iterable(rows), value["name"], value["returns"]]
            if not set(map(type, words)) <= {str, int, bool} or not set(map(type, rows)) <= {list}:
                return False
            new = {word for word in words if word.__class__ is str} - self._words
        except TypeError:
            return False
        if not all(map(_is_name, new)):
            return False
        self._words |= new
        return all(len(row) > 1 and row[0].__class__ is row[1].__class__ is str for row in rows)


def _bounds(counts: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of consecutive parts of given sizes."""
    return pairwise([0, *np.cumsum(counts).tolist()])


def _places(operations: int) -> tuple[Place, list[Place]]:
    """Return the places of a program's name and operations in its line."""
    return Place(1), [Place(1)] * operations


def _assigned_once(program: Program) -> Program:
    """Return a program with variables renamed so that none is assigned twice."""
    taken = {word for row in program.operations for word in row}
    names: dict[Word, Word] = {}
    fresh = (name for name in map("_{}".format, count(1)) if name not in taken)
    rows = []
    for target, *words in program.operations:
        operands = [names.get(word, word) if isinstance(word, str) else word for word in words]
        names[target] = next(fresh) if target in names else target
        rows.append((names[target], *operands))
    return Program(program.name, tuple(rows), names.get(program.returns, program.returns))


def _name_in(value: Any) -> str:
    """Return the name that a line gives its program, as printable text; empty without one."""
    if not isinstance(value, dict):
        return ""
    given = (str(value[key]) for key in _NAMES if value.get(key) is not None)
    return printable(next(given, ""))


def _code_in(value: Any) -> Any:
    """Return the Python code of a line; None if the line has operations."""
    if not isinstance(value, dict):
        return value
    return next((value[key] for key in _CODE if key in value), None)


def _is_text(value: Any) -> bool:
    """Tell whether a value is text, or a list of lines."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(line, str) for line in value)
    return isinstance(value, str)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)


def _rows(value: list[list[Any]]) -> tuple[Operation, ...]:
    return tuple(tuple(map(_word, row)) for row in value)


def _word(value: Any) -> Any:
    """Return the word of a name, Integer, text of a constant, or function."""
    if isinstance(value, dict):
        captured, parameters = tuple(value["captured"]), tuple(value["parameters"])
        return Lambda(captured, parameters, _rows(value["operations"]), _word(value["returns"]))
    if value.__class__ is not str or value.isidentifier():
        return value
    return show(value_of(value))


def _wrong_in(value: Any) -> Iterator[str]:
    """Yield the mistakes in the form of a line."""
    if not isinstance(value, dict):
        yield "a program is a JSON object, or text"
        return
    yield from _repeated_in(value)
    for key in _CODE:
        if key in value:
            yield f"{key!r} is text, or a list of lines"
            return
    unknown = [key for key in value if key not in _KEYS]
    for key in unknown:
        yield f"unknown key {key!r}; a program's keys are {', '.join(_KEYS)}, 'code' and 'lines'"
    for key in _NEEDED:
        if key not in value and not unknown:
            yield f"the program has no {key!r}"
    rows = value.get("operations", [])
    if not isinstance(rows, list):
        yield "'operations' is a list"
        rows = []
    for row in rows:
        yield from _wrong_in_row(row)
    if "name" in value:
        yield from _wrong_in_names([value["name"]])
    if "returns" in value:
        yield from _wrong_in_operand(value["returns"])


def _repeated_in(value: Any, what: str = "program") -> Iterator[str]:
    """Yield a mistake for each key that a program or a function has more than once."""
    for key in getattr(value, "repeated", ()):
        yield f"the {what} has {key!r} more than once"


def _wrong_in_row(row: Any) -> Iterator[str]:
    if not isinstance(row, list) or len(row) < 2:
        form = "[target, function, arguments ...]"
        yield f"an operation is a list {form}, not {json.dumps(row)}"
        return
    target, function, *arguments = row
    if isinstance(function, dict):
        yield from _wrong_in_names([target])
        yield from _wrong_in_function(function)
    else:
        yield from _wrong_in_names([target, function])
    for word in arguments:
        yield from _wrong_in_operand(word)


def _wrong_in_names(words: list[Any]) -> Iterator[str]:
    return (f"not a name: {json.dumps(word)}" for word in words if not _is_name(word))


def _wrong_in_function(value: dict[str, Any]) -> Iterator[str]:
    yield from _repeated_in(value, "function")
    if value.keys() != set(_PARTS):
        yield f"a function has {', '.join(_PARTS)}, not {json.dumps(value)}"
        return
    for key in _PARTS[:3]:
        if not isinstance(value[key], list):
            yield f"{key!r} of a function is a list, not {json.dumps(value[key])}"
            return
    yield from _wrong_in_names([*value["captured"], *value["parameters"]])
    for row in value["operations"]:
        yield from _wrong_in_row(row)
    yield from _wrong_in_operand(value["returns"])


def _wrong_in_operand(word: Any) -> Iterator[str]:
    if isinstance(word, dict):
        yield from _wrong_in_function(word)
        return
    if isinstance(word, int) or _is_name(word):
        return
    if not isinstance(word, str) or not is_literal(word):
        advice = ', but a list; write a tuple as text: "(1, 2)"' if isinstance(word, list) else ""
        yield f"not a name: {json.dumps(word)}{advice}"
