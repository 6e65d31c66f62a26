"""How values lie in memory: words and nodes, under one name for the modules below the prelude.

from megabatt.runtime.engine.machine import layout as m
"""

# ruff: noqa: F403

from megabatt.runtime.engine.machine.nodes import *
from megabatt.runtime.engine.machine.words import *
