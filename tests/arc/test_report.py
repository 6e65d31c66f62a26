"""`megabatt report`: the page has what the run found, and a real browser shows it."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import subprocess

import pytest

from tests.megabatch.commands import command, compiled, write_task

RIGHT, WRONG = ([[1, 2]], [[2, 1]]), ([[1, 2]], [[5]])
TASKS = {
    "easy": ([RIGHT, ([[3, 4]], [[4, 3]])], [RIGHT]),
    "fooled": ([RIGHT, ([[3, 4]], [[4, 3]])], [([[1, 2]], [[1, 2]])]),
    "hidden": ([RIGHT], [([[7, 8, 9]], None)]),
    "nearly": ([RIGHT, WRONG], [WRONG]),
    "never": ([WRONG], [WRONG]),
}
STATES = {
    "easy": "solved", "fooled": "wrong", "hidden": "unknown", "nearly": "near", "never": "open",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    compiled(folder)
    for name, (train, test) in TASKS.items():
        write_task(folder / "tasks", name, train, test)
    options = ["--batt", "batt", "--data", "tasks", "--out", "run", "--workers", 1]
    done = command("-m", "megabatt", "run", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    done = command("-m", "megabatt", "report", "run", cwd=folder)
    assert done.stdout.startswith("run/report.html: "), done.stderr
    return folder


@pytest.fixture(scope="module")
def parts(folder):
    """The page's data, by the name of the part."""
    page = (folder / "run" / "report.html").read_text()
    found = re.findall(r'<script type="text/plain" id="([\w-]+)">(.*?)</script>', page)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in found}


def test_tasks_are_told_apart_by_what_came_of_them(parts):
    assert {name: state for name, _, state, _ in parts["index"]["tasks"]} == STATES


def test_a_task_has_its_grids_and_the_outputs_that_are_wrong_or_unknown(parts):
    names = [task[0] for task in parts["index"]["tasks"]]
    tasks = dict(zip(names, parts["tasks-0"], strict=True))
    assert tasks["easy"]["pairs"][1] == [0, 1, "34", "43"]
    mirror = [name for name, *_ in parts["index"]["solvers"]].index("solve_mirror")
    assert tasks["fooled"]["outputs"] == [[mirror, 2, "21"]]
    assert tasks["hidden"]["outputs"] == [[mirror, 1, "987"]]
    assert tasks["hidden"]["pairs"][1] == [1, 1, "789", None]
    assert mirror in tasks["easy"]["right"] and mirror in tasks["nearly"]["near"]


def test_a_solver_has_its_operations_and_where_they_fail(parts):
    names = [name for name, *_ in parts["index"]["solvers"]]
    programs = dict(zip(names, parts["programs"], strict=True))
    assert programs["solve_mirror"] == {"calls": ["vmirror(I)"], "failures": []}
    assert programs["solve_larger"]["calls"][1] == "argmax(x1, size)"
    for name, operations, failed in parts["index"]["primitives"]:
        own = [
            dict(program["failures"]).get(number, 0)
            for program in programs.values()
            for number, call in enumerate(program["calls"], start=1)
            if call.startswith(f"{name}(")
        ]
        assert (operations, failed) == (len(own), sum(own))


def test_the_page_needs_nothing_from_elsewhere(folder):
    page = (folder / "run" / "report.html").read_text()
    assert "http" not in page and "@import" not in page and "url(" not in page


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine")
@pytest.mark.parametrize(
    ("address", "shown", "not_shown"),
    [
        ("", [*TASKS, "solved (1)", "near misses (1)"], []),
        ("#tasks/near", ["nearly"], ["easy<", "never<"]),
        ("#task/fooled", ["fitted, but wrong", "solve_mirror", "<canvas", "cells differ"], []),
        ("#solver/solve_larger", ["argmax(x1, size)"], []),
        ("#primitives", ["subgrid"], []),
        ("#summary", ["program digest"], []),
    ],
)
def test_a_browser_shows_it_without_an_error(folder, tmp_path, address, shown, not_shown):
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
             "--virtual-time-budget=8000", f"--user-data-dir={tmp_path}", "--dump-dom"]  # fmt: skip
    page = f"file://{folder / 'run' / 'report.html'}{address}"
    done = subprocess.run([CHROMIUM, *flags, page], capture_output=True, text=True, timeout=120)
    assert 'data-ready="yes"' in done.stdout, done.stderr[-2000:]
    body = done.stdout.partition("<main")[2].partition("</main>")[0]
    assert all(text in body for text in shown), body
    assert not any(text in body for text in not_shown), body
    assert "CONSOLE" not in done.stderr, done.stderr
