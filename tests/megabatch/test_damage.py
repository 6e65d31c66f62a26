"""Every reader of a run's folder notices a flipped bit; a run that goes on mends the file."""

import random
import shutil

import pytest

import megabatt as mb
from tests.examples import LONG
from tests.megabatch.commands import (
    command,
    compiled,
    megabatt,
    mirror_task,
    printed,
    rows_in,
    write_task,
)

RUN = ["run", "--batt", "batt", "--data", "tasks", "--out", "run", "--outputs", "all",
       "--batch-size", 1, "--workers", 1, "--device", "cpu"]  # fmt: skip
SECOND = "batch-00001.parquet"
FLIPS = 2000 if LONG else 40
"""The number of bits of a batch that are flipped, one at a time."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a folder with tasks, programs and a run of them in six batches."""
    folder = tmp_path_factory.mktemp("{whole}")
    compiled(folder)
    for name in ("one", "two"):
        mirror_task(folder / "tasks", name)
    printed(*RUN, cwd=folder)
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "copy")
    return tmp_path / "copy"


def flip(file, at, bit=0):
    content = bytearray(file.read_bytes())
    content[at] ^= 1 << bit
    file.write_bytes(content)


def test_any_bit_of_a_batch_is_noticed_and_the_batch_computed_again(copy):
    file, chance = copy / "run" / SECOND, random.Random(0)
    rows, content = rows_in(copy / "run"), file.read_bytes()
    for _ in range(FLIPS):
        file.write_bytes(content)
        flip(file, chance.randrange(len(content)), chance.randrange(8))
        first, last = printed(*RUN, "--resume", "--quiet", cwd=copy).splitlines()
        assert first.startswith(f"damaged: run/{SECOND}: ") and last == "solved 2 of 2 tasks", first
        assert rows_in(copy / "run") == rows


def test_a_run_that_was_killed_before_its_summary_is_resumed_not_begun_again(copy):
    (copy / "run" / "summary.json").unlink()
    said = megabatt("report", "run", cwd=copy, status=2).stderr
    assert said == "Error: run: no summary.json; --resume of the run writes it\n"
    printed(*RUN, "--resume", cwd=copy)
    printed("report", "run", cwd=copy)


def test_a_file_that_is_damaged_is_named_by_all_that_read_the_folder(copy):
    flip(copy / "run" / SECOND, 100)
    for words in (["report", "run"], ["submit", "run"]):
        said = " ".join(megabatt(*words, cwd=copy, status=2).stderr.split())
        assert not (copy / "submission.json").exists()
        assert f"{SECOND}: its bytes are not those that were written" in said and "--resume" in said
    with pytest.raises(mb.DatasetError, match="written; --resume of the `megabatt run` that wrote"):
        mb.ResidentDataset(copy / "run", say=None)
    flip(copy / "run" / "summary.json", 20)
    said = megabatt("report", "run", cwd=copy, status=2).stderr
    assert "--resume of the run writes it again" in " ".join(said.split())
    (copy / "run" / SECOND).unlink()
    (copy / "run" / SECOND).symlink_to("nowhere")
    printed(*RUN, "--resume", cwd=copy)
    for words in (["report", "run"], ["submit", "run"]):
        printed(*words, cwd=copy)
    assert not (copy / "run" / SECOND).is_symlink()


# The programs and data of a run


def other_program(tasks):
    compiled(tasks.parent, "def solve_mirror(I):\n    return rot90(I)\n")


def other_task(tasks):
    task = tasks / "two.json"
    task.write_text(task.read_text().replace("3", "2"))


def moved_to(name):
    def move(tasks):
        (tasks / name).parent.mkdir(exist_ok=True)
        (tasks / "two.json").rename(tasks / name)

    return move


OTHER_DATA = "other data, --data tasks --split all as it was before a change"
OTHERS = {
    "programs": (other_program, [], "other programs, of WHOLE/batt (solve_larger, solve_mirror)"),
    "a task": (other_task, [], OTHER_DATA), "a name": (moved_to("three.json"), [], OTHER_DATA),
    "a split": (moved_to("evaluation/two.json"), [], OTHER_DATA),
    "fewer tasks": (lambda tasks: (tasks / "two.json").unlink(), [], OTHER_DATA),
    "a limit": (None, ["--max-elements", 7], "another limit (--max-elements 1048576)"),
    "outputs": (None, ["--outputs", "none"], "other outputs (--outputs all)"),
}  # fmt: skip
"""Other programs, data or options than a run's: a change of its folder, options, and the error."""


@pytest.mark.parametrize("what", OTHERS)
def test_another_run_does_not_go_on(whole, copy, what):
    change, options, said = OTHERS[what]
    if change:
        change(copy / "tasks")
    again = [*RUN, "--resume", "--quiet"]
    done = megabatt(*again, *options, cwd=copy, env={"COLUMNS": "1000"}, status=2)
    assert f"holds a run of {said.replace('WHOLE', str(whole))}: choose another" in done.stderr
    if options:
        assert printed(*again, cwd=copy) == "solved 2 of 2 tasks\n"


def test_programs_and_data_may_be_moved(copy, tmp_path):
    for name in ("batt", "tasks"):
        (copy / name).rename(tmp_path / name)
    words = [f"../{word}" if word in ("batt", "tasks") else word for word in RUN]
    assert "there already: 6 of 6 batches" in printed(*words, "--resume", cwd=copy)


# Results that cannot be written end a run with a line, and earlier results stay


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
