"""`aune speech downstream`: what recognisers of entities make of transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import Draws, EntityOptions, File, Level, Measures, Seed, keywords, measure_names
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, warn

if TYPE_CHECKING:
    from aune.results.result import Result
    from aune.tasks.speech.downstream import DownstreamScores

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
        What was said, with the right entities: a file of speech, or of entities in a text (CoNLL…).
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
        The confidence level.
    draws
        Bootstrap replicates.
    seed
        Random seed.
    format
        table, json, csv or tsv.
    output
        A file for the result; standard output otherwise.
    input_format
        The format, when it should not be recognised from the content.
    """
    from aune.contract import registry
    from aune.contract.options import check_known
    from aune.errors import UsageError
    from aune.evaluation.pairing import pair
    from aune.tasks.speech.downstream import TaggedTranscript
    from aune.tasks.speech.downstream import downstream as scored
    from aune.tasks.speech.entity_corpora import corpus_options, read_transcripts

    if not responses:
        raise UsageError("expected at least one transcript with entities: ASR:NER=PATH")
    check_known([closeness], ["letters", "en", "fr"], "closeness")
    home = registry.task("speech")
    kwargs = keywords(options)
    reading = corpus_options()
    of_files = {name: value for name, value in kwargs.items() if name.removeprefix("response_") in reading}
    of_entities = {name: value for name, value in kwargs.items() if name not in of_files}
    chosen = _check_response_options(of_files)
    expected = read_transcripts(key, input_format, {name: chosen[name] for name in chosen if name in reading})
    notes = list(expected.warnings)
    transcripts = []
    for recogniser, tagger, path in map(_parse_response, responses):
        corpus = read_transcripts(path, input_format, _reading_of_responses(chosen))
        pairs, pairing_notes = pair(home, expected, corpus)
        notes += [*corpus.warnings, *pairing_notes]
        transcripts.append(TaggedTranscript(recogniser, tagger, pairs))

    def add_intervals(result: Result) -> Result:
        if not ci:
            return result
        from aune.statistics.intervals import with_intervals

        return with_intervals(result, "auto", level=level, draws=draws, seed=seed)

    outcome = scored(
        transcripts, measure_names(measures) or ["eter"], measure_names(upstream) or ["wer", "ne_wer"],
        normalise=normalise, closeness=closeness, typology=typology, finish=add_intervals,
        upstream_options={"model": model} if model else {}, **of_entities,
    )  # fmt: skip
    warn(dict.fromkeys([*notes, *outcome.warnings]))
    text = _render(outcome, chosen_format(format, output))
    with _write_projections(
        transcripts,
        projected,
        normalise,
        typology,
        closeness,
        inputs=[Path(key), *(Path(_parse_response(response)[2]) for response in responses)],
    ):
        put_text(text, output)


