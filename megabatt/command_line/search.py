"""`megabatt search`: looks for programs that fit tasks, writes them and counts them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from megabatt.codegen.aliases import ALIASES
from megabatt.codegen.errors import advice_on_modules, count_unread
from megabatt.command_line.options import (
    ELEMENTS,
    SECONDS,
    SIZE,
    LocalPath,
    UnpairedCommand,
    load_modules,
)
from megabatt.command_line.selection import data_for
from megabatt.reading import ProgramError, read
from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.locks import InUse, locked
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.run.stopping import Stop, on_signals
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Solution, Workload
from megabatt.runtime.printable import echo, log_to_terminal
from megabatt.runtime.program import Program
from megabatt.runtime.search.problems import answers_of
from megabatt.runtime.search.result import ATTEMPTS, Result
from megabatt.runtime.search.search import Event, Search
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies import STRATEGIES, strategies_named
from megabatt.runtime.search.written import (
    WRITTEN,
    Log,
    Verified,
    code_of,
    solvers_source,
    verified,
    write_whole,
)
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted, cut, first_of, name_of
from megabatt.searching import MAX_ELEMENTS, search_from, seeds_of, state_of
from megabatt.watching import InLines, InTerminal, Watch, clock_or_count

_OUT = "found"
_PRINTED = 3
"""The most found programs that are printed at the end."""


class _SearchCommand(UnpairedCommand):
    """A search. A resumed search keeps its first options, except for options given again."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        given = _by_option(args)
        if "--resume" in given and not given.keys() & {"-h", "--help"}:
            out = Path(given["--out"][-1]) if "--out" in given else _default_out(resume=True)
            if not (_is_begun(out) or _BUDGET & given.keys()):
                where = "" if "--out" in given else ": name its folder with --out"
                raise click.UsageError(f"there is no search in {out}{where}")
            place, noted = _begin_of(out)
            begun = _by_option(noted)
            left = begun.keys() - given.keys() - (_BUDGET if _BUDGET & given.keys() else set())
            kept = [arg for name in begun if name in left for arg in begun[name]]
            args = [*args, *kept]
            if kept and place != os.getcwd():
                line = f"the search in {out} began in {place}, with {' '.join(kept)}"
                echo(f"{line}: files and modules are looked for here now", err=True)
        context.meta[f"{__name__}.{_ARGUMENTS}"] = [arg for arg in args if arg != "--resume"]
        return super().parse_args(context, args)


_ARGUMENTS = "arguments"
"""The file with the arguments that a search began with, and where."""
_LOCK = ".search.lock"
_BUDGET = {"--seconds", "--programs"}


def _by_option(args: Iterable[str]) -> dict[str, list[str]]:
    """Group arguments by the option before them, which comes first in each group."""
    groups: dict[str, list[str]] = {}
    name = ""
    for arg in args:
        if arg.startswith("-") and not arg[1:2].isdigit():  # else a number below 0
            name, _, value = arg.partition("=")
            arg, *values = [name, value] if value else [name]
            groups.setdefault(name, []).extend([arg, *values])
        else:
            groups.setdefault(name, []).append(arg)
    return groups


def _begin_of(out: Path) -> tuple[str, list[str]]:
    """Return the working folder and the arguments with which a folder's search began.

    Both are empty if the folder does not have its file of arguments. Raises UsageError for a
    damaged file: without its options, the search would silently be another one.
    """
    path = out / _ARGUMENTS
    if not path.exists():
        if (out / "state").exists():
            echo(f"{path} is missing: options that are not given have their defaults", err=True)
        return "", []
    try:
        place, *arguments = json.loads(Store.at(out).read(_ARGUMENTS) or b"")
        if all(isinstance(word, str) for word in (place, *arguments)):
            return place, arguments
        why = "not a list of text"
    except OSError as error:
        why = error.strerror or str(error)
    except (ValueError, TypeError, RecursionError) as error:
        why = str(error)
    advice = "remove it, and give the search's options again"
    raise click.UsageError(f"{path}: not the options of a search ({why}): {advice}")


@click.command(cls=_SearchCommand)
@click.option("--seeds", multiple=True, metavar="FILE|DIR", type=click.Path(exists=True),
              show_default="megabatt's programs for training tasks",
              help="Programs to begin with: a .py, .jsonl or Markdown file, or a folder. May be "
              "repeated. Programs that cannot be read are left out.")  # fmt: skip
