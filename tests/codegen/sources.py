"""Draws programs as people write them, from expressions of each kind of value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter
from textwrap import indent

from hypothesis import strategies as st

_ATOMS = {
    "int": ("0", "1", "2", "-3", "TWO"),
    "real": ("0.5", "-1.5", "3.0", "1 / 3", "1e3"),
    "bool": ("True", "F", "portrait(I)"),
    "ints": ("(1, 2, 3)", "()", "(2, 0)", "shape(I)", "tuple(range(3))"),
    "set": ("palette(I)", "{1, 5}", "frozenset()"),
    "grid": ("I", "canvas(1, (1, 2))"),
}
_FORMS = {
    "int": (
        "{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} // {int}", "{int} % {int}",
        "-{int}", "abs({int})", "len({ints})", "size({set})", "height({grid})", "sum({ints})",
        "max({int}, {int})", "min({ints}, default={int})", "max({ints}, key=lambda {new}: {int_})",
        "{ints}[{int}]", "{ints}[-1]", "{int} if {bool} else {int}", "({int} or {int})",
        "add(a={int}, b={int})", "(lambda {new}: {int_})({int})", "{grid}[0][0]", "first({ints})",
        "next(({new} for {new} in {ints} if {bool_}), {int})", "len({set} - {set})",
        "{ints}.count({int})", "{ints}.index({int})", "len({set}.difference({ints}, {set}))",
        "reduce(lambda {new}, {other}: {int_}, {ints}, {int})", "reduce(add, {ints})",
        "len(sum([{ints}, {ints}], ()))", "reduce(max, {ints})", "fold(min, {int}, {ints})",
        "fork(max, identity, double)({int})",
        "[{new} for {other} in {grid} for {new} in {other}].count({int})",
        "{int} & {int}", "{int} | {int}", "{int} ^ {int}", "~{int}", "{int} ** {int}", "{int} ** 2",
        "{int} << {int}", "{int} >> {int}", "{int} >> 1", "max(*{ints})", "min({int}, *{ints})",
        "(lambda *{new}: sum({new}))({int}, *{ints})", "(lambda *{new}: len({new}))({int}, {int})",
        "(lambda {new}, *{other}: len({other}) * {new})(*{ints})",
        "round({real})", "int({real})", "math.floor({real})", "math.ceil({real})",
        "sorted({ints}, key=lambda {new}: ({int_}) / 3)[0]", "len({{{real}, {int}, {real}}})",
        "max({ints}, key=lambda {new}: ({real_}, {int_}))", "I[{real}][0]",
    ),
    "real": (
        "{int} / {int}", "{real} / {int}", "{real} + {int}", "{real} - {real}", "{int} * {real}",
        "-{real}", "+{real}", "abs({real})", "max({real}, {int})", "min({int}, {real})",
        "{real} if {bool} else {real}", "float({int})", "({real} - {int}) ** 2", "{real} ** 3",
        "min({real}, float('inf'))", "[{real}, {int}][0]", "sum([{int}, {real}])",
        "sorted([{real}, {int}, {real}])[1]", "math.sqrt(abs({real}))", "({real} or {real})",
        "max([{real}, {real}], key=lambda {new}: -{new})", "sum({ints}) / len({ints})",
        "reduce(lambda {new}, {other}: {new} + ({real_}), {ints}, {real})",
    ),
    "bool": (
        "{int} < {int}", "{int} <= {int}", "{int} > {int} >= {int}", "{int} == {int}",
        "{int} in {ints}", "{int} not in {set}", "not {int}", "({bool} and {bool})",
        "({bool} or {bool})", "{ints} < {ints}", "{ints} >= {ints}", "{set} <= {set}",
        "any({new} > {int_} for {new} in {ints})", "all({bool_} for {new} in {set})",
        "bool({ints})", "portrait({grid}) & {bool}", "{bool} | {bool}",
        "square({grid}) ^ portrait({grid})", "portrait({grid}) is not True",
        "{bool} if {bool} else {bool}", "tuple({ints}) != tuple({ints})", "greater({int}, {int})",
        "{real} < {real}", "{real} >= {int}", "{real} == {int}", "{real} in [{real}, {int}]",
        "({real}, {int}) < ({int}, {real})", "not {real}", "-math.inf < {real}",
        "{set}.issubset({ints})", "{set}.issuperset({ints})", "{set}.isdisjoint({set})",
    ),
    "ints": (
        "({int}, {int})", "[{int}, {int}, {int}]", "({int},)", "{ints} + {ints}", "{ints} * 2",
        "tuple({int_} for {new} in {ints} if {bool_})", "[{int_} for {new} in {ints}]",
        "tuple({int_} for {new} in {set})", "sorted({ints})", "sorted({set})",
        "sorted({ints}, key=lambda {new}: {int_}, reverse=True)", "{ints}[1:]", "{ints}[::-1]",
        "{ints}[{int}:{int}]", "(*{ints}, {int})", "apply(lambda {new}: {int_}, {ints})",
        "sfilter({ints}, lambda {new}: {bool_})", "order({ints}, lambda {new}: {int_})",
        "tuple(map(lambda {new}: {int_}, {ints}))", "tuple(reversed({ints}))", "totuple({set})",
        "[{int_} for {new}, {other} in zip({ints}, {ints})]", "{ints} if {bool} else {ints}",
        "[{int_} for {new} in {ints} for {other} in {ints}]", "dedupe({ints})",
        "papply(lambda {new}, {other}: {int_}, {ints}, {ints})",
        "[{int_} for {new}, {other} in enumerate({ints}, {int})]",
        "[{int_} for {new}, {other}, _ in zip({ints}, {set}, {ints})]",
        "list(itertools.chain({ints}, {ints}))", "sum([{ints}, {ints}], {ints})",
        "tuple(map(lambda {new}, {other}: {int_}, {ints}, {ints}))", "papply(max, {ints}, {ints})",
        "tuple(map(lambda {new}, {other}=2: {int_}, {ints}, {ints}))",
        "[*map(max, *{grid})]", "[*map(min, {ints}, {ints}, {ints})]",
        "[*map(lambda *{new}: len({new}), *{grid})]", "[*map(size, zip({ints}, *{grid}))]",
        "[*map(lambda {new}, {other}: {int_}, *[{ints}, {ints}])]",
    ),
    "set": (
        "frozenset({ints})", "{{{int}, {int}}}", "{{{int_} for {new} in {set}}}", "{set} - {set}",
        "{set} & {set}", "{set} ^ {set}", "insert({int}, {set})",
        "frozenset({new} for {new} in {ints} if {bool_})",
        "{set} if {bool} else {set}", "apply(lambda {new}: {int_}, {set})",
        "{set}.union({ints}, {set})", "{set}.intersection({ints})",
        "set().union(*[{ints}, {ints}])", "{set}.intersection(*[{ints}, {set}])",
        "set.intersection(*[{set}, {set}])",
    ),
    "grid": (
        "vmirror({grid})", "dmirror({grid})", "hconcat(a={grid}, b={grid})",
        "{grid} if {bool} else {grid}", "replace({grid}, {int}, {int})",
        "fill({grid}, {int}, frozenset({{(0, {int}), ({int}, 1)}}))", "branch({bool}, {grid}, I)",
        "[[{int_} for {new} in row] for row in {grid}]", "compose(vmirror, hmirror)({grid})",
        "tuple(zip(*{grid}))",
    ),
}  # fmt: skip
"""Forms of expressions of each kind. A field is an expression of a kind; a field that ends in `_`
may use the names that the form binds, `new` and `other`, which are Integers."""


def _filled(draw: st.DrawFn, kind: str, names: dict[str, str], depth: int) -> str:
    """Draw an expression. names: The kinds of the names that the expression may use."""
    if depth <= 0 or draw(st.integers(0, 3)) == 0:
        known = [name for name, of_kind in names.items() if of_kind == kind]
        return draw(st.sampled_from([*known, *known, *_ATOMS[kind]]))
    form = draw(st.sampled_from(_FORMS[kind]))
    fields = {"new": f"v{depth}", "other": f"w{depth}"}
    bound = [name for field, name in fields.items() if f"{{{field}}}" in form]
    inside = {**names, **dict.fromkeys(bound, "int")}
    text = ""
    for literal, field, _, _ in Formatter().parse(form):
        text += literal
        if field in fields:
            text += fields[field]
        elif field is not None:
            seen = inside if field.endswith("_") else names
            text += f"({_filled(draw, field.rstrip('_'), seen, depth - 1)})"
    return text


def _statements(draw: st.DrawFn, names: dict[str, str], depth: int) -> list[str]:
    """Draw statements that assign to names, and add the names to `names`."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(sorted(_FORMS)))
        name = draw(st.sampled_from([f"{kind}_a", f"{kind}_b"]))
        form = draw(st.sampled_from(["assign", "assign", "if", "unpack", "def", "return"]))
        value = _filled(draw, kind, names, 3)
        if form == "if" and depth:
            inner = dict(names)
            lines.append(f"if {_filled(draw, 'bool', names, 2)}:")
            lines += [f"    {line}" for line in _statements(draw, inner, depth - 1)]
        elif form == "return" and depth:
            test = _filled(draw, "bool", names, 2)
            lines += [f"if {test}:", f"    return {value}"]
        elif form == "unpack":
            lines.append(f"int_a, int_b = {_filled(draw, 'int', names, 2)}, len(palette(I))")
            names.update(int_a="int", int_b="int")
        elif form == "def":
            body = _filled(draw, "int", {**names, "p": "int"}, 3)
            lines += ["def f(p, k=1):", "    p = p + k", f"    return {body}"]
            given = _filled(draw, "int", names, 1)
            lines.append(f"ints_a = apply(lambda p: f(p), (f(1), f({given}, k=2)))")
            names["ints_a"] = "ints"
        else:
            lines.append(f"{name} = {value}")
            names[name] = kind
    return lines


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Draw a source with a function `solve(I)`."""
    names = {"I": "grid"}
    lines = _statements(draw, names, 1)
    kind = draw(st.sampled_from(sorted(_FORMS)))
    lines.append(f"return {_filled(draw, kind, names, 3)}")
    function = "\n    ".join(["def solve(I):", *lines])
    return f"import itertools, math\nfrom functools import reduce\n\n{function}\n"


_NAMES = st.sampled_from("abcd")
_NUMBERS = (
    "{}", "({} + 2 * {}) % 5", "({} ^ {} & 3)", "min({}, {})", "({} if {} < 2 else {})",
    "(lambda a: a + {})({})", "(~{} & 7)",
)  # fmt: skip
_TESTS = ("{} < {}", "{} % 2", "{} == 1 or {} > 3", "(a := {} % 3) > 1")


def _of_names(draw: st.DrawFn, forms: Sequence[str]) -> str:
    """Draw one of several forms, and a name for each of its fields."""
    form = draw(st.sampled_from(forms))
    return form.format(*(draw(_NAMES) for _ in range(form.count("{}"))))


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


_ENDS = ["if len(p) > 5 or len(q) > 5 or len(r) > 5:", "    break"]
"""Statements that end a loop before lists grow without end."""
_OVER_LISTS = [
    ("a", "p"), ("p", "r"), ("a, b", "enumerate(p)"), ("a, p", "enumerate(r)"), ("a", "list(p)"),
    ("a", "range(len(p))"), ("a, b", "zip(p, q)"), ("p", "(p, q)"), ("a", "s"), ("q", "r[:]"),
    ("r[0]", "r[:]"), ("q", "[[1], [2]]"), ("q", "[list(w) for w in I[:2]]"),
]
_OVER_DICTIONARIES = [
    ("a", "m"), ("a", "sorted(m)"), ("a, b", "m.items()"), ("b", "m.values()"), ("a", "list(m)"),
    ("a, p", "g.items()"), ("p", "g.values()"), ("a", "g"), ("a, p", "list(g.items())"),
    ("a, b", "e.items()"), ("a", "e.keys()"), ("a", "h"), ("a", "sorted(j)"),
    ("a, p", "j.items()"), ("a", "I[1]"), ("a, b", "enumerate(I[0])"), ("a, b", "k.most_common()"),
    ("b", "(m[v] for v in m)"), ("a, b", "sorted(m.items(), key=lambda v: -v[1])"),
    ("m", "(m, e, {})"), ("a, a", "e.items()"),
]
_IMPORTS = """\
from collections import Counter, defaultdict
from copy import deepcopy
OTHERS = {0: 4, 1: 7, 2: 2, 4: 0}
"""
_HELPERS = """\
    def same(x):
        return x
    def pair(x):
        made = [x]
        made.append(x)
        return made
    def more(x, y):
        x += y
        return x
    def tail(x):
        if x:
            return x[1:]
        return [8]
    def counted(x):
        found = {}
        for v in x:
            found[v] = found.get(v, 0) + 1
        return found
