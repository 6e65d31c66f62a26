"""Programs that use NumPy mean what NumPy means, or are refused, or fail."""

import re
from itertools import cycle, product
from textwrap import indent

import numpy as np
import pytest
from hypothesis import assume, given

import megabatt as mb
from megabatt.codegen.arrays.functions import LOADS, STORES
from tests.codegen.array_sources import array_sources
from tests.codegen.meaning import as_program, as_python, assert_as_python, assert_same, sections

GRIDS = [
    ((0, 1, 1, 0, 5), (0, 1, 0, 0, 5), (2, 2, 0, 3, 5)), ((1, 0), (0, 2), (3, 3)), ((4,),),
    ((1, 1, 2), (0, 0, 0), (1, 1, 2)), ((0, 0, 0, 0),), ((3,), (0,), (1,)),
]  # fmt: skip

HEAD = """import numpy as np
from collections import Counter, defaultdict, deque
import copy, itertools, scipy.ndimage
def solve(I):
    a = np.array(I)
    b, v, n = np.where(a == 1, 7, a), a[0], len(a)
    m, z = a > 1, np.zeros_like(a)
    h, w = a.shape
    p = np.argwhere(a == 0)
"""

READ = """
a
a + b, a - b, a * b, a % 2, a // 2, a ** 2, -a, +a, 2 * a, 3 - a, a & 1, a | 2, a ^ b, a << 1
a + v, v + a, v * v, v + 1, a + [1] * w, v - list(v), v + tuple(v)
scipy.ndimage.maximum(a, a, 77)
np.vstack([a, np.array([r for r in a if len(r) > 9])])
a[np.array([k for k in v if k > 9])]
np.fliplr(np.array([r for r in a if len(r) > 9]))
np.array([r for r in a if len(r) > 9]) + v
a // a, a % b, v // (v - 1), 7 % v, -5 // v, a // v, a // (w - 3), (v - 1) % (w - 3)
m & (a < 3), m | (a == 0), m ^ m, ~m, m + m, m * m, m == m, m * a, a * m, 1 + m, m + v
a == b, a != b, a < b, a <= 1, a > v, 2 >= a, v == 1, v != v, v == list(v)
a.shape, a.size, a.ndim, v.shape, v.size, v.ndim, len(a), len(v), a.T, v.T
[a[tuple(c)] for c in p], [a[c] for c in map(tuple, p)], {tuple(c) for c in p[1:]},
    a[tuple(p[-1])] if len(p) else 0
a[0][0], v[w // 2], a[1:n, 1:w - 1], a[a == 9], a[v[0:1] >= 0] if h == 1 else 0, a[np.nonzero(a)]
a[tuple(p.T)], a[tuple(zip(*[(0, 0), (h - 1, 0)]))], a[tuple(np.array([[0, 0], [-1, -1]]).T)]
a[p[:, 0], p[:, 1]], a[np.where(m)], np.shape(a), np.size(a)
tuple(a[0]), list(a[0]), sorted(v), set(v), max(v), min(v), sum(v), any(v), all(v), list(a),
    tuple(a)
[r for r in a], [x for r in a for x in r], [r.sum() for r in a if r.any()], {x for x in v}
[(i, x) for i, x in enumerate(v)], [r + s for r, s in zip(a, b)], list(zip(*a)), list(map(sum, a))
[r[::-1] for r in a[1:]], [c.max() for c in a.T], [list(r) for r in a], list(map(tuple, p)),
    list(reversed(v))
a.tolist(), v.tolist(), a.copy(), a.flatten(), a.ravel(), v.copy(), np.copy(a), a.astype(int),
    copy.deepcopy(a)
m.astype(int), m.tolist(), a.astype(bool), (a > 1).astype(int) + 1, np.array(m, dtype=int),
    a.reshape(-1)
a.reshape(w, h), a.reshape((1, h * w)), np.reshape(a, (h * w,)), a.flatten().reshape(h, w),
    v.reshape(1, w), a.reshape(1, -1), a.reshape((-1, w)), np.reshape(a, (h, -1)),
    v.reshape(-1, 1), a.reshape(*b.shape)
np.zeros((2, 3), dtype=int), np.zeros(3), np.zeros((h, w)), np.ones((h, 2), int), np.ones(2),
    np.full((2, h), 4)
np.zeros(a.shape, dtype=a.dtype), np.zeros_like(a), np.zeros_like(v), np.ones_like(a),
    np.full_like(a, 3), np.full(2, 3)
np.zeros((2, 2), dtype=bool), np.zeros_like(a, dtype=bool), np.full_like(v, 8), np.ones_like(v),
    np.eye(3), np.identity(2, dtype=int)
np.array([[1, 2], [3, h]]), np.array([h, w]), np.asarray(a), np.array(a), np.array([v, v]),
    np.array([(0, 1), (h, w)]), np.array([m[0], m[-1]])
np.arange(4), np.arange(1, h), np.arange(w, 0, -1), np.int64(h), np.array([[True, False]]),
    np.zeros([2, h])
np.sum(a), a.sum(), a.sum(axis=0), np.sum(a, axis=1), a.sum(1), np.sum(m), m.sum(axis=0), v.sum(),
    np.sum(v), np.sum(a == 1, axis=-1)
np.max(a), a.max(), a.max(axis=0), np.max(a, axis=1), v.max(), np.min(a), a.min(), a.min(axis=0),
    a.min(axis=1), v.min(), np.amax(a)
np.any(a), a.any(), a.any(axis=0), np.any(a == 1, axis=1), m.any(), v.any(), np.all(a), m.all(),
    a.all(axis=0), np.all(a == 0, axis=1)
a.tobytes() == a.T.tobytes(), (a > 0).tobytes() in {m.tobytes(), v.tobytes()}, [*v.tobytes()],
    [*max((a - 1).tobytes(), (a - 300).tobytes(), m.tobytes())], list(a.T.tobytes())
np.argmax(a), a.argmax(), a.argmax(axis=0), a.argmax(axis=1), v.argmax(), np.argmin(a),
    a.argmin(axis=0), a.argmin(axis=1), v.argmin(), np.argmax(m)
np.count_nonzero(a), np.count_nonzero(a == 1), np.count_nonzero(a, axis=0), np.count_nonzero(a,
    axis=1), np.count_nonzero(v)
np.mean(a) > 1, np.mean(v) < 2, a.mean() == 2, int(np.mean(a)), np.sum(a) / 2 > h, a.mean() + 1
a / 2, v / 4 + 0.5, np.full((2, 2), 0.5), (a / 2).astype(int), np.array([0.5, 2]) > 1, a * 1.5
(a / 3) ** 2, (v / 2).max(), np.where(a / 2 > 1, a, 0.5), round(a.mean()), a.mean() ** 2
v // 1.5, v % 0.7, np.zeros((2, 2)).sum(), np.array([0.5, 1.5], dtype=int)
(p / 3).sum(axis=1), np.abs(p - p.mean(axis=0)).sum(1), (a[0, :2] / 3).sum(), (p / 7).mean(axis=-1)
np.unique(a / 2), np.maximum(v, 1.5), -(a / 4), sum(v / 2), sum((x / 4 for x in v), h)
np.argwhere(a), np.argwhere(a == 1), np.argwhere(v), np.nonzero(a), np.nonzero(v), np.where(a ==
    1), np.where(v > 0), np.flatnonzero(a)
np.where(a == 1)[0], np.where(v)[0], np.where(m, a, 0), np.where(m, 1, 2), np.where(m, a, b),
    np.where(v > 1, v, -v), np.where(m, v, 0)
np.unique(a), np.unique(v), np.unique(m), np.unique(a, axis=0), np.unique(a, return_counts=True),
    np.unique(a[a > 0], return_counts=True)
np.bincount(v), np.bincount(a.flatten()), np.bincount(a.ravel(), minlength=10),
    np.bincount(v).argmax(), np.array(sum(a.tolist(), [])) * 2,
    np.setdiff1d(a, [0, 1]), np.bincount(a[a > 8], minlength=3)
np.setdiff1d(v, v), np.intersect1d(a, v), np.union1d(v, [9]), np.isin(a, [1, 2]), np.isin(v, [0]),
    np.sort(v), np.diff(v), np.trace(a)
np.array_equal(a, b), np.array_equal(a, a.T.T), np.array_equal(v, v[::-1]), np.array_equal(a, I),
    np.array_equal(a[0], I[0]), np.array_equal(a, a.T)
np.transpose(a), a.transpose(), np.flip(a), np.flip(a, 0), np.flip(a, axis=1), np.flipud(a),
    np.fliplr(a), np.flip(v), np.diagonal(a), np.diag(a)
np.rot90(a), np.rot90(a, 1), np.rot90(a, 2), np.rot90(a, k=3), np.rot90(a, -1), np.rot90(a, 0),
    np.rot90(m), a[::-1].T, np.rot90(a, len(a)), [np.rot90(a, k).tolist() for k in range(-3, 6)]
np.roll(a, 1, axis=0), np.roll(a, -1, axis=1), np.roll(v, 2), np.roll(a, shift=h, axis=1)
np.concatenate((a, b)), np.concatenate([a, b], axis=0), np.concatenate((a, b), axis=1),
    np.concatenate([v, v]), np.concatenate((v, [1]))
np.vstack((a, b)), np.vstack([a, a[::-1], b]), np.vstack([v, v]), np.hstack([a, b]), np.hstack((v,
    v)), np.column_stack((v, v)), np.stack([v, v])
np.tile(a, (2, 3)), np.tile(a, 2), np.tile(v, 2), np.tile(v, (2, 1)), np.repeat(a, 2, axis=0),
    np.repeat(a, 2, axis=1), np.repeat(v, 3), np.repeat(a, 2)
np.repeat(np.repeat(a, 2, axis=0), 2, axis=1), np.kron(a, np.ones((2, 2), dtype=int)), np.kron(a
    != 0, a), np.kron(m, m)
np.pad(a, 1), np.pad(a, 2, mode='constant', constant_values=3), np.pad(a, ((1, 0), (0, 2))),
    np.pad(a, pad_width=1, constant_values=h)
np.cumsum(v), a.cumsum(), np.cumsum(a, axis=0), np.cumsum(m, axis=1), np.cumsum(v > 1, axis=0)
sum(a), sum([a, b]), sum(a == k for k in range(3)), (1, a, 2)[1:][0], (a, 1, 2)[-2:], a.shape[:1]
[(a.sum(axis=k), np.flip(a, k), np.roll(a, 1, axis=-k), m.any(k - 2)) for k in (0, 1)],
    [np.concatenate([a, np.flip(a, k)], axis=k).tolist() for k in (0, 1)]
np.max(a, axis=h)
a.mean(axis=0), np.mean(m, axis=1), np.median(a), np.median(v), np.median(m), np.median(v[:2])
a == a[:, :1], (a == a[:, [0]]).all(axis=1), a[:1] != a, a[[-1]] + a, a[-1:] * a[:, -1:]
a[:, 0][:, None] == v, v[None, :] + v[:, None], a * v[:, np.newaxis][:0].sum(), v[None, :] * v
a[:, 0][:, None] * a, abs(v[:, None] - 1) + abs(v[None, :] - h), v[:, None] + 1, -v[:, None]
np.where(a[:, :1] > 1, a, 0), np.where(m[:1], m, m[:, :1]), np.maximum(v, a[:, :1]), ~m[:, :1] & m
a == a.max(axis=1, keepdims=True), a - a.min(axis=0, keepdims=True), a.sum(1, keepdims=True) > v
np.where(m[:, :1], np.where(m[:, -1:], np.where(m[:, :1], a + 1, a), b + 1), b)
a - a[:, 0:1], a[:, :1] + a[:, -1:], a[:1] + a[-1:], a[:1] + v, a[:1, :1] + a[:1, :1]
(a[:, :1] + a[:, :1]) * a, m[:, :1] & (a[:1] > 0), v[:, None] * [1] * w
[a[:, :1], a][h % 2].sum(), (a[:, :1] if h > 1 else a).sum(), v[:, None].shape, v[None, :].tolist()
np.sqrt(h), np.sqrt(h / 4) + np.sqrt(a.sum()), int(np.sqrt(a.size)), np.sqrt(m[0, 0])
(a / 2).sum(), (a / 4).sum(axis=0), np.mean(v / 8), (a / 2).mean(axis=1), np.cumsum(a / 2),
    np.median(a / 2), (np.arange(6).reshape(3, 2) / 7).sum(axis=1)
np.add(a, v), np.subtract(5, a), np.multiply(a, [2] * w), np.mod(a, 3), np.remainder(v, 2),
    np.floor_divide(a, 2), np.divide(a, 4), np.add(m, m), np.floor_divide(3, v)
np.unique(a, return_index=True), np.unique(v, return_inverse=True), np.unique(m, return_index=True)
np.unravel_index(a.argmax(), a.shape), np.unravel_index(np.argmin(a), (h, w))
np.sort(a), np.sort(a, axis=0), np.sort(a, axis=1), np.sort(a, axis=-1), np.sort(m, axis=0)
np.argsort(v, kind="stable"), v.argsort(kind="stable"), np.argsort(-v, kind="mergesort")
np.argsort(np.arange(w) % 2 * 9 - np.arange(w)), np.unique(a)[np.argsort(-np.unique(a))]
np.diff(a), np.diff(a, axis=0), np.diff(a, axis=1), np.diff(v[:1])
np.roll(a, (1, -1), axis=(0, 1)), np.diagonal(a, offset=1), np.diag(a, k=-1), a.diagonal(9)
np.delete(v, 0), np.delete(v, [0, -1]), np.delete(a, -1, axis=1), np.delete(a, [0], axis=0),
    np.delete(a, p[:, 0], axis=0), np.delete(a, np.where(v > 1)[0], axis=1), np.delete(a, 0, 0)
np.hsplit(a, 1), np.vsplit(a, h), np.split(a, w, axis=1), np.split(a, h, 0), np.split(a, h)[-1]
np.split(v, [1, -1]), np.split(a, [1, 2]), np.split(a, p[:1, 0], 1), np.split(v, w)
np.squeeze(a[:1], 0), np.squeeze(b[:, -1:], axis=1)
np.lexsort((a.ravel(), b.ravel())), p[np.lexsort([p[:, 0], p[:, 1]])]
np.array_split(a, 2), np.array_split(a, 5, axis=1)[0], np.array_split(a, h, 0)
np.hsplit(a, 2)
np.delete(v, w)
np.delete(a, [h], axis=0)
np.array([r for r in a if r.sum() > 99]).any(axis=1)
np.array([(i, x) for i, x in enumerate(v) if x > 9])[:, ::-1]
np.delete(v[:0], 0)
np.diagonal(np.array([r for r in a if len(r) > 9]), offset=1)
np.vsplit(np.array([r for r in a if len(r) > 9]), 2)
a[v[:1] > 9, w] if h == 1 else [][0]
a[1:1, w]
a[np.where(a[:, 0] > 9)[0], w]
np.unravel_index(h * w, a.shape)
np.meshgrid(v, np.arange(h)), np.meshgrid(np.arange(h), v, indexing="ij")
a[np.ix_([0], v > 0)], a[np.ix_(range(h), [0, -1])], (v + 1)[a % w]
np.maximum(a, b), np.minimum(a, 1), np.maximum(h, w), np.abs(a - 2), abs(a - 2), abs(-h),
    np.sign(a - 1), np.clip(a, 1, 2)
np.logical_and(m, a == 5), np.logical_or(a, b), np.logical_not(a), np.logical_xor(m, a),
    np.equal(a, b), np.not_equal(v, 0), np.greater(a, 1)
list(np.ndenumerate(a)), list(np.ndindex(h, w)), list(np.ndindex(a.shape)), [i for (i, j), x in
    np.ndenumerate(a) if x]
1 in a, 9 in a, 1 in v, 9 not in v, 0 not in a, h in v, m[0, 0] == True, not m[0, 0], m[0, 0] and
    1, 0 or m[0, 0]
3 in {3: a}, 0 not in {h: [v]}, h in dict(zip([1, 3], [a, b])), 3 in {3: a}.keys()
m[0, 0] + m[0, -1], m[0, 0] * m[0, -1], m[0, 0] | m[0, -1], ~m[0, 0], m[0, 0] + 1, int(m[0, 0]) +
    int(m[0, -1]), a[0, 0] + m[0, 0]
sum(m[0]), sum([m[0, 0], m[0, -1]]), sum(x == 1 for x in v), max(m[0]), sorted(m[0]), bool(m[0,
    0]), m[0, 0] == m[0, -1]
np.any([x == 1 for x in v]), np.array([x > 1 for x in v]), np.sum([x == 0 for x in v]), m & (h == w)
(h == w) | m, a * (h == w), m + (h == w), np.where(a[0] == a[-1], h == w, m[0]), np.full(2, h == w)
a.shape[0] + p.shape[0], np.where(m)[0], (a, b)[1], (a, b)[-1], [v, a[-1]][1]
[x + x for x in m[0].tolist()], m.tolist()[0][0] + m.tolist()[0][-1]
m[0, 0].item() + m[0, -1].item(), m.tolist()[0][0] + m[0, 0]
np.full_like(m, True), np.pad(m, 1, constant_values=1), np.full((2, h), 0, dtype=bool)
max(a, key=lambda r: r.sum()), min(p.tolist()), sorted(a, key=lambda r: tuple(r)), sorted(p,
    key=lambda q: q[1]), max(a, key=np.sum)
[x for x in p], [(r, c) for r, c in p], {(r, c) for r, c in p}, set(map(tuple, p)), [dict((r, c)
    for r, c in p).get(x, 9) for x in range(3)], len(p), p.shape[0]
Counter(v).most_common(1)[0][0], Counter(a.flatten()).most_common(),
    sorted(Counter(a.flatten().tolist()).items()), Counter(x for r in a for x in r)[0]
a if a.any() else b, a is None, a is not None, None if m.all() else v, (a, v)[0], (a, v)[1], [a,
    b][h % 2]
p.min(axis=0) if len(p) else 0, p[:, 0].max() if p.size else 0, p.tolist(), p[0] if len(p) > 0
    else 0, a[a > 9].sum(), np.any(a[a > 9])
np.zeros((h - 2, w))
np.pad(a, 3 - w)
a.reshape(-1, -1)
a.reshape(-h, -w)
np.bincount(v - 1)
list(np.ndindex(h - 2, w))
np.vstack([r for r in a if r[0] == 1])
np.concatenate([a[i:i + 1] for i in range(h) if a[i, 0] == 1])
np.bincount(a[a > 8])
scipy.ndimage.label(a), scipy.ndimage.label(a == 0, structure=np.ones((3, 3))),
    scipy.ndimage.label(m, scipy.ndimage.generate_binary_structure(2, 1))[0],
    scipy.ndimage.label(a > 9, [[1, 1, 1]] * 3),
    scipy.ndimage.label(a / 2 > 0, scipy.ndimage.generate_binary_structure(2, 2))
np.pad(a, 1, mode="edge"), np.pad(a, ((1, 0), (0, 2)), "edge"), np.pad(m, 1, "edge"),
    np.pad(v, 2, "edge"), np.pad(a, (1, 2), mode="edge"), np.pad(a, (0, 0), "edge")
np.pad(a, 7, "reflect"), np.pad(a, ((4, 1), (2, 5)), "reflect"), np.pad(v, (3, 1), "reflect")
np.pad(a, 7, "symmetric"), np.pad(a, ((4, 1), (2, 5)), "symmetric"), np.pad(v, 4, "symmetric")
np.pad(a, 7, "wrap"), np.pad(a, ((h, 0), (0, 2 * w)), mode="wrap"), np.pad(v, (0, 9), "wrap")
np.pad(a, (1, 2)), np.pad(a, (0, 1), constant_values=4), np.pad(v, 1), np.pad(v, (1, 2),
    constant_values=-1), np.pad(v[:0], 1)
np.pad(a[:0], 1, "edge")
np.pad(v[:0], 1, "wrap")
np.pad(a, -1, "edge")
np.stack([a, b]), np.stack((v, v), axis=1), np.stack([v, v], axis=-1), np.stack([a, b], axis=-1),
    np.stack([a, b], 2), np.array([a, b]), np.array([[[x, 1] for x in r] for r in a])
np.stack([a, a[:1]])
np.stack([a, a[:, :1]])
[(x.sum(axis=0), x.sum(axis=1), x.max(axis=2), x.any(axis=0),
    x.argmax(axis=0), x.argmin(axis=-1), x.sum(axis=(1, 2)), x.min(axis=(0, 1)), x.sum(),
    x.sum(axis=(0, 1, 2)), np.mean(x, axis=0), np.median(x, axis=0), np.prod(x, axis=2)) for
    x in [np.stack([a, b, a + 1])]]
[(x == 1, x * 2 + v, np.where(x > a, x, 0), x[0], x[:, 0], x[:, :, 0],
    x[-1, 0, 0], x[1:], len(x), x.shape, x.ndim, x.size, [r.sum() for r in x], x.tolist(),
    x.copy(), x.ravel(), np.argwhere(x), np.count_nonzero(x, axis=0), np.zeros_like(x), -x)
    for x in [np.stack([a, b])]]
np.sum([a, b]), np.sum([a, b], axis=0), np.max([a, b], axis=0), np.any([m, a == 2], axis=0)
np.zeros((2, h, w)), np.ones((2, h, w), dtype=bool), np.full((2, 3, h), 4), np.zeros((h, w, 3),
    int), np.zeros((3,) + a.shape), np.zeros((2, 0, 2)).sum()
np.indices(a.shape), np.indices((2, h))[0], np.indices(a.shape).sum(axis=0) % 2
np.mgrid[0:h, 0:w], np.mgrid[:h, 1:w + 1][1], np.mgrid[0:4:2, 0:w].sum(axis=0)
[x + y for x, y in [np.mgrid[0:h, 0:w]]], [x + y * 2 for x, y in [np.ogrid[:h, :w]]], np.ogrid[:h,
    :w][0]
np.lib.stride_tricks.sliding_window_view(np.pad(a, 1), (3, 3)),
    np.lib.stride_tricks.sliding_window_view(v, 1), np.lib.stride_tricks.sliding_window_view(a,
    window_shape=(1, 1)).max(axis=(2, 3))
np.lib.stride_tricks.sliding_window_view(a, (2, 2))
a.reshape(h, 1, w, 1).max(axis=(1, 3)), a.reshape(1, h, w)[0], a.reshape(h, w, 1).sum(axis=2),
    np.arange(4 * h * w).reshape(h, 2, w, 2).sum(axis=(1, 3)), a.reshape(h, w, -1)[0],
    np.arange(4 * h * w).reshape(-1, 2, w, 2)
[(x.T, x.transpose(0, 2, 1, 3).reshape(h * 2, -1), x.swapaxes(1, 2)[0], np.swapaxes(x, 3, 0),
    np.transpose(x, (3, 1, 0, 2)), x[0].T, x[0].transpose(1, 2, 0), x[0].swapaxes(0, 2))
    for x in [np.arange(6 * h * w).reshape(h, 2, w, 3)]]
a.reshape(h, 2, w, 2)
a.reshape(-1, -1, 1)
np.arange(h).reshape(-1, 1) + v, np.arange(h).reshape(h, 1) == np.arange(w).reshape(1, w),
    np.arange(h)[:, None] - np.arange(w)[None], np.expand_dims(np.arange(h), -1) * v,
    np.expand_dims(v, axis=0) + a, np.atleast_2d(v) + a, np.atleast_2d(a)
np.unique(a, axis=1), np.unique(a, axis=0, return_counts=True), np.unique(a, axis=0,
    return_index=True), np.unique(a, return_counts=True, return_index=True), np.unique(v,
    return_index=True, return_inverse=True, return_counts=True)
np.diff(v, prepend=0), np.diff(v, append=-1), np.diff(v, 2), np.diff(a, 1, 0), np.diff(a, n=1),
    np.diff(m, axis=1), np.diff(m, axis=0), np.diff(v > 1), np.diff(v, prepend=0, append=0)
np.clip(a, 1, None), np.clip(a, None, 2), a.clip(1), a.clip(max=2), np.clip(a, a_min=1, a_max=2),
    np.clip(h, 0, 1), np.clip(a, 3, 1), np.clip(a / 2, 0.5, 1)
np.outer(v, v), np.outer(m[0], v), np.outer(m[0], m[0]), np.outer(a, [1, 2]), np.kron(v, v)
np.dot(v, v), np.dot(a, v), np.dot(v, a.T), a @ a.T, v @ v, a.dot(v), np.matmul(a.T, a)
a @ a
np.repeat(v, v), np.repeat(a, v, axis=1), np.repeat(a, a[:, 0], axis=0), np.repeat([1, 2], [h, w])
np.repeat(v, v - 1)
np.take(v, [0, -1]), np.take(a, [0, -1], axis=1), np.take(a, 0, axis=0), np.take(a, -1, 1),
    np.take(v, a % w), np.take(a, [0], 0), np.take(a, 0)
np.take(v, w)
np.isin(a, [1, 2], invert=True), np.isin(v, v), np.isin(3, a), np.setxor1d(v, [1, 9])
np.logical_or.reduce([a == 1, a == 2, m]), np.logical_and.reduce((m, a < 4)),
    np.maximum.reduce([a, b]), np.logical_or.reduce(m), np.maximum.reduce(a, axis=1),
    np.logical_or.reduce(m, axis=None), np.add.reduce(a)
np.maximum.accumulate(a), np.maximum.accumulate(a, axis=1), np.minimum.accumulate(v),
    np.logical_or.accumulate(m, axis=-1), np.logical_and.accumulate(m, 0), np.add.accumulate(v)
np.add.outer(np.arange(h), v), np.subtract.outer(v, [1, 2]), np.equal.outer(v, v)
np.apply_along_axis(lambda r: r[::-1], 1, a), np.apply_along_axis(lambda r: np.roll(r, 1), 0, a),
    np.apply_along_axis(sum, 0, a), np.apply_along_axis(np.max, axis=1, arr=a),
    np.apply_along_axis(sorted, 0, a), np.apply_along_axis(lambda r: r / 2, 0, a)
np.apply_along_axis(lambda r: r[r > 0], 1, a[:, :1] * 0 + [1, 0, 2])
np.vectorize(lambda x: x + h)(a), np.vectorize(lambda x: x > 1)(v), np.vectorize({0: 3}.get)(a - a)
np.vectorize(int)(a[a > 9])
np.any(m, axis=(0, 1)), a.max(axis=(1, 0)), a.sum(axis=None), a.sum(axis=-2), np.sum(a, -1),
    np.sum(a, axis=0, keepdims=False), np.max(v, initial=4), a[a > 9].max(initial=0)
list(np.ndenumerate(v)), list(np.ndindex(v.shape))
np.roll(a, 2), np.roll(a, -1), np.roll(v, 9, axis=0), np.roll(a, (1, 2), (1, 0)), np.roll(a, 1, -1)
np.prod(a.shape), np.prod(v), a.prod(), np.prod(a, axis=0), np.ptp(a), np.ptp(a, axis=1)
np.triu(a), np.tril(a, -1), np.triu(a, k=1), np.diag(v), np.diag([h, w]), np.diag_indices(h),
    np.triu_indices(h), np.tril_indices(3, -1)
np.round(a / 2), (a / 4).round().astype(int), np.around(v / 3), np.rint(a / 2), np.floor(-a / 2),
    np.ceil(a / 3), int(np.ceil(h / 2)), np.floor(w / 2) * 2
np.square(a), np.power(a, 3), np.negative(a), np.invert(m), np.bitwise_xor(a, b), np.true_divide(v,
    4)
np.append(v, 1), np.append(a, b), np.append(a, b, axis=0), np.append(a, a[:, :1], axis=1),
    np.append(a, [v], axis=0), np.append(m[0], True)
np.append(a, [[1] * w * 2], axis=0)
np.insert(v, 0, 5), np.insert(v, -1, 5), np.insert(v, w, 5), np.insert(a, 0, 5, axis=0),
    np.insert(a, h, v, axis=0), np.insert(a, -1, a[:, 0], axis=1), np.insert(a, w, 3, 1)
np.insert(v, w + 1, 5)
np.block([[a, b], [b, np.flipud(a)]]), np.block([a, b]), np.block([v, v])
np.select([a == 1, m], [3, b], default=a), np.select([a == 1, a == 2], [b, 4]), np.select([v == 1],
    [v * 2])
np.trim_zeros(v), np.trim_zeros(v, "f"), np.trim_zeros(v, "b"), np.trim_zeros(v - v)
a.flat[0], [x for x in a.flat], sorted(set(a.flat)), Counter(a.flat).most_common(1), len(a.flat)
np.median(a, axis=0), np.median(a, axis=1), np.count_nonzero(m, axis=-1), np.average(a) > 1
np.argsort(a, axis=1, kind="stable"), a.argsort(kind="stable"), np.sort(a, axis=None)
np.vstack([v, a, v]), np.vstack((a, [0] * w)), np.column_stack([a, a[:, 0]]), np.column_stack([a,
    a])
np.vstack([a, [1] * w * 2])
np.flip(a, (0, 1)), np.flip(a, -1), np.flip(a, axis=None), np.flip(v, axis=0), np.swapaxes(a, 0, 1),
    a.transpose(1, 0), np.transpose(a, (1, 0)), np.rot90(a, k=1, axes=(1, 0)), np.rot90(a, 1, (0,
    1))
np.unravel_index([0, 1], (2, 2)), np.unravel_index(np.flatnonzero(m), a.shape),
    np.ravel_multi_index((0, w - 1), a.shape)
np.ravel_multi_index((h, 0), a.shape)
np.broadcast_to(v, (2, w)), np.broadcast_to(5, (h, w)), np.broadcast_to(v, a.shape)
np.fromfunction(lambda i, j: (i + j) % 2, (h, w), dtype=int), np.c_[v, v], np.r_[v, 0, v],
    np.r_[0:h]
a.item(0), a.item(0, -1), a[:1, :1].item()
a.item()
a.item(99)
np.empty_like(a) * 0, np.empty((2, h), dtype=int) * 0, np.empty(3, int)[:0]
a[np.s_[0:1, 1:]], a[slice(0, 2)], v[slice(None, 2)], a[slice(1), 0], a[:, slice(0, 2)]
[a[s].tolist() for s in (slice(0, 1), slice(1, None))], [(s.start, s.stop) for s in [slice(1, 2)]]
scipy.ndimage.binary_dilation(a), scipy.ndimage.binary_dilation(m, structure=np.ones((3, 3))),
    scipy.ndimage.binary_dilation(m, [[0, 1, 1], [0, 1, 0], [0, 0, 0]], iterations=2),
    scipy.ndimage.binary_dilation(m, np.ones((1, 5))), scipy.ndimage.binary_dilation(m,
    iterations=2)
scipy.ndimage.binary_erosion(a), scipy.ndimage.binary_erosion(a != 9, structure=np.ones((3, 3))),
    scipy.ndimage.binary_erosion(a != 9, [[0, 1, 1], [0, 1, 0], [0, 0, 0]])
scipy.ndimage.binary_opening(a), scipy.ndimage.binary_closing(m), scipy.ndimage.binary_closing(a ==
    0, np.ones((3, 3))), scipy.ndimage.binary_opening(a == 0, iterations=2)
scipy.ndimage.binary_fill_holes(a), scipy.ndimage.binary_fill_holes(np.pad(a == 0, 1) ^
    np.ones((h + 2, w + 2), dtype=bool)), scipy.ndimage.binary_fill_holes(np.pad(a, 1,
    constant_values=1)), scipy.ndimage.binary_fill_holes(m)
scipy.ndimage.convolve(a, np.array([[0, 1, 0], [4, 5, 2], [0, 3, 0]]), mode="constant", cval=2),
    scipy.ndimage.convolve(a, np.ones((3, 3)), mode="constant"), scipy.ndimage.convolve(a,
    np.ones((3, 3), dtype=int)), scipy.ndimage.convolve(a, [[1, 2, 4, 8, 16]], mode="reflect")
[scipy.ndimage.convolve(a, [[1, 2, 4], [8, 16, 32], [64, 128, 256]], mode="nearest"),
    scipy.ndimage.convolve(a, [[1, 2, 4], [8, 16, 32], [64, 128, 256]], mode="wrap"),
    scipy.ndimage.correlate(a, [[1, 2, 4], [8, 16, 32], [64, 128, 256]], mode="mirror")]
scipy.ndimage.maximum_filter(a, size=3), scipy.ndimage.maximum_filter(a, 3, mode="constant",
    cval=0), scipy.ndimage.minimum_filter(a, size=3)
[(x[0], scipy.ndimage.sum(a, x[0], range(1, x[1] + 1)),
    scipy.ndimage.sum(m, x[0], index=np.arange(1, x[1] + 1)), scipy.ndimage.mean(a, x[0], range(1,
    x[1] + 1)), scipy.ndimage.maximum(a, x[0], range(1, x[1] + 1)), scipy.ndimage.minimum(a, x[0],
    range(1, x[1] + 1)), scipy.ndimage.center_of_mass(a > 0, x[0], range(1, x[1] + 1)),
    scipy.ndimage.sum(a, x[0], 1), scipy.ndimage.center_of_mass(a + 1)) for x in
    [scipy.ndimage.label(a)]]
[(x, [a[s] for s in scipy.ndimage.find_objects(x)], [a[r, c].shape for
    r, c in scipy.ndimage.find_objects(x)], [(s[0].start, s[1].stop) for s in
    scipy.ndimage.find_objects(x)],
    [a[s] for s in scipy.ndimage.find_objects(a * 2) if s is not None]) for x in
    [scipy.ndimage.label(a)[0]]]
np.array([r[r > 1] for r in a])
np.asarray([[1, 2], [3] * w]), np.array([[1], [2]]), np.sum([[x] * 2 for x in v])
np.max([list(r[:k]) for k, r in enumerate(a)], axis=1)
"""

