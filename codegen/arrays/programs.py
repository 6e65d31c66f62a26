"""Rewrites functions that use NumPy as plain Python, in which an array is a list.

Every expression has a kind, see `kinds`, by which its operators, calls and indices are
rewritten: `a[i, j]` as `a[i][j]`, `a == 3` as a comprehension. A function is rewritten anew for
each combination of kinds that it is called with. What depends on an unknown kind is refused.

A change of an array is written at the depth of its elements. So whatever holds one of its rows, or
the array, counts as holding what changes (see `ownership`). Other views, such as `a[:, 1:]`, are
computed as new lists; where a name or a container holds one, it is written as `(view, a)[0]`, which
counts as holding the array too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from megabatt.codegen.analysis.names import (
    named_in,
    names_in,
    names_of,
    names_shared_in,
    stored_in,
)
from megabatt.codegen.analysis.nodes import as_function, assignment, forget, nodes_in, placed
from megabatt.codegen.analysis.ownership import indices_of, may_change, names_changed_in
from megabatt.codegen.analysis.scopes import INSTEAD_OF_MODULES as ADVICE
from megabatt.codegen.arrays.calls import Value
from megabatt.codegen.arrays.expressions import (
    MOST_ROUNDS,
    UNKNOWN_ROUNDS,
    ArrayExpressions,
    Copy,
    Frame,
    Growth,
)
from megabatt.codegen.arrays.forms import changed, check_order
from megabatt.codegen.arrays.functions import STORES, expression, statements
from megabatt.codegen.arrays.grids import OF_ARRAYS, Grids
from megabatt.codegen.arrays.kinds import (
    ANY,
    INT,
    MAY_BE_REALS,
    NOTHING,
    NUMBER,
    PLAIN,
    REALS,
    UNKNOWN,
    Array,
    Container,
    Few,
    Function,
    Kind,
    Known,
    Many,
    Scalar,
    Site,
    Vectorized,
    element_at,
    elements,
    holds_array,
    holds_number_of,
    join,
    joined,
    sites_at,
    spread,
    with_sites,
    without_sites,
)
from megabatt.codegen.arrays.plain import without_questions
from megabatt.codegen.arrays.views import changes_of, with_part_named, with_view_written
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now
from megabatt.codegen.operations.statements import NO_DECORATORS

_OWN = {
    "abs", "any", "all", "bool", "divmod", "enumerate", "int", "len", "list", "max", "min", "range",
    "round", "set", "sorted", "sum", "tuple", "zip",
}  # fmt: skip
"""The functions of Python that arrays are rewritten with."""


_READ_OUTSIDE = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)
_MOST_COPIES = 64
_OF_NUMBERS = (
    ast.BinOp, ast.Constant, ast.Name, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip
"""What sums and the like of numbers are written with."""


class Arrays(ArrayExpressions):
    """Rewrites the functions of one source. grids: Tells which of them take arrays."""

    def __init__(self, tree: ast.Module, grids: Grids) -> None:
        super().__init__(tree)
        self._grids = grids
        self.module = self.frame
        self._copies: dict[ast.AST, list[ast.FunctionDef]] = {}
        self._defined = _defined_in(tree)
        self._assigned_within = names_shared_in(tree)
        self._made: dict[Any, tuple[str, Frame]] = {}
        self._lambdas: dict[ast.AST, ast.FunctionDef] = {}
        self._marks: dict[ast.AST, ast.FunctionDef] = {}
        self._active: list[ast.FunctionDef] = []
        self._behind: list[Sequence[ast.stmt]] = []
        self._loops = 0
        self._whole: ast.expr | None = None

    # Functions of the source

    def of_function(self, node: ast.Call, function: Function) -> Value:
        is_whole = node is self._whole
        given, named = self.arguments(node)
        kinds = [value.kind for value in given]
        missing = len(function.node.args.args) - len(named)
        copy = self.copy_of(
            node,
            function,
            list(spread(node.args, kinds, missing)),
            {name: value.kind for name, value in named.items()},
        )
        kind = copy.returned
        made = self.call(node, ast.Name(copy.name, ast.Load()), given, named)
        if _is_fixed(kind) and not is_whole:  # it holds nothing of the arguments
            module = ast.Name(self.modules["copy"], ast.Load())
            copies = ast.Attribute(module, "deepcopy", ast.Load())
            made = placed(ast.Call(copies, [made], []), node)
        return Value(made, kind, made)

    def copy_of(
        self, node: ast.AST, function: Function, given: Sequence[Kind], named: Mapping[str, Kind]
    ) -> Copy:
        definition, around = function.node, function.frame
        arguments = definition.args
        names = _positional(definition)
        rest = given[len(names) :]
        if arguments.kwarg or (rest and not arguments.vararg):
            raise Wrong(node, f"this call is not read beside NumPy: {ADVICE}")
        kinds = {name: value.kind for name, value in self._defaults(definition, around).items()}
        if arguments.vararg:
            kinds[arguments.vararg.arg] = Many(joined(rest))
        kinds |= {**dict(zip(names, given, strict=False)), **named}
        bare = frozenset((name, without_sites(kind)) for name, kind in kinds.items())
        key = definition, bare, around.seen()  # also by functions it calls
        if key not in self._made:
            if definition in self._active:
                raise Wrong(node, "recursion is not read: write a loop over a list of what is left")
            if len(self.copies_of(definition)) >= _MOST_COPIES:
                raise Wrong(node, "this function is called with too many kinds of values")
            name = self.fresh(f"_{definition.name}")
            made, frame = self._rewritten(definition, around, kinds, name)
            self._copies.setdefault(definition, []).append(made)
            self._made[key] = name, frame
        name, frame = self._made[key]
        for bound, kind in frame.bindings:
            if bound not in kinds:
                self.rebind(bound, _outside(kind, definition, kinds), around)
        changes_given = False
        for sites, element, element_key in frame.growths:
            if changed_sites := _sites_outside(sites, definition, kinds):
                parts = (_outside(one, definition, kinds) for one in (element, element_key))
                self.note(Growth(changed_sites, *parts))
            changes_given |= any(_is_given(site, definition) for site in sites)
        return Copy(name, _outside(frame.returned, definition, kinds), changes_given)

    def _defaults(self, definition: ast.FunctionDef, around: Frame) -> dict[str, Value]:
        """Return the values of a function's parameters that have some."""
        arguments = definition.args
        names = _positional(definition)
        found = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
        keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        found |= {arg.arg: default for arg, default in keywords if default}
        for default in found.values():
            if not self._is_steady(default):
                raise Wrong(default, "beside NumPy a default is a constant: give an argument")
        with for_now(self, frame=around):
            return {name: self.plain(default) for name, default in found.items()}

    def _is_steady(self, default: ast.expr) -> bool:
        """Tell whether a default has the same kind wherever it is read."""
        match default:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return all(map(self._is_steady, parts))
            case ast.Name(name):
                return self._bound[name] == 1 and name in self.module.names
        return isinstance(default, ast.Constant | ast.UnaryOp)

    def _rewritten(
        self, definition: ast.FunctionDef, around: Frame, kinds: Mapping[str, Kind], name: str
    ) -> tuple[ast.FunctionDef, Frame]:
        """Return a function rewritten for arguments of some kinds, and the frame of its names."""
        frame = Frame(around, definition)
        frame.names |= {one: _given_as(kind, definition, one) for one, kind in kinds.items()}
        modules = [ast.alias(module, name) for module, name in self.modules.items()]
        imports = placed(ast.Import(modules), definition.body[0])
        with for_now(self, frame=frame, _active=[*self._active, definition]):
            body = [imports, *self.block(definition.body)]
        made = changed(definition, name=name, body=body)
        # For advice:
        made.arrays = {one for one, kind in frame.names.items() if isinstance(kind, Array)}
        return made, frame

    def entry(self, function: ast.FunctionDef) -> ast.FunctionDef:
        """Return a program rewritten."""
        wrong = self._defined & _OWN
        if wrong:
            what = f"{min(wrong)!r} must be Python's own beside NumPy"
            raise Wrong(function, f"{what}: rename it")
        self._behind, self._loops = [], 0
        defaults = self._defaults(function, self.module)
        kinds = {name: value.kind for name, value in defaults.items()}
        for argument in (*function.args.posonlyargs, *function.args.args):
            if argument.arg not in kinds:
                is_array = self._grids.is_array(function, argument)
                grid = Array(2, "int") if is_array else Many(Many(INT), is_even=True)
                kinds[argument.arg] = grid
        made, frame = self._rewritten(function, self.module, kinds, function.name)
        if holds_number_of(frame.returned):
            raise Wrong(function, "a program returns no slice or function: return what it is of")
        return made

    def outside(self, statement: ast.stmt) -> ast.stmt:
        """Rewrite a statement outside of functions, if that is possible."""
        if isinstance(statement, _READ_OUTSIDE):
            try:
                (made,) = self.statement(statement)
                return made
            except (Wrong, ValueError, RecursionError):
                pass
        self.module.names.update(dict.fromkeys(stored_in(statement), UNKNOWN))
        return statement

    def copies_of(self, function: ast.FunctionDef) -> list[ast.FunctionDef]:
        """Return a function rewritten for each combination of kinds that it is called with."""
        return self._copies.get(function, [])

    def finished(self, tree: ast.Module) -> ast.Module:
        """Put the rewritten inner functions where they were defined."""
        marks, copies_of = self._marks, self.copies_of

        class Finished(ast.NodeTransformer):
            def visit_Pass(self, node: ast.Pass) -> Any:
                inner = copies_of(marks[node]) if node in marks else []
                return [self.visit(one) for one in inner] or node

        return Finished().visit(tree)  # type: ignore[no-any-return]

    # Statements

    def block(self, block: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block rewritten."""
        made: list[ast.stmt] = []
        left = list(block)
        while left:
            self._behind.append(left[1:])
            statement, *left = self._without_view(left)
            self._behind[-1] = left
            made += self.statement(statement)
            self._behind.pop()
        return made

    def _without_view(self, block: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements of which the first may bind or change a part of an array."""
        match block[0]:
            case ast.Assign([ast.Name(name)], ast.Subscript() as part) if (
                self._active and self._assigned_within.isdisjoint(named_in(block[0]))
            ):
                value = self._view_at(part)
                if value is not None and not self._is_alone(name, value):
                    later = {one.name for one in block if isinstance(one, ast.FunctionDef)}
                    for change in changes_of(name, block):
                        if self._acts(change) or not later.isdisjoint(named_in(change)):
                            return block
                    written = with_view_written(block, self._active[-1])
                    return block if written is None else self._without_view(written)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values) as whole) if (
                len(targets) == len(values) and stored_in(block[0]).isdisjoint(named_in(whole))
                and self._may_follow(targets, values)
            ):
                pairs = zip(targets, values, strict=True)
                each = [placed(ast.Assign([one], its), block[0]) for one, its in pairs]
                return self._without_view([*each, *block[1:]])
            case ast.Assign([ast.Subscript(ast.Subscript() as part)]) | ast.AugAssign(
                ast.Subscript(ast.Subscript() as part)
            ) if not may_change(part) and not self._acts(block[0]):
                if self._view_at(part) is not None:
                    return [*with_part_named(block[0]), *block[1:]]
        return block

    def _may_follow(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
        """Tell whether some values are views, and may be assigned one after the other.

        A view shows what the targets before it change; other values do not.
        """
        parts = [one for one in values if isinstance(one, ast.Subscript) and self._view_at(one)]
        changed = set().union(*(named_in(indices_of(one)[0]) for one in targets))
        read = set().union(*(named_in(index) for part in parts for index in indices_of(part)[1]))
        are_views = len(parts) == len(values) and changed.isdisjoint(read)
        return bool(parts) and (are_views or all(isinstance(one, ast.Name) for one in targets))

    def _acts(self, change: ast.stmt) -> bool:
        """Tell whether a statement that changes a part of an array may change more than that."""
        return any(self._may_act(one, set()) for one in nodes_in(change, ast.Call))

    def _view_at(self, part: ast.Subscript) -> Value | None:
        """Return the value of `array[place]` if it is a view, but no row alone; else None."""
        if not isinstance(self.frame.find(getattr(part.value, "id", "")), Array):
            return None
        value = self.value(changed(part, ctx=ast.Load()))
        is_row = value.base is value.node and not isinstance(part.slice, ast.Slice)
        is_view = isinstance(value.kind, Array) and value.base is not None and not is_row
        return value if is_view else None

    def _is_alone(self, name: str, value: Value) -> bool:
        """Tell whether no array is read any more but a view that is now bound to a name."""
        if value.base in (None, value.node) or len(self._active) > 1 or self._loops:
            return False
        read = {one for block in self._behind for statement in block for one in named_in(statement)}
        kinds = [self.frame.find(one) for one in read - {name}]
        iterators = [kind for kind in kinds if isinstance(kind, Many) and not kind.is_list]
        return not iterators and not any(kind and holds_array(kind) for kind in kinds)

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the statements that a statement is rewritten as."""
        names = self.frame.names
        match node:
            case ast.Assign(targets=[ast.Name()], value=ast.Lambda()):
                return self.statement(self._lambdas.setdefault(node, as_function(node)))
            case ast.Assign([ast.Name(name) as target], ast.Call() as made) if (
                self.is_vectorize(made.func) and self._stays(name, made)
            ):
                self.bind(target, Vectorized(made))
                return [changed(node, value=placed(ast.Constant(None), node))]
            case ast.Assign(targets=[_, _, *_] as targets) if nodes_in(node, ast.Subscript):
                return self._assigned_in_turn(node, targets)
            case ast.Assign(targets=targets):
                self._whole = node.value
                self.check_late(node.value)
                return self._assigned(node, targets, self.value(node.value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._assigned(node, [target], self.value(value))
            case ast.AugAssign():
                return self._augmented(node)
            case ast.If():
                return self._if(node)
            case ast.For() | ast.While():
                return [self._loop(node)]
            case ast.Return(value=ast.expr() as value):
                returned = self.held(value)
                self.frame.returned = join(self.frame.returned, returned.kind)
                return [changed(node, value=returned.node)]
            case ast.Break() | ast.Continue():
                self.frame.jumps.append(dict(names))
            case ast.FunctionDef(name=name):
                if node.decorator_list:
                    raise Wrong(node.decorator_list[0], NO_DECORATORS)
                names[name] = Function(node, self.frame)
                mark = placed(ast.Pass(), node)
                self._marks[mark] = node
                return [mark]
            case ast.Nonlocal(names=outer):
                self.frame.elsewhere.update(outer)
            case ast.Import() | ast.ImportFrom():
                self.imported(node)
            case ast.Expr(value=ast.Call(func=ast.Name("print")) as call) if not may_change(node):
                return [changed(node, value=changed(call, args=[], keywords=[]))]
            case ast.Assert() if not may_change(node):
                return [changed(node, test=placed(ast.Constant(True), node), msg=None)]
            case ast.Expr(value=ast.Call() as call) if instead := self.changing(call):
                return self.statement(instead)
            case ast.Expr(value=ast.Call() as call) if fills := self._filling(call):
                return fills
            case ast.Expr(value=value) if not isinstance(value, ast.Constant):
                self._whole = value
                return [changed(node, value=self.held(value).node)]
            case ast.Delete(targets=targets):
                return [changed(node, targets=list(map(self._deleted, targets)))]
        return [node]

    def _stays(self, name: str, made: ast.Call) -> bool:
        """Tell whether a name always stands for one function, which names what does not change."""
        read = [] if isinstance(made.args[0], ast.Lambda) else [*named_in(made.args[0])]
        return all(self._bound[one] < 2 for one in (name, *read))

    def _deleted(self, target: ast.expr) -> ast.expr:
        if not isinstance(target, ast.Subscript):
            return target
        owner = self.value(target.value)
        if isinstance(owner.kind, Few | Array):
            raise self.unread(target, UNKNOWN)
        self.grow(target.value, NOTHING)
        return changed(target, value=owner.node, slice=self.plain(target.slice).node)  # type: ignore[no-any-return]

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind what an import names."""
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            whole = alias.name if alias.asname else name
            if isinstance(node, ast.ImportFrom):
                whole = f"{node.module}.{alias.name}"
            self.frame.names[name] = Known(whole)

    def _filling(self, call: ast.Call) -> list[ast.stmt]:
        """Write np.fill_diagonal(a, value), or a.fill(value); nothing for another call."""
        match call:
            case ast.Call(ast.Attribute(owner, "fill_diagonal"), [array, value], []) if (
                self.value(owner).kind == Known("numpy")
            ):
                text = "for i in range(min(len(a), len(a[0]))): a[i][i] = v"
            case ast.Call(ast.Attribute(array, "fill"), [value], []) if isinstance(
                self.value(array).kind, Array
            ):
                text = "for i in range(len(a)): a[i][:] = [v] * len(a[i])"
            case _:
                return []
        changed_array, number = self.value(array), self.value(value)
        is_of_numbers = getattr(changed_array.kind, "of", "bool") != "bool"
        is_read = is_of_numbers and changed_array.rank == 2 and number.kind == INT
        if not is_read or not _is_place(changed_array.node):
            raise Wrong(call, f"this change of an array cannot be read: {ADVICE}")
        return self._changed_by(call, text, {"a": changed_array.node, "v": number.node})

    def _changed_by(self, node: ast.AST, text: str, given: dict[str, Any]) -> list[ast.stmt]:
        """Return the statements of a form; what they read again and again is computed before."""
        (form,) = statements(text).body
        check_order(given.values())
        late: dict[str, Any] = {}
        direct = self.direct(form, given, late) | {"a": given["a"]}
        before = [ast.Assign([ast.Name(k, ast.Store())], part) for k, part in late.items()]
        return [placed(one, node) for one in (*before, self.filled(form, direct, node))]

    def _assigned(
        self, node: ast.stmt, targets: Sequence[ast.expr], value: Value
    ) -> list[ast.stmt]:
        """Write the assignment of a value that nothing holds yet."""
        first, *others = targets
        if isinstance(first, ast.Subscript):
            return self._store(first, value)
        if others or not isinstance(first, ast.Name) or not self._is_alone(first.id, value):
            value = self.as_held(node, value)
        after: list[ast.stmt] = []
        _check_places(targets)
        for target in targets:
            self.bind(target, value.kind)
        written = [self._without_places(target, value.kind, after) for target in targets]
        return [placed(ast.Assign(written, value.node), node), *after]

    def _assigned_in_turn(self, node: ast.Assign, targets: Sequence[ast.expr]) -> list[ast.stmt]:
        """Write `x[0] = y[0] = value`."""
        name, value = self.fresh("x"), node.value
        each = [ast.Assign([ast.Name(name, ast.Store())], value)]
        if isinstance(value, ast.Constant):
            each = []
        else:
            value = ast.Name(name, ast.Load())
        each += [ast.Assign([target], value) for target in targets]
        return [made for one in each for made in self.statement(placed(one, node))]

    def _without_places(
        self, target: ast.expr, kind: Kind, after: list[ast.stmt]
    ) -> ast.expr:
        """Return a target with names in place of `a[i]`, to which `after` assigns these names."""
        if not isinstance(target, ast.Tuple | ast.List):
            return target
        parts: list[ast.expr] = []
        for k, part in enumerate(target.elts):
            if isinstance(part, ast.Subscript):
                name = self.fresh("x")
                given = Value(placed(ast.Name(name, ast.Load()), part), element_at(kind, k))
                after += self._store(part, given)
                parts.append(placed(ast.Name(name, ast.Store()), part))
            else:
                parts.append(self._without_places(part, element_at(kind, k), after))
        return changed(target, elts=parts)  # type: ignore[no-any-return]

    def bind(self, target: ast.expr, kind: Kind) -> None:
        """Note the kinds of the names of a target."""
        match target:
            case ast.Name(name) if name in self.frame.elsewhere:
                self.rebind(name, kind, self.frame.parent)
            case ast.Name(name):
                self.frame.names[name] = kind
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if isinstance(kind, Few) and len(kind.parts) == len(parts):
                    kinds = list(kind.parts)
                else:
                    kinds = [UNKNOWN if kind is UNKNOWN else elements(kind)] * len(parts)
                if any(isinstance(part, ast.Starred) for part in parts):
                    kinds = [elements(kind)] * len(parts)
                for part, one in zip(parts, kinds, strict=True):
                    if isinstance(part, ast.Starred):
                        self.bind(part.value, Many(one))
                    else:
                        self.bind(part, one)

    def _store(self, target: ast.Subscript, value: Value) -> list[ast.stmt]:
        """Write `a[i] = value`."""
        owner = self.value(target.value)
        if not isinstance(owner.kind, Array):
            if owner.kind is UNKNOWN:
                raise self.unread(target.value, UNKNOWN)
            index = self.value(target.slice)
            if holds_array(index.kind):
                raise self.unread(target.slice, UNKNOWN)
            is_slice = isinstance(target.slice, ast.Slice)
            value = self.as_held(target, value)
            element = elements(value.kind) if is_slice else value.kind
            self.grow(target.value, element, self.key_of(target.slice))
            place = placed(ast.Subscript(owner.node, index.node, ast.Store()), target)
            return [placed(ast.Assign([place], value.node), target)]
        code, parts = self.index(target.slice, owner.rank)
        given = self._fit_for(target, owner.kind, value)
        is_list = given.rank > 1 and not isinstance(value.kind, Array)
        is_in_turn = is_list and set(code) <= {"i", "s"}  # NumPy reads each row in its turn
        if given.rank and given.base is not None and not is_in_turn:
            given = self.of_numpy(target, "copy", [given], {})  # it may be of the same array
        text = STORES.get((owner.kind.rank, code, given.rank))
        if text is None or not _is_place(owner.node):
            raise Wrong(target, f"this change of an array cannot be read: {ADVICE}")
        changing = named_in(indices_of(owner.node)[0])
        is_view = value.base is not None and bool(named_in(value.base) & changing)
        if is_view and (owner.rank, code, given.rank) in ((1, "m", 1), (2, "M", 1)):
            raise Wrong(target, "NumPy reads what it changes here: write .copy() of the new values")
        parts = [
            placed(ast.Call(ast.Name("list", ast.Load()), [part], []), part)
            if kind in "lm" and named_in(part) & changing
            else part
            for kind, part in zip(code, parts, strict=True)
        ]
        begin: list[ast.stmt] = []
        if isinstance(given.node, ast.ListComp):  # no view that it reads is read in the loop
            name = self.fresh("new")
            begin = [assignment(name, given.node, target)]
            given = given._replace(node=placed(ast.Name(name, ast.Load()), target))
        nodes = [owner.node, given.node, *parts]
        changes = self._changed_by(target, text, dict(zip("avxyz", nodes, strict=False)))
        return [*begin, *changes]

    def _fit_for(self, node: ast.AST, array: Array, value: Value) -> Value:
        """Return a value that is put into an array, as what the array holds."""
        kind: Any
        if value.kind == ANY:
            form, kind = ("x + 0", NUMBER) if array.of in REALS else ("int(x)", INT)
            value = Value(self.each(node, expression(form), [value]), kind)
        given = self.operand(node, value)
        kind = given.kind
        if array.of == "number" and kind.of in REALS:
            raise Wrong(node, f"{MAY_BE_REALS}: write .astype(int) or .astype(float)")
        if (array.of == "bool") != (kind.of == "bool") or (array.of == "int" and kind.of in REALS):
            form, of = ("x != 0", "bool") if array.of == "bool" else ("int(x)", "int")
            made = self.each(node, expression(form), [given])
            return Value(made, replace(kind, of=of))
        return given

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Write `a += b`."""
        if any(map(may_change, indices_of(node.target)[1])):  # it may be computed twice
            raise Wrong(node, "an index that changes something is not read: name it before")
        value, target = self.value(node.value), node.target
        before = self.value(changed(target, ctx=ast.Load()))
        owner = self.value(target.value).kind if isinstance(target, ast.Subscript) else PLAIN
        made = self.operated(node, node.op, before, value)
        is_name = isinstance(target, ast.Name)
        if isinstance(before.kind, Array) or isinstance(owner, Array):
            if isinstance(owner, Few):
                raise Wrong(node, "an array in a tuple is changed by a name: name it before")
            is_other = getattr(made.kind, "of", "") != getattr(before.kind, "of", "")
            if is_other and made.kind is not NOTHING:  # of an empty list's element
                raise Wrong(node, "this changes what the array holds: write a = a + b")
            if not isinstance(owner, Array):
                array = changed(target, ctx=ast.Load())
                whole = ast.Subscript(array, ast.Slice(), ast.Store())
                return self._store(placed(whole, target), made)
            return self._store(target, made)  # type: ignore[arg-type]
        if isinstance(made.kind, Array) and not is_name:
            raise self.unread(node, UNKNOWN)
        if is_name and isinstance(made.kind, Array | Scalar):
            return self._assigned(node, [target], made)  # it is known to be no list
        if isinstance(target, ast.Name):
            self.grow(target, elements(value.kind))
            self.bind(target, _with_sites_of(before.kind, made.kind))
        elif isinstance(target, ast.Subscript):
            self.grow(target.value, made.kind, self.key_of(target.slice))
        if not isinstance(made.node, ast.BinOp):  # a sum of Booleans of NumPy
            return self._store(target, made)  # type: ignore[arg-type]
        written = self.as_held(node, value).node
        return [changed(node, target=changed(before.node, ctx=ast.Store()), value=written)]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        test = self.test(node.test)
        if isinstance(test, ast.Constant):
            return self.block(node.body if test.value else node.orelse)
        frame = self.frame
        before = dict(frame.names)
        self.exclude_none(node.test, True)
        body = self.block(node.body)
        after = frame.names
        frame.names = before
        self.exclude_none(node.test, False)
        orelse = self.block(node.orelse)
        if _leaves(node.orelse):
            frame.names = after
        elif not _leaves(node.body):
            frame.names = _merged(after, frame.names)
        return [changed(node, test=test, body=body, orelse=orelse)]

    def _loop(self, node: ast.For | ast.While) -> ast.stmt:
        """Rewrite a loop, with the kinds that names have in any of its rounds."""
        node = self._with_name(_over_places(node))
        frame = self.frame
        jumps = frame.jumps
        self._loops += 1
        for _ in range(MOST_ROUNDS):
            names = start = dict(frame.names)
            frame.jumps = []
            if isinstance(node, ast.For):
                over = self.held(node.iter)
                self.bind(node.target, self.elements(node.iter, over.kind))
                fields = {"iter": over.node}
            else:
                fields = {"test": self.test(node.test)}
            names = _merged(names, frame.names)  # the test may name a value
            body = self.block(node.body)
            for one in frame.jumps if _leaves(node.body) else [frame.names, *frame.jumps]:
                names = _merged(names, one)
            frame.names = names
            if names == start:
                break
        else:
            raise Wrong(node, UNKNOWN_ROUNDS)
        frame.jumps = jumps
        self._loops -= 1
        frame.names = dict(names)
        orelse = self.block(node.orelse)
        after = names if _leaves(node.orelse) else frame.names
        frame.names = _merged(names, after)  # a `break` passes over `else`
        return changed(node, body=body, orelse=orelse, **fields)  # type: ignore[no-any-return]


    def _with_name(self, loop: ast.For | ast.While) -> ast.For | ast.While:
        """Return a loop over `x[i]` as one over a name that is assigned to `x[i]`."""
        if not isinstance(loop, ast.For) or not nodes_in(loop.target, ast.Subscript):
            return loop
        name = self.fresh("x")
        each = ast.Assign([loop.target], ast.Name(name, ast.Load()))
        target = placed(ast.Name(name, ast.Store()), loop.target)
        return changed(loop, target=target, body=[placed(each, loop), *loop.body])  # type: ignore[no-any-return]


def _over_places(loop: ast.For | ast.While) -> ast.For | ast.While:
    """Return a loop over `ndenumerate` of an array that it changes as one over the array's places.

    NumPy gives each element as it is when its turn comes.
    """
    match loop:
        case ast.For(
            target=ast.Tuple(
                elts=[
                    ast.Name() | ast.Tuple(elts=[ast.Name(), ast.Name()]) as place,
                    ast.Name() as value,
                ]
            ),
            iter=ast.Call(ast.Attribute(ast.Name() as module, "ndenumerate"), [ast.Name() as of]),
        ) if of.id in names_changed_in(loop) - stored_in(loop):
            shape = ast.Attribute(of, "shape", ast.Load())
            over = ast.Call(ast.Attribute(module, "ndindex", ast.Load()), [shape], [])
            names: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names_in(place)]
            index = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())
            element = ast.Subscript(of, index, ast.Load())
            body = [placed(ast.Assign([value], element), loop), *loop.body]
            return changed(loop, target=place, iter=placed(over, loop.iter), body=body)  # type: ignore[no-any-return]
    return loop


def _positional(function: ast.FunctionDef) -> list[str]:
    """List the parameters of a function that may be given by place."""
    return [part.arg for part in (*function.args.posonlyargs, *function.args.args)]


def _given_as(kind: Kind, function: ast.FunctionDef, name: str) -> Kind:
    """Return the kind of an argument as a function sees it."""
    return with_sites(kind, lambda sites, path: frozenset([Site(function, path, name)]))


def _is_given(site: Site, function: ast.FunctionDef) -> bool:
    """Tell whether containers come from a function's arguments."""
    return site.function is function and bool(site.parameter)


def _sites_outside(
    sites: Set[Site], function: ast.FunctionDef, given: Mapping[str, Kind]
) -> frozenset[Site]:
    """Return sites as a function's caller sees them, without those within the function."""
    found = {site for site in sites if site.function is not function}
    for site in sites:
        if _is_given(site, function):
            found |= sites_at(given[site.parameter], site.path)
    return frozenset(found)


def _outside(kind: Kind, function: ast.FunctionDef, given: Mapping[str, Kind]) -> Kind:
    """Return a kind as a function's caller sees it."""
    return with_sites(kind, lambda sites, path: _sites_outside(sites, function, given))


def _with_sites_of(old: Kind, new: Kind) -> Kind:
    """Return the kind of a container that `+=` has changed."""
    if isinstance(old, Container) and isinstance(new, Container):
        return replace(new, sites=old.sites)
    return new


def _is_fixed(kind: Kind) -> bool:
    """Tell whether nothing can change a value."""
    return isinstance(kind, Scalar) or (isinstance(kind, Few) and all(map(_is_fixed, kind.parts)))


def _is_place(node: ast.AST) -> bool:
    """Tell whether an expression is `name[a][b]`, and may be written again and again."""
    while isinstance(node, ast.Subscript):
        if not all(isinstance(part, _OF_NUMBERS) for part in ast.walk(node.slice)):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Tell whether nothing comes behind a block."""
    match block[-1:]:
        case [ast.Return() | ast.Raise() | ast.Break() | ast.Continue()]:
            return True
        case [ast.If(body=body, orelse=orelse)]:
            return _leaves(body) and _leaves(orelse)
    return False


def _merged(one: Mapping[str, Kind], other: Mapping[str, Kind]) -> dict[str, Kind]:
    """Return the kinds of names where two ways meet."""
    both = {name: join(one[name], other[name]) for name in one.keys() & other.keys()}
    return {**one, **other, **both}


# Sources


def without_arrays(
    tree: ast.Module, is_program: Callable[[str], object]
) -> tuple[ast.Module, list[tuple[ast.FunctionDef, Wrong]]]:
    """Return a source whose functions that use NumPy are plain Python, and the mistakes in others.

    is_program: Tells of a name whether a function is a program even if others call it.
    """
    given, tree = tree, ast.Module(list(map(as_function, tree.body)), [])
    functions = {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}
    names = _names_of_numpy(tree)
    outside = {
        name: named_in(part.value)
        for part in tree.body
        if isinstance(part, ast.Assign)
        for name in stored_in(part)
    }
    names |= {name for name, read in outside.items() if read & names}
    around = {name: named_in(node) - names_of(node) for name, node in functions.items()}
    mentions = {
        name: set().union(read, *(outside.get(one, ()) for one in read)) & functions.keys() - {name}
        for name, read in around.items()
    }
    mentioned = set().union(*mentions.values())
    entries = {name for name in functions if name not in mentioned or is_program(name)}
    entries |= functions.keys() - _reached(entries, mentions)  # they only mention each other
    plain = {name: without_questions(node, names) for name, node in functions.items()}
    uses = {name for name, node in plain.items() if _uses_arrays(node, names)}
    grids = Grids(ast.Module([*plain.values()], []), names, frozenset(uses))
    uses |= {
        name for name in entries
        if any(grids.is_array(plain[name], one) for one in plain[name].args.args)
    }  # fmt: skip
    uses |= {name for name in functions if _reached({name}, mentions) & uses}
    if not uses:
        last = {node: plain[name] for name, node in functions.items()}
        given.body = [last.get(one, one) for one in given.body]  # type: ignore[call-overload]
        forget(given)
        return given, []
    arrays = Arrays(tree, grids)
    body: list[ast.stmt] = []
    for statement in tree.body:
        if not isinstance(statement, ast.FunctionDef):
            body.append(arrays.outside(statement))
        elif functions[statement.name] is statement:
            arrays.module.names[statement.name] = Function(statement, arrays.module)
    mistakes = []
    for function in [functions[name] for name in functions if name in entries & uses]:
        try:
            body.append(arrays.entry(function))
        except Wrong as wrong:
            mistakes.append((function, wrong.with_traceback(None)))
        except RecursionError:
            mistakes.append((function, Wrong(function, "nested too deeply")))
        except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
            what = f"this use of NumPy cannot be read: {ADVICE}"
            mistakes.append((function, Wrong(function, what)))
    body += [plain[name] for name in _reached(entries - uses, mentions)]
    copies = {copy.name: copy for node in functions.values() for copy in arrays.copies_of(node)}
    made = arrays.finished(ast.Module([*body, *copies.values()], []))
    loads = {copy.name: named_in(copy) & copies.keys() for copy in copies.values()}
    unused = copies.keys() - _reached(set().union(*map(named_in, body)) & copies.keys(), loads)
    made.body = [part for part in made.body if getattr(part, "name", "") not in unused]
    made.body.sort(key=lambda part: part.lineno)
    return made, mistakes


def _reached(names: Set[str], mentions: Mapping[str, Set[str]]) -> set[str]:
    """Return some names, and those that they mention, that these mention, and so on."""
    reached = set(names)
    while more := set().union(*(mentions[name] for name in reached)) - reached:
        reached |= more
    return reached


def _defined_in(tree: ast.AST) -> set[str]:
    """Return the names that a source defines anywhere."""
    names = {alias.asname or alias.name for node in _imports_in(tree) for alias in node.names}
    names |= {part.arg for part in nodes_in(tree, ast.arg)}
    return names | {part.name for part in nodes_in(tree, ast.FunctionDef)} | stored_in(tree)


def _imports_in(node: ast.AST) -> list[Any]:
    return [*nodes_in(node, ast.Import), *nodes_in(node, ast.ImportFrom)]


def _check_places(targets: Sequence[ast.expr]) -> None:
    """Refuse targets such as `a[i], i`: what is assigned to places is assigned after all names."""
    read: set[str] = set()
    left = list(reversed(targets))
    while left:
        match left.pop():
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                left += reversed(parts)
            case ast.Starred(value=target):
                left.append(target)
            case ast.Subscript() as place:
                read |= named_in(place)
            case ast.Name(name) as target if name in read:
                raise Wrong(target, f"{name!r} is read for a place before: assign it alone")


def _names_of_numpy(tree: ast.AST) -> set[str]:
    """Return the names that a source gives to NumPy, or imports from it."""
    return {
        alias.asname or alias.name
        for part in _imports_in(tree)
        for alias in part.names
        if (getattr(part, "module", None) or alias.name).partition(".")[0] == "numpy"
    }


def _uses_arrays(function: ast.FunctionDef, numpy: set[str]) -> bool:
    """Tell whether a function uses NumPy, or what arrays alone have."""
    attributes = {part.attr for part in nodes_in(function, ast.Attribute)}
    return bool(named_in(function) & numpy or attributes & OF_ARRAYS or _names_of_numpy(function))
