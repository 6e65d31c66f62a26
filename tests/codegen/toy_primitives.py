"""A user's module that registers one more primitive."""

from tests.codegen.toy_language import LANGUAGE


def treble(n):
    return 3 * n


LANGUAGE.register(treble, "0")
