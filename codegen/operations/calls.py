"""Reads functions and calls: of primitives, of Python's functions and of the source's own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from megabatt.codegen.analysis.nodes import Functions, nodes_in, parameters_of
from megabatt.codegen.analysis.ownership import owners_in
from megabatt.codegen.analysis.scopes import (
    Builtin,
    Choice,
    Deferred,
    Dictionary,
    Foreign,
    Local,
    Module,
    Once,
)
from megabatt.codegen.analysis.texts import METHODS as OF_TEXTS
from megabatt.codegen.errors import Wrong
from megabatt.codegen.operations.expressions import Expressions
from megabatt.codegen.operations.kinds import CLASSES, LIST, OTHER
from megabatt.codegen.operations.meanings import ADVICE, OWNERS
from megabatt.codegen.operations.python_functions import BUILTINS, ITERATORS, METHODS, OF_ALL
from megabatt.runtime.program import Word
from megabatt.runtime.vocabulary import MOST_VALUES, UNREADABLE

_TAKES = {
    "fold": ("function", 2), "fork": ("outer", 2), "lbind": ("function", MOST_VALUES),
    "mpapply": ("function", 2), "papply": ("function", 2), "prapply": ("function", 2),
    "rbind": ("function", MOST_VALUES),
}  # fmt: skip
"""The primitives whose first argument is a function of several arguments: the name of the first
argument, and the most arguments that the function is called with."""
_OF_FUNCTIONS = {"filter", "functools.reduce", "map"}
"""The functions of Python whose first argument is a function."""
_OF_NUMBERS = {"abs", "bool", "divmod", "float", "int", "pow", "range", "round"}
"""The functions of Python that take no elements of a container."""
_ALL, _ANY, _IS_INSTANCE, _MAP, _MAX, _MIN, _NEXT, _RANGE, _TYPE, _ZIP = map(
    Builtin, ("all", "any", "isinstance", "map", "max", "min", "next", "range", "type", "zip")
)
_BESIDE_STARS = {_MAX: "key", _MIN: "key", _ZIP: "strict"}
"""The functions of Python that are called with stars and an argument by keyword."""
_NO_TUPLES = {
    ".clear": LIST, ".most_common": LIST, "collections.deque": OTHER, "list": LIST, "range": OTHER,
    "sorted": LIST,
}  # fmt: skip
"""What functions of Python make that is read as a tuple, and is none, see `LIST`."""


class Calls(Expressions):
    """Reads the functions and calls of one program."""

    # Functions

    def local(self, node: Functions, in_module: bool = False) -> Local:
        """Return a function of the source; its defaults are evaluated at its definition.

        in_module: Whether a module defines it, so that programs that call it compute its defaults.
        """
        arguments = node.args
        seen: set[str] = set()
        for argument in parameters_of(node):
            if argument.arg in seen:
                raise Wrong(argument, f"parameter {argument.arg!r} is repeated")
            seen.add(argument.arg)
        if arguments.kwarg or (arguments.vararg and arguments.defaults):
            what = "functions take no `**`, and no `*` beside defaults: name each parameter"
            raise Wrong(arguments.kwarg or arguments.vararg, what)
        given = [default for default in (*arguments.defaults, *arguments.kw_defaults) if default]
        if given and None in arguments.kw_defaults:
            raise Wrong(node, "an argument by keyword alone needs a default if others have one")
        named = parameters_of(node)[len(seen) - len(given) :]
        defaults = [
            Deferred(default, ast.Name(argument.arg)) if in_module else self.value(default)
            for argument, default in zip(named, given, strict=True)
        ]
        return Local(node, self.scope, tuple(defaults))

    read_Lambda = local

    # Calls

    def read_Call(self, node: ast.Call, target: str | None = None) -> Any:
        called = node.func
        if isinstance(called, ast.Attribute):
            name = called.attr
            if name == "copy" and not node.args:
                return self.makers["copy.copy"](self, called.value, self.value(called.value))
            is_of_value = name in METHODS or name in self.of_dictionaries
            if is_of_value or name in OF_TEXTS:
                owner = self.value(called.value)
                if isinstance(owner, str) and owner in self.texts and name in OF_TEXTS:
                    return self._call_of_text(node, name, owner)
                if is_of_value and not isinstance(owner, Module):
                    return self._call_of_method(node, name, owner)
            if name == "pop" and not (node.args or node.keywords):
                popped = self._popped_from_new(node, called.value)
                if popped is not None:
                    return popped
        function = self._called(called)
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
        self.give(function, *arguments)
        return self.operation(node, (function, *arguments), target)

    def _called(self, node: ast.expr) -> Any:
        """Return the meaning of what a call calls; of `type(x)`, what makes values of this type."""
        match node:
            case ast.Name():
                return self.named(node, True)
            case ast.Call(ast.Name() as name, [of], []) if self.named(name) == _TYPE:
                self._check_kinds(node)
                return self.maker_like(node, self.word(of))
        return self.value(node)

    def _call_of_text(self, node: ast.Call, name: str, owner: Word) -> Word:
        """Compute a method of a known text."""
        if node.keywords:
            raise Wrong(node, f".{name} of text is read without keywords: leave them out")
        given = [
            part if isinstance(part, ast.Constant) else self.word(part) for part in node.args
        ]
        return self.of_texts(node, name, [owner, *given])

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
        owners, _ = OWNERS[kind]
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
        words[0] = self.of_kind(node, name, words[0])
        return self.written(node, f".{name}", method, words)

    def _popped_from_new(self, node: ast.AST, owner: ast.expr) -> Word | None:
        """Return what `pop()` gives of a set or list that only this call has; else None."""
        match owner:
            case ast.BinOp(op=ast.Sub() | ast.BitAnd() | ast.BitOr() | ast.BitXor()):
                is_set = True
            case ast.Set() | ast.SetComp() | ast.List() | ast.ListComp():
                is_set = isinstance(owner, ast.Set | ast.SetComp)
            case ast.Call(ast.Name("list" | "set" | "sorted" as name) as function):
                if self.named(function) != Builtin(name):
                    return None
                is_set = name == "set"
            case _:
                return None
        return self.item(node, self.as_tuple(owner, self.word(owner)), 0 if is_set else -1)

    def _call_here(self, node: ast.Call, function: Local | Builtin | Choice) -> Any:
        """Write a call of a function of the source or of Python, or of one of two functions."""
        if function == _IS_INSTANCE and len(node.args) == 2 and not node.keywords:
            return self._of_class(*node.args)
        starred = [part for part in node.args if isinstance(part, ast.Starred)]
        is_any = isinstance(function, Local) and function.node.args.vararg
        is_map = function == _MAP and len(node.args) > 3
        if is_map or (starred and (is_any or isinstance(function, Builtin))):
            return self._call_of_starred(node, function)
        parts = [part for part in node.args if not _is_starred(part)]
        match node.args, node.keywords:
            case [ast.GeneratorExp() as generator], [] if function in (_ANY, _ALL):
                return self.any_or_all(generator, function == _ANY)
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
            if takes is not None:
                arguments = self._spread(node, starred, arguments, takes - len(named))
            elif isinstance(function, Local):
                arguments = self._with_defaults(node, function, arguments, named)
            else:
                raise Wrong(starred[0], f"`*` cannot be read here: {ADVICE[ast.Starred]}")
        names, written = self.scope.names, {name.id for name in nodes_in(node, ast.Name)}
        if isinstance(node.func, ast.Lambda):  # what it reads itself, it reads here alone
            written = set().union(*map(owners_in, node.args))
        gone = {name: names[name] for name in self.given_away.keys() & written & names.keys()}
        for name in gone:
            what = f"{name!r} may change while a function reads it"
            names[name] = Foreign(f"{what}: let the function take it as a parameter")
        try:
            return self.call_of(node, function, arguments, named)
        finally:
            names.update(gone)

    def _check_kinds(self, node: ast.AST) -> None:
        if not self.tells_kinds:
            raise Wrong(node, "kinds of values are not told beside NumPy: leave this out")

    def _of_class(self, of: ast.expr, classes: ast.expr) -> Word:
        """Write a call of `isinstance`."""
        self._check_kinds(of)
        parts = classes.elts if isinstance(classes, ast.Tuple) else [classes]
        found = [self.value(part) for part in parts if isinstance(part, ast.Name)]
        names = {one.name for one in found if isinstance(one, Builtin)}
        if len(names) < len(parts) or not names <= CLASSES.keys():
            raise Wrong(classes, f"isinstance is read with {', '.join(CLASSES)}")
        value = self.no_iterator(of, self.value(of))
        if not isinstance(value, str | int) or value in self.texts:  # a function, or a dictionary
            return False
        return self.is_instance(of, value, names)

    def call_of(
        self, node: ast.AST, function: Any, given: list[Any], named: dict[str, Any]
    ) -> Any:
        if isinstance(function, Choice):
            results = [self.call_of(node, one, given, dict(named)) for one in function.functions]
            return self.chosen(node, function.condition, results)
        if isinstance(function, Builtin):
            name = function.name
            if name in self.makers:
                return self.written(node, name, self.makers[name], given, named)
            if name not in ITERATORS:
                return self.call_of_builtin(node, name, *given, **named)
            with self.later(self.scope) as late:
                made = self.call_of_builtin(node, name, *given, **named)
            return self.iterator_of(made, given, late)
        if isinstance(function, Local):
            return self.inlined(node, function, given, named)
        wrong = self.vocabulary.of_call(function, len(given))
        if wrong is not None or named:
            raise Wrong(node, wrong or "write the arguments in their order: `f(a, b)`")
        takes = _TAKES.get(function, ("", 1))[1]
        words = [self.as_word(node, value, 1 if k else takes) for k, value in enumerate(given)]
        self.give(function, *words)
        return self.operation(node, (function, *words))

    def _call_of_starred(self, node: ast.Call, function: Any) -> Any:
        """Write a call with the elements of containers among its arguments."""
        is_own = isinstance(function, Local)
        words = {self._keyword(keyword) for keyword in node.keywords}
        if is_own and function.node.args.vararg.arg in words:
            name = function.node.args.vararg.arg
            raise Wrong(node, f"{name!r} has no argument by keyword: leave it out")
        if not is_own and not words <= {_BESIDE_STARS.get(function, "")}:
            raise Wrong(node, "`*` beside arguments by keyword cannot be read: name each argument")
        named = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            held = self.held_as(value, keyword.value) if is_own else value
            named[self._keyword(keyword)] = held
        if function != _MAP or _is_starred(node.args[0]):
            return self._with_arguments(node, function, self.joined(node, node.args), named)
        with self.later(self.scope) as late:
            called = partial(self._with_arguments, node, self.value(node.args[0]))
            rows = self.call(node, "zipped", self.joined(node, node.args[1:]))
            mapped = self.lambda_of(node, lambda row: self.as_word(node, called(row)))
            made = self.call(node, "apply", mapped, rows)
        return Once(made, self.body, late)

    def _with_arguments(
        self, node: ast.Call, function: Any, whole: Word, named: Mapping[str, Any] | None = None
    ) -> Any:
        """Write a call of a function with the elements of a tuple as its arguments.

        named: Those that are given by keyword.
        """
        named = named or {}
        strict = named.get("strict", False) if function == _ZIP else False
        if strict not in (True, False):
            raise Wrong(node, "`strict` must be True or False")
        if strict:
            sizes = self.call(node, "apply", "size", whole)
            sizes = self.call(node, "combine", "frozenset()", sizes)
            differ = self.less(node, 1, self.call(node, "size", sizes))
            whole = self.call(node, "item", self.tuple_of(node, [whole]), differ)
        if isinstance(function, Builtin) and function.name in OF_ALL:
            return Once(self.call(node, OF_ALL[function.name], whole), self.body, {})
        if function in (_MAX, _MIN):
            several = self.less(node, 1, self.call(node, "size", whole))
            whole = self.call(node, "if_else", several, whole, self.call(node, "first", whole))
            return self.call_of_builtin(node, function.name, whole, **named)
        if function == _RANGE:
            one = self.call(node, "equality", self.call(node, "size", whole), 1)
            from_0 = self.call(node, "combine", "(0,)", whole)
            bounds = self.call(node, "if_else", one, from_0, whole)
            return self.call_of_builtin(node, "range", *self._filled(node, bounds, 2, [1]))
        rest = function.node.args.vararg if isinstance(function, Local) else None
        if not isinstance(function, Local) or (function.defaults and rest is None):
            raise Wrong(node, f"`*` cannot be read here: {ADVICE[ast.Starred]}")
        names = function.parameters
        if rest is None:
            given = self.unpacked(node, whole, function.by_place)
            return self.inlined(node, function, list(map(self.shared, given)), {})
        count = names.index(rest.arg)
        given = [self.call(node, "item", whole, k) for k in range(count)]
        others = self.shared(self.call(node, "span", whole, count, "None", "None"))
        named = {rest.arg: others, **named}
        return self.inlined(node, function, list(map(self.shared, given)), named)

    def _filled(
        self, node: ast.AST, whole: Word, least: int, defaults: Sequence[Word]
    ) -> list[Word]:
        """Return the elements of a tuple of at least `least` elements, and the defaults behind."""
        first = self.binary(node, ast.Sub, self.call(node, "size", whole), least)
        behind = self.call(node, "span", self.tuple_of(node, defaults), first, "None", "None")
        whole = self.call(node, "combine", whole, behind)
        return self.unpacked(node, whole, least + len(defaults))

    def _with_defaults(
        self, node: ast.Call, function: Local, given: list[Any], named: dict[str, Any]
    ) -> list[Any]:
        """Return the positional arguments of a call with stars, where some may have defaults."""
        first = next(k for k, part in enumerate(node.args) if _is_starred(part))
        names = list(takewhile(lambda name: name not in named, function.parameters))
        names = names[: function.by_place]
        least = len(function.parameters) - len(function.defaults)
        texts = function.node.args.defaults[: len(names) - least]
        if least < first or least > len(names) or not all(map(_is_constant, texts)):
            raise Wrong(node.args[first], f"`*` cannot be read here: {ADVICE[ast.Starred]}")
        defaults = list(map(self.word, texts))
        rest = self._filled(node, self.joined(node, node.args[first:]), least - first, defaults)
        return [*given[:first], *map(self.shared, rest)]

    def call_of_builtin(self, node: ast.AST, name: str, *arguments: Any, **named: Any) -> Word:
        takes = 2 if name == "functools.reduce" or (name == "map" and len(arguments) > 2) else 1
        if name == "bool":
            arguments = tuple(self.test_of(node, value) for value in arguments)
        over = self._over(name, arguments)
        words = [
            self.elements(node, value) if _takes_elements(name, k, len(arguments))
            else self.as_word(node, value, 1 if k else takes, None if k else over)
            for k, value in enumerate(arguments)
        ]  # fmt: skip
        if name in _OF_FUNCTIONS and over is None:
            self.give(name, *words)
        keyed = {"key": words[0]} if len(words) == 1 else {}
        by_name = {k: self.as_word(node, v, over=keyed.get(k)) for k, v in named.items()}
        write = BUILTINS.get(name) or self.makers[name]
        return self.as_word(node, self.written(node, name, write, words, by_name))

    def _over(self, name: str, arguments: Sequence[Any]) -> Word | None:
        """Return the container whose elements the first argument of `map` or `filter` gets."""
        if not self.tells_kinds or name not in ("filter", "map") or len(arguments) != 2:
            return None
        over = arguments[1].word if isinstance(arguments[1], Once) else arguments[1]
        return over if isinstance(over, str) else None

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
            made = write(self, node, *given, **(named or {}))
        except TypeError:
            advice = "leave some out, or write a comprehension"
            raise Wrong(node, f"{name} cannot be read with these arguments: {advice}") from None
        if name in _NO_TUPLES and made.__class__ is str and made != "frozenset()":
            return self.as_list(node, made, _NO_TUPLES[name])
        is_list = name == "tuple" and self.lists_in(made) & (LIST | OTHER)
        return self.call(node, "totuple", made) if is_list else made

    # Arguments

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
        return None if takes_any else function.by_place

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
            whole = self.joined(node, node.args[first:])
            return [*others[:first], *self.unpacked(node, whole, count - first)]
        elements = self.iterable(starred[0].value)
        spread = self.unpacked(starred[0], elements, count - len(others))
        return [*others[:first], *spread, *others[first:]]


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


def _is_constant(node: ast.expr) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)


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
