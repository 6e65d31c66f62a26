"""The language's registry: `LANGUAGE`, and the decorator that adds a primitive to it."""

from __future__ import annotations

from megabatt.runtime.core import CORE
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.signal.constants import CONSTANTS
from megabatt.runtime.signal.policy import SignalPolicy
from megabatt.runtime.signal.tolerance import same

LANGUAGE = Language(inputs=("P", "K"), constants=CONSTANTS, policy=SignalPolicy(), same=same)
LANGUAGE.include(CORE)

primitive = LANGUAGE.primitive
