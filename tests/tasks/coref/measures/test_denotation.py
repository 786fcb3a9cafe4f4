"""Trouilleux et al. 2000: figures 1 to 4, the logic of table 1, the closed forms, greedy against optimal, ties."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from aune import score
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.coref.measures import muc
from aune.tasks.coref.measures.denotation import MEASURE
from aune.tasks.coref.measures.exclusive_core import exclusive_cores
from aune.tasks.coref.mentions.traits import kinds_by_rule
from aune.tasks.coref.model import Document, Mention, Relation, documents, make_document
from aune.tasks.coref.pair_comparison import compare
from aune.tasks.coref.projections import pair_rows

WEIGHTS = {"name": Fraction(6, 10), "noun": Fraction(3, 10), "pronoun": Fraction(1, 10)}

# Figure 1, with the expressions that figures 2 and 3 add.
TEXT = ["Mandela", "Clinton", "his", "African Americans", "slavery", "he", "Africans", "it"]
KINDS = ["name", "name", "pronoun", "name", "noun", "pronoun", "name", "pronoun"]
KEY = [["Mandela"], ["Clinton", "his", "he"], ["African Americans"], ["slavery", "it"], ["Africans"]]
RESPONSE = [["Mandela", "his", "he"], ["Clinton"], ["African Americans", "Africans"], ["slavery"], ["it"]]


def make_sample(
    chains: list[list[str]], kinds: list[str] | None = KINDS, relations: list[Relation] | None = None
) -> Document:
    mentions = [
        Mention(
            TEXT.index(word), TEXT.index(word) + 1, number, features={"kind": kinds[TEXT.index(word)]} if kinds else {}
        )
        for number, chain in enumerate(chains)
        for word in chain
    ]
    return make_document("d", mentions, tokens=TEXT, relations=relations or [])


def test_figures_1_to_3() -> None:
    denotation = score("coref", make_sample(KEY), make_sample(RESPONSE), measures=["denotation"])["denotation"]
    assert denotation.counts == {
        "possible": 3, "actual": 3, "correct": 0, "incorrect": 2, "spurious": 1, "missing": 1,
    }  # fmt: skip
    assert (denotation.recall, denotation.precision, denotation.f1) == (0, 0, 0)
    assert (denotation.substitution, denotation.overgeneration, denotation.undergeneration) == (0.5, 0.25, 0.25)


def test_the_correspondence_of_figure_3_is_shown() -> None:
    denotation = score("coref", make_sample(KEY), make_sample(RESPONSE, None), measures=["denotation"])["denotation"]
    [shown] = denotation.details["documents"]
    assert [(pair["key"], pair["response"], pair["representative"]) for pair in shown["pairs"]] == [
        (["Mandela"], ["Mandela", "his", "he"], "Mandela"),
        (["Clinton", "his", "he"], ["Clinton"], "Clinton"),
        (["African Americans"], ["African Americans", "Africans"], "African Americans"),
        (["slavery", "it"], ["slavery"], "slavery"),
        (["Africans"], [], "Africans"),
        ([], ["it"], "it"),
    ]
    assert [tuple(assignment.values()) for assignment in shown["assignments"]] == [
        ("his", "Clinton", "Mandela", "incorrect"),
        ("he", "Clinton", "Mandela", "incorrect"),
        ("Africans", None, "African Americans", "spurious"),
        ("it", "slavery", None, "missing"),
    ]


def test_figure_4_exclusive_cores_give_another_correspondence() -> None:
    table = compare([(make_sample(KEY), make_sample(RESPONSE))]).table("complete")
    cores = exclusive_cores(table)
    pairs = dict(zip(table.cell_key[cores].tolist(), table.cell_response[cores].tolist(), strict=True))
    assert pairs[1] == 0  # {Clinton, his, he} with {Mandela, his, he}
    assert 0 not in pairs  # {Mandela} with nothing
    assert 1 not in pairs.values()  # nothing with {Clinton}


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_table_1_whatever_the_sizes_of_the_chains(seed: int) -> None:
    """147 mentions, 15 chains, 50 pronouns in 5 of them; 97 other mentions spread over all 15."""
    draw = random.Random(seed)
    names = dict.fromkeys(range(15), 1)
    for _ in range(97 - 15):
        names[draw.randrange(15)] += 1
    pronouns = dict.fromkeys(draw.sample(range(15), 5), 1)
    for _ in range(45):
        pronouns[draw.choice(list(pronouns))] += 1
    key, third, fourth = {}, {}, {}
    place = 0
    for chain in range(15):
        for kind, number in (("noun", names[chain]), ("pronoun", pronouns.get(chain, 0))):
            for _ in range(number):
                key[place] = (chain, kind)
                third[place] = (chain if kind == "noun" else 15, kind)
                fourth[place] = (chain if kind == "noun" else 100 + place, kind)
                place += 1
    assert place == 147

    def text(chains: dict[int, tuple[int, str]]) -> Document:
        return make_document(
            "d", [Mention(at, at + 1, name, features={"kind": kind}) for at, (name, kind) in chains.items()]
        )

    alone = text({at: (at, kind) for at, (_, kind) in key.items()})
    item = text({at: (0, kind) for at, (_, kind) in key.items()})
    first, second = MEASURE(text(key), alone), MEASURE(text(key), item)
    assert (first.recall, first.precision, first.undergeneration) == (0, None, 1)
    assert second.counts["actual"] == 146
    assert second.counts["spurious"] == 14
    in_third, in_fourth = MEASURE(text(key), text(third)), MEASURE(text(key), text(fourth))
    assert (round(in_third.recall, 2), round(in_third.precision, 2)) == (0.62, 0.63)
    assert (round(in_third.undergeneration, 2), in_third.overgeneration, round(in_third.substitution, 2)) == (
        0.02,
        0,
        0.98,
    )
    assert (round(in_fourth.recall, 2), in_fourth.precision, in_fourth.undergeneration) == (0.62, 1, 1)


# A slow second implementation: every one-to-one correspondence, with fractions.

KIND = st.sampled_from(["name", "noun", "pronoun"])


@st.composite
def partitions(
    draw: st.DrawFn, most: int = 7, chains: int = 3
) -> tuple[dict[int, int], dict[int, int], dict[int, str]]:
    size = draw(st.integers(1, most))
    sides = [{place: draw(st.integers(0, chains)) for place in range(size)} for _ in range(2)]
    return sides[0], sides[1], {place: draw(KIND) for place in range(size)}


def blocks(side: dict[int, int]) -> list[set[int]]:
    return [{place for place in side if side[place] == name} for name in sorted(set(side.values()))]


def slow_similarity(key_chain: set[int], response_chain: set[int], kinds: dict[int, str]) -> Fraction:
    total = used = Fraction(0)
    for kind, weight in WEIGHTS.items():
        a, b = ({place for place in side if kinds[place] == kind} for side in (key_chain, response_chain))
        if a or b:
            total += weight * Fraction(2 * len(a & b), len(a) + len(b))
            used += weight
    return total / used


def slow_best(
    keys: list[set[int]],
    responses: list[set[int]],
    kinds: dict[int, str],
    likeness: Callable[[set[int], set[int], dict[int, str]], Fraction] = slow_similarity,
) -> tuple[int, int]:
    """What is correct in how many pairs: of largest similarity, then of most shared expressions and fewest pairs."""
    swapped = len(keys) > len(responses)
    rows, columns = (responses, keys) if swapped else (keys, responses)
    result: list[tuple[Fraction, int, int]] = []
    for order in permutations(range(len(columns)), len(rows)):
        shared = [(row, columns[other]) for row, other in zip(rows, order, strict=True) if row & columns[other]]
        pairs = [(other, row) if swapped else (row, other) for row, other in shared]
        total = sum((likeness(key_chain, response_chain, kinds) for key_chain, response_chain in pairs), Fraction(0))
        result.append((total, sum(len(row & other) for row, other in shared), -len(shared)))
    _, size, few = max(result)
    return size + few, -few


def as_documents(side: dict[int, int], kinds: dict[int, str]) -> Document:
    return make_document("d", [Mention(at, at + 1, name, features={"kind": kinds[at]}) for at, name in side.items()])


@settings(max_examples=150, deadline=None)
@given(partitions())
def test_closed_forms_and_the_optimum(example: tuple[dict[int, int], dict[int, int], dict[int, str]]) -> None:
    key, response, kinds = example
    counts = MEASURE(as_documents(key, kinds), as_documents(response, kinds)).counts
    keys, responses = blocks(key), blocks(response)
    pairs = len(keys) - counts["spurious"]
    assert (counts["correct"], pairs) == slow_best(keys, responses, kinds)
    assert counts["possible"] == len(key) - len(keys)
    assert counts["actual"] == len(key) - len(responses)
    assert counts["missing"] == len(responses) - pairs
    assert counts["incorrect"] == counts["actual"] - counts["correct"] - counts["spurious"]
    assert counts["incorrect"] == counts["possible"] - counts["correct"] - counts["missing"]
    assert min(counts.values()) >= 0


def slow_similarity_to_the_whole(key_chain: set[int], response_chain: set[int], kinds: dict[int, str]) -> Fraction:
    """§4.1, as printed for a response without kinds: each class of K against all of R."""
    return sum(
        (
            weight * Fraction(2 * len(part & response_chain), len(part) + len(response_chain))
            for kind, weight in WEIGHTS.items()
            for part in [{place for place in key_chain if kinds[place] == kind}]
        ),
        Fraction(0),
    )


@settings(max_examples=60, deadline=None)
@given(partitions())
def test_a_response_without_kinds_compared_whole(
    example: tuple[dict[int, int], dict[int, int], dict[int, str]],
) -> None:
    key, response, kinds = example
    result = MEASURE(as_documents(key, kinds), as_documents(response, dict.fromkeys(response, "")), kinds="whole")
    keys, responses = blocks(key), blocks(response)
    pairs = len(keys) - result.counts["spurious"]
    assert (result.counts["correct"], pairs) == slow_best(keys, responses, kinds, slow_similarity_to_the_whole)


@settings(max_examples=100, deadline=None)
@given(partitions(most=12, chains=5))
def test_the_assignments_shown_are_those_counted(
    example: tuple[dict[int, int], dict[int, int], dict[int, str]],
) -> None:
    key, response, kinds = example
    result = MEASURE(as_documents(key, kinds), as_documents(response, kinds))
    verdicts = [assignment["verdict"] for assignment in result.details["documents"][0]["assignments"]]
    for kind in ("correct", "incorrect", "spurious", "missing"):
        assert verdicts.count(kind) == result.counts[kind]


def test_the_same_pairs_whatever_the_scale_of_weights() -> None:
    plain = MEASURE(make_sample(KEY), make_sample(RESPONSE))
    assert (
        MEASURE(make_sample(KEY), make_sample(RESPONSE), specificity="name=6,noun=3,pronoun=1").counts == plain.counts
    )


def test_greedy_and_optimal_differ_found_by_search() -> None:
    """The paper saw no difference on its test set. Searching small partitions at random finds some."""
    draw, differing = random.Random(1), []
    for _ in range(200):
        kinds = {place: draw.choice(list(WEIGHTS)) for place in range(9)}
        sides = [{place: draw.randrange(4) for place in range(9)} for _ in range(2)]
        documents = [as_documents(side, kinds) for side in sides]
        optimal = MEASURE(*documents)
        greedy = MEASURE(*documents, correspondence="greedy")
        if optimal.counts != greedy.counts:
            differing.append((optimal.f1, greedy.f1))
            assert optimal.details["greedy_differs_from_optimal_in"] == 1
    assert 3 < len(differing) < 100
    assert {(a or 0) > (b or 0) for a, b in differing} == {True, False}  # neither is always the kinder one


def test_a_case_where_greedy_and_optimal_differ() -> None:
    """A = {1,2,3} is most like {1,2,4} (2/3), and then {4} and {3} are left alone; two pairs at 1/2 are more in all."""
    key, response = [{1, 2, 3}, {4}], [{1, 2, 4}, {3}]
    optimal, greedy = MEASURE(key, response), MEASURE(key, response, correspondence="greedy")
    assert optimal.details["greedy_differs_from_optimal_in"] == 1
    assert (optimal.counts["correct"], optimal.counts["spurious"]) == (0, 0)
    assert (greedy.counts["correct"], greedy.counts["spurious"]) == (1, 1)


def test_ties_go_to_the_pair_whose_related_referents_are_aligned() -> None:
    """Key chain A = {a, b} splits into {a} and {b}; only {b} is part of B in the response too (§4.2)."""

    def text(chains: list[list[int]], relations: list[Relation]) -> Document:
        mentions = [Mention(at, at + 1, name) for name, chain in enumerate(chains) for at in chain]
        return make_document("d", mentions, relations=relations)

    key = text([[0, 1], [2, 3]], [Relation("part", 0, 2)])
    response = text([[0], [1], [2, 3]], [Relation("part", 1, 2)])
    unrelated = text([[0], [1], [2, 3]], [])
    for correspondence in ("optimal", "greedy"):
        pairs = [
            MEASURE(key, item, correspondence=correspondence).details["documents"][0]["pairs"]
            for item in (response, unrelated)
        ]
        assert pairs[0][0]["response"] == ["1"]
        assert pairs[1][0]["response"] == ["0"]


def test_identical_chains_are_perfect_and_disjoint_kinds_count() -> None:
    perfect = MEASURE(make_sample(KEY), make_sample(KEY))
    assert (perfect.recall, perfect.precision, perfect.f1, perfect.substitution) == (1, 1, 1, None)
    assert "no error" in perfect.reasons["substitution"]


def test_the_source_of_the_kinds_is_in_the_signature() -> None:
    denotation = score(
        "coref", make_sample(KEY, None), make_sample(RESPONSE, None), measures=["denotation"], kinds="english"
    )["denotation"]
    assert denotation.signature.options["kinds"] == "english"
    assert denotation.counts["correct"] == 0  # "Clinton" and "his" are told apart by the rule
    whole = score("coref", make_sample(KEY), make_sample(RESPONSE, None), measures=["denotation"], kinds="whole")[
        "denotation"
    ]
    assert whole.signature.options["kinds"] == "whole"
    assert whole.counts["incorrect"] == 2


@pytest.mark.parametrize(
    "wrong",
    ["name", "name=1,noun=2", "name=.5,noun=.3,pronoun=.2", "name=-1", "name=1,name=.2", "name=nan", "name=1,noun=0"],
)
def test_weights_are_checked(wrong: str) -> None:
    with pytest.raises(UsageError, match="specificity"):
        MEASURE(make_sample(KEY), make_sample(RESPONSE), specificity=wrong)


def test_more_classes_than_three() -> None:
    finer = "name=0.55,title=0.25,noun=0.1,demonstrative=0.05,pronoun=0.02"
    assert MEASURE(make_sample(KEY), make_sample(RESPONSE), specificity=finer).substitution == 0.5


def test_restricted_documents_keep_their_kinds() -> None:
    """Kinds follow mentions when `only` takes some out."""
    denotation = score(
        "coref", make_sample(KEY), make_sample(RESPONSE), measures=["denotation"], only=("name", "pronoun")
    )["denotation"]
    assert denotation.counts["incorrect"] == 2


def test_the_bundled_example_is_the_papers(examples: Path) -> None:
    folder = examples / "coref" / "denotation"
    result = score("coref", str(folder / "key.jsonl"), str(folder / "response.jsonl"), measures=["denotation", "muc"])
    assert result["denotation"].counts["incorrect"] == 2
    assert (result["muc"].recall, result["muc"].precision) == (1 / 3, 1 / 3)  # table 1, situation 0


def test_greedy_differs_on_real_texts(data: Path) -> None:
    """The figures of docs/denotation.md."""
    for names, language, differing in (
        (("litbank/key", "litbank/s2-sieve"), "english", 6),
        (("fr-litbank/test.V2.key", "fr-litbank/test.V2.s3-goldment"), "french", 4),
    ):
        paths = [str(data / "coref" / f"{name}.conll.gz") for name in names]
        denotation = score("coref", *paths, measures=["denotation"], kinds=language)["denotation"]
        assert denotation.details["greedy_differs_from_optimal_in"] == differing
        [*_, last] = denotation.details["documents"]
        assert {"document", "pairs", "assignments"} == set(last)


@settings(max_examples=60)
@given(partitions(most=10, chains=4))
def test_without_kinds_all_mentions_are_alike(example: tuple[dict[int, int], dict[int, int], dict[int, str]]) -> None:
    """No kinds at all, which takes the short way over CEAFe's matching, is one kind for all."""
    key, response, _ = example
    alike = dict.fromkeys(key, "noun")
    unknown = dict.fromkeys(key, "")
    plain = MEASURE(*(as_documents(side, unknown) for side in (key, response)))
    assert plain.counts == MEASURE(*(as_documents(side, alike) for side in (key, response))).counts
    verdicts = [assignment["verdict"] for assignment in plain.details["documents"][0]["assignments"]]
    assert verdicts.count("correct") == plain.counts["correct"]
    assert verdicts.count("incorrect") == plain.counts["incorrect"]


