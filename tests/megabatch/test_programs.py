"""Generated folders, loaded."""

import pytest

from megabatt.runtime.megabatch.programs import PackageError, merged_program, own_programs

OLDER = "from megabatt.runtime.engine import Batch, Sequential\n"


@pytest.mark.parametrize(
    ("name", "load"), [("batt.py", merged_program), ("solvers.py", own_programs)]
)
def test_a_folder_of_an_older_megabatt_must_be_compiled_again(tmp_path, name, load):
    (tmp_path / name).write_text(OLDER)
    with pytest.raises(PackageError, match=f"{name}: .*older megabatt; compile its sources again"):
        load(str(tmp_path))


def test_a_name_that_the_language_of_a_folder_lacks_is_named(tmp_path):
    (tmp_path / "batt.py").write_text("from megabatt.runtime.arc import rot91\n")
    with pytest.raises(PackageError, match=r"batt\.py: ImportError: .*'rot91'"):
        merged_program(str(tmp_path))
