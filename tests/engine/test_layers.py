"""Imports look down only."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = "megabatt.runtime.engine"
LANGUAGES = [f"megabatt.runtime.{name}" for name in ("core", "arc", "signal")]
CODEGEN = ("analysis", "operations", "rewriting", "arrays", "sources", "output")
"""Folders of the compiler, from the lowest on."""
NEVER = {
    "runtime/engine/language": [
        f"{ENGINE}.{name}" for name in ("machine", "columns", "executor", "device")
    ],
    "runtime/engine/device": [f"{ENGINE}.{name}" for name in ("machine", "columns", "executor")],
    "runtime/engine/machine": [f"{ENGINE}.{name}" for name in ("columns", "executor")],
    "runtime/engine/columns": [f"{ENGINE}.{name}" for name in ("machine", "executor")],
    "runtime/engine": ["megabatt.runtime.megabatch", "megabatt.runtime.search", *LANGUAGES],
    "runtime/megabatch": LANGUAGES,
    "runtime/search": LANGUAGES,
    "runtime": ["megabatt.codegen"],
    **{
        f"codegen/{name}": [f"megabatt.codegen.{above}" for above in CODEGEN[k + 1 :]]
        for k, name in enumerate(CODEGEN)
    },
}
"""The packages that no file in a folder may import, by folder."""


@cache
def imported(path: Path) -> list[str]:
    """List the dotted names that a file imports: modules, and names that may be modules."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports are not followed"
            found += [f"{node.module}.{name.name}" for name in node.names]
    return found


@pytest.mark.parametrize("folder", NEVER)
def test_a_folder_imports_only_those_below(folder):
    files = list((ROOT / folder).rglob("*.py"))
    assert len(files) > 3
    above = tuple(f"{name}." for name in NEVER[folder])
    found = [f"{path.name}: {name}" for path in files for name in imported(path)
             if f"{name}.".startswith(above)]  # fmt: skip
    assert found == []


def test_no_modules_import_one_another_in_a_circle():
    """Imports within functions count too."""
    paths = {
        ".".join(("megabatt", *path.relative_to(root).with_suffix("").parts)): path
        for root, folder in ((ROOT, "codegen"), (ROOT, "runtime"), (ROOT / "megabatt", "."))
        for path in (root / folder).rglob("*.py")
    }
    graph = {}
    for name, path in paths.items():
        found = {module for whole in imported(path) for module in (whole, whole.rpartition(".")[0])}
        graph[name] = {module for module in found if module in paths and module != name}
    assert sum(map(len, graph.values())) > len(graph)
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules
