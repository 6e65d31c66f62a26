"""Builds the device: the driver, and anew CuPy's module around the CUDA runtime.

CuPy's wheels link the CUDA runtime into that module, where it cannot be replaced. CuPy looks up
every other library by name.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CUPY = "cupy-cuda12x"
CUFFT = "libcufft.so.11"
_MODULE = "cupy_backends/cuda/api/runtime"
_CUDA_VERSION = 12090
"""The version of the headers that the module is compiled with (the extra `cuda-source`)."""

THREADS = [f"-I{HERE / 'include'}", "-U_FORTIFY_SOURCE"]
"""Options for `threads.h`. `_FORTIFY_SOURCE` would take a jump to another stack for an error."""


def find_compiler() -> list[str] | None:
    """Return the command of a C++ compiler, or None."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "c++"]
    return None


def build(folder: Path) -> Path:
    """Build the device into `folder`; return the folder.

    Needs the network and the extra `cuda-source`. Raises FileNotFoundError without a C++ compiler,
    CalledProcessError if a command fails.
    """
    compiler = find_compiler()
    if compiler is None:
        raise FileNotFoundError("a C++ compiler: set CXX, or `pip install ziglang`")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "include", folder / "include", dirs_exist_ok=True)
    library = [*compiler, "-std=c++17", "-O1", "-w", "-fPIC", "-shared", *THREADS, *_includes()]
    driver = folder / "libcuda.so.1"
    baked = f'-DHOST_CUDA_COMPILER="{shlex.join(compiler)}"'
    _run([*library, "-Wl,-soname,libcuda.so.1", baked, HERE / "driver.cpp", "-o", driver, "-ldl"])
    with tempfile.TemporaryDirectory() as scratch:
        empty = Path(scratch, "empty.cpp")
        empty.touch()
        nvrtc = [*library, "-Wl,-soname,libnvrtc.so.12", "-Wl,--no-as-needed", empty, driver]
        _run([*nvrtc, "-Wl,-rpath,$ORIGIN", "-o", folder / "libnvrtc.so.12"])
        _run(
            [*library, *_as_cufft(Path(scratch)), HERE / "cufft.cpp", driver, "-o", folder / CUFFT]
        )
        source = _runtime_source(Path(scratch))
        _run([*library, source, "-o", folder / "cuda_runtime.so"])
    shutil.copy(HERE / "sitecustomize.py", folder)
    return folder


def _as_cufft(scratch: Path) -> list[object]:
    """Return the linker's options for our cuFFT, whose symbols need the version CuPy asks for."""
    versions = scratch / "versions"
    versions.write_text(f"{CUFFT} {{ global: cufft*; local: *; }};")
    return [f"-Wl,-soname,{CUFFT}", f"-Wl,--version-script={versions}", "-Wl,-rpath,$ORIGIN"]


def _runtime_source(scratch: Path) -> Path:
    """Translate the module of the installed version of CuPy to C++; return the file."""
    version = importlib.metadata.version(CUPY)
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    # without the stub CuPy's setup looks for a CUDA toolkit before it prints its name
    stub = {**os.environ, "CUPY_INSTALL_USE_STUB": "1"}
    _run([*download, "--no-binary", "cupy", f"cupy=={version}", "--dest", scratch], env=stub)
    with tarfile.open(scratch / f"cupy-{version}.tar.gz") as archive:
        archive.extractall(scratch, filter="data")
    root = scratch / f"cupy-{version}"
    names = {
        "CUPY_CUDA_VERSION": _CUDA_VERSION, "CUPY_HIP_VERSION": 0, "CUPY_USE_CUDA_PYTHON": False
    }
    defined = [f"--compile-time-env={name}={value}" for name, value in names.items()]
    cython = [sys.executable, "-m", "cython", "--cplus", "-3", "--fast-fail", *defined]
    directives = ["-X", "binding=False", "-X", "c_api_binop_methods=True"]
    _run([*cython, *directives, f"{_MODULE}.pyx", "-o", f"{_MODULE}.cpp"], cwd=root, quiet=True)
    return root / f"{_MODULE}.cpp"


def _includes() -> list[str]:
    import nvidia

    python = Path(sysconfig.get_paths()["include"])
    cuda = [
        Path(root, part, "include")
        for root in nvidia.__path__
        for part in ("cuda_runtime", "cuda_nvrtc")
    ]
    return [f"-I{path}" for path in [python, *cuda]]


def _run(command: list[object], quiet: bool = False, **options: object) -> None:
    """Run the command. quiet: Do not show its output, but put it into the error.

    Raises CalledProcessError if the command fails.
    """
    done = subprocess.run(
        list(map(str, command)), text=True, capture_output=quiet, check=False, **options
    )  # type: ignore[call-overload]
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
