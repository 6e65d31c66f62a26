"""A program: a name, operations, and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Word = str | int
"""The name of a variable, input, constant or primitive; or an Integer or Boolean itself."""


class Program(NamedTuple):
    """A program as it is written down.

    operations: of each the variable that it assigns, the function, and the arguments, such as
    ("x1", "objects", "I", "T", "F", "T"). returns: what the program gives: a variable, mostly.
    """

    name: str
    operations: tuple[tuple[Word, ...], ...]
    returns: Word = "O"

    def __str__(self) -> str:
        lines = [f"{self.name}:"]
        for target, function, *arguments in self.operations:
            lines.append(f"    {target} = {function}({', '.join(map(str, arguments))})")
        return "\n".join([*lines, f"    return {self.returns}"])


def program(name: str, operations: Iterable[Sequence[Word]], returns: Word = "O") -> Program:
    """Make a program of operations such as ["x1", "objects", "I", "T", "F", "T"].

    Whether they are right is seen when the program is evaluated. Raises TypeError where they are
    no lists of names and integers.
    """
    rows = []
    for k, operation in enumerate(operations, 1):
        row = (operation,) if isinstance(operation, str) else tuple(operation)
        if len(row) < 2 or not all(isinstance(word, (str, int)) for word in row):
            raise TypeError(
                f"program {name!r}, operation {k}: not [variable, function, arguments ...], "
                f"names and integers, but {operation!r}"
            )
        rows.append(row)
    if not isinstance(returns, (str, int)):
        raise TypeError(f"program {name!r} returns {returns!r}, which is no name")
    return Program(name, tuple(rows), returns)
