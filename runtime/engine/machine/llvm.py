"""Machine functions as LLVM's intermediate representation, translated from their Python source.

All numbers are int64 and wrap around; a heap is a pointer to int64, an array a pointer to elements,
with a shape. A routine becomes a function of a heap and numbers; a loop, one that Python calls.
"""

import ast
import os
from collections.abc import Callable
from functools import cache, partial, reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from megabatt.runtime.engine.device.spelling import called_by, spelled
from megabatt.runtime.engine.language.sequential import raised_by_handler
from megabatt.runtime.engine.machine import functions, native, syntax
from megabatt.runtime.engine.machine.layout import EMPTY_TUPLE_AT, TOP
from megabatt.runtime.engine.machine.syntax import Callee, Source, Untranslatable

BYTE, INT, WORD = map(ir.IntType, (8, 32, 64))
REAL = ir.DoubleType()
POINTER = WORD.as_pointer()
_ROUTINE = ir.FunctionType(WORD, [POINTER, *[WORD] * functions.NUMBERS])
_ZERO, _ONE = ir.Constant(WORD, 0), ir.Constant(WORD, 1)

_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.LShift: "shl", ast.RShift: "ashr",
    ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
}  # fmt: skip
_ON_REALS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}

BOUNDS_CHECKED = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
"""Whether functions that are not megabatt's own end the process, by SIGILL, at an index outside of
the heap's allocated words. As with Numba, the variable is read at the start."""

_MONOTONIC = 1
"""The number of Linux's monotonic clock."""


class Array(NamedTuple):
    """A kind of contiguous arrays of integers or bool: the letter of NumPy's type; dimensions."""

    letter: str
    dimensions: int

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.letter)

    @property
    def element(self) -> ir.IntType:
        return ir.IntType(8 * self.dtype.itemsize)

    @property
    def types(self) -> list[ir.Type]:
        """The types of the parameters for an array: the address of the elements, then the shape."""
        return [self.element.as_pointer(), *[WORD] * self.dimensions]


def address_of(routine: functions.Routine) -> int:
    """Return the address of a routine's compiled function.

    Load routines that call one another first, by `loaded`, and together. Raises Untranslatable.
    """
    return native.address_of(loaded(routine))


@cache
def loaded(routine: functions.Routine) -> str:
    """Compile or load a routine's function. Returns its symbol. Raises Untranslatable."""
    function = routine.function
    every = [function, *(called.function for called in called_by(function))]
    text = f"{list(map(_is_checked, every))} {spelled(function)}"
    return native.added(function.__name__, text, partial(_add_routine, function))


def _is_checked(function: Callable[..., Any]) -> bool:
    return BOUNDS_CHECKED and not function.__module__.startswith("megabatt.")


def translate(routine: functions.Routine) -> None:
    """Translate a routine's function without compiling it. Raises Untranslatable."""
    _add_routine(routine.function, routine.function.__name__, ir.Module())
    syntax.must_return(routine.body)


def _add_routine(function: Callable[..., int], name: str, module: ir.Module) -> None:
    """Put a routine into a module under a name, with all code compiled into the routine."""
    entry = ir.Function(module, _ROUTINE, name)
    builder = ir.IRBuilder(entry.append_basic_block())
    body = Functions(module).of(Source(function))
    builder.ret(builder.call(body, entry.args[: len(body.args)]))


