"""The machine on a device gives the results of the CPU, with few launches and transfers."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import load, samples_of
from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.engine.executor import device as device_executor
from megabatt.runtime.engine.language.registry import primitive_of
from megabatt.runtime.engine.machine import cpp
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.linking import Head
from megabatt.runtime.engine.machine.on_device import DeviceHeap, source_of
from megabatt.runtime.engine.machine.syntax import Untranslatable
from megabatt.runtime.megabatch import given as options
from tests.engine.forms import form_of
from tests.engine.machine_values import values
from tests.engine.strict import StrictDevice
from tests.engine.test_machine import PAIRS
from tests.evaluations import said_of
from tests.examples import examples
from tests.python.scalar import random_programs


@pytest.fixture
def device(monkeypatch):
    """Evaluate everything on a device that refuses what CuPy does not do."""
    device = StrictDevice()
    monkeypatch.setattr(options, "device_of", lambda name, lanes=None: device)
    return device


def evaluated(programs, samples, **kwargs):
    return said_of(mb.evaluate(programs, samples, outputs="all", max_elements=50_000, **kwargs))


@pytest.mark.parametrize(
    "name, value",
    [("_LEAST_ROOM", 1), ("_LEAST_ROOM", 64), ("_LEAST_ROOM", 1 << 14), ("_MOST_THREADS", 1),
     ("_MOST_THREADS", 7)],
)  # fmt: skip
def test_the_room_of_calls_and_the_number_made_at_once_change_nothing(name, value, monkeypatch):
    programs = random_programs(30, seed=value)
    expected = evaluated(programs, PAIRS)
    monkeypatch.setattr(device_executor, name, value)
    monkeypatch.setattr(options, "device_of", lambda name, lanes=None: StrictDevice())
    assert evaluated(programs, PAIRS) == expected


@pytest.mark.parametrize("device", ["cpu", StrictDevice()], ids=["cpu", "strict"])
def test_the_scalar_form_makes_calls_without_a_compiled_form(device, monkeypatch):
    programs = [
        mb.program("alone", [["O", "vmirror", "I"]]),
        mb.program("within", [["f", "compose", "vmirror", "hmirror"], ["O", "f", "I"]]),
        mb.program("on", [["x", "vmirror", "I"], ["O", "hconcat", "x", "I"]]),
        mb.program("fails", [["O", "vmirror", 3]]),
    ]
    pairs = [(program, PAIRS) for program in programs]
    expected = evaluated(programs, PAIRS), [said_of(one) for one in mb.evaluate_each(pairs)]
    if device != "cpu":
        monkeypatch.setattr(options, "device_of", lambda *_: device)
    with form_of("vmirror", None):
        there, each = mb.evaluate(programs, PAIRS, outputs="all"), mb.evaluate_each(pairs)
    assert (said_of(there), [said_of(one) for one in each]) == expected
    assert {0 < one.host_share < 1 for one in (there, *each)} == {True}


def test_a_call_that_outgrows_every_room_is_made_by_the_scalar_form(device, monkeypatch):
    monkeypatch.setattr(device_executor, "room_of_call", lambda limit: 32)
    monkeypatch.setattr(device_executor, "_LEAST_ROOM", 2)
    there = mb.evaluate([mb.program("p", [["O", "upscale", "I", 5]])], PAIRS, outputs="all")
    assert [there.output(0, 0)[0][:6]] == [(1,) * 5 + (0,)]
    assert there.host_share == 1


def test_operations_of_a_level_are_made_at_once(device):
    """Launches do not grow with the programs."""
    primitives = ["hmirror", "vmirror", "rot90", "rot180", "rot270", "dmirror", "cmirror"]
    launches = []
    for count in (1, 7):
        names = primitives[:count]
        programs = [
            mb.program(f"{a}_{b}", [["x", a, "I"], ["O", b, "x"]]) for a in names for b in names
        ]
        before = device.launches
        mb.evaluate(programs, PAIRS, outputs="none")
        launches.append(device.launches - before)
    assert launches[0] == launches[1]


class SmallDevice(StrictDevice):
    """A device with room for arrays of some bytes. refused: The arrays that did not fit."""

    def __init__(self, most):
        super().__init__()
        self.most, self.refused = most, 0
        empty = self.arrays.empty

        def made(count, dtype):
            if count * np.dtype(dtype).itemsize > most:
                self.refused += 1
                raise MemoryError("the device is full")
            return empty(count, dtype=dtype)

        self.arrays.empty = made

    def free_bytes(self):
        return self.most

    def exhausted(self, error):
        return "the device is full" in str(error)


def test_programs_that_outgrow_the_device_give_the_same_as_on_the_cpu(monkeypatch):
    programs = [
        *random_programs(30, seed=9),
        *[mb.program(f"large {k}", [["x", "upscale", "I", k], ["O", "hconcat", "x", "x"]])
          for k in range(30, 60)],
    ]  # fmt: skip
    pairs = [(program, PAIRS[: 1 + k % 3]) for k, program in enumerate(programs)]

    def said():
        evaluator = mb.Evaluator(PAIRS)
        parts = [evaluator.evaluate(some, outputs="all") for some in (programs[:9], programs)]
        stopped = evaluated(programs, PAIRS, stop_at_miss=True)
        each = mb.evaluate_each(pairs, outputs="all")
        close = mb.evaluate(programs, PAIRS, closeness=True).closeness.tolist()
        return [*map(said_of, parts), stopped, *map(said_of, each), close]

    expected, device = said(), SmallDevice(1 << 22)
    monkeypatch.setattr(options, "device_of", lambda *_: device)
    is_same = said() == expected  # a difference of so many values takes minutes to print
    assert is_same and device.refused


@given(st.lists(values, min_size=1, max_size=6))
def test_values_come_back_from_a_device_as_they_went(some):
    with computing_on(StrictDevice()):
        heap = DeviceHeap(LANGUAGE, 1 << 10)
        words = heap.put_words(np.array([heap.exchange.put(value) for value in some]))
        assert heap.compared(words, words).get().all()
        back, _ = heap.fetched(words)
    again = np.array([heap.exchange.put(value) for value in some])
    assert heap.exchange.same(back, again).all()


@pytest.mark.device
@pytest.mark.skipif("MEGABATT_TEST_DEVICE" not in os.environ, reason="no device is named")
def test_programs_give_the_same_on_this_device_and_on_the_cpu():
    programs = random_programs(examples(400), seed=11)
    name = os.environ["MEGABATT_TEST_DEVICE"]
    samples = samples_of(load("arcagi", "training").tasks[:3])
    expected = evaluated(programs, samples, device="cpu")
    assert evaluated(programs, samples, device=name) == expected


# ---- the CUDA source


EVALUATES = """
import megabatt as mb
mb.evaluate([mb.program("turn", [["O", "hmirror", "I"]])], [([[1]], None)], device="cpu")
"""
PRINTS = """
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.machine.on_device import source_of
from megabatt.runtime.engine.machine.linking import Head
print(source_of(Head.of(LANGUAGE)))
"""


def test_the_source_has_every_compiled_form_and_is_the_same_in_every_process():
    """The source depends neither on earlier work of the process, nor on functions' addresses."""
    sources = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        for code in (PRINTS, EVALUATES + PRINTS)
    ]
    assert sources[0].stdout == sources[1].stdout
    for primitive in LANGUAGE.primitives.values():
        assert f" {primitive_of(primitive.function).name}_" in sources[0].stdout


@machine_function
def joined_as_text(heap, word):
    return word, word


@routine
def lists_words(heap, word):
    """Use Python that no machine function may use."""
    return joined_as_text(heap, word)


def test_code_unknown_in_cuda_is_named_and_left_to_the_scalar_form(caplog):
    with pytest.raises(Untranslatable, match=r"test_machine_on_devices\.py:\d+: joined_as_text: "):
        cpp.Translation().name(lists_words.routine.function)
    with form_of("vmirror", lists_words.routine):
        source = source_of(Head.of(LANGUAGE))
    assert "joined_as_text" not in source and "computed by its scalar form on GPUs" in caplog.text
