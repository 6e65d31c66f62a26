"""The machine as one CUDA source: all compiled forms of a language, and the work of threads."""

from __future__ import annotations

import logging
from functools import lru_cache

from megabatt.runtime.engine.language.closures import Closure
from megabatt.runtime.engine.language.registry import primitive_of
from megabatt.runtime.engine.language.values import fails
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.cpp import Translation
from megabatt.runtime.engine.machine.forms import called_of, estimate_of, kind_number, unknown
from megabatt.runtime.engine.machine.functions import ADDRESSES, Routine
from megabatt.runtime.engine.machine.linking import Head, fail, leave, leave_call
from megabatt.runtime.engine.machine.syntax import Untranslatable
from megabatt.runtime.engine.machine.threads import Threads

log = logging.getLogger("megabatt.kernels")

_DEEPEST = 24
"""The deepest nesting of calls on a GPU, see `device.cuda._STACK_BYTES`."""


@lru_cache
def source_of(head: Head) -> str:
    """Return the source. head: The head of the heaps, with the language's functions.

    The source is the same in every process, so that compiled code can be kept. The scalar form
    computes functions that cannot be translated, with a warning.
    """
    program = Translation()
    words = head.words[:m.EMPTY_TUPLE_AT].copy()
    words[ADDRESSES:m.ARITIES] = 0  # addresses of this process, like `CALLED`
    words[m.CALLED:m.KIND_RANKS] = 0
    words[m.MOST_CALLS] = _DEEPEST
    for number, function in enumerate(head.functions):
        primitive = primitive_of(function)
        form = None if primitive is None else primitive.compiled
        words[m.FORMS + number] = _number(program, form, fail if function is fails else leave)
        words[m.ESTIMATES + number] = _number(program, estimate_of(primitive), unknown)
        if primitive is not None and primitive.builds is not None:
            called = called_of(primitive.builds)
            words[m.CALLED + kind_number(primitive.builds)] = _number(program, called, leave_call)
    words[m.CALLED + kind_number(Closure)] = _number(program, called_of(Closure), leave_call)
    for work in Threads.every:
        program.add_kernel(work.function, work.arrays)
    return program.text(words.tolist())


def _number(program: Translation, form: Routine | None, otherwise: Routine) -> int:
    """Return the number of a form, or of `otherwise` without a translatable form."""
    if form is not None:
        try:
            return program.number(form)
        except Untranslatable as error:
            log.warning("computed by its scalar form on GPUs: %s", error)
    return program.number(otherwise)
