"""Sources, programs and generated modules for the tests."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from megabatt.codegen.check import check
from megabatt.codegen.language import Language
from megabatt.codegen.output.emit import render
from megabatt.codegen.sources.jsonl import read_jsonl
from megabatt.codegen.sources.python import Reading, Speech
from megabatt.codegen.sources.text import read_text
from megabatt.runtime.merging import merge
from megabatt.runtime.program import Program, program
from tests.codegen.toy_language import LANGUAGE
from tests.megabatch.commands import megabatt

MODULE = "tests.codegen.toy_language"


def programs_of(text: str, file: str = "a.py") -> list[Program]:
    programs, errors = check_text(text, file)
    assert errors == []
    return programs


def check_text(text: str, file: str = "a.py") -> tuple[list[Program], list[str]]:
    return checked(text, LANGUAGE, file)


def checked(
    text: str, language: Language, file: str = "a.py", warn: Callable[..., None] = lambda _: None
) -> tuple[list[Program], list[str]]:
    """Read and check a source. Returns its programs, and a line without a program's name for each
    mistake."""
    reading = Reading([], [], [])
    read = read_jsonl if file.endswith(".jsonl") else read_text
    read(file, text, Speech(language), reading)
    programs = check(reading.programs, language, warn)
    errors = [str(error._replace(name="")) for error in sorted(set(reading.errors))]
    return programs, errors


def generate(
    programs: list[Program], language: Language = LANGUAGE, module: str = MODULE
) -> dict[str, str]:
    return render(programs, merge(programs), language, module)


def load(text: str) -> types.ModuleType:
    """Execute generated code."""
    module = types.ModuleType("generated")
    exec(text, module.__dict__)
    return module


def assert_formatted(files: dict[str, str], folder: Path) -> None:
    """Assert that Ruff finds nothing in files, and would reformat none. files: text by name."""
    for name, text in files.items():
        (folder / name).write_text(text)
    options = ["--isolated", "--line-length", "100"]
    for words in (["check", "--select", "E,F,W"], ["format", "--diff"]):
        command = [sys.executable, "-m", "ruff", *words, *options, folder]
        told = subprocess.run(command, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout


def run_codegen(*arguments: object, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run `megabatt compile` on the toy language. Asserts that it exits with `status`."""
    words = ["compile", "--language", MODULE, *arguments]
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
        function = draw(st.sampled_from([*sorted(LANGUAGE.primitives), *variables]))
        known = LANGUAGE.primitives.get(function)
        arity = known.arity if known else draw(st.integers(1, 2))
        target = draw(st.sampled_from([*variables, f"v{number}"]))
        operations.append([target, function, *(draw(values) for _ in range(arity))])
        if target not in variables:
            variables.append(target)
    return operations


def source(lists: list[Operations]) -> str:
    """Return operation lists as Python solvers that return their last targets."""
    programs = [program(f"solve_{k}", rows, str(rows[-1][0])) for k, rows in enumerate(lists)]
    return "\n".join(f"{one.source(LANGUAGE.inputs)}\n" for one in programs)
