"""Communication in a team of threads (see `kernels.TeamKernel`), in the form for one thread.

`cuda_text` has a warp's forms, of the same names. All threads of a team must make the same calls.
"""

from megabatt.runtime.engine.device.kernels import device_function


@device_function
def wait_for_team():
    """Wait until all threads may read what any thread of the team has written."""
    return


@device_function
def sum_of_team(value):
    """Return the sum of the threads' values."""
    return value


@device_function
def real_sum_of_team(value):
    """Return the sum of the threads' values, float64."""
    return value


@device_function
def real_most_of_team(value):
    """Return the greatest of the threads' values, float64."""
    return value
