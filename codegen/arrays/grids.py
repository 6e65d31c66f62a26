"""Tells which programs take their grid as an array, and not as a list of lists.

A source shows it by an annotation, or by a use that only an array has, as `grid.shape`,
`grid[0, j]` or `grid[grid == 8]`: of the parameter, of a copy of it, or by a function that it is
given to.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Set

from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import called_name, nodes_in

OF_ARRAYS = {"T", "astype", "flatten", "ndim", "ravel", "reshape", "shape", "size", "tolist"}
"""The attributes that arrays have, and lists do not."""
_OF_BOTH = ast.Add | ast.Mult
"""The operators that lists have too."""
_OF_ALL = ast.Is | ast.IsNot | ast.In | ast.NotIn
"""The comparisons that give a Boolean."""


class Grids:
    """The parameters of a source's functions that are arrays.

    numpy: The names of NumPy and its functions. using: The functions that use them, or what arrays
    alone have. In others, a parameter beside an operator may be a number.
    """

    def __init__(self, tree: ast.Module, numpy: Set[str], using: Set[str]) -> None:
        self._functions = {one.name: one for one in nodes_in(tree, ast.FunctionDef)}
        self._numpy = numpy
        self._using = using
        self._known: dict[tuple[str, str], bool] = {}

    def is_array(self, function: ast.FunctionDef, parameter: ast.arg) -> bool:
        """Tell whether a function takes a parameter as an array."""
        key = function.name, parameter.arg
        if key not in self._known:
            self._known[key] = False  # while a function that calls itself is looked at
            self._known[key] = self._shows_array(function, parameter)
        return self._known[key]

    def _shows_array(self, function: ast.FunctionDef, parameter: ast.arg) -> bool:
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if "ndarray" in annotation or "ist[" in annotation:
            return "ndarray" in annotation
        bound = Counter(bound_in(function))
        if bound[parameter.arg] > 1:
            return False  # what is an array may be another value of the name
        if any(parameter.arg in _given_to_numpy(call) for call in nodes_in(function, ast.Call)):
            return False
        names = {parameter.arg, *_copies_of(parameter.arg, function, bound)}
        nodes = list(ast.walk(function))
        if function.name in self._using and any(_operates(node, names) for node in nodes):
            return True
        return any(self._is_of_arrays(node, names) for node in nodes)

    def _is_of_arrays(self, node: ast.AST, names: Collection[str]) -> bool:
        """Tell whether a node uses one of some names as only an array is used."""
        match node:
            case ast.Attribute(ast.Name(name), attribute) if name in names:
                return attribute in OF_ARRAYS
            case ast.Subscript(ast.Name(name), ast.Tuple()) if name in names:
                return True
            case ast.Subscript(_, index):
                return _is_mask(index, names)
            case ast.UnaryOp(ast.Invert(), operand):
                return _is_mask(operand, names)
            case ast.BinOp(left, ast.BitAnd() | ast.BitOr(), right):
                return _is_mask(left, names) or _is_mask(right, names)
            case ast.Attribute(value=ast.Compare() as value):
                return _is_mask(value, names)
            case ast.Call(ast.Attribute(ast.Name(module)), arguments) if module in self._numpy:
                return any(_is_mask(argument, names) for argument in arguments)
            case ast.Call(ast.Name(name)) if name in self._functions:
                return any(
                    self.is_array(self._functions[name], parameter)
                    for parameter in _given(node, self._functions[name], names)
                )
        return False


def _operates(node: ast.AST, names: Collection[str]) -> bool:
    """Tell whether a node is an operator on one of some names that lists do not have."""
    match node:
        case ast.BinOp(ast.Name(name), operator, ast.Constant(int())) if name in names:
            return not isinstance(operator, ast.Mult)
        case ast.BinOp(ast.Name(name), operator, _) if name in names:
            return not isinstance(operator, _OF_BOTH)
        case ast.Compare(_, [ast.Eq() | ast.NotEq()], [ast.Constant(int())]):
            return _is_mask(node, names)
    return False


def _given_to_numpy(call: ast.Call) -> Set[str]:
    """Return the name that a call makes an array of: it may be a list."""
    match call:
        case ast.Call(ast.Attribute(attr="array" | "asarray"), [ast.Name(name), *_]):
            return {name}
    return frozenset()


def _copies_of(name: str, function: ast.FunctionDef, bound: Mapping[str, int]) -> Iterator[str]:
    """Yield the names that are bound once, to a copy of what a name stands for."""
    for statement in nodes_in(function, ast.Assign):
        match statement:
            case ast.Assign([ast.Name(copy)], ast.Call(ast.Attribute(ast.Name(of), "copy"), [])):
                pass
            case ast.Assign([ast.Name(copy)], ast.Call(_, [ast.Name(of)]) as call):
                if called_name(call) not in ("copy", "deepcopy"):
                    continue
            case _:
                continue
        if of == name and bound[copy] == 1:
            yield copy


def _is_mask(node: ast.expr, names: Collection[str]) -> bool:
    """Tell whether an expression compares what one of some names stands for."""
    match node:
        case ast.Compare(ast.Name(name), [operator]):
            return name in names and not isinstance(operator, _OF_ALL)
    return False


def _given(
    call: ast.Call, function: ast.FunctionDef, names: Collection[str]
) -> Iterator[ast.arg]:
    """Yield the parameters for which a call gives one of some names."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    by_name = {parameter.arg: parameter for parameter in parameters}
    for parameter, argument in zip(parameters, call.args, strict=False):
        if getattr(argument, "id", None) in names:
            yield parameter
    for keyword in call.keywords:
        if getattr(keyword.value, "id", None) in names and keyword.arg in by_name:
            yield by_name[keyword.arg]
