"""Sources, programs and generated modules for the tests."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from hypothesis import strategies as st

from megabatt.codegen.check import check
from megabatt.codegen.emit import render
from megabatt.codegen.language import Language
from megabatt.codegen.read_jsonl import read_jsonl
from megabatt.codegen.read_python import Reading, Speech
from megabatt.codegen.read_text import read_text
from megabatt.runtime.merging import merge
from megabatt.runtime.program import Program
from tests.codegen import toy_engine, toy_language
from tests.megabatch.commands import megabatt


def programs_of(text: str, file: str = "a.py") -> list[Program]:
    programs, errors = check_text(text, file)
    assert errors == []
    return programs


def check_text(text: str, file: str = "a.py") -> tuple[list[Program], list[str]]:
    return checked(text, toy_language.LANGUAGE, file)


def checked(
    text: str, language: Language, file: str = "a.py", warn: Callable[..., None] = lambda _: None
) -> tuple[list[Program], list[str]]:
    """Read and check a source. Returns its programs, and a line for each mistake."""
    reading = Reading([], [], [])
    read = read_jsonl if file.endswith(".jsonl") else read_text
    read(file, text, Speech(language), reading)
    programs = check(reading.programs, language, warn)
    return programs, [str(error) for error in sorted(set(reading.errors))]


def generate(programs: list[Program]) -> dict[str, str]:
    return render(programs, merge(programs), toy_language.LANGUAGE, "tests.codegen.toy_language")


def load(text: str) -> types.ModuleType:
    """Execute generated code against the toy engine."""
    module = types.ModuleType("generated")
    with patch.dict(sys.modules, {"megabatt.runtime.engine": toy_engine}):
        exec(compile(text, "generated", "exec"), module.__dict__)
    return module


def assert_formatted(files: dict[str, str], folder: Path) -> None:
    """Assert that Ruff finds nothing in files, given by their names, and would format none."""
    for name, text in files.items():
        (folder / name).write_text(text)
    options = ["--isolated", "--line-length", "100"]
    for words in (["check", "--select", "E,F,W"], ["format", "--diff"]):
        command = [sys.executable, "-m", "ruff", *words, *options, folder]
        told = subprocess.run(command, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout


def run_codegen(
    *arguments: object, cwd: Path, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run `megabatt compile` on the toy language. Asserts that it ends with a status."""
    words = ["compile", "--language", "tests.codegen.toy_language", *arguments]
    return megabatt(*words, cwd=cwd, status=status)


Operations = list[list[object]]
"""[[target, function, arguments ...], ...], as in a JSONL source."""


@st.composite
def operation_lists(draw: st.DrawFn) -> Operations:
    """Draw well-formed operation lists over few names, so that solvers repeat each other's work."""
    operations: Operations = []
    variables: list[str] = []
    for number in range(draw(st.integers(1, 8))):
        atoms = st.sampled_from(["A", "B", "ONE", "TWO", "YES", "add", "negate", *variables])
        values = st.one_of(atoms, st.integers(-2, 2))
        computed = draw(st.booleans()) if variables else False
        if computed:
            function, arity = draw(st.sampled_from(variables)), draw(st.integers(1, 2))
        else:
            function = draw(st.sampled_from(sorted(toy_language.LANGUAGE.primitives)))
            arity = toy_language.LANGUAGE.primitives[function].arity
        target = draw(st.sampled_from([*variables, f"v{number}"]))
        operations.append([target, function, *(draw(values) for _ in range(arity))])
        if target not in variables:
            variables.append(target)
    return operations


def solver_source(name: str, operations: Operations) -> str:
    """Return an operation list as a Python solver that returns the last target."""
    lines = [
        f"    {target} = {function}({', '.join(map(str, arguments))})"
        for target, function, *arguments in operations
    ]
    return "\n".join([f"def {name}(A):", *lines, f"    return {operations[-1][0]}", ""])


def source(lists: list[Operations]) -> str:
    return "".join(
        solver_source(f"solve_{number}", operations) for number, operations in enumerate(lists)
    )


def interpret(operations: Operations, inputs: dict[str, object]) -> object:
    """Compute what an operation list means by the definition: failures take the default."""
    values: dict[object, object] = {**toy_language.LANGUAGE.constants, **inputs}
    for name in toy_language.LANGUAGE.primitives:
        values[name] = getattr(toy_language, name)
    for target, function, *arguments in operations:
        operands = [values[a] if isinstance(a, str) else a for a in arguments]
        try:
            result = values[function](*operands)
        except Exception:
            result = _default(function)
        values[target] = result
    return values[operations[-1][0]]


def _default(function: object) -> object:
    return eval(toy_language.LANGUAGE.default_source(str(function)), vars(toy_language))
