"""Reads the expressions that are no calls: writes their operations, and returns their words."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from megabatt.codegen.analysis.names import names_in
from megabatt.codegen.analysis.ownership import CHANGING
from megabatt.codegen.analysis.scopes import (
    INSTEAD_OF_MODULES,
    Builtin,
    Dictionary,
    Local,
    Module,
    Scope,
)
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.operations.meanings import Meanings
from megabatt.codegen.operations.python_functions import BUILTINS, METHODS
from megabatt.runtime.literals import constant_of
from megabatt.runtime.program import Word
from megabatt.runtime.vocabulary import UNREADABLE

_OF_TEXTS = {
    "endswith", "join", "ljust", "lower", "lstrip", "rjust", "rstrip", "split", "splitlines",
    "startswith", "strip", "upper", "zfill",
}  # fmt: skip
"""Methods of texts, whose names hardly anything else has."""


class Expressions(Meanings):
    """Reads the expressions of one program, other than calls."""

    # Tuples, lists and sets

    def read_Tuple(self, node: ast.Tuple | ast.List) -> Word:
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return self.joined(node, node.elts)
        return self.tuple_of(node, [self.held(part) for part in node.elts])

    def read_List(self, node: ast.List) -> Word:
        return self.as_list(node, self.read_Tuple(node))

    def joined(self, node: ast.AST, parts: Sequence[ast.expr]) -> Word:
        """Return the tuple of elements, some of them starred."""
        made: Word | None = None
        for part in parts:
            if isinstance(part, ast.Starred):
                more = self.as_tuple(part, self.iterable(part.value))
            else:
                more = self.tuple_of(part, [self.held(part)])
            made = more if made is None else self.call(node, "combine", made, more)
        assert made is not None
        return made

    def read_Set(self, node: ast.Set) -> Word:
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return self.call(node, "combine", "frozenset()", self.joined(node, node.elts))
        return self.set_of(node, [self.held(part) for part in node.elts])

    # Operators

    def read_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.USub):
            try:
                return self.literal(node, constant_of(node))
            except ValueError:
                zero = ast.copy_location(ast.Constant(0), node)
                negative = ast.copy_location(ast.BinOp(zero, ast.Sub(), node.operand), node)
                return self.operated(negative, 0, self.no_iterator(node, self.value(node.operand)))
        if isinstance(node.op, ast.Not):
            return self.negation(node, self.test(node.operand))
        if isinstance(node.op, ast.UAdd):
            return self.binary(node, ast.Add, 0, self.word(node.operand))
        return self.binary(node, ast.Sub, -1, self.integer(node, self.word(node.operand)))

    def read_BinOp(self, node: ast.BinOp) -> Any:
        a, b = (self.no_iterator(part, self.value(part)) for part in (node.left, node.right))
        return self.operated(node, a, b)

    def operated(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        """Return the result of an operator on two values."""
        words = self.as_word(node.left, a), self.as_word(node.right, b)
        if isinstance(node.op, ast.Add) and self.texts.issuperset(words):
            return self.of_texts(node, "__add__", words)
        for part, word in zip((node.left, node.right), words, strict=True):
            self.no_text(part, word)
        return self.binary(node, type(node.op), *words)

    def test(self, node: ast.expr) -> Word:
        """Return the word of a value of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            return self.read_BoolOp(node, self.test)
        return self.test_of(node, self.value(node))

    def read_BoolOp(self, node: ast.BoolOp, read: Callable[[ast.expr], Word] | None = None) -> Word:
        goes_on, words = isinstance(node.op, ast.And), []
        for part in node.values:
            words.append((read or self.held)(part))
            if words[-1] is (not goes_on):  # Python does not compute the others
                break
            if words[-1] is goes_on and part is not node.values[-1]:
                words.pop()
        return self.joined_tests(node, node.op, words)

    def read_IfExp(self, node: ast.IfExp) -> Any:
        condition = self.test(node.test)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        with self.given(condition, True):
            body = self.value(node.body)
        with self.given(condition, False):
            orelse = self.value(node.orelse)
        return self.chosen(node, condition, [body, orelse])

    def read_Compare(self, node: ast.Compare) -> Word:
        parts = [node.left, *node.comparators]
        has_text = any(map(_is_text, parts))
        for part in parts:
            if isinstance(part, ast.Subscript):
                part.is_character = has_text  # type: ignore[attr-defined]
        words = [self.held(node.left)]
        for operator, part in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                value = self.value(part)
                if isinstance(value, str) and value in self.texts:
                    value = self.texts_of(part, value)
                is_dictionary = isinstance(value, Dictionary)
                words.append(value if is_dictionary else self.elements(part, value))
            else:
                words.append(self.held(part))
        made: Word | None = None
        for k, operator in reversed(list(enumerate(node.ops))):
            left = self.as_held(node, words[k])  # `k in d == e` compares a dictionary too
            one = self.comparison(node, operator, left, words[k + 1])
            made = one if made is None else self.call(node, "if_else", one, made, one)
        assert made is not None
        return made

    # Subscripts and attributes

    def element_of(
        self, node: ast.AST, container: Any, index: Word, is_changed: bool = False
    ) -> Word:
        """Return the element of a tuple or a dictionary at a place, or for a key.

        is_changed: Whether it is read to be changed.
        """
        word = self.as_word(node, container)
        if word in self.texts:
            word = self.spelled(node, word)
        if index in self.texts or self.may_be_mapping(word):
            return self.call(node, "subscript", word, index, is_changed)
        return self.item(node, word, index)

    def read_Subscript(self, node: ast.Subscript, is_changed: bool = False) -> Word:
        """Return the value of a subscript. is_changed: Whether it is read to be changed."""
        if is_changed and isinstance(node.value, ast.Subscript):
            container = self.read_Subscript(node.value, is_changed)
        else:
            container = self.value(node.value)
        if getattr(node, "is_place", False):
            if isinstance(container, Dictionary):
                what = "a loop that changes a dictionary at numbers is not over its keys"
                raise Wrong(node, f"{what}: loop over list(d)")
            return self.item(node, self.as_word(node, container), self.word(node.slice))
        if not isinstance(node.slice, ast.Slice):
            is_character = getattr(node, "is_character", False) or _is_place(node.slice)
            if is_character and isinstance(container, str) and container not in self.texts:
                container = self.spelled(node, container)
            part = node.slice
            if isinstance(part, ast.Subscript):
                part.is_character = isinstance(container, Dictionary)  # type: ignore[attr-defined]
            return self.element_of(node, container, self.word(node.slice), is_changed)
        container = self.as_word(node.value, container)
        parts = node.slice.lower, node.slice.upper, node.slice.step
        words = ["None" if part is None else self.word(part) for part in parts]
        return self.call(node, "span", container, *words)

    def read_Attribute(self, node: ast.Attribute) -> Any:
        match node:
            case ast.Attribute(ast.Attribute(function, "__code__"), "co_argcount"):
                return self._count_of_parameters(node, self.value(function))
        value = self.value(node.value)
        if value == UNREADABLE:
            return UNREADABLE
        if isinstance(value, Module | Builtin):
            name = f"{value.name}.{node.attr}"
            if name in BUILTINS or name in self.makers:
                return Builtin(name)
            if name in self.meanings:
                return self.meanings[name]
        if isinstance(value, Module):
            found = self.meanings.get(node.attr) if value.has_primitives else None
            if found is not None and not isinstance(found, Builtin):
                return found
            what = "in the language" if value.has_primitives else f"read: {INSTEAD_OF_MODULES}"
            raise Wrong(node, f"{node.attr!r} of module {value.name!r} is not {what}")
        if node.attr == "get" and isinstance(value, str) and self.may_be_mapping(value):
            value = self.dictionary_in(node, value)
        if isinstance(value, Dictionary) and node.attr == "get":
            return self.lambda_of(node, partial(self.of_dictionaries["get"], self, node, value))
        if node.attr == "__getitem__" and isinstance(value, Dictionary | str):
            return self.lambda_of(node, partial(self.element_of, node, value))
        if node.attr in METHODS:
            if isinstance(value, Builtin):
                what = f"{value.name}.{node.attr} is read only where it is called"
                raise Wrong(node, f"{what}: write lambda a, b: a.{node.attr}(b)")
            word = self.of_kind(node, node.attr, self.as_word(node, value))
            return self.lambda_of(node, partial(METHODS[node.attr][1], self, node, word))
        if node.attr in CHANGING:
            what = "changes a list, set or dictionary, and is read on a line of its own"
            raise Wrong(node, f".{node.attr}(...) {what}: a.append(b), c = a.pop()")
        if node.attr in _OF_TEXTS:
            raise Wrong(node, f".{node.attr} of text is not read: write tuples of Integers")
        what = f"values have no attributes such as .{node.attr}"
        raise Wrong(node, f"{what}: write a call of a primitive")

    def _count_of_parameters(self, node: ast.AST, function: Any) -> int:
        """Return how many parameters a function has, by place."""
        if isinstance(function, Local):
            taken = function.node.args
            return len(taken.posonlyargs) + len(taken.args)
        if self._primitive(function) is None:
            raise Wrong(node, "the number of this function's parameters is not known: write it")
        return self._primitive(function).arity  # type: ignore[no-any-return]

    # Comprehensions

    def read_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
        value = self.value(node.generators[0].iter)
        container = self._iterated(node, node.generators[0], value)
        with self.later(self.scope) as late:
            made = self._elements(node, container, node.generators, node.elt)
        if isinstance(node, ast.SetComp):
            return self.call(node, "combine", "frozenset()", made)
        if isinstance(node, ast.GeneratorExp):
            return self.iterator_of(made, [value], late)
        return self.as_list(node, made)

    read_GeneratorExp = read_SetComp = read_ListComp

    def _iterated(self, node: ast.expr, generator: ast.comprehension, value: Any) -> Word:
        """Return the tuple of the value that a part of a comprehension iterates over."""
        if generator.is_async:
            raise Wrong(node, "programs do not wait: leave out `async`")
        return self.as_tuple(generator.iter, self.elements(generator.iter, value))

    def _elements(
        self,
        node: ast.expr,
        container: Word,
        generators: Sequence[ast.comprehension],
        element: ast.expr,
    ) -> Word:
        """Return a comprehension's results as a tuple; container: what its first part is over."""
        first, *more = generators
        if node is self.only_first:
            container = self._first_with_results(node, container, generators)
        else:
            for condition in first.ifs:
                test = partial(self.test, condition)
                keep = self._bound(condition, generators, container, test)
                container = self.call(node, "sfilter", container, keep)
        match element, first.target:
            case ast.Name(id=a), ast.Name(id=b) if a == b and not more:
                return container

        def result() -> Word:
            if more:
                inner = self._iterated(node, more[0], self.value(more[0].iter))
                return self._elements(node, inner, more, element)
            return self.held(element)

        function = self._bound(node, generators, container, result)
        return self.call(node, "mapply" if more else "apply", function, container)

    def _first_with_results(
        self, node: ast.expr, container: Word, generators: Sequence[ast.comprehension]
    ) -> Word:
        """Return the first element that gives results in a comprehension, as a tuple, or `()`.

        As in Python, nothing is computed of later elements.
        """
        first, *more = generators
        if not (first.ifs or more):
            return self.call(node, "span", container, "None", 1, "None")

        def gives_results() -> Word:
            tests = list(map(self.test, first.ifs))
            if more:
                inner = self._iterated(node, more[0], self.value(more[0].iter))
                tests.append(self._first_with_results(node, inner, more))
            return self.joined_tests(node, ast.And(), tests)

        test = self._bound(node, generators, container, gives_results)
        return self.call(node, "first_of", container, test)

    def any_or_all(self, node: ast.GeneratorExp, is_any: bool) -> Word:
        """Return the value of `any`, or of `all`, which stop at the first element that decides."""
        *others, last = node.generators
        negated = ast.copy_location(ast.UnaryOp(ast.Not(), node.elt), node.elt)
        tests = [*last.ifs, node.elt if is_any else negated]
        last = ast.comprehension(last.target, last.iter, tests, last.is_async)
        generators = [*others, last]
        container = self._iterated(node, generators[0], self.value(generators[0].iter))
        found = self._first_with_results(node, container, generators)
        return self.call(node, "if_else", found, is_any, not is_any)

    def _bound(
        self,
        node: ast.expr,
        generators: Sequence[ast.comprehension],
        over: Word,
        result: Callable[[], Word],
    ) -> Word:
        """Return the function target -> result, with the first generator's target.

        over: What the first generator iterates over. The targets of the others have no values yet.
        """
        first, *more = generators
        hold = self.hold_of(first.iter).elements()

        def body(word: Word) -> Word:
            with for_now(self, scope=Scope(self.scope)):
                self.scope.assigned = {name for later in more for name in names_in(later.target)}
                self.assign(first.target, word, hold.shared())
                made = result()
                for scope, name in self.late.get(made, ()):
                    if scope is self.scope:
                        raise self.too_late(node, name)
                return made

        return self.lambda_of(node, body, 1, over)


def _is_text(node: ast.expr) -> bool:
    """Tell whether an expression is a text, or a display of texts."""
    match node:
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            return bool(parts) and all(map(_is_text, parts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_place(index: ast.expr) -> bool:
    """Tell whether an index is a number in the source."""
    number = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(number, ast.Constant) and isinstance(number.value, int)
