"""docs/security.md: its inputs that execute code do so, and the others do not."""

import json
import os
import pickle
import re
import shutil
import signal
import sys
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import megabatt as mb
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.checksums import read_json, write_json
from megabatt.runtime.megabatch.run.clusters import ClusterError, Plan, at_worker
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.signal.workload import WORKLOAD as SIGNALS
from tests.arc.test_report import parts_of
from tests.megabatch.commands import MIRRORS, ROOT, command, compiled, megabatt, mirror_task
from tests.signal.dataset.test_generation import CHAIN

PAGE = ROOT / "docs" / "security.md"
SCRIPT = Path(sys.executable).with_name("megabatt")


NAMES = ("batt", "solvers", "__init__", "conftest", "sitecustomize", "numpy", "cupy", "cupyx",
         "pynvml", "matplotlib", "dask", "ray", "arc", "dsl", "my_primitives")  # fmt: skip
"""Modules that a command may import, installed or not."""


class Canary:
    """Code that leaves a mark whenever it is executed."""

    def __init__(self, folder):
        self._mark = folder / "executed"

    @property
    def source(self):
        return f"open({str(self._mark)!r}, 'w').close()\n"

    @property
    def pickled(self):
        return pickle.dumps(self)

    def __reduce__(self):
        return exec, (self.source,)

    def sang(self):
        """Tell whether the code was executed since the last call of `sang`."""
        executed = self._mark.exists()
        self._mark.unlink(missing_ok=True)
        return executed

    def plant(self, folder):
        """Put the code into a folder, as modules and as pickles."""
        for name in NAMES:
            (folder / f"{name}.py").write_text(self.source)
        for name in ("state", "samples.pkl", "kernels.nbi"):
            (folder / name).write_bytes(self.pickled)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return a folder with tasks, programs, a run, a dataset and the dataset's programs."""
    home = tmp_path_factory.mktemp("home")
    compiled(home)
    mirror_task(home / "tasks")
    (home / "chain").mkdir()
    compiled(home / "chain", CHAIN, "--language", "megabatt.runtime.signal")
    (home / "few.toml").write_text(
        "num_samples = 3\nduration_ms = 0.5\nkeep_iq = true\nenable_multipath = false\n"
        "enable_fading = false\n"
    )
    for words in (RUN, DATASET):
        megabatt(*words, cwd=home, status=0)
    return home


ONE_WORKER = ["--workers", 1, "--device", "cpu"]
RUN = ["run", "--batt", "batt", "--data", "tasks", "--out", "results", *ONE_WORKER]
DATASET = ["run", "--workload", "signals", "--batt", "chain/batt", "--config", "few.toml",
           "--out", "few", *ONE_WORKER]  # fmt: skip


