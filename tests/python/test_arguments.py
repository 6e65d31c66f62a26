"""A public function takes any argument, or says in a line what to give instead."""

import re
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import megabatt as mb
from megabatt.runtime.printable import short

PROGRAM = mb.program("mirror", [["O", "vmirror", "I"]])
PAIR = [[1, 0, 2]], [[2, 0, 1]]
PAIRS = [PAIR, ([[0, 1]], [[1, 0]])]
(TASK,) = mb.tasks("arcagi", "training", ["67a3c6ac"])
TRAINING = Path(__file__).parents[2] / "codegen" / "lists" / "training.py"

LONG = "a" * 100_000
ANYTHING = [
    None, True, 0, -1, 3, 2**70, 10**5000, 1.5, float("nan"), float("inf"), 1j, "", "text", "a\nb",
    b"text", [], (), {}, set(), {"a": 1}, {"train": 5}, {1}, object(), int, lambda: 0, iter([5]),
    slice(1), np.int64(2), np.float32(1.5), np.array(3), np.arange(3), np.zeros((2, 2)), [None],
    [5], ["text"], [["text"]], [[]], [[1]], [{}], PROGRAM, [PROGRAM], [[PROGRAM]], (PROGRAM, PAIRS),
    TASK, [TASK], [TASK, TASK], [[TASK]], PAIR, PAIRS, [PAIRS], Path("none"), {"x": "float32"},
    ["a", 5], "2GB", LONG, [LONG], {LONG: LONG}, {None: "I"}, {"a": []},
]  # fmt: skip


@cache
def dataset():
    """Return a folder with a dataset, which is deleted at the end."""
    folder = TemporaryDirectory()
    table = pa.table({"a": [1, 2, 3, 4], "b": [[1], [], [2], [3]]})
    pq.write_table(table, Path(folder.name) / "a.parquet")
    return folder


values = cache(lambda: mb.Values.of_samples(PAIRS))
unknown = cache(lambda: mb.Values.of_samples([PAIRS[0], ([[1]], None)]))
evaluated = cache(lambda: mb.evaluate([PROGRAM], PAIRS, outputs="all"))
searched = cache(lambda: mb.search(**SEARCHED))
batch = cache(lambda: next(mb.ResidentDataset(dataset().name, say=None).epoch(2)))
evaluator = cache(lambda: mb.Evaluator(PAIRS))
scores = cache(lambda: mb.score(["def solve(I):\n    return vmirror(I)\n"], PAIRS))

SEARCHED = {"tasks": [TASK], "seeds": [PROGRAM], "programs": 1, "seconds": 0.05}
HOW = {name: name for name in ("device", "max_elements", "memory", "workload")}
NAMED = {
    "evaluate": (
        mb.evaluate, {"programs": [PROGRAM], "samples": PAIRS},
        {"programs": "program", "samples": "sample|train", "outputs": "outputs", **HOW},
    ),
    "evaluate_each": (
        mb.evaluate_each, {"pairs": [(PROGRAM, PAIRS)]},
        {"pairs": "pairs", "outputs": "outputs", **HOW},
    ),
    "Evaluator": (mb.Evaluator, {"samples": PAIRS}, {"samples": "sample|train", **HOW}),
    "Evaluator.evaluate": (
        lambda **given: evaluator().evaluate(**given), {"programs": []},
        {"programs": "program", "outputs": "outputs"},
    ),
    "Evaluation.output": (
        lambda **given: evaluated().output(**given), {"program": 0, "sample": 0},
        {"program": "program", "sample": "sample"},
    ),
    "Evaluation.trace": (
        lambda **given: evaluated().trace(**given), {"program": 0, "sample": 0},
        {"program": "program", "sample": "sample"},
    ),
    "score": (
        mb.score, {"texts": ["text"], "task": PAIRS},
        {"texts": "texts", "task": "sample|train", **HOW},
    ),
    "tasks": (
        mb.tasks, {},
        {"source": "source|none|text|a|task", "split": "split|no tasks", "ids": "ids|no such task",
         "solutions": "solutions|regular file|does not exist|too long"},
    ),
    "read": (
        mb.read, {"path": TRAINING},
        {"path": "path|none|text|No such|too long", "workload": "workload"},
    ),
    "parse": (
        mb.parse, {"text": ""},
        {"aliases": "alias", **{name: name for name in ("text", "workload", "name")}},
    ),
    "program": (
        mb.program, {"name": "p", "operations": [["O", "vmirror", "I"]]},
        {"name": "name", "operations": "operation", "returns": "returns"},
    ),
    "search": (
        mb.search, SEARCHED,
        {"tasks": "task", "seeds": "seed|none|text|No such|too long", **HOW,
         **{name: name for name in ("seconds", "programs", "per_task", "seed", "callback",
                                    "strategies", "grammar", "vocabulary")}},
    ),
    "ResidentDataset": (
        lambda **given: mb.ResidentDataset(**{"folder": dataset().name, "say": None, **given}), {},
        {"folder": "folder|no such folder|Parquet", "columns": "column", "dtype": "dtype|column",
         **{name: name for name in ("split", "device", "split_seed", "memory", "say")}},
    ),
    "ResidentDataset.epoch": (
        lambda **given: mb.ResidentDataset(dataset().name, say=None).epoch(**given),
        {"batch_size": 2}, {name: name for name in ("batch_size", "seed", "part")},
    ),
    "Values.of_samples": (
        mb.Values.of_samples, {"samples": PAIRS},
        {"samples": "sample|train", "max_elements": "max_elements", "workload": "workload"},
    ),
    "Values.call_named": (
        lambda **given: values().call_named(**given), {"primitive": "rot90", "operands": [[0]]},
        {"primitive": "primitive", "operands": "operands|argument|rot90"},
    ),
}  # fmt: skip
"""Functions, their arguments, and the noun for each argument in a message that refuses it."""

