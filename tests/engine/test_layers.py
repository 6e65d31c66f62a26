"""Imports look down only, as the sources say."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER = {
    "runtime/engine/language": ["machine", "columns", "executor", "device"],
    "runtime/engine/device": ["machine", "columns", "executor"],
    "runtime/engine/machine": ["columns", "executor"],
    "runtime/engine/columns": ["machine", "executor"],
}
"""For a folder those of the engine that nothing in it may import."""


def imported(path: Path) -> Iterator[str]:
    """Yield the dotted names of modules, and of what may be one, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports are not followed"
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("folder", NEVER)
def test_the_engine_s_folders_import_only_those_below(folder):
    files = list((ROOT / folder).rglob("*.py"))
    assert len(files) > 3
    above = tuple(f"megabatt.runtime.engine.{name}." for name in NEVER[folder])
    found = [f"{path.name}: {name}" for path in files for name in imported(path)
             if f"{name}.".startswith(above)]  # fmt: skip
    assert found == []


LANGUAGES = ("core", "arc", "signal")


def test_the_engine_and_megabatch_import_no_language():
    languages = tuple(f"megabatt.runtime.{name}." for name in LANGUAGES)
    for folder in ("engine", "megabatch", "search"):
        for path in (ROOT / "runtime" / folder).rglob("*.py"):
            assert not [name for name in imported(path) if f"{name}.".startswith(languages)], path


def test_the_runtime_does_not_import_what_compiles_programs():
    for path in (ROOT / "runtime").rglob("*.py"):
        assert not [name for name in imported(path) if name.startswith("megabatt.codegen")], path


def test_the_engine_imports_nothing_above_it():
    above = tuple(f"megabatt.runtime.{name}." for name in ("megabatch", "search"))
    for path in (ROOT / "runtime" / "engine").rglob("*.py"):
        assert not [name for name in imported(path) if f"{name}.".startswith(above)], path


def test_no_modules_import_one_another_in_a_circle():
    """Whatever is imported counts, within functions too."""
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
