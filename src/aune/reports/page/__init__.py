"""The report: one page that explains an evaluation and contains everything it needs.

The template is filled by Jinja2 with autoescaping on; data goes into `<script type="application/json">` with every
character escaped that could end it, and is compressed in blocks that the page unpacks when they are needed. Only
scripts whose digest is in the page's policy can run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from aune import __version__
from aune.evaluation.counting import pause_garbage_collection
from aune.reports import render_tables
from aune.reports.page.data import Block, elements, page_data
from aune.reports.page.packing import script_json
from aune.reports.paper import paper_tables
from aune.reports.runs import run_tables
from aune.reports.tabular import Table, extent, notes, signature_lines, signatures
from aune.web import asset, inline_modules

if TYPE_CHECKING:
    from aune.explain.analysis import Study
    from aune.reports.figures import Drawing
    from aune.results.result import Result
    from aune.statistics.comparison import Comparisons

STYLES = ("shared/base.css", "shared/text.css", "report/report.css")
THEME = 'if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.theme = "dark";'


@pause_garbage_collection()
def write(
    study: Study,
    *,
    title: str = "",
    test: Comparisons | None = None,
    figures: Sequence[Drawing] = (),
    missing: str = "",
    baselines: Sequence[str] = (),
    plain: bool = False,
    most_errors: int = 10_000,
) -> str:
    """The page. `test` contains the comparisons of systems, if there are any; `missing` explains missing figures."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with Jinja2

    result = study.result
    summary, blocks = page_data(study, title or _title(study), test, baselines, most_errors)
    key = next((source for source in result.inputs if source.role == "key"), None)
    sections = {
        "ranking": True,
        "text": bool(summary.texts),
        "confusions": summary.confusion,
        "errors": summary.errors,
        "documents": bool(summary.measures),
        "figures": bool(figures or missing),
    }
    page: str = _template().render(
        version=__version__,
        title=summary.title,
        task=result.task,
        systems=result.systems,
        extent=extent(result),
        key=key.path if key else None,
        style=Markup("\n".join(map(asset, STYLES))),
        theme=Markup(THEME),
        script=Markup(inline_modules("report/report.js")),
        views=[name for name, is_shown in sections.items() if is_shown],
        scores=Markup(render_tables(_score_tables(result, test, baselines), "html", styled=False)),
        warnings=list(dict.fromkeys([*result.warnings, *(test.warnings if test else ())])),
        inputs=result.inputs,
        signatures=[*notes(result), *signature_lines(signatures(result), "long")],
        figures=[
            {"name": figure.name, "svg": Markup(figure.page_element()), "caption": figure.caption} for figure in figures
        ],
        missing=missing,
        summary=Markup(script_json(msgspec.to_builtins(summary))),
        blocks=[_markup(block) for block in elements(blocks, plain)],
    )
    return page


def _score_tables(result: Result, test: Comparisons | None, baselines: Sequence[str]) -> list[Table]:
    """The table as in papers; before it that of systems with several runs, if there are any."""
    tables = paper_tables(result, test=test, baselines=baselines)
    return [*run_tables(result), *tables] if result.has_runs else tables


def _title(study: Study) -> str:
    """The name of the task according to its documentation, and what is compared."""
    systems = [*study.result.runs]
    task = study.task.documentation.partition("\n")[0].partition(":")[0].rstrip(".")
    return f"{task}: {systems[0] if len(systems) == 1 else f'{len(systems)} systems'}"


def _markup(block: Block) -> dict[str, Any]:
    from markupsafe import Markup  # noqa: PLC0415

    return {"type": block.type, "id": block.id, "text": Markup(block.text)}


def _csp_hash(text: str) -> str:
    """The source expression by which a policy allows the text of an element to run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["hashed"] = lambda text: Markup(_csp_hash(text))
    return environment.from_string(files(__name__).joinpath("page.html").read_text("utf-8"))