@pytest.fixture
def folder(home, tmp_path, monkeypatch):
    """Copy the folder of `home`, and make the copy the working folder."""
    shutil.copytree(home, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def canary(tmp_path):
    return Canary(tmp_path)


called = partial(megabatt, cwd=".")
"""Does a command in the working folder."""
LINES = {}
"""By the first column of the page's tables: the function that shows that the line is true."""


def shows(line):
    """Return a decorator for the function that shows that a line of the page is true."""
    return partial(LINES.setdefault, line)


# Inputs that execute code


@shows("--batt DIR")
def programs_are_executed(folder, canary):
    for file in ("batt", "solvers"):
        path = folder / "batt" / f"{file}.py"
        path.write_text(path.read_text() + canary.source)
        called("run", *RUN[1:5], *(["--own"] if file == "solvers" else []), *ONE_WORKER)
        assert canary.sang()


@shows("--primitives, --language, --workload MODULE, megabatt check MODULE")
def named_modules_are_executed(folder, canary):
    (folder / "lists.py").write_text(MIRRORS)
    compiling = ["compile", "lists.py", "--out", "out"]
    for number, words in enumerate([
        [*compiling, "--primitives", "MODULE"], ["fuzz", "--programs", 1, "--primitives", "MODULE"],
        [*compiling, "--language", "MODULE"], ["run", "--workload", "MODULE"],
        ["report", "results", "--workload", "MODULE"], ["check", "MODULE"],
    ]):  # fmt: skip
        (folder / f"named_{number}.py").write_text(canary.source)
        words = [f"named_{number}" if word == "MODULE" else word for word in words]
        if words[0] == "check":  # it starts a process with the arguments of this one
            command(SCRIPT, *words, cwd=folder)
        else:
            called(*words)
        assert canary.sang(), words


@shows("megabatt search --out DIR --resume")
def the_state_of_a_search_is_executed(folder, canary):
    (folder / "found").mkdir()
    (folder / "found" / "state").write_bytes(canary.pickled)
    called("search", "--data", "tasks", "--programs", 1, "--out", "found", "--resume")
    assert canary.sang()


KERNEL = """
import numpy as np

from megabatt.runtime.engine.device.kernels import lane_kernel


@lane_kernel
def ones(lane, out):
    out[lane] = 1


ones(3, np.zeros(3))
"""


@shows("caches of compiled code")
def kernel_caches_are_executed(folder, canary):
    (folder / "kernel.py").write_text(KERNEL)
    cache = {"NUMBA_CACHE_DIR": str(folder / "cache")}
    for executed in (False, True):
        assert command("kernel.py", cwd=folder, env=cache).returncode == 0
        assert canary.sang() == executed
        kept = [path for path in (folder / "cache").rglob("*.nbi") if "ones" in path.name]
        assert kept
        for path in kept:
            path.write_bytes(canary.pickled)


@shows("--cluster")
def what_a_cluster_is_sent_is_executed(folder, canary):
    path = folder / "chain" / "batt" / "batt.py"
    path.write_text(path.read_text() + canary.source)
    settings = Settings(SIGNALS, str(path.parent))
    options = {"links": 1, "duration_ms": 1.0}
    batches = batches_of(settings, SIGNALS.load(**options), 1)
    canary.sang()  # here
    with mock.patch("tempfile.tempdir", str(folder)):
        assert at_worker(Plan.of(settings, options, batches), _samples_of, 0, None) == 1
        assert canary.sang()
        (home,) = folder.glob("megabatt-*")
        home.chmod(0o777)  # as if somebody had made it before
        with pytest.raises(ClusterError, match="is not this user's alone"):
            at_worker(Plan.of(settings, {"links": 2}, batches), _samples_of, 0, None)
    assert not canary.sang()


def _samples_of(settings, batch):
    return len(batch.samples)


# Inputs that never execute code


@shows("program files for megabatt compile, megabatt try, --seeds and mb.read; "
       "texts for mb.parse and mb.score")  # fmt: skip
def program_files_are_not(folder, canary):
    call = canary.source.strip()
    sources = {
        "top.py": f"{call}\nfrom dsl import *\n{MIRRORS}",
        "default.py": f"def solve_x(I: {call}, O={call}):\n    return vmirror(I)\n",
        "decorated.py": f"@{call}\ndef solve_x(I):\n    return vmirror(I)\n",
        "within.py": f"def solve_x(I):\n    O = vmirror({call})\n    return O\n",
        "called.py": f"def solve_x(I):\n    x1 = {call}\n    return vmirror(I)\n",
        "text.jsonl": json.dumps(
            {"name": "x", "operations": [["O", "vmirror", call]], "returns": "O"}
        ),
        "function.jsonl": json.dumps(
            {"name": "x", "operations": [["O", call, "I"]], "returns": "O"}
        ),
    }
    canary.plant(folder)
    for name, text in sources.items():
        (folder / name).write_text(text)
        for more in ([], ["--skip-errors"]):
            called("compile", name, "--out", "out", *more)
        called("try", name, "--data", "tasks")
        mb.evaluate([*mb.read(name), *mb.parse(text)], [([[1]], [[1]])])
        mb.score([text], [([[1]], [[1]])])
        called("search", "--data", "tasks", "--seeds", name, "--programs", 1)
    assert not canary.sang()


@shows("--aliases FILE")
def aliases_are_not(folder, canary):
    canary.plant(folder)
    (folder / "list.py").write_text("def solve_x(I):\n    return f(I)\n")
    for suffix in ("json", "toml", "py"):
        (folder / f"names.{suffix}").write_text(f"f = {canary.source}")
        called("compile", "list.py", "--out", "out", "--aliases", f"names.{suffix}")
    assert not canary.sang()


@shows("task files, --solutions, submissions")
def task_files_are_not(folder, canary):
    pair = {"input": [[1]], "output": [[1]]}
    task = {"train": [pair, {"input": canary.source}], "test": [pair], canary.source: canary.source}
    (folder / "tasks" / "other.json").write_text(json.dumps(task))
    (folder / "tasks" / "pickled.json").write_bytes(canary.pickled)
    canary.plant(folder / "tasks")
    attempts = {"mirror": [{"attempt_1": canary.source}], canary.source: canary.source}
    (folder / "submission.json").write_text(json.dumps(attempts))
    (folder / "solutions.json").write_text(json.dumps({canary.source: [[[1]]], "mirror": [[[1]]]}))
    for words in (
        ["run", *RUN[1:5], *ONE_WORKER], ["show", "mirror", "--data", "tasks"],
        ["score", "submission.json", "--solutions", "solutions.json"],
        ["score", "submission.json", "--data", "tasks"],
    ):  # fmt: skip
        assert called(*words).returncode in (0, 2)
    assert not canary.sang()


@shows("results of megabatt run: by report, submit, --resume and mb.ResidentDataset")
def results_are_not(folder, canary):
    canary.plant(folder / "results")
    store = Store.at(folder / "results")
    for name in ("manifest.json", "summary.json"):
        write_json(store, name, read_json(store, name) | {"program": str(folder / "results")})
    for words in (["report", "results"], ["submit", "results"], [*RUN, "--resume"]):
        called(*words, status=0)
        assert not canary.sang(), words
    programs = parts_of(folder / "results" / "report.html")["programs"]
    assert ["vmirror(I)"] in [program["calls"] for program in programs]
    mb.ResidentDataset(folder / "results", say=None)
    assert not canary.sang()


@shows("datasets of signals: by show, report, --resume and mb.ResidentDataset")
def datasets_are_not(folder, canary):
    canary.plant(folder / "few")
    np.save(folder / "few" / "iq-00000.npy", np.array([canary, canary]), allow_pickle=True)
    for words in (
        ["report", "few"], ["show", "--workload", "signals", "--batt", "chain/batt", "few"],
        [*DATASET, "--resume"],
    ):  # fmt: skip
        called(*words, status=0)
    mb.ResidentDataset(folder / "few", say=None)
    assert not canary.sang()


@shows("--config FILE")
def configurations_are_not(folder, canary):
    (folder / "odd.toml").write_text(f"dataset_name = {json.dumps(canary.source)}\n")
    called(*DATASET[:6], "odd.toml", "--out", "odd", *ONE_WORKER, "--max-elements", 1)
    (folder / "few.toml").write_bytes(canary.pickled)
    called(*DATASET, "--resume")
    assert not canary.sang()


@shows("the working folder, if no option names a module or a folder of programs")
def the_working_folder_is_not(folder, canary):
    canary.plant(folder)
    (folder / "generated").mkdir()
    canary.plant(folder / "generated")
    for words in (["run", "--data", "tasks"], ["report", "results"], ["submit", "results"]):
        done = command(SCRIPT, *words, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert not canary.sang(), words


@shows("pages that report and show --html write")
def pages_are_not(folder, canary):
    script = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    store = Store.at(folder / "results")
    manifest = read_json(store, "manifest.json")
    manifest["programs"][script] = {"calls": [script], "numbers": [1]}
    write_json(store, "manifest.json", manifest)
    called("report", "results", status=0)
    path = folder / "results" / "report.html"
    assert [script] in [program["calls"] for program in parts_of(path)["programs"]]
    image = "<img/src=x/onerror=alert(1)>"
    task = json.loads((folder / "tasks" / "mirror.json").read_text())
    (folder / "odd.json").write_text(json.dumps({image: task, "other": task}))
    called("show", image, "--data", "odd.json", "--html", "task.html", status=0)
    page, shown = path.read_text(), (folder / "task.html").read_text()
    assert "&lt;img/src=x" in shown
    assert not any(found in text for text in (page, shown) for found in ("<img", "alert(1)<"))
    assert ".innerHTML" not in page


def test_nothing_is_written_through_links(folder, tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine")

    def is_left_alone(link, *calls):
        link.unlink(missing_ok=True)
        link.symlink_to(mine)
        for words in calls:
            called(*words)
            assert mine.read_text() == "mine", (link, words)
        link.unlink(missing_ok=True)

    for name in ("report.html", "summary.json", ".run.lock", ".manifest.lock", ".summary.lock"):
        is_left_alone(folder / "results" / name, ["report", "results"], [*RUN, "--resume"])
    shutil.rmtree(folder / "few")
    (folder / "few").mkdir()
    for name in (".run.lock", "dataset.json", "samples-00000.parquet", "iq-00000.npy"):
        is_left_alone(folder / "few" / name, DATASET)


def test_pipes_are_refused(folder):
    for name in (
        "results/batch-00000.parquet", "results/manifest.json", "results/summary.json",
        "results/report.html", "results/.run.lock", "few/dataset.json",
        "few/samples-00000.parquet", "few/iq-00000.npy",
    ):  # fmt: skip
        path, of = folder / name, name.partition("/")[0]
        kept = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        signal.alarm(40)  # ends a test that waits for the pipe
        if name.endswith(".parquet"):
            with pytest.raises(mb.DatasetError, match="it is not a regular file"):
                mb.ResidentDataset(folder / of, say=None)
        for words in (
            ["report", of], ["submit", of], ["show", "--workload", "signals", of],
            [*RUN, "--resume"], [*DATASET, "--resume"],
        ):  # fmt: skip
            assert called(*words).returncode in (0, 2)
        signal.alarm(0)
        path.unlink(missing_ok=True)
        if kept is not None:
            path.write_bytes(kept)


def test_every_line_of_the_page_has_its_test():
    rows = re.findall(r"^\| ([^|]+?) \|", PAGE.read_text(), re.MULTILINE)
    assert [row.replace("`", "") for row in rows if not row.startswith("---")] == list(LINES)


@pytest.mark.parametrize("line", LINES)
def test_the_page(line, folder, canary):
    LINES[line](folder, canary)
