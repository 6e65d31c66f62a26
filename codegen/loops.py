"""Reads loops: a round is a call of a function, which makes the next state of the last one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from megabatt.codegen.errors import Wrong
from megabatt.codegen.expressions import Expressions
from megabatt.codegen.liveness import (
    LOOPS,
    breaks,
    kept_by,
    live_before,
    read_by_functions,
    returns,
)
from megabatt.codegen.scopes import Foreign, assigned_in
from megabatt.runtime.program import Word


class Loop(NamedTuple):
    """A loop whose body is read. Its state goes from round to round, as a tuple of several values.

    names: The names whose values the state has. may_end: Whether a round may end the loop: the
    state then begins with whether it has. may_return: Whether a round may end the function: the
    state then has whether it has, and the value that the function returns. state: The state at the
    beginning of the round. parts: Its parts.
    """

    names: Sequence[str]
    may_end: bool
    may_return: bool
    state: Word = "None"
    parts: Sequence[Word] = ()


class Loops(Expressions):
    """Reads the loops of one program."""

    whole: Sequence[ast.stmt] = ()
    """The body of the function that is read now."""
    behind: tuple[Sequence[ast.stmt], ...] = ()
    """The statements of that function behind the block that is read now, the innermost last."""
    around: Loop | None = None
    """The innermost loop of that function around the block."""

    def block(self, statements: Sequence[ast.stmt], ends_round: bool = False) -> Any:
        """Read statements up to a `return`, and return its value; None without one.

        ends_round: Whether a round of a loop ends behind the statements.
        """
        raise NotImplementedError

    @contextmanager
    def before(self, statements: Sequence[ast.stmt]) -> Iterator[None]:
        """Read what stands before statements of the function while the context is open."""
        behind = self.behind
        self.behind = (*behind, statements)
        try:
            yield
        finally:
            self.behind = behind

    def result(self, node: ast.AST, statements: Sequence[ast.stmt]) -> Any:
        """Return the value that statements return; at their end, None or the state of the loop."""
        returned = self.block(statements, self.around is not None)
        if returned is not None:
            return returned
        return "None" if self.around is None else self.state(node)

    def leaving(self, node: ast.AST, value: Any) -> Any:
        """Return a value from the function, out of the loop around the block if there is one."""
        return value if self.around is None else self.state(node, True, self.as_word(node, value))

    def state(self, node: ast.AST, has_ended: bool = False, returned: Word | None = None) -> Word:
        """Return the state with the present values, after which the loop may have ended.

        returned: The value that the function returns, if it does.
        """
        loop = self.around
        assert loop is not None
        parts: list[Word] = [has_ended] if loop.may_end else []
        if loop.may_return:
            parts += [returned is not None, "None" if returned is None else returned]
        for name in loop.names:
            value = self.scope.names.get(name)
            is_known = value is not None and not isinstance(value, Foreign)
            word = self.as_word(node, self.no_iterator(node, value)) if is_known else "None"
            parts.append(word)
        if parts == loop.parts:
            return loop.state
        return parts[0] if len(parts) == 1 else self.tuple_of(node, parts)

    def _bind(self, node: ast.AST, loop: Loop, state: Word) -> tuple[list[Word], list[Word]]:
        """Bind the names of a loop to a state's values. Returns the other values, and these."""
        others = int(loop.may_end) + 2 * int(loop.may_return)
        count = others + len(loop.names)
        parts = [state] if count == 1 else [self.call(node, "item", state, k) for k in range(count)]
        self.scope.names.update(zip(loop.names, parts[others:], strict=True))
        return parts[:others], parts[others:]

    def rounds(self, loop: LOOPS, rest: Sequence[ast.stmt]) -> list[Word]:
        """Read a loop. Returns whether the function returns in it, and the value, if it may.

        rest: The statements behind it in its block.
        """
        if loop.orelse:
            raise Wrong(loop.orelse[0], "`else` of a loop is not read: test what the loop assigns")
        may_return = any(map(returns, loop.body))
        kept = Loop(self._kept(loop, rest), may_return or breaks(loop.body), may_return)
        over: Word | None = None
        if isinstance(loop, ast.For):
            over = self.as_tuple(loop.iter, self.word(loop.iter))
        around = self.around
        try:
            self.around = kept
            start = self.state(loop)
            with self.before((loop, *rest)):
                if isinstance(loop, ast.For):
                    function = self._in_loop(loop, partial(self._round, loop, kept), 2)
                else:
                    test = self._in_loop(loop, partial(self._goes_on, loop, kept), 1)
                    function = self._in_loop(loop, partial(self._round, loop, kept), 1)
        finally:
            self.around = around
        if over is None:
            made = self.call(loop, "iterate", test, function, start)
        else:
            made = self.call(loop, "fold", function, start, over)
        self._carry(made, function)
        for name in assigned_in([loop]):
            self.scope.names[name] = Foreign(f"{name!r} has no value here: a loop assigns it")
        return self._bind(loop, kept, made)[0][1:]

    def _in_loop(self, loop: LOOPS, write: Callable[..., Word], count: int) -> Word:
        """Return a function of `count` arguments, whose body may assign to the loop's names."""
        scope, names = self.scope, self.scope.names
        scope.names = dict(names)
        try:
            return self._lambda_of(loop, write, count)
        finally:
            scope.names = names

    def _kept(self, loop: LOOPS, rest: Sequence[ast.stmt]) -> list[str]:
        """List the names whose values go from round to round, or are read behind the loop."""
        after: Set[str] = frozenset()
        at_jump = after
        for statements in (*self.behind, rest):
            after = live_before(statements, after, at_jump)
            at_jump |= after
        return kept_by(loop, after | read_by_functions(self.whole, loop))

    def _goes_on(self, loop: ast.While, kept: Loop, state: Word) -> Word:
        """Write the test before a round."""
        ended, _ = self._bind(loop, kept, state)
        test = self.held(loop.test)
        return self.call(loop, "if_else", ended[0], False, test) if ended else test

    def _round(self, loop: LOOPS, kept: Loop, state: Word, element: Word = "") -> Word:
        """Write a round, and return the next state. element: What a `for` loop is at."""
        ended, values = self._bind(loop, kept, state)
        at_begin: list[Word] = [False, False, "None"]
        self.around = kept._replace(state=state, parts=[*at_begin[: len(ended)], *values])
        if isinstance(loop, ast.For):
            self.assign(loop.target, element)
        made: Word = self.result(loop, loop.body)
        for late, name in self.late.get(made, ()):
            if late is self.scope and name in assigned_in([loop]):
                raise self._too_late(loop, name)
        if not ended or isinstance(loop, ast.While):
            return made
        return self.call(loop, "if_else", ended[0], state, made)
