"""Random programs over the whole language, mostly well typed: what the fuzzer runs.

A program is grown from its arguments: a primitive is drawn, its parameters are fed with variables
of a fitting kind, and where there is none operations are added that make one. Functions are built
for what they will be called with, closures among them that bind values of the sample.
"""

from __future__ import annotations

from random import Random

from runtime.arc import LANGUAGE
from runtime.engine.registry import Primitive
from runtime.megabatch.compare import Operation, Program
from runtime.megabatch.kinds import (
    BEGINNINGS,
    CONSTANTS,
    EDGES,
    EXAMPLES,
    INDICES,
    LITERALS,
    MAKERS,
    OBJECT,
    OBJECTS,
    OFTEN,
    OVER_ELEMENTS,
    WISHES,
    Kind,
    accepts,
    element_of,
    is_container,
    is_function,
    result_of,
)

PRIMITIVES = LANGUAGE.primitives

COMBINED = ["compose", "chain", "fork", "fork", "matcher", "power"]


class Generator:
    """One program in the making.

    pool: the variables so far with their kinds, the inputs first; varying: those that are
    computed from an input, functions that bind such values among them.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.program: Program = []
        pairs: Kind = ("tuple", ("tuple", "grid"))
        self.pool: list[tuple[str, Kind]] = [("I", "grid"), ("S", pairs), ("C", "grid")]
        self.varying = {"I", "S", "C"}

    def grow(self, forced: list[str], operations: int) -> Program:
        """A program in which the primitives `forced` occur, of about that many operations."""
        beginnings = [entry for entry in BEGINNINGS if self.rng.random() < 0.4]
        for edge in EDGES:
            beginnings += edge if self.rng.random() < 0.05 else []
        for name, args, kind in beginnings:
            self.emit(name, [arg.replace("$", self.pool[-1][0]) for arg in args], kind)
        for name in forced:
            self.operation(name, 2)
        favorites = self.rng.sample(list(PRIMITIVES), 12)
        while len(self.program) < operations:
            functions = [entry for entry in self.pool if is_function(entry[1])]
            if functions and self.rng.random() < 0.06:
                self.call(*self.rng.choice(functions))
            elif self.rng.random() < 0.08:
                self.union()
            else:
                names = self.rng.choice([OFTEN, favorites, list(PRIMITIVES)])
                self.operation(self.rng.choice(names), 2)
        return self.program

    def emit(self, function: str, args: list[str], kind: Kind) -> tuple[str, Kind]:
        """Add an operation; its variable and kind."""
        target = f"x{len(self.program) + 1}"
        self.program.append(Operation(target, function, tuple(args)))
        self.pool.append((target, kind))
        if not self.varying.isdisjoint((function, *args)):
            self.varying.add(target)
        return target, kind

    def call(self, function: str, kind: Kind) -> tuple[str, Kind]:
        """Add a call of a computed function."""
        args = [self.value(parameter, 1)[0] for parameter in kind[1]]
        return self.emit(function, args, kind[2])

    def union(self) -> tuple[str, Kind]:
        """Add a choice between values of two kinds by what the sample is like."""
        condition = self.value("bool", 1)[0]
        near, other = self.rng.choice(self.pool), self.rng.choice(self.pool)
        if self.rng.random() < 0.4 and is_container(near[1]):
            wider = self.value_for("Container", 1)
            near = self.emit("combine", [near[0], wider[0]], near[1])
        args = [condition, near[0], other[0]]
        return self.emit("branch", args, self.rng.choice([near[1], other[1]]))

    def operation(self, name: str, depth: int) -> tuple[str, Kind]:
        """Add a call of primitive `name`, after what it takes to feed it."""
        filled = self.arguments(PRIMITIVES[name], {}, depth)
        args, kinds = [arg for arg, _ in filled], [kind for _, kind in filled]
        kind = result_of(name, kinds)
        if name == "branch" and self.rng.random() < 0.5:
            kind = kinds[2]
        if self.rng.random() < 0.02:
            args[self.rng.randrange(len(args))] = self.anything()
        return self.emit(name, args, kind)

    def anything(self) -> str:
        """Any name at all, whatever its kind."""
        names = [name for name, _ in self.pool]
        return self.rng.choice([self.rng.choice(names), self.rng.choice(list(LANGUAGE.constants)),
                                self.rng.choice(list(PRIMITIVES))])  # fmt: skip

    # Arguments

    def arguments(
        self, primitive: Primitive, given: dict[int, Kind], depth: int
    ) -> list[tuple[str, Kind]]:
        """A name and kind for every parameter; those `given` by kind alone stay without a name."""
        filled = {position: ("", kind) for position, kind in given.items()}
        if primitive.name in OVER_ELEMENTS:
            self._over_elements(primitive, filled, depth)
        elif primitive.name in ("compose", "chain", "fork") and not given:
            self._combined(primitive.name, filled, depth)
        elif primitive.name in ("rbind", "lbind") and not given:
            self._bound(primitive.name, filled, depth)
        for position, declared in enumerate(primitive.types):
            if position not in filled:
                filled[position] = self._argument(primitive.name, declared.name, filled, depth)
        return [filled[position] for position in range(primitive.arity)]

    def _argument(
        self, name: str, declared: str, filled: dict[int, tuple[str, Kind]], depth: int
    ) -> tuple[str, Kind]:
        """One argument that depends on no other, or little."""
        rng = self.rng
        if declared == "Callable":
            wish = "Integer" if name == "power" else ""
            kind = "int" if wish else rng.choice(EXAMPLES["Any"])
            return self.function((kind,), wish, depth - 1)
        if name in ("rapply",) and declared == "Container":
            return self._functions(filled.get(1, ("", self.example("Any")))[1], depth)
        if name == "power" and rng.random() < 0.8:
            return rng.choice(["ONE", "TWO", "THREE"]), "int"
        if name == "branch" and declared == "Boolean":
            return self.value("bool", max(depth, 1))
        if name in ("other", "remove", "insert", "contained", "combine", "equality", "branch"):
            near = [kind for _, kind in filled.values()]
            if near and rng.random() < 0.5:
                kind = element_of(near[-1]) if name in ("other",) else near[-1]
                if accepts(declared, kind):
                    return self.value(kind, depth - 1)
        return self.value_for(declared, depth)

    def _over_elements(
        self, primitive: Primitive, filled: dict[int, tuple[str, Kind]], depth: int
    ) -> None:
        """The containers, and then a function that takes their elements."""
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
            elements = tuple(element_of(filled[position][1]) for position in containers)
            wish = WISHES.get(primitive.name, "") if self.rng.random() < 0.8 else ""
            filled[place] = self.function(elements, wish, depth - 1)

    def _combined(self, name: str, filled: dict[int, tuple[str, Kind]], depth: int) -> None:
        """The functions that compose, chain and fork make one of, each fitting the next."""
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
        """A primitive of several parameters, and a value for its first or last."""
        chosen = self.rng.choice([p for p in PRIMITIVES.values() if p.arity > 1])
        place = 0 if name == "lbind" else chosen.arity - 1
        given = {
            position: self.example(declared.name)
            for position, declared in enumerate(chosen.types)
            if position != place
        }
        args = self.arguments(chosen, given, depth - 1)
        kinds = [kind for _, kind in args]
        filled[0] = (chosen.name, ("function", tuple(kinds), result_of(chosen.name, kinds)))
        filled[1] = args[place]

    def _functions(self, taken: Kind, depth: int) -> tuple[str, Kind]:
        """A container of functions of a value of that kind."""
        if depth > 0 and self.rng.random() < 0.4:
            container, kind = self.value_for("Container", depth - 1)
            maker, made = self.curried(element_of(kind), taken, depth - 1)
            return self.emit("apply", [maker, container], result_of("apply", [made, kind]))
        pair = [self.function((taken,), "", depth - 1) for _ in range(2)]
        if self.rng.random() < 0.7:
            return self.emit("astuple", [name for name, _ in pair], ("tuple", pair[0][1]))
        single = self.emit("initset", [pair[0][0]], ("set", pair[0][1]))
        return self.emit("insert", [pair[1][0], single[0]], single[1])

    # Values

    def example(self, declared: str) -> Kind:
        """A kind that a parameter of the declared type takes."""
        if declared == "Callable":
            taken = self.rng.choice(EXAMPLES["Any"])
            return ("function", (taken,), self.rng.choice(EXAMPLES["Any"]))
        return self.rng.choice(EXAMPLES[declared])

    def value_for(self, declared: str, depth: int) -> tuple[str, Kind]:
        """A variable or constant for a parameter of the declared type."""
        fitting = [entry for entry in self.pool if accepts(declared, entry[1])]
        if fitting and self.rng.random() < 0.7:
            return self.drawn(fitting)
        return self.value(self.example(declared), depth, fresh=True)

    def drawn(self, entries: list[tuple[str, Kind]]) -> tuple[str, Kind]:
        """One of these variables: mostly one that varies, and rather a late one."""
        varying = [entry for entry in entries if entry[0] in self.varying]
        if varying and self.rng.random() < 0.9:
            entries = varying
        return self.rng.choice(entries[-6:] if self.rng.random() < 0.6 else entries)

    def value(self, kind: Kind, depth: int, fresh: bool = False) -> tuple[str, Kind]:
        """A variable or constant of that kind; `fresh`: a new one."""
        rng = self.rng
        if kind == "int" and rng.random() < 0.1:
            kind = "bool"
        fitting = [entry for entry in self.pool if entry[1] == kind or kind == "any"]
        if kind == "any" or (fitting and not fresh and rng.random() < 0.7):
            return self.drawn(fitting)
        if is_function(kind):
            return self.function(kind[1], "", depth - 1)
        if kind in CONSTANTS and (depth <= 0 or rng.random() < 0.3):
            if kind == "int" and rng.random() < 0.15:
                return rng.choice(LITERALS), kind
            return rng.choice(CONSTANTS[kind]), kind
        return self.made(kind, depth)

    def made(self, kind: Kind, depth: int) -> tuple[str, Kind]:
        """The variable of new operations that give a value of that kind."""
        if kind in MAKERS and depth > 0:
            name = self.rng.choice(MAKERS[kind])
            made, actual = self.operation(name, depth - 1)
            return made, actual if accepts("Any", actual) else kind
        basic = {
            "grid": ("rot180", ["I"]), INDICES: ("asindices", ["I"]), OBJECT: ("asobject", ["I"]),
            OBJECTS: ("partition", ["I"]),
        }  # fmt: skip
        if kind == "cell":
            return self.emit("first", [self.value(OBJECT, depth - 1)[0]], "cell")
        if kind in basic:
            return self.emit(*basic[kind], kind)
        if depth > 0 and self.rng.random() < 0.4:
            container, actual = self.value_for("Container", depth - 1)
            maker, _ = self.function((element_of(actual),), "", depth - 1)
            return self.emit("apply", [maker, container], kind)
        element, _ = self.value(element_of(kind), depth - 1)
        if kind[0] == "set":
            if self.rng.random() < 0.5:
                other, _ = self.another(element_of(kind), depth - 1)
                single, _ = self.emit("initset", [element], kind)
                return self.emit("insert", [other, single], kind)
            return self.emit("initset", [element], kind)
        if self.rng.random() < 0.5:
            other, _ = self.another(element_of(kind), depth - 1)
            return self.emit("astuple", [element, other], kind)
        return self.emit("repeat", [element, self.rng.choice(["ONE", "TWO", "THREE"])], kind)

    def another(self, kind: Kind, depth: int) -> tuple[str, Kind]:
        """A value to go with one of that kind, now and then of another."""
        if kind == "int" and self.rng.random() < 0.2:
            return self.value("bool", depth)
        return self.value(kind if self.rng.random() < 0.8 else self.example("Any"), depth)

    # Functions

    def function(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """A function of arguments of these kinds; `wish`: the declared type it had best give."""
        made = self._function(taken, wish, depth)
        for _ in range(2):
            if not wish or accepts(wish, made[1][2]):
                break
            made = self._function(taken, wish, depth)
        return made

    def _function(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        pooled = [entry for entry in self.pool if is_function(entry[1]) and entry[1][1] == taken]
        if pooled and self.rng.random() < 0.2:
            return self.rng.choice(pooled)
        forms = ["primitive"] * 5
        if depth > -2:
            forms += ["bound"] * 5
        if depth > -1:
            forms += COMBINED if len(taken) == 1 else []
            forms += ["curried"] if len(taken) == 1 and not wish else []
        form = self.rng.choice(forms)
        if form == "primitive":
            return self.plain(taken, wish, depth)
        if form == "bound":
            return self.partial(taken, wish, depth)
        if form == "curried":
            return self.curried(taken[0], None, depth)
        return self.combined(form, taken, wish, depth)

    def plain(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """A primitive of as many parameters."""
        fitting = [
            p
            for p in PRIMITIVES.values()
            if p.arity == len(taken)
            and all(accepts(t.name, k) for t, k in zip(p.types, taken, strict=True))
        ]
        wished = [p for p in fitting if wish and accepts(wish, result_of(p.name, list(taken)))]
        if not fitting:
            return self.partial(taken, wish, depth)
        # Most take anything; those that ask for more make the better programs.
        strict = [p for p in fitting if p.types[0].name not in ("Any", "Container")]
        choices = wished or (strict if strict and self.rng.random() < 0.6 else fitting)
        chosen = self.rng.choice(choices)
        return chosen.name, ("function", taken, result_of(chosen.name, list(taken)))

    def partial(self, taken: tuple[Kind, ...], wish: str, depth: int) -> tuple[str, Kind]:
        """A primitive of more parameters, those before or behind bound to values."""
        extra = 2 if self.rng.random() < 0.2 else 1
        before = self.rng.randrange(extra + 1)
        fitting = [p for p in PRIMITIVES.values() if p.arity == len(taken) + extra
                   and all(accepts(p.types[before + k].name, kind)
                           for k, kind in enumerate(taken))]  # fmt: skip
        wished = [p for p in fitting if p.result.name == wish]
        if not fitting:
            return "identity", ("function", taken, taken[0] if taken else "any")
        chosen = self.rng.choice(wished if wished and self.rng.random() < 0.8 else fitting)
        given = {before + k: kind for k, kind in enumerate(taken)}
        filled = self.arguments(chosen, given, depth)
        kinds = [kind for _, kind in filled]
        result = result_of(chosen.name, kinds)
        name, kind = chosen.name, ("function", tuple(kinds), result)
        for arg, _ in filled[:before]:
            kind = ("function", kind[1][1:], result)
            name, _ = self.emit("lbind", [name, arg], kind)
        for arg, _ in reversed(filled[before + len(taken) :]):
            kind = ("function", kind[1][:-1], result)
            name, _ = self.emit("rbind", [name, arg], kind)
        return name, kind

    def curried(self, taken: Kind, then: Kind | None, depth: int) -> tuple[str, Kind]:
        """A function that gives a function: its argument bound to a primitive, or to more.

        then: what the function it gives is to take.
        """
        left = self.rng.random() < 0.6
        fitting = [
            p
            for p in PRIMITIVES.values()
            if p.arity == 2
            and accepts(p.types[0 if left else 1].name, taken)
            and (then is None or accepts(p.types[1 if left else 0].name, then))
        ]
        if not fitting:
            return self.plain((taken,), "", depth)
        chosen = self.rng.choice(fitting)
        rest = self.example(chosen.types[1 if left else 0].name) if then is None else then
        kinds = [taken, rest] if left else [rest, taken]
        inner = ("function", (rest,), result_of(chosen.name, kinds))
        binder = "lbind" if left else "rbind"
        return self.emit("lbind", [binder, chosen.name], ("function", (taken,), inner))

    def combined(
        self, form: str, taken: tuple[Kind, ...], wish: str, depth: int
    ) -> tuple[str, Kind]:
        """A function that calls functions."""
        inner, kind = self.function(taken, "", depth - 1)
        if form == "power":
            times = self.rng.choice(["ONE", "TWO", "TWO", "THREE", self.value("int", 0)[0]])
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


def program_of(seed: int, number: int, operations: int = 40) -> Program:
    """Program `number` of that seed. Every primitive occurs in any 20 programs that follow."""
    deck = sorted(PRIMITIVES)
    Random(seed).shuffle(deck)
    forced = [deck[(8 * number + k) % len(deck)] for k in range(8)]
    rng = Random(f"{seed}:{number}")
    return Generator(rng).grow(forced, rng.randint(operations // 2, operations))
