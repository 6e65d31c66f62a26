"""What a language knows of images: the vocabulary that a search's layers are made of, as data.

An image is a table of bytes, 0 if there is nothing. Expressions are text, such as
"fill(I, TWO, ofcolor(I, ZERO))": calls of the language's primitives on its words, and on the words
that `Images` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Images:
    """A vocabulary of images, and how they are put together.

    image: the language's input that is an image; in expressions, the image at hand.
    size: the word for the size of the output. below: in `over`, `under`, `shape`, `coded` and
    `where`, the word for what lies below.

    functions: images of an image, by name. once: those that are made of the input alone.
    words: of samples, the words or names of `terms` that each parameter of `functions` stands for.
    terms: values of the input that expressions may name.
    number: the parameter that is a number to color with.

    blank: an image of a size with nothing in it. fitted: an image on a blank one of the size.
    over: what an image shows put on what lies below. under: what lies below, with nothing if the
    image shows nothing. shape: `over` in one color.
    coded: what an image shows, plus k times what lies below. where: what lies below, with n where
    an image shows k.
    size_of, height, width: those of an image. counts: numbers of an image that a size may follow.
    pair, times, part, plus: a size of a height and a width; arithmetic on two numbers.
    """

    image: str
    size: str
    below: str
    functions: Mapping[str, str]
    once: Mapping[str, str]
    words: Callable[[Sequence[Any]], Mapping[str, Sequence[str]]]
    terms: Mapping[str, str]
    number: str
    blank: str
    fitted: str
    over: str
    under: str
    shape: str
    coded: str
    where: str
    size_of: str
    height: str
    width: str
    counts: Sequence[str]
    pair: str
    times: str
    part: str
    plus: str
