"""Computes batches in the processes of a Dask or Ray cluster.

Each process gets the plan of the run once, loads programs and data by itself, and then gets numbers
of batches. The processes write results to a folder that all processes can reach.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import signal
import socket
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from megabatt.runtime.megabatch.batches import Batch, Settings, batches_of_sizes
from megabatt.runtime.megabatch.extras import install_command
from megabatt.runtime.megabatch.run.manifest import data_digest
from megabatt.runtime.megabatch.run.memory import keep_large_workers

_AHEAD = 2
"""The batches submitted for each process, so that no process waits for its next batch."""


class ClusterError(Exception):
    """Raised if a cluster cannot be reached or used, or its package is not installed."""


@dataclass(frozen=True)
class Plan:
    """The description of a run for every process of a cluster.

    options: The options that chose the data. sizes: The number of samples of each batch. data: The
    digest of all samples. sources: The contents of the generated files, by name. digest: The digest
    of the plan.
    """

    settings: Settings
    options: dict[str, Any]
    sizes: list[int]
    data: str
    sources: dict[str, bytes]
    digest: str = field(default="")

    @classmethod
    def of(cls, settings: Settings, options: dict[str, Any], batches: list[Batch]) -> Plan:
        folder = Path(settings.folder)
        sources = {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}
        sizes = [len(batch.samples) for batch in batches]
        plan = cls(settings, options, sizes, _digest_of(settings, batches), sources)
        return replace(plan, digest=hashlib.sha256(pickle.dumps(plan)).hexdigest()[:32])


OfBatch = Callable[[Settings, Batch], Any]

_loaded: dict[str, tuple[Settings, list[Batch]]] = {}
"""The settings and batches of the plans that this process has loaded, by the plan's digest."""
_loading = threading.Lock()


def at_worker(plan: Plan, function: OfBatch, number: int, lanes: range | None) -> Any:
    """Call `function` on a batch, or on a piece of the batch, in a process of a cluster."""
    with _loading:
        if plan.digest not in _loaded:
            _loaded[plan.digest] = _load(plan)
    settings, batches = _loaded[plan.digest]
    batch = batches[number]
    return function(settings, batch if lanes is None else batch.of_lanes(lanes))


def _load(plan: Plan) -> tuple[Settings, list[Batch]]:
    keep_large_workers()
    folder = _materialized(plan)
    settings = replace(plan.settings, folder=folder)
    data = settings.workload.load(**plan.options)
    try:
        batches = batches_of_sizes(settings, data, plan.sizes)
        is_same = _digest_of(settings, batches) == plan.data
    except ValueError:
        is_same = False
    if not is_same:
        raise ClusterError(f"{socket.gethostname()} has other data than the run")
    return settings, batches


def _digest_of(settings: Settings, batches: list[Batch]) -> str:
    samples = [sample for batch in batches for sample in batch.samples]
    return data_digest(settings.workload, samples)


def _materialized(plan: Plan) -> str:
    """Write the plan's programs to a local folder, which keeps kernels for the next process.

    Raises ClusterError if other users may write to the folder, since its programs are imported.
    """
    home = Path(tempfile.gettempdir()) / f"megabatt-{os.getuid()}"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = home.lstat()
    is_ours = status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not is_ours or not stat.S_ISDIR(status.st_mode):
        raise ClusterError(f"{home} is not this user's alone: remove it, or set TMPDIR elsewhere")
    folder = home / plan.digest
    folder.mkdir(exist_ok=True, mode=0o700)
    for name, content in plan.sources.items():
        temporary = folder / f".{name}.{os.getpid()}.tmp"
        temporary.write_bytes(content)
        temporary.replace(folder / name)
    return str(folder)


