"""Draws programs that use NumPy: expressions, changes in place, views, loops and functions."""

from __future__ import annotations

import re

from hypothesis import strategies as st

_FORMS = {
    "A": (
        "{A} + {A}", "{A} - {V}", "{A} * {N}", "{N} - {A}", "{A} % 3", "-{A}", "{A} + {M}", "{A}.T",
        "{A}[{S}]", "{A}[{S}, {S}]", "{A}[:, {S}]", "{A}[::-1]", "np.fliplr({A})", "{A}.copy()",
        "np.rot90({A}, {K})", "np.where({M}, {A}, {N})", "np.zeros_like({A})", "np.flip({A})",
        "np.maximum({A}, {N})", "np.vstack(({A}, {A}))", "np.hstack([{A}, {A}])", "{M}.astype(int)",
        "np.argwhere({M})", "np.pad({A}, 1)", "np.tile({A}, (2, 1))", "np.roll({A}, {N}, axis=1)",
        "np.zeros((len({A}), 3), dtype=int)", "np.repeat({A}, 2, axis=0)", "np.array([{V}, {V}])",
        "({A} if {B} else {A})", "{A}[{W}]", "{A}[:, {W}]", "np.array({A}.tolist())", "f({A})",
        "np.array([[v * 2 for v in r] for r in {A}])", "np.clip({A}, 0, {N})", "abs({A})",
        "np.asarray({A})", "{L}[0]", "np.full({A}.shape, {N})", "np.unique({A}, axis=0)",
        "{A}[np.ix_({W}, {W})]", "np.sort({A}, axis=0)", "np.diff({A}, axis=1)", "{V}[{A} % 2]",
        "np.delete({A}, {I}, axis=1)", "np.roll({A}, (1, {N}), axis=(0, 1))", "np.cumsum({A}, 0)",
        "np.hsplit({A}, 2)[{I}]", "{A}[:, :1]", "{A}[[{I}]]", "{V}[:, None]", "{V}[None, :]",
        "{A}.max(axis=1, keepdims=True)", "{A}[:1]",
    ),
    "V": (
        "{A}[{I}]", "{A}[:, {I}]", "{A}[{I}, {S}]", "{V} + {V}", "{V} * {N}", "{V}[{S}]",
        "{A}.sum(axis=0)", "np.max({A}, axis=1)", "{A}.ravel()", "{A}.flatten()", "np.unique({A})",
        "{A}[{M}]", "{V}[{W}]", "np.where({W})[0]", "np.bincount({V})", "{V}[::-1]",
        "np.concatenate(({V}, {V}))",
        "{V}.copy()", "np.sort({V})", "np.array([{N}, {N}, {N}])", "np.arange({N})", "g({A})",
        "np.array([r.sum() for r in {A}])", "{A}.argmax(axis=1)", "np.diagonal({A})",
        "np.where({W}, {V}, {N})", "np.unique({A}, return_counts=True)[1]", "np.nonzero({M})[1]",
        "np.argsort({V}, kind='stable')", "np.cumsum({V})", "np.diag({A}, {I})", "np.argsort({V})",
        "np.delete({V}, np.where({W})[0])",
    ),
    "M": (
        "{A} == {N}", "{A} > {A}", "{A} != {V}", "{M} & {M}", "{M} | {M}", "~{M}", "{M}[::-1]",
        "np.logical_and({M}, {A})", "np.isin({A}, [0, 1])", "{A}.astype(bool)", "{M} ^ {M}",
        "np.zeros_like({A}, dtype=bool)", "{M} + {M}",
    ),
    "W": ("{V} == {N}", "{V} > {V}", "{M}.any(axis=1)", "np.all({M}, axis=0)", "~{W}", "{M}[{I}]"),
    "N": (
        "{A}[{I}, {I}]", "{V}[{I}]", "{A}.sum()", "np.max({A})", "{V}.min()", "np.argmax({V})",
        "len({A})", "{A}.shape[1]", "{A}.size", "np.sum({M})", "({N} + {N})", "{N} * 2", "int({B})",
        "np.count_nonzero({A})", "sum({V})", "max({V})", "sum(r.max() for r in {A})", "h({A}, {N})",
        "({N} if {B} else {N})", "len({L})", "{A}.shape[0] // 2",
    ),
    "B": (
        "np.any({M})", "({M}).all()", "{N} == {N}", "{N} < {N}", "np.array_equal({A}, {A})",
        "{A}.shape == {A}.shape", "{N} in {V}", "{N} in {A}", "not {B}", "({B} and {B})",
        "{M}[{I}, {I}]", "({M}[0, 0] | {M}[0, 0])", "{W}.any()",
    ),
    "L": ("[{A}, {A}]", "[{A}]", "list(({A}, {A}))", "[r for r in ({A}, {A}) if r.any()]"),
    "S": ("1:", ":-1", ":2", "::2", "{N}:", ":", "::-1", "0:1"),
    "I": ("0", "-1", "1", "0", "-1"),
    "K": ("1", "2", "3", "-1"),
}  # fmt: skip
"""Forms of arrays of Integers of rank 2 (A) and 1 (V), of masks (M, W), numbers, Booleans, lists of
arrays, slices, indices and turns."""
_ATOMS = {
    "A": ("a", "b"), "V": ("a[0]", "v"), "M": ("a == 1", "b > 1"), "W": ("v > 0", "a[0] == 1"),
    "N": ("0", "1", "3", "len(a)"), "B": ("True", "a[0, 0] == 1"), "L": ("[a]",), "S": ("1:",),
    "I": ("0",), "K": ("1",),
}  # fmt: skip
_CHANGES = {
    "A": (
        "{x}[{I}, {I}] = {N}", "{x}[{I}] = {N}", "{x}[:, {I}] = {N}", "{x}[{S}, {S}] = {N}",
        "{x}[{M}] = {N}", "{x} += {N}", "{x}[{I}] = {V}", "{x}[:, {I}] = {V}", "{x}[{S}] = {A}",
        "{x}[{S}, {S}] = {A}", "{x}[{I}, {I}] += {N}", "{x}[{I}][{I}] = {N}", "{x}[{M}] += 1",
        "{x}[{W}] = {N}", "{x}[:, {W}] = {N}", "{x}[{x} == {N}] = {N}", "{x}[0], z = {V}, {N}",
        "{x}[[0, -1]] = {x}[[-1, 0]]", "{x}[np.ix_({W}, [0])] = {N}", "{x}[{W}] = {V}",
        "{x}[:, [0, -1]] = {A}", "{x}[{I}, {W}] = {V}",
    ),
    "V": (
        "{x}[{I}] = {N}", "{x}[{S}] = {N}", "{x}[{W}] = {N}", "{x}[{S}] = {V}", "{x} += {N}",
        "{x}[{I}] += {N}", "{x}[{x} > 1] = {N}", "{x}[{W}] = {V}",
    ),
    "N": ("{x} += {N}",),
}  # fmt: skip
"""Changes of the value of a name x, by its kind."""
_HEADS = (
    "for k in range({N} % 4):", "for row in {A}:", "for r, c in np.argwhere({M}):", "if {B}:",
    "for k in {V}:", "for i, row in enumerate({A}):", "for g in {L}:", "while y < 5:",
)
_FUNCTIONS = """\
    def f(g):
        if g.shape[0] > 1:
            return g[1:]
        return g
    def g(g):
        return g[:, 0]
    h = lambda x, y: (x == y).sum()
"""


