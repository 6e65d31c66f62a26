"""Computes batches on CPUs: in threads, in processes, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from megabatt.runtime.megabatch.batches import Batch, Settings, one_of_each_program
from megabatt.runtime.megabatch.run.clusters import ClusterEngine
from megabatt.runtime.megabatch.run.compute import (
    BatchOutcome,
    finish,
    nothing_computed,
    run_batch,
)
from megabatt.runtime.megabatch.run.results import file_name
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.run.workers import Engine, LocalEngine, Rescue, computed, workers


def on_cpus(
    settings: Settings, batches: list[Batch], count: int, stop: Stop
) -> Iterator[BatchOutcome]:
    """Compute batches in `count` threads or processes; yield outcomes, also of pieces, when ready.

    Threads compute one batch after another, and share its lanes. If Python makes some of the calls,
    threads would wait for one another, so that processes compute the batches.
    """
    if count < 2 or in_threads(settings, batches):
        for batch in batches:
            if stop.asked:
                return
            yield run_batch(replace(settings, workers=count), batch)
        return
    with workers(min(count, len(batches))) as mine:
        run = partial(_run_alone, settings)
        yield from _on_engine(settings, batches, LocalEngine(mine), run, stop)


def in_threads(settings: Settings, batches: list[Batch]) -> bool:
    """Tell whether threads compute the batches: whether all primitives have compiled forms."""
    return all(settings.forms(batch).is_compiled for batch in one_of_each_program(batches))


def on_cluster(
    settings: Settings, batches: list[Batch], engine: ClusterEngine, stop: Stop
) -> Iterator[BatchOutcome]:
    """Compute batches in the processes of a cluster; yield outcomes, also of pieces, when ready."""
    yield from _on_engine(settings, batches, engine, _run_alone, stop)


def _on_engine(
    settings: Settings,
    batches: list[Batch],
    engine: Engine,
    run: Callable[..., BatchOutcome],
    stop: Stop,
) -> Iterator[BatchOutcome]:
    rescue = Rescue(partial(_halves, settings), partial(_not_computed, settings))
    for batch, outcome in computed(engine, run, batches, rescue, stop):
        yield replace(outcome, batch=batch)


def _run_alone(settings: Settings, batch: Batch) -> BatchOutcome:
    """Run a batch in one thread; return its outcome without the samples, which the caller has."""
    outcome = run_batch(replace(settings, workers=1), batch)
    return replace(outcome, batch=replace(batch, samples=[]))


def _halves(settings: Settings, batch: Batch) -> list[Batch]:
    """Halve a batch; remove its file, which the process may have written before it died."""
    if settings.out is not None:
        settings.out.remove(file_name(batch))
    return batch.halves()


def _not_computed(settings: Settings, batch: Batch, why: str) -> BatchOutcome:
    return finish(settings, nothing_computed(settings, batch, why))
