"""Writes into classes what they inherit.

With `class Part(Base)`, `Part` gets copies of those methods, constants and fields of `Base` that it
does not have itself, and `area_of_Base` for `super().area()`. A source stays as it is if it does
more with a base than to make classes and objects of it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from typing import NoReturn

from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import (
    called_name,
    copy_of_all,
    forget,
    last_name,
    nodes_in,
    placed,
)
from megabatt.codegen.fields import for_now
from megabatt.codegen.rewriting.classes import Unclear, said_of
from megabatt.codegen.rewriting.members import computed_in_class, fields_of

_COMPARING = {"__eq__", "__ge__", "__gt__", "__le__", "__lt__"}
"""Methods that Python calls first of an object on the right, if its class is of the left one's."""

_OF_DATA_CLASSES = _COMPARING | {"__hash__"}
"""Methods that a data class gets anew if it does not define them."""


def with_inherited_members(tree: ast.Module) -> ast.Module:
    """Return a source in which classes have what they inherit from others of the source."""
    if not any(one.bases for one in nodes_in(tree, ast.ClassDef)):
        return tree
    try:
        return _with_inherited_members(copy_of_all(tree))
    except Unclear as unclear:
        for part in nodes_in(tree, ast.ClassDef):
            if part.name in unclear.args:
                part.why_unclear = unclear.why  # type: ignore[attr-defined]
        return tree


def _with_inherited_members(made: ast.Module) -> ast.Module:
    """Do `with_inherited_members`. Raises Unclear if that is impossible."""
    known: dict[str, ast.ClassDef] = {}
    bases: set[str] = set()
    kinds_of: dict[str, list[str]] = {}
    """The names of each class, and of those that it is made of."""
    is_compared = False
    bound = Counter(bound_in(made))
    for definition in (part for part in made.body if isinstance(part, ast.ClassDef)):
        kinds = [one for one in definition.bases if last_name(one) not in ("ABC", "object")]
        is_known = all(called_name(one) == "dataclass" for one in definition.decorator_list)
        if not is_known or definition.keywords or bound[definition.name] > 1:
            continue
        if len(kinds) == 1 and last_name(kinds[0]) in known:
            base = known[last_name(kinds[0])]
            names = {name for part in definition.body for name in _named_by(part)}
            is_compared |= not names.isdisjoint(_COMPARING)
            _inherit(definition, base)
            bases.add(base.name)
        elif kinds:
            continue
        kinds_of[definition.name] = [definition.name]
        for one in kinds:
            kinds_of[definition.name] += kinds_of[last_name(one)]
        definition.bases = []
        known[definition.name] = definition
    family = bases.union(name for name, kinds in kinds_of.items() if len(kinds) > 1)
    if private := _private_names(made):
        _refuse(f"each class has its own `{private[0]}`: leave the underscores out", *family)
    if bound["object"]:
        _refuse("`object` is assigned: give it another name", *family)
    _forget_types(made, bases)
    forget(made)
    harmless: set[ast.AST] = {call.func for call in nodes_in(made, ast.Call)}
    made_of = {one.id for one in nodes_in(made, ast.Name) if one in harmless} & bases
    if not bound["isinstance"]:
        kept = {name: kinds for name, kinds in kinds_of.items() if name not in bases - made_of}
        harmless.update(_asked_in(made, kept))
    for one in nodes_in(made, ast.Name):
        if one.id in bases and one not in harmless:
            raise Unclear(*family, why=said_of(one, "{} is a base that is not called: write calls"))
    if is_compared and made_of:
        _refuse("its objects, and those of its base, may be compared: write functions", *family)
    made.body = [
        part for part in made.body if getattr(part, "name", "") not in bases - made_of
    ]  # fmt: skip
    return made


def _refuse(what: str, *names: str) -> NoReturn:
    """Say of classes what is not read."""
    raise Unclear(*names, why=lambda _: what)


def _inherit(definition: ast.ClassDef, base: ast.ClassDef) -> None:
    """Write into a class what it has of its base. Raises Unclear if that is impossible."""
    family = definition.name, base.name
    own = {name for part in definition.body for name in _named_by(part)}
    kinds = ast.FunctionDef | ast.Assign | ast.AnnAssign
    parts = [part for part in base.body if isinstance(part, kinds)]
    for one in (one for part in parts for one in computed_in_class(part)):
        if not own.isdisjoint(loads(one)):
            what = f"{{}} is another value in {family[0]}: give that another name"
            raise Unclear(*family, why=said_of(one, what))
    is_record = bool(definition.decorator_list)
    if base.decorator_list:
        _inherit_fields(definition, base, own)
    inherited: list[ast.stmt] = []
    for part in base.body:
        match part:
            case ast.FunctionDef("__init__" | "__repr__") if is_record:
                pass  # the data class gets others
            case ast.FunctionDef(name) if is_record and name in _OF_DATA_CLASSES - own:
                _refuse(f"a data class has its own {name}: write it into {family[0]}", *family)
            case ast.AnnAssign(ast.Name(), value=value) if base.decorator_list or value is None:
                pass
            case ast.FunctionDef(name, decorator_list=decorators):
                if name not in own and "abstractmethod" not in map(called_name, decorators):
                    inherited.append(copy_of_all(part))
            case ast.Assign([ast.Name(name)], ast.Constant()):
                if name not in own:
                    inherited.append(copy_of_all(part))
            case ast.Expr(ast.Constant()) | ast.Pass() | ast.Assign([ast.Name("__slots__")]):
                pass
            case _:
                raise Unclear(*family, why=said_of(part, "{} is not inherited: write a method"))
    calls = _OfBase(base)
    definition.body = [calls.visit(part) for part in definition.body]
    definition.body += [*inherited, *calls.methods.values()]
    if any(getattr(part, "id", "") == "super" for part in ast.walk(definition)):
        _refuse("`super` is read as in `super().area()`, a method of the base", *family)


