"""Every reader of a run's folder notices a flipped bit; a run that goes on mends the file."""

import errno
import io
import os
import shutil

import pyarrow.parquet as pq
import pytest

import megabatt as mb
from megabatt.runtime.megabatch.checksums import writing_parquet
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.commands import (
    compiled,
    megabatt,
    mirror_task,
    printed,
    rows_in,
)
from tests.megabatch.runs import files_in

RUN = ["run", "--batt", "batt", "--data", "tasks", "--out", "run", "--outputs", "all",
       "--batch-size", 1, "--workers", 1, "--device", "cpu"]  # fmt: skip
FIRST, SECOND = "batch-00000.parquet", "batch-00001.parquet"


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


AGAIN = "--resume of the `megabatt run` that wrote it makes it again"


def assert_all_refuse(folder, fault):
    """Assert that whatever reads a run's folder names the second batch's file and its fault."""
    said = [megabatt(what, "run", cwd=folder, status=2).stderr for what in ("report", "submit")]
    with pytest.raises(mb.DatasetError) as refused:
        mb.ResidentDataset(folder / "run", say=None)
    for line in [*said, str(refused.value)]:
        assert f"run/{SECOND}: {fault}; {AGAIN}" in " ".join(line.split())
    assert not (folder / "submission.json").exists()


def assert_computed_again(folder, rows):
    printed(*RUN, "--resume", cwd=folder)
    assert rows_in(folder / "run") == rows and (folder / "run" / SECOND).is_file()
    dataset = mb.ResidentDataset(folder / "run", split=(1.0,), say=None)
    assert len(dataset) == len(rows) and "other_output" in dataset.left_out
    right = sum(batch["matches"].sum() for batch in dataset.epoch(9))
    assert right == sum(row["matches"] for row in rows)
    assert set(dataset.words["task"]) == {row["task"] for row in rows}
    for what in ("report", "submit"):
        assert "not complete" not in printed(what, "run", cwd=folder)


def write_anew(content, file):
    """Write the table of a file without the name of its run."""
    table = pq.read_table(io.BytesIO(content))
    with writing_parquet(Store.at(file.parent), file.name, table.schema) as parquet:
        parquet.write_table(table)


IN_ITS_PLACE = {
    "a flipped bit": (lambda content, file: file.write_bytes(b"-" + content[1:]),
                      "its bytes are not those that were written"),
    "another batch": (lambda content, file: shutil.copy(file.with_name(FIRST), file),
                      "it is a copy of another file of the run"),
    "a file of no run": (lambda content, file: write_anew(content, file),
                         "it does not name its run: an earlier megabatt wrote it"),
    "nothing": (lambda content, file: None, "it is missing"),
    "a pipe": (lambda content, file: os.mkfifo(file), "it is not a regular file"),
}  # fmt: skip
"""What may be in the place of a batch's file, made from its content, and what is said of it."""


@pytest.mark.parametrize("what", IN_ITS_PLACE)
def test_whatever_reads_a_run_names_a_harmed_file_and_resume_computes_it_again(copy, what):
    harm, fault = IN_ITS_PLACE[what]
    file, rows = copy / "run" / SECOND, rows_in(copy / "run")
    content = file.read_bytes()
    file.unlink()
    harm(content, file)
    assert_all_refuse(copy, fault)
    assert_computed_again(copy, rows)


def test_a_folder_with_files_in_the_place_of_a_batch_is_named_and_stays(copy):
    file = copy / "run" / SECOND
    file.unlink()
    (file / "mine").mkdir(parents=True)
    said = megabatt(*RUN, "--resume", cwd=copy, status=2).stderr
    assert f"run/{SECOND} is in the way: Directory not empty" in " ".join(said.split())
    assert (file / "mine").is_dir()


def test_a_summary_that_is_damaged_or_of_another_run_or_missing_is_named(copy, another):
    summary = copy / "run" / "summary.json"
    shutil.copy(another("a limit") / "run" / "summary.json", summary)
    for _ in range(2):
        said = megabatt("report", "run", cwd=copy, status=2).stderr
        assert "summary.json: it is " in said and AGAIN in " ".join(said.split())
        flip(summary, 20)
    summary.unlink()
    said = megabatt("report", "run", cwd=copy, status=2).stderr
    assert said == "Error: run: no summary.json; --resume of the run writes it\n"
    printed(*RUN, "--resume", cwd=copy)
    printed("report", "run", cwd=copy)


