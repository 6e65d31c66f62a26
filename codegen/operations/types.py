"""Finds operations that fail for every input, because an argument has another type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from megabatt.codegen.language import Language, Primitive, Type
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import with_article

_CELL = (1, (0, 0))
_VALUES: tuple[object, ...] = (
    None, 0, True, 1.5, 1j, "x",
    (), (0,), (0, 0), (0, 0, 0), (True, False), (1.5, 1.5), (_CELL,), ((0, 0),), ((0,), (0,)),
    ((0, 0), (0, 0)), ((0, 0, 0),), (frozenset(),), ((),), ((0, 0), (1, 1), (2, 2)), (None,),
    (frozenset({0}),), (frozenset({(0, 0)}),), (frozenset({_CELL}),), ((((0,),),),),
    (((0,), (0,)),), [], [0], [1.5], [[0]], [[1.5]],
    frozenset(), frozenset({0}), frozenset({(0, 0)}), frozenset({_CELL}), frozenset({()}),
    frozenset({frozenset()}), frozenset({frozenset({0})}), frozenset({frozenset({(0, 0)})}),
    frozenset({frozenset({_CELL})}), frozenset({((0,),)}), frozenset({(_CELL,)}), frozenset({None}),
    len, (len,), frozenset({len}),
)  # fmt: skip
"""Values of every kind. Two types without a common value here are assumed to share no value."""


@cache
def kinds_of(declared: Type) -> frozenset[type]:
    """Return the Python types of a declared type's values, empty containers left out."""
    values = (_VALUES[k] for k in _values_of(declared))
    return frozenset(type(value) for value in values if value not in ((), frozenset()))


@cache
def result_of(primitive: Any) -> Type | None:
    """Return the declared type of a primitive's result, if it is certain.

    A primitive that takes functions and declares an Integer, such as `valmax`, may return whatever
    the functions return.
    """
    result: Type | None = getattr(primitive, "result", None)
    takes = [declared.name for declared in _types(primitive)]
    is_uncertain = result is None or (result.name == "Integer" and "Callable" in takes)
    return None if is_uncertain else result


@cache
def elements_of(declared: Type) -> frozenset[type]:
    """Return the Python types of the elements of a declared type's tuples and sets.

    Empty elements are left out.
    """
    values = (_VALUES[k] for k in _values_of(declared))
    elements = (e for value in values if isinstance(value, tuple | frozenset) for e in value)
    return frozenset(type(element) for element in elements if element not in ((), frozenset()))


class Types:
    """Checks calls by a language's declared types, before anything is run."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._values_of: Callable[[Type], frozenset[int]] = cache(_values_of)

    def why_each_fails(self, program: Program, written: Program) -> list[str]:
        """Return why each operation is certain to fail; "" for an operation that may succeed.

        written: The same program in its source's words, which the reasons quote.
        """
        makers = {operation[0]: operation[1] for operation in program.operations}
        pairs = zip(program.operations, written.operations, strict=True)
        return [self._why_it_fails(operation, words, makers) for operation, words in pairs]

    def _why_it_fails(
        self, operation: Operation, written: Operation, makers: Mapping[Word, Word]
    ) -> str:
        """Return why a call fails, or "". makers: The function that each variable's call calls."""
        _, function, *arguments = operation
        primitive = self._language.primitives.get(str(function))
        if primitive is None or not len(_types(primitive)) == primitive.arity == len(arguments):
            return ""
        for k, (name, wanted, argument) in enumerate(
            zip(primitive.parameters, _types(primitive), arguments, strict=True)
        ):
            if argument in makers:
                maker = makers[argument]
                given = getattr(self._language.primitives.get(str(maker)), "result", None)
                if given is not None and self._never(given, wanted):
                    what = f"`{maker}` gives {_with_article(given.name)}"
                    return _fails(function, name, wanted, what)
            elif not self._may_be(argument, wanted):
                return _fails(function, name, wanted, f"`{written[2 + k]}` is not")
        return ""

    def _never(self, given: Type, wanted: Type) -> bool:
        values, others = self._values_of(given), self._values_of(wanted)
        return bool(values and others) and not values & others

    def _may_be(self, argument: Word, wanted: Type) -> bool:
        """Tell whether a name or literal may be of a type; an input may be of any type."""
        language = self._language
        if isinstance(argument, Lambda):
            return _is_of(wanted, len)  # as any function
        if isinstance(argument, int):
            return _is_of(wanted, argument)
        if argument in language.primitives:
            return _is_of(wanted, language.primitives[argument].function)
        return argument not in language.constants or _is_of(wanted, language.constants[argument])


def _fails(function: Word, parameter: str, wanted: Type, what: str) -> str:
    must = f"its `{parameter}` must be {_with_article(wanted.name)}"
    return f"{function} always fails: {must}; {what}"


def _with_article(name: str) -> str:
    """Return the name of a type with its article; `Objects` has none."""
    return name if name.endswith("s") else with_article(name)


def _types(primitive: Primitive) -> Sequence[Type]:
    """Return the types of a primitive's parameters; empty if the language does not declare them."""
    return getattr(primitive, "types", ())


def _values_of(declared: Type) -> frozenset[int]:
    """Return the places in `_VALUES` of the values of a type."""
    return frozenset(k for k, value in enumerate(_VALUES) if _is_of(declared, value))


def _is_of(declared: Type, value: object) -> bool:
    try:
        declared.check(value)
    except TypeError:
        return False
    except Exception:
        return True
    return True
