"""Makes methods and properties functions of the module.

`box.area()` becomes `Box_area(box)`, and so does `box.area` where it is a property. A class that
is no record becomes a function that makes a dictionary of the fields, and of such classes an object
may be one of several, see `dispatch`. Classes stay as they are if it is not certain what a call
means, or if they define operators.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from megabatt.codegen.analysis.carriers import OF_PYTHON, may_compare_objects
from megabatt.codegen.analysis.names import (
    assigned_in_expressions,
    bound_in,
    named_in,
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
from megabatt.codegen.analysis.objects import OTHER, Objects
from megabatt.codegen.analysis.ownership import indices_of
from megabatt.codegen.fields import for_now
from megabatt.codegen.rewriting.classes import (
    ClassWriter,
    Unclear,
    rename_of_class,
    said_of,
    with_classes_written,
)
from megabatt.codegen.rewriting.constants import OF_MEMBERS
from megabatt.codegen.rewriting.dispatch import OBJECT, Dispatch
from megabatt.codegen.rewriting.generators import acting_in
from megabatt.codegen.rewriting.initializers import reads_fields
from megabatt.codegen.rewriting.members import (
    Class,
    Member,
    arguments_of,
    bound_in_others,
    class_of,
    computed_in_class,
    drop_first,
    fields_of_object,
    fields_of_records,
    imports_in,
    is_enum,
    is_procedure,
    names_apart,
    stored_by,
    taken_by_all,
)

_READ = {"property", "value"}
"""The kinds of members that are read, not called."""
OF_ARRAYS = {"T", "dtype", "flat", "ndim", "shape", "size"}
"""Attributes of NumPy's arrays."""
_MOST_IN_PLACE = 300
"""The most calls of methods in whose place the methods' statements are written."""


def with_methods_apart(tree: ast.Module) -> tuple[ast.Module, dict[str, Sequence[str]]]:
    """Return a source without methods, and the fields of the classes that became functions."""
    made, apart = with_classes_written(tree, class_of, _Apart)
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


