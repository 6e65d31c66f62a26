"""Reads infinity in functions that compare it, as in `least = float("inf")`, and 1e9 and 0.0.

The greatest Integer stands for infinity, and for numbers beyond it, so no Integer is beyond it.
Where a name that may be infinite is more than compared, the program fails as long as the name is
infinite. A whole number such as 1e9 that is only compared becomes an Integer.
"""

from __future__ import annotations

import ast
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from megabatt.codegen.scopes import Functions, bound_in, placed

_COMPARED = ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.IsNot
_CHOOSING = "max", "min"
"""The functions that return one of their arguments."""
_BUILTINS = {"float", "int", *_CHOOSING}
_MODULES = "math", "numpy"
"""The modules with an attribute `inf`."""
_INFINITE = {sign + name for sign in ("", "+", "-") for name in ("inf", "infinity")}


def without_infinity(tree: ast.Module, greatest: int) -> ast.Module:
    """Replace infinity by an Integer in each function of a source where that keeps its meaning.

    greatest: The greatest Integer.
    """
    imports = [part for part in ast.walk(tree) if isinstance(part, ast.Import)]
    modules = {
        alias.asname or alias.name
        for part in imports for alias in part.names if alias.name in _MODULES
    }  # fmt: skip
    imported = Counter(name for part in imports for name in bound_in(part))
    if (Counter(bound_in(tree)) - imported).keys() & (_BUILTINS | modules):
        return tree
    for function in _outermost_functions(tree):
        whole = [node for node in ast.walk(function) if _is_whole(node, greatest)]
        infinite = [node for node in ast.walk(function) if _is_infinite(node, modules, greatest)]
        if not whole and not infinite:
            continue
        flow = _Flow(function)
        for node in whole:
            if flow.names_to_guard([node]) == []:
                flow.replace(node, placed(ast.Constant(int(node.value)), node))  # type: ignore[attr-defined]
        guarded = flow.names_to_guard(infinite)
        if guarded is not None:
            for node in infinite:
                flow.replace(node, _integer_for(node, greatest))
            for name in guarded:
                flow.replace(name, _guard(name, greatest))
    return tree


def _outermost_functions(tree: ast.AST) -> Iterator[Functions]:
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node
        else:
            left.extend(ast.iter_child_nodes(node))


def _is_whole(node: ast.AST, greatest: int) -> bool:
    """Tell whether a node is a constant such as 1e9."""
    match node:
        case ast.Constant(float(value)):
            return value.is_integer() and value <= greatest
    return False


def _is_infinite(node: ast.AST, modules: set[str], greatest: int) -> bool:
    match node:
        case ast.Constant(float(value)):
            return greatest < value < math.inf
        case ast.Call(ast.Name("float"), [ast.Constant(str(text))], []):
            return text.strip().lower() in _INFINITE
        case ast.Attribute(ast.Name(module), "inf"):
            return module in modules
    return False


def _integer_for(node: Any, greatest: int) -> ast.expr:
    """Return the Integer for infinity. Its negative is the Integer for minus infinity."""
    is_negative = isinstance(node, ast.Call) and "-" in node.args[0].value  # type: ignore[attr-defined]
    return placed(ast.Constant(-greatest if is_negative else greatest), node)  # type: ignore[no-any-return]


def _guard(name: ast.Name, greatest: int) -> ast.expr:
    """Return an expression of a name's value that fails where the name is infinite."""
    text = f"{name.id} // int(-{greatest} < {name.id} < {greatest})"
    made = ast.parse(text, mode="eval").body
    for part in ast.walk(made):
        ast.copy_location(part, name)
    return made


class _Flow:
    """Follows values through the expressions and the names of a function."""

    def __init__(self, function: ast.AST) -> None:
        self._parents: dict[ast.AST, Any] = {}
        self._uses: defaultdict[str, list[ast.Name]] = defaultdict(list)
        for node in ast.walk(function):
            self._parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            if isinstance(node, ast.Name):
                self._uses[node.id].append(node)

    def replace(self, old: ast.AST, new: ast.expr) -> None:
        """Put a node in the place of another."""
        parent = self._parents[old]
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list):
                value[:] = [new if part is old else part for part in value]

    def names_to_guard(self, infinite: list[ast.AST]) -> list[ast.Name] | None:
        """List the names that may be infinite where they are more than compared and passed on.

        Returns None if an infinite expression itself is more, or such a name is changed in place.
        """
        names: set[str] = set()
        guarded: list[ast.Name] = []
        values = list(infinite)
        while values:
            value = values.pop()
            reached = self._reached(value)
            if reached is None and isinstance(value, ast.Name):
                guarded.append(value)
            elif reached is None:
                return None
            for name in (reached or set()) - names:
                names.add(name)
                if any(isinstance(self._parents[use], ast.AugAssign) for use in self._uses[name]):
                    return None
                values += [use for use in self._uses[name] if isinstance(use.ctx, ast.Load)]
        return guarded

    def _reached(self, node: Any) -> set[str] | None:
        """Return the names that an expression's value is assigned to; None for other uses.

        A value that is compared reaches no name.
        """
        names: set[str] = set()
        while True:
            parent = self._parents.get(node)
            match parent:
                case ast.Compare(_, operators, _):
                    return names if all(isinstance(op, _COMPARED) for op in operators) else None
                case ast.Assign(targets, _):
                    return _with_names(names, targets)
                case ast.AnnAssign(target, _, _):
                    return _with_names(names, [target])
                case ast.Tuple(parts) if not any(isinstance(p, ast.Starred) for p in parts):
                    statement = self._parents.get(parent)
                    return _with_names(names, _targets_of(statement, parts.index(node), len(parts)))
                case ast.NamedExpr(ast.Name(name), _):
                    names.add(name)
                case ast.IfExp(test, _, _) if node is not test:
                    pass
                case ast.UnaryOp(ast.USub()) | ast.keyword("default", _):
                    pass
                case ast.Call(ast.Name(name), [_, *others], named) if name in _CHOOSING:
                    if not others and node not in named or len(named) > (node in named):
                        return None
                case _:
                    return None
            node = parent


def _with_names(names: set[str], targets: list[Any] | None) -> set[str] | None:
    if targets is None or not all(isinstance(target, ast.Name) for target in targets):
        return None
    return names | {target.id for target in targets}


def _targets_of(statement: Any, place: int, count: int) -> list[Any] | None:
    """Return what a part of a tuple is assigned to, as in `a, b = 1, 2`."""
    targets: list[Any] = statement.targets if isinstance(statement, ast.Assign) else [None]
    if all(isinstance(target, ast.Tuple) and len(target.elts) == count for target in targets):
        return [target.elts[place] for target in targets]
    return None
