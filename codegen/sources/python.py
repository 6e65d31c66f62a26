"""Reads Python sources with `ast`. Nothing of a source is ever executed or imported."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from megabatt.codegen.analysis.held import counts_of_calls
from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import (
    assigned_in_expressions,
    changed_in,
    may_have_reals,
    may_tell_identity,
    may_tell_kinds,
    names_in,
    names_of,
    stored_in,
    texts_held_in,
)
from megabatt.codegen.analysis.nodes import Functions, nodes_in, parameters_of, placed
from megabatt.codegen.analysis.outside import changed_by_calls
from megabatt.codegen.analysis.ownership import ALL, Hold, Owned, exposed, names_changed_in
from megabatt.codegen.analysis.scopes import Builtin, Deferred, Foreign, Local, Scope, import_into
from megabatt.codegen.arrays.programs import without_arrays
from megabatt.codegen.errors import NO_PROGRAM, Place, ProgramError, Wrong, place_of
from megabatt.codegen.language import Language
from megabatt.codegen.operations.dictionaries import MAKERS
from megabatt.codegen.operations.python_functions import BUILTINS, NUMBERS
from megabatt.codegen.operations.statements import NO_DECORATORS, REFUSED, Statements
from megabatt.codegen.rewriting.constants import ENUMS
from megabatt.codegen.rewriting.local_names import read_around
from megabatt.codegen.rewriting.members import RECORDS, is_operator
from megabatt.codegen.rewriting.passes import rewritten
from megabatt.codegen.sources.modules import Part, WrongModule, may_need_modules, with_modules
from megabatt.codegen.sources.plain import PlainReader
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import NameRules

ENTRIES = re.compile("solve|verify|transform|program")
"""Matches the names of functions that are programs even if other functions call them."""


_NAMELESS = {"f", "main", "p", "program", "solve", "solver", "transform"}
"""Function names that name no task: the file's name is added to them."""


_PROGRAM = re.compile(
    rf"^(?:def +)?(?:(?:{ENTRIES.pattern})\w*|{'|'.join(sorted(_NAMELESS))}) *[(=]", re.MULTILINE
)


def may_have_programs(text: str) -> bool:
    """Tell whether a module has a function with the name of a program, as far as its lines tell."""
    return _PROGRAM.search(text) is not None


class Source(NamedTuple):
    """A module of Python, and its file's name.

    named: A name to add to its only program if its function is called `solve` or the like. unnamed:
    The name of a program without a function. line: The number of lines of the file before it.
    folder: Where the modules lie that it may import; None for nowhere. modules: Those of which
    definitions stand before it: in its tree, their lines come first.
    """

    file: str
    text: str
    named: str = ""
    unnamed: str = ""
    line: int = 0
    folder: Path | None = None
    modules: tuple[Part, ...] = ()

    @property
    def before(self) -> int:
        """The number to add to a line of its tree for the line of the file."""
        return self.line - sum(part.lines for part in self.modules)

    def home_of(self, line: int) -> tuple[Part | None, int]:
        """Return the module with a line of the tree, and the number to add for the file's line.

        The module is None for a line of the source itself.
        """
        before = 0
        for part in self.modules:
            if line + before <= part.lines:
                return part, before
            before -= part.lines
        return None, self.before

    def mistake(self, node: Any, message: str, name: str = "", begin: int = 0) -> ProgramError:
        """Return a mistake at a syntax node or a `Place`; one in a module where the program begins.

        name, begin: The name of the program and the line of the tree where it begins.
        """
        line, column = place_of(node)
        part, before = self.home_of(line)
        if part is not None:
            message = f"{part.file}:{line + before}: {message}"
            line, column = max(begin, self.line - self.before + 1), 1
        line -= self.line - self.before
        lines = _lines_of(self.text)
        shown = lines[line - 1] if line <= len(lines) else ""
        column = len(shown.encode()[: column - 1].decode(errors="ignore")) + 1
        begin = begin and begin + self.before
        return ProgramError(self.file, line + self.line, column, message, name, shown, begin)


