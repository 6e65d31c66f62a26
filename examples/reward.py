"""Rewards for programs that a model writes, as training loops ask for them.

`reward` has the form that GRPO trainers ask for: it takes a batch of completions with the columns
of their data set, and returns a number for each completion. Run this file to see the rewards of a
few answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import megabatt as mb

TASKS = {task.id: task for task in mb.tasks("arcagi", "training", ["67a3c6ac", "68b16354"])}


def reward(completions: Sequence[Any], task: Sequence[str], **columns: Any) -> list[float]:
    """Return a reward for each completion. task: for each completion, the id of its task.

    A program that fits all demonstrations gets 1. Any other program that runs gets 0.1, and up to
    0.4 more for right cells. An answer without a program gets 0. The tests are not looked at.
    """
    of_tasks: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(task):
        of_tasks[name].append(place)
    rewards = [0.0] * len(completions)
    for name, places in of_tasks.items():
        scores = mb.score([text_of(completions[place]) for place in places], TASKS[name])
        for place, score in zip(places, scores, strict=True):
            ran = 0.1 * (not score.error)
            rewards[place] = 1.0 if score.fits else ran + 0.4 * score.cells
    return rewards


def feedback(completion: Any, task: str) -> str:
    """Say in a line why a completion is wrong, for a model that tries again; "" if it fits."""
    (score,) = mb.score([text_of(completion)], TASKS[task])
    if score.fits:
        return ""
    quoted = f", `{score.source.strip()}`" if score.source.strip() else ""
    where = "" if score.line is None else f"line {score.line}{quoted}: "
    wrong = f"{score.demonstrations:.0%} of the demonstrations and {score.cells:.0%} of the cells"
    return f"{where}{score.error or score.failure or f'only {wrong} are right'}"


def text_of(completion: Any) -> Any:
    """Return the text of a completion; of a conversation, the text of its last message."""
    return completion if isinstance(completion, str) else completion[-1]["content"]


ANSWERS = [
    "Every row is mirrored:\n\n```python\ndef solve(I):\n    return vmirror(I)\n```\n",
    "```python\ndef solve(I):\n    return hmirror(I)\n```",
    "def solve(I):\n    return mirror(I)\n",
    "def solve(I):\n    return crop(I, shape(I), I)\n",
    "I cannot tell what the rule is.",
]


if __name__ == "__main__":
    for answer, found in zip(ANSWERS, reward(ANSWERS, ["67a3c6ac"] * len(ANSWERS)), strict=True):
        print(f"{found:.2f}  {answer.splitlines()[0]}")
        print(f"      {feedback(answer, '67a3c6ac') or 'it fits'}")
