"""Output for a person: a command's progress bar, and the tables at its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    track,
)
from rich.table import Table
from rich.text import Text

from megabatt.runtime.megabatch.evaluation.first_use import COMPILING, progress_of_compiling
from megabatt.runtime.megabatch.measure.sweep import (
    COLUMNS,
    Measured,
    best_sizes,
    cells,
    columns_in_use,
)
from megabatt.runtime.megabatch.run.compiling import are_forms_compiled, compile_forms
from megabatt.runtime.megabatch.run.monitor import Monitor, Usage
from megabatt.runtime.megabatch.run.run import RunOutcome
from megabatt.runtime.megabatch.workload import Report, Workload
from megabatt.runtime.printable import echo
from megabatt.runtime.vocabulary import counted, cut

_MOST_SHOWN = 20


_SECONDS_BETWEEN_LINES = 10.0
"""Seconds between two lines on a command's progress, without a terminal for a bar."""
_PATIENCE = 1.0
"""Seconds until the first line, without a terminal for a bar."""


class Bar:
    """A bar that counts finished samples, or other units, and compiled kernels.

    lines: Whether to report progress in lines on standard error. silent: Whether to print no lines
    on compiling.
    """

    def __init__(
        self, progress: _Progress, label: str, total: int, lines: bool, silent: bool
    ) -> None:
        self.progress = progress
        self.label = label
        self.total = total
        self.task = progress.add_task(label, total=total)
        self.kernels = 0
        self._lines = lines
        self._silent = silent
        self._done = 0
        self._began = time.monotonic()
        self._next = self._began + _PATIENCE
        self._last = self._next - _SECONDS_BETWEEN_LINES

    def advance(self, count: int) -> None:
        """Count finished units."""
        self.progress.update(self.task, description=self.label, advance=count)
        self._done += count
        self.tell()

    def relabel(self, label: str) -> None:
        """Name the current stage of the work."""
        self.label = label
        self.advance(0)

    def begin(self, label: str, total: int) -> None:
        """Count other samples from now on, from 0."""
        self.label, self.total, self._done = label, total, 0
        self.progress.reset(self.task, description=label, total=total)

    def reach(self, done: int, total: int) -> None:
        """Count the finished units, and all units, anew."""
        self.total = total
        self.progress.update(self.task, total=total)
        self.advance(done - self._done)

    def tell(self) -> None:
        """Print a line on the progress, if lines are wanted and the last line is long ago."""
        now = time.monotonic()
        if self._lines and now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            done = f"{self._done:,} of {counted(self.total, self.progress.unit)}"
            echo(f"{now - self._began:.0f} s: {self.label}, {done}", err=True)

    def compiled(self, kernel: str) -> None:
        """Count a compiled kernel, and say how many are left. kernel: The kernel's name."""
        self.kernels += 1
        now = time.monotonic()
        seconds = now - self._began
        text = progress_of_compiling(self.kernels, seconds)
        self.progress.update(self.task, description=text)
        if now >= self._next and not self._silent:
            self._next = now + _SECONDS_BETWEEN_LINES
            self._last = now
            echo(f"{seconds:.0f} s: {text}", err=True)


