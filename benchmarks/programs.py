"""Many programs on a few samples: how long `import megabatt` takes for a search's work.

    git clone https://github.com/michaelhodel/arc-dsl
    python -m benchmarks.programs each arc-dsl
    python -m benchmarks.programs chained arc-dsl
    python -m benchmarks.programs mutants --programs 4000 --samples 6
    python -m benchmarks.programs mutants --programs 20000 --samples 4 --workers 2
    python -m benchmarks.programs extensions
    python -m benchmarks.programs merge
    python -m benchmarks.programs texts
    python -m benchmarks.programs plain FOLDER

Each prints its figures as JSON. Seconds are CPU seconds of this process, after a run of the same
kind that compiles the kernels; of `mutants` with several workers they are by the clock. `each` and
`chained` take the least of three runs, for arc-dsl too; `mutants` takes the median of five runs,
each of new programs.
"""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

import megabatt as mb
from benchmarks.peer import checkout_argument, imported
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.arc.workload import load, samples_of, solver_for
from megabatt.runtime.engine.executor import host
from megabatt.runtime.engine.executor.loading import BulkLoader
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.garbage import no_collection

_LISTS = Path(__file__).parents[1] / "codegen" / "lists"
_DOZEN = range(10, 16)
_TRIES = 20
_RUNS = 5
"""The runs of `mutants`."""
_LONGEST = 3.0
"""The most seconds that arc-dsl may take for all runs of a chain on a sample."""

seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")


def programs_option(default: int) -> Any:
    return click.option(
        "--programs", "count", type=click.IntRange(min=1), default=default, show_default=True,
        help="How many.",
    )  # fmt: skip


