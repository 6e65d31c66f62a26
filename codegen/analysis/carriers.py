"""Tells which names may stand for objects of some classes, and whether a source compares these."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence, Set

from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import (
    Functions,
    annotations_in,
    functions_in,
    last_name,
    nodes_in,
    nodes_of_scope,
    parts_at,
)

OF_PYTHON = {name for kind in (Counter, deque, dict, frozenset, list, set) for name in dir(kind)}
"""The members of Python's containers."""
KEY_OF_CLASS = "an object"
"""The key of an object's dictionary with the number of its class; no other dictionary has it."""
_LOOKS = {"all", "any", "bool", "int", "isinstance", "len", "print", "range"}
"""Functions of Python whose results are or hold no objects that they are given."""
_COMPARING = {"count", "index", "remove", "discard"}
_COMPARING_FUNCTIONS = {"contains", "countOf", "eq", "indexOf", "ne"}
"""Functions of `operator`."""
_HASHING = {"Counter", "OrderedDict", "dict", "frozenset", "set"}
_HASHING_FIRST = {
    "add", "fromkeys", "get", "isdisjoint", "issubset", "issuperset", "pop", "setdefault",
    "symmetric_difference", "symmetric_difference_update",
}  # fmt: skip
"""Methods of sets and dictionaries that look up their first argument, or its elements."""
_HASHING_ALL = {
    "difference", "difference_update", "intersection", "intersection_update", "union", "update",
}  # fmt: skip
"""Those that look up the elements of all their arguments."""

_FUNCTION_AT = {
    "accumulate": slice(1, 2), "groupby": slice(1, 2),
    **dict.fromkeys(
        ("dropwhile", "filter", "filterfalse", "map", "reduce", "starmap", "takewhile"), slice(1)
    ),
}  # fmt: skip
"""Where functions of Python take a function, other than `key`."""


def may_compare_objects(
    tree: ast.Module, classes: Set[str], is_object: Callable[[ast.expr], bool]
) -> bool:
    """Tell whether objects of some classes may be compared, or put into sets, in a source.

    is_object: Tells whether an expression is certain to be an object of a class of the source.
    """
    is_told_apart = all(one.value != KEY_OF_CLASS for one in nodes_in(tree, ast.Constant))
    carriers = Carriers(tree, classes, is_object, only_compared=True, by_identity=is_told_apart)
    annotations = annotations_in(tree)
    return any(carriers.compares(one) for one in ast.walk(tree) if one not in annotations)


