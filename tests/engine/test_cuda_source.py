"""Every lane kernel of the runtime is in the subset of Python that `cupyx.jit` takes.

No device is needed: `cupyx.jit` writes the CUDA source, and NVRTC, if installed, compiles it.
"""

from functools import cache

import pytest

pytest.importorskip("cupy")

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.device.cuda import cuda_source
from megabatt.runtime.engine.device.cuda_text import ANSWER, PRELUDE, SUM_UP
from megabatt.runtime.engine.machine.linking import Head
from megabatt.runtime.engine.machine.on_device import source_of
from tests.engine.cuda_sources import every_kernel, in_namespaces, recorded_launches
from tests.engine.strict import StrictDevice

pytestmark = pytest.mark.cuda


@cache
def sources_of(kernel):
    """Return the CUDA sources of a kernel, one for each combination of types in its launches."""
    return [cuda_source(kernel, made[0].before) for made in recorded_launches()[kernel].values()]


@pytest.mark.parametrize("name", every_kernel())
def test_cupy_takes_the_kernel(name):
    assert sources_of(every_kernel()[name]), "nothing launched it"


def compile_source(source, arch):
    """Return the log of NVRTC if it rejects the source, else an empty text."""
    from cupy_backends.cuda.libs import nvrtc

    try:
        program = nvrtc.createProgram(source, "kernels.cu", (), ())
        nvrtc.compileProgram(program, ("--std=c++17", f"-arch={arch}"))
        return ""
    except nvrtc.NVRTCError:
        return nvrtc.getProgramLog(program)
    except RuntimeError as error:
        pytest.skip(f"CuPy finds no NVRTC library: {error}")


@pytest.mark.parametrize(
    "arch",
    ["sm_75", *(pytest.param(k, marks=pytest.mark.long) for k in ("sm_80", "sm_89")), "sm_90"],
)
def test_nvrtc_compiles_the_sources(arch):
    written = [source for kernel in every_kernel().values() for source in sources_of(kernel)]
    log = compile_source(PRELUDE + in_namespaces(written) + SUM_UP + ANSWER, arch)
    assert not log, log


def test_cupy_has_all_that_the_strict_device_allows():
    import cupy

    allowed = vars(StrictDevice().arrays)
    assert not [name for name in allowed if not hasattr(cupy, name)]


@pytest.mark.parametrize("arch", [pytest.param("sm_75", marks=pytest.mark.long), "sm_90"])
def test_nvrtc_compiles_the_machine(arch):
    log = compile_source(source_of(Head.of(LANGUAGE)), arch)
    assert not log, log
