"""Random programs over a whole language, mostly well typed, for the fuzzer.

A program grows call by call. For each call, a primitive is drawn; its arguments are variables of
fitting kinds, or new operations make fitting values. Functions are built for the arguments that
they will get. Some functions are closures that bind values of the sample, some are functions of the
program's own, whose bodies grow in the same way. A `Draws` describes the language; combinators and
container primitives are known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from megabatt.runtime.engine.language.registry import Primitive
from megabatt.runtime.megabatch.verify.kinds import (
    MEMBERS,
    OPERANDS,
    OVER_ELEMENTS,
    WISHES,
    Draws,
    Kind,
    Step,
    is_function,
)
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import MOST_VALUES

_FORCED = 12
"""The number of primitives that a program must call."""
_COMBINED = ["compose", "chain", "fork", "fork", "matcher", "power"]
_OF_ONE_KIND = ("combine", "intersection", "difference", "equality", "branch", "sum_of",
                "difference_of", "union_of", "less")  # fmt: skip
_OF_ELEMENT_AND_CONTAINER = ("remove", "insert", "contained")
_FEW = ["1", "2", "2", "3"]
_MANY = ["7", "8", "15", "16", "17", "31", "32", "33", "40"]
_BOUNDS = ["None", "-3", "-2", "-1", "0", "1", "2", "5"]
_SIZES = [13, 14, 15, 16, 17, 29, 30, 31, 32, 33, 48, 64]
"""Sizes of functions, around multiples of 16, at which a call costs one element more."""
_MOST_NESTED = 3
"""The deepest nesting of functions of a program's own."""
_DEPTHS = range(29, 35)
"""Depths around the greatest depth that values and functions may have."""


