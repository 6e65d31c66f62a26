"""`megabatt check`: a user's primitives are checked like ours, in a process of their own."""

from __future__ import annotations

import re
import time
from functools import partial
from math import nan
from typing import Annotated

import pytest

from megabatt.codegen.language import load_primitives
from megabatt.runtime import arc
from megabatt.runtime.arc import LANGUAGE, primitive
from megabatt.runtime.arc.types import Grid, Integer
from megabatt.runtime.core.types import Any, Container, Declared
from megabatt.runtime.engine.columns.rules import rule
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.registry import Primitive, Primitives
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.syntax import Untranslatable, must_return
from tests.engine.machine_values import tower
from tests.engine.on_columns import assert_same_on_columns
from tests.megabatch.commands import command, megabatt
from tests.toy.language import LANGUAGE as TOY

HEAD = '''
import itertools

from megabatt.arc import Any, Grid, Integer, IntegerTuple, Patch, Tuple
from megabatt.arc import charges, compiled, machine, primitive
from megabatt.language import OfResult


@primitive(charge=charges.area)
def brighter(grid: Grid) -> Grid:
    """Return the grid with every cell one more."""
    return tuple(tuple(cell + 1 for cell in row) for row in grid)
'''

COMPILED = '''

@compiled(brighter)
def brighter(heap, grid):
    height, width = machine.height_of(heap, grid), machine.width_of(heap, grid)
    out = machine.required(machine.new_table(heap, height, width))
    for k in range(machine.area_of(heap, grid)):
        cell = heap[machine.numbers_at(grid) + k] + MORE
        heap[machine.numbers_at(out) + k] = cell
    return out
'''


def check(folder, source, status, program=("-m", "megabatt"), programs=2):
    """Write my_primitives.py with a source, and check it with few programs."""
    (folder / "my_primitives.py").write_text(source)
    options = ["--programs", programs, "--samples", 3]
    return command(*program, "check", "my_primitives.py", *options, cwd=folder, status=status)


UNTRANSLATABLE = {
    "machine.heigth_of(heap, grid)": "machine has no 'heigth_of'; did you mean 'height_of'?",
    "machine.height_of(grid)": "machine.height_of takes (heap, table)",
    "len(grid)": "len(grid) is not known to the machine",
    "missing": "missing is not known to the machine",
    "[cell for cell in grid]":
        "[cell for cell in grid] is not known to the machine: `begin_node` makes containers",
    "1 + machine.required(grid)": "write machine.required(word), of one word, alone or as "
        "`name = machine.required(word)`",
    "1\n    del out": "del out is not known to the machine",
    "check(grid)":
        "is not known to the machine: a function of your own needs `@machine_function` above it",
}  # fmt: skip


def test_forms_that_cannot_be_compiled_are_named_with_their_lines_before_any_program_runs(tmp_path):
    head, scalar = HEAD.split("@primitive")
    (tmp_path / "scalar_forms.py").write_text(head + "".join(
        f"@primitive{scalar.replace('brighter', f'made_{k}')}" for k in range(len(UNTRANSLATABLE))
    ))  # fmt: skip
    source = "from megabatt.arc import compiled, machine\nfrom scalar_forms import *\n" + "".join(
        f"\n\n@compiled(made_{k})\ndef made_{k}(heap, grid):\n    out = {text}\n    return out\n"
        for k, text in enumerate(UNTRANSLATABLE)
    ) + "\n\ndef check(grid):\n    return grid\n"  # fmt: skip
    done = check(tmp_path, source, status=1)
    assert not done.stderr
    *lines, last = done.stdout.splitlines()
    for k, (line, (text, said)) in enumerate(zip(lines, UNTRANSLATABLE.items(), strict=True)):
        place, _, mistake = line.partition(f": made_{k}: ")
        file, number = place.split(":")
        assert file == "my_primitives.py" and mistake.endswith(said)
        assert text.splitlines()[-1].strip() in source.splitlines()[int(number) - 1]
    assert last == f"checked {len(lines)} primitives: {len(lines)} wrong"
    options = ["--primitives", "my_primitives", "--programs", 1]
    done = command("-m", "megabatt", "fuzz", *options, cwd=tmp_path, status=2)
    assert "machine has no 'heigth_of'" in done.stderr


def test_a_primitive_with_a_compiled_form_gives_no_integer_out_of_range_either():
    one = Primitive(doubled)
    one.declare_compiled(LANGUAGE.primitives["double"].compiled)
    with LANGUAGE.in_use(), pytest.raises(LimitError, match="an Integer out of range"):
        one.function(2**30)


NEW = time.time_ns() % 2**30
"""A number in code that is not kept on disk yet."""
LOOP = COMPILED.replace(
    "        cell =", f"        while k >= 0:\n            k = k + {NEW} - {NEW}\n        cell ="
)
OUT_OF_BOUNDS = COMPILED.replace("k in range(", "k in range(1 + ")
IMPATIENT = """
from megabatt.command_line import check
from megabatt.command_line.main import main

check._SILENT, check._BETWEEN_LINES = 7, 3
main()
"""


