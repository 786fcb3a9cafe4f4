"""Nothing is 0 or 100 in silence: labels that cannot match, texts that differ, entities left out."""

from __future__ import annotations

from typing import Any

import pytest

import aune
from aune.contract.survey import Survey
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.model import documents
from aune.tasks.entities.notes import comparison_notes

KEY = ["B-LOC", "O", "B-PER"]


def warnings(key: Any, response: Any, **options: Any) -> list[str]:
    return aune.score("entities", key, response, measures=["f_measure"], **options).warnings


def test_labels_in_another_case() -> None:
    (warning,) = warnings(KEY, ["B-loc", "O", "B-per"])
    assert warning == (
        "response: labels in another case than the key's, counted as other labels: loc for LOC (1×), per for PER (1×); "
        "case='fold' takes them as one"
    )
    result = aune.score("entities", KEY, ["B-loc", "O", "B-per"], case="fold")
    assert result["f_measure"].f1 == 1.0 and result["ser"].ser == 0.0 and not result.warnings


def test_no_label_in_common() -> None:
    (warning,) = warnings(KEY, ["B-place", "O", "B-person"])
    assert warning.startswith("response: no label of the response (person, place) is one of the key's (LOC, PER)")
    (warning,) = warnings(KEY, ["B-LOC", "O", "B-person"])
    assert warning == (
        "response: labels that the key never uses, so that nothing with them can be right: person (1×); "
        "rename=OLD=NEW takes one for another"
    )
    assert warnings(KEY, ["O", "O", "O"]) == ["response: contains not a single entity"]


def test_labels_by_another_name() -> None:
    """In key and response, before anything else is asked of a label; the signature says so, and only then."""
    response = ["B-GPE", "O", "B-Person"]
    result = aune.score(
        "entities", KEY, response, rename="GPE=LOC,Person=PER", measures=["f_measure", "token_accuracy"]
    )
    assert result["f_measure"].f1 == result["token_accuracy"].accuracy == 1.0 and not result.warnings
    assert "|rename:GPE=LOC,Person=PER|" in str(result["f_measure"].signature)
    assert "rename" not in str(aune.score("entities", KEY, KEY)["f_measure"].signature)
    for more in ({"labels": "PER"}, {"among": "key"}, {"case": "fold"}):
        again = aune.score("entities", KEY, response, rename=("GPE=LOC", "Person=PER"), **more)
        assert again["f_measure"].f1 == 1.0 and not again.warnings, more
    swapped = aune.score("entities", KEY, ["B-PER", "O", "B-LOC"], rename="LOC=PER,PER=LOC")
    assert swapped["f_measure"].f1 == 0.0, "both sides are renamed, once"


@pytest.mark.parametrize("bad", ["PER", "=PER", "PER=", "A=B,A=C"])
def test_a_name_for_nothing(bad: str) -> None:
    with pytest.raises(aune.UsageError, match="expected two labels such as PERSON=PER"):
        aune.score("entities", KEY, KEY, rename=bad)


def test_a_label_asked_for_that_nobody_has() -> None:
    (warning,) = warnings(KEY, KEY, labels=("PER", "PERS"))
    assert warning == "response: labels=PERS: neither the key nor the response has this label"
    assert not warnings(KEY, KEY, labels=("per",), case="fold") and not warnings(KEY, ["B-ORG", "O", "O"], labels="ORG")
    keys = {"a": KEY, "b": ["B-ORG", "O", "O"]}
    assert not warnings(keys, keys, labels=("ORG",)), "in one document is enough"


def test_hipe_folds_case_and_leaves_out_labels_that_the_key_lacks() -> None:
    """The scorer of HIPE looks only at the labels of its gold file, in whatever case."""
    response = ["B-loc", "B-time", "B-per"]
    result = aune.score("entities", KEY, response, measures=["f_measure"], convention="hipe")
    assert (result["f_measure"].precision, result["f_measure"].recall) == (1.0, 1.0)
    assert "|case:fold|among:loc,per|" in str(result["f_measure"].signature)
    assert aune.score("entities", KEY, response, measures=["f_measure"], case="fold")["f_measure"].precision == 2 / 3


