"""Machine functions as LLVM's intermediate representation, translated from their Python source.

All numbers are int64, which wrap around; a heap is a pointer to int64. Routines are translated
here; Numba compiles loops, and what is compiled into them.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import types
from numpy import int32, int64

from megabatt.runtime.engine.device.kernels import closed_over_digest, kept_library
from megabatt.runtime.engine.machine import syntax
from megabatt.runtime.engine.machine.functions import ADDRESSES, HEAP, NUMBERS, Routine, call_at
from megabatt.runtime.engine.machine.syntax import Callee, Source

_WORD, _BIT = ir.IntType(64), ir.IntType(1)
_POINTER = _WORD.as_pointer()
_ROUTINE = ir.FunctionType(_WORD, [_POINTER, *[_WORD] * NUMBERS])
_SIGNATURE = types.int64(HEAP, *[types.int64] * NUMBERS)
_ZERO, _ONE = ir.Constant(_WORD, 0), ir.Constant(_WORD, 1)

_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.LShift: "shl", ast.RShift: "ashr",
    ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
}  # fmt: skip


_VERSION = hashlib.sha256(
    b"".join(Path(file).read_bytes() for file in (__file__, syntax.__file__))
).hexdigest()
"""Changes with this translation: what an older one has made is not loaded."""


@cache
def address_of(routine: Routine) -> int:
    """Return where a routine's compiled function is. It is compiled, or loaded from disk.

    Raises Untranslatable where the function has what is not known to the machine.
    """
    function = routine.function
    name, code = f"{function.__name__}_routine", function.__code__
    key = closed_over_digest(name, f"def {name}():\n    {_VERSION!r}", {}, function, code)
    return kept_library(
        function.__name__, key, _SIGNATURE,
        lambda symbol, module: _add_routine(symbol, function, module),
    )  # fmt: skip


def _add_routine(name: str, function: Callable[..., int], module: ir.Module) -> None:
    """Put a routine into a module under a name, with what is compiled into it."""
    entry = ir.Function(module, _ROUTINE, name)
    builder = ir.IRBuilder(entry.append_basic_block())
    body = _Functions(module).of(Source(function))
    builder.ret(builder.call(body, entry.args[: len(body.args)]))


class _Functions:
    """The functions of a module, each translated when first asked for."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._found: dict[tuple[Any, ...], ir.Function] = {}

    def of(self, source: Source) -> ir.Function:
        """Return the function of a source."""
        key = (source.function, *source.given.items())
        if key not in self._found:
            kinds = [_POINTER if name in source.heaps else _WORD for name in source.parameters]
            name = f"{source.function.__name__}.{len(self._found)}"
            made = ir.Function(self._module, ir.FunctionType(_WORD, kinds), name)
            made.linkage = "internal"
            self._found[key] = made
            _Function(self, source, made).write()
        return self._found[key]


