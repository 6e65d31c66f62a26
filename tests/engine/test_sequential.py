"""Errors of operations are failures; errors that come between, from a signal's handler, are not."""

import signal
from functools import partial

import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.sequential import Sequential, attempt


class TimeIsUp(Exception):
    """What a caller's handler raises."""


def handler(*_):
    raise TimeIsUp


class Handler:
    def __call__(self, *_):
        raise TimeIsUp

    def method(self, *_):
        handler()


def interrupted():
    signal.raise_signal(signal.SIGUSR1)
    return 1


@pytest.mark.parametrize("chosen", [handler, Handler(), Handler().method, partial(handler, 1)])
def test_what_the_handler_of_a_signal_raises_is_no_failure(chosen):
    before = signal.signal(signal.SIGUSR1, chosen)
    try:
        with pytest.raises(TimeIsUp):
            attempt(interrupted, (), 100)
        with Sequential(LANGUAGE, "key") as run, pytest.raises(TimeIsUp):
            run.start(1)
            try:
                interrupted()
            except Exception as error:
                run.fail(error, ())
    finally:
        signal.signal(signal.SIGUSR1, before)
