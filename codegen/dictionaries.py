"""Reads dictionaries: each is the tuple of its entries (key, value), and known while it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from megabatt.codegen.errors import Wrong
from megabatt.codegen.expressions import Expressions
from megabatt.codegen.ownership import Owned
from megabatt.codegen.python_functions import BUILTINS, CHANGES
from megabatt.codegen.scopes import Builtin, Dictionary, Once, assigned_in
from megabatt.runtime.program import Word

_EMPTY = Dictionary("()")
_DEFAULTS: dict[str, Word] = {"bool": False, "int": 0}
"""What functions of Python return without an argument, if `BUILTINS` does not say it."""


class Dictionaries(Expressions):
    """Reads the dictionaries of one program."""

    whole: Sequence[ast.stmt] = ()
    """The body of the function that is read now."""

    def dictionary(self, node: ast.Dict | ast.DictComp) -> Dictionary:
        """Return a dictionary that is written out, or made by a comprehension."""
        if isinstance(node, ast.DictComp):
            entry = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.key)
            container = self._iterated(node, node.generators[0])
            return _of_pairs(self, node, self._elements(node, container, node.generators, entry))
        entries, made = [], _EMPTY
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                entries.append(self.tuple_of(node, [self.held(key), self.held(value)]))
                continue
            made = _merged(self, node, made, self.tuple_of(node, entries))
            made = _merged(self, node, made, _pairs(self, value, self.value(value)))
            entries = []
        return _merged(self, node, made, self.tuple_of(node, entries))

    def element_of(
        self, node: ast.AST, container: Any, index: Word, is_changed: bool = False
    ) -> Word:
        if not isinstance(container, Dictionary):
            return super().element_of(node, container, index)
        if container.default is None:
            return self.call(node, "lookup", container.word, index)
        if container.adds and not is_changed and not self._adds_unseen(node):
            what = "reading d[k] of a defaultdict may add the key"
            raise Wrong(node, f"{what}: write d.get(k, ...), or loop over d.items()")
        return self.call(node, "lookup_or", container.word, index, container.default)

    def _adds_unseen(self, node: ast.AST) -> bool:
        """Tell whether reading `node`, d[k] of a defaultdict, adds no key, or none that is seen."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        owner, key = node.value.id, ast.unparse(node.slice)
        parts = [part for statement in self.whole for part in ast.walk(statement)]
        if any(node in _run_for_keys(part, owner, key) for part in parts):
            return True
        held = self.scope.find(owner)
        is_alone = isinstance(held, Owned) and held.hold.levels > 0
        return is_alone and owner in assigned_in(self.whole) and _is_last(node, owner, parts)

    def owner_of_keys(self, loop: ast.For) -> str:
        """Return the name of the dictionary whose keys a loop is over, if it may change; else "".

        A loop over a dictionary that loses keys may not: Python would see which keys are left.
        """
        is_copy = getattr(getattr(loop.iter, "func", None), "id", "reversed") != "reversed"
        for name, held in self.scope.names.items():
            is_dictionary = isinstance(held, Owned) and isinstance(held.word, Dictionary)
            if is_dictionary and _are_keys(loop.iter, name):
                is_lost = any(_lost_by(part) == name for part in ast.walk(loop))
                return "" if is_lost and not is_copy else name
        return ""

    def with_element(self, node: ast.AST, container: Any, index: Word, value: Word) -> Any:
        """Return a tuple or a dictionary with another value at a place or for a key."""
        if not isinstance(container, Dictionary):
            return self.call(node, "put", container, index, value)
        made = self.call(node, "put_entry", container.word, index, value)
        return container._replace(word=made)

    def without_element(self, node: ast.AST, container: Any, index: Word) -> Any:
        """Return a tuple or a dictionary without the element at a place or for a key."""
        if not isinstance(container, Dictionary):
            return CHANGES["pop"](self, node, container, index)
        is_key = self.call(node, "matcher", "first", index)
        is_kept = self.call(node, "compose", "flip", is_key)
        return container._replace(word=self.call(node, "sfilter", container.word, is_kept))

    def taken(
        self, node: ast.AST, method: str, owner: Dictionary, key: Word, default: Word | None = None
    ) -> tuple[Word, Dictionary]:
        """Read `pop` and `setdefault`. Returns the value, and the dictionary afterwards."""
        if method == "setdefault":
            value = _get(self, node, owner, key, "None" if default is None else default)
            return value, self.with_element(node, owner, key, value)
        if default is None:
            value = self.call(node, "lookup", owner.word, key)
        else:
            value = _get(self, node, owner, key, default)
        return value, self.without_element(node, owner, key)


