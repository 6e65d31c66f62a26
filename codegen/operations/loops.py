"""Reads loops: a round is a call of a function, which makes the next state of the last one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple

from megabatt.codegen.analysis.liveness import (
    LOOPS,
    breaks,
    defined_in,
    flow_of,
    kept_by,
    loads,
    read_by_functions,
    read_in_rounds,
    returns,
)
from megabatt.codegen.analysis.names import assigned_by, names_in
from megabatt.codegen.analysis.nodes import all_nodes_in, nodes_in, rename
from megabatt.codegen.analysis.ownership import (
    ALL,
    FIXED,
    ITERATORS,
    KNOWN,
    Exposed,
    Exposure,
    Hold,
    Owned,
    assigned_to,
    exposed,
    exposed_alone,
    exposed_by_iterable,
    exposed_by_test,
    is_list,
    merged,
    names_changed_in,
    numbers_in,
    numbers_in_test,
    owners_in,
)
from megabatt.codegen.analysis.scopes import Dictionary, Foreign
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.operations.dictionaries import Dictionaries
from megabatt.runtime.program import Word
from megabatt.runtime.vocabulary import UNREADABLE

_NO_VALUE = Foreign("")
_RETURNED = ""
"""Stands among names for what the function returns in a loop."""
_MOST_WAYS = 8
"""How many ways are followed to the last use of a name; an `if` behind them is one use."""


class Loop(NamedTuple):
    """A loop whose body is read. Its state goes from round to round, as a tuple of several values.

    names: The names whose values the state has. heavy: Those whose values may be containers.
    may_end: Whether a round may end the loop: the state then begins with whether it has.
    may_return: Whether a round may end the function: the state then has whether it has, and the
    value that the function returns. holds: What is known of names at the beginning of a round.
    left: What is known at the end of any. element: What is known of what a `for` loop is at.
    dictionaries: The kinds of the dictionaries in the state, by name; None for a name of which
    not all values are dictionaries of one kind: those are mappings. wholes: For each name the
    containers that have its values as elements; with None if a value may be in no container.
    lists: For each name which levels of its values may be lists. state: The state at the beginning
    of the round. parts: Its parts. values: The values of the names.
    """

    names: Sequence[str]
    heavy: Set[str]
    may_end: bool
    may_return: bool
    holds: dict[str, Hold]
    left: dict[str, Hold]
    element: Hold
    dictionaries: dict[str, Dictionary | None]
    wholes: dict[str, set[Word | None]]
    lists: dict[str, int]
    state: Word = "None"
    parts: Sequence[Word] = ()
    values: Sequence[Word] = ()

    @property
    def wrapped(self) -> Set[str]:
        """The names of which the state has functions that return the values.

        A tuple of containers would be charged for all that they contain, in every round.
        """
        return self.heavy if len(self.names) + self.may_end > 1 else frozenset()


class Loops(Dictionaries):
    """Reads the loops of one program."""

    behind: tuple[Sequence[ast.stmt], ...] = ()
    """The statements of that function behind the block that is read now, the innermost last."""
    calling: tuple[ast.For, ...] = ()
    """The loops in which functions call that function, the innermost last."""
    around: Loop | None = None
    """The innermost loop of that function around the block."""
    iterated: Set[str] = frozenset()
    """The names of that function of whose values loops around, or other names, still read parts."""
    sites: tuple[ast.AST, ...] = ()
    """The calls whose functions are inlined now, the innermost last."""
    left_before: dict[
        Any, tuple[dict[str, Hold], dict[str, Dictionary | None], dict[str, int]]
    ]
    """What was known at the end of the rounds of loops that are read again, in a loop around."""
    errors: list[Wrong]
    """At most one mistake for each statement."""
    notes: list[tuple[ast.AST, str]]
    """The skipped parts."""

    def block(self, statements: Sequence[ast.stmt], ends_round: bool = False) -> Any:
        """Read statements up to a `return`, and return its value; None without one.

        ends_round: Whether a round of a loop ends behind the statements.
        """
        raise NotImplementedError

    def hold_of_result(self, call: ast.AST) -> Hold:
        """Return what is known of the result of a call of the source's functions."""
        raise NotImplementedError

    def before(self, statements: Sequence[ast.stmt]) -> AbstractContextManager[None]:
        """Read what stands before statements of the function while the context is open."""
        return for_now(self, behind=(*self.behind, statements))

    def loops_around(self) -> list[ast.For]:
        """List the loops of that function over elements that are read now, the innermost last."""
        first = (block[0] for block in self.behind if block)
        return [part for part in first if isinstance(part, ast.For)]

    def result(self, node: ast.AST, statements: Sequence[ast.stmt]) -> Any:
        """Return the value that statements return; at their end, None or the state of the loop."""
        returned = self.block(statements, self.around is not None)
        if returned is not None:
            return returned
        return "None" if self.around is None else self.state(node)

    def leaving(self, node: ast.AST, value: Any) -> Any:
        """Return a value from the function, out of the loop around the block if there is one."""
        if self.around is None:
            return value
        return self.state(node, True, self._in_state(node, self.around, _RETURNED, value))

    def state(self, node: ast.AST, has_ended: bool = False, returned: Word | None = None) -> Word:
        """Return the state with the present values, after which the loop may have ended.

        returned: The value that the function returns, if it does.
        """
        loop = self.around
        assert loop is not None
        parts: list[Word] = [has_ended] if loop.may_end else []
        if loop.may_return:
            parts += [returned is not None, "None" if returned is None else returned]
            self._note_lists(loop, _RETURNED, parts[-1])
        for name, meaning in self.scope.names.items():
            if isinstance(meaning, Owned) and (name in loop.left or name in loop.names):
                loop.left[name] = merged([loop.left.get(name, FIXED), meaning.hold])
        others = len(parts)
        for k, name in enumerate(loop.names):
            word = self._kept_of(node, loop, name)
            self._note_lists(loop, name, word)
            at_begin = loop.values[k] if loop.values else "None"
            loop.wholes.setdefault(name, set()).update(self._drawn(word, at_begin))
            if loop.values and loop.values[k] == word:
                parts.append(loop.parts[others + k])
            else:
                parts.append(self.returning(node, word) if name in loop.wrapped else word)
        if parts == loop.parts:
            return loop.state
        return parts[0] if len(parts) == 1 else self.tuple_of(node, parts)

    def _note_lists(self, loop: Loop, name: str, word: Word) -> None:
        """Note what may be lists of a name's value at the end of a round."""
        if self.tells_kinds and (lists := self.lists_in(word)):
            loop.lists[name] = loop.lists.get(name, 0) | lists

    def _drawn(self, word: Word, at_begin: Word) -> Iterator[Word | None]:
        """Yield the containers that have a name's value as an element, or None.

        at_begin: Its value at the beginning of a round.
        """
        left = [word]
        for one in left:
            maker = self.maker_of(one)
            if maker[0] == "if_else":
                left += [side for side in maker[2:] if side not in left]
            elif one not in (at_begin, "None"):
                yield self.drawn_from(one)

    def _value_of(self, node: ast.AST, name: str) -> Word:
        """Return the word of a name's value; None for a name without a value."""
        value = self.scope.names.get(name)
        if value is None or isinstance(value, Foreign):
            return "None"
        value = value.word if isinstance(value, Owned) else value
        return value.word if isinstance(value, Dictionary) else self.as_word(node, value)

    def _kept_of(self, node: ast.AST, loop: Loop, name: str) -> Word:
        """Return the word of a name's value for the loop's state."""
        value = self.scope.names.get(name)
        if isinstance(value, Foreign) and not value.is_dead:
            raise Wrong(node, value.message)
        if value is None or isinstance(value, Foreign):
            return "None"
        value = self.no_iterator(node, value.word if isinstance(value, Owned) else value)
        return self._in_state(node, loop, name, value)

    def _in_state(self, node: ast.AST, loop: Loop, name: str, value: Any) -> Word:
        """Return the word of a name's value for the loop's state; note what is a dictionary."""
        kind = value.kind if isinstance(value, Dictionary) else None
        kinds = loop.dictionaries
        if kind is not None and name not in kinds:
            kinds[name] = kind
        if kinds.get(name, kind) != kind and UNREADABLE not in (value, getattr(value, "word", "")):
            kinds[name] = None
        is_mapping = kind is not None and kinds[name] is None
        if kind is None or is_mapping:
            return self.as_held(node, value)
        return value.word  # type: ignore[no-any-return]

    def _bind(self, node: ast.AST, loop: Loop, state: Word) -> tuple[list[Word], list[Word]]:
        """Bind the names of a loop to a state's values. Returns the state's parts, and these."""
        others = int(loop.may_end) + 2 * int(loop.may_return)
        count = others + len(loop.names)
        parts = [state] if count == 1 else [self.call(node, "item", state, k) for k in range(count)]
        names = self.scope.names
        values = parts[others:]
        for k, name in enumerate(loop.names):
            if name in loop.wrapped:
                values[k] = self.operation(node, (parts[others + k], 0))
            if name not in loop.heavy:
                self.likely_numbers.add(values[k])
            if self.tells_kinds:
                self.set_lists(values[k], loop.lists.get(name, 0))
        names.update(zip(loop.names, values, strict=True))
        for name, kind in loop.dictionaries.items():
            if kind is not None and name != _RETURNED:
                names[name] = kind._replace(word=names[name])
        for name, hold in loop.holds.items():
            value = names.get(name, _NO_VALUE)
            if not isinstance(value, Foreign):
                names[name] = Owned(value.word if isinstance(value, Owned) else value, hold)
        return parts, values

    def rounds(self, loop: LOOPS, rest: Sequence[ast.stmt]) -> list[Any]:
        """Read a loop. Returns whether the function returns in it, and the value, if it may.

        rest: The statements behind it in its block.
        """
        written, given = loop, ""
        loop = self._with_places(loop) or loop
        over: Word | None = None
        names = self.scope.names
        if isinstance(loop, ast.For):
            changed = names_changed_in(loop)
            over = self.iterable_beside(loop.iter, assigned_by(loop) | changed)
            over = self.as_tuple(loop.iter, over)
            owner = self.owner_of_keys(loop)
            given = self._given_to(loop, rest)
            exposures = [one for one in exposed_by_iterable(loop) if one.name not in (owner, given)]
            if self.would_expose(exposures) and not self._loop_gives_back(loop, rest):
                self.expose(exposures)
        else:
            self.expose(exposed_by_test(loop.test))
        place = written, self.sites
        before, kinds, lists = self.left_before.get(place, ({}, {}, {}))
        holds = dict(before)
        for name, held in names.items():
            if isinstance(held, Owned):
                holds[name] = merged([held.hold, before.get(name, held.hold)])
        element = FIXED
        if isinstance(loop, ast.For):
            with for_now(self, given_away={**self.given_away, given: ALL}):
                element = self.hold_of(loop.iter).elements()
        kept, may_return = self._kept(loop, rest), any(map(returns, loop.body))
        may_end = may_return or breaks(loop.body)
        computed = dict(self.known)
        marks = [(found, len(found)) for found in (self.errors, self.notes, self.body.operations)]
        heavy = {n for n in kept if not self.is_likely_number(self._value_of(loop, n))}
        dictionaries, lists = dict(kinds), dict(lists)
        while True:
            known = dict(dictionaries), dict(lists)
            left = dict(holds)
            known_of = (holds, left, element, dictionaries)
            state = Loop(kept, heavy, may_end, may_return, *known_of, wholes={}, lists=lists)
            made = self._all_rounds(loop, state, over, rest)
            if state.left == holds and (dictionaries, lists) == known:
                break
            holds = state.left  # what a round leaves is what the next one begins with
            for found, mark in marks:
                del found[mark:]
            del self.body.places[len(self.body.operations) :]
            self.known = dict(computed)
        self.left_before[place] = holds, dictionaries, lists
        for name in sorted(assigned_by(loop)):
            what = f"{name!r} has no value here: a loop assigns it"
            names[name] = Foreign(what, is_dead=name not in defined_in(loop))
        parts, values = self._bind(loop, state, made)
        for name, value in zip(kept, values, strict=True):
            if over is not None and state.wholes[name] == {self.whole_of(over)}:
                self.drawn[value] = over
        if not may_return:
            return []
        has_returned, value = parts[1:3]
        self.set_lists(value, lists.get(_RETURNED, 0))
        kind = dictionaries.get(_RETURNED)
        return [has_returned, value if kind is None else kind._replace(word=value)]

    def _given_to(self, loop: ast.For, rest: Sequence[ast.stmt]) -> str:
        """Return the name of the list that a loop is over, if nothing reads it again; else ""."""
        match loop.iter:
            case ast.Name(name) | ast.Call(ast.Name("enumerate" | "reversed"), [ast.Name(name)]):
                held = self.scope.names.get(name)
                read = set().union(*map(loads, (*loop.body, *loop.orelse)))
                read |= self.read_behind(rest) | self.iterated
                read |= read_by_functions(self.scope.whole, ast.Pass())
                if isinstance(held, Owned) and name not in read:
                    return name
        return ""

    def _loop_gives_back(self, loop: ast.For, rest: Sequence[ast.stmt]) -> bool:
        """Tell whether nothing holds elements of what a loop is over when the loop ends."""
        depths = depths_of(loop.target, self.hold_of(loop.iter).elements())
        match loop.iter, loop.target:
            case ast.Call(ast.Attribute(attr="items")), ast.Tuple([ast.Name(key), _]):
                depths[key] = 0  # no list is a key
        depths.update(dict.fromkeys(numbers_in(loop), 0))
        return self.gives_back(loop.iter, depths, loop.body, rest)

    def gives_back(
        self, value: ast.expr, depths: Mapping[str, int],
        statements: Sequence[ast.stmt], rest: Sequence[ast.stmt],
    ) -> bool:  # fmt: skip
        """Tell whether nothing holds parts of a value any more behind statements.

        Then names that stand for such parts are read in the statements alone, where nothing else
        gets the lists that they hold. Neither the names nor the value may change there. depths: The
        depths of the names. rest: What is behind the statements in their block.
        """
        owners = owners_in(value)
        in_place = {name for part in statements for name in names_changed_in(part)}
        changed = in_place.union(*map(assigned_by, statements))
        late = self.read_behind(rest) | read_by_functions(self.scope.whole, ast.Pass())
        holding = {name for name, depth in depths.items() if depth}
        if not depths or changed & (owners | holding) or late & holding:
            return False
        loops, inner = _loops_over(depths, statements)
        if inner.keys() & (in_place | late):
            return False
        return all(
            levels >= max(depths.get(name, 0), inner.get(name, 0))
            for part in statements for node in all_nodes_in(part) if node not in loops
            for name, levels, _ in exposed_alone(node)
        )  # fmt: skip

    def _with_places(self, loop: LOOPS) -> ast.While | None:
        """Return a `for` loop over a list that it changes as a loop over the list's places."""
        if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Name):
            return None
        name = loop.iter.id
        if name not in names_changed_in(loop) or [*assigned_to(name, [loop])]:
            return None
        lists = [is_list(value) for value in assigned_to(name, self.scope.whole)]
        if not lists or not all(lists):
            return None
        place = self.new_name()
        self.scope.names[place] = 0
        source = f"while {place} < len(values):\n _ = values[{place}]\n {place} = {place} + 1"
        (made,) = ast.parse(source).body
        rename(made, {"values": name})
        for part in ast.walk(made):
            ast.copy_location(part, loop.iter)
        assert isinstance(made, ast.While) and isinstance(made.body[0], ast.Assign)
        made.body[0].targets = [loop.target]
        made.body += loop.body
        return made

    def would_expose(self, exposures: Exposed, growing: Set[str] = frozenset()) -> bool:
        """Tell whether `expose` would take levels from any name.

        growing: The names whose values may get more levels.
        """
        for name, levels, _ in exposures:
            held = self.scope.names.get(name)
            if isinstance(held, Owned):
                known = held.hold.levels if name in growing else min(held.hold)
                if levels < known:
                    return True
        return False

    def expose(self, exposures: Exposed, but: Container[str] = ()) -> None:
        """Take levels from names, except some, whose values are held elsewhere too."""
        names = self.scope.names
        for one in exposures:
            name, levels = one.name, one.levels
            held = names.get(name)
            if isinstance(held, Owned) and levels < held.hold.levels and name not in but:
                if self._may_hold(one):
                    names[name] = Owned(held.word, held.hold._replace(levels=levels))

    def _may_hold(self, exposure: Exposure) -> bool:
        """Tell whether what reads a name may hold its value, or parts of it."""
        return exposure.call is None or self.hold_of_result(exposure.call).is_shared

    def _all_rounds(
        self, loop: LOOPS, state: Loop, over: Word | None, rest: Sequence[ast.stmt]
    ) -> Word:
        """Write the call that makes all rounds, and return the last state."""
        read = self._read_in_rounds_of(loop, state.element)
        with for_now(self, around=state, iterated=self.iterated | read):
            start = self.state(loop)
            with self.before((loop, *rest)):
                if over is None:
                    test = self._in_loop(loop, partial(self._goes_on, loop, state))
                function = self._in_loop(loop, partial(self._round, loop, state), over)
        if over is None:
            return self.call(loop, "iterate", test, function, start)
        return self.call(loop, "fold", function, start, over)

    def _read_in_rounds_of(self, loop: LOOPS, element: Hold) -> set[str]:
        """Return the names of whose values a loop takes parts while its rounds are done."""
        if isinstance(loop, ast.While) or (_is_copy(loop.iter) and not element.depth):
            return set()
        found = (one for one in exposed(loop.iter) if one.levels < ALL and self._may_hold(one))
        return {one.name for one in found} - {self.owner_of_keys(loop)}

    def _in_loop(self, loop: LOOPS, write: Callable[..., Word], over: Word | None = None) -> Word:
        """Do `lambda_of` for a state and an element; the body may assign to the loop's names."""
        with for_now(self.scope, names=dict(self.scope.names)):
            return self.lambda_of(loop, write, 1 if over is None else 2, over)

    def read_behind(self, rest: Sequence[ast.stmt]) -> Set[str]:
        """Return the names whose values are read by statements that are left, or behind them."""
        after: Set[str] = frozenset()
        at_jump = after
        for statements in (*self.behind, rest):
            after = flow_of(statements).before(after, at_jump)
            at_jump |= after
        return after

    def _kept(self, loop: LOOPS, rest: Sequence[ast.stmt]) -> list[str]:
        """List the names whose values go from round to round, or are read behind the loop."""
        after = self.read_behind(rest)
        called = read_by_functions(self.scope.whole, loop)
        early = defined_in(loop) & (called | read_in_rounds(loop)) & self.scope.names.keys()
        if early:
            what = f"{min(early)!r} may be called before this loop defines it again"
            raise Wrong(loop, f"{what}: use two names")
        return kept_by(loop, after | called)

    def _note_number(self, name: str) -> None:
        """Note that the value of a name is no list."""
        held = self.scope.names[name]
        self.scope.names[name] = held.word if isinstance(held, Owned) else held

    def _goes_on(self, loop: Any, kept: Loop, state: Word) -> Word:
        """Write the test before a round."""
        parts, _ = self._bind(loop, kept, state)
        test = self.test(loop.test)
        return self.call(loop, "if_else", parts[0], False, test) if kept.may_end else test

    def _round(self, loop: LOOPS, kept: Loop, state: Word, element: Word = "") -> Word:
        """Write a round, and return the next state. element: What a `for` loop is at."""
        parts, values = self._bind(loop, kept, state)
        at_begin: list[Word] = [False, False, "None"]
        others = len(parts) - len(values)
        here = [*at_begin[:others], *parts[others:]]
        self.around = kept._replace(state=state, parts=here, values=values)
        if isinstance(loop, ast.For):
            self.assign(loop.target, element, kept.element)
            for name in numbers_in(loop):
                self._note_number(name)
        else:
            self.expose(exposed_by_test(loop.test))
            for name in numbers_in_test(loop.test) & self.scope.names.keys():
                self._note_number(name)
        made = self.as_word(loop, self.result(loop, loop.body))
        for late, name in self.late.get(made, ()):
            if late is self.scope and name in assigned_by(loop):
                raise self.too_late(loop, name)
        if not kept.may_end or isinstance(loop, ast.While):
            return made
        return self.call(loop, "if_else", parts[0], state, made)


