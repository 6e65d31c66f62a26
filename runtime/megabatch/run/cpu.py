"""Batches computed on CPUs: by this process, by workers of this machine, or by a cluster's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.clusters import ClusterEngine
from megabatt.runtime.megabatch.run.compute import (
    BatchOutcome,
    finish,
    nothing_computed,
    run_batch,
)
from megabatt.runtime.megabatch.run.parts import Assembly
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.run.workers import Engine, LocalEngine, Rescue, computed, workers


def on_cpus(
    settings: Settings, batches: list[Batch], count: int, stop: Stop
) -> Iterator[BatchOutcome]:
    """Compute batches by so many processes of this machine; yield outcomes as they are ready."""
    if count < 2:
        for batch in batches:
            if stop.asked:
                return
            yield run_batch(settings, batch)
        return
    with workers(count) as mine:
        run = partial(_run_without_samples, settings)
        yield from _on_engine(settings, batches, LocalEngine(mine), run, stop)


def on_cluster(
    settings: Settings, batches: list[Batch], engine: ClusterEngine, stop: Stop
) -> Iterator[BatchOutcome]:
    """Compute batches by the processes of a cluster; yield outcomes as they are ready."""
    yield from _on_engine(settings, batches, engine, _run_without_samples, stop)


def _on_engine(
    settings: Settings,
    batches: list[Batch],
    engine: Engine,
    run: Callable[..., BatchOutcome],
    stop: Stop,
) -> Iterator[BatchOutcome]:
    assembly = Assembly(batches)
    rescue = Rescue(Batch.halves, partial(_not_computed, settings))
    for batch, outcome in computed(engine, run, batches, rescue, stop):
        yield from assembly.add(replace(outcome, batch=batch))


def _run_without_samples(settings: Settings, batch: Batch) -> BatchOutcome:
    """Run a batch; return its outcome without the samples, which the caller has."""
    return replace(run_batch(settings, batch), batch=replace(batch, samples=[]))


def _not_computed(settings: Settings, batch: Batch, why: str) -> BatchOutcome:
    return finish(settings, nothing_computed(settings, batch, why))
