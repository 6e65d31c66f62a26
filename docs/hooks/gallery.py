"""The site's gallery: megabatt's pictures, drawn while the site is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.panels import output_panel, sample_row
from megabatt.runtime.megabatch.pictures import Row, fragment_of

NAME = "gallery.md"
LISTS = Path(__file__).parents[2] / "codegen" / "lists"

SOLVED = ("b6afb2da", "5521c0d9", "60a26a3e", "11852cab", "d037b0a7", "253bf280")
TRACED = "a61f2674"
WRONG = """def largest_alone(I):
    largest = argmax(objects(I, T, F, T), size)
    return fill(replace(I, 5, 0), 1, largest)
"""


def page() -> str:
    """Return the whole page."""
    solvers = {one.name: one for path in sorted(LISTS.glob("*.py")) for one in mb.read(path)}
    tasks = {task.id: task for task in mb.tasks(ids=[*SOLVED, TRACED])}
    solved = [_row(solvers[f"solve_{task}"], tasks[task], -1) for task in SOLVED]
    (wrong,) = mb.parse(WRONG)
    trace = mb.evaluate([solvers[f"solve_{TRACED}"]], tasks[TRACED]).trace(0, 0)
    return _PAGE.format(
        solved=fragment_of(solved),
        wrong=fragment_of([_row(wrong, tasks[TRACED], 0)]),
        source=WRONG,
        trace=fragment_of(trace.rows()),
        traced=TRACED,
        task=SOLVED[0],
    )


def _row(program: mb.Program, task: mb.Task, place: int) -> Row:
    """Draw a sample of a task, with a program's output for it."""
    output = mb.evaluate([program], task, outputs="all").output(0, place)
    sample = WORKLOAD.given(task)[place]
    panel = output_panel(WORKLOAD, program.name, output, sample.expected)
    return sample_row(WORKLOAD, sample, panel)


_PAGE = """# Gallery

## Found by search

`megabatt search` found a program for this task of ARC-AGI-1's evaluation split. Each row is a pair
of the task: the input, the expected output, and the output of the program.

![a task of ARC, and the outputs of the program that a search found](images/found.svg)

[Search](search.md) has the commands that found and drew it.

## Bundled solvers

The test of a task, the expected output, and the output of the task's solver, as
`megabatt show {task}` draws them:

{solved}

## A wrong output

A cross marks each cell that differs. The first such cell is named.

```python
{source}```

{wrong}

## Every operation

`megabatt show {traced} --trace` draws the value of every operation, constants by their values; so
does a trace in a notebook.

{trace}

## A run as a page

`megabatt report` writes one HTML file with the tasks, the wrong outputs, and the operations that
fail:

![the tasks of a run](images/report-tasks.png)

![one task of a run](images/report-task.png)
"""


def on_files(files: Any, config: Any) -> Any:
    """MkDocs' hook: adds the page."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, NAME, content=page()))
    return files
