"""The report of an evaluation in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aune.core.door import hands_on_to
from aune.core.evaluation import evaluated
from aune.core.files import write_whole
from aune.explain.analysis import Study, study
from aune.reports.certainty import with_certainty
from aune.reports.figures import drawings
from aune.reports.figures.export import MISSING, available
from aune.reports.page import write


@hands_on_to(evaluated)
def report(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str],
    output: str | Path,
    *,
    title: str = "",
    baselines: Sequence[str] = (),
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    plain: bool = False,
    most_errors: int = 10_000,
    **options: Any,
) -> Path:
    """Write the page that explains the scores of systems, as `aune report` does, and return its path.

    `baselines` stand apart below the other systems; options are those of `aune.evaluate`.
    """
    found = study(task, key, systems, **options)
    path = Path(output)
    page, _ = page_of(found, title, baselines, level, draws, seed, plain, most_errors)
    write_whole(path, page.encode())
    return path


def page_of(
    study: Study, title: str, baselines: Sequence[str], level: float, draws: int, seed: int, plain: bool,
    most_errors: int,
) -> tuple[str, Study]:  # fmt: skip
    """The page of a study, and the study with the intervals that stand in it."""
    sure, test = with_certainty(study, level=level, draws=draws, seed=seed, baselines=baselines)
    figures = list(drawings(sure)) if available() else []
    missing = "" if available() else f"The {MISSING}"
    page = write(sure, title=title, test=test, figures=figures, missing=missing, baselines=baselines, plain=plain,
                 most_errors=most_errors)  # fmt: skip
    return page.encode(errors="backslashreplace").decode(), sure  # a file may have a name that is no text
