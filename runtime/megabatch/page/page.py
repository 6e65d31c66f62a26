"""The page: an index, and parts that the browser unpacks when a reader opens them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.page.folder import AGAIN, StoredRun, read_summary
from megabatt.runtime.megabatch.page.numbers import Numbers, by_word, distributions
from megabatt.runtime.megabatch.page.programs import (
    Times,
    by_primitive,
    failures_of,
    first_failures_of,
)
from megabatt.runtime.megabatch.summaries import SUMMARY
from megabatt.runtime.megabatch.workload import Workload

_TEMPLATE = Path(__file__).parents[3] / "templates" / "report.html.jinja"


@dataclass
class Groups:
    """A workload's part of the page: groups of samples, such as tasks.

    solved: The number of solved groups by solver. index: Further entries of the index, by name.
    parts: Further parts of the page, by name.
    """

    solved: Mapping[str, int] = field(default_factory=dict)
    index: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)


def solvers_of(run: StoredRun) -> list[str]:
    """Return the names of all solvers with rows or a program in the run."""
    found = set(run.manifest.programs)
    for table in run.rows(["solver"]):
        found.update(pc.unique(table["solver"]).cast(pa.string()).to_pylist())
    return sorted(found)


def page_of(folder: Path, workload: Workload[Any]) -> str:
    """Return an HTML page on the run in a folder. Raises DataError."""
    own = workload.shown.page(folder, workload)
    if own is not None:
        return own
    run = StoredRun.read(folder, workload)
    return page_of_run(run, workload, solvers_of(run))


def page_of_run(
    run: StoredRun,
    workload: Workload[Any],
    solvers: list[str],
    groups: Groups | None = None,
) -> str:
    """Make the page of a run. Raises DataError if its files cannot be read."""
    summary = read_summary(run.folder)
    if summary.get("run") != run.manifest.run:
        raise DataError(f"{run.folder}/{SUMMARY}: it is of another run; {AGAIN}")
    failures, times = failures_of(run), Times(run, summary)
    first = first_failures_of(run)
    outputs = _outputs(run, workload)
    own = run.manifest.programs
    described = [
        {
            "calls": own[name].calls if name in own else [],
            "failures": [
                (number, n, first.get(name, {}).get(number, ""))
                for number, n in sorted(failures[name].items())
            ],
            "seconds": times.of_operations(name),
            "primitives": by_primitive([name], own, failures, times),
            "outputs": outputs.get(name, []),
        }
        for name in solvers
    ]
    solved = None if groups is None else groups.solved
    rows = [
        [
            name,
            None if solved is None else solved.get(name, 0),
            sum(failures[name].values()),
            times.of_solver(name),
        ]
        for name in solvers
    ]
    groups = groups or Groups()
    index = {
        "summary": summary_rows(summary),
        "solvers": rows,
        "primitives": by_primitive(solvers, own, failures, times),
        "timed": times.described(),
        **groups.index,
    }
    return html_of({"index": index, **groups.parts, "programs": described})


def _outputs(run: StoredRun, workload: Workload[Any]) -> dict[str, list[Any]]:
    """Return the distributions of each solver's numeric outputs, by solver."""
    rows: dict[str, list[Any]] = {}
    for column in workload.shown.numeric_outputs:

        def numbers(column: str = column) -> Numbers:
            for table in run.rows(["solver", column]):
                yield from by_word(table, "solver", column)

        for name, found in distributions(numbers).items():
            names = workload.shown.names_of_numbers(column, len(found.count))
            rows.setdefault(name, []).extend(found.described(names))
    return rows


def html_of(parts: Mapping[str, Any]) -> str:
    """Make the page from its parts, which include the index."""
    scripts = "\n".join(
        f'<script type="text/plain" id="{name}">{_packed(value)}</script>'
        for name, value in parts.items()
    )
    return _TEMPLATE.read_text(encoding="utf-8").replace("<!-- parts -->", scripts)


def _packed(value: Any) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def summary_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """List the figures of a run for the page's first table."""
    rows: list[tuple[str, str]] = []
    for name, value in summary.items():
        if name in _HIDDEN or value in ("", [], {}) or (value == 0 and "unknown" in name):
            continue
        heading, form = _NAMES.get(name, (name.replace("_", " "), "{}"))
        if isinstance(value, dict):
            known = {_NAMES.get(k, (k.replace("_", " "),))[0]: v for k, v in value.items()}
            text = ", ".join(f"{k} {v}" for k, v in known.items() if v)
        else:
            try:
                text = form.format(value)
            except (TypeError, ValueError, OverflowError):  # not a number that a run would write
                text = str(value)
        if text:
            rows.append((heading, text))
    return rows


_HIDDEN = set(
    """complete solved_by unknown_tasks problems not_computed rescued_batches advice checksum
    data_digest program_digest run batches_in_all seconds_a_batch most_seconds_a_batch""".split()
)
_NAMES = {
    "megabatt": ("version of megabatt", "{}"),
    "program": ("folder of programs", "{}"),
    "outputs": ("outputs kept", "{}"),
    "max_elements": ("elements an operation may build", "{:,}"),
    "samples": ("samples", "{:,}"),
    "operations": ("different operations", "{:,}"),
    "operation_lanes": ("operations made, over all samples", "{:,}"),
    "failed_share": ("of these failed", "{:.2%}"),
    "failed_lanes": ("failed, by reason", "{}"),
    "host_share": ("left to Python", "{:.2%}"),
    "peak_rss_mb": ("most memory", "{:,} MB"),
    "wall_seconds": ("time", "{} s"),
    "seconds": ("seconds of all workers", "{}"),
    "cpu_percent_mean": ("CPU, % on average", "{}"),
    "ram_peak_mb": ("memory, MB at most", "{}"),
    "gpu_percent_mean": ("GPU, % on average", "{}"),
    "vram_peak_mb": ("GPU memory, MB at most", "{}"),
    "vram_total_mb": ("GPU memory, MB in all", "{}"),
    "gpu_watts_mean": ("GPU, W on average", "{}"),
    "solved": ("tasks solved", "{:,}"),
    "unknown": ("tasks whose answers are not known", "{:,}"),
    "tasks_fitted_by_demonstrations": ("tasks fitted", "{:,}"),
    "tasks_fitted_unknown": ("tasks fitted, answers not known", "{:,}"),
}
"""Readable names and formats for the figures of summary.json."""
