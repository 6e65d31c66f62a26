"""The syntax trees of machine functions, for translators.

A machine function is written in a small subset of Python: int64 numbers; `if`, `while`, `for` over
a range; arithmetic, comparisons, calls of machine functions; words of the heap. A loop may pass
arrays: a machine function reads and stores their elements, as int64, and reads their shapes. This
module writes statements in few forms, so that translators never meet `required`, for example.
"""

import ast
import builtins
import linecache
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache, cached_property
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from megabatt.runtime.engine.machine.functions import MachineFunction, Routine, taken_by
from megabatt.runtime.engine.machine.layout import WRONG, required

HEAP = object()
"""Stands for the heap as the argument of a parameter of another name, such as an array."""


class Untranslatable(TypeError):
    """Raised if a machine function uses anything that a translator does not know."""


_HINTS: list[tuple[Any, str]] = [
    ((ast.List, ast.ListComp, ast.GeneratorExp), "`begin_node` makes containers"),
    (ast.For, "loop over `range`"),
    (ast.Raise, "return a wrong word, such as `NO_VALUE`"),
    (ast.Constant, "numbers are ints"),
]
"""Hints for messages: what to write in place of some parts of Python."""


class Callee(NamedTuple):
    """A machine function that is called.

    routine: The function's routine, or None. given: The parameters that are functions, or the heap
    under another name, which distinguish specializations. arrays: The parameters that are arrays,
    with their kinds. arguments: The passed arguments by parameter.
    """

    function: Callable[..., Any]
    routine: Routine | None
    given: dict[str, Any]
    arrays: dict[str, Any]
    arguments: dict[str, ast.expr]


