"""Rewrites generators, functions with `yield`, as functions that return an iterator over a list.

The list is made at the call. The source does the same as before: what uses a generator uses it at
once, and changes nothing that it reads meanwhile; the generator changes nothing but its own names.
Only where it fails, or never ends, behind the last value that is used, does the call fail.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Set

from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import (
    assigned_in,
    assigned_in_expressions,
    bound_in,
    named_in,
    names_of,
)
from megabatt.codegen.analysis.nodes import (
    Functions,
    all_nodes_in,
    forget,
    functions_in,
    nodes_in,
    nodes_of_scope,
    placed,
)
from megabatt.codegen.analysis.ownership import (
    ALL,
    Comprehension,
    assigned_to,
    exposed_alone,
    filled_by,
    indices_of,
    names_changed_in,
)
from megabatt.codegen.fields import for_now
from megabatt.codegen.rewriting.definitions import ITERATORS

_USING = {
    " heapq.nlargest", " heapq.nsmallest", "Counter", "OrderedDict", "all", "any", "deque", "dict",
    "frozenset", "list", "max", "min", "next", "set", "sorted", "sum", "tuple",
}  # fmt: skip
"""The functions of Python that use an iterator at once."""
_USING_METHODS = {
    "difference", "difference_update", "extend", "extendleft", "intersection",
    "intersection_update", "isdisjoint", "issubset", "issuperset", "union", "update",
}  # fmt: skip
"""The methods of Python that do so."""
_WRAPPING = {"enumerate", "filter", "iter", "map", "zip", *ITERATORS}
"""The functions of Python that make an iterator of an iterator."""
_OF_HEAPS = {" heapq.heapify", " heapq.heappop", " heapq.heappush", " heapq.heapreplace"}
"""The functions of Python's library that change their first argument."""
_MAKING_ARRAYS = {
    "array", "empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like",
}  # fmt: skip
"""The functions of NumPy that make new arrays."""
_OF_NUMBERS = {"abs", "divmod", "int", "max", "min", "range"}
"""The functions of Python whose arguments are read as numbers."""


def without_generators(tree: ast.Module) -> ast.Module:
    """Return a source without the generators that can be rewritten. May change `tree`.

    The others have one `yield` alone, for which they are refused: no call runs their lines.
    """
    if not nodes_in(tree, ast.Yield) and not nodes_in(tree, ast.YieldFrom):
        return tree
    source = _Source(tree)
    generators = [part for part in nodes_in(tree, ast.FunctionDef) if _yields_of(part)]
    functions = [*filter(source.may_be_list, generators)]
    for function in generators:
        if function not in functions:
            function.body = [placed(ast.Expr(one), one) for one in _yields_of(function)[:1]]
    for function in functions:
        made = f" {function.name}:yielded"
        empty = ast.Assign([ast.Name(made, ast.Store())], ast.List([], ast.Load()))
        begin = placed(empty, function)
        end = placed(_returned(made), function)
        function.body = [begin, *_Appending(made).block(function.body), end]
    forget(tree)
    return tree


def _yields_of(function: ast.FunctionDef) -> list[ast.expr]:
    own = nodes_of_scope(function)
    return [node for node in own if isinstance(node, ast.Yield | ast.YieldFrom)]


def _returned(name: str) -> ast.Return:
    call = ast.Call(ast.Name("iter", ast.Load()), [ast.Name(name, ast.Load())], [])
    return ast.Return(call)


