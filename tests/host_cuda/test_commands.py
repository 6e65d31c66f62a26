"""The commands on CuPy as it is, over a CUDA device that is the host's CPU.

`make host-cuda` builds the device and runs these tests; without the device they are skipped.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.megabatch.commands import ROOT, rows_in, workers_of
from tests.megabatch.runs import batches_in, ended, group_is_gone, wait_for
from tests.pages import blocks

HERE = any(Path(part, "cuda_runtime.so").exists() for part in sys.path if part)
pytestmark = pytest.mark.skipif(not HERE, reason="needs the host's CUDA device: make host-cuda")

TASKS = ["--tasks", "00d62c1b,007bbfb7,025d127b,0520fde7"]
PAGES = [ROOT / "docs" / name for name in ("gpu.md", "kaggle.md")]
LINES = {
    re.sub(r" --out \w+|#.*", "", line).strip()
    for page in PAGES
    for block in blocks(page, "sh")
    for line in block.splitlines()
    if line.startswith("megabatt") and "--device cuda" in line
}


def ran(*command, **settings):
    """Run Python on a command with `HOST_CUDA_...` set; return its output."""
    settings = {f"HOST_CUDA_{name}": str(value) for name, value in settings.items()}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=ROOT, env={**os.environ, **settings}, text=True, capture_output=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def megabatt(*arguments, **settings):
    return re.sub(r"\s+", " ", ran(ROOT / "run_batt.py", *arguments, **settings))


def run(out, *options, batch_size=5, device="cuda"):
    """Return the words of a run of some tasks, in batches of 5."""
    words = ["run", *TASKS, "--outputs", "all", "--out", out, "--batch-size", batch_size]
    return [*words, "--device", device, *options]


def verify(*arguments, **settings):
    return megabatt("verify", "--device", "cuda", *arguments, "--workers", 1, **settings)


def results(folder):
    return sorted(map(str, rows_in(folder)))


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory):
    """Return the rows that `run` writes on the CPU."""
    out = tmp_path_factory.mktemp("cpu")
    megabatt(*run(out, device="cpu"))
    return results(out)


@pytest.mark.parametrize("backwards", [0, 1], ids=["forwards", "the threads in reverse"])
def test_both_forms_agree(backwards):
    samples = 3 if backwards else 6
    printed = verify("--samples", samples, BACKWARDS=backwards)
    assert "device cuda:0: as asked for" in printed
    assert f"verified {samples} samples x 271 solvers: 0 differences" in printed


def test_random_programs_agree():
    printed = megabatt("fuzz", "--programs", 20, "--samples", 4, "--device", "cuda")
    assert "fuzzed 20 programs x 4 samples: 0 differences" in printed


TWICE = "--devices", "0,0"


@pytest.mark.parametrize(
    ("options", "settings", "files"),
    [([], {"DEVICES": 1}, 4), ([], {"DEVICES": 2}, 4), (TWICE, {}, 4), (TWICE, {}, 2)],
    ids=["a device", "two", "two processes on one, batches", "two processes on one, parts"],
)
def test_run_writes_what_it_writes_on_the_cpu(on_cpu, tmp_path, options, settings, files):
    batch_size = 100 if files == 2 else 5
    printed = megabatt(*run(tmp_path, *options, batch_size=batch_size), **settings)
    assert "rescued" not in printed
    assert options != TWICE or "device cuda:0, cuda:0: as asked for" in printed
    assert results(tmp_path) == on_cpu
    assert len(list(tmp_path.glob("*.parquet"))) == files


def test_a_batch_that_outgrows_the_memory_is_computed_in_parts(on_cpu, tmp_path):
    asked = tmp_path / "asked"
    assert "rescued" not in megabatt(*run(tmp_path), MEMORY=3_000_000, REPORT=asked)
    assert not re.search("^0 allocations refused", asked.read_text(), re.MULTILINE)
    assert results(tmp_path) == on_cpu


@pytest.mark.parametrize("devices", [1, 2])
def test_a_device_that_breaks_leaves_its_batches_to_the_cpu(on_cpu, tmp_path, devices):
    printed = megabatt(*run(tmp_path), DEVICES=devices, LOST_AFTER=300)
    assert "computed on the CPU: cuda:" in printed and "lost, CUDA" in printed
    assert results(tmp_path) == on_cpu


@pytest.mark.parametrize("command", ["verify", "fuzz"])
def test_a_check_on_a_device_that_breaks_says_so_and_goes_on(command):
    fewer = ["--samples", 6] if command == "verify" else ["--programs", 10, "--samples", 2]
    printed = megabatt(command, "--device", "cuda", *fewer, "--workers", 1, LOST_AFTER=10)
    assert re.search(r"cuda:0 lost, CUDA\w+Error: .* on the CPU", printed)
    assert "0 differences" in printed


@pytest.mark.parametrize(
    "victim",
    [
        "a process of a device",
        pytest.param("the run", marks=pytest.mark.long),
        pytest.param("the run on one device", marks=pytest.mark.long),
    ],
)
def test_a_run_of_which_a_process_is_killed_loses_nothing(on_cpu, tmp_path, victim):
    """The batches of a killed process are computed again, at once or when the run goes on."""
    command = run(tmp_path, *(() if victim == "the run on one device" else TWICE))
    process = subprocess.Popen(
        [sys.executable, ROOT / "run_batt.py", *map(str, command)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_for(lambda: len(batches_in(tmp_path)) >= 1, process, seconds=600)
    if victim == "a process of a device":
        workers_of(process.pid)[0].kill()
        status, _, errors = ended(process, timeout=900)
        assert status == 0, errors
    else:
        process.kill()
        status, _, errors = ended(process, timeout=900)
        assert status == -signal.SIGKILL, errors
        assert group_is_gone(process, seconds=60)
        assert len(batches_in(tmp_path)) < 4
        megabatt(*command, "--resume")
    assert results(tmp_path) == on_cpu
    assert not list(tmp_path.glob(".*.tmp"))


@pytest.mark.long
@pytest.mark.parametrize("line", sorted(LINES))
def test_the_commands_of_the_page_on_gpus_run(line, tmp_path, monkeypatch):
    _, name, *options = shlex.split(line)
    fewer = [*TASKS, "--out", tmp_path / "out", *(["--sizes", "2"] if name == "sweep" else [])]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    command = [ROOT / "run_batt.py", name, *options, *fewer]
    assert "cuda:0" in ran(*command, DEVICES=2 if "0,1" in options else 1)


SIGNALS = ["--workload", "signals", "--duration-ms", 1]


def test_both_forms_of_signals_agree():
    printed = verify(*SIGNALS, "--links", 4)
    assert re.search(r"verified 4 samples x \d+ solvers: 0 differences", printed)


def test_inputs_of_signals_are_sent_once_and_one_transfer_comes_back_for_each_batch(tmp_path):
    """The device counts the transfers: no rule makes others."""
    copies = {}
    for batches in (1, 3):
        out, report = tmp_path / str(batches), tmp_path / f"report-{batches}"
        command = ["run", *SIGNALS, "--links", 2 * batches, "--batch-size", 2, "--device", "cuda"]
        printed = megabatt(*command, "--workers", 1, "--out", out, REPORT=report)
        assert "rescued" not in printed and len(list(out.glob("batch-*.parquet"))) == batches
        counts = re.findall(r"^(\d+) copies to (\w+ \w+)$", report.read_text(), re.MULTILINE)
        copies[batches] = {name: int(count) for count, name in counts}
    assert copies[3]["a device"] == copies[1]["a device"]
    assert copies[3]["the host"] == copies[1]["the host"] + 2


def test_signals_that_outgrow_the_memory_are_the_same_to_the_last_bit(tmp_path):
    command = ["run", *SIGNALS, "--links", 8, "--batch-size", 4, "--workers", 1, "--device", "cuda"]
    asked = tmp_path / "asked"
    megabatt(*command, "--out", tmp_path / "whole")
    # Halves of a batch need parts; a sample alone fits, and is not computed on the CPU.
    megabatt(*command, "--out", tmp_path / "parts", MEMORY=3_500_000, REPORT=asked)
    assert not re.search("^0 allocations refused", asked.read_text(), re.MULTILINE)
    assert results(tmp_path / "parts") == results(tmp_path / "whole")


def test_no_device_is_one_line():
    printed = megabatt("run", *TASKS, "--device", "auto", DEVICES=0)
    assert re.match(r"device cpu: no GPU that CuPy can use \([^)]*\)\s", printed)