SHORTER = """
I[0].pop()
r = I[0]; r.pop()
for r in I: r[:r[0] % 3] = []
for k, r in enumerate(I): r[k:] = [k]
def f(rows): rows[0].pop()
f(I)
def f(): del I[0][0]
f()
I = I + [[1]] * 2
I = [r[k:] for k, r in enumerate(I)]
I = I if len(I) > 9 else [[1], [1, 2]]
g = I[:]; g[0] = [1]; I = g
"""

CHANGED = """
## functions that change an array and return it, under another name and by another function
def blit(g, s, i=0, j=0, ground=None):
    new = g
    for k in range(s.shape[0]):
        for l in range(s.shape[1]):
            if (ground is None or s[k, l] != ground) and i + k < g.shape[0]:
                new[i + k, j + l] = s[k, l]
    return new
def blitted(g, s, i, j, ground=0):
    return blit(g, s, i=i, j=j, ground=ground)
def line(g, i, way=(1, 0), ends=[]):
    di, dj = way
    k = j = 0
    while 0 <= i < g.shape[0] and 0 <= j < g.shape[1]:
        if g[i, j] in ends:
            break
        g[i, j] = 8
        i, j, k = i + di, j + dj, k + 1
    return i, j
blitted(z, a[:1, :1], 1, 0)
blitted(z, b[:1, :1], 0, 0, ground=1)
x = blit(a, z)
line(z, 0)
i, j = line(z, h - 1, (0, 1), [5, 7])
return z, x, i, j
## conditions, choices and blocks that have names
choices = [3, b]
wanted = [a == 1, m]
rows = [[a if i == j else b for j in range(2)] for i in range(2)]
return np.select(wanted, choices, default=a), np.block(rows), np.block([rows[0], [b, a]])
## results of functions that call themselves
def halved(part):
    if len(part) < 2: return part
    k = len(part) // 2
    return np.block([[halved(part[k:])], [halved(part[:k])]])
def depth(part, seen):
    seen.add(part.shape)
    return 1 + depth(part[1:-1, 1:-1], seen) if min(part.shape) > 2 and part.any() else 1
def filled(part, k):
    places = np.argwhere(part == 0)
    if len(places) == 0 or k > 4: return part
    i, j = places[0]
    for color in (1, 2, 3):
        if color not in part[i] and color not in part[:, j]:
            out = part.copy()
            out[i, j] = color
            found = filled(out, k + 1)
            if found is not None: return found
    return None
def cells(i, j):
    if not (0 <= i < h and 0 <= j < w) or a[i, j] == 0 or k[i, j]: return []
    k[i, j] = True
    found = [(i, j)]
    for x in (1, -1): found += cells(i + x, j) + cells(i, j + x)
    return found
k, found = np.zeros(a.shape, dtype=bool), filled(a, 0)
for i, j in cells(0, 1): z[i, j] = 5
return halved(a), depth(a, set()), a if found is None else found, z, k
## parts that are read before the array changes, and behind
x, y, k = a[:, -1], a[1:, :1], 1
s = np.unique(x)[0]
a[0, -1] = 9
k = 0
a[:1, 0] += s
return x.sum(), y + 1, a
## arrays that a function makes of one that changes while a loop is over them
def parts(g, ground=0):
    found = []
    for k in set(g.flatten()) - {ground}:
        found.append(g * (g == k) + ground * (g != k))
    return found
for x in parts(a):
    a[x != 0] = 3
return a
## parts that functions give of arrays that nothing reads again, and what may be None
def cut(g, k=1):
    i, j = 0, k - k
    return g[i : i + k, j : k + j]
def kept(arrays, test=None, colors=None):
    if test:
        arrays = [x for x in arrays if test(x[:1])]
    if colors:
        arrays = [x for x in arrays if all(k in colors or k == 0 for k in x.flatten())]
    return arrays
y, found = [], kept([a * 2, b + 1]) + kept([z.copy()], colors=[1])
for x in found:
    s = cut(x, 2)
    s[s == 2] = 7
    y.append(s)
    z = z + s.sum()
x = cut(b + z.sum())
x[0] = len(kept([a, b], lambda x: x.shape[1] > 2))
return y, x
## an index that may be a Real, where the operation fails
def middle(k):
    x = (k - 1) / 2
    if x == int(x):
        x = int(x)
    return x
x = middle(w) if w % 2 else 0
a[0, x] = a[x * 0, x] + 1
return a, a[int(x), x - 0] if h > 2 < w else 0
## a number at several places, and lists of indices that have names
x = a[0, :] = a[:, -1] = a[0, 0] + 1
d = {}
d["k"] = a[0, 0] = b[-1] = k = len(d)
rows, cols = [0], [j for j in range(w) if j % 2 == 0]
rows.append(h - 1)
b[rows] += 3
return a[rows][:, cols], b, x, d["k"], k
## elements that a loop changes before their turn
for (i, j), y in np.ndenumerate(a):
    if y == 1 and i + 1 < a.shape[0]:
        a[i + 1, j] = 1
for p, y in np.ndenumerate(b):
    if y == 0 and p[1] + 1 < w:
        b[p[0], p[1] + 1] += 2
return a, b
## containers that functions fill
def flood(a, i, j, cells):
    stack = [(i, j)]
    while stack:
        i, j = stack.pop()
        if 0 <= i < a.shape[0] and 0 <= j < a.shape[1] and a[i, j] > 0 and (i, j) not in cells:
            cells.add((i, j))
            stack += [(i + 1, j), (i, j + 1)]
def add(x, v):
    x.append(v)
cells, x = set(), []
flood(a, 0, 1, cells)
flood(a, 0, 0, cells)
add(x, 1)
add(x, 2)
best, n = None, 0
def better(row):
    nonlocal best, n
    n += 1
    if best is None or row.sum() > best.sum():
        best = row
for row in a:
    better(row)
return np.array(sorted(cells)).sum(), np.array(x) * 2, best * 2 + n
## dictionaries to which reading a key adds it
by, rows = defaultdict(list), defaultdict(lambda: defaultdict(int))
def put(k, i):
    by[k].append(i)
for i, row in enumerate(a):
    for x in row:
        put(x, i)
        rows[x][i] += 1
for k, x in by.items():
    z[a == k] = len(x)
for k in sorted(rows):
    for i in rows[k]:
        b[i] = b[i] * (a[i] == k) + (b[i] == i)
return z, b
## Reals, which an array of Integers rounds toward 0, and an array of Reals holds
z[0, 0] = h / 2
z[1] = -v / 2
z[z == 1] = 2.7
f = np.zeros((2, 3))
f[0, 0] = 0.5
f[1] = [1, 2, 2.5]
best = None
for x in v:
    best = x / 2 if best is None or x / 2 > best else best
f[0, 1], z[2, 1] = best, best
return z, f, f.max(), f * 2
## by a mask, by lists, by what argwhere found
z[a == 1] = 3
b[m | (b == 0)] = h
for r, c in p:
    z[r, c] = 7
z[tuple(p.T)] += 1
z[np.where(a == 5)] = 4
z[0] = z[-1] = z[h // 2] + 1
b[:, 0] = b[:, -1] = 4
x, y = v[a % w], a[np.ix_([0], v > 0)]
x[0, 0], y[0] = 9, 3
return z, b, x, y
## by lists with names, and by tuples
x, y = [i for i in range(h) if a[i].any()], [0]
y.append(-1)
z[x], z[:, y] = b[x], 4
s, t = [r.any() for r in a], np.arange(w).tolist()
y = y if h > 1 else (0, -1)[:1]
return z, a[s], a[sorted(x)], a[:, t[::-1]], a[(0, -1)], [a[q] for q in [(0, 0), (0, -1)]]
## at places that are elements of the same array
s = np.arange(9)[::-1].copy()
s[s[2:]] = 7
s[s] += 1
t = (np.arange(4).reshape(2, 2) + 1) % 2
t[0, t[0]] = 1
t[np.ix_(t[0], t[1])] = 3
return s, t
## Booleans are kept as Booleans
seen = np.zeros((h, w), dtype=bool)
seen[0, 0] = True
seen[-1] = a[-1]
seen[0, -1] = 5
seen[:, 0] |= m[:, 0]
seen[m] = 3
return seen, seen.sum(), ~seen, seen + seen
## functions of the source, with several kinds
def crop(g, k=0):
    rows = np.any(g != k, axis=1)
    cols = np.any(g != k, axis=0)
    if not rows.any():
        return g
    r0, r1 = np.where(rows)[0][[0, -1]]
    c0, c1 = np.where(cols)[0][[0, -1]]
    return g[r0:r1 + 1, c0:c1 + 1]
def twice(x):
    return x + x
g = crop(a)
f = lambda x, y: np.maximum(x, y)
return g, crop(b, k=7), twice(a), twice(v), twice(h), twice((1,)), twice([h]), f(a, b), f(v, 2)
## functions that are values
def given(f, x):
    return f(x)
def turn(name):
    return {"v": np.flipud, "t": np.transpose}[name]
k = 1
turns = {"h": np.fliplr, "k": lambda a: a * k}
turns["r"] = lambda x: np.rot90(x, 2)
best = max(turns, key=lambda name: turns[name](b)[0].sum())
f = np.sort if h > w else lambda a: a - k
pairs = [(np.max, np.maximum), (np.min, lambda a, b: np.minimum(a, b))]
k = 2
return (given(lambda x: x[0] + x, b), turn("t")(a), [t(a) for t in turns.values()], turns[best](b),
    f(a), [both(one(a, axis=0), v) for one, both in pairs])
## parts of an array by names of their own
x = z[1:, :]
x[x == 0] = 3
x[0:1] += b[0]
y = z[:, 0]
for i in range(h):
    if i % 2:
        y[i] = i
lab, k = scipy.ndimage.label(a)
for i, s in enumerate(scipy.ndimage.find_objects(lab), start=1):
    part = b[s]
    part[lab[s] == i] = i
    z[s] += 1
return z, b
## arrays of rank 3
x = np.zeros((3,) + a.shape, dtype=int)
x[1] = a
x[2] = 4
x[0, 0, 0] = 2
x[2, 0] = v
x[1, -1] = 7
x += 1
c = np.zeros((h, w, 6), dtype=int)
for i in range(h):
    for j in range(w):
        c[i, j, a[i, j]] += 1
return x, x[0, 0], x.argmax(axis=0), c, c[0, 0], c.sum(axis=(0, 1))
## arrays that containers hold
x, d = [np.zeros_like(a), b.copy()], {"m": a == 1}
x[-1] //= 2
for i in range(4):
    x[i % 2] += a
d["m"] |= a[0] == 2
return x, d["m"]
## arrays or lists
def load(g):
    if not isinstance(g, np.ndarray):
        g = np.array(g)
    return g + 1
return load(a), load([[1]]), I if isinstance(I, np.ndarray) else v
## all other axes
x = np.stack([a, b])
a[...] += 1
b[..., 0] = 3
b[0, ...] = v
return x[..., 0], x[0, ...], x[..., ::-1], v[..., 1:], np.moveaxis(x, 0, -1), x.swapaxes(-1, 1)
## functions that change an array
np.add.at(z, (p[:, 0], p[:, 1]), 2)
s = np.zeros(10, dtype=int)
np.add.at(s, a.ravel(), 1)
np.copyto(b, z)
z[0, 0] = 5
np.putmask(z, m, 4)
np.place(a, a == 0, 6)
np.put(s, [0, -1], 7)
v2 = v.copy()
v2.sort()
a.sort(axis=0)
return z, s, b, a, v2
## generators of arrays, which a loop uses
def parts(a):
    for i in range(a.shape[0]):
        if a[i].any():
            yield np.array([i, 0])
out = np.full(a.shape, 9)
for cell in parts(a):
    i, j = cell
    out[i - 0, j] = a[i, j]
return out
## functions of each element by name
d, k = {0: 3}, 1
f = np.vectorize(lambda x: d.get(x, x) + k)
d[1], k = 4, 5
return f(a), [f(r) for r in a]
## slices that are values
x = slice(0, 2)
a[x] = 0
a[x, 0] = 3
a[:, x] += 1
b[np.s_[:1, :]] = 5
y = (slice(0, 1), slice(None))
return a, b, a[x], a[x, x], v[x], a[y], z[0, x]
## names of Python's own, and of primitives, for something else
map, size, objects = h - 2, w, 5
return np.pad(a, ((h - map, 0), (0, 2))), a.size, scipy.ndimage.label(a), size, objects
## names that are None at first
best = before = seen = None
for x in a:
    if best is None or x.sum() + x.max() > best.sum() + best.max():
        best = x
    seen = x > 1 if seen is None else seen | (x > 1)
    if not (before is not None and before.any()):
        before = x
        continue
    z[0] = z[0] + before
return best, seen, z
## the diagonal
k = min(h, w)
s = a[:k, :k].copy()
np.fill_diagonal(s, 9)
z.fill(3)
return s, z
"""

