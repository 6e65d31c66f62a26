"""The value of a source run as Python, with sets in ascending order, and a program's value."""

from __future__ import annotations

import ast
import builtins
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path
from textwrap import indent
from types import CodeType
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.ndimage

import megabatt as mb
from megabatt.runtime import arc
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.values import ascending
from megabatt.runtime.program import Program

IMPORTS = """\
import copy, functools, itertools, math
from collections import Counter, OrderedDict, defaultdict, deque
"""
LIBRARY = """\
import bisect, functools, heapq, itertools, math, operator, statistics
from collections import defaultdict
from functools import cache, lru_cache, reduce
from itertools import accumulate, compress, cycle, dropwhile, filterfalse, groupby, islice
from itertools import pairwise, repeat, starmap, takewhile, zip_longest
"""
GRID = ((0, 1, 1, 0, 5), (0, 1, 0, 0, 5), (2, 2, 0, 3, 5))


class _InOrder(ast.NodeTransformer):
    """Makes a source iterate over sets in order, and call primitives with values of the language.

    A name that the source assigns is no primitive.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.assigned = {
            part.id for part in ast.walk(tree)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        } | {part.name for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)}  # fmt: skip
        self.assigned |= {part.arg for part in ast.walk(tree) if isinstance(part, ast.arg)}

    def visit_comprehension(self, node: Any) -> Any:
        self.generic_visit(node)
        node.iter = _called("_ascending", node.iter, node.iter)
        return node

    visit_For = visit_comprehension

    def visit_Starred(self, node: ast.Starred) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _called("_ascending", node.value, node.value)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        owner = getattr(node.func, "value", None)
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        if name == "pop" and not node.args:
            return _called("_popped", node.func.value, node)
        is_method = owner is not None and getattr(owner, "id", name) in {name, "np", *self.assigned}
        if name in LANGUAGE.primitives and name not in self.assigned and not is_method:
            node.args = [
                argument if isinstance(argument, ast.Starred) else _called("frozen", argument, node)
                for argument in node.args
            ]
            for keyword in node.keywords:
                keyword.value = _called("frozen", keyword.value, node)
        return node


def _called(name: str, argument: ast.expr, node: ast.AST) -> ast.Call:
    called = ast.Call(ast.Name(name, ast.Load()), [argument], [])
    return ast.fix_missing_locations(ast.copy_location(called, node))


def frozen(value: Any, depth: int = 0) -> Any:
    """Return a value with tuples for lists, and frozen sets for sets. Refuses deep values."""
    if depth > 12:  # lists that hold one list twice, again and again, are too large to write out
        raise ValueError("too deep")
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    kind = {list: tuple, tuple: tuple, set: frozenset, frozenset: frozenset}.get(type(value))
    if isinstance(value, dict):
        raise TypeError("a dictionary is no value of the language")
    return value if kind is None else kind(frozen(part, depth + 1) for part in value)


def _elements(container: Any) -> Any:
    return ascending(frozen(container)) if isinstance(container, set | frozenset) else container


def _popped(container: Any) -> Any:
    """Do `pop()`; a set gives its first element."""
    if not isinstance(container, set):
        return container.pop()
    element = next(iter(_elements(container)))
    container.remove(element)
    return element


def _ordered(name: str) -> Any:
    """Return a function of Python that takes the elements of sets in order."""
    function = getattr(builtins, name)

    def called(*args: Any, **how: Any) -> Any:
        return function(*map(_elements, args), **how)

    called.__name__ = name
    return called


def _is_instance(value: Any, kinds: Any) -> bool:
    """Do `isinstance` where names of Python's types may stand for ordered functions."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return isinstance(value, tuple(getattr(builtins, kind.__name__, kind) for kind in kinds))


