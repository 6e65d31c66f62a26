"""docs/datasets.md: its configuration, its commands, its table of keys and its Python."""

import re
import runpy
from importlib.util import find_spec

import pytest

from megabatt.runtime.signal.dataset.configuration import KEYS, Configuration
from tests.megabatch.commands import ROOT
from tests.pages import assert_commands_print, blocks

PAGE = ROOT / "docs" / "datasets.md"


def test_every_key_is_in_the_table_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", PAGE.read_text(), re.MULTILINE))
    keys = {name: default for name, default in rows.items() if name in KEYS}
    assert list(keys) == list(KEYS)
    for name, default in keys.items():
        value = getattr(Configuration(), name)
        written = "false" if value == "none" else str(value).lower()
        if name == "dataset_name":
            written = f'`"{value}"`'
        if name not in ("snr_db", "receivers", "modulations"):
            assert default == written, name


@pytest.mark.long
def test_the_page_runs(tmp_path, monkeypatch, capsys):
    (toml,) = blocks(PAGE, "toml")
    name = re.match(r"# ([\w.]+)\n", toml)[1]
    (tmp_path / name).write_text(toml)
    assert_commands_print(PAGE, tmp_path)
    shown = (tmp_path / "harbour.html").read_text()
    assert "data:image/png" in shown or not find_spec("matplotlib")
    (source,) = blocks(PAGE, "python")
    (tmp_path / "reading.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    left = runpy.run_path("reading.py")
    assert left["dataset"].sizes == [160, 40]
    assert left["features"].shape[1:] == (10, 18)
    assert "200 samples" in capsys.readouterr().out