class Functions:
    """The functions of a module, each translated at first use."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._found: dict[tuple[Any, ...], ir.Function] = {}

    def of(self, source: Source) -> ir.Function:
        """Return the function of a source, which returns a word, or a struct of words."""
        results = source.results
        key = (source.function, *source.given.items(), *source.arrays.items())
        if key not in self._found:
            types = [kind for name in source.parameters for kind in _types_of(source, name)]
            name = f"{source.function.__name__}.{len(self._found)}"
            given_back = ir.LiteralStructType([WORD] * results) if results > 1 else WORD
            made = ir.Function(self._module, ir.FunctionType(given_back, types), name)
            made.linkage = "internal"
            self._found[key] = made
            _Function(self, source, made).write()
        return self._found[key]


def _types_of(source: Source, parameter: str) -> list[ir.Type]:
    if parameter in source.heaps:
        return [POINTER]
    return source.arrays[parameter].types if parameter in source.arrays else [WORD]


class _Function:
    """One function's translation, with variables in memory, which LLVM promotes to registers."""

    def __init__(self, functions: Functions, source: Source, made: ir.Function) -> None:
        self._functions = functions
        self._source = source
        self._made = made
        self._builder = ir.IRBuilder(made.append_basic_block())
        self._heaps: dict[str, ir.Value] = {}
        self._arrays: dict[str, list[ir.Value]] = {}
        """The address of the elements, and the shape, of each array."""
        self._variables: dict[str, ir.Value] = {}
        self._loops: list[tuple[ir.Block, ir.Block]] = []
        """The blocks of `continue` and `break` of each open loop."""

    def write(self) -> None:
        arguments = list(self._made.args)
        for name in self._source.parameters:
            passed = [arguments.pop(0) for _ in _types_of(self._source, name)]
            if name in self._source.heaps:
                (self._heaps[name],) = passed
            elif name in self._source.arrays:
                self._arrays[name] = passed
            else:
                self._variables[name] = self._variable(*passed)
        for name in self._source.locals:
            self._variables[name] = self._variable(_ZERO)
        self._block(self._source.tree.body)
        if not self._builder.block.is_terminated:
            self._return([_ZERO] * self._source.results)

    def _return(self, values: list[ir.Value]) -> None:
        """Return numbers, as one word or a struct."""
        if len(values) == 1:
            self._builder.ret(*values)
            return
        made = ir.Constant(self._made.function_type.return_type, ir.Undefined)
        for k, value in enumerate(values):
            made = self._builder.insert_value(made, value, k)
        self._builder.ret(made)

    def _variable(self, value: ir.Value) -> ir.Value:
        """Make a variable, in the function's first block."""
        with self._builder.goto_entry_block():
            place = self._builder.alloca(WORD)
        self._builder.store(value, place)
        return place

    # ---- statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self._builder.block.is_terminated:
                return
            try:
                self._statement(statement)
            except Untranslatable:
                raise
            except Exception as error:
                if raised_by_handler(error):
                    raise
                raise self._source.unknown(statement) from error

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value):
                self._value(value)
            case ast.Return(ast.Tuple(values)):
                self._return(list(map(self._value, values)))
            case ast.Return(ast.expr() as value):
                self._return([self._value(value)])
            case ast.Assign(targets, value):
                made = self._value(value)
                for target in targets:
                    self._store(target, made)
            case ast.If(test, body, orelse):
                self._either(test, partial(self._block, body), partial(self._block, orelse))
            case ast.While(test, body, []):
                self._while(test, body)
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
            case ast.Subscript(ast.Name(name), index) if name in self._arrays:
                self._store_element(name, index, value)
            case _:
                raise self._source.unknown(target)

    def _either(self, test: ast.expr, *ways: Callable[[], None]) -> None:
        """Write the two branches of a test, for true and for false."""
        yes, no, end = self._new(), self._new(), self._new()
        self._branch(test, yes, no)
        for begin, write in zip((yes, no), ways, strict=True):
            self._builder.position_at_end(begin)
            write()
            self._go_to(end)
        self._builder.position_at_end(end)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        begin, inner, end = self._new(), self._new(), self._new()
        self._builder.branch(begin)
        self._builder.position_at_end(begin)
        self._branch(test, inner, end)
        self._loops.append((begin, end))
        self._builder.position_at_end(inner)
        self._block(body)
        self._go_to(begin)
        self._loops.pop()
        self._builder.position_at_end(end)

    # ---- expressions

    def _value(self, node: ast.expr) -> ir.Value:
        number = self._source.number(node)
        if number is not None:
            return ir.Constant(WORD, number)
        match node:
            case ast.Name(name) if name in self._variables:
                return self._builder.load(self._variables[name])
            case ast.BinOp(a, ast.FloorDiv() | ast.Mod() as operator, b):
                return self._divided(self._value(a), self._value(b), isinstance(operator, ast.Mod))
            case ast.BinOp(a, operator, b) if type(operator) in _OPERATORS:
                compute = getattr(self._builder, _OPERATORS[type(operator)])
                return compute(self._value(a), self._value(b))
            case ast.UnaryOp(ast.USub(), operand):
                return self._builder.neg(self._value(operand))
            case ast.UnaryOp(ast.Invert(), operand):
                return self._builder.not_(self._value(operand))
            case ast.UnaryOp(ast.Not()) | ast.Compare():
                return self._builder.zext(self._test(node), WORD)
            case ast.BoolOp(operator, values):
                return self._first_that_decides(operator, values)
            case ast.IfExp(test, body, orelse):
                return self._chosen(test, body, orelse)
            case ast.Subscript(ast.Name(name), index) if name in self._heaps:
                return self._builder.load(self._place(name, index))
            case ast.Subscript(ast.Name(name), index) if name in self._arrays:
                return self._element(name, index)
            case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant(int(axis))) if (
                name in self._arrays
            ):
                return self._arrays[name][1:][axis]
            case ast.Call(ast.Name("len"), [ast.Name(name)]) if name in self._arrays:
                return self._arrays[name][1]
            case ast.Call():
                return self._call(node)
        raise self._source.unknown(node)

    def _test(self, node: ast.expr) -> ir.Value:
        """Return a bit that tells whether an expression is true."""
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                return self._builder.not_(self._test(operand))
            case ast.Compare():
                return self._compared(node)
        return self._builder.icmp_signed("!=", self._value(node), _ZERO)

    def _branch(self, test: ast.expr, yes: ir.Block, no: ir.Block) -> None:
        """Branch to one of two blocks; `and` and `or` are short-circuited."""
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
        """Return the value of `a or b` or `a and b`: the operand that decides, else the last."""
        builder, found = self._builder, self._variable(_ZERO)
        builder.store(self._value(values[0]), found)
        for value in values[1:]:
            undecided = "!=" if isinstance(operator, ast.And) else "=="
            with builder.if_then(builder.icmp_signed(undecided, builder.load(found), _ZERO)):
                builder.store(self._value(value), found)
        return builder.load(found)

    def _chosen(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> ir.Value:
        found = self._variable(_ZERO)

        def store(value: ast.expr) -> None:
            self._builder.store(self._value(value), found)

        self._either(test, partial(store, body), partial(store, orelse))
        return self._builder.load(found)

    def _compared(self, node: ast.Compare) -> ir.Value:
        """Compare numbers. All operands of a chain are computed, which changes no result."""
        numbers = list(map(self._value, [node.left, *node.comparators]))
        bits = []
        for operator, (left, right) in zip(node.ops, pairwise(numbers), strict=True):
            if type(operator) not in _COMPARISONS:
                raise self._source.unknown(node)
            bits.append(self._builder.icmp_signed(_COMPARISONS[type(operator)], left, right))
        return reduce(self._builder.and_, bits)

    def _divided(self, a: ir.Value, b: ir.Value, rest: bool) -> ir.Value:
        """Divide, rounding down as Python does. Division by zero gives zero."""
        builder = self._builder
        by_zero = builder.icmp_signed("==", b, _ZERO)
        by = builder.select(by_zero, _ONE, b)
        left = builder.srem(a, by)
        other_sign = builder.icmp_signed("<", builder.xor(left, by), _ZERO)
        too_high = builder.and_(builder.icmp_signed("!=", left, _ZERO), other_sign)
        if rest:
            made = builder.select(too_high, builder.add(left, by), left)
        else:
            made = builder.sub(builder.sdiv(a, by), builder.zext(too_high, WORD))
        return builder.select(by_zero, _ZERO, made)

    def _place(self, heap: str, index: ast.expr) -> ir.Value:
        place = self._value(index)
        if _is_checked(self._source.function):
            builder = self._builder
            end = builder.load(builder.gep(self._heaps[heap], [ir.Constant(WORD, TOP)]))
            named = self._source.number(index) is not None
            first = ir.Constant(WORD, 0 if named else EMPTY_TUPLE_AT)  # wrong words lie before
            words = builder.sub(end, first)
            with builder.if_then(builder.icmp_unsigned(">=", builder.sub(place, first), words)):
                trap = ir.FunctionType(ir.VoidType(), [])
                self._builder.call(self._made.module.declare_intrinsic("llvm.trap", (), trap), [])
                self._builder.unreachable()
        return self._builder.gep(self._heaps[heap], [place])

    def _element(self, array: str, index: ast.expr) -> ir.Value:
        """Return an element of an array as a word."""
        kind = self._source.arrays[array]
        found = self._builder.load(self._place_in_array(array, index))
        if kind.element == WORD:
            return found
        extended = self._builder.sext if kind.dtype.kind == "i" else self._builder.zext
        return extended(found, WORD)

    def _store_element(self, array: str, index: ast.expr, value: ir.Value) -> None:
        kind = self._source.arrays[array]
        if kind.dtype.kind == "b":
            value = self._builder.zext(self._builder.icmp_signed("!=", value, _ZERO), BYTE)
        elif kind.element != WORD:
            value = self._builder.trunc(value, kind.element)
        self._builder.store(value, self._place_in_array(array, index))

    def _place_in_array(self, array: str, index: ast.expr) -> ir.Value:
        elements, *shape = self._arrays[array]
        first, *others = index.elts if isinstance(index, ast.Tuple) else [index]
        if 1 + len(others) != len(shape):
            raise self._source.unknown(index)
        at = self._value(first)
        for length, other in zip(shape[1:], others, strict=True):
            at = self._builder.add(self._builder.mul(at, length), self._value(other))
        return self._builder.gep(elements, [at])

    def _call(self, node: ast.Call) -> ir.Value:
        callee = self._source.callee(node)
        if callee is not None:
            return self._call_of(callee)
        function = self._source.meant(node.func)
        if node.keywords:
            raise self._source.unknown(node)
        if function is functions.call_at:
            address, heap, *numbers = node.args
            return self._call_routine(self._value(address), heap, list(map(self._value, numbers)))
        if function is functions.nanoseconds:
            heap, at = node.args
            return self._time(self._builder.gep(self._heap(heap), [self._value(at)]))
        if function is functions.on_reals:
            operation, *numbers = node.args
            return self._on_reals(ast.literal_eval(operation), *map(self._value, numbers))
        return self._builtin(node, function, list(map(self._value, node.args)))

    def _call_of(self, callee: Callee) -> ir.Value:
        if callee.routine is None:
            source = Source(callee.function, callee.arrays, callee.given)
            arguments = [
                value
                for name, argument in callee.arguments.items()
                for value in self._passed(source, name, argument)
            ]
            return self._builder.call(self._functions.of(source), arguments)
        heap, *numbers = callee.arguments.values()
        at = ir.Constant(WORD, functions.ADDRESSES + callee.routine.number)
        address = self._builder.load(self._builder.gep(self._heap(heap), [at]))
        return self._call_routine(address, heap, list(map(self._value, numbers)))

    def _call_routine(self, address: ir.Value, heap: ast.expr, numbers: list[ir.Value]) -> ir.Value:
        function = self._builder.inttoptr(address, _ROUTINE.as_pointer())
        padded = [*numbers, *[_ZERO] * (functions.NUMBERS - len(numbers))]
        return self._builder.call(function, [self._heap(heap), *padded])

    def _passed(self, source: Source, parameter: str, node: ast.expr) -> list[ir.Value]:
        """Return the values that pass an argument to a parameter of a function."""
        if parameter in source.heaps:
            return [self._heap(node)]
        if parameter in source.arrays:
            assert isinstance(node, ast.Name)
            return self._arrays[node.id]
        return [self._value(node)]

    def _heap(self, node: ast.expr) -> ir.Value:
        """Return a heap, which may be an array of words."""
        match node:
            case ast.Name(name) if name in self._heaps:
                return self._heaps[name]
            case ast.Name(name) if name in self._arrays:
                place = self._arrays[name][0]
                if place.type == POINTER:
                    return place
        raise self._source.unknown(node)

    def _time(self, place: ir.Value) -> ir.Value:
        """Return a time in ns. place: The place of two words that may be overwritten."""
        builder = self._builder
        clock = declared(self._made.module, "clock_gettime", INT, [INT, POINTER])
        builder.call(clock, [ir.Constant(INT, _MONOTONIC), place])
        rest = builder.load(builder.gep(place, [_ONE]))
        return builder.add(builder.mul(builder.load(place), ir.Constant(WORD, 10**9)), rest)

    def _on_reals(self, operation: str, *bits: ir.Value) -> ir.Value:
        builder = self._builder
        a, b = (builder.bitcast(word, REAL) for word in bits)
        if operation in _ON_REALS:
            made = getattr(builder, _ON_REALS[operation])(a, b)
        elif operation == "root":
            made = builder.call(self._made.module.declare_intrinsic("llvm.sqrt", [REAL]), [a])
        else:
            made = builder.call(declared(self._made.module, "pow", REAL, [REAL, REAL]), [a, b])
        return builder.bitcast(made, WORD)

    def _builtin(self, node: ast.Call, function: Any, values: list[ir.Value]) -> ir.Value:
        builder = self._builder
        match function, values:
            case _, [value] if function is functions.trailing_zeros:
                return builder.cttz(value, ir.Constant(ir.IntType(1), 1))
            case _, [value] if function is functions.real_of:
                return builder.bitcast(builder.sitofp(value, REAL), WORD)
            case _, [value] if function is functions.whole_of:
                return builder.fptosi(builder.bitcast(value, REAL), WORD)
            case _, [value] if function is abs:
                negative = builder.icmp_signed("<", value, _ZERO)
                return builder.select(negative, builder.neg(value), value)
            case _, [first, *others] if function in (min, max):
                for value in others:
                    better = builder.icmp_signed("<" if function is min else ">", value, first)
                    first = builder.select(better, value, first)
                return first
        raise self._source.unknown(node)

    def _new(self) -> ir.Block:
        return self._made.append_basic_block()

    def _go_to(self, block: ir.Block) -> None:
        if not self._builder.block.is_terminated:
            self._builder.branch(block)


def declared(module: ir.Module, name: str, result: ir.Type, types: list[ir.Type]) -> ir.Function:
    """Declare a function of the process that a module calls."""
    if name in module.globals:
        return module.globals[name]
    return ir.Function(module, ir.FunctionType(result, types), name)