def _is_copy(container: ast.expr) -> bool:
    """Tell whether a loop is over a new list, which is made before its rounds."""
    match container:
        case ast.Call(ast.Name("list" | "sorted" | "tuple")) | ast.ListComp():
            return True
    return False


def _loops_over(
    depths: Mapping[str, int], statements: Sequence[ast.stmt]
) -> tuple[set[ast.For], dict[str, int]]:
    """Return the loops over values of some names, and the depths of the names of their elements."""
    loops: set[ast.For] = set()
    inner: dict[str, int] = {}
    for loop in (loop for part in statements for loop in nodes_in(part, ast.For)):
        known = {**depths, **inner}
        deepest = max((known.get(name, 0) for name in owners_in(loop.iter)), default=0)
        if deepest:
            loops.add(loop)
            for name in names_in(loop.target):
                depth = 0 if name in numbers_in(loop) else deepest - 1
                inner[name] = max(inner.get(name, 0), depth)
    return loops, inner


def ways_to_last_use(
    names: Iterable[str], statements: Sequence[ast.stmt]
) -> list[tuple[list[ast.stmt], list[ast.stmt]]]:
    """List the ways through statements to the last use of names, each with what is behind it."""
    ways: list[tuple[list[ast.stmt], list[ast.stmt]]] = []
    left: list[tuple[list[ast.stmt], list[ast.stmt]]] = [([], [*statements])]
    while left:
        before, block = left.pop()
        uses = [k for k, part in enumerate(block) if not loads(part).isdisjoint(names)]
        if not uses:
            ways.append((before, block))
            continue
        before, last, behind = [*before, *block[: uses[-1]]], block[uses[-1]], block[uses[-1] + 1 :]
        match last:
            case ast.If(test, body, orelse) if len(ways) + len(left) < _MOST_WAYS:
                head = ast.If(test, [ast.Pass()], [])
                left += [([*before, head], [*side, *behind]) for side in (body, orelse)]
            case ast.For(target, over, body, orelse) if _is_computed_at_once(over):
                others = ast.For(target, ast.Tuple([], ast.Load()), body, orelse)
                if loads(others).isdisjoint(names):
                    last, behind = ast.Expr(over), [others, *behind]
                ways.append(([*before, last], behind))
            case ast.Assign([ast.Subscript() as target], value) if (
                loads(target).isdisjoint(names)
            ):  # what changes the value of a name has read its own value before
                change = ast.Assign([target], ast.Constant(None))
                ways.append(([*before, ast.Expr(value)], [change, *behind]))
            case _:
                ways.append(([*before, last], behind))
    return ways


def _is_computed_at_once(container: ast.expr) -> bool:
    """Tell whether nothing that a container is computed from is read while it is used."""
    match container:
        case ast.Call(ast.Name("enumerate" | "reversed" | "zip"), parts, words):
            return all(map(_is_computed_at_once, [*parts, *(word.value for word in words)]))
        case ast.Subscript(value, ast.Slice()):
            return _is_computed_at_once(value)
        case ast.Call(ast.Name("list" | "range" | "sorted" | "tuple")) | ast.ListComp():
            kinds = ast.GeneratorExp, ast.Lambda
            calls = {getattr(part.func, "id", "") for part in nodes_in(container, ast.Call)}
            return calls <= KNOWN - ITERATORS and not any(nodes_in(container, k) for k in kinds)
    return isinstance(container, ast.Constant)


def depths_of(target: ast.expr, hold: Hold) -> dict[str, int]:
    """Return the depths of the names of a target; nothing if not all of it is names.

    hold: What is known of the value that the target gets.
    """
    match target:
        case ast.Name(id=name):
            return {name: hold.depth}
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            found = [depths_of(part, hold.elements()) for part in parts]
            return {name: one[name] for one in found for name in one} if all(found) else {}
    return {}
