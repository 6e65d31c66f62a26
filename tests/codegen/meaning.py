"""The value of a source run as Python, with sets in ascending order, and a program's value."""

from __future__ import annotations

import ast
import sys
from typing import Any
from unittest.mock import patch

import megabatt as mb
from megabatt.runtime import arc
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.values import ascending
from megabatt.runtime.program import Program


class _Values(ast.NodeTransformer):
    """Makes a source build values of the language: tuples for lists, frozen sets in order."""

    def visit_List(self, node: ast.List) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            return node
        return ast.copy_location(ast.Tuple(node.elts, node.ctx), node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Turn the list that a starred target takes into a tuple."""
        self.generic_visit(node)
        stars = [part for part in ast.walk(node.targets[0]) if isinstance(part, ast.Starred)]
        names = [star.value for star in stars if isinstance(star.value, ast.Name)]
        loads = [ast.Name(name.id, ast.Load()) for name in names]
        more = [
            ast.copy_location(ast.Assign([name], _called("tuple", load, node)), node)
            for name, load in zip(names, loads, strict=True)
        ]
        return [node, *more]

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        self.generic_visit(node)
        return _called("tuple", ast.GeneratorExp(node.elt, node.generators), node)

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        self.generic_visit(node)
        return _called("frozenset", node, node)

    def visit_Set(self, node: ast.Set) -> Any:
        self.generic_visit(node)
        return _called("frozenset", node, node)

    def visit_comprehension(self, node: Any) -> Any:
        self.generic_visit(node)
        node.iter = _called("_ascending", node.iter, node.iter)
        return node

    visit_For = visit_comprehension


def _called(name: str, argument: ast.expr, node: ast.AST) -> ast.Call:
    called = ast.Call(ast.Name(name, ast.Load()), [argument], [])
    return ast.fix_missing_locations(ast.copy_location(called, node))


def _elements(container: Any) -> Any:
    return ascending(container) if isinstance(container, frozenset) else container


def _tuple(container: Any = ()) -> Any:
    return tuple(_elements(container))


def _sorted(container: Any, **how: Any) -> Any:
    return tuple(sorted(_elements(container), **how))


def _of_ordered(function: Any) -> Any:
    def called(*args: Any, **how: Any) -> Any:
        return function(*map(_elements, args), **how) if len(args) == 1 else function(*args, **how)

    return called


_PYTHON = {
    "tuple": _tuple, "list": _tuple, "set": lambda c=(): frozenset(c), "sorted": _sorted,
    "max": _of_ordered(max), "min": _of_ordered(min), "range": lambda *n: tuple(range(*n)),
    "zip": lambda *c: tuple(zip(*map(_elements, c), strict=False)),
    "enumerate": lambda c, start=0: tuple(enumerate(_elements(c), start)),
    "reversed": lambda t: tuple(reversed(t)), "_ascending": _elements,
    "map": lambda f, *c: tuple(map(f, *map(_elements, c))),
    "filter": lambda f, c: tuple(filter(f, _elements(c))),
    "next": lambda c, *default: next(iter(_elements(c)), *default), "iter": _elements,
}  # fmt: skip


def as_python(source: str, name: str, *arguments: Any) -> Any:
    """Run a function of a source as Python."""
    tree = ast.fix_missing_locations(_Values().visit(ast.parse(source)))
    scope = {name: getattr(arc, name) for name in [*LANGUAGE.primitives, *LANGUAGE.constants]}
    scope |= _PYTHON
    modules = dict.fromkeys(("dsl", "constants", "arc_dsl"), arc)
    with patch.dict(sys.modules, modules):
        exec(compile(tree, "source", "exec"), scope)
        return scope[name](*arguments)


def as_program(program: Program, grid: Any) -> Any:
    """Return a program's value for a grid."""
    evaluation = mb.evaluate([program], [(grid, None)], outputs="all")
    assert not evaluation.errors
    return evaluation.output(0, 0)
