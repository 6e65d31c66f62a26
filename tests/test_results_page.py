"""docs/results.md, kaggle.md and pictures.md: their commands and SQL do what is shown."""

import re

import pytest

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.run.results import schema_of
from tests.megabatch.commands import ROOT, command
from tests.pages import assert_commands_print, blocks, write_files

duckdb = pytest.importorskip("duckdb")
RESULTS, KAGGLE = ROOT / "docs" / "results.md", ROOT / "docs" / "kaggle.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    assert_commands_print(RESULTS, folder)
    return folder


def test_the_queries_answer_what_the_page_says(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = [duckdb.sql(query).fetchall() for query in blocks(RESULTS, "sql")]
    solved, near, wrong, limited, failing, origin = found
    assert {task for task, _ in solved} == {"67a3c6ac", "be94b721", "05f2a901"}
    assert not (set(near) | set(wrong)) & set(solved)
    assert limited == []
    lanes = [count for _, _, count in failing]
    assert lanes == sorted(lanes, reverse=True) and len(lanes) == 10
    assert dict(origin)["megabatt.workload"] == "arc"
    assert all(name in RESULTS.read_text() for name in dict(origin))


def test_the_columns_are_those_on_the_page():
    schema = schema_of(WORKLOAD)
    assert re.findall(r"^\| `(\w+)` \|", RESULTS.read_text(), re.MULTILINE) == schema.names


def test_pictures(tmp_path):
    assert_commands_print(ROOT / "docs" / "pictures.md", tmp_path)
    assert (tmp_path / "results" / "report.html").is_file()


def test_from_challenges_to_a_submission(tmp_path):
    write_files(KAGGLE, tmp_path)
    done = command("make_challenges.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_commands_print(KAGGLE, tmp_path)