class _Executor:
    """The common part of the engines of clusters."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @property
    def capacity(self) -> int:
        return max(1, _AHEAD * self.processes())

    def processes(self) -> int:
        raise NotImplementedError


_DASK_HERE = {"distributed.worker.profile.enabled": False}
"""Settings of Dask for processes on this machine. By default, Dask samples the processes' stacks
a hundred times a second, which takes a quarter of their time."""


class DaskEngine(_Executor):
    """The processes of a Dask cluster at an address, or started on this machine."""

    def __init__(self, plan: Plan, address: str | None, workers: int) -> None:
        super().__init__(plan)
        try:
            import dask
            import distributed
        except ImportError:
            raise ClusterError(f"Dask is not installed: `{install_command('dask')}`") from None
        self._killed = distributed.KilledWorker
        try:
            if address is None:
                with dask.config.set(_DASK_HERE):
                    cluster = distributed.LocalCluster(
                        n_workers=workers, threads_per_worker=1, dashboard_address=None,
                        silence_logs=logging.ERROR,
                    )  # fmt: skip
                self._client = distributed.Client(cluster)
                self._cluster: Any = cluster
            else:
                self._client, self._cluster = distributed.Client(address, timeout=30), None
        except (OSError, ValueError) as error:
            raise ClusterError(f"no Dask cluster at {address}: {error}") from error
        self._client.register_plugin(_dask_plugin(distributed, plan), name=plan.digest)
        self._executor = self._client.get_executor(pure=False)

    def processes(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, function: OfBatch, batch: Batch) -> Future[Any]:
        arguments = (self.plan.digest, function, batch.number, batch.piece)
        return self._executor.submit(_at_dask_worker, *arguments)  # type: ignore[no-any-return]

    def death(self, error: BaseException) -> str | None:
        if isinstance(error, self._killed):
            return "the processes that computed it died"
        return None

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


_plans: dict[str, Plan] = {}


def _dask_plugin(distributed: Any, plan: Plan) -> Any:
    """Make a plugin that gives the plan to every worker once, even to workers that start later."""

    class GivesPlan(distributed.WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            from megabatt.runtime.megabatch.run import clusters

            clusters._plans[plan.digest] = plan

    return GivesPlan()


def _at_dask_worker(digest: str, function: OfBatch, number: int, lanes: range | None) -> Any:
    return at_worker(_plans[digest], function, number, lanes)


class RayEngine(_Executor):
    """The processes of a Ray cluster at an address, or started on this machine."""

    def __init__(self, plan: Plan, address: str | None, workers: int) -> None:
        super().__init__(plan)
        try:
            import ray
        except ImportError:
            raise ClusterError(f"Ray is not installed: `{install_command('ray')}`") from None
        self._ray = ray
        here: dict[str, Any] = {}
        if address is None:
            here = {"num_cpus": workers, "include_dashboard": False}
        before = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **here,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ClusterError(f"no Ray cluster at {address}: {error}") from error
        finally:
            with suppress(ValueError):  # not the main thread
                signal.signal(signal.SIGTERM, before)  # Ray has replaced the handler
        self._plan = ray.put(plan)
        self._remote = ray.remote(max_retries=0)(at_worker)

    def processes(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def submit(self, function: OfBatch, batch: Batch) -> Future[Any]:
        reference = self._remote.remote(self._plan, function, batch.number, batch.piece)
        return reference.future()  # type: ignore[no-any-return]

    def death(self, error: BaseException) -> str | None:
        errors = self._ray.exceptions
        if isinstance(error, errors.RayError) and not isinstance(error, errors.RayTaskError):
            return f"the process that computed it died ({type(error).__name__})"
        return None

    def close(self) -> None:
        self._ray.shutdown()


ClusterEngine = DaskEngine | RayEngine


@contextmanager
def cluster(name: str, plan: Plan, workers: int) -> Iterator[ClusterEngine]:
    """Yield the engine of a cluster, and disconnect when the block ends. Raises ClusterError.

    name: "dask" or "ray" for `workers` processes on this machine; tcp://HOST:PORT or
    tls://HOST:PORT for Dask's scheduler; ray://HOST:PORT or ray=ADDRESS for a Ray cluster.
    """
    kind, _, address = name.partition("=")
    engine: ClusterEngine
    if name in ("dask", "ray"):
        engine = (DaskEngine if name == "dask" else RayEngine)(plan, None, workers)
    elif name.startswith(("tcp://", "tls://")):
        engine = DaskEngine(plan, name, workers)
    elif name.startswith("ray://"):
        engine = RayEngine(plan, name, workers)
    elif kind == "ray" and address:
        engine = RayEngine(plan, address, workers)
    else:
        raise ClusterError(f"{name!r} is no cluster: dask, ray, tcp://HOST:PORT or ray://HOST:PORT")
    try:
        yield engine
    finally:
        engine.close()
