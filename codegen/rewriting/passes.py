"""The rewritings of a source, in the order in which they are done."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from megabatt.codegen.rewriting.attempts import with_attempts
from megabatt.codegen.rewriting.builtin_names import with_own_names
from megabatt.codegen.rewriting.caches import without_caches
from megabatt.codegen.rewriting.choices import with_choices_spread
from megabatt.codegen.rewriting.constants import with_constants
from megabatt.codegen.rewriting.effects import with_effects_returned
from megabatt.codegen.rewriting.elements import with_elements_taken
from megabatt.codegen.rewriting.exceptions import without_exceptions
from megabatt.codegen.rewriting.field_loops import with_copies_in_loops
from megabatt.codegen.rewriting.generators import without_generators
from megabatt.codegen.rewriting.hidden_names import without_hidden_names
from megabatt.codegen.rewriting.index_errors import without_index_errors
from megabatt.codegen.rewriting.inner_changes import with_actions_in_lines
from megabatt.codegen.rewriting.last_elements import with_last_elements
from megabatt.codegen.rewriting.library import with_library
from megabatt.codegen.rewriting.made_functions import with_made_functions
from megabatt.codegen.rewriting.matches import without_matches
from megabatt.codegen.rewriting.missing_keys import with_keys_added
from megabatt.codegen.rewriting.orders import with_orders_marked
from megabatt.codegen.rewriting.own_calls import with_own_calls
from megabatt.codegen.rewriting.places import with_places
from megabatt.codegen.rewriting.records import with_records
from megabatt.codegen.rewriting.recursion import without_recursion
from megabatt.codegen.rewriting.registers import without_registers
from megabatt.codegen.rewriting.second_names import without_second_names
from megabatt.codegen.rewriting.texts import with_texts_computed
from megabatt.codegen.rewriting.tuples import with_tuples_apart

Rewriting = Callable[[ast.Module], ast.Module]


def rewritten(
    tree: ast.Module, is_program: Callable[[str], Any], without_arrays: Rewriting | None
) -> ast.Module:
    """Return a source after all rewritings. Changes the tree in place.

    Raises RecursionError if the source is nested too deeply.

    is_program: Tells whether a function of the module with this name is a program. without_arrays:
    Returns a source with plain Python in place of NumPy; None for a source without NumPy.
    """
    tree = without_matches(tree)
    tree = with_tuples_apart(tree)
    tree = with_texts_computed(tree)
    tree = with_made_functions(tree, is_program)
    tree = with_constants(tree)
    tree = with_records(tree)
    tree = without_registers(tree)
    tree = without_hidden_names(tree)
    tree = with_library(tree)
    tree = without_caches(tree)
    tree = with_own_names(tree)
    tree = without_index_errors(tree, is_program)
    tree = without_exceptions(tree)
    if without_arrays is not None:
        tree = with_own_calls(tree, is_program)
    else:
        tree = with_attempts(tree)
    tree = without_generators(tree)
    tree = without_recursion(tree)
    if without_arrays is not None:
        tree = without_arrays(tree)
    tree = with_actions_in_lines(tree)
    tree = with_orders_marked(tree)
    tree = with_keys_added(tree)
    tree = with_last_elements(tree)
    tree = with_choices_spread(tree)
    tree = without_second_names(tree)
    tree = with_copies_in_loops(tree)
    tree = with_elements_taken(tree)
    tree = with_places(tree)
    return with_effects_returned(tree, is_program)
