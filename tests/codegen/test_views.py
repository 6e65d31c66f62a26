"""Parts of arrays under names, and arrays in dictionaries, mean what they mean in NumPy."""

import pytest

from tests.codegen.meaning import assert_as_python, assert_same_or_refused, sections
from tests.codegen.test_reading import GRIDS

READ = """
## a part that is changed by what is computed from it
view, other = out[-1:], out[:1].copy()
out[-1:] = np.where(other > 0, view, 7)
for k in range(2):
    part = out[k : k + 1, 1:]
    out[k : k + 1, 1:] = np.where(part > 3, np.maximum(part, k), part)
return out, other
## a part that changes in several ways
n = len(out)
inner = out[0:n, 1:]
inner[inner == 0] = 4
n = 0
inner[:1, :1] = 8
inner += 1
return out, inner, inner.shape, n
## parts in loops, which read what other parts have changed
k = 0
for r in range(len(out) - 1):
    for c in range(out.shape[1] - 1):
        block = out[r:r + 2, c:c + 2]
        if (block == 0).any():
            block[block == 0] = 7 + k
            k += 1
            block[0, 0] += 1
return out
## several parts that have one name, one after the other
for k in range(2):
    part = out[-k]
    part[part > 3] = 7 + k
    part = out[:, -k]
    part += 1
for k in range(2):
    if k:
        part = out[:1].copy()
        part[0] = 5
    else:
        part = out[-1:]
        part[0, 0] = 9
return out
## parts without names, and views beside views
mask = out == 0
out[:, :1][mask[:, :1]] = 5
out[:, ::-1][0, 0] += 3
out[:1][:, :1] = out.max()
low, first = out[-1:], mask[:1, :1]
low[low > 3] = 2
first[:] = True
return out, mask, low
## dictionaries with arrays, as records that grow
found = []
for v in (0, 1):
    one = {"mask": out == v, "n": v + 1, "at": (v, 2)}
    one["cells"] = []
    for p in np.argwhere(one["mask"]):
        one["cells"].append(tuple(p))
    found.append(one)
found[0]["best"] = 4
for one in sorted(found, key=lambda one: -one["n"]):
    one["color"] = one["n"] + one["at"][1]
    out[one["mask"]] = one["color"]
    for p in one["cells"]:
        out[p] += 1
steps = {"up": (-1, 0), "down": (1, 0)}
total = 0
for name, (i, j) in steps.items():
    total += 2 * i + j + steps[name][0]
pair = {"a": out, "b": out + 1}
return out, [one["n"] for one in found], found[0]["best"], total, sum(
    v.sum() for v in pair.values()), pair["a"] + pair["b"]
## a record of which a field bounds a loop
d = {"n": len(out), "a": out.copy()}
for i in range(d["n"]):
    d["a"][i, 0] = 5
return d["a"], out
## loops over functions
best, most, n = out, -1, 2
for k in range(4):
    for turned in (lambda a: a, np.fliplr, lambda a: a * n):
        made = turned(np.rot90(out, k))
        if made.shape != out.shape:
            continue
        same = int((made == out).sum())
        if same > most and k:
            best, most = made, same
    n += 1
turns = [np.fliplr, np.transpose]
for turn in turns:
    best = turn(best)
return best, most, n
## columns that change places, and do not
out[:, 0], out[:, -1] = out[:, -1], out[:, 0]
return out
## a part of an array that its own name changes meanwhile
part = out[:, ::-1]
out[0, 0] = 9
part[0] = part[0] + 1
return out, part
## parts that a test or a change reads last
for c in range(out.shape[1]):
    column = out[:, c]
    if (column[1:] == 2).any():
        out[1:, c] = 7
row = out[:1]
if out[0, 0]:
    out[-1:] = row[:, ::-1]
elif (row == 2).any():
    out[0, 0] = row[0, 0] + 3
else:
    out[0, -1] = 8
return out
"""

