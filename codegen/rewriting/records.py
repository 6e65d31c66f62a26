"""Rewrites records as dictionaries and tuples: data classes, TypedDicts and NamedTuples.

With `@dataclass class Part: color: int; cells: list`, `Part(3, cells)` becomes `{"color": 3,
"cells": cells}`, and `part.color` becomes `part["color"]`. Elements of named tuples get their
places. With `order=True`, `Part(3, cells)` becomes the tuple `(" Part", 3, cells)`. Classes with
functions stay as they are. `dict(color=3)` becomes `{"color": 3}`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from megabatt.codegen.analysis.carriers import KEY_OF_CLASS, OF_PYTHON
from megabatt.codegen.analysis.names import bound_in, named_in
from megabatt.codegen.analysis.nodes import (
    called_name,
    copy_of_all,
    forget,
    is_call_of,
    nodes_in,
    placed,
)
from megabatt.codegen.analysis.objects import OTHER, Objects
from megabatt.codegen.analysis.ownership import mark_field
from megabatt.codegen.analysis.values import Values
from megabatt.codegen.rewriting.classes import asks_for_tuples, said_of
from megabatt.codegen.rewriting.constants import with_constants
from megabatt.codegen.rewriting.inheritance import with_inherited_members
from megabatt.codegen.rewriting.initializers import with_initializers
from megabatt.codegen.rewriting.local_names import with_locals_apart, with_locals_as_written
from megabatt.codegen.rewriting.members import NO_FIELDS, RECORDS, imports_in
from megabatt.codegen.rewriting.methods import OF_ARRAYS, with_methods_apart
from megabatt.codegen.rewriting.places import PURE
from megabatt.codegen.rewriting.second_names import is_plain
from megabatt.codegen.rewriting.special_methods import with_special_methods_called

_OPTIONS = {"frozen", "kw_only", "slots"}
"""The options of data classes that keep what equality and calls mean."""

_OTHERS = OF_PYTHON.union(*map(dir, (float, int, str, np.ndarray)))
"""The members of values that are no objects of a source's classes."""


class _Record(NamedTuple):
    """A class without functions. kind: "dataclass", "NamedTuple", "TypedDict", or "" for others.

    defaults: The fields' defaults, None for a field without one. mark: The text before the fields
    in the tuples of a data class with an order, which begin like no others.
    """

    kind: str
    defaults: Mapping[str, ast.expr | None]
    mark: str = ""


_WORDS = _Record("dict", {})
"""What `dict` makes of keywords."""


def with_records(tree: ast.Module) -> ast.Module:
    """Return a source without classes of records. May change `tree`."""
    if not nodes_in(tree, ast.ClassDef):
        return _with_records(tree)
    tree = with_locals_apart(with_initializers(with_inherited_members(tree)))
    return with_locals_as_written(_with_records(tree))


def _with_records(tree: ast.Module) -> ast.Module:
    """Do `with_records` for a source whose locals have names of their own."""
    given = tree
    tree = with_special_methods_called(tree)
    tree, others = with_methods_apart(tree)
    tree = with_constants(tree)  # an `Enum` without its methods
    records = dict(_records_in(tree))
    records |= {name: _Record("", dict.fromkeys(fields)) for name, fields in others.items()}
    if records and _may_be_equal(records, tree):
        for definition in nodes_in(tree, ast.ClassDef):
            definition.why_unclear = _advice_on_fields  # type: ignore[attr-defined]
        return tree
    what = "{} may be a field or a method of Python: rename the field"
    for called in _called_fields(records, tree):
        for definition in nodes_in(given, ast.ClassDef):
            definition.why_unclear = said_of(called, what)  # type: ignore[attr-defined]
        return given
    casts, replacing = _imported(tree, "typing", "cast"), _imported(tree, "dataclasses", "replace")
    has_words = any(_is_of_words(call) for call in nodes_in(tree, ast.Call))
    if not records and not casts and not has_words:
        return tree
    bound = Counter(bound_in(tree))
    if "dict" not in bound:
        records["dict"] = _WORDS
        bound["dict"] = 1
    records = {name: record for name, record in records.items() if bound[name] == 1}
    once = {name for name, times in bound.items() if times == 1}
    numbers = set() if "len" in bound else set(_fields_of_numbers(tree, records))
    modules = {name: "" for one in nodes_in(tree, ast.ImportFrom) for name in bound_in(one)}
    modules |= imports_in(tree)
    rewriter = _Rewriter(records, casts & once, replacing & once, modules, numbers)
    body = [rewriter.visit(part) for part in tree.body]
    left = {name for part in body for name in _read_in(part)}  # in another way than to make records
    tree.body = [part for part in body if not _defines(part, records.keys() - left)]
    forget(tree)
    why = "{} has `*`: write each argument"
    for call in filter(_has_star, nodes_in(tree, ast.Call)):
        for definition in nodes_in(tree, ast.ClassDef):
            if is_call_of(definition.name, call):
                definition.why_unclear = said_of(call, why)  # type: ignore[attr-defined]
    return tree


