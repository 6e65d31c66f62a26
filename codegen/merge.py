"""Merging: dead operation elimination, value numbering, liveness."""

from __future__ import annotations

from collections.abc import Sequence

from megabatt.codegen.program import Operand, Operation, Program


def merge(programs: Sequence[Program]) -> Program:
    """Make one program of several, in which equal operations occur once and none is dead.

    Primitives are pure, so two operations with the same function and the same operands have the
    same value (hash-consing). Numbers follow first appearance, whatever the variables were called.

    Args:
        programs: programs whose outputs have different names.

    Returns:
        The merged program, with the outputs of all in their order. Merging it again changes
        nothing.
    """
    operations: list[Operation] = []
    numbers: dict[tuple[Operand, ...], int] = {}
    outputs: dict[str, Operand] = {}
    for program in programs:
        renumbered: dict[Operand, Operand] = {}
        for number in sorted(_live(program)):
            operation = _renumber(program.operations[number - 1], renumbered)
            if operation.operands not in numbers:
                operations.append(operation)
                numbers[operation.operands] = len(operations)
            renumbered[number] = numbers[operation.operands]
        for name, result in program.outputs.items():
            outputs[name] = renumbered.get(result, result)
    return Program(tuple(operations), outputs)


def numbers_in(merged: Program, program: Program) -> list[int]:
    """Find a program's operations in a merged one that has all of them.

    Args:
        merged: what `merge` has made of the program and others.
        program: the program, merged by itself.

    Returns:
        The merged program's number of each operation of the program.
    """
    numbers = {operation.operands: k for k, operation in enumerate(merged.operations, start=1)}
    found: dict[Operand, Operand] = {}
    for number, operation in enumerate(program.operations, start=1):
        found[number] = numbers[_renumber(operation, found).operands]
    return [int(number) for number in found.values()]


def last_uses(program: Program) -> dict[int, list[int]]:
    """Liveness: which values nothing needs any more.

    Args:
        program: a program without dead operations.

    Returns:
        For the number of an operation, the numbers of the values that it is the last to use,
        ascending. Outputs are needed to the end and never occur.
    """
    freed: dict[int, list[int]] = {}
    needed = {result for result in program.outputs.values()}
    for number in range(len(program.operations), 0, -1):
        for operand in program.operations[number - 1].operands:
            if isinstance(operand, int) and operand not in needed:
                needed.add(operand)
                freed.setdefault(number, []).append(operand)
    return {number: sorted(values) for number, values in freed.items()}


def _live(program: Program) -> set[int]:
    """The numbers of the operations that an output depends on."""
    live = {result for result in program.outputs.values() if isinstance(result, int)}
    for number in range(len(program.operations), 0, -1):
        if number in live:
            operands = program.operations[number - 1].operands
            live.update(operand for operand in operands if isinstance(operand, int))
    return live


def _renumber(operation: Operation, numbers: dict[Operand, Operand]) -> Operation:
    function, *arguments = (numbers.get(operand, operand) for operand in operation.operands)
    return Operation(function, tuple(arguments), operation.solver)