def test_an_ignored_label_takes_no_place() -> None:
    """Left out before anything is paired: the first overlap would else be with a label that nobody asked for."""
    key, response = [(0, 4, "LOC")], [(0, 2, "TIME"), (1, 4, "LOC")]
    result = aune.score("entities", key, response, measures=["f_measure"], convention="hipe", match="type")
    assert result["f_measure"].f1 == 1.0


def test_labels_of_the_whole_key_count_in_every_chunk() -> None:
    keys = documents({"a": ["B-LOC", "O"], "b": ["B-PER", "O"]})
    responses = documents({"a": ["B-LOC", "B-PER"], "b": ["B-PER", "B-TIME"]})
    pairs, survey = list(zip(keys, responses, strict=True)), Survey()
    whole = compare(pairs, survey, among=("key",))
    parts = [compare([pair], Survey(survey.seen), among=("key",)) for pair in pairs]
    assert sum(len(part.response) for part in parts) == len(whole.response) == 3
    assert whole.signed["among"] == parts[0].signed["among"] == ("LOC", "PER")


def test_facts_add_up_over_chunks() -> None:
    """A chunk without a common label is no reason to warn when another chunk has one."""
    keys = documents({"a": ["B-LOC"], "b": ["B-PER"]})
    responses = documents({"a": ["B-PER"], "b": ["B-PER"]})
    first, second = (compare([pair]).facts for pair in zip(keys, responses, strict=True))
    assert comparison_notes(first) and not comparison_notes(
        {fact: first.get(fact, 0) + second.get(fact, 0) for fact in {*first, *second}}
    )


def test_empty_entities_are_left_out_and_said() -> None:
    from aune.tasks.entities.model import Span, make_document

    hollow = make_document("d", [Span(1, 1, "X"), Span(2, 3, "X")], length=4)
    result = aune.score("entities", [hollow], [hollow])
    assert result["eter"].eter == 0.0 and result["ser"].ser == 0.0
    assert [note for note in result.warnings if "are empty: left out" in note]


def test_too_many_overlaps_are_refused_before_they_are_made() -> None:
    spans = [(start, 20_000 + start, "X") for start in range(10_000)]
    with pytest.raises(aune.UsageError, match="100,000,000 pairs of overlapping entities, expected at most 2,000,000"):
        aune.score("entities", {"d": spans}, {"d": spans}, measures=["ser"])
    with pytest.raises(aune.UsageError, match="pairs of overlapping entities"):
        aune.score("entities", {"d": spans}, {"d": spans}, measures=["eter"])
    assert aune.score("entities", {"d": spans}, {"d": spans}, measures=["f_measure"])["f_measure"].f1 == 1.0


def test_components_of_a_typology_that_nobody_chose() -> None:
    tree = [(0, 1, "org.ent"), (0, 1, "name")]
    (warning,) = warnings(tree, tree)
    assert warning.endswith(
        "name are components of the typology quaero, counted as entities here: choose typology='quaero'"
    )
    assert not warnings(tree, tree, typology="quaero")


def test_entities_without_their_parts() -> None:
    """ETER of functions alone: the components are gone with the other labels, and with them what is wrong in them."""
    key, response = [(0, 2, "func.ind"), (0, 1, "kind"), (1, 2, "name")], [(0, 2, "func.ind"), (0, 1, "kind")]
    (warning,) = warnings(key, response, typology="quaero", labels=("func",))
    assert warning.startswith(
        "response: 3 components have none of the labels that count: entities are compared without"
    )
    eter = aune.score("entities", key, response, measures=["eter"], typology="quaero")["eter"]
    assert eter.by("label")["func.ind"]["eter"] == 0.25
    assert not warnings(key, response, typology="quaero")