@pytest.mark.parametrize(
    "form, said",
    [
        (COMPILED.replace("MORE", "2"), "left to the scalar form, 2 differ"),
        (LOOP, "the compiled form of brighter does not end; in brighter(("),
        (OUT_OF_BOUNDS, "an index lies beyond the allocated room, in brighter(("),
    ],
)
def test_wrong_hanging_and_crashing_compiled_forms_are_named_with_the_call(tmp_path, form, said):
    program = ("-c", IMPATIENT) if form is LOOP else ("-m", "megabatt")
    done = check(tmp_path, HEAD + form.replace("MORE", "1"), 1, program)
    assert "comparing both forms" in done.stderr and said in done.stdout + done.stderr
    assert done.stdout.count("the forms differ") <= 1
    silent = "brighter makes no progress for 6 s; given up after 7"
    assert (silent in done.stderr) is (form is LOOP)
    assert form is not LOOP or " 1 function compiled, 0 of " in done.stderr
    assert done.stdout.splitlines()[-1] == "checked 1 primitive: 1 wrong"


RIGHT = """

@primitive
def twice(row: Tuple) -> Tuple:
    return row + row


@primitive
def beside_one(n: Integer) -> IntegerTuple:
    return n, 1


@primitive(charge=lambda n: max(n, 0))
def wide(n: Integer) -> Tuple:
    return tuple(range(n))
@primitive(charge=lambda n: -3 - n * n)
def repeated(n: Integer) -> Tuple:
    return (n, n)
"""


def test_scalar_forms_alone_are_checked_without_compiling_anything(tmp_path):
    """A missing or negative charge is warned about; a call that is charged too much is not made."""
    done = check(tmp_path, HEAD + RIGHT, status=0)
    *lines, last = done.stdout.splitlines()
    assert last == "checked 5 primitives: all right"
    below_0, free = [line for line in lines if "warning" in line]
    assert free.startswith("twice: ") and "is charged nothing" in free
    assert re.match(r"repeated: warning: a charge of -\d+ counts as 0; in repeated", below_0)
    assert "compare" not in done.stdout


WRONG = {
    "without_return(grid: Grid) -> Grid:\n    grid[::-1]":
        "declared to return Grid, it returns None: a return is missing",
    "listed(grid: Grid) -> Grid:\n    return [list(row) for row in grid]":
        "declared to return Grid, it returns a list: return a tuple",
    "of_pairs(grid: Grid) -> Grid:\n    return tuple(((1, 2), 3) for row in grid)":
        "declared to return Grid, it returns a tuple whose row 0 has a tuple of 2 Integers, not",
    "of_two_lengths(n: Integer) -> Grid:\n    return ((n,), (n, n))":
        "declared to return Grid, it returns a tuple of rows of different lengths",
    "list_within(grid: Grid) -> Grid:\n    return ([0],)":
        "declared to return Grid, it returns a tuple of 1 list: no value of the language: list",
    "of_another_type(n: Integer) -> IntegerTuple:\n    return n":
        "declared to return IntegerTuple, it returns an Integer",
    "counting(n: Integer) -> Integer:\n    return next(COUNT)":
        "gives different results for the same arguments",
    "nameless(n: Integer) -> Integer:\n    return nowhere": "no call succeeded on a random value",
    "huge(n: Integer) -> Integer:\n    return 2**40 + n": "no call succeeded on a random value",
    "of_patches(patch: Patch) -> Integer:\n    return 1":
        "its charge area fails with TypeError: 'frozenset' object is not subscriptable",
    "divided(n: Integer) -> Integer:\n    return n":
        "its charge <lambda> fails with ZeroDivisionError: ",
    "of_results(n: Integer) -> Integer:\n    return n":
        "its charge area fails with TypeError: object of type 'int' has no len()",
    "unless(test: Any, a: Any, b: Any) -> Any:\n    return b if test else a":
        "declared to choose, it does not return `a if test else b`",
}  # fmt: skip
CHARGES = {
    "of_patches": "charges.area", "divided": "lambda n: 1 // (n - n)",
    "of_results": "OfResult(charges.area)", "unless": "None, chooses=True",
}  # fmt: skip
"""The charges of these primitives; every other primitive charges 1."""


def test_faults_of_scalar_forms_and_charges_are_named(tmp_path):
    names = {source.partition("(")[0]: source for source in WRONG}
    form = "\n\n@primitive(charge={})\ndef {}\n".format
    forms = "".join(form(CHARGES.get(name, 1), source) for name, source in names.items())
    done = check(tmp_path, f"{HEAD}\n\nCOUNT = itertools.count()\n{forms}", status=1, programs=6)
    for name, source in names.items():
        assert f"{name}: {WRONG[source]}" in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if "counting: gives" in line]
    assert re.search("for the same arguments, [0-9]+ and [0-9]+; in counting\\(.+\\)$", line)
    assert done.stdout.splitlines()[-1] == "checked 14 primitives: 13 wrong"


