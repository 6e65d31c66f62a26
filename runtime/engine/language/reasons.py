"""Why operations fail."""

from __future__ import annotations

import re
from enum import IntEnum

from megabatt.runtime.engine.language.limits import SHORTAGES, ArityError, LimitError
from megabatt.runtime.vocabulary import counted


class Reason(IntEnum):
    """Why an operation failed. As text it is a word, such as "value".

    Attributes:
        NONE: The operation did not fail.
        TYPE: An argument is not of its declared type, or the called value is not a function.
        VALUE: The primitive has no result for its arguments.
        LIMIT: The operation would build too many elements, or an Integer is out of range.
        ARITY: A function is called with another number of arguments than it takes.
        NOT_COMPUTED: Memory or the stack was short: the operation may or may not fail.
    """

    NONE, TYPE, VALUE, LIMIT, ARITY, NOT_COMPUTED = range(6)

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")

    @classmethod
    def of(cls, error: Exception | None) -> Reason:
        """Return the reason for an exception of a scalar form; `NONE` for None."""
        if error is None:
            return cls.NONE
        if isinstance(error, SHORTAGES):
            return cls.NOT_COMPUTED
        if isinstance(error, LimitError):
            return cls.LIMIT
        if isinstance(error, TypeError):
            of_arity = isinstance(error, ArityError) or _PYTHON_ON_ARITY.search(str(error))
            return cls.ARITY if of_arity else cls.TYPE
        return cls.VALUE


REASONS = tuple(Reason)[1:]
"""The reasons that operations can have: all but `NONE`."""
SECOND_CHOSEN = 128
"""Stands in tables of reasons for a choice, such as `if_else`, that returned its second value."""


_PYTHON_ON_ARITY = re.compile(
    r"\(\) (missing \d+ required positional argument|takes .* positional arguments? but \d+ )"
)
"""Python's messages on a wrong number of arguments. Python makes this check: counting the arguments
of each call would take as long as many primitives."""


def detail_of(error: Exception) -> str:
    """Return the message of an error in one line: "`a` must be a Grid, got an Integer".

    Python's message on a wrong number of arguments is put in the language's words.
    """
    line = " ".join(str(error).split()) or type(error).__name__
    found = re.fullmatch(r"(\S+)\(\) (missing|takes) (\d+) .*?(?:: | but )(.*)", line)
    if found is None or not isinstance(error, TypeError):
        return line
    name, verb, number, rest = found.groups()
    is_method = name.endswith(".__call__")  # of `compose` and its kin; counts `self`
    name = "the function called" if is_method else name.rpartition(".")[2]
    if verb == "missing":
        return f"{name} needs {counted(int(number), 'more value')}: {rest}"
    given = int(rest.partition(" ")[0]) - is_method
    return f"{name} takes {counted(int(number) - is_method, 'value')}, got {given}"
