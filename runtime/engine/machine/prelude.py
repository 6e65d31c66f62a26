"""The functions for compiled forms, which import this module as `m`."""

# ruff: noqa: F403

from megabatt.runtime.engine.machine.calls import *
from megabatt.runtime.engine.machine.contents import *
from megabatt.runtime.engine.machine.layout import *
from megabatt.runtime.engine.machine.order import *
from megabatt.runtime.engine.machine.sets import *
from megabatt.runtime.engine.machine.weights import *