VIEWS = (
    "a", "a[:, 0]", "a[0:1, 0]", "a[:2, :2]", "a.T", "a[::-1]", "v[::-1]",
    "np.fliplr(a)", "np.rot90(a)", "np.transpose(a)[0]",
    "np.diagonal(a)", "np.diag(a, 1)", "np.hsplit(a, 1)[0]", "np.vsplit(a, 1)", "a.ravel()",
    "a.reshape(-1)", "np.asarray(a)", "a if h > 1 else b",
    "a[:, 0] if h > 1 else v", "(a, b)[0][:, 0]", "{1: a[:, 0]}[1]", "(lambda g: g[:, 0])(a)",
    "next(r for r in a[:, ::-1])", "max(a[:, ::-1], key=lambda r: r[0])", "list(a)", "[a]",
    "[a[:, 0], 3]", "[r for r in a[:, :2]]", "[g[:, 0] for g in [a, b]]", "zip(a[:, 0], v)",
    "lambda: a[:, 0]", "a.reshape(1, h, w)",
    "np.lib.stride_tricks.sliding_window_view(a, (1, 1))[0, 0]",
)  # fmt: skip
SEEN = (
    "a[0] = 9", "v[0] = 9", "a += 1", "x[:] = 3", "x[0] = 9", "x[0][0] = 9", "x += 1",
    "for y in x:\n    y[0] = 9", "a[0] = 9\nx = list(x)", "a[0] = 9\nx = x()",
)  # fmt: skip
"""Changes of what an expression, x, is a view of, and of x."""

