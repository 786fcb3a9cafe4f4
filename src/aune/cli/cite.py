"""`aune cite`: the works behind measures, for a bibliography."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aune.cli._inputs import File
from aune.cli._output import AsJson, OutputFile, put_json, put_text

if TYPE_CHECKING:
    from aune.contract.measure import Measure

GROUP = "Research"


def cite(*what: File, output: OutputFile = None, json: AsJson = False) -> None:
    """Print the BibTeX of the works that measures come from, and of aune itself.

    aune cite coref.muc coref.lea

    Parameters
    ----------
    what
        Measures, such as coref.muc or "mean(muc.f1, b_cubed.f1)", or results saved as JSON (or as rows), for the
        measures in them.
    output
        A file for the entries, written whole or not at all; standard output otherwise.
    json
        The entries as JSON, each with its key and its fields.
    """
    from aune.contract.bibliography import works_cited
    from aune.errors import UsageError

    if not what:
        raise UsageError("expected a measure or a saved result: aune cite coref.muc, aune cite run.json")
    measures = [measure for name in what for measure in _measures(name)]
    if json:
        put_json([{"key": work.key, "bibtex": work.bibtex, **work.fields} for work in works_cited(measures)], output)
        return
    put_text("\n\n".join(work.bibtex for work in works_cited(measures)) + "\n", output)


def _measures(text: str) -> Sequence[Measure]:
    """The measure that a name means, in whichever task has it, or those of a saved result."""
    from aune.contract import registry
    from aune.errors import UsageError
    from aune.results.storage import load

    if Path(text).exists():
        return load(text).measures
    try:
        return [registry.measure(text)]
    except UsageError:
        measures = _by_short_name(text)
    if not measures:
        raise UsageError(f"{text}: found no measure and no file of that name: aune list measures shows the measures")
    if len(measures) > 1:
        names = ", ".join(measure.name for measure in measures)
        raise UsageError(f"{text}: several tasks have it: {names}: name one of them")
    return measures


def _by_short_name(text: str) -> list[Measure]:
    """The measures of that name in any task."""
    from aune.contract import registry
    from aune.errors import UsageError

    measures = []
    for task in registry.task_names():
        try:
            measures.append(registry.measure(text, task))
        except (UsageError, ValueError):
            continue
    return measures
