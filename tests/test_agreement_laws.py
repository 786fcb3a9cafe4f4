"""Annotations that any measure tells apart do not agree perfectly: some coefficient that is printed is below 1.

The second annotation is the first with a change or two in what annotators of the task decide. Every registered measure
is computed under defaults with the first annotation as the key: where the second has another value than the first has
against itself, `aune agreement` must print a coefficient below 1 (for speech, a measure that is not perfect).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.contract.task import rename_document
from aune.explain.annotators import annotators_agreement
from aune.tasks.coref import model as coref_model
from aune.tasks.coref.model import STEP
from aune.tasks.entities import model as entities_model
from aune.tasks.speech.model import Recording, Utterance
from tests.test_laws import lacking, score_sides

Rows = list[dict[str, Any]]


def change_rows(draw: st.DrawFn, rows: Rows, row: st.SearchStrategy[dict[str, Any]], fewest: int = 0) -> Rows:
    """The rows with one or two changes: another value, a row less, a row more."""
    rows = [dict(before) for before in rows]
    for _ in range(draw(st.integers(1, 2))):
        place, other = draw(st.integers(0, max(len(rows) - 1, 0))), draw(row)
        what = draw(st.sampled_from([*other, "more", "less"]))
        if what == "more" or not rows:
            rows.append(other)
        elif what != "less":
            rows[place][what] = other[what]
        elif len(rows) > fewest:
            del rows[place]
    return rows


# Coreference: chains, links, what refers to nothing, zeros, discontinuous mentions.

MENTION = st.fixed_dictionaries({
    "place": st.integers(0, 5), "chain": st.integers(0, 2), "nothing": st.sampled_from([False, False, True]),
    "zero": st.sampled_from([False, False, True]), "extent": st.sampled_from(["word", "word", "wide", "parts"]),
})  # fmt: skip
LINK = st.fixed_dictionaries({
    "kind": st.sampled_from(["bridge", "part", "split"]), "source": st.integers(0, 5), "target": st.integers(0, 5),
})  # fmt: skip


@st.composite
def chains(draw: st.DrawFn) -> tuple[Any, Any]:
    first, links = draw(st.lists(MENTION, min_size=2, max_size=5)), draw(st.lists(LINK, max_size=3))
    if draw(st.booleans()):
        return coref_document(first, links), coref_document(first, change_rows(draw, links, LINK))
    return coref_document(first, links), coref_document(change_rows(draw, first, MENTION, 1), links)


def coref_document(rows: Rows, links: Rows) -> coref_model.Document:
    by_place = {row["place"]: row for row in rows}
    mentions = [coref_mention(place, row) for place, row in by_place.items()]
    numbers = {place: number for number, place in enumerate(by_place)}
    relations = {
        coref_model.Relation(link["kind"], numbers[link["source"]], numbers[link["target"]])
        for link in links
        if link["source"] != link["target"] and {link["source"], link["target"]} <= numbers.keys()
    }
    return coref_model.make_document(
        "d", mentions, relations=sorted(relations), tokens=[f"w{number}" for number in range(60)], sentences=[0],
        positions=np.arange(2, 62) * (STEP // 2),
    )  # fmt: skip


def coref_mention(place: int, row: dict[str, Any]) -> coref_model.Mention:
    """A mention of a word, or of a word, an empty node and a word."""
    start = (4 * place + 1) * STEP
    end = start + 1 if row["extent"] == "word" else start + STEP + 1
    parts = ((start, start + 1), (start + STEP, end)) if row["extent"] == "parts" else ()
    head = start + STEP // 2 if row["zero"] and row["extent"] == "wide" else start
    chain = f"alone {place}" if row["nothing"] else row["chain"]
    features = {"referring": "no"} if row["nothing"] else {}
    return coref_model.Mention(start, end, chain, head=head, segments=parts, features=features)


# Entities: nested, crossing, discontinuous; ACE.

SPAN = st.fixed_dictionaries({
    "start": st.integers(0, 6), "size": st.integers(1, 4), "label": st.sampled_from(["pers.ind", "loc.adm", "name"]),
    "depth": st.integers(0, 1), "parts": st.booleans(),
})  # fmt: skip
ACE_MENTION = st.builds(
    lambda start, size, *others: entities_model.Mention(start, start + size, *others), st.integers(0, 6),
    st.integers(1, 3), st.sampled_from(["NAM", "NOM"]), st.sampled_from(["", "ORG"]),
    st.sampled_from(["LITERAL", "METONYMIC"]),
)  # fmt: skip
REFERENT = st.fixed_dictionaries({
    "type": st.sampled_from(["PER", "ORG"]), "subtype": st.sampled_from(["", "Group"]),
    "kind": st.sampled_from(["SPC", "GEN"]), "mentions": st.lists(ACE_MENTION, min_size=1, max_size=2).map(tuple),
})  # fmt: skip


@st.composite
def spans(draw: st.DrawFn) -> tuple[Any, Any]:
    first = draw(st.lists(SPAN, min_size=1, max_size=4))
    return entity_document(first), entity_document(change_rows(draw, first, SPAN))


def entity_document(rows: Rows) -> entities_model.Document:
    made = []
    for row in rows:
        start, end = row["start"], row["start"] + row["size"]
        parts = ((start, start + 1), (end - 1, end)) if row["parts"] and row["size"] > 2 else ()
        made.append(entities_model.Span(start, end, row["label"], row["depth"], parts))
    return entities_model.make_document("d", made, length=12)


@st.composite
def ace(draw: st.DrawFn) -> tuple[Any, Any]:
    first = draw(st.lists(REFERENT, min_size=1, max_size=3))
    sides = (
        tuple(entities_model.Referent(**row) for row in rows) for rows in (first, change_rows(draw, first, REFERENT))
    )
    documents = (entities_model.make_document("d", [], length=12, referents=referents) for referents in sides)
    return next(documents), next(documents)


# Tagging: every column of CoNLL-U, cuts into words.

WORD = st.fixed_dictionaries({
    "upos": st.sampled_from(["NOUN", "VERB", "_"]), "xpos": st.sampled_from(["n", "v"]),
    "feats": st.sampled_from(["_", "Gender=Fem", "Gender=Fem|Number=Sing"]), "lemma": st.sampled_from(["a", "b"]),
    "head": st.integers(0, 3), "deprel": st.sampled_from(["root", "nsubj", "nsubj:pass", "det"]),
    "deps": st.sampled_from(["0:root", "1:nsubj", "1:nsubj|2:conj", "1:nsubj|1:nsubj"]),
})  # fmt: skip


@st.composite
def tags(draw: st.DrawFn) -> tuple[Any, Any]:
    first = [{"form": form, **draw(WORD)} for form in draw(st.lists(st.sampled_from("ab"), min_size=4, max_size=6))]
    second = [dict(word) for word in first]
    for _ in range(draw(st.integers(1, 2))):
        place, other = draw(st.integers(0, len(second) - 1)), draw(WORD)
        what = draw(st.sampled_from([*other, "cut"]))
        if what != "cut":
            second[place][what] = other[what]
        elif place and len(second) == len(first):
            before, after = second[place - 1 : place + 1]
            second[place - 1 : place + 1] = [{**before, "form": before["form"] + after["form"]}]
    return first, second


# Anaphora.

ANAPHORS = ("p1", "p2", "p3")
ANSWER = st.lists(st.sampled_from(["Ann", "Bob", "she"]), max_size=2)


@st.composite
def anaphors(draw: st.DrawFn) -> tuple[Any, Any]:
    first = {name: draw(ANSWER) for name in ANAPHORS if draw(st.integers(0, 3))}
    second = {**first, draw(st.sampled_from(ANAPHORS)): draw(ANSWER)}
    if draw(st.booleans()):
        second.pop(draw(st.sampled_from(ANAPHORS)), None)
    return anaphora_text(first), anaphora_text(second)


def anaphora_text(answers: dict[str, list[str]]) -> dict[str, Any]:
    return {
        "anaphors": answers,
        "candidates": {name: ["Ann", "Bob"] for name in answers},
        "kinds": {"Ann": "name", "Bob": "name"},
        "attributes": {name: {"gender": "masculine" if name == "p1" else "feminine"} for name in answers},
    }


# Speech: words, who says them, and when.

SEGMENT = st.fixed_dictionaries({
    "words": st.lists(st.sampled_from(["a", "b", "Bob,"]), max_size=3), "speaker": st.sampled_from(["x", "y", "z"]),
    "seconds": st.integers(1, 2), "pause": st.integers(1, 9),
})  # fmt: skip


@st.composite
def meetings(draw: st.DrawFn) -> tuple[Any, Any]:
    first = draw(st.lists(SEGMENT, min_size=1, max_size=4))
    return meeting(first), meeting(change_rows(draw, first, SEGMENT, 1))


def meeting(rows: Rows) -> Recording:
    segments, clock = [], 0.0
    for place, row in enumerate(rows):
        begin, clock = clock + row["pause"], clock + row["pause"] + row["seconds"]
        segments.append(Utterance(f"u{place}", row["words"], {"speaker": row["speaker"]}, span=(begin, clock)))
    return Recording("d", tuple(segments))


@st.composite
def utterances(draw: st.DrawFn) -> tuple[Any, Any]:
    [first] = draw(st.lists(SEGMENT, min_size=1, max_size=1))
    [second] = change_rows(draw, [first], SEGMENT, 1)[:1]
    return utterance(first), utterance(second)


def utterance(row: dict[str, Any]) -> Utterance:
    times = [(float(place * row["pause"]), place * row["pause"] + 0.5) for place in range(len(row["words"]))]
    return Utterance("d", row["words"], {"speaker": row["speaker"]}, times=times or None)


GENERATORS: dict[str, tuple[str, Callable[[], st.SearchStrategy[tuple[Any, Any]]]]] = {
    "chains": ("coref", chains), "spans": ("entities", spans), "ace": ("entities", ace), "tags": ("tagging", tags),
    "anaphors": ("anaphora", anaphors), "meetings": ("speech", meetings), "utterances": ("speech", utterances),
}  # fmt: skip


def as_corpus(documents: Sequence[Any]) -> Any:
    """Documents under names of their own, as plain structures or as they are."""
    named = {f"d{number}": document for number, document in enumerate(documents)}
    if isinstance(documents[0], dict | list):
        return named
    return [rename_document(document, name) for name, document in named.items()]


def told_apart(task: str, key: Any, response: Any) -> list[str]:
    """The measures that give the response another value than the key itself."""
    measures = [measure for measure in registry.measures(task) if not lacking(measure)]
    pairs = zip(score_sides(measures, key, key).scores, score_sides(measures, key, response).scores, strict=True)
    return [before.name for before, after in pairs if before.values != after.values]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GENERATORS)
def test_agreement_is_perfect_only_if_no_measure_sees_a_difference(name: str) -> None:
    task, generator = GENERATORS[name]

    @settings(suppress_health_check=list(HealthCheck))
    @given(st.lists(generator(), min_size=1, max_size=2))
    def check(texts: list[tuple[Any, Any]]) -> None:
        first, second = (as_corpus([text[side] for text in texts]) for side in (0, 1))
        try:
            seen_by = told_apart(task, first, second)
        except aune.NothingToScoreError:
            return
        if seen_by:
            printed = annotators_agreement(task, {"Ann": first, "Ben": second}).scores
            values = {score.name: (score.main, score.measure.perfect_of(score.measure.headline)) for score in printed}
            assert any(value is not None and abs(value - best) > 1e-12 for value, best in values.values()), seen_by

    check()
