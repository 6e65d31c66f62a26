"""Displays of a running search: in a terminal, without one, and in a notebook."""

from __future__ import annotations

import sys
import time
from threading import Event as Signal
from threading import Thread
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from megabatt.runtime.megabatch.evaluation.first_use import COMPILING
from megabatt.runtime.megabatch.pictures import Row, fragment_of, table_of
from megabatt.runtime.megabatch.run.compiling import are_forms_compiled, compile_forms
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.result import drawn_find
from megabatt.runtime.search.search import Event, Search, tasks_of
from megabatt.runtime.search.state import State
from megabatt.runtime.vocabulary import counted

_PATIENCE = 1.0
"""The most seconds until the progress is first shown."""
_NEAREST = 3
"""The most unfitted tasks whose best closeness is shown."""


class Watch:
    """A display of a running search. This class shows nothing; subclasses draw.

    A display is entered for the time of the search, gets events by `told`, and draws every `pause`
    seconds.
    """

    pause = 0.0

    def __init__(self, workload: Workload[Any], state: State, budget: str) -> None:
        """Set up the display. budget: The search's budget, such as "600 s"."""
        self.workload = workload
        self.state = state
        self.budget = budget
        self.compiling = "getting ready"
        self.is_over = False
        self._problems = {problem.name: problem for problem in state.problems}
        self._fitted = set(state.finds.by_task)
        self._entered = self._began = time.monotonic()
        self._before = state.tried
        self._end = Signal()
        self._ticker = Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Watch:
        self._entered = self._began = time.monotonic()
        if self.pause:
            self._ticker.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end.set()
        if self._ticker.is_alive():
            self._ticker.join()

    def compile_first(self, search: Search) -> None:
        """Compile the code of the search, before the search's time begins."""
        if not are_forms_compiled(self.workload):
            total = len(self.workload.language.primitives)
            self.compiling = f"primitives, 0 of {total} done"
            for done, _ in enumerate(compile_forms(self.workload), 1):
                self.compiling = f"primitives, {done} of {total} done"
        for done, name in enumerate(search.rehearse()):
            self.compiling = f"strategy {name}, {done} of {len(search.strategies)} done"
        self.compiling = ""
        self._began = time.monotonic()

    def finish(self) -> None:
        """Show that the search is over, and that its finds are being shortened and ranked."""
        self.is_over = True
        self.draw()

    def told(self, event: Event) -> None:
        """Show the first program found for a task."""
        found = event.found
        if found is not None and found.task not in self._fitted:
            self._fitted.add(found.task)
            self.show_find(found, drawn_find(self.workload, self._problems[found.task], found))

    def show_find(self, found: Found, row: Row) -> None:
        """Show a find."""

    def draw(self) -> None:
        """Show the search's progress."""

    def _tick(self) -> None:
        pause = min(self.pause, _PATIENCE)
        while not self._end.wait(pause):
            self.draw()
            pause = self.pause

    def rows(self) -> dict[str, str]:
        """Return the search's progress as rows with headings."""
        if self.compiling:
            return {
                COMPILING: self.compiling,
                "time": _clock(time.monotonic() - self._entered),
            }
        state = self.state
        spent = time.monotonic() - self._began
        if self.is_over:
            fitted = counted(len(state.finds), "task")
            return {"time": _clock(spent), "now": f"shortening and ranking what fits {fitted}"}
        tried = state.tried - self._before
        before = f" ({self._before:,} before)" if self._before else ""
        rows = {
            "time": f"{_clock(spent)} (ends after {self.budget})",
            "tasks fitted": f"{len(state.finds)} of {len(state.problems)}",
            "programs": f"{state.tried:,}{before}, {tried / max(spent, 1e-9):,.0f} a second",
        }
        if state.candidates:
            as_programs = counted(state.candidates // 100, "program")
            rows["candidates"] = f"{state.candidates:,} (they count as {as_programs})"
        pending = state.pending[:1]  # the search changes it meanwhile
        if pending:
            rows["now"] = self._now(*pending[0])
        nearest = self._nearest()
        return {**rows, "nearest on one demonstration": nearest} if nearest else rows

    def line(self) -> str:
        """Return the search's progress in a line."""
        return "; ".join(f"{name}: {value}" for name, value in self.rows().items())

    def _now(self, strategy: str, unit: Any) -> str:
        tasks = ", ".join(tasks_of(unit)) or "all tasks"
        return f"{strategy} on {tasks} (counted when it ends){self._near(tasks)}"

    def _near(self, task: str) -> str:
        near = self.state.near.by_task.get(task)
        return f", at best {100 * near[0].closeness:.0f} % right" if near else ""

    def _nearest(self) -> str:
        by_task = list(self.state.near.by_task.items())
        left = {task: near[0].closeness for task, near in by_task if task not in self._fitted}
        nearest = sorted(left, key=lambda task: -left[task])[:_NEAREST]
        return ", ".join(f"{task} {100 * left[task]:.0f} %" for task in nearest)


def _clock(seconds: float) -> str:
    """Return a time such as 1:05 or 2:00:00."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clock_or_count(seconds: float | None, programs: int | None) -> str:
    """Return a search's budget in words."""
    parts = [_clock(seconds)] if seconds is not None else []
    return " or ".join(parts + ([counted(programs, "program")] if programs is not None else []))


class InTerminal(Watch):
    """A live table, below the pictures of finds."""

    def __init__(
        self, workload: Workload[Any], state: State, budget: str, console: Console
    ) -> None:
        super().__init__(workload, state, budget)
        self._live = Live(
            get_renderable=self._table, console=console, transient=True, refresh_per_second=4
        )

    def __enter__(self) -> Watch:
        self._live.start()
        return super().__enter__()

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)
        self._live.stop()

    def show_find(self, found: Found, row: Row) -> None:
        self._live.console.print(row)

    def _table(self) -> Table:
        table = Table(title="megabatt search", title_justify="left", show_header=False)
        for entry in self.rows().items():
            table.add_row(*entry)
        return table


class InLines(Watch):
    """A line every ten seconds, and a line for each find."""

    pause = 10.0

    def __init__(
        self, workload: Workload[Any], state: State, budget: str, console: Console
    ) -> None:
        super().__init__(workload, state, budget)
        self._console = console

    def show_find(self, found: Found, row: Row) -> None:
        print_line(self._console, f"found {row.heading}")

    def draw(self) -> None:
        print_line(self._console, self.line())


class InScript(Watch):
    """A line on standard error every ten seconds while code is compiled, and then nothing."""

    pause = 10.0

    def draw(self) -> None:
        if self.compiling:
            print(f"megabatt search: {self.line()}", file=sys.stderr)


class InNotebook(Watch):
    """A cell's changing output, cleared when the search has ended."""

    pause = 1.0
    _SHOWN = 3

    def __enter__(self) -> Watch:
        from IPython.display import HTML, display

        self._html = HTML
        self._rows: list[Row] = []
        self._handle = display(HTML(self._drawn()), display_id=True)
        return super().__enter__()

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)
        self._handle.update(self._html(""))

    def show_find(self, found: Found, row: Row) -> None:
        self._rows = [*self._rows, row][-self._SHOWN :]

    def draw(self) -> None:
        self._handle.update(self._html(self._drawn()))

    def _drawn(self) -> str:
        return fragment_of(table_of((), self.rows().items()), self._rows)


def in_notebook() -> bool:
    """Tell whether Python runs in a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
