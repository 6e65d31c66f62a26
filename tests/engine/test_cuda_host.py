"""The CUDA source of every lane kernel, built as C++ for the host, gives Numba's results.

A GPU would be given the same sources; `checked_cuda.h` replaces CUDA. The kernels run on recorded
launches. Their threads run in order, in reverse, or take turns whenever they read or write memory:
a device promises no order.
"""

import ctypes
import shlex
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cupy")

from megabatt.runtime.engine.device.cuda import cuda_source
from megabatt.runtime.engine.device.cuda_text import ANSWER, ARRAYS, ASKED, COUNTS, PRELUDE, SUM_UP
from megabatt.runtime.engine.device.device import ANY, FIRST, LAST, MAX, SUM
from megabatt.runtime.engine.machine.cpp import Translation
from tests.engine.cuda_sources import copies, every_kernel, in_namespaces, recorded_launches
from tests.host_cuda.build import THREADS, find_compiler

pytestmark = pytest.mark.cuda

HEADER = Path(__file__).with_name("checked_cuda.h")
# Integers wrap around on a device and with Numba; by default C++ assumes that they do not.
OPTIONS = ["-std=c++17", "-O2", "-w", "-fwrapv", "-fPIC", "-shared", f"-I{HEADER.parent}", *THREADS]
# Arrays for a kernel's own use: their final content depends on the order of threads.
SCRATCH = {"parents", "slots", "spare"}
ORDERS = pytest.mark.parametrize("order", [0, 1, 2], ids=["in_order", "in_reverse", "mixed"])


class Argument(ctypes.Structure):
    """An argument of a launch, as `checked_cuda.h` has it."""

    _fields_ = [("data", ctypes.c_void_p), ("number", ctypes.c_longlong)]

    @classmethod
    def of(cls, arg):
        return cls(arg.ctypes.data, arg.size) if isinstance(arg, np.ndarray) else cls(None, arg)


def entry(number, kernel, parameters):
    """Return the C++ of an exported function that runs the kernel of `kernel_<number>`."""
    args = ", ".join(["lanes", *(f"args[{i}]" for i in range(parameters))])
    return (
        f'extern "C" long long run_{number}(long long lanes, int order, Argument* args) {{\n'
        f"  return launch({kernel.threads} * lanes, order, [=] {{\n"
        f"    kernel_{number}::{kernel.function.__name__}_lanes({args});\n"
        f"  }});\n"
        f"}}\n"
    )


def host_source(kernels, samples):
    """Join the kernels' sources for the arguments of the sample launches, and their entries."""
    pairs = list(zip(kernels, samples, strict=True))
    entries = [entry(i, kernel, len(launch.before)) for i, (kernel, launch) in enumerate(pairs)]
    sources = [cuda_source(kernel, launch.before) for kernel, launch in pairs]
    prelude = f'#include "{HEADER.name}"\n' + PRELUDE.removeprefix(ARRAYS)
    return prelude + in_namespaces(sources) + "".join(entries)


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    """Return the entries of the library by kernel and types of arguments."""
    launches = {
        (kernel, types): made[0]
        for kernel, variants in recorded_launches().items()
        for types, made in variants.items()
    }
    source = host_source([kernel for kernel, _ in launches], launches.values())
    library = built(source, tmp_path_factory.mktemp("host"))
    return dict(zip(launches, loaded(library, len(launches)), strict=True))