def _is_last(node: ast.Subscript, owner: str, parts: Sequence[ast.AST]) -> bool:
    """Tell whether a dictionary is used as in d[k] alone after `node` has been read."""
    later: list[ast.AST]
    later = [part for part in parts if isinstance(part, ast.Lambda | ast.FunctionDef)]
    for part in parts:
        if isinstance(part, ast.stmt):
            block = part.test if isinstance(part, ast.If) else part
            later += [block] if node in ast.walk(block) else []
    inside = {found for block in later for found in ast.walk(block)}
    used_well = {part.value for part in parts if isinstance(part, ast.Subscript)}
    seen = [
        part for part in parts
        if isinstance(part, ast.Name) and part.id == owner and part not in used_well
        and isinstance(part.ctx, ast.Load)
    ]  # fmt: skip
    begin = node.lineno, node.col_offset
    return all((part.lineno, part.col_offset) < begin and part not in inside for part in seen)


def _are_keys(node: ast.AST, owner: str) -> bool:
    """Tell whether an expression has the keys of a dictionary alone as elements."""
    match node:
        case ast.Name(name) | ast.Call(ast.Attribute(ast.Name(name), "keys"), []):
            return name == owner
        case ast.Call(ast.Name("list" | "reversed" | "set" | "sorted" | "tuple"), [container]):
            return _are_keys(container, owner)
    return False


def _run_for_keys(part: ast.AST, owner: str, key: str) -> Iterator[ast.AST]:
    """Yield what a part of a function runs for the keys of a dictionary alone."""
    inside: list[ast.AST]
    match part:
        case ast.For(ast.Name(name), over, body):
            inside = [*body]
        case ast.Call(_, [over], [ast.keyword("key", ast.Lambda(taken, result)), *_]) if taken.args:
            name, inside = taken.args[0].arg, [result]
        case _ if generators := getattr(part, "generators", []):
            first = generators[0]
            name, over = getattr(first.target, "id", ""), first.iter
            others = [child for child in ast.iter_child_nodes(part) if child is not first]
            inside = [*others, *first.ifs]
        case _:
            return
    nodes = [node for one in inside for node in ast.walk(one)]
    if name == key and _are_keys(over, owner):
        if not any(_lost_by(node) in (owner, key) for node in nodes):
            yield from nodes


def _lost_by(node: ast.AST) -> str:
    """Return the name that a node binds, or whose dictionary may lose keys by it; "" if none."""
    match node:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            return name
        case ast.Attribute(ast.Name(name), "clear" | "pop" | "popitem"):
            return name
        case ast.Subscript(ast.Name(name), _, ast.Del()):
            return name
    return ""


def _pairs(at: Expressions, node: ast.AST, value: Any) -> Word:
    """Return the tuple of a dictionary's entries, or of a container's elements."""
    if isinstance(value, Dictionary):
        return value.word
    return at.as_tuple(node, at.as_word(node, value))


def _of_pairs(at: Expressions, node: ast.AST, pairs: Word) -> Dictionary:
    """Return the dictionary of pairs, some of whose keys may be equal."""
    try:
        return Dictionary(at.literal(node, tuple(dict(at.constant_of(pairs)).items())))
    except (TypeError, ValueError):
        return Dictionary(at.call(node, "entries_of", pairs))


def _merged(at: Expressions, node: ast.AST, owner: Dictionary, pairs: Word) -> Dictionary:
    """Return the dictionary with pairs put in."""
    if pairs == "()":
        return owner
    if owner.word != "()":
        pairs = at.call(node, "combine", owner.word, pairs)
    return owner._replace(word=_of_pairs(at, node, pairs).word)


def _dict(at: Expressions, node: ast.AST, source: Any = _EMPTY) -> Dictionary:
    if isinstance(source, Dictionary):
        return Dictionary(source.word)
    return _of_pairs(at, node, _pairs(at, node, source))


def _from_keys(at: Expressions, node: ast.AST, keys: Any, value: Any = "None") -> Dictionary:
    word = at.as_word(node, at.no_iterator(node, value))
    pairs = at._lambda_of(node, lambda key: at.tuple_of(node, [key, word]))
    elements = at.as_tuple(node, at.elements(node, keys))
    return _of_pairs(at, node, at.call(node, "apply", pairs, elements))


