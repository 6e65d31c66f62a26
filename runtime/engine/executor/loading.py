"""Loads programs: checks them, and merges them into operations."""

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.executor.objects import words_in
from megabatt.runtime.engine.executor.operations import (
    FIRST_INPUT,
    NOTHING,
    VARIABLE,
    Operations,
    Written,
)
from megabatt.runtime.engine.language.coding import closure_of, names_of
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import of_language
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Lambda, Program

_AT_ONCE = 1 << 12
"""The number of programs merged at once; more do not stay in the caches."""
_MOST_VARIABLES = 1_000_000
"""The number of words beyond which all words of programs are forgotten."""


EXPECTED = "the output expected"
"""The name of an input that no program reads."""


class Loaded(NamedTuple):
    """Loaded programs.

    outputs    int64 (programs,): the number of each program's value; -1 for a wrong program
    targets    int64 (operations,): the numbers of operations, without meaning in wrong programs
    begins     int64 (programs + 1,): the first operation of each program
    wrong      the reason for each wrong program, by the program's place
    """

    outputs: Numbers
    targets: Numbers
    begins: Numbers
    wrong: dict[int, str]


class _Words(dict[Any, int]):
    """The numbers of words, assigned at first use. meanings: By number, for `Operations.merge`."""

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._names = names_of(operations.language)
        self._constants: dict[Any, int] = {}
        self.meanings = Growing()
        for place, name in enumerate(operations.language.inputs):
            self[name] = self.meanings.append(FIRST_INPUT - place)
        first = self.meanings.add(np.array(list(operations.named.values())))
        self.update(zip(operations.named, count(first), strict=False))
        self._fixed, self._of_fixed = dict(self), self.meanings.count

    def __missing__(self, word: Any) -> int:
        if word.__class__ is str:
            self[word] = number = self.meanings.append(self._meaning_of(word))
            return number
        if isinstance(word, Lambda):
            return self.meanings.append(self._meaning_of(word))
        key = word.__class__, word  # True is no 1
        if key not in self._constants:
            self._constants[key] = self.meanings.append(self._meaning_of(word))
        return self._constants[key]

    def _meaning_of(self, word: Any) -> int:
        value = word
        least, most = self._operations.language.integers
        try:
            if isinstance(word, Lambda):
                value = closure_of(word, self._names)
            elif word.__class__ is str:
                if not is_literal(word):
                    return VARIABLE
                value = of_language(value_of(word))
            elif word.__class__ not in (int, bool) or not least <= word <= most:
                return NOTHING
        except (ValueError, LimitError):
            return NOTHING
        return self._operations.constants([value])[0]

    def forget_variables(self) -> None:
        """Forget the variables, Integers and functions of programs, if there are very many."""
        if self.meanings.count > _MOST_VARIABLES:
            self.clear()
            self.update(self._fixed)
            self._constants.clear()
            self.meanings.count = self._of_fixed


class BulkLoader:
    """Merges programs into operations, many at once, while the language is in use."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._words = _Words(operations)
        self._names = [*operations.language.inputs, EXPECTED]
        self._inputs = np.zeros((0, len(self._names)), dtype=np.int64)

    def load(self, programs: Sequence[Program], domains: Numbers | None = None) -> Loaded:
        """Check and merge programs.

        domains: int64 (programs,), the domain of each program's samples, by default the first.
        """
        if domains is None:
            domains = np.zeros(len(programs), dtype=np.int64)
        self._add_inputs(int(domains.max(initial=-1)) + 1)
        nothing = np.zeros(0, dtype=np.int64)
        parts: list[tuple[Numbers, ...]] = [(nothing, nothing, nothing)]
        malformed: dict[int, str] = {}
        for at in range(0, len(programs), _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            written, found = self._written_or_wrong(programs[some], domains[some])
            malformed.update({at + k: why for k, why in found.items()})
            merged = self._operations.merge(written, self._words.meanings.data, self._inputs)
            parts.append((*merged, written.counts))
            self._words.forget_variables()
        outputs, targets, counts = map(np.concatenate, zip(*parts, strict=True))
        wrong = np.flatnonzero(outputs < 0).tolist()
        reasons = {**dict.fromkeys(wrong, "not operations of the language"), **malformed}
        return Loaded(outputs, targets, np.append(0, np.cumsum(counts)), reasons)

    def inputs(self, name: str, domains: int) -> Numbers:
        """Return an input's numbers in the first domains. name: The input's name, or `EXPECTED`."""
        self._add_inputs(domains)
        return self._inputs[:domains, self._names.index(name)]

    def _add_inputs(self, domains: int) -> None:
        """Add inputs until there are `domains` domains."""
        known, count = self._inputs.shape
        if domains > known:
            new = self._operations.add_inputs(range(known, domains), count)
            self._inputs = np.concatenate([self._inputs, new])

    def _written(self, programs: Sequence[Program], domains: Numbers) -> Written:
        """Write programs as numbers. Raises one of `_MALFORMED` if a program is malformed."""
        if self._operations.numbers_calls:  # fills in left-out arguments
            primitives = self._operations.language.primitives
            programs = [number_calls(program, primitives) for program in programs]
        written, words = words_in(programs, domains)
        numbers = np.array(list(map(self._words.__getitem__, words)), dtype=np.int64)
        return written._replace(words=numbers[written.words], returns=numbers[written.returns])

    def _written_or_wrong(
        self, programs: Sequence[Program], domains: Numbers
    ) -> tuple[Written, dict[int, str]]:
        """Write programs as numbers. Also returns the mistakes of malformed programs, by place."""
        wrong: dict[int, str] = {}
        try:
            return self._written(programs, domains), wrong
        except _MALFORMED:
            for k, program in enumerate(programs):
                try:
                    self._written([program], domains[:1])
                except _MALFORMED as error:
                    wrong[k] = f"not operations: {error}"
            whole = [_WRONG if k in wrong else program for k, program in enumerate(programs)]
            return self._written(whole, domains), wrong


_MALFORMED = TypeError, ValueError, LookupError
_WRONG = Program("", (), -1.0)  # type: ignore[arg-type]
"""Replaces a malformed program."""
