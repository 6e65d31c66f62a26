"""A program's operations on one sample, each with its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from traceback import walk_tb
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.executor.program import Call, Target
from megabatt.runtime.engine.language.charges import Charge, Measure, OfResult, charge_name
from megabatt.runtime.engine.language.coding import closure_of, names_of
from megabatt.runtime.engine.language.limits import budget
from megabatt.runtime.engine.language.reasons import Reason, detail_of
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.sequential import attempt, raised_by_handler
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.literals import value_of
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.programs import Forms
from megabatt.runtime.merging import number_calls
from megabatt.runtime.printable import printable
from megabatt.runtime.program import Lambda, Program, Word, source_of


@dataclass
class Step:
    """One operation of a program on one sample.

    Attributes:
        number: The number of the operation, from 1.
        name: The variable that the operation assigns.
        call: The call as source.
        read: The inputs and earlier values that the operation reads, by name.
        value: The value of the operation; the safe default after a failure.
        error: The exception that made the operation fail; None without a failure.
    """

    number: int
    name: str
    call: str
    read: dict[str, Any]
    value: Any
    error: Exception | None

    @property
    def reason(self) -> Reason:
        """The reason of the operation's failure."""
        return Reason.of(self.error)

    @property
    def failure(self) -> str:
        """The failure in a line, such as "x32 failed: an Integer out of range"; else ""."""
        if self.error is None:
            return ""
        return f"{self.name} failed: {printable(detail_of(self.error))}"

    def __str__(self) -> str:
        return f"{self.name} = {self.call}"


def calls_of(forms: Forms) -> dict[str, list[str]]:
    """Return each solver's operations as source, such as objects(I, True, False, True).

    x1 is the value of the first operation of the solver's own program.
    """
    calls = {call.number: call for call in forms.recorded.calls}
    found = {}
    for solver, numbers in forms.numbers.items():
        own = {number: place for place, number in enumerate(numbers, start=1)}
        every = [calls[number] for number in numbers]
        found[solver] = [call_text(call.function, call.args, own) for call in every]
    return found


def trace(settings: Settings, forms: Forms, sample: Sample) -> list[Step]:
    """Run every operation of a program on a sample, in the scalar form."""
    replay = Replay(settings.language, sample, settings.limit)
    steps: list[Step] = []
    for number, function, args in forms.recorded.calls:
        read = {_name(arg): arg for arg in (*args, function) if isinstance(arg, Target)}
        call = call_text(function, args)
        steps.append(_step(replay, Call(number, function, args), f"x{number}", call, read))
    return steps


def trace_of_program(
    language: Language, program: Program, sample: Sample, max_elements: int
) -> tuple[list[Step], Any]:
    """Run every operation of a program on a sample, in the scalar form.

    program: A program without mistakes. Returns the steps, in the program's words, and the output.
    """
    replay = Replay(language, sample, max_elements)
    scope: dict[Word, Target] = {name: Target(name) for name in language.inputs}
    steps = []
    whole = number_calls(program, language.primitives)
    for number, (name, *words) in enumerate(whole.operations, 1):
        function, *args = (meant(language, scope, word) for word in words)
        read = {str(word): scope[word] for word in (*words[1:], words[0]) if word in scope}
        call = source_of(program.operations[number - 1]).partition(" = ")[2]
        steps.append(_step(replay, Call(number, function, tuple(args)), str(name), call, read))
        scope[name] = Target(number)
    return steps, replay.value(meant(language, scope, program.returns))


def meant(language: Language, scope: Mapping[Any, Any], word: Word) -> Any:
    """Return the meaning of a word: a value of the scope, a constant, or a function."""
    if isinstance(word, Lambda):
        return closure_of(word, names_of(language))
    if not isinstance(word, str):
        return word
    if word in scope:
        return scope[word]
    if word in language.constants:
        return language.constants[word]
    if word in language.primitives:
        return language.primitives[word].function
    return value_of(word)


def _step(replay: Replay, call: Call, name: str, text: str, read: Mapping[str, Target]) -> Step:
    """Make a call. name: The variable. text: The call as source. read: The values that are read."""
    value, error = replay.step(*call)
    if error is not None:
        replay.name_charge(error, call)
    given = {word: replay.value(target) for word, target in read.items()}
    return Step(call.number, name, text, given, value, error)


