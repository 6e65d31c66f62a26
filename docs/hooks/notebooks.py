"""The site's pages of the notebooks in examples/, run while the site is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

_ESCAPE_CODE = r"\x1b\[[0-9;]*[A-Za-z]"


def page_of(path: Path) -> str:
    """Run a notebook, and return its cells and their outputs as Markdown."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    quiet = ["--log-level=ERROR"]
    NotebookClient(notebook, timeout=600, extra_arguments=quiet).execute()
    parts = [part for cell in notebook.cells for part in _parts(cell)]
    source = f"Run it yourself: `examples/{path.name}` in a checkout."
    return "\n\n".join([parts[0], source, *parts[1:]]) + "\n"


def _parts(cell: Any) -> Iterator[str]:
    """Yield a cell's source and outputs as Markdown."""
    if cell.cell_type == "markdown":
        yield cell.source.replace("](../docs/", "](../")
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.outputs:
        shown = _shown(output, cell.metadata.get("alt", ""))
        if shown:
            yield f'<div class="output">{shown}</div>'


def _shown(output: Any, alt: str) -> str:
    """Return an output as HTML: the richest of its forms. alt: The text for a picture."""
    if output.output_type == "stream":
        return _text(output.text) if output.name == "stdout" else ""
    data = output.data
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            return str(data[kind])
    if "image/png" in data:
        source = f"data:image/png;base64,{data['image/png'].strip()}"
        return f'<img alt="{escape(alt)}" src="{source}">'
    return _text(data["text/plain"])


def _text(text: str) -> str:
    """Return text as HTML, without colors: a kernel sets FORCE_COLOR for its child processes."""
    return f"<pre>{escape(re.sub(_ESCAPE_CODE, '', text))}</pre>"


def on_files(files: Any, config: Any) -> Any:
    """MkDocs' hook: adds the pages."""
    from mkdocs.structure.files import File

    for path in sorted((ROOT / "examples").glob("*.ipynb")):
        name = f"notebooks/{path.stem}.md"
        files.append(File.generated(config, name, content=page_of(path)))
    return files
