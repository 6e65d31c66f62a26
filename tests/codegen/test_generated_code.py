"""The text of generated code, and its behaviour."""

import ast

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.helpers import (
    assert_formatted,
    generate,
    load,
    operation_lists,
    programs_of,
    source,
)


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


@given(st.lists(operation_lists(), min_size=1, max_size=3))
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
