"""Compare two states of one text: all scores, and how the chains of one are distributed over those of the other.

The projections of a key chain are its intersections with the response chains, π(K); σ(R) are those of a response chain
with the key chains. The largest projection is the core, the exclusive core is the one that the measure XC assigns
(Popescu-Belis 1999). A denotation pair is a key chain with the response chain that denotes the same entity (Trouilleux
et al. 2000). Both sides are completed with singletons, so that every mention has a chain on either side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from aune.contract import registry
from aune.evaluation.pipeline import evaluate
from aune.results.result import SystemScore
from aune.tasks.coref.comparison import Comparison, Contingency
from aune.tasks.coref.correspondence import SPECIFICITY, Expressions, collect_expressions, parse_specificity
from aune.tasks.coref.denotation_details import correspond_chains
from aune.tasks.coref.measures.exclusive_core import exclusive_cores
from aune.tasks.coref.model import Document, duplicates
from aune.tasks.coref.pair_comparison import compare
from aune.workbench.disagreements import Disagreement, disagreements
from aune.workbench.documents import shared_words, state_document
from aune.workbench.model import State, Text

TABLE_2 = ("muc", "b_cubed", "core", "exclusive_core", "distribution", "overlap", "entropy", "kappa")
"""The measures of Popescu-Belis 1999, in the order of his tables."""
MEASURES = {
    "coref": (
        "mentions", *TABLE_2, "ceaf_m", "ceaf_e", "conll", "lea", "blanc", "denotation", "mor", "rand",
        "adjusted_rand", "v_measure", "variation_of_information",
    ),
    "entities": ("f_measure", "ser", "eter", "muc", "token_accuracy"),
    "tagging": ("accuracy", "precision_decision", "f_measure"),
    "anaphora": ("accuracy", "graded", "pairs", "azzam"),
}  # fmt: skip
"""The measures that are shown for each task by default."""


class Conventions(msgspec.Struct, frozen=True, kw_only=True):
    """The content and the method of a comparison. An empty string selects the value of the convention."""

    convention: str = "partition"
    """partition, conll, corefud or universal_anaphora; ignored in tasks without chains."""
    singletons: Literal["keep", "drop"] = "keep"
    mentions: Literal["", "conll", "complete"] = ""
    """Mentions on one side only: kept there, or added to the other side as singletons."""
    match: Literal["exact", "partial", "head"] = "exact"
    only: tuple[str, ...] = ()
    """Kinds of mentions (pronoun, name), kinds by a rule (english=pronoun) or features (etype=person)."""
    relations: str = "identity"
    """identity, collapse, or the name of a relation between chains."""
    start: int = 0
    end: int | None = None
    """The passage, in characters: only mentions inside it count."""
    measures: tuple[str, ...] = ()
    unmarked: Literal["empty", "singleton"] = "empty"
    """For α: a mention that only one annotator marked is in no chain of the other, or in a singleton."""

    def options(self, task: str) -> dict[str, Any]:
        """The options for aune's evaluation."""
        if task != "coref":
            return {}
        chosen: dict[str, Any] = {"convention": self.convention}
        if self.mentions:
            chosen["mentions"] = self.mentions
        for name in ("singletons", "match", "only", "relations"):
            if getattr(self, name) != getattr(PLAIN, name):
                chosen[name] = getattr(self, name)
        return chosen

    def judgement_options(self, task: str) -> dict[str, Any]:
        """The options for the agreement between annotators."""
        return {"unmarked": self.unmarked} if task == "coref" else {}