class _Appending(ast.NodeTransformer):
    """Appends to a list what a generator yields. name: The list's name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(statement) for statement in statements]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        return placed(_returned(self._name), node)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if not isinstance(node.value, ast.Yield | ast.YieldFrom):
            return node
        method = "append" if isinstance(node.value, ast.Yield) else "extend"
        owner = ast.Attribute(ast.Name(self._name, ast.Load()), method, ast.Load())
        value = node.value.value or ast.Constant(None)
        return placed(ast.Expr(ast.Call(owner, [value], [])), node)


class _Source:
    """A source, with what surrounds each node."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._around = {
            part: node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)
        }
        self._bound = Counter(bound_in(tree))
        self._is_numpy = self._bound["np"] == 1 and any(
            (part.name, part.asname) == ("numpy", "np") for part in nodes_in(tree, ast.alias)
        )
        imported = [part.asname or part.name for part in nodes_in(tree, ast.alias)]
        self._renamed = (self._bound - Counter(imported)).keys() - ITERATORS | {
            part.asname for part in nodes_in(tree, ast.alias) if part.asname
        }
        """The names that mean something else than where they are defined or imported from."""
        self._constants = constants_in(tree)
        functions = nodes_in(tree, ast.FunctionDef)
        self._named: dict[str, list[Functions]] = {}
        for part in functions:
            self._named.setdefault(part.name, []).append(part)
        for statement in nodes_in(tree, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name) and isinstance(statement.value, ast.Lambda):
                    self._named.setdefault(target.id, []).append(statement.value)
        self._values: list[Functions | ast.GeneratorExp] = []
        """What a generator may compute under other names: functions and generator expressions."""
        for node in self._around:
            match node:
                case ast.GeneratorExp() | ast.Lambda() if not self._is_taken_at_once(node):
                    self._values.append(node)
                case ast.Name(name) if not self._is_taken_at_once(node):
                    self._values += self._named.get(name, [])
        self._acting = acting_in(tree)
        self._open: Set[str] = frozenset()
        """The functions whose parameters are looked at now."""

    def _is_taken_at_once(self, node: ast.AST) -> bool:
        """Tell whether an expression is called, or taken by a function that does not keep it."""
        around = self._around[node]
        if isinstance(around, ast.keyword):
            around = self._around[around]
        match around:
            case ast.Call(func=function) if function is node:
                return True
            case ast.Call(func=ast.Name(name)):
                return name in _USING or (name in _WRAPPING and self._is_taken_at_once(around))
            case ast.Call(ast.Attribute(attr=name), given):
                return name in _USING_METHODS and node in given
        return False

    def may_be_list(self, function: ast.FunctionDef) -> bool:
        """Tell whether a function is a generator that may make all its values at the call."""
        own = list(nodes_of_scope(function))
        uses = [name for name in nodes_in(self._tree, ast.Name) if name.id == function.name]
        return (
            all(isinstance(self._around[node], ast.Expr) for node in _yields_of(function))
            and not any(isinstance(node, ast.Return) and node.value for node in own)
            and not any(map(_never_ends, own))
            and function.name not in self._acting
            and self._bound[function.name] == 1
            and self._renamed.isdisjoint(_USING | _WRAPPING | _OF_NUMBERS)
            and not any(map(names_changed_in, nodes_in(self._tree, ast.Lambda)))
            and all(self._is_used_at_once(name, function) for name in uses)
        )

    def _is_used_at_once(self, name: ast.Name, function: ast.FunctionDef) -> bool:
        """Tell whether a generator is called where its name is read, and used there at once."""
        call = self._around[name]
        if not isinstance(call, ast.Call) or call.func is not name:
            return False
        free = self._free_names(function) - self._constants
        if not self._sees_lists(function):
            return self._uses(call, free, None)
        return self._uses(call, free, free | named_in(call))

    def _free_names(self, function: Functions) -> set[str]:
        """Return the names around a function that it and the functions that it may call read."""
        free: set[str] = set()
        left: list[Functions | ast.GeneratorExp] = [function, *self._values]
        for one in left:
            own = bound_in(one) if isinstance(one, ast.GeneratorExp) else names_of(one)
            free |= loads(one) - set(own)
            left += [
                other for name in free for other in self._named.get(name, ()) if other not in left
            ]
        return free

    def _uses(self, node: ast.AST, free: Set[str], seen: Set[str] | None) -> bool:
        """Tell whether the iterator that an expression makes is used at once.

        free: The names around the generator that it reads, which must not be bound anew or changed
        meanwhile. seen: The names of what it may read lists from, which must not change; None if it
        reads numbers alone.
        """
        around = self._around[node]
        match around:
            case ast.For(iter=over) if over is node:
                return self._is_stable(around, free, seen)
            case ast.comprehension():
                whole = self._around[around]
                assert isinstance(whole, Comprehension)
                if whole.generators[0] is not around or self._may_disturb(whole, free, seen):
                    return False
                return not isinstance(whole, ast.GeneratorExp) or self._uses(whole, free, seen)
            case ast.Starred() | ast.YieldFrom():  # if this one is not rewritten, it is refused
                return True
            case ast.Call(func=ast.Name(name)) if node is not around.func:
                return name in _USING or (name in _WRAPPING and self._uses(around, free, seen))
        return False

    def _may_disturb(
        self, made: Comprehension, free: Set[str], seen: Set[str] | None
    ) -> bool:
        """Tell whether a comprehension may change what a generator reads; see `_uses`."""
        if not self._acting.isdisjoint(named_in(made)):
            return bool(free) or seen is not None
        changed = names_changed_in(made) | assigned_in_expressions(made)
        return not changed.isdisjoint(free) or (bool(changed) and seen is not None)

    def _is_stable(self, loop: ast.For, free: Set[str], seen: Set[str] | None) -> bool:
        """Tell whether the rounds of a loop change nothing that a generator reads; see `_uses`."""
        heaps = _heaps_in(loop)
        read = {part for one in loop.body for part in nodes_in(one, ast.Name) if part not in heaps}
        if not self._acting.isdisjoint(part.id for part in read):
            return not free and seen is None
        changed = (names_changed_in(loop) | set(heaps.values())) - _counted_in(loop)
        if not free.isdisjoint(changed | set(bound_in(loop))):
            return False
        stored = {
            getattr(indices_of(part)[0], "id", "")
            for part in nodes_in(loop, ast.Subscript)
            if not isinstance(part.ctx, ast.Load) and not self._is_put(part)
        }  # fmt: skip
        within: ast.AST = loop
        while not isinstance(within, ast.FunctionDef | ast.Module):
            within = self._around[within]
        given = {name: list(assigned_to(name, [within])) for name in changed - {""}}
        return seen is None or "" not in stored and all(
            name not in seen and values and (
                self._renamed.isdisjoint({"copy", "deepcopy"})
                and has_own_rows(name, within, self._around)
                or (name not in stored and self._is_apart(name, seen, within))
                or self._is_own_array(name, values, within)
            )
            for name, values in given.items()
        )

    def _is_apart(self, name: str, seen: Set[str], within: ast.AST) -> bool:
        """Tell whether a name is that of a new container, of which others have nothing.

        A parameter is one if each call of its function gives one.
        """
        if not seen.isdisjoint(_holders_of(name, within)):
            return False
        values = list(assigned_to(name, [within]))
        taken = within.args.args if isinstance(within, ast.FunctionDef) else []
        names = [one.arg for one in taken]
        if name not in names or len(values) != 1 or not isinstance(within, ast.FunctionDef):
            return bool(values) and all(map(_is_new, values))
        uses = [one for one in nodes_in(self._tree, ast.Name) if one.id == within.name]
        return within.name not in self._open and bool(uses) and all(
            self._gives_apart(self._around[one], one, names.index(name), seen) for one in uses
        )

    def _gives_apart(
        self, call: ast.AST, function: ast.Name, place: int, seen: Set[str]
    ) -> bool:
        """Tell whether a call of a function gives a container that `_is_apart` at a place."""
        if not isinstance(call, ast.Call) or call.func is not function or call.keywords:
            return False
        given = call.args[place] if place < len(call.args) else None
        if not isinstance(given, ast.Name) or nodes_in(call, ast.Starred):
            return _is_new(given)
        within: ast.AST = call
        while not isinstance(within, ast.FunctionDef | ast.Module):
            within = self._around[within]
        others = {one for part in call.args if part is not given for one in named_in(part)}
        with for_now(self, _open=self._open | {function.id}):
            return self._is_apart(given.id, seen | others, within)

    def _is_put(self, element: ast.Subscript) -> bool:
        """Tell whether `x[k]` gets another object or number, so that nothing but `x` changes."""
        match self._around[element]:
            case ast.AugAssign(value=ast.Constant()) | ast.Assign():
                return isinstance(element.value, ast.Name)
        return False

    def _is_own_array(
        self, name: str, values: list[ast.expr | None], within: ast.AST
    ) -> bool:
        """Tell whether a name is that of new arrays of NumPy that nothing else holds a part of."""
        return all(self._makes_array(value, within) for value in values) and all(
            isinstance(one.ctx, ast.Store) or self._is_of_array(one)
            for one in nodes_in(within, ast.Name) if one.id == name
        )

    def _makes_array(self, value: ast.expr | None, within: ast.AST) -> bool:
        match value:
            case ast.Call(ast.Attribute(ast.Name(name), "copy"), [], []) if name != "np":
                values = list(assigned_to(name, [within]))
                return bool(values) and all(map(self._is_from_numpy, values))
        return self._is_from_numpy(value)

    def _is_from_numpy(self, value: ast.expr | None) -> bool:
        match value:
            case ast.Call(ast.Attribute(ast.Name("np"), name), keywords=keywords):
                is_own = not any(part.arg == "copy" for part in keywords)
                return self._is_numpy and name in _MAKING_ARRAYS and is_own
        return False

    def _is_of_array(self, name: ast.Name) -> bool:
        """Tell whether a name of an array is used where nothing keeps the array, or a view."""
        match around := self._around[name]:
            case ast.Return():
                return True
            case ast.Subscript(value=owner, slice=index) if owner is name:
                is_changed = not isinstance(around.ctx, ast.Load)
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                is_element = len(parts) == 2 and not nodes_in(index, ast.Slice)
                return is_changed or is_element
            case ast.Attribute(value=owner, attr="any" | "copy" | "shape" | "sum" | "tolist"):
                return owner is name
        return False

    def _sees_lists(self, function: ast.FunctionDef) -> bool:
        """Tell whether a generator may see changes of lists that it does not make."""
        given = {part.arg for part in nodes_in(function.args, ast.arg)}
        made = assigned_in(function.body) - given
        for name in (name for part in function.body for name in nodes_in(part, ast.Name)):
            if isinstance(name.ctx, ast.Load) and name.id not in made | self._constants:
                if not self._is_number_for(name):
                    return True
        return False

    def _is_number_for(self, name: ast.Name) -> bool:
        """Tell whether a name is read as a number, or is a function of numbers."""
        match around := self._around[name]:
            case ast.BinOp() | ast.UnaryOp() | ast.Yield():
                return True
            case ast.Compare(ops=operators):
                return not any(isinstance(one, ast.In | ast.NotIn) for one in operators)
            case ast.Tuple():
                return isinstance(self._around[around], ast.Yield)
            case ast.Call(func=ast.Name(called)):
                return called in _OF_NUMBERS
        return False


