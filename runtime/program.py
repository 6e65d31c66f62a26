"""A program: a name, operations, and what it returns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import NamedTuple

from megabatt.runtime.arguments import elements, plain
from megabatt.runtime.printable import printable_lines, short


class Lambda(NamedTuple):
    """A function that a program defines. It is a word, and stands where a function may.

    captured: the names of the values that it captures. parameters: the names of its arguments.
    operations: what a call makes; they read these names, constants, primitives and each other's
    targets, and nothing else of the program. returns: the word whose value a call gives.

    Without captured names the word is the function. With captured names the word is a function of
    the captured values, in their order, that gives the function: ("f", Lambda(...), "x1", "x2")
    makes `f` of the values of `x1` and `x2`.
    """

    captured: tuple[str, ...]
    parameters: tuple[str, ...]
    operations: tuple[Operation, ...]
    returns: Word


Word = str | int | Lambda
"""The name of a variable, input, constant or primitive; an Integer or Boolean itself; the text of
another constant, see `runtime.literals`; or a function of the program's own."""


Operation = tuple[Word, ...]
"""The variable that it assigns, the function, and the arguments, such as
("x1", "objects", "I", "T", "F", "T")."""


class Program(NamedTuple):
    """A program as it is written down.

    returns: the word whose value the program gives, mostly a variable.
    """

    name: str
    operations: tuple[Operation, ...]
    returns: Word = "O"

    def __str__(self) -> str:
        lines = [f"    {source_of(operation)}" for operation in self.operations]
        return "\n".join([f"{self.name}:", *lines, f"    return {self.returns}"])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(printable_lines(str(self)))}</pre>"

    def source(self, inputs: Collection[str]) -> str:
        """Return the program as Python source. inputs: the language's; the program reads some."""
        read = {word for operation in self.operations for word in operation} | {self.returns}
        parameters = ", ".join(name for name in inputs if name in read)
        lines = [f"    {source_of(operation)}" for operation in self.operations]
        head = f"def {self.name}({parameters}):"
        return "\n".join([head, *lines, f"    return {self.returns}"])


def source_of(operation: Operation) -> str:
    """Return an operation as Python source."""
    target, function, *arguments = operation
    return f"{target} = {function}({', '.join(map(str, arguments))})"


def program(name: str, operations: Iterable[Sequence[Word]], returns: Word = "O") -> Program:
    """Make a program of operations such as ["x1", "objects", "I", "T", "F", "T"].

    The operations are checked when the program is evaluated. Raises TypeError where they are no
    lists of names and integers.
    """
    if not isinstance(name, str):
        raise TypeError(f"a program's name must be text, not {short(name)}")
    wanted = "[variable, function, arguments ...], names and Python's integers"
    if isinstance(operations, Program):
        raise TypeError(f"program {name!r}: operations must be a list of {wanted}, not a program")
    rows = []
    every = elements(f"program {name!r}: operations", operations, f"a list of {wanted}")
    for k, operation in enumerate(every, 1):
        where = f"program {name!r}, operation {k}"
        row = tuple(map(plain, elements(where, operation, wanted)))
        if len(row) < 2 or not all(isinstance(word, (str, int)) for word in row):
            raise TypeError(f"{where} must be {wanted}, not {short(operation)}")
        rows.append(row)
    returns = plain(returns)
    if not isinstance(returns, (str, int)):
        raise TypeError(f"program {name!r} returns {short(returns)}, which is no name")
    return Program(name, tuple(rows), returns)
