"""A program: a name, operations, and the word that is returned."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain, count
from typing import Any, NamedTuple

from megabatt.runtime.arguments import elements, plain
from megabatt.runtime.printable import printable, printable_lines, short


class Lambda(NamedTuple):
    """A function that a program defines. A `Lambda` is a word, allowed wherever a function is.

    Its operations read captured values, parameters, constants, primitives and each other's
    variables, and nothing else of the program. Without captured names the word is the function
    itself. With captured names, a call of the word on the captured values, in their order, gives
    the function: ("f", Lambda(...), "x1", "x2") makes `f` from the values of `x1` and `x2`.

    Attributes:
        captured: The names of the captured values.
        parameters: The names of the parameters.
        operations: The operations of a call.
        returns: The word whose value a call gives.
    """

    captured: tuple[str, ...]
    parameters: tuple[str, ...]
    operations: tuple[Operation, ...]
    returns: Word

    def __hash__(self) -> int:
        """Hash the names and the number of operations; only `==` compares the operations."""
        return hash((self.captured, self.parameters, len(self.operations)))

    def __str__(self) -> str:
        """Return the function in one line, such as `lambda [c] a: x1 = shift(a, c); x1`."""
        captured = f" [{', '.join(self.captured)}]" if self.captured else ""
        parameters = f" {', '.join(self.parameters)}" if self.parameters else ""
        steps = [f"{source_of(operation)}; " for operation in self.operations]
        return f"lambda{captured}{parameters}: {''.join(steps)}{word_text(self.returns)}"

    def words(self) -> Iterator[Word]:
        """Yield every word of the function except its captured names and parameters."""
        yield from chain.from_iterable(self.operations)
        yield self.returns


Word = str | int | Lambda
"""The name of a variable, input, constant or primitive; an Integer or Boolean itself; the text of
another constant, see `runtime.literals`; or a function of the program's own."""


Operation = tuple[Word, ...]
"""An operation: the variable that it assigns, the function, and the arguments, such as
("x1", "objects", "I", "T", "F", "T")."""


class Program(NamedTuple):
    """A program as it is written down.

    Attributes:
        name: The name of the program.
        operations: The operations, each a tuple: the variable that is assigned, the function, and
            the arguments.
        returns: The word whose value is the output, usually a variable.
    """

    name: str
    operations: tuple[Operation, ...]
    returns: Word = "O"

    def __str__(self) -> str:
        return "\n".join([f"{printable(self.name)}:", *_Source(self).lines()])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(printable_lines(str(self)))}</pre>"

    def source(self, inputs: Collection[str]) -> str:
        """Return the program as Python source.

        Args:
            inputs: The language's inputs; inputs that the program reads become parameters.
        """
        read = {word for operation in self.operations for word in operation} | {self.returns}
        parameters = ", ".join(name for name in inputs if name in read)
        return "\n".join([f"def {self.name}({parameters}):", *_Source(self).lines()])


def key_of(program: Program) -> str:
    """Return a text that programs share if they differ in their names at most.

    The programs themselves are equal too if one has 1 where the other has True.
    """
    return repr(program[1:])


def source_of(operation: Operation) -> str:
    """Return an operation in one line."""
    target, function, *arguments = operation
    return f"{target} = {word_text(function)}({', '.join(map(word_text, arguments))})"


def operation_text(program: Program, place: int) -> str:
    """Return an operation in one line, like `source_of`, without names that the compiler made.

    The calls that made `_1`, `_2` and so on replace these names; long calls are cut.
    """
    operation = program.operations[place]
    if not any(isinstance(word, Lambda) or _is_made(word) for word in operation):
        return source_of(operation)
    names: dict[Any, str] = {}
    for target, *words in program.operations[:place]:
        if _is_made(target):
            names[target] = cut_call(_call_text(words, names))
    target, *words = operation
    text = _call_text(words, names)
    return text if _is_made(target) else f"{target} = {text}"


_MOST_OF_A_CALL = 60


def cut_call(call: str) -> str:
    """Return a call as source, cut if it is long."""
    return call if len(call) <= _MOST_OF_A_CALL else f"{call[:_MOST_OF_A_CALL]}..."


def _is_made(word: Word) -> bool:
    """Tell whether a word is a name that the compiler made."""
    return isinstance(word, str) and word[:1] == "_" and word[1:].isdecimal()


def _call_text(words: Sequence[Word], names: Mapping[Any, str]) -> str:
    """Return a call as source. names: The texts that replace some names."""
    function, *arguments = words
    texts = [_expression(word, names) for word in arguments]
    if isinstance(function, Lambda):
        if function.captured:
            return _expression(function, dict(zip(function.captured, texts, strict=False)))
        return f"({_expression(function, names)})({', '.join(texts)})"
    return f"{_expression(function, names)}({', '.join(texts)})"


def _expression(word: Word, names: Mapping[Any, str]) -> str:
    """Return a word as source; a function of the program's own as `lambda a: shift(a, UP)`."""
    if not isinstance(word, Lambda):
        return names.get(word, str(word))
    used = " ".join(names.values())
    every = chain("abcdefgh", map("a{}".format, count(1)))
    letters = (letter for letter in every if letter not in re.findall(r"\w+", used))
    inner = {**names, **{p: next(letters) if _is_made(p) else p for p in word.parameters}}
    for target, *words in word.operations:
        inner[target] = cut_call(_call_text(words, inner))
    parameters = ", ".join(inner[parameter] for parameter in word.parameters)
    return f"lambda {parameters}: {_expression(word.returns, inner)}"


def word_text(word: Word) -> str:
    """Return a word in a line; a function of the program's own stands in brackets."""
    return f"({word})" if isinstance(word, Lambda) else str(word)


