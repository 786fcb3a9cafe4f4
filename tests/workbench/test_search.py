"""Words, labels and chains are found where they are."""

from __future__ import annotations

from aune.workbench.model import Chain, Mention, State, Text
from aune.workbench.search import find_chains, find_labels, find_words

TEXT = Text(id="t", characters="Die STRASSE, die Straße\nim Ort. Ann sah sie.")
STATE = State(
    {
        "m0": Mention(parts=((4, 11),), chain="c0", features={"kind": "noun"}),
        "m1": Mention(parts=((13, 23),), chain="c0"),
        "m2": Mention(parts=((32, 35),), label="pers.ind"),
    },
    {"c0": Chain(name="Hauptstraße", notes="see guidelines"), "c1": Chain(name="empty")},
)


def test_words_are_found_in_any_case_and_over_line_ends() -> None:
    assert [(hit.start, hit.end, hit.words) for hit in find_words(TEXT, "straße IM")] == [(17, 26, "Straße\nim")]
    assert [hit.start for hit in find_words(TEXT, "strasse")] == [4]
    assert list(find_words(TEXT, "  ")) == [] == list(find_words(TEXT, ".*"))


def test_labels_and_features_are_found() -> None:
    assert [(hit.words, hit.why) for hit in find_labels(TEXT, STATE, "PERS")] == [("Ann", "pers.ind")]
    assert [(hit.words, hit.why) for hit in find_labels(TEXT, STATE, "kind=noun")] == [("STRASSE", "kind=noun")]
    assert list(find_labels(TEXT, STATE, "")) == []


def test_chains_are_found_by_name_notes_and_mentions() -> None:
    for query in ("hauptstr", "guidelines", "die straße"):
        [hit] = find_chains(TEXT, STATE, query)
        assert (hit.start, hit.words) == (4, "STRASSE") and hit.why.endswith("2 mentions")
    assert list(find_chains(TEXT, STATE, "empty")) == []
