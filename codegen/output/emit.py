"""Turns programs into Python source, with the templates of `templates/`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from keyword import iskeyword
from pathlib import Path
from typing import Any

import jinja2

from megabatt.codegen.language import Language, home_of
from megabatt.codegen.output import layout
from megabatt.runtime.merging import merge
from megabatt.runtime.program import Lambda, Operation, Program, Word

_TEMPLATES = Path(__file__).parents[2] / "templates"
_ENGINE = "megabatt.runtime.engine"
_CODING = "megabatt.runtime.engine.language.coding"


@dataclass(frozen=True)
class _Step:
    """An operation as the templates print it."""

    number: int
    target: Word
    function: str
    arguments: list[str]
    default: str
    freed: list[Word]
    solver: str
    """The solver of this operation; empty if it is the solver of the previous operation."""


@dataclass(frozen=True)
class _Function:
    """Merged programs as the templates print them: in both forms, under one name."""

    name: str
    inputs: list[str]
    steps: list[_Step]
    outputs: list[str]


FILES = ("__init__.py", "solvers.py", "batt.py")
"""The names of the files of a generated package."""


def render(
    programs: Sequence[Program], merged: Sequence[Program], language: Language, language_module: str
) -> dict[str, str]:
    """Render the generated package.

    Args:
        programs: the program of each solver.
        merged: the same programs merged.
        language: the language that the solvers are written in.
        language_module: the module that generated code imports the language from.

    Returns:
        The text of each file, by its name. Equal arguments give equal text.
    """
    environment = _environment(tuple(language.inputs))
    alone = [merge([program]) for program in programs]
    of_alone = _Closures(program for part in alone for program in part)
    of_merged = _Closures(merged)
    numbers = {row: number for number, row in enumerate(operations_of(merged), start=1)}
    texts = (
        environment.get_template("package.py.jinja").render(),
        environment.get_template("solvers.py.jinja").render(
            imports=_imports(alone, language, language_module, of_alone),
            closures=of_alone.definitions,
            solvers=[_function(part[0].name, part, language, of_alone) for part in alone],
        ),
        environment.get_template("batt.py.jinja").render(
            imports=_imports([merged], language, language_module, of_merged),
            closures=of_merged.definitions,
            batt=_function("batt", merged, language, of_merged),
            solvers={
                program.name: [numbers[row] for row in program.operations] for program in merged
            },
        ),
    )
    return dict(zip(FILES, texts, strict=True))


@cache
def _environment(inputs: tuple[str, ...]) -> jinja2.Environment:
    """Return the environment of the templates, which are compiled once. inputs: A language's."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        call=layout.call,
        call_with_dictionary=layout.call_with_dictionary,
        collection=layout.collection,
        entry=layout.entry,
        words=layout.words,
        inputs=list(inputs),
    )
    return environment


def operations_of(merged: Iterable[Program]) -> dict[Operation, str]:
    """Return the operations of merged programs in order, each with its first program."""
    operations: dict[Operation, str] = {}
    for program in merged:
        for operation in program.operations:
            operations.setdefault(operation, program.name)
    return operations


def last_uses(merged: Sequence[Program]) -> dict[Operation, list[Word]]:
    """Find the last use of each variable of merged programs (liveness).

    Returns:
        For each operation, the variables that no later operation uses, in order. Variables that a
        program returns are used to the end and never occur.
    """
    operations = list(operations_of(merged))
    numbers = {operation[0]: number for number, operation in enumerate(operations)}
    needed = {program.returns for program in merged}
    freed = {}
    for operation in reversed(operations):
        used = (numbers.keys() & operation[1:]) - needed
        freed[operation] = sorted(used, key=numbers.__getitem__)
        needed |= used
    return freed


class _Closures:
    """Collects the programs' own functions, which become constants of the generated module.

    definitions: The source of each function, inner functions first.
    """

    def __init__(self, merged: Iterable[Program]) -> None:
        self.definitions: list[str] = []
        self._names: dict[str, str] = {}
        for program in merged:
            for word in (*chain.from_iterable(program.operations), program.returns):
                self.text(word)

    def text(self, word: Word) -> str:
        """Return the source of a word; a `Lambda` becomes the name of a constant."""
        if not isinstance(word, Lambda):
            return str(word)
        key = str(word)
        if key not in self._names:
            definition = self._definition(word)  # inner functions get their names first
            self._names[key] = name = f"CLOSURE_{len(self._names) + 1}"
            self.definitions.append(layout.nested(f"{name} = closure", definition))
        return self._names[key]

    def _definition(self, function: Lambda) -> list[Any]:
        rows = [tuple(map(self._quoted, operation)) for operation in function.operations]
        captured, parameters = (
            tuple(map(self._quoted, names)) for names in (function.captured, function.parameters)
        )
        return ["LANGUAGE", captured, parameters, rows, self._quoted(function.returns)]

    def _quoted(self, word: Word) -> str:
        return f'"{word}"' if isinstance(word, str) else self.text(word)


def _function(
    name: str, merged: Sequence[Program], language: Language, closures: _Closures
) -> _Function:
    read = _words(merged)
    return _Function(
        name=name,
        inputs=[input_name for input_name in language.inputs if input_name in read],
        steps=_steps(merged, language, closures),
        outputs=[f'"{program.name}": {closures.text(program.returns)}' for program in merged],
    )


def _steps(
    merged: Sequence[Program], language: Language, closures: _Closures
) -> list[_Step]:
    freed = last_uses(merged)
    steps = []
    last = ""
    for number, (operation, solver) in enumerate(operations_of(merged).items(), start=1):
        target, function, *arguments = operation
        steps.append(
            _Step(
                number=number,
                target=target,
                function=closures.text(function),
                arguments=list(map(closures.text, arguments)),
                default=language.default_source(str(function)),
                freed=freed[operation],
                solver="" if solver == last else solver,
            )
        )
        last = solver
    return steps


def _words(merged: Iterable[Program]) -> set[str]:
    """Return the texts of all words of merged programs."""
    words = {program.returns for program in merged}
    return set(map(str, words.union(*operations_of(merged))))


def _imports(
    groups: Iterable[Sequence[Program]],
    language: Language,
    language_module: str,
    closures: _Closures,
) -> list[tuple[str, list[str]]]:
    """List the modules to import from and the names to import, sorted.

    Safe defaults that are names are imported too. Modules that declare second forms alone come
    first, without names.
    """
    modules = {_ENGINE: {"Sequential", "Vectorized"}}
    if closures.definitions:
        modules[_CODING] = {"closure"}
    of_language = modules[language_module] = {"LANGUAGE"}
    of_forms: set[str] = set()
    for merged in groups:
        for word in _words(merged):
            if word in language.primitives:
                primitive = language.primitives[word]
                modules.setdefault(home_of(primitive, language_module), set()).add(word)
                of_forms |= {one for one in primitive.modules if not one.startswith("megabatt.")}
            elif word in language.constants:
                of_language.add(word)
        defaults = {language.default_source(str(row[1])) for row in operations_of(merged)}
        of_language |= {text for text in defaults if text.isidentifier() and not iskeyword(text)}
    alone: list[tuple[str, list[str]]] = [(one, []) for one in sorted(of_forms - modules.keys())]
    return alone + [(module, sorted(modules[module])) for module in sorted(modules)]
