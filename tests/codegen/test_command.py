"""The compiler as a user runs it."""

import pytest

from tests.codegen.helpers import MODULE, run_codegen
from tests.megabatch.commands import ROOT, command, megabatt

GOOD = "def solve_good(A):\n    x = add(A, B)\n    y = add(A, B)\n    return negate(x)\n"
FILES = ["__init__.py", "batt.py", "solvers.py"]


@pytest.fixture
def good(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    return tmp_path


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_a_good_run_writes_the_package_and_says_so(good):
    """A second run writes the same bytes, and `--check` finds the package current."""
    result = run_codegen("good.py", "--out", "out", cwd=good)
    assert result.stdout == (
        "1 solver, 2 operations (1 dead or repeated of 3 dropped) -> out/batt.py, out/solvers.py\n"
    )
    written = contents(good / "out")
    assert sorted(written) == FILES
    run_codegen("good.py", "--out", "again", cwd=good)
    run_codegen("good.py", "--out", "out", "--check", cwd=good)
    assert contents(good / "again") == contents(good / "out") == written


def test_check_names_stale_and_missing_files_and_writes_nothing(good):
    run_codegen("good.py", "--out", "out", "--check", cwd=good, status=1)
    assert not (good / "out").exists()
    run_codegen("good.py", "--out", "out", cwd=good)
    (good / "out" / "solvers.py").unlink()
    (good / "good.py").write_text(GOOD.replace("negate(x)", "halve(x)"))
    before = contents(good / "out")
    result = run_codegen("good.py", "--out", "out", "--check", cwd=good, status=1)
    assert "out/batt.py is stale\n" in result.stderr
    assert "out/solvers.py is missing\n" in result.stderr
    assert contents(good / "out") == before


def test_all_errors_of_all_sources_come_at_once_sorted_and_nothing_is_written(good):
    (good / "a.py").write_text("def f(A):\n    x = ad(A, B)\n    return negate(x, y)\n")
    (good / "b.jsonl").write_text('{"name": \n')
    (good / "c.py").write_text("def f(A):\n    x = negate(y)\n    y = A\n")
    (good / "d.py").write_text("# no solver\n")
    (good / "e.py").write_bytes(b"\xff")
    (good / "f.txt").write_text(GOOD)
    sources = ["f.txt", "none.py", "e.py", "d.py", "c.py", "b.jsonl", "a.py", "good.py"]
    result = run_codegen(*sources, "--out", "out", cwd=good, status=2)
    assert result.stdout == "" and not (good / "out").exists()
    assert result.stderr.splitlines() == [
        "a.py:2:9: f: unknown primitive 'ad'; did you mean 'add'?",
        "    x = ad(A, B)",
        "        ^",
        "a.py:3:22: f: unknown name 'y'",
        "    return negate(x, y)",
        "                     ^",
        "b.jsonl:1:10: malformed JSON: Expecting value",
        "    {\"name\": ",
        "             ^",
        "c.py:2:16: f: 'y' is used before its definition",
        "    x = negate(y)",
        "               ^",
        "d.py:1:1: d: the text has no program",
        "    # no solver",
        "    ^",
        "e.py:1:1: e: not UTF-8: invalid start byte at byte 0: save it as UTF-8",
        "none.py:1:1: cannot read: No such file or directory",
        "if an unknown primitive is your own, name its module: --primitives MODULE; if it is "
        "another name of a known one: --aliases FILE",
        "nothing is written; --skip-errors leaves these out and compiles the others",
    ]


def test_programs_that_are_wrong_are_listed_and_skipped(good):
    (good / "bad.py").write_text("def f(A):\n    return ad(A)\n\ndef g(A):\n    return A\n")
    (good / "lines.jsonl").write_text("{\n")
    sources = ["bad.py", "good.py", "lines.jsonl"]
    result = run_codegen(*sources, "--out", "out", "--skip-errors", cwd=good)
    assert result.stderr.splitlines() == [
        "bad.py:2:12: f: unknown primitive 'ad'; did you mean 'add'?",
        "    return ad(A)",
        "           ^",
        "lines.jsonl:1:2: malformed JSON: Expecting property name enclosed in double quotes",
        "    {",
        "     ^",
        "if an unknown primitive is your own, name its module: --primitives MODULE; if it is "
        "another name of a known one: --aliases FILE",
        "skipped 2 programs",
    ]
    assert "def g(" in (good / "out" / "solvers.py").read_text()
    run_codegen("lines.jsonl", "--out", "none", "--skip-errors", cwd=good, status=2)
    assert not (good / "none").exists()


@pytest.mark.parametrize(
    "given", ["tests.codegen.toy_primitives", ROOT / "tests" / "codegen" / "toy_primitives.py"]
)
def test_a_user_s_primitives_are_imported_from_their_module_or_file(given, tmp_path):
    (tmp_path / "a.py").write_text("def f(A):\n    return treble(negate(A))\n")
    run_codegen("a.py", "--out", "out", cwd=tmp_path, status=2)
    modules = ["--language", MODULE, "--primitives", given]
    # in a process of its own, as the modules change the language
    done = command("-m", "codegen", "a.py", "--out", "out", *modules, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "batt.py").read_text()
    assert (
        "from tests.codegen.toy_language import LANGUAGE, negate\n"
        "from tests.codegen.toy_primitives import treble\n"
    ) in text


def test_modules_of_compiled_forms_are_imported_too(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from megabatt.arc import Grid, compiled, primitive\n\n\n"
        "@primitive\ndef same_as(a: Grid) -> Grid:\n    return a\n"
    )
    (tmp_path / "fast.py").write_text(
        "from mine import compiled, same_as\n\n\n"
        "@compiled(same_as)\ndef same_as(heap, a):\n    return a\n"
    )
    (tmp_path / "a.py").write_text("def f(I):\n    return same_as(I)\n")
    modules = {"mine": "", "fast": "import fast\n"}  # each in a process of its own, as above
    for module, line in modules.items():
        options = ["--out", module + "_out", "--primitives", module]
        done = command("-m", "megabatt", "compile", "a.py", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        text = (tmp_path / f"{module}_out" / "batt.py").read_text()
        assert f"{line}from megabatt.runtime.arc import LANGUAGE\n" in text
        assert "\nfrom mine import same_as\n" in text and ("fast" in text) == (module == "fast")


@pytest.mark.parametrize("option", ["--language", "--primitives"])
def test_a_module_that_cannot_be_imported_is_named(good, option):
    result = run_codegen("good.py", "--out", "out", option, "no_such_module", cwd=good, status=2)
    assert "cannot import 'no_such_module'" in result.stderr
    result = run_codegen("good.py", "--out", "out", option, "none.py", cwd=good, status=2)
    assert "'none.py': there is no such file" in result.stderr
    (good / "ends.py").write_text("raise SystemExit(0)\n")
    result = run_codegen("good.py", "--out", "out", option, "ends", cwd=good, status=2)
    assert "cannot import 'ends': ends.py:1: SystemExit: 0" in result.stderr


def test_bundled_languages_go_by_their_names_and_are_hinted_at(tmp_path):
    (tmp_path / "links.py").write_text("def heard(P, K):\n    return tone(P, K)\n")
    refused = megabatt("compile", "links.py", "--out", "out", cwd=tmp_path, status=2)
    assert refused.stderr.splitlines()[-2:] == [
        "K is an input of signals: --language signals reads its programs", "nothing is written",
    ]  # fmt: skip
    wrong = megabatt("compile", "links.py", "--out", "out", "--language", "signal", cwd=tmp_path)
    assert "did you mean signals?" in wrong.stderr
    megabatt("compile", "links.py", "--out", "out", "--language", "signals", cwd=tmp_path, status=0)
    text = (tmp_path / "out" / "batt.py").read_text()
    assert "from megabatt.runtime.signal import " in text


def test_a_package_that_cannot_be_written_leaves_no_files(good):
    refused = run_codegen("good.py", "--out", "good.py", cwd=good, status=2)
    assert "good.py: it is a file, and --out names a folder" in refused.stderr
    refused = run_codegen("missing.py", "--out", "good.py", cwd=good, status=2)
    assert "missing.py" not in refused.stderr  # the folder is checked before sources are read
    assert (good / "good.py").read_text() == GOOD
    (good / "out" / "solvers.py").mkdir(parents=True)
    run_codegen("good.py", "--out", "out", cwd=good, status=2)
    assert not list((good / "out").glob(".*"))


@pytest.mark.parametrize(
    ("name", "why"),
    [("batt.py", "out/batt.py is not a file that `megabatt compile` wrote"),
     ("solvers.py", "out/solvers.py is not a file that `megabatt compile` wrote"),
     ("mine.txt", "files that `megabatt compile` did not write (mine.txt): name a new folder")],
)  # fmt: skip
def test_a_file_that_was_not_generated_is_never_overwritten(good, name, why):
    (good / "out").mkdir()
    (good / "out" / name).write_text(GOOD)
    result = run_codegen("good.py", "--out", "out", cwd=good, status=2)
    assert why in " ".join(result.stderr.split())
    assert contents(good / "out") == {name: GOOD.encode()}


def test_a_file_that_is_put_beside_a_package_does_no_harm(good):
    run_codegen("good.py", "--out", "out", cwd=good)
    (good / "out" / "beside.txt").write_text("mine")
    run_codegen("good.py", "--out", "out", cwd=good)


def test_help_shows_both_kinds_of_sources_and_an_example(tmp_path):
    result = run_codegen("--help", cwd=tmp_path)
    for part in ("def solve_x(I):", '{"name": "solve_x"', "--check", "megabatt compile my_solvers"):
        assert part in result.stdout


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ("def f(P):\n    return vmirror(P)\n", ["--language", "signals"],
         "vmirror is a primitive of arc: --language arc reads its programs"),
        ("def f(U, V):\n    return U\n", [],
         "programs of a language of your own: --language MODULE"),
        ("", ["--primitives", "one,two"],
         "name one module at a time, such as --primitives one --primitives two"),
    ],
)  # fmt: skip
def test_a_hint_names_the_option_that_is_needed(source, options, said, tmp_path):
    (tmp_path / "a.py").write_text(source)
    assert said in run_codegen("a.py", "--out", "out", *options, cwd=tmp_path, status=2).stderr
