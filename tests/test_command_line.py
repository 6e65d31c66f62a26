"""Calls of `megabatt`: its names, working folder, help, errors and completion."""

import os
import re
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.command_line.main import COMMANDS, main
from megabatt.command_line.options import bundled_programs
from megabatt.runtime.megabatch.workload import named
from tests.megabatch.commands import ROOT, command, megabatt, mirror_task, printed
from tests.pages import write_files

SCRIPT = Path(sys.executable).with_name("megabatt")


def test_the_version_is_the_project_s():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert version("megabatt") == mb.__version__ == cited[1] == project["version"]
    assert command(SCRIPT, "--version").stdout == f"megabatt, version {project['version']}\n"


@pytest.mark.parametrize(
    ("called", "usage"),
    [
        ([SCRIPT, "run"], "megabatt run"), (["-m", "codegen"], "python -m codegen"),
        (["-m", "megabatt", "compile"], "python -m megabatt compile"),
        (["run_batt.py", "compile"], "run_batt.py compile"),
    ],
)
def test_an_error_names_the_command_as_it_was_called(called, usage):
    done = command(*called, "--no-such-option")
    assert done.returncode == 2
    assert done.stderr.startswith(f"Usage: {usage} [OPTIONS]")


_MODULES_OF_CHECKOUT = """
import pickle, sys, megabatt as mb
programs = mb.parse("def mirrored(I):\\n    return vmirror(I)\\n")
assert pickle.loads(pickle.dumps(programs)) == programs
assert mb.evaluate(programs, [([[1, 0]], [[0, 1]])]).fits
files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
own = [file for file in files if file.startswith(mb.__file__.removesuffix("megabatt/__init__.py"))]
own = [file for file in own if "site-packages" not in file]
print(mb.__file__, len(own) > 50, len(own) - len(set(own)))
"""


def test_a_checkout_works_without_an_installation_and_imports_no_module_twice():
    there = {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    done = command("-S", "-c", _MODULES_OF_CHECKOUT, env=there, status=0)  # -S: no links of `-e`
    assert done.stdout == f"{ROOT / 'megabatt' / '__init__.py'} True 0\n"
    assert "Usage" in command("-S", "run_batt.py", "--help", env=there, status=0).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_lists_a_command_with_the_beginning_of_its_own_help(name):
    context = click.Context(main)
    found = main.get_command(context, name)
    assert found is not None and found.name == name
    assert found.help is not None
    assert " ".join(found.help.split()).startswith(COMMANDS[name])
    assert COMMANDS[name].split()[-1] in printed("--help")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_no_compiler_is_loaded_to_say_what_there_is(option):
    script = (
        "import sys; from megabatt.command_line.main import main\n"
        f"main([{option!r}], standalone_mode=False)\n"
        "assert not {'numba', 'numpy', 'pyarrow', 'libcst', 'jinja2'} & set(sys.modules)\n"
    )
    done = command("-c", script)
    assert done.returncode == 0 and done.stdout, done.stderr


@given(st.sampled_from(sorted(COMMANDS)), st.data())
def test_an_unknown_command_is_refused_and_recognized_by_all_but_one_of_its_letters(name, data):
    said = megabatt("quadrature", status=2).stderr
    assert "No such command 'quadrature'" in said and "did you mean" not in said
    place = data.draw(st.integers(0, len(name)))
    typed = f"{name[:place]}x{name[place:]}"
    with pytest.raises(click.UsageError) as error:
        main.main([typed], standalone_mode=False)
    near = re.search(r"did you mean '([\w-]+)'", error.value.message)
    assert near is not None and near[1] in COMMANDS


def completed(*words):
    """Complete the last of some words, as a shell asks; list the types and values."""
    *before, last = words
    shell = ShellComplete(main, {}, "megabatt", "_MEGABATT_COMPLETE")
    return [(item.type, item.value) for item in shell.get_completions(before, last)]


def completions(*words):
    return [value for _, value in completed(*words)]


def test_commands_options_and_their_values_are_completed(tmp_path):
    assert completions("s") == [name for name in COMMANDS if name.startswith("s")]
    assert "--split" in completions("run", "--sp")
    assert completions("run", "--split", "t") == ["training", "test"]
    assert completions("search", "--data", "kaggle") == ["kaggle2024", "kaggle2025"]
    mirror_task(tmp_path)
    data = ["--data", str(tmp_path)]
    assert completions("show", *data, "mi") == ["mirror"]
    assert completions("try", "x.py", *data, "--tasks", "m") == ["mirror"]
    assert completions("run", *data, "--tasks", "mirror,m") == ["mirror,mirror"]
    assert completions("run", "--data", str(tmp_path / "nowhere"), "--tasks", "m") == []
    assert completions("show", "--workload", "sig") == ["signals"]
    assert completions("report", "r", "--workload", "") == ["arc", "signals"]
    assert completions("compile", "--language", "a") == ["arc"]
    assert "--links" not in completions("run", "--workload", "sig", "--li")
    assert "--links" in completions("run", "--workload", "signals", "--li")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["compile", "li"], "file"), (["compile", "--out", "b"], "dir"), (["try", "li"], "file"),
        (["run", "--batt", "b"], "dir"), (["run", "--out", "a/b"], "dir"),
        (["run", "--solutions", "s"], "file"), (["run", "--data", "./"], "file"),
        (["show", "--workload", "signals", "har"], "dir"), (["report", "r"], "file"),
    ],
)  # fmt: skip
def test_files_and_folders_are_left_to_the_shell(words, kind):
    assert completed(*words) == [(kind, words[-1])]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell):
    assert f"_MEGABATT_COMPLETE={shell}_complete" in printed("completion", shell)


def test_the_programs_are_the_bundled_ones_unless_others_are_named():
    for name, folder in (("arc", "generated"), ("signals", "generated/signals")):
        with click.Context(main, obj=named(name)):
            assert Path(bundled_programs(), "batt.py").samefile(ROOT / folder / "batt.py")


def test_a_module_in_the_working_folder_is_found_by_every_process(tmp_path):
    write_files(ROOT / "docs" / "arc.md", tmp_path)  # my_primitives.py
    mirror_task(tmp_path / "tasks")
    (tmp_path / "lists.py").write_text("def solve_mirror(I):\n    return shear(vmirror(I), 0)\n")
    selection = ["--batt", "batt", "--data", "tasks", "--workers", 2]
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    for words, line in (
        (["compile", "lists.py", "--out", "batt", "--primitives", "my_primitives"], "1 solver, "),
        (["run", *selection, "--batch-size", 2], "solved 1 of 1 task"),
        (["sweep", *selection, "--sizes", 2, "--device", "cpu"], "best batch size on cpu: 2"),
    ):
        done = command(SCRIPT, *words, cwd=tmp_path, env=cache)
        assert done.returncode == 0 and f"\n{line}" in f"\n{done.stdout}", done.stderr
