"""Primitives and languages, after JAX's table of primitives and rules.

A primitive is declared once, by its scalar form. A second form may stand beside it: in a language
of columns a rule, see `engine.columns.rules`, in a language of words a compiled form, see
`engine.machine.forms`. Without a second form, the scalar form computes the primitive's lanes.

Primitives outside of a language are in a table of `Primitives`; languages that include the table
share its functions and forms, and may have safe defaults of their own.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeVar, get_origin, get_type_hints, overload

from megabatt.runtime.engine.language.charges import Charge, Measure, OfResult, charge_name
from megabatt.runtime.engine.language.estimating import Estimate
from megabatt.runtime.engine.language.limits import charge as charge_budget
from megabatt.runtime.engine.language.policy import Policy, use, using
from megabatt.runtime.engine.language.types import Declared
from megabatt.runtime.engine.language.values import Function, identical, of_language, show
from megabatt.runtime.vocabulary import did_you_mean

_MEANT = {int: "Integer", bool: "Boolean", tuple: "Tuple", frozenset: "FrozenSet"}
"""The types of any language that stand for Python's types."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(eq=False, repr=False)
class Primitive:
    """A primitive: its name, signature, charge, scalar form, and a rule or a compiled form.

    function: The scalar form with checks of arguments and charges: a plain Python function.
    body: The scalar form as it was written.
    charge: The declared charge of a call.
    builds, chooses, each: See `Primitives.primitive`.
    rule: (frame, *columns) -> column, with columns cast to the declared types.
    compiled: The routine of the compiled form, see `engine.machine.forms`.

    A primitive that draws at random takes a number as its last argument, of a type that is
    `numbered`. Programs leave out this argument; their calls of such primitives are numbered in
    order: two calls are two draws, and equal programs make equal draws.
    """

    body: Callable[..., Any]
    charge: Charge | None = None
    builds: type[Function] | None = None
    chooses: bool = False
    each: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        self.name = self.body.__name__
        self.module = self.body.__module__
        signature = inspect.signature(self.body).parameters
        for parameter in signature.values():
            if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                line = f"{parameter} is not positional: programs give values by their places"
                raise TypeError(f"primitive {self.name}: {line}")
        self.parameters = tuple(signature)
        self.arity = len(signature)
        self._check_charge()
        self._check_each()
        hints = get_type_hints(self.body, include_extras=True)
        self.types = tuple(self._declared(hints, name) for name in self.parameters)
        self.result = self._declared(hints, "return")
        guards = [declared.guard("", {}) for declared in self.types]
        if self.chooses and (guards != [None] * 3 or self.charge is not None):
            parameters = "a condition and two values, each of type Any, and charges nothing"
            raise TypeError(f"primitive {self.name} chooses: it takes {parameters}")
        self.rule: Callable[..., Any] | None = None
        self.compiled: Any = None
        self.function = self._checked()

    def _check_charge(self) -> None:
        """Raise TypeError if the charge cannot be computed from the arguments."""
        charge, given = self.charge, f"({', '.join(self.parameters)})"
        if charge is None or isinstance(charge, int | OfResult):
            return
        if not callable(charge):
            what = "a number, a measure, or a function of the arguments"
            raise TypeError(f"primitive {self.name}: charge={charge!r} must be {what}")
        try:
            taken = inspect.signature(charge)
            taken.bind(*self.parameters[: 1 if isinstance(charge, Measure) else None])
        except ValueError:  # functions not written in Python may have no signature
            return
        except TypeError as error:
            own = f"its charge {charge_name(charge)} takes {taken}"
            raise TypeError(f"primitive {self.name} takes {given}, {own}") from error

    def _check_each(self) -> None:
        """Raise TypeError if `each` names what is no parameter."""
        for one in self.each or ():
            if one not in self.parameters:
                says = f"primitive {self.name} has no parameter {one!r}, as each= says"
                raise TypeError(f"{says}{did_you_mean(one, self.parameters)}")

    def _declared(self, hints: dict[str, Any], name: str) -> Declared:
        hint = hints.get(name)
        for note in getattr(hint, "__metadata__", ()):
            if isinstance(note, Declared):
                return note
        kind = get_origin(hint) or hint  # of tuple[int, ...], tuple
        meant = f": write {_MEANT[kind]} for {kind.__name__}" if kind in _MEANT else ""
        line = f"{name} is not annotated with a type of the language{meant}"
        raise TypeError(f"primitive {self.name}: {line}")

    @property
    def numbered(self) -> bool:
        """Whether its last argument is a number that programs leave out."""
        return bool(self.types) and self.types[-1].numbered

    def _checked(self) -> Callable[..., Any]:
        """Generate a fast function that checks its arguments, pays, and calls the body."""

        def body(*args: Any) -> Any:
            return of_language(self.body(*args))  # no other form checks the result

        scope: dict[str, Any] = {"body": body, "__name__": self.module}
        lines = [f"def {self.name}({', '.join(self.parameters)}):"]
        for k, (parameter, declared) in enumerate(zip(self.parameters, self.types, strict=True)):
            guard = declared.guard(parameter, scope)
            if guard is not None:
                scope[f"check_{k}"] = partial(_checked, declared, parameter)
                lines.append(f"    if {guard}: {parameter} = check_{k}({parameter})")
        if self.each is not None:
            scope["_require"] = _ESTIMATE.require_for_each
            lines.append(f"    _require({', '.join(self.each)})")
        lines += self._paid_body(scope)
        exec(compile("\n".join(lines), f"<checks of {self.name}>", "exec"), scope)
        function: Callable[..., Any] = scope[self.name]
        function.__doc__ = self.body.__doc__
        function.__qualname__ = self.body.__qualname__
        function.__annotations__ = self.body.__annotations__
        return function

    def declare_rule(self, rule: Callable[..., Any]) -> None:
        """Set the rule of the primitive. The body's result is no longer checked.

        Raises TypeError if the primitive has a compiled form, or a type has no cast of columns.
        """
        if self.compiled is not None:
            raise TypeError(f"{self.name} has a compiled form: a primitive has that or a rule")
        for declared in self.types:
            if declared.cast is None:
                raise TypeError(f"{self.name} can have no rule: no column is of {declared.name}")
        self.rule = rule
        self.function.__globals__["body"] = self.body

    def declare_compiled(self, compiled: Any) -> None:
        """Set the compiled form; results of megabatt's own bodies are no longer checked.

        Raises TypeError if the primitive has a rule.
        """
        if self.rule is not None:
            raise TypeError(f"{self.name} has a rule: a primitive has that or a compiled form")
        self.compiled = compiled
        if self.module.startswith("megabatt."):
            self.function.__globals__["body"] = self.body

    @property
    def modules(self) -> list[str]:
        """The modules of the scalar form and of the second form."""
        second = self.rule if self.compiled is None else self.compiled.function
        return [self.module] if second is None else [self.module, second.__module__]

    def charged(self, *args: Any) -> Any:
        """Return the charge, 0 for none, that a call with these arguments pays before the body.

        The arguments are values, columns, or expressions on words, and so is the charge.
        """
        charge = self.charge
        if charge is None or isinstance(charge, OfResult):
            return 0
        if isinstance(charge, int):
            return charge
        return charge(args[0]) if isinstance(charge, Measure) else charge(*args)

    def _paid_body(self, scope: dict[str, Any]) -> list[str]:
        """Return the source that pays the charge and calls the body."""
        arguments, charge = ", ".join(self.parameters), self.charge
        measure = charge.measure if isinstance(charge, OfResult) else charge
        scope |= {"_charge": charge_budget, "_cost": getattr(measure, "of_value", measure)}
        if charge is None:
            return [f"    return body({arguments})"]
        if isinstance(charge, OfResult):
            call = f"    result = body({arguments})"
            return [call, "    _charge(_cost(result))", "    return result"]
        measured = self.parameters[0] if isinstance(charge, Measure) else arguments
        cost = str(charge) if isinstance(charge, int) else f"_cost({measured})"
        return [f"    _charge({cost})", f"    return body({arguments})"]


