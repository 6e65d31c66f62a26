"""Programs computed operation by operation, by the scalar forms of primitives alone."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.arc.workload.draws import DRAWS
from megabatt.runtime.core.operators import if_else
from megabatt.runtime.engine.language.coding import closure_of, names_of
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.program import Lambda, Program


class Scalar(NamedTuple):
    """A program's output on a sample, and the failures of the operations that the output needs.

    failed: The number of distinct failed operations. first: The place of the first failed operation
    in the program, -1 for none. reason: Why that operation fails.
    """

    output: Any
    failed: int
    first: int
    reason: Reason


_known: dict[Any, Scalar] = {}


def scalar(program: Program, sample: Any, limit: int = LANGUAGE.max_elements) -> Scalar:
    """Return a program's result on a sample, computed once and cached."""
    key = repr(program), sample, limit  # the text tells True from 1
    if key not in _known:
        _known[key] = computed(program, sample, limit)
    return _known[key]


def computed(program: Program, sample: Any, limit: int, language: Language = LANGUAGE) -> Scalar:
    """Compute a program on a sample; equal operations run once."""
    names = {name: ("input", name) for name in language.inputs}
    values: dict[Any, Any] = {("input", name): getattr(sample, name) for name in language.inputs}
    reasons: dict[Any, Reason] = {}
    keys = []
    for operation in program.operations:
        key = tuple(_key(word, names, values, language) for word in operation[1:])
        if key not in reasons:
            function, *arguments = (values[part] for part in key)
            value, error, _ = attempt(function, arguments, limit)
            reasons[key] = Reason.of(error)
            known = function if key[0][0] == "constant" else None
            values[key] = value if error is None else language.default_of(known)
        keys.append(key)
        names[operation[0]] = key
    result = _key(program.returns, names, values, language)
    failed = {key for key in _needed(result, reasons, values) if reasons[key]}
    first = next((k for k, key in enumerate(keys) if key in failed), -1)
    reason = Reason.NONE if first < 0 else reasons[keys[first]]
    return Scalar(values[result], len(failed), first, reason)


def _key(word: Any, names: dict[Any, Any], values: dict[Any, Any], language: Language) -> Any:
    """Return the key of a value, the same for equal operations. Puts a constant into `values`."""
    if word in names:
        return names[word]
    value: Any
    if isinstance(word, Lambda):
        value = closure_of(word, names_of(language))
    elif isinstance(word, int):
        value = word
    elif word in language.constants:
        value = language.constants[word]
    elif is_literal(word):
        value = value_of(word)
    else:
        value = language.primitives[word].function
    key = ("constant", type(value), value)
    values[key] = value
    return key


def _needed(key: Any, reasons: dict[Any, Reason], values: dict[Any, Any]) -> set[Any]:
    """Return the keys of the operations that a value needs; not those of a side not taken."""
    if key not in reasons:
        return set()
    function, condition, *sides = [*key, None]
    parts = key
    if values[function] is if_else:
        parts = condition, sides[not values[condition]]
    return {key}.union(*(_needed(part, reasons, values) for part in parts))


def differences(evaluation: Any, samples: list[Any], limit: int = LANGUAGE.max_elements) -> list:
    """List the differences of an evaluation that kept all outputs from the scalar form."""
    found = []
    for k, program in enumerate(evaluation.programs):
        for lane, sample in enumerate(samples):
            expected = scalar(program, sample, limit)
            told = [evaluation.failed, evaluation.first_failure, evaluation.reason]
            failed = tuple(int(of_all[k, lane]) for of_all in told)
            if (
                failed != (expected.failed, expected.first, expected.reason)
                or not identical(evaluation.output(k, lane), expected.output)
                or evaluation.matches[k, lane] != _right(expected.output, sample.expected)
            ):
                found.append((program.name, lane, failed, expected))
    right = [sample.expected is not None for sample in samples]
    fits = evaluation.matches[:, right].all(axis=1) & any(right)
    if not np.array_equal(evaluation.fits, fits) or evaluation.known.tolist() != right:
        found.append(("fits or known", evaluation.fits, evaluation.known))
    return found


def _right(output: Any, expected: Any) -> bool:
    return expected is not None and output == expected


def random_programs(count: int, seed: int = 0) -> list[Program]:
    """Return the first `count` programs of the fuzzer for a seed."""
    return [_drawn(seed, number) for number in range(count)]


@cache
def _drawn(seed: int, number: int) -> Program:
    return program_of(DRAWS, seed, number)
