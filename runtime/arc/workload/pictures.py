"""Values of ARC drawn: grids, patches and objects on their grid, in ARC's ten colours."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from rich.color import blend_rgb, parse_rgb_hex
from rich.color_triplet import ColorTriplet
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style

from megabatt.runtime.arc.types import described, patch_elements
from megabatt.runtime.arc.values import bounds_of, cells_of, extent_of, is_grid, is_object
from megabatt.runtime.engine.language.values import ascending, show_cut
from megabatt.runtime.megabatch.pictures import Picture

COLOURS = (
    "#000000", "#0074d9", "#ff4136", "#2ecc40", "#ffdc00",
    "#aaaaaa", "#f012be", "#ff851b", "#7fdbff", "#870c25",
)  # fmt: skip
"""ARC's colours, by the cell's Integer."""

_OTHER = "#5d5d73"
"""The colour of a cell whose Integer is none of the ten colours."""
_NOTHING = "#ececf0"
"""The colour where there is no cell."""
_LINES = "#55555f"
_PALE = ColorTriplet(0xE0, 0xE0, 0xE0)
_MOST_SIDE = 64
"""A value with more rows or columns is not drawn."""

Cell = tuple[int, int]
Cells = tuple[tuple[int | None, ...], ...]


@dataclass
class CellPicture:
    """Cells in their colours.

    cells: Rows of Integers, None where there is nothing. marked: Cells to point at. faint: Cells
    that only show where the other cells are. parts: Sets of cells to outline.
    """

    cells: Cells
    marked: Collection[Cell] = ()
    faint: Collection[Cell] = ()
    parts: Sequence[Collection[Cell]] = ()

    def __post_init__(self) -> None:
        self._height, self._width = extent_of(self.cells)

    @property
    def _side(self) -> int:
        """The width of a cell in pixels: small grids are drawn larger."""
        return max(8, min(20, 320 // max(self._height, self._width)))

    def _colour(self, i: int, j: int) -> str:
        """Return a cell's colour as #rrggbb."""
        cell = self.cells[i][j]
        colour = _NOTHING if cell is None else COLOURS[cell] if 0 <= cell <= 9 else _OTHER
        is_faint = (i, j) in self.faint
        return blend_rgb(parse_rgb_hex(colour[1:]), _PALE, 0.75).hex if is_faint else colour

    # In the terminal

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self._width * self._letters(), self._width * max(2, self._letters()))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        letters = self._letters()
        if options.max_width >= 2 * self._width:
            letters = max(2, letters)
        plain = console.color_system is None or console.no_color
        for i in range(self._height):
            for j in range(self._width):
                yield Segment(*self._letters_of(i, j, letters, plain))
            yield Segment.line()

    def _letters(self) -> int:
        """Count the letters that a cell needs: 1, or as many as the longest number and a space."""
        return max((len(str(self.cells[i][j])) + 1 for i, j in self._unusual()), default=1)

    def _letters_of(self, i: int, j: int, letters: int, plain: bool) -> tuple[str, Style | None]:
        """Return the text that stands for a cell, and its style. plain: without colours."""
        cell, marked = self.cells[i][j], (i, j) in self.marked
        number = "" if cell is None else str(cell)
        if plain:
            if (i, j) in self.faint and letters > 1:
                number = "."
            text = number + "*" if marked and letters > 1 else number
            return (text or " ").ljust(letters), None
        shown = number if cell is None or not 0 <= cell <= 9 else ""
        text = (shown or ("x" * letters if marked else "")).ljust(letters)
        colour = self._colour(i, j)
        return text, Style(color=_readable_on(colour), bgcolor=colour, bold=marked)

    # As SVG

    @property
    def size(self) -> tuple[float, float]:
        return self._side * self._width + 1, self._side * self._height + 1

    def svg(self) -> str:
        side = self._side
        width, height = side * self._width, side * self._height
        drawn = []
        for i in range(self._height):
            x = 0
            for colour, run in groupby(self._colour(i, j) for j in range(self._width)):
                long = side * len(list(run))
                drawn.append(
                    f'<rect x="{x}" y="{i * side}" width="{long}" height="{side}" fill="{colour}"/>'
                )
                x += long
        grid = "".join(f"M0 {i * side}H{width}" for i in range(self._height + 1))
        grid += "".join(f"M{j * side} 0V{height}" for j in range(self._width + 1))
        drawn.append(_path(grid, _LINES, ".6"))
        for part in self.parts:
            outline = _outline(part, side)
            drawn += [_path(outline, "#fff", "3"), _path(outline, "#d100d1", "1.5")]
        drawn += [self._number(i, j) for i, j in self._unusual()]
        drawn += [_cross(i, j, side) for i, j in sorted(self.marked)]
        return f'<g transform="translate(.5 .5)">{"".join(drawn)}</g>'

    def _unusual(self) -> list[Cell]:
        """List the cells whose colour is none of the ten."""
        cells = cells_of(self.cells)
        return [place for cell, place in cells if cell is not None and not 0 <= cell <= 9]

    def _number(self, i: int, j: int) -> str:
        side = self._side
        return (
            f'<text x="{j * side + side / 2:g}" y="{i * side + side * 0.7:g}" '
            f'style="font-size:{side / 2:g}px;fill:#fff" text-anchor="middle">'
            f"{escape(str(self.cells[i][j]))}</text>"
        )


