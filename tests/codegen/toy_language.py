"""Another language than ARC's, for the tests of codegen, in which no result matters."""

from __future__ import annotations

from megabatt.runtime.core.types import Any, Callable, Integer, Tuple
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import fails as fails

ONE, TWO, YES = 1, 2, True
LANGUAGE = Language(
    inputs=("A", "B"),
    constants={"ONE": ONE, "TWO": TWO, "YES": YES},
    policy=Policy(integers=(-(2**31), 2**31 - 1)),
)


@LANGUAGE.primitive
def add(a: Any, b: Any) -> Integer: ...


@LANGUAGE.primitive
def halve(n: Any) -> Integer: ...


@LANGUAGE.primitive
def negate(n: Any) -> Integer: ...


@LANGUAGE.primitive
def pair(a: Any, b: Any) -> Tuple: ...


@LANGUAGE.primitive
def bind(function: Any, a: Any) -> Callable: ...


@LANGUAGE.primitive
def zero() -> Integer: ...


SWAP_10 = SWAP_9 = pair
LANGUAGE.constants |= {"SWAP_10": SWAP_10, "SWAP_9": SWAP_9}