def samples_option(default: int) -> Any:
    return click.option(
        "--samples", type=click.IntRange(min=1), default=default, show_default=True,
        help="Samples of one task that has this many.",
    )  # fmt: skip


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Evaluate many programs on a few samples."""


@main.command()
@checkout_argument
@click.option("--max-elements", type=int, default=8_000_000, show_default=True,
              help="Our limit; arc-dsl has none.")  # fmt: skip
@click.option("--solvers", "count", type=int, help="How many, the first ones; by default all.")
def each(checkout: Path, max_elements: int, count: int | None) -> None:
    """Time each of arc-dsl's solvers on its own task, beside arc-dsl's functions themselves."""
    functions = imported(checkout, "solvers")
    programs = {program.name: program for program in mb.read(checkout / "solvers.py")}
    pairs, theirs = [], []
    for task in load("arcagi", "training").tasks:
        solver = solver_for(task.id, programs)
        if solver is None or len(pairs) == count:
            continue
        pairs.append((programs[solver], task))
        theirs.append(_least_seconds(partial(_called, getattr(functions, solver), task)))
    found = _beside(pairs, theirs, max_elements, slowest=1)
    _print(solvers=len(pairs), **found)


@main.command()
@checkout_argument
@programs_option(400)
@samples_option(6)
@seed_option
def chained(checkout: Path, count: int, samples: int, seed: int) -> None:
    """Time longer programs: one of arc-dsl's solvers on the outputs of another on its own task.

    Leaves out programs that fail in arc-dsl, or that take it too long.
    """
    functions = imported(checkout, "solvers")
    programs = {program.name: program for program in mb.read(checkout / "solvers.py")}
    tasks = load("arcagi", "training").tasks
    tasks = [
        replace(task, pairs=task.pairs[:samples])
        for task in tasks
        if solver_for(task.id, programs) is not None
    ]
    random = Random(seed)
    pairs, theirs = [], []
    while len(pairs) < count:
        task, after = random.choice(tasks), random.choice(list(programs.values()))
        first = programs[str(solver_for(task.id, programs))]
        calls = getattr(functions, first.name), getattr(functions, after.name)
        seconds = _seconds_of_chain(*calls, [pair.input for pair in task.pairs])
        if seconds is not None:
            pairs.append((_chain(first, after), task))
            theirs.append(seconds)
    found = _beside(pairs, theirs, LANGUAGE.max_elements, slowest=3)
    operations = median(len(program.operations) for program, _ in pairs)
    _print(programs=count, samples=samples, operations_a_program=operations, **found)


def _chain(first: mb.Program, after: mb.Program) -> mb.Program:
    """Return the program that runs `after` on the output of `first`."""
    rows: list[list[Any]] = []
    words: dict[Any, Any] = {}
    for prefix, program in (("a", first), ("b", after)):
        for target, *operands in program.operations:
            row = [words.get(operand, operand) for operand in operands]
            words[target] = f"{prefix}_{target}"
            rows.append([words[target], *row])
        words = {"I": words[program.returns]}
    return mb.program(f"{first.name}_{after.name}", rows, rows[-1][0])


def _seconds_of_chain(
    first: Callable[[Any], Any], after: Callable[[Any], Any], inputs: list[Any]
) -> float | None:
    """Return arc-dsl's CPU seconds for all inputs; None if it fails or takes too long."""
    total = 0.0
    for grid in inputs:
        try:
            with _at_most(_LONGEST):
                total += _least_seconds(lambda grid=grid: after(first(grid)))
        except Exception:  # arc-dsl fails, or is stopped
            return None
    return total


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the context if it is open for longer."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _beside(
    pairs: list[tuple[mb.Program, Any]], theirs: list[float], max_elements: int, slowest: int
) -> dict[str, Any]:
    """Compare our seconds for programs, all in one pass, with the seconds of a peer's functions.

    The seconds on the machine are split among programs by their seconds alone, less the seconds of
    a program without operations, since one pass enters the machine once. The other seconds are
    split by operation-lanes. slowest: The number of programs that the second sums leave out.
    """
    evaluated = partial(mb.evaluate_each, max_elements=max_elements, workers=1)
    found = evaluated(pairs)
    ours, on_machine = min(_seconds_on_machine(lambda: evaluated(pairs)) for _ in range(3))

    def alone(program: mb.Program, samples: Any, times: int) -> float:
        pair = program, samples
        return min(_seconds_on_machine(lambda: evaluated([pair]))[1] for _ in range(times))

    entering = alone(mb.program("nothing", [], "I"), pairs[0][1], 20)
    machine = [max(alone(*pair, 3) - entering, 0.0) for pair in pairs]
    order = np.argsort(theirs)[: len(pairs) - slowest]
    rest = [pairs[k] for k in sorted(order.tolist())]
    ours_of_rest = min(_cpu_seconds(lambda: evaluated(rest))[0] for _ in range(3))
    theirs_of_rest = sum(theirs[k] for k in order)
    lanes = np.array([one.operations * one.matches.size for one in found])
    shares = on_machine * np.array(machine) / sum(machine)
    shares += (ours - on_machine) * lanes / lanes.sum()
    return {
        "right": sum(int(evaluation.fits[0]) for evaluation in found),
        "peer_seconds": sum(theirs),
        "seconds": ours,
        "slowest": [pairs[k][0].name for k in np.argsort(theirs)[::-1][:slowest]],
        "peer_seconds_without_slowest": theirs_of_rest,
        "seconds_without_slowest": ours_of_rest,
        "ratio_without_slowest": theirs_of_rest / ours_of_rest if rest else None,
        "median_ratio": float(np.median(np.array(theirs) / shares)),
        "least_ratio": float(np.min(np.array(theirs) / shares)),
        "slower": int((np.array(theirs) < shares).sum()),
    }


def _seconds_on_machine(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the CPU seconds of work, and of the machine's runs within the work."""
    on_machine_seconds = 0.0
    run = host._run

    def timed(*args: Any) -> tuple[int, int, int]:
        nonlocal on_machine_seconds
        began = time.thread_time()
        found: tuple[int, int, int] = run(*args)
        on_machine_seconds += time.thread_time() - began
        return found

    host._run = timed
    try:
        return _cpu_seconds(work)[0], on_machine_seconds
    finally:
        host._run = run


def _called(function: Callable[..., Any], task: mb.Task) -> None:
    for pair in task.pairs:
        with contextlib.suppress(Exception):  # arc-dsl fails
            function(pair.input)


@main.command()
@programs_option(4000)
@samples_option(6)
@seed_option
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True,
              help="Threads.")  # fmt: skip
