"""The content of evaluations, in a form that can be compared."""

from typing import NamedTuple


class Said(NamedTuple):
    """All that an evaluation says of its programs. outputs: Texts by program and sample."""

    matches: list
    fits: list
    failed: list
    first_failure: list
    reason: list
    errors: dict
    outputs: dict


def said_of(evaluation, programs=None):
    """Return the content of an evaluation.

    programs: The places of the programs to include; by default all. An output that was not kept is
    None.
    """
    count, samples = evaluation.matches.shape
    places = list(range(count) if programs is None else programs)
    told = [getattr(evaluation, name)[places].tolist() for name in Said._fields[:5]]
    errors = {at: evaluation.errors[k] for at, k in enumerate(places) if k in evaluation.errors}
    outputs = {
        (at, sample): output_of(evaluation, k, sample)
        for at, k in enumerate(places)
        for sample in range(samples if k not in evaluation.errors else 0)
    }
    return Said(*told, errors, outputs)


def output_of(evaluation, program, sample):
    """Return the text of an output; None if the evaluation has not kept it."""
    try:
        return repr(evaluation.output(program, sample))
    except LookupError:
        return None
