"""Reads `.jsonl` sources: one program a line.

{"name": "solve_x", "operations": [["x1", "objects", "I", "F"], ["O", "paint", "I", "x1"]],
 "returns": "O"}
"""

from __future__ import annotations

import json
import keyword

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

_KEYS = ("name", "operations", "returns")


class _Malformed(Exception):
    """The line is JSON, but not a program."""


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
            solvers.append(_solver(json.loads(line), position))
        except json.JSONDecodeError as error:
            at = Position(file, number, error.colno)
            errors.append(SourceError(at, f"malformed JSON: {error.msg}"))
        except RecursionError:
            errors.append(SourceError(position, "malformed JSON: nested too deeply"))
        except ValueError as error:  # an integer of thousands of digits
            errors.append(SourceError(position, f"malformed JSON: {error}"))
        except _Malformed as error:
            errors.append(SourceError(position, str(error)))
    return solvers, errors


def _solver(value: object, position: Position) -> Solver:
    if not isinstance(value, dict):
        raise _Malformed("a program is a JSON object")
    for key in _KEYS:
        if key not in value:
            raise _Malformed(f"the program has no {key!r}")
    for key in value:
        if key not in _KEYS:
            raise _Malformed(f"unknown key {key!r}; a program has {', '.join(_KEYS)}")
    if not isinstance(value["operations"], list):
        raise _Malformed("'operations' is a list")
    return Solver(
        name=_name(value["name"], position),
        parameters=(),
        assignments=tuple(_assignment(item, position) for item in value["operations"]),
        result=_operand(value["returns"], position),
    )


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
