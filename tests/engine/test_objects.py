"""Objects are told apart as `is` tells them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.executor.objects import tell_apart


@given(st.lists(st.integers(0, 6000)), st.integers(1, 6000))
def test_each_object_has_the_place_of_its_first_occurrence(places, kinds):
    kept = [(place % 3,) for place in range(kinds)]  # many are equal, none is another
    objects = np.fromiter((kept[place % kinds] for place in places), np.object_, len(places))
    which, firsts = tell_apart(objects)
    assert all(objects[firsts[k]] is one for k, one in zip(which, objects, strict=True))
    assert len(firsts) == len(set(map(id, objects)))


def test_very_many_objects_are_told_apart():
    objects = np.fromiter(([k] for k in range(20_000)), np.object_, 20_000)
    which, firsts = tell_apart(objects)
    assert which.tolist() == firsts.tolist() == list(range(20_000))