def mutants(count: int, samples: int, seed: int, workers: int) -> None:
    """Time programs that differ from the bundled ones in one operand or function."""
    chosen = some_samples(samples)
    timed = _cpu_seconds if workers == 1 else _seconds
    first, *others = [mutants_of(bundled(), count, seed + k) for k in range(_RUNS + 1)]
    mb.evaluate(first, chosen, workers=workers)
    seconds, checking = [], []
    for programs in others:
        taken, evaluation = timed(partial(mb.evaluate, programs, chosen, workers=workers))
        assert not evaluation.errors
        seconds.append(taken)
        checking.append(_loaded(programs)[0])
    of_run, of_checking = median(seconds), median(checking)
    _print(
        programs=count,
        samples=samples,
        workers=workers,
        operations=evaluation.operations,
        fits=int(evaluation.fits.sum()),
        failures_a_program_and_sample=float(evaluation.failed.mean()),
        host_share=evaluation.host_share,
        seconds=of_run,
        checking_seconds=of_checking,
        programs_a_second=count / of_run,
        least_programs_a_second=count / max(seconds),
        most_programs_a_second=count / min(seconds),
    )


@main.command()
@programs_option(100_000)
@click.option("--values", type=click.IntRange(min=1), default=1000, show_default=True,
              help="Values that the programs extend by an operation.")  # fmt: skip
