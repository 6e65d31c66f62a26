"""Turns blocks into Python source, with the templates of `templates/`."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from megabatt.codegen import layout
from megabatt.codegen.language import Language, home_of
from megabatt.codegen.merge import last_uses, merge, numbers_in
from megabatt.codegen.solver import Block, NumberedOperation, Operand

_TEMPLATES = Path(__file__).parent.parent / "templates"
_ENGINE = {"megabatt.runtime.engine": {"Sequential", "Vectorized"}}


@dataclass(frozen=True)
class _Step:
    """An operation as the templates print it."""

    number: int
    target: str
    function: str
    arguments: list[str]
    default: str
    freed: list[str]
    solver: str
    """The solver of this operation; empty if the operation before has the same one."""


@dataclass(frozen=True)
class _Function:
    """A block as the templates print it: in both forms, under one name."""

    name: str
    inputs: list[str]
    steps: list[_Step]
    outputs: list[str]


def render(
    blocks: Sequence[Block], merged: Block, language: Language, language_module: str
) -> dict[str, str]:
    """Render the generated package.

    Args:
        blocks: the block of each solver.
        merged: all of them merged.
        language: the language that the solvers are written in.
        language_module: the module that generated code imports it from.

    Returns:
        The text of each file, by its name. Equal arguments give equal text.
    """
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
        inputs=list(language.inputs),
    )
    alone = [merge([block]) for block in blocks]
    return {
        "__init__.py": environment.get_template("package.py.jinja").render(),
        "solvers.py": environment.get_template("solvers.py.jinja").render(
            imports=_imports(alone, language, language_module),
            solvers=[_function(_only_output(block), block, language) for block in alone],
        ),
        "batt.py": environment.get_template("batt.py.jinja").render(
            imports=_imports([merged], language, language_module),
            batt=_function("batt", merged, language),
            solvers={_only_output(block): numbers_in(merged, block) for block in alone},
        ),
    }


def _only_output(block: Block) -> str:
    (name,) = block.outputs
    return name


def _function(name: str, block: Block, language: Language) -> _Function:
    used = _globals(block)
    return _Function(
        name=name,
        inputs=[input_name for input_name in language.inputs if input_name in used],
        steps=_steps(block, language),
        outputs=[f'"{solver}": {_text(value)}' for solver, value in block.outputs.items()],
    )


def _steps(block: Block, language: Language) -> list[_Step]:
    freed = last_uses(block)
    steps = []
    solver = ""
    for number, operation in enumerate(block.operations, start=1):
        steps.append(
            _Step(
                number=number,
                target=_text(number),
                function=_text(operation.function),
                arguments=[_text(argument) for argument in operation.arguments],
                default=_default(operation, language),
                freed=[_text(value) for value in freed.get(number, ())],
                solver="" if operation.solver == solver else operation.solver,
            )
        )
        solver = operation.solver
    return steps


def _text(operand: Operand) -> str:
    return f"x{operand}" if isinstance(operand, int) else operand


def _default(operation: NumberedOperation, language: Language) -> str:
    """Return the source of an operation's safe default."""
    if isinstance(operation.function, int):
        return language.unknown_default_source
    return language.default_source(operation.function)


def _globals(block: Block) -> set[str]:
    """Return the texts of all operands that no operation computes."""
    operands = [operand for operation in block.operations for operand in operation.operands]
    operands.extend(block.outputs.values())
    return {operand for operand in operands if isinstance(operand, str)}


def _imports(
    blocks: Sequence[Block], language: Language, language_module: str
) -> list[tuple[str, list[str]]]:
    """List the modules to import from and the names to import, as isort sorts them."""
    modules = {module: set(names) for module, names in _ENGINE.items()}
    modules[language_module] = {"LANGUAGE"}
    for block in blocks:
        for name in _globals(block):
            if name in language.primitives:
                home = home_of(language.primitives[name], language_module)
                modules.setdefault(home, set()).add(name)
            elif name in language.constants:
                modules.setdefault(language_module, set()).add(name)
        if names := _defaults(block, language):
            modules.setdefault(language_module, set()).update(names)
    return [
        (module, sorted(modules[module], key=_isort_key))
        for module in sorted(modules, key=_natural_key)
    ]


def _defaults(block: Block, language: Language) -> set[str]:
    """Return the safe defaults that are names; the language exports them."""
    sources = {_default(operation, language) for operation in block.operations}
    return {source for source in sources if source.isidentifier() and not keyword.iskeyword(source)}


def _isort_key(name: str) -> tuple[int, list[tuple[int, int, str]], str]:
    """Sort constants first, then classes, then the rest; a lone capital letter is a class."""
    if len(name) > 1 and name.isupper():
        kind = 0
    else:
        kind = 1 if name[0].isupper() else 2
    return kind, _natural_key(name.lower()), name


def _natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sort rot90 before rot180: compare numbers in names as numbers."""
    parts = re.findall(r"[0-9]+|[^0-9]", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
