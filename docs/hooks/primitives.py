"""The site's page of all primitives, by family: signature, meaning, charge, and a drawn example.

An example is found by trying: the primitive is called on small values that its types take, until it
gives something that is neither its safe default nor one of its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from importlib import import_module
from inspect import cleandoc
from itertools import chain, groupby, islice, product
from typing import Any

from megabatt.runtime.arc import FAMILIES as ARC_FAMILIES
from megabatt.runtime.arc import LANGUAGE, lbind, objects, ofcolor
from megabatt.runtime.arc import charges as arc_charges
from megabatt.runtime.arc.workload.pictures import picture_of
from megabatt.runtime.core import FAMILIES as CORE_FAMILIES
from megabatt.runtime.core import charges as core_charges
from megabatt.runtime.engine.language.charges import Measure, OfResult
from megabatt.runtime.engine.language.registry import Primitive
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import identical, show
from megabatt.runtime.megabatch.pictures import Words

NAME = "primitives.md"

GRID = ((0, 0, 0, 0, 3), (0, 2, 2, 0, 0), (0, 0, 2, 0, 1), (4, 0, 0, 0, 1))
OTHER = ((5, 0, 0, 0, 0), (0, 0, 6, 0, 0), (0, 0, 0, 0, 7), (0, 0, 8, 0, 0))
TILED = ((1, 2, 1, 2, 1), (2, 1, 2, 1, 2), (1, 2, 1, 0, 1), (2, 1, 2, 1, 2))
MIRRORED = ((1, 2, 2, 1), (3, 4, 4, 3), (1, 2, 0, 1), (5, 6, 6, 5))
OBJECTS = objects(GRID, True, False, True)
P = LANGUAGE.primitives
VALUES: tuple[Any, ...] = (
    GRID, OTHER, OBJECTS, max(OBJECTS, key=len), ofcolor(GRID, 1), (1, 2), (0, 1), 2, 3, 1, 0, True,
    False, P["size"].function, P["hmirror"].function, P["color"].function, P["add"].function,
    P["vmirror"].function, lbind(P["contained"].function, 2), lbind(P["add"].function, 1),
    P["astuple"].function, (3, 1, 2, 3), (1, 2, 5, 4), frozenset({1, 2, 3}), frozenset({3, 4}),
    ((1, 2), (0, 5)), ((1, 2), (3,)), (OBJECTS,), frozenset({(0, 0), (2, 3)}),
    (P["size"].function,), (GRID, OTHER), 5, 4, TILED, MIRRORED, ((1, 2), (0, 5), (1, 3)),
    P["mapping"].function(((1, 2), (0, 5)), ()),
)  # fmt: skip
_MOST_TRIED = 20_000


def example_of(primitive: Primitive) -> tuple[tuple[Any, ...], Any] | None:
    """Return arguments for a primitive and its value for them; None if every tried call fails."""
    pools = [[value for value in VALUES if _takes(kind, value)] for kind in primitive.types]
    numbers_first = [sorted(pool, key=lambda value: not isinstance(value, int)) for pool in pools]
    dull = None
    tried = (islice(product(*some), _MOST_TRIED) for some in (pools, numbers_first))
    for args in chain.from_iterable(tried):
        value, error, _ = attempt(primitive.function, args, 10_000)
        if error is not None:
            continue
        if value not in args and not identical(value, primitive.result.default):
            return args, value
        dull = dull or (args, value)
    return dull


def _takes(kind: Any, value: Any) -> bool:
    try:
        kind.check(value)
    except TypeError:
        return False
    return True


def _drawn(title: str, value: Any, among: tuple[Any, ...] = ()) -> str:
    picture = picture_of(value, among=among) or Words.wrapped(show(value))
    width, height = picture.size
    return (
        f'<figure class="value"><figcaption>{escape(title)}</figcaption>'
        f'<svg width="{width:g}" height="{height:g}">{picture.svg()}</svg></figure>'
    )


def _charge(primitive: Primitive) -> str:
    charge = primitive.charge
    if charge is None:
        return "only the charges of the functions that it calls"
    if isinstance(charge, int):
        return str(charge)
    if isinstance(charge, OfResult):
        return f"{_called(charge.measure)} of the result"
    if isinstance(charge, Measure):
        return f"{_called(charge)} of `{primitive.parameters[0]}`"
    return "depends on the arguments"


def _called(measure: Measure) -> str:
    """Return a measure's name in the module that defines it, as words."""
    modules = (core_charges, arc_charges)
    names = [name for module in modules for name, value in vars(module).items() if value is measure]
    return names[0].strip("_").replace("_", " ") if names else "size"


def section(primitive: Primitive) -> str:
    """Return the entry of a primitive as Markdown."""
    pairs = zip(primitive.parameters, primitive.types, strict=True)
    parameters = ", ".join(f"{name}: {kind.name}" for name, kind in pairs)
    lines = [
        f"### {primitive.name}",
        f"```python\n{primitive.name}({parameters}) -> {primitive.result.name}\n```",
        _marked(primitive.function.__doc__ or "", primitive.parameters),
        f"Charge: {_charge(primitive)}. A failed call leaves "
        f"`{LANGUAGE.default_source(primitive.name)}`.",
    ]
    found = example_of(primitive)
    if found is not None:
        args, value = found
        figures = [
            _drawn(name, arg, (GRID,)) for name, arg in zip(primitive.parameters, args, strict=True)
        ]
        figures.append(_drawn("result", value, (GRID,)))
        lines.append(f'<div class="example">{"".join(figures)}</div>')
    return "\n\n".join(lines)


def _marked(docstring: str, parameters: tuple[str, ...]) -> str:
    """Return a docstring as Markdown, with a list item for each parameter that it explains."""
    first, *rest = cleandoc(docstring).split("\n\n")
    named = re.compile(rf"(?:^|(?<=[.:] ))({'|'.join(parameters)}): ")
    body = [named.sub(r"\n- `\1`: ", " ".join(part.split())) for part in rest]
    return "\n\n".join([" ".join(first.split()), *body])


def families() -> Iterator[tuple[str, list[Primitive]]]:
    """Yield each family: the first line of its module's docstring, and its primitives by name."""
    ours_last = sorted(ARC_FAMILIES, key=lambda module: ".beyond." in module.__name__)
    known = {module.__name__: k for k, module in enumerate([*ours_last, *CORE_FAMILIES])}
    every = sorted(LANGUAGE.primitives.values(), key=lambda one: (known[one.module], one.name))
    for module, primitives in groupby(every, key=lambda one: one.module):
        meaning = (import_module(module).__doc__ or "").splitlines()[0]
        yield meaning, list(primitives)


def page() -> str:
    """Return the whole page."""
    parts = [
        "# All primitives\n\nEach entry has the signature, the meaning, what a call is charged "
        "against `max_elements`, the value that a failed call leaves, and an example. "
        "[The language](arc.md) has the rules that hold for all of them."
    ]
    for meaning, primitives in families():
        title = primitives[0].module.rpartition(".")[2].capitalize()
        links = " ".join(f"[`{one.name}`](#{one.name})" for one in primitives)
        parts += [f"## {title}", meaning, links, *map(section, primitives)]
    return "\n\n".join(parts) + "\n"


def on_files(files: Any, config: Any) -> Any:
    """MkDocs' hook: adds the page."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, NAME, content=page()))
    return files