def _may_be_equal(records: Mapping[str, _Record], tree: ast.Module) -> bool:
    """Tell whether the dictionary of a data class may equal another dictionary."""
    fields = [
        one.defaults.keys() for one in records.values()
        if one.kind == "dataclass" and KEY_OF_CLASS not in one.defaults
    ]  # fmt: skip
    typed = (one.defaults for one in records.values() if one.kind == "TypedDict")
    others: set[Any] = set().union(*typed)
    for node in ast.walk(tree):
        match node:
            case ast.Dict([ast.Constant(key), *_]) if key == KEY_OF_CLASS:
                pass
            case ast.Dict(keys):
                others |= {getattr(key, "value", None) for key in keys}
            case ast.Subscript(slice=ast.Constant(key)):
                others.add(key)
            case ast.Call(ast.Name("dict"), keywords=words):
                others |= {word.arg for word in words}
    fields = list(filter(None, fields))
    is_twice = len(set(map(frozenset, fields))) < len(fields)
    return is_twice or any(keys <= others for keys in fields)


def _called_fields(records: Mapping[str, _Record], tree: ast.Module) -> Iterator[ast.Attribute]:
    """Yield what calls a field, or a method of Python with the same name: it is not certain."""
    fields = {name for one in records.values() if one.kind != "TypedDict" for name in one.defaults}
    functions = (call.func for call in nodes_in(tree, ast.Call))
    unclear = [
        one for one in functions
        if isinstance(one, ast.Attribute) and one.attr in fields & OF_PYTHON
    ]  # fmt: skip
    objects = Objects(tree, records.keys(), ()) if unclear else None
    for one in unclear:
        if objects and OTHER not in map(objects.looked_up, (one, one.value)):
            yield one  # the field may be a function, and its owner an object


def _advice_on_fields(before: int) -> str:
    """Say that objects may equal others, and what to write instead; see `Unclear`."""
    return "its objects may equal others with the same fields: give it a field of its own"


def _advice_on_names(before: int) -> str:
    """Do `_advice_on_fields` where a call does not name what it gives."""
    return "a call gives it arguments without names: name each"


def _records_in(tree: ast.Module) -> Iterator[tuple[str, _Record]]:
    """Yield the records of a module with their names."""
    for statement in tree.body:
        match statement:
            case ast.ClassDef(name, bases, _, body, decorators):
                kinds = [called_name(part) for part in (*bases, *decorators)]
                fields = _fields_of(body, tree)
                options = _options(decorators)
                if "kw_only" in options and _takes_places(name, tree):
                    statement.why_unclear = _advice_on_names  # type: ignore[attr-defined]
                    continue
                if len(kinds) == 1 and kinds[0] in RECORDS and fields is not None:
                    if options <= _OPTIONS:
                        yield name, _Record(kinds[0], fields)
                    elif options <= {*_OPTIONS, "order"} and not asks_for_tuples(tree):
                        yield name, _Record("NamedTuple", fields, f" {name}")
            case ast.Assign([ast.Name(name)], ast.Call(function, [_, fields])) if (
                called_name(function) == "namedtuple"
            ):
                words = _words_in(fields)
                if words:
                    yield name, _Record("NamedTuple", dict.fromkeys(words))


def _takes_places(name: str, tree: ast.Module) -> bool:
    """Tell whether a call of a name gives arguments without names."""
    return any(call.args for call in nodes_in(tree, ast.Call) if is_call_of(name, call))


def _fields_of_numbers(tree: ast.Module, records: Mapping[str, _Record]) -> Iterator[str]:
    """Yield the fields of objects, and of no other records, that only ever are numbers."""
    values: dict[str, list[ast.expr | None]] = {}
    for name, found in Values(tree).found.items():
        owner, dot, field = name.rpartition(".")
        if dot and not owner.startswith("["):  # `.field`, or a variable of `__init__` for it
            values.setdefault(field, []).extend(found)
    others = {name for one in records.values() if one.kind for name in one.defaults}
    for name in {name for one in records.values() for name in one.defaults} - others:
        if all(map(_is_number, values.get(name, [None]))):
            yield name


def _is_number(value: ast.expr | None) -> bool:
    """Tell whether an expression is certain to be a number, or another value that never changes."""
    match value:
        case ast.Constant() | ast.Call(ast.Name("len")):
            return True
        case ast.BinOp(left, _, right):
            return _is_number(left) and _is_number(right)
        case ast.Subscript(ast.Subscript(called, ast.Constant()), ast.Constant()):
            return isinstance(called, ast.Call) and called_name(called) == "most_common"
    return False


