"""Merging: dead operation elimination, value numbering, liveness."""

from __future__ import annotations

from collections.abc import Sequence

from megabatt.codegen.solver import Block, NumberedOperation, Operand


def merge(blocks: Sequence[Block]) -> Block:
    """Make one block of several, in which equal operations occur once and none is dead.

    Primitives are pure, so two operations with the same function and the same operands have the
    same value (hash-consing). Numbers follow first appearance, whatever the variables were called.

    Args:
        blocks: blocks whose outputs have different names.

    Returns:
        The merged block, with the outputs of all in their order. Merging it again changes
        nothing.
    """
    operations: list[NumberedOperation] = []
    numbers: dict[tuple[Operand, ...], int] = {}
    outputs: dict[str, Operand] = {}
    for block in blocks:
        renumbered: dict[Operand, Operand] = {}
        for number in sorted(_live(block)):
            operation = _renumber(block.operations[number - 1], renumbered)
            if operation.operands not in numbers:
                operations.append(operation)
                numbers[operation.operands] = len(operations)
            renumbered[number] = numbers[operation.operands]
        for name, result in block.outputs.items():
            outputs[name] = renumbered.get(result, result)
    return Block(tuple(operations), outputs)


def numbers_in(merged: Block, block: Block) -> list[int]:
    """Find a block's operations in a merged one that has all of them.

    Args:
        merged: what `merge` has made of the block and others.
        block: the block, merged by itself.

    Returns:
        The merged block's number of each operation of the block.
    """
    numbers = {operation.operands: k for k, operation in enumerate(merged.operations, start=1)}
    found: dict[Operand, Operand] = {}
    for number, operation in enumerate(block.operations, start=1):
        found[number] = numbers[_renumber(operation, found).operands]
    return [int(number) for number in found.values()]


def last_uses(block: Block) -> dict[int, list[int]]:
    """Find the last use of each value (liveness).

    Args:
        block: a block without dead operations.

    Returns:
        For the number of an operation, the numbers of the values that it is the last to use,
        ascending. Outputs are needed to the end and never occur.
    """
    freed: dict[int, list[int]] = {}
    needed = {result for result in block.outputs.values()}
    for number in range(len(block.operations), 0, -1):
        for operand in block.operations[number - 1].operands:
            if isinstance(operand, int) and operand not in needed:
                needed.add(operand)
                freed.setdefault(number, []).append(operand)
    return {number: sorted(values) for number, values in freed.items()}


def _live(block: Block) -> set[int]:
    """Return the numbers of the operations that an output depends on."""
    live = {result for result in block.outputs.values() if isinstance(result, int)}
    for number in range(len(block.operations), 0, -1):
        if number in live:
            operands = block.operations[number - 1].operands
            live.update(operand for operand in operands if isinstance(operand, int))
    return live


def _renumber(operation: NumberedOperation, numbers: dict[Operand, Operand]) -> NumberedOperation:
    function, *arguments = (numbers.get(operand, operand) for operand in operation.operands)
    return NumberedOperation(function, tuple(arguments), operation.solver)