class Carriers:
    """The names of a source that may stand for objects, or for what holds some.

    A field has its name with a dot in front, the results of functions their names with `()` behind.
    All scopes are taken together: locals have names of their own, see `local_names`.

    is_object: As for `may_compare_objects`. only_compared: Whether names of which only fields are
    read, in keys of `sort`, do not count. by_identity: Whether an object equals itself alone.
    """

    def __init__(
        self, tree: ast.Module, classes: Set[str],
        is_object: Callable[[ast.expr], bool] = lambda node: False, *, only_compared: bool = False,
        by_identity: bool = False,
    ) -> None:  # fmt: skip
        self._classes = classes
        self._only_compared, self._by_identity = only_compared, by_identity
        self._bound = set(bound_in(tree))
        self._functions: dict[str, list[ast.FunctionDef]] = {}
        for function in nodes_in(tree, ast.FunctionDef):
            self._functions.setdefault(function.name, []).append(function)
        methods = {part for one in nodes_in(tree, ast.ClassDef) for part in one.body}
        self._named = {
            name for name, found in self._functions.items() if not methods.issuperset(found)
        }  # fmt: skip
        """The names of functions that are no methods."""
        self._variables = self._bound - self._functions.keys() - classes
        self._called = {call.func for call in nodes_in(tree, ast.Call)}
        attributes = nodes_in(tree, ast.Attribute)
        read = (*nodes_in(tree, ast.Name), *attributes)
        values = [part for part in read if part not in self._called]
        self._read = [*nodes_in(tree, ast.Lambda), *self._functions_in(values)]
        """The functions that the source reads as values."""
        self._fields = {part.attr for part in attributes if isinstance(part.ctx, ast.Store)}
        self._methods = set(values).intersection(attributes)
        """What may be methods that the source reads as values."""
        self._names: set[str] = set()
        self._filled: set[str] = set()
        """The names of containers into which objects are put; they may have other names, too."""
        self._is_object = is_object
        self._of_python: dict[ast.expr, bool] = {}
        """What `_may_be_of_python` has told."""
        self._given: dict[str, set[str]] = dict(_fields_of_named_tuples(tree))
        """The names that the arguments get which make an object or a record of each class."""
        for definition in nodes_in(tree, ast.ClassDef):
            given = self._given[definition.name] = set[str]()
            for part in definition.body:
                match part:
                    case ast.AnnAssign(ast.Name(name)):
                        given.add(f".{name}")
                    case ast.FunctionDef("__init__"):
                        given.update(argument.arg for argument in nodes_in(part.args, ast.arg))
                if definition.name not in classes or not isinstance(part, ast.FunctionDef):
                    continue
                names = [argument.arg for argument in nodes_in(part.args, ast.arg)]
                is_called = part.name.endswith("__") and part.name != "__init__"
                if is_called:  # by Python, with anything
                    self._names.update(names)
                elif not is_static(part):
                    self._names.update(names[:1])
        known = -1
        while known < len(self._names | self._filled):
            known = len(self._names | self._filled)
            for node in ast.walk(tree):
                self._names.update(self._named_by(node))
                self._filled.update(self._filled_by(node))
            self._names |= self._filled

    def compares(self, node: ast.AST) -> bool:
        """Tell whether a node compares or hashes objects."""
        match node:
            case ast.Compare(left, operators, others) if any(
                isinstance(one, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for one in operators
            ):
                sides = [self.carries(side) for side in (left, *others)]
                return sides.count(True) > self._by_identity  # no object equals anything else
            case ast.alias(name) | ast.Attribute(attr=name) if name in _COMPARING_FUNCTIONS:
                return name not in self._functions
            case ast.Attribute(owner, name) if name in _COMPARING and node in self._methods:
                return name not in self._fields and self.carries(owner)
            case ast.Call(function, given, words) if last_name(function) == "groupby":
                return any(map(self.carries, [*given[1:], *words] or given))
            case ast.Call(ast.Name(name), given) if self._is_primitive(name):
                return any(map(self.carries, given))
            case ast.Call(ast.Attribute(owner) as called, given) if called.attr in _COMPARING:
                return self._may_be_of_python(called) and any(map(self.carries, [owner, *given]))
            case ast.Call(ast.Attribute() as called, given) if called.attr in _HASHING_ALL:
                return self._may_be_of_python(called) and any(map(self.carries, given))
            case ast.Call(ast.Attribute() as called, [first, *_]) if called.attr in _HASHING_FIRST:
                return self._may_be_of_python(called) and self.carries(first)
            case ast.Call(function, given) if self._hashes(function):
                return any(map(self.carries, given))
            case ast.Call(function, [first, *given]) if self._hashes(first):
                return any(map(self.carries, given))
            case ast.Call(function, [_, *given]) if last_name(function) == "defaultdict":
                return any(map(self.carries, given))
            case ast.Set(parts):
                return any(map(self.carries, parts))
            case ast.SetComp(part) | ast.DictComp(part) | ast.Subscript(slice=part):
                return self.carries(part)
            case ast.Dict(keys):
                return any(key is not None and self.carries(key) for key in keys)
        return False

    def _is_primitive(self, name: str) -> bool:
        return name not in self._bound and not hasattr(builtins, name)

    def _may_be_of_python(self, called: ast.expr) -> bool:
        """Tell whether what is called may be something else than a function of the source."""
        name, found = last_name(called), self._of_python
        if not isinstance(called, ast.Attribute):
            return name not in self._named
        if called not in found:
            may_be_own = name in self._functions
            is_certain = name not in OF_PYTHON or self._is_object(called.value)
            found[called] = not (may_be_own and is_certain)
        return found[called]

    def _hashes(self, function: ast.expr) -> bool:
        """Tell whether a function looks up its arguments, as one with a cache may do."""
        name = last_name(function)
        is_decorated = any(one.decorator_list for one in self._functions.get(name, ()))
        return name in _HASHING or (is_decorated and isinstance(function, ast.Name))

    def carries(self, node: ast.AST) -> bool:
        """Tell whether the value of an expression may be an object, or hold one."""
        match node:
            case ast.Name(name):
                return name in self._classes or not self._names.isdisjoint((name, f"{name}()"))
            case ast.Attribute(_, name):
                return not self._names.isdisjoint((name, f".{name}", f"{name}()"))
            case ast.Compare():
                return False
            case ast.ListComp(one) | ast.SetComp(one) | ast.GeneratorExp(one) | ast.Subscript(one):
                return self.carries(one)
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name) as called) if (
                f"{name}()" in self._names or not self._may_be_of_python(called)
            ):
                return f"{name}()" in self._names
            case ast.Call(ast.Name(name)) if name in _LOOKS:
                return False
            case ast.Call(ast.Name("sum"), [_], []):  # of numbers
                return False
            case ast.Call(ast.Attribute(owner), given):
                return any(map(self.carries, [owner, *given]))
        return any(map(self.carries, ast.iter_child_nodes(node)))

    def _named_by(self, node: ast.AST) -> Iterator[str]:
        """Yield the names that a node gives to what carries objects."""
        match node:
            case ast.Assign():
                for target, value in self._assigned(node):
                    if self.carries(value):
                        yield from _owners(target)
            case (
                ast.AnnAssign(target, value=ast.expr() as value) | ast.NamedExpr(target, value)
                | ast.AugAssign(target, _, value)
            ) if self.carries(value):  # fmt: skip
                yield from _owners(target)
            case ast.For(target, over) | ast.comprehension(target, over) if self.carries(over):
                match target, over:
                    case ast.Tuple([_, element]), ast.Call(ast.Name("enumerate")):
                        target = target if "enumerate" in self._bound else element
                yield from _owners(target)
            case ast.Call(called, given, words):
                parts = [*given, *(word.value for word in words)]
                if any(map(self.carries, parts)):
                    yield from self._named_by_call(node, parts)
                elif (
                    isinstance(called, ast.Attribute) and self.carries(called.value)
                    and self._may_be_of_python(called)
                ):
                    for function in self._functions_in(parts):
                        if not (self._only_compared and _reads_fields(function)):
                            yield from (one.arg for one in nodes_in(function.args, ast.arg))
            case ast.arguments(defaults=defaults, kw_defaults=others):
                if any(one is not None and self.carries(one) for one in (*defaults, *others)):
                    yield from (argument.arg for argument in nodes_in(node, ast.arg))
            case ast.FunctionDef(name):
                for part in nodes_of_scope(node, lambda inner: inner is not node):
                    match part:
                        case ast.Return() | ast.Yield() | ast.YieldFrom():
                            if any(map(self.carries, ast.iter_child_nodes(part))):
                                yield f"{name}()"

    def _named_by_call(self, call: ast.Call, parts: list[ast.expr]) -> Iterator[str]:
        """Yield the names that a call with objects gives them: parameters, changed containers."""
        called, name = call.func, last_name(call.func)
        functions = self._functions.get(name, [])
        for function in functions:
            yield from self._parameters_given(function, call)
        taken = [word.value for word in call.keywords if word.arg == "key"]
        taken += call.args[_FUNCTION_AT[name]] if name in _FUNCTION_AT else []
        unknown = {*self._variables, *self._fields, ""}
        is_given = not functions and not unknown.isdisjoint([name, *map(_name_of, taken)])
        for one in self._read if is_given else self._functions_in(parts):
            yield from (argument.arg for argument in nodes_in(one.args, ast.arg))
        if isinstance(called, ast.Attribute) and self._may_be_of_python(called):
            yield from _owners(called.value)
        yield from self._given.get(name, ())

    def _parameters_given(self, function: ast.FunctionDef, call: ast.Call) -> Iterator[str]:
        """Yield the parameters of a function to which a call may give objects.

        The arguments of a method may be for the parameter at their place, or for the next one.
        """
        taken = [*function.args.posonlyargs, *function.args.args]
        names = [argument.arg for argument in nodes_in(function.args, ast.arg)]
        is_plain = len(names) == len(taken) + len(function.args.kwonlyargs)
        has_others = any(word.arg is None for word in call.keywords)
        if not is_plain or has_others or nodes_in(call, ast.Starred):
            yield from names
        for place, one in enumerate(call.args):
            if self.carries(one):
                end = place + 1 + isinstance(call.func, ast.Attribute)
                yield from (argument.arg for argument in taken[place:end])
        yield from (word.arg for word in call.keywords if word.arg and self.carries(word.value))

    def _filled_by(self, node: ast.AST) -> Iterator[str]:
        """Yield the names of what a node puts objects into, or has under a name of such."""
        match node:
            case ast.AugAssign(changed, _, value) if self.carries(value):
                yield from _owners(changed)
            case ast.Assign(targets, value) if self.carries(value):
                for changed in (part for one in targets for part in nodes_in(one, ast.Subscript)):
                    if isinstance(changed.ctx, ast.Store):
                        yield from _owners(changed)
            case ast.Call(called, given, words):
                if isinstance(called, ast.Attribute):
                    if self._may_be_of_python(called) and any(map(self.carries, given)):
                        yield from _owners(called.value)
                    given = [called.value, *given]
                for function in self._functions.get(last_name(called), ()):
                    names = [argument.arg for argument in nodes_in(function.args, ast.arg)]
                    words = [*map(ast.keyword, names, given), *words]
                    for word in words:
                        if word.arg in self._filled:
                            yield from _owners(word.value)
            case ast.FunctionDef(name) if not self._filled.isdisjoint((f".{name}", f"{name}()")):
                for part in nodes_in(node, ast.Return):
                    yield from _owners(part.value or part)
        match node:
            case ast.Assign():
                assigned = [*self._assigned(node)]
            case (
                ast.AnnAssign(target, value=ast.expr() as value) | ast.NamedExpr(target, value)
                | ast.For(target, value) | ast.comprehension(target, value)
            ):  # fmt: skip
                assigned = [(target, value)]
            case _:
                return
        for target, value in assigned:
            if not self._filled.isdisjoint(_owners(target)):
                yield from _owners(value)

    def _assigned(self, node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Yield the targets of an assignment, each with an expression for what it gets."""
        match node:
            case ast.Assign([ast.Tuple(targets)], value) if not nodes_in(node, ast.Starred):
                ends: list[ast.expr | None] = [value]
                if isinstance(value, ast.Call):
                    functions = self._functions.get(last_name(value.func), [])
                    ends = [end.value for one in functions for end in nodes_in(one, ast.Return)]
                for place, target in enumerate(targets):
                    for one in parts_at(ends, place) or [value]:
                        yield target, one
            case ast.Assign(targets, value):
                yield from ((target, value) for target in targets)

    def _functions_in(self, parts: Sequence[ast.expr]) -> Iterator[Functions]:
        """Yield the functions that are values in some expressions."""
        for part in parts:
            yield from functions_in(part)
            for one in (*nodes_in(part, ast.Name), *nodes_in(part, ast.Attribute)):
                if one not in self._called:
                    yield from self._functions.get(last_name(one), ())


def _fields_of_named_tuples(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Yield the names that calls of `namedtuple` have, with the words in the calls."""
    for statement in nodes_in(tree, ast.Assign):
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call() as call) if (
                last_name(call.func) == "namedtuple"
            ):
                yield name, {f".{word}" for word in re.findall(r"\w+", ast.unparse(call))}


