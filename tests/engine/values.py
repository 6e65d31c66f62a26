"""Random values of the language, of every kind and nested."""

from hypothesis import strategies as st

import megabatt.runtime.arc as arc

integers = st.one_of(st.integers(-3, 9), st.integers(-(2**31), 2**31 - 1))
functions = st.sampled_from([arc.apply, arc.compose, arc.lbind(arc.apply, arc.compose)])
atoms = st.one_of(integers, st.booleans(), st.none(), functions)


def _containers(children):
    return st.one_of(
        st.lists(children, max_size=4).map(tuple),
        st.frozensets(children, max_size=4),
        st.tuples(children, children),
    )


values = st.recursive(
    st.one_of(
        atoms,
        st.tuples(integers, integers),
        st.tuples(integers, st.tuples(integers, integers)),
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4).map(tuple),
        st.lists(st.tuples(*[st.integers(0, 300)] * 3), max_size=3).map(tuple),
        st.frozensets(
            st.tuples(st.integers(0, 3), st.tuples(st.integers(0, 3), st.integers(0, 3)))
        ),
    ),
    _containers,
    max_leaves=12,
)
columns = st.lists(values, min_size=1, max_size=8)