SHARED = """
x = np.stack([a, b])
y = x[0]
y[0, 0] = 7
return x, a

for k in range(2):
    x = a[:, 0]
    x[0] = k + 7
    a = a + x
return a

x = np.array([a, b])
for r in x:
    for q in r:
        q[0] = 4
return x, a, b

x = a.flat
a[0, 0] = 9
return x[0]

n = 0
def count(x):
    nonlocal n
    n += 1
    return n
return np.vectorize(count)(a)

def sums(g):
    for i in range(3):
        yield g[i].sum()
out = np.zeros((3, 3), dtype=int)
x = out[:]
for r in sums(x):
    out[2, 0] += r + 1
return out

def put(a, i, j):
    a[i, j] = 1
for (i, j), y in np.ndenumerate(a):
    if y == 1 and i + 1 < a.shape[0]:
        put(a, i + 1, j)

k = [(0, 0), (0, 0), (0, 0)]
a[k.pop()] += 3
x = k

k, v = [0, 0, 0], v.copy()
v[k.pop()] += 3
z[k.pop(), 0:] = 1
x = k

k = [a, b]
x = k[k.index(k[0]) if h < 0 else 0][:, 0], (y := b)[:, 1:]
y[0, 0] = 9

k = [(0, 0), (0, 0), (0, 0)]
x = a[k.pop()], len(k), z[k.pop()], len(k)

x = [(y := r) for r in a][0]
y[0] = 9
"""

