"""The law of patches: the edit that is told between two versions of a document makes the one of the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.corrections.document_diffs import diff_documents
from aune.corrections.item_edits import edit_documents, extents
from aune.errors import UsageError
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging

LENGTH = 8
WORDS = [f"w{number}" for number in range(LENGTH)]
PLACES = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, LENGTH)).filter(lambda place: place[0] < place[1])


@st.composite
def pieces(draw: st.DrawFn) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    """A place in the text, in one piece or in two."""
    start, end = draw(PLACES)
    if end - start < 3 or draw(st.booleans()):
        return start, end, ()
    first = draw(st.integers(start + 1, end - 2))
    return start, end, ((start, first), (draw(st.integers(first + 1, end - 1)), end))


@st.composite
def entity_documents(draw: st.DrawFn) -> entities.Document:
    spans = [
        entities.Span(start, end, label, depth, parts)
        for (start, end, parts), label, depth in draw(
            st.lists(st.tuples(pieces(), st.sampled_from(["LOC", "PER"]), st.integers(0, 2)), max_size=6)
        )
    ]
    return entities.make_document("d", spans, length=LENGTH, words=WORDS.copy)


@st.composite
def coref_documents(draw: st.DrawFn) -> coref.Document:
    places = draw(st.lists(pieces(), max_size=7, unique=True))
    mentions = [
        coref.Mention(start, end, draw(st.integers(0, 3)), segments=parts) for start, end, parts in places
    ]  # fmt: skip
    return coref.make_document("d", mentions, tokens=WORDS)


@st.composite
def tagging_documents(draw: st.DrawFn) -> tagging.Document:
    tags = draw(st.lists(st.sampled_from(["N", "V", "N|V"]), min_size=LENGTH, max_size=LENGTH))
    cuts = sorted(draw(st.lists(st.integers(0, LENGTH), max_size=4, unique=True)))
    compounds = [
        tagging.Compound(start, end, draw(st.sampled_from(["R", "S"])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if end - start > 1
    ]
    return tagging.make_document("d", WORDS, {"tag": tags}, compounds=tuple(compounds))


@st.composite
def anaphora_documents(draw: st.DrawFn) -> anaphora.Document:
    anaphors = [
        anaphora.Anaphor(name, tuple(draw(st.lists(st.sampled_from(["1", "2"]), unique=True)))) for name in ("5", "7")
    ]
    return anaphora.make_document("d", anaphors)


@st.composite
def recordings(draw: st.DrawFn) -> speech.Recording:
    utterances = st.sampled_from(["yes", "no no", "yes it is"])
    return speech.Recording("d", tuple(speech.Utterance(name, draw(utterances)) for name in ("u1", "u2")))


def _facts(task: str, document: Any) -> Any:
    """All that a version says."""
    if task == "entities":
        depths = [0] * len(document) if document.depths is None else document.depths.tolist()
        parts = [document.segments.get(number, ()) for number in range(len(document))]
        return sorted(zip(document.triples(), parts, depths, strict=True))
    if task == "coref":
        chains: dict[int, set[Any]] = {}
        for place, chain in zip(extents(document), document.chains.tolist(), strict=True):
            chains.setdefault(chain, set()).add(place)
        return sorted(map(sorted, chains.values()))
    if task == "tagging":
        return document.column("tag").values(), sorted(document.compounds)
    if task == "anaphora":
        return {name: anaphor.antecedents for name, anaphor in document.by_mention.items()}
    return [(utterance.id, utterance.text) for utterance in document.utterances]


VERSIONS = {
    "entities": entity_documents(), "coref": coref_documents(), "tagging": tagging_documents(),
    "anaphora": anaphora_documents(), "speech": recordings(),
}  # fmt: skip


@pytest.mark.parametrize("task", VERSIONS)
@given(st.data())
def test_a_patch_makes_one_version_of_the_other(task: str, data: st.DataObject) -> None:
    before, after = data.draw(VERSIONS[task]), data.draw(VERSIONS[task])
    if _facts(task, before) == _facts(task, after):
        with pytest.raises(UsageError, match="nothing changed"):
            diff_documents(task, before, after)
        return
    [made] = edit_documents(task, [before], "d", diff_documents(task, before, after))
    assert _facts(task, made) == _facts(task, after)


def test_a_moved_mention_is_one_edit_and_the_other_chains_stay() -> None:
    mentions = [(0, 1, "a"), (1, 2, "a"), (2, 3, "b"), (3, 4, "b"), (4, 5, "c")]
    before = coref.make_document("d", [coref.Mention(*mention) for mention in mentions], tokens=WORDS)
    mentions[1] = (1, 2, "b")
    after = coref.make_document("d", [coref.Mention(*mention) for mention in mentions], tokens=WORDS)
    assert diff_documents("coref", before, after) == {"mention": [1, 2], "with": [2, 3]}
    [made] = edit_documents("coref", [before], "d", diff_documents("coref", before, after))
    assert list(made.labels or ()) == ["a", "b", "c"]  # a file keeps the names of its chains


def test_what_no_edit_can_say_is_refused() -> None:
    before = coref.make_document("d", [coref.Mention(0, 1, "a"), coref.Mention(3, 4, "b")], tokens=WORDS)
    other_text = coref.make_document("d", [coref.Mention(0, 1, "a")], tokens=WORDS[:-1])
    with pytest.raises(UsageError, match="text is not what it was"):
        diff_documents("coref", before, other_text)
    headed = coref.make_document("d", [coref.Mention(0, 1, "a"), coref.Mention(3, 5, "b", head=4)], tokens=WORDS)
    with pytest.raises(UsageError, match="no edit can change its heads"):
        diff_documents("coref", before, headed)
    twice = coref.make_document("d", [coref.Mention(0, 1, "a"), coref.Mention(0, 1, "b")], tokens=WORDS)
    with pytest.raises(UsageError, match="several mentions are at one place"):
        diff_documents("coref", before, twice)


def test_a_mention_twice_at_a_place_stays_twice() -> None:
    """Another mention is edited: what stands twice at one place is not lost in silence."""
    twice = [coref.Mention(0, 1, "a"), coref.Mention(0, 1, "b"), coref.Mention(3, 4, "b")]
    before = coref.make_document("d", twice, tokens=WORDS)
    [after] = edit_documents("coref", [before], "d", {"mention": [3, 4], "with": []})
    assert len(after) == 3
    with pytest.raises(UsageError, match="several mentions"):
        edit_documents("coref", [before], "d", {"mention": [0, 1], "with": None})


def test_relations_stay_with_their_mentions() -> None:
    mentions = [coref.Mention(0, 1, "a"), coref.Mention(1, 2, "b"), coref.Mention(2, 3, "c")]
    before = coref.make_document("d", mentions, tokens=WORDS, relations=[coref.Relation("bridging", 2, 1)])
    [after] = edit_documents("coref", [before], "d", {"mention": [0, 1], "with": None})
    assert after.relations == (coref.Relation("bridging", 1, 0),)
    [less] = edit_documents("coref", [before], "d", {"mention": [1, 2], "with": None})
    assert less.relations == ()


WRONG: list[dict[str, Any]] = [
    {"edits": []},
    {"edits": [{"add": [0, 9, "LOC"]}]},
    {"edits": 3},
    {"edits": ["x"]},
    {"add": [0, 3, "LOC", [[0, 1]]]},
    {"add": [0, 3, "LOC", [[2, 3], [0, 1]]]},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_several_edits_are_refused_as_a_whole(wrong: dict[str, Any]) -> None:
    document = entities.make_document("d", [], length=LENGTH, words=WORDS.copy)
    with pytest.raises(UsageError):
        edit_documents("entities", [document], "d", wrong)
