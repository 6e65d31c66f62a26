"""Damaged files: bytes and structures mutated, as Hypothesis draws."""

import json
import re
from copy import deepcopy
from functools import reduce
from operator import getitem

from hypothesis import strategies as st

ODD_TEXTS = [
    "", " ", "train", "test", "input", "output", "[/red]", "\x00", "\ud800", "é" * 3, "a/b", "..",
    "__debug__", "None", "x" * 5000,
]  # fmt: skip
ODD_VALUES = [
    None, True, -1, 10, 127, 128, 2**31, -(2**63), 10**400, 1.5, float("nan"), float("inf"), [], {},
    [[]], [[], [1]], [[1], [2, 3]], [[None]], [["1"]], [[0] * 31] * 31, {"train": []},
]  # fmt: skip
ODD_BYTES = [
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"[" * 5000, b'{"a":' * 2000, b"9" * 5000,
    b"0x" + b"f" * 5000, b"1e999", b"-", b"\r", b"\n", b"\t", b"\x85", b"'", b'"', b"#", b"\\",
    b"(", b"(" * 300, b")", b"]", b"=", b"[[", b"def solve_a(I):\n    return I\n", b"return",
    b"lambda: ", b"**", b"*", b":=", b"\x0c", "\u2028".encode(), "ﬁ".encode(), b"nan",
    b"-0", b"1_000",
]  # fmt: skip

odd_texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=5)
odd_values = st.sampled_from(ODD_VALUES) | st.integers() | odd_texts


@st.composite
def mutated_bytes(draw, content):
    """Draw the content with parts removed, doubled, moved or replaced."""
    for _ in range(draw(st.integers(1, 3))):
        at, end = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        end = min(end, at + draw(st.sampled_from([0, 1, 3, 40, 10**6])))
        parts = [content[:at], content[at:end], content[end:]]
        piece = st.sampled_from([b"", parts[1] * 2]) | st.sampled_from(ODD_BYTES)
        replaced = (piece | st.binary(max_size=4)).map(lambda new: [parts[0], new, parts[2]])  # noqa: B023
        content = b"".join(draw(replaced | st.permutations(parts)))
    return content


@st.composite
def flipped_bits(draw, content):
    """Draw the content with one bit flipped."""
    at = draw(st.integers(0, len(content) - 1))
    return content[:at] + bytes([content[at] ^ 1 << draw(st.integers(0, 7))]) + content[at + 1 :]


_WORD = re.compile(rb"\w+|[^\w\s]|\s+")


@st.composite
def mutated_words(draw, content):
    """Draw a source with some of its words replaced by other words of the source or odd words."""
    words = _WORD.findall(content)
    for _ in range(draw(st.integers(1, 4))):
        if not words:
            break
        at = draw(st.integers(0, len(words) - 1))
        words[at] = draw(st.sampled_from(words) | st.sampled_from(ODD_BYTES))
    return b"".join(words)


def _places(value, path=()):
    """Yield every place in a JSON structure, as a path of keys."""
    yield path
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(part, (*path, key))


def _at(value, path):
    return reduce(getitem, path, value)


def _with(value, path, new):
    if not path:
        return new
    value = deepcopy(value)
    _at(value, path[:-1])[path[-1]] = new
    return value


@st.composite
def mutated_structures(draw, value):
    """Draw JSON of the value with some parts replaced, removed, added or moved."""
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(_places(value))))
        found = _at(value, path)
        how = draw(st.sampled_from(["odd", "other", "away", "added", "named"]))
        if how == "other":
            found = _at(value, draw(st.sampled_from(list(_places(value)))))
        elif how == "away" and isinstance(found, (dict, list)) and found:
            left = list(found.items()) if isinstance(found, dict) else list(found)
            del left[draw(st.integers(0, len(left) - 1))]
            found = dict(left) if isinstance(found, dict) else left
        elif how == "added" and isinstance(found, list):
            found = [*found, draw(odd_values)]
        elif how == "named" and isinstance(found, dict):
            found = {**found, draw(odd_texts): draw(odd_values)}
        else:
            found = draw(odd_values)
        value = _with(value, path, found)
    return json.dumps(value).encode("utf-8", "surrogatepass")


@st.composite
def _some_mutated(draw, parts, content):
    """Draw the content with its bytes mutated, a drawing of `parts`, or both."""
    if draw(st.booleans()):
        content = draw(parts)
        return draw(mutated_bytes(content)) if draw(st.integers(0, 4)) == 0 else content
    return draw(mutated_bytes(content))


def mutated_json(value):
    """Draw a JSON file with its structure, its bytes, or both mutated."""
    return _some_mutated(mutated_structures(value), json.dumps(value).encode())


def mutated_sources(content):
    """Draw a source with its words, its bytes, or both mutated."""
    return _some_mutated(mutated_words(content), content)
