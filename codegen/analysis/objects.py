"""Tells of which class of a source a value is an object."""

from __future__ import annotations

import ast
from collections.abc import Container, Set
from typing import Any

from megabatt.codegen.analysis.carriers import Carriers
from megabatt.codegen.analysis.nodes import called_name, copy_of_all, nodes_in, parts_at, rename
from megabatt.codegen.analysis.values import Values, element_of

OPERATORS = {
    ast.Add: "__add__", ast.BitAnd: "__and__", ast.BitOr: "__or__", ast.BitXor: "__xor__",
    ast.FloorDiv: "__floordiv__", ast.Mod: "__mod__", ast.Mult: "__mul__", ast.Sub: "__sub__",
}  # fmt: skip
"""The methods that operators call."""
OTHER = ""
"""Stands for the class of a value that is no object of a source's own classes."""
_BUILT_IN = {
    "Counter", "DefaultDict", "Deque", "Dict", "FrozenSet", "List", "Set", "Tuple", "bool",
    "defaultdict", "deque", "dict", "frozenset", "int", "list", "set", "sorted", "str", "tuple",
}  # fmt: skip
"""Functions and types whose values are no objects of a source's own classes."""
_NUMBERS = {"abs", "divmod", "len", "range", "round"}
"""Functions of numbers, or of what has numbers."""
_ITERATORS = {"enumerate", "filter", "map", "reversed", "zip"}
_DISPLAYS = (
    ast.BinOp | ast.Compare | ast.Constant | ast.Dict | ast.DictComp | ast.GeneratorExp | ast.List
    | ast.ListComp | ast.Set | ast.SetComp | ast.Tuple
)  # fmt: skip
_DICTIONARY = "{}"
"""Stands for the class of a dictionary, whose keys are its elements in loops."""
_DICTIONARIES = {"Counter", "DefaultDict", "Dict", "OrderedDict", "defaultdict", "dict"}
_MOST_LEVELS = 5
"""The most levels of containers around an object whose class is looked up."""


class Objects:
    """Tells the classes of a source's values.

    classes: The names of the source's own classes. members: The names of their members.
    """

    def __init__(self, tree: ast.Module, classes: Set[str], members: Container[str]) -> None:
        self.classes = classes
        self.members = members
        for definition in nodes_in(tree, ast.ClassDef):
            for part in definition.body:
                if isinstance(part, ast.FunctionDef) and definition.name in classes:
                    _name_class(part, definition.name)
        methods = {part for one in nodes_in(tree, ast.ClassDef) for part in one.body}
        functions = nodes_in(tree, ast.FunctionDef)
        self._functions = {part.name for part in functions if part not in methods}
        self.values = Values(copy_of_all(tree)).found  # the tree may change meanwhile
        self._carriers = Carriers(tree, classes)
        self.with_keys: dict[ast.expr, bool] = {}
        """What is iterated, and whether it may be a dictionary."""
        self.put_anywhere = [
            value for name, values in self.values.items()
            if name.startswith("[") and not self._is_made_here(name[1:-1]) for value in values
            if value is None or self._carriers.carries(value)
        ]  # fmt: skip
        """What with objects is put into containers that may have other names."""
        self.put_anywhere = [one for one in self.put_anywhere if not self._is_of_object(one)]

    def class_of(self, node: ast.expr) -> str | None:
        """Return the name of the class of a value, or `OTHER`; None if it is not certain."""
        return self.looked_up(node) if self._carriers.carries(node) else OTHER

    def looked_up(self, node: ast.expr) -> str | None:
        """Do `class_of`, but return None also for what may be a function."""
        found = {
            OTHER if one == _DICTIONARY else one for one in _Lookup(self).classes_of(node, 0)
        }
        return found.pop() if len(found) == 1 else None

    def own_classes_of(self, node: ast.expr) -> Set[str]:
        """Return the source's own classes that a value may be of; none if others are possible."""
        found = _Lookup(self).classes_of(node, 0)
        return {one for one in found if one is not None} if found <= self.classes else set()

    def is_own(self, name: str) -> bool:
        """Tell whether the source itself defines a function or a variable of a name."""
        return name in self._functions or name in self.values

    def is_object(self, node: ast.expr) -> bool:
        """Tell whether a value is certain to be an object of a class of the source."""
        return bool(self.own_classes_of(node))

    def parts_of(self, value: ast.expr, place: Any) -> list[ast.expr]:
        """Return what is at a place of a tuple, or of the tuples that a function returns."""
        if place is None:
            return []
        match value:
            case ast.Call(ast.Name(name)) if name not in self.values:
                return parts_at(self.values.get(f"{name}()", []), place)
        return parts_at([value], place)

    def may_be_element(self, name: str) -> bool:
        """Tell whether a name may stand for an element of something."""
        return any(isinstance(one, ast.Subscript) for one in self.values.get(name, ()))

    def _is_of_object(self, value: ast.expr | None) -> bool:
        """Tell whether a value stands for an element of an object, as `x += y` does for objects."""
        match value:
            case ast.Subscript(owner, ast.Constant(None)):
                return self.class_of(owner) in self.classes
        return False

    def _is_made_here(self, name: str) -> bool:
        """Tell whether a name has nothing but new containers."""
        return all(
            isinstance(one, _DISPLAYS) or getattr(getattr(one, "func", None), "id", "") in _BUILT_IN
            for one in self.values.get(name, [None])
        )


