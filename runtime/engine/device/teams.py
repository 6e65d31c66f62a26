"""What the threads of a team exchange (see `kernels.TeamKernel`), in the form for one thread.

A GPU's forms of these functions, for the threads of a warp, stand under the same names in
`cuda_text`. All threads of a team must come to the same calls, but for those on arrays.
"""

from __future__ import annotations

from megabatt.runtime.engine.device.kernels import device_function


@device_function
def wait_for_team():
    """What any thread of the team has written until now, all may read from now on."""
    return


@device_function
def sum_of_team(value):
    """The sum of the threads' values."""
    return value


@device_function
def real_sum_of_team(value):
    """The sum of the threads' values, float64."""
    return value


@device_function
def real_most_of_team(value):
    """The greatest of the threads' values, float64."""
    return value


@device_function
def least_of_team(value):
    return value


@device_function
def most_of_team(value):
    return value


@device_function
def sum_before(value, place):
    """The sum of the values of the threads that come before this one, which is at `place`."""
    return value * 0


@device_function
def lower(values, at, value):
    """Lower values[at] (int32) to `value` if that is less; several threads may at a time."""
    values[at] = min(values[at], value)


@device_function
def swap(values, at, expected, value):
    """Compare and swap: return values[at] (int32), replaced by `value` if it was `expected`."""
    found = values[at]
    if found == expected:
        values[at] = value
    return found


@device_function
def count_up(values, at):
    """Add 1 to values[at] (int32). Several threads may at a time."""
    values[at] += 1
