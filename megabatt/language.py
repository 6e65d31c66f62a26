"""The parts of a language of your own: its table, types, primitives, and its workload.

Language, CORE                      a table of primitives, and the primitives of any language
Declared, Boolean, Integer, ...     declared types
charges                             charges of calls: measures of containers
rule, compiled, lane_kernel         the second form of a primitive, and a kernel for one lane
machine                             functions for compiled forms
Column, Floats, Cast, Frame, xp     types and arrays for rules
Workload, Data, Shown, Draws        samples, their display, and the fuzzer's draws
fails, identical                    the safe default of functions; equality of values
"""

from megabatt.runtime.core import CORE, charges
from megabatt.runtime.core.types import (
    Any,
    Boolean,
    Callable,
    Container,
    ContainerContainer,
    Declared,
    FrozenSet,
    Integer,
    IntegerSet,
    Number,
    Tuple,
    TupleTuple,
    all_failed,
)
from megabatt.runtime.engine.columns import Bools, Column, Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Cast, Frame, rule
from megabatt.runtime.engine.device.arrays import Array, elements_of, xp
from megabatt.runtime.engine.device.kernels import lane_kernel
from megabatt.runtime.engine.language.charges import Measure, OfResult
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import fails, identical
from megabatt.runtime.engine.machine import prelude as machine
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.shown import Shown
from megabatt.runtime.megabatch.verify.kinds import Draws
from megabatt.runtime.megabatch.workload import Workload

__all__ = [
    "CORE",
    "Any",
    "Array",
    "Boolean",
    "Bools",
    "Callable",
    "Cast",
    "Column",
    "Container",
    "ContainerContainer",
    "Data",
    "DataError",
    "Declared",
    "Draws",
    "Floats",
    "Frame",
    "FrozenSet",
    "Integer",
    "IntegerSet",
    "Ints",
    "Language",
    "Lists",
    "Measure",
    "Number",
    "OfResult",
    "Policy",
    "Shown",
    "Tuple",
    "TupleTuple",
    "Workload",
    "all_failed",
    "charges",
    "compiled",
    "elements_of",
    "fails",
    "identical",
    "lane_kernel",
    "machine",
    "rule",
    "xp",
]
