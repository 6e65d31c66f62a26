"""A language's vocabulary of images, as data, from which a search makes layers.

An image is a table of bytes; 0 means that a cell shows nothing. Expressions are text, such as
"fill(I, TWO, ofcolor(I, ZERO))": calls of the language's primitives on its words, and on the words
that `Images` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Images:
    """A vocabulary of images, and the expressions that combine images.

    image: the language's input that is an image; in expressions, the current image.
    size: the word for the size of the output. below: the word for the image below, in `over`,
    `under`, `shape`, `coded` and `where`.

    functions: images made of an image, by name. once: images made of the input alone, by name.
    words: a function of samples, which returns for each parameter of `functions` the words, or
    names of `terms`, to put in.
    terms: values of the input that expressions may name.
    number: the parameter for the number to color with.

    blank: an empty image of the size. fitted: an image drawn on an empty image of the size.
    over: the image drawn on the image below. under: the image below, emptied where the image shows
    nothing. shape: `over` in one color.
    coded: the image's numbers plus k times the numbers of the image below. where: the image below,
    with n where the image shows k.
    size_of, height, width: the size and the sides of an image. counts: numbers counted in an
    image, of which the output's size may be a function.
    pair: the size of a height and a width. times, part, plus: arithmetic on two numbers.
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
