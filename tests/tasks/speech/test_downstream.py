"""What entity recognisers make of transcripts: trees projected, any measure, many transcripts and recognisers."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.cli import run
from aune.tasks.entities.model import Span, make_document
from aune.tasks.speech.atene.projection import project_trees
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.downstream import (
    TaggedTranscript,
    downstream,
    inserted_per_stretch,
    projected_reference,
    recognised_entities,
)
from aune.tasks.speech.model import Entity, Utterance, documents

PRESIDENT = [[1, 4, "pers.ind"], [1, 2, "kind"], [2, 3, "name.first"], [3, 4, "name.last"]]
PARIS = [[6, 7, "loc.adm.town"], [6, 7, "name"]]
KEY = [
    {"id": "u", "document": "d1", "text": "le président nicolas sarkozy est à paris", "entities": PRESIDENT + PARIS},
    {"id": "v", "document": "d2", "text": "renault a gagné", "entities": [[0, 1, "org.ent"], [0, 1, "name"]]},
]
HEARD = [
    {"id": "u", "document": "d1", "text": "le président nicolas sarko zy est pari",
     "entities": [[1, 3, "pers.ind"], [1, 2, "kind"], [2, 3, "name.first"]]},
    {"id": "v", "document": "d2", "text": "renaud a gagné un",
     "entities": [[0, 1, "pers.ind"], [0, 1, "name.last"], [3, 4, "amount"]]},
]  # fmt: skip


def utterances(records: list[dict[str, Any]]) -> list[Utterance]:
    return [documents(record)[0]._replace(id=record["id"]) for record in records]


def pair_sides(key: list[dict[str, Any]], response: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return list(zip(utterances(key), utterances(response), strict=True))


def test_trees_are_projected_whole() -> None:
    """sarkozy became two words and à was lost: every node follows, and the name stays inside its entity."""
    first, second = projected_reference(compare(pair_sides(KEY, HEARD)), "quaero")
    assert first.triples() == [
        (1, 5, "pers.ind"), (1, 2, "kind"), (2, 3, "name.first"), (3, 5, "name.last"), (6, 7, "loc.adm.town"),
        (6, 7, "name"),
    ]  # fmt: skip
    assert second.triples() == [(0, 1, "org.ent"), (0, 1, "name")]


def test_an_entity_without_words_stays_to_be_missed() -> None:
    heard = [
        {**HEARD[0], "text": "le président est à paris", "entities": []},
        {**HEARD[1], "text": "a gagné", "entities": []},
    ]
    comparison = compare(pair_sides(KEY, heard))
    first, second = projected_reference(comparison, "quaero")
    assert (1, 2, "pers.ind") in first.triples() and (1, 2, "kind") in first.triples()
    assert second.triples() == [(2, 3, "org.ent")]  # after the last word, where nothing can meet it
    assert projected_reference(comparison, "quaero", words=True)[1].triples() == []


NODES = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 7), st.sampled_from(["pers", "loc", "name"])), max_size=5)


@given(NODES)
def test_a_perfect_transcript_keeps_every_nested_entity(nodes: list[tuple[int, int, str]]) -> None:
    spans = {(start, end, label) for start, end, label in nodes if start < end}
    crossing = any(a[0] < b[0] < a[1] < b[1] for a in spans for b in spans)
    if crossing:
        return
    record = {"id": "u", "text": "a b c d e f g", "entities": sorted(spans)}
    comparison = compare(pair_sides([record], [record]))
    (outcome,) = projected_reference(comparison)
    assert set(outcome.triples()) == spans
    result = aune.score("entities", [outcome], recognised_entities(comparison), measures=["eter"])["eter"]
    assert result.eter in (0.0, None)


# The projection a second time: every stretch of the transcript is tried, and letters are compared one by one.


def slow_distance(item: Sequence[str], other: Sequence[str]) -> int:
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(item, 1):
        rows.append([i])
        for j, second in enumerate(other, 1):
            cheapest = min(rows[-2][j] + 1, rows[-1][j - 1] + 1, rows[-2][j - 1] + (letter != second))
            rows[-1].append(cheapest)
    return rows[-1][-1]


def letters(words: Sequence[str]) -> list[str]:
    return list(" ".join(words).lower())


def consonants(words: Sequence[str]) -> list[str]:
    """How words sound to those who hear no vowels."""
    return [letter for letter in letters(words) if letter not in "aeiou "]


def slow_place(
    key: list[str],
    response: list[str],
    answers: list[int],
    span: tuple[int, int],
    last: int,
    shown: Callable[[Sequence[str]], list[str]] = letters,
) -> tuple[int, int] | None:
    """The stretch nearest as shown that holds what answers the span, and beside it only words that answer nothing."""
    own_answers = [answer for answer in answers[slice(*span)] if answer >= 0]
    if not own_answers:
        return None
    low, high = min(own_answers), max(own_answers) + 1
    spoken = shown(key[slice(*span)])
    fits = []
    for start in range(low + 1):
        for end in range(high, len(response) + 1):
            beside = [*range(start, low), *range(high, end)]
            if low - start <= 4 and end - high <= 4 and not any(place in answers for place in beside):
                place = max(start, last), max(end, last)
                fits.append((slow_distance(spoken, shown(response[slice(*place)])), place[1] - place[0], place))
    return min(fits)[2]


SPOKEN = st.lists(st.sampled_from(["paris", "pari", "par", "is", "le", "sommet", "some"]), max_size=6)


@pytest.mark.parametrize("shown", [letters, consonants])
@given(key=SPOKEN, response=SPOKEN, bounds=st.lists(st.integers(0, 6), max_size=4, unique=True), inside=st.booleans())
def test_no_other_place_is_closer(
    shown: Callable[[Sequence[str]], list[str]], key: list[str], response: list[str], bounds: list[int], inside: bool
) -> None:
    """Entities one after the other, each perhaps with its first word as a part; by letters, or as they sound."""
    ends = sorted(bounds)
    entities = [(start, end) for start, end in zip(ends[::2], ends[1::2], strict=False) if end <= len(key)]
    nodes = [(start, end, "pers") for start, end in entities]
    nodes += [(start, start + 1, "name") for start, end in entities if inside and end - start > 1]
    records = ({"id": "u", "text": " ".join(words)} for words in (key, response))
    first, second = records
    comparison = compare(pair_sides([{**first, "entities": nodes}], [second]))
    (trees,) = project_trees(comparison, comparison.alignment("similar"), shown, lambda label: label == "name")
    answers = comparison.alignment("similar").answers.tolist()
    expected, last = [], 0
    for start, end in entities:
        place = slow_place(key, response, answers, (start, end), last, shown)
        if place is None:
            last = max(last, place_of_nothing(comparison, start))
            continue
        if place[0] < place[1]:
            expected.append((*place, "pers"))
            part = (
                inside and end - start > 1 and slow_place(key, response, answers, (start, start + 1), place[0], shown)
            )
            if part and min(part[0], place[1]) < min(part[1], place[1]):
                expected.append((min(part[0], place[1]), min(part[1], place[1]), "name"))
        last = place[1]
    assert sorted(node[:3] for node in trees if node.start < node.end) == sorted(expected)


def place_of_nothing(comparison: Any, start: int) -> int:
    """Where the transcript stands when the key's word number `start` was not said."""
    alignment = comparison.alignment("similar")
    steps = zip(alignment.key_at.tolist(), alignment.response_at.tolist(), strict=True)
    return next(response for key, response in steps if key == start)


