"""A run's folder: a run touches its own files alone, no two share it, no failure loses a row."""

import io
import math
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import fs

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.checksums import reading_parquet, writing_parquet
from megabatt.runtime.megabatch.locks import InUse, locked
from megabatt.runtime.megabatch.page.folder import what_is_missing
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.run.folder import FolderError
from megabatt.runtime.megabatch.run.manifest import data_digest
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.commands import rows_in
from tests.megabatch.runs import SAMPLES, assert_alike, job_of


@pytest.fixture
def store(tmp_path):
    return Store.at(tmp_path / "out")


@pytest.fixture
def job_in(settings, store):
    """Give a function that runs at most `most` missing batches of a folder, and returns the job."""

    def run(most=math.inf, samples=SAMPLES, settings=settings, tell=None, every=0.0, **options):
        stop = Stop()
        stop.asked = most == 0
        with job_of(replace(settings, out=store), samples, **options) as job:
            job.run(stop, tell=tell or (lambda progress: progress.batches < most), every=every)
        return job

    return run


def test_a_finished_run_is_refused_unless_resumed_or_overwritten(job_in, store):
    assert len(job_in().outcome.batches) == 4
    with pytest.raises(FolderError, match="4 of 4 batches: --resume goes on with it, --overwrite"):
        job_in()
    assert job_in(resume=True).outcome.batches == []
    assert len(job_in(overwrite=True).outcome.batches) == 4


@pytest.mark.parametrize("done", range(4))
def test_missing_results_are_unknown_until_computed_and_then_summed_up(job_in, store, done):
    whole = job_in().found()[0]
    files = sorted(store.names())
    found, left = job_in(overwrite=True, most=done).found()
    assert len(store.names()) == done + 1
    assert [outcome.batch.number for outcome in (*found.batches, *left)] == [0, 1, 2, 3]
    assert [outcome.not_computed for outcome in left] == [{0: "not run", 1: "not run"}] * (4 - done)
    job = job_in(resume=True, size=3)  # how samples were cut into batches is kept
    assert [len(batch.samples) for batch in job.batches] == job.folder.manifest.batches == [2] * 4
    assert [len(job.before), len(job.outcome.batches)] == [done, 4 - done]
    assert sorted(store.names()) == files
    found, left = job.found()
    assert left == [] and found.failed_share == whole.failed_share
    assert_alike(found.batches, whole.batches)


@pytest.mark.parametrize(
    "cut", [lambda of, batch: batch.halves(), lambda of, batch: of.parts(batch, 2)]
)
def test_a_batch_is_done_once_every_solver_is_done_on_every_sample(job_in, store, cut):
    job = job_in()
    whole, settings = job.found()[0], job.settings
    batch = whole.batches[1].batch
    one, other = cut(settings, batch)
    for others, done in (([], 3), ([other], 4)):
        for name in store.names():
            if name.startswith("batch-00001"):
                store.remove(name)
        for piece in (one, *others):
            run_batch(settings, piece)
        missing = what_is_missing(Path(store.place))
        assert missing.startswith("the run is not complete (3 of 4 batches)") == (done == 3)
        job = job_in(resume=True)
        assert [len(job.before), len(job.outcome.batches)] == [done, 4 - done]
        assert_alike(job.found()[0].batches, whole.batches)


def test_a_batch_of_an_earlier_version_is_named_and_computed_again(job_in, store):
    whole, name = job_in().found()[0], "batch-00001.parquet"
    with reading_parquet(store, name) as file:
        old, said = file.read().drop_columns(["first_failed", "reason"]), file.metadata.metadata
    with writing_parquet(store, name, old.schema) as parquet:
        parquet.write_table(old)
        parquet.add_key_value_metadata({key: said[key] for key in said if b"megabatt" in key})
    job = job_in(resume=True)
    lacks = "it has no first_failed and no reason: an earlier megabatt wrote it"
    assert job.damaged == [f"{store}/{name}: {lacks}"]
    assert [done.batch.number for done in job.outcome.batches] == [1]
    assert job.found()[0].failed_lanes == whole.failed_lanes


@given(st.sets(st.integers(0, 99) | st.frozensets(st.integers(0, 99)), min_size=1))
@example({0, 8})
def test_equal_sets_are_the_same_data_however_they_were_made(elements):
    one, other, less = (
        data_digest(WORKLOAD, [SAMPLES[0]._replace(I=((frozenset(made), 1),))])
        for made in (list(elements), list(elements)[::-1], list(elements)[1:])
    )
    assert one == other != less


