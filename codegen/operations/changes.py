"""Reads changes in place: a list, set or dictionary that one name alone holds is assigned anew."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from megabatt.codegen.analysis.liveness import loads, read_by_functions
from megabatt.codegen.analysis.names import as_in_source, as_written, stored_in
from megabatt.codegen.analysis.nodes import (
    all_nodes_in,
    copy_of,
    nodes_in,
    parameters_of,
    placed,
)
from megabatt.codegen.analysis.ownership import (
    ALL,
    FIXED,
    KNOWN,
    Hold,
    Owned,
    assigned_to,
    call_of_change,
    exposed,
    indices_of,
    is_field,
    is_list,
    is_marked_number,
    leaked_by_functions,
    makes_set,
    merged,
)
from megabatt.codegen.analysis.scopes import Choice, Dictionary, Foreign, Local
from megabatt.codegen.errors import Wrong
from megabatt.codegen.operations.dictionaries import DICTIONARY_CHANGES, Dictionaries
from megabatt.codegen.operations.loops import Loops
from megabatt.codegen.operations.operators import OPERATORS
from megabatt.codegen.operations.python_functions import CHANGES, CHANGES_OF_SETS
from megabatt.runtime.program import Word
from megabatt.runtime.vocabulary import UNREADABLE

_OF_ONE = ("add", "append", "appendleft", "discard", "insert", "pop", "remove")
"""The methods that take an element, where others take a container."""
_OF_LISTS = {"append", "appendleft", "extend", "insert", "reverse", "sort"}
_OF_SETS = {"add", "difference_update", "discard", "intersection_update", "update"}
"""The methods that only lists, and only sets, have."""
NOT_IN_PLACE = "this is not changed in place: assign a new value to a name"
_MERGED = "of operators, `|=` alone changes a dictionary, no counter: write d[k] = v in a loop"


class _Place(NamedTuple):
    """A place `name[a][b]`. words: The indices. values: Those of name, name[a], and so on.

    The first value may be a dictionary.
    """

    name: str
    held: Owned
    words: list[Word]
    values: list[Any]


class Changes(Loops):
    """Reads the changes in place of one program."""

    _active: Sequence[Local] = ()
    """The functions that are read now, each within a call in the last one."""

    def _owned(self, node: ast.AST, owner: ast.expr, levels: int) -> Owned:
        """Return the meaning of a name that owns levels of its value, so that they may change."""
        if not isinstance(owner, ast.Name):
            raise Wrong(node, NOT_IN_PLACE)
        name = owner.id
        held = self.scope.names.get(name)
        if held is None or isinstance(held, Foreign):
            held = self.named(owner)
            if name in self.scope.elsewhere:
                return Owned(held, Hold(ALL, ALL))
            if held != UNREADABLE:
                what = f"{name!r} is defined outside of this function, and is not changed in it"
                advice = "change a copy under another name, and return it"
                if self.home_of(name) is not self.module:
                    advice += "; or call the function on a line of its own"
                raise Wrong(node, f"{what}: {advice}")
        if held == UNREADABLE:
            return Owned(UNREADABLE, FIXED)
        method = (call_of_change(node) or ("", ""))[1]
        is_read = method == "sort" and self._sees(node, name)  # there, it would be empty
        if not isinstance(held, Owned) or self._levels(name, held) < levels or is_read:
            is_dictionary = isinstance(held, Owned) and isinstance(held.word, Dictionary)
            is_dictionary |= _has_text_key(node)
            written = as_in_source(name)
            what, advice = "what changes here", "give a copy a name, and change the copy"
            if written:
                what = repr(written)
                advice = self._how_to_copy(node, written, levels, method, is_dictionary)
            seen = "may be held elsewhere too, where a change in place would be seen"
            raise Wrong(node, f"{what} {seen}: {advice}")
        wrong = set(filter(self._is_hidden, self.scope.defined(KNOWN)))
        wrong |= KNOWN & stored_in(self._function)
        if wrong:
            raise Wrong(node, f"{min(wrong)!r} must be Python's own where values change: rename it")
        return held

    def _how_to_copy(
        self, node: ast.AST, name: str, levels: int, method: str, is_dictionary: bool
    ) -> str:
        """Say what to copy so that levels of a name's value may change."""
        inner = self._active[1:]  # a program's own parameters are given by nobody
        is_given = bool(inner) and name in {one.arg for one in parameters_of(inner[-1].node)}
        taking = [loop for loop in self.calling if is_given and _gives(loop)]
        taking += [one for one in self.loops_around() if self._takes(one, node, name, levels)]
        if taking:
            copied, is_deep = f"list({as_written(taking[-1].iter)})", taking[-1] not in self.calling
            copied = f"copy.deepcopy({copied})" if is_deep and levels > 1 else copied
            return f"loop over a copy, such as {copied}"
        is_array = name in getattr(self._function, "arrays", ())
        begin = "change the array by one name alone, as in a[:2, :2] = 0, or " if is_array else ""
        if is_array:
            copied = f"{name}.copy()"
        elif _changes_field(node, name):
            copied = f"copy.deepcopy({name})"
        elif is_dictionary and levels > 1:
            copied = f"{{k: v.copy() for k, v in {name}.items()}}"
        elif levels > 1:
            row = "row.copy()" if method in CHANGES_OF_SETS else "list(row)"
            copied = f"[{row} for row in {name}]"
        elif is_dictionary or method in CHANGES_OF_SETS:
            copied = f"{name}.copy()"
        else:
            kinds = {"add": "set", "discard": "set", "update": "set", "sort": "sorted"}
            copied = f"{kinds.get(method, 'list')}({name})"
        end = ", return it, and assign what the function returns" if is_given else ""
        return f"{begin}change a copy, such as {name} = {copied}{end}"

    def _takes(self, loop: ast.For, node: ast.AST, name: str, levels: int) -> bool:
        """Tell whether a loop around `node` is why a name lacks levels that a change needs."""
        is_taken = any(found.name == name and found.levels < levels for found in exposed(loop.iter))
        return is_taken and node in all_nodes_in(loop) and self.owner_of_keys(loop) != name

    @property
    def _function(self) -> Any:
        """The function whose statements are read; an empty module outside of functions."""
        return self._active[-1].node if self._active else ast.Module([], [])

    def _sees(self, call: Any, name: str) -> bool:
        """Tell whether the key of a sort may read the list that is sorted."""
        keys = [keyword.value for keyword in call.keywords if keyword.arg == "key"]
        read = set().union(*map(loads, keys))
        if not keys or name not in read | read_by_functions(self.scope.whole, call):
            return False
        called = [keys[0], *(part.func for part in nodes_in(keys[0], ast.Call))]
        of_names = {part.id for part in called if isinstance(part, ast.Name)}
        others = [part for part in called[1:] if not isinstance(part, ast.Name | ast.Attribute)]
        return name in read or bool(others) or any(self._is_own(n, n in of_names) for n in read)

    def _is_own(self, name: str, is_called: bool) -> bool:
        """Tell whether a name may stand for a function that is defined within a function."""
        try:
            found = self.scope.find(name)
        except LookupError:
            return True
        if isinstance(found, Local):
            return found.scope is not self.module
        return isinstance(found, Choice) or (is_called and self.is_variable(found))

    def _levels(self, name: str, held: Owned) -> int:
        """Return the outer levels of a name's value that nothing else holds, no function either."""
        leaked = [one for one in leaked_by_functions(self._function) if one.name == name]
        return min(held.hold.levels, *(one.levels for one in leaked), ALL)

    def _is_hidden(self, name: str) -> bool:
        try:
            found = self.scope.find(name)
        except LookupError:
            return True
        return found is not None and getattr(found, "name", "").rpartition(".")[2] != name

    def _place(self, node: ast.AST, container: ast.expr) -> _Place:
        """Return where `name[a][b]` stands, so that the list or set there may change."""
        owner, indices = indices_of(container)
        held = self._owned(node, owner, len(indices) + 1)
        words = [self.word(index) for index in indices]
        values = [held.word]
        for word in words:
            values.append(self.element_of(node, values[-1], word, is_changed=True))
        return _Place(owner.id, held, words, values)  # type: ignore[attr-defined]

    def _change_at(self, node: ast.AST, place: _Place, value: Any, hold: Hold = FIXED) -> None:
        """Put a changed value at a place. hold: What is known of its new elements."""
        for container, word in zip(reversed(place.values[:-1]), reversed(place.words), strict=True):
            value = self.with_element(node, container, word, value)
        known = place.held.hold
        if hold.depth:
            known = merged([known, hold.within(len(place.words) + 1)])
        self.scope.names[place.name] = Owned(value, known)

    def _put(self, target: ast.Subscript, value: Word, hold: Hold) -> None:
        """Change an element of the value of a name."""
        self._check_added(target, [])
        place = self._place(target, target.value)
        if isinstance(target.slice, ast.Slice):
            made = self._with_slice(target, place.values[-1], target.slice, value)
            hold = hold.elements()
        else:
            made = self.with_element(target, place.values[-1], self.word(target.slice), value)
        self._change_at(target, place, made, hold)

    def _with_slice(self, node: ast.AST, container: Any, part: ast.Slice, values: Word) -> Word:
        """Return a list with other elements in place of a slice."""
        owner = self.as_word(node, container)
        values = self.as_tuple(node, self.elements(node, values))
        if part.step is not None and getattr(part.step, "value", 0) != 1:
            return self._with_steps(node, owner, part, values)
        start = 0 if part.lower is None else self.word(part.lower)
        start = start if self.is_integer(start) else self.call(node, "if_else", start, start, 0)
        stop = "None" if part.upper is None else self.word(part.upper)
        before = self.call(node, "span", owner, "None", start, "None")
        left_out = self.call(node, "span", owner, start, stop, "None")
        sizes = self.call(node, "size", before), self.call(node, "size", left_out)
        behind = self.call(node, "span", owner, self.binary(node, ast.Add, *sizes), "None", "None")
        made = self.call(node, "combine", before, values)
        return self.call(node, "combine", made, behind)

    def _places_of(self, node: ast.AST, owner: Word, part: ast.Slice) -> tuple[Word, Word]:
        """Return all places of a list's elements, and those of a slice with a step."""
        bounds = ["None" if one is None else self.word(one) for one in (part.lower, part.upper)]
        places = self.call(node, "interval", 0, self.call(node, "size", owner), 1)
        step = self.word(part.step)  # type: ignore[arg-type]
        return places, self.call(node, "span", places, *bounds, step)

    def _with_steps(self, node: ast.AST, owner: Word, part: ast.Slice, values: Word) -> Word:
        """Return a list with other elements at some places, which must be as many."""
        places = self._places_of(node, owner, part)[1]

        def put(made: Word, pair: Word) -> Word:
            place, value = (self.call(node, "item", pair, k) for k in (0, 1))
            return self.with_element(node, made, place, value)  # type: ignore[no-any-return]

        counts = (self.call(node, "size", one) for one in (places, values))
        is_wrong = self.negation(node, self.call(node, "equality", *counts))
        pairs = self.call(node, "pair", places, values)
        made = self.call(node, "fold", self.lambda_of(node, put, 2), owner, pairs)
        return self.call(node, "if_else", is_wrong, self.failure(node, is_wrong), made)

    def _without_steps(self, node: ast.AST, owner: Word, part: ast.Slice) -> Word:
        """Return a list without the elements at some places."""
        places, left_out = self._places_of(node, owner, part)

        def stays(place: Word) -> Word:
            return self.negation(node, self.call(node, "contained", place, left_out))

        kept = self.call(node, "sfilter", places, self.lambda_of(node, stays))
        taken = self.lambda_of(node, lambda place: self.call(node, "item", owner, place))
        return self.as_list(node, self.call(node, "apply", taken, kept))

    def _augment(self, statement: ast.AugAssign, target: ast.Name | ast.Subscript) -> None:
        """Read `target += value` and its like; a list to which a list is added changes in place."""
        before = copy_of(target)
        before.ctx = ast.Load()
        held: Any = self.scope.names.get(getattr(target, "id", ""))
        if isinstance(held, Owned) and isinstance(held.word, Dictionary):
            self._merge(statement, before, held.word)
            return
        owner, indices = indices_of(target)
        if isinstance(before, ast.Subscript):
            self._check_added(target, [statement.value])
            value = self.read_Subscript(before, is_changed=True)
        else:
            value = self.word(before)
        if isinstance(statement.op, ast.Add):  # a list takes the elements of what is added
            added = self.iterable_for(statement.value, getattr(owner, "id", ""))
            is_set = self.kinds_of(added) == {frozenset}  # only lists take the elements of sets
            words = value, self.call(statement, "totuple", added) if is_set else added
        else:
            added = self.value(statement.value)
            if isinstance(added, Dictionary):
                raise Wrong(statement, _MERGED)
            words = value, self.as_held(statement.value, self.no_iterator(statement.value, added))
        hold = self.hold_of(statement.value)
        if is_list(statement.value):
            self._owned(target, owner, len(indices) + 1)
        is_times = isinstance(statement.op, ast.Mult)  # a list times a number changes too
        is_number = self.is_number(words[1]) or is_marked_number(before)
        if (is_times or not is_number) and self._is_shared(before):
            kinds = self.kinds_of(words[1])
            if is_times or hold.depth > 0 or (kinds and int not in kinds):
                self._refuse_shared(statement, before)
            # The right side must be a number: a list or set on the left then fails, as in Python.
            words = words[0], self.binary(statement, ast.Sub, words[1], 0)
        made = self.binary(statement, type(statement.op), *words)
        if isinstance(target, ast.Subscript):
            self.assign(target, made, hold)
        elif isinstance(held, Owned):
            is_sum = isinstance(statement.op, ast.Add)
            levels = min(held.hold.levels, hold.levels) if is_sum else 1
            self.assign(target, made, Hold(max(levels, 1), max(hold.depth, held.hold.depth)))
        else:
            self.assign(target, made, hold._replace(levels=1) if hold.depth > 1 else FIXED)

    def _merge(self, statement: ast.AugAssign, before: ast.expr, owner: Dictionary) -> None:
        """Read `d |= other` as `d.update(other)`."""
        is_counter = owner.default is not None and not owner.adds
        if is_counter or not isinstance(statement.op, ast.BitOr):
            raise Wrong(statement, _MERGED)
        update = ast.Call(ast.Attribute(before, "update", ast.Load()), [statement.value], [])
        call = placed(update, statement)
        place = self._place(call, before)
        self._change_at(call, place, *self._changed_dictionary(call, "update", owner, place.name))

    def _is_shared(self, before: ast.expr) -> bool:
        """Tell whether a value may be a list or set that something else holds."""
        owner, indices = indices_of(before)
        name = getattr(owner, "id", "")
        held = self.scope.names.get(name)
        if not isinstance(held, Owned):
            return False
        return self._levels(name, held) <= len(indices) < held.hold.depth

    def _refuse_shared(self, statement: ast.AugAssign, before: ast.expr) -> None:
        sign, text = OPERATORS[type(statement.op)][0], as_written(before)
        what = f"{text!r} may be a list or set that is held elsewhere too"
        raise Wrong(statement, f"{what}: write {text} = {text} {sign} ...")

    def _change(self, call: ast.Call, method: str) -> None:
        """Read a call of a method that changes the value of a name."""
        if method not in CHANGES:
            raise Wrong(call, f".{method}(...): {NOT_IN_PLACE}")
        place = self._place(call, call.func.value)  # type: ignore[attr-defined]
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        self._check_added(call.func.value, given)  # type: ignore[attr-defined]
        container = place.values[-1]
        if isinstance(container, Dictionary):
            made, hold = self._changed_dictionary(call, method, container, place.name)
        elif method in DICTIONARY_CHANGES and self.may_be_mapping(container):
            mapping = self.dictionary_in(call, container)
            made, hold = self._changed_dictionary(call, method, mapping, place.name)
            other, hold_of_other = self._changed_list(call, method, place)
            made = self._by_mapping(call, container, made, other)
            hold = merged([hold, hold_of_other])
        else:
            made, hold = self._changed_list(call, method, place)
        self._change_at(call, place, made, hold)

    def _check_added(self, container: ast.expr, values: Sequence[ast.expr]) -> None:
        """Refuse values that see a key which is added before, as in `d[k].append(len(d))`.

        container: What changes, which may be within a `defaultdict`: its other indices are values.
        """
        values = list(values)
        while isinstance(container, ast.Subscript) and isinstance(container.value, ast.Subscript):
            values.append(container.slice)
            container = container.value
        name = getattr(getattr(container, "value", None), "id", "")
        held = self.scope.names.get(name)
        may_add = isinstance(held, Owned) and isinstance(held.word, Dictionary) and held.word.adds
        if may_add and not getattr(container, "has_key", False):
            read = set().union(*map(loads, values))
            if any(nodes_in(value, ast.Call) for value in values):
                read |= read_by_functions(self.scope.whole, ast.Pass())
            if name in read:
                what = f"{name!r} may get a key before it is read here"
                raise Wrong(container, f"{what}: write d[k] = d.get(k, []) before")

    def _by_mapping(self, node: ast.AST, container: Word, of_mapping: Any, other: Any) -> Word:
        """Return one of two values: the first if a container is a dictionary that is held."""
        keys = self.call(node, "keys_in", container)
        words = self.as_held(node, other), self.as_held(node, of_mapping)
        return self.call(node, "if_else", self.call(node, "equality", container, keys), *words)

    def _changed_list(self, call: ast.Call, method: str, place: _Place) -> tuple[Word, Hold]:
        """Return a list or set that a method has changed, and what is known of new elements."""
        is_set = self._is_set(place)
        if is_set is not None and method in (_OF_LISTS if is_set else _OF_SETS):
            kind, other = ("set", "list") if is_set else ("list", "set")
            raise Wrong(call, f".{method} is a method of {other}s, and this is a {kind}")
        if method in _OF_ONE:
            given = list(map(self.held, call.args))
        else:
            given = [self.iterable_for(argument, place.name) for argument in call.args]
        named = {self._keyword(keyword): self.word(keyword.value) for keyword in call.keywords}
        if named and method != "sort":
            raise Wrong(call, f".{method} takes no arguments by keyword")
        given.insert(0, place.values[-1])

        def changed(is_set: bool) -> list[Word]:
            writer = (CHANGES_OF_SETS if is_set else CHANGES)[method]
            return [self.written(call, f".{method}", writer, given, named)]

        is_any = method in CHANGES_OF_SETS
        (made,) = self._by_kind(call, place, changed) if is_any else changed(False)
        hold = FIXED
        if method in ("append", "appendleft", "insert"):
            hold = self.hold_of(call.args[-1])
        elif method == "extend":
            hold = self.hold_of(call.args[0]).elements()
        return made, hold

    def _changed_dictionary(
        self, call: ast.Call, method: str, dictionary: Dictionary, name: str
    ) -> tuple[Any, Hold]:
        """Do `_changed_list` for a dictionary. name: The name that owns it."""
        if method not in DICTIONARY_CHANGES or call.keywords:
            raise Wrong(call, f".{method} of a dictionary cannot be read: write d[k] = v in a loop")
        values = (self.value_beside(argument, {name}) for argument in call.args)
        made = self.written(call, f".{method}", DICTIONARY_CHANGES[method], [dictionary, *values])
        return made, merged([self.hold_of(part).shared().elements() for part in call.args])

    def _taken_of(self, call: ast.Call, method: str, place: _Place) -> Word:
        """Read `pop` or `setdefault` of a dictionary, and return the value."""
        given = [method, place.values[-1], *map(self.held, call.args)]
        named = {self._keyword(keyword): self.held(keyword.value) for keyword in call.keywords}
        element, rest = self.written(call, f".{method}", Dictionaries.taken, given, named)
        hold = merged(map(self.hold_of, call.args[1:])) if method == "setdefault" else FIXED
        self._change_at(call, place, rest, hold)
        return element  # type: ignore[no-any-return]

    def _popped(self, value: ast.expr) -> Word | None:
        """Read `name.pop(...)` or its like, and return the element; None for anything else."""
        changed = call_of_change(value)
        if changed is None or changed[1] not in ("pop", "popleft", "setdefault"):
            return None
        assert isinstance(value, ast.Call)
        place = self._place(value, value.func.value)  # type: ignore[attr-defined]
        container = place.values[-1]
        is_of_two = changed[1] == "pop" and len(value.args) == 2  # a dictionary's
        if isinstance(container, Dictionary) or changed[1] == "setdefault" or is_of_two:
            return self._taken_of(value, changed[1], place)
        if len(value.args) > (changed[1] == "pop") or value.keywords:
            raise Wrong(value, f".{changed[1]} cannot be read with these arguments")
        at: Word = 0 if changed[1] == "popleft" else -1
        at = self.word(value.args[0]) if value.args else at

        def popped(is_set: bool) -> list[Word]:
            of_set = self.as_tuple(value, container), 0
            element = self.call(value, "item", *(of_set if is_set else (container, at)))
            pop = (CHANGES_OF_SETS if is_set else CHANGES)["pop"]
            return [element, pop(self, value, container, element if is_set else at)]

        is_any = changed[1] == "pop" and not value.args
        element, rest = self._by_kind(value, place, popped) if is_any else popped(False)
        if value.args and self.may_be_mapping(container):
            pairs = zip(self.taken(value, "pop", container, at), (element, rest), strict=True)
            element, rest = (self._by_mapping(value, container, *pair) for pair in pairs)
        self._change_at(value, place, rest)
        return element

    def _by_kind(
        self, call: ast.Call, place: _Place, write: Callable[[bool], list[Word]]
    ) -> list[Word]:
        """Write a change of a list or a set. write: Writes it for a set (True), or for a list."""
        container, is_certain = place.values[-1], self._is_set(place)
        if is_certain is not None:
            return write(is_certain)
        as_set = self.call(call, "combine", "frozenset()", container)
        is_set = self.call(call, "equality", container, as_set)
        both = zip(write(True), write(False), strict=True)
        return [self.call(call, "if_else", is_set, *pair) for pair in both]

    def _is_set(self, place: _Place) -> bool | None:
        """Tell whether the value at a place is a set, no list; None if that is not certain."""
        kinds = self.kinds_of(place.values[-1])
        if len(kinds) == 1:
            return kinds == {frozenset}
        if not place.words:
            assigned = list(assigned_to(place.name, [self._function]))
            for is_kind in (makes_set, is_list):
                if assigned and all(map(is_kind, assigned)):
                    return is_kind is makes_set
        return None

    def _delete(self, target: ast.expr) -> None:
        """Read `del name` and `del name[k]`."""
        if isinstance(target, ast.Name):
            return  # Python fails where the name is read again
        if not isinstance(target, ast.Subscript):
            raise Wrong(target, NOT_IN_PLACE)
        place = self._place(target, target.value)
        part = target.slice
        if isinstance(part, ast.Slice) and part.step is not None:
            owner = self.as_word(target, place.values[-1])
            made = self._without_steps(target, owner, part)
        elif isinstance(part, ast.Slice):
            made = self._with_slice(target, place.values[-1], part, "()")
        else:
            made = self._without_key(target, place.values[-1], self.word(part))
        self._change_at(target, place, made)

    def _without_key(self, node: ast.AST, container: Any, key: Word) -> Any:
        """Do `without_element` for what may be a dictionary that is held, too."""
        made = self.without_element(node, container, key)
        if isinstance(container, Dictionary) or key in self.texts:
            return made
        if not self.may_be_mapping(container):
            return made
        mapping = self.without_element(node, self.dictionary_in(node, container), key)
        return self._by_mapping(node, container, mapping, made)


def _gives(loop: ast.For) -> bool:
    """Tell whether a loop calls a function with what it is over, or is over a part of."""
    calls = [call for part in loop.body for call in nodes_in(part, ast.Call)]
    given = {getattr(indices_of(part)[0], "id", "") for call in calls for part in call.args}
    return not given.isdisjoint(one.name for one in exposed(loop.iter) if one.levels < ALL)


def _changes_field(node: ast.AST, name: str) -> bool:
    """Tell whether a change is by a field of an object with a name, as in `part.cells = []`."""
    return any(
        is_field(part) and getattr(part.value, "id", "") == name
        for part in nodes_in(node, ast.Subscript)
    )


def _has_text_key(changed: Any) -> bool:
    """Tell whether a change is by a key that is text, as in `run["color"] = 1`."""
    match changed:
        case ast.Call(ast.Attribute(owner, _)):
            changed = owner
    indices = indices_of(getattr(changed, "target", changed))[1]
    return bool(indices) and isinstance(getattr(indices[0], "value", None), str)