PLAIN = Conventions()


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one measure: its values as shares; an undefined value is null and has a reason."""

    measure: str
    short: str
    values: dict[str, float | None]
    main: str
    """The name of the value that is usually quoted."""
    better: str
    percent: bool
    """Whether the values are shares, which are displayed as percentages."""
    signature: str
    direction: Literal["", "r", "p"] = ""
    """For D-error: too many chains that are too small (r), or too few that are too large (p)."""
    undefined: dict[str, str] = {}


def restrict_to_passage(state: State, start: int, end: int | None) -> State:
    """The mentions of a state that lie in a passage, as a state."""
    if not start and end is None:
        return state
    last = float("inf") if end is None else end
    mentions = {
        name: mention for name, mention in state.mentions.items() if start <= mention.start and mention.end <= last
    }
    return State(mentions, state.chains, state.relations)


def document_pair(text: Text, key: State, response: State, conventions: Conventions) -> tuple[Any, Any]:
    """Both states as documents, restricted to the passage."""
    states = [restrict_to_passage(state, conventions.start, conventions.end) for state in (key, response)]
    words = shared_words(text, states)
    first, second = (state_document(text, state, words).document for state in states)
    return first, second


def scores(text: Text, key: State, response: State, conventions: Conventions = PLAIN) -> list[Score]:
    """Every measure under the conventions; if there is nothing to score, every value is undefined."""
    return pooled_scores(text.task, [document_pair(text, key, response, conventions)], conventions)


def pooled_scores(task: str, pairs: Sequence[tuple[Any, Any]], conventions: Conventions) -> list[Score]:
    """Every measure, pooled over pairs of documents."""
    options = conventions.options(task)
    if task == "coref":
        options["duplicates"] = _duplicates(document for documents in pairs for document in documents)
    chosen = list(conventions.measures or MEASURES[task])
    keys, responses = ([documents[side] for documents in pairs] for side in (0, 1))
    result = evaluate(task, keys, {"response": responses}, measures=chosen, **options)
    return [page_score(scored) for scored in result]


def _duplicates(documents: Iterable[Document]) -> Literal["first", "error"]:
    """`first` if a document has duplicate mentions: only the first one counts; otherwise `error`."""
    return "first" if any(map(duplicates, documents)) else "error"


def page_score(scored: SystemScore) -> Score:
    """A score of an evaluation in the form that pages display."""
    d_error = scored.values.get("d_error") or 0.0
    return Score(
        measure=scored.name,
        short=scored.measure.short,
        values=scored.values,
        main=scored.measure.headline,
        better=scored.measure.better,
        percent=scored.measure.percent,
        signature=str(scored.signature),
        direction="r" if d_error > 0 else "p" if d_error < 0 else "",
        undefined=scored.reasons,
    )


class Fragment(msgspec.Struct, frozen=True):
    """The intersection of a chain with a chain of the other side."""

    other: int
    """The index of the chain on the other side."""
    mentions: list[int]
    """The indices of the expressions."""


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """A chain, and its correspondence to the chains of the other side."""

    chain: str | None
    """Its id; None for a mention that is missing on this side, which counts as a chain of its own."""
    mentions: list[int]
    projections: list[Fragment]
    """π(K) or σ(R), the largest first."""
    core: int
    """The chain of the other side that contains most of this chain."""
    exclusive: int | None = None
    """The exclusive core of a key chain; None if it is empty."""
    pair: int | None = None
    """The chain of the other side that denotes the same entity."""


class Expression(msgspec.Struct, frozen=True, array_like=True):
    """A mention of either side, and its B³ recall and precision."""

    key: str | None
    response: str | None
    """Its id on each side; None if the mention is missing there."""
    recall: float
    precision: float


class StateComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a page displays about two states."""

    scores: list[Score]
    expressions: list[Expression]
    key: list[Fate]
    response: list[Fate]
    disagreements: list[Disagreement]


def compare_states(text: Text, key: State, response: State, conventions: Conventions = PLAIN) -> StateComparison:
    """Two annotations of chains, compared."""
    documents = document_pair(text, key, response, conventions)
    options = _matching_options(conventions)
    comparison = compare([documents], duplicates=_duplicates(documents), **options)
    sides = _Sides(comparison)
    columns = sides.expressions
    return StateComparison(
        scores=scores(text, key, response, conventions),
        expressions=list(sides.rows()),
        key=_fates(sides, 0, key),
        response=_fates(sides, 1, response),
        disagreements=disagreements(comparison, key, response) if len(columns.key_chain) else [],
    )


def _matching_options(conventions: Conventions) -> dict[str, Any]:
    """The options that apply when mentions are matched; the convention gives the defaults."""
    preset = registry.task("coref").comparing.conventions.get(conventions.convention, {})
    known = {name: value for name, value in preset.items() if name in ("match", "singletons", "zeros")}
    chosen = conventions.options("coref")
    return {**known, **{name: value for name, value in chosen.items() if name not in ("convention", "mentions")}}


