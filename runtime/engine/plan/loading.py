"""Loading of programs into a graph, or into the operations of the machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, primitive_of
from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.plan.graph import UNKNOWN, Graph
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import (
    FIRST_INPUT,
    NOTHING,
    VARIABLE,
    Operations,
    Written,
)
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Program

_AT_ONCE = 1 << 14
"""Programs that are merged at once; more take more memory, and are no faster."""
_MOST_VARIABLES = 1_000_000
"""Names of variables after which all of them are forgotten."""


class WrongProgram(Exception):
    """A program that breaks the language's rules; `vocabulary.mistakes` lists its mistakes."""


EXPECTED = "the output expected"
"""The name of an input that no program reads."""


class Loaded(NamedTuple):
    """What programs are after they were loaded.

    outputs    int64 (programs,): the number of the value that each returns; -1 where it is wrong
    targets    int64 (operations,): the numbers of the operations of all programs, one program's
               after the other's; of no meaning where one of them is wrong
    wrong      by the place of a program that is wrong: the error
    """

    outputs: Numbers
    targets: Numbers
    wrong: dict[int, Exception]


class Loader(ABC):
    """Puts programs into a numbering of values, where equal operations have one number.

    Make and use it while the language is in use.
    """

    def __init__(self, language: Language) -> None:
        self._language = language
        self._numbers_calls = any(primitive.numbered for primitive in language.primitives.values())

    @abstractmethod
    def load(self, programs: Sequence[Program], domains: Iterable[int]) -> Loaded:
        """Load programs, each for the samples of a domain."""

    @abstractmethod
    def inputs(self, name: str, domains: Iterable[int]) -> list[int]:
        """Return the numbers of an input in domains. name: of the language's, or `EXPECTED`."""

    def _whole(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Return programs with what they may leave out."""
        if not self._numbers_calls:
            return programs
        return [number_calls(program, self._language.primitives) for program in programs]


class GraphLoader(Loader):
    """Puts programs into a graph, each operation checked when it is new.

    The names of a domain's inputs, of constants and of primitives are looked up once.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.language)
        self._graph = graph
        self._names: dict[Any, int] = {}
        """What programs may name; the inputs and the variables are those of the program at hand."""
        for name, value in graph.language.constants.items():
            self._names[name] = graph.constant(value)
        for name, primitive in graph.language.primitives.items():
            self._names[name] = graph.constant(primitive.function)
        self._fixed = frozenset([*self._names, *graph.language.inputs])
        self._inputs: dict[int, dict[Any, int]] = {}
        self._callable: set[tuple[int, int]] = set()
        """The functions that are known to take so many operands."""

    def load(self, programs: Sequence[Program], domains: Iterable[int]) -> Loaded:
        outputs = np.full(len(programs), -1, dtype=np.int64)
        targets: list[int] = []
        wrong: dict[int, Exception] = {}
        for k, (program, domain) in enumerate(zip(programs, domains, strict=False)):
            try:
                outputs[k] = self._load(program, domain, targets)
            except (WrongProgram, *SHORTAGES) as error:
                wrong[k] = error
        return Loaded(outputs, np.array(targets, dtype=np.int64), wrong)

    def inputs(self, name: str, domains: Iterable[int]) -> list[int]:
        return [self._graph.input(name, domain) for domain in domains]

    def _inputs_of(self, domain: int) -> dict[Any, int]:
        inputs = self._inputs.get(domain)
        if inputs is None:
            inputs = {name: self._graph.input(name, domain) for name in self._language.inputs}
            self._inputs[domain] = inputs
        return inputs

    def _load(self, program: Program, domain: int, targets: list[int]) -> int:
        """Load a program and return the number of its result. Raises WrongProgram.

        targets: gets the numbers of the operations.
        """
        fixed, names = self._fixed, self._names
        numbers, call = self._graph.numbers, self._graph.call
        names.update(self._inputs_of(domain))
        variables: set[str] = set()
        try:
            (whole,) = self._whole([program])
            for target, *words in whole.operations:
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
                names[target] = number
                variables.add(target)
                targets.append(number)
            return self._number(program.returns)
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
        least, most = self._language.integers
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


class _Words(dict[Any, int]):
    """The number of each name that programs have, given when it is first asked for.

    meanings: what each means to `Operations.merge`, by number.
    """

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._integers: dict[Any, int] = {}
        self._meanings = Growing(np.int64, np)
        self._nothing = self._new(NOTHING)
        language = operations.language
        for place, name in enumerate(language.inputs):
            self[name] = self._new(FIRST_INPUT - place)
        first = self._meanings.add(np.array(list(operations.named.values())))
        self.update(zip(operations.named, count(first), strict=False))
        self._fixed, self._of_fixed = dict(self), self._meanings.count

    @property
    def meanings(self) -> Numbers:
        return self._meanings.data

    def _new(self, meaning: int) -> int:
        return self._meanings.add(np.array([meaning]))

    def __missing__(self, word: Any) -> int:
        if word.__class__ is str:
            self[word] = number = self._new(VARIABLE)
            return number
        least, most = self._operations.language.integers
        if not isinstance(word, int) or not least <= word <= most:
            return self._nothing
        key = word.__class__, word  # True is no 1
        if key not in self._integers:
            self._integers[key] = self._new(*self._operations.constants([word]))
        return self._integers[key]

    def forget_variables(self) -> None:
        """Forget the variables and Integers, if they are very many."""
        if self._meanings.count > _MOST_VARIABLES:
            self.clear()
            self.update(self._fixed)
            self._integers.clear()
            self._meanings.count = self._of_fixed


class BulkLoader(Loader):
    """Puts programs into the operations of the machine, all at once."""

    def __init__(self, operations: Operations) -> None:
        super().__init__(operations.language)
        self._operations = operations
        self._words = _Words(operations)
        self._names = [*self._language.inputs, EXPECTED]
        self._inputs = np.zeros((0, len(self._names)), dtype=np.int64)

    def load(self, programs: Sequence[Program], domains: Iterable[int]) -> Loaded:
        of_programs = np.fromiter(domains, np.int64, len(programs))
        self._add_inputs(int(of_programs.max(initial=-1)) + 1)
        nothing = np.zeros(0, dtype=np.int64)
        parts: list[tuple[Numbers, Numbers]] = [(nothing, nothing)]
        malformed: dict[int, Exception] = {}
        for at in range(0, len(programs), _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            written, found = self._written_or_wrong(programs[some], of_programs[some])
            malformed.update({at + k: error for k, error in found.items()})
            parts.append(self._operations.merge(written, self._words.meanings, self._inputs))
            self._words.forget_variables()
        outputs, targets = map(np.concatenate, zip(*parts, strict=True))
        wrong: dict[int, Exception] = {
            k: WrongProgram("not operations of the language")
            for k in np.flatnonzero(outputs < 0).tolist()
        }
        return Loaded(outputs, targets, {**wrong, **malformed})

    def inputs(self, name: str, domains: Iterable[int]) -> list[int]:
        chosen = list(domains)
        self._add_inputs(max(chosen, default=-1) + 1)
        return self._inputs[chosen, self._names.index(name)].tolist()

    def _add_inputs(self, domains: int) -> None:
        """Have the inputs of so many domains."""
        known, count = self._inputs.shape
        if domains > known:
            new = self._operations.add_inputs(range(known, domains), count)
            self._inputs = np.concatenate([self._inputs, new])

    def _written(self, programs: Sequence[Program], domains: Numbers) -> Written:
        """Write programs as numbers. Raises one of `_MALFORMED` where one has no program's form."""
        every = [program.operations for program in self._whole(programs)]
        operations = list(chain.from_iterable(every))
        lengths = np.fromiter(map(len, operations), np.int64, len(operations))
        number, words = self._words.__getitem__, chain.from_iterable(operations)
        return Written(
            words=np.fromiter(map(number, words), np.int64, int(lengths.sum())),
            lengths=lengths,
            counts=np.fromiter(map(len, every), np.int64, len(every)),
            returns=np.array([number(program.returns) for program in programs], dtype=np.int64),
            domains=domains,
        )

    def _written_or_wrong(
        self, programs: Sequence[Program], domains: Numbers
    ) -> tuple[Written, dict[int, Exception]]:
        """Write programs as numbers. Returns also what is wrong with those of no program's form."""
        wrong: dict[int, Exception] = {}
        try:
            return self._written(programs, domains), wrong
        except _MALFORMED:
            for k, program in enumerate(programs):
                try:
                    self._written([program], domains[:1])
                except _MALFORMED as error:
                    wrong[k] = WrongProgram(f"not operations: {error}")
            whole = [_WRONG if k in wrong else program for k, program in enumerate(programs)]
            return self._written(whole, domains), wrong


_MALFORMED = TypeError, ValueError, IndexError
_WRONG = Program("", (), -1.0)  # type: ignore[arg-type]
"""Stands for a program that is wrong."""


def loader_for(numbered: Graph | Operations) -> Loader:
    """Return what loads programs into a graph, or into the operations of the machine."""
    return BulkLoader(numbered) if isinstance(numbered, Operations) else GraphLoader(numbered)
