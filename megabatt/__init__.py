"""Evaluates many programs of a language on many samples at once.

    import megabatt as mb

    programs = mb.read("solvers.py")
    evaluation = mb.evaluate(programs, [([[1, 0]], [[0, 1]]), ([[2, 2]], [[2, 2]])])
    evaluation.fits

read, parse        read programs from files and texts
program            makes a program from operations
Lambda             a function that a program defines
evaluate           evaluates every program on every sample
evaluate_each      evaluates each program on samples of its own
Evaluator          evaluates again and again on the same samples, each operation once
Values             numbered values: calls one primitive on very many of them at once
score              scores texts, such as a model's answers, on a task
search             finds programs that fit tasks
tasks              loads ARC's tasks, which `evaluate` takes as samples
ResidentDataset    reads a folder of results in shuffled batches on a device

Names are loaded when they are first used, so that the command line starts at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if sys.platform == "win32":
    raise ImportError("megabatt runs on Linux and macOS: on Windows, install it in WSL")

_FOLDER = Path(__file__).parent
if not (_FOLDER / "runtime").is_dir():  # a checkout, where `runtime` and others lie beside it
    __path__.append(str(_FOLDER.parent))

if TYPE_CHECKING:
    from megabatt.evaluating import Evaluation, Evaluator, evaluate, evaluate_each, tasks
    from megabatt.reading import ProgramError, ProgramErrors, Programs, parse, read
    from megabatt.runtime.arc.workload.data import Task
    from megabatt.runtime.megabatch.resident import DatasetError, ResidentDataset
    from megabatt.runtime.program import Lambda, Program, program
    from megabatt.runtime.search.values import Values
    from megabatt.scoring import Score, Scores, score
    from megabatt.searching import search

__all__ = [
    "DatasetError",
    "Evaluation",
    "Evaluator",
    "Lambda",
    "Program",
    "ProgramError",
    "ProgramErrors",
    "Programs",
    "ResidentDataset",
    "Score",
    "Scores",
    "Task",
    "Values",
    "evaluate",
    "evaluate_each",
    "parse",
    "program",
    "read",
    "score",
    "search",
    "tasks",
]

_HOMES = {
    "DatasetError": "megabatt.runtime.megabatch.resident",
    "Evaluation": "megabatt.evaluating",
    "Evaluator": "megabatt.evaluating",
    "Lambda": "megabatt.runtime.program",
    "Program": "megabatt.runtime.program",
    "ProgramError": "megabatt.codegen.errors",
    "ProgramErrors": "megabatt.reading",
    "Programs": "megabatt.reading",
    "ResidentDataset": "megabatt.runtime.megabatch.resident",
    "Score": "megabatt.scoring",
    "Scores": "megabatt.scoring",
    "Task": "megabatt.runtime.arc.workload.data",
    "Values": "megabatt.runtime.search.values",
    "evaluate": "megabatt.evaluating",
    "evaluate_each": "megabatt.evaluating",
    "parse": "megabatt.reading",
    "program": "megabatt.runtime.program",
    "read": "megabatt.reading",
    "score": "megabatt.scoring",
    "search": "megabatt.searching",
    "tasks": "megabatt.evaluating",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("megabatt")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("_"))])
