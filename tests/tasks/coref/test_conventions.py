"""What is done to chains before they are measured, and how a user asks for it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.coref.model import Document, Mention, Relation, make_document
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, Chains, assert_same, values


def score_sides(key: Any, response: Any, *measures: str, **options: Any) -> aune.Result:
    return aune.score("coref", key, response, measures=measures or ["muc"], **options)


# Conventions


def test_conll_is_the_default() -> None:
    key, response = [{1, 2, 3}, {4}], [{1, 2, 9}]
    default, named = score_sides(key, response, "all"), score_sides(key, response, "all", convention="conll")
    assert [score.values for score in default] == [score.values for score in named]
    assert [str(score.signature) for score in default] == [str(score.signature) for score in named]


def test_a_convention_is_a_set_of_options() -> None:
    key, response = [{1, 2, 3}, {4}], [{1, 2, 9}]
    named = score_sides(key, response, "all", convention="partition")
    spelled = score_sides(key, response, "all", mentions="complete", undefined="one", taken="empty")
    assert [score.values for score in named] == [score.values for score in spelled]
    assert [str(score.signature) for score in named] == [str(score.signature) for score in spelled]
    assert "mentions:complete|undefined:one" in str(named["muc"].signature)


def test_an_option_goes_before_the_convention() -> None:
    [score] = score_sides([{1}], [{1}], convention="partition", undefined="zero")
    assert score.f1 == 0.0 and "mentions:complete" in str(score.signature)


def test_measures_of_partitions_complete_under_any_convention() -> None:
    [score] = score_sides([{1, 2}], [{1, 3}], "kappa", convention="conll")
    assert "mentions:complete" in str(score.signature)


@settings(max_examples=40)
@given(CHAINS)
def test_completing_is_what_def_17_says(chains: tuple[Chains, Chains]) -> None:
    names = ("muc", "b_cubed", "ceaf_m", "ceaf_e", "lea", "blanc")
    ours, rival_value = (
        score_sides(*chains, *names, mentions="complete"),
        score_sides(*oracle.complete_sides(*chains), *names),
    )
    for first, other in zip(ours, rival_value, strict=True):
        assert_same(tuple(first.values.values()), tuple(other.values.values()))


# Singletons


def test_singletons_are_dropped_from_both_sides() -> None:
    remaining = score_sides([{1, 2}, {3}, {4}], [{1, 2}, {3}, {5}], "mentions")
    dropped = score_sides([{1, 2}, {3}, {4}], [{1, 2}, {3}, {5}], "mentions", singletons="drop")
    assert remaining["mentions"].counts == {"common_mentions": 3, "key_mentions": 4, "response_mentions": 4}
    assert dropped["mentions"].counts == {"common_mentions": 2, "key_mentions": 2, "response_mentions": 2}


@settings(max_examples=40)
@given(CHAINS, st.sampled_from(["conll", "partition"]))
def test_singletons_are_dropped_before_completing(chains: tuple[Chains, Chains], convention: str) -> None:
    names = ("b_cubed", "exclusive_core", "entropy", "overlap", "kappa", "rand")
    large = tuple([chain for chain in side if len(chain) > 1] for side in chains)
    ours = score_sides(*chains, *names, singletons="drop", convention=convention)
    for first, other in zip(ours, score_sides(*large, *names, convention=convention), strict=True):
        assert_same(tuple(first.values.values()), tuple(other.values.values()))


# Duplicates


def repeat_items(*mentions: tuple[int, str]) -> list[Document]:
    """A file that opens these one-token mentions, line by line."""
    result = [Mention(place, place + 1, chain, line) for line, (place, chain) in enumerate(mentions, 1)]
    return [make_document("d", result, path="a.conll")]


TWICE = repeat_items((1, "a"), (2, "a"), (5, "b"), (2, "b"))
"""Mention 2 is in the chain a, and again in the chain b."""


def test_duplicates_are_an_error() -> None:
    with pytest.raises(aune.InputError) as error:
        score_sides(TWICE, [{1, 2}])
    assert str(error.value) == (
        "a.conll:4:1: found token 2 of document 'd' in two chains, expected every span once: "
        "mend the file, or keep the first with duplicates='first', or merge the chains with duplicates='merge', "
        "or do as the CoNLL scorer with duplicates='conll'"
    )


def test_duplicates_of_a_plain_structure() -> None:
    with pytest.raises(aune.InputError) as error:
        score_sides([[1, 2, 2]], [{1, 2}])
    assert str(error.value) == (
        "document:1:1: found token 2 of document 'document' twice in one chain, expected every span once: "
        "mend the file, or keep the first with duplicates='first', or merge the chains with duplicates='merge', "
        "or do as the CoNLL scorer with duplicates='conll'"
    )


@pytest.mark.parametrize(
    ("repair", "chains", "warning"),
    [
        ("first", [{1, 2}, {5}], "response: 1 repeated mention of the key dropped (duplicates='first')"),
        ("merge", [{1, 2, 5}], "response: 1 repeated mention of the key merged (duplicates='merge')"),
    ],
)
def test_repairs_of_the_key(repair: str, chains: list[set[int]], warning: str) -> None:
    result = score_sides(TWICE, chains, "b_cubed", "mentions", duplicates=repair)
    assert result["b_cubed"].values == {"recall": 1, "precision": 1, "f1": 1}
    assert result.warnings == [warning]
    assert f"duplicates:{repair}" in str(result["mentions"].signature)


def test_first_means_first_in_the_file() -> None:
    other_way = repeat_items((5, "b"), (2, "b"), (1, "a"), (2, "a"))
    assert score_sides(other_way, [{2, 5}, {1}], "b_cubed", duplicates="first")["b_cubed"].f1 == 1
    assert score_sides(TWICE, [{1, 2}, {5}], "b_cubed", duplicates="first")["b_cubed"].f1 == 1


def test_a_span_in_three_chains() -> None:
    thrice = repeat_items((1, "a"), (2, "a"), (2, "b"), (3, "b"), (2, "c"), (4, "c"))
    for repair, chains, done in (
        ("first", [{1, 2}, {3}, {4}], "dropped"),
        ("merge", [{1, 2, 3, 4}], "merged"),
    ):
        result = score_sides(thrice, chains, "b_cubed", duplicates=repair)
        assert result["b_cubed"].f1 == 1
        assert result.warnings == [f"response: 2 repeated mentions of the key {done} (duplicates='{repair}')"]


def test_conll_repairs_only_response_spans_that_the_key_has() -> None:
    key = [{1, 2}, {3, 4}]
    shared = score_sides(key, [[1, 2], [2, 3]], "mentions", duplicates="conll")
    assert shared["mentions"].counts["response_mentions"] == 3
    assert shared.warnings == ["response: 1 repeated mention of the response dropped (duplicates='conll')"]
    spurious = score_sides(key, [[1, 9], [9, 3]], "mentions", "b_cubed", duplicates="conll")
    assert spurious["mentions"].counts["response_mentions"] == 3  # an invented span counts once
    assert spurious["b_cubed"].counts["response_weight"] == 4  # and is in both its chains
    assert spurious.warnings == ["response: 1 repeated mention of the response left in place (duplicates='conll')"]


def test_conll_leaves_the_key_alone() -> None:
    result = score_sides([[1, 2], [2, 3]], [{1, 2, 3}], "all", duplicates="conll")
    assert result.warnings[0] == "response: 1 repeated mention of the key left in place (duplicates='conll')"
    assert result["mentions"].counts == {"common_mentions": 3, "key_mentions": 3, "response_mentions": 3}
    for score in result:  # and no measure trips over it
        for name, value in score.values.items():
            bound = 2 if score.name == "coref.variation_of_information" else 1
            assert value is not None and -1 <= value <= bound, (score.name, name)


def test_only_equal_extents_are_duplicates() -> None:
    apart = [[((0, 1), (4, 5))], [((0, 2), (4, 5))], [(0, 5)]]
    assert score_sides(apart, apart, "mentions")["mentions"].f1 == 1
    with pytest.raises(aune.InputError):
        score_sides([*apart, [(0, 5)]], apart)


# Restrictions


def of_kinds(chains: list[list[tuple[int, str]]], **columns: dict[int, str]) -> list[Document]:
    mentions = [
        Mention(
            place,
            place + 1,
            number,
            features={
                **({"kind": kind} if kind else {}),
                **{name: column[place] for name, column in columns.items() if place in column},
            },
        )
        for number, chain in enumerate(chains)
        for place, kind in chain
    ]
    return [make_document("d", mentions)]


KINDS = of_kinds(
    [[(1, "name"), (2, "pronoun"), (3, "noun")], [(4, "name"), (5, "pronoun")]], etype={1: "PER", 4: "LOC"}
)


@pytest.mark.parametrize(
    ("only", "key_left"),
    [
        (("name",), [{1}, {4}]),
        (("name", "noun"), [{1, 3}, {4}]),
        (("name,noun",), [{1, 3}, {4}]),
        (("kind=pronoun",), [{2}, {5}]),
        (("etype=PER",), [{1}]),
        (("name", "etype=LOC"), [{4}]),
        (("etype=LOC", "PER"), [{1}, {4}]),
    ],
)
def test_only_some_mentions(only: tuple[str, ...], key_left: list[set[int]]) -> None:
    """Sub-partitions of both sides; a response without kinds takes the key's."""
    response = [{1, 2, 4, 9}, {3, 5}]
    left = set().union(*key_left)
    response_left = [chain & left for chain in response if chain & left]
    for name in ("muc", "b_cubed", "ceaf_e", "kappa"):
        assert values(name, KINDS, response, only=only) == values(name, key_left, response_left)


