"""Reads `.jsonl` sources: one program a line.

{"name": "solve_x", "operations": [["x1", "objects", "I", "F"], ["O", "paint", "I", "x1"]],
 "returns": "O"}
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Callable
from typing import TypeVar

from megabatt.codegen.solver import (
    Assignment,
    Call,
    Expression,
    Literal,
    Name,
    Position,
    Solver,
    SourceError,
)

Part = TypeVar("Part")

_KEYS = ("name", "operations", "returns")


class _Malformed(Exception):
    """A part of the line is JSON, but not what a program has there."""


class _Object(dict[str, object]):
    """A JSON object; repeated: the keys that it has more than once."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        keys = [key for key, _ in pairs]
        self.repeated = sorted({key for key in keys if keys.count(key) > 1})


def read_jsonl(file: str, text: str) -> tuple[list[Solver], list[SourceError]]:
    """Read the programs of a JSON Lines source; blank lines are skipped.

    Args:
        file: the source's name, for positions.
        text: the source.

    Returns:
        The solvers in the source's order, and the malformed lines.
    """
    solvers: list[Solver] = []
    errors: list[SourceError] = []
    # Not splitlines(): a JSON string may hold the other line ends of Unicode.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        position = Position(file, number, 1)
        try:
            reader = _Reader(position)
            solver = reader.solver(json.loads(line, object_pairs_hook=_Object))
        except json.JSONDecodeError as error:
            at = Position(file, number, error.colno)
            errors.append(SourceError(at, f"malformed JSON: {error.msg}"))
        except RecursionError:
            errors.append(SourceError(position, "malformed JSON: nested too deeply"))
        except ValueError as error:  # an integer of thousands of digits
            errors.append(SourceError(position, f"malformed JSON: {error}"))
        else:
            errors += reader.errors
            if solver is not None and not reader.errors:
                solvers.append(solver)
    return solvers, errors


class _Reader:
    """Reads the program of a line. errors: all that is wrong with its form."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.errors: list[SourceError] = []

    def solver(self, value: object) -> Solver | None:
        """Read the program; None where a part is missing. Not to be used where there are errors."""
        if not isinstance(value, _Object):
            self._wrong("a program is a JSON object")
            return None
        for key in value.repeated:
            self._wrong(f"the program has {key!r} more than once")
        for key in _KEYS:
            if key not in value:
                self._wrong(f"the program has no {key!r}")
        for key in value:
            if key not in _KEYS:
                self._wrong(f"unknown key {key!r}; a program has {', '.join(_KEYS)}")
        operations = value.get("operations", [])
        if not isinstance(operations, list):
            self._wrong("'operations' is a list")
            operations = []
        assignments = [self._read(_assignment, item) for item in operations]
        name = self._read(_name, value["name"]) if "name" in value else None
        result = self._read(_operand, value["returns"]) if "returns" in value else None
        if name is None or result is None:
            return None
        whole = tuple(assignment for assignment in assignments if assignment is not None)
        return Solver(name=name, parameters=(), assignments=whole, result=result)

    def _read(self, reader: Callable[[object, Position], Part], value: object) -> Part | None:
        try:
            return reader(value, self.position)
        except _Malformed as error:
            self._wrong(str(error))
            return None

    def _wrong(self, message: str) -> None:
        self.errors.append(SourceError(self.position, message))


def _assignment(value: object, position: Position) -> Assignment:
    if not isinstance(value, list) or len(value) < 2:
        raise _Malformed(
            f"an operation is a list [target, function, arguments ...], not {json.dumps(value)}"
        )
    target, function, *arguments = value
    operands = tuple(_operand(argument, position) for argument in arguments)
    call = Call(_name(function, position), operands, position)
    return Assignment(_name(target, position), call)


def _operand(value: object, position: Position) -> Expression:
    if isinstance(value, int):
        return Literal(value, position)
    return _name(value, position)


def _name(value: object, position: Position) -> Name:
    if not isinstance(value, str) or not value.isidentifier() or keyword.iskeyword(value):
        raise _Malformed(f"not a name: {json.dumps(value)}")
    return Name(value, position)