@given(st.lists(st.tuples(st.sampled_from("_k"), st.sampled_from("_r")), max_size=9))
def test_stretches_word_by_word(marks: list[tuple[str, str]]) -> None:
    """Key and response entities of one word: every stretch of words outside the key's, with the response's in it."""
    sides = []
    for side, mark in enumerate("kr"):
        spans = [Span(place, place + 1, "pers") for place, pair in enumerate(marks) if pair[side] == mark]
        sides.append([make_document("d", spans, length=len(marks))])
    runs = "".join("k" if mark == "k" else other for mark, other in marks).split("k")
    expected: dict[int, int] = {}
    for stretch in filter(None, runs):
        expected[stretch.count("r")] = expected.get(stretch.count("r"), 0) + 1
    assert inserted_per_stretch(*sides) == dict(sorted(expected.items()))


def test_scores_are_those_of_the_entities_task() -> None:
    """By hand on the projected trees: three entities; one made up, one missed, two with something wrong."""
    result = downstream(
        [TaggedTranscript("a", "T", pair_sides(KEY, HEARD))], ["eter", "ser", "f_measure"], typology="quaero"
    )
    rows = {(row.measure, row.document): row.score for row in result.rows if row.downstream}
    assert (rows["substitutions", ""], rows["omissions", ""], rows["insertions", ""]) == (2, 1, 1)
    key, response = (
        projected_reference(compare(pair_sides(KEY, HEARD)), "quaero"),
        recognised_entities(compare(pair_sides(KEY, HEARD))),
    )
    alone = aune.score("entities", key, response, measures=["eter", "ser"], typology="quaero")
    assert rows["eter", ""] == alone["eter"].eter and rows["ser", ""] == alone["ser"].ser
    assert rows["eter", "d2"] == alone["eter"].by("document")["d2"]["eter"]
    assert {row.measure for row in result.rows if not row.downstream} >= {"wer", "ne_wer"}


