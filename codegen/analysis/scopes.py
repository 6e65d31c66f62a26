"""The meanings of names while a source is read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from megabatt.codegen.analysis.names import assigned_in
from megabatt.codegen.analysis.nodes import Functions, parameters_of
from megabatt.runtime.program import Word

_WITHOUT_PRIMITIVES = frozenset(sys.stdlib_module_names) | {
    "cv2", "matplotlib", "networkx", "numpy", "pandas", "scipy", "skimage", "sklearn", "torch",
}  # fmt: skip
"""Modules whose functions are no primitives, even if a primitive has the same name."""

INSTEAD_OF_MODULES = "write loops over lists, or calls of primitives"


def is_library(module: str) -> bool:
    """Tell whether a module is of Python's library, or of NumPy's like."""
    return module.partition(".")[0] in _WITHOUT_PRIMITIVES


Late = dict[tuple["Scope", str], Any]
"""Names that are read later, by scope and name, with the meanings with which they were written."""


def late_of_all(*given: Late) -> Late:
    """Return what several values read later. A name that they read with two meanings has none."""
    made: Late = {}
    for late in given:
        apart = {read: object() for read in made.keys() & late.keys() if made[read] != late[read]}
        made |= late | apart
    return made


class Local(NamedTuple):
    """A function of the source. scope: Its scope. defaults: The values of its last parameters."""

    node: Functions
    scope: Scope
    defaults: tuple[Any, ...]

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return [parameter.arg for parameter in parameters_of(self.node)]

    @property
    def by_place(self) -> int:
        """How many parameters take arguments without names, one each."""
        return len(self.node.args.posonlyargs) + len(self.node.args.args)


class Builtin(NamedTuple):
    """A function of Python's."""

    name: str


class Module(NamedTuple):
    """An imported module."""

    name: str

    @property
    def has_primitives(self) -> bool:
        """Whether its functions may be primitives."""
        return not is_library(self.name)


class Foreign(NamedTuple):
    """A name that programs cannot use. message: Why. is_dead: Whether nothing reads its value."""

    message: str
    is_dead: bool = False


class Once(NamedTuple):
    """An iterator of Python's, as a tuple: when a name that stands for it is read, it is used up.

    body: The body that computes it. late: The names that it reads when it is used up.
    """

    word: Word
    body: object
    late: Late


class Dictionary(NamedTuple):
    """A dictionary of Python's, as the tuple of its entries.

    default: The value of a missing key; None if there is none. adds: Whether reading a missing key
    adds it, as in a defaultdict.
    """

    word: Word
    default: Word | None = None
    adds: bool = False

    @property
    def kind(self) -> Dictionary:
        """What it has in common with all others that may take its place."""
        return self._replace(word="")


class Several(NamedTuple):
    """The tuple that a function returns to an assignment of its elements. parts: Their meanings."""

    parts: tuple[Any, ...]


class Raised(NamedTuple):
    """What stands for the value of a function that raises an exception. node: The statement."""

    node: ast.Raise


class Choice(NamedTuple):
    """A function of two: a call of it calls both, and `condition` chooses a result."""

    condition: Word
    functions: tuple[Any, ...]


class Deferred(NamedTuple):
    """A value that a module assigns to a target; each program that reads it computes it."""

    value: ast.expr
    target: ast.expr


Meaning = (
    Word | Local | Builtin | Module | Foreign | Once | Dictionary | Several | Raised | Choice
    | Deferred
)


class Elsewhere(LookupError):
    """Raised where a name is read that only the other side of an `if` assigns."""


class Scope:
    """The names of a function, or of a module.

    whole: Its statements. names: The present meaning of each name. assigned: All names it assigns.
    elsewhere: Those that the other sides of `if` statements assign, while a side is read.
    """

    __slots__ = ("assigned", "elsewhere", "names", "parent", "whole")

    def __init__(self, parent: Scope | None, whole: Sequence[ast.stmt] = ()) -> None:
        self.parent = parent
        self.whole = whole
        self.names: dict[str, Any] = {}
        self.assigned = assigned_in(whole)
        self.elsewhere: Set[str] = frozenset()

    def find(self, name: str) -> Any:
        """Return the meaning of a name; None if it is unknown.

        Raises LookupError if the name is assigned later only, or `Elsewhere`.
        """
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            if name in scope.assigned:
                raise (Elsewhere if name in scope.elsewhere else LookupError)(name)
            scope = scope.parent
        return None

    def defined(self, names: Set[str]) -> set[str]:
        """Return those of some names that the scope, or a scope around it, defines or assigns."""
        found = self.parent.defined(names) if self.parent is not None else set()
        return found.union(names & self.names.keys(), names & self.assigned)


def import_into(
    scope: Scope, statement: ast.Import | ast.ImportFrom, meanings: Mapping[str, Any]
) -> None:
    """Bind imported names to words of the language or to modules."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            scope.names[name] = Module(alias.name)
            continue
        if alias.name == "*":
            words = [word for word in meanings if word.rpartition(".")[0] == statement.module]
            scope.names.update((word.rpartition(".")[2], meanings[word]) for word in words)
            continue
        name = alias.asname or alias.name
        whole = f"{statement.module or ''}.{alias.name}"
        if whole in meanings:
            scope.names[name] = meanings[whole]
        elif is_library(statement.module or ""):
            what = f"{name!r} of module {statement.module!r} is not read"
            scope.names[name] = Foreign(f"{what}: {INSTEAD_OF_MODULES}")
        elif alias.name in meanings:
            scope.names[name] = meanings[alias.name]
        elif name in meanings or name not in scope.names:  # else another fence defines it
            what = f"{name!r} is {whole!r}, which is not in the language"
            scope.names[name] = Foreign(f"{what}: define it in the source")
