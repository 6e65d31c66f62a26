"""The site: pages made while it is built, and a build without a warning if MkDocs is installed."""

import importlib.util
import re
import xml.etree.ElementTree as ET

import pytest

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from tests.megabatch.commands import ROOT, command


def hook_of(name):
    """Return a hook of MkDocs as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/hooks/{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


primitives = hook_of("primitives")


def assert_drawings_are_whole(page):
    for drawing in re.findall(r"<svg.*?</svg>", page):
        ET.fromstring(drawing)


def test_every_primitive_has_a_section_with_its_meaning_and_an_example_of_what_it_gives():
    for primitive in LANGUAGE.primitives.values():
        assert primitive.function.__doc__, primitive.name
        args, value = primitives.example_of(primitive)
        assert primitive.function(*args) == value, primitive.name
    page = primitives.page()
    assert sorted(re.findall(r"^### (\w+)$", page, re.MULTILINE)) == sorted(LANGUAGE.primitives)
    assert_drawings_are_whole(page)


def test_the_gallery_s_solvers_are_right_and_its_wrong_program_is_wrong():
    page = hook_of("gallery").page()
    solved, wrong = page.split("## A wrong output")
    assert "wrong" not in solved and solved.count(": right") == solved.count("(test)") > 3
    assert "largest_alone: wrong" in wrong
    assert_drawings_are_whole(page)


def test_a_notebook_s_page_has_its_cells_and_their_outputs(tmp_path):
    v4 = pytest.importorskip("nbformat.v4")
    picture = "from IPython.display import Image\nImage(b'picture', format='png')"
    cells = [
        v4.new_markdown_cell("# Sums"),
        v4.new_code_cell("print('<one>')\nfrom IPython.display import HTML"),
        v4.new_code_cell("HTML('<b>two</b>')"),
        v4.new_code_cell("print('\\x1b[1;36mthree\\x1b[0m')"),
        v4.new_code_cell(picture, metadata={"alt": 'a "picture"'}),
        v4.new_code_cell("1 + 2"),
    ]
    path = tmp_path / "sums.ipynb"
    path.write_text(v4.writes(v4.new_notebook(cells=cells)))
    page = hook_of("notebooks").page_of(path)
    assert page.startswith("# Sums\n")
    for shown in ("```python\n1 + 2\n```", "&lt;one&gt;", "<b>two</b>", "<pre>3</pre>"):
        assert shown in page
    assert "<pre>three\n</pre>" in page and "\x1b" not in page
    assert '<img alt="a &quot;picture&quot;" src="data:image/png;base64,' in page


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, without a network."""
    for module in ("material", "mkdocstrings", "nbclient", "matplotlib"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("site")
    quiet = {"NO_MKDOCS_2_WARNING": "1", "https_proxy": "http://localhost:9"}
    done = command("-m", "mkdocs", "build", "--strict", "-d", folder, env=quiet)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_reference_has_every_public_name(site):
    reference = (site / "reference.html").read_text()
    assert all(f'id="megabatt.{name}"' in reference for name in mb.__all__)


def test_the_site_asks_for_nothing_from_elsewhere(site):
    loaded = r"<(?:script|img|iframe)[^>]+src=\"([^\"]+)|<link[^>]+href=\"([^\"]+)"
    for page in site.rglob("*.html"):
        for script, link in re.findall(loaded, page.read_text()):
            assert not re.match(r"(https?:)?//", script or link), (page, script, link)
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", styles)


def test_every_page_can_be_searched_from_a_folder(site):
    index = (site / "search" / "search_index.js").read_text()
    assert index.startswith("var __index = ")
    assert all(f'"{name}"' in index for name in ("primitives.html", "gallery.html", "arc.html"))
