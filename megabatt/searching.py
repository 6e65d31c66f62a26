"""`megabatt.search`: looks for programs that fit tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import psutil

from megabatt.reading import read
from megabatt.runtime.arguments import amount, elements, integer
from megabatt.runtime.engine.language.limits import UNLIMITED
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program, names_in
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import answers_of, problems_of
from megabatt.runtime.search.result import Result
from megabatt.runtime.search.search import Event, Listener, Search
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies import Strategy
from megabatt.runtime.search.workroom import PROCESS_BYTES, Workroom, grammar_of
from megabatt.runtime.search.written import name_of, parts_of

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

    source: programs, or a file or folder of them, of which those that cannot be read are left out;
    None: the bundled ones. Raises OSError, and ValueError where there are none, or where one is
    named after one of the tasks.
    """
    if source is None:
        seeds = bundled_seeds()
    elif isinstance(source, (str, Path)):
        seeds = read(source)
    else:
        seeds = given.programs_of(source, "seeds")
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
    return [seed.name for seed in seeds if not ids.isdisjoint(parts_of(seed.name))]


def state_of(
    workload: Workload[Any],
    samples: Sequence[Any],
    seeds: Sequence[Program],
    *,
    seed: int = 0,
    grammar: Grammar | None = None,
    vocabulary: str = "",
    saved: Path | None = None,
) -> State:
    """Return the state that a search begins with, or the saved one that it goes on from.

    grammar: the one counted over the seeds by default. vocabulary: the name of the primitives that
    it is held to; seeds with others are left out. saved: the file of an earlier state. Raises
    OSError, and ValueError where no task has a demonstration, nothing is left of the seeds, or the
    saved state is of another search.
    """
    known = grammar_of(workload, {}, vocabulary) if grammar is None else grammar
    seeds = [seed for seed in seeds if known.vocabulary.has(names_in(seed.operations))]
    if not seeds:
        raise ValueError(f"no seed is made of the primitives of {vocabulary} alone")
    problems = problems_of(workload, samples)
    if not problems:
        raise ValueError("there is no task with a demonstration")
    if saved is not None:
        state = State.read(saved, workload)
        same = [p.samples for p in state.problems] == [p.samples for p in problems]
        held_to = state.grammar.vocabulary.name
        if not same or list(state.seeds) != seeds or (state.key, held_to) != (seed, vocabulary):
            raise ValueError(
                f"{saved.parent} has a search of other tasks, seeds, --vocabulary or --seed"
            )
        return state
    if grammar is None:
        known = known.refined((program, 1.0) for program in seeds)
    return State(problems, seeds, known, seed)


def search_from(
    state: State,
    workload: Workload[Any],
    *,
    strategies: Sequence[Strategy] | None = None,
    workers: int = 1,
    device: str = "auto",
    max_elements: int | None = None,
    per_task: float | None = None,
    memory: int | None = None,
    listener: Listener | None = None,
) -> Search:
    """Set up the search that goes on from a state. Raises ValueError.

    The other arguments are those of `search`; memory is in bytes.
    """
    memory = psutil.virtual_memory().total // 2 if memory is None else memory
    limit = min(MAX_ELEMENTS, workload.language.max_elements)
    room = Workroom(
        workload,
        state.problems,
        state.seeds,
        state.grammar,
        device=given.device_name(device, len(state.problems)),
        max_elements=limit if max_elements is None else given.limit_of(workload, max_elements),
        per_task=per_task,
        memory=min(memory, PROCESS_BYTES),
    )
    workers = max(1, min(workers, memory // PROCESS_BYTES))
    return Search(state, room, strategies, workers=workers, listener=listener)


def _samples_of(workload: Workload[Any], tasks: Iterable[Any]) -> list[Any]:
    """Return the samples of all tasks. Raises TypeError or ValueError, which name the task."""
    samples = []
    places: dict[str, int] = {}
    for k, task in enumerate(elements("tasks", tasks, "a list of tasks, such as [task]")):
        try:
            of_task = given.samples_of(workload, task)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"tasks[{k}]: {error}") from error
        for name in {sample.group for sample in of_task}:
            if places.setdefault(name, k) != k:
                raise ValueError(f"tasks[{places[name]}] and tasks[{k}] have one name, {name!r}")
        samples += of_task
    return samples


def _check_parts(callback: Any, strategies: Any, grammar: Any) -> None:
    """Raise TypeError for parts of a search that are none."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of an event, not {short(callback)}")
    if grammar is not None and not isinstance(grammar, Grammar):
        raise TypeError(f"grammar must be a Grammar, not {short(grammar)}")
    if strategies is not None:
        for k, one in enumerate(elements("strategies", strategies, "a list of strategies")):
            if not (hasattr(one, "name") and hasattr(one, "units")):
                raise TypeError(
                    f"strategies[{k}] has no name and units, which a strategy has: "
                    f"{short(one)}; strategies_named makes those of names"
                )


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
    memory: int | str | None = None,
    allow_own: bool = False,
    vocabulary: str = "",
    workload: str | Workload[Any] = "arc",
) -> Result:
    """Look for programs that fit tasks.

    tasks: of `mb.tasks()`, or any that `mb.evaluate` takes. seeds: programs, or a file of them; the
    bundled programs for ARC's training tasks by default. seconds, programs: when to stop; one of
    them is needed. per_task: the most seconds of a pursuit of one task. seed: of all that is drawn;
    with `programs` the same seed finds the same, whatever the workers and the device. callback: is
    told of every find, and of progress. memory: of all processes, in bytes or as in "8GB"; half of
    the machine's by default. vocabulary: "arc-dsl" to make programs of its primitives alone.

    strategies, grammar: what to try and what to cost it by, instead of the default. Ctrl-C ends the
    search; what was found is returned. Raises TypeError, ValueError and OSError.
    """
    chosen = given.workload_of(workload)
    samples = _samples_of(chosen, tasks)
    seed = integer("seed", seed, -UNLIMITED, UNLIMITED)
    workers = integer("workers", workers, least=1)
    programs = None if programs is None else integer("programs", programs, 1, UNLIMITED)
    seconds = None if seconds is None else amount("seconds", seconds)
    per_task = None if per_task is None else amount("per_task", per_task)
    most_bytes = None if memory is None else given.size_of(memory)
    _check_parts(callback, strategies, grammar)
    names = {sample.group for sample in samples}
    state = state_of(
        chosen, samples, seeds_of(seeds, names, allow_own), seed=seed, grammar=grammar,
        vocabulary=vocabulary,
    )  # fmt: skip
    running = search_from(
        state, chosen, strategies=strategies, workers=workers, device=device,
        max_elements=max_elements, per_task=per_task, memory=most_bytes, listener=callback,
    )  # fmt: skip
    stopped = ""
    try:
        running.run(programs=programs, seconds=seconds)
    except KeyboardInterrupt:
        stopped = "interrupted"
    return running.result(answers_of(chosen, samples), stopped)
