"""Machine functions as CUDA C++, translated from their Python source.

All numbers are int64. A heap is a `Heap`: words that all threads share, and words of the thread's
own, such as the end of its room. Constant words, such as the ranks of names, are in `head`. A
routine is called by name if its caller knows it, else by its place in the table `routines`.
"""

import ast
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from megabatt.runtime.engine.device.cuda_text import INTEGERS
from megabatt.runtime.engine.machine import functions
from megabatt.runtime.engine.machine.layout import EMPTY_TUPLE_AT, OWN
from megabatt.runtime.engine.machine.syntax import Source, Untranslatable

HEAP = f"""
struct Heap {{
  long long* words;
  long long own[{OWN}];
}};
typedef long long (*Routine)(Heap&, long long, long long, long long, long long, long long);
"""

_PRELUDE = INTEGERS + """
static __device__ inline long long modulo(long long a, long long b) {
  return b == 0 ? 0 : a - _floor_divide(a, b) * b;
}
static __device__ inline long long shifted(long long a, long long bits) {
  return (long long)((unsigned long long)a << bits);
}
static __device__ inline long long least(long long a, long long b) { return a < b ? a : b; }
static __device__ inline long long most(long long a, long long b) { return a < b ? b : a; }
static __device__ inline long long magnitude(long long a) { return a < 0 ? -a : a; }
static __device__ inline long long trailing_zeros(long long a) {
#ifdef __CUDA_ARCH__
  return __ffsll(a) - 1;
#else
  return __builtin_ctzll(a);
#endif
}
union Real { long long bits; double number; };
static __device__ inline double number_of(long long bits) {
  Real a; a.bits = bits; return a.number;
}
static __device__ inline long long bits_of(double number) {
  Real a; a.number = number; return a.bits;
}
static __device__ inline long long real_of(long long a) { return bits_of((double)a); }
static __device__ inline long long whole_of(long long a) { return (long long)number_of(a); }
static __device__ inline double power(double a, double b) {
#ifdef __CUDA_ARCH__
  return number_of(-1);
#else
  return __builtin_pow(a, b);
#endif
}
"""

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.And: "&&", ast.Or: "||", ast.USub: "-", ast.Invert: "~",
}  # fmt: skip
_CALLED = {ast.FloorDiv: "_floor_divide", ast.Mod: "modulo", ast.LShift: "shifted"}
_BUILTINS: dict[Any, str] = {
    min: "least", max: "most", abs: "magnitude", functions.real_of: "real_of",
    functions.trailing_zeros: "trailing_zeros", functions.whole_of: "whole_of",
}  # fmt: skip
_ON_REALS = {"root": "sqrt({0})", "**": "power({0}, {1})"}


