"""Reads the statements of functions: binds assigned names, and finds returned values."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence, Set
from copy import copy
from typing import Any

from megabatt.codegen.analysis.liveness import LOOPS, leaves, loads, read_by_functions
from megabatt.codegen.analysis.names import as_written, assigned_by, assigned_in, stored_in
from megabatt.codegen.analysis.nodes import Functions, all_nodes_in, copy_of, nodes_in
from megabatt.codegen.analysis.ownership import (
    FIXED,
    SHARED,
    Hold,
    Owned,
    call_of_change,
    exposed_at_once,
    exposed_by,
    exposed_by_test,
    exposed_to_results,
    hold_of,
    hold_of_call,
    indices_of,
    is_swap,
    lent_by,
    may_change,
    merged,
    names_changed_in,
    owners_in,
    read_again_by,
    read_as_indices,
    read_beside_calls_of,
    uses_of,
)
from megabatt.codegen.analysis.scopes import (
    Builtin,
    Choice,
    Deferred,
    Dictionary,
    Foreign,
    Local,
    Module,
    Once,
    Raised,
    Scope,
    Several,
    import_into,
)
from megabatt.codegen.errors import Endless, Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.operations.calls import in_order
from megabatt.codegen.operations.changes import NOT_IN_PLACE, Changes
from megabatt.codegen.operations.dictionaries import DICTIONARY_METHODS, MAKERS
from megabatt.codegen.operations.loops import depths_of, ways_to_last_use
from megabatt.codegen.operations.meanings import kind_name
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import UNREADABLE, counted

_BEFOREHAND = "test for what fails beforehand, as in `if k < len(x)`"
_TRY = f"`try` is not read: {_BEFOREHAND}"
REFUSED: dict[type[ast.stmt], str] = {
    ast.AsyncFor: "programs do not wait: leave out `async`",
    ast.Try: _TRY,
    ast.TryStar: _TRY,
    ast.ClassDef: "this class is not read: write functions",
    ast.With: "`with` is not read: leave it out",
    ast.AsyncWith: "`with` is not read: leave it out",
    ast.AsyncFunctionDef: "async functions are not read: leave out `async`",
    ast.Match: "`match` is read with values, names, `_`, `|` and tuples alone: write if ... else",
    ast.Global: "nothing is changed from within a function: return it",
    ast.Nonlocal: "nothing is changed from within a function: return it",
}
NO_DECORATORS = "decorators are not read: leave them out, and write what they do into the function"
_RECURSION = "recursion is not read: write a loop over a list of what is left"
_MOST_MADE = 20
"""How many functions that one function made may call each other, as a composition of others."""
_INSTEAD = "leave out the line, or write calls of primitives"




class Statements(Changes):
    """Reads the functions of one program."""

    makers = MAKERS
    of_dictionaries = DICTIONARY_METHODS

    def __init__(self, *reading: Any) -> None:
        super().__init__(*reading)
        self.left_before = {}
        self.errors = []
        self.notes = []
        self.used: set[ast.AST] = set()
        """The functions of the module that the program calls."""
        self._returns: list[list[Hold]] = []
        """What is known of each value, or tuple, that the function at hand returns."""
        self._taken_apart: set[ast.AST] = set()
        """The calls whose results are assigned to several targets."""
        self._of_calls: dict[ast.AST, list[Hold]] = {}
        """The same of the results of calls of the source's functions."""

    def block(self, statements: Sequence[ast.stmt], ends_round: bool = False) -> Any:
        """Read statements up to a `return`, and return its value; None without one.

        ends_round: Whether a round of a loop ends behind the statements; an `if` at their end then
        chooses a state of the loop.
        """
        iterated = self.iterated
        borrowed: list[tuple[int, Collection[str]]] = []
        for k, statement in enumerate(statements):
            try:
                kind = statement.__class__
                given: Mapping[str, int] = {}
                is_borrowed = False
                if self.has_lists or lent_by(statement):
                    owners = [names for end, names in borrowed if k <= end]
                    self.iterated = frozenset(iterated).union(*owners)
                    given = self.given_away = self._last_uses(statement, statements[k + 1 :])
                    count = self._borrowing(statement, statements[k + 1 :])
                    is_borrowed = count is not None
                    if count is None:
                        self.expose(exposed_at_once(statement), given)
                    else:
                        borrowed.append((k + count, owners_in(statement.value)))  # type: ignore[attr-defined]
                if kind is ast.Assign:
                    self._assign(statement)  # type: ignore[arg-type]
                elif leaves(statement) or (
                    kind is ast.If and ends_round and k == len(statements) - 1
                ):
                    return self._left(statement, statements[k + 1 :])
                elif kind is ast.If:
                    with self.before(statements[k + 1 :]):
                        self._if(statement)  # type: ignore[arg-type]
                elif isinstance(statement, LOOPS):
                    self.rounds(statement, statements[k + 1 :])
                else:
                    self._other(statement)
                if self.has_lists:
                    self._expose_behind(statement, given, is_borrowed)
                    for name in read_as_indices(statement):
                        held = self.scope.names.get(name)
                        if isinstance(held, Owned):
                            self.scope.names[name] = Owned(held.word, FIXED)
            except Endless:
                raise
            except Wrong as wrong:
                self.errors.append(wrong.with_traceback(None))  # it would hold `self`
                self._spoil(statement)
                if leaves(statement):
                    return UNREADABLE
            finally:
                self.given_away, self.iterated = {}, iterated
        return None

    def _borrowing(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> int | None:
        """Return for how many statements a name has parts of a value that nothing holds then.

        Returns None if something may hold them later, or none are lists, sets or dictionaries.
        """
        if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
            return None
        if call_of_change(statement.value):  # it may put its arguments into a dictionary
            return None
        if not self.would_expose(exposed_by(statement), names_changed_in(self._function)):
            return None
        depths = depths_of(statement.targets[0], self.hold_of(statement.value))
        uses = [k for k, part in enumerate(rest) if not loads(part).isdisjoint(depths)]
        end = uses[-1] + 1 if uses else 0
        ways = ways_to_last_use(depths, rest)
        is_given_back = all(self.gives_back(statement.value, depths, *way) for way in ways)
        return end if is_given_back else None

    def _expose_behind(
        self, statement: ast.stmt, given: Mapping[str, int], is_borrowed: bool
    ) -> None:
        """Take what a statement gave away, or what results of its calls hold, from the names."""
        exposures = [] if is_borrowed else exposed_to_results(statement)
        if exposures or given:
            assigned = assigned_by(statement)
            self.expose(exposures, given.keys() | assigned)
            for name in given.keys() - assigned:
                self.scope.names[name] = Foreign(f"{name!r} cannot be read here")

    def _last_uses(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> dict[str, int]:
        """Return the names whose values a statement gives away: nothing reads the names behind it.

        Each comes with the outer levels of its value that nothing else holds then. Names that are
        lent to a call, see `lend`, are among them.
        """
        names = self.scope.names
        found = {}
        for name, (least, levels) in uses_of(statement).items() if self.has_lists else ():
            held = names.get(name)
            if isinstance(held, Owned) and least < held.hold.levels:
                found[name] = levels
        lent = dict.fromkeys(lent_by(statement), 0)
        if not found or self.scope is self.module:
            return lent
        kept = read_again_by(statement)
        if not isinstance(statement, ast.Return) and not found.keys() <= kept:
            kept = kept | (self.read_behind(rest) - assigned_by(statement)) | self.iterated
            kept |= read_by_functions(self.scope.whole, ast.Pass())
        elif not found.keys() <= kept:
            kept = kept | self._read_during_calls(statement)
        for call, read in read_beside_calls_of(statement):
            if not read & found.keys() <= kept and self._may_act(call.func):
                kept = kept | read
        return lent | {name: levels for name, levels in found.items() if name not in kept}

    def _read_during_calls(self, statement: ast.stmt) -> set[str]:
        """Return the names in calls of a statement that functions in the same calls read, too."""
        read: set[str] = set()
        for call in nodes_in(statement, ast.Call):
            called = [part.func for part in nodes_in(call, ast.Call) if part is not call]
            names = {part.id for part in nodes_in(call, ast.Name) if part not in called}
            read |= names & self._read_by_functions_of(names)
        return read

    def _read_by_functions_of(self, names: Set[str]) -> set[str]:
        """Return the names that inner functions, and the inner functions that they call, read.

        names: The names of the inner functions, among others.
        """
        read: set[str] = set()
        left = list(names)
        for name in left:
            function = self.scope.names.get(name)
            if isinstance(function, Local):
                new = loads(function.node) - read
                read |= new
                left += new
        return read

    def _left(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> Any:
        """Read a statement that may leave the block, and the statements behind it."""
        match statement:
            case ast.Return():
                return self.leaving(statement, self._returned(statement))
            case ast.Raise():
                return Raised(statement)
            case ast.If():
                return self._either(statement, rest)
            case ast.For() | ast.While():
                has_returned, value = self.rounds(statement, rest)
                values = self.leaving(statement, value), self.result(statement, rest)
                return self.chosen(statement, has_returned, values)
        if self.around is None:
            name = kind_name(type(statement))
            raise Wrong(statement, f"`{name}` stands in no loop: leave it out")
        return self.state(statement, isinstance(statement, ast.Break))

    def _spoil(self, statement: ast.stmt) -> None:
        """Mark the names that a wrong statement assigns as unreadable: it is reported once."""
        for name in sorted(assigned_by(statement) or stored_in(statement)):
            self.scope.names[name] = UNREADABLE

    def _returned(self, statement: ast.Return) -> Any:
        written = statement.value or ast.copy_location(ast.Constant(None), statement)
        value: Any
        if len(self._active) > 1 and isinstance(written, ast.Tuple) and _are_several(written):
            value = Several(tuple(self.value(part) for part in written.elts))
            for part, element in zip(written.elts, value.parts, strict=True):
                self.no_iterator(part, element)
        else:
            value = self._at_end(self._popped(written) or self.value(written))
        self._returns.append(self._holds_of_returned(written, isinstance(value, Once)))
        if len(self._active) > 1:
            return value
        value = self.no_iterator(written, value)
        return self.as_word(written, value) if isinstance(value, Dictionary) else value

    def _at_end(self, value: Any) -> Any:
        """Return a returned value: of an inner function, with the names as they are now."""
        if isinstance(value, Choice):
            return value._replace(functions=tuple(map(self._at_end, value.functions)))
        if isinstance(value, Local) and value.scope is self.scope:
            return value._replace(scope=copy(self.scope))
        return value

    def _holds_of_returned(self, value: ast.expr, is_iterator: bool) -> list[Hold]:
        """Return what is known of a returned value, or of each element of a returned tuple."""
        match value:
            case ast.Name(name) | ast.Call(ast.Name("iter"), [ast.Name(name)]):
                held: Any = self.scope.names.get(name)
                if isinstance(held, Owned):
                    return [held.hold]
        if is_iterator:
            return [SHARED]
        is_several = isinstance(value, ast.Tuple) and _are_several(value)
        return list(map(self.hold_of, value.elts if is_several else [value]))  # type: ignore[attr-defined]

    # Assignments

    def _assign(self, statement: ast.Assign) -> None:
        target = statement.targets[0]
        if target.__class__ is ast.Name and len(statement.targets) == 1:
            name = target.id  # type: ignore[attr-defined]
            value = self._popped(statement.value) or self.value(statement.value, name)
            self.scope.names[name] = self.held_as(value, statement.value)
            return
        if self._assign_each(statement):
            return
        if len(statement.targets) == 1 and _are_several(target):
            self._taken_apart.add(statement.value)
        value = self._popped(statement.value) or self.value(statement.value)
        hold = self.hold_of(statement.value)
        if len(statement.targets) > 1 or not isinstance(target, ast.Subscript):
            self._expose_to_results(statement)
        if len(statement.targets) > 1:
            self.no_iterator(statement.value, value)
            hold = hold.shared()
        elif self._assign_results(target, statement.value, value):
            return
        for target in statement.targets:
            self.assign(target, value, hold)

    def _assign_results(self, target: ast.expr, call: ast.expr, value: Any) -> bool:
        """Assign the elements of the tuple that a function of the source returns.

        Returns False if the value is something else.
        """
        holds = self._of_calls.get(call, [])
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        if isinstance(value, Several) and len(value.parts) != len(parts):
            what = f"the function returns {counted(len(value.parts), 'value')}"
            raise Wrong(target, f"{what}, not {len(parts)}")
        if len(parts) < 2 or len(parts) != len(holds) or call not in self._taken_apart:
            return False
        if isinstance(value, Several):
            elements: Sequence[Any] = value.parts
        else:
            elements = self.unpacked(target, self.as_word(target, value), len(parts))
        for part, element, hold in zip(parts, elements, holds, strict=True):
            self.assign(part, element, hold)
        return True

    def _assign_each(self, statement: ast.Assign) -> bool:
        """Assign element by element, as in `a, b = b, a`. Returns False if that is impossible."""
        match statement.targets, statement.value:
            case [ast.Tuple(targets) | ast.List(targets)], ast.Tuple(parts) | ast.List(parts):
                pass
            case _:
                return False
        is_starred = any(isinstance(part, ast.Starred) for part in (*targets, *parts))
        if is_starred or len(targets) != len(parts):
            return False
        is_same = is_swap(statement)
        values = [(self.value(one), FIXED if is_same else self.hold_of(one)) for one in parts]
        self._expose_to_results(statement)
        for target, (value, hold) in zip(targets, values, strict=True):
            self.assign(target, value, hold)
        return True

    def _expose_to_results(self, statement: ast.Assign) -> None:
        """Take what results of calls hold from the names, before targets change."""
        self.expose(exposed_to_results(statement), self.given_away)

    def held_as(self, value: Any, node: ast.expr) -> Any:
        return self._with_hold(value, self.hold_of(node)) if self._may_change(value) else value

    def _may_change(self, value: Any) -> bool:
        """Tell whether a value may be or hold lists, sets or dictionaries."""
        kind = value.__class__
        return kind is Dictionary or (kind is str and not self.is_number(value))

    def _with_hold(self, value: Any, hold: Hold) -> Any:
        if isinstance(value, Dictionary) and not hold.depth:
            hold = SHARED
        if hold.depth and self._may_change(value):
            self.has_lists = True
            return Owned(value, hold)
        return value

    def hold_of(self, node: ast.expr) -> Hold:
        return hold_of(node, self._known)

    def _known(self, node: ast.Name | ast.Call) -> Hold | None:
        """Do `hold_of` of a name, and of a call of anything but a function of Python."""
        if isinstance(node, ast.Call) and (changed := call_of_change(node)):
            held = self.scope.names.get(changed[0])
            hold = held.hold if isinstance(held, Owned) else SHARED
            for _ in indices_of(node.func.value)[1]:  # type: ignore[attr-defined]
                hold = hold.elements()
            hold = hold.shared() if changed[1] == "setdefault" else hold
            return merged([hold.elements(), *map(self.hold_of, node.args[1:])])
        named = node.func if isinstance(node, ast.Call) else node
        if isinstance(named, ast.Attribute):
            return self._hold_of_copy(node) if named.attr == "deepcopy" else None
        if not isinstance(named, ast.Name):
            return self.hold_of_result(node)
        try:
            found: Any = self.scope.find(named.id) or self.meanings.get(named.id)
        except LookupError:
            return SHARED
        if isinstance(node, ast.Call):
            if isinstance(found, Builtin) and found.name.rpartition(".")[2] == named.id:
                return self._hold_of_copy(node) if named.id == "deepcopy" else None
            if isinstance(found, Local):
                return self.hold_of_result(node)
            if self._primitive(found) is None:
                return SHARED
            result = getattr(self._type_of_result(found), "name", None)
            is_number = result in ("Boolean", "Integer", "Number")
            return FIXED if is_number else hold_of_call(node, self._known)
        if isinstance(found, Owned):
            levels = self.given_away.get(named.id, 0)
            levels = min(levels, self._levels(named.id, found)) if levels else 0
            return found.hold._replace(levels=levels)
        if isinstance(found, Deferred):
            return _hold_of_text(found.value)
        return SHARED if isinstance(found, Local | Lambda | Once | Choice | Builtin) else FIXED

    def _hold_of_copy(self, call: ast.Name | ast.Call) -> Hold | None:
        """Do `hold_of` of a deepcopy of a name: one list in two places is one in the copy too."""
        held = [self.scope.names.get(getattr(part, "id", "")) for part in getattr(call, "args", [])]
        holds = [one.hold for one in held if isinstance(one, Owned)]
        return next((hold for hold in holds if hold.levels and hold.is_shared), None)

    def call_of(self, node: ast.AST, function: Any, given: list[Any], named: dict[str, Any]) -> Any:
        made = super().call_of(node, function, given, named)
        if isinstance(function, Choice):
            self._of_calls[node] = [SHARED]
        return made

    def hold_of_result(self, call: ast.AST) -> Hold:
        return _of_whole(self._of_calls.get(call, [SHARED]))

    def assign(self, target: ast.expr, value: Any, hold: Hold = FIXED) -> None:
        """Bind the names of a target to a value or to its elements."""
        if isinstance(target, ast.Name):
            self.scope.names[target.id] = self._with_hold(value, hold)
        elif isinstance(target, ast.Tuple | ast.List):
            word = self.as_word(target, value)
            for part, element in zip(
                target.elts, self._elements_for(target.elts, target, word), strict=True
            ):
                if isinstance(part, ast.Starred):
                    self.assign(part.value, element, hold.elements().within(1))
                else:
                    self.assign(part, element, hold.elements())
        elif isinstance(target, ast.Subscript):
            self._put(target, self.as_held(target, self.no_iterator(target, value)), hold)
        else:
            raise Wrong(target, NOT_IN_PLACE)

    def _elements_for(self, targets: list[ast.expr], node: ast.AST, word: Word) -> list[Word]:
        """Return the elements of a container for targets, one of which may be starred."""
        word = self.spelled(node, word)
        starred = [k for k, part in enumerate(targets) if isinstance(part, ast.Starred)]
        if not starred:
            return self.unpacked(node, word, len(targets))
        elements = self.as_tuple(node, word)
        is_short = self.less(node, self.call(node, "size", elements), len(targets) - 1)
        elements = self.call(node, "item", self.tuple_of(node, [elements]), is_short)
        behind = len(targets) - starred[0] - 1
        before = [self.call(node, "item", elements, k) for k in range(starred[0])]
        after = [self.call(node, "item", elements, k) for k in range(-behind, 0)]
        end: Word = -behind if behind else "None"
        made = self.call(node, "span", elements, starred[0], end, "None")
        return [*before, self.as_list(node, made), *after]

    # Other statements

    def _other(self, statement: ast.stmt) -> None:
        match statement:
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    name = target.id if isinstance(target, ast.Name) else None
                    self.assign(target, self.value(value, name), self.hold_of(value))
            case ast.AugAssign(target=ast.Subscript(ast.Call() as made)) if _is_setdefault(made):
                self._apart(statement, "target", made)
            case ast.AugAssign(target=ast.Name() | ast.Subscript() as target):
                self._augment(statement, target)
            case ast.Delete(targets=targets):
                for deleted in targets:
                    self._delete(deleted)
            case ast.AugAssign():
                raise Wrong(statement, NOT_IN_PLACE)
            case ast.FunctionDef(name=name):
                if statement.decorator_list:
                    raise Wrong(statement.decorator_list[0], NO_DECORATORS)
                self.scope.names[name] = self.local(statement)
            case ast.Expr(value=value):
                self._expression(statement, value)
            case ast.Import() | ast.ImportFrom():
                import_into(self.scope, statement, self.meanings)
            case ast.Pass():
                pass
            case ast.Assert(test=test):
                self._pass_over(statement, "assert", [test])
            case _:
                kind = type(statement)
                advice = REFUSED.get(kind, f"{kind_name(kind)} cannot be read here")
                if why := getattr(statement, "why_unread", ""):
                    advice = f"`try` is not read, since {why}: {_BEFOREHAND}"
                raise Wrong(statement, advice)

    def _expression(self, statement: ast.stmt, value: ast.expr) -> None:
        """Skip an expression whose value is not used."""
        match value:
            case ast.Constant():
                return
            case ast.Call(func=ast.Name(id="print")):
                parts = [*value.args, *(keyword.value for keyword in value.keywords)]
                self._pass_over(statement, "print", parts)
            case ast.Call() if changed := call_of_change(value):
                if self._popped(value) is None:
                    self._change(value, changed[1])
            case ast.Call(ast.Attribute(ast.Call() as made)) if _is_setdefault(made):
                self._apart(ast.copy_location(ast.Expr(value), statement), "value", made)
            case ast.Call(ast.Attribute(owner, "setrecursionlimit") as called, parts) if (
                self._is_of_module(owner)
            ):
                self._pass_over(statement, as_written(called), parts)
            case ast.Call(func=ast.Attribute(owner, attribute) as called):
                if self._is_of_module(owner):
                    raise Wrong(statement, f"{as_written(called)} is not read: {_INSTEAD}")
                raise Wrong(statement, f".{attribute}(...): {NOT_IN_PLACE}")
            case _:
                self.value(value)
                if not isinstance(value, ast.Name | ast.Subscript):  # see `second_names`
                    self.notes.append((statement, "nothing uses the value of this line"))

    def _is_of_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        try:
            return isinstance(node, ast.Name) and isinstance(self.scope.find(node.id), Module)
        except LookupError:
            return False

    def _apart(self, statement: Any, field: str, made: Any) -> None:
        """Read `d.setdefault(k, []).append(v)` as `d.setdefault(k, [])` and `d[k].append(v)`.

        field: The field of the statement with the change.
        """
        key = made.args[0]
        name = ast.copy_location(ast.Name(" key", ast.Load()), key)
        self.scope.names[name.id] = self.word(key)  # the key is read once
        first, rest = copy_of(made), copy_of(statement)
        first.args = [name, *made.args[1:]]
        found = ast.copy_location(ast.Subscript(made.func.value, name, ast.Load()), made)
        changed = copy_of(getattr(statement, field))
        setattr(rest, field, changed)
        if isinstance(changed, ast.Call):
            changed.func = copy_of(changed.func)
            changed = changed.func
        changed.value = found
        for part in (ast.copy_location(ast.Expr(first), made), rest):
            self.expose([one._replace(call=None) for one in exposed_by(part)])
            self._other(part)
        del self.scope.names[name.id]

    def _pass_over(self, statement: ast.stmt, name: str, parts: Sequence[ast.expr]) -> None:
        """Read those parts of a statement that may have an effect, and skip the others."""
        for part in parts:
            if self._may_act(part):
                self.value(part.value if isinstance(part, ast.Starred) else part)
        self.notes.append((statement, f"`{name}` is passed over"))

    def _may_act(self, node: ast.expr) -> bool:
        """Tell whether an expression may change something, use up an iterator, or add a key."""
        looked: list[tuple[ast.AST, Scope]] = [(node, self.scope)]
        for part, scope in looked:
            if may_change(part):
                return True
            for name in loads(part):
                try:
                    found = scope.find(name)
                except LookupError:
                    continue
                found = found.word if isinstance(found, Owned) else found
                if isinstance(found, Once) or (isinstance(found, Dictionary) and found.adds):
                    return True
                for one in found.functions if isinstance(found, Choice) else [found]:
                    if isinstance(one, Local) and all(one.node is not seen for seen, _ in looked):
                        looked.append((one.node, one.scope))
        return False

    # Choices

    def _either(self, statement: ast.If, rest: Sequence[ast.stmt]) -> Any:
        """Read an `if` that may return, and the statements after it, once for each side."""
        condition = self.test(statement.test)
        self.expose(exposed_by_test(statement.test))
        if isinstance(condition, bool):
            side = statement.body if condition else statement.orelse
            return self.result(statement, [*side, *rest])
        results = []
        sides = statement.body, statement.orelse
        for side, other, is_true in zip(sides, sides[::-1], (True, False), strict=True):
            elsewhere = self.scope.elsewhere | assigned_in(other)
            names = dict(self.scope.names)
            with for_now(self.scope, names=names, elsewhere=elsewhere):
                with self.given(condition, is_true):
                    results.append(self.result(statement, [*side, *rest]))
        return self.chosen(statement, condition, results)

    def _if(self, statement: ast.If) -> None:
        """Read an `if` whose sides assign to names."""
        condition = self.test(statement.test)
        self.expose(exposed_by_test(statement.test))
        if isinstance(condition, bool):
            self.block(statement.body if condition else statement.orelse)
            return
        before = self.scope.names
        sides = []
        for side, is_true in ((statement.body, True), (statement.orelse, False)):
            with for_now(self.scope, names=dict(before)), self.given(condition, is_true):
                self.block(side)
                sides.append(self.scope.names)
        changed: dict[str, list[Any]] = {}
        partly = sides[0].keys() ^ sides[1].keys()
        if partly:  # of these names, only those that are read behind
            partly &= self.read_behind(()) | read_by_functions(self.scope.whole, ast.Pass())
        for name in dict.fromkeys([*sides[0], *sides[1]]):
            before[name] = next(names[name] for names in sides if name in names)
            other = self._instead_of(before[name]) if name in partly else before[name]
            values = [names.get(name, other) for names in sides]
            if values[0] is not values[1]:
                changed[name] = values
        owned: dict[str, Hold] = {}
        for name, values in changed.items():
            if any(isinstance(value, Owned) for value in values):
                owned[name] = merged(getattr(value, "hold", FIXED) for value in values)
                values[:] = [v.word if isinstance(v, Owned) else v for v in values]
        # Functions last, as they may read the other names.
        for name in sorted(changed, key=lambda name: isinstance(changed[name][0], Local)):
            foreign = [value for value in changed[name] if isinstance(value, Foreign)]
            if foreign:
                before[name] = foreign[0]
                continue
            before[name] = self.chosen(statement, condition, changed[name])
            if name in owned:
                before[name] = self._with_hold(before[name], owned[name])

    def _instead_of(self, value: Any) -> Any:
        """Return what a name has if the only side of an `if` that assigns it is not taken.

        It is the name's value if this cannot fail.
        """
        word = value.word if isinstance(value, Owned) else value
        if isinstance(word, Dictionary):
            return word._replace(word="()")
        if not isinstance(word, str) or not self.is_variable(word) or word in self.texts:
            return value
        return 0 if self.is_number(word) else "None"

    # Functions

    def inlined(
        self, node: ast.AST, local: Local, given: Sequence[Any], named: dict[str, Any]
    ) -> Any:
        """Inline a call of a function of the source, and return its value."""
        returned = self.run(node, local, given, named)
        is_whole = isinstance(returned, Several) and node not in self._taken_apart
        if is_whole or isinstance(returned, Raised):
            return self.as_word(node, returned)
        return "None" if returned is None else returned

    def run(self, node: ast.AST, local: Local, given: Sequence[Any], named: dict[str, Any]) -> Any:
        """Do `inlined`, but return None if the function returns nothing."""
        same = [one.scope for one in self._active if one.node is local.node]
        if len(same) > _MOST_MADE or any(scope is local.scope for scope in same):
            raise Wrong(node, _RECURSION)
        self.step(node)
        if local.scope is self.module:
            self.used.add(local.node)
        body = local.node.body
        scope = Scope(local.scope, body if isinstance(body, list) else ())
        self._bind_parameters(node, scope, local, given, named)
        sites, active, of_calls = (*self.sites, node), [*self._active, local], self._of_calls
        with for_now(
            self, scope=scope, given_away={}, sites=sites, _active=active, _returns=[], _of_calls={}
        ):
            try:
                if not isinstance(body, list):
                    value = self.value(body)
                    self._returns = [[self.hold_of(body)]]
                    return value
                count = len(self.errors)
                calling = *self.calling, *self.loops_around()
                with for_now(
                    self, behind=(), around=None, iterated=frozenset(), calling=calling
                ):
                    value = self.block(body)
                calls = [one for one in self.errors[count:] if _is_recursion(one, local.node)]
                if calls:  # other mistakes may come from it
                    self.errors[count:] = calls[:1]
                return value
            finally:
                of_calls[node] = _of_any_result(self._returns)

    def _bind_parameters(
        self, node: ast.AST, scope: Scope, local: Local, given: Sequence[Any], named: dict[str, Any]
    ) -> None:
        """Bind the parameters of a function to arguments."""
        parameters = local.parameters
        name = getattr(local.node, "name", "lambda")
        any_number = local.node.args.vararg
        if any_number is not None and any_number.arg not in named:
            count = parameters.index(any_number.arg)
            words = [self.as_held(node, self.no_iterator(node, value)) for value in given[count:]]
            given = [*given[:count], self.shared(self.tuple_of(node, words))]
        elif len(given) > local.by_place:
            signature = f"{name}({', '.join(parameters)})"
            wanted = counted(local.by_place, "argument")
            wanted += " without names" if local.by_place < len(parameters) else ""
            raise Wrong(node, f"{signature} takes {wanted}, not {len(given)}")
        for one in local.node.args.posonlyargs:
            if one.arg in named:
                raise Wrong(node, f"{name} takes {one.arg!r} without its name")
        if local.defaults:
            optional = parameters[-len(local.defaults) :]
            defaults = dict(zip(optional, local.defaults, strict=True))
            written = [*local.node.args.defaults, *filter(None, local.node.args.kw_defaults)]
            texts = dict(zip(optional, written, strict=True))
            for free in parameters[len(given) :]:
                if free in defaults and free not in named:
                    value = defaults[free]
                    is_deferred = isinstance(value, Deferred)
                    made = self.deferred(value)[free] if is_deferred else value
                    text = texts[free]
                    named[free] = self._with_hold(self.no_iterator(text, made), _hold_of_text(text))
        values = in_order(node, name, parameters, list(given), named)
        if len(values) < len(parameters):
            raise Wrong(node, f"{name} needs its argument {parameters[len(values)]!r}")
        scope.names.update(zip(parameters, values, strict=True))


def _is_setdefault(call: ast.Call) -> bool:
    called = call.func
    return isinstance(called, ast.Attribute) and called.attr == "setdefault" and bool(call.args)


def _is_recursion(wrong: Wrong, function: Functions) -> bool:
    """Tell whether a mistake is a function's call of itself."""
    called = getattr(getattr(wrong.node, "func", None), "id", "")
    return wrong.message == _RECURSION and called == getattr(function, "name", "")


def _are_several(node: ast.expr) -> bool:
    """Tell whether an expression is a tuple or a list of several parts, none of them starred."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    return len(parts) > 1 and not any(isinstance(part, ast.Starred) for part in parts)




def _of_whole(holds: Sequence[Hold]) -> Hold:
    """Return what is known of a tuple from what is known of its elements; of one value, itself."""
    hold = merged(holds)
    return hold.within(1) if len(holds) > 1 and hold.depth else hold


def _of_any_result(results: Sequence[list[Hold]]) -> list[Hold]:
    """Return what is certain of a result that is one of several."""
    if len(set(map(len, results))) == 1:
        return [merged(holds) for holds in zip(*results, strict=True)]
    return [merged(map(_of_whole, results))]


def _hold_of_text(node: ast.expr) -> Hold:
    """Return what is known of a value without looking at the names in its expression."""
    made = ast.List | ast.ListComp | ast.Set | ast.SetComp | ast.DictComp
    is_unknown = made | ast.Call | ast.Name
    return SHARED if any(isinstance(part, is_unknown) for part in all_nodes_in(node)) else FIXED