def test_the_fuzzer_draws_a_user_s_primitives_too(tmp_path):
    (tmp_path / "my_primitives.py").write_text(HEAD + COMPILED.replace("MORE", "1"))
    options = ["--programs", 16, "--samples", 2, "--primitives", "my_primitives", "--workers", 1]
    done = command("-m", "megabatt", "fuzz", *options, cwd=tmp_path, status=0)
    (row,) = [line for line in done.stdout.splitlines() if "brighter" in line]
    assert int(row.split("│")[2]) > 0


def test_a_package_has_the_primitives_of_its_modules():
    assert len(load_primitives(TOY, "tests.toy")) == 11


def test_a_module_that_cannot_be_checked_is_named_with_the_wrong_line(tmp_path):
    for name in ("empty.py", "types.py"):
        (tmp_path / name).touch()
    for name, why in (("empty.py", "empty.py registers no primitive"),
                      ("types.py", "the name types is taken by a module of ")):  # fmt: skip
        assert why in megabatt("check", name, cwd=tmp_path, status=2).stderr
    source = f"{HEAD}\n\n@primitive\ndef odd(n: Integers) -> Integer:\n    return n\n"
    place = f"my_primitives.py:{HEAD.count(chr(10)) + 4}"
    unknown = f"{place}: NameError: name 'Integers' is not defined"
    assert unknown in check(tmp_path, source, status=2).stderr


# Declarations: a decorated scalar form is enough for both forms


NO_VALUES = [2**70, 2**31, 1j, 2.0**256, nan, [1, 2], (1, [2]), tower(40, 0, 1)]


@pytest.mark.parametrize("value", NO_VALUES, ids=str)
def test_a_result_that_is_no_value_of_the_language_fails_in_both_forms(value):
    @Primitives().primitive
    def odd(n: Integer) -> Any:
        return n if n > 0 else value

    assert odd(3) == 3
    with pytest.raises((TypeError, LimitError)):
        odd(0)
    assert_same_on_columns(odd, [(3,), (0,), (-1,), (5,)])


def sum_up(n: Integer, m: Integer) -> Integer:
    return n + m


def doubled(n: Integer) -> Integer:
    return 2 * n


def of_key(a: Integer, *, b: Integer) -> Integer:
    return a


def counted(container: Container) -> Integer:
    return len(container)


def pick(condition: Any, a: Any, b: Integer) -> Any: ...


def take(condition: Any, a: Any) -> Any: ...


def choose(condition: Any, a: Any, b: Any) -> Any: ...


def vmirror(grid: Grid) -> Grid:
    return grid


def seldom(heap, grid):
    if grid > 0:
        return grid
    while heap[grid] > 0:
        grid += 1


def declared(function, *forms, **options):
    """Declare a primitive, then the forms of another kind in turn."""
    made = Primitives().primitive(**options)(function)
    for second in forms:
        second(made)(lambda heap, n: n)


def of_type(hint):
    def odd(k):
        return k

    odd.__annotations__ = {"k": hint, "return": hint if "Odd" in str(hint) else Integer}
    return odd


class Odd(Declared):
    def guard(self, name, scope):
        return None


ODD = Annotated[object, Odd("Odd", "()")]
CHOOSES = {"chooses": True, "charge": None}
REFUSED = {
    "charge='area' must be a number, a measure, or a function": partial(
        declared, sum_up, charge="area"),
    "charge=2.5 must be a number, a measure, or a function": partial(declared, sum_up, charge=2.5),
    "sum_up takes (n, m), its charge <lambda> takes (n)": partial(
        declared, sum_up, charge=lambda n: n),
    "sum_up has no parameter 'container', as each= says": partial(
        declared, sum_up, each=("n", "container")),
    **{f"primitive odd: k is not annotated with a type of the language{write}\n": partial(
        declared, of_type(hint)) for hint, write in (
            (int, ": write Integer for int"), (bool, ": write Boolean for bool"),
            (tuple[int, ...], ": write Tuple for tuple"),
            (frozenset, ": write FrozenSet for frozenset"), (str, ""))},
    "primitive of_key: b: ": partial(declared, of_key),
    "there is a primitive vmirror already": partial(primitive, vmirror),
    "pick chooses": partial(declared, pick, **CHOOSES),
    "take chooses": partial(declared, take, **CHOOSES),
    "choose chooses": partial(declared, choose, chooses=True, charge=1),
    "doubled has a rule": partial(declared, doubled, rule, compiled),
    "doubled has a compiled form": partial(declared, doubled, compiled, rule),
    "no column is of Container": partial(declared, counted, rule),
    "Odd has no form on words": partial(declared, of_type(ODD), compiled),
    "of vmirror takes (heap), not (heap, piece)": lambda: compiled(arc.vmirror)(lambda heap: 0),
    "seldom: it may end without a return": lambda: must_return(seldom),
    "len is no primitive: declare its scalar form with @prim": lambda: compiled(len),
    "len is no primitive: declare its scalar form with @primitive": lambda: rule(len),
}  # fmt: skip


@pytest.mark.parametrize("said", REFUSED)
def test_a_declaration_that_is_wrong_is_refused(said):
    with pytest.raises((TypeError, ValueError, Untranslatable)) as raised:
        REFUSED[said]()
    assert said in f"{raised.value}\n"
