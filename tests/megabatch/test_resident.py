"""A folder of Parquet in columns: every epoch gives the rows as they were written."""

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.megabatch.checksums import writing_parquet
from megabatt.runtime.megabatch.store import Store
from tests.engine.strict import StrictArray, StrictDevice

SCHEMA = pa.schema({
    "number": pa.int64(), "real": pa.float32(), "real.flag": pa.bool_(),
    "word": pa.dictionary(pa.int32(), pa.string()), "pair": pa.list_(pa.float64(), 2),
    "list": pa.list_(pa.int16()), "rows": pa.list_(pa.list_(pa.float32(), 3)),
    "grid": pa.large_list(pa.list_(pa.int8())), "text": pa.string(),
})  # fmt: skip
INT8 = st.integers(-128, 127)
REAL32 = st.floats(width=32, allow_nan=False)
REAL64 = st.floats(allow_nan=False)


ROW = st.fixed_dictionaries(
    {
        "number": st.none() | st.integers(-(2**63), 2**63 - 1),
        "real": st.none() | REAL32,
        "real.flag": st.none() | st.booleans(),
        "word": st.none() | st.sampled_from(["a", "b", "cd"]),
        "pair": st.none() | st.tuples(REAL64, REAL64).map(list),
        "list": st.none() | st.lists(INT8, max_size=4),
        "rows": st.lists(st.tuples(REAL32, REAL32, REAL32).map(list), max_size=3),
        "grid": st.none() | st.lists(st.lists(INT8, max_size=3), max_size=3),
        "text": st.just("left out"),
    }
)


NUMBERED = [
    {"number": k, "real": k / 2, "real.flag": k % 2 == 0, "word": "ab"[k % 2], "pair": [k, -k],
     "list": list(range(k % 4)), "rows": [[k, k, k]] * (k % 3), "grid": [[k]], "text": ""}
    for k in range(40)
]  # fmt: skip


def written(folder, files, group_size=None):
    """Write the rows of each file as Parquet; return the folder."""
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(files):
        table = pa.Table.from_pylist(rows, SCHEMA)
        pq.write_table(table, folder / f"part-{number}.parquet", row_group_size=group_size)
    return folder


def read(folder, columns, **options):
    """Write columns as one file; return the dataset of all its rows."""
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    return mb.ResidentDataset(folder, split=(1.0,), say=None, **options)


def padded(value, shape):
    """Return nested lists padded with zeros to a shape; None becomes zeros alone."""
    if not shape:
        return value or 0
    value = [*(value or ()), *[None] * shape[0]][: shape[0]]
    return [padded(element, shape[1:]) for element in value]


def assert_is_row(dataset, batch, at, row):
    for name, value in row.items():
        if name == "word":
            value = -1 if value is None else dataset.words["word"].index(value)
        if name == "real" and value is None:
            value = math.nan
        if name not in dataset.left_out:
            found = batch[name][at]
            wanted = np.array(padded(value, found.shape), found.dtype)
            np.testing.assert_array_equal(found, wanted.reshape(found.shape), err_msg=name)
        if name in ("number", "real", "real.flag", "word"):
            known = batch.get(f"{name}_known")
            assert (known is None or known[at]) == (row[name] is not None)
    assert batch.mask("list")[at].sum() == len(row["list"] or ())
    assert batch["pair"].shape[1:] == (2,)


