"""Dask and Ray give the results of this machine's own workers, even if a worker of theirs dies."""

import json
import pickle
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.run import clusters
from megabatt.runtime.megabatch.run.clusters import ClusterError, Plan, cluster
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.run.cpu import on_cluster
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import named
from tests.megabatch import runs
from tests.megabatch.commands import ROOT, mirror_task, rows_in

OPTIONS = {"data": "arcagi", "split": "training", "tasks": ("007bbfb7", "00d62c1b", "67a3c6ac")}


@pytest.fixture
def plan(settings):
    return Plan.of(settings, OPTIONS, batches_of(settings, WORKLOAD.load(**OPTIONS), 3))


def test_a_machine_with_other_data_is_named(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters.tempfile, "gettempdir", lambda: str(tmp_path))
    mirror_task(tmp_path)
    options, task = {"data": str(tmp_path)}, tmp_path / "mirror.json"
    plan = Plan.of(settings, options, batches_of(settings, WORKLOAD.load(**options), 3))
    whole = task.read_text()
    for other in (whole.replace("3", "4"), json.dumps(json.loads(whole) | {"test": []})):
        task.write_text(other)
        with pytest.raises(ClusterError, match="has other data than the run"):
            clusters.at_worker(plan, len, 0, None)
    task.write_text(whole)
    assert clusters.at_worker(plan, lambda settings, batch: len(batch.samples), 0, None) == 3


class Cluster:
    """A cluster of a process. If it dies, then once it is done with more than a single sample."""

    capacity = 2

    def __init__(self, compute, dies=False):
        self.compute, self.dies = compute, dies

    def submit(self, function, batch):
        done, outcome = Future(), self.compute(function, batch)
        if self.dies and len(batch.samples) > 1:
            done.set_exception(EOFError())
        else:
            done.set_result(outcome)
        return done

    def death(self, error):
        return "it died" if self.dies else None


@pytest.mark.parametrize("workload", ["arc", "signals"])
def test_a_cluster_computes_what_one_process_computes(workload, settings, tmp_path):
    there, here = Store.at(tmp_path / "there"), Store.at(tmp_path / "here")
    folder, options = settings.folder, OPTIONS
    if workload == "signals":
        folder, options = str(ROOT / "generated" / "signals"), {"links": 8, "duration_ms": 1}
    for out in (there, here):
        out.make()
    settings = Settings(named(workload), folder, out=there, outputs="all")
    batches = batches_of(settings, settings.workload.load(**options), 3)
    plan = Plan.of(settings, options, batches)

    def at_worker(function, batch):
        sent = pickle.loads(pickle.dumps((plan, function, batch.number, batch.piece)))
        return clusters.at_worker(*sent)

    as_they_end = on_cluster(settings, batches, Cluster(at_worker), Stop())
    found = sorted(as_they_end, key=lambda outcome: outcome.batch.number)
    runs.assert_alike(found, [run_batch(replace(settings, out=here), batch) for batch in batches])
    assert rows_in(tmp_path / "there") == rows_in(tmp_path / "here")


def test_a_process_that_dies_once_it_has_written_leaves_no_row_twice(settings, tmp_path):
    settings = replace(settings, out=Store.at(tmp_path), outputs="all")
    batches = batches_of(settings, settings.workload.load(**OPTIONS), 8)
    dying = Cluster(lambda function, batch: function(settings, batch), dies=True)
    found = list(on_cluster(settings, batches, dying, Stop()))
    assert not any(outcome.not_computed for outcome in found)
    rows = len(runs.rows_by_key(tmp_path))
    assert rows == len(settings.forms(batches[0]).solvers) * sum(len(b.samples) for b in batches)


@pytest.mark.parametrize("name", ["nosuch", "ray=", "http://here:1"])
def test_an_impossible_cluster_is_named(plan, name):
    with pytest.raises(ClusterError, match="is no cluster: dask, ray, tcp://HOST:PORT"):
        with cluster(name, plan, 1):
            pass


# Real schedulers


def computing(process, kind):
    """Find the processes of a cluster that compute."""
    mark = {"dask": "spawn_main", "ray": "ray::"}[kind]
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        with suppress(psutil.Error):
            if mark in " ".join(child.cmdline()) and child.memory_info().rss > 150 << 20:
                found.append(child)
    return found


@pytest.mark.long
@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_a_worker_of_a_scheduler_is_killed_and_the_run_goes_on(tmp_path, undisturbed, kind):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[kind])
    folder = tmp_path / "out"
    process = runs.started("--out", folder, "--cluster", kind)
    runs.wait_for(lambda: len(runs.batches_in(folder)) > 2, process)
    runs.wait_for(lambda: computing(process, kind), process)
    computing(process, kind)[0].kill()
    status, output, errors = runs.ended(process, timeout=300)
    assert status == 0, errors
    assert runs.rows_by_key(folder) == runs.rows_by_key(undisturbed[0])
    assert runs.summary_in(folder)["complete"]
    assert "not computed" not in output
