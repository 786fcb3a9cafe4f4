"""What meta-evaluation found, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aune import __version__
from aune.core.options import check_known
from aune.core.result import SCHEMA
from aune.reports import FORMATS, table_written
from aune.reports.comparison import p_value
from aune.reports.delimited import separated
from aune.reports.json import dumped
from aune.reports.tabular import UNDEFINED, Table

if TYPE_CHECKING:
    from aune.meta.audit import Finding
    from aune.meta.bounds import Bounds
    from aune.meta.covariance import Alike, Covariance
    from aune.meta.impact import Increase, Prediction
    from aune.meta.judgements import Agreement, Preference
    from aune.meta.severity import Ordering


def write(records: Mapping[str, Any], tables: Sequence[Table], format: str) -> str:
    """The records under their names for JSON, the first kind of them for CSV, the tables for people."""
    check_known([format], FORMATS, "output format")
    if format == "json":
        envelope = {"schema": SCHEMA, "tool": {"name": "aune", "version": __version__}, **records}
        return dumped(envelope, indent=1)
    if format == "jsonl":
        lines = [{"record": name, **one} for name, many in records.items() if isinstance(many, list) for one in many]
        return "".join(map(dumped, lines))
    if format in ("csv", "tsv"):
        rows = [_flat(one) for one in next(many for many in records.values() if isinstance(many, list))]
        header = [list(row) for row in rows[:1]]
        return separated([*header, *(list(row.values()) for row in rows)], "," if format == "csv" else "\t")
    return table_written(tables, format)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as cells: an interval is two of them, a list one, and what is undefined is empty."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if name == "ci":
            flat["low"], flat["high"] = value or (None, None)
        else:
            flat[name] = " ".join(value) if isinstance(value, list | tuple) else value
    return flat


def audit_tables(findings: Sequence[Finding], settings: str) -> list[Table]:
    """Measure by criterion, then the examples."""
    criteria = list(dict.fromkeys(short(finding.criterion) for finding in findings if finding.status != "listed"))
    measures = list(dict.fromkeys(finding.measure for finding in findings))
    cells = {(finding.measure, short(finding.criterion)): _verdict(finding) for finding in findings}
    rows = [(name, *(cells.get((name, criterion), "") for criterion in criteria)) for name in measures]
    shown: list[tuple[str, ...]] = [
        (finding.measure, finding.criterion, finding.status, str(finding.cases), finding.example or "")
        for finding in findings
        if finding.example
    ]
    legend = (
        "yes: holds on all cases tried; no: there is a counter-example; a number: what the response gets on average, "
        "for BI-3 the lowest that any response to some key gets, for BI-3′ the mean of the lowest over all keys and "
        "numbers of chains"
    )
    examples = Table("", ("measure", "criterion", "status", "cases", "example"), shown, names=5)
    return [Table("", ("measure", *criteria), rows), examples._replace(notes=(legend, settings))]


def short(criterion: str) -> str:
    """A criterion as the head of a column."""
    return criterion.removeprefix("BI-2: ").split(": recall")[0]


def _verdict(finding: Finding) -> str:
    if finding.status in ("holds", "proven"):
        return "yes"
    if finding.score is not None and finding.criterion.startswith("BI"):
        return f"no {finding.score:.2f}".replace("-", "−")
    return "no"


def severity_tables(orderings: Sequence[Ordering], settings: str) -> list[Table]:
    """The ordered pairs, and below how many are not ordered."""
    ordered = [ordering for ordering in orderings if ordering.relation != "≷"]
    rows: list[tuple[str, ...]] = [
        (one.first, one.relation, one.second, str(one.cases), one.above or one.below or "") for one in ordered
    ]
    others = len(orderings) - len(ordered)
    note = f"{others} other pair{'s' * (others != 1)} of values: each is above the other on some case (all in JSON)"
    return [Table("", ("first", "", "second", "cases", "example"), rows, names=5, notes=(note, settings))]


def covariance_tables(covariance: Covariance, settings: str) -> list[Table]:
    """The verdicts over all texts and their number by text, then how far measures agree two by two."""
    whole = [verdict for verdict in covariance.verdicts if verdict.text == covariance.verdicts[0].text]
    kinds = ("unanimous", "majority", "contradictory", "none")
    rows: list[tuple[str, ...]] = []
    for one in whole:
        texts = [v.verdict for v in covariance.verdicts if (v.a, v.b) == (one.a, one.b) and v.text != one.text]
        votes = f"{len(one.for_a)} to {len(one.for_b)}"
        rows.append((one.a, one.b, one.better or UNDEFINED, one.verdict, votes, *(str(texts.count(k)) for k in kinds)))
    head = ("a", "b", "better", "verdict", "votes", *(f"texts {kind}" for kind in kinds))
    alike = {
        (correlation.first, correlation.second, correlation.by): correlation for correlation in covariance.correlations
    }
    ways = list(dict.fromkeys(correlation.by for correlation in covariance.correlations))
    pairs: list[tuple[str, ...]] = [
        (
            one.first,
            one.second,
            UNDEFINED if one.share is None else f"{one.share:.2f}",
            str(one.cases),
            *(_correlation(alike[one.first, one.second, way]) for way in ways),
        )
        for one in covariance.concord
    ]
    named = [
        f"{covariance.correlations[0].coefficient}, {'mean of texts' if way == 'document' else way}" for way in ways
    ]
    against = [
        f"{one.a} and {one.b}: {', '.join(one.for_a)} for {one.a}; {', '.join(one.for_b)} for {one.b}"
        for one in whole
        if one.verdict in ("majority", "contradictory")
    ]
    return [
        Table("", head, rows, names=5),
        Table("", ("first", "second", "same preference", "cases", *named), pairs, names=2, notes=(*against, settings)),
    ]


def bounds_tables(bounds: Sequence[Bounds]) -> list[Table]:
    head = [name.replace("_", " ").replace("b cubed", "B³").replace("muc", "MUC") for name in bounds[0]._fields]
    rows = [(str(one[0]), *(f"{100 * value:.2f}" for value in one[1:])) for one in bounds]
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
    notes = [f"mean over {documents} documents" if documents > 1 else "pooled: documents are not told apart"]
    notes += _undefined(predictions) if documents > 1 else []
    notes += [f"best for {taker}: {name}" for taker, name in best.items()]
    tables = [Table("", ("measure", *takers), rows, 1, frozenset(marks), (*notes, settings))] if predictions else []
    return [*tables, *([_increase_table(paes)] if paes else [])]


def _undefined(predictions: Sequence[Prediction]) -> list[str]:
    """The measures that have no correlation on some documents, since all systems get the same there."""
    told = []
    for one in predictions:
        if one.downstream == predictions[-1].downstream and one.undefined:
            gone = f"{one.undefined} of {one.undefined + one.defined} correlations left out of the means"
            told.append(f"{one.measure}: {gone} (all systems tie, or one lacks a score)")
    return told


def judgement_tables(
    agreement: Agreement, preferences: Sequence[Preference], application: str, even: int = 0
) -> list[Table]:
    """The agreement of the judges, and how often each measure prefers what most of them prefer."""
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
        (f"{100 * least:g} % agree" if least else "all") + f" ({one.items + one.unscored})"
        for least, one in pairs.items()
    ]
    rows = []
    for measure in dict.fromkeys(preference.measure for preference in preferences):
        mine = [cells[measure, least] for least in shares]
        rows.append((measure, *(
            UNDEFINED if one.right is None or one.half is None else f"{100 * one.right:.1f} ({100 * one.half:.1f})"
            for one in mine
        )))  # fmt: skip
    notes = [
        "how often a measure prefers what most people prefer, × 100; its ties are wrong (in brackets, half right)",
        *([f"{even} pair{'s' * (even > 1)} left out, on which people are even"] if even else []),
        *(f"{one.measure}: {one.unscored} of {one.items + one.unscored} pairs have no scores, left out"
          for one in preferences if one.unscored and one.least == min(shares)),
    ]  # fmt: skip
    return [*tables, Table("", ("measure", *columns), rows, 1, frozenset(), tuple(notes))]


def _correlation(one: Prediction | Alike) -> str:
    if one.correlation is None:
        return UNDEFINED
    text = f"{one.correlation:.2f}"
    text += f" [{one.ci[0]:.2f}, {one.ci[1]:.2f}]" if one.ci else ""
    return (text + (f" p {p_value(one.p)}" if one.p is not None else "")).replace("-", "−")


def _increase_table(paes: Sequence[Increase]) -> Table:
    kinds = list(dict.fromkeys((one.downstream, one.error) for one in paes))
    known = {(one.system, one.downstream, one.error): one.pae for one in paes}
    systems = list(dict.fromkeys(one.system for one in paes))

    def cell(system: str, kind: tuple[str, str]) -> str:
        pae = known.get((system, *kind))
        return UNDEFINED if pae is None else f"{pae:.1f}".replace("-", "−")

    above = {one.system: one.upstream for one in paes}
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
