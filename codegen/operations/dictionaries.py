"""Reads dictionaries: each is the tuple of its entries (key, value), and known while it is read."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from megabatt.codegen.analysis.names import assigned_by, bound_in, is_only_subscripted
from megabatt.codegen.analysis.nodes import nodes_in, unwrapped
from megabatt.codegen.analysis.ownership import Owned, names_changed_in
from megabatt.codegen.analysis.scopes import Builtin, Dictionary, Local, Once, Scope
from megabatt.codegen.errors import Wrong
from megabatt.codegen.operations.calls import Calls
from megabatt.codegen.operations.python_functions import BUILTINS, CHANGES
from megabatt.runtime.program import Word
from megabatt.runtime.vocabulary import UNREADABLE

_EMPTY = Dictionary("()")
_COUNTS = "(0,)"
"""How the value of a missing key is written for a counter that is held."""
_DROPPING = {"clear", "pop", "popitem"}
"""The methods of dictionaries that take keys from them."""
_DEFAULTS: dict[str, Word] = {"bool": False, "float": "0.0", "int": 0}
"""What functions of Python return without an argument, if `BUILTINS` does not say it."""


class Dictionaries(Calls):
    """Reads the dictionaries of one program."""

    def read_DictComp(self, node: ast.DictComp) -> Dictionary:
        entry = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.key)
        over = self.value(node.generators[0].iter)
        container = self._iterated(node, node.generators[0], over)
        return _of_pairs(self, node, self._elements(node, container, node.generators, entry))

    def read_Dict(self, node: ast.Dict) -> Dictionary:
        entries, made = [], _EMPTY
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                entries.append(self.tuple_of(node, [self.held(key), self.held(value)]))
                continue
            other = self.value(value)
            if isinstance(other, str) and self.may_be_mapping(other):
                other = self.dictionary_in(value, other)
            made = _merged(self, node, made, self.tuple_of(node, entries))
            made = _merged(self, node, made, _pairs(self, value, other))
            entries = []
        return _merged(self, node, made, self.tuple_of(node, entries))

    def operated(self, node: Any, a: Any, b: Any) -> Any:
        """Return the result of an operator on two values, as of `a | b` of dictionaries."""
        kinds = {getattr(value, "kind", None) for value in (a, b)}
        if kinds == {None} or UNREADABLE in (a, b, *(getattr(v, "word", "") for v in (a, b))):
            return super().operated(node, a, b)
        if isinstance(node.op, ast.BitOr) and kinds == {_EMPTY.kind}:
            return _merged(self, node, a, b.word)
        what = "of operators on dictionaries, `a | b` is read where neither has defaults or is held"
        raise Wrong(node, f"{what}: write {{**a, **b}}, or d[k] = v in a loop")

    def binary(self, node: ast.AST, operator: type[ast.AST], a: Word, b: Word) -> Word:
        """Add the calls for an operator; `|` also merges two dictionaries that are held."""
        made = super().binary(node, operator, a, b)
        are_mappings = self.may_be_mapping(a) and self.may_be_mapping(b)
        if operator is not ast.BitOr or not are_mappings or self.may_hold_counters:
            return made
        pairs = self.dictionary_in(node, b).word
        merged = self.as_held(node, _merged(self, node, self.dictionary_in(node, a), pairs))
        is_other = self.call(node, "equality", self.opened(node, a), a)
        return self.call(node, "if_else", is_other, made, merged)

    def element_of(
        self, node: ast.AST, container: Any, index: Word, is_changed: bool = False
    ) -> Word:
        if not isinstance(container, Dictionary):
            return super().element_of(node, container, index, is_changed)
        if container.default is None:
            return self.call(node, "lookup", container.word, index)
        is_read = container.adds and not (is_changed or getattr(node, "has_key", False))
        if is_read and not self._adds_unseen(node, container.word, index):
            what = "reading d[k] of a defaultdict may add the key"
            raise Wrong(node, f"{what}: write d.get(k, ...), or loop over d.items()")
        return self.call(node, "lookup_or", container.word, index, container.default)

    def _adds_unseen(self, node: Any, entries: Word, key: Word) -> bool:
        """Tell whether reading `node`, d[k] of a defaultdict, adds no key, or none that is seen."""
        owner = getattr(getattr(node, "value", None), "id", "")
        home = self.home_of(owner) or self.module
        held = home.names.get(owner)
        is_alone = isinstance(held, Owned) and held.hold.levels > 0 and owner in home.assigned
        is_key = (entries, key) in self.present  # or it is drawn from the keys
        is_key = is_key or self.maker_of(self.drawn_from(key)) == ("apply", "first", entries)
        return is_key or (is_alone and is_only_subscripted(owner, home.whole))

    def comparison(self, node: ast.Compare, operator: ast.cmpop, a: Any, b: Any) -> Word:
        """Compare two values; in two counters, a count of 0 is as none."""
        makers = [self.maker_of(one) for one in (a, b)]
        if all(maker[0] == "mapping" and maker[2] == _COUNTS for maker in makers):
            counts = [self.call(node, "sfilter", maker[1], "last") for maker in makers]
            a, b = (self.call(node, "mapping", one, _COUNTS) for one in counts)
        return super().comparison(node, operator, a, b)

    def owner_of_keys(self, loop: ast.For) -> str:
        """Return the name of the dictionary whose keys a loop is over, if it may change; else "".

        Where a loop over the dictionary itself adds keys alone, Python fails if there are more.
        """
        is_copy = getattr(getattr(loop.iter, "func", None), "id", "reversed") != "reversed"
        for name, held in self.scope.names.items():
            is_dictionary = isinstance(held, Owned) and isinstance(held.word, Dictionary)
            if is_dictionary and _are_keys(loop.iter, name):
                return name if is_copy or self._keeps_keys(loop, name) else ""
        return ""

    def _keeps_keys(self, loop: ast.For, owner: str) -> bool:
        """Tell whether a loop takes no keys from a dictionary, which no other one replaces."""
        same: set[ast.AST] = set()
        for part in nodes_in(loop, ast.Assign):
            if owner in names_changed_in(part) and not self._call_may_drop_keys(part.value):
                same.update(name for target in part.targets for name in nodes_in(target, ast.Name))
        names = (part for part in nodes_in(loop, ast.Name) if part.id == owner)
        bound = any(not isinstance(part.ctx, ast.Load) and part not in same for part in names)
        return not bound and not _may_drop_keys(loop, owner)

    def _call_may_drop_keys(self, call: ast.expr) -> bool:
        """Tell whether functions that a call calls may take keys from a dictionary."""
        left: list[ast.AST] = [call]
        for node in left:
            for name in {part.id for part in nodes_in(node, ast.Name)}:
                home = self.home_of(name)
                found = home.names[name] if home is not None else None
                if isinstance(found, Local) and found.node not in left:
                    left.append(found.node)
        return any(map(_may_drop_keys, left))

    def with_element(self, node: ast.AST, container: Any, index: Word, value: Any) -> Any:
        """Return a tuple or a dictionary with another value at a place or for a key."""
        value = self.as_held(node, value)
        if isinstance(container, Dictionary):
            made = self.call(node, "put_entry", container.word, index, value)
            return container._replace(word=made)
        is_any = index in self.texts or self.may_be_mapping(container)
        return self.call(node, "put_at" if is_any else "put", container, index, value)

    def without_element(self, node: ast.AST, container: Any, index: Word) -> Any:
        """Return a tuple or a dictionary without the element at a place or for a key."""
        if not isinstance(container, Dictionary):
            if index not in self.texts:
                return CHANGES["pop"](self, node, container, index)
            container = self.dictionary_in(node, container)
        if container.default is not None and not container.adds:
            return self._without(node, container, index)  # a counter may lack the key
        return self._dropped(node, container, index)

    def _dropped(self, node: ast.AST, owner: Dictionary, key: Word) -> Dictionary:
        """Return a dictionary without a key that it must have."""
        place = self.call(node, "place_of", self.keys_of(node, owner), key)
        return owner._replace(word=self.call(node, "drop", owner.word, place))

    def _without(self, node: ast.AST, owner: Dictionary, key: Word) -> Dictionary:
        """Return a dictionary without a key that it may have."""
        is_key = self.call(node, "matcher", "first", key)
        is_kept = self.call(node, "compose", "flip", is_key)
        return owner._replace(word=self.call(node, "sfilter", owner.word, is_kept))

    def taken(
        self, node: ast.AST, method: str, owner: Any, key: Word, default: Word | None = None
    ) -> tuple[Word, Any]:
        """Read `pop` and `setdefault`. Returns the value, and the dictionary afterwards."""
        found = owner if isinstance(owner, Dictionary) else self.dictionary_in(node, owner)
        if method == "setdefault":
            value = _get(self, node, found, key, "None" if default is None else default)
            return value, self.with_element(node, owner, key, value)
        owner = found
        if default is None:
            value = self.call(node, "lookup", owner.word, key)
            return value, self._dropped(node, owner, key)
        return _get(self, node, owner, key, default), self._without(node, owner, key)


def _are_keys(node: ast.expr, owner: str) -> bool:
    """Tell whether an expression has the keys of a dictionary alone as elements."""
    match unwrapped(node):
        case ast.Name(name) | ast.Call(ast.Attribute(ast.Name(name), "keys"), []):
            return name == owner
    return False


def _may_drop_keys(node: ast.AST, owner: str = "") -> bool:
    """Tell whether a node may take keys from a dictionary with a name; from any without one."""
    of_lists = {call.func for call in nodes_in(node, ast.Call) if not call.args}  # as x.pop()
    changed = [
        part.value for part in nodes_in(node, ast.Attribute)
        if part.attr in _DROPPING and not (part.attr == "pop" and part in of_lists)
    ]  # fmt: skip
    dropped = nodes_in(node, ast.Subscript)
    changed += [part.value for part in dropped if isinstance(part.ctx, ast.Del)]
    return any(not owner or getattr(part, "id", "") == owner for part in changed)


def _pairs(at: Calls, node: ast.AST, value: Any) -> Word:
    """Return the tuple of a dictionary's entries, or of a container's elements."""
    if isinstance(value, Dictionary):
        return value.word
    if isinstance(value, str) and at.may_be_mapping(value):
        are_pairs = at.call(node, "equality", at.opened(node, value), value)
        value = at.call(node, "if_else", are_pairs, value, at.dictionary_in(node, value).word)
    return at.as_tuple(node, at.as_word(node, value))


def _of_pairs(at: Calls, node: ast.AST, pairs: Word) -> Dictionary:
    """Return the dictionary of pairs, some of whose keys may be equal."""
    try:
        return Dictionary(at.literal(node, tuple(dict(at.constant_of(pairs)).items())))
    except (TypeError, ValueError):
        return Dictionary(at.call(node, "entries_of", pairs))


def _merged(at: Calls, node: ast.AST, owner: Dictionary, pairs: Word) -> Dictionary:
    """Return the dictionary with pairs put in."""
    if pairs == "()":
        return owner
    if owner.word != "()":
        pairs = at.call(node, "combine", owner.word, pairs)
    return owner._replace(word=_of_pairs(at, node, pairs).word)


def _dict(at: Calls, node: ast.AST, source: Any = _EMPTY) -> Dictionary:
    if isinstance(source, Dictionary):
        return Dictionary(source.word)
    return _of_pairs(at, node, _pairs(at, node, source))


def _from_keys(at: Calls, node: ast.AST, keys: Any, value: Any = "None") -> Dictionary:
    word = at.as_word(node, at.no_iterator(node, value))
    pairs = at.lambda_of(node, lambda key: at.tuple_of(node, [key, word]))
    elements = at.as_tuple(node, at.elements(node, keys))
    return _of_pairs(at, node, at.call(node, "apply", pairs, elements))


def _counter(at: Calls, node: ast.AST, source: Any = _EMPTY) -> Dictionary:
    if isinstance(source, Dictionary):
        return Dictionary(source.word, default=0)
    return _counted(at, node, _EMPTY._replace(default=0), source)


def _counted(at: Calls, node: ast.AST, owner: Dictionary, source: Any) -> Dictionary:
    """Return a counter that has counted the elements of a container too."""

    def counted(entries: Word, key: Word) -> Word:
        count = at.call(node, "lookup_or", entries, key, 0)
        return at.call(node, "put_entry", entries, key, at.binary(node, ast.Add, count, 1))

    count = at.lambda_of(node, counted, 2)
    made = at.call(node, "fold", count, owner.word, at.as_word(node, source))
    at.set_lists(made, 0)  # keys hold none
    return owner._replace(word=made)


def _default_dict(
    at: Calls, node: ast.AST, factory: Any = "None", source: Any = _EMPTY
) -> Dictionary:
    made = _dict(at, node, source)
    if factory == "None":
        return made
    if isinstance(factory, Builtin) and factory.name in _DEFAULTS:
        return made._replace(default=_DEFAULTS[factory.name], adds=True)
    with at.later(at.scope) as late:
        default = at.as_held(node, at.no_iterator(node, at.call_of(node, factory, [], {})))
    if any(scope is not at.module and _may_change(scope, name) for scope, name in late):
        what = "a defaultdict has a constant for missing keys"
        raise Wrong(node, f"{what}: write d.get(k, ...)")
    return made._replace(default=default, adds=True)


def _may_change(scope: Scope, name: str) -> bool:
    """Tell whether a function may give a name another value later, or change its value."""
    if any(name in names_changed_in(statement) for statement in scope.whole):
        return True
    times = Counter(one for statement in scope.whole for one in bound_in(statement))[name]
    return times > 1 or (times == 1 and not any(
        name in assigned_by(statement)
        for statement in scope.whole if isinstance(statement, ast.Assign | ast.AnnAssign)
    ))  # fmt: skip


def _of_kinds(at: Calls, node: ast.AST, *values: Any) -> Any:
    what = "kinds of values are read where they are told alone"
    raise Wrong(node, f"{what}: write isinstance(x, tuple), or type(x)(...)")


def _copy(at: Calls, node: ast.AST, value: Any) -> Any:
    if isinstance(value, Dictionary):
        return value
    word = at.as_word(node, value)
    return at.call(node, "identity", word) if at.has_identity else word


MAKERS: dict[str, Callable[..., Any]] = {
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "collections.Counter": _counter,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _default_dict,
    "dict": _dict,
    "dict.fromkeys": _from_keys,
    "isinstance": _of_kinds,
    "type": _of_kinds,
}
"""The writers of calls by the function of Python, for those with dictionaries and types."""


def _get(
    at: Calls, node: ast.AST, owner: Dictionary, key: Word, default: Word = "None"
) -> Word:
    return at.call(node, "lookup_or", owner.word, key, default)


def _items(at: Calls, node: ast.AST, owner: Dictionary) -> Once:
    return Once(owner.word, at.body, at.late.get(owner.word, {}))


def _keys(at: Calls, node: ast.AST, owner: Dictionary) -> Once:
    return Once(at.keys_of(node, owner), at.body, {})


def _values(at: Calls, node: ast.AST, owner: Dictionary) -> Once:
    values = at.call(node, "apply", "last", owner.word)
    return Once(values, at.body, at.late.get(owner.word, {}))


def _most_common(at: Calls, node: ast.AST, owner: Dictionary, count: Word = "None") -> Word:
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


def _update(at: Calls, node: ast.AST, owner: Dictionary, source: Any) -> Dictionary:
    if owner.default is None or owner.adds:
        return _merged(at, node, owner, _pairs(at, node, source))
    if isinstance(source, Dictionary):
        raise Wrong(node, ".update of a counter with a dictionary is not read: write a loop")
    return _counted(at, node, owner, source)


def _clear(at: Calls, node: ast.AST, owner: Dictionary) -> Dictionary:
    return owner._replace(word="()")


DICTIONARY_CHANGES: dict[str, Callable[..., Dictionary]] = {"clear": _clear, "update": _update}
"""For each method that changes a dictionary, the writer of the dictionary after the change."""