def _checked(declared: Declared, parameter: str, value: Any) -> Any:
    """Return an argument as primitives take it. Raises a TypeError that names the parameter."""
    try:
        return declared.check(value)
    except TypeError:
        raise TypeError(f"`{parameter}` {declared.expected(value)}") from None


_PRIMITIVES: dict[Any, Primitive] = {}
_BUILDERS: dict[type[Function], Primitive] = {}


def primitive_of(function: Any) -> Primitive | None:
    """Return the primitive whose scalar form is this function, or None."""
    try:
        return _PRIMITIVES.get(function)
    except TypeError:
        return None


_ESTIMATE = Estimate(primitive_of)


def the_primitive(function: Any) -> Primitive:
    """Return the primitive whose scalar form is this function. Raises TypeError for none."""
    primitive = primitive_of(function)
    if primitive is None:
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"{name} is no primitive: declare its scalar form with @primitive first")
    return primitive


def builder_of(kind: type[Function]) -> Primitive | None:
    """Return the primitive that builds functions of a kind, or None."""
    return _BUILDERS.get(kind)


class Primitives:
    """A table of primitives outside of any language, which languages include."""

    def __init__(self) -> None:
        self.primitives: dict[str, Primitive] = {}

    @overload
    def primitive(self, body: F) -> F: ...

    @overload
    def primitive(
        self, *, charge: Charge | None = None, builds: type[Function] | None = None,
        chooses: bool = False, each: tuple[str, str] | None = None, replace: bool = False,
    ) -> Callable[[F], F]: ...  # fmt: skip

    def primitive(
        self,
        body: Any = None,
        *,
        charge: Charge | None = None,
        builds: type[Function] | None = None,
        chooses: bool = False,
        each: tuple[str, str] | None = None,
        replace: bool = False,
    ) -> Any:
        """Add a primitive, given by its scalar form: plain Python with annotated parameters.

        A primitive of another language is shared.

        Args:
            body: The scalar form; leave it out to use `@primitive(...)` as a decorator with
                options.
            charge: The elements that a call counts against `max_elements`: a number; a measure of
                the first argument; a function of all arguments that returns sums and products of
                measures; or `OfResult(measure)`, a measure of the result. By default a call counts
                only the charges of the functions that it calls.
            builds: The kind of function that the primitive builds, if it does nothing else and does
                not look into arguments of type Any.
            chooses: The primitive returns its second argument if the first is true in Python's
                sense, else the third. Within a program's own function only the chosen argument is
                computed.
            each: Two parameters: a function, and the container whose elements it is called on, one
                by one. Each call is charged `call_cost`.
            replace: Replace a primitive of the same name.

        Returns:
            The function to call, which checks its arguments and pays the charge.

        Raises:
            TypeError: A parameter is not annotated with a type of the language, the charge cannot
                be computed from the arguments, or a primitive that chooses has other parameters
                than three of type Any, or a charge.
            ValueError: The name is taken.
        """
        if body is None:
            return partial(
                self.primitive, charge=charge, builds=builds, chooses=chooses, each=each,
                replace=replace,
            )  # fmt: skip
        primitive = primitive_of(body)
        if primitive is None or charge is not None or builds is not None or chooses or each:
            primitive = Primitive(body, charge, builds, chooses, each)
        taken = self.primitives.get(primitive.name)
        if taken is not None and taken is not primitive and not replace:
            line = f"there is a primitive {primitive.name} already, of {taken.module}"
            raise ValueError(f"{line}; replace=True puts another in its place")
        self.primitives[primitive.name] = primitive
        _PRIMITIVES[primitive.function] = primitive
        if builds is not None:
            builds.name = primitive.name
            _BUILDERS[builds] = primitive
        return primitive.function


