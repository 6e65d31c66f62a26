"""The first evaluation from Python says, once, that it compiles."""

from __future__ import annotations

import io
from contextlib import contextmanager, redirect_stderr

import pytest

from megabatt.runtime.engine.device.compiling import on_compiled, tell_compiled
from megabatt.runtime.megabatch.evaluation import first_use


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch):
    monkeypatch.setattr(first_use, "_told", False)
    monkeypatch.setattr(first_use, "_PATIENCE", -1)


@contextmanager
def evaluating(stderr):
    with redirect_stderr(stderr), first_use.telling_of_compilation():
        yield


def test_it_is_told_once():
    stderr = Terminal()
    for _ in range(2):
        with evaluating(stderr):
            tell_compiled("one")
            tell_compiled("another")
    assert stderr.getvalue().count("megabatt compiles") == 1


def test_it_is_not_told_where_nothing_is_compiled_or_little(monkeypatch):
    stderr = Terminal()
    with evaluating(stderr):
        pass
    monkeypatch.setattr(first_use, "_PATIENCE", 60)
    with evaluating(stderr):
        tell_compiled("one")
    assert stderr.getvalue() == ""


def test_it_is_not_told_beside_a_bar():
    stderr, names = Terminal(), []
    with on_compiled(names.append), evaluating(stderr):
        tell_compiled("one")
    assert names == ["one"] and stderr.getvalue() == ""


def test_it_is_logged_where_there_is_no_terminal(caplog):
    stderr = io.StringIO()
    with caplog.at_level("INFO", "megabatt"), evaluating(stderr):
        tell_compiled("one")
    assert stderr.getvalue() == "" and "megabatt compiles" in caplog.text