@lru_cache(maxsize=1)  # many mistakes of a text come one after the other
def _lines_of(text: str) -> list[str]:
    return text.split("\n")


class Read(NamedTuple):
    """A program that was read.

    where: Returns the places of the program's name and of its operations in the source.
    """

    program: Program
    source: Source
    where: Callable[[], tuple[Any, Sequence[Any]]]

    def place(self, operation: int | None = None) -> Any:
        """Return the place of an operation, or of the program's name."""
        name, operations = self.where()
        return name if operation is None else operations[operation]

    def line_of(self, operation: int | None = None) -> int:
        """Return the line of the file with an operation, or with the program's name."""
        return place_of(self.place(operation))[0] + self.source.before

    def mistake(self, message: str, operation: int | None = None) -> ProgramError:
        """Return a mistake at an operation, or at the program's name."""
        begin, _ = place_of(self.place())
        return self.source.mistake(self.place(operation), message, self.program.name, begin)


class Reading(NamedTuple):
    """The result of reading sources: programs, mistakes in others, and notes on skipped parts."""

    programs: list[Read]
    errors: list[ProgramError]
    notes: list[str]


class Speech:
    """A language with the names that sources may use. aliases: Other names for its words.

    Raises ValueError if an alias stands for no constant or primitive of the language.
    """

    def __init__(self, language: Language, aliases: Mapping[str, str] | None = None) -> None:
        self.language = language
        self.vocabulary = NameRules(language)
        names = [*language.inputs, *language.constants, *language.primitives]
        self.meanings: dict[str, Any] = {
            name: Builtin(name) for name in (*BUILTINS, *MAKERS)
        }
        if "ratio_of" in language.primitives:
            self.meanings.update(NUMBERS)
        self.meanings.update(zip(names, names, strict=True))
        for alias, name in (aliases or {}).items():
            if name not in language.constants and name not in language.primitives:
                stands = f"alias {short(alias)} stands for {short(name)}"
                raise ValueError(f"{stands}, which the language does not have")
            self.meanings[alias] = name
        hidden = {getattr(language, "shared", None), getattr(language, "expected", None)}
        self.main_input = next((name for name in language.inputs if name not in hidden), None)
        self.plain = PlainReader(language, self.meanings, self.main_input)


def read_python(source: Source, speech: Speech, reading: Reading) -> None:
    """Read the programs of a source."""
    is_alone = source.folder is None or not may_need_modules(source.text, source.folder)
    plain = speech.plain.read(source.text) if is_alone else None
    if plain is None:
        _read_parsed(source, speech, reading)
        return

    @cache
    def parsed_programs() -> list[Read]:
        again = Reading([], [], [])
        _read_parsed(source, speech, again)
        return again.programs

    def where(number: int) -> tuple[Any, Sequence[Any]]:  # parses when a place is first asked for
        return parsed_programs()[number].where()

    for number, program in enumerate(plain.programs):
        if len(plain.programs) == 1:
            program = _named_by(source, program)
        reading.programs.append(Read(program, source, partial(where, number)))
    for at in plain.imports:
        line = source.text.count("\n", 0, at) + 1 + source.line
        reading.notes.append(f"{source.file}:{line}: {IMPORT}")


def _read_parsed(source: Source, speech: Speech, reading: Reading) -> None:
    """Do `read_python` by Python's parser."""
    with no_collection():
        _SourceReader(source, speech, reading).read()


IMPORT = "the import is passed over"
_PASSED_OVER = "the statement outside of functions is passed over"
_CHANGED = "{!r} is changed outside of functions: assign it once"
_DEFINITIONS = (
    ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef, ast.Import, ast.ImportFrom,
)  # fmt: skip
"""The statements that define functions or classes, or import something."""

def _named_by(source: Source, program: Program) -> Program:
    """Return a source's only program; a name that names no task gets the source's name added."""
    if not source.named or program.name not in _NAMELESS:
        return program
    return program._replace(name=f"{program.name}_{source.named}")


