"""Epochs of a dataset on a device, against reading its Parquet files for each batch.

Without --folder the dataset is made up: rows of 3 to 10 receivers, with 18 numbers each. The last
line is a JSON object of the figures. Figures named `extrapolated` time five batches of a shuffled
epoch that are read from the files, and scale their time to an epoch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.dataset as pd
import pyarrow.parquet as pq

import megabatt as mb
from megabatt.runtime.engine.device.device import CPU
from megabatt.runtime.megabatch.resident.columns import from_arrow

_RANDOM_BATCHES = 5
"""Batches read at random from the files; reading a whole epoch would take too long."""
_CONSUMER_SECONDS = 0.05
_CONSUMER_BATCHES = 60


@click.command()
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="A folder of Parquet files; by default its files are made up.")  # fmt: skip
@click.option("--samples", type=int, default=200_000, show_default=True, help="Rows to make up.")
@click.option("--batch-size", type=int, default=256, show_default=True)
@click.option("--columns", default="", metavar="NAME,NAME,...", help="Only these columns.")
@click.option("--half", default="", metavar="NAME,NAME,...", help="Columns kept as float16.")
@click.option("--device", default="auto", show_default=True)
def main(
    folder: Path | None, samples: int, batch_size: int, columns: str, half: str, device: str
) -> None:
    """Time loading, epochs and streaming."""
    with TemporaryDirectory() as made:
        if folder is None:
            folder = Path(made)
            make_up(folder, samples)
        options: dict[str, Any] = {
            "split": (1.0,),
            "device": device,
            "columns": columns.split(",") if columns else None,
            "dtype": dict.fromkeys(half.split(","), "float16") if half else None,
        }
        print(json.dumps(figures(folder, batch_size, options)))


def make_up(folder: Path, samples: int) -> None:
    """Write made-up files of 1,024 rows."""
    random = np.random.default_rng(0)
    for number, at in enumerate(range(0, samples, 1024)):
        rows = min(1024, samples - at)
        counts = random.integers(3, 11, rows)
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
        receivers = int(counts.sum())

        def lists(array: Any, offsets: pa.Array = offsets) -> pa.Array:
            return pa.ListArray.from_arrays(offsets, array)

        numbers = random.normal(size=(receivers, 18)).astype(np.float32)
        table = pa.table(
            {
                "latitude": random.normal(45, 1, rows).astype(np.float32),
                "longitude": random.normal(8, 1, rows).astype(np.float32),
                "gdop": random.random(rows).astype(np.float32),
                "features": lists(pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel()), 18)),
                "mask": lists(pa.array(random.random(receivers) < 0.9)),
            }
        )
        pq.write_table(table, folder / f"samples-{number:05d}.parquet", compression="zstd")


def figures(folder: Path, batch_size: int, options: dict[str, Any]) -> dict[str, Any]:
    load, dataset = _timed(lambda: mb.ResidentDataset(folder, say=None, **options))
    shuffled, _ = min(_timed(lambda: _run_out(dataset.epoch(batch_size))) for _ in range(3))
    in_order, _ = min(_timed(lambda: _run_out(dataset.epoch(batch_size, False))) for _ in range(3))
    names = [field.name for field in dataset._folder.fields]
    read_in_order, _ = _timed(lambda: _run_out(_in_order(folder, names, batch_size)))
    few = islice(_at_random(folder, names, batch_size, len(dataset)), _RANDOM_BATCHES)
    at_random, _ = _timed(lambda: _run_out(few))
    read_at_random = at_random / _RANDOM_BATCHES * (len(dataset) / batch_size)
    return {
        "samples": len(dataset),
        "batch_size": batch_size,
        "device": dataset.device.name,
        "bytes_a_sample": round((dataset.nbytes or 0) / len(dataset), 1),
        "load_seconds": round(load, 3),
        "epoch_shuffled_seconds": round(shuffled, 4),
        "epoch_in_order_seconds": round(in_order, 4),
        "parquet_shuffled_seconds_extrapolated": round(read_at_random, 1),
        "parquet_in_order_seconds": round(read_in_order, 3),
        "times_faster_shuffled_extrapolated": round(read_at_random / shuffled, 1),
        "times_faster_in_order": round(read_in_order / in_order, 1),
        "consumer_busy_streamed": round(_busy_share(folder, batch_size, options, True), 4),
        "consumer_busy_loaded": round(_busy_share(folder, batch_size, options, False), 4),
    }


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def _run_out(batches: Iterator[Any]) -> None:
    for _ in batches:
        pass


def _in_order(folder: Path, names: list[str], batch_size: int) -> Iterator[Any]:
    """Yield the padded arrays of each batch, in the order of the files."""
    for batch in pd.dataset(folder).to_batches(columns=names, batch_size=batch_size):
        yield _arrays(pa.table(batch))


def _at_random(folder: Path, names: list[str], batch_size: int, rows: int) -> Iterator[Any]:
    """Yield the padded arrays of each batch of a shuffled epoch: its rows lie anywhere in files."""
    files = pd.dataset(folder)
    order = np.random.default_rng(0).permutation(rows)
    for at in range(0, rows, batch_size):
        yield _arrays(files.take(pa.array(order[at : at + batch_size]), columns=names))


def _arrays(table: pa.Table) -> Any:
    return from_arrow(table, {}, frozenset(), CPU, {}).rows(np.arange(len(table)))


def _busy_share(folder: Path, batch_size: int, options: dict[str, Any], streamed: bool) -> float:
    """Measure the share of its time that a consumer of 50 ms a batch does not wait."""
    room = {"memory": 48 << 20} if streamed else {}
    dataset = mb.ResidentDataset(folder, say=None, **options, **room)
    if streamed and dataset.nbytes is not None:
        dataset = mb.ResidentDataset(folder, say=None, **options, memory=dataset.nbytes // 3)
    seconds, _ = _timed(lambda: _consume(islice(dataset.epoch(batch_size), _CONSUMER_BATCHES)))
    batches = min(_CONSUMER_BATCHES, -(-len(dataset) // batch_size))
    return batches * _CONSUMER_SECONDS / seconds


def _consume(batches: Iterator[Any]) -> None:
    """Take 50 ms a batch, as a model would on another device."""
    for _ in batches:
        time.sleep(_CONSUMER_SECONDS)


if __name__ == "__main__":
    main()
