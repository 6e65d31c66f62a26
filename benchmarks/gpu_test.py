"""All tests and timings on a GPU in one run, with a report.

    make gpu-test

Runs the equality tests of the rules and of whole programs on the device, then `fuzz`, `verify`,
`bench` (on the device and, in the same run, on the CPU) and `sweep`. Writes
benchmarks/results/gpu-DATE.json: the machine, the versions, what each step printed last, and the
figures. A step that fails is reported, and the others go on. `--only` runs some of the steps; the
day's report keeps its entries of the other steps.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

from megabatt.runtime.megabatch.run.hardware import choose
from megabatt.runtime.megabatch.run.monitor import Gpus

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"

_PACKAGES = ("cupy-cuda12x", "cupy-cuda13x", "numba", "numpy")
_LINES_KEPT = 12


def steps(batt: str, device: str, few: bool) -> dict[str, list[str]]:
    """List the steps: name -> arguments for Python."""
    programs, samples, split = ("20", "4", "training") if few else ("2000", "200", "all")
    many = "500" if few else "100000"
    on_device = ["--batt", batt, "--device", device]
    bench = ["run_batt.py", "bench", "--batt", batt, "--split", split, "--samples", samples]
    found = {
        "equality": ["-m", "pytest", "-q", "-m", "device"],
        "fuzz": ["run_batt.py", "fuzz", "--programs", programs, "--device", device],
        "verify": ["run_batt.py", "verify", *on_device, "--samples", samples, "--workers", "4"],
        "bench": [*bench, "--device", device],
        "bench_four_processes": [*bench, "--device", device, "--devices", "0,0,0,0"],
        "bench_many_lanes": [*bench, "--device", device, "--lanes", many],
        "bench_cpu": [*bench, "--device", "cpu", "--workers", "2"],
    }
    if not few:
        found["sweep"] = ["run_batt.py", "sweep", *on_device, "--patience", "60"]
    return found


def run_step(arguments: list[str], device: str) -> dict[str, Any]:
    """Run a step and show its output; return its command, exit status, seconds and last lines.

    If its last line is a JSON object, the result has it as `figures`.
    """
    print(f"== python {' '.join(arguments)}", flush=True)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    tests = {"MEGABATT_TEST_DEVICE": device, "MEGABATT_TEST_LONG": "1"}
    environment = {**os.environ, "PYTHONPATH": path, **tests}
    began = time.perf_counter()
    lines = []
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    result: dict[str, Any] = {
        "command": f"python {' '.join(arguments)}",
        "exit": process.returncode,
        "seconds": round(time.perf_counter() - began, 1),
        "last_lines": lines[-_LINES_KEPT:],
    }
    if lines and lines[-1].startswith("{"):
        result["figures"] = json.loads(lines[-1])
    return result


def machine() -> dict[str, Any]:
    """Describe the machine of the figures, without its name."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    gpus = Gpus()
    driver = gpus.nvml.nvmlSystemGetDriverVersion() if gpus.handles else None
    return {
        "gpus": gpus.names(),
        "cuda_devices": cuda_devices(),
        "driver": driver,
        "cpu_cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions,
    }


def cuda_devices() -> list[str]:
    """List the devices' names in CuPy, which tell a GPU from the tests' device on the CPU."""
    try:
        from cupy.cuda import runtime

        count = runtime.getDeviceCount()
        return [runtime.getDeviceProperties(k)["name"].decode() for k in range(count)]
    except Exception:  # no CuPy, no driver, no device
        return []


@click.command()
@click.option("--batt", default="generated", show_default=True, metavar="DIR",
              help="Folder that `megabatt compile` wrote.")  # fmt: skip
@click.option("--device", type=click.Choice(["cuda", "cpu"]), default="cuda", show_default=True,
              help="cpu: to try this script where there is no GPU.")  # fmt: skip
@click.option("--few", is_flag=True, help="Few programs and samples, for a first look.")
@click.option("--only", multiple=True, metavar="STEP", help="Only this step; may be given again.")
def main(batt: str, device: str, few: bool, only: tuple[str, ...]) -> None:
    """Run all steps on the device and write the report; exit 1 if one fails."""
    try:
        names, _ = choose(device)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    wanted = steps(batt, device, few)
    if unknown := set(only) - set(wanted):
        raise click.UsageError(
            f"no step {', '.join(sorted(unknown))}; there are {', '.join(wanted)}"
        )
    done = {name: run_step(wanted[name], names[0]) for name in only or wanted}
    today = datetime.date.today().isoformat()
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{'gpu' if device == 'cuda' else 'cpu'}-{today}.json"
    before = json.loads(path.read_text())["steps"] if only and path.exists() else {}
    report = {"date": today, "device": names, "machine": machine(), "steps": before | done}
    path.write_text(json.dumps(report, indent=2) + "\n")
    failed = [name for name, step in done.items() if step["exit"]]
    print(f"report in {path.relative_to(ROOT)}; failed: {', '.join(failed) or 'none'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