def _counter(at: Expressions, node: ast.AST, source: Any = _EMPTY) -> Dictionary:
    if isinstance(source, Dictionary):
        return Dictionary(source.word, default=0)
    return _counted(at, node, _EMPTY._replace(default=0), source)


def _counted(at: Expressions, node: ast.AST, owner: Dictionary, source: Any) -> Dictionary:
    """Return a counter that has counted the elements of a container too."""

    def counted(entries: Word, key: Word) -> Word:
        count = at.call(node, "lookup_or", entries, key, 0)
        return at.call(node, "put_entry", entries, key, at.binary(node, ast.Add, count, 1))

    count = at._lambda_of(node, counted, 2)
    return owner._replace(word=at.call(node, "fold", count, owner.word, at.as_word(node, source)))


def _default_dict(
    at: Expressions, node: ast.AST, factory: Any = "None", source: Any = _EMPTY
) -> Dictionary:
    made = _dict(at, node, source)
    if factory == "None":
        return made
    if isinstance(factory, Builtin) and factory.name in _DEFAULTS:
        return made._replace(default=_DEFAULTS[factory.name], adds=True)
    with at._later(at.scope) as late:
        default = at.as_word(node, at.no_iterator(node, at._called(node, factory, [], {})))
    try:
        at.constant_of(default)
        is_constant = all(scope is at.module for scope, _ in late)  # other names may change
    except ValueError:
        is_constant = False
    if not is_constant:
        what = "a defaultdict has a constant for missing keys"
        raise Wrong(node, f"{what}: write d.get(k, ...)")
    return made._replace(default=default, adds=True)


def _copy(at: Expressions, node: ast.AST, value: Any) -> Any:
    return value if isinstance(value, Dictionary) else at.as_word(node, value)


MAKERS: dict[str, Callable[..., Any]] = {
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "collections.Counter": _counter,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _default_dict,
    "dict": _dict,
    "dict.fromkeys": _from_keys,
}
"""The writers of calls by the function of Python, for functions that may return dictionaries."""


def _get(
    at: Expressions, node: ast.AST, owner: Dictionary, key: Word, default: Word = "None"
) -> Word:
    return at.call(node, "lookup_or", owner.word, key, default)


def _items(at: Expressions, node: ast.AST, owner: Dictionary) -> Once:
    return Once(owner.word, at.body, at.late.get(owner.word, {}))


def _keys(at: Expressions, node: ast.AST, owner: Dictionary) -> Once:
    return Once(at.keys_of(node, owner), at.body, {})


def _values(at: Expressions, node: ast.AST, owner: Dictionary) -> Once:
    values = at.call(node, "apply", "last", owner.word)
    return Once(values, at.body, at.late.get(owner.word, {}))


def _most_common(
    at: Expressions, node: ast.AST, owner: Dictionary, count: Word = "None"
) -> Word:
    if owner.default is None or owner.adds:
        raise Wrong(node, ".most_common is a method of counters alone: write Counter(d)")
    ordered = BUILTINS["sorted"](at, node, owner.word, key="last", reverse=True)
    if count != "None" and not (isinstance(count, int) and count >= 0):
        count = BUILTINS["max"](at, node, 0, count)
    return at.call(node, "span", ordered, "None", count, "None")


DICTIONARY_METHODS: dict[str, Callable[..., Any]] = {
    "get": _get,
    "items": _items,
    "keys": _keys,
    "most_common": _most_common,
    "values": _values,
}
"""The writers of calls by method of dictionaries."""


def _update(at: Expressions, node: ast.AST, owner: Dictionary, source: Any) -> Dictionary:
    if owner.default is None or owner.adds:
        return _merged(at, node, owner, _pairs(at, node, source))
    if isinstance(source, Dictionary):
        raise Wrong(node, ".update of a counter with a dictionary is not read: write a loop")
    return _counted(at, node, owner, source)


def _clear(at: Expressions, node: ast.AST, owner: Dictionary) -> Dictionary:
    return owner._replace(word="()")


DICTIONARY_CHANGES: dict[str, Callable[..., Dictionary]] = {"clear": _clear, "update": _update}
"""For each method that changes a dictionary, the writer of the dictionary after the change."""