_ANY_SOURCE = "<a source of programs>"
"""The file name that Python's parser is given: warnings for it are ignored. Switching warnings off
around each call would switch them off for other threads too, and perhaps for good."""
warnings.filterwarnings("ignore", module=re.escape(_ANY_SOURCE))


_ATTEMPTS = 1000


def _tree(text: str) -> ast.Module:
    """Parse a text, again if another thread disturbs the parser.

    Up to Python 3.12 all threads share the parser's count of nesting, and a thread that finds it
    changed raises SystemError.
    """
    for _ in range(_ATTEMPTS):
        try:
            return ast.parse(text, _ANY_SOURCE)
        except SystemError:
            continue
    return ast.parse(text, _ANY_SOURCE)


def parsed(source: Source) -> ast.Module | ProgramError:
    """Parse a source, or return its syntax error."""
    line, column = 1, 1
    try:
        return _tree(source.text)
    except SyntaxError as error:
        line, column, message = error.lineno or 1, error.offset or 1, error.msg
    except (RecursionError, MemoryError):
        message = "nested too deeply"
    except ValueError as error:  # null bytes
        message = str(error)
    lines = _lines_of(source.text)
    shown = lines[line - 1] if line <= len(lines) else ""
    return ProgramError(
        source.file, line + source.line, column, f"syntax error: {message}", source.named, shown
    )


@lru_cache(maxsize=8)  # a folder's sources import the same ones
def _of_module(file: str, text: str) -> ast.Module:
    """Parse a module that a source imports. Raises WrongModule."""
    tree = parsed(Source(file, text))
    if isinstance(tree, ProgramError):
        raise WrongModule(f"{tree.file}:{tree.line}: {tree.message}")
    return tree


_BASES = {*ENUMS, *RECORDS, "object"}
"""The base classes that are read."""
_FUNCTION = re.compile(r"def\s+(\w+)")
_STATEMENT = re.compile(r"(?:def|class|from|import)\b|@|[A-Za-z_]\w* *=")
"""Matches the first line of a statement; a line of words among the code does not match."""
_BEGINS = re.compile(r"(?!(?:else|elif|except|finally)\b)[A-Za-z_@]")
"""Matches a line that may begin a statement of a module."""


def _statements(lines: Sequence[str]) -> list[slice]:
    """Return the lines of each statement of a module that may have syntax errors."""
    begins = [
        k for k, text in enumerate(lines)
        if _BEGINS.match(text) and not (k and lines[k - 1].startswith("@"))
    ]  # fmt: skip
    return [
        slice(begin, end)
        for begin, end in zip([0, *begins], [*begins, len(lines)], strict=True) if begin < end
    ]


def is_function(statement: ast.stmt) -> bool:
    """Tell whether a statement defines a function."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return isinstance(statement.value, ast.Lambda)
    return isinstance(statement, ast.FunctionDef)


def is_main_guard(statement: ast.stmt) -> bool:
    """Tell whether a statement is `if __name__ == "__main__"`."""
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    return False


def _targets_of(statement: Any) -> list[ast.expr]:
    """List the targets of an assignment; nothing for another statement."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign | ast.AugAssign) else []


def _wrong_with(definition: ast.ClassDef, before: int) -> str:
    """Say why a class is not read, as far as that is known, and what to write instead.

    before: The number of lines of the file before the source.
    """
    bases = {base.id for base in definition.bases if isinstance(base, ast.Name)}
    methods = (getattr(part, "name", "") for part in definition.body)
    operator = next(filter(is_operator, methods), None)
    why = getattr(definition, "why_unclear", None)
    if bases - _BASES and not why:
        return "a class with a base class is not read: write the methods of both into one class"
    if operator and not why:
        return f"a class with {operator} is not read: give the method another name, and call it"
    return f"this class is not read: {why(before)}" if why else REFUSED[ast.ClassDef]


