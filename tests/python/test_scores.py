"""A score for each text, whatever the text holds."""

import pickle
import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from tests.examples import examples
from tests.megabatch.commands import ROOT

(TASK,) = mb.tasks("arcagi", "training", ["67a3c6ac"])
FITS = "def solve(I):\n    return vmirror(I)\n"
NEAR = "def solve(I):\n    return hmirror(I)\n"
FAILS = "def solve(I):\n    x = shape(I)\n    y = crop(I, x, I)\n    return paint(I, y)\n"
NOTHING = ["", "I do not know.", None, 5, b"x", "def solve(I):\n    return nothing(I)\n"]

HOSTILE = [
    "\n" * 500_000 + "x", "```\n1 0\n" * 20_000, "def solve(I):\n" + "    \n" * 100_000 + "q",
    "\0", "\ud800", "\x1b[31m", "\ufeff", "\u202e", "(" * 10_000, "-" * 10_000 + "1",
    "I" + ".a" * 10_000, "I" + "()" * 10_000, "not " * 10_000 + "I", "lambda: " * 10_000 + "I",
    "+".join(["I"] * 10_000), "x = " + "[" * 10_000, "x = " + "9" * 10_000, "```" * 10_000,
    "```python\n" * 5_000, "\n" * 10_000, "a" * 2_000_000, "if I:\n" * 10_000,
    "import os; os.remove('x')", "__import__('os')._exit(1)", "def solve(I):\n    while True: pass",
    "def solve(I):\n    return solve(I)",
    "def solve(I):\n    return f(I)\n\n\ndef f(I):\n    return f(I)",
    "def solve(" + ", ".join(f"a{k}" for k in range(500)) + "):\n    return a1",
    "def solve(I):\n" + "    I = hconcat(I, I)\n" * 200 + "    return I\n",
    "def solve(I):\n" + "    I = combine(I, I)\n" * 100 + "    return I\n",
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("form", ["{}", "It is this:\n\n```python\n{}```\n", "# so\n{}\n"])
def test_a_score_says_why_and_where_a_text_is_wrong(form, end):
    nested = "def solve(I):\n    x = shape(I)\n    return vmirror(crop(I,\n        x, I))\n"
    wrong = "def solve(I):\n    x = hmirror(I)\n    return mirror(x)\n"
    raising = "def solve(I):\n    if len(I) > 1:\n        raise ValueError\n    return I\n"
    texts = [form.format(text).replace("\n", end) for text in (FITS, FAILS, nested, wrong, raising)]
    fits, fails, nests, misnamed, raises = mb.score(texts, TASK)
    before = form.partition("{")[0].count("\n")
    why = "sample 0: crop(I, x, I) failed: `dims` must be an IntegerTuple, got a Grid"
    assert (fits.failure, fits.line, fits.source) == ("", None, "")
    assert (fails.failure, fails.line, fails.source) == (why, 3 + before, "    y = crop(I, x, I)")
    assert (nests.failure, nests.line) == (why, 3 + before)
    assert raises.failure
    assert (raises.line, raises.source) == (3 + before, "        raise ValueError")
    (error,) = mb.parse(texts[3]).errors
    assert (misnamed.error, misnamed.line, misnamed.source) == (
        error.message, error.line, error.source
    )  # fmt: skip
    assert misnamed.failure == "" and repr(why) in repr(fails)


def test_an_output_without_a_right_cell_is_described():
    size, objects, short, fits = mb.score(
        [
            f"def solve(I):\n    return {call}"
            for call in ["size(I)", "objects(I, T, F, F)", "tophalf(I)", "vmirror(I)"]
        ],
        TASK,
    )
    assert size.failure == "sample 0: gives 4, which is no grid"
    assert objects.failure.startswith("sample 0: gives Objects (a set of ")
    assert short.failure == "sample 0: 2 x 4, not 4 x 4"
    assert (fits.failure, size.line, size.failed) == ("", None, 0)


@pytest.mark.parametrize("limit", [10, 1000, None])
def test_scores_are_those_of_an_evaluation_and_of_its_traces(limit):
    programs = mb.read(ROOT / "codegen" / "lists" / "training.py")
    texts = [program.source(LANGUAGE.inputs) for program in programs]
    evaluation = mb.evaluate(programs, TASK, max_elements=limit)
    scores = mb.score(texts, TASK, max_elements=limit)
    for k, score in enumerate(scores):
        if not score.failed:
            assert "failed" not in score.failure and score.line is None
            assert score.operation == score.reason == ""
            continue
        sample, failure = score.failure.removeprefix("sample ").split(": ", 1)
        steps = evaluation.trace(k, int(sample)).steps
        step = next(step for step in steps if str(step) == score.operation)
        assert failure == f"{step.call} {step.failure.partition(' ')[2]}"
        assert str(step.reason) == score.reason and score.source.strip() == score.operation
    tests = np.array([pair.is_test for pair in TASK.pairs])
    right = evaluation.matches
    assert scores.column("program").tolist() == [program.name for program in programs]
    assert set(scores.column("error").tolist()) == {""}
    assert scores.column("fits").tolist() == right[:, ~tests].all(axis=1).tolist()
    assert scores.column("demonstrations") == pytest.approx(right[:, ~tests].mean(axis=1))
    assert scores.column("tests") == pytest.approx(right[:, tests].mean(axis=1))
    assert scores.column("cells") == pytest.approx(evaluation.cells[:, ~tests].mean(axis=1))
    assert scores.column("failed").tolist() == evaluation.failed.sum(axis=1).tolist()
    assert scores.column("failed").any() and scores.column("fits").any() == (limit != 10)


def test_a_text_without_a_program_says_why_and_scores_nothing():
    for score in mb.score(NOTHING, TASK):
        assert score.error and score.error.isprintable()
        assert not score.fits and score.failure == ""
        assert score.demonstrations == score.cells == score.tests == score.failed == 0


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:20]))
def test_whatever_a_text_holds_the_others_have_their_scores(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").touch()
    first, hostile, last = mb.score([FITS, text, FITS], TASK, max_elements=20_000)
    assert first == last and first.fits
    assert not hostile.fits and hostile.error.isprintable() and len(hostile.error) < 500
    assert (tmp_path / "x").exists()


PARTS = st.sampled_from([
    "def solve(I):", "\n", "    ", "x", " = ", "vmirror", "(", ")", "I", ",", "return ", "```",
    "python\n", "lambda a: ", "[", "]", "{", "}", ":", "for a in I", "if ", "else ", "1", "-", "*",
    "**", "'", '"', "\\", "#", "@", "T", "\0", "\ud800", "é", "async ", "yield ", ".", "\t", "\r",
])  # fmt: skip


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(PARTS, max_size=40).map("".join) | st.text(max_size=80))
def test_any_text_has_a_score_and_a_line_on_what_is_wrong(text):
    (score,) = mb.score([text], TASK, max_elements=20_000)
    assert score.error.isprintable() and 0 <= score.cells <= 1


