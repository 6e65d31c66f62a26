"""Checks, on random values, results and charges of scalar forms against declarations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from megabatt.runtime.engine.executor.program import Target
from megabatt.runtime.engine.language.charges import Charge, OfResult
from megabatt.runtime.engine.language.limits import SHORTAGES, LimitError, charge
from megabatt.runtime.engine.language.reasons import detail_of
from megabatt.runtime.engine.language.registry import Language, Primitive, primitive_of
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.types import Declared, kind_name
from megabatt.runtime.engine.language.values import of_language, show_cut, truth, weight
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.trace import Replay, line_on_charge, meant
from megabatt.runtime.megabatch.verify.compare import TookTooLong, time_limit
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Program

_LIMIT = 20_000
_HANGS = 10.0
_SHOWN = 100
_INSTEAD = {list: "return a tuple", set: "return a frozenset", type(None): "a return is missing"}


class WrongCharge(Exception):
    """Raised if the charge of a successful call cannot be computed."""

    def __init__(self, charge: Charge | None, error: Exception) -> None:
        super().__init__(line_on_charge(charge, error))


@dataclass
class Audit:
    """The calls of a primitive's scalar form with arguments of the declared types.

    calls: The number of calls. errors: The number of failed calls by message. mistakes: The first
    call with each mistake, by the mistake's text. uncharged: The most elements of a new result for
    which a call charged nothing. below_0: The first call with a charge below 0, and the charge.
    """

    _last = ""

    primitive: Primitive
    calls: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    mistakes: dict[str, str] = field(default_factory=dict)
    uncharged: int = 0
    below_0: tuple[str, int] | None = None
    _wrong_kinds: set[str] = field(default_factory=set)

    @property
    def failed(self) -> int:
        """The number of failed calls."""
        return self.errors.total()

    def call(self, language: Language, args: Sequence[Any]) -> Any:
        """Call the body once; return its result, or None for a failed call. Raises TookTooLong.

        After a call that built more than allowed without a charge, the body is not called again.
        """
        if self.uncharged > _LIMIT:
            return None
        try:
            cast = [t.check(arg) for t, arg in zip(self.primitive.types, args, strict=True)]
        except (TypeError, ValueError):  # another type, or another number of arguments
            return None
        self.calls += 1
        shown = ", ".join(show_cut(arg, _SHOWN) for arg in cast)
        call = self._last = f"{self.primitive.name}({shown})"
        try:
            with time_limit(_HANGS):
                result, error, left = attempt(self._paid, cast, _LIMIT)
        except SHORTAGES as shortage:
            error = shortage
        except TookTooLong as late:
            self.mistakes[str(late)] = call
            raise
        if error is None:
            try:
                wrong = _mistake(self.primitive.result, result)
            except LimitError as limit:  # such as an Integer out of range
                error = limit
        if error is not None:
            self.errors[f"{type(error).__name__}: {detail_of(error)}"] += 1
            if isinstance(error, WrongCharge):
                self.mistakes.setdefault(str(error), call)
            return None
        if self.primitive.chooses and not language.same(result, cast[1 if truth(cast[0]) else 2]):
            choice = "{1} if {0} else {2}".format(*self.primitive.parameters)
            wrong = f"declared to choose, it does not return `{choice}`"
        if wrong:
            kind = kind_name(result)
            if kind not in self._wrong_kinds:
                self._wrong_kinds.add(kind)
                self.mistakes.setdefault(wrong, call)
        elif self.primitive.charge is None and left == _LIMIT:
            if not any(result is arg for arg in (*args, *cast)):
                self.uncharged = max(self.uncharged, weight(result))
        return result

    def _paid(self, *args: Any) -> Any:
        declared, body = self.primitive.charge, self.primitive.body
        try:
            self._charge(self.primitive.charged(*args))
        except (LimitError, *SHORTAGES):
            raise
        except Exception as error:
            body(*args)  # raises if the call fails: then no charge is needed
            raise WrongCharge(declared, error) from error
        result = body(*args)
        if isinstance(declared, OfResult):
            try:
                measured = declared.measure.of_value(result)
            except Exception as error:
                raise WrongCharge(declared, error) from error
            self._charge(measured)
        return result

    def _charge(self, elements: int) -> None:
        if elements < 0 and self.below_0 is None:
            self.below_0 = self._last, elements
        charge(elements)

    def called_again(self, language: Language, first: Any, again: Any) -> None:
        """Record a mistake if two calls with the same arguments gave different results."""
        if not self.mistakes and not language.same(first, again):
            results = f"{show_cut(first, _SHOWN)} and {show_cut(again, _SHOWN)}"
            mistake = f"gives different results for the same arguments, {results}"
            self.mistakes[mistake] = self._last


def _mistake(declared: Declared, result: Any) -> str:
    """Say what is wrong with a result; "" for the declared type. Raises LimitError."""
    try:
        of_language(result)
        declared.check(result)
    except TypeError as error:
        line = f"declared to return {declared.name}, it returns {declared.described(result)}"
        own = str(error) == str(declared.expected(result))
        hint = _INSTEAD.get(type(result), "" if own else detail_of(error))
        return f"{line}: {hint}" if hint else line
    except (LimitError, *SHORTAGES):
        raise
    except Exception:  # the type refuses the value, but no form checks this
        return ""
    return ""


def audit(
    workload: Workload[Any],
    names: Sequence[str],
    programs: int,
    samples: int,
    seed: int = 0,
    progress: Callable[[int], None] = lambda programs: None,
) -> list[Audit]:
    """Call primitives' scalar forms in random programs; return an audit of each primitive.

    workload: A workload with `draws`.
    """
    assert workload.draws is not None
    language = workload.language
    audits = {name: Audit(language.primitives[name]) for name in names}
    for number in range(programs):
        program = program_of(workload.draws, seed, number, deck=names)
        drawn = workload.draws.samples(Random(f"{seed}:{number}:samples"), samples)
        try:
            for sample in drawn:
                _follow(language, program, sample, audits)
        except SHORTAGES:
            pass  # memory is short for this program only
        except TookTooLong:
            break
        progress(1)
    return list(audits.values())


def _follow(
    language: Language, program: Program, sample: Sample, audits: dict[str, Audit]
) -> None:
    """Run a program's operations on a sample, and audit the calls of the audits' primitives."""
    replay = Replay(language, sample, _LIMIT)
    scope: dict[Any, Target] = {name: Target(name) for name in language.inputs}
    whole = number_calls(program, language.primitives)
    for number, (name, *words) in enumerate(whole.operations, 1):
        function, *args = (meant(language, scope, word) for word in words)
        called = primitive_of(function)
        found = None if called is None else audits.get(called.name)
        if found is not None:
            before = found.failed
            with language.in_use():
                result = found.call(language, [replay.value(arg) for arg in args])
        value, error = replay.step(number, function, tuple(args))
        if found is not None and error is None and found.failed == before:
            found.called_again(language, result, value)
        scope[name] = Target(number)
