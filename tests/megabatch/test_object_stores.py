"""Runs on a store that fails half way: whatever fails when, the run goes on where it was."""

import io
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.batches import Settings, batches_of, batches_of_sizes
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run.folder import FolderError, open_folder
from megabatt.runtime.megabatch.run.job import Job
from megabatt.runtime.megabatch.run.manifest import manifest_of
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.commands import compiled

SAMPLES = [
    ArcSample("a", (), ((k, k + 1),) * 2, ((k + 1, k),) * 2, "training", k, False) for k in range(6)
]


class Objects(fs.FileSystemHandler):
    """Objects by their names, as a store has them; some of the calls fail.

    calls: how many there were; fails: given the number of a call, tells whether it fails.
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
        return [self._info(path) for path in paths]

    def _info(self, path):
        if path in self.objects:
            return fs.FileInfo(path, fs.FileType.File, size=len(self.objects[path]))
        return fs.FileInfo(path, fs.FileType.NotFound)

    def get_file_info_selector(self, selector):
        self.call()
        return [self._info(path) for path in sorted(self.objects)]

    def delete_file(self, path):
        self.call()
        if path not in self.objects:
            raise FileNotFoundError(path)
        del self.objects[path]

    def open_input_file(self, path):
        self.call()
        if path not in self.objects:
            raise FileNotFoundError(path)
        return pa.PythonFile(Read(self, self.objects[path]), mode="r")

    def open_output_stream(self, path, metadata):
        self.call()
        return pa.PythonFile(Sent(self, path), mode="w")

    def _none(self, *arguments):
        raise NotImplementedError

    delete_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _none
    open_input_stream = open_append_stream = _none


class Read(io.BytesIO):
    def __init__(self, store, content):
        super().__init__(content)
        self.store = store

    def read(self, count=-1):
        self.store.call()
        return super().read(count)


class Sent(io.BytesIO):
    """What is sent is there once it is closed: half of it where sending it fails."""

    def __init__(self, store, path):
        super().__init__()
        self.store, self.path = store, path

    def write(self, content):
        super().write(bytes(content)[: len(content) // 2])
        self.store.call()
        return super().write(bytes(content)[len(content) // 2 :])

    def close(self):
        if not self.closed:
            content = self.getvalue()
            super().close()
            self.store.objects[self.path] = content
            self.store.call()


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(WORKLOAD, str(compiled(tmp_path_factory.mktemp("programs"))))


@pytest.fixture
def objects(monkeypatch):
    objects = Objects()
    opened = fs.PyFileSystem(objects), "bucket"
    monkeypatch.setattr(Store, "_opened", opened)
    return objects


def run(settings):
    """Go on with a run on the store to its end, or until the store fails. Return the job."""
    store = Store.at("objects://bucket")
    chosen, data = replace(settings, out=store), Data(SAMPLES)
    batches = batches_of(chosen, data, 2)
    manifest = manifest_of(chosen, data, {}, batches)
    with open_folder(store, manifest, resume=True) as folder:
        job = Job(chosen, batches_of_sizes(chosen, data, folder.manifest.batches), folder)
        job.run(Stop())
        folder.summed_up(lambda: ({"batches": len(job.found()[0].batches)}, None))
    return job


def rows_in(objects):
    found = []
    for path, content in sorted(objects.objects.items()):
        if path.endswith(".parquet"):
            found += pq.read_table(pa.BufferReader(content)).to_pylist()
    return found


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


def test_what_cannot_be_read_just_now_is_not_computed_again(settings, objects):
    run(settings)
    kept = dict(objects.objects)
    objects.calls = 0
    assert run(settings).missing == []
    for number in range(1, objects.calls + 1):
        objects.calls, objects.fails = 0, number.__eq__
        with suppress(FolderError):
            assert run(settings).missing == []
        batches = {name for name in kept if name.endswith(".parquet")}
        assert {name: objects.objects.get(name) for name in batches} == {
            name: kept[name] for name in batches
        }
