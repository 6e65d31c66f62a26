"""What Python's functions and methods give for constant texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

METHODS = {
    "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "index",
    "isalpha", "isdecimal", "isdigit", "islower", "isspace", "isupper", "join", "ljust", "lower",
    "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase",
    "title", "upper", "zfill",
}  # fmt: skip
"""The methods of text that are computed."""
NOTHING = object()
"""What stands for a value that is not constant."""
_MOST = 4096
"""The most characters of a text that is computed."""


def computed(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Return the constant, or the list or tuple of constants, that a function gives.

    Returns NOTHING if an argument is no constant, if Python raises an exception, or if the value is
    of another kind, or large.
    """
    if NOTHING in given or any(isinstance(one, int) and one > _MOST for one in given):
        return NOTHING
    try:
        made = function(*given)
    except (IndexError, TypeError, ValueError):
        return NOTHING
    is_small = isinstance(made, str | int | list | tuple) and len(str(made)) <= _MOST
    return made if is_small else NOTHING
