"""Takes `functools.cache` and `lru_cache` from functions whose value depends on arguments alone.

A function that calls itself keeps its values instead, as its calls may be too many without:

    @cache                                     def ways(n):
    def ways(n):                                   known = {}
        if n < 2:                                  def value(n):
            return 1                                   key = (n,)
        return ways(n - 1) + ways(n - 2)               if key in known:
                                                           return known[key]
                                                       if n < 2:
                                                           ...
                                                   return ([value(n)] * 2)[0]

What a function returns is held by its cache: as an element of a list that has it twice, it counts
as held elsewhere, so that no change of it is read.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from megabatt.codegen.analysis.names import (
    assigned_in,
    bound_in,
    named_in,
    names_in,
    names_of,
    names_shared_in,
)
from megabatt.codegen.analysis.nodes import (
    assignment,
    copy_of_all,
    forget,
    functions_within,
    is_call_of,
    nodes_in,
    nodes_of_scope,
    placed,
    rename,
)
from megabatt.codegen.analysis.ownership import indices_of, names_changed_in
from megabatt.codegen.rewriting.generators import acting_in, constants_in

_CACHES = {"cache", "lru_cache"}
_OPTIONS = {"maxsize", "typed"}
_NEW_CALLS = {
    "Counter", "OrderedDict", "copy", "deepcopy", "defaultdict", "deque", "dict", "full",
    "full_like", "list", "ones", "ones_like", "set", "sorted", "zeros", "zeros_like",
}  # fmt: skip
"""The functions and methods whose results are other objects than their arguments, and no parts."""


def without_caches(tree: ast.Module) -> ast.Module:
    """Return a source without the caches that change no value. May change `tree`."""
    if not any(one.decorator_list for one in nodes_in(tree, ast.FunctionDef)):
        return tree
    imports = [part for part in nodes_in(tree, ast.ImportFrom) if part.module == "functools"]
    names = {one.asname or one.name for part in imports for one in part.names}
    names &= _CACHES
    source = _Source(tree)
    scopes: list[ast.FunctionDef | ast.Module] = [tree, *nodes_in(tree, ast.FunctionDef)]
    found = [
        (part, scope)
        for scope in scopes for part in scope.body
        if isinstance(part, ast.FunctionDef)
        and len(part.decorator_list) == 1 and _is_cache(part.decorator_list[0], names)
    ]  # fmt: skip
    imported = {one.name for part in nodes_in(tree, ast.Import) for one in part.names}
    for function in [part for part, scope in found if source.is_fixed(part, scope)]:
        function.decorator_list = []
        _Uncleared(function.name).visit(tree)
        _hold_values(function, has_arrays="numpy" in imported)
    forget(tree)
    return tree


def _is_cache(decorator: ast.expr, names: set[str]) -> bool:
    """Tell whether a decorator is a cache. names: The caches that are imported by name."""
    match decorator:
        case ast.Call(function, _, keywords) if {one.arg for one in keywords} <= _OPTIONS:
            return _is_cache(function, names)
        case ast.Attribute(ast.Name("functools"), name):
            return name in _CACHES
        case ast.Name(name):
            return name in names
    return False


class _Source:
    """A source with functions that have caches."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._bound = Counter(bound_in(tree))
        self._acting = acting_in(tree)
        self._constants = constants_in(tree)
        self._functions = {one.name: one for one in nodes_in(tree, ast.FunctionDef)}

    def is_fixed(self, function: ast.FunctionDef, scope: ast.FunctionDef | ast.Module) -> bool:
        """Tell whether equal arguments always give a function's value, and it changes nothing.

        scope: The function or module that defines it.
        """
        own = list(nodes_of_scope(function))
        if (
            self._bound[function.name] > 1
            or function.name in self._acting
            or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own)
            or any(map(_tells_kinds, own))
        ):
            return False
        local = set(names_of(scope)) if isinstance(scope, ast.FunctionDef) else set[str]()
        read = set[str]()
        parts = [function]
        for one in parts:
            inner = set().union(*map(names_of, functions_within(one)))
            more = named_in(one) - names_of(one) - (inner - local) - read
            read |= more
            parts += [self._functions[name] for name in more & self._functions.keys()]
        kept = self._constants | self._functions.keys()
        others = {name for name in read - local - kept if self._bound[name]}
        if any(map(self._is_variable, others)):
            return False
        return all(self._bound[name] == 1 for name in read & self._functions.keys()) and (
            not isinstance(scope, ast.FunctionDef)
            or self._are_steady(read & local - self._functions.keys(), scope)
        )

    def _is_variable(self, name: str) -> bool:
        """Tell whether a name may be a variable of a function around another, or of the module."""
        scopes = nodes_in(self._tree, ast.FunctionDef)
        return name in assigned_in(self._tree.body) or any(name in names_of(one) for one in scopes)

    def _are_steady(self, names: set[str], scope: ast.FunctionDef) -> bool:
        """Tell whether names of a function have one value each, in which nothing changes."""
        bound = Counter(bound_in(scope))
        simple = [line for line in scope.body if not isinstance(line, ast.If | ast.For | ast.While)]
        once = assigned_in(simple) | {part.arg for part in nodes_in(scope.args, ast.arg)}
        changed = names_changed_in(scope)
        parts = _parts_of(names, scope)
        return (
            all(bound[name] == 1 for name in names)
            and names <= once
            and names.isdisjoint(names_shared_in(scope))
            and parts.isdisjoint(changed)
            and not any(self._may_change(call, parts) for call in nodes_in(scope, ast.Call))
        )

    def _may_change(self, call: ast.Call, names: set[str]) -> bool:
        """Tell whether a call of a function that changes something is given a name, or a part."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        owners = {getattr(indices_of(one)[0], "id", "") for one in given}
        return getattr(call.func, "id", "") in self._acting and not owners.isdisjoint(names)


def _tells_kinds(node: ast.AST) -> bool:
    """Tell whether a node may differ for numbers that are equal, and are one key of a cache."""
    match node:
        case ast.Compare(_, operators, others):
            tests = zip(operators, others, strict=True)
            return any(
                isinstance(operator, ast.Is | ast.IsNot) and getattr(other, "value", 0) is not None
                for operator, other in tests
            )
    return is_call_of("isinstance", node) or is_call_of("type", node)


def _parts_of(names: set[str], scope: ast.FunctionDef) -> set[str]:
    """Return names, and those that a function may bind to what they stand for, or to parts."""
    found, size = set(names), 0
    while size < len(found):
        size = len(found)
        for target, value in _bindings_in(scope):
            if not (_is_new(value) or named_in(value).isdisjoint(found)):
                found.update(names_in(target))
    return found


def _bindings_in(scope: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield targets of a function with what they are bound to, or to whose elements."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    match target, value:
                        case ast.Tuple(parts), ast.Tuple(values) if len(parts) == len(values):
                            yield from zip(parts, values, strict=True)
                        case _:
                            yield target, value
            case ast.AnnAssign(target, _, ast.expr() as value) | ast.NamedExpr(target, value):
                yield target, value
            case ast.For(target, value) | ast.comprehension(target, value):
                yield target, value


def _is_new(value: ast.expr) -> bool:
    """Tell whether an expression makes an object that is no part of another."""
    match value:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in _NEW_CALLS
    kinds = ast.List | ast.Set | ast.Dict | ast.ListComp | ast.SetComp | ast.DictComp
    return isinstance(value, kinds | ast.Constant | ast.Compare | ast.BinOp)


class _Uncleared(ast.NodeTransformer):
    """Passes over the lines that clear a function's cache. name: The function's name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(self._name), "cache_clear"), [], []):
                return placed(ast.Pass(), node)
        return node


