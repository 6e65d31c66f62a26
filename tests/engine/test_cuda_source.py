"""Every lane kernel of the runtime is in the subset of Python that `cupyx.jit` takes.

No device is needed: `cupyx.jit` writes the CUDA source, and NVRTC, where there is one, compiles it.
"""


import pytest

pytest.importorskip("cupy")

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.device.cuda import cuda_source
from megabatt.runtime.engine.device.cuda_text import ANSWER, PRELUDE, SUM_UP
from megabatt.runtime.engine.machine.cuda import source_of
from megabatt.runtime.engine.machine.linking import Head
from tests.engine.cuda_sources import every_kernel, in_namespaces, recorded_launches
from tests.engine.strict import StrictDevice

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def sources():
    """Return the CUDA sources of each kernel, one for each combination of types in its launches.

    An error stands in place of a source that cannot be written.
    """
    return {
        kernel: [attempt(kernel, launches[0].before) for launches in variants.values()]
        for kernel, variants in recorded_launches().items()
    }


def attempt(kernel, args):
    try:
        return cuda_source(kernel, args)
    except Exception as error:
        return error


@pytest.mark.parametrize("name", every_kernel())
def test_cupy_takes_the_kernel(name, sources):
    written = sources[every_kernel()[name]]
    assert written, "nothing launched it"
    for source in written:
        assert isinstance(source, str), str(source)


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
    [
        "sm_75",
        *(pytest.param(arch, marks=pytest.mark.long) for arch in ("sm_80", "sm_89")),
        "sm_90",
    ],
)
def test_nvrtc_compiles_the_sources(arch, sources):
    written = [s for made in sources.values() for s in made if isinstance(s, str)]
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
