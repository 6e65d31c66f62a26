"""`megabatt try`: tries the programs of a file, and prints a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from megabatt.codegen.aliases import ALIASES
from megabatt.codegen.errors import ProgramError, advice_on_modules, count_unread
from megabatt.codegen.sources.paths import read_paths
from megabatt.codegen.sources.python import IMPORT, Read, Reading
from megabatt.command_line.options import (
    ELEMENTS,
    Options,
    UnpairedCommand,
    load_modules,
)
from megabatt.command_line.selection import data_for
from megabatt.reading import speech_of
from megabatt.runtime.engine.language.values import show_cut
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run.report import print_line, print_problems, progress_bar
from megabatt.runtime.megabatch.samples import by_group
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import printable
from megabatt.runtime.program import Program
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted, cut, first_of
from megabatt.trying import Trial, Tried, tried

_MOST_NOTES = 5
"""The most notes on skipped parts of the source that are printed."""
_MOST_DRAWN = 3
"""The most wrong samples of the nearest program that are drawn."""


@click.command("try", cls=UnpairedCommand)
@click.argument("source", metavar="FILE|DIR", type=click.Path(exists=True, path_type=Path))
@click.option("--max-elements", type=ELEMENTS, show_default="the language's",
              help="Container elements that one operation may build.")  # fmt: skip
@click.option("--show", "most", type=click.IntRange(min=1), default=1000, show_default=True,
              help="The most programs to list, the best first; the others are counted.")
@ALIASES
@click.option("--primitives", "modules", multiple=True, metavar="MODULE",
              help="A module that registers more primitives, or its file. megabatt imports it: "
              "name only a module that you trust. May be repeated.")  # fmt: skip
def try_out(
    workload: Workload[Any], data: Options, source: Path, max_elements: int | None,
    most: int, aliases: dict[str, str], modules: tuple[str, ...],
) -> None:  # fmt: skip
    """Try the programs of a file or a folder on tasks; say which fit, and why others do not.

    A program whose name has a task's id is tried on that task, any other
    program on all tasks, and the best counts. C, the expected output, is None.

    The exit status is 0, also if no program fits; 1 if no program could be read; 2 if the file or
    the tasks cannot be read.
    """
    console = Terminal()
    load_modules(workload, modules)
    reading = _read(console, source, workload, aliases)
    loaded = _loaded(console, workload, data)
    is_chosen = any(data.get(name) for name in workload.choosing)
    groups = by_group(loaded.samples)
    programs = [read.program for read in reading.programs]
    for line in _unknown(workload, programs, groups) if not is_chosen else ():
        print_line(console, line)
    with progress_bar(console, "trying", len(programs), unit="program") as bar:
        found = tried(programs, groups, workload, max_elements, most, bar.advance)
    sources = _Sources(reading.programs)
    with progress_bar(console, "explaining", len(found.best), unit="program") as bar:
        for line in _table(found.best, sources, loaded.incomplete, bar.advance):
            print_line(console, line)
    if len(programs) > most:
        more = counted(len(programs) - most, "more program")
        print_line(console, f"{more}, none better: --show N lists more")
    if programs:
        print_line(console, "")
    for line in _nearest(console, found.best):
        print_line(console, line)
    notes = [note for note in reading.notes if not note.endswith(IMPORT)]
    for line in (
        *cut([error.shown for error in reading.errors], most, _more_mistakes),
        *cut(notes, _MOST_NOTES, lambda left: f"{counted(left, 'more note')} on what was skipped"),
        *advice_on_modules(reading.errors, modules),
    ):
        print_line(console, line)
    print_problems(console, loaded.problems)
    print_line(console, _summary(found, reading))
    if not programs:
        raise SystemExit(1)


def _read(
    console: Terminal, source: Path, workload: Workload[Any], aliases: dict[str, str]
) -> Reading:
    """Read a file or a folder. Exits with 2 if it cannot be read."""
    reading = Reading([], [], [])
    try:
        speech = speech_of(workload, aliases)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    try:
        with progress_bar(console, "reading", 1, unit="file") as bar:
            read_paths([source], speech, reading, bar.reach)
    except OSError as error:
        raise click.UsageError(f"{error.filename or source}: {error.strerror}") from error
    return reading


def _loaded(console: Terminal, workload: Workload[Any], options: Options) -> Data[Any]:
    """Load the samples. Exits with 2 if no expected output is known."""
    data = data_for(console, workload, options)
    if all(sample.expected is None for sample in data.samples):
        print_problems(console, data.problems)
        raise click.UsageError(
            f"there is nothing to compare with: no sample of {workload.name} has an expected "
            "output; `megabatt compile` and `megabatt run` run programs on them"
        )
    return data


class _Sources:
    """Finds the places of programs and of their operations."""

    def __init__(self, reads: Sequence[Read]) -> None:
        self._reads = reads
        self._names = Counter(read.program.name for read in reads)

    def name_of(self, program: int) -> str:
        """Return a program's name, with its place if other programs have the same name."""
        read = self._reads[program]
        name = read.program.name
        place = "" if self._names[name] == 1 else f" ({read.source.file}:{read.line_of()})"
        return printable(name + place)

    def of(self, program: int, operation: int) -> ProgramError:
        """Return the place of an operation, for a message; arguments count from 0."""
        return self._reads[program].mistake("", operation)._replace(name="")


