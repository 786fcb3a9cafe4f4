"""`aune speech downstream`: what recognisers of entities make of transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import EntityOptions, File, Measures, keywords, measure_names
from aune.cli._numbers import Draws, Level, Seed
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, warn

if TYPE_CHECKING:
    from aune.core.result import Result
    from aune.tasks.speech.downstream import Downstream

MANUAL = "manual"


def downstream(
    key: File,
    /,
    *responses: File,
    measures: Measures = None,
    upstream: Annotated[list[File] | None, Parameter(negative=())] = None,
    normalise: str = "none",
    typology: File = "",
    closeness: str = "letters",
    model: File = "",
    projected: Path | None = None,
    ci: bool = False,
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    format: OutputFormat = None,
    output: OutputFile = None,
    input_format: str | None = None,
    **options: EntityOptions,
) -> None:
    """Score what entity recognisers found in transcripts, by any measure of entities.

    The key's entities are projected on the words of each transcript. The rows of csv, tsv and json (scores of
    transcripts and of what was found in them, by document) are what `aune meta impact` reads. Further options are
    those of the formats and of the measures of entities, such as --alpha, --labels and --depth.

    Parameters
    ----------
    key
        What was said, with the right entities.
    responses
        ASR:NER=PATH: the words of a speech recogniser with the entities that an entity recogniser found in them.
        `manual` as ASR is the manual transcript, which PAE compares with; a path alone is its own name for both.
    measures
        Measures of entities (eter by default): ser, eter, f_measure…
    upstream
        Measures of the transcripts, wer and ne_wer by default.
    normalise
        Steps before comparing: see `aune list options speech`.
    typology
        The labels, for what is a component: see `aune list options entities`.
    closeness
        How entities are found in a transcript: by letters, or by sounds (en or fr; needs the extra phonemes).
    model
        The models of ATENE, where it is among the measures of the transcripts.
    projected
        A folder for the projected references, one JSON lines file for each speech recogniser.
    ci
        Give the totals their confidence intervals (documents are drawn).
    level
        How often they should hold the true value.
    draws
        Bootstrap replicates.
    seed
        Where the random draws start.
    format
        table, json, csv or tsv.
    output
        A file for the result; standard output otherwise.
    input_format
        The format, when it should not be recognised from the content.
    """
    from aune.core import registry
    from aune.core.asked import asked_options, for_responses
    from aune.core.corpus import pair, read
    from aune.core.errors import UsageError
    from aune.core.options import check_known, options_of
    from aune.tasks.speech.downstream import Transcript
    from aune.tasks.speech.downstream import downstream as scored

    if not responses:
        raise UsageError("expected at least one transcript with entities: ASR:NER=PATH")
    check_known([closeness], ["letters", "en", "fr"], "closeness")
    home = registry.task("speech")
    given = keywords(options)
    reading = {name for form in registry.formats("speech") for name in options_of(form.read)}
    of_files = {name: value for name, value in given.items() if name.removeprefix("response_") in reading}
    of_entities = {name: value for name, value in given.items() if name not in of_files}
    chosen = asked_options(home, [], None, of_files).given
    expected = read(home, key, input_format, **chosen)
    notes = list(expected.warnings)
    transcripts = []
    for recogniser, tagger, path in map(_named, responses):
        corpus = read(home, path, input_format, **for_responses(chosen))
        pairs, told = pair(home, expected, corpus)
        notes += [*corpus.warnings, *told]
        transcripts.append(Transcript(recogniser, tagger, pairs))

    def finished(result: Result) -> Result:
        if not ci:
            return result
        from aune.statistics.intervals import with_intervals

        return with_intervals(result, "auto", level=level, draws=draws, seed=seed)

    found = scored(
        transcripts, measure_names(measures) or ["eter"], measure_names(upstream) or ["wer", "ne_wer"],
        normalise=normalise, closeness=closeness, typology=typology, finished=finished,
        upstream_options={"model": model} if model else {}, **of_entities,
    )  # fmt: skip
    warn(dict.fromkeys([*notes, *found.warnings]))
    text = _written(found, chosen_format(format, output))
    with _projected(
        transcripts,
        projected,
        normalise,
        typology,
        closeness,
        inputs=[Path(key), *(Path(_named(one)[2]) for one in responses)],
    ):
        put_text(text, output)


def _named(text: str) -> tuple[str, str, str]:
    """ASR, NER and PATH of a response.

    >>> _named("r1:tagger=a.jsonl"), _named("a.jsonl")
    (('r1', 'tagger', 'a.jsonl'), ('a', 'a', 'a.jsonl'))
    """
    from aune.core.corpus import system_names

    ((name, path),) = system_names([text]).items()
    recogniser, colon, tagger = name.partition(":")
    return recogniser, tagger if colon else recogniser, path


@contextmanager
def _projected(
    transcripts: Sequence[Any],
    folder: Path | None,
    normalise: str,
    typology: str,
    closeness: str,
    inputs: Sequence[Path],
) -> Iterator[None]:
    """The projected references, which are in their folder once what is done meanwhile has succeeded."""
    if folder is None:
        yield
        return
    from aune.core import registry
    from aune.core.files import filling, together
    from aune.tasks.speech.comparison import compare
    from aune.tasks.speech.downstream import projected_reference

    write = registry.format("entities", "jsonl").write
    assert write is not None
    with filling(folder) as home, together(inputs) as files:
        for name, one in {transcript.recogniser: transcript for transcript in transcripts}.items():
            documents = projected_reference(compare(one.pairs, normalise=normalise), typology, closeness, words=True)
            files.write(home / f"{name}.jsonl", "".join(write(documents)).encode())
        yield


def _written(downstream: Downstream, form: str) -> str:
    from aune.core.errors import UsageError
    from aune.meta.impact import Score, increases
    from aune.reports.delimited import separated
    from aune.reports.json import dumped
    from aune.tasks.speech.downstream import ERRORS

    scores = [Score(*row[:6]) for row in downstream.rows]
    there = any(row.system == MANUAL and row.downstream for row in downstream.rows)
    below = [one for one in scores if one.downstream and one.measure in ERRORS]
    above = [one for one in scores if not one.downstream]
    paes = increases(above, below, MANUAL, ERRORS) if there and len({one.system for one in below}) > 1 else []
    if form == "json":
        inserted = [
            {"system": asr, "downstream": ner, "stretches": table} for (asr, ner), table in downstream.inserted.items()
        ]
        record = {"schema": 1, "task": "speech", "downstream": [row._asdict() for row in downstream.rows],
                  "pae": [one._asdict() for one in paes], "inserted": inserted, "lost": downstream.lost}  # fmt: skip
        return dumped(record, indent=1)
    if form in ("csv", "tsv"):
        header = ("system", "measure", "score", "document", "downstream", "better")
        return separated([header, *(row[:6] for row in downstream.rows)], "," if form == "csv" else "\t")
    if form != "table":
        raise UsageError(f"--format {form}: expected table, json, csv or tsv")
    return "\n".join(_tables(downstream, paes)) + "\n"


def _tables(downstream: Downstream, paes: Sequence[Any]) -> list[str]:
    """Scores by transcript and recogniser, the growth of errors, and the entities made up in stretches."""
    from aune.reports.text import aligned
    from aune.tasks.speech.downstream import ERRORS

    totals = [row for row in downstream.rows if not row.document]
    cells = {(row.system, row.downstream, row.measure): row for row in totals}
    systems = list(dict.fromkeys((row.system, row.downstream) for row in totals if row.downstream))
    above = list(dict.fromkeys(row.measure for row in totals if not row.downstream and "." not in row.measure))
    below = list(
        dict.fromkeys(
            row.measure for row in totals if row.downstream and row.measure not in ERRORS and "." not in row.measure
        )
    )
    rows = [("transcript", "recogniser", *above, *below, *ERRORS)]
    for asr, ner in systems:
        upper = [_cell(cells.get((asr, "", name))) for name in above]
        lower = [_cell(cells.get((asr, ner, name))) for name in below]
        rows.append((asr, ner, *upper, *lower, *(f"{cells[asr, ner, name].score:g}" for name in ERRORS)))
    lines = [*aligned(rows), "", "values × 100; errors are entities, by the pairing of ETER"]
    if paes:
        known = {(one.system, one.downstream, one.error): one.pae for one in paes}
        growth = [("PAE (%)", "recogniser", *ERRORS)]
        for asr, ner in dict.fromkeys((one.system, one.downstream) for one in paes):
            growth.append((asr, ner, *(_signed(known.get((asr, ner, name))) for name in ERRORS)))
        lines += ["", *aligned(growth)]
    most = max((max(table, default=0) for table in downstream.inserted.values()), default=0)
    counts = [("stretches with", "recogniser", *(f"{number} made up" for number in range(most + 1)))]
    for (asr, ner), table in downstream.inserted.items():
        counts.append((asr, ner, *(str(table.get(number, 0)) for number in range(most + 1))))
    return [*lines, "", *aligned(counts)]


def _cell(row: Any) -> str:
    if row is None:
        return "undefined"
    ends = f" [{100 * row.ci[0]:.2f}, {100 * row.ci[1]:.2f}]" if row.ci else ""
    return f"{100 * row.score:.2f}{ends}".replace("-", "−")


def _signed(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.1f}".replace("-", "−")