def test_repeated_spans_are_one_mention_each() -> None:
    """As left in place by `duplicates:conll`: matched once, then on their own."""
    for kinds in ("format", "english"):
        result = score("coref", [[1, 2], [2, 3]], [{1, 2, 3}], measures=["denotation"], duplicates="conll", kinds=kinds)
        assert result["denotation"].counts["possible"] == 2
        assert min(result["denotation"].counts.values()) >= 0


def test_one_link_or_two_denotations() -> None:
    """§6.2: between {1 2 3 4 5} and {1 2 3}, {4 5} one link is missing, or too many; two denotations are wrong."""
    whole, parts = [{1, 2, 3, 4, 5}], [{1, 2, 3}, {4, 5}]
    for key, response, side in ((whole, parts, "key"), (parts, whole, "response")):
        links = muc.MEASURE(key, response, convention="partition").counts
        assert (links["common_links"], links[f"{side}_links"]) == (3, 4)
        assert MEASURE(key, response).counts["correct"] == 2


def test_a_wrong_link_between_large_chains_costs_more() -> None:
    """§6.2, after Bagga: joining two chains of four is worse than joining one of them with a chain of two; not so for
    MUC, to which it is one wrong link each time."""
    key = [{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}]
    large, small = [{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10}], [{1, 2, 3, 4, 9, 10}, {5, 6, 7, 8}]
    first, other = (MEASURE(key, response) for response in (large, small))
    assert (first.counts["correct"], other.counts["correct"]) == (4, 6)
    assert first.precision < other.precision
    assert muc.MEASURE(key, large).values == muc.MEASURE(key, small).values


