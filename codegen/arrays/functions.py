"""NumPy's functions on arrays, which are lists here: each as an expression of plain Python.

`families` has more of them, and `images` those of SciPy.

A parameter's annotation says what a function is read for: A1 and A2 are arrays of a rank, I1 is one
of Integers, and B1 one of Booleans; R is an array of any rank, as a list of its elements, and I one
of Integers; L1 and L2 are lists of arrays; N is a number, and K an Integer; P1, P2 and P22 are
shapes of one or two sides, and pairs of such; D, D1, D2 and D22 are the like, which fail if they
are negative; a constant is itself. A parameter with a default may be left out. In a result's
annotation A, B and F are arrays of Integers, of Booleans and of real numbers; S has the elements of
the first array, J those of all arrays, M their sums, and V the last argument; W is like S, and may
be a view: a change of it is a change of the first argument. A final r or c says that it is written
as a row or a column. Without a rank, N is an Integer, B one of NumPy's Booleans, T one of Python's,
E an element, P an element as Python has it, Q a fraction, and Y a slice.

Where NumPy would broadcast an axis of length 1, or where a list has lost the width of an array
without rows, an expression fails.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import NamedTuple

from megabatt.codegen.analysis.nodes import once_a_node
from megabatt.codegen.arrays.families import families
from megabatt.codegen.arrays.images import images

_FORMS = """
def zeros(shape: D1) -> F1: [0] * shape[0]
def zeros(shape: D2) -> F2: [[0] * shape[1] for _ in range(shape[0])]
def ones(shape: D1) -> F1: [1] * shape[0]
def ones(shape: D2) -> F2: [[1] * shape[1] for _ in range(shape[0])]
def full(shape: D1, fill_value: N) -> V1: [fill_value] * shape[0]
def full(shape: D2, fill_value: N) -> V2: [[fill_value] * shape[1] for _ in range(shape[0])]
def zeros(shape: D3) -> F3:
    [[[0] * shape[2] for _ in range(shape[1])] for _ in range(shape[0])]
def ones(shape: D3) -> F3: [[[1] * shape[2] for _ in range(shape[1])] for _ in range(shape[0])]
def full(shape: D3, fill_value: N) -> V3:
    [[[fill_value] * shape[2] for _ in range(shape[1])] for _ in range(shape[0])]
def zeros_like(a: A3) -> S3: [[[0] * len(row) for row in p] for p in a]
def zeros_like(a: A1) -> S1: [0] * len(a)
def zeros_like(a: A2) -> S2: [[0] * len(row) for row in a]
def ones_like(a: A1) -> S1: [1] * len(a)
def ones_like(a: A2) -> S2: [[1] * len(row) for row in a]
def full_like(a: A1, fill_value: N) -> S1: [fill_value] * len(a)
def full_like(a: A2, fill_value: N) -> S2: [[fill_value] * len(row) for row in a]
def eye(n: D) -> F2: [[int(i == j) for j in range(n)] for i in range(n)]
def identity(n: D) -> F2: [[int(i == j) for j in range(n)] for i in range(n)]
def arange(stop: N) -> A1: list(range(stop))
def arange(start: N, stop: N) -> A1: list(range(start, stop))
def arange(start: N, stop: N, step: N) -> A1: list(range(start, stop, step))
def copy(a: A1) -> S1: list(a)
def copy(a: A2) -> S2: [list(row) for row in a]
def copy(a: A3) -> S3: [[list(row) for row in p] for p in a]
def copy(a: A4) -> S4: [[[list(row) for row in p] for p in b] for b in a]
def flatten(a: R) -> S1: list(a)
def ravel(a: A1) -> W1: a
def ravel(a: A2) -> W1: [v for row in a for v in row]
def ravel(a: A3) -> W1: [v for p in a for row in p for v in row]
def ravel(a: A4) -> W1: [v for b in a for p in b for row in p for v in row]
def tolist(a: A1) -> list[P]: list(a)
def tolist(a: A2) -> list[list[P]]: [list(row) for row in a]
def tolist(a: A3) -> list[list[list[P]]]: [[list(row) for row in p] for p in a]
def item(a: R) -> P: a[[0][len(a) != 1]]
def item(a: R, k: K) -> P: a[k]
def item(a: A2, i: K, j: K) -> P: a[i][j]
def reshape(a: R, shape: (-1, 1)) -> W2c: [[v] for v in a]
def reshape(a: R, shape: (1, -1)) -> W2r: [list(a)]
def expand_dims(a: A1, axis: 0) -> W2r: [a]
def expand_dims(a: A1, axis: 1) -> W2c: [[v] for v in a]
def expand_dims(a: A1, axis: -1) -> W2c: [[v] for v in a]
def atleast_2d(a: A1) -> W2r: [a]
def atleast_2d(a: A2) -> W2: a
def broadcast_to(a: A1, shape: D2) -> W2:
    [list([a][len(a) != shape[1]]) for _ in range(shape[0])]
def broadcast_to(a: K, shape: D2) -> A2: [[a] * shape[1] for _ in range(shape[0])]
def reshape(a: R, shape: P1) -> W1: list([a][shape[0] not in (len(a), -1)])
def reshape(a: R, shape: P2) -> W2:
    [
        a[i * n : (i + 1) * n]
        for m, n in [
            (
                len(a) // shape[1] if shape[0] == -1 else shape[0],
                len(a) // shape[0] if shape[1] == -1 else shape[1],
            )
        ]
        for i in range([m][m * n != len(a) or m < 0])
    ]
