"""What annotators said of each anaphor, and their agreement."""

from __future__ import annotations

from aune.explain.annotators import annotators_agreement
from aune.tasks.anaphora.judgements import WITHOUT_ANSWER, count_unjudged, judgements
from aune.tasks.anaphora.model import documents


def test_an_answer_is_all_antecedents() -> None:
    first, second = documents({"5": ["3", "1"], "7": None})[0], documents({"5": ["1", "3"], "9": "3"})[0]
    assert judgements([first, second, None]) == [
        ["1|3", "1|3", None], ["no antecedent", None, None], [None, "3", None],
    ]  # fmt: skip
    assert count_unjudged([first, second, None]) == {WITHOUT_ANSWER: 2}


def test_why_there_is_no_antecedent_counts_where_it_is_said() -> None:
    [document] = documents({"d": {"anaphors": {"7": None}, "attributes": {"7": {"anaphoricity": "expletive"}}}})
    assert judgements([document]) == [["expletive"]]


def test_agreement_beyond_chance() -> None:
    texts = [{"5": "3", "7": "5", "9": None}, {"5": "3", "7": "3", "9": None}]
    result = annotators_agreement("anaphora", {"Ann": texts[0], "Ben": texts[1]})
    assert round(result["Ann–Ben", "cohen"].kappa, 3) == 0.5


def test_anaphors_that_one_annotator_does_not_list_count_in_a_coefficient_of_their_own() -> None:
    """κ leaves them out: an annotator who lists a part of the anaphors had a κ of 1."""
    ann, ben = {"5": "3", "7": "5", "9": None}, {"5": "3", "9": None}
    result = annotators_agreement("anaphora", {"Ann": ann, "Ben": ben})
    assert result["Ann–Ben", "cohen"].kappa == 1
    assert 0 < result["Ann–Ben", "krippendorff(anaphors)"].alpha < 1
    assert result.warnings == [
        "1 of 3 anaphors that not every annotator has: the coefficients of labels leave them out"
    ]
    assert {score.name for score in annotators_agreement("anaphora", {"Ann": ann, "Ben": ann})} == {
        "cohen", "krippendorff",
    }  # fmt: skip
