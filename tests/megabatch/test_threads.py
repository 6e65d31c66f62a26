"""The sequential form in several threads at once: each has its own budget and its own failures."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from generated.batt import batt
from megabatt.runtime.arc.workload import load, samples_of
from tests.megabatch.commands import same_outcome


@pytest.fixture
def often_switched():
    """Make threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_fail_what_one_thread_alone_fails(often_switched):
    samples = samples_of(load("arcagi", "training").tasks[:4])[:6]
    inputs = [("", s.S, s.I, s.C) for s in samples]
    cases = [(sample, limit) for sample in inputs for limit in (131_072, 200, 40)]

    def run(case):
        sample, limit = case
        return batt(*sample, max_elements=limit)

    expected = list(map(run, cases))
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(run, cases))
    assert all(map(same_outcome, found, expected))