@ALIASES
@click.option("--allow-own", is_flag=True,
              help="Keep seeds that are named after a task to be solved.")  # fmt: skip
@click.option("--seconds", type=SECONDS,
              help="Stop after this many seconds, and finish what is under way.")  # fmt: skip
@click.option("--programs", type=click.IntRange(min=1),
              help="Stop after about this many programs. With the same number, a search tries the "
              "same programs again.")  # fmt: skip
@click.option("--per-task", type=SECONDS,
              help="The most to spend on one task at a time.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1,
              show_default="number of cores", help="Worker processes.")  # fmt: skip
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
              show_default=True, help="Where to compute.")  # fmt: skip
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    type=click.Choice([*STRATEGIES]),
    show_default="all",
    help="A strategy to use. May be repeated.",
)
@click.option("--vocabulary", default="", metavar="NAME", show_default="all primitives",
              help="Primitives to use, such as arc-dsl.")  # fmt: skip
@click.option("--primitives", "modules", multiple=True, metavar="MODULE",
              help="A module that registers more primitives, or its file, to search with too. "
              "megabatt imports it: name only one that you trust. May be repeated.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random choices.")
@click.option("--memory", type=SIZE, metavar="SIZE", show_default="half of the machine's",
              help="Memory of all processes together, such as 8GB.")  # fmt: skip
@click.option("--max-elements", type=ELEMENTS, show_default=f"{MAX_ELEMENTS:,}",
              help="Container elements that one operation may build while searching.")  # fmt: skip
@click.option("--out", type=LocalPath(file_okay=False, path_type=Path), metavar="DIR",
              show_default=f"{_OUT}, or {_OUT}-2 and so on where that has a search",
              help="Folder to write the programs found to.")  # fmt: skip
@click.option("--resume", is_flag=True,
              help=f"Resume the search in --out, by default the last of {_OUT}, {_OUT}-2 and so "
              "on, with the options that it began with, unless they are given again.")  # fmt: skip
def search(
    workload: Workload[Any], data: dict[str, Any], seeds: tuple[str, ...],
    aliases: dict[str, str], allow_own: bool,
    seconds: float | None, programs: int | None, per_task: float | None, workers: int, device: str,
    strategies: tuple[str, ...], vocabulary: str, modules: tuple[str, ...], seed: int,
    memory: int | None,
    max_elements: int | None, out: Path | None, resume: bool,
) -> None:  # fmt: skip
    """Search for programs that fit tasks, and write them.

    One of --seconds and --programs is needed; Ctrl-C ends the search before. --resume goes on from
    there, for --seconds more or until --programs programs were tried in all. Only programs
    whose two forms agree are written. Test outputs are read only to count solved tasks.
    """
    console = Terminal()
    log_to_terminal("WARNING", "%(message)s")
    if seconds is None and programs is None:
        raise click.UsageError("say when to stop, with --seconds or --programs")
    out = _default_out(resume) if out is None else out
    try:
        begun = _resumed(out)
        saved = _saved_in(out, resume)
        if resume:
            print_line(console, begun)
        load_modules(workload, modules)
        loaded = data_for(console, workload, data)
        report.print_problems(console, loaded.problems)
        known = _seeds(console, workload, seeds, aliases, modules, loaded, allow_own)
        state = state_of(
            workload, loaded.samples, known, seed=seed, vocabulary=vocabulary, saved=saved
        )
        _print_unsearched(console, loaded, state)
        seen = InTerminal if console.is_terminal else InLines
        watch = seen(workload, state, clock_or_count(seconds, programs), console)

        def told(event: Event) -> None:
            if event.found is not None:
                log.write(event.kind, event.found)
            watch.told(event)

        running = search_from(
            state, workload, strategies=strategies_named(strategies or STRATEGIES),
            workers=workers, device=device, max_elements=max_elements, per_task=per_task,
            memory=memory, listener=told,
        )  # fmt: skip
        if saved is None:
            arguments = click.get_current_context().meta[f"{__name__}.{_ARGUMENTS}"]
            write_whole(out / _ARGUMENTS, json.dumps([os.getcwd(), *arguments]))
        log = Log(out / "search.log", saved is not None)
    except OSError as error:
        raise click.UsageError(f"{error.filename or out}: {error.strerror or error}") from error
    except (ValueError, InUse) as error:
        raise click.UsageError(str(error)) from error
    done = programs is not None and state.tried >= programs
    before = f"{state.tried:,} programs were tried before" if done else ""
    problems: list[str] = []
    with closing(log), on_signals(lambda: None) as stop:
        try:
            with watch:
                stopped, status = _searched(running, watch, stop, out, programs, seconds)
                watch.finish()
                answers = answers_of(workload, loaded.samples, loaded.incomplete)
                result = running.result(answers, stopped or before)
            checked = _checked(console, workload, result, workers)
            result = replace(result, checked=checked.by_task)
            _write(out, workload, loaded, result, checked)
            problems += checked.problems
            report.print_first(console, "not compared", checked.not_compared)
        except OSError as error:
            problems.append(f"{error.filename or out}: {error.strerror or error}")
            status = 1
        except KeyboardInterrupt:
            print_line(console, _unwritten(stop, out))
            sys.exit(stop.exit_status or 130)
    report.print_problems(console, problems)
    found = result.programs
    codes = [code_of(one, workload.language.inputs, f"solve_{name_of(one.name)}") for one in found]
    for line in cut(codes, _PRINTED, lambda left: f"and {counted(left, 'more program')}"):
        print_line(console, line)
    _print_summary(console, result, out)
    sys.exit(status)


