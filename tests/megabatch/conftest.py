"""Fixtures of several files of tests: programs with a task, and an undisturbed run."""

import pytest

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.batches import Settings
from tests.megabatch.commands import compiled, mirror_task
from tests.megabatch.runs import ended, started


@pytest.fixture(scope="session")
def mirrors(tmp_path_factory):
    """Give a folder with two programs (batt) and a task (tasks), which one program solves."""
    folder = tmp_path_factory.mktemp("mirrors")
    compiled(folder)
    mirror_task(folder / "tasks")
    return folder


@pytest.fixture(scope="session")
def settings(mirrors):
    """Give the settings of a run of these programs."""
    return Settings(WORKLOAD, str(mirrors / "batt"))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Give the folder of an undisturbed run of `runs.RUN`, and the last line that it printed."""
    folder = tmp_path_factory.mktemp("undisturbed") / "out"
    status, output, errors = ended(started("--out", folder))
    assert status == 0, errors
    return folder, output.splitlines()[-1]
