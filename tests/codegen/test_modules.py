"""Programs read modules that lie beside them, as Python imports them."""

import json
import re
import sys
from textwrap import dedent

import pytest

import megabatt as mb
from tests.codegen.meaning import GRID, as_program, assert_same, frozen, sections

MODULES = {
    "common": """
        import math
        from helpers import twice as doubled, LIMIT
        from helpers import *
        import numpy as np
        class Color:
            RED, BLUE = 2, 1
            ALL = [2, 1]
        TABLE = {}
        for k in range(3): TABLE[k] = k
        ORDER = [3]
        ORDER.append(1)
        FOUND = []
        def note(x): FOUND.append(x)
        note(3)
        A, B = 4, 5
        _hidden = 6
        def solve_it(g, k=Color.RED):
            crop = [row[:k] for row in g]
            return crop
        def crop(g, n=LIMIT):
            return solve_it(_rows(g, n))
        def _rows(g, n): return [list(row) for row in g[:n]]
        def reads_np(g): return np.array(g).sum() + doubled(1) + public(0)
        def own_max(g): return max(max(row) for row in g)
        if __name__ == "__main__": print(crop(3))
    """,
    "helpers": """
        __all__ = ["public"]
        LIMIT, HELD = 2, [1]
        def hold(x): HELD.append(x)
        def twice(x): return both(x, x)
        def both(a, b): return a + b
        def public(x): return x + 1
        def private(x):
            import common
            return common.crop(x)
        class Box:
            def __init__(self, w): self.w = w
            def area(self): return self.w * twice(self.w)
    """,
    "lib/__init__": "from .grids import turned\nSIDE = 3\n",
    "lib/grids": """
        from . import deep
        from common import crop
        def turned(g): return deep.turned(crop(g))
    """,
    "lib/changing": "import helpers\nfor k in (1, 2): helpers.hold(k)\n",
    "lib/ring": "from .circle import *\n",
    "lib/circle": "from .ring import *\ndef floor(x): return x - 1\n",
    "lib/hiding": """
        from helpers import twice as two
        import helpers
        def twice(x): return 50
        def public(x): return 60
        def sums(x):
            twice = 3
            return two(x) + twice, [helpers.public(x) + public for public in (1, 2)]
    """,
    "lib/sums": '__all__ = ["f"] + ["g"]\n',
    "lib/deep": "def turned(g): return [list(row) for row in zip(*g[::-1])]\n",
}

SAME = """
## a function, and what it reads
from common import crop
def solve(I): return crop(I)
## all that is public
from common import *
def solve(I): return crop(I, 1), Color.RED, Color.ALL, A, B
## names of the module
import common, common as c
def solve(I): return common.crop(I), c.crop(I, 1), c.Color.BLUE
## other names, and the name of a local
from common import crop as c, own_max
def solve(I):
    crop = own_max(I)
    return c(I), crop
## locals with the names of modules
import common, lib.grids
class Box:
    def __init__(self, n): self.A, self.grids = n, n
def first(common): return common.A
def solve(I):
    lib, boxes = Box(3), [Box(4)]
    return first(Box(2)), common.A, lib.grids, [common.A for common in boxes]
## locals with the names that definitions have elsewhere
from lib.hiding import sums
def solve(I): return sums(len(I))
## a name of the source and of the module
from common import crop
def _rows(I): return 7
def twice(I): return [crop(I), _rows(I)]
## NumPy in the module alone
from common import reads_np
def solve(I): return reads_np(I)
## a function that imports
def solve(I):
    from common import crop
    import helpers
    return crop(I), helpers.twice(3)
## a class
from helpers import Box
def solve(I): return Box(len(I)).area()
## modules that import each other
from helpers import private
def solve(I): return private(I)
## a package, and relative imports
import lib.grids
from lib import turned, SIDE, grids
def solve(I): return turned(I), SIDE, grids.turned(I), lib.grids.turned(I), lib.SIDE
## a `try` around an import, and definitions behind imports
try:
    from common import crop
except ImportError:
    crop = None
from common import *
from helpers import twice
def own_max(g): return 7
def twice(x): return 8
def solve(I): return crop(I), own_max(I), twice(2)
## a name that `__all__` leaves out
from helpers import *
def both(a, b): return 9
def solve(I): return public(3), both(1, 2)
## modules that take all of each other, beside a call outside of functions
import helpers
from math import floor as down
from lib.ring import *
FOUR = helpers.twice(2)
def solve(I): return floor(down(2.5)), helpers.twice(FOUR)
"""

