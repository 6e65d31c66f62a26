"""`megabatt.search`: looks for programs that fit tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from itertools import islice
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
from megabatt.runtime.search.strategies import Strategy, strategies_named
from megabatt.runtime.search.workroom import PROCESS_BYTES, Workroom, grammar_of
from megabatt.runtime.vocabulary import NameRules, counted, first_of, mistakes_in, name_of, parts_of
from megabatt.watching import InNotebook, InScript, Watch, clock_or_count, in_notebook

log = logging.getLogger("megabatt.search")

__all__ = ["MAX_ELEMENTS", "Event", "Result", "bundled_seeds", "search", "seeds_of"]

MAX_ELEMENTS = 20_000
"""The elements that an operation may build in a search. A search misses the few programs that need
more, but wastes little time on programs that explode."""


def bundled_seeds() -> list[Program]:
    """Read the bundled programs for ARC's training tasks."""
    return read(Path(str(files("megabatt.codegen"))) / "lists" / "training.py")


def seeds_of(
    source: Iterable[Program] | str | Path | None,
    tasks: Iterable[str],
    allow_own: bool = False,
    workload: str | Workload[Any] = "arc",
) -> list[Program]:
    """Collect the seeds of a search.

    source: Programs, or a file or folder of them; programs that cannot be read are left out. None
    means the bundled programs. Seeds named after one of the tasks are left out with a warning,
    unless `allow_own`; a search can do without seeds. Raises OSError, and ValueError if there are
    no seeds from the start.
    """
    if source is None:
        seeds = bundled_seeds()
    elif isinstance(source, (str, Path)):
        seeds = read(source, workload=workload)
    else:
        seeds = given.programs_of(source, "seeds")
    if not seeds:
        raise ValueError("there are no seeds")
    ids = set() if allow_own else {name_of(task.rpartition("/")[2]) for task in tasks}
    own = [seed for seed in seeds if not ids.isdisjoint(parts_of(seed.name))]
    if own:
        names = [seed.name for seed in own]
        count = counted(len(own), "seed")
        line = f"left out {count} named after tasks to be solved: {first_of(names, 5)}"
        line += " (--allow-own, or allow_own=True, keeps them)"
        if len(own) == len(seeds):
            line += "; no seed is left: the search begins without known programs"
        log.warning("%s", line)
        left_out = set(names)
        return [seed for seed in seeds if seed.name not in left_out]
    return seeds


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
    """Return the first state of a search, or a saved state.

    grammar: By default, counted over the seeds. vocabulary: The name of the only primitives to use;
    seeds with other primitives are left out. saved: The file of an earlier state. Raises OSError,
    and ValueError if no task has a demonstration, no seed is left, or the saved state is of another
    search.
    """
    if grammar is None:
        known = grammar_of(workload, {}, vocabulary)
    elif vocabulary in ("", grammar.vocabulary.name):
        known = grammar
    else:
        known = grammar_of(workload, grammar.counts, vocabulary, rare=grammar.rare)
    made_of = [seed for seed in seeds if known.vocabulary.has(names_in(seed.operations))]
    if seeds and not made_of:
        raise ValueError(f"no seed is made of the primitives of {vocabulary} alone")
    seeds = made_of
    problems = problems_of(workload, samples)
    if not problems:
        raise ValueError(f"no task of {workload.name} has a sample whose output is known")
    if saved is not None:
        state = State.read(saved, workload)
        same_tasks = [p.samples for p in state.problems] == [p.samples for p in problems]
        differ = {
            "tasks": not same_tasks,
            "--seeds": same_tasks and list(state.seeds) != seeds,  # seeds depend on the tasks
            "--seed": state.key != seed,
            "--vocabulary": state.grammar.vocabulary.name != vocabulary,
        }
        if any(differ.values()):
            others = ", ".join(name for name, differs in differ.items() if differs)
            line = f"{saved.parent} has a search with other {others}"
            raise ValueError(f"{line}: --resume keeps these; name another --out to change them")
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
    """Set up a search that goes on from a state. Raises ValueError.

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
    """Return the samples of all tasks; tasks without a name are called `task_0` and so on.

    Raises TypeError or ValueError, which name the task.
    """
    samples: list[Any] = []
    places: dict[str, int] = {}
    for k, task in enumerate(elements("tasks", tasks, "a list of tasks, such as [task]")):
        try:
            of_task = given.samples_of(workload, task)
        except (TypeError, ValueError) as error:
            if hasattr(task, "group"):
                line = f"tasks[{k}] is a sample: a task is a list of samples"
                raise TypeError(line) from error
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"tasks[{k}]: {error}") from error
        of_task = [
            sample if sample.group else workload.in_group(sample, f"task_{k}") for sample in of_task
        ]
        for name in {sample.group for sample in of_task}:
            if places.setdefault(name, k) != k:
                raise ValueError(f"tasks[{places[name]}] and tasks[{k}] have one name, {name!r}")
        samples += of_task
    if not samples:
        raise ValueError("there are no tasks")
    return samples


def _runnable(seeds: list[Program], workload: Workload[Any]) -> list[Program]:
    """Leave out seeds that are no programs of the language, with a warning.

    Raises ValueError if no seed is left.
    """
    rules = NameRules(workload.language)
    found = [mistakes_in(seed, rules, {target for target, *_ in seed.operations}) for seed in seeds]
    why = {k: mistake.message for k, wrong in enumerate(found) for mistake in islice(wrong, 1)}
    if why:
        first = min(why)
        line = f"left out {counted(len(why), 'seed')}: {seeds[first].name}: {why[first]}"
        if len(why) == len(seeds):
            raise ValueError(f"no seed is left: {line}")
        log.warning("%s", line)
    return [seed for k, seed in enumerate(seeds) if k not in why]


def _check_parts(callback: Any, grammar: Any, vocabulary: Any) -> None:
    """Check the types of a search's parts. Raises TypeError."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of an event, not {short(callback)}")
    if grammar is not None and not isinstance(grammar, Grammar):
        raise TypeError(f"grammar must be a Grammar, not {short(grammar)}")
    if not isinstance(vocabulary, str):
        raise TypeError(f"vocabulary must be a name, not {short(vocabulary)}")


