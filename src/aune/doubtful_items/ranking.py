"""The items of a key that deserve a second look, sorted by the evidence against them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from aune.contract.measure import Measure
from aune.corrections.document_diffs import Edit
from aune.corrections.edit_wording import describe_edit
from aune.doubtful_items.anaphora import ADAPTOR as ANAPHORA
from aune.doubtful_items.coref import ADAPTOR as COREF
from aune.doubtful_items.entities import ADAPTOR as ENTITIES
from aune.doubtful_items.evidence import Evidence, system_votes, weigh_evidence
from aune.doubtful_items.items import Adaptor, Item
from aune.doubtful_items.speech import ADAPTOR as SPEECH
from aune.doubtful_items.tagging import ADAPTOR as TAGGING
from aune.errors import UsageError
from aune.evaluation.plan import resolve_plan
from aune.explain.analysis import study
from aune.explain.correction_effects import Effect, ScoredRuns, read_runs
from aune.reading.argument_checks import forwards_options_to
from aune.reading.corpus import Corpus
from aune.reading.system_names import name_runs, system_names
from aune.results.result import Result, emit_warnings

ADAPTORS: Mapping[str, Adaptor] = {
    "anaphora": ANAPHORA,
    "coref": COREF,
    "entities": ENTITIES,
    "speech": SPEECH,
    "tagging": TAGGING,
}
LIMIT = 100
DIGITS = 6


class Doubt(NamedTuple):
    """An item of a key that may be wrong, and the evidence against it."""

    rank: int
    document: str
    place: tuple[int, int]
    text: str
    before: str
    after: str
    key: str
    """The key's value, in words."""
    suggestion: str
    """The suggested value, in words; '' if there is none."""
    score: float
    """The mean of the evidence, from 0 to 1."""
    evidence: Mapping[str, float]
    """The evidence by kind; kinds that do not apply are left out."""
    supporters: tuple[str, ...]
    """The systems and annotators that give the suggested value."""
    likely: str
    """The likeliest value according to a model trained on other parts of the key; '' if there is no model."""
    edit: Edit | None
    """The edit that changes the key to the suggestion."""
    correction: str
    """The edit in words."""
    effects: tuple[Effect, ...] = ()
    """The effect of the edit on the score of each system."""


@dataclass(frozen=True)
class Doubts:
    """The doubtful items of a key."""

    result: Result
    key: Corpus
    items: int
    """The number of all items of the key."""
    measure: str
    votes: Mapping[str, float]
    rows: list[Doubt] = field(default_factory=list)

    @property
    def task(self) -> str:
        return self.result.task

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """All data of the list, as the workbench opens it."""
        score = self.result.scores[0] if self.votes else None
        return {
            "aune": "doubts",
            "version": 1,
            "task": self.task,
            "key": {
                "path": self.key.path,
                "sha256": self.key.sha256,
                "format": self.key.format,
                **({"version": self.key.version} if self.key.version else {}),
            },
            "items": self.items,
            "measure": self.measure,
            "signature": str(score.signature) if score else "",
            "votes": dict(self.votes),
            "warnings": list(self.result.warnings),
            "doubts": [_doubt_data(row) for row in self.rows],
        }

    def to(self, format: str, digits: int = 2) -> str:
        """The list as text: table, json, csv, tsv, markdown, latex or html."""
        from aune import doubts_written  # noqa: PLC0415 - reports are in a higher layer

        return str(doubts_written(self, format, digits))

    def __str__(self) -> str:
        return self.to("table").rstrip("\n")


def _doubt_data(row: Doubt) -> dict[str, Any]:
    return {
        **row._asdict(),
        "place": list(row.place),
        "evidence": dict(row.evidence),
        "supporters": list(row.supporters),
        "effects": [effect._asdict() for effect in row.effects],
    }


@forwards_options_to(resolve_plan)
def doubts(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str | Path] = (),
    *,
    keys: Mapping[str, Any] | Sequence[str | Path] = (),
    measures: Sequence[str | Measure] = (),
    limit: int | None = LIMIT,
    **options: Any,
) -> Doubts:
    """The items of a key that deserve a second look, with the strongest evidence first.

    `systems` are responses, as in `evaluate`; `keys` are files of single annotators of the same texts. The effect of
    each correction is computed for the first of `measures` (by default the ranking measure), and `limit` is how many
    items are listed. Other options are those of `evaluate`.

    >>> key = [("the", "D"), ("run", "V"), ("ended", "V")] * 8 + [("the", "V")]
    >>> told = doubts("tagging", key, {"a": [(word, {"the": "D"}.get(word, tag)) for word, tag in key]})
    >>> told.rows[0].text, told.rows[0].key, told.rows[0].suggestion, told.rows[0].edit
    ('the', 'V', 'D', {'word': 24, 'tags': 'D'})
    """
    ranked = rank_doubts(task, key, systems, keys=keys, measures=measures, limit=limit, **options)
    emit_warnings(ranked.result)
    return ranked