def test_a_response_with_kinds_of_its_own_uses_them() -> None:
    response = of_kinds([[(1, "name"), (2, "name")], [(9, "name"), (4, "pronoun")]])
    [item] = score_sides(KINDS, response, "mentions", only=("name",))
    assert item.counts == {"common_mentions": 1, "key_mentions": 2, "response_mentions": 3}


def test_only_in_the_signature() -> None:
    [score] = score_sides(KINDS, KINDS, only="name,noun")
    assert "|only:name,noun|" in str(score.signature)


def test_a_document_without_such_mentions_is_no_obstacle() -> None:
    key = [*of_kinds([[(1, "name"), (2, "name")]]), make_document("e", [Mention(1, 2, "a")])]
    [item] = score_sides(key, key, "mentions", only=("name",))
    assert item.counts["key_mentions"] == 2


@pytest.mark.parametrize(
    ("only", "message"),
    [
        (
            "pronuon",
            "only='kind=pronuon': no mention of the key has this kind, expected one of name, noun, pronoun",
        ),
        ("gender=f", "only='gender=…': the key says nothing of the gender of its mentions, only of their etype, kind"),
    ],
)
def test_only_what_the_key_knows(only: str, message: str) -> None:
    with pytest.raises(aune.UsageError) as error:
        score_sides(KINDS, KINDS, only=only)
    assert str(error.value) == message