OF_SOME_KIND = (
    "a[0, 0]", "a[0, 0] == 1", "a[0, 0].astype(bool)", "a.any().item()", "(a == 1).tolist()[0][0]",
    "(len(I) == 3) & (1 in I[0])", "max([m[0, 0]], [m[0, 0]])[0]",
    "(a == 1).any() if len(I) == 3 else [1]", "next(itertools.chain(*[[a[0]]]))",
    "list(zip(*[[1, 2]], list(a)))[0][1]", "max(*[[1, 2], [5, 0]])[:w]",
    "None if len(I) == 3 else a", "(0, 0) if len(I) == 3 else [0, 0]", "tuple(x for x in (0, 0))",
    "tuple([0, 0])", "list(zip(*[[0, 0], [0, 0]]))", "list(enumerate(iterable=a[0]))",
)  # fmt: skip
USES = (
    "x + x", "x * 2", "~x", "abs(x) + abs(x)", "sum([x, x], False)", "a[0] + x", "a[x]", "[1] == x",
    "x in [[1], 2]", "isinstance(x, np.ndarray)",
)  # fmt: skip
"""Uses of what an expression, x, gives, which differ from kind to kind."""

HELD = ("x = []", "x = [1]", "x = [a[0]]", "x = [True]", "x = {0: 1}", "x = {0: a[0]}")
PUT = (
    "def f(x, v):\n    x[0] = v\nf(x, {})", "def f(x, v):\n    x.append(v)\nf(x, {})",
    "def f(x, v):\n    x.insert(0, v)\nf(x, {})",
    "def g(x, v):\n    x[0] = v\ndef f(x, v):\n    g(x, v)\nf(x, {})",
    "def f(v):\n    x[0] = v\nf({0})\nx = [0]\nf({0})",
    "def f(v):\n    nonlocal x\n    x = [v]\nf({})",
)  # fmt: skip
"""Containers, x, and functions that put something of perhaps another kind into these."""
WITHIN = (
    "x = [[]]\ny = x[0]\ny.append(V)", "x = {0: []}\ny = x[0]\ny += [V]",
    "x = [[]]\nfor y in x:\n    y.append(V)", "x = [[]]\nfor k, y in enumerate(x):\n    y += [V]",
    "x = {0: []}\nfor y in x.values():\n    y.append(V)", "x = [[0]]\ny = x[0]\ny[0] = V",
    "x = {0: []}\nfor k, y in x.items():\n    y.insert(0, V)",
    "x = {}\ny = x.setdefault(0, [])\ny.append(V)",
    "x = [[]]\ndef f(x, v):\n    for y in x:\n        y.append(v)\nf(x, V)",
    "x = [[]]\ny = x\ny[0].append(V)", "y = []\nz = y\ny.append(V)\nx = [z]",
    "x = [[]]\ny, z = x[0], 1\ny.append(V)", "x, y = [], []\nx.append(y)\ny.append(V)",
    "x, y = {}, []\nx[0] = y\ny.append(V)", "x = [[]]\ny = x[0]\nx[0].append(V)\nx = [y]",
    "y, z = [], []\n(y if h else z).append(V)\nx = [y]",
    "y, z = [], []\nq = y if h else z\nq.append(V)\nx = [y]",
    "y, z = [], []\nfor q in (y, z):\n    q.append(V)\nx = [y, z]",
    "y = []\ndef f(y, v):\n    z = y\n    z.append(v)\nf(y, V)\nx = [y]",
    "y = []\ndef f(y, v):\n    list(map(lambda k: y.append(k), [v]))\nf(y, V)\nx = [y]",
    "y = []\ndef f(v):\n    y.append(v)\ndef g(y):\n    f(V)\n    return y\nx = [g(y)]",
)  # fmt: skip
"""Containers of lists, x, and changes of such a list by another name."""

