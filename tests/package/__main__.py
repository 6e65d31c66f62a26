"""Builds sdist and wheel, and tests the wheel in an environment of its own, outside the checkout.

    make package                      # with the checkout's Python
    make package PYTHON=python3.13    # with another Python

There the package does what the pages show: the commands print the shown lines, the Python runs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

from tests.megabatch.commands import ROOT
from tests.pages import OF_PACKAGE, blocks, commands, runs_alone, write_files

PAGES = [ROOT / name for name in OF_PACKAGE]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
VERSION = PROJECT["project"]["version"]

ADDED_NAMES = """
from importlib.metadata import packages_distributions
print(*sorted(name for name, by in packages_distributions().items() if "megabatt" in by))
"""

TYPED = """
import megabatt as mb

programs: list[mb.Program] = [mb.program("mirrored", [["O", "hmirror", "I"]])]
found: mb.Evaluation = mb.evaluate(programs, [([[1, 2]], [[2, 1]])])
mb.evaluate(programs, [], device=1)  # type: ignore[arg-type]
fits: str = found.errors  # type: ignore[assignment]
"""
"""A caller's code that mypy accepts. If mypy misses an error, it reports an unused `ignore`."""


def main(python: str) -> None:
    """Build the package, install it with a Python, and run all checks up to the first failure."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sdist, wheel = build(work)
        check_files(sdist, wheel)
        environment = Environment(work, python)
        environment.install(wheel)
        check_names(environment)
        check_commands(environment)
        check_python(environment)
        check_types(environment)
    print(f"package: {wheel.name} works with {shlex.quote(python)}")


def build(work: Path) -> tuple[Path, Path]:
    """Build an sdist of the checkout's files, and the wheel from it; return both paths."""
    tree, built, direct = work / "tree", work / "built", work / "direct"
    for path in tracked():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tree / path)
    run([sys.executable, "-m", "build", "--outdir", built, tree])
    run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", direct, tree])
    (sdist,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    expect(files_of_wheel(direct / wheel.name), files_of_wheel(wheel), "the wheel of the sdist")
    return sdist, wheel


def check_files(sdist: Path, wheel: Path) -> None:
    """Check that the sdist has exactly the checkout's files, and the wheel the package's."""
    name = f"megabatt-{VERSION}"
    with tarfile.open(sdist) as archive:
        found = {member.name.removeprefix(f"{name}/") for member in archive if member.isfile()}
    made = {file for file in found if file in ("PKG-INFO", "setup.cfg") or ".egg-info/" in file}
    expect({path for path in tracked() if path[0] != "."}, found - made, "the sdist")

    folders = {folder: f"megabatt/{folder}" for folder in package_folders()}
    wanted = {
        "/".join((folders.get(first, first), rest))
        for first, _, rest in (path.partition("/") for path in tracked())
        if first in ("megabatt", *folders)
    }
    found = files_of_wheel(wheel)
    made = {file for file in found if file.startswith(f"{name}.dist-info/")}
    expect(wanted, found - made, "the wheel")


def check_names(environment: Environment) -> None:
    """Check that the installation added one name, and a command of the version in pyproject."""
    expect({"megabatt"}, set(environment.python("-c", ADDED_NAMES).split()), "its names")
    place = environment.python("-W", "error", "-c", "import megabatt; print(megabatt.__file__)")
    assert Path(place.strip()).is_relative_to(environment.folder), place
    for line in ("megabatt --version", "python -m megabatt --version"):
        expect({f"megabatt, version {VERSION}"}, set(environment.call(line).splitlines()), line)


def check_commands(environment: Environment) -> None:
    """Check that the pages' commands print the shown lines, and bundled programs are current."""
    for line, shown in [command for page in PAGES for command in commands(page)]:
        missing = set(shown) - {"..."} - set(environment.call(line).splitlines())
        assert not missing, f"`{line}` does not print {missing}"
    environment.call("megabatt run --own --tasks 05f2a901 --workers 1")
    package = "import megabatt.codegen as c; print(*c.__path__)"
    codegen = Path(environment.python("-c", package).strip())
    sources = sorted(map(str, (codegen / "lists").glob("*.py")))
    assert sources, "no bundled operation lists"
    out = codegen.parent / "generated"
    environment.call(shlex.join(["megabatt", "compile", *sources, "--out", str(out), "--check"]))


def check_python(environment: Environment) -> None:
    """Run the pages' Python."""
    for block in [block for page in PAGES for block in blocks(page, "python")]:
        if runs_alone(block):
            environment.python("-W", "error", "-c", block)


def check_types(environment: Environment) -> None:
    """Check that mypy finds the installed package's types, and wrong uses of them."""
    typed = environment.here / "typed.py"
    typed.write_text(TYPED)
    mypy = [sys.executable, "-m", "mypy", "--config-file", os.devnull, "--strict"]
    of_wheel = ["--python-executable", environment.folder / "bin" / "python"]
    run([*mypy, *of_wheel, "--follow-imports", "silent", typed], cwd=environment.here)


class Environment:
    """A bare environment, and a folder beside the environment, in which commands run."""

    def __init__(self, work: Path, python: str) -> None:
        self.folder = (work / "environment").resolve()
        self.here = work / "here"
        self.here.mkdir()
        for page in PAGES:
            write_files(page, self.here)
        run([python, "-m", "venv", self.folder])
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        self.variables = {**kept, "XDG_CACHE_HOME": str(work / "cache"), "COLUMNS": "120"}

    def install(self, wheel: Path) -> None:
        self.python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))

    def python(self, *arguments: str) -> str:
        """Run the environment's Python; return its output."""
        return self.call(shlex.join(["python", *arguments]))

    def call(self, line: str) -> str:
        """Run a command of the environment; return its output."""
        program, *arguments = shlex.split(line)
        command = [self.folder / "bin" / program, *arguments]
        return run(command, cwd=self.here, env=self.variables)


def run(command: list[str | Path], **options: object) -> str:
    """Run a command; return its output. If the command fails, show its output and exit."""
    print("$", shlex.join(map(str, command)), flush=True)
    done = subprocess.run(  # type: ignore[call-overload]
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nexit code {done.returncode}")
    return str(done.stdout)


def tracked() -> list[str]:
    """List the checkout's files."""
    command = ["git", "-C", str(ROOT), "ls-files"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def package_folders() -> list[str]:
    """List the folders beside `megabatt` that are its packages."""
    return list(PROJECT["tool"]["setuptools"]["package-dir"].values())


def files_of_wheel(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def expect(wanted: set[str], found: set[str], what: str) -> None:
    """Exit if two sets differ, and print the differences."""
    if wanted != found:
        missing, stray = sorted(wanted - found), sorted(found - wanted)
        sys.exit(f"{what}: missing {missing}, too many {stray}")


if __name__ == "__main__":
    main(*sys.argv[1:])