class _Progress(Progress):
    """A bar with the monitor's line below it, so that both fit into a narrow terminal."""

    def __init__(self, console: Console, monitor: Monitor | None, unit: str) -> None:
        self._monitor = monitor
        self.unit = unit
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(f"{unit}s"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self._monitor is not None:
            yield Text(self._monitor.line(), style="dim", no_wrap=True, overflow="ellipsis")


@contextmanager
def progress_bar(
    console: Console,
    label: str,
    total: int,
    monitor: Monitor | None = None,
    lines: bool = True,
    unit: str = "sample",
) -> Iterator[Bar]:
    """Show a command's bar within the block, and afterwards a line on compiled kernels.

    monitor: An entered monitor, whose line is shown below the bar. lines: Whether lines replace the
    bar without a terminal. unit: What is counted.
    """
    with _Progress(console, monitor, unit) as progress:
        silent = console.is_terminal or console.quiet
        bar = Bar(progress, label, total, lines and not silent, silent)
        with _repeated(bar.tell):
            yield bar
    if bar.kernels:
        console.print(f"compiled {counted(bar.kernels, 'function')}, kept for the next run")


@contextmanager
def _repeated(action: Callable[[], None]) -> Iterator[None]:
    """Call `action` every second within the block."""
    end = threading.Event()

    def repeat() -> None:
        while not end.wait(1):
            action()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def show_compiling(console: Console, workload: Workload[Any]) -> None:
    """Compile the forms of all primitives, with a bar; do nothing for compiled forms."""
    if are_forms_compiled(workload):
        return
    label = f"{COMPILING}: primitives"
    if not console.is_terminal:
        echo(label, err=True)
    total = len(workload.language.primitives)
    names = compile_forms(workload)
    for _ in track(names, label, total=total, console=console, transient=True):
        pass


def summary_of(
    outcome: RunOutcome,
    of_workload: Report,
    operations: int,
    solvers: int,
    problems: list[str],
    usage: Usage,
    advice: list[str],
) -> dict[str, Any]:
    """Return the figures of the run for summary.json."""
    return {
        "samples": sum(len(done.samples) for done in outcome.batches),
        "batches": len(outcome.batches),
        "rescued_batches": [
            f"batch {done.batch.number}: {done.rescued}" for done in outcome.batches if done.rescued
        ],
        "not_computed": outcome.not_computed,
        "solvers": solvers,
        "operations": operations,
        "operation_lanes": outcome.operation_lanes,
        "failed_share": round(outcome.failed_share, 5),
        "failed_lanes": outcome.failed_lanes,
        "host_share": round(outcome.host_share, 5),
        "peak_rss_mb": round(outcome.peak_rss_mb),
        "wall_seconds": round(outcome.wall_seconds, 2),
        **stage_figures(outcome),
        "usage": usage_figures(usage),
        "advice": advice,
        "problems": problems,
        **of_workload.figures,
    }


def stage_figures(outcome: RunOutcome) -> dict[str, dict[str, float]]:
    """Return seconds by stage: the sum, the mean of a batch, and the most of a batch."""
    total = outcome.seconds
    batches = max(len(outcome.batches), 1)
    return {
        "seconds": {stage: round(seconds, 2) for stage, seconds in total.items()},
        "seconds_a_batch": {stage: round(s / batches, 4) for stage, s in total.items()},
        "most_seconds_a_batch": {stage: round(s, 4) for stage, s in outcome.most_seconds.items()},
    }


def stage_rows(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rows of a table for `stage_figures`."""
    mean, most = figures["seconds_a_batch"], figures["most_seconds_a_batch"]
    return [
        (
            f"seconds, {stage}",
            f"{seconds:.2f} ({mean[stage]:.3f} a batch, {most[stage]:.3f} at most)",
        )
        for stage, seconds in figures["seconds"].items()
    ]


def usage_figures(usage: Usage) -> dict[str, int]:
    """Return rounded means of percent and watts, and peaks in MB; without a GPU, none of a GPU."""
    figures = {
        "cpu_percent_mean": usage.cpu_percent_mean,
        "ram_peak_mb": usage.ram_peak_mb,
        "gpu_percent_mean": usage.gpu_percent_mean,
        "vram_peak_mb": usage.vram_peak_mb,
        "vram_total_mb": usage.vram_total_mb,
        "gpu_watts_mean": usage.gpu_watts_mean,
    }
    return {name: round(value) for name, value in figures.items() if value is not None}


def _usage_rows(usage: dict[str, int]) -> list[tuple[str, str]]:
    rows = [
        ("CPU use, mean (100 % = one core)", f"{usage['cpu_percent_mean']} %"),
        ("RAM, peak sampled", f"{usage['ram_peak_mb']} MB"),
    ]
    if "gpu_percent_mean" in usage:
        rows += [
            ("GPU use, mean", f"{usage['gpu_percent_mean']} %"),
            ("GPU memory, peak", f"{usage['vram_peak_mb']} of {usage['vram_total_mb']} MB"),
        ]
    if "gpu_watts_mean" in usage:
        rows.append(("GPU power, mean", f"{usage['gpu_watts_mean']} W"))
    return rows


def _reason_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    lanes = max(summary["operation_lanes"], 1)
    counts: dict[str, int] = summary["failed_lanes"]
    return [(f"failed by {reason}", f"{n / lanes:.2%}") for reason, n in counts.items() if n]


def print_summary(
    console: Console, summary: dict[str, Any], of_workload: Report, summary_written: bool
) -> None:
    """Print the table of a run, its problems, and the workload's last line."""
    table = Table(title="megabatt run", show_header=False, title_justify="left")
    table.add_column(justify="left")
    table.add_column(justify="right")
    not_computed = summary["not_computed"]
    rows = [
        *of_workload.rows,
        ("samples", summary["samples"]),
        *([("samples not computed", len(not_computed))] if not_computed else []),
        ("batches", summary["batches"]),
        ("solvers", summary["solvers"]),
        ("operations", summary["operations"]),
        ("failed operation-lanes", f"{summary['failed_share']:.2%}"),
        *_reason_rows(summary),
        ("operation-lanes on the host", f"{summary['host_share']:.2%}"),
        ("peak memory, all processes", f"{summary['peak_rss_mb']} MB"),
        *_usage_rows(summary["usage"]),
        *stage_rows(summary),
        ("seconds, wall clock", f"{summary['wall_seconds']:.2f}"),
    ]
    for name, value in rows:
        table.add_row(Text(name), Text(str(value)))
    console.print(table)
    for line in [*summary["advice"], *_rescued_lines(summary["rescued_batches"])]:
        print_line(console, line)
    print_problems(console, summary["problems"], summary_written)
    print_first(console, "not computed", not_computed, summary_written)
    if not_computed:
        line = f"{counted(len(not_computed), 'sample')} not computed: the results are unknown"
        print_line(console, line)
    for line in of_workload.lines:
        print_line(console, line)
    print_line(console, of_workload.last_line)


def print_bench(console: Console, figures: dict[str, Any]) -> None:
    """Print a bench's tables: the figures, and the speedup by the number of lanes."""
    table = Table(title="megabatt bench", show_header=False, title_justify="left")
    table.add_column(justify="left")
    table.add_column(justify="right")
    timed = counted(figures["scalar_samples"], "sample")
    rows = [
        ("solvers", figures["solvers"]),
        ("operations", figures["operations"]),
        (f"sequential form, ms a sample ({timed}, one process)",
         f"{figures['scalar_s_per_sample'] * 1e3:.3f}"),
        ("operation-lanes on the host", f"{figures['host_share']:.2%}"),
        ("peak memory, all processes", f"{figures['peak_rss_mb']} MB"),
        *stage_rows(figures),
    ]  # fmt: skip
    for name, value in rows:
        table.add_row(Text(name), Text(str(value)))
    console.print(table)
    workers = counted(figures["workers"], "worker")
    title = f"vectorized form ({figures['device']}, {workers} at most)"
    table = Table(title=title, title_justify="left")
    for name in ("lanes", "largest batch", "ms a lane", "speedup"):
        table.add_column(name, justify="right")
    for at in figures["by_lanes"]:
        seconds = f"{at['vectorized_s_per_sample'] * 1e3:.3f}"
        table.add_row(str(at["lanes"]), str(at["batch"]), seconds, f"{at['speedup']:.2f}")
    console.print(table)


def _rescued_lines(batches: list[str]) -> list[str]:
    """Return a line for each reason of rescues, with the first batch and how many more."""
    reasons: dict[str, list[str]] = {}
    for line in batches:
        batch, _, why = line.partition(": ")
        reasons.setdefault(why, []).append(batch)
    return [
        f"rescued {found[0]}{f' and {len(found) - 1} more' if len(found) > 1 else ''}: {why}"
        for why, found in reasons.items()
    ]


def print_line(console: Console, line: str) -> None:
    """Print a line literally, without markup."""
    console.print(line, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_problems(console: Console, problems: list[str], all_in_summary: bool = False) -> None:
    """Print the first problems with the data, and the number of other problems."""
    print_first(console, "left out", problems, all_in_summary)


def print_first(
    console: Console, what: str, lines: list[str], all_in_summary: bool = False
) -> None:
    """Print the first lines, each after the label `what`, and the number of other lines."""
    where = ", see summary.json" if all_in_summary else ""
    for line in cut(lines, _MOST_SHOWN, lambda left: f"{left} more{where}"):
        print_line(console, f"{what}: {line}")


def print_sweep(console: Console, found: list[Measured]) -> None:
    """Print a row for each batch size and device, with each device's best size in bold."""
    table = Table(title="megabatt sweep", title_justify="left")
    columns = [name for name in columns_in_use(found) if name != "stages"]  # too wide for a line
    for name in columns:
        table.add_column(COLUMNS[name][0], justify="left" if name == "device" else "right")
    best = best_sizes(found)
    for measured in found:
        is_best = measured.batch_size == best[measured.device]
        table.add_row(*cells(measured, columns), style="bold" if is_best else None)
    console.print(table)
