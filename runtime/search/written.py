"""What a search has found, as files. Programs whose forms disagree are not written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from megabatt.runtime.megabatch.verify.compare import Outcome, find
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.problems import Problem

WRITTEN = 3
"""Programs of a task that are written to solvers.py: as many as the paper has attempts."""


@dataclass(frozen=True)
class Verified:
    """Programs whose forms agree, by task and the best first; and a line for each other one."""

    by_task: dict[str, list[Found]]
    problems: list[str]


def verified(
    workload: Workload[Any], problems: Iterable[Problem], found: Mapping[str, Sequence[Found]]
) -> Verified:
    """Keep the programs that fit and whose forms agree, under the language's own limit.

    Both forms run on all samples of a program's task. Each program left out gets a line.
    """
    kept: dict[str, list[Found]] = {}
    lines = []
    for problem in problems:
        for one in found.get(problem.name, ()):
            reason = _objection(workload, problem, one)
            if reason:
                lines.append(f"task {problem.name}: a program is left out: {reason}")
            else:
                kept.setdefault(problem.name, []).append(one)
    return Verified(kept, lines)


def _objection(workload: Workload[Any], problem: Problem, found: Found) -> str:
    """Say why a program is not to be written; "" where nothing speaks against it."""
    program = found.program
    outcomes: list[list[Outcome]] = []
    hidden = [workload.unanswered(sample) for sample in problem.samples]
    limit = workload.language.max_elements
    with workload.language.in_use():
        finding = find(workload, program, hidden, limit, keep=outcomes)
    if finding is not None:
        return f"its forms differ, {finding}"
    targets = [target for target, *_ in program.operations]
    if program.returns in targets:
        last = len(targets) - 1 - targets[::-1].index(program.returns)
        values = [outcome.value for outcome in outcomes[last]]
    else:
        values = [getattr(sample, str(program.returns)) for sample in hidden]
    same = workload.language.same
    expected = [sample.expected for sample in problem.shown] + list(found.outputs)
    for k, (value, other) in enumerate(zip(values, expected, strict=True)):
        if not same(value, other):
            return f"sample {k} comes out otherwise with max_elements={limit}"
    return ""


# solvers.py


def solvers_source(found: Mapping[str, Sequence[Found]], inputs: Sequence[str]) -> str:
    """Return an operation list of the best programs of each task.

    The best of a task is solve_TASK, the next solve_2_TASK and so on.
    """
    parts = ['"""Programs that `megabatt search` has found."""']
    for task, programs in found.items():
        for place, one in enumerate(programs[:WRITTEN], 1):
            rank = "" if place == 1 else f"{place}_"
            parts.append(_function(f"solve_{rank}{_name(task)}", one, inputs))
    return "\n\n\n".join(parts) + "\n"


def _name(task: str) -> str:
    return re.sub(r"\W", "_", task)


def _function(name: str, found: Found, inputs: Sequence[str]) -> str:
    program = found.program
    used = {program.returns, *(word for operation in program.operations for word in operation[1:])}
    parameters = [word for word in inputs if word in used]
    lines = [
        f"# {found.cost:.1f} bits; {found.origin}; found after {found.tried:,} programs",
        f"def {name}({', '.join(parameters)}):",
    ]
    for target, function, *arguments in program.operations:
        lines.append(f"    {target} = {function}({', '.join(map(str, arguments))})")
    return "\n".join([*lines, f"    return {program.returns}"])


def code_of(program: Program, inputs: Sequence[str], name: str = "solve") -> str:
    """Return a program as the source of a function."""
    found = Found("", program, 0.0, (), "")
    return "\n".join(_function(name, found, inputs).splitlines()[1:]) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


# search.jsonl


class Log:
    """search.jsonl: a line for each program that was found or improved, as it happens."""

    def __init__(self, path: Path, goes_on: bool) -> None:
        self._file = path.open("a" if goes_on else "w", encoding="utf-8")

    def write(self, kind: str, found: Found) -> None:
        event = {
            "event": kind,
            "task": found.task,
            "seconds": round(found.seconds, 2),
            "tried": found.tried,
            "cost": round(found.cost, 2),
            "operations": found.size,
            "origin": found.origin,
            "program": [list(operation) for operation in found.program.operations],
            "returns": found.program.returns,
        }
        self._file.write(json.dumps(event) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()