CALLS = {
    "evaluate_each samples": ("sample|train", lambda given: mb.evaluate_each([(PROGRAM, given)])),
    "Scores place": ("place|text", lambda given: scores()[given]),
    "Scores column": ("column", lambda given: scores().column(given)),
    "SearchResult ranked": ("task", lambda given: searched().ranked(given)),
    "DatasetBatch mask": ("padded columns: b", lambda given: batch().mask(given)),
    "program operation": ("operation", lambda given: mb.program("p", [given])),
    "program word": ("operation", lambda given: mb.program("p", [["O", "vmirror", given]])),
    "Values word": ("word|no input|Integer", lambda given: values().word(given)),
    "Values numbers": ("argument|rot90", lambda given: values().call_named("rot90", [given])),
    "Values operation": (
        "operands|argument|rot90", lambda given: values().operation("rot90", given)
    ),
    "Values plain": ("plain", lambda given: values().plain(given)),
    "Values program": ("program", lambda given: values().program(given)),
    **{
        f"{name} {argument}": (
            noun, lambda given, f=function, of=of, argument=argument: f(**{**of, argument: given})
        )
        for name, (function, of, nouns) in NAMED.items()
        for argument, noun in nouns.items()
    },
}  # fmt: skip
PYTHONS_OWN = (
    "object is not|not supported between|has no attribute|object cannot be|unhashable|os.PathLike|"
    "unsupported operand|no word for|invalid literal|inhomogeneous|ambiguous|out of bounds|digits"
)
"""Messages of Python and NumPy about an argument that was not checked."""


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_is_taken_or_refused_in_a_line_that_names_it(name):
    """An argument that must be a function is given no callable."""
    noun, call = CALLS[name]
    refused = 0
    for given in ANYTHING:
        if noun in ("callback", "say") and callable(given):
            continue
        try:
            call(given)
        except (TypeError, ValueError, LookupError, OSError, mb.DatasetError) as error:
            refused += 1
            message = str(error)
            where = f"{type(error).__name__} {message!r} for {short(given)}"
            assert re.search(noun, message), where
            most = 1000 if "aaaaa" in message else 400
            assert message.count("\n") == 0 and len(message) < most, where
            assert not re.search(PYTHONS_OWN, message), where
    assert refused


@pytest.mark.parametrize("given", [None, 0, -1, 1.5, True, "2", [2], np.array([1, 2])])
def test_a_number_of_workers_is_one_or_more(given):
    with pytest.raises((TypeError, ValueError), match="^workers"):
        mb.search(**SEARCHED, workers=given)


