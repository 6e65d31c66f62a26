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
        self._names: dict[Any, int] = {}
        """What programs may name; the inputs and the variables are those of the program at hand."""
        for name, value in language.constants.items():
            self._names[name] = graph.constant(value)
        for name, primitive in language.primitives.items():
            self._names[name] = graph.constant(primitive.function)
        self._fixed = frozenset([*self._names, *language.inputs])
        self._numbers_calls = any(primitive.numbered for primitive in language.primitives.values())
        self._inputs: dict[int, dict[Any, int]] = {}
        self._callable: set[tuple[int, int]] = set()
        """The functions that are known to take so many operands."""

    def inputs(self, domain: int) -> dict[Any, int]:
        """Return the number of each input of a domain's programs, by name."""
        inputs = self._inputs.get(domain)
        if inputs is None:
            graph = self._graph
            inputs = {name: graph.input(name, domain) for name in graph.language.inputs}
            self._inputs[domain] = inputs
        return inputs

    def add(self, program: Program, domain: int = 0) -> int:
        """Load a program and return the number of its result. Raises WrongProgram."""
        variables = self.values(program, domain)
        number = variables.get(program.returns)
        return self._number(program.returns) if number is None else number

    def values(self, program: Program, domain: int = 0) -> dict[Any, int]:
        """Load a program; return the number of each variable at its end. Raises WrongProgram."""
        fixed, names = self._fixed, self._names
        numbers, call = self._graph.numbers, self._graph.call
        names.update(self.inputs(domain))
        variables: dict[Any, int] = {}
        try:
            if self._numbers_calls:
                program = number_calls(program, self._graph.language.primitives)
            for target, *words in program.operations:
                try:
                    operands = tuple([names[word] for word in words])
                except KeyError:
                    operands = tuple(map(self._number, words))
                number = numbers.get(operands)
                if number is None:
                    self._check(operands)
                    number = call(operands)
                if target in fixed or target.__class__ is not str:
                    raise WrongProgram(f"cannot assign to {target!r}")
                names[target] = variables[target] = number
            return variables
        except (TypeError, ValueError, IndexError) as error:
            raise WrongProgram(f"not operations: {error}") from error
        finally:
            for variable in variables:
                del names[variable]

    def _number(self, word: Any) -> int:
        """Return the number of a name, or of an Integer. Raises WrongProgram for other words."""
        if isinstance(word, str):
            if word in self._names:
                return self._names[word]
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
