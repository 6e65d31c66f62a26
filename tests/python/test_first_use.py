"""A first use says what it compiles: evaluations from Python, and commands."""

import io
import re
from contextlib import contextmanager, redirect_stderr

import pytest

from megabatt.runtime.engine.device.compiling import expecting, on_compiled, tell_compiled
from megabatt.runtime.megabatch.evaluation import first_use
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.terminal import Terminal


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    monkeypatch.setattr(first_use, "_PATIENCE", -1)
    monkeypatch.setattr(report, "_PATIENCE", -1)


@contextmanager
def evaluating(stderr):
    with redirect_stderr(stderr), first_use.telling_of_compilation():
        yield


@pytest.mark.parametrize(
    ("patience", "again", "names", "lines"),
    [
        (-1, 60, ["one", "another"], ["megabatt: compiling.* 1 of at most 2 "]),
        (-1, -1, ["one", "another"],
         ["1 of at most 2 functions, about 1 s left", r": 2 functions \(`megabatt"]),
        (60, -1, ["one"], []),
        (-1, -1, [], []),
    ],
)  # fmt: skip
def test_long_compiling_is_told_on_stderr_and_in_the_log(
    patience, again, names, lines, caplog, monkeypatch
):
    """It is told once, and again if it goes on for long."""
    monkeypatch.setattr(first_use, "_PATIENCE", patience)
    monkeypatch.setattr(first_use, "_AGAIN", again)
    stderr = io.StringIO()
    with caplog.at_level("INFO", "megabatt"), evaluating(stderr):
        for k, name in enumerate(names, 1):
            with expecting(len(names) - k):
                tell_compiled(name)
    told = stderr.getvalue().splitlines()
    for line, found, logged in zip(lines, told, caplog.messages, strict=True):
        assert re.search(line, found) and logged in found


def test_compiling_is_not_told_beside_a_bar():
    stderr, names = io.StringIO(), []
    with on_compiled(names.append), evaluating(stderr):
        tell_compiled("one")
    assert names == ["one"] and stderr.getvalue() == ""


@pytest.mark.parametrize("quiet", [False, True])
def test_a_command_without_a_terminal_says_what_it_compiles_and_how_much_is_left(quiet):
    stderr = io.StringIO()
    console = Terminal(file=io.StringIO(), quiet=quiet)
    with redirect_stderr(stderr), report.progress_bar(console, "running", 1, lines=False) as bar:
        with expecting(2):
            bar.compiled("_one")
            bar.compiled("another")
    line = "0 s: compiling, once on this machine: 1 of at most 3 functions, about 1 s left\n"
    assert stderr.getvalue() == ("" if quiet else line)
