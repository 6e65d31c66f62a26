"""The operations of many programs as arrays; a compiled loop checks and merges programs."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.language.closures import Closure
from megabatt.runtime.engine.language.registry import Language, primitive_of
from megabatt.runtime.engine.language.values import key_of
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.loops import Loop, Numbers

VARIABLE, NOTHING, FIRST_INPUT = -1, -2, -3
"""Meanings of words besides numbers of values: a variable; a mistake; an input, written as
`FIRST_INPUT` minus its place among the language's inputs."""

_ANY, _NO_FUNCTION = -1, -2
"""In place of an arity: the value takes any number of arguments; the value is no function."""

LEAST_SLOTS = 1 << 12
_CONE = 16
"""The operations of a cone for which there is room at first."""
FREE = -1


class Written(NamedTuple):
    """Programs as int64 arrays of the numbers of words.

    words      (words,): the target, function and arguments of each operation in order
    lengths    (operations,): the number of words of each operation
    counts     (programs,): the number of operations of each program
    returns    (programs,): the word that each program returns
    domains    (programs,): the domain that each program is evaluated on
    """

    words: Numbers
    lengths: Numbers
    counts: Numbers
    returns: Numbers
    domains: Numbers


@dataclass(eq=False)
class _Constants:
    """Constants, with primitives. numbers: Numbers by `key_of`. values: Values by number."""

    values: dict[int, Any] = field(default_factory=dict)
    numbers: dict[Any, int] = field(default_factory=dict)

    def add(self, values: Iterable[Any], first: int) -> tuple[list[int], Numbers]:
        """Add values, from number `first` on. Returns all numbers, and arities of the new ones."""
        numbers: list[int] = []
        takes: list[int] = []
        for value in values:
            number = self.numbers.setdefault(key_of(value), first + len(takes))
            if number == first + len(takes):
                self.values[number] = value
                takes.append(_arity(value))
            numbers.append(number)
        return numbers, np.array(takes, dtype=np.int64)


