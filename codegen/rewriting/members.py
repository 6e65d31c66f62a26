"""Tells what members classes have, and what their functions take and do; see `methods`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from megabatt.codegen.analysis.names import bound_in, named_in, names_in
from megabatt.codegen.analysis.nodes import called_name, functions_in, nodes_in
from megabatt.codegen.rewriting.classes import words_of_named_tuples
from megabatt.codegen.rewriting.constants import ENUMS
from megabatt.codegen.rewriting.dispatch import OBJECT
from megabatt.codegen.rewriting.local_names import is_own

RECORDS = {"NamedTuple", "TypedDict", "dataclass"}
"""The bases and decorators of records."""
NO_FIELDS = {"ClassVar", "InitVar", "KW_ONLY"}
"""Annotations of what is no field of a record."""
_PASSED_OVER = {"__repr__", "__str__"}
_KINDS = {"classmethod": "class", "property": "property", "staticmethod": "static"}


class Member(NamedTuple):
    """A function or a value of a class. of: The class. name: The member's name in the module.

    kind: "method", "property", "static", "class" or "value". object: The name that a function has
    for its object, or for the class; "" if there is none.
    """

    kind: str
    of: str
    name: str
    definition: ast.FunctionDef | ast.Assign | ast.AnnAssign
    object: str


class Class(NamedTuple):
    """A class with functions. is_record: Whether the class is a record, see `records`."""

    definition: ast.ClassDef
    members: Mapping[str, Member]
    is_record: bool


def class_of(
    definition: ast.ClassDef, bound: Mapping[str, int], tree: ast.Module
) -> Class | None:  # fmt: skip
    """Return what a class has; None without functions, and for a record with `__init__`.

    A class that another one is made of stays, too.
    """
    others = [base for one in nodes_in(tree, ast.ClassDef) for base in one.bases]
    if definition.name in {getattr(base, "id", "") for base in others}:
        return None
    kinds = [called_name(one) for one in (*definition.decorator_list, *definition.bases)]
    if "object" not in bound and kinds == ["object"]:
        kinds, definition.bases = [], []
    is_record = bool(kinds)
    members = _members_of(definition, bound, is_record)
    has_functions = any(one.kind != "value" for one in (members or {}).values())
    if not members or not has_functions or (is_record and "__init__" in members):
        return None
    if is_record and (len(kinds) > 1 or kinds[0] not in RECORDS | ENUMS):
        return None
    return Class(definition, members, is_record)


def is_operator(name: str) -> bool:
    """Tell whether Python calls methods of a name by itself, other than those that are read."""
    return name.startswith("__") and name.endswith("__") and name not in {"__init__", *_PASSED_OVER}


def _members_of(
    definition: ast.ClassDef, taken: Mapping[str, int], is_record: bool
) -> dict[str, Member] | None:  # fmt: skip
    """Return the functions and values of a class; None if one of them cannot leave the class."""
    members: dict[str, Member] = {}
    for statement in definition.body:
        kind: str | None = "value"
        match statement:
            case ast.FunctionDef(name) if name in _PASSED_OVER:
                continue
            case ast.FunctionDef(name, decorator_list=[]):
                kind = None if is_operator(name) else "method"
            case ast.FunctionDef(name, decorator_list=[decorator]):
                kind = _KINDS.get(called_name(decorator))
            case ast.Assign([ast.Name("__slots__")]):
                continue
            case ast.Assign([ast.Name()]) if is_enum(definition):
                continue
            case ast.Assign([ast.Name(name)]):
                pass
            case ast.AnnAssign(ast.Name(name), value=ast.expr()) if not is_record:
                pass
            case ast.AnnAssign(ast.Name()) | ast.Pass() | ast.Expr(ast.Constant()):
                continue
            case _:
                return None
        apart = f"{definition.name}_{name}"
        while apart in taken:
            apart += "_"
        if kind is None or name in members or "super" in named_in(statement):
            return None
        first = ""
        if isinstance(statement, ast.FunctionDef):
            given = statement.args
            first = next((one.arg for one in (*given.posonlyargs, *given.args)), "")
        first = "" if kind == "static" else first
        members[name] = Member(kind, definition.name, apart, statement, first)
    return members


def fields_of_object(body: Sequence[ast.stmt], owner: str) -> list[str] | None:
    """Return the fields to which `__init__` gives values, if it does no more with its object.

    Each gets its first value in a line of its own, before it is read. None if that is not so.
    """
    known: dict[str, None] = {}
    for line in body:
        targets = getattr(line, "targets", [getattr(line, "target", None)])
        new = {
            part for target in targets for part in getattr(target, "elts", [target])
            if isinstance(line, ast.Assign | ast.AnnAssign) and getattr(line, "value", None)
        }  # fmt: skip
        read = nodes_in(line, ast.Attribute)
        used = [one for one in read if getattr(one.value, "id", "") == owner]
        others = {name for one in functions_in(line) for name in named_in(one)}
        is_known = all(one in new or one.attr in known for one in used)
        is_bare = len(used) < sum(one.id == owner for one in nodes_in(line, ast.Name))
        if is_bare or owner in others or not is_known:
            return None
        known |= {one.attr: None for one in used if one in new}
    return [*known]


_APART = (
    ast.FunctionDef | ast.Global | ast.Lambda | ast.Nonlocal | ast.Return | ast.Yield
    | ast.YieldFrom
)  # fmt: skip


def is_procedure(member: Member) -> bool:
    """Tell whether a member is a method of statements that can stand in place of a call."""
    parts = [part for part in ast.walk(member.definition) if part is not member.definition]
    return member.kind == "method" and not any(
        isinstance(part, _APART) or (isinstance(part, ast.Name) and part.id == member.object
                                     and not isinstance(part.ctx, ast.Load))
        for part in parts
    )  # fmt: skip


def arguments_of(call: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr] | None:
    """Return the arguments that a call of a method gives, by parameter; None if not all are plain.

    The object is left out.
    """
    taken = function.args
    if taken.vararg or taken.kwarg or taken.posonlyargs or taken.kwonlyargs:
        return None
    names = [one.arg for one in taken.args][1:]
    words = {word.arg: word.value for word in call.keywords if word.arg}
    given = dict(zip(names, call.args, strict=False)) | words
    missing = len(names) - len(taken.defaults)
    for name, default in zip(names[missing:], taken.defaults, strict=False):
        if isinstance(default, ast.Constant):
            given.setdefault(name, default)
    is_fit = len(call.args) <= len(names) and given.keys() == set(names)
    is_once = len(call.args) + len(words) == len(call.args) + len(call.keywords)
    is_starred = any(isinstance(part, ast.Starred) for part in call.args)
    twice = words.keys() & set(names[: len(call.args)])
    return given if is_fit and is_once and not is_starred and not twice else None


def taken_by_all(members: Iterable[Member]) -> ast.arguments | None:
    """Return the parameters that all members have, the object first; None if they differ.

    Those that calls give by name, see `local_names`, must have one name.
    """
    found: dict[str, ast.arguments] = {}
    for one in members:
        taken = ast.arguments([], [], None, [], [], None, [])
        if isinstance(one.definition, ast.FunctionDef):
            given = one.definition.args
            others = given.posonlyargs or given.vararg or given.kwonlyargs or given.kwarg
            if others or not all(isinstance(value, ast.Constant) for value in given.defaults):
                return None
            names = [part.arg for part in given.args]
            names = [f" {k}" if is_own(name) else name for k, name in enumerate(names)]
            taken.args = [*map(ast.arg, names[1:])]
            taken.defaults = given.defaults
        found[ast.dump(taken)] = taken
    if len(found) != 1:
        return None
    (taken,) = found.values()
    taken.args.insert(0, ast.arg(OBJECT))
    return taken


def fields_of(definition: ast.ClassDef) -> dict[str, ast.AnnAssign]:
    """Return the fields of a data class, by name."""
    return {
        part.target.id: part for part in definition.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }  # fmt: skip


def names_apart(one: Class) -> dict[str, str]:
    """Return the names that the members of a class get in the module."""
    return {name: member.name for name, member in one.members.items()}


def computed_in_class(definition: ast.FunctionDef | ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """List the expressions of a member that Python computes where the class is defined."""
    if isinstance(definition, ast.FunctionDef):
        given = definition.args
        return [one for one in (*given.defaults, *given.kw_defaults) if one is not None]
    return [definition.value] if definition.value else []


def is_enum(definition: ast.ClassDef) -> bool:
    """Tell whether the values of a class are members, which stay in the class."""
    return not ENUMS.isdisjoint(map(called_name, definition.bases))


def drop_first(function: ast.FunctionDef) -> None:
    """Take away the first parameter."""
    (function.args.posonlyargs or function.args.args).pop(0)


def stored_by(member: Member) -> Iterator[str]:
    """Yield the fields of its object that a member assigns."""
    for part in nodes_in(member.definition, ast.Attribute):
        if isinstance(part.ctx, ast.Store) and getattr(part.value, "id", "") == member.object:
            yield part.attr


def imports_in(tree: ast.Module) -> dict[str, str]:
    """Return the modules that a source imports, by the names that they have there."""
    return {
        alias.asname or alias.name.partition(".")[0]: alias.name
        for part in nodes_in(tree, ast.Import) for alias in part.names
    }  # fmt: skip


def bound_in_others(tree: ast.Module, classes: Mapping[str, Class]) -> Iterator[str]:
    """Yield what classes of a source that stay have."""
    for definition in nodes_in(tree, ast.ClassDef):
        if definition.name not in classes:
            for part in definition.body:
                yield from bound_in(part)


def fields_of_records(tree: ast.Module) -> Iterator[str]:
    yield from words_of_named_tuples(tree)
    for definition in nodes_in(tree, ast.ClassDef):
        for part in definition.body:
            if isinstance(part, ast.AnnAssign):
                yield from names_in(part.target)