@given(
    files=st.lists(st.lists(ROW, max_size=6), min_size=1, max_size=3).filter(any),
    group_size=st.sampled_from([1, 3]),
    block=st.sampled_from([0, 1]),
    batch_size=st.integers(1, 5),
    shuffle=st.booleans(),
    seed=st.integers(0, 3),
)
@example([[NUMBERED[k], NUMBERED[k + 1]] * 20 for k in (0, 2, 4)], 1, 1, 3, True, 0)
def test_an_epoch_gives_every_row_of_its_part_once_as_it_was_written(
    tmp_path_factory, files, group_size, block, batch_size, shuffle, seed
):
    """block: 0 for blocks of one row group, 1 for blocks of several."""
    folder = written(tmp_path_factory.mktemp("rows"), files, group_size)
    every = [row for rows in files for row in rows]
    options = {"split": (0.5, 0.25), "say": None}
    dataset = mb.ResidentDataset(folder, **options)
    short = mb.ResidentDataset(folder, memory=dataset.nbytes - 1, **options)
    streamed = mb.ResidentDataset(folder, memory=block * dataset.nbytes // 2, **options)
    assert short.nbytes is None and streamed.nbytes is None

    def rows_of_batches(dataset, part):
        """Return the rows of each batch of an epoch. Asserts that they are as written."""
        found = []
        for batch in dataset.epoch(batch_size, shuffle, seed, part):
            for at, row in enumerate(batch.rows):
                assert_is_row(dataset, batch, at, every[row])
                if any(row["pair"] is None for row in every):
                    assert (batch.mask("pair")[at] == (every[row]["pair"] is not None)).all()
            found.append(batch.rows.tolist())
        return found

    for part in range(2):
        batches, again, read = (rows_of_batches(d, part) for d in (dataset, dataset, streamed))
        seen = sum(batches, [])
        assert again == batches
        assert len(set(seen)) == len(seen) == dataset.sizes[part]
        assert [len(rows) for rows in read] == [len(rows) for rows in batches]
        assert sorted(sum(read, [])) == sorted(seen)
        assert shuffle or sum(read, []) == seen == sorted(seen)


@pytest.fixture
def folder(tmp_path):
    """Give a folder of forty rows in three files, two of which have lists of different lengths."""
    files = NUMBERED[:15], NUMBERED[15:16], NUMBERED[16:]
    return written(tmp_path / "forty", files, 7)


def test_batches_are_taken_over_without_a_copy_and_are_free_to_write_to(folder):
    dataset = mb.ResidentDataset(folder, say=None)
    first, second, *_ = dataset.epoch(8, seed=1)
    again = next(iter(dataset.epoch(8, seed=1)))
    for name, array in first.items():
        assert np.shares_memory(np.from_dlpack(array), array)
        array[...] = 1
        assert not any(np.shares_memory(array, other[name]) for other in (again, second))
    fresh = next(iter(dataset.epoch(8, seed=1)))
    for name, array in fresh.items():
        np.testing.assert_array_equal(array, again[name])


def test_columns_are_listed_chosen_and_kept_small(folder):
    said = []
    every = mb.ResidentDataset(folder, say=said.append)
    assert "40 samples, 8 columns" in said[0] and "loaded to cpu" in said[0]
    assert every.sizes == [40] and len(every) == 40
    assert {name: str(kind) for name, kind in every.left_out.items()} == {"text": "string"}
    few = mb.ResidentDataset(folder, columns=["rows"], dtype={"rows": "float16"}, say=None)
    assert few.nbytes < every.nbytes / 3
    (batch,) = few.epoch(40, shuffle=False)
    assert batch["rows"].dtype == np.float32 and list(batch) == ["rows"]
    assert repr(batch) == "<DatasetBatch of 40 samples: rows float32[40, 2, 3]>"
    for memory in (0, "0", "1 kB"):
        mb.ResidentDataset(folder, memory=memory, say=said.append)
        assert "read in every epoch, in blocks" in said[-1]
        assert " kB on cpu are too few" in said[-1] and "0.0 MB" not in said[-1]
    assert mb.ResidentDataset(folder, memory="1GB", say=None).nbytes == every.nbytes


ANY_SIZE = st.floats(-(2.0**29), 2.0**29, width=32, allow_subnormal=False)


@given(rows=st.lists(st.tuples(ANY_SIZE, ANY_SIZE), min_size=1, max_size=6))
def test_columns_kept_as_float16_keep_eleven_bits_in_any_units(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("half")
    pair = pa.list_(pa.float32(), 2)
    lists = pa.array([[row] for row in rows], pa.list_(pair))
    columns = {"pair": pa.array(rows, pair), "list": lists}
    dataset = read(folder, columns, dtype=dict.fromkeys(columns, "float16"))
    (batch,) = dataset.epoch(len(rows), shuffle=False)
    written = np.array(rows, dtype=np.float32)
    # below it numbers have fewer bits
    least = np.maximum(np.abs(written).max(axis=0) * 2.0**-28, 2.0**-120)
    for found in (batch["pair"], batch["list"][:, 0]):
        assert found.dtype == np.float32
        assert (np.abs(found - written) <= np.maximum(np.abs(written), least) * 2.0**-11).all()


@pytest.mark.parametrize("number", [None, float("nan"), float("inf"), 2.0**30])
def test_numbers_that_float16_cannot_hold_are_named(tmp_path, number):
    with pytest.raises(mb.DatasetError, match="column real: float16 is for numbers below 1e9"):
        read(tmp_path, {"real": [1.0, number]}, dtype={"real": "float16"})


@pytest.mark.parametrize(
    "column, dtype, why",
    [("real", "int64", "it holds reals"), ("number", "int8", "200 is among"),
     ("number", "uint64", "-3 is among"), ("number", "bool", "200 is among"),
     ("lists", "uint8", "-1 is among"), ("large", "float32", "1e+300 is among")],
)  # fmt: skip
@pytest.mark.parametrize("memory", [None, 0])
def test_a_type_that_a_columns_values_do_not_fit_is_refused(tmp_path, column, dtype, why, memory):
    columns = {"real": [0.5, 2701.3], "number": [200, -3], "lists": [[5], [-1]],
               "large": [1e300, 0]}  # fmt: skip
    message = f"column {column} cannot be kept as {dtype}: {why}"
    with pytest.raises(mb.DatasetError, match=re.escape(message)):
        list(read(tmp_path, columns, dtype={column: dtype}, memory=memory).epoch(2))


def test_a_smaller_last_batch_can_be_left_out(folder):
    for memory in (None, 0):
        dataset = mb.ResidentDataset(folder, memory=memory, say=None)
        assert [len(b.rows) for b in dataset.epoch(12)] == [12, 12, 12, 4]
        assert [len(b.rows) for b in dataset.epoch(12, drop_last=True)] == [12, 12, 12]


def test_parts_and_orders_depend_on_their_seeds_alone(folder):
    def rows(part=0, seed=0, **options):
        dataset = mb.ResidentDataset(folder, (0.8, 0.2), say=None, **options)
        return [row for batch in dataset.epoch(7, seed=seed, part=part) for row in batch.rows]

    assert rows() == rows()
    assert rows() != rows(seed=1) and set(rows()) == set(rows(seed=1))
    assert set(rows()) != set(rows(split_seed=1))
    assert not set(rows()) & set(rows(part=1))


def cut_short(folder):
    path = folder / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-5])