class Source:
    """A machine function: its syntax tree, and the meanings of its names."""

    def __init__(
        self,
        function: Callable[..., Any],
        arrays: dict[str, Any] | None = None,
        given: dict[str, Any] | None = None,
    ) -> None:
        """Read a function. arrays, given: see `Callee`."""
        self.function = function
        self.arrays = arrays or {}
        self.given = given or {}
        self.tree = _tree_of(function)
        names = [parameter.arg for parameter in self.tree.args.args]
        self.heaps = {"heap", *[name for name in self.given if self.given[name] is HEAP]}
        self.parameters = [name for name in names if name not in self.given or name in self.heaps]
        stored = [
            node.id
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        self.locals = list(dict.fromkeys(name for name in stored if name not in self.parameters))

    @cached_property
    def results(self) -> int:
        """How many numbers the function returns; 1 for a function that returns none."""
        returned = [node.value for node in ast.walk(self.tree) if isinstance(node, ast.Return)]
        counts = {len(value.elts) for value in returned if isinstance(value, ast.Tuple)}
        return counts.pop() if counts else 1

    def is_global(self, node: ast.expr) -> bool:
        """Tell whether an expression names something other than a variable."""
        if isinstance(node, ast.Attribute):
            return True
        return isinstance(node, ast.Name) and node.id not in [*self.parameters, *self.locals]

    def meant(self, node: ast.expr) -> Any:
        """Return the meaning of a name that is no variable."""
        match node:
            case ast.Name(name) if name in self.given:
                return self.given[name]
            case ast.Name(name) if name in self.function.__globals__:
                return self.function.__globals__[name]
            case ast.Name(name) if hasattr(builtins, name):
                return getattr(builtins, name)
            case ast.Attribute(ast.Name() as of, name) if isinstance(
                module := self.meant(of), ModuleType
            ):
                if hasattr(module, name):
                    return getattr(module, name)
                near = get_close_matches(name, dir(module), 1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise Untranslatable(f"{self.place(node)}: {of.id} has no {name!r}{meant}")
        raise self.unknown(node)

    def number(self, node: ast.expr) -> int | None:
        """Return the number of a constant expression; None for other expressions."""
        match node:
            case ast.Constant(value):
                pass
            case ast.Name() | ast.Attribute() if self.is_global(node):
                value = self.meant(node)
            case ast.BinOp(ast.Constant(int(left)), ast.Pow(), ast.Constant(int(right))):
                value = left**right
            case _:
                return None
        if not isinstance(value, int):
            raise self.unknown(node)
        return int(value)

    def callee(self, node: ast.Call) -> Callee | None:
        """Return the machine function of a call; None for other functions."""
        meant = self.meant(node.func)
        if meant is required:
            name = ast.unparse(node.func)
            rule = f"write {name}(word), of one word, alone or as `name = {name}(word)`"
            raise Untranslatable(f"{self.place(node)}: {rule}")
        if not isinstance(meant, MachineFunction):
            return None
        parameters = taken_by(meant.function)
        if len(parameters) != len(node.args) or node.keywords:
            takes = f"{ast.unparse(node.func)} takes ({', '.join(parameters)})"
            raise Untranslatable(f"{self.unknown(node)}: {takes}")
        given: dict[str, Any] = {}
        arguments: dict[str, ast.expr] = {}
        arrays: dict[str, Any] = {}
        for parameter, argument in zip(parameters, node.args, strict=True):
            named = self.meant(argument) if self.is_global(argument) else None
            if isinstance(named, MachineFunction):
                given[parameter] = named
                continue
            arguments[parameter] = argument
            if parameter != "heap" and isinstance(argument, ast.Name):
                if argument.id in self.heaps:
                    given[parameter] = HEAP
                elif argument.id in self.arrays:
                    arrays[parameter] = self.arrays[argument.id]
        return Callee(meant.function, meant.routine, given, arrays, arguments)

    def unknown(self, node: ast.AST) -> Untranslatable:
        """Return the error on an unknown part of the function."""
        text = ast.unparse(node).partition("\n")[0]
        hint = next((f": {hint}" for kinds, hint in _HINTS if isinstance(node, kinds)), "")
        match node:
            case ast.For(_, _, _, [_, *_]) | ast.While(_, _, [_, *_]):
                hint = ": a loop may have no `else`"
            case ast.Call(ast.Name(name)) if name in self.function.__globals__:
                hint = ": a function of your own needs `@machine_function` above it"
        return Untranslatable(f"{self.place(node)}: {text} is not known to the machine{hint}")

    def place(self, node: ast.AST | None = None) -> str:
        """Return the place of the function, or of a part of it, for messages."""
        code = self.function.__code__
        line = getattr(node, "lineno", code.co_firstlineno)
        if hasattr(self.function, "source"):
            line = code.co_firstlineno  # of the file; the tree is of the generated source
        return f"{code.co_filename}:{line}: {self.function.__name__}"


def must_return(function: Callable[..., Any]) -> None:
    """Raise Untranslatable if a function may end without a return statement."""
    if not _returns(_tree_of(function).body):
        raise Untranslatable(f"{Source(function).place()}: it may end without a return")


def _returns(statements: list[ast.stmt]) -> bool:
    match statements[-1:]:
        case [ast.Return() | ast.While(ast.Constant(True))]:
            return True
        case [ast.If(_, body, orelse)]:
            return _returns(body) and _returns(orelse)
    return False


class _FewForms(ast.NodeTransformer):
    """Writes statements in few forms.

    A statement with `required` returns a wrong word. Numbers that are assigned together are stored
    first. A loop over a range is a `while` loop. Docstrings are left out.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._globals = function.__globals__
        self._ranges = 0

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        self.generic_visit(node)
        match node:
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds, []), body, []) if (
                0 < len(bounds) < 4
            ):
                first, end, step = ["0", *map(ast.unparse, bounds), "1"][len(bounds) > 1 :][:3]
                self._ranges += 1
                k, last, by = (f"_{part}_{self._ranges}" for part in ("counter", "end", "step"))
                made = ast.parse(
                    f"{k} = {first}\n{last} = {end}\n{by} = {step}\n"
                    f"while {by} > 0 and {k} < {last} or {by} < 0 and {k} > {last}:\n"
                    f"    {name} = {k}\n    {k} = {k} + {by}\n"
                ).body
                for part in [part for statement in made for part in ast.walk(statement)]:
                    ast.copy_location(part, node)
                made[-1].body += body  # type: ignore[attr-defined]
                return made
        return [node]

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                names = [f"_value_{k}" for k in range(len(values))]
                made = [_stored(*pair, node) for pair in zip(names, values, strict=True)]
                for target, name in zip(targets, names, strict=True):
                    value = ast.Name(name, ast.Load())
                    made.append(ast.copy_location(ast.Assign([target], value), node))
                return made
        first = self._required_by(node.value)
        if first:
            node.value = ast.Name("_required", ast.Load())
        return [*first, node]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        value = ast.BinOp(node.target, node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.copy_location(ast.Return(node.value or ast.Constant(0)), node)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        if isinstance(node.value, ast.Constant):
            return []
        return self._required_by(node.value) or [node]

    def _required_by(self, node: ast.expr) -> list[ast.stmt]:
        """Return the statements for `required(word)`, none for other expressions."""
        match node:
            case ast.Call(called, [word], []) if self._is_required(called):
                value = ast.Name("_required", ast.Load())
                is_wrong = ast.Compare(value, [ast.LtE()], [ast.Constant(WRONG)])
                returned = ast.If(is_wrong, [ast.Return(value)], [])
                return [_stored("_required", word, node), ast.copy_location(returned, node)]
        return []

    def _is_required(self, called: ast.expr) -> bool:
        match called:
            case ast.Name(name):
                return self._globals.get(name) is required
            case ast.Attribute(ast.Name(module), name):
                return getattr(self._globals.get(module), name, None) is required
        return False


def _stored(name: str, value: ast.expr, node: ast.AST) -> ast.stmt:
    """Return the assignment of a value to a variable. node: What it is a part of."""
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)


@cache
def _tree_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function, with statements in few forms."""
    tree = _FewForms(function).visit(_written_tree_of(function))
    assert isinstance(tree, ast.FunctionDef)
    return ast.fix_missing_locations(tree)


def _written_tree_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return a function's syntax tree. Raises Untranslatable if its file has changed since."""
    code = function.__code__
    source = getattr(function, "source", None)
    if source is not None:
        (tree,) = ast.parse(source).body
        assert isinstance(tree, ast.FunctionDef)
        return tree
    found = _functions_in(code.co_filename).get((code.co_name, code.co_firstlineno))
    if found is None:
        raise Untranslatable(f"{code.co_filename}: the source of {code.co_name} is not there")
    tree, made = found
    if _meaning(made) != _meaning(code):
        what = f"{code.co_filename}:{code.co_firstlineno}: {code.co_name}"
        raise Untranslatable(f"{what} has changed since it was loaded: start again")
    return tree


def _meaning(code: CodeType) -> tuple[Any, ...]:
    return code.co_code, code.co_names, code.co_consts


@cache
def _functions_in(path: str) -> dict[tuple[str, int], tuple[ast.FunctionDef, CodeType]]:
    """Return the functions of a file, or of a notebook's cell, by their names and first lines."""
    tree = ast.parse("".join(linecache.getlines(path)))
    codes = {
        (code.co_name, code.co_firstlineno): code
        for code in _codes_in(compile(tree, path, "exec", dont_inherit=True))
    }
    places = {
        (node.name, min([node.lineno, *[d.lineno for d in node.decorator_list]])): node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    return {place: (node, codes[place]) for place, node in places.items()}


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)