def _value_of(statement: Any) -> ast.expr:
    """Return the value that a statement assigns; of `a += b`, `a + b`."""
    value: ast.expr = statement.value
    if isinstance(statement, ast.AugAssign):
        before = ast.Name(getattr(statement.target, "id", ""), ast.Load())
        made = ast.copy_location(ast.BinOp(before, statement.op, value), statement)
        value = ast.fix_missing_locations(made)
    return value


class _NoProgram(Wrong):
    """Raised for a function whose parameters are no inputs."""


class _SourceReader:
    """Reads one source."""

    def __init__(self, source: Source, speech: Speech, reading: Reading) -> None:
        self.source = source
        self.speech = speech
        self.reading = reading
        self.module = Scope(None)
        self.functions: list[tuple[str, ast.AST, Local]] = []
        self.unread: dict[str, Functions] = {}
        self.assigned: list[ast.stmt] = []
        self.others: list[ast.stmt] = []
        self.has_identity = self.has_reals = self.tells_kinds = True
        self.counts: set[int] = set()
        self.texts: list[str] = []
        self.has_functions = False

    def _may_have_arrays(self) -> bool:
        texts = (self.source.text, *(part.text for part in self.source.modules))
        return any("numpy" in text for text in texts)

    def read(self) -> None:
        """Read the programs of the source."""
        errors = len(self.reading.errors)
        try:
            tree = self._with_modules(self._without_scripts(self._parsed()))
            arrays = self._without_arrays if self._may_have_arrays() else None
            tree = rewritten(tree, ENTRIES.match, arrays)
        except RecursionError:  # a source that is nested so deeply is read as it is
            del self.reading.errors[errors:]
            tree = self._with_modules(self._without_scripts(self._parsed()))
            tree = self._without_arrays(tree)
        self.has_identity = may_tell_identity(tree)
        self.has_reals = may_have_reals(tree)
        self.tells_kinds = may_tell_kinds(tree)
        self.counts = counts_of_calls(tree)
        self.texts = texts_held_in(tree)
        self.has_functions = any(map(is_function, tree.body))
        self.others = [one for one in tree.body if not isinstance(one, ast.FunctionDef)]
        for statement in tree.body:
            self._define(statement)
        if self.functions:
            self._read_functions()
        elif len(self.reading.errors) > errors:
            return
        elif self.assigned:
            self._read_assignments()
        else:
            self._error(tree, NO_PROGRAM, self.source.named)
        self.module.names.clear()  # its functions hold it: both would wait for a collection

    def _parsed(self) -> ast.Module:
        """Parse the source, and report each statement of the module that has a syntax error.

        Such statements are left out. Words among the code are left out without a report.
        """
        whole = parsed(self.source)
        if isinstance(whole, ast.Module):
            return whole
        lines = list(_lines_of(self.source.text))
        wrong: list[ProgramError] = []
        words: list[ProgramError] = []
        for place in _statements(lines):
            first, text = lines[place.start], "\n" * place.start + "\n".join(lines[place])
            alone = parsed(self.source._replace(text=text))
            if isinstance(alone, ProgramError):
                named = _FUNCTION.match(first)
                of_code = wrong if _STATEMENT.match(first) else words
                of_code.append(alone._replace(name=named[1] if named else alone.name))
                lines[place] = [""] * len(lines[place])
        rest = parsed(self.source._replace(text="\n".join(lines)))
        if isinstance(rest, ProgramError):
            wrong, rest = [whole], ast.Module([], [])
        self.reading.errors.extend(wrong if wrong or rest.body else [*words, whole][:1])
        return rest

    def _without_scripts(self, tree: ast.Module) -> ast.Module:
        """Return the source without its main guard, and functions that only scripts have.

        Such functions take nothing, and nothing calls them. They stay if no function is left that
        may be a program. What they call is none, unless it has a program's name.
        """
        for guard in filter(is_main_guard, tree.body):
            self._note(guard, "the main guard is passed over")
        tree.body = [one for one in tree.body if not is_main_guard(one)]
        functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        taking = [one for one in functions if parameters_of(one) or one.args.kwarg]
        if not 0 < len(taking) < len(functions):
            return tree
        reads = {one: read_around(ast.Module([one], [])) for one in tree.body}
        scripts = {one for one in functions if one not in taking and not ENTRIES.match(one.name)}
        while needed := {
            one for one in scripts for other in reads.keys() - scripts if one.name in reads[other]
        }:
            scripts -= needed
        of_scripts = set().union(*(reads.pop(script) for script in scripts))
        called = set().union(*reads.values())
        free = [one for one in taking if one.name not in called or ENTRIES.match(one.name)]
        named = [one for one in free if ENTRIES.match(one.name) or one.name in _NAMELESS]
        programs = named or [one for one in free if one.name not in of_scripts]
        if not programs:
            return tree
        for one in free:
            one.is_program = one in programs or one.name not in of_scripts  # type: ignore[attr-defined]
        for script in sorted(scripts, key=lambda one: one.lineno):
            self._note(script, f"{script.name} is passed over: it takes nothing")
        tree.body = [one for one in tree.body if one not in scripts]
        return tree

    def _with_modules(self, tree: ast.Module) -> ast.Module:
        """Return the source with what it reads of modules that lie beside it."""
        if self.source.folder is None:
            return tree
        words = self.speech.meanings.keys()
        try:
            tree, parts = with_modules(tree, self.source.folder, words, ENTRIES.match, _of_module)
        except WrongModule as wrong:
            self._error(tree, wrong.message, self.source.named)
            return ast.Module([], [])
        self.source = self.source._replace(modules=tuple(parts))
        return tree

    def _without_arrays(self, tree: ast.Module) -> ast.Module:
        """Return the source with plain Python in place of NumPy; report what cannot be read."""
        if not self._may_have_arrays():
            return tree
        try:
            made, mistakes = without_arrays(tree, ENTRIES.match)
        except RecursionError:
            self._error(tree, "nested too deeply", self.source.named)
            return ast.Module([], [])
        for function, wrong in mistakes:
            self._tell([wrong], function.name, function)
        return made

    # The definitions of a module

    def _define(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef(name=name):
                self._define_function(name, statement, statement)
            case ast.Import() | ast.ImportFrom():
                import_into(self.module, statement, self.speech.meanings)
                self._note(statement, IMPORT)
            case ast.Try(body=body, orelse=[], finalbody=[]) if all(
                isinstance(part, ast.Import | ast.ImportFrom) for part in body
            ):
                for part in body:
                    self._define(part)
            case ast.Assign() | ast.AnnAssign(value=ast.expr()) | ast.AugAssign():
                self.assigned.append(statement)
                value = _value_of(statement)
                changed = names_changed_in(statement) | assigned_in_expressions(statement)
                self._spoil_names(changed | self._changed_by_calls(statement))
                for target in _targets_of(statement):
                    self._define_assigned(statement, target, value)
            case ast.Return():
                self.assigned.append(statement)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr() | ast.Assert() | ast.Delete():
                if self._spoil(statement):
                    self.assigned.append(statement)
                self._note(statement, _PASSED_OVER)
            case ast.ClassDef(name=name):
                module, before = self.source.home_of(statement.lineno)
                wrong = _wrong_with(statement, before)
                self.module.names[name] = Foreign(wrong)
                kinds = ast.FunctionDef | ast.AsyncFunctionDef
                if module is not None:  # programs that read it say so
                    pass
                elif any(isinstance(part, kinds) for part in statement.body):
                    self._error(statement, wrong)
                else:
                    self._note(statement, "the class is passed over: it has no functions")
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                self._note(statement, IMPORT)
            case ast.For() | ast.While() | ast.If() | ast.With() | ast.Try() if (
                self.has_functions and not any(nodes_in(statement, kind) for kind in _DEFINITIONS)
            ):
                self._spoil(statement)
                for name in stored_in(statement):
                    self.module.names[name] = Foreign(_CHANGED.format(name))
                self._note(statement, _PASSED_OVER)
            case _:
                self._spoil(statement)
                other = "outside of functions only assignments are read: leave this out"
                self._error(statement, REFUSED.get(type(statement), other))

    def _define_function(self, name: str, node: ast.AST, function: Functions) -> None:
        """Define a function under a name; node: where the name stands."""
        try:
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                raise Wrong(function.decorator_list[0], NO_DECORATORS)
            local = self._writer().local(function, in_module=True)
        except (Wrong, RecursionError) as error:
            wrong = error if isinstance(error, Wrong) else Wrong(node, "nested too deeply")
            self._tell([wrong], name, node)
            self.module.names[name] = Foreign(f"{name} cannot be read")
            self.unread[name] = function
            for decorator in getattr(function, "decorator_list", []):
                self._spoil(placed(ast.Expr(decorator), decorator))
            return
        self.module.names[name] = local
        if not name.startswith(" "):  # else of Python's library
            self.functions.append((name, node, local))

    def _define_assigned(self, statement: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        """Bind the names of a target to the value that a module assigns."""
        if isinstance(target, ast.Name):
            named = self.module.names.get(value.id) if isinstance(value, ast.Name) else None
            if isinstance(named, Local):
                self.module.names[target.id] = named
                self.functions.append((target.id, target, named))
            elif isinstance(value, ast.Lambda):
                self._define_function(target.id, target, value)
            else:
                self._forget_function(target.id, statement)
                self.module.names[target.id] = Deferred(value, target)
        elif isinstance(target, ast.Tuple | ast.List):
            for name in names_in(target):
                self.module.names[name] = Deferred(value, target)
        else:
            self._spoil(statement)

    def _forget_function(self, name: str, statement: ast.stmt) -> None:
        """Leave out a function whose name a module gives to something else."""
        kept = [one for one in self.functions if one[0] != name]
        if len(kept) < len(self.functions) and (ENTRIES.match(name) or name in _NAMELESS):
            what = f"{name!r} is assigned again: give the function a name of its own"
            self._error(statement, what, name)
        self.functions = kept

    def _spoil(self, statement: ast.stmt) -> bool:
        """Make what an unread statement changes unreadable. Returns whether it changes anything."""
        return self._spoil_names(changed_in(statement) | self._changed_by_calls(statement))

    def _changed_by_calls(self, statement: ast.stmt) -> Set[str]:
        return changed_by_calls(statement, self.module.names, self.unread)

    def _spoil_names(self, changed: Set[str]) -> bool:
        names, is_any = self.module.names, False
        for function in filter(None, map(names.get, changed)):
            if isinstance(function, Local):  # `f().append(3)` changes what the function gives
                given = [function.node, *self._mentioned(function)]
                changed = set(changed).union(*(loads(one) - names_of(one) for one in given))
        held: dict[Any, set[str]] = {}
        for name, meaning in names.items() if changed else ():
            if isinstance(meaning, Deferred):
                of_value = meaning.value if isinstance(meaning.target, ast.Name) else name
                parts = {one.name for one in exposed(meaning.value) if one.levels < ALL}
                held.setdefault(of_value, parts).add(name)
        size = -1
        while size < len(changed):  # what one name holds may be held by others
            size = len(changed)
            changed = set(changed).union(*(one for one in held.values() if one & changed))
        for name in changed:
            if isinstance(names.get(name), Deferred | Foreign):
                names[name] = Foreign(_CHANGED.format(name))
                is_any = True
        return is_any

    # Programs

    def _writer(self) -> Statements:
        speech = self.speech
        writer = Statements(speech.language, speech.vocabulary, self.module, speech.meanings)
        writer.has_identity = self.has_identity
        writer.has_reals = self.has_reals
        writer.tells_kinds = self.tells_kinds
        writer.counts = self.counts
        return writer

    def _read_functions(self) -> None:
        """Read the functions that no other function uses, or that have a name of a program."""
        entries = {local.node for name, _, local in self.functions if ENTRIES.match(name)}
        nodes = [local.node for _, _, local in self.functions]
        used: set[ast.AST] = {part for part in nodes if not getattr(part, "is_program", True)}
        read: dict[int, tuple[Read | list[Wrong], Sequence[tuple[ast.AST, str]]]] = {}
        last_first = range(len(nodes) - 1, -1, -1)  # most functions stand behind those they use
        for k in sorted(last_first, key=lambda k: nodes[k] not in entries):
            if nodes[k] in entries or nodes[k] not in used:
                name, node, local = self.functions[k]
                run = partial(self._run, node, local)
                writer, result = self._program(name, node, run, self._writer_of(local))
                used |= self._used_by(name, local, writer, result)
                read[k] = result, writer.notes
        programs = [k for k in sorted(read) if nodes[k] in entries or nodes[k] not in used]
        has_entry = any(nodes[k] in entries and isinstance(read[k][0], Read) for k in programs)
        for k in programs:
            (name, node, _), (result, notes) = self.functions[k], read[k]
            is_needless = has_entry and nodes[k] not in entries
            if is_needless and isinstance(result, list) and isinstance(result[0], _NoProgram):
                self._note(node, f"{name} is passed over: no function calls it")
                continue
            if isinstance(result, list):
                self._tell(result, name, node)
                continue
            for place, note in notes:
                self._note(place, note)
            if len(programs) == 1:
                result = result._replace(program=_named_by(self.source, result.program))
            self.reading.programs.append(result)

    def _used_by(self, name: str, local: Local, writer: Statements, result: Any) -> set[ast.AST]:
        """Return the functions that a function uses, or may use if it is wrong, but itself."""
        others = self._mentioned(local) if isinstance(result, list) else set()
        last = self.module.names.get(name)  # another definition of the name may be the last
        return (writer.used | others) - {local.node, getattr(last, "node", None)}

    def _mentioned(self, local: Local) -> set[ast.AST]:
        """Return the module's functions that a function, or one that it mentions, mentions."""
        mentioned: dict[ast.AST, Local] = {}
        found = [local]
        for one in found:
            for name in sorted(loads(one.node) - names_of(one.node)):
                meaning = self.module.names.get(name)
                if isinstance(meaning, Local) and meaning.node not in mentioned:
                    mentioned[meaning.node] = meaning
                    found.append(meaning)
        return set(mentioned)

    def _writer_of(self, local: Local) -> Callable[[], Statements]:
        """Return what makes writers for a program, by what its functions may have."""
        functions = [local.node, *self._mentioned(local)]
        has_reals = self.has_reals and any(map(may_have_reals, [*functions, *self.others]))
        has_arrays = any(hasattr(one, "arrays") for one in functions)

        def writer() -> Statements:
            made = self._writer()
            made.has_reals = has_reals
            made.tells_kinds = self.tells_kinds and not has_arrays
            return made

        return writer

    def _program(
        self,
        name: str,
        node: ast.AST,
        run: Callable[[Statements], Any],
        new_writer: Callable[[], Statements],
    ) -> tuple[Statements, Read | list[Wrong]]:
        """Read a program with a new writer, again if that shows more of what values may be.

        run: Writes the program, and returns the value that it returns.
        """
        writer = new_writer()
        result = self._result(name, node, run, writer)
        while writer.shows_more:
            writer, shown = new_writer(), writer
            writer.may_hold_mappings = shown.may_hold_mappings or shown.holds_mappings
            writer.may_hold_counters = shown.may_hold_counters or shown.holds_counters
            writer.may_give_lists = shown.may_give_lists or shown.gives_lists
            result = self._result(name, node, run, writer)
        return writer, result

    def _result(
        self, name: str, node: ast.AST, run: Callable[[Statements], Any], writer: Statements
    ) -> Read | list[Wrong]:
        try:
            writer.learn_texts(node, self.texts)
            returned = run(writer)
            if returned is None and not writer.errors:
                message = "the program does not return anything: end it with `return`"
                writer.errors.append(Wrong(node, message))
            if not writer.errors:
                word = writer.as_word(node, writer.no_iterator(node, returned))
            if writer.errors:  # a function that is returned is read only now
                return writer.errors
        except Wrong as wrong:
            return [*writer.errors, wrong]
        except RecursionError:
            return [Wrong(node, "nested too deeply")]
        program = Program(name, tuple(writer.body.operations), word)
        places = Place.of(node), [*map(Place.of, writer.body.places)]  # the tree may be freed
        return Read(program, self.source, lambda: places)

    def _run(self, node: ast.AST, local: Local, writer: Statements) -> Any:
        """Write a function as a program, and return the value that it returns."""
        given: dict[str, Any] = self._inputs(local)
        # If anything changes in place, the grid is a list of lists.
        if any(map(names_changed_in, {local.node, *self._mentioned(local)})):
            writer.has_lists = True
            main, hold = self.speech.main_input, Hold(ALL, 2)
            given |= {name: Owned(word, hold) for name, word in given.items() if word == main}
        only = [one.arg for one in local.node.args.kwonlyargs if one.arg in given]
        named = {name: given.pop(name) for name in only}
        return writer.run(node, local, [*given.values()], named)

    def _inputs(self, local: Local) -> dict[str, str]:
        """Return the inputs of a program: one for each parameter without a default."""
        nodes = parameters_of(local.node)
        if local.node.args.vararg in nodes[1:]:  # else the grid is its first element
            nodes.remove(local.node.args.vararg)
        parameters = [node.arg for node in nodes]
        needed = len(parameters) - len(local.defaults)
        inputs = self.speech.language.inputs
        named = set(parameters[:needed]) & set(inputs)
        others = [name for name in parameters[:needed] if name not in inputs]
        main = self.speech.main_input
        if len(others) > 1 or (others and (main is None or main in named)):
            message = f"parameter {others[-1]!r} is not an input ({', '.join(inputs)})"
            if main is not None:
                message += ": use these names, or one parameter alone"
            raise _NoProgram(nodes[parameters.index(others[-1])], message)
        return {name: name if name in inputs else str(main) for name in parameters[:needed]}

    def _read_assignments(self) -> None:
        """Read the assignments of a module as a program that returns `O` or the last variable."""
        name = self.source.unnamed or "program"
        first = self.assigned[0]
        names = {
            name: found
            for name, found in self.module.names.items()
            if not isinstance(found, Deferred)
        }

        def run(writer: Statements) -> Any:
            self.module.names = dict(names)
            returned = writer.block(self.assigned)
            return self._last_assigned() if returned is None else returned

        _, result = self._program(name, first, run, self._writer)
        if isinstance(result, list):
            self._tell(result, name, first)
        else:
            self.reading.programs.append(result)

    def _last_assigned(self) -> Any:
        names = self.module.names
        if "O" in names:
            return names["O"]
        for statement in reversed(self.assigned):
            for target in _targets_of(statement)[:1]:
                return names.get(next(names_in(target), ""))
        return None

    # Reports

    def _error(self, node: Any, message: str, name: str = "", begin: int = 0) -> None:
        error = self.source.mistake(node, message, name, begin)
        if error not in self.reading.errors:
            self.reading.errors.append(error)

    def _tell(self, mistakes: Sequence[Wrong], name: str, node: ast.AST) -> None:
        """Report the mistakes of a program. node: Where its name stands."""
        for wrong in mistakes:
            self._error(wrong.node, wrong.message, name, place_of(node)[0])

    def _note(self, node: Any, message: str) -> None:
        line = place_of(node)[0] + self.source.before
        if line > self.source.line:  # else of a module
            self.reading.notes.append(f"{self.source.file}:{line}: {message}")
