"""The report: one page that explains an evaluation, with everything it needs inside.

The template is filled by Jinja2 with autoescaping on; data goes into `<script type="application/json">` with every
character escaped that could end it, and texts are compressed in blocks that the page unpacks when they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from aune import __version__
from aune.reports.page.data import Block, blocks_of, summary_of
from aune.reports.page.packing import scripted
from aune.reports.tabular import notes, number

if TYPE_CHECKING:
    from aune.explain.analysis import Study
    from aune.reports.figures import Drawing


def write(study: Study, *, title: str = "", test: Any = None, figures: Sequence[Drawing] = (), plain: bool = False,
          most_errors: int = 10_000) -> str:  # fmt: skip
    """The page. `test` are the comparisons of systems from `aune.statistics`, when there are any."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with Jinja2

    result = study.result
    summary, texts, cases = summary_of(study, title or _title(study), test, most_errors)
    key = next((one for one in result.inputs if one.role == "key"), None)
    views = ["ranking"]
    views += ["text"] if texts else []
    views += ["confusions", "errors"] if summary["listed"] else []
    views = [one for one in views if one != "confusions" or summary["confusion"]] + ["documents"]
    views += ["figures"] if figures else []
    found: str = _template().render(
        version=__version__,
        title=summary["title"],
        task=result.task,
        systems=result.systems,
        documents=len(summary["documents"]),
        key=key.path if key else None,
        style=Markup(_asset("page.css")),
        script=Markup(_asset("page.js")),
        views=views,
        measures=[f"{one.short} {one.headline}" for one in result.measures],
        scores=[
            (system, [number(result[system, one.name].main, one, 2) for one in result.measures])
            for system in result.systems
        ],
        warnings=list(dict.fromkeys([*result.warnings, *(test.warnings if test else ())])),
        inputs=result.inputs,
        signatures=notes(result),
        figures=[
            {"name": one.name, "svg": Markup(one.figure.svg(page=True)), "caption": one.caption} for one in figures
        ],
        summary=Markup(scripted(summary)),
        blocks=[_markup(block) for block in blocks_of(texts, cases, plain)],
    )
    return found


def _title(study: Study) -> str:
    """The name that the task gives itself, and what is compared."""
    systems = study.result.systems
    task = study.task.documentation.partition("\n")[0].partition(":")[0].rstrip(".")
    return f"{task}: {systems[0] if len(systems) == 1 else f'{len(systems)} systems'}"


def _markup(block: Block) -> dict[str, Any]:
    from markupsafe import Markup  # noqa: PLC0415

    return {"type": block.type, "id": block.id, "text": Markup(block.text)}


@cache
def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    return Environment(autoescape=True, undefined=StrictUndefined).from_string(_asset("page.html"))