def _name_of(node: ast.expr) -> str:
    """Return the name of a function that an expression is; "None" for one that is written out."""
    return "None" if isinstance(node, ast.Constant | ast.Lambda) else last_name(node)


def is_static(function: ast.FunctionDef) -> bool:
    """Tell whether a function of a class takes no object."""
    return any(getattr(one, "id", "") == "staticmethod" for one in function.decorator_list)


def _reads_fields(function: Functions) -> bool:
    """Tell whether a function reads nothing of names but their fields."""
    owners = {part.value for part in nodes_in(function, ast.Attribute)}
    return owners.issuperset(nodes_in(function, ast.Name))


def _owners(target: ast.AST) -> Iterator[str]:
    """Yield the names that own a target, or that may stand for a value or what holds it."""
    match target:
        case ast.Name(name):
            yield name
        case ast.Attribute(_, name):
            yield f".{name}"
        case ast.Subscript(value) | ast.Starred(value):
            yield from _owners(value)
        case ast.Tuple(parts) | ast.List(parts) | ast.BoolOp(values=parts):
            for part in parts:
                yield from _owners(part)
        case ast.IfExp(_, body, orelse):
            yield from (*_owners(body), *_owners(orelse))
        case ast.Call(ast.Name(name)) if name in _LOOKS:
            pass
        case ast.Call(ast.Attribute(owner, "get" | "pop" | "setdefault" as name), [_, *given]):
            yield f"{name}()"
            for part in (owner, *given):
                yield from _owners(part)
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name) as called, given):
            yield f"{name}()"
            for part in (*([called.value] if isinstance(called, ast.Attribute) else []), *given):
                yield from _owners(part)