def test_only_kinds_by_a_rule() -> None:
    text = ["Ann", "saw", "the", "queen", "and", "she", "smiled", "at", "her", "."]
    spans = [Mention(0, 1, "a"), Mention(2, 4, "q"), Mention(5, 6, "q"), Mention(8, 9, "a")]
    key = make_document("d", spans, tokens=text)
    response = make_document("d", [*spans[:3], Mention(8, 9, "q")], tokens=text)
    [score] = score_sides([key], [response], "b_cubed", only=("english=pronoun",))
    assert score.counts["key_weight"] == 2 and score.precision == 0.5
    assert "|only:english=pronoun|" in str(score.signature)
    with pytest.raises(aune.errors.UsageError, match="choose kinds='english' or 'french'"):
        score_sides([key], [response], only="name")


@pytest.mark.parametrize(("measure", "options"), [("b_cubed", {"weights": "name=3,pronoun=1"}), ("denotation", {})])
def test_measures_that_weigh_kinds_say_when_they_know_none(measure: str, options: dict[str, str]) -> None:
    text = ["Ann", "saw", "her", "."]
    bare = make_document("d", [Mention(0, 1, "a"), Mention(2, 3, "a")], tokens=text)
    assert score_sides([bare], [bare], measure, **options).warnings == [
        f"response: {measure} weighs mentions by kind, and nothing is known of kinds in 1 document: "
        "choose kinds='english' or 'french'"
    ]
    assert score_sides([bare], [bare], measure, kinds="english", **options).warnings == []
    assert score_sides(KINDS, KINDS, measure, **options).warnings == []