def test_situations_3_and_4_of_table_1() -> None:
    """§6.2: with its pronouns together instead of alone a response gains recall for MUC, and nothing for denotations.

    The paper says that MUC's precision rises too; its table has 1 for the one and .97 for the other.
    """
    key = [{1, 2, 11}, {3, 4, 12, 13}]
    alone, together = [{1, 2}, {3, 4}, {11}, {12}, {13}], [{1, 2}, {3, 4}, {11, 12, 13}]
    links = [muc.MEASURE(key, response, convention="partition") for response in (alone, together)]
    assert links[0].recall < links[1].recall and links[0].precision == 1.0 > links[1].precision
    kinds = {place: "name" if place < 10 else "pronoun" for place in (1, 2, 3, 4, 11, 12, 13)}
    sides = [{place: number for number, chain in enumerate(side) for place in chain} for side in (key, alone, together)]
    known, *responses = (as_documents(side, kinds) for side in sides)
    values = [MEASURE(known, response) for response in responses]
    assert values[0].recall == values[1].recall and values[0].precision == 1.0 > values[1].precision


def test_exclusive_cores_are_no_special_case_of_the_heuristic() -> None:
    """§6.3: with a = b = c = 1 and no denominators the heuristic takes the pair that shares most, not the largest key
    chain first."""
    key, response = [{1, 2, 3, 4, 5}, {6, 7, 8, 9}], [{1, 2, 6, 7, 8}, {3}, {4}, {5}, {9}]
    assert max(key, key=lambda chain: max(len(chain & other) for other in response)) == {6, 7, 8, 9}
    result = pair_rows(compare([(documents(key)[0], documents(response)[0])]), "exclusive_core")
    assert {(row.key, row.response) for row in result if row.shared > 1} == {("{1, 2, 3, 4, 5}", "{1, 2, 6, 7, 8}")}