@samples_option(4)
@seed_option
def extensions(count: int, values: int, samples: int, seed: int) -> None:
    """Time operations on existing values: as programs, and on numbers of `Values`."""
    chosen = some_samples(samples)
    primitives = LANGUAGE.primitives
    seeds = [p for p in bundled() if all(row[1] in primitives for row in p.operations)]
    parts = parts_of(seeds, values)
    programs = extensions_of(parts, count, seed, chosen)
    mb.Evaluator(chosen).evaluate(extensions_of(parts, count, seed + 1, chosen)[: count // 4])
    evaluator = mb.Evaluator(chosen)
    evaluator.evaluate(parts, outputs="none")
    seconds, evaluation = _cpu_seconds(lambda: evaluator.evaluate(programs))
    new = evaluation.operations - evaluation.seen
    bank = mb.Values.of_samples(chosen)
    calls = calls_of(bank, parts, programs)
    called(bank, calls)
    in_bank, fits = _cpu_seconds(lambda: called(bank, calls))
    _print(
        programs=len(programs),
        values=len(parts),
        samples=samples,
        operations=new,
        seen=evaluation.seen,
        fits=int(evaluation.fits.sum()),
        seconds=seconds,
        checking_seconds=evaluation.checking_seconds,
        operations_a_second=new / seconds,
        fits_by_number=fits,
        seconds_by_number=in_bank,
        operations_a_second_by_number=len(programs) / in_bank,
    )


Calls = dict[str, list[np.ndarray[Any, Any]]]
"""By primitive: the numbers of the operands, an array for each parameter."""


def calls_of(bank: mb.Values, parts: list[mb.Program], programs: list[mb.Program]) -> Calls:
    """Turn the last operations of programs into calls; the bank gets the values of their parts."""
    numbers = {part.operations: number_of(bank, part) for part in parts}
    rows: dict[str, list[list[int]]] = {}
    for program in programs:
        *part, (_, primitive, of, *rest) = program.operations
        first = numbers[tuple(part)]
        assert part[-1][0] == of
        rows.setdefault(str(primitive), []).append([first, *map(bank.word, rest)])
    return {name: list(np.array(some).T) for name, some in rows.items()}


def number_of(bank: mb.Values, program: mb.Program) -> int:
    """Return the bank's number of a program's value."""
    variables: dict[Any, int] = {}
    for target, function, *words in program.operations:
        operands = [variables[word] if word in variables else bank.word(word) for word in words]
        variables[target] = bank.operation(str(function), operands)
    return variables[program.returns]


def called(bank: mb.Values, calls: Calls) -> int:
    """Make all calls; return how many give the expected output of every sample."""
    fits = 0
    for name, operands in calls.items():
        primitive = LANGUAGE.primitives[name]
        if primitive.builds is not None:
            bank.add_built(primitive, operands, -1)
        else:
            fits += int(bank.matches(bank.call(primitive, operands)).all(axis=1).sum())
    return fits


@main.command()
@programs_option(100_000)
@seed_option
def merge(count: int, seed: int) -> None:
    """Check and merge programs of about a dozen operations."""
    seeds = [program for program in bundled() if len(program.operations) in _DOZEN]
    programs = mutants_of(seeds, count, seed, words=2)
    seconds, operations = _loaded(programs)
    written = sum(len(program.operations) for program in programs)
    _print(
        programs=count,
        operations_a_program=written / count,
        values=len(operations),
        seconds=seconds,
        programs_a_second=count / seconds,
    )


@main.command()
@programs_option(8000)
@samples_option(4)
@seed_option
def texts(count: int, samples: int, seed: int) -> None:
    """Read and score programs of about a dozen operations: plain texts, and models' answers."""
    seeds = [program for program in bundled() if len(program.operations) in _DOZEN]
    chosen = some_samples(samples)
    figures: dict[str, float] = {}
    for kind, written in {"plain_texts": _plain_text, "answers": _answer}.items():
        warming, timed = (
            [written(program) for program in mutants_of(seeds, count, draw, words=2)]
            for draw in (seed + 1, seed)
        )
        mb.score(warming, chosen)
        seconds, scores = _cpu_seconds(lambda timed=timed: mb.score(timed, chosen))
        assert not any(scores.column("error"))
        reading, _ = _cpu_seconds(lambda timed=timed: [mb.parse(text) for text in timed])
        figures[f"{kind}_scored_a_second"] = count / seconds
        figures[f"{kind}_read_a_second"] = count / reading
    figures["json_lines_read_a_second"] = count / _seconds_of_json_lines(
        mutants_of(seeds, count, seed, words=2)
    )
    _print(texts=count, samples=samples, **figures)


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--data", default="arcagi2", show_default=True, help="The data set of the tasks.")
@click.option("--function", "name", default="transform", show_default=True,
              help="The function of each file, of a grid as lists of lists.")  # fmt: skip
def plain(folder: Path, data: str, name: str) -> None:
    """Read and evaluate solvers in plain Python, each on its own task, beside Python itself.

    A file of FOLDER is named after its training task: TASK.py. The files are executed. The slowest
    solvers, which sums leave out, are one in a hundred.
    """
    tasks = {task.id: task for task in load(data, "training").tasks}
    files = [path for path in sorted(folder.glob("*.py")) if path.stem in tasks]
    if not files:
        raise click.UsageError(f"{folder}: no file is named after a training task of {data}")
    mb.read(files[0])
    reading, pairs, theirs = [], [], []
    for path in files:
        seconds, programs = _cpu_seconds(lambda path=path: mb.read(path))
        reading.append(seconds)
        if programs:
            scope: dict[str, Any] = {}
            exec(compile(path.read_text(), path, "exec"), scope)
            pairs.append((programs[-1]._replace(name=path.stem), tasks[path.stem]))
            theirs.append(_least_seconds(partial(_called_on_lists, scope[name], pairs[-1][1])))
    found = _beside(pairs, theirs, LANGUAGE.max_elements, slowest=len(pairs) // 100)
    _print(
        files=len(files),
        programs=len(pairs),
        reading_ms_a_file=1e3 * sum(reading) / len(files),
        reading_median_ms=1e3 * median(reading),
        reading_worst_ms=1e3 * max(reading),
        **found,
    )


def _called_on_lists(function: Callable[..., Any], task: mb.Task) -> None:
    for pair in task.pairs:
        with contextlib.suppress(Exception):  # the solver fails
            function(list(map(list, pair.input)))


def _seconds_of_json_lines(programs: list[mb.Program]) -> float:
    """Return the CPU seconds of reading programs from a file of JSON Lines."""
    lines = [
        json.dumps({"name": one.name, "operations": one.operations, "returns": one.returns})
        for one in programs
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "programs.jsonl"
        path.write_text("\n".join(lines))
        mb.read(path)
        seconds, found = _cpu_seconds(lambda: mb.read(path))
    assert len(found) == len(programs)
    return seconds


def _plain_text(program: mb.Program) -> str:
    """Write a program as a function of one call a line."""
    return f"{program._replace(name='solve').source(['I'])}\n"


def _answer(program: mb.Program) -> str:
    """Write a program as a model does: in a fence, between words, with a call in a call."""
    *lines, last, _ = _plain_text(program).rstrip("\n").split("\n")
    function = "\n".join([*lines, f"    return {last.partition(' = ')[2]}"])
    return f"The rule is this.\n\n```python\n{function}\n```\n\nIt fits.\n"


def _loaded(programs: list[mb.Program]) -> tuple[float, Operations]:
    """Check and merge programs. Returns the CPU seconds, and their operations."""
    operations = Operations(LANGUAGE, LANGUAGE.max_elements)
    loader = BulkLoader(operations)
    with no_collection():
        return _cpu_seconds(lambda: loader.load(programs))[0], operations


def bundled() -> list[mb.Program]:
    """Read the bundled programs."""
    return [program for path in sorted(_LISTS.glob("*.py")) for program in mb.read(path)]


def some_samples(count: int) -> list[Any]:
    """Return the samples of the first task with `count` pairs, else the first `count` of all."""
    tasks = load("arcagi", "training").tasks
    task = next((task for task in tasks if len(task.pairs) == count), None)
    return samples_of(tasks if task is None else [task])[:count]


def mutants_of(seeds: list[mb.Program], count: int, seed: int, words: int = 1) -> list[mb.Program]:
    """Make different programs, each a seed with `words` words exchanged for others of their kinds.

    Raises ValueError where the seeds have too few mutants.
    """
    random = Random(seed)
    found: dict[Any, mb.Program] = {}
    for _ in range(_TRIES * count):
        program = random.choice(seeds)
        operations = [list(operation) for operation in program.operations]
        for _ in range(words):
            _exchange(operations, random)
        mutant = mb.program(f"{program.name}_{len(found)}", operations, program.returns)
        if mutant.operations != program.operations:
            found.setdefault(mutant.operations, mutant)
        if len(found) == count:
            return list(found.values())
    raise ValueError(f"{len(seeds)} programs have only {len(found)} mutants")


def _exchange(operations: list[list[Any]], random: Random) -> None:
    """Replace a word at random by another of its kind, if there is another."""
    row = random.randrange(len(operations))
    place = random.randrange(1, len(operations[row]))
    others = _others(operations[row][place], [operation[0] for operation in operations[:row]])
    if others:
        operations[row][place] = random.choice(others)


def _others(word: Any, variables: list[Any]) -> list[Any]:
    """List replacements of a word: primitives of its arity, constants of its type, variables."""
    primitives, constants = LANGUAGE.primitives, LANGUAGE.constants
    if word in primitives:
        arity = primitives[word].arity
        alike = [name for name, primitive in primitives.items() if primitive.arity == arity]
    elif word in constants:
        kind = type(constants[word])
        alike = [name for name, value in constants.items() if type(value) is kind]
    else:
        alike = ["I", *variables]
    return [name for name in dict.fromkeys(alike) if name != word]


def parts_of(programs: list[mb.Program], count: int) -> list[mb.Program]:
    """Make at most `count` different programs, each returning one variable of a given program."""
    found: dict[Any, mb.Program] = {}
    for program in programs:
        for k, operation in enumerate(program.operations, 1):
            part = mb.program(f"part_{len(found)}", program.operations[:k], operation[0])
            found.setdefault(part[1:], part)
    return list(found.values())[:count]


def extensions_of(
    parts: list[mb.Program], count: int, seed: int, samples: list[Any]
) -> list[mb.Program]:
    """Make different programs that apply a primitive to a part's value and to constants or inputs.

    The primitive's first type allows the part's value in the first sample.
    """
    random = Random(seed)
    shown = mb.evaluate(parts, samples[:1], outputs="all")
    values = [shown.output(k, 0) for k in range(len(parts))]
    primitives = list(LANGUAGE.primitives.values())
    fitting = {
        declared: [k for k, value in enumerate(values) if _is_of(declared, value)]
        for declared in {p.types[0] for p in primitives}
    }
    others = ["I", *LANGUAGE.constants]
    primitives = [primitive for primitive in primitives if fitting[primitive.types[0]]]
    found: dict[Any, mb.Program] = {}
    while len(found) < count:
        primitive = random.choice(primitives)
        part = parts[random.choice(fitting[primitive.types[0]])]
        rest = [random.choice(others) for _ in primitive.types[1:]]
        operation = ("extended", primitive.name, part.returns, *rest)
        found.setdefault((part.name, operation), mb.program(
            f"extension_{len(found)}", [*part.operations, operation], "extended"
        ))  # fmt: skip
    return list(found.values())


def _is_of(declared: Any, value: Any) -> bool:
    try:
        declared.check(value)
    except TypeError:
        return False
    return True


def _least_seconds(work: Callable[[], Any]) -> float:
    """Return the least CPU seconds of three runs; of a single run if it takes a second or more."""
    seconds = [_cpu_seconds(work)[0]]
    while len(seconds) < 3 and seconds[0] < 1:
        seconds.append(_cpu_seconds(work)[0])
    return min(seconds)


def _cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    return _seconds(work, time.process_time)


def _seconds(
    work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    began = clock()
    result = work()
    return clock() - began, result


def _print(**figures: Any) -> None:
    rounded = {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in figures.items()
    }
    print(json.dumps(rounded, indent=1))


if __name__ == "__main__":
    main()