def has_own_rows(name: str, within: ast.AST, around: Mapping[ast.AST, ast.AST]) -> bool:
    """Tell whether a name is that of lists of new lists, all of which nothing else holds.

    The name is only bound, returned, measured, or read and set at `x[i][j]`. around: The parents
    of nodes.
    """
    return all(map(_makes_rows, assigned_to(name, [within]))) and all(
        isinstance(one.ctx, ast.Store) or _is_cell(one, around)
        for one in nodes_in(within, ast.Name) if one.id == name
    )


def _is_cell(name: ast.Name, around: Mapping[ast.AST, ast.AST]) -> bool:
    rows = around[name]
    row = around[rows]
    match rows, row:
        case (ast.Return(), _) | (ast.Tuple(), ast.Return()) | (ast.Call(ast.Name("len")), _):
            return True
        case ast.Subscript(value=owner, slice=index), ast.Call(ast.Name("len")):
            return owner is name and not isinstance(index, ast.Slice)
        case ast.Subscript(value=owner), ast.Subscript(value=inner) if owner is name:
            is_part = inner is rows and not isinstance(rows.slice, ast.Slice)
            kept = ast.Subscript | ast.Attribute | ast.AugAssign
            return is_part and not isinstance(around[row], kept)
    return False


def _holders_of(name: str, within: ast.AST) -> set[str]:
    """Return a name of a container, and those of values that may be or hold this container."""
    found, more = set[str](), {name}
    statements = [part for part in all_nodes_in(within) if isinstance(part, ast.stmt)]
    inner = [part for part in functions_in(within) if part is not within]
    while more - found:
        found |= more
        for part in statements:
            read = [one for one in exposed_alone(part) if one.name in found]
            if any(one.levels < (1 if one.name == name else ALL) for one in read):
                more |= filled_by(part)
        if not all(found.isdisjoint(named_in(part)) for part in inner):  # they may return it
            more = more.union(*map(filled_by, statements))
    return found


