"""`megabatt compile`: the compiler's own command."""

from megabatt.codegen.__main__ import main as compile

__all__ = ["compile"]
