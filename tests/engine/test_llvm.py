"""A routine's translation gives Python's results."""

import ctypes
import linecache
from itertools import count, product

import pytest

from megabatt.runtime.engine.machine import cpp, llvm
from megabatt.runtime.engine.machine.functions import Routine
from megabatt.runtime.engine.machine.layout import WRONG, WRONG_TYPE, is_node, required
from megabatt.runtime.engine.machine.llvm import address_of, loaded, translate
from megabatt.runtime.engine.machine.syntax import Untranslatable

NUMBERS = [-(2**31), -17, -8, -2, -1, 1, 2, 5, 8, 2**31 - 1]
_CALLED = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * 5)
_names = count()


def function(body):
    """Make a function (heap, a, b) from the lines of its body."""
    name = f"made_{next(_names)}"
    source = f"def {name}(heap, a, b):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    path = f"<{name}>"
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    scope = {"required": required, "is_node": is_node, "__name__": __name__}
    exec(compile(source, path, "exec"), scope)
    return scope[name]


def computed(made, heap, a, b):
    """Call a function's translation on a heap, an array of ctypes."""
    return _CALLED(address_of(made))(ctypes.addressof(heap), a, b, 0, 0, 0)


@pytest.mark.parametrize(
    "body",
    [
        "return a // b", "return a % b", "return a // 8 + a % 8", "return -a + ~b",
        "return a * b - (a & 255) + (b | 3) - (a ^ b)", "return (a >> 3) + (b << 2) + 2**5",
        "return min(a, b, 3) - max(a, b) + abs(a)", "return a < b",
        "return -9 < a <= b", "return a == 1 or b", "return a > 0 and b",
        "return 3 if not (a < 0 and b < 0) or a == b else 4",
        "return (1 if b > 0 else 2) if a > 0 else 3", "a, b = b, a\nreturn 2 * a - b",
        "if a > b:\n    return 1\nelif a == b:\n    b += 2\nelse:\n    a -= 1\nreturn a + b",
        "n = 0\nfor k in range(9):\n    if k == 3:\n        continue\n    if k == 7:\n"
        "        break\n    n += k\nreturn n",
        "n = 0\nfor k in range(9, -3, -2):\n    n = 3 * n + k\nreturn n",
        "n = 0\nfor k in range(2, a):\n    if k > 50:\n        return n\n    n += k\nreturn n",
        "n = 0\nfor k in range(5):\n    k *= 2\n    n += k\nreturn n",
        "n = 0\nwhile n < 50 and (n < a or n < b):\n    n += 1\n    if n == 9:\n        break\n"
        "return n",
        "heap[3] = a\nheap[4] = heap[3] + b\nheap[3] += 1\nreturn heap[3] * 2 + heap[4]",
    ],
)  # fmt: skip
def test_translations_compute_what_python_computes(body):
    plain = function(body)
    made = Routine(plain)
    for a, b in product(NUMBERS, NUMBERS):
        heap = (ctypes.c_int64 * 8)()
        assert computed(made, heap, a, b) == plain([0] * 8, a, b)


def test_a_wrong_word_that_is_required_is_returned_at_once():
    body = "heap[0] = required(a)\nb = required(b)\nrequired(heap[0] - b)\nreturn 7"
    made = Routine(function(body))
    for a, b in product([WRONG_TYPE, WRONG, WRONG + 1, 0, 5], repeat=2):
        heap = (ctypes.c_int64 * 8)(9)
        wrong = [word for word in (a, b, a - b) if word <= WRONG]
        assert computed(made, heap, a, b) == (wrong[0] if wrong else 7)
        assert heap[0] == (9 if a <= WRONG else a)


def test_division_by_zero_gives_zero():
    heap = (ctypes.c_int64 * 8)()
    for body in ("return a // b", "return a % b"):
        assert computed(Routine(function(body)), heap, 5, 0) == 0


@pytest.mark.parametrize(
    "body",
    [*(f"return {one}" for one in ["a / b", "a is b", "len(a)", "0.5", "unknown", "[a]",
                                    "divmod(a, b)", "is_node(a, b)", "a if b else 0.5"]),
     "try:\n    return a\nfinally:\n    pass", "for k in range(3):\n    a += 1\nelse:\n    a = 2"],
)  # fmt: skip
def test_code_unknown_to_the_machine_is_named(body):
    """Neither the CPU nor a GPU knows it."""
    made = function(body)
    for translated in (lambda: translate(Routine(made)), lambda: cpp.Translation().name(made)):
        with pytest.raises(Untranslatable, match=r">:\d+: .* is not known to the machine"):
            translated()


@pytest.mark.parametrize("now", ["return a + 3", "return a - 2", "return b + 2"])
def test_a_source_that_has_changed_since_it_was_loaded_is_not_translated(now):
    plain = function("return a + 2")
    path, name = plain.__code__.co_filename, plain.__name__
    source = f"def {name}(heap, a, b):\n    {now}\n"
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    with pytest.raises(Untranslatable, match=f"{name} has changed since it was loaded"):
        address_of(Routine(plain))


def test_code_that_checks_indexes_is_kept_apart(monkeypatch):
    own, ours = function("return heap[a]"), function("return heap[b]")
    ours.__module__ = "megabatt.made"
    symbols = []
    for checked in (False, True):
        monkeypatch.setattr(llvm, "BOUNDS_CHECKED", checked)
        symbols.append([loaded(Routine(plain)) for plain in (own, ours)])
    (kept, of_ours), (apart, again) = symbols
    assert kept != apart and of_ours == again