"""
_ACTING = """\
def put(x, v):
    x.append(v)
def cut(x, v):
    if not x:
        return 9
    v += x.pop()
    return v
def grow(x, v):
    x.append(v)
    return x
def deep(x, v):
    x[0].append(v)
    return len(x)
def row(x, v):
    x[0].append(v)
    return x[-1]
def seek(x, v):
    for u in x:
        if u == v:
            x[0] = 5
            return u
    x.append(v)
    return [v]
def mark(v):
    s.add(v)
    return len(s)
def tell(v):
    nonlocal a
    a += v
    return a
def last():
    return p.pop() if len(p) > 1 else 7
def swap():
    nonlocal p, q
    p, q = q, p
def peek(v):
    return len(p) + a + v + len(s)
def both(x, y, v):
    x.append(v)
    y.extend(x)
    return v, y
def fill(x, v=2):
    x += [v]
    for k in range(len(x)):
        x[k] = v
    return None
def deal(x, v):
    if v > 2:
        return cut(x, v)
    put(x, v)
    return tell(v)
def hold(x, v):
    m = {v: x}
    m[v].append(v)
    return m[v]
def note(x, v):
    x[v] = v
    return v
"""
"""Functions that change what they are given, or names around them."""
CALLED = (
    "put(p, {})", "put(q, {})", "put(r[0], {})", "put([1], {})", "put(v={}, x=p)", "put(I, p)",
    "{} = cut(p, {})", "{} = cut(p[:], {})", "{} += cut(q, {})", "{} = cut(p, len(p)) + len(p)",
    "{} = len(p) + cut(p, {})", "{} = cut(p, {}) + cut(q, {})", "{} = cut(p, cut(p, {}))",
    "p = grow(p, {})", "q = grow(p, {})", "grow(q, {})", "r.append(grow(p, {}))",
    "q = grow([], {})", "r = [grow(w[:], {}) for w in r]", "r = [grow(w, {}) for w in r]",
    "{} = deep(r, {})", "deep([p, q], {})", "{} = deep(r, r[0][0])", "p = row(r, {})",
    "q = row(list(r), {})", "p = seek(q, {})", "u = seek(p, {})", "{} = mark({})",
    "if mark({}) > 2: {} = 1", "mark({})", "{} = {} + mark({})", "{} = mark(mark({}))",
    "{} = tell({})", "tell({})", "{} = {} + tell({})", "{} = tell({}) + tell({})",
    "if tell({}) > 5: {} = tell({})", "{} = last()", "q.append(last())", "p.append(last())",
    "{} = last() + last()", "{} = last() if {} else 3", "swap()", "{} = peek({})",
    "{} = peek({}) + tell({})", "q, u = both(p, q, {}), 1", "{}, q = both(p, q, {})",
    "{}, u = both(p, p, {})", "fill(p)", "fill(q, {})", "u = fill(p, v={})", "{} = deal(p, {})",
    "deal(q, {})", "{} = deal(p, {}) + a", "q = hold(p, {})", "p = hold(p, {})",
    "r[0] = grow(r[0], {})", "while tell(1) < 4: put(p, {})", "for v in grow(p, {})[:3]: put(q, v)",
    "u = [last() for _ in p]", "{} = max(p, key=lambda v: peek(v))", "u = peek", "{} = u({})",
    "{} = note([0] * 9, {})", "r.append(p)", "r = [p, q]", "p = [{}]", "q = [{}, {}]",
    "p = r[0][:]", "r = [[{}], [{}]]", "p, q = q, p", "p.append({})", "s = {{{}}}", "{} = len(p)",
    "{} = sum(q)", "p[-1] = {}", "p[mark({}) % 2] = mark({})", "p[0] = last()",
    "q[last() % 2] = {}",
    "p[cut(p, {}) % 2] = cut(q, {})", "q[tell({}) % 2] = last()", "r[0] = grow(q, {})",
    "p[-p.pop()] = {}", "q[len(p)] = p.pop()",
    "p[0], q = {}, grow(p, {})", "p[0], q = both(q, p, {})",
)  # fmt: skip
"""Statements that call these functions, or share what they change."""
CHANGES = (
    "p = []", "q = [{}, {}]", "p = q", "q = list(p)", "p = q[:]", "q = [v + 1 for v in p]",
    "r = [p, q]", "r = [[{}], [{}, {}]]", "r = [p[:] for _ in (1, 2)]", "r = [[0] * 3] * 2",
    "r = []", "r = [[0] * 3 for _ in range(2)]", "p = r[0]", "p = list(r[0])",
    "r = [list(t) for t in r]", "p = same(q)", "q = pair({})", "r = pair(p)", "p = tail(q)",
    "p.append({})", "q.append({})", "r.append(p)", "r.append([{}])", "p[0] = {}", "q[-1] = {}",
    "r[0][-1] = {}", "r[-1] = q", "r[0] += [{}]", "r[0][0] += {}", "p += [{}]", "p.pop()",
    "{} = p.pop(0)", "{} = q.pop()", "p.sort()", "q.reverse()", "p.extend(q)", "p.insert(0, {})",
    "s.add({})", "s.discard({})", "s = set(p)", "t = s", "p, q = q, p", "p = q = [{}]",
    "p[0], p[-1] = p[-1], p[0]", "{} = len(p) + sum(q)", "{} = p[0] if p else 7", "q = sorted(p)",
    "r = [q for _ in p]", "q = p if {} else q", "p = p + q", "{} = len(s) + len(r)", "p = max(r)",
    "q = tuple(p)", "r = list(map(list, r))", "r = deepcopy(r)", "p = r[:1]", "q = r.pop()",
    "{} = max((0, 1), key=lambda k: p[k] if k < len(p) else 0)", "q = sorted(p, key=lambda v: q)",
    "q = list(map(lambda v: p, (1,)))[0]", "p = max(r, key=len)", "p.sort(key=lambda v: -v)",
    "u = (v for v in p)", "p = list(u)", "u = (p, q)", "q = u[0]", "u = lambda: p", "q = u()",
    "p += q", "p += ({},)", "q *= 2", "s |= {{{}}}", "t -= {{{}}}", "r[0] += p", "p = more(q, p)",
    "q = max(p, q)", "p = sum([], q)", "r[0] = r[-1] = [{}]", "q = r[0] = [{}]", "p, *r = r",
    "r[0], r[-1] = [p, q]", "r[0], r[-1] = list(r)", "r.extend([p])", "r = r + [q]", "r += [p]",
    "r[0].append({})", "{} = r[0].pop()", "r[-1].extend(p)", "r[-1].sort()", "{} = s.pop()",
    "p: list = [{}]", "p[{}:] = q", "p[:{}] = p[-{}:]", "r[1:] = [p]", "del q[:{}]",
    "p[::2] = [{}] * len(p[::2])", "q[::-1] = q[:]", "p[{}::2] = q", "r[-1][::-2] = [{}]",
    "del p[::2]", "del q[{}::-2]", "del r[-1][1::2]",
    "r = [same(w) for w in r]", "p = p or q", "I[0][{}] = {}", "I[-1] = p", "I.append(p)", "r = I",
    "p = list(I[0])", "print(q, p.pop())", "assert p.append({}) or p", "r[-1].extend(r.pop())",
    "r[{}].append(r.pop(0))", "r[len(q)].append(q.pop())", "def tail(x): return [{}]",
    "u = [lambda v: lambda k: q]", "q = u[0](1)", "u = [{{'a': lambda v: p}}]", "u = u[0]['a']",
    "q = u(1)", "u = iter(p)", "print(*u)", "{} = 5 if u else 6",
    "if p and p.pop() > {}: q.append({})", "while p and p.pop(): {} += 1",
    "for w in r: w[0] = {}", "for w in r: w.append({})", "for j, w in enumerate(r): r[j] = [{}]",
    "for j, v in enumerate(p): p[j] = v + {}", "for j, v in enumerate(r[0]): r[0][j] += v",
    "for j, w in enumerate(r): r[j - 1][0] = len(w)", "for w in r: w[-1] = sum(w)",
    "for j, w in enumerate(r): w[0] = sum(w[j] for j in (0,))",
    "for j, w in enumerate(r): del r[0]", "for w in r: {} += w[0]", "w = r[0]", "w = max(r)",
    "for j, w in enumerate(r): {} = len(w) + j", "{} = w[0] + len(w)", "q = w[:]", "r = [w, p]",
    "for w in r[1:]: w[0] = {}", "for w in reversed(r): w[-1] += {}", "for w in I: I[0][0] += w[0]",
    "for w, v in zip(r, r[1:]): v[0] = w[0]", "for w, v in zip(r, list(I)): w[0] = v[-1]",
    "for j, w in enumerate(r[1:], 1): r[j - 1][0] = w[0]", "for v in I[0]: I[0][-1] += v",
    "for j, (w, v) in enumerate(zip(r[::-1], r)): v[-1] = w[0] + j", "for v in p: p[-1] += v",
    "r = [*map(list, r)]", "r = [*map(sorted, zip(*r))]", "r = [[{}] for v in p]",
    "r = [w for w in r if w]", "p = [w for w in r if len(w) > {}]", "r = sorted(w for w in r)",
    "r = [w for w in r for _ in p]", "r = [w for w in I] + r[:1]", "r = [w for w in r + r if w]",
    "m = {{w[0]: w for w in r}}", "r = [w for w in r if r[0]]", "p = [w for w in r][0]",
    "for w in sorted(r): w[0] = {}", "for j, w in enumerate(sorted(r, key=len)): w.append(j)",
    "for w in sorted(r, key=lambda w: -w[0], reverse=True): {} += 1; w[0] = {}",
)  # fmt: skip
"""Statements that change lists (p, q), a list of lists (r) and a set (s), or share them."""
OF_DICTIONARIES = (
    "m = {{}}", "m = {{{}: {}, {}: {}}}", "m = {{v: {} for v in (1, 2, {})}}", "m = dict(e)",
    "m = dict(zip(p, q))", "m = dict.fromkeys(p, {})", "m = {{**m, {}: {}}}", "m = m.copy()",
    "m = {{v: u for u, v in m.items()}}", "e = m", "m = e", "m, e = e, m", "e = {{True: 5, 1: {}}}",
    "m = dict((v, {}) for v in p)", "m = same(e)", "m = counted(p)", "m = counted(I[0])",
    "m = m if {} else e", "m = {{}} if {} else m", "m = k if {} else m", "m = OTHERS",
    "m[{}] = {}", "e[{}] = {}", "m[{}] += {}", "m[{}] = m.get({}, 0) + 1", "m.update({{{}: {}}})",
    "m.update(e)", "m.update(zip(p, q))", "del m[{}]", "{} = m.pop({})", "{} = m.pop({}, {})",
    "m.pop({}, None)", "m.clear()", "m.setdefault({}, {})", "{} = m.setdefault({}, {})",
    "m[True] = {}", "{} = m.get({}, {})", "{} = m[{}]", "{} = len(m) + len(e)", "{} = sum(m)",
    "{} = sum(m.values())", "{} = max(m, key=m.get)", "{} = min(m, key=lambda v: m[v])",
    "{} = max(m.values())", "{} = int({} in m)", "{} = OTHERS[{}]", "p = list(m)", "p = sorted(m)",
    "p = [v for v in m if v != {}]", "p = list(m.values())", "s = set(m)", "p = [*m]",
    "p = [u + v for u, v in m.items()]", "{} = 1 if m else 2", "{} = 3 if not e else 4",
    "p = list(map(m.get, p))", "p, *q = m", "p.extend(m)", "s.update(m)", "q = m.values()",
    "g = {{}}", "g = {{{}: [{}]}}", "g = {{v: [] for v in (1, 2)}}", "g = {{{}: p, {}: q}}",
    "g[{}] = p", "g[{}] = [{}]", "g.setdefault({}, []).append({})",
    "g.setdefault({}, []).append(p)", "p = g.setdefault({}, [])", "p = g.setdefault({}, p)",
    "p = g[{}]", "p = g.get({}, [])",
    "p = g.get({}, p)", "g[{}].append({})", "g[{}].append(p)", "g[{}] += [{}]", "g[{}] += p",
    "p = g.pop({})", "p = g.pop({}, q)", "g[{}][0] = {}", "g[{}][-1] += {}", "g = g.copy()",
    "g = deepcopy(g)", "r = list(g.values())", "g = dict(g)", "g = dict(enumerate(r))",
    "g = dict.fromkeys(p, q)", "g.update({{{}: p}})", "g.update(g)", "p = max(g.values(), key=len)",
    "g = {{v: list(u) for v, u in g.items()}}", "g = {{v: u for v, u in g.items()}}", "g = g",
    "u = g.values()", "p = max(g.items(), key=lambda v: len(v[1]))[1]", "r = [g[v] for v in g]",
    "j = defaultdict(list)", "j[{}].append({})", "j[{}].append(p)", "j[{}] += [{}]", "j[{}] = p",
    "j[{}].extend(p)", "p = j.get({}, [])", "p = j[{}]", "h = defaultdict(int)", "h[{}] += {}",
    "h[{}] = {}", "{} = h.get({}, {})", "m = dict(h)", "h = defaultdict(lambda: {{}})",
    "{} = h[{}]", "h = defaultdict(lambda: 7)", "p = [h[v] for v in h]",
    "p = [len(j[v]) for v in j]",
    "{} = max(h, key=lambda v: h[v])", "r = [j[v] for v in sorted(j)]", "k = Counter(p)",
    "k = Counter(I[0])", "k = Counter(m)",
    "k[{}] += {}", "k[{}] = {}", "{} = k[{}]", "{} = k.most_common(1)[0][0]", "k.update(p)",
    "p = [v for v, u in k.most_common({})]", "k = k.copy()", "m = dict(k)", "del k[{}]",
    "{} = k.get({}, 5)", "p = [u for v, u in k.items()]", "q = p", "p = q[:]", "p = []", "p = [{}]",
    "p.append({})", "for v in m: m[v] += {}", "for v in g: g[v].append({})", "s = set(g[{}])",
    "for v in list(g): g[v] = g[v] + [{}]", "for v in h: h[v] -= {}", "s -= set(m)", "s.add({})",
    "g.setdefault(len(g), []).append({})", "g[{}].remove({})", "g[{}].pop()", "s.remove({})",
    "for u, v in list(m.items()): m[v] = u", "{} = s.pop()", "x = g.pop({})", "x.remove({})",
    "x = [m, {{{}: {}}}]", "x = [{{v: {}}} for v in p]", "x.append(e)", "m = x[0]",
    "x[-1][{}] = {}", "{} = x[0].get({}, 4)", "{} = len(x[0]) + sum(x[-1])", "x = None",
    "e = dict(x[0])", "m = max(x, key=len)", "x = m if x is None else x", "x = {{}}",
    "x = [{{{}: 1}}, {{{}: 2}}]", "{} = int(x[0] == m)",
    "x.setdefault({}, {{}})[{}] = {}", "x.setdefault({}, Counter())[{}] += {}",
    "for v in g.values(): v.append({})", "for b, v in g.items(): v[0] = b + {}",
    "for v in g.values(): v.sort()", "x = defaultdict(Counter)", "x[{}][{}] += {}",
    "p = [len(v) for v in x.values()]", "o = {{(1, 2): [{}], (2, 1): [3, {}]}}",
    "for (u, v), q in o.items(): q.append(u + {})", "for (v, u), q in o.items(): q.sort()",
    "for (b, c), p in o.items(): b = p[0]; p[0] = c",
)  # fmt: skip
"""Statements that change dictionaries of numbers (m, e), of lists (g, o) and others, or share
them."""


def _flow(
    draw: st.DrawFn, depth: int, changes: Sequence[str] = (), loops: int = 0
) -> list[str]:
    """Draw assignments of numbers, choices and loops. loops: The number of loops around them.

    changes: Statements of lists, sets and dictionaries to draw too.
    """
    over_these = _OVER_DICTIONARIES if changes is OF_DICTIONARIES else _OVER_LISTS
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        if changes and draw(st.integers(0, 2)):
            lines.append(_of_names(draw, changes))
            continue
        form = draw(st.sampled_from(["=", "+=", "if", "for", "while", "leave", "def"]))
        name, number, test = draw(_NAMES), _of_names(draw, _NUMBERS), _of_names(draw, _TESTS)
        if form == "leave":
            returned = "(a, p, q, r)" if changes else "(d, a)"
            ways = ["break", "continue", f"return {returned}"][-3 if loops else -1 :]
            leave = draw(st.sampled_from([*ways, *ways, f"raise ValueError({name})"]))
            if draw(st.booleans()):
                return [*lines, leave]
            lines += [f"if {test}:", f"    {leave}"]
        elif form in ("=", "+=") or not depth:
            lines.append(f"{name} {form if form == '+=' else '='} {number}")
        elif form == "if":
            lines += [f"if {test}:", *_indented(_flow(draw, depth - 1, changes, loops))]
            if draw(st.booleans()):
                lines += ["else:", *_indented(_flow(draw, depth - 1, changes, loops))]
        elif form == "def":
            body = ["a = b = c = d = n", *_flow(draw, depth - 1), f"return {number}"]
            lines += ["def f(n):", *_indented(body), f"{draw(_NAMES)} = f({draw(_NAMES)})"]
        elif form == "for":
            over = _of_names(draw, ["range({})", "({}, 1, {})", "I[{}]"])
            if changes and draw(st.booleans()):
                name, over = draw(st.sampled_from(over_these))
            body = [*_ENDS * bool(changes), *_flow(draw, depth - 1, changes, loops + 1)]
            lines += [f"for {name} in {over}:", *_indented(body), *_else(draw, loops)]
        else:
            count = f"n{loops}"
            body = [f"{count} += 1", f"if {count} > 3:", "    break", *_ENDS * bool(changes)]
            body += _flow(draw, depth - 1, changes, loops + 1)
            lines += [f"{count} = 0", f"while {draw(st.sampled_from(['True', test]))}:"]
            lines += [*_indented(body), *_else(draw, loops)]
    return lines


def _else(draw: st.DrawFn, loops: int) -> list[str]:
    """Draw the `else` of a loop, or nothing. loops: The number of loops around the loop."""
    ways = [f"{draw(_NAMES)} += 2", f"return {draw(_NAMES)}", *["break", "continue"] * bool(loops)]
    return [] if draw(st.integers(0, 3)) else ["else:", f"    {draw(st.sampled_from(ways))}"]


@st.composite
def flows(draw: st.DrawFn, changes: Sequence[str] | None = None) -> str:
    """Draw a source with a function `solve(I)` of choices, loops, and changes in place.

    changes: Statements of lists, sets and dictionaries to draw from; None for any of these tables.
    """
    if changes is None:
        changes = draw(st.sampled_from([(), CHANGES, OF_DICTIONARIES, CALLED]))
    lines = ["a, b, c, d = 1, 2, 3, 0"]
    if changes:
        lines += ["p, q, r, s = [1, 2], [3], [[1], [2, 3]], {1}", "t = u = ()"]
    if changes is OF_DICTIONARIES:
        lines += ["m, e, g = {1: 2, 3: 1}, {}, {1: [2], 2: [1, 3]}", "j = defaultdict(list)"]
        lines += ["h, k = defaultdict(int), Counter()", "o = {(2, 3): [1], (4, 0): [5, 2]}"]
    lines += _flow(draw, 3, changes)
    seen = ", tuple(m.items()), tuple(e.items()), tuple(g.items()), tuple(j.items())"
    seen += ", tuple(h.items()), tuple(k.items()), tuple(o.items())"
    returned = "(a, b, c, d, p, q, r, s, t{})" if changes else "(a, b, c, d)"
    lines.append(f"return {returned.format(seen * (changes is OF_DICTIONARIES))}")
    helpers = _HELPERS * bool(changes)
    if changes is CALLED:
        text, helpers = "\n".join(lines), ""
        for acting in reversed(re.split(r"^(?=def )", _ACTING, flags=re.MULTILINE)[1:]):
            if re.search(rf"\b{acting[4 : acting.index('(')]}\b", text):
                text, helpers = text + acting, acting + helpers
        helpers = indent(helpers, "    ")
    head = f"{_IMPORTS}\ndef solve(I):\n{helpers}"
    return head + "\n".join([*_indented(lines), ""])


_WORDS = "I T ONE add x1 x2 O size grid S 7 -1 True None lambda def _1 1_0 ad vmirror".split()
_PIECES = [*_WORDS, *" ,():=#'", ", ", " = ", "\n", "    ", "\t", "\r", "\\"]


def _nested(draw: st.DrawFn, known: list[str], depth: int) -> str:
    """Draw a call, a tuple or a name."""
    form = draw(st.sampled_from(["name", "call", "call", "call", "tuple"]))
    if depth == 0 or form == "name":
        return draw(st.sampled_from(known))
    called, count = draw(st.sampled_from([("size", 1), ("add", 2), ("", 2), ("", 3)]))
    called = called if form == "call" else ""
    return f"{called}({', '.join(_nested(draw, known, depth - 1) for _ in range(count))})"


@st.composite
def nearly_plain_sources(draw: st.DrawFn) -> str:
    """Draw a source of plain calls, with some of its characters replaced."""
    lines = ["from dsl import *", ""] if draw(st.booleans()) else []
    for number in range(draw(st.integers(1, 2))):
        known = ["I", "ONE", "7", "-1", "True", "None", "size"]
        lines.append(f"def solve_{number}({draw(st.sampled_from(['I', 'I: Grid']))}):")
        lines += draw(st.sampled_from([[], ['    """Text."""'], ['    """Text', 'over lines."""']]))
        for _ in range(draw(st.integers(0, 4))):
            value = _nested(draw, known, draw(st.integers(1, 3)))
            known.append(draw(st.sampled_from(["x1", "x2", "O", "_1", "I", "objs"])))
            end = draw(st.sampled_from(["", "", "  # a comment", "  #    x1 = hmirror(I)"]))
            lines.append(f"    {known[-1]} = {value}{end}")
        lines += [f"    return {_nested(draw, known, draw(st.integers(0, 2)))}", ""]
    text = "\n".join(lines)
    for _ in range(draw(st.sampled_from([0, 1, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(_PIECES)) + text[at + draw(st.integers(0, 3)) :]
    return text
