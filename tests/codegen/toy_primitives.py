"""A user's module that registers one more primitive."""

from megabatt.runtime.core.types import Integer
from tests.codegen.toy_language import LANGUAGE


@LANGUAGE.primitive
def treble(n: Integer) -> Integer: ...