def _heaps_in(loop: ast.For) -> dict[ast.expr, str]:
    """Return the functions of heaps that a loop calls, each with the name of the heap."""
    found: dict[ast.expr, str] = {}
    for call in nodes_in(loop, ast.Call):
        match call:
            case ast.Call(ast.Name(name) as function, [ast.Name(heap), *_]) if name in _OF_HEAPS:
                found[function] = heap
    return found


def _counted_in(loop: ast.For) -> set[str]:
    """Return the names that a loop changes as numbers alone, as in `n += 1`."""
    sums = [part for part in nodes_in(loop, ast.AugAssign) if isinstance(part.target, ast.Name)]
    others = [part.target for part in sums if not isinstance(part.value, ast.Constant)]
    owners = [part.value for part in nodes_in(loop, ast.Attribute)]
    owners += [part.value for part in nodes_in(loop, ast.Subscript)]
    held = {getattr(one, "id", "") for one in (*others, *owners)}
    return {part.target.id for part in sums} - held  # type: ignore[union-attr]


def _is_new(value: ast.expr | None) -> bool:
    """Tell whether an expression makes a new container, or is a constant."""
    match value:
        case ast.Constant() | ast.List() | ast.Set() | ast.Dict():
            return True
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.BinOp(ast.List(), ast.Mult()):
            return True
        case ast.Call(func=ast.Name("Counter" | "defaultdict" | "deque" | "dict" | "list" | "set")):
            return True
    return False