def test_files_of_somebody_else_are_neither_mixed_with_a_run_nor_deleted(job_in, store):
    store.make()
    theirs = ("batch-customers.parquet", "summary.json")
    for name in theirs:
        store.write(name, b"mine")
    for options in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(FolderError, match=r"not of a run \(batch-customers.parquet, summary"):
            job_in(**options)
    assert [store.read(name) for name in theirs] == [b"mine", b"mine"]
    for name in theirs:
        store.remove(name)
    job_in()
    store.write(theirs[0], b"mine")
    job_in(overwrite=True)
    assert store.read(theirs[0]) == b"mine"


def test_a_manifest_of_something_else_is_no_run(job_in, store):
    store.make()
    for text in (b"{}", b"[1]", b"nothing", b'{"megabatt": 1}'):
        store.write("manifest.json", text)
        with pytest.raises(FolderError, match="manifest.json: it .*: choose another --out"):
            job_in(overwrite=True)


def test_two_runs_never_write_to_one_folder_at_once(settings, store):
    def opened(**options):
        return job_of(replace(settings, out=store), SAMPLES, **options)

    with opened():
        for options in ({"resume": True}, {"overwrite": True}, {"shard": (0, 2)}):
            with pytest.raises(FolderError, match=r"in use by another run \(process \d+ on "):
                opened(**options).__enter__()
    with opened(shard=(0, 2)), opened(shard=(1, 2)):
        for options, other in (({"shard": (1, 2)}, "shard 2 of 2"), ({"resume": True}, "run")):
            with pytest.raises(FolderError, match=f"in use by another {other}"):
                opened(**options).__enter__()
    assert store.names() == ["manifest.json"]


def test_shards_share_the_batches(job_in):
    for shard, numbers in enumerate([[0, 3], [1], [2]]):
        told = []
        outcome = job_in(shard=(shard, 3), tell=told.append, every=60.0).outcome
        assert [progress.batches for progress in told] == [2 + shard]  # at its end
        assert [batch.batch.number for batch in outcome.batches] == numbers
    assert job_in(resume=True).outcome.batches == []


def test_a_callback_is_told_how_far_a_run_is_and_can_stop_it(job_in):
    told = []

    def tell(progress):
        told.append(progress)
        return progress.batches not in (1, 3)

    for batches in (1, 2):
        job = job_in(resume=True, tell=tell)
        assert job.ended == "stopped" and len(job.outcome.batches) == batches
    assert [(each.batches, each.samples) for each in told] == [(1, 2), (2, 4), (3, 6)]
    assert str(told[-1]).startswith("3 of 4 batches, 6 of 8 samples, ")


# Several processes in one folder


def test_two_machines_may_write_one_file_at_once(store):
    store.make()  # processes of two machines may have the same number
    with store.writing("a") as one, store.writing("a") as other:
        other.write(b"of the other")
        one.write(b"of the one")
        assert len(store.names()) == 2
    assert store.names() == ["a"] and store.read("a") == b"of the one"


def test_a_shard_leaves_alone_what_others_are_just_writing(job_in, store):
    job_in(shard=(0, 2))
    others = [".batch-00001.parquet.ab.tmp", ".manifest.json.ab.tmp", ".summary.json.ab.tmp"]
    for name in [*others, ".batch-00002.parquet.ab.tmp"]:
        store.write(name, b"begun")
    job_in(shard=(0, 2))
    assert [name for name in store.names() if name.startswith(".")] == others
    job_in(resume=True)
    assert not [name for name in store.names() if name.startswith(".")]


def test_users_that_share_a_lock_never_refuse_each_other(store):
    store.make()

    def share(_):
        with locked(store, ".run.lock", "in use", shared=True):
            pass

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(share, range(1200)))  # raises the exception of any call
    assert store.names() == []


def test_a_process_killed_with_a_lock_is_not_named_as_its_user(store):
    store.make()
    store.write(".run.lock", b"process 123 on a machine that is gone")
    with locked(store, ".run.lock", "in use", shared=True):
        with pytest.raises(InUse, match="in use$"), locked(store, ".run.lock", "in use"):
            pass


def test_a_summary_that_cannot_be_written_is_reported(job_in, store, monkeypatch, caplog):
    folder = job_in().folder
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(Store, "writing", mock.Mock(side_effect=full))
    assert folder.summed_up(lambda: ({"samples": 8}, None))[0] == {"samples": 8}
    assert f"{store}/summary.json is not written: " in caplog.text


