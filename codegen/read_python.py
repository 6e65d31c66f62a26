"""Reads `.py` sources with LibCST. Nothing of a source is ever executed or imported."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from megabatt.codegen.solver import (
    Assignment,
    Call,
    Expression,
    Literal,
    Name,
    Position,
    Solver,
    SourceError,
    Unreadable,
)

_ADVICE = "only `name = function(arguments)` and `return name`"


def read_python(file: str, text: str) -> tuple[list[Solver], list[SourceError]]:
    """Read the solver functions of a Python source.

    Args:
        file: the source's name, for positions.
        text: the source.

    Returns:
        The solvers in the source's order, and all that is wrong with its form. After a syntax
        error there are no solvers.
    """
    syntax_error = _syntax_error(file, text)
    if syntax_error is not None:
        return [], [syntax_error]
    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        reader = _Reader(file, wrapper)
        return reader.solvers(wrapper.module), reader.errors
    except cst.ParserSyntaxError as error:
        position = Position(file, error.editor_line, error.editor_column)
        return [], [SourceError(position, f"syntax error: {error.message}")]
    except RecursionError:
        return [], [SourceError(Position(file, 1, 1), "syntax error: nested too deeply")]


def _syntax_error(file: str, text: str) -> SourceError | None:
    """Let CPython's parser (the parser alone) look first.

    Its messages are the ones that people know, and it refuses the deep nesting on which
    LibCST's native parser overflows its stack.
    """
    line, column = 1, 1
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text)
        return None
    except SyntaxError as error:
        line, column, message = error.lineno or 1, error.offset or 1, error.msg
    except (RecursionError, MemoryError):
        message = "nested too deeply"
    except ValueError as error:  # null bytes
        message = str(error)
    return SourceError(Position(file, line, column), f"syntax error: {message}")


class _Reader:
    """Reads one module, collecting errors on the way."""

    def __init__(self, file: str, wrapper: MetadataWrapper) -> None:
        self._file = file
        self._ranges = wrapper.resolve(PositionProvider)
        self.errors: list[SourceError] = []

    def solvers(self, module: cst.Module) -> list[Solver]:
        solvers: list[Solver] = []
        for statement in _without_docstring(module.body):
            if isinstance(statement, cst.FunctionDef):
                solvers.append(self._solver(statement))
            elif not _is_import(statement):
                self._refuse(statement, "only solver functions")
            elif solvers:
                self._error(statement, "imports belong at the top of the file")
        return solvers

    def _solver(self, function: cst.FunctionDef) -> Solver:
        name = self._name(function.name)
        for decorator in function.decorators:
            self._error(decorator, "a solver has no decorators")
        if function.asynchronous is not None:
            self._error(function, "a solver is not async")
        parameters = self._parameters(function.params)
        assignments, result = self._body(function)
        return Solver(name, parameters, assignments, result)

    def _parameters(self, parameters: cst.Parameters) -> tuple[Name, ...]:
        others = [
            *parameters.kwonly_params,
            *parameters.posonly_params,
            parameters.star_arg,
            parameters.star_kwarg,
        ]
        for other in others:
            if isinstance(other, cst.Param | cst.ParamStar):
                self._error(other, "a solver has plain positional parameters only")
        for parameter in parameters.params:
            if parameter.default is not None:
                self._error(parameter, "a solver's parameters have no defaults")
        return tuple(self._name(parameter.name) for parameter in parameters.params)

    def _body(self, function: cst.FunctionDef) -> tuple[tuple[Assignment, ...], Expression]:
        assignments: list[Assignment] = []
        result: Expression | None = None
        for statement in self._simple_statements(function.body):
            if result is not None:
                self._error(statement, "statement after `return`")
            elif isinstance(statement, cst.Assign):
                assignments.extend(self._assignment(statement))
            elif isinstance(statement, cst.Return):
                result = self._result(statement)
            else:
                self._refuse(statement, _ADVICE)
        if result is None:
            result = self._error(function.name, "the solver does not return anything")
        return tuple(assignments), result

    def _simple_statements(self, body: cst.BaseSuite) -> list[cst.BaseSmallStatement]:
        if isinstance(body, cst.SimpleStatementSuite):  # def solve(I): return I
            return list(body.body)
        simple: list[cst.BaseSmallStatement] = []
        for statement in _without_docstring(body.body):
            if isinstance(statement, cst.SimpleStatementLine):
                simple.extend(statement.body)
            else:
                self._refuse(statement, _ADVICE)
        return simple

    def _assignment(self, statement: cst.Assign) -> list[Assignment]:
        value = self._expression(statement.value)
        if len(statement.targets) > 1:
            self._error(statement, "assign to one name at a time")
        assignments = []
        for target in statement.targets:
            if isinstance(target.target, cst.Name):
                assignments.append(Assignment(self._name(target.target), value))
            else:
                self._error(target.target, "an operation's result goes to a plain name")
        return assignments

    def _result(self, statement: cst.Return) -> Expression:
        if statement.value is None:
            return self._error(statement, "`return` needs a value")
        return self._expression(statement.value)

    def _expression(self, node: cst.BaseExpression) -> Expression:
        if isinstance(node, cst.Name) and node.value not in ("True", "False"):
            return self._name(node)
        if isinstance(node, cst.Call):
            function = self._expression(node.func)
            arguments = tuple(self._argument(argument) for argument in node.args)
            return Call(function, arguments, self._position(node))
        return self._literal(node)

    def _argument(self, argument: cst.Arg) -> Expression:
        if argument.keyword is not None:
            self._error(argument, "keyword arguments are not allowed")
        if argument.star:
            self._error(argument, "starred arguments are not allowed")
        return self._expression(argument.value)

    def _literal(self, node: cst.BaseExpression) -> Expression:
        if isinstance(node, cst.Name):
            return Literal(node.value == "True", self._position(node))
        if isinstance(node, cst.Integer):
            return Literal(int(node.value, 0), self._position(node))
        if (
            isinstance(node, cst.UnaryOperation)
            and isinstance(node.operator, cst.Minus)
            and isinstance(node.expression, cst.Integer)
        ):
            return Literal(-int(node.expression.value, 0), self._position(node))
        return self._refuse(node, "only names, integers and calls")

    def _name(self, node: cst.Name) -> Name:
        return Name(node.value, self._position(node))

    def _position(self, node: cst.CSTNode) -> Position:
        start = self._ranges[node].start
        return Position(self._file, start.line, start.column + 1)

    def _refuse(self, node: cst.CSTNode, allowed: str) -> Unreadable:
        if isinstance(node, cst.SimpleStatementLine):
            node = node.body[0]
        kind = re.sub(r"\B(?=[A-Z])", " ", type(node).__name__).lower()
        return self._error(node, f"not allowed here: {kind}; {allowed}")

    def _error(self, node: cst.CSTNode, message: str) -> Unreadable:
        position = self._position(node)
        self.errors.append(SourceError(position, message))
        return Unreadable(position)


def _without_docstring(
    body: Sequence[cst.BaseStatement | cst.BaseSmallStatement],
) -> Sequence[cst.BaseStatement | cst.BaseSmallStatement]:
    """Return the statements behind a leading string."""
    match body:
        case [cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]), *rest]:
            return rest
    return body


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(
        isinstance(part, cst.Import | cst.ImportFrom) for part in statement.body
    )
