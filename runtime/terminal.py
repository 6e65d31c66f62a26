"""The console of the commands, which shows text as it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from megabatt.runtime.printable import printable_lines


class Terminal(Console):
    """A console on which no text acts as a command.

    Brackets and colons are no markup, and text is made printable. Rich's own control codes, which
    are segments of another kind, stay.
    """

    def __init__(self, **options: Any) -> None:
        """Set up a console. options: Those of `rich.console.Console`.

        FORCE_COLOR gives colors to files and pipes, without moving displays; 0 counts as unset.
        NO_COLOR, which Rich reads, takes colors away.
        """
        file = options.get("file") or sys.stdout
        forced = os.environ.get("FORCE_COLOR", "")
        if forced and not options.get("force_terminal") and not file.isatty():
            system = "standard" if forced != "0" else "auto"
            options = {"color_system": system, **options, "force_terminal": False}
        super().__init__(markup=False, emoji=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield the segments of a renderable, with printable text."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield segment._replace(text=printable_lines(segment.text))