def _expression(draw: st.DrawFn, kind: str, names: dict[str, str], depth: int) -> str:
    known = [name for name, of_kind in names.items() if of_kind == kind]
    if depth <= 0 or draw(st.integers(0, 3)) == 0:
        made = draw(st.sampled_from([*known, *known, *_ATOMS[kind]]))
    else:
        made = _filled(draw, draw(st.sampled_from(_FORMS[kind])), names, depth - 1)
    return made if kind in "SIK" else f"({made})"


def _filled(draw: st.DrawFn, form: str, names: dict[str, str], depth: int) -> str:
    return re.sub(r"\{([A-Z])\}", lambda m: _expression(draw, m[1], names, depth), form)


def _statements(draw: st.DrawFn, names: dict[str, str], depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4 if depth else 2))):
        what = draw(st.sampled_from(["new", "new", "change", "change", "block"]))
        if what == "block" and depth:
            head = _filled(draw, draw(st.sampled_from(_HEADS)), names, 1)
            body = _statements(draw, names, depth - 1)
            body += ["y += 1"] if "while" in head else []
            lines += [head, *(f"    {line}" for line in body)]
        elif what == "change":
            name = draw(st.sampled_from(sorted(names)))
            if names[name] in _CHANGES:
                form = draw(st.sampled_from(_CHANGES[names[name]]))
                lines.append(_filled(draw, form.replace("{x}", name), names, 1))
        else:
            kind = draw(st.sampled_from("AAAVVNL"))
            name = f"{kind.lower()}{draw(st.integers(1, 2))}"
            lines.append(f"{name} = {_expression(draw, kind, names, 2)}")
            names[name] = kind
    return lines or ["y = y + 1"]


@st.composite
def array_sources(draw: st.DrawFn) -> str:
    """Draw a source with a function `solve(I)`."""
    kinds = {"a": "A", "b": "A", "v": "V", "y": "N"}
    head = ["a = np.array(I)", "b = a.copy()", "v = a[:, 0].copy()", "y = 0"]
    starts = [f"{kind.lower()}{k}" for kind in "AVNL" for k in (1, 2)]
    head += [f"{name} = {_ATOMS[name[0].upper()][0]}" for name in starts if draw(st.booleans())]
    kinds |= {line.split()[0]: line[0].upper() for line in head[4:]}
    lines = [*head, *_statements(draw, dict(kinds), 2)]
    body = "\n    ".join([*lines, f"return {', '.join(sorted(kinds))}"])
    return f"import numpy as np\ndef solve(I):\n{_FUNCTIONS}    {body}\n"