class Operands:
    """The operands of values in one array. The operands of an operation are its function and its
    arguments; other values have none.

    begins: int64 (values + 1,), the offsets of each value's operands. flat: int64, the operands.
    """

    def __init__(self) -> None:
        self._ends = Growing()
        self._flat = Growing()
        self._ends.add(np.zeros(1, dtype=np.int64))

    @property
    def begins(self) -> Numbers:
        return self._ends.data

    @property
    def flat(self) -> Numbers:
        return self._flat.data

    def add(self, values: int) -> None:
        """Add values without operands."""
        self._ends.add(np.full(values, self.begins[-1]))

    def room_for(self, values: int, operands: int) -> tuple[Numbers, Numbers]:
        """Make room for more values and operands. Returns `begins` and `flat` with that room."""
        return self._ends.room_for(values), self._flat.room_for(operands)

    def take_in(self, values: int) -> None:
        """Add values that were already written into the room of `room_for`."""
        self._ends.count += values
        self._flat.count = int(self.begins[-1])

    def table(self, numbers: Numbers, most: int) -> Numbers:
        """Return the first `most` operands of each value, padded with 0; int64 (n, most)."""
        table = np.zeros((len(numbers), most), dtype=np.int64)
        _tabulate(self.begins, self.flat, numbers, table)
        return table

    def cones(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the cone of each value (the operations it depends on), and the cones' offsets.

        Both are int64, (n,) and (values + 1,). The operations of a cone have no order.
        """
        numbers = np.ascontiguousarray(numbers, dtype=np.int64)
        room = max(len(self.begins), _CONE * len(numbers))
        while True:
            members, begins = np.empty(room, np.int64), np.zeros(len(numbers) + 1, np.int64)
            seen = np.zeros(len(self.begins), np.bool_)
            if _walk(self.begins, self.flat, numbers, seen, True, members, begins):
                return members[: begins[-1]], begins
            room *= 2

    def lacking(self, numbers: Numbers, seen: np.ndarray[Any, Any]) -> Numbers:
        """Return the unseen operations that values depend on, ascending.

        seen: Flags values that are not walked through; gets the flags of the operations found.
        """
        before = seen.copy()
        members, begins = np.empty(len(seen), np.int64), np.zeros(len(numbers) + 1, np.int64)
        _walk(self.begins, self.flat, numbers, seen, False, members, begins)
        return np.flatnonzero(seen != before)


class Operations:
    """Numbered values: inputs, constants, and the operations of programs on them.

    Equal operations of all programs have one number (hash-consing). named: The number of each
    constant and primitive of the language, by name. values: These, by number. table: The operands
    of all values. choices: bool, flags the primitives that choose, by number.
    """

    def __init__(self, language: Language, max_elements: int) -> None:
        """Begin with constants and primitives. max_elements: What an operation may build."""
        self.language = language
        self.max_elements = max_elements
        self.table = Operands()
        self._domains = Growing()
        self._takes = Growing()
        self._slots = np.full(LEAST_SLOTS, FREE, dtype=np.int32)
        self._begun_with = language.named
        numbered = _named_in(language, self._begun_with)
        constants, takes, self.named, self._defaults, self.choices, self.numbers_calls = numbered
        self._constants = _Constants(dict(constants.values), dict(constants.numbers))
        self.values = self._constants.values
        self._append(np.full(len(takes), -1), takes)

    def __len__(self) -> int:
        return self._domains.count

    @property
    def is_current(self) -> bool:
        """Whether the language has the constants and primitives that it had at the beginning."""
        return self._begun_with == self.language.named

    @property
    def domains(self) -> Numbers:
        """The number of each value's domain of samples; -1 for any."""
        return self._domains.data

    def constants_among(self, flags: np.ndarray[Any, Any]) -> list[int]:
        """List the flagged constants among the first n values. flags: bool (n,)."""
        begins, count = self.table.begins, len(flags)
        flags = flags & (self.domains[:count] < 0) & (begins[1 : count + 1] == begins[:count])
        return np.flatnonzero(flags).tolist()

    def constants(self, values: Iterable[Any]) -> list[int]:
        numbers, takes = self._constants.add(values, len(self))
        self._append(np.full(len(takes), -1), takes)
        return numbers

    def defaults_of(self, functions: Numbers) -> Numbers:
        """Return the constants that are the safe defaults of calls of functions; int64 (n,)."""
        return self._defaults[np.minimum(functions, len(self._defaults) - 1)]

    def are_choices(self, functions: Numbers) -> np.ndarray[Any, Any]:
        """Flag the functions that choose one of two values, such as `if_else`; bool (n,)."""
        return self.choices[np.minimum(functions, len(self.choices) - 1)]

    def add_inputs(self, domains: range, count: int) -> Numbers:
        """Add `count` inputs for each domain. Returns their numbers, int64 (domains, count)."""
        of_inputs = np.repeat(np.array(domains), count)
        first = self._append(of_inputs, np.full(len(of_inputs), _ANY))
        return first + np.arange(len(of_inputs)).reshape(len(domains), count)

    def _append(self, domains: Numbers, takes: Numbers) -> int:
        """Add values that are no operations. Returns the number of the first value."""
        self.table.add(len(domains))
        self._takes.add(takes)
        return self._domains.add(domains)

    def merge(
        self, written: Written, meanings: Numbers, inputs: Numbers
    ) -> tuple[Numbers, Numbers]:
        """Check programs, and add the operations that are new.

        meanings: int64, for each word the number of a value, or a meaning such as `VARIABLE`.
        inputs: int64 (domains, inputs), the numbers of the language's inputs in each domain.
        Returns the number of the value that each program returns, -1 for a wrong program, and the
        number of each operation, -1 from the first wrong operation of its program on.
        """
        operations, words = len(written.lengths), len(written.words)
        begins, flat = self.table.room_for(operations, words)
        self._make_slots(len(self) + operations)
        outputs = np.empty(len(written.counts), dtype=np.int64)
        targets = np.empty(operations, dtype=np.int64)
        before = len(self)
        after = _merge(
            *written, meanings, inputs, np.empty_like(meanings), np.zeros_like(meanings), begins,
            flat, self._domains.room_for(operations), self._takes.room_for(operations),
            self._slots, before, outputs, targets,
        )  # fmt: skip
        self.table.take_in(after - before)
        self._domains.count = self._takes.count = after
        return outputs, targets

    def _make_slots(self, values: int) -> None:
        """Make room in the hash table for `values` values."""
        if 2 * values > len(self._slots):
            self._slots = np.full(1 << (4 * values).bit_length(), FREE, dtype=np.int32)
            _fill(self.table.begins, self.table.flat, self._slots)


@lru_cache(maxsize=8)
def _named_in(
    language: Language, names: tuple[Any, ...]
) -> tuple[_Constants, Numbers, dict[str, int], Numbers, Numbers, bool]:
    """Number the constants and primitives of a language.

    names: `Language.named`, so that the cache sees new and replaced primitives. Returns the
    constants, with the safe defaults of calls, and their arities; the number of each name; the
    safe default of calls by the function's number, at last that for computed functions; flags of
    the functions that choose; and whether calls of some primitives are numbered.
    """
    functions = {name: primitive.function for name, primitive in language.primitives.items()}
    named = {**language.constants, **functions}
    constants = _Constants()
    numbers, takes = constants.add(named.values(), 0)
    of_calls, more = constants.add(
        map(language.default_of, [*functions.values(), None]), len(takes)
    )
    defaults = np.full(len(takes) + 1, of_calls[-1])
    defaults[[*numbers[len(language.constants) :], -1]] = of_calls
    of_names = dict(zip(named, numbers, strict=True))
    choices = np.zeros(len(defaults), dtype=np.bool_)
    choices[[of_names[name] for name, one in language.primitives.items() if one.chooses]] = True
    numbers_calls = any(primitive.numbered for primitive in language.primitives.values())
    return constants, np.concatenate([takes, more]), of_names, defaults, choices, numbers_calls


def _arity(value: Any) -> int:
    """Return the arity of a constant, or what stands in its place."""
    known = value if isinstance(value, Closure) else primitive_of(value)
    if known is not None:
        return known.arity
    return _ANY if callable(value) else _NO_FUNCTION


@machine_function
def _slot_of(begins, flat, slots, begin, end):
    """Return the slot of the operation with these operands, or a free one."""
    mask = len(slots) - 1
    code = end - begin
    for place in range(begin, end):
        code = (code ^ flat[place]) * 0x2545F4914F6CDD1D
        code ^= (code >> 29) & 0x7FFFFFFFF
    slot = code & mask
    while slots[slot] != FREE:
        other = begins[slots[slot]]
        if begins[slots[slot] + 1] - other == end - begin:
            place = begin
            while place < end and flat[other + place - begin] == flat[place]:
                place += 1
            if place == end:
                return slot
        slot = (slot + 1) & mask
    return slot


@Loop
def _fill(begins, flat, slots):
    """Put all operations into slots."""
    for number in range(len(begins) - 1):
        if begins[number] < begins[number + 1]:
            slots[_slot_of(begins, flat, slots, begins[number], begins[number + 1])] = number


@machine_function
def _number_of(word, program, domain, meanings, inputs, bound, bound_in):
    """Return the number of a word's value in a program; negative for a word without a value."""
    meaning = meanings[word]
    if meaning == VARIABLE:
        return bound[word] if bound_in[word] == program else meaning
    if meaning <= FIRST_INPUT:
        return inputs[domain, FIRST_INPUT - meaning]
    return meaning


@Loop
def _merge(
    words, lengths, counts, returns, of_programs, meanings, inputs, bound, bound_in, begins, flat,
    domains, takes, slots, values, outputs, targets,
):  # fmt: skip
    """Do `Operations.merge`. Returns the new number of values.

    bound: The values of variables. bound_in: The program in which each variable is bound, counted
    from 1. values: The present number of values.
    """
    at = operation = 0
    for k in range(len(counts)):
        right = True
        for _ in range(counts[k]):
            count = lengths[operation] - 1
            begin = begins[values]
            right = right and count > 0 and meanings[words[at]] == VARIABLE
            domain = -1
            for place in range(count if right else 0):
                number = _number_of(
                    words[at + 1 + place], k + 1, of_programs[k], meanings, inputs, bound, bound_in
                )
                if number < 0:
                    right = False
                    break
                flat[begin + place] = number
                if domain < 0:
                    domain = domains[number]
            targets[operation] = -1
            if right:
                arity = takes[flat[begin]]
                right = arity == _ANY or arity == count - 1
            if right:
                slot = _slot_of(begins, flat, slots, begin, begin + count)
                if slots[slot] == FREE:
                    slots[slot] = values
                    begins[values + 1] = begin + count
                    domains[values] = domain
                    takes[values] = _ANY
                    values += 1
                targets[operation] = bound[words[at]] = slots[slot]
                bound_in[words[at]] = k + 1
            at += count + 1
            operation += 1
        outputs[k] = -1
        if right:
            number = _number_of(
                returns[k], k + 1, of_programs[k], meanings, inputs, bound, bound_in
            )
            outputs[k] = max(number, -1)
    return values


@Loop
def _walk(operands_begin, operands, numbers, seen, apart, members, begins):
    """Store the cone of each value, and the cones' offsets; see `Operands.cones`.

    seen: Flags values that are not walked through. Operations found for one value are skipped for
    the next, unless values are `apart`. Returns whether there is room for the members.
    """
    end = 0
    for k in range(len(numbers)):
        first = at = end
        end = _joined(operands_begin, numbers[k], seen, members, end)
        while at < end and end <= len(members):
            for place in range(operands_begin[members[at]], operands_begin[members[at] + 1]):
                end = _joined(operands_begin, operands[place], seen, members, end)
            at += 1
        if end > len(members):
            return False
        if apart:
            for place in range(first, end):
                seen[members[place]] = False
        begins[k + 1] = end
    return True


@machine_function
def _joined(operands_begin, number, seen, members, end):
    """Store an unseen operation behind the members, if there is room; skip other values.

    Returns the new end of the members, which lies beyond `members` if that is full.
    """
    if seen[number] or operands_begin[number] == operands_begin[number + 1]:
        return end
    seen[number] = True
    if end < len(members):
        members[end] = number
    return end + 1


@Loop
def _tabulate(begins, flat, numbers, table):
    """Store the first operands of each value in its row of a table."""
    for k in range(len(numbers)):
        begin = begins[numbers[k]]
        count = begins[numbers[k] + 1] - begin
        for place in range(min(count, table.shape[1])):
            table[k, place] = flat[begin + place]
