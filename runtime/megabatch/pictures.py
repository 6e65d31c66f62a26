"""Values drawn for a person: in the terminal by Rich, elsewhere as SVG.

A workload draws the values of its language (`Shown.picture`); this module puts the pictures side by
side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Any, Protocol

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from megabatt.runtime.engine.language.values import show
from megabatt.runtime.printable import printable, printable_lines
from megabatt.runtime.terminal import Terminal


class Picture(Protocol):
    """A drawn value, as SVG and as a Rich renderable that measures its width.

    size: The width and height of the SVG, in pixels.
    """

    @property
    def size(self) -> tuple[float, float]: ...

    def svg(self) -> str:
        """Return SVG elements, drawn from (0, 0)."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult: ...

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement: ...


_LETTER, _LINE = 7.25, 16.0
"""The width of a letter and the height of a line, in pixels, in a monospaced font of 12 pixels."""
_WRAPPED_AT = 48
_MOST_TEXT = 480


def _escaped(text: str) -> str:
    """Return a line of text escaped for XML, with escapes for unprintable characters."""
    return escape(printable(text))


class Words:
    """A picture of lines of text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    @classmethod
    def wrapped(cls, text: str) -> Words:
        """Make the picture of a text, with lines wrapped and a long text cut."""
        if len(text) > _MOST_TEXT:
            text = f"{text[:_MOST_TEXT]}... ({len(text)} characters)"
        starts = range(0, max(len(text), 1), _WRAPPED_AT)
        return cls([text[at : at + _WRAPPED_AT] for at in starts])

    @property
    def size(self) -> tuple[float, float]:
        return _LETTER * max(map(len, self.lines)), _LINE * len(self.lines)

    def svg(self) -> str:
        return "".join(
            f'<text class="words" x="0" y="{_LINE * k + 12:g}">{_escaped(line)}</text>'
            for k, line in enumerate(self.lines)
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("\n".join(self.lines))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(12, max(map(len, self.lines))), max(map(len, self.lines)))


def words(value: Any) -> Words:
    """Return a picture of the source that builds a value."""
    return Words.wrapped(show(value))


@dataclass
class Panel:
    """A picture and the lines above it.

    good: Whether the shown value is right; None if unknown. notes: Lines about the picture, which a
    terminal shows below the row, so that all pictures begin at the same height.
    """

    title: str
    picture: Picture
    good: bool | None = None
    notes: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        """The title's lines and the notes."""
        return [*self.title.splitlines(), *self.notes]

    @property
    def style(self) -> str:
        """The style of the title and the notes in a terminal."""
        return {None: "bold", True: "bold green", False: "bold red"}[self.good]

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.picture.size
        lines = self.lines
        return max([width, *(_LETTER * len(line) for line in lines)]), (
            height + _LINE * len(lines) + 4
        )

    def svg(self) -> str:
        lines = self.lines
        kind = {None: "title", True: "title good", False: "title bad"}[self.good]
        return (
            "".join(
                f'<text class="{kind}" x="0" y="{_LINE * k + 12:g}">{_escaped(line)}</text>'
                for k, line in enumerate(lines)
            )
            + f'<g transform="translate(0 {_LINE * len(lines) + 4:g})">{self.picture.svg()}</g>'
        )

    def __rich__(self) -> RenderableType:
        if not self.title:
            return self.picture  # type: ignore[return-value]
        return Group(Text(self.title, self.style), self.picture)  # type: ignore[arg-type]