def test_inserted_entities_per_stretch_have_zeros() -> None:
    comparison = compare(pair_sides(KEY, HEARD))
    key, response = projected_reference(comparison, "quaero"), recognised_entities(comparison)
    assert inserted_per_stretch(key, response, "quaero") == {0: 2, 1: 1}


def test_labels_of_the_same_words_do_not_depend_on_their_spelling() -> None:
    """`<org.ent><name>renault`: with the typology the entity is org.ent; two types are one entity with both."""
    key = {"u": {"text": "renault a gagné", "entities": [(0, 1, "name"), (0, 1, "org.ent")]}}
    result = aune.score("speech", key, {"u": "renaud a gagné"}, measures=["ne_wer"], typology="quaero")["ne_wer"]
    assert set(result.by("label")) == {"", "org.ent"} and result.ne_wer == 1
    pair = aune.score("speech", key, {"u": "renaud a gagné"}, measures=["ne_wer"])["ne_wer"]
    assert set(pair.by("label")) == {"", "name+org.ent"}


LABELLED = st.lists(st.sampled_from(["", "pers.ind", "pers.coll", "loc.adm.town"]), min_size=1, max_size=6)


@given(LABELLED, st.lists(st.booleans(), min_size=6, max_size=6))
def test_chosen_labels_are_as_if_alone(labels: list[str], wrong: list[bool]) -> None:
    """NE-WER of the people of a key is that of a key that has no other entities, and depth 1 cuts their labels."""
    words = [f"w{place}" for place in range(len(labels))]
    heard = [f"x{word}" if other else word for word, other in zip(words, wrong, strict=False)]
    every = [(place, place + 1, label) for place, label in enumerate(labels) if label]
    people = [(start, end, "pers") for start, end, label in every if label.startswith("pers")]
    chosen, alone = (
        aune.score("speech", {"u": {"words": words, "entities": entities}}, {"u": {"words": heard}},
                   measures=["ne_wer"], **options)["ne_wer"]
        for entities, options in ((every, {"labels": ("pers",), "depth": 1}), (people, {}))
    )  # fmt: skip
    assert chosen.counts == alone.counts
    assert not people or set(chosen.by("label")) == set(alone.by("label"))


@given(LABELLED, LABELLED)
def test_any_scores_are_those_of_the_entities_task(key: list[str], response: list[str]) -> None:
    """The rows of the command hold what the entities task says of the projected reference, whatever the measure."""
    records = []
    for labels in (key, response):
        entities = [[place, place + 1, label] for place, label in enumerate(labels) if label]
        text = " ".join(f"w{place}" for place in range(len(labels)))
        records.append([{"id": "u", "document": "d", "text": text, "entities": entities}])
    names = ["eter", "ser", "f_measure"]
    result = downstream([TaggedTranscript("a", "T", pair_sides(*records))], names, typology="quaero")
    rows = {row.measure: row.score for row in result.rows if row.downstream and not row.document}
    comparison = compare(pair_sides(*records))
    sides = projected_reference(comparison, "quaero"), recognised_entities(comparison)
    alone = aune.score("entities", *sides, measures=names, typology="quaero")
    assert [rows.get(name) for name in names[:2]] == [alone["eter"].eter, alone["ser"].ser]
    assert rows.get("f_measure", rows.get("f1")) == alone["f_measure"].f1


def test_labels_and_depth_choose_entities() -> None:
    options: dict[str, Any] = {"measures": ["ne_wer"], "typology": "quaero"}
    sides = utterances(KEY), utterances(HEARD)
    whole = aune.score("speech", *sides, **options)["ne_wer"]
    assert whole.counts["correct"] + whole.counts["substitutions"] + whole.counts["deletions"] == 5
    people = aune.score("speech", *sides, labels=("pers",), depth=1, **options)["ne_wer"]
    assert set(people.by("label")) == {"", "pers"}
    assert people.counts["correct"] + people.counts["substitutions"] + people.counts["deletions"] == 3