def _strategies_of(given: Any) -> list[Strategy]:
    """Return strategies, given as objects or by name. Raises TypeError and ValueError."""
    every: list[Strategy] = []
    for k, one in enumerate(elements("strategies", given, "a list of strategies or names")):
        if isinstance(one, str):
            try:
                every += strategies_named([one])
            except ValueError as error:
                raise ValueError(f"strategies[{k}]: {error}") from error
        elif isinstance(one, type) or not (hasattr(one, "name") and hasattr(one, "units")):
            raise TypeError(
                f"strategies[{k}] is neither a name nor an object with name and units: {short(one)}"
            )
        else:
            every.append(one)
    names = [one.name for one in every]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"strategies has two that are named {twice!r}")
    if not every:
        raise ValueError("strategies is empty")
    return every


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
    strategies: Sequence[Strategy | str] | None = None,
    grammar: Grammar | None = None,
    max_elements: int | None = None,
    memory: int | str | None = None,
    allow_own: bool = False,
    quiet: bool = False,
    vocabulary: str = "",
    workload: str | Workload[Any] = "arc",
) -> Result:
    """Look for programs that fit tasks.

    The search ends after `seconds` or `programs`; one of the two is needed. Ctrl-C ends it early.
    Either way the programs found until then are returned. The time of compiling, once on a machine,
    does not count.

    Args:
        tasks: Tasks of `mb.tasks()`, or in any form that `mb.evaluate` takes. Tasks without a name
            are called by their place: "task_0" and so on. For a workload of your own, a list of
            samples for each group.
        seeds: Programs to start from, or a file or folder of them; by default the bundled programs
            for ARC's training tasks.
        seconds: The time after which to stop.
        programs: The number of programs after which to stop.
        per_task: The most seconds to pursue one task at a time.
        workers: The number of worker processes.
        device: "auto", "cpu" or "cuda".
        seed: The seed of all random draws. With `programs`, the same seed finds the same programs,
            with any number of workers and on any device.
        callback: A function that is called with an `Event` for every find, and for progress.
        strategies: What to try: names such as "layers", and strategies of your own; by default
            every strategy.
        grammar: The costs of programs; by default counted over the seeds.
        max_elements: The container elements that one operation may build while searching; 20,000 by
            default.
        memory: The memory that all processes may take, in bytes or as in "8GB"; by default half of
            the machine's.
        allow_own: Accept seeds that are named after one of the tasks.
        quiet: Show no progress in a notebook, and no lines on compiling in a script. (A script
            shows no other progress: give a `callback`.)
        vocabulary: "arc-dsl" to use its primitives only; by default all primitives.
        workload: The language and its samples: the name of a workload, or a `Workload`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
        OSError: A file of seeds cannot be read.
    """
    chosen = given.workload_of(workload)
    samples = _samples_of(chosen, tasks)
    seed = integer("seed", seed, -UNLIMITED, UNLIMITED)
    workers = integer("workers", workers, least=1)
    of_script = [p.name for p in chosen.language.primitives.values() if "__main__" in p.modules]
    if workers > 1 and of_script:
        line = f"{of_script[0]} is a primitive of the script itself, which processes cannot import"
        raise ValueError(f"workers={workers}: {line}: put it in a module")
    programs = None if programs is None else integer("programs", programs, 1, UNLIMITED)
    seconds = None if seconds is None else amount("seconds", seconds)
    if programs is None and seconds is None:
        raise ValueError("a search needs a number of programs or of seconds")
    per_task = None if per_task is None else amount("per_task", per_task)
    most_bytes = None if memory is None else given.size_of(memory)
    _check_parts(callback, grammar, vocabulary)
    strategies = None if strategies is None else _strategies_of(strategies)
    names = {sample.group for sample in samples}
    first = _runnable(seeds_of(seeds, names, allow_own, chosen), chosen)
    state = state_of(chosen, samples, first, seed=seed, grammar=grammar, vocabulary=vocabulary)
    shown = InNotebook if in_notebook() else InScript
    watch = (Watch if quiet else shown)(chosen, state, clock_or_count(seconds, programs))

    def told(event: Event) -> None:
        watch.told(event)
        if callback is not None:
            callback(event)

    running = search_from(
        state, chosen, strategies=strategies, workers=workers, device=device,
        max_elements=max_elements, per_task=per_task, memory=most_bytes, listener=told,
    )  # fmt: skip
    stopped = ""
    with watch:
        try:
            watch.compile_first(running)
            running.run(programs=programs, seconds=seconds)
        except KeyboardInterrupt:
            stopped = "interrupted"
            log.warning("interrupted: ranking the finds; a second Ctrl-C drops them")
        watch.finish()
        return running.result(answers_of(chosen, samples), stopped)
