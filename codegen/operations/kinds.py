"""Writes tests of the kinds of values, as `isinstance`, and tells lists from tuples for them."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import Any

from megabatt.codegen.analysis.scopes import Builtin, Choice
from megabatt.codegen.errors import Wrong
from megabatt.codegen.operations.operators import Operators
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import UNREADABLE

LIST, OTHER = 1, 2
"""The bits of a value that may be a list, and of one that may be another thing that is read as a
tuple, such as a range or an iterator. The elements of a value have the next two bits, their
elements the next."""
_LEVEL = 2
_MOST_BITS = 6 * _LEVEL
"""A value with more levels may have lists at any level."""
_PARTS: dict[Word, tuple[tuple[int, int, int], ...]] = {
    "append": ((0, 0, 0), (1, 0, 1)), "argmax": ((0, 1, 0),), "argmin": ((0, 1, 0),),
    "astuple": ((0, 0, 1), (1, 0, 1)), "combine": ((0, 0, 0), (1, 0, 0)), "dedupe": ((0, 0, 0),),
    "drop": ((0, 0, 0),), "entries_in": ((0, 0, 0),), "entries_of": ((0, 2, 2),),
    "extract": ((0, 1, 0),), "first": ((0, 1, 0),), "first_of": ((0, 0, 0),),
    "identity": ((0, 0, 0),), "if_else": ((1, 0, 0), (2, 0, 0)), "inner_item": ((0, 2, 0),),
    "item": ((0, 1, 0),), "keys_in": ((0, 0, 0),), "last": ((0, 1, 0),), "lookup": ((0, 2, 0),),
    "lookup_or": ((0, 2, 0), (2, 0, 0)), "mapping": ((0, 0, 0), (1, 0, 1)), "order": ((0, 0, 0),),
    "pair": ((0, 1, 2), (1, 1, 2)), "product_of": ((0, 0, 0), (1, 0, 0)),
    "put": ((0, 0, 0), (2, 0, 1)), "put_at": ((0, 0, 0), (2, 0, 1), (2, 0, 2)),
    "put_entry": ((0, 0, 0), (2, 0, 2)), "repeat": ((0, 0, 1),), "sfilter": ((0, 0, 0),),
    "span": ((0, 0, 0),), "subscript": ((0, 1, 0), (0, 2, 0)), "sum_of": ((0, 0, 0), (1, 0, 0)),
    "totuple": ((0, 1, 1),), "unpack": ((0, 0, 0),), "zipped": ((0, 2, 2),),
}  # fmt: skip
"""For primitives, the arguments of which their results have parts: the argument's place, the levels
of it that are taken off, and the levels of tuples around what is left."""
_RANKS: dict[type, int] = {type(None): 0, bool: 1, int: 1, float: 1, tuple: 2, frozenset: 3}
"""The place of each type in the language's order of values; functions come last."""
_FUNCTIONS = 4
_WITHOUT_LISTS = {type(None), bool, float, frozenset, int}
"""The types of values that hold no lists, as in Python a set holds none."""
_LEAST: dict[int, Word] = {2: "()", 3: "frozenset()"}
"""The first value of a rank."""
CLASSES: dict[str, set[type]] = {
    "bool": {bool}, "float": {float}, "frozenset": {frozenset}, "int": {bool, int}, "list": {list},
    "set": {set}, "tuple": {tuple},
}  # fmt: skip
"""For each of Python's names in a test, the types of values for which the test is true."""


