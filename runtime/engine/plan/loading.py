"""Loading of programs into a graph."""

from __future__ import annotations

from typing import Any

from megabatt.runtime.engine.calls.registry import primitive_of
from megabatt.runtime.engine.plan.graph import UNKNOWN, Graph
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Program


class WrongProgram(Exception):
    """A program that breaks the language's rules; `vocabulary.mistakes` lists its mistakes."""


class Loader:
    """Puts programs into a graph, each operation checked when it is new.

    Make and use it while the language is in use. The names of a domain's inputs, of constants and
    of primitives are looked up once.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        language = graph.language
        self._names = {name: graph.constant(value) for name, value in language.constants.items()}
        for name, primitive in language.primitives.items():
            self._names[name] = graph.constant(primitive.function)
        self._numbers_calls = any(primitive.numbered for primitive in language.primitives.values())
        self._of_domain: dict[int, dict[Any, int]] = {}
        self._callable: set[tuple[int, int]] = set()
        """The functions that are known to take so many operands."""

    def names(self, domain: int) -> dict[Any, int]:
        """Return the number of each named thing in a domain's programs, by name."""
        names = self._of_domain.get(domain)
        if names is None:
            inputs = self._graph.language.inputs
            names = {**self._names, **{name: self._graph.input(name, domain) for name in inputs}}
            self._of_domain[domain] = names
        return names

    def add(self, program: Program, domain: int = 0) -> int:
        """Load a program and return the number of its result. Raises WrongProgram."""
        names = self.values(program, domain)
        returns = program.returns
        return names[returns] if returns in names else self._number(names, returns)

    def values(self, program: Program, domain: int = 0) -> dict[Any, int]:
        """Load a program; return the number of each name at its end. Raises WrongProgram."""
        fixed = self.names(domain)
        names = dict(fixed)
        numbers, call = self._graph.numbers, self._graph.call
        try:
            if self._numbers_calls:
                program = number_calls(program, self._graph.language.primitives)
            for target, *words in program.operations:
                try:
                    operands = tuple([names[word] for word in words])
                except KeyError:
                    operands = tuple([self._number(names, word) for word in words])
                number = numbers.get(operands)
                if number is None:
                    self._check(operands)
                    number = call(operands)
                if target in fixed or target.__class__ is not str:
                    raise WrongProgram(f"cannot assign to {target!r}")
                names[target] = number
            return names
        except (TypeError, ValueError, IndexError) as error:
            raise WrongProgram(f"not operations: {error}") from error

    def _number(self, names: dict[Any, int], word: Any) -> int:
        """Return the number of a name, or of an Integer. Raises WrongProgram for other words."""
        if isinstance(word, str):
            if word in names:
                return names[word]
            raise WrongProgram(f"unknown name {word!r}")
        least, most = self._graph.language.integers
        if not isinstance(word, int) or not least <= word <= most:
            raise WrongProgram(f"{word!r} is no Integer from {least} to {most}")
        return self._graph.constant(word)

    def _check(self, operands: tuple[int, ...]) -> None:
        """Raise WrongProgram where a named value cannot be called with these operands."""
        if not operands:
            raise WrongProgram("an operation without a function")
        call = operands[0], len(operands)
        if call not in self._callable:
            self._check_call(operands)
            self._callable.add(call)

    def _check_call(self, operands: tuple[int, ...]) -> None:
        function = self._graph.values[operands[0]]
        if function is UNKNOWN or self._graph.operands[operands[0]] is not None:
            return
        primitive = primitive_of(function)
        if primitive is not None and len(operands) - 1 != primitive.arity:
            raise WrongProgram(f"{primitive.name} called with {len(operands) - 1} arguments")
        if not callable(function):
            raise WrongProgram(f"{function!r} is not a function")
