"""Python's functions are written by their own names only where other names surely mean them."""

import ast

import pytest

from megabatt.codegen.rewriting.builtin_names import with_own_names

RENAMED = {
    "L = len\ndef p(g): return L(g)": "len(g)",
    "def p(g): return L(g)\nL = len": "len(g)",
    "def p(g, L=len): return L(g)": "return len(g)",
    "def p(g, *, L=len): return L(g)": "return len(g)",
    "def p(g, n=1, R=range): return p(g, 2) if n == 1 else [*R(n)]": "[*range(n)]",
    "p = lambda g, R=range: [k for k in R(3)]": "in range(3)",
    "def p(g):\n    L, R = len, range\n    return [*R(L(g))]": "[*range(len(g))]",
    "def p(g):\n    E = enumerate\n    f = lambda x: [*E(x)]\n    return f(g)": "[*enumerate(x)]",
    "M = max\ndef h(M): return M\ndef p(g): return h(M(g))": "return h(max(g))",
    "M = max\ndef h(g):\n    M = min\n    return M(g)\ndef p(g): return M(h(g))": "return min(g)",
}
KEPT = [
    "def h(g, f=len): return f(g)\ndef p(g): return h(g) + h(g, max)[0]",
    "def h(g, f=len): return f(g)\ndef p(g): return h(g, f=max)",
    "def h(g, *, f=len): return f(g)\ndef p(g): return h(g, f=max)",
    "def h(g, f=len): return f(g)\ndef p(g): return h(*[g, max])",
    "def h(g, f=len): return f(g)\ndef p(g): return [*map(h, g, [sum, max])]",
    "def h(f=len): return f([1])\ndef p(g): return h() + h(sum)",
    "L = len\nL = max\ndef p(g): return L(g)",
    "def p(g):\n    L = max\n    if g: L = len\n    return L(g)",
    "def p(g):\n    if g: L = len\n    return L(g)",
    "def p(g):\n    L = max\n    return [L for L in g]",
    "def p(g):\n    for M in [min]: pass\n    return M(g)",
    "def len(x): return 7\nL = len\ndef p(g): return L(g)",
    "L = max\ndef h():\n    global L\n    L = min\ndef p(g):\n    h()\n    return L(g)",
]


def value_of(source):
    scope = {}
    exec(source, scope)
    return scope["p"]([[1, 2], [3, 0]])


@pytest.mark.parametrize("source", [*RENAMED, *KEPT])
def test_a_source_does_the_same_with_own_names_where_the_meaning_is_certain(source):
    tree = ast.parse(source)
    before = ast.unparse(tree)
    made = ast.unparse(with_own_names(tree))
    assert value_of(made) == value_of(source)
    assert RENAMED[source] in made if source in RENAMED else made == before
