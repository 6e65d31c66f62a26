"""Files notice by themselves that they are not as they were written: no flipped bit is read."""

import errno
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.megabatch.checksums import (
    Damaged,
    read_json,
    reading_parquet,
    write_json,
    writing_parquet,
)
from megabatt.runtime.megabatch.store import Store
from tests.mutants_of_files import mutated_bytes

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
    """A folder that gives every file as these bytes."""

    def open(self, name):
        return pa.BufferReader(self.content)

    def read(self, name):
        return self.content


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Flipped(str(tmp_path_factory.mktemp("files")))
    with writing_parquet(store, "table.parquet", TABLE.schema) as parquet:
        parquet.write_table(TABLE)
        parquet.write_table(TABLE.slice(4))
        parquet.add_key_value_metadata({"about": "zeros " + "0" * 64})
    write_json(store, "content.json", CONTENT)
    return store


def content_of(store, name):
    with Store.open(store, name) as file:
        return bytes(file.read())


def read_table(store):
    with reading_parquet(store, "table.parquet") as file:
        return file.read()


def flips(content):
    for at in range(len(content)):
        for bit in range(8):
            yield content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]


def test_what_is_whole_is_read(store):
    store.__dict__["content"] = content_of(store, "table.parquet")
    written = pa.concat_tables([TABLE, TABLE.slice(4)])
    assert read_table(store).equals(written)
    assert pq.read_table(store.path("table.parquet"), page_checksum_verification=True) == written
    store.__dict__["content"] = content_of(store, "content.json")
    assert read_json(store, "content.json") == CONTENT


def test_any_bit_of_a_table_is_noticed(store):
    for content in flips(content_of(store, "table.parquet")):
        store.__dict__["content"] = content
        with pytest.raises(Damaged, match="table.parquet: "):
            read_table(store)


def test_any_bit_of_a_json_file_is_noticed_or_changes_nothing(store):
    noticed = 0
    for content in flips(content_of(store, "content.json")):
        store.__dict__["content"] = content
        try:
            assert read_json(store, "content.json") == CONTENT
        except Damaged as error:
            assert "content.json: " in str(error)
            noticed += 1
    assert noticed > 0.95 * 8 * len(content_of(store, "content.json"))


@given(st.data())
def test_whatever_becomes_of_a_file_it_is_noticed(store, data):
    for name in ("table.parquet", "content.json"):
        whole = content_of(store, name)
        store.__dict__["content"] = data.draw(mutated_bytes(whole))
        try:
            found = read_table(store) if name == "table.parquet" else read_json(store, name)
        except Damaged:
            assert store.content != whole
        else:
            assert store.content == whole or found == CONTENT


@pytest.mark.parametrize(
    ("number", "raised"), [(errno.EIO, Damaged), (errno.ESTALE, OSError), (None, OSError)]
)
def test_what_the_disk_cannot_read_is_damaged_and_what_a_network_cannot_is_not(
    store, monkeypatch, number, raised
):
    class Fails(io.BytesIO):
        def size(self):
            return 1000

        def read(self, count=-1):
            raise OSError(number, "no")

    monkeypatch.setattr(Flipped, "open", lambda self, name: Fails())
    with pytest.raises(raised):
        read_table(store)