def _function_of(charge: Charge | None) -> Any:
    """Return the function that computes a charge."""
    measure = charge.measure if isinstance(charge, OfResult) else charge
    return measure.of_value if isinstance(measure, Measure) else measure


@lru_cache(maxsize=8)
def _foreign_charges(language: Language, named: tuple[Any, ...]) -> dict[Any, Charge | None]:
    """Return the charges that are not megabatt's own, by the code of their primitives.

    named: `Language.named`, so that the cache sees new and replaced primitives.
    """
    return {
        getattr(primitive.function, "__code__", None): primitive.charge
        for primitive in language.primitives.values()
        if not getattr(_function_of(primitive.charge), "__module__", "megabatt.").startswith(
            "megabatt."
        )
    }


def line_on_charge(charge: Charge | None, error: Exception) -> str:
    """Say that a charge cannot be computed, and why."""
    return f"its charge {charge_name(charge)} fails with {type(error).__name__}: {detail_of(error)}"


class Replay:
    """Runs the scalar form of a program, operation by operation.

    spent: The charge of the last operation.
    """

    def __init__(self, language: Language, sample: Sample, max_elements: int) -> None:
        self.language = language
        self.values: dict[int, Any] = {}
        self.sample = sample
        self.max_elements = max_elements
        self.spent = 0

    def step(
        self, number: int, function: Any, args: tuple[Any, ...]
    ) -> tuple[Any, Exception | None]:
        """Run an operation. Returns its value, and the error if it failed."""
        values = [self.value(arg) for arg in args]
        with self.language.in_use():
            result, error, left = attempt(self.value(function), values, self.max_elements)
        if error is not None:
            result = self.language.default_of(function)
        self.spent = self.max_elements - left
        self.values[number] = result
        return result, error

    def name_charge(self, error: Exception, call: Call) -> None:
        """Repeat a failed call, and name the charge in `error` if a charge raised the error.

        megabatt's own charges raise no errors: without others, the call is not repeated.
        """
        charges = _foreign_charges(self.language, self.language.named)
        if not charges:
            return
        codes: list[Any] = []
        budget.begin(self.max_elements)
        try:
            with self.language.in_use():
                self.value(call.function)(*map(self.value, call.args))
        except Exception as again:
            if raised_by_handler(again):
                raise
            codes = [frame.f_code for frame, _ in walk_tb(again.__traceback__)]
        finally:
            budget.begin()
        for caller, callee in pairwise(codes):
            charge = charges.get(caller)
            if charge is not None and getattr(_function_of(charge), "__code__", None) is callee:
                error.args = (line_on_charge(charge, error),)

    def value(self, arg: Any) -> Any:
        """Return an argument's value for the sample."""
        if not isinstance(arg, Target):
            return arg
        if isinstance(arg.source, int):
            return self.values[arg.source]
        return getattr(self.sample, arg.source)


def call_text(
    function: Any, args: tuple[Any, ...], numbers: Mapping[int, int] | None = None
) -> str:
    """Return a call as source, in which xN is the value of operation N.

    numbers: The N of each operation, by the operation's number; by default that number.
    """
    called, *names = (_name(value, numbers) for value in (function, *args))
    return f"{called}({', '.join(names)})"


def _name(value: Any, numbers: Mapping[int, int] | None = None) -> str:
    if not isinstance(value, Target):
        return show(value)
    if not isinstance(value.source, int):
        return value.source
    return f"x{value.source if numbers is None else numbers[value.source]}"


@np.errstate(all="ignore")
def scalar_of_lane(
    language: Language, column: Callable[[Target], Any], lane: int,
    function: Any, args: tuple[Any, ...], max_elements: int,
) -> tuple[Any, Reason, int]:  # fmt: skip
    """Call a function on arguments in the scalar form, with the values of a lane of a batch.

    column: Returns the column of a value. Returns the value or, after a failure, the default; the
    reason of a failure; and the charge.
    """
    index = xp.asarray([lane], dtype=xp.int64)
    called, *values = (
        column(value).take(index).decode()[0] if isinstance(value, Target) else value
        for value in (function, *args)
    )
    language.use()
    result, error, left = attempt(called, values, max_elements)
    if error is not None:
        result = language.default_of(function)
    return result, Reason.of(error), max_elements - left
