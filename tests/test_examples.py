"""The notebooks of examples/ run from their first cell to their last."""

from __future__ import annotations

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