def _hold_values(function: ast.FunctionDef, has_arrays: bool) -> None:
    """Make a function's values count as held elsewhere; keep them if the function calls itself.

    Beside arrays they are not kept: what a dictionary holds may be an array there.
    """
    calls_itself = any(function.name in named_in(line) for line in function.body)
    if calls_itself and _has_names(function) and not has_arrays:
        function.body = _keeping(function)
        return
    for line in nodes_of_scope(function):
        if isinstance(line, ast.Return) and line.value:
            line.value = _held(line.value)


def _has_names(function: ast.FunctionDef) -> bool:
    """Tell whether all arguments of a function have names, and defaults that are written out."""
    given = function.args
    defaults = filter(None, [*given.defaults, *given.kw_defaults])
    is_plain = all(isinstance(default, ast.Constant) for default in defaults)
    return is_plain and not (given.vararg or given.kwarg or given.kwonlyargs)


def _held(value: ast.expr) -> ast.expr:
    """Return an expression whose value another list holds too."""
    if isinstance(value, ast.Constant | ast.Compare):
        return value
    twice = ast.BinOp(ast.List([value], ast.Load()), ast.Mult(), ast.Constant(2))
    return placed(ast.Subscript(twice, ast.Constant(0), ast.Load()), value)


def _keeping(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function that keeps the values of its calls of itself."""
    known, value = f" {function.name}:known", f" {function.name}:value"
    taken = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
    inner = placed(ast.FunctionDef(value, copy_of_all(function.args), [], []), function)
    inner.body = [
        assignment(_KEY, ast.Tuple([*map(_read, taken)], ast.Load()), function),
        placed(ast.If(_is_known(known), [ast.Return(_element(known))], []), function),
        *_Keeping(function.name, known, value).block(function.body),
    ]
    call = placed(ast.Call(_read(value), [*map(_read, taken)], []), function)
    none = assignment(known, ast.Dict([], []), function)
    return [none, inner, placed(ast.Return(_held(call)), function)]


_KEY, _VALUE = " key", " value"


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _element(known: str) -> ast.Subscript:
    return ast.Subscript(_read(known), _read(_KEY), ast.Load())


def _is_known(known: str) -> ast.Compare:
    return ast.Compare(_read(_KEY), [ast.In()], [_read(known)])


class _Keeping(ast.NodeTransformer):
    """Puts what a function returns into a dictionary.

    name: The function's name. known: The name of the dictionary. value: The function's new name.
    """

    def __init__(self, name: str, known: str, value: str) -> None:
        self._name = name
        self._known = known
        self._value = value

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made = [self.visit(statement) for statement in statements]
        return [line for one in made for line in (one if isinstance(one, list) else [one])]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return placed(_read(self._value), node) if node.id == self._name else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        rename(node, {self._name: self._value})
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return | list[ast.stmt]:
        self.generic_visit(node)
        if node.value is None or isinstance(node.value, ast.Constant):
            return node
        place = ast.Subscript(_read(self._known), _read(_KEY), ast.Store())
        put = placed(ast.Assign([place], _read(_VALUE)), node)
        result = assignment(_VALUE, node.value, node)
        return [result, put, placed(ast.Return(_read(_VALUE)), node)]
