"""A command that fails on a file says in a line what is wrong with the file."""

import hashlib
import json
import shutil
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from megabatt.runtime.megabatch.checksums import _CHECKSUM, _checksum_of
from megabatt.runtime.signal.dataset.configuration import ConfigurationError, read_configuration
from tests.examples import LONG, examples
from tests.megabatch.commands import MIRRORS, compiled, megabatt, printed
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


RUN = ["run", "--batt", "batt", "--workers", 1, "--device", "cpu", "--batch-size", 50, "--data"]
BESIDE = {
    "task.json": TASK, "all_challenges.json": {"aa": TASK, "bb": TASK},
    "solutions.json": SOLUTIONS, "submission.json": SUBMISSION,
}  # fmt: skip
READ = {
    "data": (DATA, mutated_json, [
        [*RUN, "FILE"], [*RUN, "mutants", "--out", "mutants/out"], ["show", "aa", "--data", "FILE"],
        ["score", "submission.json", "--data", "FILE"]]),
    "solutions": ({"arc-agi_solutions.json": SOLUTIONS}, mutated_json, [
        [*RUN, "all_challenges.json", "--solutions", "FILE"]]),
    "submissions": ({"submission.json": SUBMISSION}, mutated_json, [
        ["score", "FILE", "--solutions", "solutions.json"],
        ["score", "FILE", "--data", "task.json"]]),
    "operation lists": ({"a.py": PYTHON, "a.jsonl": JSONL}, mutated_sources, [
        ["compile", "FILE", "--out", "mutants/batt"]]),
}  # fmt: skip
"""By kind: files, how they are mutated, and the commands that read one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mutated")
    compiled(folder)
    for name, value in BESIDE.items():
        (folder / name).write_text(json.dumps(value))
    printed(*RUN, "task.json", "--out", "run", cwd=folder)
    return folder


def assert_ends_in_order(folder, *words):
    """Do a command. Asserts that it ends well, or says why not."""
    done = megabatt(*words, cwd=folder)
    assert done.returncode in (0, 2) and "Traceback" not in done.stdout + done.stderr, done.stderr
    assert done.returncode == 0 or done.stderr.strip()


@pytest.mark.parametrize("kind", READ)
@MUTANTS
@given(st.data())
def test_a_command_that_reads_a_damaged_file_ends_in_order(kind, folder, data):
    files, mutated, commands = READ[kind]
    name = data.draw(st.sampled_from(sorted(files)))
    shutil.rmtree(folder / "mutants", ignore_errors=True)
    (folder / "mutants").mkdir()
    (folder / "mutants" / name).write_bytes(data.draw(mutated(files[name])))
    words = data.draw(st.sampled_from(commands))
    assert_ends_in_order(folder, *(f"mutants/{name}" if w == "FILE" else w for w in words))


@MUTANTS
@given(mutated_sources(TOML))
def test_configurations(folder, content):
    path = folder / "dataset.toml"
    path.write_bytes(content)
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
    shutil.copytree(folder / "run", folder / "copy", dirs_exist_ok=True)
    content = forged(json.dumps(summary | changed).encode())
    (folder / "copy" / "summary.json").write_bytes(content)
    assert_ends_in_order(folder, "report", "copy")


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
    again = [*RUN, "task.json", "--out", "copy", "--resume"]
    ways = st.sampled_from([["report", "copy"], ["submit", "copy", "--out", "submitted"], again])
    assert_ends_in_order(folder, *data.draw(ways))
