"""Makes methods and properties functions of the module.

`box.area()` becomes `Box_area(box)`, and so does `box.area` where it is a property. A class that
is no record becomes a function that makes a dictionary of the fields, and of such classes an object
may be one of several, see `dispatch`. Classes stay as they are if it is not certain what a call
means, or if they define operators.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from megabatt.codegen.analysis.carriers import OF_PYTHON, may_compare_objects
from megabatt.codegen.analysis.names import (
    as_written,
    assigned_in_expressions,
    bound_in,
    named_in,
    names_in,
    names_shared_in,
)
from megabatt.codegen.analysis.nodes import (
    assignment,
    called_name,
    copy_of_all,
    forget,
    functions_in,
    nodes_in,
    placed,
)
from megabatt.codegen.analysis.objects import OTHER, Objects, class_marked
from megabatt.codegen.analysis.ownership import indices_of
from megabatt.codegen.fields import for_now
from megabatt.codegen.rewriting.classes import (
    ClassWriter,
    Unclear,
    rename_of_class,
    with_classes_written,
    words_of_named_tuples,
)
from megabatt.codegen.rewriting.constants import ENUMS, OF_MEMBERS
from megabatt.codegen.rewriting.dispatch import OBJECT, Dispatch
from megabatt.codegen.rewriting.generators import acting_in
from megabatt.codegen.rewriting.initializers import reads_fields
from megabatt.runtime.printable import brief

RECORDS = {"NamedTuple", "TypedDict", "dataclass"}
"""The bases and decorators of records."""
_PASSED_OVER = {"__repr__", "__str__"}
_KINDS = {"classmethod": "class", "property": "property", "staticmethod": "static"}
_READ = {"property", "value"}
"""The kinds of members that are read, not called."""
OF_ARRAYS = {"T", "dtype", "flat", "ndim", "shape", "size"}
"""Attributes of NumPy's arrays."""
_MOST_IN_PLACE = 300
"""The most calls of methods in whose place the methods' statements are written."""


class _Member(NamedTuple):
    """A function or a value of a class. of: The class. name: The member's name in the module.

    kind: "method", "property", "static", "class" or "value". object: The name that a function has
    for its object, or for the class; "" if there is none.
    """

    kind: str
    of: str
    name: str
    definition: ast.FunctionDef | ast.Assign | ast.AnnAssign
    object: str


class _Class(NamedTuple):
    """A class with functions. is_record: Whether the class is a record, see `records`."""

    definition: ast.ClassDef
    members: Mapping[str, _Member]
    is_record: bool


def with_methods_apart(tree: ast.Module) -> tuple[ast.Module, dict[str, Sequence[str]]]:
    """Return a source without methods, and the fields of the classes that became functions."""
    made, apart = with_classes_written(tree, _class_of, _Apart)
    if apart is None:
        return tree, {}
    _leave_out_unread(made, apart.members | apart.fields.keys())
    return made, apart.fields


def _leave_out_unread(tree: ast.Module, names: set[str]) -> None:
    """Leave out those functions of a module, among some, that nothing reads."""
    unread = names
    while unread:
        forget(tree)
        read = {node.id for node in nodes_in(tree, ast.Name) if isinstance(node.ctx, ast.Load)}
        unread = names & {getattr(part, "name", "") for part in tree.body} - read
        tree.body = [part for part in tree.body if getattr(part, "name", "") not in unread]


def _class_of(
    definition: ast.ClassDef, bound: Mapping[str, int], tree: ast.Module
) -> _Class | None:  # fmt: skip
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
    return _Class(definition, members, is_record)


def is_operator(name: str) -> bool:
    """Tell whether Python calls methods of a name by itself, other than those that are read."""
    return name.startswith("__") and name.endswith("__") and name not in {"__init__", *_PASSED_OVER}


def _members_of(
    definition: ast.ClassDef, taken: Mapping[str, int], is_record: bool
) -> dict[str, _Member] | None:  # fmt: skip
    """Return the functions and values of a class; None if one of them cannot leave the class."""
    members: dict[str, _Member] = {}
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
            case ast.Assign([ast.Name()]) if _is_enum(definition):
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
        members[name] = _Member(kind, definition.name, apart, statement, first)
    return members