class _Apart(ClassWriter):
    """Writes calls of functions in place of calls of methods and reads of properties.

    fields: The fields of each class that becomes a function. members: The names that members and
    the functions that make objects get.
    """

    def __init__(self, classes: Mapping[str, Class], tree: ast.Module) -> None:
        super().__init__(classes)
        names = {name for one in classes.values() for name in one.members}
        self._objects = Objects(tree, classes.keys(), names)
        plain = {name for name, one in classes.items() if not one.is_record}
        if plain and may_compare_objects(tree, plain, self._objects.is_object):
            raise Unclear(*plain, why=lambda _: "its objects may be compared: make it a @dataclass")
        members = [member for one in classes.values() for member in one.members.values()]
        self.members = {member.name for member in members}
        self.members |= {name for name, one in classes.items() if not one.is_record}
        self._owners: dict[str, list[str]] = {}
        """The names of the classes that have each member."""
        for name, one in classes.items():
            for member in one.members:
                self._owners.setdefault(member, []).append(name)
        self.fields: dict[str, Sequence[str]] = {
            name: sorted({field for member in one.members.values() for field in stored_by(member)})
            for name, one in classes.items() if not one.is_record
        }  # fmt: skip
        self._own_objects = {member.object for member in members}
        """The names that methods have for their objects."""
        self._dispatch = Dispatch(classes)
        self._asked: set[str] = set()
        """The classes of objects that may be of several."""
        self._reads_fields = reads_fields(tree)
        self._common = OF_PYTHON.union(fields_of_records(tree), *self.fields.values())
        self._common.update(bound_in_others(tree, classes))
        if any(map(is_enum, nodes_in(tree, ast.ClassDef))):
            self._common |= OF_MEMBERS
        imported = [name for one in nodes_in(tree, ast.alias) for name in bound_in(one)]
        self._times = Counter(bound_in(tree))
        """How often the source binds each name."""
        self._modules = {*imported} - (self._times - Counter(imported)).keys()
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
            member.name: copy_of_all(member.definition) for member in members
            if isinstance(member.definition, ast.FunctionDef) and is_procedure(member)
        }  # fmt: skip
        self._unsteady = names_shared_in(tree) | assigned_in_expressions(tree)
        self._acting = acting_in(tree)
        self._own = ""
        """The name in the module of the member at hand."""
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

    def written(self, one: Class) -> Iterator[ast.stmt]:
        """Yield what is left of a record, the members, and what makes an object."""
        definition = one.definition
        if one.is_record:
            kept = ast.AnnAssign | ast.Assign if is_enum(definition) else ast.AnnAssign
            fields = [part for part in definition.body if isinstance(part, kept)]
            for field in fields:
                if isinstance(field, ast.AnnAssign) and field.value is not None:
                    rename_of_class(field.value, names_apart(one))
            definition.body = [*fields, placed(ast.Pass(), definition)]
            yield self.generic_visit(definition)  # type: ignore[misc]
        for name, member in one.members.items():
            yield self._member(one, name, member)
        if not one.is_record and "__init__" not in one.members:
            begin: list[ast.stmt] = [ast.Return(self._dispatch.new_object(definition.name))]
            nothing = ast.arguments([], [], None, [], [], None, [])
            made = ast.FunctionDef(definition.name, nothing, begin, [], None, None)
            yield placed(made, definition)

    def _member(self, one: Class, name: str, member: Member) -> ast.stmt:
        """Return a member of a class as a statement of the module."""
        of, made = one.definition, member.definition
        for value in computed_in_class(made):
            rename_of_class(value, names_apart(one))
        if not isinstance(made, ast.FunctionDef):
            assert made.value is not None
            return self.visit(assignment(member.name, made.value, made))  # type: ignore[no-any-return]
        made.name, made.decorator_list = member.name, []
        if member.kind == "class":
            drop_first(made)
        with for_now(self, _own=member.name):
            self.generic_visit(made)
        if name == "__init__":
            self._make_object(of, member)
        return made

    def _make_object(self, of: ast.ClassDef, member: Member) -> None:
        """Make `__init__` a function that returns a new dictionary."""
        made = member.definition
        assert isinstance(made, ast.FunctionDef)
        is_bound_again = [*bound_in(made)].count(member.object) > 1
        if is_bound_again or nodes_in(made, ast.Return):
            what = "its `__init__` must end without `return`, and keep its first parameter"
            raise Unclear(of.name, why=lambda _: what)
        made.name = of.name
        drop_first(made)
        owner, new = member.object, self._dispatch.new_object(of.name)
        fields = fields_of_object(made.body, owner)
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
        if name.id in self._own_objects:
            return bool(self._open)
        return self._objects.may_be_element(name.id)

    def _in_place(
        self, call: ast.Call, owner: ast.expr, member: Member
    ) -> list[ast.stmt] | None:  # fmt: skip
        """Return the statements of a method for an object; None if that is impossible."""
        procedure = self._procedures.get(member.name)
        given = arguments_of(call, procedure) if procedure is not None else None
        if procedure is None or given is None or self._may_move(owner, [*given.values()]):
            return None
        self._count += 1
        if self._count > _MOST_IN_PLACE:
            raise Unclear(member.of, why=said_of(call, "{} calls too many others: write a loop"))
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
            case ast.Call(ast.Name("isinstance"), [one, kinds]):
                asked = [getattr(kind, "id", "") for kind in getattr(kinds, "elts", [kinds])]
                if asked and self._classes.keys() >= {*asked}:
                    return self._tested(node, one, asked)
        if isinstance(called, ast.Attribute) and called.attr in self._owners:
            member = self._meant(called)
            if member is not None and member.kind in ("method", "static", "class"):
                is_of_class = getattr(called.value, "id", "") in self._classes
                if member.kind == "method" and not is_of_class:
                    node.args.insert(0, called.value)
                elif not isinstance(called.value, ast.Name):
                    why = said_of(called, f"{{}} takes no object: write {member.of}.{called.attr}")
                    raise Unclear(member.of, why=why)
                node.func = placed(ast.Name(member.name, ast.Load()), called)
            elif member is None:
                called.value = self.visit(called.value)
                node.args = [self.visit(part) for part in node.args]
                node.keywords = [self.visit(part) for part in node.keywords]
                return node
        return self.generic_visit(node)  # type: ignore[return-value]

    def _tested(self, node: ast.expr, one: ast.expr, asked: list[str]) -> ast.expr:
        """Return a test whether a value is an object of one of some classes; it may be None."""
        found = self._objects.class_of(one)
        if found is None:
            if not self._classes_of(one):
                what = f"an object of {' or '.join(asked)} is not known: ask all of its methods"
                raise Unclear(*asked, why=said_of(one, f"whether {{}} is {what}"))
            test = ast.Name(self._dispatch.test(asked, node), ast.Load())
            return placed(ast.Call(test, [self.visit(one)], []), node)
        made = ast.Compare(self.visit(one), [ast.IsNot()], [ast.Constant(None)])
        return placed(made if found in asked else ast.Constant(False), node)

    def _classes_of(self, node: ast.expr) -> list[str]:
        """List the classes of a value; none if not all are known, or if one cannot be asked for."""
        found = sorted(self._objects.own_classes_of(node))
        if not all(self._has_number(self._classes[of]) for of in found):
            return []
        self._asked.update(found)
        return found

    def _has_number(self, one: Class) -> bool:
        """Tell whether the objects of a class can have the number of their class."""
        kinds = [*one.definition.bases, *one.definition.decorator_list]
        options = {word.arg for kind in kinds for word in getattr(kind, "keywords", ())}
        is_of_fields = [*map(called_name, kinds)] == ["dataclass"] and "order" not in options
        return not one.is_record or (is_of_fields and not self._reads_fields)

    def _of_several(self, node: ast.Attribute, classes: list[str]) -> Member:
        """Return a member that does what the member of an object's class does.

        Raises Unclear if the members of the classes differ in kind or parameters.
        """
        found = [self._classes[of].members.get(node.attr) for of in classes]
        members = [one for one in found if one is not None]
        kinds = {one.kind for one in members}
        are_alike = len(members) == len(classes) and (kinds == {"method"} or kinds <= _READ)
        taking = taken_by_all(members)
        if taking is None or not are_alike:
            what = f"is of {' and '.join(classes)}: make it a method with the same parameters and"
            why = said_of(node, f"{{}} {what} defaults in each")
            raise Unclear(*self._owners[node.attr], why=why)
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
        return Member(kind, members[0].of, name, self._dispatch.functions[name], OBJECT)

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
            why = said_of(node, "{} has more parameters than `co_argcount` says: use a function")
            raise Unclear(member.of, why=why)
        if is_method and not is_of_class and isinstance(node.ctx, ast.Load):
            return self._bound(node, member)
        if not isinstance(node.ctx, ast.Load) or (is_property if is_of_class else is_method):
            why = said_of(node, "{} is neither called nor read: call it, or rename it")
            raise Unclear(*self._owners[node.attr], why=why)
        if not is_property:
            return name
        made = placed(ast.Call(name, [self.visit(node.value)], []), node)
        if is_of_array:
            made.attribute = node.attr  # type: ignore[attr-defined]
        return made

    def _bound(self, node: ast.Attribute, member: Member) -> ast.expr:
        """Write a method that is read as a value as a function of its other arguments."""
        taken = member.definition.args  # type: ignore[union-attr]
        names = [f" {one.arg}" for one in taken.args[1:]]
        is_plain = all(isinstance(one, ast.Constant) for one in taken.defaults)
        others = taken.posonlyargs or taken.vararg or taken.kwonlyargs or taken.kwarg
        owner = getattr(node.value, "id", "")
        is_fixed = owner in self._local and self._times[owner] == 1
        if others or not (is_plain and is_fixed):  # a lambda reads names when it is called
            raise Unclear(member.of, why=said_of(node, "{} is not called: write a lambda"))
        given = [ast.Name(name, ast.Load()) for name in names]
        called = ast.Call(ast.Name(member.name, ast.Load()), [node.value, *given], [])
        taking = ast.arguments([], [*map(ast.arg, names)], None, [], [], None, [*taken.defaults])
        return placed(ast.Lambda(taking, called), node)

    def _meant(self, node: ast.Attribute) -> Member | None:
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
                what = f"a member of {owners[0]} is not known: annotate its object, as in"
                what = f"{what} `one: {owners[0]}`, or rename the member"
                raise Unclear(*owners, why=said_of(node, f"whether {{}} is {what}"))
            of = found
        return self._classes[of].members.get(node.attr) if of != OTHER else None


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


