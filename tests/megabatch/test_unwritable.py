"""Results that cannot be written end a run with a line, and earlier results stay."""

import random

import pytest

from tests.megabatch.commands import command, compiled, megabatt, printed, rows_in, write_task

OPTIONS = ["--batt", "batt", "--data", "tasks", "--workers", 1, "--batch-size", 160,
           "--device", "cpu", "--outputs", "all"]  # fmt: skip
SMALL, LARGE = "a", "b"
PAIRS = 160
"""Pairs of each task. A task is a batch."""
MOST = 40_000
"""Bytes that a file may have: enough for the small task's batch, too few for the large one's."""


@pytest.fixture
def folder(tmp_path):
    compiled(tmp_path)
    chance = random.Random(0)
    for name, side in ((SMALL, 3), (LARGE, 30)):
        rows = [[chance.randrange(10) for _ in range(side)] for _ in range(side * PAIRS)]
        grids = [rows[at : at + side] for at in range(0, len(rows), side)]
        write_task(tmp_path / "tasks", name, [(grid, grid[::-1]) for grid in grids], [])
    return tmp_path


LIMITED = f"""
import resource

from megabatt.command_line import main, run

resource.setrlimit(resource.RLIMIT_FSIZE, ({MOST}, {MOST}))
main.main(prog_name="megabatt")
"""
"""The command with files of at most MOST bytes: writing more fails, as on a full disk."""


def test_a_full_disk_ends_a_run_and_keeps_earlier_results(folder):
    done = command("-c", LIMITED, "run", *OPTIONS, "--out", "out", cwd=folder)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("out: ") and "kept 1 of 2 batches" in last
    assert last.endswith("--resume")
    names = {path.name for path in (folder / "out").iterdir()}
    assert names == {"manifest.json", "summary.json", "batch-00000.parquet"}
    kept = rows_in(folder / "out")
    assert {row["task"] for row in kept} == {SMALL}
    printed("run", *OPTIONS, "--out", "out", "--resume", cwd=folder)
    whole = rows_in(folder / "out")
    assert whole[: len(kept)] == kept and {row["task"] for row in whole} == {SMALL, LARGE}
    assert len(whole) == 2 * PAIRS * 2


@pytest.mark.parametrize("place", ["file", "file/out"])
def test_a_folder_that_cannot_be_made_is_an_error_of_a_line(folder, place):
    (folder / "file").write_text("mine")
    done = megabatt("run", *OPTIONS, "--out", place, cwd=folder, status=2)
    error = done.stderr.splitlines()[-1]
    assert error.startswith(f"Error: cannot write to {place}: ")
    assert (folder / "file").read_text() == "mine"


@pytest.mark.parametrize("place", ["file", "file/out", "taken"])
def test_a_sweep_that_cannot_be_written_is_an_error_of_a_line(folder, place):
    (folder / "file").write_text("mine")
    (folder / "taken/sweep.csv").mkdir(parents=True)
    options = ["--batt", "batt", "--data", "tasks", "--workers", 1, "--sizes", 4, "--out", place]
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    done = megabatt("sweep", *options, cwd=folder, env=cache, status=2)
    assert place in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
    assert ("best batch size" in done.stdout) == (place == "taken")