def built(source, folder):
    """Compile the source; return the library."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C++ compiler: no $CXX, c++, g++, clang++, nor the package ziglang")
    file, library = folder / "kernels.cpp", folder / "kernels.so"
    file.write_text(source)
    command = [*compiler, *OPTIONS, str(file), "-o", str(library)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, f"{shlex.join(command)}\n{run.stderr}"
    return ctypes.CDLL(str(library))


def loaded(library, count):
    """Yield the entries of a library as functions of Python."""
    for number in range(count):
        run = library[f"run_{number}"]
        run.argtypes = [ctypes.c_longlong, ctypes.c_int, ctypes.POINTER(Argument)]
        run.restype = ctypes.c_longlong
        yield run


def arrays_of(args):
    """List the arrays among the arguments with their places."""
    return [(i, arg) for i, arg in enumerate(args) if isinstance(arg, np.ndarray)]


def alike(array, other):
    return array.tobytes() == other.tobytes()


def check_launch(run, launch, names, order):
    given = copies(launch.before)
    outside = run(launch.lanes, order, (Argument * len(given))(*map(Argument.of, given)))
    assert outside == -1, f"thread {outside} of {launch.lanes} left an array: {launch.before}"
    for i, array in arrays_of(given):
        told = f"{names[i]} is {array}, with Numba {launch.after[i]}, from {launch.before}"
        assert names[i] in SCRATCH or alike(array, launch.after[i]), told


@ORDERS
@pytest.mark.parametrize("name", every_kernel())
def test_the_cuda_source_gives_what_numba_gives(name, order, entries):
    kernel = every_kernel()[name]
    code = kernel.function.__code__
    names = code.co_varnames[kernel.leading : code.co_argcount]
    launched = [(types, one) for types, made in recorded_launches()[kernel].items() for one in made]
    for types, launch in launched:
        check_launch(entries[kernel, types], launch, names, order)
    changed = (
        not alike(array, launch.after[i])
        for _, launch in launched
        for i, array in arrays_of(launch.before)
    )
    assert any(changed), "nothing launched it, or it wrote nothing"


@pytest.fixture(scope="module")
def blocks(tmp_path_factory):
    """Build a library of functions that a block's threads compute together: sums, and answers."""
    calls = {
        f"sum_up_{dtype}": (f"const {name}*", "blockDim.x", f"sum_up_{dtype}(n, given, found)")
        for dtype, name in COUNTS.items()
    }
    calls["answer"] = "const Asked*", "n * blockDim.x", "answer(*given, found)"
    entries = "".join(
        f'extern "C" void run_{name}(\n'
        f"    int order, long long n, {given} given, long long* found) {{\n"
        f"  launch({threads}, order, [=] {{ {call}; }});\n"
        f"}}\n"
        for name, (given, threads, call) in calls.items()
    )
    source = f'#include "{HEADER.name}"\n' + SUM_UP + ANSWER + entries
    return built(source, tmp_path_factory.mktemp("blocks"))


def call(run, order, n, *arrays):
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    run(ctypes.c_int(order), ctypes.c_longlong(n), *addresses)


@ORDERS
@pytest.mark.parametrize("dtype", COUNTS)
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 1000])
def test_a_block_sums_up(blocks, dtype, n, order):
    counts = np.random.default_rng(n).integers(0, 2 if dtype == "bool" else 200, n).astype(dtype)
    offsets = np.full(n + 1, -1, dtype=np.int64)
    call(blocks[f"run_sum_up_{dtype}"], order, n, counts, offsets)
    assert offsets.tolist() == [0, *np.cumsum(counts, dtype=np.int64)]


@ORDERS
def test_a_block_answers_each_question(blocks, order):
    random = np.random.default_rng(0)
    arrays = [
        random.integers(*within, n).astype(dtype)
        for n in (1, 31, 32, 1000)
        for within, dtype in [((-9, 9), np.int64), ((0, 255), np.uint8), ((-9, 0), np.int8)]
    ]
    for number in (FIRST, LAST, ANY, SUM, MAX):
        rows = np.zeros((ASKED, 4), dtype=np.int64)
        for row, array in zip(rows, arrays, strict=False):
            size = -1 if array.dtype == np.int8 else array.itemsize
            row[:] = array.ctypes.data, array.size, size, number.code
        numbers = np.zeros(len(arrays), dtype=np.int64)
        call(blocks.run_answer, order, len(arrays), rows, numbers)
        assert numbers.tolist() == [int(number.of(array)) for array in arrays]


EXPRESSIONS = [
    "a or b", "a and b", "0 < a and b", "(a or b) and c", "not a or b or c", "a < b <= c or b",
    "a // b", "a % b", "b if a and c else a << 3",
]  # fmt: skip


def test_expressions_of_machine_functions_are_those_of_python(tmp_path):
    program, entries = Translation(), []
    for k, text in enumerate(EXPRESSIONS):

        def f(a, b, c):
            """Stand for the text."""

        f.source = f"def f(a, b, c):\n    return {text}\n"
        numbers = "long long a, long long b, long long c"
        called = f"{program.name(f)}(a, b, c)"
        entries.append(f'extern "C" long long run_{k}({numbers}) {{ return {called}; }}\n')
    begin = f'#include "{HEADER.name}"\n#define __constant__ const\n'
    source = begin + program.text([0]) + "".join(entries)
    library = built(source, tmp_path)
    for k, text in enumerate(EXPRESSIONS):
        run = library[f"run_{k}"]
        run.argtypes, run.restype = [ctypes.c_longlong] * 3, ctypes.c_longlong
        for a, b, c in product((-7, -1, 0, 1, 2, 9), repeat=3):
            by_zero = b == 0 and ("//" in text or "%" in text)  # gives 0, as on the CPU
            expected = 0 if by_zero else eval(text, {"a": a, "b": b, "c": c})
            assert run(a, b, c) == expected, (text, a, b, c)
