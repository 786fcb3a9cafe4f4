"""`aune figure`: a figure for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aune.cli._inputs import DEFAULT_READING, Draws, FileOrStdin, Level, Measures, Options, Reading, Seed, measure_names
from aune.cli._output import OutputFile, put_bytes, put_text, warn

if TYPE_CHECKING:
    from aune.reports.figures import Drawing


GROUP = "Understand"


def figure(
    name: str,
    /,
    *inputs: FileOrStdin,
    output: OutputFile = None,
    measures: Measures = None,
    upstream: str | None = None,
    target: str | None = None,
    manual: str | None = None,
    level: Level = 0.95,
    draws: Draws = 2_000,
    seed: Seed = 1,
    reading: Reading = DEFAULT_READING,
    **options: Options,
) -> int:
    """Draw a figure, as SVG, PDF or PNG, or write its specification.

    aune figure NAME TASK KEY RESPONSE… draws an evaluation, aune figure NAME SCORES… the scores of downstream systems
    on the output of upstream ones. Drawing needs the extra `figures`: pip install 'aune[figures]'. The specification is
    Vega-Lite, to edit and to draw elsewhere.

    aune figure recall_precision coref key.conll a.conll b.conll --output figure.pdf

    Parameters
    ----------
    name
        Which figure: see `aune list figures`.
    inputs
        A task, a key and responses (name=path to name a system); or tables of scores, as for `aune meta impact`.
    output
        A file ending in .svg, .pdf, .png or .vl.json, written whole or not at all; SVG on standard output otherwise.
    measures
        Names or expressions, separated by commas or repeated; the task's usual ones when left out.
    upstream
        For figures of scores: the measure of the upstream systems, when there are several.
    target
        For figures of scores: the measure or kind of error downstream, when there are several.
    manual
        For figures of scores: the upstream name of the manual input.
    level
        Confidence level of the intervals.
    draws
        Bootstrap replicates for the intervals.
    seed
        Random seed.
    """
    from aune.errors import UsageError
    from aune.explain.analysis import study
    from aune.reports.confidence import with_confidence
    from aune.reports.figures import drawing, is_from_scores
    from aune.reports.figures.export import check_output

    chosen = name.replace("-", "_")
    scores = is_from_scores(chosen)
    check_output(output)
    if scores:
        return _write_figure(_score_drawing(chosen, inputs, upstream=upstream, target=target, manual=manual), output)
    if len(inputs) < 3:
        raise UsageError(f"expected aune figure {name} TASK KEY RESPONSE…")
    task, key, *responses = inputs
    analysis = reading.run(study, task, key, responses, measure_names(measures), options)
    analysis, _ = with_confidence(analysis, level=level, draws=draws, seed=seed)
    warn(analysis.result.warnings)
    return _write_figure(drawing(chosen, analysis), output)


def _score_drawing(name: str, paths: tuple[str, ...], **options: str | None) -> Drawing:
    from aune.errors import UsageError
    from aune.meta.impact import read_scores
    from aune.reports.figures import draw_from_scores

    if not paths:
        raise UsageError(f"expected aune figure {name.replace('_', '-')} SCORES…: tables as for aune meta impact")
    return draw_from_scores(name, [score for path in paths for score in read_scores(path)], **options)


def _write_figure(drawing: Drawing, output: Path | None) -> int:
    from aune.reports.figures.export import export_figure

    data = export_figure(drawing.figure, output)
    if output is None:
        put_text(data.decode(), output)
    else:
        put_bytes(data, output)
    return 0
