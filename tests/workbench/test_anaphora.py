"""Pronouns with their antecedents: relations between mentions, files of pairs, several annotators."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from aune.errors import InputError
from aune.reading.source import Source
from aune.workbench.adjudication import accept_event, adjudication_state, initial_key
from aune.workbench.agreement import agreement, project_agreement
from aune.workbench.anaphora import resolutions
from aune.workbench.answers import compare_answers
from aune.workbench.decisions import extent_id, relate_event
from aune.workbench.events import event_problems, fold, state_problems
from aune.workbench.files import PLAIN, export_file, export_formats, response_states, texts
from aune.workbench.model import Event, Mention, Relation, State, Text, mention_text
from aune.workbench.proposals import pronouns
from aune.workbench.schemas import violations_of

STORY = Source("story.txt", b"Ann met Ben because he was late. It rained on her.\n")
[(TEXT, _)] = texts(STORY, "anaphora", PLAIN)


def mention(words: str, label: str) -> Mention:
    start = TEXT.characters.index(words)
    return Mention(parts=((start, start + len(words)),), label=label)


def annotation(he: tuple[str, ...], it: str = "expletive") -> State:
    """An annotation: what `he` refers to, and what `it` is."""
    mentions = {"he": mention("he", "pronoun"), "it": mention("It", it)}
    mentions |= {name: mention(name, "antecedent") for name in ("Ann", "Ben") if name in he}
    return State(mentions, {}, {"r": Relation(kind="antecedent", source="he", targets=he)} if he else {})


def test_pronouns_are_proposed() -> None:
    assert [TEXT.characters[slice(*part)] for part in pronouns(TEXT)] == ["he", "It", "her"]


@pytest.mark.parametrize("form", export_formats("anaphora", PLAIN))
def test_what_is_exported_comes_back(form: str) -> None:
    state = annotation(("Ann", "Ben"))
    written = export_file(STORY, "anaphora", PLAIN, {TEXT.id: state}, to=form)
    assert written.lost == {"text": 1}  # files of anaphors name the tokens of a text, and do not contain it
    again, notes = response_states(STORY, "anaphora", PLAIN, Source(f"a.{form}", written.data), form)
    assert notes == []
    compared = compare_answers(TEXT, state, again[TEXT.id])
    assert [twin.kind for twin in compared.twins] == ["correct", "correct"]
    assert all(score.values[score.main] == 1 for score in compared.scores)


def test_a_file_without_its_text_says_what_to_do() -> None:
    with pytest.raises(InputError, match="open the text, and import this file on its page"):
        texts(Source("a.tsv", b"he\tBen\n"), "anaphora", "pairs")


def test_gap_is_opened_with_its_text() -> None:
    rows = b"ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    source = Source("a.gap.tsv", rows + b"t1\tAnn saw Eve as she left.\tshe\t15\tAnn\t0\tTRUE\tEve\t8\tFALSE\tu\n")
    [(text, state)] = texts(source, "anaphora", "gap")
    assert {text.characters[item.start : item.end]: item.label for item in state.mentions.values()} == {
        "Ann": "antecedent", "Eve": "antecedent", "she": "pronoun",
    }  # fmt: skip
    assert export_file(source, "anaphora", "gap", {text.id: state}).data == source.encode(source.raw)
    names = {text.characters[item.start : item.end]: name for name, item in state.mentions.items()}
    other = {"r0": Relation(kind="antecedent", source=names["she"], targets=(names["Eve"],))}
    written = export_file(source, "anaphora", "gap", {text.id: State(state.mentions, {}, other)})
    assert b"Ann\t0\tFALSE\tEve\t8\tTRUE" in written.data


def test_an_antecedent_that_goes_takes_its_relations_along() -> None:
    state = annotation(("Ben",))
    event = Event(id="e", operation="unmark", changes=(("mentions", "Ben", None),))
    [problem] = event_problems(TEXT, state, event)
    assert "found the mention 'Ben', which is not there" in problem
    pair = Event(id="e", operation="unmark", changes=(("mentions", "Ben", None), ("relations", "r", None)))
    assert event_problems(TEXT, state, pair) == []
    assert state_problems(TEXT, state) == []


def test_disagreements_are_answers() -> None:
    result = compare_answers(TEXT, annotation(("Ben",)), annotation(("Ann",), "none"))
    places = [(item.kind, TEXT.characters[item.start : item.end]) for item in result.disagreements]
    assert places == [
        ("other antecedent", "he"), ("other antecedent", "It"),
    ]  # fmt: skip
    missing = compare_answers(TEXT, annotation(("Ben",)), State())
    assert [disagreement.kind for disagreement in missing.disagreements] == ["omission", "omission"]


def test_annotators_agree_beyond_chance() -> None:
    same = agreement(TEXT, {"a": annotation(("Ben",)), "b": annotation(("Ben",))})
    assert {score.measure: score.values[score.main] for score in same.chance["a–b"]} == {"cohen": 1, "krippendorff": 1}
    other = project_agreement([(TEXT, {"a": annotation(("Ben",)), "b": annotation(("Ann",))})])
    assert all((score.values[score.main] or 0) < 1 for score in other.chance)


def decide_question(key: State, log: list[Event], event: Event) -> State:
    log.append(event)
    return fold(key, event)[0]


def answers_of(key: State) -> list[tuple[str, str, list[str]]]:
    """The pronouns of a key with their labels and antecedents, in words."""
    words = {name: mention_text(TEXT, mention) for name, mention in key.mentions.items()}
    return [
        (words[answer.pronoun], key.mentions[answer.pronoun].label, [words[name] for name in answer.antecedents])
        for answer in resolutions(key)
    ]


def test_a_key_is_made_of_several_annotations() -> None:
    """What a pronoun refers to is one question, whose answer brings its antecedents with it."""
    layers: dict[str, Any] = {
        "a": annotation(("Ben",)),
        "b": annotation(("Ben",), "none"),
        "c": annotation(("Ann",)),
    }
    key = initial_key(layers)
    assert not key.mentions and not key.relations
    log: list[Event] = []
    first, second = adjudication_state(layers, key, log).mentions
    place = {name: extent_id(mention) for name, mention in layers["a"].mentions.items()}
    assert [(choice.label, choice.layers) for choice in first.choices] == [
        (f"pronoun → {place['Ben']}", ["a", "b"]), (f"pronoun → {extent_id(layers['c'].mentions['Ann'])}", ["c"]),
    ]  # fmt: skip
    for question in (first, second):
        key = decide_question(key, log, accept_event(layers, key, question.about, question.choices[0].label))
    assert not any(adjudication_state(layers, key, log).open.values())
    assert compare_answers(TEXT, layers["a"], key).disagreements == []
    assert not state_problems(TEXT, key)


def test_agreed_answers_are_in_the_key_from_the_beginning() -> None:
    layers: dict[str, Any] = {"a": annotation(("Ben",)), "b": annotation(("Ben",), "none")}
    key = initial_key(layers)
    assert answers_of(key) == [("he", "pronoun", ["Ben"])]
    assert [item.about for item in adjudication_state(layers, key, []).mentions] == [
        extent_id(layers["a"].mentions["it"])
    ]


def test_an_antecedent_of_the_key_may_be_a_pronoun_too() -> None:
    """The answer to one pronoun needs another; what that one refers to is still asked, and the two are one mention."""
    chain = State(
        {**annotation(("Ben",)).mentions}, {},
        {"r": Relation(kind="antecedent", source="he", targets=("Ben",)),
         "s": Relation(kind="antecedent", source="it", targets=("he",))},
    )  # fmt: skip
    it = msgspec.structs.replace(chain.mentions["it"], label="pronoun")
    layers: dict[str, Any] = {
        "a": msgspec.structs.replace(chain, mentions={**chain.mentions, "it": it}), "b": annotation(("Ann",), "none"),
    }  # fmt: skip
    key, log = initial_key(layers), list[Event]()
    he, other = sorted(adjudication_state(layers, key, log).mentions, key=lambda item: item.parts)
    answer = next(choice.label for choice in other.choices if "→" in choice.label)
    key = decide_question(key, log, accept_event(layers, key, other.about, answer))
    assert [entry.about for entry in adjudication_state(layers, key, log).mentions] == [he.about]
    key = decide_question(key, log, accept_event(layers, key, he.about, he.choices[0].label))
    assert len(key.mentions) == 3 and not any(adjudication_state(layers, key, log).open.values())
    assert not state_problems(TEXT, key)


def test_keys_begun_before_are_asked_for_their_relations() -> None:
    """A key whose pronoun has no antecedent yet, as earlier versions began it."""
    layers: dict[str, Any] = {"a": annotation(("Ben",)), "b": annotation(("Ann",))}
    he = layers["a"].mentions["he"]
    key = State({"he": he, "Ben": layers["a"].mentions["Ben"], "it": layers["a"].mentions["it"]})
    progress = adjudication_state(layers, key, [])
    assert [(relation.kind, relation.layers) for relation in progress.relations] == [("antecedent", ["a"])]
    key = decide_question(key, [], relate_event(key, "antecedent", "he", ["Ben"]))
    assert not any(adjudication_state(layers, key, []).open.values())


def test_a_relation_goes_from_a_pronoun() -> None:
    assert violations_of(TEXT, annotation(("Ben",)), None) == []
    odd = State(
        {**annotation(("Ben",), "nonee").mentions},
        {},
        {"r": Relation(kind="antecedent", source="Ben", targets=("he",))},
    )
    messages = [violation.message for violation in violations_of(TEXT, odd, None)]
    assert messages == [
        "found 'antecedent' in the relation 'antecedent', expected pronoun",
        "found the type 'nonee', which the schema does not have: perhaps 'none' is meant",
    ]


def test_a_text_of_chains_relates_chains() -> None:
    text = Text(id="t", characters="Ann", tokens=[0, 3], sentences=[0])
    relation = {"kind": "part", "source": "m", "targets": ["m"]}
    changes = (("mentions", "m", {"parts": [[0, 3]]}), ("relations", "r", relation))
    [first, *_] = event_problems(text, State(), Event(id="e", operation="relate", changes=changes))
    assert "found the chain 'm', which is not there" in first