class _Apart(ClassWriter):
    """Writes calls of functions in place of calls of methods and reads of properties.

    fields: The fields of each class that becomes a function. members: The names that members and
    the functions that make objects get.
    """

    def __init__(self, classes: Mapping[str, _Class], tree: ast.Module) -> None:
        super().__init__(classes)
        members = {member for one in classes.values() for member in one.members}
        self._objects = Objects(tree, classes.keys(), members)
        plain = {name for name, one in classes.items() if not one.is_record}
        if plain and may_compare_objects(tree, plain, self._objects.is_object):
            raise Unclear(*plain, why=lambda _: "its objects may be compared: make it a @dataclass")
        self.members = {part.name for one in classes.values() for part in one.members.values()}
        self.members |= {name for name, one in classes.items() if not one.is_record}
        self._owners: dict[str, list[str]] = {}
        """The names of the classes that have each member."""
        for name, one in classes.items():
            for member in one.members:
                self._owners.setdefault(member, []).append(name)
        self.fields: dict[str, Sequence[str]] = {
            name: sorted({field for member in one.members.values() for field in _stored_by(member)})
            for name, one in classes.items() if not one.is_record
        }  # fmt: skip
        self._dispatch = Dispatch(classes)
        self._asked: set[str] = set()
        """The classes of objects that may be of several."""
        calls = (call for call in nodes_in(tree, ast.Call) if call.keywords)
        self._with_words = {getattr(call.func, "attr", "") for call in calls}
        """The names of methods of which a call names parameters."""
        self._reads_fields = reads_fields(tree)
        self._common = OF_PYTHON.union(_fields_of_records(tree), *self.fields.values())
        self._common.update(_bound_in_others(tree, classes))
        if any(map(_is_enum, nodes_in(tree, ast.ClassDef))):
            self._common |= OF_MEMBERS
        imported = [name for one in nodes_in(tree, ast.alias) for name in bound_in(one)]
        others = Counter(bound_in(tree)) - Counter(imported)
        self._modules = {*imported} - others.keys()
        owners = {one.value for one in nodes_in(tree, ast.Attribute)}
        held = {one.id for one in nodes_in(tree, ast.Name) if one not in owners}
        self._has_held_modules = not held.isdisjoint(imports_in(tree))
        """Whether other names may stand for a module."""
        read = nodes_in(tree, ast.Attribute)
        self._counts_parameters = any(node.attr == "co_argcount" for node in read)
        aliases = nodes_in(tree, ast.alias)
        self._has_arrays = any(alias.name.startswith("numpy") for alias in aliases)
        if self._has_arrays:
            properties = {
                name for one in classes.values() for name, member in one.members.items()
                if member.kind == "property"
            }  # fmt: skip
            self._common |= set(dir(np.ndarray)) - (OF_ARRAYS & properties)
        if len(classes) == 1:  # an object of no class has no such members
            self._objects.put_anywhere.clear()
        self._local = {
            name for function in functions_in(tree) for part in ast.iter_child_nodes(function)
            for name in bound_in(part)
        }  # fmt: skip
        self._procedures = {
            member.name: copy_of_all(member.definition)
            for one in classes.values() for member in one.members.values()
            if isinstance(member.definition, ast.FunctionDef) and _is_procedure(member)
        }  # fmt: skip
        self._unsteady = names_shared_in(tree) | assigned_in_expressions(tree)
        self._acting = acting_in(tree)
        self._own = ""
        """The name in the module of the member at hand."""
        self._rebound = {
            name for function in functions_in(tree)
            for name, times in Counter(bound_in(function)).items() if times > 1
        }  # fmt: skip
        self._count = 0
        """How many calls are written in place."""
        self._open: list[str] = []
        """The procedures that are written in place now, each within the last one."""

    def statements(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of a module, and before them the functions that ask for classes."""
        made = [*super().statements(body)]
        for part in made:
            if isinstance(part, ast.ClassDef) and part.name in self._asked:
                part.body.append(placed(self._dispatch.field(part.name), part))
        yield from self._dispatch.functions.values()
        yield from made

    def written(self, one: _Class) -> Iterator[ast.stmt]:
        """Yield what is left of a record, the members, and what makes an object."""
        definition = one.definition
        if one.is_record:
            kept = ast.AnnAssign | ast.Assign if _is_enum(definition) else ast.AnnAssign
            fields = [part for part in definition.body if isinstance(part, kept)]
            for field in fields:
                if isinstance(field, ast.AnnAssign) and field.value is not None:
                    rename_of_class(field.value, _names_apart(one))
            definition.body = [*fields, placed(ast.Pass(), definition)]
            yield self.generic_visit(definition)  # type: ignore[misc]
        for name, member in one.members.items():
            yield self._member(one, name, member)
        if not one.is_record and "__init__" not in one.members:
            begin: list[ast.stmt] = [ast.Return(self._dispatch.new_object(definition.name))]
            nothing = ast.arguments([], [], None, [], [], None, [])
            made = ast.FunctionDef(definition.name, nothing, begin, [], None, None)
            yield placed(made, definition)

    def _member(self, one: _Class, name: str, member: _Member) -> ast.stmt:
        """Return a member of a class as a statement of the module."""
        of, made = one.definition, member.definition
        for value in _computed_in_class(made):
            rename_of_class(value, _names_apart(one))
        if not isinstance(made, ast.FunctionDef):
            assert made.value is not None
            return self.visit(assignment(member.name, made.value, made))  # type: ignore[no-any-return]
        made.name, made.decorator_list = member.name, []
        if member.kind == "class":
            _drop_first(made)
        with for_now(self, _own=member.name):
            self.generic_visit(made)
        if name == "__init__":
            self._make_object(of, member)
        return made

    def _make_object(self, of: ast.ClassDef, member: _Member) -> None:
        """Make `__init__` a function that returns a new dictionary."""
        made = member.definition
        assert isinstance(made, ast.FunctionDef)
        is_bound_again = [*bound_in(made)].count(member.object) > 1
        if is_bound_again or nodes_in(made, ast.Return):
            raise Unclear(of.name)
        made.name = of.name
        _drop_first(made)
        owner, new = member.object, self._dispatch.new_object(of.name)
        fields = _fields_of_object(made.body, owner)
        if fields is None:
            begin = [assignment(owner, new, made)]
            value: ast.expr = ast.Name(owner, ast.Load())
        else:
            begin, value = [], new
            new.keys += [ast.Constant(field) for field in fields]
            new.values += [ast.Name(f"{owner}.{field}", ast.Load()) for field in fields]
            made.body = [_WithVariables(owner).visit(line) for line in made.body]
        made.body = [*begin, *made.body, placed(ast.Return(value), made.body[-1])]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """Write the statements of a method in place of a call that changes an element.

        A method that returns nothing may so change what lists and dictionaries hold.
        """
        match node.value:
            case ast.Call(ast.Attribute(owner, attr) as called) if attr in self._owners:
                is_element = isinstance(owner, ast.Subscript) or (
                    isinstance(owner, ast.Name) and self._is_element(owner)
                )
                member = self._meant(called) if is_element and _is_plain(owner) else None
                if member is not None and member.name not in self._open:
                    written = self._in_place(node.value, owner, member)
                    if written is not None:
                        return written
        return self.generic_visit(node)

    def _is_element(self, name: ast.Name) -> bool:
        """Tell whether a name may stand for an element of something."""
        return bool(self._open if class_marked(name) else self._objects.may_be_element(name.id))

    def _in_place(
        self, call: ast.Call, owner: ast.expr, member: _Member
    ) -> list[ast.stmt] | None:  # fmt: skip
        """Return the statements of a method for an object; None if that is impossible."""
        procedure = self._procedures.get(member.name)
        given = _arguments_of(call, procedure) if procedure is not None else None
        if procedure is None or given is None or self._may_move(owner, [*given.values()]):
            return None
        self._count += 1
        if self._count > _MOST_IN_PLACE:
            raise Unclear(member.of)
        made = copy_of_all(procedure)
        opened = [*self._open, member.name]
        with for_now(self, _open=opened):
            self.generic_visit(made)
        if any(isinstance(part, ast.Lambda) for part in ast.walk(made)):  # it reads the owner later
            return None
        names = [part for part in ast.walk(made) if isinstance(part, ast.Name)]
        stored = {part.id for part in names if not isinstance(part.ctx, ast.Load)}
        free = {part.id for part in names} - stored - given.keys() - {member.object}
        if not free.isdisjoint(self._local):  # the caller may have such names
            return None
        begin: list[ast.stmt] = []
        exchanged = {member.object: owner}
        for name in [*given, *sorted(stored - given.keys())]:
            value = given.get(name)
            if name not in stored and isinstance(value, ast.Name | ast.Constant):
                exchanged[name] = value
                continue
            other = f" {member.name}:{call.lineno}:{call.col_offset}:{name}"
            exchanged[name] = ast.Name(other)
            if value is not None:
                begin.append(assignment(other, self.visit(value), call))
        return [*begin, *map(_Exchanging(exchanged).visit, made.body)]

    def _may_move(self, owner: ast.expr, given: list[ast.expr]) -> bool:
        """Tell whether an expression may stand for another object after its method has begun.

        given: The arguments of the method, which may change too.
        """
        root = indices_of(owner)[0]
        read = set().union(*map(named_in, given))
        called = {part.attr for one in given for part in nodes_in(one, ast.Attribute)}
        return (
            getattr(root, "id", "") in read
            or not self._unsteady.isdisjoint(named_in(owner) | read)
            or not self._acting.isdisjoint(read | called)
        )

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Write a call of a method as a call of a function."""
        called = node.func
        match node:
            case ast.Call(ast.Name("isinstance"), [one, ast.Name(of)]) if of in self._classes:
                return self._tested(node, one, of)
        if isinstance(called, ast.Attribute) and called.attr in self._owners:
            member = self._meant(called)
            if member is not None and member.kind in ("method", "static", "class"):
                is_of_class = getattr(called.value, "id", "") in self._classes
                if member.kind == "method" and not is_of_class:
                    node.args.insert(0, called.value)
                elif not isinstance(called.value, ast.Name):
                    raise Unclear(member.of)
                node.func = placed(ast.Name(member.name, ast.Load()), called)
            elif member is None:
                called.value = self.visit(called.value)
                node.args = [self.visit(part) for part in node.args]
                node.keywords = [self.visit(part) for part in node.keywords]
                return node
        return self.generic_visit(node)  # type: ignore[return-value]

    def _tested(self, node: ast.expr, one: ast.expr, of: str) -> ast.expr:
        """Return a test whether a value is an object of a class; it may also be None."""
        found = self._objects.class_of(one)
        if found is None:
            if not self._classes_of(one):
                raise Unclear(of)
            test = ast.Name(self._dispatch.test(of, node), ast.Load())
            return placed(ast.Call(test, [self.visit(one)], []), node)
        made = ast.Compare(self.visit(one), [ast.IsNot()], [ast.Constant(None)])
        return placed(made if found == of else ast.Constant(False), node)

    def _classes_of(self, node: ast.expr) -> list[str]:
        """List the classes of a value; none if not all are known, or if one cannot be asked for."""
        found = sorted(self._objects.own_classes_of(node))
        if not all(self._has_number(self._classes[of]) for of in found):
            return []
        self._asked.update(found)
        return found

    def _has_number(self, one: _Class) -> bool:
        """Tell whether the objects of a class can have the number of their class."""
        kinds = [*one.definition.bases, *one.definition.decorator_list]
        options = {word.arg for kind in kinds for word in getattr(kind, "keywords", ())}
        is_of_fields = [*map(called_name, kinds)] == ["dataclass"] and "order" not in options
        return not one.is_record or (is_of_fields and not self._reads_fields)

    def _of_several(self, node: ast.Attribute, classes: list[str]) -> _Member:
        """Return a member that does what the member of an object's class does.

        Raises Unclear if the members of the classes differ in kind or parameters.
        """
        found = [self._classes[of].members.get(node.attr) for of in classes]
        members = [one for one in found if one is not None]
        kinds = {one.kind for one in members}
        are_alike = len(members) == len(classes) and (kinds == {"method"} or kinds <= _READ)
        taking = _taken_by_all(members, node.attr in self._with_words)
        if taking is None or not are_alike:
            raise Unclear(*self._owners[node.attr], why=partial(_advice_on_several, node, classes))
        is_procedure = all(one.name in self._procedures for one in members)
        done: dict[str, ast.stmt] = {}
        for one in members:
            value: ast.expr = ast.Name(one.name, ast.Load())
            if one.kind != "value":
                given: list[ast.expr] = [ast.Name(part.arg, ast.Load()) for part in taking.args]
                value = ast.Call(value, given, [])
            done[one.of] = ast.Expr(value) if is_procedure else ast.Return(value)
        name = self._dispatch.member(node.attr, taking, done, node)
        kind = "property" if kinds <= _READ else "method"
        return _Member(kind, members[0].of, name, self._dispatch.functions[name], OBJECT)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Write a read of a property or of a class's value as a call, or as a name."""
        member = self._meant(node) if node.attr in self._owners else None
        is_of_array = self._has_arrays and node.attr in OF_ARRAYS
        if member is None or (is_of_array and member.name == self._own):
            return self.generic_visit(node)  # type: ignore[return-value]
        name: ast.expr = placed(ast.Name(member.name, ast.Load()), node)
        is_of_class = getattr(node.value, "id", "") in self._classes
        is_method, is_property = member.kind == "method", member.kind == "property"
        takes_more = member.kind == "class" or (is_method and not is_of_class)
        if takes_more and self._counts_parameters:
            raise Unclear(member.of)
        if is_method and not is_of_class and isinstance(node.ctx, ast.Load):
            return self._bound(node, member)
        if not isinstance(node.ctx, ast.Load) or (is_property if is_of_class else is_method):
            raise Unclear(*self._owners[node.attr])
        if not is_property:
            return name
        made = placed(ast.Call(name, [self.visit(node.value)], []), node)
        if is_of_array:
            made.attribute = node.attr  # type: ignore[attr-defined]
        return made

    def _bound(self, node: ast.Attribute, member: _Member) -> ast.expr:
        """Write a method that is read as a value as a function of its other arguments."""
        taken = member.definition.args  # type: ignore[union-attr]
        names = [f" {one.arg}" for one in taken.args[1:]]
        is_plain = all(isinstance(one, ast.Constant) for one in taken.defaults)
        others = taken.posonlyargs or taken.vararg or taken.kwonlyargs or taken.kwarg
        is_fixed = getattr(node.value, "id", "") in self._local - self._rebound
        if others or not (is_plain and is_fixed):  # a lambda reads names when it is called
            raise Unclear(member.of)
        given = [ast.Name(name, ast.Load()) for name in names]
        called = ast.Call(ast.Name(member.name, ast.Load()), [node.value, *given], [])
        taking = ast.arguments([], [*map(ast.arg, names)], None, [], [], None, [*taken.defaults])
        return placed(ast.Lambda(taking, called), node)

    def _meant(self, node: ast.Attribute) -> _Member | None:
        """Return the member that an attribute is; None for one of another value.

        Raises Unclear if it is not certain.
        """
        owners = self._owners[node.attr]
        of = getattr(node.value, "id", "")
        if of in self._modules:
            return None
        if of not in self._classes:
            is_certain = len(owners) == 1 and node.attr not in self._common
            is_certain &= not self._has_held_modules
            found = owners[0] if is_certain else self._objects.class_of(node.value)
            if found is None:
                if classes := self._classes_of(node.value):
                    return self._of_several(node, classes)
                raise Unclear(*owners, why=partial(_advice, node, owners[0]))
            of = found
        return self._classes[of].members.get(node.attr) if of != OTHER else None


def _advice(node: ast.Attribute, name: str, before: int) -> str:
    """Say that the object of a member is not certain, and what to write instead; see `Unclear`."""
    where = f"`{brief(as_written(node))}` in line {node.lineno + before}"
    what = f"whether {where} is a member of {name} is not known"
    return f"{what}: annotate its object, as in `one: {name}`, or rename the member"


def _advice_on_several(node: ast.Attribute, classes: list[str], before: int) -> str:
    """Do `_advice` for a member of an object of several classes."""
    where = f"`{brief(as_written(node))}` in line {node.lineno + before}"
    names = " and ".join(classes)
    return f"{where} is of {names}: make it a method with the same parameters and defaults in each"


def _fields_of_object(body: Sequence[ast.stmt], owner: str) -> list[str] | None:
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


class _WithVariables(ast.NodeTransformer):
    """Writes variables in place of an object's fields. owner: The object."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if getattr(node.value, "id", "") != self._owner:
            return self.generic_visit(node)  # type: ignore[return-value]
        return placed(ast.Name(f"{self._owner}.{node.attr}", node.ctx), node)


class _Exchanging(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._values.get(node.id)
        if value is None:
            return node
        made = copy_of_all(value)
        if isinstance(made, ast.Name):
            made.ctx = node.ctx
        return placed(ast.copy_location(made, node), node)


def _is_plain(node: ast.expr) -> bool:
    """Tell whether an expression is a name, or an element of one under names and constants."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return _is_plain(node.value) and all(
            isinstance(part, ast.Name | ast.Constant) for part in parts
        )
    return isinstance(node, ast.Name)


