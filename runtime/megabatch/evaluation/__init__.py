"""Programs as values, evaluated many at once.

evaluator   all programs on the same samples, call after call
each        each program on samples of its own
result      what an evaluation gives
merged      programs merged, and what runs them on samples
judging     outputs compared with what is expected, failures counted
outputs     outputs kept, decoded when one is asked for
first_use   says that the first evaluation compiles
cones       the operations that a value is computed by
"""

from megabatt.runtime.megabatch.evaluation.each import evaluate_each
from megabatt.runtime.megabatch.evaluation.evaluator import Evaluator
from megabatt.runtime.megabatch.evaluation.result import Evaluation

__all__ = ["Evaluation", "Evaluator", "evaluate_each"]