CONFUSED = """
x = [0, 0]
if h > 1:
    x = tuple(x)
return a[x]

x = [0, 0] + list((0,)) if h > 1 else (0, 0)
return a[x]

x = np.array([v or 0.5 for v in I[0]])
x[0] = 1.5
return (x * 2).astype(int)

x = a * [0.5, 2][1]
x //= 2
return x

return sum(v / 10), sum([0.1 * n] * 12), sum([0.1 * n] * 12, 1), sum(r.mean() for r in a)

q = float("inf")
for i, k in enumerate(v):
    if k: q = min(q, i)
return a[q:]

x = 2 ** (len(v) - 4)
return np.full((2, 2), x), x

k = 2 ** -n
return (a * 10 ** -1).astype(int), np.full((2, 2), k).astype(int), np.where(m, k, 0).astype(int)

return (a / 3).sum(), (a / 10).sum(axis=0), (v / 3).mean(), np.cumsum(v / 7)

return (a / 3).sum(axis=1), (a / 10)[:, :2].sum(axis=1)

x = a * 2 ** -1
x[0, 0] = 0.5
q, k = divmod(a.mean(), 1)
a[0, 0] = k * 10
return x, a, q

return np.unique(a, True)[0]

k = defaultdict(list)
k[v[0] == 0].append(1)
return [x + x for x in k]

l = [a, 3, 4]
del l[0]
return l[0] + l[1]

m = a == 1
np.fill_diagonal(m, 7)
return m.sum()

a.T += 1
return a

x = np.array([r for r in a if len(r) > 9])
return np.vstack([x, x]), np.tile(x, (2, 1))

x = np.array([r for r in a if len(r) > 9])
return x.ndim, x[:1].ndim, x.copy().ndim, (x + 1).ndim, len(np.where(x[::-1]))

z[0, 0] = np.trace(a / 2 + 0.5)
return z

z[0, 0] = sum([m.any(), 2.5])
return z

k = Counter({1: 2.5})
z[0, 0], z[-1, -1] = k[1], k.most_common(1)[0][1]
return z

x = [1]
for x[0] in (1.5, 2.5): pass
z[0, 0] = x[0]
return z

k = 2
h > 2 and (k := m.any())
return k + k

k = [1, 2]
return [(k := np.array(k + k)) for _ in range(2)]

k = 1
def g():
    nonlocal k
    x, k = k + k, m.any()
    return x
return [g() for _ in range(2)]

k = [1, 2]
x = (k + k for _ in range(2))
k = np.array(k)
return list(x)

a[:] = [a[i] for i in range(n - 1, -1, -1)]
return a

x = list(a)
a[:] = x[::-1]
return a

for q in v:
    k = 1
    if q > 1:
        k = 2.5
        break
else:
    k = 3
z[0, 0] = k
return z

i = 0
z[i, 0], i = 5, 1
return z, i

k = [0, 3]
return a + k.pop(), np.where(a == len(k), k.pop(), len(k))

d = a[0].copy()
d[d == d] = d[::-1]
return d

return a.sum(dtype=bool)

l = [a, 3]
l.reverse()
return l[0] + 1

d = a.copy()
for q in np.ndindex(*a.shape):
    d[q] += 1
return d

k = 1
g = lambda y=k: y + y
k = I
return g()
"""

