"""Properties of merged programs and generated code, for any operation lists."""

import ast
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from megabatt.codegen.output.emit import last_uses, operations_of
from megabatt.runtime.merging import merge
from megabatt.runtime.program import program
from tests.codegen.helpers import (
    assert_formatted,
    generate,
    load,
    operation_lists,
    programs_of,
    source,
)

some_lists = st.lists(operation_lists(), min_size=1, max_size=4)

@given(some_lists)
def test_merged_programs_have_no_equal_and_no_dead_operations(lists):
    merged = merge(programs_of(source(lists)))
    operations = operations_of(merged)
    assert len({tuple(map(str, operation[1:])) for operation in operations}) == len(operations)
    used = {word for operation in operations for word in operation[1:]}
    used.update(program.returns for program in merged)
    assert used.issuperset(operation[0] for operation in operations)
    assert merge(merged) == merged


@given(some_lists)
def test_every_variable_but_an_output_is_freed_once_and_not_used_afterwards(lists):
    merged = merge(programs_of(source(lists)))
    frees = last_uses(merged)
    freed = set()
    for operation in operations_of(merged):
        assert freed.isdisjoint(operation)
        assert freed.isdisjoint(frees[operation])
        freed.update(frees[operation])
    outputs = {program.returns for program in merged}
    assert freed == {operation[0] for operation in operations_of(merged)} - outputs


@given(some_lists)
def test_the_same_programs_give_the_same_code_whatever_their_variables_and_their_form(lists):
    text = source(lists)
    renamed = re.sub(r"\bv(?=\d)", "renamed_", text)
    lines = [
        json.dumps({"name": f"solve_{n}", "operations": ops, "returns": ops[-1][0]})
        for n, ops in enumerate(lists)
    ]
    code = generate(programs_of(text))
    assert code == generate(programs_of(renamed))
    assert code == generate(programs_of("\n".join(lines), "a.jsonl"))


def test_a_literal_and_the_constant_of_its_value_are_one_operand():
    programs = programs_of(
        "def one(A):\n    return add(A, 2)\ndef two(A):\n    return add(A, TWO)\n"
        "def three(A):\n    return add(A, 1)\ndef four(A):\n    return add(A, True)\n"
    )
    assert [operation[2:] for operation in operations_of(merge(programs))] == [
        ("A", "TWO"), ("A", "ONE"), ("A", "YES")
    ]


def test_an_integer_and_the_boolean_that_equals_it_are_two_operands():
    rows = [["a", "add", "A", 1], ["b", "add", "A", True], ["O", "pair", "a", "b"]]
    (merged,) = merge([program("p", rows)])
    assert [str(row[3]) for row in merged.operations] == ["1", "True", "x2"]


def test_nested_calls_become_operations_of_their_own():
    nested, flat = (
        merge(programs_of(f"def f(A):\n    {body}\n"))
        for body in (
            "return add(negate(A), bind(add, 1)(B))",
            "a = negate(A)\n    b = bind(add, 1)\n    c = b(B)\n    return add(a, c)",
        )
    )
    assert nested == flat


# Generated code


def test_solvers_are_listed_with_both_forms_and_where_their_operations_are_in_the_merged_program():
    files = generate(
        programs_of(
            "def solve_a(A):\n    return negate(halve(A))\n"
            "def solve_b(A):\n    return pair(negate(A), halve(A))\n"
            "def solve_c(A):\n    return A\n"
        )
    )
    numbers = {"solve_a": (1, 2), "solve_b": (3, 1, 4), "solve_c": ()}
    assert load(files["batt.py"]).SOLVERS == numbers
    module = load(files["solvers.py"])
    assert module.SOLVERS == {
        name: (getattr(module, name), getattr(module, f"{name}_vectorized"), len(of_solver))
        for name, of_solver in numbers.items()
    }


def test_a_batch_is_asked_only_for_the_inputs_that_are_read():
    text = generate(programs_of("def solve():\n    return negate(B)\n"))["batt.py"]
    assert 'run.input("B")' in text
    assert 'run.input("A")' not in text


@given(some_lists)
def test_nothing_runs_when_generated_code_is_imported(lists):
    for text in generate(programs_of(source(lists))).values():
        for statement in ast.parse(text).body:
            assert isinstance(statement, ast.Expr | ast.ImportFrom | ast.Assign | ast.FunctionDef)
            assert not isinstance(statement, ast.Assign) or not any(
                isinstance(node, ast.Call) for node in ast.walk(statement)
            )


def test_generated_code_is_clean_and_formatted_even_where_lines_are_long(tmp_path):
    solvers = [
        f"def solve_{'long_' * 12}{number}(A):\n    return add(pair(SWAP_10, SWAP_9), {number})\n"
        for number in range(20)
    ]
    assert_formatted(generate(programs_of("".join(solvers))), tmp_path)
