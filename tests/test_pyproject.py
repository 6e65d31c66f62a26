"""pyproject.toml lists all packages and files of the folders: an installation lacks any other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.megabatch.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUP = PROJECT["tool"]["setuptools"]
FOLDERS = {"megabatt": "megabatt", **SETUP["package-dir"]}
"""The folder of each package for which pyproject.toml names one."""
WORKFLOW = (ROOT / ".github" / "workflows" / "tests.yml").read_text()


def classified(kind: str) -> list[str]:
    """List the last parts of the classifiers that begin with `kind`."""
    every = PROJECT["project"]["classifiers"]
    return [name.removeprefix(kind) for name in every if name.startswith(kind)]


def folder_of(package: str) -> Path:
    """Find the folder of a package in the checkout."""
    parent, _, name = package.rpartition(".")
    return ROOT / FOLDERS[package] if package in FOLDERS else folder_of(parent) / name


def test_every_package_of_the_folders_is_listed():
    there = {
        ".".join((package, *init.parent.relative_to(ROOT / folder).parts))
        for package, folder in FOLDERS.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    data_alone = {"megabatt.templates"}
    assert set(SETUP["packages"]) == there | data_alone
    assert all(folder_of(package).is_dir() for package in SETUP["packages"])
    assert len(there) > 15


def test_every_file_that_is_no_module_is_listed():
    data = {
        path
        for package, patterns in SETUP["package-data"].items()
        for pattern in patterns
        for path in folder_of(package).glob(pattern)
    }
    modules = {path for p in SETUP["packages"] for path in folder_of(p).glob("*.py")}
    there = {
        path
        for folder in FOLDERS.values()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert there == modules | data
    assert {path.suffix for path in data} == {".jinja", ".py", ".typed"}


def test_cupy_is_of_the_version_whose_private_parts_are_used():
    extras = PROJECT["project"]["optional-dependencies"]
    cupy = [line for lines in extras.values() for line in lines if line.startswith("cupy")]
    assert cupy == ["cupy-cuda12x>=14,<15", "cupy-cuda13x>=14,<15"]


def test_continuous_integration_runs_every_python_and_system_that_is_promised():
    """It runs macOS too, where a failure does not stop a change."""
    (matrix,) = re.findall(r"python: \[(.+)\]", WORKFLOW)
    versions = [f"3.{minor}" for minor in classified("Programming Language :: Python :: 3.")]
    assert re.findall(r'"([\d.]+)"', matrix) == versions
    (systems,) = re.findall(r"system: \[(.+)\]", WORKFLOW)
    named = {"ubuntu-latest": "POSIX :: Linux", "macos-latest": "MacOS"}
    assert classified("Operating System :: ") == [named[one] for one in systems.split(", ")]
    assert "system: macos-latest" in WORKFLOW