def other_columns(folder):
    pq.write_table(pa.table({"number": [1]}), folder / "part-9.parquet")


@pytest.mark.parametrize(
    "harm, message",
    [(cut_short, "part-1.parquet: not a whole Parquet file"),
     (other_columns, "part-9.parquet: its columns are not those of part-0.parquet"),
     (lambda folder: [file.unlink() for file in folder.iterdir()], "there is no Parquet file"),
     (shutil.rmtree, "no such folder")],
)  # fmt: skip
def test_a_folder_that_is_not_whole_is_named(folder, harm, message):
    harm(folder)
    with pytest.raises(mb.DatasetError, match=message):
        mb.ResidentDataset(folder)


@pytest.mark.parametrize("memory", [None, 0])
def test_on_a_device_batches_are_the_same_and_nothing_comes_back(folder, memory, monkeypatch):
    device = StrictDevice()
    options = {"memory": memory, "dtype": {"rows": "float16"}, "say": None}
    here = mb.ResidentDataset(folder, device="cpu", **options)
    monkeypatch.setattr("megabatt.runtime.megabatch.given.device_of", lambda _: device)
    there = mb.ResidentDataset(folder, **options)
    device.fetched = 0
    batches = list(there.epoch(6, seed=3))
    assert not device.fetched
    for mine, its in zip(here.epoch(6, seed=3), batches, strict=True):
        assert mine.rows.tolist() == its.rows.tolist()
        for name, array in mine.items():
            assert type(its[name]) is StrictArray
            np.testing.assert_array_equal(device.to_host(its[name]), array, name)
        np.testing.assert_array_equal(device.to_host(its.mask("list")), mine.mask("list"))


def with_another_page(path):
    column = pq.read_metadata(path).row_group(0).column(0)
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("harm", [Path.unlink, with_another_page])
def test_a_file_that_goes_away_or_changes_while_it_is_streamed_is_named(tmp_path, harm):
    with writing_parquet(Store.at(tmp_path), "part-0.parquet", SCHEMA) as parquet:
        parquet.write_table(pa.Table.from_pylist(NUMBERED, SCHEMA))
    dataset = mb.ResidentDataset(tmp_path, memory=0, say=None)
    harm(tmp_path / "part-0.parquet")
    with pytest.raises(mb.DatasetError, match="part-0.parquet: cannot be read"):
        list(dataset.epoch(5))
