"""The report of an evaluation in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aune.evaluation.plan import resolve_plan
from aune.explain.analysis import Study, study
from aune.files import write_atomically
from aune.reading.argument_checks import forwards_options_to
from aune.reports.confidence import with_confidence
from aune.reports.figures import drawings
from aune.reports.figures.export import MISSING, can_render
from aune.reports.page import write


@forwards_options_to(resolve_plan)
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

    `baselines` are listed separately below the other systems; options are those of `aune.evaluate`.
    """
    evaluation = study(task, key, systems, **options)
    path = Path(output)
    page, _ = page_of(evaluation, title, baselines, level, draws, seed, plain, most_errors)
    write_atomically(path, page.encode())
    return path


def page_of(
    study: Study, title: str, baselines: Sequence[str], level: float, draws: int, seed: int, plain: bool,
    most_errors: int,
) -> tuple[str, Study]:  # fmt: skip
    """The page of a study, and the study with the intervals on the page."""
    tested_study, test = with_confidence(study, level=level, draws=draws, seed=seed, baselines=baselines)
    figures = list(drawings(tested_study)) if can_render() else []
    missing = "" if can_render() else f"The {MISSING}"
    page = write(
        tested_study,
        title=title,
        test=test,
        figures=figures,
        missing=missing,
        baselines=baselines,
        plain=plain,
        most_errors=most_errors,
    )
    return page.encode(errors="backslashreplace").decode(), tested_study  # file names may contain surrogates
