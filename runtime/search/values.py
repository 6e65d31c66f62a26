"""Values of samples by number, for searches that build programs from the bottom up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.arguments import elements, integer
from megabatt.runtime.engine.language.registry import Language, Primitive
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short
from megabatt.runtime.program import Lambda, Program, Word
from megabatt.runtime.search.bank import Bank, Bits, Made, may_be_called
from megabatt.runtime.search.calls import MOST_OPERANDS
from megabatt.runtime.vocabulary import counted


class Values(Bank):
    """The values of some samples by number, for searches that build programs from the bottom up.

    A primitive is called on very many combinations of values at once, given as arrays of numbers.
    Arguments are not checked beforehand: a call that cannot take them fails.

        values = mb.Values.of_samples(mb.tasks()[0])
        grid, true, false = values.word("I"), values.word("T"), values.word("F")
        objects = values.call_named("objects", [[grid], [true], [false], [true]])
        numbers = values.keep(objects)
        values.program(numbers[0])
    """

    def __init__(
        self,
        language: Language,
        inputs: Mapping[str, Sequence[Any]],
        max_elements: int,
        expected: Sequence[Any] | None = None,
        layout_of: Callable[[Any], int] = lambda primitive: -1,
        primitives: Mapping[str, Primitive] | None = None,
        most_bytes: int = 1 << 62,
    ) -> None:
        """Begin with the values of the inputs, the constants and the primitives.

        inputs: The samples' values of each input that programs may read. expected: The outputs of
        the first samples. layout_of: Returns a primitive's layout in the bank. primitives: Those
        that are values; by default all of the language. most_bytes: As in `Bank`. Raises NoWord if
        words do not hold the values.
        """
        super().__init__(language, len(next(iter(inputs.values()))), max_elements, most_bytes)
        self.words: dict[int, Word] = {}
        self._numbers: dict[tuple[type, Word], int] = {}
        self._expected = expected
        with language.in_use():
            for name, values in inputs.items():
                self._name(name, int(self.add(values)[0]))
            for name, value in language.constants.items():
                if not callable(value):
                    self._name(name, self.add_constant(value))
            every = language.primitives if primitives is None else primitives
            for name, primitive in every.items():
                layout = layout_of(primitive)
                self._name(name, self.add_function(primitive.function, layout))

    @classmethod
    def of_samples(
        cls,
        samples: Any,
        *,
        max_elements: int | None = None,
        memory: int | str | None = None,
        workload: str | Workload[Any] = "arc",
    ) -> Values:
        """Make the values of samples.

        Args:
            samples: Pairs (input, output) or a task, in any form that `mb.evaluate` takes.
            max_elements: The container elements that one call may build; by default the language's
                limit.
            memory: The memory that values may take, in bytes or as in "2GB"; by default half of the
                free memory. Beyond that `keep` raises MemoryError.
            workload: The language and its samples: the name of a workload, or a `Workload`.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: An argument has the right type and a wrong value.
        """
        chosen = given.workload_of(workload)
        language = chosen.language
        if not language.of_words:
            raise ValueError(f"{chosen.name} has a language of columns: values by number are words")
        every = given.samples_of(chosen, samples)
        inputs = {
            name: [getattr(sample, name) for sample in every]
            for name in language.inputs
            if name != language.expected
        }
        known = all(sample.expected is not None for sample in every)
        expected = [sample.expected for sample in every] if known else None
        limit, most_bytes = given.limit_of(chosen, max_elements), given.memory_of(memory)
        return cls(language, inputs, limit, expected, most_bytes=most_bytes())

    def __repr__(self) -> str:
        return f"Values({counted(self.lanes, 'sample')}, {counted(len(self), 'value')})"

    def _name(self, word: Word, number: int) -> None:
        self.words[number] = word
        self._numbers[type(word), word] = number

    def word(self, word: Word) -> int:
        """Return the number of an input, a constant, a primitive as a value, or an Integer.

        Raises:
            LookupError: The language has no such word.
            TypeError: `word` is neither a name nor an Integer.
            ValueError: The Integer is out of range.
        """
        if isinstance(word, Lambda):
            raise LookupError("a function of a program's own is no word of the language")
        if not isinstance(word, (str, bool)):
            least, most = self.language.integers
            word = integer("word", word, least, most)
        number = self._numbers.get((type(word), word))
        if number is None:
            if isinstance(word, str):
                raise LookupError(f"{short(word)} is no input, constant or primitive")
            with self.language.in_use():
                number = self.add_constant(word)
            self._name(word, number)
        return number

    def call_named(self, primitive: str, operands: Any) -> Made:
        """Call a primitive, once for each row of operands.

        Args:
            primitive: The name of the primitive.
            operands: For each parameter, the numbers of its values, one for each call.

        Returns:
            For each call and sample, whether the call failed, and 128 bits of the value, which only
                equal values share.

        Raises:
            LookupError: There is no such primitive or value.
            TypeError: The primitive takes another number of operands or builds functions (see
                `operation`), or a number is not an integer.
            ValueError: The parameters have different numbers of values.
        """
        of = self._primitive(primitive)
        if of.builds is not None:
            raise TypeError(f"{primitive} builds functions: `operation` makes them")
        with self.language.in_use():
            return self.call(of, self._operands_of(of, operands))

    def _primitive(self, name: str) -> Primitive:
        of = self.language.primitives.get(name) if isinstance(name, str) else None
        if of is None:
            raise LookupError(f"{short(name)} is no primitive")
        return of

    def _operands_of(self, primitive: Primitive, operands: Any) -> list[Numbers]:
        """Return the numbers of operands: an array for each place, a number for each call."""
        name, arity = primitive.name, primitive.arity
        listed = list(elements("operands", operands, "a list of numbers for each place"))
        if len(listed) != arity:
            raise TypeError(f"{name} takes {counted(arity, 'argument')}, not {len(listed)}")
        if not may_be_called(primitive):
            takes = f"{name} takes {counted(arity, 'argument')}"
            raise TypeError(f"{takes}: a call on numbers of values has 1 to {MOST_OPERANDS}")
        arrays = [self._numbers_of(f"{name}, argument {k}", one) for k, one in enumerate(listed)]
        lengths = [len(array) for array in arrays]
        if len(set(lengths)) > 1:
            raise ValueError(f"{name}: places have unlike many numbers, {lengths}")
        return arrays

    def _numbers_of(self, name: str, numbers: Any) -> Numbers:
        """Return numbers of values as an array; int64 (n,)."""
        try:
            array = np.atleast_1d(np.asarray(numbers))
        except ValueError:
            array = np.empty(0, dtype=np.object_)  # lists of unlike lengths
        if array.ndim > 1 or array.dtype.kind not in ("iu" if array.size else "iuf"):
            raise TypeError(f"{name}: not a list of values' numbers, but {short(numbers)}")
        outside = (array < 0) | (array >= len(self))
        if outside.any():
            raise LookupError(f"{name}: there is no value {array[outside][0]}")
        return array.astype(np.int64, copy=False)

    def operation(self, primitive: str, operands: Sequence[int]) -> int:
        """Call a primitive once. A call that fails gives the safe default, as in a program.

        Args:
            primitive: The name of the primitive.
            operands: The number of each argument.

        Returns:
            The number of the value, or of the function that was built.

        Raises:
            LookupError: There is no such primitive or value.
            TypeError: The primitive takes another number of operands, or a number is not an
                integer.
        """
        of = self._primitive(primitive)
        listed = elements("operands", operands, "a list of numbers of values")
        one_call = self._operands_of(of, [[number] for number in listed])
        if of.builds is not None:
            return int(self.add_built(of, one_call, -1)[0])
        with self.language.in_use():
            return int(self.keep(self.call(of, one_call))[0])

    def matches(self, made: Made) -> Bits:
        """Flag the values that equal the expected outputs. A failed call matches nothing.

        Returns:
            bool (calls, samples).

        Raises:
            TypeError: `made` is no result of a call.
            ValueError: The call was on other values, or the output of some sample is not known.
        """
        self.check_made("matches", made)
        if self._expected is None or len(self._expected) != self.lanes:
            raise ValueError("the outputs of some samples are not known")
        low, high = made.fingerprints()
        with self.language.in_use():
            wanted_low, wanted_high = self.fingerprints_of(self._expected)
        return np.asarray((low == wanted_low) & (high == wanted_high) & ~made.failed)

    def plain(self, number: int) -> list[Any]:
        """Return a value as plain Python values, one for each sample. Raises LookupError."""
        with self.language.in_use():
            return self.values(self._numbers_of("plain", [number]))

    def program(self, number: int, name: str = "found") -> Program:
        """Return the program of a value: the operations that made it, each once.

        Raises:
            LookupError: There is no such value.
        """
        number = int(self._numbers_of("program", [number])[0])
        if number in self.words:
            return Program(name, (), self.words[number])
        primitive, operands = self.origin(number)
        assert primitive is not None
        return self.program_of_call(primitive.name, operands, name)

    def program_of_call(
        self, primitive: str, operands: list[int] | Numbers, name: str = "found"
    ) -> Program:
        """Return the program that ends in a call of a primitive on values, given by number."""
        operations: list[tuple[Word, ...]] = []
        words = dict(self.words)
        args = [self._made_word(int(operand), words, operations) for operand in operands]
        operations.append(("O", primitive, *args))
        return Program(name, tuple(operations))

    def _made_word(
        self, number: int, words: dict[int, Word], operations: list[tuple[Word, ...]]
    ) -> Word:
        """Return the word for a value. Adds the operations that make it."""
        if number not in words:
            primitive, operands = self.origin(number)
            assert primitive is not None
            args = [self._made_word(operand, words, operations) for operand in operands]
            words[number] = f"x{len(operations) + 1}"
            operations.append((words[number], primitive.name, *args))
        return words[number]
