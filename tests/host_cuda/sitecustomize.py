"""Python runs this first if the folder that `build` made is on the path: see `__init__`."""

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

_FOLDER = Path(__file__).parent
_RUNTIME = "cupy_backends.cuda.api.runtime"


class _Finder:
    """Finds the module with the host's CUDA runtime in place of CuPy's own module."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != _RUNTIME:
            return None
        # a function that the driver lacks is to raise when it is called, not here
        sys.setdlopenflags(os.RTLD_LAZY)
        return importlib.util.spec_from_file_location(name, _FOLDER / "cuda_runtime.so")


# from now on these libraries are found by name, whatever other versions are installed
for _name in ("libcuda.so.1", "libnvrtc.so.12", "libcufft.so.11"):
    ctypes.CDLL(str(_FOLDER / _name), mode=ctypes.RTLD_GLOBAL)
sys.meta_path.insert(0, _Finder)
os.environ.setdefault("CUPY_CACHE_DIR", str(_FOLDER / "kernels"))
# CUB and Thrust are compiled for GPUs alone.
os.environ.setdefault("CUPY_ACCELERATORS", "")
