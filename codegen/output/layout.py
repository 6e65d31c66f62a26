"""Breaks the long lines of generated code where `ruff format` would break them."""

from __future__ import annotations

from collections.abc import Sequence

LINE_LENGTH = 100


def call(prefix: str, items: Sequence[object], suffix: str = ")", indent: int = 0) -> str:
    """Lay out a call or a function's head.

    Args:
        prefix: The text before the items, with the opening bracket.
        items: the arguments or parameters.
        suffix: The text after the items, with the closing bracket.
        indent: the number of spaces before the first line.

    Returns:
        One line if it fits; else all items on a second line if they fit; else an item a line.
    """
    line = _one_line(prefix, items, suffix, indent)
    if len(line) <= LINE_LENGTH:
        return line
    items_line = _one_line("", items, "", indent + 4)
    if len(items_line) <= LINE_LENGTH:
        margin = " " * indent
        return f"{margin}{prefix}\n{items_line}\n{margin}{suffix}"
    return _one_each(prefix, items, suffix, indent)


def collection(prefix: str, items: Sequence[object], suffix: str = ")", indent: int = 0) -> str:
    """Lay out a tuple or dictionary: one line if it fits, else each item on its own.

    The arguments have the meaning of `call`'s.
    """
    line = _one_line(prefix, items, suffix, indent)
    return line if len(line) <= LINE_LENGTH else _one_each(prefix, items, suffix, indent)


def words(keyword: str, items: Sequence[str], indent: int = 0) -> str:
    """Lay out `del` or `from ... import`, with brackets only around several lines.

    Args:
        keyword: the statement's beginning.
        items: the names.
        indent: the number of spaces before the first line.
    """
    line = _one_line(f"{keyword} ", items, "", indent)
    return line if len(line) <= LINE_LENGTH else _one_each(f"{keyword} (", items, ")", indent)


def call_with_dictionary(prefix: str, entries: Sequence[str], indent: int) -> str:
    """Lay out a call whose only argument is a dictionary.

    Args:
        prefix: the function.
        entries: the entries, each as `key: value`.
        indent: the number of spaces before the first line.
    """
    line = _one_line(f"{prefix}({{", entries, "})", indent)
    if len(line) <= LINE_LENGTH:
        return line
    margin = " " * indent
    return f"{margin}{prefix}(\n{collection('{', entries, '}', indent + 4)}\n{margin})"


def entry(key: str, items: Sequence[object], indent: int = 4) -> str:
    """Lay out an entry of a dictionary whose value is a tuple; a lone item is followed by a comma.

    Args:
        key: the key's source.
        items: the tuple's items.
        indent: the number of spaces before the first line.
    """
    suffix = ",)," if len(items) == 1 else "),"
    return collection(f"{key}: (", items, suffix, indent)


def nested(prefix: str, value: object, indent: int = 0) -> str:
    """Lay out a call, given its arguments as a list, or a list or tuple among the arguments.

    Args:
        prefix: the text before the value.
        value: Text, or a list or tuple of texts; each item of a list has a line of its own.
        indent: the number of spaces before the first line.

    Returns:
        The text, of one or more lines.
    """
    margin = " " * indent
    if isinstance(value, tuple):
        return collection(f"{prefix}(", value, ",)" if len(value) == 1 else ")", indent)
    if not isinstance(value, list) or not value:
        return f"{margin}{prefix}{value}"
    begin, end = "()" if prefix else "[]"
    lines = "".join(f"{nested('', item, indent + 4)},\n" for item in value)
    return f"{margin}{prefix}{begin}\n{lines}{margin}{end}"


def _one_line(prefix: str, items: Sequence[object], suffix: str, indent: int) -> str:
    return " " * indent + prefix + ", ".join(map(str, items)) + suffix


def _one_each(prefix: str, items: Sequence[object], suffix: str, indent: int) -> str:
    margin = " " * indent
    lines = "".join(f"{margin}    {item},\n" for item in items)
    return f"{margin}{prefix}\n{lines}{margin}{suffix}"