def _searched(
    running: Search, watch: Watch, stop: Stop, out: Path, programs: int | None,
    seconds: float | None,
) -> tuple[str, int]:  # fmt: skip
    """Search until the budget is spent. Returns why the search stopped early, and the status."""
    try:
        watch.compile_first(running)
        running.run(
            programs=programs, seconds=seconds, after_round=lambda after: after.save(out / "state")
        )
    except KeyboardInterrupt:
        goes_on = f"`megabatt search --resume --out {out}` goes on"
        return f"{stop.cause}; {goes_on}", stop.exit_status or 130
    except OSError as error:
        return f"{out}: {error.strerror or error}", 1
    return "", 0


def _unwritten(stop: Stop, out: Path) -> str:
    """Say that a second Ctrl-C left the files as they were, and how to write the finds."""
    return (
        f"{stop.cause} before the finds were written: the programs in {out} are those of before; "
        f"`megabatt search --resume --out {out} --seconds 1` writes the finds"
    )


def _print_unsearched(console: Console, data: Data[Any], state: State) -> None:
    """Print which tasks have no demonstration to search with."""
    searched = {problem.name for problem in state.problems}
    others = list(dict.fromkeys(s.group for s in data.samples if s.group not in searched))
    if others:
        named = f"{counted(len(others), 'task')} without a demonstration, not searched"
        print_line(console, f"{named}: {first_of(others, _PRINTED)}")


def _seeds(
    console: Console, workload: Workload[Any], sources: tuple[str, ...], aliases: dict[str, str],
    modules: tuple[str, ...], data: Data[Any], allow_own: bool,
) -> list[Program]:  # fmt: skip
    """Read the seeds of all sources. Exits with 2 if none can be read."""
    try:
        found = [read(source, aliases=aliases, workload=workload) for source in sources]
        programs = [program for some in found for program in some]
        errors = [error for some in found for error in some.errors]
        names = {sample.group for sample in data.samples}
        _print_skipped(console, errors)
        for line in advice_on_modules(errors, modules):
            print_line(console, line)
        if errors and not programs:
            raise ValueError("no program could be read")
        return seeds_of(programs if sources else None, names, allow_own)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--seeds: {error}" if sources else str(error)) from error


_REASONS = 3


def _print_skipped(console: Console, errors: list[ProgramError]) -> None:
    """Print the first mistakes in the seeds, and the number of programs left out."""
    shown = [error.shown for error in errors]
    for line in cut(shown, _REASONS, lambda left: f"and {counted(left, 'more mistake')}"):
        print_line(console, line)
    if count_unread(errors):
        print_line(console, f"--seeds: {counted(count_unread(errors), 'program')} left out")


def _default_out(resume: bool) -> Path:
    """Return the folder of the last search here without --out, or a new folder for the next."""
    names = chain([_OUT], (f"{_OUT}-{k}" for k in count(2)))
    last = Path(_OUT)
    for folder in map(Path, names):
        if not _is_begun(folder):
            return last if resume else folder
        last = folder
    raise AssertionError("names do not end")


def _is_begun(folder: Path) -> bool:
    """Tell whether a folder has a search."""
    return any((folder / name).exists() for name in (_ARGUMENTS, "search.log", "state"))


