"""What programs gave on samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from megabatt.runtime.arguments import integer
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.megabatch.evaluation.outputs import Bits, Outputs
from megabatt.runtime.printable import printable, short
from megabatt.runtime.program import Program


@dataclass
class Evaluation:
    """What programs gave on samples.

    programs        the programs that were evaluated
    matches         bool (programs, samples): whether the output is the one expected
    closeness       float32 (programs, samples): how close the output comes to what is expected, as
                    the workload has it, from 0 to 1; None where it was not asked for
    known           bool (samples,): whether an output is expected at all
    failed          int64 (programs, samples): operations of the program that failed; -1 where it
                    was not run
    first_failure   int32 (programs, samples): the place, among the program's operations, of the
                    first that failed, of those that its output needs; -1 where none did
    reason          uint8 (programs, samples): why that failed, a `Reason`
    errors          by the program's place, why it was not run
    operations      how many distinct operations the programs have
    seen            how many of these the evaluator had made before
    host_share      the share of operation-lanes that scalar code computed
    seconds         how long it took; checking_seconds: the part for checking and merging programs
    """

    programs: Sequence[Program]
    matches: Bits
    closeness: Bits | None
    known: Bits
    failed: Bits
    first_failure: Bits
    reason: Bits
    errors: dict[int, str]
    operations: int
    seen: int
    host_share: float
    seconds: float
    checking_seconds: float
    _outputs: Outputs = field(repr=False)
    _kept: str = field(repr=False)

    @cached_property
    def fits(self) -> Bits:
        """bool (programs,): whether every output that is known is given; false where none is."""
        if not self.known.any():
            return np.zeros(len(self.programs), dtype=np.bool_)
        return np.array(self.matches[:, self.known].all(axis=1), dtype=np.bool_)

    @cached_property
    def limited(self) -> Bits:
        """bool (programs,): whether the limit alone speaks against a program.

        Every output that is known is given, but where the first operation that fails does so by
        the limit.
        """
        by_limit = self.reason[:, self.known] == Reason.LIMIT
        spared = (self.matches[:, self.known] | by_limit).all(axis=1)
        return np.array(spared & by_limit.any(axis=1) & ~self.fits, dtype=np.bool_)

    def output(self, program: int, sample: int) -> Any:
        """Return what a program gave on a sample, as a plain value.

        program, sample: their places, integers; those below 0 count from the end. Raises TypeError,
        and LookupError where the output was not kept, see `outputs`, or not computed.
        """
        program = integer("program", program)
        sample = integer("sample", sample)
        programs, samples = self.matches.shape
        if not (-programs <= program < programs and -samples <= sample < samples):
            where = f"program {short(program)} on sample {short(sample)}"
            raise LookupError(f"{where}: there are {programs} programs and {samples} samples")
        program, sample = program % programs, sample % samples
        if program in self.errors:
            raise LookupError(f"program {program} was not run: {self.errors[program]}")
        if self.failed[program, sample] < 0:
            raise LookupError(f"program {program} was not run on sample {sample}")
        if (program, sample) not in self._outputs:
            raise LookupError(
                f"the output of program {program} on sample {sample} was not kept "
                f"(outputs={self._kept!r}); outputs='all' keeps every one"
            )
        return self._outputs[program, sample]

    def __repr__(self) -> str:
        return "\n".join(map(printable, self._lines()))

    def _lines(self) -> list[str]:
        programs, samples = self.matches.shape
        rate = programs / self.seconds if self.seconds else 0
        lines = [
            f"{programs:,} programs on {samples} samples in {self.seconds:.2f} s "
            f"({rate:,.0f} programs a second): {int(self.fits.sum()):,} fit",
            f"{self.operations:,} operations, {self.seen:,} of them seen before; "
            f"{100 * self.host_share:.2f} % of the work on the host",
        ]
        if self.errors:
            first = min(self.errors)
            name = self.programs[first].name
            lines.append(
                f"{len(self.errors):,} programs not run; the first, {name}: {self.errors[first]}"
            )
        best = self._best()
        if best:
            lines.append("best: " + ", ".join(best))
        return lines

    def _best(self) -> list[str]:
        right = self.matches.sum(axis=1)
        order = np.argsort(-right, kind="stable")[:5]
        of = int(self.known.sum())
        return [f"{self.programs[k].name} {right[k]}/{of}" for k in order if right[k]]

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"