def _inherit_fields(definition: ast.ClassDef, base: ast.ClassDef, own: Set[str]) -> None:
    """Do `_inherit` for the fields of a data class, which come first."""
    fields, made = fields_of(base), fields_of(definition)
    if not definition.decorator_list:
        if made or not own.isdisjoint({"__init__", *_OF_DATA_CLASSES}):
            _refuse("a class of a data class is to be one, too", definition.name, base.name)
        definition.decorator_list = [*map(copy_of_all, base.decorator_list)]
    others = [part for part in definition.body if part not in made.values()]
    inherited = {name: copy_of_all(part) for name, part in fields.items()}
    definition.body = [*(inherited | made).values(), *others]
    decorators = [*map(ast.dump, base.decorator_list)]
    if [*map(ast.dump, definition.decorator_list)] != decorators:
        _refuse("write `@dataclass` before it as before its base", definition.name, base.name)


def _named_by(statement: ast.stmt) -> Iterator[str]:
    """Yield the names of members that a statement of a class defines."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    yield from (getattr(target, "id", "") for target in targets)
    yield getattr(statement, "name", "")


class _OfBase(ast.NodeTransformer):
    """Writes calls of an object's own methods in place of those of its base.

    methods: Copies of the methods of the base that are called, by name.
    """

    def __init__(self, base: ast.ClassDef) -> None:
        self._base = base
        self._object = ""
        self.methods: dict[str, ast.FunctionDef] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Write the calls in a method."""
        if self._object:  # within a method
            return self.generic_visit(node)
        with for_now(self, _object=node.args.args[0].arg if node.args.args else ""):
            return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Write a call of a method of the base; a base without `__init__` does nothing in it."""
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(ast.Call(ast.Name("super"), [], []), name):
                for part in self._base.body:
                    if isinstance(part, ast.FunctionDef) and part.name == name:
                        other = f"{name.strip('_')}_of_{self._base.name}"
                        self.methods[other] = copy_of_all(part)
                        self.methods[other].name = other
                        owner = ast.Name(self._object, ast.Load())
                        called = ast.Attribute(owner, other, ast.Load())
                        return placed(ast.Call(called, node.args, node.keywords), node)
                if name == "__init__" and not node.args:
                    return placed(ast.Constant(None), node)
        return node


def _forget_types(tree: ast.Module, bases: Set[str]) -> None:
    """Take bases out of annotations: what is said to be of a base may be of any class of it."""
    for part in ast.walk(tree):
        for kind in (getattr(part, "annotation", None), getattr(part, "returns", None)):
            for one in ast.walk(kind) if kind is not None else ():
                if isinstance(one, ast.Name) and one.id in bases:
                    one.id = "object"
                elif isinstance(one, ast.Constant) and one.value in bases:
                    one.value = "object"


def _asked_in(tree: ast.Module, kinds_of: Mapping[str, list[str]]) -> Iterator[ast.expr]:
    """Write `isinstance(one, (Box, Line))` for a base of these classes; yield what names them."""
    known = {name for kinds in kinds_of.values() for name in kinds}
    for call in nodes_in(tree, ast.Call):
        match call:
            case ast.Call(ast.Name("isinstance"), [_, asked]):
                names = {getattr(one, "id", "") for one in getattr(asked, "elts", [asked])}
                kinds = [of for of, kinds in kinds_of.items() if not names.isdisjoint(kinds)]
                if names <= known:
                    parts: list[ast.expr] = [ast.Name(of, ast.Load()) for of in kinds]
                    call.args[1] = placed(ast.Tuple(parts, ast.Load()), asked)
                    yield from parts
    forget(tree)


def _private_names(tree: ast.Module) -> list[str]:
    """List names such as `self.__n`, of which each class has its own."""
    names = {one.attr for one in nodes_in(tree, ast.Attribute)} | set(bound_in(tree))
    return sorted(name for name in names if name.startswith("__") and not name.endswith("__"))