REFUSED = {
    "'crop' is defined and imported": (
        "def crop(g): return 1\nfrom common import crop",
        "def crop(g): return 1\nfrom common import *",
        "if True:\n    from common import crop",
    ),
    "'turned' is imported twice": (
        "from lib import *\ndef f(g):\n    from lib.deep import turned\n    return turned(g)",
        "from lib.deep import turned\nfrom lib import *",
    ),
    "'floor' is imported twice": ("from math import floor\nfrom lib.ring import *",),
    "'HELD' of .*helpers.py is changed in": (
        "from helpers import HELD\nHELD[0] = 2",
        "from helpers import HELD, hold\nhold(2)",
        "from helpers import HELD\nimport lib.changing",
        "from helpers import HELD\nimport helpers as h\nmine = h.HELD\nmine.append(3)",
    ),
    "'LIMIT' of .*helpers.py is changed in": (
        "from helpers import LIMIT\nimport helpers\nhelpers.LIMIT = 3",
    ),
    "'f' is 'a{400}.f', which is not in": (f"from {'a' * 400} import f",),
    "`__all__` of .*sums.py is not read": ("from lib.sums import *",),
    "'max' is another one in .*common.py": (
        "from common import own_max as m\ndef max(x): return m(x)",
    ),
    ".*broken.py:2: syntax error": ("from broken import f",),
    "'TABLE' is changed outside of functions": ("from common import TABLE",),
    "'FOUND' is changed outside of functions": ("from common import FOUND",),
    "'nothing' is 'common.nothing', which is not in the language": ("from common import nothing",),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in {**MODULES, "broken": "x = 1\ndef f(:\n"}.items():
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] in (*MODULES, "lib")]:
        del sys.modules[name]


@pytest.mark.parametrize("kind", sections(SAME))
def test_a_program_means_with_its_modules_what_it_means_in_python(folder, kind):
    source = sections(SAME)[kind]
    (folder / "task.py").write_text(source)
    names: dict = {}
    exec(compile(source, "task.py", "exec"), names)
    program = mb.read(folder / "task.py", strict=True)[-1]
    function = names["twice" if "twice(I)" in source else "solve"]
    assert_same(as_program(program, GRID), frozen(function([list(row) for row in GRID])))
    (again,) = mb.parse(source, folder=folder)[-1:]
    assert again.operations == program.operations


@pytest.mark.parametrize(
    ("message", "lines"), [(message, one) for message in REFUSED for one in REFUSED[message]]
)
def test_what_has_no_certain_meaning_is_refused(folder, message, lines):
    name = message.split("'")[1] if "'" in message else "f"
    errors = mb.parse(f"{lines}\ndef solve(I):\n    return {name}(I)\n", folder=folder).errors
    assert errors and re.search(message, errors[0].message)


def test_a_mistake_in_a_module_stands_where_the_program_begins(folder):
    (folder / "common.py").write_text("X = 1\ndef crop(g):\n    return g.nothing\n")
    (folder / "task.py").write_text("# A task\nfrom common import *\n\ndef main(grid):\n"
                                    "    a = crop(grid)\n    return a + X\n")
    (error,) = mb.read(folder / "task.py").errors
    assert (error.name, error.line, error.begin) == ("main", 4, 4)
    assert error.message.startswith(f"{folder / 'common.py'}:3: values have no attributes")
    assert error.shown.split("\n")[1:] == ["    def main(grid):", "    ^"]


def test_a_module_of_a_folder_is_no_program(folder):
    (folder / "broken.py").unlink()
    (folder / "common.py").write_text((folder / "common.py").read_text().replace("solve_it", "cut"))
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text("from common import crop\ndef main(g): return crop(g)\n")
    (folder / "codes.jsonl").write_text(json.dumps(
        {"name": "three", "code": "from common import own_max\ndef main(g): return own_max(g)"}))
    (folder / "main.py").write_text("from one import main as f\ndef solve(g): return f(f(g))\n")
    programs = mb.read(folder)
    assert not programs.errors
    assert [program.name for program in programs] == ["three", "solve_main", "main_one", "main_two"]
    assert sum("other files import it" in note for note in programs.notes) == 2


SCRIPTS = """
## a function that makes inputs
def draw(n): return n
def make(): return main(draw(3))
def main(grid): return grid
-- main
## a script around a program
def load(): return 3
def show(grid): print(grid)
def main(): show(solve(load()))
def solve(grid): return size(grid)
def size(grid): return len(grid) + zero()
def zero(): return 0
if __name__ == "__main__": main()
-- solve
## functions without parameters alone
def one(): return 1
def two(): return one()
-- two
"""


@pytest.mark.parametrize("kind", sections(SCRIPTS))
def test_functions_of_scripts_are_no_programs(kind):
    source, names = sections(SCRIPTS)[kind].split("-- ")
    programs = mb.parse(source)
    assert [program.name for program in programs] == names.split() and not programs.errors
