"""Values by number: inputs, constants, and whatever else is put there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import MutableSequence, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, Primitive
from megabatt.runtime.engine.plan.operands import Operands
from megabatt.runtime.engine.values import show

UNKNOWN: Any = object()
"""Stands for a value that is not known before the program runs."""


class Numbered(ABC):
    """Values by number, which programs start from or compute.

    numbers   the number of each value by a key
    """

    values: MutableSequence[Any] | dict[int, Any]
    """What is known of each value; `UNKNOWN` where nothing is."""

    def __init__(self, language: Language, max_elements: int) -> None:
        """Begin with no values. max_elements: what an operation may build."""
        self.language = language
        self.max_elements = max_elements
        self.numbers: dict[Any, int] = {}

    @abstractmethod
    def __len__(self) -> int:
        """Count the values."""

    @property
    @abstractmethod
    def table(self) -> Operands:
        """The operands of all values, as arrays."""

    @property
    @abstractmethod
    def domains(self) -> Sequence[int] | np.ndarray[Any, Any]:
        """The number of the domain of samples that each value is of; -1 for any."""

    @abstractmethod
    def _add(self, key: Any, operands: tuple[int, ...] | None, value: Any, domain: int) -> int:
        """Add a value and return its number. operands: of an operation."""

    def input(self, name: str, domain: int) -> int:
        """Return the number of an input of a domain's samples."""
        key = (name, domain)
        number = self.numbers.get(key)
        return self._add(key, None, UNKNOWN, domain) if number is None else number

    def constant(self, value: Any) -> int:
        """Return the number of a constant: a value of the language, or a primitive."""
        key = ("constant", value.__class__, show(value) if not callable(value) else value)
        number = self.numbers.get(key)
        return self._add(key, None, value, -1) if number is None else number

    @abstractmethod
    def primitive(self, number: int) -> Primitive | None:
        """Return the primitive that a value is; None also where an operation gives the value."""

    def default_of(self, number: int) -> Any:
        """Return the safe default of calls of a value."""
        primitive = self.primitive(number)
        return self.language.default_of(None if primitive is None else primitive.function)