def test_some_scores_are_never_0() -> None:
    """§6.3, note 8: XC and B³ give credit for what is trivial, so that their recall is never 0; denotations do not."""
    for response in ([{1}, {2}, {3}, {4}], [{1, 3}, {2, 4}], [{1, 2, 3, 4}]):
        result = score(
            "coref", [{1, 2}, {3, 4}], response, measures=["exclusive_core", "b_cubed"], convention="partition"
        )
        assert all(item.recall > 0 for item in result)
    assert MEASURE([{1, 2}, {3, 4}], [{1, 3}, {2, 4}]).recall == 0.0


def test_novels_compared_whole(data: Path) -> None:
    """Kinds by rule in the key, none in the response; scipy's assignment over the printed formula finds as much."""
    task = registry.task("coref")
    paths = [str(data / "coref" / "litbank" / f"{name}.conll.gz") for name in ("key", "s3-goldment")]
    keys, responses = (read(task, path).documents[:2] for path in paths)
    for key, response in zip(keys, responses, strict=True):
        kinds = dict(enumerate(kinds_by_rule(key, "english")))
        spans = {span: place for place, span in enumerate(map(tuple, key.spans.tolist()))}
        known = make_document(
            "d", [Mention(*span, int(key.chains[n]), features={"kind": kinds[n]}) for span, n in spans.items()]
        )
        chains = [{n for n in range(len(key)) if key.chains[n] == chain} for chain in range(key.chain_count)]
        places = [spans[tuple(span)] for span in response.spans.tolist()]
        answers = [
            {place for place, chain in zip(places, response.chains.tolist(), strict=True) if chain == number}
            for number in range(response.chain_count)
        ]
        bare = make_document(
            "d", [Mention(*key.spans[n].tolist(), c) for c, own_answer in enumerate(answers) for n in own_answer]
        )
        alike = np.array(
            [[float(slow_similarity_to_the_whole(a, b, kinds)) if a & b else 0.0 for b in answers] for a in chains]
        )
        shared = np.array([[len(a & b) for b in answers] for a in chains])
        rows, columns = linear_sum_assignment(alike + 1e-9 * shared / len(key), maximize=True)
        correct = sum(shared[i, j] - 1 for i, j in zip(rows, columns, strict=True) if shared[i, j])
        assert MEASURE(known, bare, kinds="whole").counts["correct"] == correct