@pytest.mark.parametrize(
    "size",
    ["0", 0, -1, "-1GB", "", "much", "8 rows", "9" * 400 + "TB", 10**400, float("inf")],
)
def test_a_size_of_memory_is_a_size(size):
    for call in (
        lambda: mb.search(**SEARCHED, memory=size),
        lambda: mb.Evaluator(PAIRS, memory=size),
        lambda: mb.evaluate([PROGRAM], PAIRS, memory=size),
    ):
        with pytest.raises(ValueError, match="^memory="):
            call()


@pytest.mark.parametrize("size", [10**25, "9000000000TB", 2.0**80])
def test_memory_may_be_more_than_there_is(size):
    mb.search(**SEARCHED, memory=size)
    mb.ResidentDataset(dataset().name, memory=size, say=None)
    assert mb.evaluate([PROGRAM], PAIRS, memory=size).fits.all()
    assert mb.Evaluator(PAIRS, memory=size).evaluate([PROGRAM]).fits.all()


@pytest.mark.parametrize(
    "call, line",
    [
        (lambda: mb.evaluate(PROGRAM, PAIRS),
         "programs must be a list of programs, not one: write [program]"),
        (lambda: mb.evaluate(["O = vmirror(I)"], PAIRS),
         "programs[0] is no Program, but 'O = vmirror(I)': megabatt.parse makes programs "
         "of text, megabatt.read of a file, megabatt.program of operations"),
        (lambda: mb.evaluate_each([(PROGRAM,)]),
         f"pairs[0] is no (program, samples), but {(PROGRAM,)}"),
        *((partial(mb.evaluate, [PROGRAM], samples), line) for samples, line in [
            ({"train": PAIRS, "test": {}},
             "test must be a list of pairs (input, output), not {}"),
            (PAIR, "samples must be a list of pairs, not one: write [(input, output)]"),
            ([TASK, TASK], "sample 0 is a task: give the task itself, not a list"),
            ("67a3c6ac", "samples must be a task (megabatt.tasks loads them) or a list of pairs "
             "(input, output), not '67a3c6ac'"),
            ([PAIR, ([[1, 2], [3]], None)],
             "sample 1, input is no grid: row 1 has 1 cell, row 0 has 2"),
            ([PAIR, ([[1]], [[1.5]])], "sample 1, output is no grid: cell (0, 0) is 1.5"),
            ([(np.zeros((2, 2, 2), int), None)],
             "sample 0, input is no grid: cell (0, 0) is a list"),
            ([PAIR, (None, [[1]])], "sample 1 has no input"),
            ({"train": [{"input": [[1]]}], "test": [{}]}, "sample 1 has no input"),
            ([PAIR, 7], "sample 1 is no pair (input, output), but 7"),
        ]),
        (lambda: mb.evaluate([PROGRAM], [5], workload="signals"),
         "sample 0 is none of the samples of signals, such as "
         "megabatt.runtime.signal.workload.WORKLOAD.load().samples, but 5"),
        (lambda: mb.score([PROGRAM], PAIRS),
         "texts are programs: megabatt.evaluate takes these, score takes texts"),
        (lambda: mb.tasks(ids="67a3c6ac"),
         "ids must be a list of tasks' ids, such as ['67a3c6ac'], not '67a3c6ac'"),
        (lambda: mb.search(**{**SEARCHED, "tasks": [TASK, TASK]}),
         "tasks[0] and tasks[1] have one name, '67a3c6ac'"),
        (lambda: mb.search([TASK], seeds=[PROGRAM]),
         "a search needs a number of programs or of seconds"),
        (lambda: mb.program("p", [["O", "crop", "I", (0, 0), (2, 2)]]),
         "program 'p', operation 1: (0, 0) is no name, Integer or Lambda: write it as text, "
         "'(0, 0)'"),
        (lambda: values().call_named("compose", [[0], [0]]),
         "compose builds functions: `operation` makes them"),
        (lambda: mb.Values.of_samples([]), "there are no samples"),
        (lambda: unknown().matches(unknown().call_named("rot90", [[unknown().word("I")]])),
         "the outputs of some samples are not known"),
        (lambda: mb.read("nowhere.py"), "nowhere.py: No such file or directory"),
        (lambda: mb.read("def f(I):\n    return I"), "a text, not a file: mb.parse reads texts"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_with_advice(call, line):
    with pytest.raises((TypeError, ValueError, LookupError, OSError)) as refused:
        call()
    assert str(refused.value) == line
