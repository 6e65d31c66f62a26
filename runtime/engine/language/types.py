"""Declared types of parameters and results."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.engine.language.values import fails
from megabatt.runtime.vocabulary import counted, with_article


@dataclass(eq=False, repr=False)
class Declared:
    """A declared type: the values of a parameter, in all forms, and a result's safe default."""

    name: str
    default_source: str
    cast: Callable[[Any], Any] | None = None
    """Casts a column to this type, see `engine.columns.rules.Cast`. None if no rule takes it."""
    of_word: Any = None
    """The machine function (heap, word) -> word that casts a word to this type, or returns a wrong
    word, see `engine.machine.forms`. None if no compiled form takes the type."""
    called = False
    """Whether the values are functions that primitives call."""
    may_be_functions = False
    """Whether functions are among the values."""
    numbered = False
    """Whether programs leave out an argument of this type and get a number, see `Primitive`."""

    def __post_init__(self) -> None:
        self.default = eval(self.default_source, {"fails": fails})  # our own literals

    def check(self, value: Any) -> Any:
        """Return `value` as primitives take it. Raises TypeError for a value of another type."""
        raise NotImplementedError

    def guard(self, name: str, scope: dict[str, Any]) -> str | None:
        """Return the source of a quick test whether `check` must look at variable `name`.

        scope: Names for the source, to which this method may add. Returns None for no test.
        """
        raise NotImplementedError

    def expected(self, value: Any) -> TypeError:
        """Return the error for a value that is not of this type."""
        name = self.name if self.name.endswith("s") else with_article(self.name)
        return TypeError(f"must be {name}, got {self.described(value)}")

    def described(self, value: Any) -> str:
        """Name a value that is not of this type: `an Integer`, `a set of 3 tuples`."""
        if not isinstance(value, (tuple, frozenset)):
            return "None" if value is None else with_article(kind_name(value))
        whole = kind_name(value)
        if not value:
            return f"an empty {whole}"
        kinds = set(map(kind_name, value))
        of = kinds.pop() if len(kinds) == 1 else "value"
        return f"a {whole} of {counted(len(value), of)}"


_KIND_NAMES = {
    bool: "Boolean", int: "Integer", float: "Real", type(None): "None", frozenset: "set",
}  # fmt: skip


def kind_name(value: Any) -> str:
    """Return the name of the kind of a value: Integer, tuple, set, function, ..."""
    return _KIND_NAMES.get(type(value), "function" if callable(value) else type(value).__name__)
