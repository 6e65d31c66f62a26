"""The notebooks of examples/ run from their first cell to their last, and so do the scripts."""

import runpy

import pytest

from tests.megabatch.commands import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.long] * (path.stem != "arc"))
        for path in NOTEBOOKS
    ],
)
def test_a_notebook_runs(path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    ran = nbclient.NotebookClient(notebook, timeout=300).execute()
    kinds = [output.output_type for cell in ran.cells for output in cell.get("outputs", [])]
    assert "error" not in kinds and {"stream", "execute_result"} <= set(kinds)


@pytest.fixture(scope="module")
def rewards():
    return runpy.run_path(str(ROOT / "examples" / "reward.py"))


def test_the_example_s_rewards_are_the_higher_the_nearer_a_program_comes_and_say_why(rewards):
    answers = rewards["ANSWERS"]
    fits, near, unknown, fails, prose = rewards["reward"](answers, ["67a3c6ac"] * len(answers))
    assert fits == 1 > near > fails >= 0.1 > unknown == prose == 0
    said = [rewards["feedback"](answer, "67a3c6ac") for answer in answers]
    assert said[0] == "" and "0% of the demonstrations" in said[1]
    assert said[2].startswith("line 2, `return mirror(I)`: unknown primitive 'mirror'")
    assert said[3].startswith("line 2, ") and "must be an IntegerTuple, got a" in said[3]


def test_the_example_rewards_each_completion_for_its_own_task(rewards):
    mirrors = [f"def solve(I):\n    return {name}(I)\n" for name in ("vmirror", "hmirror")]
    conversations = [[{"role": "assistant", "content": text}] for text in mirrors]
    tasks = ["67a3c6ac", "68b16354"]
    assert rewards["reward"](conversations, tasks) == [1, 1]
    assert max(rewards["reward"](conversations, tasks[::-1], level=[1, 2])) < 1