_APART = (
    ast.FunctionDef | ast.Global | ast.Lambda | ast.Nonlocal | ast.Return | ast.Yield
    | ast.YieldFrom
)  # fmt: skip


def _is_procedure(member: _Member) -> bool:
    """Tell whether a member is a method of statements that can stand in place of a call."""
    parts = [part for part in ast.walk(member.definition) if part is not member.definition]
    return member.kind == "method" and not any(
        isinstance(part, _APART) or (isinstance(part, ast.Name) and part.id == member.object
                                     and not isinstance(part.ctx, ast.Load))
        for part in parts
    )  # fmt: skip


def _arguments_of(call: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr] | None:
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


def _taken_by_all(members: Iterable[_Member], has_words: bool) -> ast.arguments | None:
    """Return the parameters that all members have, the object first; None if they differ.

    has_words: Whether calls name parameters, which then must have one name.
    """
    found: dict[str, ast.arguments] = {}
    for one in members:
        taken = ast.arguments([], [], None, [], [], None, [])
        if isinstance(one.definition, ast.FunctionDef):
            given = one.definition.args
            others = given.posonlyargs or given.vararg or given.kwonlyargs or given.kwarg
            if others or not all(isinstance(value, ast.Constant) for value in given.defaults):
                return None
            names = [part.arg if has_words else f" {k}" for k, part in enumerate(given.args)]
            taken.args = [*map(ast.arg, names[1:])]
            taken.defaults = given.defaults
        found[ast.dump(taken)] = taken
    if len(found) != 1:
        return None
    (taken,) = found.values()
    taken.args.insert(0, ast.arg(OBJECT))
    return taken


