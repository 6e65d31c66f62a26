"""What evaluations say, in a form that can be compared."""

from __future__ import annotations

import numpy as np


def said_of(evaluation):
    """Return matches, failures, errors, and the outputs of an evaluation that kept all of them."""
    outputs = [
        repr(evaluation.output(program, sample))
        for program, sample in np.ndindex(evaluation.matches.shape)
        if program not in evaluation.errors
    ]
    return evaluation.matches.tolist(), evaluation.failed.tolist(), evaluation.errors, outputs