class Language(Primitives):
    """A language: its primitives, constants, inputs and policy.

    inputs            the names of the inputs
    policy            the decisions on values, see `Policy`
    shared            the input that all samples of a group have in common, or None
    expected          the input with the expected output of a sample, or None
    unknown_default   the safe default of a failed call of a computed function
    of_words          whether it is a language of words: its values are Integers, Booleans, tuples,
                      sets and functions, and the machine runs its programs. Any other language is
                      of columns: of reals and arrays, with rules
    operators         the primitive on two Integers for each of Python's operators, such as "+"
    same              compares two results: bit for bit, or within a tolerance
    """

    def __init__(
        self,
        inputs: tuple[str, ...],
        constants: Mapping[str, Any],
        *,
        policy: Policy | None = None,
        same: Callable[[Any, Any], bool] = identical,
        shared: str | None = None,
        expected: str | None = None,
        unknown_default: Any = (),
        operators: Mapping[str, str] | None = None,
    ) -> None:
        """Make a language. Raises ValueError if `shared` or `expected` is no input."""
        super().__init__()
        for name in (shared, expected):
            if name is not None and name not in inputs:
                raise ValueError(f"{name!r} is not an input ({', '.join(inputs)})")
        self.inputs = inputs
        self.constants = dict(constants)
        self.policy = Policy() if policy is None else policy
        self.same = same
        self.of_words = self.policy.fits_words and self.exact
        self.shared = shared
        self.expected = expected
        self.operators = dict(operators or {})
        self.unknown_default = unknown_default
        self._defaults: dict[Primitive, Any] = {}

    @property
    def max_elements(self) -> int:
        """The default number of elements that an operation may build."""
        return self.policy.max_elements

    @property
    def integers(self) -> tuple[int, int]:
        """The least and the greatest Integer."""
        return self.policy.integers

    @property
    def exact(self) -> bool:
        """Whether only results that are equal bit for bit are the same."""
        return self.same is identical

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the language as LANGUAGE of its module, with the modules of its primitives."""
        for name, module in list(sys.modules.items()):
            if getattr(module, "LANGUAGE", None) is self:
                return _language_in, (name, self.modules)
        raise TypeError("only the LANGUAGE of a module goes to other processes")

    @property
    def named(self) -> tuple[Any, ...]:
        """The constants' names, and the primitives by name: a key for caches of what words mean."""
        return (*self.constants, *self.primitives.items())

    @property
    def modules(self) -> list[str]:
        """The modules of the primitives, except those that Python runs as a script or notebook."""
        every = {module for one in self.primitives.values() for module in one.modules}
        return sorted(every - {"__main__"})

    def use(self) -> None:
        """Make this thread use the language's policy from now on."""
        use(self.policy)

    def in_use(self) -> AbstractContextManager[None]:
        """Return a context in which this thread uses the language's policy."""
        return using(self.policy)

    def include(self, others: Primitives, defaults: Mapping[str, Any] | None = None) -> None:
        """Include a table of primitives; languages share their functions and forms.

        defaults: Safe defaults of this language for some of the primitives, by name. Raises
        ValueError if the language already has a primitive of the same name, or `defaults` names a
        primitive that is not in the table.
        """
        defaults = defaults or {}
        if taken := self.primitives.keys() & others.primitives:
            raise ValueError(f"the language has a primitive {min(taken)} already")
        if unknown := defaults.keys() - others.primitives:
            raise ValueError(f"a default for {min(unknown)}, which is not included")
        self.primitives.update(others.primitives)
        self._defaults |= {others.primitives[name]: value for name, value in defaults.items()}

    def default_of(self, function: Any) -> Any:
        """Return the safe default of calls of a primitive or a computed function."""
        primitive = primitive_of(function)
        if primitive is None:
            return self.unknown_default
        return self._defaults.get(primitive, primitive.result.default)

    def default_source(self, name: str) -> str:
        """Return the source of the safe default of the function of this name in the language."""
        primitive = self.primitives.get(name)
        function = self.constants.get(name) if primitive is None else primitive.function
        return show(self.default_of(function))


def _language_in(module: str, modules: list[str]) -> Language:
    language: Language = import_module(module).LANGUAGE
    for one in modules:
        import_module(one)
    return language
