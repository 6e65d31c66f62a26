"""The first words of functions' docstrings."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ["benchmarks", "codegen", "megabatt", "runtime", "tests"]
NO_VERBS = set(
    """a all an any as at bool both by each every for from how in it its of one so some that the
    these this those two what when where whether which who why with""".split()
)
PROPERTIES = {"property", "cached_property"}


def functions_of(folder):
    """Yield functions and methods under a folder, except properties, tests and solvers of lists."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        if "lists" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if node.name.startswith("test_"):
                    continue
                names = {getattr(d, "id", getattr(d, "attr", "")) for d in node.decorator_list}
                if names.isdisjoint(PROPERTIES):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_docstring_of_a_function_begins_with_a_verb(folder):
    found = {place: ast.get_docstring(node) for place, node in functions_of(folder)}
    first = {place: text.split()[0].strip(".,:;`") for place, text in found.items() if text}
    assert [place for place, word in first.items() if word.lower() in NO_VERBS] == []
    assert [place for place, word in first.items() if not word[:1].isupper()] == []
