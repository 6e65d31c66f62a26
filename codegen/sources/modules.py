"""Takes what a source imports from modules that lie beside it. Nothing of them is executed.

    from common import crop            def bounds(grid): ...
    def solve(I):                      def crop(grid): ... bounds(grid) ...
        return crop(I)                 def solve(I): return crop(I)

The definitions that the source reads stand before it, with those that they read. Of several
definitions of one name, one keeps the name; others become `_common_crop`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from megabatt.codegen.analysis.names import (
    assigned_in,
    bound_in,
    changed_in,
    stored_in,
)
from megabatt.codegen.analysis.nodes import copy_of_all, forget, nodes_in, placed
from megabatt.codegen.analysis.ownership import ALL, exposed, names_changed_in
from megabatt.codegen.analysis.scopes import is_library
from megabatt.codegen.rewriting.local_names import read_around, rename_in_scopes

_OF_LANGUAGE = {"arc_dsl", "arc_types", "constants", "dsl"}
"""Modules of which the language's words keep their meaning, whatever a file defines."""
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]*)", re.MULTILINE)


_MODULE = " module:"
"""What begins the names of modules while no local of the same name is one."""
_LATE = float("inf")
"""The line of what functions import: they run behind all lines."""
_Import = ast.Import | ast.ImportFrom
Definition = tuple["_Unit", str]
"""A name of a module, and the module; of a module itself, the name is ""."""


class Part(NamedTuple):
    """A module of which definitions were taken."""

    file: str
    text: str

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1


