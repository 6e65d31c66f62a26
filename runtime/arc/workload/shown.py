"""How ARC's samples, values and runs are shown."""

from pathlib import Path
from typing import Any

from megabatt.runtime.arc.workload.data import ArcSample
from megabatt.runtime.arc.workload.pictures import difference, picture_of
from megabatt.runtime.megabatch.shown import Shown


class ArcShown(Shown[ArcSample]):
    """Values drawn in ARC's colors; a run's page has its tasks."""

    picture = staticmethod(picture_of)
    difference = staticmethod(difference)

    def heading(self, sample: ArcSample) -> str:
        return f"{sample.key} ({'test' if sample.is_test else 'demonstration'})"

    def number(self, sample: ArcSample, place: int) -> int:
        return sample.position

    def page(self, folder: Path, workload: Any) -> str:
        from megabatt.runtime.arc.workload.page import page_of_tasks
        from megabatt.runtime.arc.workload.results import RunResults

        run = RunResults.read(folder, workload)
        return page_of_tasks(run, run.load(workload).tasks, workload)