def test_scores_do_not_depend_on_the_order_of_texts_or_on_the_others():
    texts = [FITS, NEAR, FAILS, *NOTHING, *HOSTILE[3:8], FITS.replace("solve", "other")]
    scores = list(mb.score(texts, TASK))
    order = random.Random(0).sample(range(len(texts)), len(texts))
    assert list(mb.score([texts[k] for k in order], TASK)) == [scores[k] for k in order]
    assert [mb.score([text], TASK)[0] for text in texts] == scores
    assert list(mb.score((text for text in texts), TASK)) == scores
    assert list(mb.score([], TASK)) == []


def test_no_program_sees_its_expected_output():
    (score,) = mb.score(["def solve(S, I, C):\n    return C\n"], TASK)
    assert not score.fits and score.cells == 0 and score.error == ""


def test_pairs_without_tests_have_no_score_for_them():
    pairs = [([[1, 0]], [[0, 1]]), ([[2, 3]], [[3, 2]])]
    (score,) = mb.score([FITS], pairs)
    assert score.fits and score.tests is None
    (unknown,) = mb.score([FITS], [([[1, 0]], None)])
    assert not unknown.fits and unknown.demonstrations == 0


def test_exploding_programs_are_bounded_by_the_limit_and_by_memory():
    grows = "def solve(I):\n" + "    I = hconcat(I, I)\n" * 30 + "    return I\n"
    assert mb.score([grows], TASK, max_elements=5_000)[0].reason == "limit"
    fits, large = mb.score([FITS, grows], TASK, memory="1MB")
    assert fits.fits and "MemoryError" in large.error


def test_rows_columns_and_tables_agree(with_pandas):
    scores = mb.score([FITS, NEAR, None], TASK)
    rows = scores.to_arrow().to_pylist()
    assert rows == scores.to_polars().to_dicts()
    for score, row in zip(scores, rows, strict=True):
        assert {name: getattr(score, name) for name in row} == row
    assert scores.to_pandas()["fits"].tolist() == scores.column("fits").tolist()
    assert len(scores) == 3 and scores[-1] == scores[2] and scores[np.int64(0)].fits
    assert scores[1:] == [scores[1], scores[2]]
    assert repr(scores) == "3 texts, 2 with a program that was run: 1 fit"
    assert repr(mb.score(["x"], TASK)) == "1 text, 0 with a program that was run: 0 fit"
    none_known = "no expected output is known, so none can fit"
    asked = {"train": [{"input": [[1]], "output": None}], "test": []}
    for read in (lambda scores: scores, lambda scores: pickle.loads(pickle.dumps(scores))):
        assert repr(read(mb.score([FITS], asked))).endswith(f"that was run: {none_known}")
    with pytest.raises(IndexError, match="text 3: there are 3 texts"):
        scores[3]
    with pytest.raises(ValueError, match="column='cell' is none of program, error"):
        scores.column("cell")


POOLS = {
    "threads": partial(ThreadPoolExecutor, 8),
    "fork": partial(ProcessPoolExecutor, 2, mp_context=get_context("fork")),
    "spawn": partial(ProcessPoolExecutor, 2, mp_context=get_context("spawn")),
}


@pytest.mark.parametrize("pool", POOLS)
def test_workers_have_the_scores_of_one(pool):
    """Scores of processes are pickled."""
    batches = [[FITS, NEAR, FAILS, *NOTHING, "x = '\\d'"]] * (16 if pool == "threads" else 2)
    alone = mb.score(batches[0], TASK)
    with POOLS[pool]() as workers:
        for scores in workers.map(mb.score, batches, [TASK] * len(batches)):
            assert list(scores) == list(alone) and scores.to_arrow() == alone.to_arrow()
            assert list(map(repr, scores)) == list(map(repr, alone))