def rank_doubts(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str | Path] = (),
    *,
    keys: Mapping[str, Any] | Sequence[str | Path] = (),
    measures: Sequence[str | Measure] = (),
    limit: int | None = LIMIT,
    **options: Any,
) -> Doubts:
    """Like `doubts`, but warnings are part of the result and are not issued."""
    named_systems, annotators = _name_sources(systems), _name_sources(keys)
    if repeated := sorted(set(named_systems) & set(annotators)):
        raise UsageError(f"{repeated[0]}: found among the systems and among the annotators: name one of them")
    runs = read_runs(task, key, {**named_systems, **annotators} or {"key": key}, measures, options)
    ranked = weigh_items(runs, list(named_systems), list(annotators))
    chosen = [entry for entry in ranked.items if entry.score > 0][:limit]
    rows = [_make_doubt(runs, rank, entry) for rank, entry in enumerate(chosen, 1)]
    scored = _only_systems(runs, named_systems)
    if scored is not None:
        rows = _with_effects(scored, rows)
    return Doubts(ranked.result, runs.key, len(ranked.items), runs.measure, ranked.votes, rows)


class WeighedItem(NamedTuple):
    """An item with the evidence against it."""

    item: Item
    evidence: Evidence
    score: float


class WeighedItems(NamedTuple):
    """All items of a key, with the strongest evidence first."""

    items: list[WeighedItem]
    votes: Mapping[str, float]
    result: Result


def weigh_items(runs: ScoredRuns, systems: Sequence[str], annotators: Sequence[str]) -> WeighedItems:
    """Weigh every item of the key of some runs; `systems` and `annotators` are names of runs."""
    studied = study(runs.task, runs.key, runs.responses, measures=[runs.measure], **runs.options)
    items = ADAPTORS[runs.task].items(runs.key.documents, studied.comparisons)
    if not (systems or annotators):
        items = [replace(item, answers={}) for item in items]
    evidence = weigh_evidence(items, systems, annotators)
    weighed = [WeighedItem(item, known, _score(known)) for item, known in zip(items, evidence, strict=True)]
    return WeighedItems(sorted(weighed, key=_order), system_votes(items, systems), studied.result)


def _name_sources(sources: Mapping[str, Any] | Sequence[str | Path]) -> dict[str, Any]:
    if isinstance(sources, Mapping):
        return name_runs({str(name): source for name, source in sources.items()})[0]
    return name_runs(system_names(list(map(str, sources)), with_runs=True))[0] if sources else {}


def _only_systems(runs: ScoredRuns, systems: Mapping[str, Any]) -> ScoredRuns | None:
    """The runs of systems without those of annotators; None if there are no systems."""
    if not systems:
        return None
    responses = {name: runs.responses[name] for name in systems}
    return ScoredRuns(runs.task, runs.key, responses, runs.measure, runs.options)


def _score(evidence: Evidence) -> float:
    """The mean of the evidence that applies."""
    known = [value for value in evidence.by_kind.values() if value is not None]
    return round(sum(known) / len(known), DIGITS) if known else 0.0


def _order(weighed: WeighedItem) -> tuple[Any, ...]:
    item = weighed.item
    return -weighed.score, item.document, item.place, str(item.value)


def _make_doubt(runs: ScoredRuns, rank: int, weighed: WeighedItem) -> Doubt:
    adaptor, (item, evidence, score) = ADAPTORS[runs.task], weighed
    suggested = _suggestion(item, evidence)
    edit = None if suggested is None else adaptor.edit(item, suggested)
    known = {kind: round(value, DIGITS) for kind, value in evidence.by_kind.items() if value is not None}
    supporters = tuple(name for name, answer in item.answers.items() if suggested is not None and answer == suggested)
    return Doubt(
        rank, item.document, item.place, item.text, item.before, item.after, adaptor.words(item, item.value),
        "" if suggested is None else adaptor.words(item, suggested), score, known, supporters,
        "" if item.likely is None else adaptor.words(item, item.likely), edit,
        "" if edit is None else _describe(runs, item.document, edit),
    )  # fmt: skip


def _suggestion(item: Item, evidence: Evidence) -> Hashable:
    """The value that most systems give, else most annotators, else the model; None if none differs from the key's."""
    if evidence.agreed is not None:
        return evidence.agreed
    return item.likely if item.likely is not None and item.likely != item.value else None


def _describe(runs: ScoredRuns, name: str, edit: Edit) -> str:
    document = next((document for document in runs.key.documents if document.id == name), None)
    return describe_edit(runs.task, edit, document)


def _with_effects(runs: ScoredRuns, rows: Sequence[Doubt]) -> list[Doubt]:
    """The rows, with the effects of each correction."""
    editable = [row for row in rows if row.edit is not None]
    computed = runs.effects([(row.document, row.edit) for row in editable if row.edit is not None])
    effects = {row.rank: tuple(changes) for row, changes in zip(editable, computed, strict=True)}
    return [row._replace(effects=effects.get(row.rank, ())) for row in rows]