REFUSED = {
    "elements of type `.*` are not read: write int or bool": (
        "a.astype(np.uint8)", "np.zeros((2, 2), dtype=np.int8)",
    ),
    "'.*' of module 'numpy' is not read: write loops": (
        "np.linalg.norm(a)", "np.std(v)", "np.dstack([a, b])", "np.choose(a % 2, [a, b])",
        "np.tolist(a)", "np.ndimage_label(a)", "np.windows(a, 1)", "np.maximum_accumulate(a)",
    ),
    "'add' of NumPy is read of two values, one of them an array": (
        "np.add(2, 3)", "np.add(a, 1, out=a)", "np.add(a, a, where=m)",
    ),
    "'.*' of SciPy cannot be read with these arguments: write loops": (
        "scipy.ndimage.convolve(m, [[1]])", "scipy.ndimage.label(a, output=a)",
        "scipy.ndimage.binary_dilation(a, mask=m)", "scipy.ndimage.sum(a)",
        "scipy.ndimage.maximum_filter(a, footprint=m)",
    ),
    "a function from what changes here": ("[np.sort].pop()(a)",),
    "'h' of a lambda is not known where": ("[f(a) for f in [lambda x: x + h for h in v]]",),
    "np.select needs arrays of Booleans here": ("np.select([a], [1])",),
    "np.(select|block) is read of lists in brackets": ("np.block(list(a))",
        "np.select(list([m]), [1])"),
    "np.fromfunction is read with dtype=int alone": (
        "np.fromfunction(lambda i, j: i, (2, 2), dtype=float)",
    ),
    "what NumPy makes of this function's results is not known": (
        "np.vectorize(lambda x: None)(a)", "np.vectorize(lambda x: (x, x))(a)",
        "np.vectorize(lambda x: x / 2 if x else 0)(a)",
    ),
    "a slice with a step is no value here": ("a[slice(0, 4, 2)]", "np.s_[::2]"),
    "this use of NumPy cannot be read: write loops": (
        "np.vectorize(int, otypes=[int])(a)", "np.mgrid[0:3]", "np.apply_along_axis(sum, 0, v)",
    ),
    "'invert' of NumPy is read of Booleans alone": ("np.invert(a)",),
    "'median_filter' of module 'scipy.ndimage' is not read": ("scipy.ndimage.median_filter(a, 3)",),
    "these may be NumPy's Booleans, which are no numbers: write int": (
        "m - m", "(x == 1) + (x == 2) if (x := a[0, 0]) else 0",
    ),
    "NumPy refuses this operator of Booleans: write ~, or `not`": ("-m",),
    "this index of an array cannot be read: write loops": (
        "np.stack([a, b])[a == 1]", "v[..., 0]",
        "a[0, 0, 0]", "a[None]", "a[:, None]", "a[True]", "a[m[0, 0]]", "a[np.zeros(1)[0], 0]",
    ),
    "'.*' of NumPy cannot be read with these arguments: write loops": (
        "a.reshape(h, w, 1, 1, 1)", "np.max(a, axis=3)", "np.where(a == 1, x=3)", "np.sqrt(a)",
        "np.pad(a, 1, mode='maximum')", "np.pad(a, 1, 'edge', constant_values=3)", "np.diff(a, 0)",
        "np.insert(v, [0, 1], 5)", "np.concatenate([a, b], axis=None)", "np.round(a, 1)",
        "np.clip(a, None, None)", "np.unique(a, return_inverse=True)", "np.roll(a, 1, (0, 1))",
        "np.dot(m, m)", "np.triu(m)", "np.bincount(v, weights=v)", "np.stack([a, b], axis=1)",
        "np.sum(a, keepdims=True)", "np.isin(a, {1, 2})", "v.max(axis=0, keepdims=True)",
        "np.isin(a, [1], True)", "np.pad(a, 1, 'constant', 3)", "np.meshgrid(v, v, 'ij')",
    ),
    "this star cannot be read beside NumPy": ("a.reshape(1, *a.shape)", "np.transpose(*[a])"),
    "what np.array makes of this is not known": ("np.array([1, 'x'])",),
    "an array of one number is not read: write the number": ("np.array(5)",),
    "`a` may be an array, which is neither true nor false": (
        "not a", "a and b",
    ),
    "whether `.*` is an array is not known: write loops": (
        "0 < a < 2", "a in [a]", "[a] == [b]", "[a, b].index(a)", "(0, 0) in p", "'x' in v",
    ),
    "an array cannot be read here: write loops": (
        "max(a, b)", "a.T.foo", "max(a, key=lambda r: r)", "sorted([a, b], key=np.ravel)",
        "min(a, key=lambda r: (n, r))", "max([1], key={1: a}.get)", "sum(a, start=1)",
    ),
    "`.*` of an array is not read: write loops": ("recursive(a)",),
    "`.*` of this array is not read: write loops": ("(a / 2).tobytes()", "a.dump()"),
    "what this array is combined with is not known: write loops": ("a == None", "a == [1, 'x']"),
    "an array of Booleans is filled with a number: write bool": (
        "np.full_like(m, 3)",
    ),
    "`is` is read of None alone beside NumPy: write `==`": ("(m[0, 0] is True)",),
    "`@` cannot be read: write calls of primitives": ("h @ w",),
    "isinstance is not read beside NumPy: leave it out": ("isinstance(a[0, 0], int)",),
    "these are Booleans beside numbers: write .astype": (
        "np.where(m, True, a)", "np.maximum(m, 0)", "np.hstack([a, m])",
    ),
    "an array of numbers is filled with a Boolean": ("np.full((2, 2), True, dtype=int)",),
    "'abs' of NumPy is read of numbers alone: write .astype": ("abs(m)",),
    "an array is no key, and no element of a set: write tuple": (
        "{a[0]}", "{a[0]: 1}", "{r for r in a}", "{r: 1 for r in a}",
    ),
    "an index is an Integer: write int": ("[4, 5][m[0, 0]]",),
    "the bounds of a range are Integers: write int": ("list(range(m[0, 0]))",),
    "this star cannot be read beside NumPy: write each argument": ("np.zeros(*a.shape)",),
    "a change within this is not read beside NumPy: name it before": (
        "list(map(lambda z: z + k, [1 if (k := a[0]).any() else (k := 2)]))",
    ),
}  # fmt: skip


def source_of(lines, head=HEAD):
    return f"{head}{indent(lines.strip(), '    ')}\n"


def assert_as_numpy(source, may_fail=False, may_be_refused=False):
    """Assert that a source gives what NumPy gives on each grid, and fails where NumPy does.

    may_fail: Whether it may fail elsewhere, and NumPy alone may fail.
    """
    programs = mb.parse(source, strict=not may_be_refused)
    if not programs:
        return
    evaluation = mb.evaluate(programs, [(grid, None) for grid in GRIDS], outputs="all")
    for k, grid in enumerate(GRIDS):
        failed = evaluation.failed[0, k] > 0
        try:
            with np.errstate(all="ignore"):
                expected = as_python(source, "solve", [list(row) for row in grid])
        except (ValueError, IndexError, TypeError, KeyError, NameError):
            assert may_fail or failed
            continue
        if not may_fail or not failed:
            assert_same(evaluation.output(0, k), expected)


@pytest.mark.parametrize("expressions", re.sub("\n +", " ", READ.strip()).split("\n"))
def test_an_expression_means_what_it_means_in_numpy(expressions):
    assert_as_numpy(source_of(f"return ({expressions},)"))


@pytest.mark.parametrize("lines", re.split(r"\n(?!f\()", SHORTER.strip()))
def test_a_grid_whose_rows_have_several_lengths_is_no_array(lines):
    source = source_of(f"{lines}\nreturn np.array(I)", "import numpy as np\ndef solve(I):\n")
    (program,) = mb.parse(source, strict=True)
    assert mb.evaluate([program], [(((1, 2, 3), (5, 6, 7), (9, 1, 2)), None)]).failed[0, 0]


@pytest.mark.parametrize("kind", sections(CHANGED))
def test_a_change_of_an_array_is_what_it_is_in_numpy(kind):
    assert_as_numpy(source_of(sections(CHANGED)[kind], HEAD.replace("a[0]", "a[0].copy()")))


VIEWED = [f"x = {x}\n{change}" for k, x in enumerate(VIEWS) for change in SEEN[k % 2 :: 2]]


@pytest.mark.parametrize("lines", [*VIEWED, *SHARED.strip().split("\n\n")])
def test_a_change_that_a_view_would_show_is_seen_or_refused(lines):
    source = source_of(lines if "\nreturn" in lines else f"{lines}\nreturn a, b, v, x")
    assert_as_numpy(source, may_be_refused=True)


USED = [f"x = {x}\nreturn {use}" for k, x in enumerate(OF_SOME_KIND) for use in USES[k % 2 :: 2]]
OF_ELEMENTS = ("x[0] + x[0]", "x[0] * 2", "~x[0]", "~np.array(x)")
USED += [
    f"{held}\n{put.format(value)}\nreturn {use}"
    for (held, put), value, use in zip(
        product(HELD, PUT), cycle(("a[0]", "m[0]", "5")), cycle(OF_ELEMENTS), strict=False)
]  # fmt: skip


@pytest.mark.parametrize("lines", [*USED, *CONFUSED.strip().split("\n\n")])
def test_what_looks_like_an_array_or_a_number_is_read_as_it_is_or_refused(lines):
    assert_as_numpy(source_of(lines), may_fail=True, may_be_refused=True)


@pytest.mark.parametrize(
    ("lines", "value"), zip(WITHIN, cycle(["5", "m[0, 0]", "a[0]"]), strict=False)
)
def test_a_list_holds_what_it_gets_by_another_name(lines, value):
    for use in ("x[0][0] + x[0][0]", "~x[0][0]"):
        source = source_of(lines.replace("V", value) + f"\nreturn {use}")
        assert_as_numpy(source, may_be_refused=True)


@pytest.mark.parametrize(
    "lines", ["b = grid + grid\n    grid = np.array(b)", "k = grid == grid[::-1]"]
)
def test_a_list_that_becomes_an_array_is_a_list_before(lines):
    source = f"import numpy as np\ndef solve(grid):\n    {lines}\n    return np.array(grid)\n"
    if not mb.parse(source).errors:
        assert_as_python(source, [list(row) for row in GRIDS[0]])


OF_ARRAYS = """
## its shape
h, w = grid.shape
return grid * 2, grid[0] == grid[-1], np.sum(grid), h
## an element
x = grid[0, 0]
return grid * x
## a mask
out = grid.copy()
out[grid == 1] = 7
out[grid == 0] = 8
return out
## masks in a call
return np.where(grid > 1, 1, 0), (grid != 2).any()
## a function
def shape(k, of=None, side=COLOR.RED, sides=[1], more=SIDE):
    return of.shape, side, sides, more
return grid[:1] + 1, shape(2, of=grid), COLOR.RED
## a copy
out = copy.deepcopy(grid)
out[0, 0] = 5
return out
## an operator
return 3 * (grid % 2), ~(grid == 0)
"""


@pytest.mark.parametrize("use", sections(OF_ARRAYS))
def test_a_grid_that_is_used_as_an_array_is_one(use):
    head = "import copy\nimport numpy as np\nSIDE = 4\nclass COLOR:\n    RED = 2\n"
    head += "def solve(grid):\n"
    source = source_of(sections(OF_ARRAYS)[use], head)
    (program,) = mb.parse(source, strict=True)
    for grid in GRIDS:
        assert_same(as_program(program, grid), as_python(source, "solve", np.array(grid)))


def test_an_array_of_numbers_holds_no_boolean_and_one_of_booleans_no_number():
    lines = "z[0, 0] = True\nz[-1] = a[-1] == 1\nreturn z, np.kron(m, m), np.zeros_like(m)"
    (program,) = mb.parse(source_of(lines), strict=True)
    for array, kind in zip(as_program(program, GRIDS[0]), (int, bool, bool), strict=True):
        assert {type(number) for row in array for number in row} == {kind}


@pytest.mark.parametrize(
    ("reason", "expression"), [(reason, one) for reason in REFUSED for one in REFUSED[reason]]
)
def test_what_is_not_read_is_refused_with_a_reason(reason, expression):
    (error,) = mb.parse(source_of(f"return {expression}")).errors
    assert error.line == 10 and re.match(reason, error.message)