class WrongModule(Exception):
    """Raised where a module cannot be taken in. message: Why."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def imported_files(text: str, folder: Path) -> set[Path]:
    """Return the files of modules that a source imports, as far as its lines tell."""
    found = (_file_of(folder, name, len(dots)) for dots, name in set(_IMPORT.findall(text)))
    return {file for file in found if file is not None}


def may_need_modules(text: str, folder: Path) -> bool:
    """Tell whether a source may read what is not of the language from a module beside it."""
    return any(file.stem not in _OF_LANGUAGE for file in imported_files(text, folder))


def with_modules(
    tree: ast.Module,
    folder: Path,
    words: Set[str],
    is_program: Callable[[str], object],
    parse: Callable[[str, str], ast.Module],
) -> tuple[ast.Module, list[Part]]:
    """Return a source with what it reads of modules in a folder, and these modules.

    The lines of a module begin behind those of the modules before it, those of the source behind
    all of them. Changes the tree. Raises WrongModule.

    words: The names of the language. is_program: Tells whether a function of this name is a
    program; a module has none. parse: Parses a file's text; raises WrongModule.
    """
    if not any(nodes_in(tree, kind) for kind in (ast.Import, ast.ImportFrom)):
        return tree, []
    linker = _Linker(words, parse)
    source = linker.unit(Part("", ""), folder, tree)
    if not source.imported and not source.stars:
        return tree, []
    linker.note_changes()
    needed = linker.needed_by(source)
    names = linker.names_for(source, needed, is_program)
    parts, body, before = list[Part](), list[ast.stmt](), 0
    for unit in linker.units:
        taken = {
            one
            for name, each in unit.defined.items()
            if (unit, name) in names
            for one in each
        }
        if taken:
            written = [copy_of_all(one) for one in unit.tree.body if one in taken]
            linker.write(unit, ast.Module(written, []), names)
            body += [ast.increment_lineno(one, before) for one in written]
            parts.append(unit.part)
            before += unit.part.lines
    linker.write(source, tree, names)
    tree.body = [*body, *(ast.increment_lineno(one, before) for one in tree.body)]
    forget(tree)
    return tree, parts


class _Unit:
    """A source or a module: what its names stand for.

    part: Its file. folder: Where it lies. defined: The statements that bind or change each name.
    imported: The definitions that imports bind to names. stars: The modules of `import *`, and
    the lines; None is the language. left_out: For each import, the names that it takes from modules
    beside the source.
    """

    def __init__(self, part: Part, folder: Path, tree: ast.Module) -> None:
        self.part = part
        self.folder = folder
        self.tree = tree
        self.defined: dict[str, list[ast.stmt]] = {}
        for statement in tree.body:
            for name in _bound_by(statement):
                self.defined.setdefault(name, []).append(statement)
        self.imported: dict[str, Definition] = {}
        self.replaced: dict[str, Definition] = {}
        """What imports bind to names that the file then assigns."""
        self.lines: dict[str, float] = {}
        """The lines of the imports."""
        self.stars: list[tuple[_Unit | None, float]] = []
        self.left_out: dict[_Import, set[str]] = {}

    def takes_elsewhere(self, statement: ast.stmt, name: str) -> bool:
        """Tell whether a statement imports a name, and not from a module beside the source."""
        if not isinstance(statement, _Import):
            return False
        taken = self.left_out.get(statement, set())
        return any(
            alias.name not in taken and (alias.asname or alias.name.partition(".")[0]) == name
            for alias in statement.names
        )

    @property
    def public(self) -> Set[str] | None:
        """The names of its `__all__`; None if it has none. Raises WrongModule."""
        match self.defined.get("__all__", []):
            case []:
                return None
            case [ast.Assign([ast.Name()], ast.List(parts) | ast.Tuple(parts))] if all(
                isinstance(part, ast.Constant) for part in parts
            ):
                return {getattr(part, "value", "") for part in parts}
        raise WrongModule(f"`__all__` of {self.part.file} is not read: write one list of texts")


class _Linker:
    """The modules that a source imports, and those that these import.

    units: They and the source, each behind those that it imports.
    """

    def __init__(self, words: Set[str], parse: Callable[[str, str], ast.Module]) -> None:
        self.units: list[_Unit] = []
        self._words = words
        self._parse = parse
        self._known: dict[str, _Unit] = {}
        self._changed_elsewhere: dict[Definition, tuple[_Unit, set[Definition]]] = {}
        """What another file changes, the file, and the readers that may read it nevertheless."""

    def unit(self, part: Part, folder: Path, tree: ast.Module) -> _Unit:
        """Return a source or a module, and note what it imports. Changes the tree if it does."""
        tree.body = [one for part in tree.body for one in self._certain(part, folder)]
        unit = self._known[part.file] = _Unit(part, folder, tree)
        imports: list[_Import] = [*nodes_in(tree, ast.Import), *nodes_in(tree, ast.ImportFrom)]
        imports.sort(key=_place_of)
        for statement in [one for one in imports if not one.col_offset]:
            self._import(unit, statement)
        self.units.append(unit)
        for statement in [one for one in imports if one.col_offset]:  # done when functions run
            self._import(unit, statement)
        self._settle(unit)
        if not unit.left_out:
            return unit
        _ImportsLeftOut(unit).visit(tree)
        of_modules = {name.partition(".")[0] for name, home in unit.imported.items() if not home[1]}
        marked = {name: _MODULE + name for name in of_modules}
        rename_in_scopes(tree, lambda scope, _: marked if scope is tree else {})
        return unit

    def _certain(self, statement: ast.stmt, folder: Path) -> list[ast.stmt]:
        """Return the imports of a `try`, if all are of modules beside the source."""
        match statement:
            case ast.Try(body, _, [], []) if all(
                isinstance(one, ast.ImportFrom) and _file_of(folder, one.module or "", one.level)
                for one in body
            ):
                for one in nodes_in(statement, ast.ImportFrom):
                    one.col_offset = 0
                return body
        return [statement]

    def _settle(self, unit: _Unit) -> None:
        """Leave each name one meaning, the last that it gets. Raises WrongModule otherwise."""
        for name in sorted(unit.defined.keys() | unit.imported.keys()):
            homes: list[tuple[Definition | None, float]] = [
                (self.home_of(star, name), line)
                for star, line in unit.stars if star and self._gives(star, name)
            ]  # fmt: skip
            if name in unit.imported:
                homes.insert(0, (unit.imported[name], unit.lines[name]))
            if homes:
                self._settle_imported(unit, name, homes)

    def _settle_imported(
        self, unit: _Unit, name: str, homes: Sequence[tuple[Definition | None, float]]
    ) -> None:
        """Leave a name that is imported one meaning. Raises WrongModule if it has several.

        homes: What modules beside the source bind to the name, and the lines of the imports.
        """
        each = unit.defined.get(name, [])
        own = [one for one in each if not isinstance(one, _Import) and name in _assigned_by(one)]
        library = [one for one in each if unit.takes_elsewhere(one, name)]
        (first, begin), *others = homes
        last = max(line for _, line in homes)
        twice = WrongModule(f"{name!r} is imported twice: leave one out, or rename it")
        if own:
            if last >= min(one.lineno for one in own):
                raise WrongModule(f"{name!r} is defined and imported: leave one out, or rename it")
            if first:
                unit.replaced[name] = first
            unit.imported.pop(name, None)
        elif name in unit.imported:
            if library or any(home != first and (line > begin or begin == _LATE)
                              for home, line in others):  # fmt: skip
                raise twice
            unit.defined.pop(name, None)
        elif not library:  # what changes it alone
            del unit.defined[name]
        elif last > max(one.lineno for one in library) and any(
            home and _of_import(*home) != _of_import(unit, name) for home, _ in homes
        ):
            raise twice

    def _import(self, unit: _Unit, statement: _Import) -> None:
        """Note what an import takes from modules beside the source."""
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                is_taken = self._import_module(unit, statement, alias)
            else:
                is_taken = self._import_name(unit, statement, alias)
            if is_taken:
                unit.left_out.setdefault(statement, set()).add(alias.name)

    def _bind(self, unit: _Unit, statement: _Import, name: str, home: Definition) -> None:
        """Note what an import binds to a name. Raises WrongModule if a function has another one."""
        is_last = statement.col_offset > 0
        if unit.imported.get(name, home) != home and is_last:
            raise WrongModule(f"{name!r} is imported twice: leave one out, or rename it")
        unit.imported[name] = home
        unit.lines[name] = _LATE if is_last else statement.lineno

    def _import_module(self, unit: _Unit, statement: ast.Import, alias: ast.alias) -> bool:
        """Note what `import lib.grids` takes. Returns whether it is a module beside the source."""
        names = {alias.asname: alias.name} if alias.asname else {
            name: name for name in (alias.name.partition(".")[0], alias.name)
        }  # fmt: skip
        found = {name: self._module(unit, module, 0) for name, module in names.items()}
        for name, module in found.items():
            if module:
                self._bind(unit, statement, name, (module, ""))
        return found[alias.asname or alias.name] is not None

    def _import_name(self, unit: _Unit, statement: ast.ImportFrom, alias: ast.alias) -> bool:
        """Note what `from common import crop` takes. Returns whether nothing else may have it."""
        name, level = statement.module or "", statement.level
        is_language = name.rpartition(".")[2] in _OF_LANGUAGE
        module = self._module(unit, name, level)
        if alias.name == "*":
            unit.stars += [(module, statement.lineno)] if module else []
            unit.stars += [(None, statement.lineno)] if is_language else []
            return module is not None and not is_language
        if is_language and alias.name in self._words:
            return False
        if module and self.home_of(module, alias.name):
            self._bind(unit, statement, alias.asname or alias.name, (module, alias.name))
            return True
        inner = self._module(unit, f"{name}.{alias.name}".lstrip("."), level)
        if inner:
            self._bind(unit, statement, alias.asname or alias.name, (inner, ""))
        return inner is not None

    def _module(self, unit: _Unit, name: str, level: int) -> _Unit | None:
        """Return a module that lies beside a source; None if there is none."""
        file = _file_of(unit.folder, name, level)
        if file is None:
            return None
        if str(file) not in self._known:
            try:
                text = file.read_bytes().decode("utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise WrongModule(f"cannot read {file}: {error}") from None
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            tree = self._parse(str(file), text)
            if imported_files(text, file.parent):
                tree = copy_of_all(tree)  # which `unit` changes
            self.unit(Part(str(file), text), file.parent, tree)
        return self._known[str(file)]

    def home_of(self, unit: _Unit, name: str) -> Definition | None:
        """Return the definition that a name of a module stands for; None if there is none."""
        return self._found(unit, name, set())

    def _found(self, unit: _Unit, name: str, seen: set[Definition]) -> Definition | None:
        """Return the definition that a name stands for. seen: What was looked at before."""
        if not name or (unit, name) in seen:
            return None if name else (unit, "")
        seen.add((unit, name))
        if name in unit.defined:
            return unit, name
        if name in unit.imported:
            return self._found(*unit.imported[name], seen)
        for star, _ in reversed(unit.stars):
            if star is None and name in self._words:
                return None
            if star and self._is_public(star, name) and (found := self._found(star, name, seen)):
                return found
        return None

    def _gives(self, unit: _Unit, name: str) -> bool:
        """Tell whether `import *` of a module binds a name."""
        return self._is_public(unit, name) and self.home_of(unit, name) is not None

    def _is_public(self, unit: _Unit, name: str) -> bool:
        """Tell whether `import *` of a module binds a name if the module has it."""
        if unit.part.file and Path(unit.part.file).stem in _OF_LANGUAGE and name in self._words:
            return False
        public = unit.public
        return name in public if public is not None else not name.startswith("_")

    def note_changes(self) -> None:
        """Count the statements that change a definition among those that define it."""
        changes, held = self._changes_of_functions(), self._held()
        for unit in self.units:
            for statement in unit.tree.body:
                for home, name in self._changed_by(unit, statement, changes, held):
                    if home is not unit:
                        is_called = not isinstance(statement, ast.FunctionDef | ast.ClassDef)
                        changing = {one for one in changes if (home, name) in changes[one]}
                        without = set() if is_called else changing
                        self._changed_elsewhere.setdefault((home, name), (unit, without))
                    elif name and statement not in unit.defined[name]:
                        unit.defined[name].append(statement)

    def _changes_of_functions(self) -> dict[Definition, set[Definition]]:
        """Return what functions and classes may change, also by others; parameters as "*"."""
        changes: dict[Definition, set[Definition]] = {}
        calls: dict[Definition, set[Definition]] = {}
        for unit in self.units:
            for one in unit.tree.body:
                if isinstance(one, ast.FunctionDef | ast.ClassDef):
                    node, key = ast.Module([one], []), (unit, one.name)
                    around = read_around(node).union(
                        *(part.names for part in nodes_in(one, ast.Global))
                    )
                    parameters = {part.arg for part in nodes_in(one, ast.arg)}
                    changed = self._names_changed(unit, one)
                    names = {name for name in changed if name in around or "." in name}
                    found = changes.setdefault(key, set())
                    found |= self._homes_of(unit, names)
                    found |= {(unit, "*")} if changed & parameters else set()
                    calls[key] = {home for _, home in self._reads_of(unit, node) if home}
        for _ in changes:
            before = sum(map(len, changes.values()))
            for key, called in calls.items():
                changes[key].update(*(changes[one] for one in called if one in changes))
            if before == sum(map(len, changes.values())):
                break
        return changes

    def _held(self) -> dict[Definition, set[Definition]]:
        """Return the definitions of which a definition may hold parts."""
        held: dict[Definition, set[Definition]] = {}
        for unit in self.units:
            for one in unit.tree.body:
                if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None:
                    value = self._with_names_of_modules(unit, one.value)
                    names = {part.name for part in exposed(value) if part.levels < ALL}
                    for name in _assigned_by(one):
                        held.setdefault((unit, name), set()).update(self._homes_of(unit, names))
        return held

    def _names_changed(self, unit: _Unit, node: ast.AST) -> set[str]:
        """Return the names that a node may change in place, and names of modules it assigns."""
        made = self._with_names_of_modules(unit, node)
        stored = {name for name in stored_in(made) if "." in name}
        fields = (one.value for one in nodes_in(made, ast.Attribute) if _is_stored(one))
        of_fields = {one.id for one in fields if isinstance(one, ast.Name) and one.id != "self"}
        return {*names_changed_in(made)} | stored | of_fields

    def _with_names_of_modules(self, unit: _Unit, node: Any) -> Any:
        """Return a node, or a copy of it in which `common.LIMIT` is one name."""
        if all(name for _, name in unit.imported.values()):
            return node
        written = _NamesOfModules(lambda part: bool(self._of_module(unit, part)))
        return written.visit(copy_of_all(node))

    def _homes_of(self, unit: _Unit, names: Set[str]) -> set[Definition]:
        """Return the definitions that names stand for, and `common.crop`."""
        found: set[Definition | None] = set()
        for name in names:
            before, _, last = name.rpartition(".")
            module = _module_of(unit, before) if before else unit
            found |= {self.home_of(module, last) if module else None, unit.replaced.get(name)}
        return {home for home in found if home and home[1]}

    def _changed_by(
        self,
        unit: _Unit,
        statement: ast.stmt,
        changes: Mapping[Definition, set[Definition]],
        held: Mapping[Definition, set[Definition]],
    ) -> set[Definition]:
        """Return the definitions that a statement of a module may change."""
        node = ast.Module([statement], [])
        match statement:
            case ast.Import() | ast.ImportFrom():
                return set()
            case _ if _is_main_guard(statement):
                return set()
            case ast.FunctionDef(decorator_list=parts) | ast.ClassDef(decorator_list=parts):
                node = ast.Module([placed(ast.Expr(part), part) for part in parts], [])
        names = self._names_changed(unit, node)
        reads = {home for _, home in self._reads_of(unit, node) if home and home[1]}
        changed = self._homes_of(unit, names)
        changed = changed.union(*(changes[one] for one in reads if one in changes))
        left = list(changed)
        for home in left:  # what one name holds, others hold
            new = held.get(home, set()) - changed
            changed |= new
            left += new
        of_given = {one for one in changed if one[1] == "*"}
        is_block = hasattr(statement, "orelse") and names
        return changed - of_given | (reads - changes.keys() if of_given or is_block else set())

    def _reads_of(self, unit: _Unit, node: ast.Module) -> Iterator[tuple[str, Definition | None]]:
        """Yield what statements of a module read around them, and what that stands for."""
        for name in sorted(read_around(node)):
            yield name, self.home_of(unit, name)
        for part in nodes_in(node, ast.Attribute):
            found = self._of_module(unit, part)
            if found is not None:
                yield ast.unparse(part), found

    def _of_module(self, unit: _Unit, node: ast.Attribute) -> Definition | None:
        """Return the definition that `common.crop` stands for."""
        if not isinstance(node.value, ast.Name | ast.Attribute):
            return None
        module = _module_of(unit, ast.unparse(node.value))
        return self.home_of(module, node.attr) if module else None

    def needed_by(self, source: _Unit) -> dict[Definition, None]:
        """Return the definitions that a source reads, and those that these read, and so on."""
        readers: dict[Definition, set[Definition]] = {}
        for _, home in self._reads_of(source, source.tree):
            if home and home[1] and home[0] is not source:
                readers.setdefault(home, set()).add((source, ""))
        left = list(readers)
        for unit, name in left:
            for statement in unit.defined[name]:
                reads = (home for _, home in self._reads_of(unit, ast.Module([statement], [])))
                bound = ((unit, one) for one in _bound_by(statement) if one in unit.defined)
                for home in (*bound, *reads):
                    if home and home[1]:
                        left += [] if home in readers else [home]
                        readers.setdefault(home, set()).add((unit, name))
        for (unit, name), others in readers.items():
            other, without = self._changed_elsewhere.get((unit, name), (unit, others))
            if others - without - {(unit, name)}:
                file = other.part.file or "the source"
                what = f"{name!r} of {unit.part.file} is changed in {file}"
                raise WrongModule(f"{what}: change a copy")
        return dict.fromkeys(readers)

    def names_for(
        self,
        source: _Unit,
        needed: Mapping[Definition, None],
        is_program: Callable[[str], object],
    ) -> dict[Definition, str]:
        """Return a name for each definition. Raises WrongModule if a name has two meanings."""
        own = {*bound_in(source.tree)}
        free = {name for name, home in self._reads_of(source, source.tree) if home is None} - own
        of_modules = {
            name: unit
            for unit, one in needed for statement in unit.defined[one]
            for name, home in self._reads_of(unit, ast.Module([statement], [])) if home is None
        }  # fmt: skip
        for name in sorted(source.defined.keys() & of_modules.keys()):
            file = of_modules[name].part.file
            raise WrongModule(f"{name!r} is another one in {file}: rename it here")
        inner = dict[str, set[Definition | None]]()
        """What the names of locals stand for around them, in each module."""
        for unit in self.units:
            has_modules = any(not name for _, name in unit.imported.values())
            for name in _locals_of(unit.tree):
                home = None if has_modules else self.home_of(unit, name)
                inner.setdefault(name, set()).add(home)
        taken: dict[str, object] = dict.fromkeys(own | free | of_modules.keys())
        taken |= {name: _of_import(source, name) for name in source.defined}
        names = {}
        for unit, name in needed:
            key, made = _of_import(unit, name) or object(), name
            while (
                taken.get(made, key) != key or is_program(made)
                or inner.get(made, set()) - {(unit, name)}
            ):  # fmt: skip
                made = f"_{Path(unit.part.file).stem}_{made}".replace("__", "_")
            taken[made] = key
            names[unit, name] = made
        return names

    def write(self, unit: _Unit, tree: ast.Module, names: Mapping[Definition, str]) -> None:
        """Write names of definitions as they are named. Changes the tree."""
        reads = dict(self._reads_of(unit, tree))
        reads |= {name: self.home_of(unit, name) for name in unit.defined}
        renamed = {name: names[home] for name, home in reads.items() if home and home in names}
        changed = {name: other for name, other in renamed.items() if name != other}
        forget(tree)
        rename_in_scopes(tree, lambda scope, _: changed if scope is tree else {})
        for statement in tree.body:
            match statement:
                case ast.ClassDef(name=name):
                    statement.name = changed.get(name, name)
                case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                    for alias in aliases:
                        bound = alias.asname or alias.name
                        alias.asname = changed.get(bound, alias.asname)
        _OfModules(self, unit, names).visit(tree)
        for node in nodes_in(tree, ast.Name):
            node.id = node.id.removeprefix(_MODULE)
        forget(tree)


class _ImportsLeftOut(ast.NodeTransformer):
    """Leaves out the imports of modules that lie beside a source."""

    def __init__(self, unit: _Unit) -> None:
        self._left_out = {
            _place_of(statement): names for statement, names in unit.left_out.items()
        }

    def visit_Import(self, node: Any) -> ast.stmt:
        names = self._left_out.get(_place_of(node), set())
        node.names = [alias for alias in node.names if alias.name not in names]
        return node if node.names else placed(ast.Pass(), node)

    visit_ImportFrom = visit_Import


class _NamesOfModules(ast.NodeTransformer):
    """Writes `common.LIMIT` as one name, if it is a definition of a module."""

    def __init__(self, is_definition: Callable[[ast.Attribute], bool]) -> None:
        self._is_definition = is_definition

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self._is_definition(node):
            return placed(ast.Name(ast.unparse(node), node.ctx), node)
        return self.generic_visit(node)  # type: ignore[return-value]


class _OfModules(ast.NodeTransformer):
    """Writes `common.crop` as the name of the definition."""

    def __init__(self, linker: _Linker, unit: _Unit, names: Mapping[Definition, str]) -> None:
        self._linker = linker
        self._unit = unit
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        found = self._linker._of_module(self._unit, node)
        if found is not None and found in self._names:
            return placed(ast.Name(self._names[found], node.ctx), node)
        return self.generic_visit(node)  # type: ignore[return-value]


def _is_stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _place_of(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _of_import(unit: _Unit, name: str) -> str:
    """Return what a name stands for if an import of no file binds it; else ""."""
    statements = unit.defined.get(name, [ast.Pass()])
    if not all(isinstance(one, _Import) for one in statements):
        return ""
    aliases = [alias for one in statements for alias in one.names]  # type: ignore[attr-defined]
    return next(
        f"{getattr(statements[0], 'module', '')}:{alias.name if alias.asname else name}"
        for alias in aliases if (alias.asname or alias.name.partition(".")[0]) == name
    )  # fmt: skip


def _module_of(unit: _Unit, text: str) -> _Unit | None:
    """Return the module that `common` or `lib.grids` stands for, as `unit` has marked it."""
    module, name = unit.imported.get(text.removeprefix(_MODULE), (unit, "module"))
    return None if name or not text.startswith(_MODULE) else module


def _bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module binds or changes."""
    is_one = isinstance(statement, ast.FunctionDef | ast.ClassDef | _Import) or (
        _is_main_guard(statement)
    )
    return _assigned_by(statement) | (set() if is_one else changed_in(statement))


def _locals_of(tree: ast.Module) -> set[str]:
    """Return the names that scopes within a module bind."""
    return {
        name for statement in tree.body
        for name, times in Counter(bound_in(statement)).items()
        if times > 1 or name not in _assigned_by(statement)
    }  # fmt: skip


def _assigned_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import() | ast.ImportFrom():
            return {*bound_in(statement)} - {"*"}
        case _ if _is_main_guard(statement):
            return set()
    names = {alias.asname or alias.name for alias in nodes_in(statement, ast.alias)}
    return names | assigned_in([statement]) | stored_in(statement)


def _is_main_guard(statement: ast.stmt) -> bool:
    """Tell whether a statement is run by a script alone."""
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name("__name__"))):
            return True
    return False


def _file_of(folder: Path, module: str, level: int) -> Path | None:
    """Return the file of a module that a source in a folder imports; None if there is none.

    level: The number of points before the module's name.
    """
    if not module or is_library(module):
        return None
    root = folder
    for _ in range(level - 1):
        root = root.parent
    while not level and _is_file(root / "__init__.py") and root != root.parent:
        root = root.parent
    path = root.joinpath(*module.split("."))
    for file in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
        if _is_file(file):
            return file
    return None


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # such as a name that is too long
        return False