def test_kinds_by_rule_fill_in_everywhere() -> None:
    text = ["Ann", "saw", "the", "queen", "and", "she", "smiled", "."]
    key = make_document("d", [Mention(0, 1, "a"), Mention(2, 4, "q"), Mention(5, 6, "q")], tokens=text)
    [score] = score_sides([key], [key], "mentions", only="pronoun", kinds="english")
    assert score.counts["key_mentions"] == 1 and "kinds:english" in str(score.signature)
    [score] = score_sides([key], [key], "b_cubed", weights="pronoun=3", kinds="english")
    assert score.counts["key_weight"] == 5


def test_nothing_is_decided_by_a_chunk() -> None:
    """The only pronoun of the key is in the last of many documents, read in pieces."""
    plain = [make_document(f"{number}", [Mention(0, 1, "a"), Mention(1, 2, "a")]) for number in range(5_001)]
    last = make_document("last", [Mention(0, 1, "a", features={"kind": "pronoun"}), Mention(1, 2, "a")])
    [item] = score_sides([*plain, last], [*plain, last], "mentions", only="pronoun")
    assert item.counts["key_mentions"] == 1
    with pytest.raises(aune.UsageError, match="no mention of the key has this kind"):
        score_sides([*plain, last], [*plain, last], "mentions", only="noun")


def test_only_where_nothing_is_known() -> None:
    with pytest.raises(aune.UsageError) as error:
        score_sides([{1, 2}], [{1, 2}], only="name")
    assert str(error.value) == (
        "only='kind=…': the key says nothing of the kind of its mentions, nor of any other feature"
    )


# Relations


def related_documents() -> list[Document]:
    """Chains {1 2}, {3}, {4 5}, {6}: 1 and 3 are whole and part, 3 and 4 set and member, 4 and 6 whole and part."""
    mentions = [Mention(place, place + 1, chain) for place, chain in zip(range(1, 7), "aabccd", strict=True)]
    links = [Relation("part", 0, 2), Relation("member", 2, 3), Relation("part", 3, 5)]
    return [make_document("d", mentions, relations=links)]


def test_collapsing_joins_chains() -> None:
    for name in ("muc", "b_cubed"):
        assert values(name, related_documents(), [{1, 2, 3, 4, 5, 6}], relations="collapse") == (1, 1, 1)
        assert values(name, related_documents(), [{1, 2}, {3}, {4, 5}, {6}], relations="identity") == (1, 1, 1)


def test_unknown_relation() -> None:
    with pytest.raises(aune.UsageError) as error:
        score_sides(related_documents(), related_documents(), relations="prat")
    assert str(error.value) == "relations='prat': expected identity, collapse or one that the key has (member, part)"
    with pytest.raises(aune.UsageError) as error:
        score_sides([{1}], [{1}], relations="part")
    assert str(error.value) == (
        "relations='part': expected identity, collapse or one that the key has (no relation at all)"
    )


# Combinations


def test_any_mean_of_measures() -> None:
    key, response = {"a": [{1, 2, 3}], "b": [{1, 2}]}, {"a": [{1, 2}, {3}], "b": [{1}, {2}]}
    result = score_sides(
        key, response, "conll", "mean(muc.f1, b_cubed.f1, ceaf_e.f1)", "muc", "lea", "mean(muc.recall,lea)"
    )
    assert result["mean(coref.muc.f1,coref.b_cubed.f1,coref.ceaf_e.f1)"].mean == pytest.approx(result["conll"].f1)
    halves = [result["muc"].recall or 0, result["lea"].f1 or 0]
    assert result["mean(coref.muc.recall,coref.lea.f1)"].mean == pytest.approx(sum(halves) / 2)


def test_a_mean_keeps_the_options_of_its_parts() -> None:
    key, response = [{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}]
    result = score_sides(
        key, response, "mean(b_cubed.f1, b_cubed(weights=chain).f1)", "b_cubed", "b_cubed(weights=chain)"
    )
    parts = [score.main or 0 for score in result.scores[1:]]
    assert parts[0] != parts[1] and result.scores[0].main == pytest.approx(sum(parts) / 2)