class Translation:
    """Translates routines, their callees, and kernels that call them, into one C++ source."""

    def __init__(self) -> None:
        self._names: dict[tuple[Any, ...], str] = {}
        self._declared: list[str] = []
        self._defined: list[str] = []
        self._kernels: list[str] = []
        self._table: dict[functions.Routine, int] = {}

    def number(self, routine: functions.Routine) -> int:
        """Return a routine's number, assigned at first use. Raises Untranslatable."""
        if routine not in self._table:
            before = dict(self._names), list(self._declared), list(self._defined)
            try:
                self.name(routine.function)
            except Untranslatable:
                self._names, self._declared, self._defined = before
                raise
            self._table[routine] = len(self._table)
        return self._table[routine]

    def name(
        self,
        function: Callable[..., Any],
        arrays: Iterable[str] = (),
        given: dict[str, Any] | None = None,
    ) -> str:
        """Return the name of a function, translated at first use. arrays, given: As in `Callee`."""
        given = given or {}
        key = function, frozenset(arrays), *given.items()
        if key not in self._names:
            name = self._names[key] = f"{function.__name__}_{len(self._names)}"
            source = Source(function, dict.fromkeys(arrays, "long long*"), given)
            head, body = _Function(self, source).text(name)
            self._declared.append(f"{head};")
            self._defined.append(f"{head} {{\n{body}}}\n")
        return self._names[key]

    def add_kernel(self, function: Callable[..., Any], arrays: Iterable[str]) -> None:
        """Add a kernel for a function of the heap, a thread's number, int64 arrays and numbers."""
        body = self.name(function, arrays)
        names = functions.taken_by(function)[2:]
        types = ", ".join(f"long long{'*' if name in arrays else ''} {name}" for name in names)
        self._kernels.append(
            f'extern "C" __global__ void {function.__name__}('
            f"long long threads, long long* words_of_heap, {types}) {{\n"
            f"  const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (thread >= threads) return;\n"
            f"  Heap heap = {{words_of_heap}};\n"
            f"  {body}(heap, thread, {', '.join(names)});\n}}"
        )

    def text(self, head: list[int]) -> str:
        """Return the source. head: The constant words, up to `EMPTY_TUPLE_AT`."""
        numbers = [f"a{n}" for n in range(functions.NUMBERS)]
        taken = ", ".join(f"long long {number}" for number in numbers)
        declared, wrapped = [], []
        for k, routine in enumerate(self._table):
            entry = f"static __device__ long long routine_{k}(Heap& heap, {taken})"
            given = ", ".join(["heap", *numbers][: routine.function.__code__.co_argcount])
            declared.append(f"{entry};")
            wrapped.append(f"{entry} {{ return {self.name(routine.function)}({given}); }}")
        names = ", ".join(f"routine_{k}" for k in range(len(self._table)))
        return "\n".join([
            HEAP,
            f"__constant__ long long head[{len(head)}] = {{{', '.join(map(_literal, head))}}};",
            _PRELUDE,
            *declared,
            f"static __device__ const Routine routines[] = {{{names}}};",
            *self._declared,
            *self._defined,
            *wrapped,
            *self._kernels,
        ])  # fmt: skip