def as_json(word: Word) -> Any:
    """Return a word for JSON: a function of the program's own becomes an object."""
    if not isinstance(word, Lambda):
        return word
    return {
        "captured": list(word.captured),
        "parameters": list(word.parameters),
        "operations": [list(map(as_json, operation)) for operation in word.operations],
        "returns": as_json(word.returns),
    }


class _Source:
    """A program as the lines of a function's body; functions of its own become inner functions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._taken = {*map(str, names_in([*program.operations, (program.returns,)]))}
        self._numbers = count(1)

    def lines(self) -> list[str]:
        """Return the lines."""
        return self._body(self._program.operations, self._program.returns, {})

    def _body(
        self, operations: Iterable[Operation], returns: Word, names: dict[Any, str]
    ) -> list[str]:
        """Return the lines of a body. names: The new names of some words."""
        lines: list[str] = []
        for target, function, *arguments in operations:
            texts = [self._text(word, names, lines) for word in arguments]
            if isinstance(function, Lambda) and 0 < len(function.captured) == len(arguments):
                given = dict(zip(function.captured, texts, strict=True))
                lines += self._definition(self._text(target, names, lines), function, given)
            else:
                called = self._text(function, names, lines)
                lines.append(f"{self._text(target, names, lines)} = {called}({', '.join(texts)})")
        lines.append(f"return {self._text(returns, names, lines)}")
        return [f"    {line}" for line in lines]

    def _text(self, word: Word, names: Mapping[Any, str], lines: list[str]) -> str:
        """Return a word's text. For a `Lambda`, add its definition to `lines`."""
        if not isinstance(word, Lambda):
            return names.get(word, word) if isinstance(word, str) else str(word)
        name = self._new("f")
        if not word.captured:
            lines += self._definition(name, word, {})
            return name
        given = {captured: self._new("c") for captured in word.captured}
        lines.append(f"def {name}({', '.join(given.values())}):")
        inner = self._new("f")
        lines += [f"    {line}" for line in self._definition(inner, word, given)]
        lines.append(f"    return {inner}")
        return name

    def _definition(self, name: str, function: Lambda, given: dict[str, str]) -> list[str]:
        """Return the definition of a function. given: The texts of its captured names."""
        parameters = {parameter: self._new("a") for parameter in function.parameters}
        variables = {target: self._new("y") for target, *_ in function.operations}
        body = self._body(function.operations, function.returns, given | parameters | variables)
        return [f"def {name}({', '.join(parameters.values())}):", *body]

    def _new(self, stem: str) -> str:
        """Return a name that the program does not have."""
        return next(name for k in self._numbers if (name := f"{stem}{k}") not in self._taken)


def names_in(operations: Iterable[Operation]) -> Iterator[Word]:
    """Yield the words of operations and of functions within them."""
    for word in chain.from_iterable(operations):
        if isinstance(word, Lambda):
            yield from names_in([*word.operations, (word.returns,)])
        else:
            yield word


def program(name: str, operations: Iterable[Sequence[Word]], returns: Word = "O") -> Program:
    """Make a program from operations.

    The operations are checked when the program is evaluated.

    Args:
        name: The name of the program.
        operations: Operations such as ["x1", "objects", "I", "T", "F", "T"]: the variable that is
            assigned, the function, and the arguments. An argument is a name, an Integer, or a
            `Lambda`.
        returns: The word whose value is the output, usually a variable.

    Raises:
        TypeError: The operations are not lists of names, Integers and Lambdas.
    """
    if not isinstance(name, str):
        raise TypeError(f"a program's name must be text, not {short(name)}")
    if isinstance(operations, Program):
        raise TypeError(f"program {name!r}: operations must be {_ROWS}, not a program")
    rows = _rows(f"program {name!r}", operations)
    return Program(plain(name), rows, _word(f"what program {name!r} returns", returns))


_ROW = "[variable, function, argument, ...] of names, Python's integers and Lambdas"
_ROWS = f"a list of {_ROW}"


def _rows(where: str, operations: Any) -> tuple[Operation, ...]:
    """Return operations as tuples. Raises TypeError for anything else."""
    rows = []
    for k, operation in enumerate(elements(f"{where}: operations", operations, _ROWS), 1):
        row = tuple(elements(f"{where}, operation {k}", operation, _ROW))
        if len(row) < 2:
            raise TypeError(f"{where}, operation {k} must be {_ROW}, not {short(operation)}")
        rows.append(tuple(_word(f"{where}, operation {k}", word) for word in row))
    return tuple(rows)


def _word(where: str, word: Any) -> Word:
    """Check a word, and return it. Raises TypeError for anything else."""
    if isinstance(word, Lambda):
        where = f"{where}, a Lambda"
        captured = _names(f"{where}: captured", word.captured)
        parameters = _names(f"{where}: parameters", word.parameters)
        rows = _rows(where, word.operations)
        return Lambda(captured, parameters, rows, _word(f"{where}: returns", word.returns))
    word = plain(word)
    if not isinstance(word, (str, int)):
        is_constant = isinstance(word, tuple | float)
        advice = f": write it as text, {short(repr(word))}" if is_constant else ""
        raise TypeError(f"{where}: {short(word)} is no name, Integer or Lambda{advice}")
    return word


def _names(where: str, names: Any) -> tuple[str, ...]:
    """Return names as a tuple. Raises TypeError for anything else."""
    listed = tuple(map(plain, elements(where, names, "a list of names")))
    if not all(isinstance(name, str) for name in listed):
        raise TypeError(f"{where} must be a list of names, not {short(names)}")
    return listed
