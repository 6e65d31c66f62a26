"""Programs' own functions in generated code."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.draws import DRAWS
from megabatt.runtime.engine import BatchInputs
from megabatt.runtime.engine.language.values import identical, show
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.merging import merge
from megabatt.runtime.program import Lambda, as_json, program
from tests.codegen.helpers import assert_formatted, generate, load
from tests.examples import examples
from tests.python.scalar import scalar

SAMPLES = WORKLOAD.given([([[1, 0, 2], [0, 0, 2]], [[2, 0, 1]]), ([[0, 1], [3, 4]], None)])
INPUTS = {name: [getattr(sample, name) for sample in SAMPLES] for name in LANGUAGE.inputs}


def rendered(programs):
    return generate(programs, LANGUAGE, "megabatt.runtime.arc")


@settings(max_examples=examples(20))
@given(st.integers(0, 10**6))
def test_solvers_compute_merged_and_alone_in_both_forms_what_the_scalar_form_gives(number):
    long, other = (program_of(DRAWS, 8, number + k, operations=12) for k in range(2))
    begun = long._replace(operations=long.operations[:6], returns=long.operations[5][0])
    programs = [one._replace(name=f"solve_{k}") for k, one in enumerate([long, other, begun])]
    merged, alone = map(load, map(rendered(programs).get, ("batt.py", "solvers.py")))
    in_batches = merged.batt_vectorized(BatchInputs(len(SAMPLES), INPUTS), 2000).decode()
    for sample, found in zip(SAMPLES, in_batches, strict=True):
        given = sample.key, sample.S, sample.I, sample.C, None, 2000
        assert merged.batt(*given) == found
        for one in programs:
            expected = scalar(one, sample, 2000)
            sequential, vectorized, count = alone.SOLVERS[one.name]
            outputs, failed = sequential(*given)
            assert identical((found[0][one.name], outputs[one.name]), (expected.output,) * 2)
            # The forms also list what fails on the side of a choice that is not taken.
            chooses = any(operation[1] == "if_else" for operation in one.operations)
            assert len(failed) == expected.failed or (chooses and len(failed) > expected.failed)
            assert all(1 <= k <= count for k in failed)
            batch = vectorized(BatchInputs(len(SAMPLES), INPUTS), 2000).decode()
            assert batch[SAMPLES.index(sample)] == (outputs, failed)


INNER = Lambda(("c",), ("o",), (("k", "color", "o"), ("same", "equality", "k", "c")), "same")
OUTER = Lambda((), ("objs",), (("f", INNER, "TWO"), ("some", "sfilter", "objs", "f")), "some")


def test_equal_functions_are_one_constant_and_inner_functions_come_first():
    rows = ("dead", "first", "x"), ("p", INNER, "TWO"), ("q", "sfilter", "x", "p")
    alike = Lambda((), ("x",), rows, "q")
    programs = [
        program(name, [("x", "objects", "I", "T", "F", "T"), ("O", function, "x")])
        for name, function in (("one", OUTER), ("other", alike))
    ]
    text = rendered(programs)["batt.py"]
    assert text.count("= closure(") == 2 and '("x1", CLOSURE_1, "TWO")' in text
    assert text.index("CLOSURE_1 =") < text.index("CLOSURE_2 =")
    assert rendered(programs) == rendered(programs)


def test_the_constants_are_laid_out_as_ruff_does(tmp_path):
    programs = [program("one", [("x", "objects", "I", "T", "F", "T"), ("O", OUTER, "x")])]
    assert_formatted(rendered(programs), tmp_path)


@settings(max_examples=examples(60))
@given(st.integers(0, 10**6))
def test_programs_with_functions_are_read_as_they_are_written(number):
    """A function may then capture in another order, and only values in use: fewer may fail."""
    made = program_of(DRAWS, 9, number, operations=12)
    again = mb.parse(made.source(LANGUAGE.inputs))
    assert again.errors == []
    found = mb.evaluate([made, *again], SAMPLES, outputs="all", max_elements=2000)
    for k in range(len(SAMPLES)):
        one, other = (show(found.output(place, k)) for place in range(2))
        failed, other_failed = found.failed[:, k]
        assert failed >= other_failed
        assert one == other or "lambda" in one or failed > other_failed


def test_json_lines_have_functions_as_objects(tmp_path):
    made = program("one", [("x", "objects", "I", "T", "F", "T"), ("O", OUTER, "x")])
    rows = [list(map(as_json, row)) for row in made.operations]
    path = tmp_path / "programs.jsonl"
    lines = [{"name": "one", "operations": rows, "returns": "O"}]
    lines.append({"name": "two", "operations": [["O", {"captured": ["1"]}, "I"]], "returns": "O"})
    path.write_text("\n".join(map(json.dumps, lines)))
    programs = mb.read(path)
    assert merge(programs) == merge([made])
    (error,) = programs.errors
    assert error.line == 2 and "a function has captured, parameters" in error.message
