"""A command that fails on a file says in a line what is wrong with the file."""

import hashlib
import json
import shutil
from contextlib import suppress

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from megabatt.command_line.main import main
from megabatt.runtime.megabatch.checksums import _CHECKSUM, _checksum_of
from megabatt.runtime.signal.dataset.configuration import ConfigurationError, read_configuration
from tests.examples import LONG, examples
from tests.megabatch.commands import MIRRORS
from tests.mutants_of_files import mutated_bytes, mutated_json, mutated_sources, odd_values
from tests.signal.dataset.test_configuration import NETWORK_OF_THREE

MUTANTS = settings(
    max_examples=1700 if LONG else examples(20),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""The settings of these tests: ten thousand examples in the long part."""

GRID, MIRRORED = [[1, 2], [3, 0]], [[2, 1], [0, 3]]
PAIR = {"input": GRID, "output": MIRRORED}
TASK = {"train": [PAIR, PAIR], "test": [PAIR, {"input": GRID}]}
DATA = {
    "task.json": TASK, "arc-agi_evaluation_challenges.json": {"aa": TASK, "bb": TASK},
    "pairs.json": {"aa": [PAIR], "bb": [PAIR, PAIR]},
    "splits.json": {"train": {"aa": TASK}, "eval": {"bb": TASK}},
}
"""A file of --data in each of its forms."""
SOLUTIONS = {"aa": [MIRRORED, MIRRORED], "bb": [MIRRORED, MIRRORED]}
ATTEMPTS = {"attempt_1": MIRRORED, "attempt_2": GRID}
SUBMISSION = {"aa": [ATTEMPTS, ATTEMPTS], "bb": [ATTEMPTS, ATTEMPTS]}

PYTHON = f"""{MIRRORS}

def solve_mixed(I):
    x1 = fork(astuple, compose(size, asindices), lbind(add, THREE))
    x2 = chain(x1, first, identity)
    O = -7
    return astuple(apply(x2, I), O)
""".encode()
JSONL = b"""\
{"name": "solve_x", "operations": [["x1", "height", "I"], ["O", "fill", "I", "x1"]], "returns": "O"}
{"name": "solve_y", "operations": [["x1", "add", 2, "ONE"]], "returns": "x1"}"""
TOML = b"""
dataset_name = "harbour"
num_samples = 7
seed = 12
frequency_mhz = [433, 435.5]
tx_power_dbm = 30.5
""" + NETWORK_OF_THREE.encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mutated")
    (folder / "lists.py").write_text(MIRRORS)
    (folder / "task.json").write_text(json.dumps(TASK))
    called("compile", folder / "lists.py", "--out", folder / "batt", allowed=(0,))
    run(folder, folder / "task.json", "--out", folder / "run", allowed=(0,))
    return folder


def called(*args, allowed=(0, 2)):
    """Call a command in this process. Asserts that it ends with one of the `allowed` statuses."""
    done = CliRunner().invoke(main, [str(arg) for arg in args])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in allowed and "Traceback" not in done.output, done.output
    assert done.exit_code != 2 or done.output.strip()


def run(folder, data, *options, allowed=(0, 2)):
    of_all = ("--batt", folder / "batt", "--workers", 1, "--device", "cpu", "--batch-size", 50)
    called("run", *of_all, "--data", data, *options, allowed=allowed)


def written(folder, name, content):
    path = folder / "mutants" / name
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir()
    path.write_bytes(content)
    return path


def mutants_of(files, mutated):
    """Draw the name of a file, and its content mutated."""
    return st.sampled_from(sorted(files)).flatmap(
        lambda name: st.tuples(st.just(name), mutated(files[name]))
    )


@MUTANTS
@given(mutants_of(DATA, mutated_json), st.sampled_from(["file", "folder", "show", "score"]))
def test_data(folder, file, way):
    path = written(folder, *file)
    if way == "file":
        run(folder, path)
    elif way == "folder":
        run(folder, path.parent, "--out", path.parent / "out")
    else:
        submission = folder / "submission.json"
        submission.write_text(json.dumps(SUBMISSION))
        words = {"show": ["show", "aa"], "score": ["score", submission]}[way]
        called(*words, "--data", path)


@MUTANTS
@given(mutated_json(SOLUTIONS))
def test_solutions(folder, content):
    name = "arc-agi_evaluation_challenges.json"
    path = written(folder, name, json.dumps(DATA[name]).encode())
    path.with_name("arc-agi_evaluation_solutions.json").write_bytes(content)
    run(folder, path)


@MUTANTS
@given(mutated_json(SUBMISSION), st.booleans())
def test_submissions(folder, content, against_solutions):
    path = written(folder, "submission.json", content)
    solutions = folder / "solutions.json"
    solutions.write_text(json.dumps(SOLUTIONS))
    right = ("--solutions", solutions) if against_solutions else ("--data", folder / "task.json")
    called("score", path, *right)


@MUTANTS
@given(mutants_of({"a.py": PYTHON, "a.jsonl": JSONL}, mutated_sources))
def test_operation_lists(folder, file):
    path = written(folder, *file)
    called("compile", path, "--out", path.parent / "batt")


@MUTANTS
@given(mutated_sources(TOML))
def test_configurations(folder, content):
    path = written(folder, "dataset.toml", content)
    try:
        read_configuration(path)
    except ConfigurationError as error:
        assert str(error)


def forged(content):
    """Return the content of a file with its checksum, if any, made right."""
    with suppress(ValueError, RecursionError):
        found = json.loads(content)
        if isinstance(found, dict):
            found.pop("checksum", None)
            return json.dumps(found | {"checksum": _checksum_of(found)}).encode()
    said = _CHECKSUM.search(content)
    if said is None:
        return content
    zeros = content.replace(said[1], b"0" * 64)
    return content.replace(said[1], hashlib.sha256(zeros).hexdigest().encode())


FIGURES = st.sampled_from(["max_elements", "samples", "failed_share", "peak_rss_mb", "solved"])


@MUTANTS
@given(st.dictionaries(FIGURES, odd_values, min_size=1))
def test_summaries(folder, changed):
    summary = json.loads((folder / "run" / "summary.json").read_text())
    path = written(folder, "summary.json", forged(json.dumps(summary | changed).encode()))
    shutil.copytree(folder / "run", folder / "copy", dirs_exist_ok=True)
    shutil.copy(path, folder / "copy")
    called("report", folder / "copy")


@MUTANTS
@given(st.data())
def test_folders_of_runs(folder, data):
    name = data.draw(st.sampled_from(sorted(path.name for path in (folder / "run").iterdir())))
    content = (folder / "run" / name).read_bytes()
    mutants = mutated_bytes(content)
    if name.endswith(".json"):
        mutants = mutated_json(json.loads(content))
    shutil.rmtree(folder / "copy", ignore_errors=True)
    shutil.copytree(folder / "run", folder / "copy")
    mutant = data.draw(mutants)
    (folder / "copy" / name).write_bytes(forged(mutant) if data.draw(st.booleans()) else mutant)
    way = data.draw(st.sampled_from(["report", "submit", "resume"]))
    if way == "resume":
        run(folder, folder / "task.json", "--out", folder / "copy", "--resume")
    elif way == "report":
        called("report", folder / "copy")
    else:
        called("submit", folder / "copy", "--out", folder / "submitted.json")
