"""The words of programs are read by the addresses of their objects."""

from __future__ import annotations

import pytest

from megabatt.runtime.engine.executor.objects import words_in
from megabatt.runtime.program import Program

EMPTY = Program("empty", (), "I")


def test_very_many_words_are_told_apart_as_is_tells_them():
    words = tuple([k] for k in range(20_000))
    found = words_in([EMPTY, Program("long", (words[:9000], words[9000:]), words[7])])
    assert [found.distinct[k] for k in found.words] == list(words)
    assert [found.distinct[k] for k in found.returns] == ["I", words[7]]
    assert found.distinct[found.returns[1]] is words[7] and len(found.distinct) == 20_001
    assert found.counts.tolist() == [0, 2] and found.lengths.tolist() == [9000, 11_000]


@pytest.mark.parametrize("table", [3, (3,), (None, ()), iter([()]), (iter("a"),), {()}, {"a": ()}])
def test_other_things_are_no_operations(table):
    with pytest.raises((TypeError, LookupError)):
        words_in([EMPTY, Program("odd", table)])