class Kinds(Operators):
    """Tells the kinds of one program's values."""

    may_give_lists = False
    """Whether functions that are used as values may get lists."""
    gives_lists = False
    """Whether a list, or what holds one, is given to what may call such a function."""

    def __init__(self, *reading: Any) -> None:
        super().__init__(*reading)
        self._lists: dict[Any, int] = {}

    # Lists

    def lists_in(self, word: Word) -> int:
        """Return which levels of a value may be lists, as bits: see `LIST`."""
        if not self.tells_kinds:
            return 0
        if isinstance(word, Lambda):
            return self.lists_in(word.returns)
        if word in self._lists or not self.is_variable(word) or word in self.language.inputs:
            return self._lists.get(word, 0)
        over = self.drawn.get(word)
        return -1 if over is None else self.lists_in(over) >> _LEVEL

    def set_lists(self, word: Word, bits: int) -> None:
        """Note which levels of a value may be lists."""
        self._lists[word] = -1 if bits.bit_length() > _MOST_BITS else bits

    def as_list(self, node: ast.AST, word: Word, bit: int = LIST) -> Word:
        """Return a value that is a list in Python, as one that is known to be a list."""
        if not self.tells_kinds or word == UNREADABLE:
            return word
        made = self.call(node, "totuple", word)
        self.set_lists(made, self.lists_in(made) | bit)
        return made

    def take(self, parameter: Word) -> None:
        """Note what is known of a parameter of one of the source's functions that is a value."""
        if self.drawn.get(parameter) is None:
            self.set_lists(parameter, -int(self.may_give_lists))

    def give(self, function: Word, *words: Word) -> None:
        """Note the arguments of a call, which may give them to functions that are values."""
        if not self.tells_kinds:
            return
        types = getattr(self._primitive(function), "types", None)
        takes = [declared.name for declared in types or ()]
        if types is None or "Callable" in takes or function == "rapply":
            self.gives_lists = self.gives_lists or any(map(self.lists_in, words))

    def learn_lists(self, made: Word, *words: Word) -> None:
        self.set_lists(made, self._lists_of(made, *words))

    def _lists_of(self, made: Word, function: Word, *arguments: Word) -> int:
        """Return which levels of a call's value may be lists."""
        if isinstance(function, Lambda):
            return self.lists_in(function)
        bits = [self.lists_in(argument) for argument in arguments]
        kinds = self.kinds_of(made)
        if not any((*bits, self.lists_in(function))) or (kinds and not kinds - _WITHOUT_LISTS):
            return 0
        if function in ("apply", "mapply") and self._is_of_source(arguments[0]):
            results = bits[0] << _LEVEL if function == "apply" else bits[0] & -(1 << _LEVEL)
            return results | bits[1] & (LIST | OTHER)
        if function not in _PARTS:
            return -1
        found = 0
        for place, less, more in _PARTS[function]:
            found |= bits[place] >> less * _LEVEL << more * _LEVEL
        return found

    def _is_of_source(self, function: Word) -> bool:
        """Tell whether a function is one of the program's own, so that its results are known."""
        return isinstance(function, Lambda) or isinstance(self.maker_of(function)[0], Lambda)

    # Tests

    def maker_like(self, node: ast.AST, word: Word) -> Builtin | Choice:
        """Return what makes containers of a container's type; its calls fail for other values."""
        lists = self.lists_in(word)
        if lists & OTHER:
            raise Wrong(node, "the type of this is not known: write tuple(...)")
        makers = Builtin("list" if lists & LIST else "tuple"), Builtin("frozenset")
        kinds = self.kinds_of(word)
        if kinds and kinds.isdisjoint({tuple, frozenset}):
            raise Wrong(node, "type(x)(...) is read of containers alone")
        if kinds in ({tuple}, {frozenset}):
            return makers[kinds == {frozenset}]
        is_tuple = self.call(node, "equality", self.call(node, "totuple", word), word)
        return Choice(is_tuple, makers)

    def is_instance(self, node: ast.AST, word: Word, names: Set[str]) -> Word:
        """Return whether a value is of one of some types of Python."""
        types = {one for name in names for one in CLASSES[name]}
        kinds = self.kinds_of(word)
        possible = {_RANKS.get(kind, _FUNCTIONS) for kind in kinds or _RANKS}
        if not kinds and self.may_be_function(word):
            possible.add(_FUNCTIONS)
        if self._may_be_none(word):
            possible.add(0)
        ranks = set()
        if 1 in possible and types & {bool, float, int}:
            self._check_number(node, kinds, types)
            ranks.add(1)
        lists = self.lists_in(word)
        if 2 in possible and types & {list, tuple} and (tuple in types or lists):
            self._check_tuple(node, lists, types)
            ranks.add(2)  # else it is no list
        if 3 in possible and types & {frozenset, set}:
            if not {frozenset, set} <= types:
                advice = "write isinstance(x, (frozenset, set))"
                raise Wrong(node, f"sets are read as frozensets: {advice}")
            ranks.add(3)
        return self._has_rank(node, word, possible, ranks)

    def _may_be_none(self, word: Word) -> bool:
        """Tell whether a value may be the None that `index` gives, which declares an Integer."""
        function, *arguments = self.maker_of(word)
        return function == "index" or (
            function == "if_else" and any(map(self._may_be_none, arguments[1:]))
        )

    def _check_number(self, node: ast.AST, kinds: Set[type], types: Set[type]) -> None:
        """Refuse a test that is true for some numbers alone, if the value may be another one."""
        others = (kinds or {bool, int, float}) & {bool, int, float} - types
        if others - (set() if self.has_reals else {float}):
            advice = "write isinstance(x, (float, int)), or isinstance(x, int) without Reals"
            raise Wrong(node, f"kinds of numbers are not told from each other: {advice}")

    def _check_tuple(self, node: ast.AST, lists: int, types: Set[type]) -> None:
        """Refuse a test that is true for tuples or for lists alone, if a value may be either."""
        if tuple not in types or (lists & LIST and list not in types):
            advice = "write isinstance(x, (list, tuple)), or give tuple(x) to the function"
            raise Wrong(node, f"lists are read as tuples, and this may be one: {advice}")
        if lists & OTHER:
            raise Wrong(node, "this may be an iterator or a range: write tuple(...)")

    def _has_rank(
        self, node: ast.AST, word: Word, possible: Set[int], ranks: Set[int]
    ) -> Word:
        """Return whether a value has one of some ranks. possible: Those that it may have."""
        others = possible - ranks
        if not ranks or not others:
            return bool(ranks)
        least, most = min(ranks), max(ranks)
        if any(least < rank < most for rank in others) or (most == 3 and _FUNCTIONS in others):
            raise Wrong(node, "this test of a kind is not read: test for numbers and sets apart")
        tests: list[Word] = []
        if min(others) < least:
            is_none = least == 1
            tests.append(
                self.negation(node, self.call(node, "equality", word, "None")) if is_none
                else self._is_from(node, word, least)
            )
        if max(others) > most:
            tests.append(self.negation(node, self._is_from(node, word, most + 1)))
        return self.joined_tests(node, ast.And(), tests)

    def _is_from(self, node: ast.AST, word: Word, rank: int) -> Word:
        """Return whether a value has a rank, or a later one."""
        policy = getattr(self.language, "policy", None)
        if not getattr(policy, "fits_words", False):
            raise Wrong(node, "this language does not tell kinds of values: leave the test out")
        both = self.tuple_of(node, [_LEAST[rank], word])
        first = self.call(node, "argmin", both, "identity")
        return self.call(node, "equality", first, _LEAST[rank])