@contextmanager
def _memory(more: int) -> Iterator[None]:
    """Let the process take so many more bytes; drawn sources may double a list again and again."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


_PYTHON = {
    **{name: _ordered(name) for name in (
        "tuple", "list", "sorted", "zip", "enumerate", "map", "filter", "next", "iter",
    )},
    **{name: (lambda f, g: lambda *a, **k: (g if len(a) == 1 else f)(*a, **k))(
        getattr(builtins, name), _ordered(name)) for name in ("max", "min")},
    "range": lambda *n: tuple(range(*n)), "_ascending": _elements, "frozen": frozen,
    "_popped": _popped, "isinstance": _is_instance,
}  # fmt: skip


@cache
def _compiled(source: str) -> CodeType:
    tree = ast.parse(source)
    tree = ast.fix_missing_locations(_InOrder(tree).visit(tree))
    return compile(tree, "source", "exec")


def as_python(source: str, name: str, *arguments: Any) -> Any:
    """Run a function of a source as Python, and return its value as one of the language."""
    scope = {name: getattr(arc, name) for name in [*LANGUAGE.primitives, *LANGUAGE.constants]}
    scope |= _PYTHON
    modules = dict.fromkeys(("dsl", "constants", "arc_dsl"), arc)
    modules["scipy.ndimage"] = scipy.ndimage  # a module that is imported here would be forgotten
    with patch.dict(sys.modules, modules), _memory(1 << 30):
        exec(_compiled(source), scope)
        return frozen(scope[name](*arguments))


def as_program(program: Program, grid: Any) -> Any:
    """Return a program's value for a grid. No operation that it needs fails."""
    evaluation = mb.evaluate([program], [(grid, None)], outputs="all")
    assert not evaluation.errors
    assert evaluation.first_failure[0, 0] < 0
    return evaluation.output(0, 0)


def meets_limit(program: Program, grid: Any) -> bool:
    """Tell whether a program fails for a grid by the limit alone, which Python does not know."""
    evaluation = mb.evaluate([program], [(grid, None)])
    return bool(evaluation.reason[0, 0] == Reason.LIMIT)


def sections(text: str) -> dict[str, str]:
    """Split a text at its headings. Returns the lines below each heading, by heading."""
    parts = (part.split("\n", 1) for part in text.split("## ")[1:])
    return {heading: lines for heading, lines in parts}


def variants(text: str, begin: str = LIBRARY) -> dict[str, str]:
    """Return the programs of a text's sections, each by its heading and number.

    A line after `-- `, with those indented below it, is a program's own part: it stands for HERE
    in the lines above all of them, or follows these. Where nothing defines `solve`, all is its
    body.
    """
    programs = {}
    for heading, lines in sections(text).items():
        frame, *parts = re.split("^-- ", lines, flags=re.MULTILINE)
        frame = frame if "HERE" in frame or not parts else f"{frame}HERE\n"
        for number, part in enumerate(parts or [""]):
            own = part.rstrip().replace("\n   ", "\n")
            source = re.sub(
                "^( *)(.*)HERE", lambda m, own=own: m[1] + m[2] + own.replace("\n", "\n" + m[1]),
                frame, flags=re.MULTILINE,
            )  # fmt: skip
            if not re.search("^(def solve|solve =)", source, re.MULTILINE):
                source = f"def solve(I):\n{indent(source, '    ')}"
            programs[f"{heading} {number}"] = f"{begin}{source}"
    return programs


def assert_same(value: Any, expected: Any) -> None:
    assert repr(value) == repr(expected) or value == expected


def assert_as_python(source: str, *grids: Any) -> None:
    """Assert that a source of one program is read, and that it gives what Python gives on grids."""
    (program,) = mb.parse(source, strict=True)
    for grid in grids or (GRID,):
        assert_same(as_program(program, grid), as_python(source, "solve", deepcopy(grid)))


def assert_same_or_refused(source: str) -> None:
    """Assert that the programs of a source that are read give what Python gives."""
    programs = mb.parse(source)
    assert len(programs) + len(programs.errors) > 0
    for program in programs:
        expected = as_python(source, program.name, [list(row) for row in GRID])
        assert_same(as_program(program, GRID), expected)