def lines(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {"key": lines(tmp_path / "key.jsonl", KEY), "manual": lines(tmp_path / "m.jsonl", KEY),
            "a": lines(tmp_path / "a.jsonl", HEARD)}  # fmt: skip


def test_the_command_line(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    systems = [f"manual:T={files['manual']}", f"a:T={files['a']}", f"a:U={files['manual']}"]
    common = ["speech", "downstream", files["key"], *systems[:2], "--typology", "quaero", "-m", "eter,ser"]
    assert run([*common, "--projected", str(tmp_path / "projected")]) == 0
    shown = capsys.readouterr().out
    assert "93.06" in shown and "PAE (%)" in shown and "1 made up" in shown
    assert '"label": "org.ent"' in (tmp_path / "projected" / "a.jsonl").read_text()
    assert run([*common, "--format", "csv", "--output", str(tmp_path / "rows.csv")]) == 0
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert {row["downstream"] for row in rows} == {"", "T"} and {row["document"] for row in rows} == {"", "d1", "d2"}
    assert run([*common, "--format", "json", "--ci", "--draws", "50"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert any(row["ci"] for row in data["downstream"])
    assert data["inserted"][1]["stretches"] == {"0": 2, "1": 1} and data["lost"] == {"manual": 0, "a": 0}
    assert {item["error"] for item in data["pae"]} == {"substitutions", "omissions", "insertions"}


def test_options_of_entities_act(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    common = ["speech", "downstream", files["key"], f"a:T={files['a']}", "--typology", "quaero", "--format", "json"]
    values = []
    for alpha in ("0", "1"):
        assert run([*common, "--alpha", alpha]) == 0
        rows = json.loads(capsys.readouterr().out)["downstream"]
        values.append(next(row["score"] for row in rows if row["measure"] == "eter" and not row["document"]))
    assert values[0] != values[1]


def test_closeness_by_sounds() -> None:
    pytest.importorskip("gruut")
    comparison = compare(pair_sides(KEY, HEARD))
    assert projected_reference(comparison, "quaero", "fr")[0].triples()[0] == (1, 5, "pers.ind")


def test_bad_requests(files: dict[str, str]) -> None:
    assert run(["speech", "downstream", files["key"]]) == 2
    assert run(["speech", "downstream", files["key"], f"a:T={files['a']}", "--closeness", "de"]) == 2
    assert run(["speech", "downstream", files["key"], f"a:T={files['a']}", "--format", "latex"]) == 2
    assert Entity(0, 1, "x").shift(2) == Entity(2, 3, "x")


def test_components_without_a_typology_are_told() -> None:
    """They would count as entities, and halve a rate: once for all transcripts, and nothing where there are none."""
    records = [{"id": "u", "text": "renault", "entities": [(0, 1, "org.ent"), (0, 1, "name")]}]
    pairs = [TaggedTranscript(name, "T", pair_sides(records, records)) for name in "ab"]
    [warning] = downstream(pairs).warnings
    assert warning.endswith(
        "name are components of the typology quaero, counted as entities here: choose --typology quaero"
    )
    assert not downstream(pairs, typology="quaero").warnings
    key = {"u": {"words": ["renault"], "entities": [(0, 1, "org.ent"), (0, 1, "name")]}}
    result = aune.evaluate("speech", key, {"a": {"u": ["renault"]}}, measures=["ne_wer"])
    assert any("components of the typology quaero" in text for text in result.warnings)
    flat = {"u": {"words": ["renault"], "entities": [(0, 1, "name")]}}
    assert not aune.evaluate("speech", flat, {"a": {"u": ["renault"]}}, measures=["ne_wer"]).warnings


def test_labels_choose_for_transcripts_and_for_entities() -> None:
    """One set of entities in all columns: NE-WER, ETER, and the stretches that entities were made up in."""
    key = [{"id": "u", "text": "ann saw paris today", "entities": [(0, 1, "pers"), (2, 3, "loc")]}]
    response = [{"id": "u", "text": "ann saw parrots today", "entities": [(0, 1, "pers"), (3, 4, "loc")]}]
    transcripts = [TaggedTranscript("a", "T", pair_sides(key, response))]
    people, pair = (
        {row.measure: row.score for row in downstream(transcripts, labels=labels).rows if not row.document}
        for labels in (("pers",), ())
    )
    assert (people["ne_wer"], people["eter"]) == (0.0, 0.0)
    assert (pair["ne_wer"], pair["eter"]) == (0.5, 1.0)
    assert downstream(transcripts, labels="pers").inserted == {("a", "T"): {0: 1}}
    assert downstream(transcripts).inserted == {("a", "T"): {0: 1, 1: 1}}