def _nearest(console: Console, trials: Sequence[Trial]) -> Iterator[str]:
    """Draw the first samples that the nearest program gets wrong; yield a line on the others."""
    for nearest in [trial for trial in trials if trial.wrong and not trial.error][:1]:
        rows = nearest.rows(_MOST_DRAWN if nearest.rank.cells else 1)
        for row in rows:
            console.print(row)
        wrong = sum(known - right for right, known in map(nearest.right, (False, True)))
        if wrong > len(rows):
            yield f"{nearest.name} is wrong on {counted(wrong - len(rows), 'more sample')}"
            yield ""


_NEAR = 0.75
"""The least share of right cells with which a program counts as near."""


def _verdict(trial: Trial) -> str:
    if trial.fits:
        return "fits"
    near = trial.rank.cells >= _NEAR and not trial.fits_demonstrations and not trial.error
    return "near" if near else "wrong"


def _table(
    trials: Sequence[Trial], sources: _Sources, incomplete: Collection[str],
    progress: Callable[[int], object],
) -> Iterator[str]:  # fmt: skip
    """Yield a line for each trial, and below it lines on why it is wrong.

    incomplete: The groups of which a sample could not be read. progress: Called with the number of
    trials explained since the last call.
    """
    if not trials:
        return
    rows = [("", "program", "task", "shown", "tests", "cells")]
    for trial in trials:
        shown, tests = ("/".join(map(str, trial.right(of))) for of in (False, True))
        cells = f"{100 * trial.rank.cells:.0f} %"
        name = sources.name_of(trial.place)
        rows.append((_verdict(trial), name, trial.group, shown, tests, cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    yield head
    for line, trial in zip(lines, trials, strict=True):
        yield line
        yield from (f"      {why}" for why in _why(trial, sources))
        if trial.fits and trial.group in incomplete:
            yield "      fits what could be read; whether it is right on the rest is unknown"
        progress(1)


def _why(trial: Trial, sources: _Sources) -> Iterator[str]:
    """Yield lines on why a program is wrong, for the first wrong sample."""
    if trial.error:
        yield f"not run: {trial.error}"
    if trial.error or not trial.wrong:
        return
    if trial.fits_demonstrations:
        yield "fits the demonstrations, wrong on a test:"
    place = trial.wrong[0]
    number = trial.workload.shown.number(trial.samples[place], place)
    failed = int(trial.evaluation.first_failure[0, place])
    if failed >= 0:
        at = sources.of(trial.place, failed)
        failure = trial.evaluation.failure(0, place, at.source)
        yield from at._replace(message=f"sample {number}: {failure}").shown.split("\n")
    else:
        output, expected = trial.evaluation.output(0, place), trial.samples[place].expected
        difference = trial.workload.shown.difference(output, expected)
        yield f"sample {number}: {difference or f'gives {show_cut(output, 80)}'}"


def _more_mistakes(left: int) -> str:
    return f"{counted(left, 'more mistake')} in what was read: --show N lists more"


def _unknown(
    workload: Workload[Any], programs: Iterable[Program], groups: Iterable[str]
) -> Iterator[str]:
    """Yield a line on programs named after tasks that are not loaded: all tasks are tried."""
    ids = {group.rpartition("/")[2] for group in groups}
    found = map(workload.group_names.search, [program.name for program in programs])
    unknown = [named[0] for named in found if named and named[0] not in ids]
    if unknown:
        whose = f"{counted(len(unknown), 'program')} named after a task that is not loaded"
        has_data = any(option.name == "data" for option in workload.options)
        advice = " (--data loads others)" if has_data else ""
        yield f"trying all tasks for {whose}{advice}: {first_of(unknown, 3)}"


def _summary(found: Tried, reading: Reading) -> str:
    unread = count_unread(reading.errors)
    count = len(reading.programs) + unread
    if not count:
        return "no program was read"
    line = f"{found.fit:,} of {counted(count, 'program')} fit{'s' * (found.fit == 1)}"
    if found.overfitted:
        line += f"; {found.overfitted:,} more only the demonstrations"
    return f"{line}; {unread:,} could not be read" if unread else line
