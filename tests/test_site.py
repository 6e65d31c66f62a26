"""The site: a page of every primitive, and a build without a warning where MkDocs is there."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ET

import pytest

from megabatt.runtime.arc import LANGUAGE
from tests.megabatch.commands import ROOT, command

SPEC = importlib.util.spec_from_file_location("primitives", ROOT / "docs/hooks/primitives.py")
assert SPEC is not None and SPEC.loader is not None
hook = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hook)


def test_every_primitive_has_a_section_with_its_meaning_and_an_example():
    for primitive in LANGUAGE.primitives.values():
        assert primitive.function.__doc__, primitive.name
        assert hook.example_of(primitive) is not None, primitive.name
    assert re.findall(r"^## (\w+)$", hook.page(), re.MULTILINE) == sorted(LANGUAGE.primitives)


def test_an_example_is_what_the_primitive_gives_and_is_drawn():
    for primitive in LANGUAGE.primitives.values():
        args, value = hook.example_of(primitive)
        assert primitive.function(*args) == value
    for drawing in re.findall(r"<svg.*?</svg>", hook.page()):
        ET.fromstring(drawing)


def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings")
    quiet = {"NO_MKDOCS_2_WARNING": "1", "https_proxy": "http://localhost:9"}  # no network
    done = command("-m", "mkdocs", "build", "--strict", "-d", tmp_path, env=quiet)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "primitives" / "index.html").is_file()
    assert 'id="megabatt.evaluating.evaluate"' in (tmp_path / "reference/index.html").read_text()