class _Function:
    """One function's translation. Its variables lie in memory, from where LLVM takes them."""

    def __init__(self, functions: _Functions, source: Source, made: ir.Function) -> None:
        self._functions = functions
        self._source = source
        self._made = made
        self._builder = ir.IRBuilder(made.append_basic_block())
        self._heaps: dict[str, ir.Value] = {}
        self._variables: dict[str, ir.Value] = {}
        self._loops: list[tuple[ir.Block, ir.Block]] = []
        """Of each loop that is under way: where `continue` and `break` go to."""

    def write(self) -> None:
        """Write the function."""
        for name, argument in zip(self._source.parameters, self._made.args, strict=True):
            if name in self._source.heaps:
                self._heaps[name] = argument
            else:
                self._variables[name] = self._variable(argument)
        for name in self._source.locals:
            self._variables[name] = self._variable(_ZERO)
        self._block(self._source.tree.body)
        if not self._builder.block.is_terminated:
            self._builder.ret(_ZERO)

    def _variable(self, value: ir.Value) -> ir.Value:
        """Make a variable, in the function's first block."""
        with self._builder.goto_entry_block():
            place = self._builder.alloca(_WORD)
        self._builder.store(value, place)
        return place

    # ---- statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self._builder.block.is_terminated:
                return
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(ast.Constant()):
                pass
            case ast.Expr(value):
                self._value(value)
            case ast.Return(value):
                self._builder.ret(_ZERO if value is None else self._value(value))
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                for target, made in zip(targets, list(map(self._value, values)), strict=True):
                    self._store(target, made)
            case ast.Assign([target], value):
                self._store(target, self._value(value))
            case ast.AugAssign(target, operator, value):
                self._store(target, self._binary(statement, target, operator, value))
            case ast.If(test, body, orelse):
                self._if(test, body, orelse)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body, []):
                self._for(name, bounds, body)
            case ast.Break() | ast.Continue():
                self._builder.branch(self._loops[-1][isinstance(statement, ast.Break)])
            case _:
                raise self._source.unknown(statement)

    def _store(self, target: ast.expr, value: ir.Value) -> None:
        match target:
            case ast.Name(name) if name in self._variables:
                self._builder.store(value, self._variables[name])
            case ast.Subscript(ast.Name(name), index) if name in self._heaps:
                self._builder.store(value, self._place(name, index))
            case _:
                raise self._source.unknown(target)

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        yes, no, end = self._new(), self._new(), self._new()
        self._branch(test, yes, no)
        for begin, statements in ((yes, body), (no, orelse)):
            self._builder.position_at_end(begin)
            self._block(statements)
            self._go_to(end)
        self._builder.position_at_end(end)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        begin, inner, end = self._new(), self._new(), self._new()
        self._builder.branch(begin)
        self._builder.position_at_end(begin)
        self._branch(test, inner, end)
        self._looped(inner, begin, end, body)

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        """Write a loop over a range. Its bounds are found once; the counter is the loop's own."""
        given = list(map(self._value, bounds))
        if len(given) == 1:
            given = [_ZERO, *given]
        first, last, step = given if len(given) == 3 else [*given, _ONE]
        builder = self._builder
        counter = self._variable(first)
        begin, inner, next_one, end = self._new(), self._new(), self._new(), self._new()
        builder.branch(begin)
        builder.position_at_end(begin)
        k = builder.load(counter)
        rises = builder.icmp_signed(">", step, _ZERO)
        below = builder.icmp_signed("<", k, last)
        above = builder.icmp_signed(">", k, last)
        builder.cbranch(builder.select(rises, below, above), inner, end)
        builder.position_at_end(inner)
        builder.store(k, self._variables[name])
        builder.position_at_end(next_one)
        builder.store(builder.add(builder.load(counter), step), counter)
        builder.branch(begin)
        self._looped(inner, next_one, end, body)

    def _looped(
        self, begin: ir.Block, again: ir.Block, end: ir.Block, body: list[ast.stmt]
    ) -> None:
        self._loops.append((again, end))
        self._builder.position_at_end(begin)
        self._block(body)
        self._go_to(again)
        self._loops.pop()
        self._builder.position_at_end(end)

    # ---- expressions

    def _value(self, node: ast.expr) -> ir.Value:
        number = self._source.number(node)
        if number is not None:
            return ir.Constant(_WORD, number)
        match node:
            case ast.Name(name) if name in self._variables:
                return self._builder.load(self._variables[name])
            case ast.BinOp(left, operator, right):
                return self._binary(node, left, operator, right)
            case ast.UnaryOp(ast.USub(), operand):
                return self._builder.neg(self._value(operand))
            case ast.UnaryOp(ast.Invert(), operand):
                return self._builder.not_(self._value(operand))
            case ast.UnaryOp(ast.Not()) | ast.Compare():
                return self._builder.zext(self._test(node), _WORD)
            case ast.BoolOp(operator, values):
                return self._first_that_decides(operator, values)
            case ast.IfExp(test, body, orelse):
                return self._chosen(test, body, orelse)
            case ast.Subscript(ast.Name(name), index) if name in self._heaps:
                return self._builder.load(self._place(name, index))
            case ast.Call():
                return self._call(node)
        raise self._source.unknown(node)

    def _test(self, node: ast.expr) -> ir.Value:
        """Return a bit that tells whether an expression is true."""
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                return self._builder.not_(self._test(operand))
            case ast.Compare(left, operators, others):
                return self._compared(node, [left, *others], operators)
        return self._builder.icmp_signed("!=", self._value(node), _ZERO)

    def _branch(self, test: ast.expr, yes: ir.Block, no: ir.Block) -> None:
        """Go on in one of two blocks; `and` and `or` look no further than they must."""
        match test:
            case ast.BoolOp(operator, [*values, last]):
                for value in values:
                    further = self._new()
                    if isinstance(operator, ast.And):
                        self._branch(value, further, no)
                    else:
                        self._branch(value, yes, further)
                    self._builder.position_at_end(further)
                self._branch(last, yes, no)
            case ast.UnaryOp(ast.Not(), operand):
                self._branch(operand, no, yes)
            case _:
                self._builder.cbranch(self._test(test), yes, no)

    def _first_that_decides(self, operator: ast.boolop, values: list[ast.expr]) -> ir.Value:
        """Return the value of `a or b`, or of `a and b`: the first that decides, else the last."""
        found = self._variable(_ZERO)
        end = self._new()
        for value in values[:-1]:
            made = self._value(value)
            self._builder.store(made, found)
            further = self._new()
            true = self._builder.icmp_signed("!=", made, _ZERO)
            yes, no = (further, end) if isinstance(operator, ast.And) else (end, further)
            self._builder.cbranch(true, yes, no)
            self._builder.position_at_end(further)
        self._builder.store(self._value(values[-1]), found)
        self._builder.branch(end)
        self._builder.position_at_end(end)
        return self._builder.load(found)

    def _chosen(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> ir.Value:
        found = self._variable(_ZERO)
        yes, no, end = self._new(), self._new(), self._new()
        self._branch(test, yes, no)
        for begin, value in ((yes, body), (no, orelse)):
            self._builder.position_at_end(begin)
            self._builder.store(self._value(value), found)
            self._builder.branch(end)
        self._builder.position_at_end(end)
        return self._builder.load(found)

    def _compared(
        self, node: ast.expr, values: list[ast.expr], operators: list[ast.cmpop]
    ) -> ir.Value:
        """Compare numbers. In a chain all are computed, which shows in no result."""
        numbers = list(map(self._value, values))
        bits = []
        for k, operator in enumerate(operators):
            if type(operator) not in _COMPARISONS:
                raise self._source.unknown(node)
            sign = _COMPARISONS[type(operator)]
            bits.append(self._builder.icmp_signed(sign, numbers[k], numbers[k + 1]))
        made = bits[0]
        for bit in bits[1:]:
            made = self._builder.and_(made, bit)
        return made

    def _binary(
        self, node: ast.AST, left: ast.expr, operator: ast.operator, right: ast.expr
    ) -> ir.Value:
        a, b = self._value(left), self._value(right)
        if isinstance(operator, ast.FloorDiv | ast.Mod):
            return self._divided(a, b, isinstance(operator, ast.Mod))
        if type(operator) not in _OPERATORS:
            raise self._source.unknown(node)
        return getattr(self._builder, _OPERATORS[type(operator)])(a, b)

    def _divided(self, a: ir.Value, b: ir.Value, rest: bool) -> ir.Value:
        """Divide as Python does, which rounds down. Division by zero gives zero."""
        builder = self._builder
        by_zero = builder.icmp_signed("==", b, _ZERO)
        by = builder.select(by_zero, _ONE, b)
        left = builder.srem(a, by)
        other_sign = builder.icmp_signed("<", builder.xor(left, by), _ZERO)
        too_high = builder.and_(builder.icmp_signed("!=", left, _ZERO), other_sign)
        if rest:
            made = builder.select(too_high, builder.add(left, by), left)
        else:
            made = builder.sub(builder.sdiv(a, by), builder.zext(too_high, _WORD))
        return builder.select(by_zero, _ZERO, made)

    def _place(self, heap: str, index: ast.expr) -> ir.Value:
        return self._builder.gep(self._heaps[heap], [self._value(index)])

    def _call(self, node: ast.Call) -> ir.Value:
        callee = self._source.callee(node)
        if callee is not None:
            return self._call_of(callee)
        function = self._source.meant(node.func)
        if node.keywords:
            raise self._source.unknown(node)
        if function is call_at:
            address, heap, *numbers = node.args
            return self._call_routine(self._value(address), heap, list(map(self._value, numbers)))
        return self._builtin(node, function, list(map(self._value, node.args)))

    def _call_of(self, callee: Callee) -> ir.Value:
        if callee.routine is None:
            source = Source(callee.function, callee.pointers, callee.given)
            arguments = list(map(self._argument, callee.arguments.values()))
            return self._builder.call(self._functions.of(source), arguments)
        heap, *numbers = callee.arguments.values()
        assert isinstance(heap, ast.Name)
        at = ir.Constant(_WORD, ADDRESSES + callee.routine.number)
        address = self._builder.load(self._builder.gep(self._heaps[heap.id], [at]))
        return self._call_routine(address, heap, list(map(self._value, numbers)))

    def _call_routine(
        self, address: ir.Value, heap: ast.expr, numbers: list[ir.Value]
    ) -> ir.Value:
        function = self._builder.inttoptr(address, _ROUTINE.as_pointer())
        padded = [*numbers, *[_ZERO] * (NUMBERS - len(numbers))]
        return self._builder.call(function, [self._argument(heap), *padded])

    def _argument(self, node: ast.expr) -> ir.Value:
        if isinstance(node, ast.Name) and node.id in self._heaps:
            return self._heaps[node.id]
        return self._value(node)

    def _builtin(self, node: ast.Call, function: Any, values: list[ir.Value]) -> ir.Value:
        builder = self._builder
        match function, values:
            case _, [value] if function is int64:
                return value
            case _, [value] if function is int32:
                return builder.sext(builder.trunc(value, ir.IntType(32)), _WORD)
            case _, [value] if function is abs:
                negative = builder.icmp_signed("<", value, _ZERO)
                return builder.select(negative, builder.neg(value), value)
            case _, [first, *others] if function in (min, max):
                for value in others:
                    sign = "<" if function is min else ">"
                    better = builder.icmp_signed(sign, value, first)
                    first = builder.select(better, value, first)
                return first
        raise self._source.unknown(node)

    def _new(self) -> ir.Block:
        return self._made.append_basic_block()

    def _go_to(self, block: ir.Block) -> None:
        if not self._builder.block.is_terminated:
            self._builder.branch(block)