def _names_apart(one: _Class) -> dict[str, str]:
    """Return the names that the members of a class get in the module."""
    return {name: member.name for name, member in one.members.items()}


def _computed_in_class(definition: ast.FunctionDef | ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """List the expressions of a member that Python computes where the class is defined."""
    if isinstance(definition, ast.FunctionDef):
        given = definition.args
        return [one for one in (*given.defaults, *given.kw_defaults) if one is not None]
    return [definition.value] if definition.value else []


def _is_enum(definition: ast.ClassDef) -> bool:
    """Tell whether the values of a class are members, which stay in the class."""
    return not ENUMS.isdisjoint(map(called_name, definition.bases))


def _drop_first(function: ast.FunctionDef) -> None:
    """Take away the first parameter."""
    (function.args.posonlyargs or function.args.args).pop(0)


def _stored_by(member: _Member) -> Iterator[str]:
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


def _bound_in_others(tree: ast.Module, classes: Mapping[str, _Class]) -> Iterator[str]:
    """Yield what classes of a source that stay have."""
    for definition in nodes_in(tree, ast.ClassDef):
        if definition.name not in classes:
            for part in definition.body:
                yield from bound_in(part)


def _fields_of_records(tree: ast.Module) -> Iterator[str]:
    yield from words_of_named_tuples(tree)
    for definition in nodes_in(tree, ast.ClassDef):
        for part in definition.body:
            if isinstance(part, ast.AnnAssign):
                yield from names_in(part.target)
