"""Writes loops over functions, beside NumPy, as loops over their places.

    for f in (np.fliplr, lambda a: a.T):      turn = lambda a: a.T
        a = f(a)                              for place in range(2):
                                                  a = np.fliplr(a) if place == 0 else turn(a)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import assignment, copy_of_all, forget, nodes_in, placed


def with_functions_by_place(tree: ast.Module) -> ast.Module:
    """Return a source without loops over functions that are written out. May change `tree`."""
    bound = Counter(bound_in(tree))
    own = {part.name for part in nodes_in(tree, ast.FunctionDef)}
    modules = {alias.asname or alias.name for alias in nodes_in(tree, ast.alias)}
    known = {name for name in own | modules if bound[name] == 1}
    reads = [one for one in nodes_in(tree, ast.Name) if isinstance(one.ctx, ast.Load)]
    called = [call.func for call in nodes_in(tree, ast.Call)]
    kept = {one.id for one in reads if one not in called}
    names = {name for name, times in bound.items() if times == 1} - kept
    lists = {
        part.targets[0].id: part.value for part in nodes_in(tree, ast.Assign)
        if isinstance(part.targets[0], ast.Name) and bound[part.targets[0].id] == 1
    }  # fmt: skip
    loops = nodes_in(tree, ast.For)
    over = [loop.iter for loop in loops]
    elsewhere = {one.id for one in reads if one not in over}
    unchanged = {name: value for name, value in lists.items() if name not in elsewhere}
    writer = _Writer(names, known, unchanged)
    if written := list(filter(writer.functions_of, loops)):
        others = [loop for loop in loops if loop not in written]
        writer.unread = _looped(written) - _looped(others)
        writer.visit(tree)
        forget(tree)
    return tree


def _looped(loops: Sequence[ast.For]) -> set[str]:
    """Return the names that loops are over."""
    return {loop.iter.id for loop in loops if isinstance(loop.iter, ast.Name)}


class _Writer(ast.NodeTransformer):
    """Writes loops over functions. names: Those that are bound once, and read to be called alone.

    known: The names of functions and modules. lists: The values of names that loops alone read.
    """

    def __init__(self, names: set[str], known: set[str], lists: Mapping[str, ast.expr]) -> None:
        self._names = names
        self._known = known
        self._lists = lists
        self._functions: dict[str, Sequence[ast.expr]] = {}
        self.unread: set[str] = set()
        """The names of lists that no loop reads any more."""

    def functions_of(self, loop: ast.For) -> Sequence[ast.expr]:
        """Return the functions that a loop is over; nothing if it is over anything else."""
        is_named = isinstance(loop.iter, ast.Name)
        over = self._lists.get(getattr(loop.iter, "id", ""), loop.iter)
        match loop.target, over:
            case ast.Name(name), ast.Tuple(functions) | ast.List(functions) if name in self._names:
                has_lambdas = any(isinstance(one, ast.Lambda) for one in functions)
                if len(functions) > 1 and all(map(self._is_function, functions)):
                    return () if is_named and has_lambdas else functions
        return ()

    def _is_function(self, node: ast.expr) -> bool:
        named = node.value if isinstance(node, ast.Attribute) else node
        return isinstance(node, ast.Lambda) or getattr(named, "id", "") in self._known

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets:
            case [ast.Name(name)] if name in self.unread and name in self._lists:
                return placed(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        functions, begin = list(self.functions_of(node)), list[ast.stmt]()
        if functions and isinstance(node.target, ast.Name):
            for place, one in enumerate(functions):
                if isinstance(one, ast.Lambda):
                    name = f" {node.target.id}:{one.lineno}:{one.col_offset}"
                    begin.append(assignment(name, one, node))
                    functions[place] = placed(ast.Name(name, ast.Load()), one)
            self._functions[node.target.id] = functions
            count = ast.Constant(len(functions))
            node.iter = placed(ast.Call(ast.Name("range", ast.Load()), [count], []), node.iter)
        return [*begin, self.generic_visit(node)]  # type: ignore[list-item]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        calls = []
        for function in self._functions.get(name, ()):
            call = copy_of_all(node)
            call.func = copy_of_all(function)
            calls.append(call)
        made: ast.expr = calls.pop() if calls else node
        for place, call in reversed([*enumerate(calls)]):
            is_it = ast.Compare(ast.Name(name, ast.Load()), [ast.Eq()], [ast.Constant(place)])
            made = placed(ast.IfExp(is_it, call, made), node)
        return made