@dataclass
class Several:
    """Pictures in a row."""

    pictures: Sequence[CellPicture]

    @property
    def size(self) -> tuple[float, float]:
        sizes = [picture.size for picture in self.pictures]
        return sum(w for w, _ in sizes) + 8 * (len(sizes) - 1), max(h for _, h in sizes)

    def svg(self) -> str:
        x, drawn = 0.0, []
        for picture in self.pictures:
            drawn.append(f'<g transform="translate({x:g} 0)">{picture.svg()}</g>')
            x += picture.size[0] + 8
        return "".join(drawn)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        measured = [picture.__rich_measure__(console, options) for picture in self.pictures]
        return Measurement(
            max(m.minimum for m in measured), sum(m.maximum + 2 for m in measured) - 2
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.columns import Columns

        yield Columns(self.pictures, padding=(0, 2))  # type: ignore[arg-type]


_MOST_PICTURES = 12


def picture_of(value: Any, other: Any = None, among: Sequence[Any] = ()) -> Picture | None:
    """Draw a grid, a patch, an object or a container of these; None for any other value.

    other: A grid to compare with; differing cells are marked. among: Values that `value` was
    computed from; a patch is drawn on the first grid among these values.
    """
    if _is_drawn(value):
        return CellPicture(value, differing_cells(value, other))
    parts = _parts(value)
    if parts is not None:
        return _on_grid(parts, next(filter(_is_drawn, among), None))
    if isinstance(value, (tuple, frozenset)) and 0 < len(value) <= _MOST_PICTURES:
        grids = ascending(value)
        if all(map(_is_drawn, grids)):
            return Several(list(map(CellPicture, grids)))
    return None


def _is_drawn(value: Any) -> bool:
    """Tell whether a value is drawn as a grid: one with cells, and not too large."""
    return is_grid(value) and all(0 < side <= _MOST_SIDE for side in extent_of(value))


def differing_cells(grid: Any, other: Any) -> list[Cell]:
    """List the cells in which two grids of the same size differ; none for other values."""
    if not (_is_drawn(grid) and _is_drawn(other)) or extent_of(grid) != extent_of(other):
        return []
    both = zip(cells_of(grid), cells_of(other), strict=True)
    return [place for (cell, place), (there, _) in both if cell != there]


_CELLS_NAMED = 3
_MOST_SHOWN = 80
"""The most characters of a value that is no grid."""


def difference(value: Any, other: Any) -> str:
    """Say how a value differs from a grid: in kind, in size, or in its first differing cells.

    Returns "" for equal grids, and where `other` is no grid or too large to draw.
    """
    if not _is_drawn(other):
        return ""
    kind = described(value)
    if kind != "a Grid" and value != ():
        return f"gives {kind or show_cut(value, _MOST_SHOWN)}, which is no grid"
    if extent_of(value) != extent_of(other):
        return "{} x {}, not {} x {}".format(*extent_of(value), *extent_of(other))
    cells = differing_cells(value, other)
    if not cells:
        return ""
    count = len(cells)
    named = [f"({i}, {j}) is {value[i][j]}, not {other[i][j]}" for i, j in cells[:_CELLS_NAMED]]
    more = f", and {count - _CELLS_NAMED} more" if count > _CELLS_NAMED else ""
    cells_differ = f"{count} cell{'s' * (count > 1)} differ{'s' * (count == 1)}"
    return f"{cells_differ}: {'; '.join(named)}{more}"


Patch = dict[Cell, int | None]
"""Cells with their colours; None for a cell without a colour."""


def _parts(value: Any) -> list[Patch] | None:
    """List the patches of a patch or a container of patches; None for any other value."""
    if not isinstance(value, (frozenset, tuple)) or not value:
        return None
    if patch := _patch(value):
        return [patch]
    found = [patch for patch in map(_patch, ascending(value)) if patch is not None]
    return found if len(found) == len(value) else None


def _patch(value: Any) -> Patch | None:
    elements = patch_elements(value) if isinstance(value, frozenset) else None
    if not elements:
        return None
    if is_object(elements):
        return {place: colour for colour, place in elements}
    return dict.fromkeys(elements)


def _on_grid(parts: list[Patch], base: Any) -> CellPicture | None:
    """Draw patches on their grid, which is faint; on nothing if `base` is None.

    The picture has room for patches and grid. Returns None where the picture is too large.
    """
    drawn: Patch = {place: cell for cell, place in cells_of(base or ())}
    faint = drawn.keys() - {cell for part in parts for cell in part}
    for part in parts:
        for cell, colour in part.items():
            drawn[cell] = drawn.get(cell) if colour is None else colour
    top, left, bottom, right = bounds_of(drawn)
    if max(bottom - top, right - left) >= _MOST_SIDE:
        return None
    without_colour = {cell for part in parts for cell, colour in part.items() if colour is None}

    def moved(these: Iterable[Cell]) -> set[Cell]:
        return {(i - top, j - left) for i, j in these}

    rows = tuple(
        tuple(drawn.get((i, j)) for j in range(left, right + 1)) for i in range(top, bottom + 1)
    )
    return CellPicture(rows, moved(without_colour), moved(faint), list(map(moved, parts)))


def _readable_on(colour: str) -> str:
    red, green, blue = parse_rgb_hex(colour[1:])
    return "#000000" if 0.3 * red + 0.6 * green + 0.1 * blue > 110 else "#ffffff"


def _path(path: str, colour: str, width: str) -> str:
    return f'<path d="{path}" stroke="{colour}" stroke-width="{width}" fill="none"/>'


def _outline(cells: Collection[Cell], side: int) -> str:
    """Draw the path around cells: each edge between a given cell and any other cell."""
    found = set(cells)
    path = []
    for i, j in sorted(found):
        x, y = j * side, i * side
        edges = {
            (i - 1, j): f"M{x} {y}h{side}", (i + 1, j): f"M{x} {y + side}h{side}",
            (i, j - 1): f"M{x} {y}v{side}", (i, j + 1): f"M{x + side} {y}v{side}",
        }  # fmt: skip
        path += [edge for beside, edge in edges.items() if beside not in found]
    return "".join(path)


def _cross(i: int, j: int, side: int) -> str:
    inset = side * 0.25
    x, y, far = j * side + inset, i * side + inset, side - 2 * inset
    path = f"M{x:g} {y:g}l{far:g} {far:g}M{x + far:g} {y:g}l{-far:g} {far:g}"
    return _path(path, "#000", "4") + _path(path, "#fff", "2")