class _Sides:
    """Both partitions of the same set of expressions."""

    def __init__(self, comparison: Comparison) -> None:
        self.expressions: Expressions = collect_expressions(comparison, list(parse_specificity(SPECIFICITY)), "format")
        self.ids = [_ids(comparison, which) for which in (0, 1)]
        columns = self.expressions
        self.chains = columns.key_chain, columns.response_chain
        self.cells = columns.cell_key, columns.cell_response
        self.numbers = columns.key_mention, columns.response_mention
        self.counts = comparison.key.chain_count, comparison.response.chain_count
        self.table = Contingency(
            1,
            np.bincount(columns.key_chain, minlength=columns.key_chains),
            np.zeros(columns.key_chains, np.int64),
            np.bincount(columns.response_chain, minlength=columns.response_chains),
            np.zeros(columns.response_chains, np.int64),
            columns.cell_key,
            columns.cell_response,
            columns.cell_size,
        )
        chosen = correspond_chains(comparison, SPECIFICITY, "format", "optimal")[2]
        self.pairs = dict(zip(columns.cell_key[chosen].tolist(), columns.cell_response[chosen].tolist(), strict=True))
        cores = exclusive_cores(self.table)
        self.exclusive = dict(zip(columns.cell_key[cores].tolist(), columns.cell_response[cores].tolist(), strict=True))

    def rows(self) -> Iterable[Expression]:
        columns = self.expressions
        shared = columns.cell_size[columns.cell]
        recall = shared / self.table.key_sizes[columns.key_chain]
        precision = shared / self.table.response_sizes[columns.response_chain]
        names = [
            [self.ids[which][number] if number >= 0 else None for number in self.numbers[which].tolist()]
            for which in (0, 1)
        ]
        return map(Expression, *names, recall.tolist(), precision.tolist())


def _ids(comparison: Comparison, which: int) -> list[str]:
    """The id of each mention of a side."""
    side = (comparison.key, comparison.response)[which]
    names = comparison.pairs[0][which].features.get("id", [])
    return [names[number] for number in side.mention.tolist()]


def _fates(sides: _Sides, which: int, state: State) -> list[Fate]:
    """Every chain of one side."""
    columns = sides.expressions
    members: list[list[int]] = [[] for _ in range(int(sides.chains[which].max(initial=-1)) + 1)]
    for number, chain in enumerate(sides.chains[which].tolist()):
        members[chain].append(number)
    by_cell: list[list[int]] = [[] for _ in columns.cell_size]
    for number, cell in enumerate(columns.cell.tolist()):
        by_cell[cell].append(number)
    parts: list[list[Fragment]] = [[] for _ in members]
    for chain, other, numbers in zip(
        sides.cells[which].tolist(), sides.cells[1 - which].tolist(), by_cell, strict=True
    ):
        parts[chain].append(Fragment(other, numbers))
    pairs = sides.pairs if which == 0 else {response: key for key, response in sides.pairs.items()}
    fates = []
    for chain, (numbers, fragments) in enumerate(zip(members, parts, strict=True)):
        fragments.sort(key=lambda part: (-len(part.mentions), part.mentions[0]))
        first = int(sides.numbers[which][numbers[0]])
        name = _chain_id(state, sides.ids[which][first]) if chain < sides.counts[which] and first >= 0 else None
        fates.append(
            Fate(
                chain=name,
                mentions=numbers,
                projections=fragments,
                core=fragments[0].other,
                exclusive=sides.exclusive.get(chain) if which == 0 else None,
                pair=pairs.get(chain),
            )
        )
    return fates


def _chain_id(state: State, mention: str) -> str:
    """The chain of a mention; the id of the mention if it is in no chain."""
    return state.mentions[mention].chain or mention


class ChosenChain(NamedTuple):
    """One chain of a comparison as in figure 1: its mentions, its fragments, and the chains that contain these."""

    fate: Fate
    others: Mapping[int, Fate]


def find_chain(comparison: StateComparison, side: Literal["key", "response"], chain: str) -> ChosenChain | None:
    """A chain by its id, with the chains of the other side that intersect it."""
    fates: Sequence[Fate] = getattr(comparison, side)
    other_fates: Sequence[Fate] = comparison.response if side == "key" else comparison.key
    for fate in fates:
        if fate.chain == chain:
            return ChosenChain(fate, {part.other: other_fates[part.other] for part in fate.projections})
    return None
