"""Tells the meanings of expressions and names, and writes them as words."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from inspect import signature
from types import MappingProxyType
from typing import Any

from megabatt.codegen.analysis.nodes import placed
from megabatt.codegen.analysis.ownership import (
    FIXED,
    SHARED,
    Hold,
    Owned,
    read_by_iterator,
)
from megabatt.codegen.analysis.scopes import (
    Builtin,
    Choice,
    Deferred,
    Dictionary,
    Elsewhere,
    Foreign,
    Late,
    Local,
    Once,
    Raised,
    Scope,
    Several,
    late_of_all,
)
from megabatt.codegen.analysis.texts import NOTHING, computed
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.language import Language
from megabatt.codegen.operations.kinds import OTHER, Kinds
from megabatt.codegen.operations.python_functions import BUILTINS, METHODS
from megabatt.runtime.printable import short
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import UNREADABLE, NameRules

_FUNCTIONS = {Local, Builtin, Choice}
"""The kinds of functions that are no words."""
OWNERS: dict[type, tuple[tuple[str, str], tuple[str, str]]] = {
    tuple: (("tuple", "list"), ("sum_of", "()")),
    frozenset: (("frozenset", "set"), ("difference_of", "frozenset()")),
}
"""For each type of the language, Python's names for it in sources; and a primitive and its second
argument: the call returns its first argument unchanged if that has the type, and fails otherwise.
"""
ADVICE = {
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
_MOST_DIGITS = 9
"""The digits with which a numeral is certain to be an Integer."""
_MOST_CHARACTERS = 12
"""The characters of a text in which parts are looked for, at most."""


class Meanings(Kinds):
    """Keeps the meanings of one program's names, and gives the words of its values."""


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
    holds_counters = False
    """Whether something holds a counter."""
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

    @property
    def shows_more(self) -> bool:
        """Whether the program has shown more of what values may be than was known."""
        is_new = self.holds_mappings and not self.may_hold_mappings
        is_new = is_new or (self.holds_counters and not self.may_hold_counters)
        return is_new or (self.gives_lists and not self.may_give_lists)

    # Values and words

    def value(self, node: ast.expr, target: str | None = None) -> Any:
        """Return the meaning of an expression: a word, or a function of the source.

        target: The name that the value is assigned to. The operation takes this name if it is free.
        """
        kind = node.__class__
        if kind is ast.Call:
            return self.read_Call(node, target)  # type: ignore[arg-type]
        if kind is ast.Name:
            return self.named(node)  # type: ignore[arg-type]
        read = getattr(self, f"read_{kind.__name__}", None)
        if read is None:
            advice = ADVICE.get(kind, "write calls of primitives, tuples, or operators")
            raise Wrong(node, f"{kind_name(kind)} cannot be read: {advice}")
        return read(node)

    def read_Call(self, node: ast.Call, target: str | None = None) -> Any:
        """Return the meaning of a call. target: See `value`."""
        raise NotImplementedError

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
        self.holds_counters |= value.default is not None and not value.adds
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

    def as_word(self, node: ast.AST, value: Any, takes: int = 1, over: Word | None = None) -> Word:
        """Do `word` for a value. takes: 0 for a function that is held, and called later."""
        if isinstance(value, (str, int, Lambda)):
            return value
        if isinstance(value, Once):
            return self.as_list(node, value.word, OTHER)
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
            with self.later(value.scope) as late:
                word = self._lambda_for(node, called, takes, count, over)
            if late:
                self.late[word] = late_of_all(self.late.get(word, {}), late)
            return word
        if isinstance(value, Builtin):
            called = partial(self.call_of_builtin, node, value.name)
            write = BUILTINS.get(value.name) or self.makers[value.name]
            count = takes or self._count_of_held(node, partial(_takes, write), 1)
            return self._lambda_for(node, called, takes, count, over)
        raise Wrong(node, f"module {value.name!r} is no value of a program")

    def _lambda_for(
        self, node: ast.AST, called: Callable[..., Word], takes: int, count: int, over: Word | None
    ) -> Word:  # fmt: skip
        """Return a function that takes a number of arguments; takes: see `as_word`."""

        def result(*given: Word) -> Word:
            for word in given:
                self.take(word)
            return called(*given)

        if takes:
            return self.lambda_of(node, result, count, over)
        return self.held_lambda_of(node, result, count)

    def _count_taken(self, node: ast.AST, function: Local, takes: int) -> int:
        """Return with how many arguments a function is called; takes: see `as_word`."""
        most, least = function.by_place, len(function.parameters) - len(function.defaults)
        if function.node.args.vararg:
            return takes or self._count_of_held(node, lambda count: count >= most, most + 1)
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

    def _returned_by(self, node: ast.AST, local: Local, *given: Word) -> Word:
        """Inline a call of a function of the source, and return the word of its value."""
        inside = ast.copy_location(ast.Pass(), node)  # `node` may be a call that made the function
        return self.as_held(node, self.inlined(inside, local, list(map(self.shared, given)), {}))

    # Tests and elements

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
        if isinstance(value, Dictionary):
            return self.keys_of(node, value)
        word = self.as_word(node, value)
        return word if isinstance(value, Once) else self.opened(node, self.spelled(node, word))

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

    def iterator_of(self, made: Word, given: Sequence[Any], late: Late) -> Once:
        """Return the iterator over a tuple that is made of given values, some of them iterators."""
        for value in given:
            if isinstance(value, Once):
                late = late_of_all(late, value.late)
            elif isinstance(value, str):
                late = late_of_all(late, self.late.get(value, {}))
        return Once(made, self.body, late)

    # Texts

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

    def of_texts(self, node: ast.AST, method: str, given: Sequence[ast.Constant | Word]) -> Word:
        """Return what a method of text gives for texts, each known or one of known texts."""
        for k, word in enumerate(given):
            if word in self.texts and self.maker_of(word)[0] == "if_else":
                _, condition, *choices = self.maker_of(word)
                each = [[*given[:k], choice, *given[k + 1 :]] for choice in choices]
                made = [self.of_texts(node, method, one) for one in each]
                return self.chosen(node, condition, made)
        text, *others = (self._known_text(node, word) for word in given)
        value = computed(getattr(text, method), others)
        is_numeral = isinstance(value, str) and value.isdecimal()  # only those written are known
        if is_numeral or not isinstance(value, str | int):
            raise Wrong(node, f".{method} of text is not read here: write tuples of Integers")
        return self.read_Constant(placed(ast.Constant(value), node))  # type: ignore[no-any-return]

    def _known_text(self, node: ast.AST, word: ast.Constant | Word) -> Any:
        """Return the text, or another constant, that a word stands for."""
        if isinstance(word, ast.Constant):
            return word.value
        maker = self.maker_of(word) if word in self.texts else (word,)
        if maker[0] == "lbind":
            return "".join(map(chr, self.constant_of(maker[-1])))
        self.no_text(node, word)
        return word if isinstance(word, int) else NOTHING

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
        numerals = [
            (word, int(text)) for text, word in words.items()
            if text.isdecimal() and len(text) <= _MOST_DIGITS
        ]  # fmt: skip
        self._spelling = self.tuple_of(node, [self.tuple_of(node, pair) for pair in spelled])
        if numerals:
            self.numerals = self.tuple_of(node, [self.tuple_of(node, pair) for pair in numerals])

    def spelled(self, node: ast.AST, word: Word) -> Word:
        """Return a value; if it is one of the source's texts, its characters."""
        if word in self.texts and (self._spelling is None or self.maker_of(word)[0] == "lbind"):
            return self.texts_of(node, word, 1)
        if self._spelling is None or not self.may_be_function(word):
            return word
        return self.call(node, "lookup_or", self._spelling, word, word)

    def texts_of(self, node: ast.AST, text: Word, most: int = _MOST_CHARACTERS) -> Word:
        """Return the tuple of the parts of a known text that have at most `most` characters."""
        maker = self.maker_of(text)
        codes = self.constant_of(maker[-1]) if maker[0] == "lbind" else ()
        if not codes or len(codes) > most > 1:
            self.no_text(node, text)
        places = ((k, size) for size in range(1, most + 1) for k in range(len(codes) - size + 1))
        parts = ["".join(map(chr, codes[k : k + size])) for k, size in places]
        words = [self.read_Constant(placed(ast.Constant(part), node)) for part in parts]
        return self.tuple_of(node, words)

    # Names

    def named(self, node: ast.Name, is_called: bool = False) -> Any:
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
    def later(self, scope: Scope | None) -> Iterator[Late]:
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
            own = {read: found[read] for read in found if read[0] in outer}
            held = [self.late.get(word, {}) for word in found.values() if isinstance(word, str)]
            late.update(late_of_all(own, *held))

    def _check_late(self, node: ast.AST, late: Late, advice: str = "") -> None:
        """Refuse what reads a name later, when the name has another meaning."""
        for (scope, name), meaning in late.items():
            present = scope.names.get(name)
            if (present.word if isinstance(present, Owned) else present) != meaning:
                raise self.too_late(node, name, advice)

    def too_late(self, node: ast.AST, name: str, advice: str = "") -> Wrong:
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

    # Choices

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
        return self.iterator_of(made, iterators, {}) if iterators else made

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
        return self.iterator_of(made, [value], {}) if isinstance(value, Once) else made

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

    # What is read elsewhere

    def assign(self, target: ast.expr, value: Any, hold: Hold = FIXED) -> None:
        """Bind the names of a target to a value. hold: What is known of lists and sets in it."""
        raise NotImplementedError

    def hold_of(self, node: ast.expr) -> Hold:
        """Return what is known of the lists and sets that an expression's value is or holds."""
        raise NotImplementedError

    def held_as(self, value: Any, node: ast.expr) -> Any:
        """Return the meaning of a name that is bound to the value of an expression."""
        raise NotImplementedError

    def shared(self, word: Word) -> Word | Owned:
        """Return the meaning of a name whose value others may hold."""
        return Owned(word, SHARED) if self.has_lists else word

    def inlined(
        self, node: ast.AST, local: Local, given: Sequence[Any], named: dict[str, Any]
    ) -> Any:
        """Inline a call of a function of the source, and return its value."""
        raise NotImplementedError

    def call_of_builtin(self, node: ast.AST, name: str, *arguments: Any, **named: Any) -> Word:
        """Write a call of a function of Python."""
        raise NotImplementedError

    def of_kind(self, node: ast.AST, method: str, word: Word) -> Word:
        """Return the word; if its type is not certain, a call that fails without the method."""
        kind, _ = METHODS[method]
        kinds = self.kinds_of(word)
        (name, _), (guard, empty) = OWNERS[kind]
        if kinds and kind not in kinds:
            advice = f"write {name}(a).{method}(b)"
            raise Wrong(node, f".{method} is a method of {name}s alone: {advice}")
        return word if kinds == {kind} else self.call(node, guard, word, empty)


def _defined_at(meaning: Any) -> tuple[int, int]:
    """Return where a module defines a function or a value; (0, 0) for what it imports."""
    if isinstance(meaning, Deferred):
        return meaning.value.lineno, meaning.value.col_offset
    return (meaning.node.lineno, meaning.node.col_offset) if isinstance(meaning, Local) else (0, 0)


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


def _takes(write: Callable[..., Word], count: int) -> bool:
    """Tell whether the writer of calls of a function of Python takes a number of arguments."""
    try:
        signature(write).bind(None, None, *range(count))
    except TypeError:
        return False
    return True
