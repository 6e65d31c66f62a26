"""The parts of a language that codegen reads: names, their arity and their safe defaults."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from megabatt.codegen.errors import ProgramError
from megabatt.runtime import LANGUAGES
from megabatt.runtime.printable import why_not_imported
from megabatt.runtime.vocabulary import Named, Spoken

# Names that the templates use: no language and no solver may have them.
_RESERVED = frozenset(
    "Exception LANGUAGE OPERATIONS SOLVERS Sequential Vectorized __debug__ batt batt_vectorized "
    "closure error frozenset inputs key log_path max_elements run".split()
)


class LanguageError(Exception):
    """A language that cannot be loaded, or that generated code cannot be written for."""


class Type(Protocol):
    """The parts of a declared type that codegen reads."""

    @property
    def name(self) -> str: ...
    def __hash__(self) -> int: ...
    def check(self, value: Any) -> object:
        """Check that the value is of this type. Raises TypeError."""


class Primitive(Named, Protocol):
    """The parts of a registered primitive that codegen reads."""

    @property
    def name(self) -> str: ...
    @property
    def module(self) -> str: ...
    @property
    def modules(self) -> Sequence[str]: ...
    @property
    def types(self) -> Sequence[Type]: ...
    @property
    def result(self) -> Type: ...
    @property
    def function(self) -> object: ...


class Language(Spoken, Protocol):
    """The parts of a language that codegen reads."""

    @property
    def primitives(self) -> Mapping[str, Primitive]: ...
    def default_source(self, name: str) -> str:
        """Return the source of the safe default of the primitive of that name."""


def home_of(primitive: Primitive, language_module: str) -> str:
    """Return the module to import a primitive from: the language's if it exports the primitive."""
    exported = getattr(importlib.import_module(language_module), primitive.name, None)
    same = getattr(exported, "__module__", None) == primitive.module
    return language_module if same else primitive.module


def is_reserved(name: str) -> bool:
    """Tell whether generated code uses the name itself (`run`, `x1`, ...), or Python forbids it."""
    return name in _RESERVED or re.fullmatch(r"(x|CLOSURE_)\d+", name) is not None


def load_language(module: str, primitives: Sequence[str] = ()) -> Language:
    """Import a language, then the modules that register more primitives with it.

    Args:
        module: the module whose `LANGUAGE` is the language, such as `megabatt.runtime.arc`.
        primitives: names or files of trusted modules; importing one runs it.

    Raises:
        LanguageError: a module cannot be imported, there is no `LANGUAGE`, or a name of the
            language is reserved.
    """
    imported = _import(module)
    for name in primitives:
        _import(*_named_or_file(name))
    if not hasattr(imported, "LANGUAGE"):
        raise LanguageError(f"module {module!r} has no LANGUAGE")
    language = cast(Language, imported.LANGUAGE)
    for name in (*language.inputs, *language.constants, *language.primitives):
        if is_reserved(name):
            raise LanguageError(
                f"{name!r} of language {module!r} is a name that generated code uses itself"
            )
    return language


def load_primitives(language: Spoken, module: str) -> list[str]:
    """Import a module that registers primitives with a language.

    Args:
        language: the language.
        module: the module's name or file, such as my_primitives or my_primitives.py.

    Returns:
        The names of the primitives with a scalar form, compiled form or rule in the module, or in
        a module within it, sorted.

    Raises:
        LanguageError: the module cannot be imported, or another module has its name.
    """
    name, file = _named_or_file(module)
    _import(name, file)
    named: Mapping[str, Any] = language.primitives
    return sorted(
        word
        for word, primitive in named.items()
        if any(f"{home}.".startswith(f"{name}.") for home in primitive.modules)
    )


def hint_at_language(errors: Iterable[ProgramError]) -> str:
    """Name the bundled language that has an unknown input or primitive.

    If no bundled language has it, returns advice on `--language` for an unknown input, else "".
    """
    form = r"parameter '(\w+)' is not an input|unknown primitive '(\w+)'"
    found = [match for error in errors if (match := re.match(form, error.message))]
    for language, module in LANGUAGES.items() if found else ():
        spoken = importlib.import_module(module).LANGUAGE
        for match in found:
            what = "an input" if match[1] in spoken.inputs else "a primitive"
            if match[1] in spoken.inputs or match[2] in spoken.primitives:
                reads = f"--language {language} reads its programs"
                return f"{match[1] or match[2]} is {what} of {language}: {reads}"
    of_own = any(match[1] for match in found)
    return "programs of a language of your own: --language MODULE" if of_own else ""


def look_in_working_folder() -> None:
    """Make modules in the working folder importable."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that no file there shadows a package


def _named_or_file(module: str) -> tuple[str, Path | None]:
    """Return a module's name and file, given either; a file's module becomes importable."""
    file = Path(module).resolve()
    if not (module.endswith(".py") and file.is_file()):
        return module, None
    name, folder = file.stem, file.parent
    while (folder / "__init__.py").is_file():
        name, folder = f"{folder.name}.{name}", folder.parent
    sys.path.insert(0, str(folder))
    return name, file


def _import(name: str, file: Path | None = None) -> Any:
    """Import a module. Raises LanguageError if that fails, or if `file` is another module's.

    file: The module's file; by default the file of that name in the working folder, if any.
    """
    if "," in name:
        one, _, other = name.partition(",")
        line = f"name one module at a time, such as --primitives {one} --primitives {other}"
        raise LanguageError(f"cannot import {name!r}: {line}")
    if not name.startswith("megabatt."):
        look_in_working_folder()
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
        raise LanguageError(f"cannot import {name!r}: {why_not_imported(name, error)}") from error
    file = file or Path(*name.split(".")).with_suffix(".py")
    loaded = getattr(module, "__file__", None)
    if file.is_file() and (loaded is None or not file.samefile(loaded)):
        where = f" of {loaded}" if loaded else ", which is Python's own"
        raise LanguageError(f"the name {name} is taken by a module{where}: rename {file}")
    return module
