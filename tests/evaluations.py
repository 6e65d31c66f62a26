"""What evaluations say, in a form that can be compared."""

from typing import NamedTuple

import numpy as np


class Said(NamedTuple):
    """All that an evaluation says of its programs. outputs: by program and sample, as text."""

    matches: list
    fits: list
    failed: list
    first_failure: list
    reason: list
    errors: dict
    outputs: dict


def said_of(evaluation):
    """Return what an evaluation says. An output that it has not kept is None."""
    outputs = {
        key: output_of(evaluation, *key)
        for key in np.ndindex(evaluation.matches.shape)
        if key[0] not in evaluation.errors
    }
    told = [getattr(evaluation, name).tolist() for name in Said._fields[:5]]
    return Said(*told, evaluation.errors, outputs)


def output_of(evaluation, program, sample):
    """Return the text of an output; None if the evaluation has not kept it."""
    try:
        return repr(evaluation.output(program, sample))
    except LookupError:
        return None
