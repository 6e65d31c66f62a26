"""Readers notice that a file is not as it was written: no flipped bit is read."""

import errno
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megabatt.runtime.megabatch.checksums import (
    Damaged,
    read_json,
    reading_parquet,
    write_json,
    writing_parquet,
)
from megabatt.runtime.megabatch.store import Store
from tests.examples import examples
from tests.mutants_of_files import flipped_bits, mutated_bytes

TABLE = pa.table(
    {
        "word": pa.array(["one", "two", "one"] * 9).dictionary_encode(),
        "flag": [True, None, False] * 9,
        "lists": [[[1, 2], []], None, [[3]]] * 9,
    }
)
CONTENT = {
    "whole": 17, "half": 0.5, "none": None, "text": "é \udc80 \u2028", "flag": True, "nothing": {},
    "lists": [[1, 2, 1e300], [], [float("inf")]], "numbers": {"1": 2, "10": 1, "2": 0},
}  # fmt: skip


class Flipped(Store):
    """A folder whose every file has the given bytes."""

    def open(self, name):
        return pa.BufferReader(self.content)

    def read(self, name):
        return self.content


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Flipped.at(tmp_path_factory.mktemp("files"))
    with writing_parquet(store, "table.parquet", TABLE.schema) as parquet:
        parquet.write_table(TABLE)
        parquet.write_table(TABLE.slice(4))
        parquet.add_key_value_metadata({"about": "zeros " + "0" * 64})
    write_json(store, "content.json", CONTENT)
    return store


def content_of(store, name):
    with Store.open(store, name) as file:
        return bytes(file.read())


def read(store, name, content):
    """Read a file as if it had the given content."""
    store.__dict__["content"] = content
    if name == "content.json":
        return read_json(store, name)
    with reading_parquet(store, name) as file:
        return file.read()


WRITTEN = {"table.parquet": pa.concat_tables([TABLE, TABLE.slice(4)]), "content.json": CONTENT}


def test_other_readers_find_the_checksums_of_pages_right(store):
    table = pq.read_table(store.path("table.parquet"), page_checksum_verification=True)
    assert table == WRITTEN["table.parquet"]


@pytest.mark.parametrize("name", WRITTEN)
@settings(max_examples=examples(100))
@given(st.data())
def test_whole_files_are_read_and_any_damage_is_noticed_or_changes_nothing(store, name, data):
    """In a table any damage is noticed."""
    whole = content_of(store, name)
    assert read(store, name, whole) == WRITTEN[name]
    content = data.draw(mutated_bytes(whole) | flipped_bits(whole))
    try:
        found = read(store, name, content)
    except Damaged as error:
        assert content != whole and f"{name}: " in str(error)
    else:
        assert content == whole or (name == "content.json" and found == WRITTEN[name])


@pytest.mark.parametrize(
    ("number", "raised"), [(errno.EIO, Damaged), (errno.ESTALE, OSError), (None, OSError)]
)
def test_a_read_error_of_a_disk_is_damage_and_of_a_network_is_not(
    store, monkeypatch, number, raised
):
    class Fails(io.BytesIO):
        def size(self):
            return 1000

        def read(self, count=-1):
            raise OSError(number, "no")

    monkeypatch.setattr(Flipped, "open", lambda self, name: Fails())
    with pytest.raises(raised):
        read(store, "table.parquet", b"")