@dataclass
class Row:
    """Panels that belong together, under a heading."""

    heading: str
    panels: Sequence[Panel]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.heading:
            yield Text(self.heading, "bold cyan")
        for line in self._lines(console, options):
            grid = Table.grid(padding=(0, _GAP))
            for width, _ in line:
                grid.add_column(width=width)
            grid.add_row(*(panel for _, panel in line))
            yield grid
        for panel in self.panels:
            name = panel.title.partition(":")[0]
            yield from (Text(f"{name}: {note}", panel.style) for note in panel.notes)
        yield Text()

    def _lines(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[list[tuple[int, Panel]]]:
        """Yield lines of panels with widths, each with all panels that fit; titles may wrap."""
        line: list[tuple[int, Panel]] = []
        left = options.max_width
        for panel in self.panels:
            picture = Measurement.get(console, options, panel.picture)  # type: ignore[arg-type]
            title = Measurement.get(console, options, Text(panel.title))
            if line and max(picture.maximum, title.minimum) > left:
                yield line
                line, left = [], options.max_width
            width = min(max(picture.maximum, title.maximum), left)
            line.append((width, panel))
            left -= width + _GAP
        if line:
            yield line


_GAP = 3
_SPACE = 24.0
_RULES = {
    "text": "font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1b1f",
    "text.title": "font-weight:600",
    "text.good": "fill:#1a7f37",
    "text.bad": "fill:#c62828",
    "text.heading": "fill:#0a5ea8;font-weight:600",
}
_DARK_RULES = {
    "rect.page": "fill:#0d1117",
    "text": "fill:#e6edf3",
    "text.good": "fill:#3fb950",
    "text.bad": "fill:#ff7b72",
    "text.heading": "fill:#79b8ff",
}
_PAGE_RULES = {
    "": "font:14px system-ui,sans-serif;color:#1b1b1f;background:#fff",
    "h2": "font:600 13px ui-monospace,monospace;color:#0a5ea8",
    "section div": "display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start",
}


def svg_of(rows: Sequence[Row]) -> str:
    """Return a self-contained SVG file of the rows, in the viewer's light or dark colors.
    """
    body, y, right = [], _SPACE, 0.0
    for row in rows:
        if row.heading:
            body.append(
                f'<text class="heading" x="{_SPACE:g}" y="{y + 12:g}">'
                f"{_escaped(row.heading)}</text>"
            )
            right = max(right, _SPACE + _LETTER * len(row.heading))
            y += _LINE + 6
        x, below = _SPACE, y
        for panel in row.panels:
            width, height = panel.size
            body.append(f'<g transform="translate({x:g} {y:g})">{panel.svg()}</g>')
            x += width + _SPACE
            below = max(below, y + height)
        y, right = below + _SPACE, max(right, x - _SPACE)
    width, height = right + _SPACE, y
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><style>{_styles("", _RULES)}'
        f"@media(prefers-color-scheme:dark){{{_styles('', _DARK_RULES)}}}</style>"
        f'<rect class="page" width="100%" height="100%" fill="#ffffff"/>{"".join(body)}</svg>\n'
    )


def html_of(title: str, rows: Sequence[Row]) -> str:
    """Return a whole HTML page with the rows, whose panels wrap to the width of the window."""
    style = _styles("body", _PAGE_RULES) + _styles("", _RULES)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_escaped(title)}</title><style>{style}body{{margin:2rem}}h1{{font-size:1.3rem}}"
        f"</style></head><body><h1>{_escaped(title)}</h1>{_sections(rows)}</body></html>\n"
    )


def fragment_of(*parts: str | Sequence[Row]) -> str:
    """Return a fragment of HTML, such as for a notebook's cell, with styles for the fragment alone.

    parts: Rows, or HTML.
    """
    style = _styles(".megabatt", _PAGE_RULES) + _styles(".megabatt", _RULES)
    body = "".join(part if isinstance(part, str) else _sections(part) for part in parts)
    return f'<div class="megabatt"><style>{style}</style>{body}</div>'


def preformatted(text: str) -> str:
    """Return text as preformatted HTML, with escapes for unprintable characters."""
    return f"<pre>{escape(printable_lines(text))}</pre>"


def table_of(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table. rows: Rows with an entry for every heading."""
    lines = [("th", head), *(("td", row) for row in rows)]
    body = "".join(
        "<tr>" + "".join(f"<{kind}>{_escaped(str(entry))}</{kind}>" for entry in row) + "</tr>"
        for kind, row in lines
    )
    return f"<table>{body}</table>"


def text_of(rows: Sequence[Row], width: int = 100) -> str:
    """Return the rows as text, as a terminal without colors shows rows."""
    text = StringIO()
    console = Terminal(file=text, width=width, color_system=None)
    for row in rows:
        console.print(row)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _styles(scope: str, rules: Mapping[str, str]) -> str:
    """Return style rules. scope: The selector that limits the rules; "" for no limit."""
    return "".join(f"{scope} {name}{{{rule}}}".lstrip() for name, rule in rules.items())


def _sections(rows: Sequence[Row]) -> str:
    sections = []
    for row in rows:
        panels = "".join(map(_svg_alone, row.panels))
        heading = f"<h2>{_escaped(row.heading)}</h2>" if row.heading else ""
        sections.append(f"<section>{heading}<div>{panels}</div></section>")
    return "".join(sections)


def _svg_alone(panel: Panel) -> str:
    width, height = panel.size
    return f'<svg width="{width:g}" height="{height:g}">{panel.svg()}</svg>'
