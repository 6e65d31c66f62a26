"""CUDA's compiler takes every kernel of the language; the test needs no GPU."""

import gc

import pytest

from megabatt.runtime.engine.device.kernels import LaneKernel
from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.parameters import record
from megabatt.runtime.signal.values import signal_of
from tests.signal.forms import vectorized

cupy = pytest.importorskip("cupy", reason="with CuPy: make cuda-source")
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


def launches():
    """Return the arguments of one launch by a rule for each of the language's kernels."""
    seen = {}
    launch = LaneKernel.__call__

    def record_launch(kernel, lanes, *args):
        seen.setdefault(kernel, args)
        launch(kernel, lanes, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LaneKernel, "__call__", record_launch)
        for primitive in LANGUAGE.primitives.values():
            if not primitive.module.startswith("megabatt.runtime.signal."):
                continue
            lanes = [
                tuple(P if t.name == "Parameters" else BY_TYPE[t.name] for t in primitive.types)
                for P in RECORDS
            ]
            vectorized(primitive.function, lanes)
    return {k: args for k, args in seen.items() if "runtime.signal" in k.function.__module__}


def test_every_kernel_is_compiled_for_cuda():
    from cupy.cuda import nvrtc

    from megabatt.runtime.engine.device.cuda import cuda_source
    from megabatt.runtime.engine.device.cuda_text import PRELUDE

    found = launches()
    kernels = {k for k in gc.get_objects() if isinstance(k, LaneKernel)}
    ours = {k for k in kernels if "runtime.signal" in k.function.__module__}
    assert {k.function.__name__ for k in ours - set(found)} <= {"copy_samples"}
    for kernel, args in found.items():
        source = PRELUDE + cuda_source(kernel, args)
        program = nvrtc.createProgram(source, "kernel.cu", [], [])
        options = ["--std=c++17", "--fmad=false", "--gpu-architecture=compute_80"]
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError:
            log = nvrtc.getProgramLog(program)
            pytest.fail(f"{kernel.function.__name__}: {log}")
        finally:
            nvrtc.destroyProgram(program)
