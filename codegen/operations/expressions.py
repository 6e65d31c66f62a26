"""Reads expressions: writes their operations, and returns their words or functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from inspect import signature
from types import MappingProxyType
from typing import Any

from megabatt.codegen.analysis.names import names_in
from megabatt.codegen.analysis.nodes import Functions, nodes_in, placed
from megabatt.codegen.analysis.ownership import (
    CHANGING,
    FIXED,
    SHARED,
    Hold,
    Owned,
    read_by_iterator,
)
from megabatt.codegen.analysis.scopes import (
    INSTEAD_OF_MODULES,
    Builtin,
    Choice,
    Deferred,
    Dictionary,
    Elsewhere,
    Foreign,
    Late,
    Local,
    Module,
    Once,
    Raised,
    Scope,
    Several,
)
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.language import Language
from megabatt.codegen.operations.operators import Operators
from megabatt.codegen.operations.python_functions import BUILTINS, ITERATORS, METHODS, OF_ALL
from megabatt.runtime.literals import constant_of
from megabatt.runtime.printable import short
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import MOST_VALUES, UNREADABLE, NameRules

_FUNCTIONS = {Local, Builtin, Choice}
"""The kinds of functions that are no words."""
_OWNERS: dict[type, tuple[tuple[str, str], tuple[str, str]]] = {
    tuple: (("tuple", "list"), ("sum_of", "()")),
    frozenset: (("frozenset", "set"), ("difference_of", "frozenset()")),
}
"""For each type of the language, Python's names for it in sources; and a primitive and its second
argument: the call returns its first argument unchanged if that has the type, and fails otherwise.
"""
_TAKES = {
    "fold": ("function", 2), "fork": ("outer", 2), "lbind": ("function", MOST_VALUES),
    "mpapply": ("function", 2), "papply": ("function", 2), "prapply": ("function", 2),
    "rbind": ("function", MOST_VALUES),
}  # fmt: skip
"""The primitives whose first argument is a function of several arguments: the name of the first
argument, and the most arguments that the function is called with."""
_ADVICE = {
    ast.JoinedStr: "text is only compared, or a key: write Integers",
    ast.NamedExpr: "write the assignment on a line of its own",
    ast.Await: "programs do not wait",
    ast.Yield: "return a list, or write list(...) around the call",
    ast.YieldFrom: "return a list, or write list(...) around the call",
    ast.Slice: "a slice is a new list: change the list itself",
    ast.Starred: "write a tuple, such as (*a, *b), or name each argument",
}
_NAMES = {
    ast.Await: "`await`", ast.JoinedStr: "an f-string", ast.NamedExpr: "`:=`",
    ast.Slice: "a slice", ast.Starred: "`*`", ast.Yield: "`yield`", ast.YieldFrom: "`yield from`",
}  # fmt: skip
"""The names of kinds of expressions that have others than in `ast`."""


_OF_NUMBERS = {"abs", "bool", "divmod", "float", "int", "pow", "range", "round"}
"""The functions of Python that take no elements of a container."""
_ALL, _ANY, _MAP, _MAX, _MIN, _NEXT = map(Builtin, ("all", "any", "map", "max", "min", "next"))
_MOST_CHARACTERS = 12
"""The characters of a text in which parts are looked for, at most."""


class Expressions(Operators):
    """Reads the expressions of one program."""

    makers: dict[str, Callable[..., Any]] = {}
    """The same as `BUILTINS` for functions that take or return dictionaries."""
    of_dictionaries: dict[str, Callable[..., Any]] = {}
    """For each method of dictionaries, the function that writes its calls."""
    present: frozenset[tuple[Word, Word]] = frozenset()
    """Dictionaries, each with a key that it is certain to have."""
    reads: Late | None = None
    """The names that are read by what is written now and runs later; None if it runs at once."""
    has_lists = False
    """Whether a name has a value that may be or hold lists or sets."""
    holds_mappings = False
    """Whether something holds a dictionary, which is a mapping then, see `core.dictionaries`."""
    given_away: Mapping[str, int] = MappingProxyType({})
    """The names whose values the statement at hand gives away, with the levels that are given."""
    counts: Set[int] = frozenset()
    """With how many arguments the source calls values, see `counts_of_calls`."""
    only_first: ast.AST | None = None
    """The comprehension of which `next` computes the first element alone."""
    moment: tuple[int, int] | None = None
    """The place of the value that is computed now as if outside of functions."""

    def __init__(
        self, language: Language, vocabulary: NameRules, module: Scope, meanings: Mapping[str, Any]
    ) -> None:
        super().__init__(language, vocabulary)
        self.scope = self.module = module
        """The source's own scope, where the reading begins."""
        self.meanings = meanings
        """The meanings of names that the source does not define."""
        self._spelling: Word | None = None
        """The texts that containers may hold, with their characters."""
        self.known: dict[Deferred, dict[str, Any]] = {}
        """A cache of the names that the source assigns outside of functions, with their values."""

    # Values and words

    def value(self, node: ast.expr, target: str | None = None) -> Any:
        """Return the meaning of an expression: a word, or a function of the source.

        target: The name that the value is assigned to. The operation takes this name if it is free.
        """
        kind = node.__class__
        if kind is ast.Call:
            return self._call(node, target)  # type: ignore[arg-type]
        if kind is ast.Name:
            return self._named(node)  # type: ignore[arg-type]
        read = getattr(self, f"read_{kind.__name__}", None)
        if read is None:
            advice = _ADVICE.get(kind, "write calls of primitives, tuples, or operators")
            raise Wrong(node, f"{kind_name(kind)} cannot be read: {advice}")
        return read(node)

    def word(self, node: ast.expr, takes: int = 1) -> Word:
        """Return the word of an expression; a function of the source becomes a `Lambda`.

        takes: The number of arguments that a function with optional parameters is called with.
        """
        value = self.value(node)
        kind = value.__class__
        return value if kind is str or kind is int else self.as_word(node, value, takes)  # type: ignore[no-any-return]

    def held(self, node: ast.expr) -> Word:
        """Return the word of a value that is held, tested or compared."""
        value = self.value(node)
        if value.__class__ is str:
            return value  # type: ignore[no-any-return]
        return self.as_held(node, self.no_iterator(node, value))

    def as_held(self, node: ast.AST, value: Any) -> Word:
        """Do `as_word`; a dictionary becomes a mapping, a function takes what it needs."""
        value = value.word if isinstance(value, Owned) else value
        if not isinstance(value, Dictionary) or value.word == UNREADABLE:
            return self.as_word(node, value, 0)
        self.holds_mappings = True
        missing: list[Word] = [] if value.default is None else [value.default]
        if value.adds:  # the default is only for a value that changes
            missing.append(True)
        made = self.call(node, "mapping", value.word, self.tuple_of(node, missing))
        if made in self.late:
            self.givers.add(made)
        return made

    def dictionary_in(self, node: ast.AST, word: Word) -> Dictionary:
        """Return the dictionary that a value of the program is."""
        return Dictionary(self.call(node, "entries_in", word))

    def no_iterator(self, node: ast.AST, value: Any) -> Any:
        """Return the value; refuse an iterator, which is true, and equal to nothing else."""
        if isinstance(value, Once):
            what = "an iterator is no tuple of its elements"
            raise Wrong(node, f"{what}: write tuple(...), or set(...) for d.keys() as a set")
        return value

    def test(self, node: ast.expr) -> Word:
        """Return the word of a value of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            return self.read_BoolOp(node, self.test)
        return self.test_of(node, self.value(node))

    def test_of(self, node: ast.AST, value: Any) -> Word:
        """Return the word of a value: a dictionary's entries."""
        value = self.no_iterator(node, value.word if isinstance(value, Owned) else value)
        is_dictionary = isinstance(value, Dictionary)
        return value.word if is_dictionary else self.opened(node, self.as_word(node, value))

    def iterable(self, node: ast.expr) -> Word:
        """Return the word of a container whose elements are taken."""
        return self.elements(node, self.value(node))

    def elements(self, node: ast.AST, value: Any) -> Word:
        """Return the word of a value whose elements are taken: a dictionary's keys."""
        if isinstance(value, str) and value in self.texts:
            return self._texts_of(node, value, 1)
        if isinstance(value, Dictionary):
            return self.keys_of(node, value)
        word = self.as_word(node, value)
        return word if isinstance(value, Once) else self.opened(node, self._spelled(node, word))

    def learn_texts(self, node: ast.AST, texts: Sequence[str]) -> None:
        """Note the texts that a program's containers may hold."""
        if not texts or not self._primitive("lookup_or"):
            return
        words = {
            text: self.read_Constant(placed(ast.Constant(text), node))
            for text in dict.fromkeys([*texts, *"".join(texts)])
        }
        characters = [self.tuple_of(node, [words[one] for one in text]) for text in texts]
        spelled = zip(map(words.__getitem__, texts), characters, strict=True)
        numerals = [(word, int(text)) for text, word in words.items() if text.isdecimal()]
        self._spelling = self.tuple_of(node, [self.tuple_of(node, pair) for pair in spelled])
        if numerals:
            self.numerals = self.tuple_of(node, [self.tuple_of(node, pair) for pair in numerals])

    def _spelled(self, node: ast.AST, word: Word) -> Word:
        """Return a value; if it is one of the source's texts, its characters."""
        if self._spelling is None or not self.may_be_function(word):
            return word
        return self.call(node, "lookup_or", self._spelling, word, word)

    def _texts_of(self, node: ast.AST, text: Word, most: int = _MOST_CHARACTERS) -> Word:
        """Return the tuple of the parts of a known text that have at most `most` characters."""
        maker = self.maker_of(text)
        codes = self.constant_of(maker[-1]) if maker[0] == "lbind" else ()
        if not codes or len(codes) > most > 1:
            self.no_text(node, text)
        places = ((k, size) for size in range(1, most + 1) for k in range(len(codes) - size + 1))
        parts = ["".join(map(chr, codes[k : k + size])) for k, size in places]
        words = [self.read_Constant(placed(ast.Constant(part), node)) for part in parts]
        return self.tuple_of(node, words)

    def keys_of(self, node: ast.AST, dictionary: Dictionary) -> Word:
        """Return the tuple of a dictionary's keys."""
        return self.call(node, "apply", "first", dictionary.word)

    def iterable_beside(self, node: ast.expr, changed: Container[str]) -> Word:
        """Return the word of a container whose elements are taken while names change."""
        return self.elements(node, self.value_beside(node, changed))

    def iterable_for(self, node: ast.expr, name: str) -> Word:
        """Return the word of a container whose elements are put into the value of a name."""
        if name in read_by_iterator(node):
            raise self._read_meanwhile(node, name)
        return self.iterable_beside(node, {name})

    def value_beside(self, node: ast.expr, changed: Container[str]) -> Any:
        """Return a value; refuse an iterator that reads names which change meanwhile."""
        value = self.value(node)
        for scope, name in value.late if isinstance(value, Once) else ():
            if scope is self.scope and name in changed:
                raise self._read_meanwhile(node, name)
        return value

    def _read_meanwhile(self, node: ast.expr, name: str) -> Wrong:
        what = f"{name!r} changes while this iterator reads it"
        return Wrong(node, f"{what}: write tuple(...) for its values before")

    def as_word(self, node: ast.AST, value: Any, takes: int = 1, over: Word | None = None) -> Word:
        """Do `word` for a value. takes: 0 for a function that is held, and called later."""
        if isinstance(value, (str, int, Lambda)):
            return value
        if isinstance(value, Once):
            return value.word
        if isinstance(value, Owned):
            return self.as_word(node, value.word)
        if isinstance(value, Dictionary):
            if value.word == UNREADABLE:
                return UNREADABLE
            what = "a dictionary cannot be returned by the program or given to a primitive"
            raise Wrong(node, f"{what}: write tuple(d.items()), or tuple(d)")
        if isinstance(value, Choice):
            words = [self.as_word(node, function, takes, over) for function in value.functions]
            return self.call(node, "if_else", value.condition, *words)
        if isinstance(value, Raised):
            return self.failure(value.node, True)
        if isinstance(value, Several):
            return self.tuple_of(node, [self.as_held(node, part) for part in value.parts])
        if isinstance(value, Local):
            count = self._count_taken(node, value, takes)
            called = partial(self._returned_by, node, value)
            with self._later(value.scope) as late:
                word = self._lambda_for(node, called, takes, count, over)
            if late:
                self.late[word] = self.late.get(word, {}) | late
            return word
        if isinstance(value, Builtin):
            called = partial(self._call_of_builtin, node, value.name)
            write = BUILTINS.get(value.name) or self.makers[value.name]
            count = takes or self._count_of_held(node, partial(_takes, write), 1)
            return self._lambda_for(node, called, takes, count, over)
        raise Wrong(node, f"module {value.name!r} is no value of a program")

    def _lambda_for(
        self, node: ast.AST, called: Callable[..., Word], takes: int, count: int, over: Word | None
    ) -> Word:  # fmt: skip
        """Return a function that takes a number of arguments; takes: see `as_word`."""
        if takes:
            return self.lambda_of(node, called, count, over)
        return self.held_lambda_of(node, called, count)

    def _count_taken(self, node: ast.AST, function: Local, takes: int) -> int:
        """Return with how many arguments a function is called; takes: see `as_word`."""
        most = len(parameters_of(function))
        least = most - len(function.defaults)
        if function.node.args.vararg:
            return takes or self._count_of_held(node, lambda count: count >= most - 1, most)
        if takes or least == most:
            return max(least, min(takes, most))
        return self._count_of_held(node, lambda count: least <= count <= most, least)

    def _count_of_held(
        self, node: ast.AST, may_take: Callable[[int], bool], otherwise: int
    ) -> int:
        """Return with how many arguments the source calls a held function that may take several.

        otherwise: The number where the source calls no held function so.
        """
        counts = sorted(filter(may_take, self.counts))
        if len(counts) > 1:
            what = f"a held function may be called with {counts[0]} or {counts[1]} arguments"
            raise Wrong(node, f"{what}: hold one without optional parameters")
        return counts[0] if counts else otherwise

    def _named(self, node: ast.Name, is_called: bool = False) -> Any:
        name = node.id
        try:
            found = self.scope.find(name)
        except Elsewhere:
            return self.failure(node, True)
        except LookupError:
            raise Wrong(node, f"{name!r} is used before its definition") from None
        if found is None:
            found = self.meanings.get(name)
            if found is None:
                raise Wrong(node, self.vocabulary.of_unknown(name, self.meanings, is_called))
        if found.__class__ is Owned:
            found = found.word
        if found.__class__ is Foreign:
            raise Wrong(node, found.message)
        if self.moment is not None and self.module.names.get(name) is found:
            if _defined_at(found) >= self.moment:
                raise Wrong(node, f"{name!r} is read here before its last definition")
        if self.reads is not None:
            place = self.home_of(name)
            if place is not None:
                self.reads[place, name] = found
        if found.__class__ is Deferred:
            found = self.deferred(found)[name]
            found = found.word if isinstance(found, Owned) else found
        word = found.word if found.__class__ is Dictionary else found
        if found.__class__ is Once:
            self._use_up(node, found)
            self._check_late(node, found.late, "assign tuple(...)")
        elif word.__class__ is str and word in self.late and self.is_variable(word):
            self._check_late(node, self.late[word])
        return found

    def home_of(self, name: str) -> Scope | None:
        """Return the innermost scope with a name."""
        scope: Scope | None = self.scope
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    @contextmanager
    def _later(self, scope: Scope | None) -> Iterator[Late]:
        """Collect the names of a scope, and of those around it, that are read in the context."""
        around, self.reads = self.reads, {}
        late: Late = {}
        try:
            yield late
        finally:
            found, self.reads = self.reads, around
            if around is not None:
                around.update(found)
            outer = set()
            while scope is not None:
                outer.add(scope)
                scope = scope.parent
            late.update((read, found[read]) for read in found if read[0] in outer)
            for word in found.values():
                late.update(self.late.get(word, {}) if isinstance(word, str) else {})

    def _check_late(self, node: ast.AST, late: Late, advice: str = "") -> None:
        """Refuse what reads a name later, when the name has another meaning."""
        for (scope, name), meaning in late.items():
            present = scope.names.get(name)
            if (present.word if isinstance(present, Owned) else present) != meaning:
                raise self._too_late(node, name, advice)

    def _too_late(self, node: ast.AST, name: str, advice: str = "") -> Wrong:
        advice = advice or f"write lambda ..., {name}={name}: ..."
        return Wrong(node, f"{name!r} has another value when this is computed: {advice}")

    def _use_up(self, node: ast.Name, iterator: Once) -> None:
        """Make an iterator unreadable from now on."""
        used_up = Foreign(f"{node.id!r} is an iterator, which is read once: assign tuple(...)")
        scope = self.home_of(node.id)
        if scope is None or iterator.body is not self.body or scope is self.module:
            raise Wrong(node, used_up.message)  # every call may read it
        scope.names[node.id] = used_up

    def deferred(self, deferred: Deferred) -> dict[str, Any]:
        """Return the names of a target, with the values that the source assigns to them.

        They are computed as outside of functions, when only what is defined before has its meaning.
        """
        if deferred in self.known:
            return self.known[deferred]
        value, target = deferred
        body = self.body
        while body.outer is not None:
            body = body.outer
        with for_now(self, scope=self.module, body=body, moment=_defined_at(deferred)):
            made = self.value(value, target.id if isinstance(target, ast.Name) else None)
            self.scope = Scope(self.module)
            self.assign(target, made)
            self.known[deferred] = self.scope.names
        return self.known[deferred]

    def read_Constant(self, node: ast.Constant) -> Any:
        """Return the meaning of a constant."""
        value = node.value
        if value.__class__ is str and value and all(map(self._primitive, ("lbind", "identity"))):
            made = self.call(node, "lbind", "identity", self.literal(node, tuple(map(ord, value))))
            self.texts.add(made)
            return made
        numbers = (int, bool, float) if self._primitive("ratio_of") else (int, bool)
        if value is not None and value.__class__ not in numbers:
            raise Wrong(node, f"programs have no values such as {short(value)}: {_instead(value)}")
        return self.literal(node, value)

    # Tuples, lists and sets

    def read_Tuple(self, node: ast.Tuple | ast.List) -> Word:
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return self._joined(node, node.elts)
        return self.tuple_of(node, [self.held(part) for part in node.elts])

    read_List = read_Tuple

    def _joined(self, node: ast.AST, parts: Sequence[ast.expr]) -> Word:
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
            return self.call(node, "combine", "frozenset()", self._joined(node, node.elts))
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
        for part, word in zip((node.left, node.right), words, strict=True):
            self.no_text(part, word)
        return self.binary(node, type(node.op), *words)

    def read_BoolOp(self, node: ast.BoolOp, read: Callable[[ast.expr], Word] | None = None) -> Word:
        return self.joined_tests(node, node.op, list(map(read or self.held, node.values)))

    def read_IfExp(self, node: ast.IfExp) -> Any:
        condition = self.test(node.test)
        with self.given(condition, True):
            body = self.value(node.body)
        with self.given(condition, False):
            orelse = self.value(node.orelse)
        return self.chosen(node, condition, [body, orelse])

    def given(self, condition: Word, is_true: bool) -> AbstractContextManager[None]:
        """Read what is computed only if a condition is true, or only if it is false."""
        return for_now(self, present=self.present.union(self._keys_told(condition, is_true)))

    def _keys_told(self, condition: Word, is_true: bool) -> Iterator[tuple[Word, Word]]:
        """Yield each dictionary and key of `k in d` for which a condition tells that k is in d."""
        match self.maker_of(condition):
            case ["has_key", entries, key] if is_true:
                yield entries, key
            case ["if_else", test, a, b]:
                if b is (not is_true) or (is_true and b == test):
                    yield from self._keys_told(test, True)
                    yield from self._keys_told(a, is_true)
                elif a is (not is_true) or (not is_true and a == test):
                    yield from self._keys_told(test, False)
                    yield from self._keys_told(b, is_true)
            case ["flip", negated]:
                yield from self._keys_told(negated, not is_true)

    def chosen(self, node: ast.AST, condition: Word, values: Sequence[Any]) -> Any:
        """Return one of two values: the word of a call, or a `Choice` of functions."""
        kinds = {value.__class__ for value in values}
        if Raised in kinds:
            return self._unless_raised(node, condition, *values)
        if not kinds.isdisjoint(_FUNCTIONS) and all(
            value.__class__ in _FUNCTIONS or (isinstance(value, str) and self._primitive(value))
            for value in values
        ):
            return Choice(condition, tuple(values))
        if Dictionary in kinds:
            return self._chosen_dictionary(node, condition, values)
        if kinds == {Several} and len({len(value.parts) for value in values}) == 1:
            pairs = zip(*(value.parts for value in values), strict=True)
            return Several(tuple(self.chosen(node, condition, pair) for pair in pairs))
        words = [self.as_word(node, value) for value in values]
        made = self.call(node, "if_else", condition, *words)
        if made != UNREADABLE and self.texts.issuperset(words):
            self.texts.add(made)
        iterators = [value for value in values if isinstance(value, Once)]
        return self._iterator(made, iterators, {}) if iterators else made

    def _unless_raised(self, node: ast.AST, condition: Word, one: Any, other: Any) -> Any:
        """Return one of two values, of which at least one is an exception."""
        if isinstance(one, Raised) and isinstance(other, Raised):
            return one
        is_first = isinstance(one, Raised)
        raised, value = (one, other) if is_first else (other, one)
        bad = condition if is_first else self.call(node, "if_else", condition, False, True)
        if isinstance(value, Dictionary):
            return value._replace(word=self._unless_raised(node, bad, raised, value.word))
        if isinstance(value, Several):
            parts = (self._unless_raised(node, bad, raised, part) for part in value.parts)
            return Several(tuple(parts))
        failed = self.failure(raised.node, bad)
        made = self.call(node, "if_else", bad, failed, self.as_word(node, value))
        if made != UNREADABLE and value.__class__ is str and value in self.texts:
            self.texts.add(made)
        return self._iterator(made, [value], {}) if isinstance(value, Once) else made

    def _chosen_dictionary(
        self, node: ast.AST, condition: Word, values: Sequence[Any]
    ) -> Dictionary | Word:
        """Return one of two values, of which at least one is a dictionary."""
        if UNREADABLE in values:
            return UNREADABLE
        if len({getattr(value, "kind", None) for value in values}) > 1:
            words = [self.as_held(node, self.no_iterator(node, value)) for value in values]
            return self.call(node, "if_else", condition, *words)
        made = self.call(node, "if_else", condition, *(value.word for value in values))
        return values[0]._replace(word=made)  # type: ignore[no-any-return]

    def read_Compare(self, node: ast.Compare) -> Word:
        words = [self.held(node.left)]
        for operator, part in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                value = self.value(part)
                if isinstance(value, str) and value in self.texts:
                    value = self._texts_of(part, value)
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
            word = self._texts_of(node, word, 1)
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
            return self.element_of(node, container, self.word(node.slice), is_changed)
        container = self.as_word(node.value, container)
        parts = node.slice.lower, node.slice.upper, node.slice.step
        words = ["None" if part is None else self.word(part) for part in parts]
        return self.call(node, "span", container, *words)

    def read_Attribute(self, node: ast.Attribute) -> Any:
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
            word = self._of_kind(node, node.attr, self.as_word(node, value))
            return self.lambda_of(node, partial(METHODS[node.attr][1], self, node, word))
        if node.attr in CHANGING:
            what = "changes a list, set or dictionary, and is read on a line of its own"
            raise Wrong(node, f".{node.attr}(...) {what}: a.append(b), c = a.pop()")
        what = f"values have no attributes such as .{node.attr}"
        raise Wrong(node, f"{what}: write a call of a primitive")

    # Comprehensions

    def read_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
        value = self.value(node.generators[0].iter)
        container = self._iterated(node, node.generators[0], value)
        with self._later(self.scope) as late:
            made = self._elements(node, container, node.generators, node.elt)
        if isinstance(node, ast.SetComp):
            return self.call(node, "combine", "frozenset()", made)
        return self._iterator(made, [value], late) if isinstance(node, ast.GeneratorExp) else made

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

    def _any_or_all(self, node: ast.GeneratorExp, is_any: bool) -> Word:
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
                        raise self._too_late(node, name)
                return made

        return self.lambda_of(node, body, 1, over)

    def assign(self, target: ast.expr, value: Any, hold: Hold = FIXED) -> None:
        """Bind the names of a target to a value. hold: What is known of lists and sets in it."""
        raise NotImplementedError

    def hold_of(self, node: ast.expr) -> Hold:
        """Return what is known of the lists and sets that an expression's value is or holds."""
        raise NotImplementedError

    def held_as(self, value: Any, node: ast.expr) -> Any:
        """Return the meaning of a name that is bound to the value of an expression."""
        raise NotImplementedError

    # Functions

    def local(self, node: Functions, in_module: bool = False) -> Local:
        """Return a function of the source; its defaults are evaluated at its definition.

        in_module: Whether a module defines it, so that programs that call it compute its defaults.
        """
        arguments = node.args
        seen: set[str] = set()
        for argument in arguments_of(node):
            if argument.arg in seen:
                raise Wrong(argument, f"parameter {argument.arg!r} is repeated")
            seen.add(argument.arg)
        if arguments.kwarg or (arguments.vararg and arguments.defaults):
            what = "functions take no `**`, and no `*` beside defaults: name each parameter"
            raise Wrong(arguments.kwarg or arguments.vararg, what)
        given = [default for default in (*arguments.defaults, *arguments.kw_defaults) if default]
        if given and None in arguments.kw_defaults:
            raise Wrong(node, "an argument by keyword alone needs a default if others have one")
        named = arguments_of(node)[len(seen) - len(given) :]
        defaults = [
            Deferred(default, ast.Name(argument.arg)) if in_module else self.value(default)
            for argument, default in zip(named, given, strict=True)
        ]
        return Local(node, self.scope, tuple(defaults))

    read_Lambda = local

    def _returned_by(self, node: ast.AST, local: Local, *given: Word) -> Word:
        """Inline a call of a function of the source, and return the word of its value."""
        inside = ast.copy_location(ast.Pass(), node)  # `node` may be a call that made the function
        return self.as_held(node, self.inlined(inside, local, list(map(self.shared, given)), {}))

    def shared(self, word: Word) -> Word | Owned:
        """Return the meaning of a name whose value others may hold."""
        return Owned(word, SHARED) if self.has_lists else word

    def inlined(
        self, node: ast.AST, local: Local, given: Sequence[Any], named: dict[str, Any]
    ) -> Any:
        """Inline a call of a function of the source, and return its value."""
        raise NotImplementedError

    # Calls

    def _call(self, node: ast.Call, target: str | None) -> Any:
        called = node.func
        if isinstance(called, ast.Attribute):
            name = called.attr
            if name == "copy" and not node.args:
                return self.makers["copy.copy"](self, called.value, self.value(called.value))
            if name in METHODS or name in self.of_dictionaries:
                owner = self.value(called.value)
                if not isinstance(owner, Module):
                    return self._call_of_method(node, name, owner)
            if name == "pop" and not (node.args or node.keywords):
                popped = self._popped_from_new(node, called.value)
                if popped is not None:
                    return popped
        is_name = called.__class__ is ast.Name
        function = self._named(called, True) if is_name else self.value(called)  # type: ignore[arg-type]
        kind = function.__class__
        if kind is Local or kind is Builtin or kind is Choice:
            return self._call_here(node, function)
        if kind is Module:
            raise Wrong(node, f"module {function.name!r} is no function")
        if kind is Dictionary or kind is Once:
            raise Wrong(node, "a dictionary or an iterator is no function: write d[k], or d.get(k)")
        if function == UNREADABLE:
            return UNREADABLE
        takes = _TAKES[function][1] if kind is str and function in _TAKES else 1
        arguments = [
            self.word(argument, 1 if k else takes)
            for k, argument in enumerate(node.args)
            if not _is_starred(argument)
        ]
        if len(arguments) < len(node.args) or node.keywords:
            arguments = self._rearranged(node, function, arguments)
        if kind is not str or function not in self._owners:
            wrong = self.vocabulary.of_call(function, len(arguments))
            if wrong is not None:
                raise Wrong(node, wrong)
        elif not 1 <= len(arguments) <= MOST_VALUES:  # see `held_lambda_of`
            function = self.item(node, function, 0)
            arguments = [self.tuple_of(node, arguments)]
        return self.operation(node, (function, *arguments), target)

    def _call_of_method(self, node: ast.Call, name: str, owner: Any) -> Any:
        """Write a call of a method that changes nothing; `set.union(a, b)` is `a.union(b)`."""
        if node.keywords:
            raise Wrong(node, f".{name} takes no arguments by keyword")
        if name in self.of_dictionaries and isinstance(owner, str) and self.may_be_mapping(owner):
            owner = self.dictionary_in(node, owner)
            if name == "most_common":  # a method of counters alone
                owner = owner._replace(default=0)
        if isinstance(owner, Dictionary) and name in self.of_dictionaries:
            given = [owner, *map(self.held, node.args)]
            return self.written(node, f".{name}", self.of_dictionaries[name], given)
        if owner == UNREADABLE:
            return UNREADABLE
        if name not in METHODS:
            raise Wrong(node, f".{name} is a method of dictionaries alone")
        kind, method = METHODS[name]
        owners, _ = _OWNERS[kind]
        if isinstance(owner, Builtin) and owner.name not in owners:
            raise Wrong(node, f"{owner.name} has no method .{name}, but {owners[0]} has")
        words = [] if isinstance(owner, Builtin) else [self.as_word(node, owner)]
        for argument in node.args:
            if isinstance(argument, ast.Starred) and name in ("intersection", "union"):
                container = self.word(argument.value)
                if not words:
                    elements = self.as_tuple(argument, container)
                    words.append(self.call(argument, "item", elements, 0))
                if name == "intersection":
                    shared = self.lambda_of(argument, partial(method, self, argument), 2)
                    words[0] = self.call(argument, "fold", shared, words[0], container)
                else:
                    of_keys = ("mapply", "keys_in") if self.may_hold_mappings else ("merge",)
                    words.append(self.call(argument, *of_keys, container))
            else:
                words.append(self.held(argument) if kind is tuple else self.word(argument))
        if not words:
            raise Wrong(node, f".{name} cannot be read with these arguments")
        words[0] = self._of_kind(node, name, words[0])
        return self.written(node, f".{name}", method, words)

    def _of_kind(self, node: ast.AST, method: str, word: Word) -> Word:
        """Return the word; if its type is not certain, a call that fails without the method."""
        kind, _ = METHODS[method]
        kinds = self.kinds_of(word)
        (name, _), (guard, empty) = _OWNERS[kind]
        if kinds and kind not in kinds:
            advice = f"write {name}(a).{method}(b)"
            raise Wrong(node, f".{method} is a method of {name}s alone: {advice}")
        return word if kinds == {kind} else self.call(node, guard, word, empty)

    def _popped_from_new(self, node: ast.AST, owner: ast.expr) -> Word | None:
        """Return what `pop()` gives of a set or list that only this call has; else None."""
        match owner:
            case ast.BinOp(op=ast.Sub() | ast.BitAnd() | ast.BitOr() | ast.BitXor()):
                is_set = True
            case ast.Set() | ast.SetComp() | ast.List() | ast.ListComp():
                is_set = isinstance(owner, ast.Set | ast.SetComp)
            case ast.Call(ast.Name("list" | "set" | "sorted" as name) as function):
                if self._named(function) != Builtin(name):
                    return None
                is_set = name == "set"
            case _:
                return None
        return self.item(node, self.as_tuple(owner, self.word(owner)), 0 if is_set else -1)

    def _call_here(self, node: ast.Call, function: Local | Builtin | Choice) -> Any:
        """Write a call of a function of the source or of Python, or of one of two functions."""
        starred = [part for part in node.args if isinstance(part, ast.Starred)]
        is_any = isinstance(function, Local) and function.node.args.vararg
        is_map = function == _MAP and len(node.args) > 3
        if is_map or (starred and (is_any or isinstance(function, Builtin))):
            return self._call_of_starred(node, function)
        parts = [part for part in node.args if not _is_starred(part)]
        match node.args, node.keywords:
            case [ast.GeneratorExp() as generator], [] if function in (_ANY, _ALL):
                return self._any_or_all(generator, function == _ANY)
        if function == _NEXT and parts:
            self.only_first = parts[0]
        arguments = [self.value(part) for part in parts]
        named = {self._keyword(keyword): self.value(keyword.value) for keyword in node.keywords}
        if not isinstance(function, Builtin):
            arguments = list(map(self.held_as, arguments, parts))
            for keyword in node.keywords:
                name = self._keyword(keyword)
                named[name] = self.held_as(named[name], keyword.value)
        if starred:
            takes = self._count_of(function)
            if takes is None:
                raise Wrong(starred[0], f"`*` cannot be read here: {_ADVICE[ast.Starred]}")
            arguments = self._spread(node, starred, arguments, takes - len(named))
        names, written = self.scope.names, {name.id for name in nodes_in(node, ast.Name)}
        gone = {name: names[name] for name in self.given_away.keys() & written & names.keys()}
        for name in gone:
            what = f"{name!r} may change while a function reads it"
            names[name] = Foreign(f"{what}: let the function take it as a parameter")
        try:
            return self._called(node, function, arguments, named)
        finally:
            names.update(gone)

    def _called(self, node: ast.AST, function: Any, given: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(function, Choice):
            results = [self._called(node, one, given, dict(named)) for one in function.functions]
            return self.chosen(node, function.condition, results)
        if isinstance(function, Builtin):
            name = function.name
            if name in self.makers:
                return self.written(node, name, self.makers[name], given, named)
            if name not in ITERATORS:
                return self._call_of_builtin(node, name, *given, **named)
            with self._later(self.scope) as late:
                made = self._call_of_builtin(node, name, *given, **named)
            return self._iterator(made, given, late)
        if isinstance(function, Local):
            return self.inlined(node, function, given, named)
        wrong = self.vocabulary.of_call(function, len(given))
        if wrong is not None or named:
            raise Wrong(node, wrong or "write the arguments in their order: `f(a, b)`")
        takes = _TAKES.get(function, ("", 1))[1]
        words = [self.as_word(node, value, 1 if k else takes) for k, value in enumerate(given)]
        return self.operation(node, (function, *words))

    def _call_of_starred(self, node: ast.Call, function: Any) -> Any:
        """Write a call with the elements of containers among its arguments."""
        if node.keywords:
            raise Wrong(node, "`*` beside arguments by keyword cannot be read: name each argument")
        if function != _MAP or _is_starred(node.args[0]):
            return self._with_arguments(node, function, self._joined(node, node.args))
        with self._later(self.scope) as late:
            called = partial(self._with_arguments, node, self.value(node.args[0]))
            rows = self.call(node, "zipped", self._joined(node, node.args[1:]))
            mapped = self.lambda_of(node, lambda row: self.as_word(node, called(row)))
            made = self.call(node, "apply", mapped, rows)
        return Once(made, self.body, late)

    def _with_arguments(self, node: ast.Call, function: Any, whole: Word) -> Any:
        """Write a call of a function with the elements of a tuple as its arguments."""
        if isinstance(function, Builtin) and function.name in OF_ALL:
            return Once(self.call(node, OF_ALL[function.name], whole), self.body, {})
        if function in (_MAX, _MIN):
            several = self.less(node, 1, self.call(node, "size", whole))
            whole = self.call(node, "if_else", several, whole, self.call(node, "first", whole))
            return self._call_of_builtin(node, function.name, whole)
        rest = function.node.args.vararg if isinstance(function, Local) else None
        if not isinstance(function, Local) or (function.defaults and rest is None):
            raise Wrong(node, f"`*` cannot be read here: {_ADVICE[ast.Starred]}")
        names = parameters_of(function)
        if rest is None:
            given = self.unpacked(node, whole, len(names))
            return self.inlined(node, function, list(map(self.shared, given)), {})
        count = names.index(rest.arg)
        given = [self.call(node, "item", whole, k) for k in range(count)]
        others = self.shared(self.call(node, "span", whole, count, "None", "None"))
        return self.inlined(node, function, list(map(self.shared, given)), {rest.arg: others})

    def _iterator(self, made: Word, given: Sequence[Any], late: Late) -> Once:
        """Return the iterator over a tuple that is made of given values, some of them iterators."""
        for value in given:
            if isinstance(value, Once):
                late = late | value.late
            elif isinstance(value, str):
                late = late | self.late.get(value, {})
        return Once(made, self.body, late)

    def _call_of_builtin(self, node: ast.AST, name: str, *arguments: Any, **named: Any) -> Word:
        takes = 2 if name == "functools.reduce" or (name == "map" and len(arguments) > 2) else 1
        if name == "bool":
            arguments = tuple(self.test_of(node, value) for value in arguments)
        words = [
            self.elements(node, value) if _takes_elements(name, k, len(arguments))
            else self.as_word(node, value, 1 if k else takes)
            for k, value in enumerate(arguments)
        ]  # fmt: skip
        over = {"key": words[0]} if len(words) == 1 else {}
        by_name = {k: self.as_word(node, v, over=over.get(k)) for k, v in named.items()}
        write = BUILTINS.get(name) or self.makers[name]
        return self.as_word(node, self.written(node, name, write, words, by_name))

    def written(
        self,
        node: ast.AST,
        name: str,
        write: Callable[..., Any],
        given: Sequence[Any],
        named: Mapping[str, Any] | None = None,
    ) -> Any:
        """Write a call of a function of Python; refuse arguments that its writer does not take."""
        try:
            return write(self, node, *given, **(named or {}))
        except TypeError:
            advice = "leave some out, or write a comprehension"
            raise Wrong(node, f"{name} cannot be read with these arguments: {advice}") from None

    def _keyword(self, keyword: ast.keyword) -> str:
        if keyword.arg is None:
            raise Wrong(keyword, "`**` cannot be read: name each argument")
        return keyword.arg

    def _rearranged(self, node: ast.Call, function: Any, arguments: list[Word]) -> list[Word]:
        """Return the arguments in the order of the primitive's parameters."""
        primitive = None if self.is_variable(function) else self.language.primitives.get(function)
        if primitive is None:
            raise Wrong(node, "a computed function takes arguments in their order: `f(a, b)`")
        parameters = primitive.parameters[: primitive.arity - int(primitive.numbered)]
        of_several, takes = _TAKES.get(function, ("", 1))
        named = {
            name: self.word(keyword.value, takes if name == of_several else 1)
            for keyword in node.keywords
            for name in [self._keyword(keyword)]
        }
        starred = [part for part in node.args if isinstance(part, ast.Starred)]
        if starred:
            arguments = self._spread(node, starred, arguments, len(parameters) - len(named))
        return in_order(node, primitive.name, parameters, arguments, named)

    def _count_of(self, function: Any) -> int | None:
        """Return the number of arguments that a function always takes; None if it is not known."""
        if isinstance(function, Choice):
            counts = set(map(self._count_of, function.functions))
            return counts.pop() if len(counts) == 1 else None
        if not isinstance(function, Local):
            return getattr(self._primitive(function), "arity", None)
        takes_any = function.defaults or function.node.args.vararg
        return None if takes_any else len(parameters_of(function))

    def _spread(
        self, node: ast.Call, starred: list[ast.Starred], others: list[Any], count: int
    ) -> list[Any]:
        """Return `count` positional arguments, with the elements of starred ones.

        others: The arguments that are not starred.
        """
        first = node.args.index(starred[0])
        if len(others) > count:
            raise Wrong(starred[-1], "there are too many arguments beside the starred ones")
        if len(starred) > 1:
            whole = self._joined(node, node.args[first:])
            return [*others[:first], *self.unpacked(node, whole, count - first)]
        elements = self.iterable(starred[0].value)
        spread = self.unpacked(starred[0], elements, count - len(others))
        return [*others[:first], *spread, *others[first:]]


def _takes(write: Callable[..., Word], count: int) -> bool:
    """Tell whether the writer of calls of a function of Python takes a number of arguments."""
    try:
        signature(write).bind(None, None, *range(count))
    except TypeError:
        return False
    return True


def parameters_of(local: Local) -> list[str]:
    """Return the names of a function's parameters."""
    return [argument.arg for argument in arguments_of(local.node)]


def arguments_of(node: Functions) -> list[ast.arg]:
    """Return the parameters of a function, in order."""
    any_number = [node.args.vararg] if node.args.vararg else []
    return [*node.args.posonlyargs, *node.args.args, *any_number, *node.args.kwonlyargs]


def _defined_at(meaning: Any) -> tuple[int, int]:
    """Return where a module defines a function or a value; (0, 0) for what it imports."""
    if isinstance(meaning, Deferred):
        return meaning.value.lineno, meaning.value.col_offset
    return (meaning.node.lineno, meaning.node.col_offset) if isinstance(meaning, Local) else (0, 0)


def _takes_elements(name: str, place: int, count: int) -> bool:
    """Tell whether a function of Python only takes the elements of one of its arguments."""
    if name in _OF_NUMBERS or name.startswith("math."):
        return False
    if name in ("zip", "itertools.chain", "itertools.product"):
        return True
    if name in ("max", "min"):
        return count == 1
    return place == int(name in ("filter", "functools.reduce", "map"))


def _is_starred(node: ast.expr) -> bool:
    return node.__class__ is ast.Starred


def in_order(
    node: ast.AST, name: str, parameters: Sequence[str], arguments: list[Any], named: dict[str, Any]
) -> list[Any]:
    """Return all arguments in the order of the parameters."""
    rest = parameters[len(arguments) :]
    for keyword in named:
        if keyword not in rest:
            signature = f"{name}({', '.join(parameters)})"
            again = "already has an" if keyword in parameters else "has no"
            raise Wrong(node, f"{signature} {again} argument {keyword!r}")
    missing = [parameter for parameter in rest[: len(named)] if parameter not in named]
    if missing:
        raise Wrong(node, f"{name}({', '.join(parameters)}) needs its argument {missing[0]!r}")
    return [*arguments, *(named[parameter] for parameter in rest[: len(named)])]


def _instead(value: object) -> str:
    """Say what to write instead of a constant of Python's."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return f"write {value}"
    if value == "":
        return "text may only be compared, be a key, or be read by character"
    if isinstance(value, str | bytes):
        return "write Integers"
    return "numbers are Integers and Reals"


def kind_name(kind: type) -> str:
    """Return the name of a kind of expression or statement."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in kind.__name__).strip()
    return _NAMES.get(kind, words)
