"""`aune figure`: a figure for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aune.cli._inputs import AS_USUAL, FileOrStdin, Measures, Options, Reading, measure_names
from aune.cli._numbers import Draws, Level, Seed
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
    reading: Reading = AS_USUAL,
    **options: Options,
) -> int:
    """Draw a figure, as SVG, PDF or PNG, or write its specification.

    aune figure NAME TASK KEY RESPONSE… draws an evaluation, aune figure NAME SCORES… what downstream systems make of
    upstream ones. Drawing needs the extra `figures`: pip install 'aune[figures]'. The specification is Vega-Lite, to
    edit and to draw elsewhere.

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
        How often the intervals should hold the true value.
    draws
        Bootstrap replicates for the intervals.
    seed
        Where the random draws start.
    """
    from aune.core.errors import UsageError
    from aune.explain.analysis import study
    from aune.reports.certainty import with_certainty
    from aune.reports.figures import drawing, of_scores
    from aune.reports.figures.export import ready

    chosen = name.replace("-", "_")
    scores = of_scores(chosen)
    ready(output)
    if scores:
        return _put(_of_scores(chosen, inputs, upstream=upstream, target=target, manual=manual), output)
    if len(inputs) < 3:
        raise UsageError(f"expected aune figure {name} TASK KEY RESPONSE…")
    task, key, *responses = inputs
    found = reading.run(study, task, key, responses, measure_names(measures), options)
    found, _ = with_certainty(found, level=level, draws=draws, seed=seed)
    warn(found.result.warnings)
    return _put(drawing(chosen, found), output)


def _of_scores(name: str, paths: tuple[str, ...], **options: str | None) -> Drawing:
    from aune.core.errors import UsageError
    from aune.meta.impact import read_scores
    from aune.reports.figures import drawing_of_scores

    if not paths:
        raise UsageError(f"expected aune figure {name.replace('_', '-')} SCORES…: tables as for aune meta impact")
    return drawing_of_scores(name, [score for path in paths for score in read_scores(path)], **options)


def _put(drawn: Drawing, output: Path | None) -> int:
    from aune.reports.figures.export import exported

    written = exported(drawn.figure, output)
    if output is None:
        put_text(written.decode(), output)
    else:
        put_bytes(written, output)
    return 0