def test_clocks_that_jump_change_nothing(job_in, tmp_path, monkeypatch):
    job_in()
    rows, chance, clock = rows_in(tmp_path / "out"), random.Random(0), time.time
    monkeypatch.setattr(time, "time", lambda: clock() + chance.randrange(-(10**6), 10**6))
    told = []
    job_in(overwrite=True, most=2)
    for path in (tmp_path / "out").iterdir():
        os.utime(path, (2**33, 2**33))  # in the year 2242
    job = job_in(resume=True, tell=told.append)
    assert len(job.before) == 2 and rows_in(tmp_path / "out") == rows
    assert all(progress.seconds >= 0 for progress in told)
    assert all(seconds >= 0 for seconds in job.found()[0].seconds.values())


# A store that fails half way: after any failure at any time the run goes on from there


class Objects(fs.FileSystemHandler):
    """An object store in memory, some of whose calls fail.

    calls: The number of calls so far. fails: Tells whether the call of a number fails.
    """

    def __init__(self):
        self.objects = {}
        self.calls = 0
        self.fails = lambda call: False

    def call(self):
        self.calls += 1
        if self.fails(self.calls):
            raise OSError("the store is gone")

    def get_type_name(self):
        return "objects"

    def normalize_path(self, path):
        return path

    def create_dir(self, path, recursive):
        self.call()

    def get_file_info(self, paths):
        self.call()
        there = {path: fs.FileInfo(path, fs.FileType.File, size=len(self.objects[path]))
                 for path in self.objects}  # fmt: skip
        return [there.get(path, fs.FileInfo(path, fs.FileType.NotFound)) for path in paths]

    def get_file_info_selector(self, selector):
        return self.get_file_info(sorted(self.objects))

    def found(self, path):
        self.call()
        if path not in self.objects:
            raise FileNotFoundError(path)
        return self.objects[path]

    def delete_file(self, path):
        self.found(path)
        del self.objects[path]

    def open_input_file(self, path):
        return pa.PythonFile(Stream(self, self.found(path)), mode="r")

    def open_output_stream(self, path, metadata):
        self.call()
        return pa.PythonFile(Stream(self, upload=path), mode="w")

    def _none(self, *arguments):
        raise NotImplementedError

    delete_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _none
    open_input_stream = open_append_stream = _none


class Stream(io.BytesIO):
    """An object in use. Closing an upload stores its content; a failed write has written half."""

    def __init__(self, store, content=b"", upload=None):
        super().__init__(content)
        self.store, self.upload = store, upload

    def read(self, count=-1):
        self.store.call()
        return super().read(count)

    def write(self, content):
        super().write(bytes(content)[: len(content) // 2])
        self.store.call()
        return super().write(bytes(content)[len(content) // 2 :])

    def close(self):
        if self.upload is not None and not self.closed:
            self.store.objects[self.upload] = self.getvalue()
            super().close()
            self.store.call()


@pytest.fixture
def objects(monkeypatch):
    objects = Objects()
    monkeypatch.setattr(Store, "_opened", (fs.PyFileSystem(objects), "bucket"))
    return objects


def run(settings):
    """Go on with a run on the store to its end, or until the store fails; return the job."""
    chosen = replace(settings, out=Store.at("objects://bucket"))
    with job_of(chosen, SAMPLES[:6], resume=True) as job:
        job.run(Stop())
        job.folder.summed_up(lambda: ({"batches": len(job.found()[0].batches)}, None))
    return job


def rows_of(objects):
    files = [content for path, content in sorted(objects.objects.items()) if "batch-" in path]
    return [row for file in files for row in pq.read_table(pa.BufferReader(file)).to_pylist()]


def test_whatever_fails_nothing_is_lost_and_nothing_is_there_twice(settings, objects):
    assert run(settings).ended == ""
    whole, calls = rows_of(objects), objects.calls
    assert len(whole) == 12 and calls > 20
    for first in range(1, calls + 1):
        for last in (first, first + 1, calls):  # once, twice, for good
            objects.objects.clear()
            objects.calls, objects.fails = 0, lambda call, at=range(first, last + 1): call in at
            with suppress(FolderError):
                job = run(settings)
                assert (job.ended == "") == (len(job.found()[0].batches) == 3)
            objects.fails = lambda call: False
            try:
                assert run(settings).ended == ""
            except FolderError as error:
                assert "manifest.json" in str(error) and not rows_of(objects)
                continue
            assert rows_of(objects) == whole


def test_files_that_cannot_be_read_just_now_are_not_computed_again(settings, objects):
    run(settings)
    kept = dict(objects.objects)
    objects.calls = 0
    assert run(settings).missing == []
    for number in range(1, objects.calls + 1):
        objects.calls, objects.fails = 0, number.__eq__
        with suppress(FolderError):
            assert run(settings).missing == []
        for name in kept:
            assert objects.objects.get(name) == kept[name] or not name.endswith(".parquet")
