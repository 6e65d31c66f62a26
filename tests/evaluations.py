"""What evaluations say, in a form that can be compared."""

import numpy as np


def said_of(evaluation):
    """Return matches, failures, errors, and the outputs of an evaluation that kept all of them."""
    outputs = [
        repr(evaluation.output(program, sample))
        for program, sample in np.ndindex(evaluation.matches.shape)
        if program not in evaluation.errors
    ]
    told = evaluation.matches, evaluation.failed, evaluation.first_failure, evaluation.reason
    return *(of_all.tolist() for of_all in told), evaluation.errors, outputs