def _makes_rows(value: ast.expr | None) -> bool:
    """Tell whether an expression makes a list of new lists."""
    match value:
        case ast.ListComp(elt=ast.Subscript(slice=ast.Slice(lower=None, upper=None, step=None))):
            return True
        case ast.ListComp(elt=ast.BinOp(ast.List([ast.Constant()]), ast.Mult())):
            return True
        case ast.ListComp(elt=ast.ListComp() | ast.Call(ast.Name("list"))):
            return True
        case ast.ListComp(elt=ast.Call(ast.Attribute(attr="copy"), [])):
            return True
        case ast.Call(ast.Name("deepcopy") | ast.Attribute(ast.Name("copy"), "deepcopy")):
            return True
    return False


def constants_in(tree: ast.Module) -> set[str]:
    """Return the names of a module's values that nothing changes."""
    bound = Counter(bound_in(tree))
    return {name for name in assigned_in(tree.body) if bound[name] == 1} - names_changed_in(tree)


def acting_in(tree: ast.Module) -> set[str]:
    """Return the functions that change more than their own names, and those that mention them."""
    functions = nodes_in(tree, ast.FunctionDef)
    acting = {part.name for part in functions if _acts(part)}
    while more := {
        part.name for part in functions if not acting.isdisjoint(named_in(part))
    } - acting:
        acting |= more
    return acting


def _acts(function: ast.FunctionDef) -> bool:
    """Tell whether a function may change more than the names that it assigns itself."""
    given = {part.arg for part in nodes_in(function.args, ast.arg)}
    own = assigned_in(function.body) - given | _copied_sets(function)
    shared = [*nodes_in(function, ast.Global), *nodes_in(function, ast.Nonlocal)]
    return bool(shared) or not own.issuperset(names_changed_in(function))


def _copied_sets(function: ast.FunctionDef) -> set[str]:
    """Return the parameters that a function makes sets of its own at first: `x = set(x)`."""
    found: set[str] = set()
    for statement in function.body[ast.get_docstring(function) is not None :]:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("set"), [ast.Name(of)])) if (
                name == of
            ):
                found.add(name)
            case _:
                break
    return found


def _never_ends(node: ast.AST) -> bool:
    """Tell whether a node is a loop that only its user ends, as `while True` without `break`."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant):
        return False
    return not nodes_in(node, ast.Break) and not nodes_in(node, ast.Return)