class Generator:
    """A program in the making.

    large: Whether the program has large containers. unusual: Whether the program has values at the
    edges of columns' ranges. pool: The variables so far with their kinds, inputs first. varying:
    The variables that depend on an input. own: The functions of the program's own, by variable.
    level: The depth of nesting within functions of the program's own.
    """

    def __init__(
        self, draws: Draws, rng: Random, large: bool = False, unusual: bool = False
    ) -> None:
        self.draws = draws
        self.primitives = draws.language.primitives
        self.rng = rng
        self.large, self.unusual = large, unusual
        self.operations: list[Operation] = []
        self.pool: list[tuple[str, Kind]] = list(draws.inputs.items())
        self.varying: set[Word] = set(draws.inputs)
        self.own: dict[str, Lambda] = {}
        self.level = 0

    def grow(self, forced: list[str], operations: int) -> None:
        """Add at least `operations` operations, including calls of the primitives `forced`."""
        self.begin()
        for name in forced:
            self.operation(name, 2, unusual=self.unusual or self.rng.random() < 0.2)
        favorites = self.rng.sample(list(self.primitives), min(12, len(self.primitives)))
        while len(self.operations) < operations:
            functions = [entry for entry in self.pool if is_function(entry[1])]
            if functions and self.rng.random() < 0.06:
                self.call(*self.rng.choice(functions))
            elif self.rng.random() < 0.08:
                self.union()
            else:
                names = self.rng.choice([self.draws.often, favorites, list(self.primitives)])
                self.operation(self.rng.choice(names), 2)

    def begin(self) -> None:
        """Add operations whose values later operations can use."""
        self.sequence([entry for entry in self.draws.beginnings if self.rng.random() < 0.4])
        for chosen, sequences in (self.unusual, self.draws.edges), (self.large, self.draws.large):
            for _ in range(2 if chosen and sequences else 0):
                self.sequence(self.rng.choice(sequences))
        if self.rng.random() < (0.2 if self.unusual else 0.02):
            self.sequence(self.deep())

    def sequence(self, operations: list[Step]) -> tuple[str, Kind]:
        """Add given operations. Returns the last operation's variable and kind."""
        for name, args, kind in operations:
            named = [self.pool[-int(arg[1:])][0] if arg[0] == "$" else arg for arg in args]
            self.emit(name, named, kind)
        return self.pool[-1]

    def deep(self) -> list[Step]:
        """Return operations that make a value or a function of about the greatest allowed depth."""
        kind: Kind
        name, args, kind = self.rng.choice(
            [
                ("initset", ["$1"], ("set", "any")),
                ("repeat", ["$1", "1"], ("tuple", "any")),
                ("compose", ["identity", "$1"], ("function", ("any",), "any")),
            ]
        )
        start = "identity" if is_function(kind) else self.rng.choice(self.pool)[0]
        first = (name, [start if arg == "$1" else arg for arg in args], kind)
        return [first, *[(name, args, kind)] * self.rng.choice(_DEPTHS)]

    def emit(self, function: Word, args: Sequence[Word], kind: Kind) -> tuple[str, Kind]:
        """Add an operation. Returns its variable and kind."""
        target = f"x{len(self.operations) + 1}"
        words = map(self.word, args)
        self.operations.append((target, self.word(function), *words))
        self.pool.append((target, kind))
        if not self.varying.isdisjoint((function, *args)):
            self.varying.add(target)
        return target, kind

    def word(self, name: Word) -> Word:
        """Return the word of a name; a name may stand for an Integer or a function of `own`."""
        if not isinstance(name, str):
            return name
        if name in self.own and self.rng.random() < 0.7:
            return self.own[name]
        return int(name) if name.lstrip("-").isdecimal() else name

    def call(self, function: str, kind: Kind) -> tuple[str, Kind]:
        """Add a call of a computed function."""
        args = [self.value(parameter, 1)[0] for parameter in kind[1]]
        return self.emit(function, args, kind[2])

    def union(self) -> tuple[str, Kind]:
        """Add a choice between values of two kinds, which may depend on the sample."""
        condition = self.value("bool", 1)[0]
        near, other = self.rng.choice(self.pool), self.rng.choice(self.pool)
        if self.rng.random() < 0.4 and self.draws.is_container(near[1]):
            wider = self.value_for("Container", 1)
            near = self.emit("combine", [near[0], wider[0]], near[1])
        args = [condition, near[0], other[0]]
        return self.emit("branch", args, self.rng.choice([near[1], other[1]]))

    def operation(
        self, name: str, depth: int, wish: Kind = None, unusual: bool = False
    ) -> tuple[str, Kind]:
        """Add the operations for a primitive's arguments, and a call of the primitive `name`.

        wish: The preferred kind of the result. unusual: Whether to prefer unusual arguments.
        """
        primitive = self.primitives[name]
        fed: dict[int, tuple[str, Kind]] = {}
        if wish is not None and self.rng.random() < 0.9:
            for position, kind in self.kinds_for(primitive, wish).items():
                fed[position] = self.value(kind, depth - 1)
        for place, declared in enumerate(primitive.types if unusual else ()):
            chosen = self.at_the_edge(declared.name) if self.rng.random() < 0.6 else None
            fed.update({} if chosen is None else {place: chosen})
        filled = self.arguments(primitive, fed, depth)
        args, kinds = [arg for arg, _ in filled], [kind for _, kind in filled]
        kind = self.draws.result_of(name, kinds)
        if name == "branch" and self.rng.random() < 0.5:
            kind = kinds[2]
        if self.rng.random() < 0.02:
            args[self.rng.randrange(len(args))] = self.anything()
        return self.emit(name, args, kind)

    def at_the_edge(self, declared: str) -> tuple[str, Kind] | None:
        """Make a value of a declared type at an edge of ranges, or a container of few elements."""
        fitting = [
            steps for steps in self.draws.edges if self.draws.accepts(declared, steps[-1][2])
        ]
        literals = self.draws.literals
        if literals and self.draws.accepts(declared, "int") and self.rng.random() < 0.7:
            return self.rng.choice(literals), "int"
        if fitting and self.rng.random() < 0.7:
            return self.sequence(self.rng.choice(fitting))
        kind = "any" if declared == "Callable" else self.example(declared)
        return self.few(kind) if kind[0] in ("tuple", "set") else None

    def anything(self) -> str:
        """Draw the name of a variable, a constant or a primitive."""
        names = [[name for name, _ in self.pool], self.draws.language.constants, self.primitives]
        return self.rng.choice(list(self.rng.choice([some for some in names if some])))

    # Arguments

    def kinds_for(self, primitive: Primitive, wish: Kind) -> dict[int, Kind]:
        """Draw kinds of arguments, by position, for which a primitive returns the wished kind.

        Omits functions. Returns no kinds after 20 draws without success, as for most primitives
        whose result's kind depends on a function's result.
        """
        draws, rng = self.draws, self.rng
        element = draws.element_of(wish)
        near = [wish, ("set", wish), ("tuple", wish), element, ("set", element), ("tuple", element)]
        for _ in range(20):
            kinds = []
            for declared in primitive.types:
                fitting = [kind for kind in near if draws.accepts(declared.name, kind)]
                usual = not fitting or rng.random() < 0.5
                kinds.append(self.example(declared.name) if usual else rng.choice(fitting))
            if draws.result_of(primitive.name, kinds) == wish:
                return {k: kind for k, kind in enumerate(kinds) if not is_function(kind)}
        return {}

    def arguments(
        self, primitive: Primitive, given: dict[int, tuple[str, Kind]], depth: int
    ) -> list[tuple[str, Kind]]:
        """Choose a name and kind for each parameter not in `given`; return all, in order."""
        filled = dict(given)
        if primitive.name in OVER_ELEMENTS:
            self._over_elements(primitive, filled, depth)
        elif primitive.name in ("compose", "chain", "fork") and not given:
            self._combined(primitive.name, filled, depth)
        elif primitive.name in ("rbind", "lbind") and not given:
            self._bound(primitive.name, filled, depth)
        elif primitive.name == "fold" and not given:
            filled[1], filled[2] = (self.value_for(name, depth) for name in ("Any", "Container"))
            taken = filled[1][1], self.draws.element_of(filled[2][1])
            filled[0] = self.function(taken, "", depth - 1)
        elif primitive.name == "iterate" and not given:
            filled[2] = self.value_for("Any", depth)
            wanted = ("Boolean", "")
            filled[0], filled[1] = (self.function((filled[2][1],), w, depth - 1) for w in wanted)
        types = [declared.name for declared in primitive.types]
        if primitive.name in OPERANDS and self.rng.random() < 0.9:
            types = list(self.rng.choice(OPERANDS[primitive.name]))
        for position, declared in enumerate(types):
            if position not in filled:
                filled[position] = self._argument(primitive.name, declared, filled, depth)
        place, holder = MEMBERS.get(primitive.name, (0, 0))
        if place != holder and place not in given and self.rng.random() < 0.6:
            container, kind = filled[holder]
            if container:
                member = self.rng.choice(["first", "last"])
                filled[place] = self.emit(member, [container], self.draws.element_of(kind))
        return [filled[position] for position in range(primitive.arity)]

    def _argument(
        self, name: str, declared: str, filled: dict[int, tuple[str, Kind]], depth: int
    ) -> tuple[str, Kind]:
        """Choose an argument that depends little on the other arguments."""
        rng = self.rng
        if declared == "Callable":
            wish = "Integer" if name == "power" else ""
            kind = "int" if wish else rng.choice(self.draws.examples["Any"])
            return self.function((kind,), wish, depth - 1)
        if name == "rapply" and declared == "Container":
            return self._functions(filled.get(1, ("", self.example("Any")))[1], depth)
        if name in ("power", "repeat") and declared == "Integer" and rng.random() < 0.8:
            return self.count(), "int"
        if name == "span" and declared == "Integer" and rng.random() < 0.8:
            return rng.choice(_BOUNDS), "int"
        if name == "branch" and declared == "Boolean":
            return self.value("bool", max(depth, 1))
        before = list(filled.values())
        if before and rng.random() < 0.6:
            kind = self.related(name, before[-1][1])
            if kind is not None and self.draws.accepts(declared, kind):
                return self.value(kind, depth - 1)
        return self.value_for(declared, depth)

    def related(self, name: str, kind: Kind) -> Kind | None:
        """Return the fitting kind of an argument, given the previous argument's kind."""
        if name in _OF_ONE_KIND:
            return kind
        if name in _OF_ELEMENT_AND_CONTAINER:
            return self.rng.choice(["tuple", "set"]), kind
        return self.draws.element_of(kind) if name == "other" else None

    def _over_elements(
        self, primitive: Primitive, filled: dict[int, tuple[str, Kind]], depth: int
    ) -> None:
        """Choose containers, and a function of their elements."""
        place, containers = OVER_ELEMENTS[primitive.name]
        for k, position in enumerate(containers):
            if position in filled:
                continue
            if place in filled and is_function(filled[place][1]):
                parameters = filled[place][1][1]
                shape = "tuple" if "p" in primitive.name[:2] else self.rng.choice(["tuple", "set"])
                kind = (shape, parameters[min(k, len(parameters) - 1)] if parameters else "any")
                filled[position] = self.value(kind, depth - 1)
            else:
                declared = primitive.types[position].name
                filled[position] = self.value_for(declared, depth)
        if place not in filled:
            elements = tuple(self.draws.element_of(filled[position][1]) for position in containers)
            wish = WISHES.get(primitive.name, "") if self.rng.random() < 0.8 else ""
            made = self.function(elements, wish, depth - 1)
            filled[place] = self.tower(*made) if self.rng.random() < 0.25 else made

    def _combined(self, name: str, filled: dict[int, tuple[str, Kind]], depth: int) -> None:
        """Choose fitting functions for compose, chain and fork."""
        taken: tuple[Kind, ...] = (self.example("Any"),)
        if name == "fork":
            filled[1], filled[2] = (self.function(taken, "", depth - 1) for _ in range(2))
            taken = (filled[1][1][2], filled[2][1][2])
            filled[0] = self.function(taken, "", depth - 1)
            return
        for position in (1, 0) if name == "compose" else (2, 1, 0):
            filled[position] = self.function(taken, "", depth - 1)
            taken = (filled[position][1][2],)

    def _bound(self, name: str, filled: dict[int, tuple[str, Kind]], depth: int) -> None:
        """Choose a primitive of several parameters, and a value for its first or last parameter."""
        chosen = self.rng.choice([p for p in self.primitives.values() if p.arity > 1])
        place = 0 if name == "lbind" else chosen.arity - 1
        given = {
            position: ("", self.example(declared.name))
            for position, declared in enumerate(chosen.types)
            if position != place
        }
        args = self.arguments(chosen, given, depth - 1)
        kinds = [kind for _, kind in args]
        result = self.draws.result_of(chosen.name, kinds)
        filled[0] = (chosen.name, ("function", tuple(kinds), result))
        filled[1] = args[place]

    def _functions(self, taken: Kind, depth: int) -> tuple[str, Kind]:
        """Make a container of functions that take a value of the kind `taken`."""
        if depth > 0 and self.rng.random() < 0.4:
            container, kind = self.value_for("Container", depth - 1)
            maker, made = self.curried(self.draws.element_of(kind), taken, depth - 1)
            applied = self.draws.result_of("apply", [made, kind])
            return self.emit("apply", [maker, container], applied)
        pair = [self.function((taken,), "", depth - 1) for _ in range(2)]
        if self.rng.random() < 0.7:
            return self.emit("astuple", [name for name, _ in pair], ("tuple", pair[0][1]))
        single = self.emit("initset", [pair[0][0]], ("set", pair[0][1]))
        return self.emit("insert", [pair[1][0], single[0]], single[1])

    # Values

    def example(self, declared: str) -> Kind:
        """Draw a kind that a parameter of the declared type accepts."""
        if declared == "Callable":
            taken = self.rng.choice(self.draws.examples["Any"])
            return ("function", (taken,), self.rng.choice(self.draws.examples["Any"]))
        return self.rng.choice(self.draws.examples[declared])

    def value_for(self, declared: str, depth: int) -> tuple[str, Kind]:
        """Choose a variable or constant for a parameter of the declared type."""
        literals = self.draws.literals if self.unusual else []
        if literals and self.draws.accepts(declared, "int") and self.rng.random() < 0.2:
            return self.rng.choice(literals), "int"
        fitting = [entry for entry in self.pool if self.draws.accepts(declared, entry[1])]
        if fitting and self.rng.random() < 0.7:
            return self.drawn(fitting)
        return self.value(self.example(declared), depth, fresh=True)

    def drawn(self, entries: list[tuple[str, Kind]]) -> tuple[str, Kind]:
        """Draw one of these variables: mostly one that varies, and more often a late one."""
        varying = [entry for entry in entries if entry[0] in self.varying]
        if varying and self.rng.random() < 0.9:
            entries = varying
        return self.rng.choice(entries[-6:] if self.rng.random() < 0.6 else entries)

    def value(self, kind: Kind, depth: int, fresh: bool = False) -> tuple[str, Kind]:
        """Choose a variable or constant of a kind. fresh: Whether to prefer a new variable."""
        rng = self.rng
        if kind == "int" and rng.random() < 0.1:
            kind = "bool"
        literals = self.draws.literals if kind == "int" else []
        if self.unusual and literals and rng.random() < 0.2:
            return rng.choice(literals), kind
        if self.unusual and kind[0] in ("tuple", "set") and rng.random() < 0.1:
            return self.few(kind)
        fitting = [entry for entry in self.pool if entry[1] == kind or kind == "any"]
        if kind == "any" or (fitting and not fresh and rng.random() < 0.7):
            return self.drawn(fitting)
        if is_function(kind):
            return self.function(kind[1], "", depth - 1)
        constants = self.draws.constants.get(kind)
        if constants and (depth <= 0 or rng.random() < 0.3):
            if literals and rng.random() < 0.15:
                return rng.choice(literals), kind
            return rng.choice(constants), kind
        return self.made(kind, depth)

    def made(self, kind: Kind, depth: int) -> tuple[str, Kind]:
        """Add operations that make a value of a kind. Returns the value's variable and kind."""
        if kind in self.draws.makers and depth > 0:
            made = self.operation(self.rng.choice(self.draws.makers[kind]), depth - 1, kind)
            if made[1] == kind or kind not in self.draws.sources:
                return made
        if kind in self.draws.sources:
            return self.sequence(self.rng.choice(self.draws.sources[kind]))
        if depth > 0 and self.rng.random() < 0.4:
            container, actual = self.value_for("Container", depth - 1)
            maker, _ = self.function((self.draws.element_of(actual),), "", depth - 1)
            return self.emit("apply", [maker, container], kind)
        element, _ = self.value(self.draws.element_of(kind), depth - 1)
        if kind[0] == "set":
            if self.rng.random() < 0.5:
                other, _ = self.another(self.draws.element_of(kind), depth - 1)
                single, _ = self.emit("initset", [element], kind)
                return self.emit("insert", [other, single], kind)
            return self.emit("initset", [element], kind)
        if self.rng.random() < 0.5:
            other, _ = self.another(self.draws.element_of(kind), depth - 1)
            return self.emit("astuple", [element, other], kind)
        return self.emit("repeat", [element, self.count()], kind)

    def count(self) -> str:
        """Draw a literal: a number of repetitions."""
        return self.rng.choice(_MANY if self.large and self.rng.random() < 0.5 else _FEW)

    def few(self, kind: Kind) -> tuple[str, Kind]:
        """Make a container of a kind, without elements or with one."""
        element = self.value(self.draws.element_of(kind), 0)[0]
        if kind[0] == "tuple":
            return self.emit("repeat", [element, self.rng.choice("01")], kind)
        single = self.emit("initset", [element], kind)
        if self.rng.random() < 0.5:
            return single
        return self.emit("difference", [single[0], single[0]], kind)

    def another(self, kind: Kind, depth: int) -> tuple[str, Kind]:
        """Choose a value of a kind, or now and then of another kind."""
        if kind == "int" and self.rng.random() < 0.2:
            return self.value("bool", depth)
        return self.value(kind if self.rng.random() < 0.8 else self.example("Any"), depth)

    # Functions

    def function(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """Make a function of arguments of these kinds. wish: The preferred type of its result."""
        made = self._function(taken, wish, depth)
        for _ in range(2):
            if not wish or self.draws.accepts(wish, made[1][2]):
                break
            made = self._function(taken, wish, depth)
        return made

    def tower(self, name: str, kind: Kind) -> tuple[str, Kind]:
        """Wrap a function of one argument in enough layers without effect to make calls cost more.

        A function of two arguments, the first a Boolean, is replaced by a `branch` between the
        second argument and a large function. Other functions are returned unchanged.
        """
        if len(kind[1]) == 2 and kind[1][0] == "bool":
            return self.emit("rbind", ["branch", self.idle()], ("function", kind[1], kind[1][1]))
        if len(kind[1]) != 1:
            return name, kind
        idle = self.idle()
        layers = [("compose", [idle, name]), ("compose", [name, idle]),
                  ("chain", [name, "identity", idle])]  # fmt: skip
        return self.emit(*self.rng.choice(layers), kind)

    def idle(self) -> str:
        """Make a large function that returns its argument."""
        kind: Kind = ("function", ("any",), "any")
        if self.rng.random() < 0.2:
            return self.emit("power", ["identity", self.value("int", 0)[0]], kind)[0]
        name, left = "identity", self.rng.choice(_SIZES)
        while left > 1:
            form, parts = self.rng.choice([("compose", 2), ("chain", 3), ("power", left)])
            args = [name, str(parts)] if form == "power" else [name] * parts
            name, left = self.emit(form, args, kind)[0], left // parts
        return name

    def _function(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        pooled = [entry for entry in self.pool if is_function(entry[1]) and entry[1][1] == taken]
        if pooled and self.rng.random() < 0.2:
            return self.rng.choice(pooled)
        forms = ["primitive"] * 5
        if depth > -2:
            forms += ["bound"] * 5
        if self.level < _MOST_NESTED and 0 < len(taken) <= MOST_VALUES:
            forms += ["own"] * 4
        if depth > -1:
            forms += _COMBINED if len(taken) == 1 else []
            forms += ["curried"] if len(taken) == 1 and not wish else []
        form = self.rng.choice(forms)
        if form == "primitive":
            return self.plain(taken, wish, depth)
        if form == "bound":
            return self.partial(taken, wish, depth)
        if form == "curried":
            return self.curried(taken[0], None, depth)
        if form == "own":
            return self.of_own(taken, wish, depth)
        return self.combined(form, taken, wish, depth)

    def plain(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """Choose a primitive with parameters of the kinds `taken`."""
        fitting = [
            p
            for p in self.primitives.values()
            if p.arity == len(taken)
            and all(self.draws.accepts(t.name, k) for t, k in zip(p.types, taken, strict=True))
        ]
        results = {p.name: self.draws.result_of(p.name, list(taken)) for p in fitting}
        wished = [p for p in fitting if wish and self.draws.accepts(wish, results[p.name])]
        if not fitting:
            return self.partial(taken, wish, depth)
        # Primitives with narrow types make better programs.
        strict = [p for p in fitting if p.types[0].name not in ("Any", "Container")]
        choices = wished or (strict if strict and self.rng.random() < 0.6 else fitting)
        chosen = self.rng.choice(choices)
        return chosen.name, ("function", taken, results[chosen.name])

    def partial(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """Choose a primitive with more parameters; bind the first or last parameters to values."""
        extra = 2 if self.rng.random() < 0.2 else 1
        before = self.rng.randrange(extra + 1)
        fitting = [p for p in self.primitives.values() if p.arity == len(taken) + extra
                   and all(self.draws.accepts(p.types[before + k].name, kind)
                           for k, kind in enumerate(taken))]  # fmt: skip
        wished = [p for p in fitting if p.result.name == wish]
        if not fitting:
            return "identity", ("function", taken, taken[0] if taken else "any")
        chosen = self.rng.choice(wished if wished and self.rng.random() < 0.8 else fitting)
        given = {before + k: ("", kind) for k, kind in enumerate(taken)}
        filled = self.arguments(chosen, given, depth)
        kinds = [kind for _, kind in filled]
        result = self.draws.result_of(chosen.name, kinds)
        name, kind = chosen.name, ("function", tuple(kinds), result)
        for arg, _ in filled[:before]:
            kind = ("function", kind[1][1:], result)
            name, _ = self.emit("lbind", [name, arg], kind)
        for arg, _ in reversed(filled[before + len(taken) :]):
            kind = ("function", kind[1][:-1], result)
            name, _ = self.emit("rbind", [name, arg], kind)
        return name, kind

    def curried(self, taken: Kind, then: Kind | None, depth: int) -> tuple[str, Kind]:
        """Make a function that returns a primitive with one parameter bound to the argument.

        then: The kind of the returned function's argument.
        """
        if self.rng.random() < 0.3 and self.level < _MOST_NESTED:
            return self.maker(taken, then, depth)
        left = self.rng.random() < 0.6
        fitting = [
            p
            for p in self.primitives.values()
            if p.arity == 2
            and self.draws.accepts(p.types[0 if left else 1].name, taken)
            and (then is None or self.draws.accepts(p.types[1 if left else 0].name, then))
        ]
        if not fitting:
            return self.plain((taken,), "", depth)
        chosen = self.rng.choice(fitting)
        rest = self.example(chosen.types[1 if left else 0].name) if then is None else then
        kinds = [taken, rest] if left else [rest, taken]
        inner = ("function", (rest,), self.draws.result_of(chosen.name, kinds))
        binder = "lbind" if left else "rbind"
        return self.emit("lbind", [binder, chosen.name], ("function", (taken,), inner))

    def of_own(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """Make a function of the program's own, which captures up to two variables, and inputs."""
        outer = [self.drawn(self.pool) for _ in range(self.rng.choice([0, 0, 1, 2]))]
        body = _Body(self, [kind for _, kind in outer], taken)
        result = body.fill(wish, max(depth - 1, 0))
        inputs = body.inputs_read()
        kind = ("function", taken, result)
        if len(outer) + len(inputs) > MOST_VALUES:
            return self.plain(taken, wish, depth)
        function = body.function_capturing(inputs)
        if not function.captured:
            name = self.emit("identity", [function], kind)[0]
            self.own[name] = function
            return name, kind
        return self.emit(function, [*[name for name, _ in outer], *inputs], kind)

    def maker(self, taken: Kind, then: Kind | None, depth: int) -> tuple[str, Kind]:
        """Make a function of the program's own that returns a function capturing the argument."""
        rest = self.example("Any") if then is None else then
        body = _Body(self, [taken], (rest,))
        inner = ("function", (rest,), body.fill("", max(depth - 1, 0)))
        kind = ("function", (taken,), inner)
        if body.inputs_read():
            return self.plain((taken,), "", depth)
        return self.emit("identity", [body.function_capturing([])], kind)

    def combined(
        self, form: str, taken: tuple[Kind, ...], wish: str, depth: int
    ) -> tuple[str, Kind]:
        """Make a function that calls other functions."""
        inner, kind = self.function(taken, "", depth - 1)
        if form == "power":
            times = self.count() if self.rng.random() < 0.8 else self.value("int", 0)[0]
            return self.emit("power", [inner, times], kind)
        if form == "matcher":
            target, _ = self.value(kind[2], depth - 1)
            return self.emit("matcher", [inner, target], ("function", taken, "bool"))
        if form == "fork":
            second, other = self.function(taken, "", depth - 1)
            outer, whole = self.function((kind[2], other[2]), wish, depth - 1)
            return self.emit("fork", [outer, inner, second], ("function", taken, whole[2]))
        functions = [inner]
        for _ in range(1 if form == "compose" else 2):
            outer, kind = self.function((kind[2],), wish, depth - 1)
            functions.insert(0, outer)
        return self.emit(form, functions, ("function", taken, kind[2]))


class _Body(Generator):
    """The body of a function of the program's own, in the making."""

    def __init__(self, outer: Generator, captured: Sequence[Kind], taken: Sequence[Kind]) -> None:
        super().__init__(outer.draws, outer.rng, outer.large, outer.unusual)
        self.level = outer.level + 1
        self.captured = [f"c{k}" for k in range(len(captured))]
        self.parameters = [f"p{k}" for k in range(len(taken))]
        given = [*self.captured, *self.parameters]
        self.pool = list(zip(given, [*captured, *taken], strict=True))
        self.varying.update(given)
        self.returns = ""

    def fill(self, wish: str, depth: int) -> Kind:
        """Add operations, and choose a result of type `wish` if possible. Returns its kind."""
        given = len(self.pool)
        choices = [p.name for p in self.primitives.values() if p.chooses]
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            if choices and self.rng.random() < 0.3:
                sides = [self.value(self.example("Any"), depth, fresh=True) for _ in range(2)]
                args = [self.value("bool", depth)[0], *[name for name, _ in sides]]
                self.emit(self.rng.choice(choices), args, sides[0][1])
            else:
                self.operation(self.rng.choice(self.draws.often), depth)
        made = self.pool[given:]
        fitting = [entry for entry in made if wish and self.draws.accepts(wish, entry[1])]
        self.returns, kind = (fitting or made)[-1]
        return kind

    def inputs_read(self) -> list[str]:
        """List the inputs that the operations read."""
        read = {word for operation in self.operations for word in operation}
        return [name for name in self.draws.inputs if name in read]

    def function_capturing(self, inputs: Sequence[str]) -> Lambda:
        """Return the function, which captures `inputs` under their own names."""
        captured, parameters = (*self.captured, *inputs), tuple(self.parameters)
        return Lambda(captured, parameters, tuple(self.operations), self.returns)


def program_of(
    draws: Draws, seed: int, number: int, operations: int = 40, deck: Sequence[str] = ()
) -> Program:
    """Make program `number` of a seed.

    A quarter of the programs have large values, another quarter unusual values. Every program must
    call the next 12 primitives of the shuffled deck. deck: Primitives; by default all of the
    language.
    """
    dealt = sorted(deck or draws.language.primitives)
    Random(seed).shuffle(dealt)
    forced = [dealt[(_FORCED * number + k) % len(dealt)] for k in range(_FORCED)]
    rng = Random(f"{seed}:{number}")
    flavor = rng.randrange(4)
    generator = Generator(draws, rng, large=flavor == 1, unusual=flavor == 2)
    generator.grow(forced, rng.randint(operations // 2, operations))
    grown = tuple(generator.operations)
    return Program(f"solve_{number}", grown, grown[-1][0])

