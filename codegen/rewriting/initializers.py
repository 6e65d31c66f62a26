"""Gives data classes with `__post_init__` an `__init__`, so that they are classes like others.

    @dataclass                             class Part:
    class Part:                                def __init__(self, cells):
        cells: list                                self.cells = cells
        size: int = field(init=False)              self.size = len(cells)
        def __post_init__(self):
            self.size = len(self.cells)

A source stays as it is if it has other uses of the fields, such as `asdict` and `replace`.
"""

from __future__ import annotations

import ast

from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import (
    called_name,
    copy_of_all,
    forget,
    last_name,
    nodes_in,
    parameters_of,
    placed,
)
from megabatt.codegen.analysis.values import held_in
from megabatt.codegen.rewriting.members import NO_FIELDS, fields_of

_OF_FIELDS = {"__dict__", "asdict", "astuple", "fields", "vars"}
_OPTIONS = {"default", "default_factory", "init", "repr"}
"""The options of `field` that are read."""


class _Unsuitable(Exception):
    """Raised for a class that stays as it is."""


def reads_fields(tree: ast.AST) -> bool:
    """Tell whether a source may read all fields of an object."""
    read = (*nodes_in(tree, ast.Name), *nodes_in(tree, ast.Attribute))
    return any(last_name(one) in _OF_FIELDS for one in read)


def with_initializers(tree: ast.Module) -> ast.Module:
    """Return a source in which such classes have an `__init__`."""
    if not any(map(_has_post_init, tree.body)):
        return tree
    made = copy_of_all(tree)
    try:
        if reads_fields(tree) or "replace" in loads(tree):
            raise _Unsuitable
        for part in made.body:
            if isinstance(part, ast.ClassDef) and _has_post_init(part):
                _write_initializer(part, tree)
    except _Unsuitable:
        return tree
    forget(made)
    return made


def _has_post_init(part: ast.stmt) -> bool:
    """Tell whether a statement is a data class with `__post_init__`, and no other initializer."""
    match part:
        case ast.ClassDef(decorator_list=[kind], bases=[]) if called_name(kind) == "dataclass":
            names = {getattr(one, "name", "") for one in part.body}
            is_plain = names.isdisjoint({"__init__", "__eq__"})
            options = {word.arg for word in getattr(kind, "keywords", ())}
            return "__post_init__" in names and is_plain and options <= {"frozen", "slots"}
    return False


def _write_initializer(definition: ast.ClassDef, tree: ast.Module) -> None:
    """Write `__init__` in place of the fields and of `__post_init__`. tree: The source."""
    fields = fields_of(definition)
    last, *others = (one for one in definition.body if getattr(one, "name", "") == "__post_init__")
    if others or not isinstance(last, ast.FunctionDef) or len(parameters_of(last)) != 1:
        raise _Unsuitable
    lines: list[ast.stmt] = []
    most: int | None = None
    """The most arguments without words that calls may give."""
    own = {*bound_in(last)}
    for name, field in fields.items():
        kinds = {last_name(part) for part in ast.walk(field.annotation)}
        if kinds & NO_FIELDS or name in loads(last) - own:
            raise _Unsuitable
        if field.value and not loads(field.value).isdisjoint(own | fields.keys()):
            raise _Unsuitable  # `__init__` has other values of these names
        value = _value_of(field, last.args)
        if isinstance(value, ast.Call) and most is None:  # of the factory
            most = len(last.args.args) - 1
        if value is not None:
            owner = ast.Name(last.args.args[0].arg, ast.Load())
            target = ast.Attribute(owner, name, ast.Store())
            lines.append(placed(ast.Assign([target], value), field))
    if most is not None:
        _check_calls(tree, definition.name, most)
    last.name, last.body = "__init__", [*lines, *last.body]
    definition.decorator_list = []
    definition.body = [part for part in definition.body if part not in fields.values()]


def _check_calls(tree: ast.Module, name: str, most: int) -> None:
    """Refuse a class if a call may give it more arguments without words than `most`."""
    for call in nodes_in(tree, ast.Call):
        is_starred = any(isinstance(one, ast.Starred) for one in call.args)
        if last_name(call.func) in (name, "cls") and (is_starred or len(call.args) > most):
            raise _Unsuitable
    if name in {*held_in(tree)}:
        raise _Unsuitable


def _value_of(field: ast.AnnAssign, taking: ast.arguments) -> ast.expr | None:
    """Return what a field gets at first; None if nothing. Adds the parameter that it has.

    A field with a factory has no parameter: a call that gives it a value is not read.
    """
    options: dict[str | None, ast.expr] = {}
    default = field.value
    if isinstance(default, ast.Call) and called_name(default) == "field":
        options = {word.arg: word.value for word in default.keywords}
        if default.args or not options.keys() <= _OPTIONS:
            raise _Unsuitable
        default = options.get("default")
    if "default_factory" in options:
        return ast.Call(options["default_factory"], [], [])
    match options.get("init"):
        case ast.Constant(False):
            return default
        case ast.Constant(True) | None:
            pass
        case _:
            raise _Unsuitable
    name = getattr(field.target, "id", "")
    if default is None and taking.defaults:
        raise _Unsuitable
    taking.args.append(ast.arg(name))
    taking.defaults += [default] if default is not None else []
    return ast.Name(name, ast.Load())
