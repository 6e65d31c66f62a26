"""The compiler warns of exactly the operations whose types make a failure certain."""

from itertools import product

import pytest

from megabatt.codegen.language import load_language
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import own_programs
from megabatt.runtime.megabatch.trace import trace
from tests.codegen.helpers import checked
from tests.megabatch.commands import compiled, megabatt

ARC = load_language("megabatt.runtime.arc")


def warnings(*lines):
    source = "\n    ".join(["def solve_x(I):", *lines, "return x1"])
    found = []
    _, errors = checked(source, ARC, "lists.py", found.append)
    assert not errors
    return [str(warning._replace(name="")) for warning in found]


def test_an_argument_of_another_type_is_named_with_its_place():
    assert warnings("x1 = add(I, vmirror)") == [
        "lists.py:2:10: warning: add always fails: its `b` must be a Numerical; `vmirror` is not"
    ]
    for word in ("3", "THREE"):
        assert warnings(f"x1 = shift(I, {word})") == [
            "lists.py:2:10: warning: shift always fails: its `directions` must be an IntegerTuple; "
            f"`{word}` is not"
        ]
    assert warnings("x0 = size(I)", "x1 = vmirror(x0)") == [
        "lists.py:3:10: warning: vmirror always fails: its `piece` must be a Piece; `size` "
        "gives an Integer"
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["x1 = add(I, ONE)"],  # an input has no declared type
        ["x0 = objects(I, T, F, T)", "x1 = vmirror(x0)"],  # there may be no object
        ["x0 = first(I)", "x1 = add(x0, TWO)"],  # anything may be an element
        ["x0 = lbind(add, ONE)", "x1 = x0(vmirror)"],  # a computed function
        ["x0 = T", "x1 = canvas(x0, UNITY)"],  # a Boolean may stand for an Integer
    ],
)
def test_operations_that_may_succeed_get_no_warning(lines):
    assert warnings(*lines) == []


def test_a_type_has_its_own_default():
    for primitive in LANGUAGE.primitives.values():
        primitive.result.check(primitive.result.default)


def test_operations_that_are_warned_of_fail_on_every_sample(tmp_path):
    """A primitive that takes a type on a result of a type, for any two: it fails if warned of."""
    unary = [p for p in LANGUAGE.primitives.values() if p.arity == 1]
    makers = {p.result: p.name for p in unary if not warnings(f"x1 = {p.name}(I)")}
    takers = {p.types[0]: p.name for p in unary}
    lines = [f"def solve_{k}(I): return {taker}({maker}(I))"
             for k, (maker, taker) in enumerate(product(makers.values(), takers.values()))]
    _, errors = checked("\n".join(lines), ARC, "lists.py", (found := []).append)
    lines = [lines[int(str(warning).split(":")[1]) - 1] for warning in found]
    assert not errors and len(set(lines)) == len(lines) > 50
    folder = str(compiled(tmp_path, "\n".join(lines)))
    settings = Settings(WORKLOAD, folder)
    samples = samples_of(load("arcagi", "training").tasks)[::500]
    for forms in own_programs(folder).values():
        reasons = {trace(settings, forms, sample)[-1].reason for sample in samples}
        assert reasons == {Reason.TYPE}


def test_warnings_are_printed_and_the_programs_compiled(tmp_path):
    path = tmp_path / "lists.py"
    path.write_text("def solve_x(I):\n    return add(I, vmirror)\n")
    done = megabatt("compile", path, "--out", tmp_path / "batt")
    assert done.returncode == 0 and (tmp_path / "batt" / "batt.py").is_file()
    assert f"{path}:2:12: solve_x: warning: add always fails" in done.stderr
