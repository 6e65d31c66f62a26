"""The functions for compiled forms, under one name.

from megabatt.runtime.engine.machine import prelude as m
"""

# ruff: noqa: F401

from __future__ import annotations

from megabatt.runtime.engine.machine.calls import (
    arity_of,
    bound_to,
    build,
    call,
    call_of_one,
    call_of_two,
    finish_function,
    is_function,
)
from megabatt.runtime.engine.machine.contents import (
    begin_beside,
    element,
    finish_tuple,
    first_word,
    opened,
    row_at,
    set_of_one,
    stacked,
    tag_of_words,
    truth,
    tuple_of_two,
)
from megabatt.runtime.engine.machine.nodes import (
    BUDGET,
    CONTENT,
    EMPTY_SET,
    EMPTY_TUPLE,
    FUNCTION,
    SET,
    TOP,
    TUPLE,
    address_of,
    area_of,
    begin_node,
    container_kind,
    copy_words,
    count_of,
    finish_tagged,
    height_of,
    integer,
    is_container,
    is_set,
    is_table,
    is_tuple,
    new_table,
    numbers_at,
    pay,
    room_for,
    width_of,
    word_at,
)
from megabatt.runtime.engine.machine.order import compare, equal, same, sign
from megabatt.runtime.engine.machine.sets import (
    distinct_in_order,
    finish_ascending,
    finish_like,
    finish_set,
    position_in_set,
    sort,
)
from megabatt.runtime.engine.machine.weights import (
    call_cost,
    depth_of,
    element_weight,
    size_of,
    weight,
)
from megabatt.runtime.engine.machine.words import (
    FALSE,
    FULL,
    HOST,
    INTEGERS,
    LABELLED_PAIRS,
    MIXED,
    NO_VALUE,
    NONE,
    OVER_LIMIT,
    PAIRS,
    PART,
    TRUE,
    WRONG,
    WRONG_ARITY,
    WRONG_TYPE,
    boolean,
    column_of,
    fits,
    is_integer,
    is_labelled_pair,
    is_node,
    is_number,
    is_pair,
    label_of,
    labelled,
    labelled_pair,
    number_of,
    pair,
    pair_in,
    row_of,
    tag_of,
)