def test_a_part_that_always_completes_does_not_change_the_others() -> None:
    key, response = [{1, 2, 3}, {4, 5}], [{1, 2, 9}, {4}]
    for convention in ("conll", "partition"):
        result = score_sides(key, response, "b_cubed", "kappa", "mean(b_cubed, kappa)", convention=convention)
        halves = [result["b_cubed"].f1 or 0, result["kappa"].kappa or 0]
        assert result.scores[2].main == pytest.approx(sum(halves) / 2)


def test_macro_averages_documents() -> None:
    key, response = {"a": [{1, 2, 3}], "b": [{1, 2}]}, {"a": [{1, 2}, {3}], "b": [{1}, {2}]}
    [item] = score_sides(key, response, "macro(muc, by=document)")
    assert item.recall == pytest.approx((1 / 2 + 0) / 2)
    assert item.f1 == pytest.approx((2 / 3 + 0) / 2)  # the mean of the F, not the F of the means


def test_macro_leaves_undefined_documents_out() -> None:
    key, response = {"a": [{1, 2, 3}, {4}], "b": [{1, 2}]}, {"a": [{1, 2}, {3, 4}], "b": [{1, 2}]}
    [item] = score_sides(key, response, "macro(kappa, by=document)")
    [alone] = score_sides(key["a"], response["a"], "kappa")
    assert item.kappa == pytest.approx(alone.kappa)


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": "fuzzy"}, "match='fuzzy': expected exact | partial | head | minimum"),
        ({"singletons": True}, "singletons='True': expected keep | drop"),
        ({"duplicates": "keep"}, "duplicates='keep': expected error | first | merge | conll"),
        ({"undefined": "two"}, "undefined='two': expected zero | one | none"),
        ({"singeltons": "keep"}, "unknown option of coref 'singeltons': did you mean 'singletons'?"),
        ({"convention": "conl"}, "unknown convention of coref 'conl': did you mean 'conll'?"),
        ({"missing": "no"}, "unknown policy for missing documents 'no': expected one of: empty, skip, error"),
        ({"extra": "no"}, "unknown policy for extra documents 'no': expected one of: ignore, error, count"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(aune.UsageError) as error:
        score_sides([{1, 2}], [{1, 2}], **options)
    assert str(error.value) == message


def test_an_option_of_a_measure_that_is_not_scored() -> None:
    with pytest.raises(aune.UsageError) as error:
        score_sides([{1, 2}], [{1, 2}], "muc", weights="chain")
    assert str(error.value) == "option 'weights' is one of coref.b_cubed, not of the measures scored"


def test_places_that_cannot_be_compared() -> None:
    key = [make_document("d", [Mention(0, 3, "a")], unit="character", path="a.ann")]
    response = [make_document("d", [Mention(0, 1, "a")], path="b.conll")]
    with pytest.raises(aune.InputError) as error:
        score_sides(key, response)
    assert str(error.value) == (
        "b.conll:1:1: found mentions placed by token in document 'd', expected by character as in the key: "
        "bring both to one format with aune convert"
    )


@pytest.mark.parametrize(("last", "noted"), [(3, True), (5, True), (6, False), (12, False)])
def test_a_response_that_ends_early_is_reported(last: int, noted: bool) -> None:
    """Positions without a text do not say how long the text is, so that half a response was scored in silence."""
    chains = [{1, 4, 7, 10}, {2, 5, 8, 11}, {3, 6, 9, 12}]
    response = [remaining for chain in chains if (remaining := {mention for mention in chain if mention <= last})]
    warnings = aune.score("coref", chains, response).warnings
    assert any("no mention of the response stands in the last part" in text for text in warnings) == noted, warnings


def test_texts_that_differ_are_told() -> None:
    key = [make_document("d", [Mention(0, 1, "a")], tokens=["Ann", "met", "her"])]
    response = [make_document("d", [Mention(0, 1, "a")], tokens=["Anne", "met", "him", "."])]
    assert score_sides(key, response).warnings == [
        "response: 2 tokens differ from the key's in d: mentions are matched by position; "
        "realign='words' locates them in the key's text",
        "response: the text has another length than the key's in d (4 tokens instead of 3 in d): "
        "mentions are matched by position; realign='words' locates them in the key's text",
    ]