def test_a_change_of_a_view_is_refused_with_advice():
    (error,) = mb.parse(source_of("b = a[1:]\nb[0, 0] = 3\nreturn a")).errors
    assert error.message.endswith("or change a copy, such as b = b.copy()")


@pytest.mark.parametrize("line", ["x = (x, x)", "x.append([(x, x)])", "x = {0: x, 1: [x, x]}"])
def test_what_holds_itself_again_and_again_is_soon_read_or_refused(line):
    lines = "\n".join(["x = [a[0, 0]]", *[f"if x[0] == {k}:\n    {line}" for k in range(30)]])
    mb.parse(source_of(f"{lines}\nreturn a"))


NO_ARRAYS = """import numpy as np
from numpy import ndarray
EXAMPLE = np.array([[1, 2]])
def half(n): return n / 2
def rows_of(grid):
    if isinstance(grid, np.ndarray):
        return grid.tolist()
    elif not isinstance(grid, (np.ndarray, ndarray)) and isinstance(grid, (list, tuple)):
        return [list(row) for row in grid]
    return 5
def size_of(grid):
    return len(grid) if isinstance(grid, ndarray) or grid else 5
def number(x):
    return x if isinstance(x, (int, np.integer)) else len(x)
def solve(grid):
    rows = rows_of(grid)
    kinds = [1 if isinstance(r, list) else 0 for r in [(1,)]]
    return rows, size_of(grid), sum(map(number, [3, (1, 2)])), kinds
def solve_array(grid):
    return rows_of(np.array(grid)), half(3)
"""


def test_a_function_that_only_asks_for_arrays_is_plain():
    programs = mb.parse(NO_ARRAYS, strict=True)
    for program in programs:
        value = as_python(NO_ARRAYS, program.name, [list(row) for row in GRIDS[0]])
        assert_same(as_program(program, GRIDS[0]), value)


MODULE = """import numpy as np
SIDE, COLORS = 2, np.array([1, 2])
def crop(g, k):
    return g[:k]
flipped = lambda g: np.fliplr(g)
def transform(grid):
    a = np.array(grid)
    return crop(a, SIDE) + COLORS[0]
def solve(grid: np.ndarray):
    return flipped(transform(grid.tolist())), crop(grid[0], 1)
def solve_wrong(grid):
    return crop(np.array(grid), 1), np.linalg.norm(grid)
def solve_plain(I):
    return vmirror(I)
def ping(grid):
    return pong(np.array(grid))
def pong(grid):
    return ping(np.array(grid))
print(solve(np.zeros((2, 2))))
"""


def test_each_program_of_a_source_is_read_or_refused_by_itself():
    programs = mb.parse(MODULE)
    assert [program.name for program in programs] == ["transform", "solve", "solve_plain"]
    assert [(error.name, error.line) for error in programs.errors] == [
        ("solve_wrong", 12), ("pong", 16), ("ping", 18),
    ]  # fmt: skip
    for program in programs[:2]:
        given = np.array(GRIDS[0]) if program.name == "solve" else GRIDS[0]
        source = MODULE.replace("print(solve(np.zeros((2, 2))))", "")
        assert_same(as_program(program, GRIDS[0]), as_python(source, program.name, given))


@pytest.mark.parametrize("count", [30, 3000])
@pytest.mark.parametrize("deep", [
    lambda n: "if n == 0:\n    return v\n" + "elif n == w:\n    return a[1:]\n" * n,
    lambda n: f"a = a + ({'(1 + ' * n}0{')' * n})\n",
])  # fmt: skip
def test_what_is_nested_deeply_is_read_or_refused(count, deep):
    programs = mb.parse(source_of(f"{deep(count)}return a"))
    assert len(programs) == (count == 30) and len(programs.errors) == (count > 30)


def test_an_attribute_is_of_an_array_or_of_an_object():
    assert_as_python("""\
from typing import NamedTuple
import numpy as np
class Part:
    def __init__(self, cells, color):
        self.cells, self.color, self.ndim, self.turned = cells, color, 7, np.rot90
    @property
    def size(self):
        return self.cells.size + self.color
class Box(NamedTuple):
    shape: tuple
    flat: bool
def solve(grid):
    a = np.array(grid)
    parts = [Part(a[:2], 3), Part(a, 5)]
    box = max([Box(a.shape, True), Box((1, 1), False)], key=lambda one: one.shape)
    largest = max(parts, key=lambda part: part.size)
    sizes = largest.size, a.size, largest.ndim, a.ndim, box.shape, a[0].shape
    return sizes, largest.turned(a), box.flat, sum(a.flat)
""")


def test_functions_take_any_number_of_arrays_and_make_records_of_starred_arguments():
    assert_as_python("""\
from dataclasses import dataclass
import numpy as np
@dataclass
class Part:
    mask: np.ndarray
    color: int = 0
def overlaid(base, *layers, clear=0):
    for layer in layers:
        base = np.where(layer != clear, layer, base)
    return base
def solve(grid):
    a = np.array(grid)
    parts = [Part(*pair) for pair in [(a == c, int(c)) for c in np.unique(a)]]
    layers = [np.where(part.mask, part.color, 0) for part in parts]
    return overlaid(a[:1], *[layer[-1:] for layer in layers]), overlaid(a, a[::-1], a + 1, clear=1)
""")


def test_a_grid_that_is_used_as_a_list_is_one():
    text = "import numpy as np\ndef solve(grid):\n    return grid[0] == grid[1], np.sum(grid)\n"
    assert_as_python(text)


LOADED = "1L 1i 1l 1m 1n 1s 2M 2X 2i 2ii 2il 2im 2is 2l 2li 2ll 2ls 2m 2mi 2ms 2s 2si 2sl".split()
LOADED += ["2sm", "2ss", "1sn", "1ns"]
LOADED += "3i 3ii 3iii 3s 3sss 3is 3iis 3isi 3iss 3si 3sii 3ssi 4i 4ii 4iiii".split()
STORED = "1i0 1l0 1l1 1m0 1s0 1s1 2M0 2M1 2i0 2i1 2ii0 2il0 2im0 2is0 2is1 2l0 2li0 2ll0".split()
STORED += "1m1 2X0 2X2 2il1 2im1 2l1 2l2 2li1 2m1 2sl2".split()
STORED += "3iii0 3i0 3i2 3s3 3ii0 3ii1".split()
STORED += "2ls1 2ls2 2ms2 2m2".split()
STORED += "2ll1 2ls0 2m0 2mi0 2ms0 2s0 2s1 2s2 2si0 2si1 2sl0 2sm0 2ss0 2ss1 2ss2".split()
"""Ranks of arrays, what indices of them are, and the ranks of what is assigned to these places."""
OF_HIGHER_RANKS = """\
c, e = np.stack([a, b, a + 1]), np.zeros((3, h, w), dtype=int)
d = np.lib.stride_tricks.sliding_window_view(np.pad(a, 1), (3, 3))
"""
INDICES = {
    "i": ["0", "-1", "h - 1"], "s": [":", "1:", ":-1", "::-1", "::2", "5:", "0:h - 1"],
    "l": ["[0, -1]", "p[:, 0]"], "m": ["a[:, 0] > 0", "v > 0"], "M": ["m"],
    "n": ["None"], "L": ["a % w"],
    "X": ["np.ix_([0, -1], p[:, 0] * 0)", "np.ix_(a[:, 0] > 0, v > 0)"],
}  # fmt: skip


def indices_of(rank, code):
    """Return texts of an index of an array, or of a list of its length.

    There are two lists of them: those that may fail alone, as they take no rows, or pair two lists
    of which one has length 1; and the others.
    """
    found = [], []
    for parts in product(*(INDICES[part] for part in code)):
        axes = ["a[:, 0] > 0", "v > 0"][max(2 - rank, 0) :]
        if all(part == axis for part, axis in zip(parts, axes, strict=False) if ">" in part):
            is_empty = rank > 2 and parts[0] == "0:h - 1"
            may_fail = "5:" in parts or code == "ll" or is_empty
            if "5:" not in parts or {*parts} <= {"5:", ":", "0"}:
                found[not may_fail].append(", ".join(parts))
    return found


@pytest.mark.parametrize(("rank", "code"), [(int(place[0]), place[1:]) for place in LOADED])
def test_each_index_means_what_it_means_in_numpy(rank, code):
    assert len(LOADS) == len(LOADED)
    alone, together = indices_of(rank, code)
    for indices in filter(None, [*([index] for index in alone), together]):
        parts = ", ".join(f"{'_vacd'[rank]}[{index}]" for index in indices)
        lines = f"{OF_HIGHER_RANKS}return ({parts},)"
        assert_as_numpy(source_of(lines), may_fail=indices is not together)


@pytest.mark.parametrize(
    ("rank", "code", "of"), [(int(place[0]), place[1:-1], int(place[-1])) for place in STORED]
)
def test_each_change_means_what_it_means_in_numpy(rank, code, of):
    assert len(STORES) == len(STORED)
    whole, (alone, together) = LOADS[rank, code][1], indices_of(rank, code)
    for indices in filter(None, [*([index] for index in alone), together]):
        lines = []
        for k, index in enumerate(indices):
            value = f"{'_vbc'[rank]}[{index}]" + "[0]" * (whole - of) if of else "7"
            lines += [f"x{k} = {'_vze'[rank]}.copy()", f"x{k}[{index}] = {value}"]
        returned = ", ".join(f"x{k}" for k in range(len(indices)))
        source = source_of(
            OF_HIGHER_RANKS + "\n".join([*lines, f"return {returned}, z, a, v, e"])
        )
        assert_as_numpy(source, may_fail=indices is not together)


@given(array_sources())
def test_a_drawn_program_means_what_it_means_in_numpy(source):
    assume(not mb.parse(source).errors)
    assert_as_numpy(source, may_fail=True)
