"""How fast Dask's, Ray's and megabatt's own processes on this machine compute a run.

    python -m benchmarks.clusters [--workers 1,2] [--batches 16] [--batch-size 100]

With each number of processes, all three run the same batches: once to load kernels and data, then
timed. The figures in bytes are sizes of pickles: `bytes_a_process_once` for a process's plan,
`bytes_a_batch_there` and `bytes_a_batch_back` for a batch sent to a process and its results.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import click

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.batches import Batch, Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run.clusters import ClusterEngine, Plan, cluster
from megabatt.runtime.megabatch.run.cpu import _run_alone
from megabatt.runtime.megabatch.run.run import run_batches

OPTIONS = {"data": "arcagi", "split": "training"}


def timed(run: Callable[[], object]) -> float:
    run()
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


@click.command()
@click.option("--batt", default="generated", show_default=True)
@click.option("--workers", default="1,2", show_default=True)
@click.option("--batches", default=16, show_default=True)
@click.option("--batch-size", default=100, show_default=True)
def main(batt: str, workers: str, batches: int, batch_size: int) -> None:
    data = WORKLOAD.load(**OPTIONS)
    for count in map(int, workers.split(",")):
        settings = Settings(WORKLOAD, batt, workers=count)
        every = batches_of(settings, Data(data.samples), batch_size)
        work, plan = every[:batches], Plan.of(settings, OPTIONS, every)
        lanes = sum(len(batch.samples) for batch in work)
        figures: dict[str, object] = {"workers": count, "samples": lanes}
        figures |= _bytes(plan, work[0])
        for name in ("own", "dask", "ray"):
            engine: AbstractContextManager[ClusterEngine | None] = nullcontext()
            if name != "own":
                engine = cluster(name, plan, count)
            with engine as there:
                seconds = timed(partial(run_batches, settings, work, cluster=there))
            figures[f"{name}_samples_per_s"] = round(lanes / seconds, 1)
        print(json.dumps(figures), flush=True)


def _bytes(plan: Plan, batch: Batch) -> dict[str, int]:
    sent = pickle.dumps((plan.digest, _run_alone, batch.number, batch.piece))
    back = pickle.dumps(_run_alone(plan.settings, batch))
    return {
        "bytes_a_process_once": len(pickle.dumps(plan)),
        "bytes_a_batch_there": len(sent),
        "bytes_a_batch_back": len(back),
    }


if __name__ == "__main__":
    main()