def _imported(tree: ast.Module, module: str, name: str) -> set[str]:
    """Return the names under which a source imports a function."""
    return {
        alias.asname or alias.name
        for part in tree.body if isinstance(part, ast.ImportFrom) and part.module == module
        for alias in part.names if alias.name == name
    }  # fmt: skip


def _is_of_words(call: ast.Call) -> bool:
    return bool(call.keywords) and len(call.args) < 2 and getattr(call.func, "id", "") == "dict"


def _options(decorators: list[ast.expr]) -> set[str | None]:
    return {word.arg for part in decorators if isinstance(part, ast.Call) for word in part.keywords}


def _words_in(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(str(text)):
            return text.replace(",", " ").split()
        case ast.List(parts) | ast.Tuple(parts):
            return [str(part.value) for part in parts if isinstance(part, ast.Constant)]
    return []


def _fields_of(body: list[ast.stmt], tree: ast.Module) -> dict[str, ast.expr | None] | None:
    """Return the fields of a class with their defaults; None if it has anything else."""
    fields: dict[str, ast.expr | None] = {}
    for statement in body:
        match statement:
            case ast.AnnAssign(ast.Name(name), of, value) if NO_FIELDS.isdisjoint(named_in(of)):
                fields[name], is_made = _default_in(value)
                if not (is_made or _is_same_later(fields[name], tree)):
                    return None
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case _:
                return None
    return fields or None


def _default_in(value: ast.expr | None) -> tuple[ast.expr | None, bool]:
    """Return the default that a field is given, and whether each call makes a new one."""
    match value:
        case ast.Call(ast.Name("field"), [], [ast.keyword("default_factory", ast.Name() as made)]):
            return placed(ast.Call(made, [], []), value), True
        case ast.Call(ast.Name("field"), [], [ast.keyword("default", default)]):
            return default, False
    return value, False


def _is_same_later(value: ast.expr | None, tree: ast.Module) -> bool:
    """Tell whether an expression gives the same object, or an equal number, at each call."""
    if value is None:
        return True
    names = named_in(value)
    bound = Counter(bound_in(tree)) if names else Counter()
    return is_plain(value) and all(bound[name] < 2 for name in names)


def _defines(statement: ast.stmt, records: Set[str]) -> bool:
    match statement:
        case ast.ClassDef(name):
            return name in records
        case ast.Assign([ast.Name(name)], ast.Call() as call):
            return name in records and called_name(call) == "namedtuple"
    return False


def _read_in(node: ast.AST) -> Iterator[str]:
    """Yield the names in a node, but for those in annotations."""
    left = [node]
    for part in left:
        if isinstance(part, ast.Name):
            yield part.id
        for field, value in ast.iter_fields(part):
            if field not in ("annotation", "returns"):
                parts = value if isinstance(value, list) else [value]
                left += [one for one in parts if isinstance(one, ast.AST)]


class _Rewriter(ast.NodeTransformer):
    """Rewrites what makes records, and reads or changes their fields.

    numbers: The fields whose values are numbers.
    """

    def __init__(
        self, records: Mapping[str, _Record], casts: Set[str], replacing: Set[str],
        modules: Mapping[str, str], numbers: Set[str],
    ) -> None:  # fmt: skip
        self._records = records
        self._numbers = numbers
        self._casts = casts
        self._modules = modules
        self._replacing = replacing
        self._keys: dict[str, Any] = {}
        """The key of each field, or None for one with several."""
        for record in records.values():
            for place, name in enumerate(record.defaults, bool(record.mark)):
                if record.kind != "TypedDict":
                    key = place if record.kind == "NamedTuple" else name
                    self._keys[name] = key if self._keys.get(name, key) == key else None
        self._has_arrays = "numpy" in modules.values()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        key = self._keys.get(node.attr)
        if key is None or getattr(node.value, "id", "") in self._modules:
            return node
        made = placed(ast.Subscript(node.value, ast.Constant(key), node.ctx), node)
        if self._has_arrays and node.attr in OF_ARRAYS:
            made.attribute = node.attr  # type: ignore[attr-defined]
        return mark_field(made, node.attr in self._numbers)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _OTHERS:
            node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(part) for part in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self._casts and len(node.args) == 2:
            return node.args[1]
        is_any = any(record.mark for record in self._records.values())
        if name in self._replacing and len(node.args) == 1 and node.keywords and not is_any:
            words = [ast.Constant(word.arg) if word.arg else None for word in node.keywords]
            values = [node.args[0], *(word.value for word in node.keywords)]
            return placed(ast.Dict([None, *words], values), node)
        match node:
            case ast.Call(ast.Attribute(ast.Name(), "_replace"), [], [_, *_]):
                return self._replaced(node)
            case ast.Call(ast.Attribute(ast.Name(of), "_make"), [whole], []) if (
                (record := self._records.get(of)) and record.kind == "NamedTuple"
            ):
                called = ast.Call(node.func.value, [ast.Starred(whole, ast.Load())], [])  # type: ignore[attr-defined]
                return _made(placed(called, node), record) if not record.mark else node
            case ast.Call(function, [ast.Name(of), *_]) if (
                called_name(function) in ("map", "starmap") and of in self._records
            ):
                node.args[0] = _maker(node.args[0], self._records[of]) or node.args[0]
        record = self._records.get(name)
        return _made(node, record) if record is not None and record.kind else node

    def _replaced(self, node: ast.Call) -> ast.expr:
        """Return `p._replace(...)` of a named tuple as a tuple; the call if that is not certain."""
        given = {word.arg: word.value for word in node.keywords}
        fitting = [
            one for one in self._records.values()
            if one.kind == "NamedTuple" and not one.mark and given.keys() <= one.defaults.keys()
        ]  # fmt: skip
        if len(fitting) != 1 or _is_out_of_order(given, fitting[0]):
            return node
        parts = [
            given.get(name) or ast.Subscript(node.func.value, ast.Constant(place), ast.Load())  # type: ignore[attr-defined]
            for place, name in enumerate(fitting[0].defaults)
        ]
        return placed(ast.Tuple(parts, ast.Load()), node)


def _is_out_of_order(given: Mapping[Any, ast.expr], record: _Record) -> bool:
    """Tell whether the order in which Python computes values may differ from that of the fields."""
    parts = (part for value in given.values() for part in ast.walk(value))
    return [name for name in record.defaults if name in given] != [*given] and any(
        isinstance(part, ast.NamedExpr)
        or (isinstance(part, ast.Call) and getattr(part.func, "id", "") not in PURE)
        for part in parts
    )


def _made(call: ast.Call, record: _Record) -> ast.expr:
    """Return the dictionary or tuple that a call makes; the call if its arguments do not fit."""
    if _has_star(call):
        call.func = _maker(call.func, record) or call.func
        return call
    if record is _WORDS:
        keys: list[ast.expr | None] = [None for _ in call.args]
        keys += [ast.Constant(word.arg) if word.arg else None for word in call.keywords]
        others: list[ast.expr] = [ast.Call(call.func, [part], []) for part in call.args]
        made: ast.expr = ast.Dict(keys, others + [word.value for word in call.keywords])
        return placed(made, call) if _is_of_words(call) else call
    given: dict[str | None, ast.expr] = dict(zip(record.defaults, call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords}
    if record.kind == "NamedTuple" and _is_out_of_order(given, record):
        return call
    count = len(call.args) + len(call.keywords)
    if len(given) < count or not given.keys() <= record.defaults.keys():
        return call
    if record.kind == "TypedDict":
        missing: dict[str, ast.expr | None] = {}
        is_fit = not call.args
    else:
        missing = {name: value for name, value in record.defaults.items() if name not in given}
        is_fit = None not in missing.values()
    if not is_fit:
        return call
    given |= {name: copy_of_all(value) for name, value in missing.items() if value is not None}
    if record.kind == "NamedTuple":
        begin = [ast.Constant(record.mark)] if record.mark else []
        made = ast.Tuple([*begin, *(given[name] for name in record.defaults)], ast.Load())
    else:
        made = ast.Dict([ast.Constant(name) for name in given], list(given.values()))
    return placed(made, call)


def _has_star(call: ast.Call) -> bool:
    return any(isinstance(part, ast.Starred) for part in call.args)


def _maker(name: ast.expr, record: _Record) -> ast.Lambda | None:
    """Return a function that makes a dictionary or tuple; None if it is not certain.

    name: The name of the class.
    """
    values = list(record.defaults.values())
    defaults = [value for value in values if isinstance(value, ast.Constant)]
    is_steady = values == [*[None] * (len(values) - len(defaults)), *defaults]
    if record.kind not in ("NamedTuple", "dataclass") or not is_steady:
        return None
    parameters = [ast.arg(field) for field in record.defaults]
    optional: list[ast.expr] = [copy_of_all(value) for value in defaults]
    given: list[ast.expr] = [ast.Name(field, ast.Load()) for field in record.defaults]
    made = _made(placed(ast.Call(name, given, []), name), record)
    arguments = ast.arguments([], parameters, None, [], [], None, optional)
    return placed(ast.Lambda(arguments, made), name)
