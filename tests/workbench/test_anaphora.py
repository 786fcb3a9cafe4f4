"""Pronouns with their antecedents: relations between mentions, files of pairs, several annotators."""

from __future__ import annotations

from typing import Any

import pytest

from aune.errors import InputError
from aune.reading.source import Source
from aune.workbench.adjudication import accept_event, adjudication_state, initial_key
from aune.workbench.agreement import agreement, project_agreement
from aune.workbench.answers import compare_answers
from aune.workbench.decisions import relate_event, unrelate_event
from aune.workbench.events import event_problems, fold, state_problems
from aune.workbench.files import PLAIN, export_file, export_formats, response_states, texts
from aune.workbench.model import Event, Mention, Relation, State, Text
from aune.workbench.proposals import pronouns
from aune.workbench.schemas import violations_of

STORY = Source("story.txt", b"Ann met Ben because he was late. It rained on her.\n")
[(TEXT, _)] = texts(STORY, "anaphora", PLAIN)


def mention(words: str, label: str) -> Mention:
    start = TEXT.characters.index(words)
    return Mention(parts=((start, start + len(words)),), label=label)


def said(he: tuple[str, ...], it: str = "expletive") -> State:
    """An annotation: what `he` refers to, and what `it` is."""
    mentions = {"he": mention("he", "pronoun"), "it": mention("It", it)}
    mentions |= {name: mention(name, "antecedent") for name in ("Ann", "Ben") if name in he}
    return State(mentions, {}, {"r": Relation(kind="antecedent", source="he", targets=he)} if he else {})


def test_pronouns_are_proposed() -> None:
    assert [TEXT.characters[slice(*part)] for part in pronouns(TEXT)] == ["he", "It", "her"]


@pytest.mark.parametrize("form", export_formats("anaphora", PLAIN))
def test_what_is_exported_comes_back(form: str) -> None:
    state = said(("Ann", "Ben"))
    written = export_file(STORY, "anaphora", PLAIN, {TEXT.id: state}, to=form)
    assert written.lost == {"text": 1}  # files of anaphors name the tokens of a text, and do not contain it
    again, notes = response_states(STORY, "anaphora", PLAIN, Source(f"a.{form}", written.data), form)
    assert notes == []
    compared = compare_answers(TEXT, state, again[TEXT.id])
    assert [one.kind for one in compared.twins] == ["correct", "correct"]
    assert all(score.values[score.main] == 1 for score in compared.scores)


def test_a_file_without_its_text_says_what_to_do() -> None:
    with pytest.raises(InputError, match="open the text, and import this file on its page"):
        texts(Source("a.tsv", b"he\tBen\n"), "anaphora", "pairs")


def test_gap_is_opened_with_its_text() -> None:
    rows = b"ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    source = Source("a.gap.tsv", rows + b"t1\tAnn saw Eve as she left.\tshe\t15\tAnn\t0\tTRUE\tEve\t8\tFALSE\tu\n")
    [(text, state)] = texts(source, "anaphora", "gap")
    assert {text.characters[one.start : one.end]: one.label for one in state.mentions.values()} == {
        "Ann": "antecedent", "Eve": "antecedent", "she": "pronoun",
    }  # fmt: skip
    assert export_file(source, "anaphora", "gap", {text.id: state}).data == source.encode(source.raw)
    names = {text.characters[one.start : one.end]: name for name, one in state.mentions.items()}
    other = {"r0": Relation(kind="antecedent", source=names["she"], targets=(names["Eve"],))}
    written = export_file(source, "anaphora", "gap", {text.id: State(state.mentions, {}, other)})
    assert b"Ann\t0\tFALSE\tEve\t8\tTRUE" in written.data


def test_an_antecedent_that_goes_takes_its_relations_along() -> None:
    state = said(("Ben",))
    event = Event(id="e", operation="unmark", changes=(("mentions", "Ben", None),))
    [problem] = event_problems(TEXT, state, event)
    assert "found the mention 'Ben', which is not there" in problem
    both = Event(id="e", operation="unmark", changes=(("mentions", "Ben", None), ("relations", "r", None)))
    assert event_problems(TEXT, state, both) == []
    assert state_problems(TEXT, state) == []


def test_disagreements_are_answers() -> None:
    found = compare_answers(TEXT, said(("Ben",)), said(("Ann",), "none"))
    assert [(one.kind, TEXT.characters[one.start : one.end]) for one in found.disagreements] == [
        ("other antecedent", "he"), ("other antecedent", "It"),
    ]  # fmt: skip
    missing = compare_answers(TEXT, said(("Ben",)), State())
    assert [one.kind for one in missing.disagreements] == ["omission", "omission"]


def test_annotators_agree_beyond_chance() -> None:
    same = agreement(TEXT, {"a": said(("Ben",)), "b": said(("Ben",))})
    assert {score.measure: score.values[score.main] for score in same.chance["a–b"]} == {"cohen": 1, "krippendorff": 1}
    other = project_agreement([(TEXT, {"a": said(("Ben",)), "b": said(("Ann",))})])
    assert all((score.values[score.main] or 0) < 1 for score in other.chance)


def decided(key: State, log: list[Event], event: Event) -> State:
    log.append(event)
    return fold(key, event)[0]


def test_a_key_is_made_of_several_annotations() -> None:
    layers: dict[str, Any] = {"a": said(("Ben",)), "b": said(("Ben",), "none"), "c": said(("Ann",))}
    key = initial_key(layers)
    assert [one.label for one in key.mentions.values()] == ["pronoun"] and not key.relations
    log: list[Event] = []
    for question in adjudication_state(layers, key, log).mentions:
        key = decided(key, log, accept_event(layers, key, question.about, question.choices[0].label))
    first, second = adjudication_state(layers, key, log).relations
    assert [(one.layers, one.without) for one in (first, second)] == [(["c"], ["a", "b"]), (["a", "b"], ["c"])]
    key = decided(key, log, unrelate_event(key, first.kind, first.source, first.targets))
    key = decided(key, log, relate_event(key, second.kind, second.source, second.targets))
    assert not any(adjudication_state(layers, key, log).open.values())
    assert compare_answers(TEXT, layers["a"], key).disagreements == []
    assert initial_key({"a": layers["a"], "b": layers["a"]}).relations.keys() == {"r0"}


def test_a_relation_goes_from_a_pronoun() -> None:
    assert violations_of(TEXT, said(("Ben",)), None) == []
    odd = State(
        {**said(("Ben",), "nonee").mentions}, {}, {"r": Relation(kind="antecedent", source="Ben", targets=("he",))}
    )
    found = [one.message for one in violations_of(TEXT, odd, None)]
    assert found == [
        "found 'antecedent' in the relation 'antecedent', expected pronoun",
        "found the type 'nonee', which the schema does not have: perhaps 'none' is meant",
    ]


def test_a_text_of_chains_relates_chains() -> None:
    text = Text(id="t", characters="Ann", tokens=[0, 3], sentences=[0])
    relation = {"kind": "part", "source": "m", "targets": ["m"]}
    changes = (("mentions", "m", {"parts": [[0, 3]]}), ("relations", "r", relation))
    [first, *_] = event_problems(text, State(), Event(id="e", operation="relate", changes=changes))
    assert "found the chain 'm', which is not there" in first