# The programs and data of a run


def other_program(tasks):
    compiled(tasks.parent, "def solve_mirror(I):\n    return rot90(I)\n")


def other_task(tasks):
    task = tasks / "two.json"
    task.write_text(task.read_text().replace("3", "2"))


OTHER_DATA = "other data (--data tasks --split all) as it was before a change"
OTHERS = {
    "programs": (other_program, [], "other programs, of WHOLE/batt (solve_larger, solve_mirror)"),
    "a task": (other_task, [], OTHER_DATA),
    "a name": (lambda tasks: (tasks / "two.json").rename(tasks / "three.json"), [], OTHER_DATA),
    "a limit": (None, ["--max-elements", 7], "another limit (--max-elements 1048576)"),
    "outputs": (None, ["--outputs", "none"], "other outputs (--outputs all)"),
}  # fmt: skip
"""Other programs, data or options than a run's: a change of its folder, options, and the error."""


@pytest.fixture
def another(whole, tmp_path):
    """Give a function that makes one of OTHERS in a folder of its own, and returns the folder."""

    def make(what):
        change, options, _ = OTHERS[what]
        folder = tmp_path / "another"
        shutil.copytree(whole, folder)
        if change:
            change(folder / "tasks")
        printed(*RUN, "--overwrite", *options, cwd=folder)
        return folder

    return make


@pytest.mark.parametrize("what", OTHERS)
def test_a_batch_of_another_run_is_computed_again_and_another_run_does_not_go_on(
    whole, copy, another, what
):
    rows = rows_in(copy / "run")
    shutil.copy(another(what) / "run" / SECOND, copy / "run" / SECOND)
    assert_all_refuse(copy, "it is of another run")
    assert_computed_again(copy, rows)
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
    said = printed(*words, "--resume", "--batch-size", 5, cwd=copy)
    assert "there already: 6 of 6 batches" in said and "--batch-size is ignored" in said


# Results that cannot be written end a run with a line, and earlier results stay


def test_a_full_disk_ends_a_run_and_keeps_earlier_results_as_what_reads_them_says(
    copy, monkeypatch
):
    rows, writing = rows_in(copy / "run"), Store.writing
    shutil.rmtree(copy / "run")

    def full(store, name, *how):
        if name == SECOND:
            raise OSError(errno.ENOSPC, "No space left on device")
        return writing(store, name, *how)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "writing", full)
        last = megabatt(*RUN, cwd=copy, status=1).stdout.splitlines()[-1]
    assert last.startswith("run: ") and "kept 1 of 6 batches" in last
    assert last.endswith("--resume")
    assert files_in(copy / "run") == [FIRST, "manifest.json", "summary.json"]
    for what in ("report", "submit"):
        assert printed(what, "run", cwd=copy).splitlines()[0] == (
            "the run is not complete (1 of 6 batches): 5 samples have no outputs; "
            "go on with --resume of the run"
        )
    mb.ResidentDataset(copy / "run", say=(said := []).append)
    assert said[0].startswith("the run is not complete (1 of 6 batches): 5 samples have no outputs")
    assert_computed_again(copy, rows)


@pytest.mark.parametrize(
    ("name", "place"),
    [("run", "file"), ("run", "file/out"), ("sweep", "file"), ("sweep", "file/out"),
     ("sweep", "taken")],
)  # fmt: skip
def test_results_that_cannot_be_written_are_an_error_of_a_line(copy, name, place):
    (copy / "file").write_text("mine")
    (copy / "taken/sweep.csv").mkdir(parents=True)
    options = ["--batt", "batt", "--data", "tasks", "--workers", 1, "--out", place]
    sizes = ["--sizes", 4] if name == "sweep" else []
    cache = {"XDG_CACHE_HOME": str(copy / "cache")}
    done = megabatt(name, *options, *sizes, cwd=copy, env=cache, status=2)
    error = done.stderr.splitlines()[-1]
    begun = f"Error: cannot write to {place}: " if name == "run" else "Error: "
    assert error.startswith(begun) and place in error and "Detail" not in error
    assert (copy / "file").read_text() == "mine"
    assert ("best batch size" in done.stdout) == (place == "taken")
