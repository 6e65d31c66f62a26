"""CUDA's compiler takes every kernel of the language; the test needs no GPU."""

import pytest

pytest.importorskip("cupy", reason="with CuPy: make cuda-source")

from megabatt.runtime.engine.device import kernels
from megabatt.runtime.engine.device.cuda import cuda_source
from megabatt.runtime.engine.device.cuda_text import PRELUDE
from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.parameters import record
from megabatt.runtime.signal.values import signal_of
from tests.engine.cuda_sources import in_namespaces, sampled_launches
from tests.engine.test_cuda_source import compile_source
from tests.signal.forms import vectorized

pytestmark = pytest.mark.cuda

SIGNAL = signal_of(200_000.0, [1 + 1j] * 301)
BY_TYPE = {
    "Real": 1e-5, "Reals": (1.0, 2.0, 3.0), "Integer": 3, "Boolean": True, "Name": 1000,
    "Key": (1, 2, 3), "Site": 1, "Signal": SIGNAL,
}  # fmt: skip
RECORDS = [
    record(duration_ms=1.0, modulation=modulation, profile=1, coherence_ms=0.1 * modulation)
    for modulation in (0, 4)
]


def run_rules():
    """Run each rule of the language on two lanes."""
    for primitive in LANGUAGE.primitives.values():
        if primitive.module.startswith("megabatt.runtime.signal."):
            lanes = [tuple({**BY_TYPE, "Parameters": P}[t.name] for t in primitive.types)
                     for P in RECORDS]  # fmt: skip
            vectorized(primitive.function, lanes)


def is_ours(kernel):
    return "runtime.signal" in kernel.function.__module__


def test_every_kernel_is_compiled_for_cuda():
    launches = sampled_launches(run_rules)
    first = {kernel: made[0] for (kernel, _), made in launches.items() if is_ours(kernel)}
    every = set(filter(is_ours, kernels._kernels))
    assert {kernel.function.__name__ for kernel in every - set(first)} <= {"copy_samples"}
    sources = [cuda_source(kernel, launch.before) for kernel, launch in first.items()]
    log = compile_source(PRELUDE + in_namespaces(sources), "sm_80")
    assert not log, log