class _Function:
    def __init__(self, program: Translation, source: Source) -> None:
        self._program = program
        self._source = source
        self._operands: list[str] = []
        """The variables for operands of `and` and `or`."""

    def text(self, name: str) -> tuple[str, str]:
        types = {**dict.fromkeys(self._source.heaps, "Heap&"), **self._source.arrays}
        parameters = ", ".join(
            f"{types.get(name, 'long long')} {_local(name)}" for name in self._source.parameters
        )
        body = self._block(self._source.tree.body, "  ")
        variables = [*map(_local, self._source.locals), *self._operands]
        begin = "".join(f"  long long {name} = 0;\n" for name in variables)
        apart = any(self._source.function is one.function for one in functions.Routine.every)
        head = f"static __device__ {'__noinline__ ' * apart}long long {name}({parameters})"
        return head, f"{begin}{body}  return 0;\n"

    # ---- statements

    def _block(self, statements: list[ast.stmt], indent: str) -> str:
        return "".join(self._statement(statement, indent) for statement in statements)

    def _statement(self, statement: ast.stmt, indent: str) -> str:
        inner = indent + "  "
        match statement:
            case ast.Expr(value):
                return f"{indent}{self._value(value)};\n"
            case ast.Return(ast.expr() as value):
                return f"{indent}return {self._value(value)};\n"
            case ast.Assign([target], value):
                return f"{indent}{self._value(target)} = {self._value(value)};\n"
            case ast.If(test, body, orelse):
                text = f"{indent}if ({self._test(test)}) {{\n{self._block(body, inner)}{indent}}}"
                if orelse:
                    text += f" else {{\n{self._block(orelse, inner)}{indent}}}"
                return text + "\n"
            case ast.While(test, body, []):
                text = f"{indent}while ({self._test(test)}) {{\n{self._block(body, inner)}"
                return f"{text}{indent}}}\n"
            case ast.Break():
                return f"{indent}break;\n"
            case ast.Continue():
                return f"{indent}continue;\n"
        raise self._source.unknown(statement)

    # ---- expressions

    def _value(self, node: ast.expr) -> str:
        number = self._source.number(node)
        if number is not None:
            return _literal(number)
        match node:
            case ast.Name(name):
                return _local(name)
            case ast.BinOp(left, operator, right) if type(operator) in _CALLED:
                return f"{_CALLED[type(operator)]}({self._value(left)}, {self._value(right)})"
            case ast.BinOp(left, operator, right):
                return f"({self._value(left)} {self._operator(operator)} {self._value(right)})"
            case ast.UnaryOp(ast.Not()):
                return self._test(node)
            case ast.UnaryOp(operator, operand):
                return f"({self._operator(operator)}{self._value(operand)})"
            case ast.BoolOp(operator, values):
                return self._deciding(isinstance(operator, ast.And), values)
            case ast.Compare(left, operators, others):
                return self._compared([left, *others], operators)
            case ast.IfExp(test, body, orelse):
                return f"({self._test(test)} ? {self._value(body)} : {self._value(orelse)})"
            case ast.Subscript(ast.Name(name), index) if name in self._source.heaps:
                return self._word(_local(name), index)
            case ast.Subscript(ast.Name(name), index) if name in self._source.arrays:
                return f"{_local(name)}[{self._value(index)}]"
            case ast.Call(_, arguments, []):
                return self._call(node, arguments)
        raise self._source.unknown(node)

    def _test(self, node: ast.expr) -> str:
        """Write an expression whose truth alone matters."""
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                return f"(!{self._test(operand)})"
            case ast.BoolOp(operator, values):
                return f"({f' {self._operator(operator)} '.join(map(self._test, values))})"
        return self._value(node)

    def _deciding(self, every: bool, values: list[ast.expr]) -> str:
        """Write `a and b` (every) or `a or b`: the operand that decides, as in Python."""
        first, *others = values
        if not others:
            return self._value(first)
        operand = f"decides_{len(self._operands)}"
        self._operands.append(operand)
        others_decide = self._deciding(every, others)
        yes, no = (others_decide, operand) if every else (operand, others_decide)
        return f"(({operand} = {self._value(first)}) ? {yes} : {no})"

    def _operator(self, operator: ast.AST) -> str:
        found = _OPERATORS.get(type(operator))
        if found is None:
            name = type(operator).__name__
            raise Untranslatable(f"{self._source.place()}: {name} is not known to the machine")
        return found

    def _compared(self, values: list[ast.expr], operators: list[ast.cmpop]) -> str:
        for between in values[1:-1]:
            if any(isinstance(part, ast.Call) for part in ast.walk(between)):
                raise self._source.unknown(between)  # C++ would evaluate the call twice
        texts = [self._value(value) for value in values]
        parts = [
            f"{left} {self._operator(operator)} {right}"
            for operator, (left, right) in zip(operators, pairwise(texts), strict=True)
        ]
        return f"({' && '.join(parts)})"

    def _word(self, heap: str, index: ast.expr) -> str:
        """Return a word of the heap: of the thread's own, of the constant `head`, or of a node."""
        first = index.left if isinstance(index, ast.BinOp) else index
        at = None
        if self._source.is_global(first):
            at = self._source.meant(first)
        elif isinstance(first, ast.Constant):
            raise self._source.unknown(index)
        if at is None or at >= EMPTY_TUPLE_AT or index is not first and at < OWN:
            return f"{heap}.words[{self._value(index)}]"
        return f"{f'{heap}.own' if at < OWN else 'head'}[{self._value(index)}]"

    def _call(self, node: ast.Call, arguments: list[ast.expr]) -> str:
        callee = self._source.callee(node)
        if callee is not None:
            name = self._program.name(callee.function, callee.arrays, callee.given)
            return f"{name}({', '.join(map(self._value, callee.arguments.values()))})"
        function = self._source.meant(node.func)
        if function is functions.on_reals:
            operation = ast.literal_eval(arguments[0])
            numbers = [f"number_of({self._value(bits)})" for bits in arguments[1:]]
            text = _ON_REALS.get(operation, f"{{0}} {operation} {{1}}")
            return f"bits_of({text.format(*numbers)})"
        given = [self._value(argument) for argument in arguments]
        if function is functions.call_at:
            address, heap, *numbers = given
            return f"routines[{address}]({', '.join([heap, *numbers])})"
        builtin = _BUILTINS.get(function)
        if builtin is None:
            raise self._source.unknown(node)
        if function in (min, max) and len(given) > 2:
            return f"{builtin}({given[0]}, {self._call(node, arguments[1:])})"
        return f"{builtin}({', '.join(given)})"



def _local(name: str) -> str:
    return f"{name}_"


def _literal(number: int) -> str:
    if number == -(2**63):
        return "(-9223372036854775807LL - 1)"
    return f"({number}LL)" if number < 0 else f"{number}LL"