def _resumed(out: Path) -> str:
    """Say how a search is resumed in a folder."""
    if (out / "state").exists():
        return f"resuming the search in {out}"
    if _is_begun(out):
        return f"the search in {out} has no state to go on from: it begins again"
    return f"{out} had no search: one begins"


def _saved_in(out: Path, resume: bool) -> Path | None:
    """Return the file of the folder's saved state; None if there is none.

    Makes the folder, and locks it until the command ends; a new folder that is then empty goes, as
    when the search is refused. Raises OSError, InUse if another search
    has locked it, and ValueError if the folder has a state and `resume` is not set, or has files
    but no search.
    """
    context = click.get_current_context()
    if not out.exists():
        context.call_on_close(partial(_remove_if_empty, out))  # after the lock, which is newer
    out.mkdir(parents=True, exist_ok=True)
    context.with_resource(locked(Store.at(out), _LOCK, "in use by another search"))
    path = out / "state"
    Store.at(out).regular(path.name)
    if path.exists() and not resume:
        raise ValueError(f"{out} has a search: go on with --resume, or name another --out")
    if any(file.name != _LOCK for file in out.iterdir()) and not _is_begun(out):
        raise ValueError(f"{out} holds files that are not of a search: name another --out")
    return path if path.exists() else None


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _checked(
    console: Console, workload: Workload[Any], result: Result, workers: int
) -> Verified:
    """Compare both forms of the programs that fit, and of the guesses among the first attempts."""
    problems = result.state.problems
    answers = {
        task: [one for place, one in enumerate(found) if place < WRITTEN or not one.guess]
        for task, found in result.answered.items()
    }
    total = sum(len(one.samples) * len(answers.get(one.name, ())) for one in problems)
    with report.progress_bar(console, "comparing both forms", total) as bar:
        return verified(workload, problems, answers, bar.advance, processes=workers)


def _write(
    out: Path, workload: Workload[Any], data: Data[Any], result: Result, checked: Verified
) -> None:
    """Write the found programs whose forms agree, and the figures."""
    inputs = workload.language.inputs
    for name, guesses in (("solvers.py", False), ("guesses.py", True)):
        if any(one.guess == guesses for found in checked.by_task.values() for one in found):
            write_whole(out / name, solvers_source(checked.by_task, inputs, workload, guesses))
        else:
            (out / name).unlink(missing_ok=True)
    solutions = {
        task: [
            Solution(code_of(one.program, inputs), one.origin, one.outputs, not one.guess)
            for one in found
        ]
        for task, found in checked.by_task.items()
    }
    try:
        workload.write_found(out, data, solutions)
    except DataError as error:
        checked.problems.append(f"submission: {error}")
    write_whole(out / "summary.json", json.dumps(result.figures, indent=1))


def _print_summary(console: Console, result: Result, out: Path) -> None:
    figures = result.figures
    table = Table(show_header=False)
    table.add_row("tasks fitted", f"{figures['fitted']} of {figures['tasks']}")
    if figures["fitted_unknown"] < figures["fitted"] or figures["solved_with_3"]:
        for count in ATTEMPTS:
            name = f"solved with {count} attempt" + ("s" if count > 1 else "")
            by_fitting = figures[f"solved_by_fitting_with_{count}"]
            solved = figures[f"solved_with_{count}"]
            table.add_row(name, f"{solved}: {by_fitting} by fitting, {solved - by_fitting} guessed")
        table.add_row("fitted, wrong at first", str(figures["fitted_but_wrong_at_first"]))
    if figures["guessed"]:
        table.add_row("other tasks with guesses", str(figures["guessed"]))
    if figures["fitted_unknown"]:
        table.add_row("fitted, answers unknown", str(figures["fitted_unknown"]))
    table.add_row("programs", f"{figures['programs']:,} ({figures['distinct']:,} distinct)")
    table.add_row("programs a core second", f"{figures['programs_per_second_and_core']:,.0f}")
    if figures["candidates"]:
        enumerated = f"{figures['candidates']:,}, a hundred counted as a program"
        table.add_row("candidates enumerated", enumerated)
    for stage, spent in figures["seconds_by_stage"].items():
        table.add_row(f"core seconds: {stage}", f"{spent:.1f}")
    table.add_row("memory", f"{figures['peak_mb']:,} MB")
    console.print(table)
    end = f"{result.stopped}: " if result.stopped else ""
    written = [out / name for name in ("solvers.py", "guesses.py") if (out / name).exists()]
    see = "; see " + " and ".join(map(str, written)) if written else ""
    print_line(console, f"{end}{result!r}{see}")
