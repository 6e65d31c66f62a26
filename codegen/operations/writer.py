"""Writes the operations of a program and of its own functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from megabatt.codegen.analysis.scopes import Late, late_of_all
from megabatt.codegen.errors import Endless, Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.language import Language, Type
from megabatt.codegen.operations.types import elements_of, kinds_of, result_of
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.program import Lambda, Operation, Word
from megabatt.runtime.vocabulary import MOST_VALUES, UNREADABLE, NameRules

MOST_STEPS = 10_000


_KIND_OF: dict[Word, int] = {"combine": 0, "mapply": 1, "mfilter": 0}
"""The primitives whose results have the kind of an argument, whatever type they declare."""
_ELEMENTS_OF: dict[Word, int] = {
    "append": 0, "combine": 0, "dedupe": 0, "difference": 0, "difference_of": 0, "insert": 1,
    "intersection": 0, "order": 0, "remove": 1, "sfilter": 0, "sizefilter": 0, "span": 0,
    "totuple": 0, "union_of": 0,
}  # fmt: skip
"""The primitives whose results have elements of an argument."""
_OF_NUMBERS = {"difference_of", "sum_of"}
"""The primitives that fail or give a number if an argument is a number."""
_LEARNT = {"inner_item", "if_else", "product_of", *_KIND_OF, *_OF_NUMBERS}
"""The primitives whose arguments tell more of their results than the declared types."""
_OF_ELEMENTS = {"astuple", "initset"}
"""The primitives whose arguments are the elements of their results."""
_OF_RESULTS = {"apply", "fold", "mapply"}
"""The primitives whose results hold of their last argument only what a function lets through."""
_MOST_TEXT = 20_000
"""The most characters of the constants in a constant container."""
_CONTAINERS = {tuple, frozenset}
_INTEGERS = {"Integer", "Boolean"}
_NUMBERS = {bool, int, float}
_TYPES: dict[type | None, str] = {bool: "Boolean", int: "Integer", tuple: "Tuple"}


class Body:
    """The operations of a program or a function.

    places: The syntax node of each operation. captured: The values of outer bodies that the body
    reads, in the order of reading.
    """

    def __init__(self, outer: Body | None = None) -> None:
        self.outer = outer
        self.operations: list[Operation] = []
        self.places: list[ast.AST] = []
        self.captured: dict[str, None] = {}

    def needed_for(self, word: Word) -> tuple[tuple[Operation, ...], Set[Word]]:
        """Return the operations that a value needs, and all words that these read."""
        needed = {word}
        found: list[Operation] = []
        for operation in reversed(self.operations):
            if operation[0] in needed:
                found.append(operation)
                needed.update(one for one in operation[1:] if one.__class__ is str)
        return tuple(reversed(found)), needed


class Writer:
    """Writes one program. All variables, of the program and its functions, have distinct names."""

    has_identity = True
    """Whether `is` may tell a value from an equal one."""
    has_reals = True
    """Whether a value may be a Real: else each number is an Integer or a Boolean."""

    tells_kinds = False
    """Whether the source tests kinds, so that lists are not the tuples that they are read as."""

    def __init__(self, language: Language, vocabulary: NameRules) -> None:
        self.language = language
        self.primitives: Mapping[Any, Any] = language.primitives
        self.vocabulary = vocabulary
        self.body = Body()
        self._owners: dict[Any, Body] = {name: self.body for name in language.inputs}
        """The body that defines each variable, parameter and input."""
        self._makers: dict[Any, tuple[Word, ...]] = {}
        """The call that defines each variable: the function and its arguments."""
        self._kinds: dict[Any, frozenset[type]] = {}
        """The Python types of variables' values where the declared types do not tell them."""
        self.likely_numbers: set[Any] = set()
        """Parts of loops' states that were numbers when the loops began, cells of inputs, and what
        arithmetic and choices make of these."""
        self._holders: dict[Any, bool] = {}
        """Whether each variable, as far as it was asked for, is certain to hold sets."""
        self._givers_of_sets: set[Word] = set()
        """The functions that are certain to give sets, or containers that hold sets."""
        self.texts: set[Word] = set()
        """The words of texts, which are functions that nothing calls: they only compare."""
        self.numerals: Word | None = None
        """The texts that containers may hold and that are numbers, with the numbers."""
        self.late: dict[Word, Late] = {}
        """For each value that is or holds functions, the names that they read when called."""
        self.givers: set[Word] = set()
        """Those of these values that are or hold functions whose results are or hold such ones."""
        self.drawn: dict[Word, Word | None] = {}
        """For the last parameters of functions, the container whose elements they are, if known."""
        self._overs: dict[Word, Word] = {}
        """The same containers, by function."""
        self._numbered = 0
        self._steps = 0

    # Operations

    def call(self, node: ast.AST, function: Word, *arguments: Word) -> Word:
        """Add a call that the source implies, and return its variable.

        Raises Wrong if the language lacks the primitive.
        """
        if function.__class__ is str and function not in self.primitives:
            raise Wrong(node, f"this needs {function!r}, which the language does not have")
        if function == "if_else":
            arguments = self._without_negation(*arguments)
        return self.operation(node, (function, *arguments))

    def item(self, node: ast.AST, container: Word, place: Word) -> Word:
        """Add a call for the element of a tuple at a place, and return its variable."""
        match self._makers.get(container):
            case ["item", outer, row] if self._owners[container] is self.body:
                return self.call(node, "inner_item", outer, row, place)
        return self.call(node, "item", container, place)

    def _without_negation(self, condition: Word, a: Word, b: Word) -> tuple[Word, Word, Word]:
        """Return the arguments of a choice; another way round if its condition is a negation."""
        match self._makers.get(condition):
            case ["if_else", tested, True, False]:
                return tested, True if a == condition else a, False if b == condition else b
            case ["flip", negated] if self.type_of(negated) == "Boolean":
                pass
            case ["if_else", negated, False, True]:
                pass
            case _:
                return condition, a, b
        return negated, False if b == condition else b, True if a == condition else a

    def operation(self, node: ast.AST, words: tuple[Word, ...], target: str | None = None) -> Word:
        """Add a call to the body, and return its variable: the target if that name is free.

        words: The function and its arguments; if one is unreadable, so is the result.
        """
        if UNREADABLE in words:
            return UNREADABLE
        self.step(node)
        body, owners = self.body, self._owners
        if body.outer is not None:
            self._capture(body, words)
        if target is None or target in owners or self.vocabulary.kind_of(target) is not None:
            target = self.new_name()
        owners[target] = body
        self._makers[target] = words
        body.operations.append((target, *words))
        body.places.append(node)
        self._learn(target, *words)
        if self.tells_kinds:
            self.learn_lists(target, *words)
        if self.late and not self.late.keys().isdisjoint(words):
            self._carry_from(target, words)
        return target

    def _carry_from(self, made: Word, words: Sequence[Word]) -> None:
        """Note that a call's value holds the functions of its arguments, but those it calls."""
        primitive = self._primitive(words[0])
        takes = [declared.name for declared in getattr(primitive, "types", ())]
        is_function = getattr(getattr(primitive, "result", None), "name", "") == "Callable"
        if words[0] in _OF_RESULTS and words[-1] == self._overs.get(words[1]):
            words = words[:-1]
        for k, word in enumerate(words, -1):
            is_called = k < 0 or (takes[k : k + 1] == ["Callable"] and not is_function)
            if not is_called or word in self.givers:
                self._carry(made, word)

    def _carry(self, made: Word, word: Word | None) -> None:
        """Note that a value holds the functions of another."""
        if word in self.late:
            self.late[made] = late_of_all(self.late.get(made, {}), self.late[word])
        if word in self.givers:
            self.givers.add(made)

    def step(self, node: ast.AST) -> None:
        """Count an operation or an inlined call. Raises Endless beyond `MOST_STEPS`."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            what = "with all helpers and all ways through `if` written out"
            message = f"more than {MOST_STEPS:,} operations, {what}"
            raise Endless(node, message)

    def new_name(self) -> str:
        """Return a new name for a variable."""
        while True:
            self._numbered += 1
            name = f"_{self._numbered}"
            if name not in self._owners and self.vocabulary.kind_of(name) is None:
                return name

    def is_variable(self, word: Any) -> bool:
        """Tell whether a word is a variable, a parameter or an input."""
        return word in self._owners

    def _capture(self, inner: Body, words: Iterable[Any]) -> None:
        """Make a body, and those around it, capture the words that outer bodies define."""
        for word in words:
            owner = self._owners.get(word, inner)
            body: Body | None = inner
            while body is not owner and body is not None and word not in body.captured:
                body.captured[word] = None
                body = body.outer

    # Knowledge of values

    def maker_of(self, word: Word | None) -> tuple[Word, ...]:
        """Return the function and the arguments of the call that gives a word; else `("",)`."""
        return self._makers.get(word, ("",))

    def type_of(self, word: Word) -> str | None:
        """Return the name of the declared type of a word's value; None if it is not certain."""
        if word.__class__ is bool:
            return "Boolean"
        if word.__class__ is int:
            return "Integer"
        maker = self._makers.get(word)
        if maker is not None:
            return getattr(self._type_of_result(maker[0]), "name", None)
        return _TYPES.get(self._kind_of_constant(word))

    def _kind_of_constant(self, word: Word) -> type | None:
        """Return the Python type of a constant; None for any other word."""
        try:
            return None if self.is_variable(word) else type(self.constant_of(word))
        except ValueError:
            return None

    def kinds_of(self, word: Word) -> frozenset[type]:
        """Return the Python types that a word's value may have; empty if nothing is known."""
        if self.is_variable(word) and word in self._kinds:
            return self._kinds[word]
        if word in self._makers:
            declared = self._type_of_result(self._makers[word][0])
            return frozenset() if declared is None else kinds_of(declared)
        kind = self._kind_of_constant(word)
        return frozenset() if kind is None else frozenset({kind})

    def is_likely_number(self, word: Word) -> bool:
        """Tell whether a word's value is a number, as far as is known.

        None is none: a name whose value is None often gets a container later.
        """
        kinds = self.kinds_of(word)
        return word in self.likely_numbers or (bool(kinds) and kinds <= _NUMBERS)

    def _learn(self, target: str, function: Word, *arguments: Word) -> None:
        """Learn of a call's value what follows from its arguments."""
        if function not in _LEARNT or len(arguments) != self._primitive(function).arity:
            return
        if function in _KIND_OF:
            self._kinds[target] = self.kinds_of(arguments[_KIND_OF[function]])
            return
        if function == "inner_item":
            if arguments[0] in self.language.inputs:
                self.likely_numbers.add(target)
            return
        values = arguments[1:] if function == "if_else" else arguments
        if all(map(self.is_likely_number, values)):
            self.likely_numbers.add(target)
        if function == "if_else":
            a, b = map(self.kinds_of, values)
            self._kinds[target] = a | b if a and b else frozenset()
        elif function in _OF_NUMBERS and any(map(self.is_number, values)):
            self._kinds[target] = frozenset({int, float} if self.has_reals else {int})

    def learn_lists(self, made: Word, *words: Word) -> None:
        """Learn which levels of a call's value may be lists. words: The function, the arguments."""
        raise NotImplementedError

    def holds_sets(self, word: Word) -> bool:
        """Tell whether a container is certain to hold sets, or tuples that stand for sets."""
        if word not in self._makers:
            try:
                value = self.constant_of(word)
            except ValueError:
                return False
            return type(value) in _CONTAINERS and frozenset in map(type, value)
        if word not in self._holders:  # sides of choices share what they are made of
            self._holders[word] = self._makes_holder(*self._makers[word])
        return self._holders[word]

    def gives_sets(self, function: Word) -> bool:
        """Tell whether a function is certain to give sets, or containers of sets."""
        if function in self._givers_of_sets:
            return True
        declared = self._type_of_result(function)
        return declared is not None and kinds_of(declared) == {frozenset}

    def _makes_holder(self, function: Word, *arguments: Word) -> bool:
        """Tell whether a call is certain to give a container that holds sets."""
        if function in _OF_ELEMENTS:
            return any(self.kinds_of(argument) == {frozenset} for argument in arguments)
        if function == "if_else":
            return any(map(self.holds_sets, arguments[1:]))
        if function == "apply":
            return self.gives_sets(arguments[0])
        if function in _ELEMENTS_OF:
            return self.holds_sets(arguments[_ELEMENTS_OF[function]])
        declared = self._type_of_result(function)
        return declared is not None and frozenset in elements_of(declared) <= _CONTAINERS

    def _type_of_result(self, function: Word) -> Type | None:
        """Return the declared type of a function's result, if it is certain."""
        declared = result_of(self._primitive(function))
        if declared is None or declared.name != "Number" or self.has_reals:
            return declared
        return self.primitives["rounded"].result  # type: ignore[no-any-return]

    def _primitive(self, function: Word) -> Any:
        """Return the primitive of that name; None if there is none."""
        return self.primitives.get(function)

    def is_integer(self, *words: Word) -> bool:
        """Tell whether all words are certain to be Integers or Booleans."""
        return _INTEGERS.issuperset(map(self.type_of, words))

    def is_number(self, word: Word) -> bool:
        """Tell whether a word is certain to be an Integer, a Boolean or a Real."""
        kinds = self.kinds_of(word)
        return bool(kinds) and kinds <= _NUMBERS

    def constant_of(self, word: Word) -> Any:
        """Return the value of a constant. Raises ValueError for any other word."""
        if word.__class__ is int or word.__class__ is bool:
            return word
        if word.__class__ is str and not self.is_variable(word):
            constants = self.language.constants
            value = constants[word] if word in constants else value_of(str(word))
            if is_literal(show(value)):
                return value
        raise ValueError(word)

    def literal(self, node: ast.AST, value: Any) -> Word:
        """Return the word of a constant."""
        wrong = self.vocabulary.of_literal(value)
        if wrong is not None:
            raise Wrong(node, wrong)
        return value if value.__class__ in (int, bool) else show(value)  # type: ignore[no-any-return]

    # Functions of the program's own

    def lambda_of(
        self, node: ast.AST, result: Callable[..., Word], count: int = 1, over: Word | None = None
    ) -> Word:
        """Return a function of `count` arguments; `result` writes its body from its parameters.

        over: The container whose elements are its last argument, if known.
        """
        if not 1 <= count <= MOST_VALUES:
            what = f"a function that is used as a value takes one to {MOST_VALUES} arguments"
            raise Wrong(node, f"{what}, not {count}; put them into a tuple")
        body = Body(self.body)
        with for_now(self, body=body):
            parameters = [self.new_name() for _ in range(count)]
            self._owners.update(dict.fromkeys(parameters, body))
            self.drawn[parameters[-1]] = over
            self._carry(parameters[-1], over)
            if self.maker_of(over)[0] == "interval":
                self._kinds[parameters[-1]] = frozenset({int})
            returns = result(*parameters)
        made = self.closed(node, body, parameters, returns)
        if self.kinds_of(returns) == {frozenset} or self.holds_sets(returns):
            self._givers_of_sets.add(made)
        if over is not None and made not in self.primitives:
            self._overs[made] = over
        if returns in self.late:
            self._carry(made, returns)
            self.givers.add(made)
        return made

    def held_lambda_of(self, node: ast.AST, result: Callable[..., Word], count: int) -> Word:
        """Do `lambda_of` for a function that is held, and so may take any number of arguments.

        One that takes none, or too many, takes them in a tuple, and is itself put into a tuple.
        """
        if 1 <= count <= MOST_VALUES:
            return self.lambda_of(node, result, count)

        def of_tuple(given: Word) -> Word:
            given = self.call(node, "unpack", given, count)
            return result(*(self.call(node, "item", given, k) for k in range(count)))

        return self.tuple_of(node, [self.lambda_of(node, of_tuple)])

    def returning(self, node: ast.AST, word: Word) -> Word:
        """Return a function that returns a value."""
        return self.lambda_of(node, lambda _: word)

    def closed(self, node: ast.AST, body: Body, parameters: list[str], returns: Word) -> Word:
        """Return the word of the function with a closed body."""
        if returns == UNREADABLE:
            return UNREADABLE
        self._capture(body, [returns])
        operations, needed = body.needed_for(returns)
        captured = [name for name in body.captured if name in needed]
        if len(captured) > MOST_VALUES:
            captured.sort(key=self.is_likely_number)
            packed, taken = self._packed(node, captured[MOST_VALUES - 1 :])
            operations = (*taken, *operations)
            captured = [*captured[: MOST_VALUES - 1], packed]
        match operations:
            case [[target, function, *arguments]] if (
                target == returns
                and arguments == parameters
                and getattr(self._primitive(function), "arity", None) == len(arguments)
            ):
                return function  # it only calls a primitive
        made = Lambda(tuple(captured), tuple(parameters), operations, returns)
        return self.operation(node, (made, *captured)) if captured else made

    def _packed(self, node: ast.AST, names: Sequence[str]) -> tuple[str, list[Operation]]:
        """Return a tuple of the values of names, and the operations that take them out of it.

        The tuple has functions that return the values, but numbers as they are: a tuple of grids,
        made for each cell of a grid, would soon reach the limit.
        """
        functions = {
            name: self.returning(node, name) for name in names if not self.is_likely_number(name)
        }
        packed = str(self.tuple_of(node, [functions.get(name, name) for name in names]))
        taken: list[Operation] = []
        for k, name in enumerate(names):
            if name in functions:
                function = self.new_name()
                taken += [(function, "item", packed, k), (name, function, 0)]
            else:
                taken.append((name, "item", packed, k))
        return packed, taken

    # Tuples and sets of values

    def tuple_of(self, node: ast.AST, words: Sequence[Word]) -> Word:
        """Return the word of a tuple of values; a constant if all values are constants."""
        if UNREADABLE in words:
            return UNREADABLE
        constant = self._constant_container(node, tuple, words)
        if constant is not None:
            return constant
        made: Word | None = None
        for k in range(0, len(words) - 1, 2):
            pair = self.call(node, "astuple", words[k], words[k + 1])
            made = pair if made is None else self.call(node, "combine", made, pair)
        if len(words) % 2:
            last = self.call(node, "repeat", words[-1], 1)
            made = last if made is None else self.call(node, "combine", made, last)
        assert made is not None
        return made

    def set_of(self, node: ast.AST, words: Sequence[Word]) -> Word:
        """Return the word of a set of values; a constant if all values are constants.

        The set keeps the first of equal values.
        """
        if UNREADABLE in words:
            return UNREADABLE
        constant = self._constant_container(node, frozenset, words)
        if constant is not None:
            return constant
        made = self.call(node, "initset", words[0])
        for word in words[1:]:
            made = self.call(node, "insert", word, made)
        return made

    def _constant_container(self, node: ast.AST, kind: type, words: Sequence[Word]) -> Word | None:
        """Return the word of a tuple or set of constants.

        Returns None if a word is no constant, or for a text longer than `_MOST_TEXT`: where a value
        holds another one twice again and again, texts would grow without bounds.
        """
        is_long = sum(len(word) for word in words if isinstance(word, str)) > _MOST_TEXT
        if is_long or not self._owners.keys().isdisjoint(words):
            return None
        try:
            return self.literal(node, kind(map(self.constant_of, words)))
        except ValueError:
            return None
