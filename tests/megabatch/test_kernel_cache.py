"""Compiled kernels are cached in a writable folder; a run goes on without such a folder."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from tests.megabatch.commands import ROOT, command

RUN = ["-m", "megabatt", "run", "--batt", "batt", "--data", "tasks", "--workers", 1]


@pytest.mark.long
def test_without_a_writable_folder_a_line_says_so_and_the_run_goes_on(mirrors, tmp_path):
    """Each folder's path is a file, so that not even root can write there."""
    package = tmp_path / "megabatt"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "megabatt", package, ignore=ignored)
    for name in ("codegen", "runtime", "templates"):
        shutil.copytree(ROOT / name, package / name, ignore=ignored)
    for module in list(package.rglob("*.py")):
        (module.parent / "__pycache__").touch()
    home = tmp_path / "home"
    home.touch()
    environment = {
        "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"), "NUMBA_CACHE_DIR": str(home / "kernels"),
    }  # fmt: skip
    done = command(*RUN, "--quiet", cwd=mirrors, env=environment, status=0)
    assert done.stdout.splitlines()[-1] == "solved 1 of 1 task"
    assert len(done.stderr.splitlines()) == 1
    assert "set NUMBA_CACHE_DIR to a folder that can" in done.stderr
    search = "import megabatt.runtime.search.search"
    command("-c", search, cwd=mirrors, env=environment, status=0)


@pytest.mark.long
def test_kernels_are_compiled_once_the_first_run_says_so_and_again_if_files_are_damaged(
    mirrors, tmp_path
):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    out = tmp_path / "out"
    first, again = (
        command(*RUN, *options, cwd=mirrors, env=environment, status=0).stdout
        for options in (["--out", out], [])
    )
    assert "functions, kept for the next run" in first and "compiled" not in again
    (file,) = out.glob("*.parquet")
    figures = json.loads(pq.read_metadata(file).metadata[b"megabatt"])
    operations = sum(figures["operation_us"]) / 1e6  # without the time to compile
    assert 0 < operations < figures["seconds"]["compute"] / 4
    kept = sorted((tmp_path / "megabatt-machine").iterdir())
    assert len(kept) > 1
    for k, file in enumerate(kept):
        content = file.read_bytes()
        half = len(content) // 2
        file.write_bytes(content[:half] if k % 2 else content[:half] + bytes(len(content) - half))
    second = command(*RUN, cwd=mirrors, env=environment, status=0)
    assert "rescued" not in second.stdout
    assert second.stdout.splitlines()[-1] == "solved 1 of 1 task"
