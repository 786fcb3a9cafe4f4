"""The results of meta-evaluation, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aune import __version__
from aune.contract.options import check_known
from aune.reports import FORMATS, render_tables
from aune.reports.comparison import p_value
from aune.reports.delimited import delimited_text
from aune.reports.json import to_json
from aune.reports.tabular import UNDEFINED, Table

if TYPE_CHECKING:
    from aune.meta.audit import Finding
    from aune.meta.bounds import Bounds
    from aune.meta.covariance import Covariance, MeasureCorrelation
    from aune.meta.impact import Increase, Prediction
    from aune.meta.judgements import Agreement, Preference
    from aune.meta.severity import Ordering


def write(records: Mapping[str, Any], tables: Sequence[Table], format: str) -> str:
    """The records by name for JSON, the first kind of them for CSV, the tables for readers."""
    check_known([format], FORMATS, "output format")
    if format == "json":
        envelope = {"schema": 1, "tool": {"name": "aune", "version": __version__}, **records}
        return to_json(envelope, indent=1)
    if format == "jsonl":
        lines = [
            {"record": name, **record} for name, many in records.items() if isinstance(many, list) for record in many
        ]
        return "".join(map(to_json, lines))
    if format in ("csv", "tsv"):
        rows = [_flat(record) for record in next(many for many in records.values() if isinstance(many, list))]
        header = [list(row) for row in rows[:1]]
        return delimited_text([*header, *(list(row.values()) for row in rows)], "," if format == "csv" else "\t")
    return render_tables(tables, format)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as cells: an interval is two of them, a list one, and an undefined value is empty."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if name == "ci":
            flat["low"], flat["high"] = value or (None, None)
        else:
            flat[name] = " ".join(value) if isinstance(value, list | tuple) else value
    return flat


def audit_tables(findings: Sequence[Finding], settings: str) -> list[Table]:
    """Measure by criterion, then the examples."""
    criteria = list(
        dict.fromkeys(criterion_heading(finding.criterion) for finding in findings if finding.status != "listed")
    )
    measures = list(dict.fromkeys(finding.measure for finding in findings))
    cells = {(finding.measure, criterion_heading(finding.criterion)): _verdict(finding) for finding in findings}
    rows = [(name, *(cells.get((name, criterion), "") for criterion in criteria)) for name in measures]
    example_rows: list[tuple[str, ...]] = [
        (finding.measure, finding.criterion, finding.status, str(finding.cases), finding.example or "")
        for finding in findings
        if finding.example
    ]
    legend = (
        "yes: holds on all cases tried; no: there is a counter-example; a number: what the response gets on average, "
        "for BI-3 the lowest that any response to some key gets, for BI-3′ the mean of the lowest over all keys and "
        "numbers of chains"
    )
    examples = Table("", ("measure", "criterion", "status", "cases", "example"), example_rows, names=5)
    return [Table("", ("measure", *criteria), rows), examples._replace(notes=(legend, settings))]


def criterion_heading(criterion: str) -> str:
    """A criterion as a column header."""
    return criterion.removeprefix("BI-2: ").split(": recall")[0]


def _verdict(finding: Finding) -> str:
    if finding.status in ("holds", "proven"):
        return "yes"
    if finding.score is not None and finding.criterion.startswith("BI"):
        return f"no {finding.score:.2f}".replace("-", "−")
    return "no"


def severity_tables(orderings: Sequence[Ordering], settings: str) -> list[Table]:
    """The ordered pairs, and below them the number of pairs that are not ordered."""
    ordered = [ordering for ordering in orderings if ordering.relation != "≷"]
    rows: list[tuple[str, ...]] = [
        (
            ordering.first,
            ordering.relation,
            ordering.second,
            str(ordering.cases),
            ordering.above or ordering.below or "",
        )
        for ordering in ordered
    ]
    others = len(orderings) - len(ordered)
    note = f"{others} other pair{'s' * (others != 1)} of values: each is above the other on some case (all in JSON)"
    return [Table("", ("first", "", "second", "cases", "example"), rows, names=5, notes=(note, settings))]


def covariance_tables(covariance: Covariance, settings: str) -> list[Table]:
    """The verdicts over all texts and their number by text, then the agreement of measures in pairs."""
    overall = [verdict for verdict in covariance.verdicts if verdict.text == covariance.verdicts[0].text]
    kinds = ("unanimous", "majority", "contradictory", "none")
    rows: list[tuple[str, ...]] = []
    for item in overall:
        texts = [v.verdict for v in covariance.verdicts if (v.a, v.b) == (item.a, item.b) and v.text != item.text]
        votes = f"{len(item.for_a)} to {len(item.for_b)}"
        rows.append(
            (item.a, item.b, item.better or UNDEFINED, item.verdict, votes, *(str(texts.count(k)) for k in kinds))
        )
    head = ("a", "b", "better", "verdict", "votes", *(f"texts {kind}" for kind in kinds))
    correlations = {
        (correlation.first, correlation.second, correlation.by): correlation for correlation in covariance.correlations
    }
    ways = list(dict.fromkeys(correlation.by for correlation in covariance.correlations))
    pairs: list[tuple[str, ...]] = [
        (
            item.first,
            item.second,
            UNDEFINED if item.share is None else f"{item.share:.2f}",
            str(item.cases),
            *(_correlation(correlations[item.first, item.second, way]) for way in ways),
        )
        for item in covariance.concord
    ]
    named = [
        f"{covariance.correlations[0].coefficient}, {'mean of texts' if way == 'document' else way}" for way in ways
    ]
    against = [
        f"{item.a} and {item.b}: {', '.join(item.for_a)} for {item.a}; {', '.join(item.for_b)} for {item.b}"
        for item in overall
        if item.verdict in ("majority", "contradictory")
    ]
    return [
        Table("", head, rows, names=5),
        Table("", ("first", "second", "same preference", "cases", *named), pairs, names=2, notes=(*against, settings)),
    ]


def bounds_tables(bounds: Sequence[Bounds]) -> list[Table]:
    head = [name.replace("_", " ").replace("b cubed", "B³").replace("muc", "MUC") for name in bounds[0]._fields]
    rows = [(str(bound[0]), *(f"{100 * value:.2f}" for value in bound[1:])) for bound in bounds]
    return [Table("", tuple(head), rows, notes=("lower bounds × 100",))]


def impact_tables(
    predictions: Sequence[Prediction], best: Mapping[str, str], paes: Sequence[Increase], settings: str
) -> list[Table]:
    """Tables 5.3 to 5.8: a row per upstream measure, a column per downstream system."""
    takers = list(dict.fromkeys(prediction.downstream for prediction in predictions))
    measures = list(dict.fromkeys(prediction.measure for prediction in predictions))
    cells = {(prediction.measure, prediction.downstream): prediction for prediction in predictions}
    rows = [(name, *(_correlation(cells[name, taker]) for taker in takers)) for name in measures]
    marks = {(measures.index(name), 1 + takers.index(taker)) for taker, name in best.items()}
    documents = max((prediction.documents for prediction in predictions), default=0)
    notes = [f"mean over {documents} documents" if documents > 1 else "pooled over documents"]
    notes += _undefined_notes(predictions) if documents > 1 else []
    notes += [f"best for {taker}: {name}" for taker, name in best.items()]
    tables = [Table("", ("measure", *takers), rows, 1, frozenset(marks), (*notes, settings))] if predictions else []
    return [*tables, *([_increase_table(paes)] if paes else [])]


def _undefined_notes(predictions: Sequence[Prediction]) -> list[str]:
    """The measures without a correlation on some documents, because all systems get the same value there."""
    notes = []
    for prediction in predictions:
        if prediction.downstream == predictions[-1].downstream and prediction.undefined:
            missing = (
                f"{prediction.undefined} of {prediction.undefined + prediction.defined} "
                "correlations left out of the means"
            )
            notes.append(f"{prediction.measure}: {missing} (all systems tie, or one lacks a score)")
    return notes


def judgement_tables(
    agreement: Agreement, preferences: Sequence[Preference], application: str, even: int = 0
) -> list[Table]:
    """The agreement of the judges, and how often each measure prefers the system that most of them prefer."""
    named = "Fleiss κ" if agreement.kind == "choices" else "Krippendorff α"
    head = ("judges", "items", "judgements", "agreement", named)
    values = [UNDEFINED if x is None else f"{x:.3f}" for x in (agreement.observed, agreement.coefficient)]
    row = (agreement.kind, str(agreement.items), str(agreement.judgements), *values)
    tables = [Table("", head, [row], 1, frozenset(), (f"application: {application}",))]
    if not preferences:
        return tables
    shares = list(dict.fromkeys(preference.least for preference in preferences))
    cells = {(preference.measure, preference.least): preference for preference in preferences}
    pairs = {least: cells[preferences[0].measure, least] for least in shares}
    columns = [
        (f"{100 * least:g} % agree" if least else "all") + f" ({preference.items + preference.unscored})"
        for least, preference in pairs.items()
    ]
    rows = []
    for measure in dict.fromkeys(preference.measure for preference in preferences):
        measure_preferences = [cells[measure, least] for least in shares]
        rows.append(
            (
                measure,
                *(
                    UNDEFINED
                    if preference.right is None or preference.half is None
                    else f"{100 * preference.right:.1f} ({100 * preference.half:.1f})"
                    for preference in measure_preferences
                ),
            )
        )
    notes = [
        "how often a measure prefers what most people prefer, × 100; its ties are wrong (in brackets, half right)",
        *([f"{even} pair{'s' * (even > 1)} left out, on which people are even"] if even else []),
        *(
            f"{preference.measure}: {preference.unscored} of {preference.items + preference.unscored} "
            "pairs have no scores, left out"
            for preference in preferences
            if preference.unscored and preference.least == min(shares)
        ),
    ]
    return [*tables, Table("", ("measure", *columns), rows, 1, frozenset(), tuple(notes))]


def _correlation(entry: Prediction | MeasureCorrelation) -> str:
    if entry.correlation is None:
        return UNDEFINED
    text = f"{entry.correlation:.2f}"
    text += f" [{entry.ci[0]:.2f}, {entry.ci[1]:.2f}]" if entry.ci else ""
    return (text + (f" p {p_value(entry.p)}" if entry.p is not None else "")).replace("-", "−")


def _increase_table(paes: Sequence[Increase]) -> Table:
    kinds = list(dict.fromkeys((increase.downstream, increase.error) for increase in paes))
    known = {(increase.system, increase.downstream, increase.error): increase.pae for increase in paes}
    systems = list(dict.fromkeys(increase.system for increase in paes))

    def cell(system: str, kind: tuple[str, str]) -> str:
        pae = known.get((system, *kind))
        return UNDEFINED if pae is None else f"{pae:.1f}".replace("-", "−")

    above = {increase.system: increase.upstream for increase in paes}
    measures = list(dict.fromkeys(name for scores in above.values() for name in scores))
    rows = [
        (
            system,
            *(f"{above[system][name]:.2f}" if name in above[system] else UNDEFINED for name in measures),
            *(cell(system, kind) for kind in kinds),
        )
        for system in sorted(systems, key=lambda system: [above[system].get(name, 0.0) for name in measures])
    ]
    title = "Increase of errors over manual input (PAE, %), beside the scores upstream"
    notes = ("scores upstream as the tables give them",) if measures else ()
    return Table(title, ("system", *measures, *map(" ".join, kinds)), rows, notes=notes)
