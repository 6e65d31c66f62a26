"""Values by number: inputs, constants, and operations on others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, Primitive
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.plan.operands import Operands
from megabatt.runtime.engine.values import show

Columns = Callable[[Sequence[int]], Column]
"""Gives the column of an input for the samples of some domains, one domain's after the other's."""


def key_of(value: Any) -> Any:
    """Return what tells constants of a language apart, primitives among them."""
    return value.__class__, value if callable(value) else show(value)


class Numbered(ABC):
    """Values by number, which programs start from or compute."""

    def __init__(self, language: Language, max_elements: int) -> None:
        """Begin with no values. max_elements: what an operation may build."""
        self.language = language
        self.max_elements = max_elements

    @abstractmethod
    def __len__(self) -> int:
        """Count the values."""

    @property
    @abstractmethod
    def values(self) -> Sequence[Any] | dict[int, Any]:
        """What is known of values; of all constants."""

    @property
    @abstractmethod
    def table(self) -> Operands:
        """The operands of all values, as arrays."""

    @property
    @abstractmethod
    def domains(self) -> Sequence[int] | np.ndarray[Any, Any]:
        """The number of the domain of samples that each value is of; -1 for any."""

    @abstractmethod
    def primitive(self, number: int) -> Primitive | None:
        """Return the primitive that a value is; None also where an operation gives the value."""

    def default_of(self, number: int) -> Any:
        """Return the safe default of calls of a value."""
        primitive = self.primitive(number)
        return self.language.default_of(None if primitive is None else primitive.function)