def _name_class(method: ast.FunctionDef, of: str) -> None:
    """Name the class where a method that is given it reads it."""
    names = [one.arg for one in (*method.args.posonlyargs, *method.args.args)][:1]
    if "classmethod" in map(called_name, method.decorator_list):
        rename(method, dict.fromkeys(names, of))


class _Lookup:
    """Looks up the classes that a value may be of; None is one that is not known."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._seen: set[tuple[str, int]] = set()
        """The names, with levels, that are looked up already."""
        self._owners: _Lookup | None = None
        """Looks up what has methods, of which all that counts is that it is an object."""
        self._uncertain: set[ast.expr] = set()
        """What has methods and is not certain to be an object, so that nothing is certain."""

    def classes_of(self, node: ast.expr | None, levels: int) -> set[str | None]:
        """Return the classes that a value may be of.

        levels: 1 for those of the elements of the value, 2 for those of their elements, and so on.
        """
        find = self.classes_of
        match node:
            case ast.Name(name):
                return self._classes_named(name, levels)
            case ast.Attribute(value, name) if name in self._objects.members:
                is_field = f".{name}" in self._objects.values
                is_property = not is_field and self._is_function(value, name)
                return self._classes_named(f"{name}()", levels) if is_property else {None}
            case ast.Attribute(attr=name):
                return self._classes_named(f".{name}", levels)
            case ast.Subscript(ast.Name("annotation"), kind):
                return {None if levels else self._class_named(kind)}
            case ast.Subscript(value, ast.Slice()):
                return find(value, levels)
            case ast.Subscript(ast.Tuple([ast.Starred(value)]), ast.Constant(place)):
                parts = self._objects.parts_of(value, place) or [element_of(value)]
                return set[str | None]().union(*(find(one, levels) for one in parts))
            case ast.Subscript(value, ast.Constant(None)) if self._has_keys(value):
                return {None}
            case ast.Subscript(value):
                return find(value, levels + 1)
            case ast.Starred(value):
                return find(element_of(value), levels)
            case ast.IfExp(_, one, other):
                return find(one, levels) | find(other, levels)
            case ast.Call():
                return self._of_call(node, levels)
            case ast.BinOp(one, operator, other) if not levels and (
                name := OPERATORS.get(type(operator), "")
            ) in self._objects.members:
                if self._is_function(one, name):
                    return self._classes_named(f"{name}()", 0)
                if isinstance(other, _DISPLAYS) and not isinstance(other, ast.BinOp):
                    return {OTHER} | find(one, 0)  # a result is certain if this is no object
                return {None}
            case ast.BinOp(one, _, other) if levels:
                return find(one, levels) | find(other, levels)
            case ast.Constant(value) if value is None or (levels and isinstance(value, int)):
                return set()
            case ast.Constant():
                return {OTHER}
        return self._of_display(node, levels)

    def _of_call(self, node: ast.Call, levels: int) -> set[str | None]:
        """Do `classes_of` for a call."""
        find = self.classes_of
        match node:
            case ast.Call(ast.Name(name)) if name in self._objects.classes:
                return {None if levels else name}
            case ast.Call(ast.Name(name)) if self._objects.is_own(name):
                is_function = name not in self._objects.values
                return self._classes_named(f"{name}()", levels) if is_function else {None}
            case ast.Call(ast.Name(name)) if name in _NUMBERS:
                return {OTHER}
            case ast.Call(ast.Name("max" | "min"), [_, _, *_] as given, []):
                return set[str | None]().union(*(find(one, levels) for one in given))
            case ast.Call(ast.Name(name)) if name in _ITERATORS and not levels:
                return {OTHER}
            case ast.Call(ast.Name("map"), [ast.Lambda(_, value), *_]):
                return find(value, levels - 1)
            case ast.Call(ast.Name("next"), [one, *others]):
                return find(one, levels + 1).union(*(find(one, levels) for one in others))
            case ast.Call(ast.Attribute(ast.Name("copy"), "copy" | "deepcopy"), [one]):
                return find(one, levels)
            case ast.Call(ast.Name(name), given, words) if name in _BUILT_IN and not (
                words and name == "dict"
            ):
                if not levels:
                    return {_DICTIONARY if name in _DICTIONARIES else OTHER}
                if any(map(self._has_keys, given[:1])) and name not in _DICTIONARIES:
                    return {None}
                return set().union(*(find(one, levels) for one in given[:1]))
            case ast.Call(ast.Name("max" | "min"), [given], words) if not self._has_keys(given):
                others = [word.value for word in words if word.arg == "default"]
                return find(given, levels + 1).union(*(find(one, levels) for one in others))
            case ast.Call(ast.Attribute(value, "get" | "pop" | "popleft" | "setdefault"), given):
                return find(value, levels + 1).union(*(find(one, levels) for one in given[1:]))
            case ast.Call(
                ast.Attribute(
                    value, "copy" | "difference" | "intersection" | "union" | "values" as method
                ),
                given,
            ) if not self._is_function(value, method):
                found = find(value, levels).union(*(find(one, levels) for one in given))
                if method not in self._objects.members:
                    return found
                return found if found <= {OTHER, _DICTIONARY} else {None}
            case ast.Call(ast.Attribute(value, name)) if self._is_function(value, name):
                return self._classes_named(f"{name}()", levels)
        return {None}

    def _of_display(self, node: ast.expr | None, levels: int) -> set[str | None]:
        """Do `classes_of` for a display, a comprehension, or a value of which nothing is known."""
        find = self.classes_of
        if not isinstance(node, _DISPLAYS) or not levels:
            if isinstance(node, ast.Dict | ast.DictComp):
                return {_DICTIONARY}
            return {OTHER if isinstance(node, _DISPLAYS) else None}
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return set().union(*(find(one, levels - (key is not None)) for key, one in pairs))
        held = [getattr(node, name, []) for name in ("elts", "elt", "value")]
        flat = [one for part in held for one in (part if isinstance(part, list) else [part])]
        return set().union(*(find(one, levels - 1) for one in flat))

    def _is_function(self, owner: ast.expr, name: str) -> bool:
        """Tell whether a member of a value is certain to be a function of a class."""
        objects, of = self._objects, getattr(owner, "id", "")
        if name not in objects.members or f"{name}()" not in objects.values:
            return False
        if of in objects.classes:
            return True
        if self._owners is None:
            self._owners = _Lookup(objects)
            self._owners._owners = self._owners
        if owner in self._owners._uncertain:
            return False
        seen = set(self._owners._seen)
        is_certain = self._owners.classes_of(owner, 0) <= objects.classes
        if not is_certain:
            self._owners._seen = seen
            self._owners._uncertain.add(owner)
        return is_certain

    def _has_keys(self, container: ast.expr) -> bool:
        """Tell whether what is iterated may be a dictionary."""
        found = self._objects.with_keys
        if container not in found:
            found[container] = False  # while names of itself are looked up
            classes = _Lookup(self._objects).classes_of(container, 0)
            found[container] = _DICTIONARY in classes
        return found[container]

    def _classes_named(self, name: str, levels: int) -> set[str | None]:
        """Do `classes_of` for what a name stands for."""
        if (name, levels) in self._seen:
            return set()
        if levels > _MOST_LEVELS:
            return {None}
        self._seen.add((name, levels))
        values = self._objects.values
        found: set[str | None] = set()
        for value in values.get(name, [None]):
            found |= self.classes_of(value, levels)
        for value in values.get(f"[{name}]", []) if levels else []:
            found |= self.classes_of(value, levels - 1)
        for value in self._objects.put_anywhere:
            for level in range(levels):
                found |= self.classes_of(value, level) - {OTHER, _DICTIONARY}
        return found

    def _class_named(self, annotation: ast.expr) -> str | None:
        """Return the class that an annotation names."""
        match annotation:
            case ast.Name(name) | ast.Constant(str(name)) if name in self._objects.classes:
                return name
            case ast.Name(name) | ast.Subscript(ast.Name(name)) if name in _BUILT_IN:
                return OTHER
            case ast.Attribute(ast.Name(module)) if module not in self._objects.classes:
                return OTHER  # such as np.ndarray
        return None
