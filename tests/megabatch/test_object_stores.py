"""Runs on a store that fails half way: after any failure at any time the run goes on from there."""

import io
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from megabatt.runtime.megabatch.run.folder import FolderError
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.runs import SAMPLES, job_of


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


def rows_in(objects):
    files = [content for path, content in sorted(objects.objects.items()) if "batch-" in path]
    return [row for file in files for row in pq.read_table(pa.BufferReader(file)).to_pylist()]


def test_whatever_fails_nothing_is_lost_and_nothing_is_there_twice(settings, objects):
    assert run(settings).ended == ""
    whole, calls = rows_in(objects), objects.calls
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
                assert "manifest.json" in str(error) and not rows_in(objects)
                continue
            assert rows_in(objects) == whole


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
