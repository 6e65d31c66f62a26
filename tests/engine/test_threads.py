"""Threads do each part of shared work once, and end before an exception is raised."""

import threading
import time

import pytest

from megabatt.runtime.engine.executor.host import share_out


@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("raising", ["this thread", "another"])
def test_the_exception_of_a_worker_is_raised_once_all_have_ended(error, raising):
    stopped, began = threading.Event(), threading.Barrier(3)
    ended = []

    def fails(part):
        began.wait()
        raise error("wrong")

    def works(part):
        began.wait()
        assert stopped.wait(10)
        time.sleep(0.05)
        ended.append(part)

    workers = [fails, works, works] if raising == "this thread" else [works, works, fails]
    with pytest.raises(error, match="wrong"):
        share_out(workers, range(9), stopped.set)
    assert len(ended) == 2
