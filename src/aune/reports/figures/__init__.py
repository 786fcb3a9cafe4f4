"""Figures of an evaluation, for the page and for papers: one module per figure, found by its path.

A module has `draw(study)`, which returns a `Plot` or a `NumberGrid`, or None if the study has no data for it; or
`from_scores(scores, …)`, for figures drawn from tables of scores. The first paragraph of its docstring is the caption.
`aune figure NAME` writes one as SVG, PDF or PNG, or as a specification of Vega-Lite.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

from aune.contract.options import check_known
from aune.errors import UsageError
from aune.reports.figures.plot import NumberGrid, Plot

if TYPE_CHECKING:
    from aune.explain.analysis import Study
    from aune.meta.impact import Score


class Drawing(NamedTuple):
    """A figure with its name and its description."""

    name: str
    caption: str
    figure: Plot | NumberGrid

    def page_element(self) -> str:
        """The figure as an element of the page."""
        from aune.reports.figures.export import page_element  # noqa: PLC0415 - needs an extra

        return page_element(self.name, self.figure)


FIRST_FIGURES = ("scores", "recall_precision")  # the figures that readers look for first; the others follow by name
NOT_FIGURES = ("plot", "vegalite", "export")


def names() -> list[str]:
    """The names of all figures."""
    all_names = {module.name for module in iter_modules(__path__)} - set(NOT_FIGURES)
    return [*FIRST_FIGURES, *sorted(all_names - set(FIRST_FIGURES))]


def drawings(study: Study) -> Iterator[Drawing]:
    """Every figure for which a study has the data. A module's `TASKS`, if it has any, are the tasks it supports."""
    for name in names():
        module = import_module(f"{__name__}.{name}")
        suits = hasattr(module, "draw") and study.result.task in getattr(module, "TASKS", (study.result.task,))
        figure = module.draw(study) if suits else None
        if figure is not None:
            yield Drawing(name, caption(name), figure)


def is_from_scores(name: str) -> bool:
    """Whether a figure is drawn from tables of scores instead of from files of key and responses."""
    check_known([name], names(), "figure")
    return hasattr(import_module(f"{__name__}.{name}"), "from_scores")


def draw_from_scores(name: str, scores: Sequence[Score], **options: str | None) -> Drawing:
    """One figure drawn from scores."""
    return Drawing(name, caption(name), import_module(f"{__name__}.{name}").from_scores(scores, **options))


def drawing(name: str, study: Study) -> Drawing:
    """One figure, or an error with the reason why it cannot be drawn."""
    check_known([name], names(), "figure")
    figure = import_module(f"{__name__}.{name}").draw(study)
    if figure is None:
        raise UsageError(f"figure {name}: nothing to draw here. It shows: {caption(name)}")
    return Drawing(name, caption(name), figure)


def caption(name: str) -> str:
    """The first paragraph of a figure's documentation, on one line."""
    text = inspect.cleandoc(import_module(f"{__name__}.{name}").__doc__ or "")
    return " ".join(text.split("\n\n")[0].split())
