"""Evaluates many programs at once.

evaluator   evaluates all programs on the same samples, call after call
each        evaluates each program on samples of its own
result      the result of an evaluation
merged      merged programs, and the executor that runs them
judging     compares outputs with the expected outputs, counts failures; failures: the first ones
outputs     kept outputs, decoded on demand
first_use   reports compiling during a first evaluation
on_columns  the executor of a language of columns
explained   why an operation failed
traced      the steps of one program on one sample
"""

from megabatt.runtime.megabatch.evaluation.each import evaluate_each
from megabatt.runtime.megabatch.evaluation.evaluator import Evaluator
from megabatt.runtime.megabatch.evaluation.result import Evaluation

__all__ = ["Evaluation", "Evaluator", "evaluate_each"]
