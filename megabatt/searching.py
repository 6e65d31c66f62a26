"""`megabatt.search`: looks for programs that fit tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

from megabatt.reading import read
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.workload import Workload, named
from megabatt.runtime.program import Program
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import answers_of, problems_of
from megabatt.runtime.search.result import Result
from megabatt.runtime.search.search import Event, Search
from megabatt.runtime.search.shortening import shorten
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies import Strategy
from megabatt.runtime.search.workroom import PROCESS_BYTES, Workroom, grammar_of
from megabatt.runtime.search.written import name_of

__all__ = ["MAX_ELEMENTS", "Event", "Result", "bundled_seeds", "search", "seeds_of"]

MAX_ELEMENTS = 20_000
"""What an operation may build in a search. The few programs that need more are not found; those
that build more for nothing cost little."""


def bundled_seeds() -> list[Program]:
    """Read the bundled programs for ARC's training tasks."""
    return read(Path(str(files("megabatt.codegen"))) / "lists" / "training.py")


def seeds_of(
    source: Iterable[Program] | str | Path | None,
    tasks: Iterable[str],
    allow_own: bool = False,
) -> list[Program]:
    """Collect the programs that a search begins with.

    source: programs, or a file of them; None: the bundled ones. Raises OSError, `ProgramErrors`,
    and ValueError where there are none, or where one is named after one of the tasks.
    """
    if source is None:
        seeds = bundled_seeds()
    elif isinstance(source, (str, Path)):
        seeds = read(source)
    else:
        seeds = list(source)
    if not seeds:
        raise ValueError("there are no seeds")
    own = [] if allow_own else _own(seeds, tasks)
    if own:
        shown = ", ".join(own[:5]) + (f" and {len(own) - 5} more" if len(own) > 5 else "")
        raise ValueError(
            f"seeds named after tasks that are to be solved: {shown}; leave them out, or allow "
            "them (--allow-own, allow_own=True) where that is what is wanted"
        )
    return seeds


def _own(seeds: Sequence[Program], tasks: Iterable[str]) -> list[str]:
    """Return the names of seeds that have a task's id in them, as functions are named after it."""
    ids = {name_of(task.rpartition("/")[2]) for task in tasks}
    return [seed.name for seed in seeds if not ids.isdisjoint(_parts(name_of(seed.name)))]


def _parts(name: str) -> Iterator[str]:
    """Yield all that begins and ends at an underscore, or where the name does."""
    words = name.split("_")
    for begin, end in combinations(range(len(words) + 1), 2):
        yield "_".join(words[begin:end])


def workers_for(workers: int, memory: int | None) -> int:
    """Return `workers`, or fewer: as many processes as fit in the memory (bytes), at least one."""
    return workers if memory is None else max(1, min(workers, memory // PROCESS_BYTES))


def prepared(
    workload: Workload[Any],
    samples: Sequence[Any],
    seeds: Sequence[Program],
    *,
    seed: int = 0,
    device: str = "auto",
    max_elements: int | None = None,
    per_task: float | None = None,
    grammar: Grammar | None = None,
    memory: int | None = None,
) -> tuple[State, Workroom]:
    """Make the state that a search begins with, and its workroom. Raises ValueError.

    memory: the bytes that all processes may take.
    """
    problems = problems_of(workload, samples)
    if not problems:
        raise ValueError("there is no task with a demonstration")
    if grammar is None:
        grammar = grammar_of(workload, {}).refined((program, 1.0) for program in seeds)
    names, _ = hardware.choose(device, len(problems), hardware.GPU_THRESHOLD)
    limit = min(MAX_ELEMENTS, workload.language.max_elements)
    room = Workroom(
        workload,
        problems,
        seeds,
        grammar,
        device=names[0],
        max_elements=limit if max_elements is None else max_elements,
        per_task=per_task,
        memory=PROCESS_BYTES if memory is None else min(memory, PROCESS_BYTES),
    )
    return State(problems, seeds, grammar, seed), room


def search(
    tasks: Iterable[Any],
    *,
    seeds: Iterable[Program] | str | Path | None = None,
    seconds: float | None = None,
    programs: int | None = None,
    per_task: float | None = None,
    workers: int = 1,
    device: str = "auto",
    seed: int = 0,
    callback: Callable[[Event], None] | None = None,
    strategies: Sequence[Strategy] | None = None,
    grammar: Grammar | None = None,
    max_elements: int | None = None,
    memory: int | None = None,
    allow_own: bool = False,
    workload: str | Workload[Any] = "arc",
) -> Result:
    """Look for programs that fit tasks.

    tasks: of `mb.tasks()`, or any that `mb.evaluate` takes. seeds: programs, or a file of them; the
    bundled programs for ARC's training tasks by default. seconds, programs: when to stop; one of
    them is needed. per_task: the most seconds of a pursuit of one task. seed: of all that is drawn;
    with `programs` the same seed finds the same, whatever the workers and the device. callback: is
    told of every find, and of progress. memory: in bytes, of all processes.

    strategies, grammar: what to try and what to cost it by, instead of the default. Ctrl-C ends the
    search; what was found is returned. Raises TypeError, ValueError, OSError and `ProgramErrors`.
    """
    chosen = named(workload) if isinstance(workload, str) else workload
    given = [chosen.given(task) for task in tasks]
    samples = [sample for of_task in given for sample in of_task]
    names = {sample.group for sample in samples}
    if len(names) < len(given):
        raise ValueError("two tasks have the same name")
    state, room = prepared(
        chosen, samples, seeds_of(seeds, names, allow_own), seed=seed, device=device,
        max_elements=max_elements, per_task=per_task, grammar=grammar, memory=memory,
    )  # fmt: skip
    found = Search(state, room, strategies, workers=workers_for(workers, memory), listener=callback)
    stopped = ""
    try:
        found.run(programs=programs, seconds=seconds)
    except KeyboardInterrupt:
        stopped = "interrupted"
    with suppress(KeyboardInterrupt):  # once more: what was found stays as it is
        shorten(state, room)
    return Result(state, answers_of(chosen, samples), found.peak_bytes, stopped)
