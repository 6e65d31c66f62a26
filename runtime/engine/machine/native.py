"""Machine code made by LLVM, kept on disk: a file for each function, named by a digest."""

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import binding, ir

from megabatt import runtime
from megabatt.runtime.engine.device import compiling

_LEVEL = 3
"""LLVM's level of optimization, up to 3."""
_FOLDER = "megabatt-machine"
_TRANSLATORS = ("native", "llvm", "loops", "syntax")
"""The modules beside this one whose code determines how functions are translated."""
_CHECKED = hashlib.sha256().digest_size
"""The size of a file's beginning, the digest of the rest of the file."""

_lock = threading.RLock()
_added: set[str] = set()
_addresses: dict[str, int] = {}


def added(name: str, text: str, write: Callable[[str, ir.Module], None]) -> str:
    """Load a function from disk, or compile it and keep it on disk. Returns its symbol.

    text: Determines the function. write: Writes the function into a module, under a symbol.
    """
    digest = hashlib.sha256(f"{_host()} {text}".encode()).hexdigest()
    symbol = f"{name}_{digest[:24]}"
    with _lock:
        if symbol not in _added:
            with compiling.making_ready():
                code = _kept(symbol)
                is_new = code is None
                if code is None:
                    code = _compiled(symbol, write)
                    keep(symbol, code)
                _engine().add_object_file(binding.ObjectFileRef.from_data(code))
                _added.add(symbol)
            if is_new:
                compiling.tell_compiled(name)
    return symbol


def address_of(symbol: str) -> int:
    """Return the address of an added function.

    The first call links all functions added since the last link, side by side. Functions linked
    alone would each begin at a page, and drive each other out of the processor's caches of code,
    which have few places for any one offset in a page.
    """
    with _lock:
        if symbol not in _addresses:
            with compiling.making_ready():
                _engine().finalize_object()
                _addresses[symbol] = _engine().get_function_address(symbol)
        return _addresses[symbol]


def _compiled(symbol: str, write: Callable[[str, ir.Module], None]) -> bytes:
    """Return the object file of a function with a symbol."""
    written = ir.Module(symbol)
    write(symbol, written)
    module = binding.parse_assembly(str(written))
    module.triple = _target().triple
    module.data_layout = str(_target().target_data)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=_LEVEL)
    passes = binding.create_pass_builder(_target(), options)
    passes.getModulePassManager().run(module, passes)
    return bytes(_target().emit_object(module))


@cache
def _target() -> Any:
    with suppress(RuntimeError):  # newer versions initialize themselves, and raise
        binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    host = binding.Target.from_triple(binding.get_process_triple())
    return host.create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=_LEVEL,
        jit=True,
    )


@cache
def _engine() -> Any:
    """Return the engine that links code, and holds the code as long as the process lives."""
    return binding.create_mcjit_compiler(binding.parse_assembly(""), _target())


@cache
def _host() -> str:
    """Return a text of the CPU, LLVM and the translators: code depends on them and its source."""
    features = sorted(binding.get_host_cpu_features().items())
    version = ".".join(map(str, binding.llvm_version_info))
    translators = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in _TRANSLATORS]
    source = hashlib.sha256(b"".join(translators)).hexdigest()
    cpu = f"{binding.get_process_triple()} {binding.get_host_cpu_name()}"
    return f"{cpu} {features} {version} {source}"


def _kept(symbol: str) -> bytes | None:
    """Return the code kept under a symbol; None for missing or damaged code."""
    for folder in _folders():
        with suppress(OSError):
            content = (folder / symbol).read_bytes()
            code = content[_CHECKED:]
            if hashlib.sha256(code).digest() == content[:_CHECKED]:
                return code
    return None


def keep(symbol: str, code: bytes) -> None:
    """Keep code under a symbol, whole or not at all, in the first writable folder."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            handle, beside = tempfile.mkstemp(dir=folder)
            try:
                with open(handle, "wb") as file:
                    file.write(hashlib.sha256(code).digest() + code)
                os.replace(beside, folder / symbol)
            except BaseException:
                os.unlink(beside)
                raise
            return
    compiling.say_that_nothing_is_kept()


def _folders() -> Iterator[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen) / _FOLDER
    else:
        yield Path(runtime.__file__).parent / "__pycache__" / _FOLDER
        home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        yield Path(home) / _FOLDER