def _check_response_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of files, those for responses in the types of their readers; the others are checked when they act."""
    from aune.contract import registry
    from aune.evaluation.plan import RESPONSE_PREFIX, collect_options, reading_functions, resolve_options

    checked = dict(options)
    speech, entities = registry.task("speech"), registry.task("entities")
    of_speech = collect_options(reading_functions(speech))
    for name, value in options.items():
        if name.startswith(RESPONSE_PREFIX):
            home = speech if name.removeprefix(RESPONSE_PREFIX) in of_speech else entities
            checked |= resolve_options(home, [], None, {name: value}).explicit
    return checked


def _reading_of_responses(options: dict[str, Any]) -> dict[str, Any]:
    """The options of files as the readers of responses see them."""
    from aune.evaluation.plan import RESPONSE_PREFIX, options_for_responses

    return {
        name: value for name, value in options_for_responses(options).items() if not name.startswith(RESPONSE_PREFIX)
    }


def _parse_response(text: str) -> tuple[str, str, str]:
    """ASR, NER and PATH of a response.

    >>> _parse_response("r1:tagger=a.jsonl"), _parse_response("a.jsonl")
    (('r1', 'tagger', 'a.jsonl'), ('a', 'a', 'a.jsonl'))
    """
    from aune.reading.system_names import system_names

    ((name, path),) = system_names([text]).items()
    recogniser, colon, tagger = name.partition(":")
    return recogniser, tagger if colon else recogniser, path


@contextmanager
def _write_projections(
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
    from aune.contract import registry
    from aune.files import file_transaction, fill_folder
    from aune.tasks.speech.comparison import compare
    from aune.tasks.speech.downstream import projected_reference

    write = registry.format("entities", "jsonl").write
    assert write is not None
    with fill_folder(folder) as home, file_transaction(inputs) as files:
        for name, source in {transcript.recogniser: transcript for transcript in transcripts}.items():
            documents = projected_reference(compare(source.pairs, normalise=normalise), typology, closeness, words=True)
            files.write(home / f"{name}.jsonl", "".join(write(documents)).encode())
        yield


def _render(downstream: DownstreamScores, form: str) -> str:
    from aune.errors import UsageError
    from aune.meta.impact import Score, increases
    from aune.reports.delimited import delimited_text
    from aune.reports.json import to_json
    from aune.tasks.speech.downstream import ERRORS

    scores = [Score(*row[:6]) for row in downstream.rows]
    has_manual = any(row.system == MANUAL and row.downstream for row in downstream.rows)
    below = [entry for entry in scores if entry.downstream and entry.measure in ERRORS]
    above = [entry for entry in scores if not entry.downstream]
    paes = increases(above, below, MANUAL, ERRORS) if has_manual and len({entry.system for entry in below}) > 1 else []
    if form == "json":
        inserted = [
            {"system": asr, "downstream": ner, "stretches": table} for (asr, ner), table in downstream.inserted.items()
        ]
        record = {
            "schema": 1,
            "task": "speech",
            "downstream": [row._asdict() for row in downstream.rows],
            "pae": [entry._asdict() for entry in paes],
            "inserted": inserted,
            "lost": downstream.lost,
        }
        return to_json(record, indent=1)
    if form in ("csv", "tsv"):
        header = ("system", "measure", "score", "document", "downstream", "better")
        return delimited_text([header, *(row[:6] for row in downstream.rows)], "," if form == "csv" else "\t")
    if form != "table":
        raise UsageError(f"--format {form}: expected table, json, csv or tsv")
    return "\n".join(_tables(downstream, paes)) + "\n"


def _tables(downstream: DownstreamScores, paes: Sequence[Any]) -> list[str]:
    """Scores by transcript and recogniser, the growth of errors, and the entities made up in stretches."""
    from aune.reports.text import align_columns
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
    lines = [*align_columns(rows), "", "values × 100; errors are entities, by the pairing of ETER"]
    if paes:
        known = {(increase.system, increase.downstream, increase.error): increase.pae for increase in paes}
        growth = [("PAE (%)", "recogniser", *ERRORS)]
        for asr, ner in dict.fromkeys((increase.system, increase.downstream) for increase in paes):
            growth.append((asr, ner, *(_signed_percent(known.get((asr, ner, name))) for name in ERRORS)))
        lines += ["", *align_columns(growth)]
    most = max((max(table, default=0) for table in downstream.inserted.values()), default=0)
    counts = [("stretches with", "recogniser", *(f"{number} made up" for number in range(most + 1)))]
    for (asr, ner), table in downstream.inserted.items():
        counts.append((asr, ner, *(str(table.get(number, 0)) for number in range(most + 1))))
    return [*lines, "", *align_columns(counts)]


def _cell(row: Any) -> str:
    if row is None:
        return "undefined"
    ends = f" [{100 * row.ci[0]:.2f}, {100 * row.ci[1]:.2f}]" if row.ci else ""
    return f"{100 * row.score:.2f}{ends}".replace("-", "−")


def _signed_percent(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.1f}".replace("-", "−")