def shape(a: A1) -> (N,): (len(a),)
def shape(a: A2) -> (N, N): (len(a), len(a[0]))
def reshape(a: R, shape: P3) -> W3:
    (lambda n: [
        [a[(i * n[1] + j) * n[2] :][: n[2]] for j in range(n[1])]
        for i in range([n[0]][min(n) < (n[0] == 0) or n[0] * n[1] * n[2] != len(a)])
    ])([len(a) // -(shape[0] * shape[1] * shape[2]) if k == -1 else k for k in shape])
def reshape(a: R, shape: P4) -> W4:
    (lambda n: [
        [
            [a[((i * n[1] + j) * n[2] + k) * n[3] :][: n[3]] for k in range(n[2])]
            for j in range(n[1])
        ]
        for i in range([n[0]][min(n) < (n[0] == 0) or n[0] * n[1] * n[2] * n[3] != len(a)])
    ])([len(a) // -(shape[0] * shape[1] * shape[2] * shape[3]) if k == -1 else k for k in shape])
def shape(a: A3) -> (N, N, N): (len(a), len(a[0]), len(a[0][0]))
def shape(a: A4) -> (N, N, N, N): (len(a), len(a[0]), len(a[0][0]), len(a[0][0][0]))
def size(a: R) -> N: len(a)

def cumsum(a: R) -> M1: [sum(a[: i + 1]) for i in range(len(a))]
def cumsum(a: A2, axis: 0) -> M2:
    [[sum([row[j] for row in a[: i + 1]]) for j in range(len(a[0]))] for i in range(len(a))]
def cumsum(a: A2, axis: 1) -> M2: [[sum(row[: j + 1]) for j in range(len(row))] for row in a]
def sqrt(x: N) -> Q: math.sqrt(x)

def argwhere(a: A1) -> A2: [[i] for i, v in enumerate(a) if v]
def argwhere(a: A2) -> A2: [[i, j] for i, row in enumerate(a) for j, v in enumerate(row) if v]
def nonzero(a: A1) -> (A1,): ([i for i, v in enumerate(a) if v],)
def nonzero(a: A2) -> (A1, A1):
    (
        [i for i, row in enumerate(a) for v in row if v],
        [j for row in a for j, v in enumerate(row) if v],
    )
def argwhere(a: A3) -> A2:
    [
        [k, i, j]
        for k, p in enumerate(a)
        for i, row in enumerate(p)
        for j, v in enumerate(row)
        if v
    ]
def flatnonzero(a: R) -> A1: [i for i, v in enumerate(a) if v]
def unique(a: R) -> S1: sorted(set(a))
def unique(a: A2, axis: 0) -> S2: [list(row) for row in sorted({tuple(row) for row in a})]
def unique(a: A2, axis: 1) -> S2:
    (lambda columns: [[column[i] for column in columns] for i in range(len(a))])(
        sorted({tuple([row[j] for row in a]) for j in range(len(a[0]))})
    )
def unique(a: R, return_counts: True) -> (S1, A1):
    (sorted(set(a)), [a.count(v) for v in sorted(set(a))])
def unique(a: R, return_index: True) -> (S1, A1):
    (sorted(set(a)), [a.index(v) for v in sorted(set(a))])
def unique(a: A1, return_inverse: True) -> (S1, A1):
    (sorted(set(a)), [sorted(set(a)).index(v) for v in a])
def unravel_index(indices: N, shape: D2) -> (N, N):
    divmod([range(shape[0] * shape[1])[indices]][indices < 0], shape[1])
def unravel_index(indices: I1, shape: D2) -> (A1, A1):
    (
        [[k][k not in range(shape[0] * shape[1])] // shape[1] for k in indices],
        [[k][k not in range(shape[0] * shape[1])] % shape[1] for k in indices],
    )
def ravel_multi_index(multi_index: D2, shape: D2) -> N:
    range(shape[0])[multi_index[0]] * shape[1] + range(shape[1])[multi_index[1]]
def bincount(a: I1, minlength: D = 0) -> A1:
    [a.count(k) for k in range(max([[v][v < 0] + 1 for v in a] + [minlength]))]
def setdiff1d(a: R, b: R) -> S1: sorted(set(a) - set(b))
def intersect1d(a: R, b: R) -> S1: sorted(set(a) & set(b))
def union1d(a: R, b: R) -> J1: sorted(set(a) | set(b))
def isin(a: A1, values: R) -> B1: [v in values for v in a]
def isin(a: A2, values: R) -> B2: [[v in values for v in row] for row in a]
def isin(a: A1, values: R, *, invert: True) -> B1: [v not in values for v in a]
def isin(a: A2, values: R, *, invert: True) -> B2: [[v not in values for v in row] for row in a]
def isin(a: N, values: R) -> B: a in values
def setxor1d(a: R, b: R) -> J1: sorted(set(a) ^ set(b))
def array_equal(a: A1, b: A1) -> T: list(a) == list(b)
def array_equal(a: A2, b: A2) -> T:
    [[list(row) for row in a] == [list(row) for row in b]][len(a) + len(b) == 0]
def sort(a: A1) -> S1: sorted(a)
def sort(a: A2, axis: 1 = 1) -> S2: [sorted(row) for row in a]
def sort(a: A2, axis: 0) -> S2:
    (lambda columns: [[column[i] for column in columns] for i in range(len(a))])(
        [sorted([row[j] for row in a]) for j in range(len(a[0]))]
    )
def sort(a: R, axis: None) -> S1: sorted(a)
def argsort(a: A1) -> A1: [a.index(v) for v in sorted([a][len(set(a)) != len(a)])]
def argsort(a: A1, kind: "stable") -> A1: sorted(range(len(a)), key=lambda i: a[i])
def argsort(a: A1, kind: "mergesort") -> A1: sorted(range(len(a)), key=lambda i: a[i])
def argsort(a: A2, axis: 1 = 1, *, kind: "stable") -> A2:
    [sorted(range(len(row)), key=lambda i: row[i]) for row in a]
def diff(a: I1, n: 1 = 1) -> A1: [y - x for x, y in zip(a, a[1:])]
def diff(a: B1, n: 1 = 1) -> B1: [y != x for x, y in zip(a, a[1:])]
def diff(a: I1, n: 2) -> A1: [z - 2 * y + x for x, y, z in zip(a, a[1:], a[2:])]
def diff(a: I1, *, prepend: K) -> A1: [y - x for x, y in zip([prepend, *a], a)]
def diff(a: I1, *, append: K) -> A1: [y - x for x, y in zip(a, [*a[1:], append])]
def diff(a: I1, *, prepend: K, append: K) -> A1:
    [y - x for x, y in zip([prepend, *a], [*a, append])]
def diff(a: I2, n: 1 = 1, axis: 1 = 1) -> A2: [[y - x for x, y in zip(row, row[1:])] for row in a]
def diff(a: B2, n: 1 = 1, axis: 1 = 1) -> B2:
    [[y != x for x, y in zip(row, row[1:])] for row in a]
def diff(a: B2, n: 1 = 1, *, axis: 0) -> B2:
    [[y != x for x, y in zip(p, q, strict=True)] for p, q in zip(a, a[1:])]
def diff(a: I2, n: 1 = 1, *, axis: 0) -> A2:
    [[y - x for x, y in zip(p, q, strict=True)] for p, q in zip(a, a[1:])]
def ndenumerate(a: A1) -> list[((N,), E)]: [((i,), v) for i, v in enumerate(a)]
def ndenumerate(a: A2) -> list[((N, N), E)]:
    [((i, j), v) for i, row in enumerate(a) for j, v in enumerate(row)]
def ndindex(shape: D2) -> list[(N, N)]:
    [(i, j) for i in range(shape[0]) for j in range(shape[1])]
def ndindex(shape: D1) -> list[(N,)]: [(i,) for i in range(shape[0])]
def ndindex(m: D, n: D) -> list[(N, N)]: [(i, j) for i in range(m) for j in range(n)]

def transpose(a: A1) -> W1: a
def transpose(a: A2) -> W2: [[row[j] for row in a] for j in range(len(a[0]))]
def flip(a: A1) -> W1: a[::-1]
def flip(a: A2) -> W2: [row[::-1] for row in a[::-1]]
def flip(a: A2, axis: 0) -> W2: a[::-1]
def flip(a: A2, axis: 1) -> W2: [row[::-1] for row in a]
def flip(a: A2, axis: (0, 1)) -> W2: [row[::-1] for row in a[::-1]]
def swapaxes(a: A2, m: 0, n: 1) -> W2: [[row[j] for row in a] for j in range(len(a[0]))]
def swapaxes(a: A2, m: 1, n: 0) -> W2: [[row[j] for row in a] for j in range(len(a[0]))]
def transpose(a: A2, axes: (1, 0)) -> W2: [[row[j] for row in a] for j in range(len(a[0]))]
def rot90(a: A2, k: 1, axes: (0, 1)) -> W2:
    [[row[-1 - j] for row in a] for j in range(len(a[0]))]
def rot90(a: A2, k: 1, axes: (1, 0)) -> W2: [[row[j] for row in a[::-1]] for j in range(len(a[0]))]
def rot90(a: A2, k: 1 = 1, *, axes: (1, 0)) -> W2:
    [[row[j] for row in a[::-1]] for j in range(len(a[0]))]
def flipud(a: A2) -> W2: a[::-1]
def fliplr(a: A2) -> W2: [row[::-1] for row in a]
def rot90(a: A2, k: 0) -> W2: a
def rot90(a: A2, k: 1 = 1) -> W2: [[row[-1 - j] for row in a] for j in range(len(a[0]))]
def rot90(a: A2, k: 2) -> W2: [row[::-1] for row in a[::-1]]
def rot90(a: A2, k: 3) -> W2: [[row[j] for row in a[::-1]] for j in range(len(a[0]))]
def rot90(a: A2, k: -1) -> W2: [[row[j] for row in a[::-1]] for j in range(len(a[0]))]
def rot90(a: A2, k: N) -> W2:
    a if k % 4 == 0 else [row[::-1] for row in a[::-1]] if k % 4 == 2 else [
        [row[-1 - j] if k % 4 == 1 else row[j] for row in (a if k % 4 == 1 else a[::-1])]
        for j in range(len(a[0]))]
def roll(a: A1, shift: N) -> S1: [a[(i - shift) % len(a)] for i in range(len(a))]
def roll(a: A2, shift: K) -> S2:
    (lambda flat: [
        [flat[(i * len(row) + j - shift) % len(flat)] for j in range(len(row))]
        for i, row in enumerate(a)
    ])([v for row in a for v in row])
def roll(a: A2, shift: N, axis: 0) -> S2: [list(a[(i - shift) % len(a)]) for i in range(len(a))]
def roll(a: A2, shift: N, axis: 1) -> S2:
    [[row[(j - shift) % len(row)] for j in range(len(row))] for row in a]
def roll(a: A2, shift: P2, axis: (1, 0)) -> S2:
    [
        [row[(j - shift[0]) % len(row)] for j in range(len(row))]
        for row in [a[(i - shift[1]) % len(a)] for i in range(len(a))]
    ]
def roll(a: A2, shift: P2, axis: (0, 1)) -> S2:
    [
        [row[(j - shift[1]) % len(row)] for j in range(len(row))]
        for row in [a[(i - shift[0]) % len(a)] for i in range(len(a))]
    ]
def diagonal(a: A2, offset: N) -> W1:
    [a[i][i + offset] for w in [len(a[0])] for i in range(len(a)) if i + offset in range(w)]
def diag(a: A2, k: N) -> W1:
    [a[i][i + k] for w in [len(a[0])] for i in range(len(a)) if i + k in range(w)]
def diagonal(a: A2) -> W1: [a[i][i] for i in range(min(len(a), len(a[0])))]
def diag(a: A2) -> W1: [a[i][i] for i in range(min(len(a), len(a[0])))]
def diag(a: I1) -> A2: [[v if i == j else 0 for j in range(len(a))] for i, v in enumerate(a)]
def diag_indices(n: D) -> (A1, A1): (list(range(n)), list(range(n)))
def triu(a: I2, k: K = 0) -> A2:
    [[v if j - i >= k else 0 for j, v in enumerate(row)] for i, row in enumerate(a)]
def tril(a: I2, k: K = 0) -> A2:
    [[v if j - i <= k else 0 for j, v in enumerate(row)] for i, row in enumerate(a)]
def triu_indices(n: D, k: K = 0) -> (A1, A1):
    (
        [i for i in range(n) for j in range(n) if j - i >= k],
        [j for i in range(n) for j in range(n) if j - i >= k],
    )
def tril_indices(n: D, k: K = 0) -> (A1, A1):
    (
        [i for i in range(n) for j in range(n) if j - i <= k],
        [j for i in range(n) for j in range(n) if j - i <= k],
    )
def trace(a: A2) -> M: sum([a[i][i] for i in range(min(len(a), len(a[0])))])

def concatenate(arrays: L1) -> J1: [v for a in arrays for v in a]
def concatenate(arrays: L2, axis: 0 = 0) -> J2:
    [list([row][len(row) != len(arrays[0][0])]) for a in arrays for row in a]
def concatenate(arrays: L2, axis: 1) -> J2:
    [
        [v for a in arrays for v in [a][len(a) != len(arrays[0])][i]]
        for i in range(len(arrays[0]))
    ]
def append(a: R, b: R) -> J1: [*a, *b]
def append(a: A2, b: A2, axis: 0) -> J2: [list([row][len(row) != len(a[0])]) for row in [*a, *b]]
def append(a: A2, b: A2, axis: 1) -> J2: [[*p, *q] for p, q in zip(a, b, strict=True)]
def insert(a: I1, obj: K, value: K) -> A1:
    (lambda k: [*a[:k], value, *a[k:]])(len(a) if obj == len(a) else range(len(a))[obj])
def insert(a: I2, obj: K, value: K, axis: 0) -> A2:
    (lambda k: [list(row) for row in [*a[:k], [value] * len(a[0]), *a[k:]]])(
        len(a) if obj == len(a) else range(len(a))[obj]
    )
def insert(a: I2, obj: K, value: I1, axis: 0) -> A2:
    (lambda k: [list(row) for row in [*a[:k], [value][len(value) != len(a[0])], *a[k:]]])(
        len(a) if obj == len(a) else range(len(a))[obj]
    )
def insert(a: I2, obj: K, value: K, axis: 1) -> A2:
    [
        [*row[:k], value, *row[k:]]
        for row in a
        for k in [len(row) if obj == len(row) else range(len(row))[obj]]
    ]
def insert(a: I2, obj: K, value: I1, axis: 1) -> A2:
    [
        [*row[:k], v, *row[k:]]
        for row, v in zip(a, value, strict=True)
        for k in [len(row) if obj == len(row) else range(len(row))[obj]]
    ]
def take(a: R, indices: K) -> E: a[indices]
def take(a: R, indices: I1) -> S1: [a[k] for k in indices]
def take(a: R, indices: I2) -> S2: [[a[k] for k in row] for row in indices]
def take(a: A2, indices: K, axis: 0) -> S1: list(a[indices])
def take(a: A2, indices: K, axis: 1) -> S1: [row[indices] for row in a]
def take(a: A2, indices: I1, axis: 0) -> S2: [list(a[k]) for k in indices]
def take(a: A2, indices: I1, axis: 1) -> S2: [[row[k] for k in indices] for row in a]
def trim_zeros(a: A1, trim: "fb" = "fb") -> W1:
    (lambda k: a[k[0] : k[-1] + 1] if k else a[:0])([i for i, v in enumerate(a) if v])
def trim_zeros(a: A1, trim: "f") -> W1:
    (lambda k: a[k[0] :] if k else a[:0])([i for i, v in enumerate(a) if v])
def trim_zeros(a: A1, trim: "b") -> W1:
    (lambda k: a[: k[-1] + 1] if k else a[:0])([i for i, v in enumerate(a) if v])
def delete(a: A1, obj: N) -> S1:
    [v for k in [range(len(a))[obj]] for i, v in enumerate(a) if i != k]
def delete(a: A1, obj: I1) -> S1:
    [v for n in [[range(len(a))[k] for k in obj]] for i, v in enumerate(a) if i not in n]
def delete(a: A2, obj: N, axis: 0) -> S2:
    [list(row) for k in [range(len(a))[obj]] for i, row in enumerate(a) if i != k]
def delete(a: A2, obj: I1, axis: 0) -> S2:
    [
        list(row)
        for n in [[range(len(a))[k] for k in obj]]
        for i, row in enumerate(a)
        if i not in n
    ]
def delete(a: A2, obj: N, axis: 1) -> S2:
    [[v for k in [range(len(row))[obj]] for j, v in enumerate(row) if j != k] for row in a]
def delete(a: A2, obj: I1, axis: 1) -> S2:
    [
        [v for n in [[range(len(row))[k] for k in obj]] for j, v in enumerate(row) if j not in n]
        for row in a
    ]
def hsplit(a: A2, n: D) -> list[W2]:
    [
        [row[k * w : (k + 1) * w] for row in a]
        for w in [len(a[0]) // [n][len(a[0]) % n]]
        for k in range(n)
    ]
def array_split(a: A2, n: D, axis: 0 = 0) -> list[W2]:
    [
        a[k * h + min(k, m) : (k + 1) * h + min(k + 1, m)]
        for h, m in [divmod(len(a), n)]
        for k in range(n)
    ]
def array_split(a: A2, n: D, axis: 1) -> list[W2]:
    [
        [row[k * w + min(k, m) : (k + 1) * w + min(k + 1, m)] for row in a]
        for w, m in [divmod(len(a[0]), n)]
        for k in range(n)
    ]
def vsplit(a: A2, n: D) -> list[W2]:
    [a[k * h : (k + 1) * h] for h in [len(a) // [n][not a or len(a) % n]] for k in range(n)]
def split(a: A2, n: D, axis: 0 = 0) -> list[W2]:
    [a[k * h : (k + 1) * h] for h in [len(a) // [n][len(a) % n]] for k in range(n)]
def split(a: A2, n: D, axis: 1) -> list[W2]:
    [
        [row[k * w : (k + 1) * w] for row in a]
        for w in [len(a[0]) // [n][len(a[0]) % n]]
        for k in range(n)
    ]
def split(a: A1, n: D) -> list[W1]:
    [a[k * w : (k + 1) * w] for w in [len(a) // [n][len(a) % n]] for k in range(n)]
def split(a: A1, n: I1) -> list[W1]: [a[i:j] for i, j in zip([0, *n], [*n, len(a)])]
def split(a: A2, n: I1, axis: 0 = 0) -> list[W2]:
    [a[i:j] for i, j in zip([0, *n], [*n, len(a)])]
def split(a: A2, n: I1, axis: 1) -> list[W2]:
    [[row[i:j] for row in a] for i, j in zip([0, *n], [*n, len(a[0])])]
def lexsort(keys: L1) -> A1:
    sorted(
        range(len([keys][len({len(key) for key in keys}) != 1][0])),
        key=lambda i: tuple([key[i] for key in keys[::-1]]),
    )
def squeeze(a: A2, axis: 0) -> W1: a[[0][len(a) != 1]]
def squeeze(a: A2, axis: 1) -> W1: [row[[0][len(row) != 1]] for row in a]
def vstack(arrays: L1) -> J2: [list([a][len(a) != len(arrays[0])]) for a in arrays]
def vstack(arrays: L2) -> J2:
    [list([row][len(row) != len(arrays[0][0])]) for a in arrays for row in a]
def hstack(arrays: L1) -> J1: [v for a in arrays for v in a]
def hstack(arrays: L2) -> J2:
    [
        [v for a in arrays for v in [a][len(a) != len(arrays[0])][i]]
        for i in range(len(arrays[0]))
    ]
def stack(arrays: L1, axis: 0 = 0) -> J2: [list([a][len(a) != len(arrays[0])]) for a in arrays]
def stack(arrays: L1, axis: 1) -> J2:
    [[[a][len(a) != len(arrays[0])][i] for a in arrays] for i in range(len(arrays[0]))]
def stack(arrays: L2, axis: 0 = 0) -> J3:
    [
        [list([row][len(row) != len(arrays[0][0])]) for row in [a][len(a) != len(arrays[0])]]
        for a in arrays
    ]
def stack(arrays: L2, axis: 2) -> J3:
    [
        [
            [
                [[a][len(a) != len(arrays[0])][i]][len(a[i]) != len(arrays[0][0])][j]
                for a in arrays
            ]
            for j in range(len(arrays[0][0]))
        ]
        for i in range([len(arrays[0])][len(arrays[0]) == 0])
    ]
def indices(shape: D2) -> A3:
    [
        [[i] * shape[1] for i in range(shape[0])],
        [list(range(shape[1])) for _ in range(shape[0])],
    ]
def column_stack(arrays: L1) -> J2:
    [[[a][len(a) != len(arrays[0])][i] for a in arrays] for i in range(len(arrays[0]))]
def meshgrid(x: I1, y: I1, *, indexing: "xy" = "xy") -> (A2, A2):
    ([list(x) for _ in y], [[v] * len(x) for v in y])
def meshgrid(x: I1, y: I1, *, indexing: "ij") -> (A2, A2):
    ([[v] * len(y) for v in x], [list(y) for _ in x])
def tile(a: A1, reps: D) -> S1: list(a) * reps
def tile(a: A1, reps: D1) -> S1: list(a) * reps[0]
def tile(a: A1, reps: D2) -> S2: [list(a) * reps[1] for _ in range(reps[0])]
def tile(a: A2, reps: D) -> S2: [list(row) * reps for row in a]
def tile(a: A2, reps: D2) -> S2: [list(row) * reps[1] for _ in range(reps[0]) for row in a]
def repeat(a: R, repeats: I1) -> S1:
    [v for v, n in zip(a, repeats, strict=True) for _ in range([n][n < 0])]
def repeat(a: A2, repeats: I1, axis: 0) -> S2:
    [list(row) for row, n in zip(a, repeats, strict=True) for _ in range([n][n < 0])]
def repeat(a: A2, repeats: I1, axis: 1) -> S2:
    [[v for v, n in zip(row, repeats, strict=True) for _ in range([n][n < 0])] for row in a]
def repeat(a: R, repeats: D) -> S1: [v for v in a for _ in range(repeats)]
def repeat(a: A2, repeats: D, axis: 0) -> S2: [list(row) for row in a for _ in range(repeats)]
def repeat(a: A2, repeats: D, axis: 1) -> S2:
    [[v for v in row for _ in range(repeats)] for row in a]
def kron(a: A1, b: A1) -> J1: [v * w for v in a for w in b]
def outer(a: R, b: R) -> J2: [[v * w for w in b] for v in a]
def dot(a: I1, b: I1) -> N: sum([v * w for v, w in zip(a, b, strict=True)])
def dot(a: I2, b: I1) -> A1:
    [sum([v * w for v, w in zip(row, b, strict=True)]) for row in [a][len(a) == 0]]
def dot(a: I1, b: I2) -> A1:
    [sum([v * row[j] for v, row in zip(a, b, strict=True)]) for j in range(len(b[0]))]
def dot(a: I2, b: I2) -> A2:
    [
        [sum([v * q[j] for v, q in zip(row, b, strict=True)]) for j in range(len(b[0]))]
        for row in [a][len(a) == 0 or len(a[0]) != len(b)]
    ]
def windows(a: A1, window_shape: D1) -> W2:
    [
        a[i : i + window_shape[0]]
        for n in [len(a) - window_shape[0] + 1]
        for i in range([n][n < 1 or window_shape[0] < 1])
    ]
def windows(a: A2, window_shape: D2) -> W4:
    [
        [
            [row[j : j + window_shape[1]] for row in a[i : i + window_shape[0]]]
            for j in range(n)
        ]
        for m, n in [(len(a) - window_shape[0] + 1, len(a[0]) - window_shape[1] + 1)]
        for i in range([m][m < 1 or n < 1 or min(window_shape) < 1])
    ]
def kron(a: A2, b: A2) -> J2: [[v * w for v in p for w in q] for p in a for q in b]
def pad(a: A2, pad_width: D, mode: "constant" = "constant", *, constant_values: N = 0) -> S2:
    (
        [[constant_values] * (len(a[0]) + 2 * pad_width) for _ in range(pad_width)]
        + [
            [constant_values] * pad_width + list(row) + [constant_values] * pad_width
            for row in a
        ]
        + [[constant_values] * (len(a[0]) + 2 * pad_width) for _ in range(pad_width)]
    )
def pad(a: A2, pad_width: D22, mode: "constant" = "constant", *, constant_values: N = 0) -> S2:
    (
        [
            [constant_values] * (len(a[0]) + pad_width[1][0] + pad_width[1][1])
            for _ in range(pad_width[0][0])
        ]
        + [
            [constant_values] * pad_width[1][0] + list(row) + [constant_values] * pad_width[1][1]
            for row in a
        ]
        + [
            [constant_values] * (len(a[0]) + pad_width[1][0] + pad_width[1][1])
            for _ in range(pad_width[0][1])
        ]
    )
"""

ALIASES = {
    "T": "transpose", "absolute": "abs", "amax": "max", "amin": "min", "around": "round",
    "asanyarray": "asarray", "ascontiguousarray": "asarray", "average": "mean",
    "bitwise_not": "invert", "empty": "zeros", "empty_like": "zeros_like", "flat": "flatten",
    "lib.stride_tricks.sliding_window_view": "windows",
    "matmul": "dot", "rint": "round", "row_stack": "vstack",
}  # fmt: skip
"""Other names of functions."""

EACH = {
    "bitwise_xor": ("x ^ y", "same"), "ceil": ("-(-x // 1)", "float"), "floor": ("x // 1", "float"),
    "round": ("round(x)", "float"), "square": ("x * x", "same"),
    "abs": ("abs(x)", "same"), "bitwise_and": ("x & y", "same"), "bitwise_or": ("x | y", "same"),
    "equal": ("x == y", "bool"),
    "greater": ("x > y", "bool"), "greater_equal": ("x >= y", "bool"), "less": ("x < y", "bool"),
    "less_equal": ("x <= y", "bool"), "logical_and": ("bool(x) & bool(y)", "bool"),
    "logical_not": ("not x", "bool"), "logical_or": ("bool(x) | bool(y)", "bool"),
    "logical_xor": ("bool(x) != bool(y)", "bool"), "maximum": ("max(x, y)", "same"),
    "minimum": ("min(x, y)", "same"), "negative": ("-x", "same"), "not_equal": ("x != y", "bool"),
    "sign": ("(x > 0) - (x < 0)", "same"), "where": ("y if x else z", "where"),
}  # fmt: skip
"""The functions of each element x of an array, or of several, with what the results are."""
LOADS = {
    (1, "i"): ("a[x]", 0), (1, "s"): ("a[x]", 1), (1, "l"): ("[a[i] for i in x]", 1),
    (1, "L"): ("[[a[i] for i in row] for row in x]", 2),
    (1, "sn"): ("[[v] for v in a[x]]", 2), (1, "ns"): ("[a[y]]", 2), (1, "n"): ("[a]", 2),
    (1, "m"): ("[v for v, k in zip(a, x, strict=True) if k]", 1),
    (2, "i"): ("a[x]", 1), (2, "s"): ("a[x]", 2), (2, "l"): ("[list(a[i]) for i in x]", 2),
    (2, "m"): ("[list(row) for row, k in zip(a, x, strict=True) if k]", 2),
    (2, "M"): (
        "[v for row, m in zip(a, x, strict=True) for v, k in zip(row, m, strict=True) if k]", 1),
    (2, "ii"): ("a[x][y]", 0), (2, "is"): ("a[x][y]", 1),
    (2, "il"): ("[row[j] for row in [a[x]] for j in y]", 1),
    (2, "im"): ("[v for v, k in zip(a[x], y, strict=True) if k]", 1),
    (2, "si"): ("[row[y] for row in a][x]", 1), (2, "ss"): ("[row[y] for row in a[x]]", 2),
    (2, "sl"): ("[[row[j] for j in y] for row in a][x]", 2),
    (2, "sm"): ("[[v for v, k in zip(row, y, strict=True) if k] for row in a][x]", 2),
    (2, "li"): ("[column[i] for column in [[row[y] for row in a]] for i in x]", 1),
    (2, "ls"): ("[list(a[i][y]) for i in x]", 2),
    (2, "ll"): ("[a[i][j] for i, j in zip(x, y, strict=True)]", 1),
    (2, "X"): ("[[a[i][j] for j in x[1]] for i in x[0]]", 2),
    (2, "mi"): ("[v for v, k in zip([row[y] for row in a], x, strict=True) if k]", 1),
    (2, "ms"): ("[list(row[y]) for row, k in zip(a, x, strict=True) if k]", 2),
    (3, "i"): ("a[x]", 2), (3, "ii"): ("a[x][y]", 1), (3, "iii"): ("a[x][y][z]", 0),
    (3, "s"): ("(lambda b: [b][not b])(a[x])", 3), (3, "is"): ("a[x][y]", 2),
    (3, "iis"): ("a[x][y][z]", 1), (3, "isi"): ("[row[z] for row in a[x]][y]", 1),
    (3, "iss"): ("[row[z] for row in a[x][y]]", 2), (3, "si"): ("[p[y] for p in a][x]", 2),
    (3, "sii"): ("[p[y][z] for p in a][x]", 1), (3, "ssi"):
        ("[[row[z] for row in p][y] for p in a][x]", 2),
    (3, "sss"):
        ("(lambda b: [b][not b])([[row[z] for row in p[y]] for p in a[x]])", 3),
    (4, "i"): ("a[x]", 3), (4, "ii"): ("a[x][y]", 2), (4, "iiii"): ("a[x][y][z][w]", 0),
}  # fmt: skip
"""How an array a of a rank is read at [x] or [x, y], and the rank of what is read. Each index is an
Integer (i), a slice (s), Integers of rank 1 (l) or 2 (L), a mask of rank 1 (m) or 2 (M), the two
lists of np.ix_ (X), or None (n)."""

STORES = {
    (1, "i", 0): "a[x] = v",
    (1, "s", 0): "for i in range(len(a))[x]: a[i] = v",
    (1, "s", 1): "for i, k in zip(range(len(a))[x], v, strict=True): a[i] = k",
    (1, "l", 0): "for i in x: a[i] = v",
    (1, "l", 1): "for i, k in zip(x, v, strict=True): a[i] = k",
    (1, "m", 1):
        "for i, k in zip([i for i, m in enumerate([x][len(x) != len(a)]) if m], v, strict=True):"
        " a[i] = k",
    (1, "m", 0): "a[:] = [v if k else w for w, k in zip(a, x, strict=True)]",
    (2, "i", 0): "a[x][:] = [v] * len(a[x])",
    (2, "i", 1): "a[x][:] = list([v][len(v) != len(a[x])])",
    (2, "s", 0): "for i in range(len(a))[x]: a[i][:] = [v] * len(a[i])",
    (2, "s", 1): "for i in range(len(a))[x]: a[i][:] = list([v][len(v) != len(a[i])])",
    (2, "s", 2):
        "for i, row in zip(range(len(a))[x], v, strict=True):"
        " a[i][:] = list([row][len(row) != len(a[i])])",
    (2, "l", 0): "for i in x: a[i][:] = [v] * len(a[i])",
    (2, "l", 1): "for i in x: a[i][:] = list([v][len(v) != len(a[i])])",
    (2, "l", 2):
        "for i, row in zip(x, v, strict=True): a[i][:] = list([row][len(row) != len(a[i])])",
    (2, "m", 1):
        "for i, k in zip(range(len(a)), x, strict=True):\n"
        " if [k][len(v) != len(a[i])]: a[i][:] = list(v)",
    (2, "m", 0):
        "for i, k in zip(range(len(a)), x, strict=True): a[i][:] = [v if k else w for w in a[i]]",
    (2, "m", 2):
        "for i, row in zip([i for i, m in enumerate([x][len(x) != len(a)]) if m], v, strict=True):"
        " a[i][:] = list([row][len(row) != len(a[i])])",
    (2, "M", 0):
        "for i, m in zip(range(len(a)), x, strict=True):"
        " a[i][:] = [v if k else w for w, k in zip(a[i], m, strict=True)]",
    (2, "M", 1):
        "for (i, j), k in zip([(i, j) for i, m in enumerate([x][len(x) != len(a)])"
        " for j, k in enumerate([m][len(m) != len(a[i])]) if k], v, strict=True): a[i][j] = k",
    (2, "ii", 0): "a[x][y] = v",
    (2, "is", 0): "for j in range(len(a[x]))[y]: a[x][j] = v",
    (2, "is", 1): "for j, k in zip(range(len(a[x]))[y], v, strict=True): a[x][j] = k",
    (2, "il", 0): "for j in y: a[x][j] = v",
    (2, "il", 1): "for j, k in zip(y, v, strict=True): a[x][j] = k",
    (2, "im", 1):
        "for j, k in zip([j for j, m in enumerate([y][len(y) != len(a[x])]) if m], v, strict=True):"
        " a[x][j] = k",
    (2, "im", 0): "a[x][:] = [v if k else w for w, k in zip(a[x], y, strict=True)]",
    (2, "si", 0): "for i in range(len(a))[x]: a[i][y] = v",
    (2, "si", 1): "for i, k in zip(range(len(a))[x], v, strict=True): a[i][y] = k",
    (2, "ss", 0):
        "for i in range(len(a))[x]:\n for j in range(len(a[i]))[y]: a[i][j] = v",
    (2, "ss", 1):
        "for i in range(len(a))[x]:\n"
        " for j, k in zip(range(len(a[i]))[y], v, strict=True): a[i][j] = k",
    (2, "ss", 2):
        "for i, row in zip(range(len(a))[x], v, strict=True):\n"
        " for j, k in zip(range(len(a[i]))[y], row, strict=True): a[i][j] = k",
    (2, "sl", 0): "for i in range(len(a))[x]:\n for j in y: a[i][j] = v",
    (2, "sl", 2):
        "for i, row in zip(range(len(a))[x], v, strict=True):\n"
        " for j, k in zip(y, row, strict=True): a[i][j] = k",
    (2, "sm", 0):
        "for i in range(len(a))[x]:"
        " a[i][:] = [v if k else w for w, k in zip(a[i], y, strict=True)]",
    (2, "li", 0): "for i in x: a[i][y] = v",
    (2, "li", 1): "for i, k in zip(x, v, strict=True): a[i][y] = k",
    (2, "X", 0): "for i in x[0]:\n for j in x[1]: a[i][j] = v",
    (2, "X", 2):
        "for i, row in zip(x[0], v, strict=True):\n"
        " for j, k in zip(x[1], row, strict=True): a[i][j] = k",
    (2, "ls", 0): "for i in x:\n for j in range(len(a[i]))[y]: a[i][j] = v",
    (2, "ll", 0): "for i, j in zip(x, y, strict=True): a[i][j] = v",
    (2, "ll", 1): "for i, j, k in zip(x, y, v, strict=True): a[i][j] = k",
    (2, "ls", 1):
        "for i in x:\n for j, k in zip(range(len(a[i]))[y], v, strict=True): a[i][j] = k",
    (2, "ls", 2):
        "for i, row in zip(x, v, strict=True):\n"
        " for j, k in zip(range(len(a[i]))[y], row, strict=True): a[i][j] = k",
    (2, "ms", 2):
        "for i, row in zip([i for i, m in enumerate([x][len(x) != len(a)]) if m], v, strict=True):"
        "\n for j, k in zip(range(len(a[i]))[y], row, strict=True): a[i][j] = k",
    (2, "ms", 0):
        "for i, k in zip(range(len(a)), x, strict=True):\n"
        " for j in range(len(a[i]))[y]: a[i][j] = v if k else a[i][j]",
    (2, "mi", 0):
        "for i, k in zip(range(len(a)), x, strict=True): a[i][y] = v if k else a[i][y]",
    (3, "iii", 0): "a[x][y][z] = v",
    (3, "i", 0): "for i in range(len(a[x])): a[x][i][:] = [v] * len(a[x][i])",
    (3, "i", 2):
        "for i, row in zip(range(len(a[x])), v, strict=True):"
        " a[x][i][:] = list([row][len(row) != len(a[x][i])])",
    (3, "s", 3):
        "for i, p in zip(range(len(a))[x], v, strict=True):\n"
        " for j, row in zip(range(len(a[i])), p, strict=True):"
        " a[i][j][:] = list([row][len(row) != len(a[i][j])])",
    (3, "ii", 0): "a[x][y][:] = [v] * len(a[x][y])",
    (3, "ii", 1): "a[x][y][:] = list([v][len(v) != len(a[x][y])])",
}  # fmt: skip
"""How an array a of a rank is changed at such an index to a value v of a rank, 0 for a number."""

TYPES = {
    "bool": "bool", "bool_": "bool", "float": "float", "float64": "float", "int": "int",
    "int32": "int", "int64": "int", "int_": "int", "intp": "int",
}  # fmt: skip
"""The types of elements by name; others wrap around, or are no numbers."""


class Form(NamedTuple):
    """How a function is written for arguments of some kinds.

    parameters: Their names and annotations. places: The number of those that are given by place.
    defaults: The values of those that may be left out. result: The annotation of the result.
    """

    parameters: list[tuple[str, ast.expr]]
    places: int
    defaults: dict[str, ast.expr]
    result: ast.expr
    body: ast.expr


@cache
def forms() -> dict[str, list[Form]]:
    """Return the ways in which each function is written."""
    found: dict[str, list[Form]] = {}
    for function in ast.parse("".join([_FORMS, *families(), *images()])).body:
        assert isinstance(function, ast.FunctionDef) and function.returns is not None
        (statement,) = function.body
        assert isinstance(statement, ast.Expr)
        arguments = [*function.args.args, *function.args.kwonlyargs]
        parameters = [(arg.arg, arg.annotation) for arg in arguments if arg.annotation]
        places = len(function.args.args)
        optional = function.args.defaults
        names = [name for name, _ in parameters[places - len(optional) : places]]
        by_name = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        defaults = {arg.arg: default for arg, default in by_name if default}
        defaults |= zip(names, optional, strict=True)
        form = Form(parameters, places, defaults, function.returns, statement.value)
        found.setdefault(function.name, []).append(form)
    return found


@once_a_node
def reads_once(form: ast.AST) -> frozenset[str]:
    """Return the names that a form reads in one place, once and always."""
    counts = [part.id for part in ast.walk(form) if isinstance(part, ast.Name)]
    found: set[str] = set()
    left: list[ast.AST] = [form]
    for part in left:
        if isinstance(part, ast.Name) and counts.count(part.id) == 1:
            found.add(part.id)
        elif isinstance(part, ast.ListComp | ast.SetComp):
            left.append(part.generators[0].iter)
        elif isinstance(part, ast.For):
            left.append(part.iter)
        elif not isinstance(part, ast.Lambda | ast.IfExp | ast.BoolOp):
            left += ast.iter_child_nodes(part)
    return frozenset(found)


@cache
def expression(text: str) -> ast.expr:
    """Return the expression of a text."""
    return ast.parse(text, mode="eval").body


@cache
def statements(text: str) -> ast.Module:
    """Return the statements of a text."""
    return ast.parse(text)