TRAPS = """
## a part whose name gets what is computed from it, or another part that some rounds do not reach
part = out[0]
part[0] = 8
part = part + 1
part[0] = 7
for k in range(2):
    line = out[k]
    if k:
        line = out[0]
        line[1] = 4
    line[0] = 3
return out, part, line
## a part that has its name from an earlier round
for k in range(2):
    if k:
        part[0] = 3
    part = out[k]
    part[1] = 4
return out
## a part that is read in a later round, or by what is computed late
for k in range(2):
    if k:
        out[0, 0] = part[0] + 1
    part = out[0]
    if part[0] < 9:
        out[0, 0] = 3
for v in (part[k] for k in (0, 1)):
    out[0, 1] = v + 1
return out
## an array that a function changes which is defined after its part has a name
part = out[:, :]
def place(a):
    a[-1, -1] = 9
    return 0
part[place(out), 0] = 3
return out
## an array that gets another value
part = out[0:1]
part[0, 0] += 1
before = part.copy()
out = out.copy()
part[0, 0] = 3
return out, before, part
## a part that gets another value
part = out[0:1]
part[0, 0] = 3
part = part + 1
part[0, 0] = 7
return out, part
## an array that a function gives another value
def put():
    nonlocal out
    out = out + 1
part = out[:1]
put()
part[0, 0] = 9
return out, part
## a part that a function names for another one
def name():
    nonlocal part
    part = out[:1]
    part[0, 0] = 9
part = 0
name()
return out, part
## a slice of a list, which is a copy
rows = [[1, 2, 3], [4, 5, 6]]
part = rows[0:1]
part[0] = [9]
return rows, part
## a part of an array that the value changes too
def put(a):
    a[-1, -1] = 9
    return 4
out[1:][0] = put(out)
return out
## a part with a name, of an array that the value changes too
def put():
    out[-1, -1] = 9
    return 4
part = out[:, :]
part[0, 0] = put()
return out
## a part with a name, of which a function gives the place and changes the array
def place(a):
    a[-1, -1] = 9
    return 0
part = out[:, :]
part[place(out), 0] = 3
return out
## a column and a sum that are assigned together
out[:, 0], n = out[:, -1], out.sum()
return out, n
## a column whose place changes
out[0, 0], out[:, 0] = 1, out[:, out[0, 0] % 2]
return out
## a part of a part
part = out[:2]
inner = part[:, :1]
inner[:] = 5
part[0, -1] = 6
return out
## dictionaries with arrays that get other keys, and other values by another name
d = {"a": 1, "c": [1]}
other = d
other["c"] = out[0]
key = "b"
d[key] = out[0]
return d["c"] + d["c"], d["a"] + 1
## a dictionary with an array that is one of two
d = {"a": out[0]} if len(out) > 9 else {"a": [1, 2]}
return d["a"] + d["a"]
## functions of a loop that are read elsewhere, and bound anew
for f in (np.fliplr, np.flipud):
    out = f(out)
last = f
for h in (np.fliplr, np.flipud):
    out = h(out)
    h = 3
return out
## a list of functions that another name changes
turns = [np.fliplr, np.flipud]
other = turns
other.append(np.transpose)
for turn in turns:
    out = turn(out)
return out
## functions whose results are the array, a part of it or None's
turns = [lambda x: x, np.fliplr, None]
part = turns[len(I) % 2](out)
part[0, 0] = 6
return out, part, turns[2](out)
"""

HEAD = "import numpy as np\ndef solve(I):\n    out = np.array(I)\n    "


def source_of(lines):
    return HEAD + "\n    ".join(lines.rstrip().split("\n"))


@pytest.mark.parametrize("lines", sections(READ).values(), ids=sections(READ))
def test_a_change_of_a_part_changes_the_array(lines):
    assert_as_python(source_of(lines), *GRIDS)


@pytest.mark.parametrize("lines", sections(TRAPS).values(), ids=sections(TRAPS))
def test_a_part_means_what_numpy_means_or_is_refused(lines):
    assert_same_or_refused(source_of(lines))
