"""Every lane kernel of the runtime is in the subset of Python that `cupyx.jit` takes.

No device is needed: `cupyx.jit` writes the CUDA source, and NVRTC, where there is one, compiles it.
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

pytest.importorskip("cupy")

import runtime.arc  # noqa: F401
from runtime.arc.language import LANGUAGE
from runtime.engine.columns import Uniform
from runtime.engine.cuda import cuda_source
from runtime.engine.dispatch import call
from runtime.engine.encode import encode
from runtime.engine.frames import Frame, Operation
from runtime.engine.kernels import LaneKernel
from runtime.engine.limits import MAX_ELEMENTS
from tests.arc.lanes import lanes_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:cupyx.jit.rawkernel is experimental:FutureWarning"),
    pytest.mark.filterwarnings("ignore:Decorator .* may not supported:RuntimeWarning"),
]

RULES = [p for _, p in sorted(LANGUAGE.primitives.items()) if p.rule is not None]
ROUNDS = 20


def every_kernel():
    """The kernels of the runtime's modules, by their full names."""
    return {
        f"{name}.{found.function.__name__}": found
        for name, module in sorted(sys.modules.items())
        if name.startswith("runtime.")
        for found in vars(module).values()
        if isinstance(found, LaneKernel) and found.function.__module__ == name
    }


def run_rule(primitive, number):
    """A rule on a few batches of a few random lanes."""

    @seed(number)
    @settings(
        max_examples=10,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(lanes_of(primitive))
    def run(lanes):
        frame = Frame(Operation(len(lanes), MAX_ELEMENTS), len(lanes))
        columns = [encode(list(column)) for column in zip(*lanes, strict=True)]
        call(frame, Uniform(primitive.function, len(lanes)), columns)

    run()


@pytest.fixture(scope="module")
def sources():
    """The CUDA sources of each kernel: one for each combination of types that it is launched with.

    What a kernel is launched with is what the rules launch it with: they are run until all
    kernels have been.
    """
    missing = set(every_kernel().values())
    launched = {}
    launch = LaneKernel.__call__

    def record(kernel, lanes, *args):
        if lanes:
            missing.discard(kernel)
            types = tuple(getattr(arg, "dtype", type(arg)) for arg in args)
            launched.setdefault((kernel, types), args)
        launch(kernel, lanes, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LaneKernel, "__call__", record)
        for number in range(ROUNDS):
            for primitive in RULES:
                if missing or number == 0:
                    run_rule(primitive, number)
    assert not missing, f"no rule launched {[kernel.function.__name__ for kernel in missing]}"

    written = {}
    for (kernel, _), args in launched.items():
        written.setdefault(kernel, []).append(attempt(kernel, args))
    return written


def attempt(kernel, args):
    try:
        return cuda_source(kernel, args)
    except Exception as error:
        return error


@pytest.mark.parametrize("name", every_kernel())
def test_cupy_takes_the_kernel(name, sources):
    for source in sources[every_kernel()[name]]:
        assert isinstance(source, str), str(source)


def compile_source(source, arch):
    """The log of NVRTC if it rejects the source, else nothing."""
    from cupy._core.core import assemble_cupy_compiler_options
    from cupy_backends.cuda.libs import nvrtc

    options = assemble_cupy_compiler_options(("-DCUPY_JIT_MODE", "--std=c++17"))
    program = nvrtc.createProgram(source, "kernels.cu", (), ())
    try:
        nvrtc.compileProgram(program, (*options, f"-arch={arch}"))
        return ""
    except nvrtc.NVRTCError:
        return nvrtc.getProgramLog(program)
    finally:
        nvrtc.destroyProgram(program)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_nvrtc_compiles_the_sources(arch, sources):
    header = '#include "cupy/float16.cuh"\n'
    try:
        reason = compile_source(header, arch)
    except Exception as error:  # CuPy finds no NVRTC library
        reason = str(error)
    if reason:
        pytest.skip(f"NVRTC does not compile CuPy's headers: {reason}")
    # all at once, as most of the time goes into the headers
    written = [s for made in sources.values() for s in made if isinstance(s, str)]
    parts = [f"namespace kernel_{number} {{\n{s}\n}}\n" for number, s in enumerate(written)]
    log = compile_source(header + "".join(parts).replace('extern "C" ', ""), arch)
    assert not log, log
