"""The first evaluation from Python says what it compiles."""

import io
from contextlib import contextmanager, redirect_stderr

import pytest

from megabatt.runtime.engine.device.compiling import (
    expecting,
    made_ready,
    on_compiled,
    tell_compiled,
)
from megabatt.runtime.megabatch.evaluation import first_use


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    monkeypatch.setattr(first_use, "_PATIENCE", -1)


@contextmanager
def evaluating(stderr):
    with redirect_stderr(stderr), first_use.telling_of_compilation():
        yield


def test_it_is_told_on_stderr_and_in_the_log(caplog):
    stderr = io.StringIO()
    with caplog.at_level("INFO", "megabatt"), evaluating(stderr):
        tell_compiled("one")
    assert "one is ready" in stderr.getvalue() and "one is ready" in caplog.text


def test_it_is_not_told_at_each_function():
    stderr = io.StringIO()
    with evaluating(stderr):
        tell_compiled("one")
        tell_compiled("another")
    assert stderr.getvalue().count("megabatt compiles") == 1


def test_it_is_told_again_where_it_goes_on_for_long(monkeypatch):
    monkeypatch.setattr(first_use, "_AGAIN", -1)
    stderr = io.StringIO()
    with evaluating(stderr), expecting({"one", "another"}):
        for name in ("one", "another"):
            made_ready(name)
            tell_compiled(name)
    first, second = stderr.getvalue().splitlines()
    assert "one is ready, 1 function left, at most some 1 s" in first
    assert "another is ready (" in second


def test_it_is_not_told_where_nothing_is_compiled_or_little(monkeypatch):
    stderr = io.StringIO()
    with evaluating(stderr):
        pass
    monkeypatch.setattr(first_use, "_PATIENCE", 60)
    with evaluating(stderr):
        tell_compiled("one")
    assert stderr.getvalue() == ""


def test_it_is_not_told_beside_a_bar():
    stderr, names = io.StringIO(), []
    with on_compiled(names.append), evaluating(stderr):
        tell_compiled("one")
    assert names == ["one"] and stderr.getvalue() == ""
