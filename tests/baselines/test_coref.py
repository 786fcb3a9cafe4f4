"""Simple systems for coreference: what each does, on small texts and on novels."""

from __future__ import annotations

import random
import time
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune import baselines
from aune.baselines.coref.activation import read_parameters
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import Corpus, read
from aune.tasks.coref.mentions.lexicon import Traits
from aune.tasks.coref.mentions.traits import describe_mentions
from aune.tasks.coref.model import Document, Mention, make_document
from tests.tasks.coref import oracle

TASK = registry.task("coref")


def respond(name: str, *documents: Document, **options: object) -> list[Document]:
    return baselines.baseline("coref", name)(documents, **options)


def text(words: str, *mentions: tuple[int, int], chains: list[int] | None = None, **features: str) -> Document:
    numbers = chains or list(range(len(mentions)))
    made = [
        Mention(start, end, number, features=features) for (start, end), number in zip(mentions, numbers, strict=True)
    ]
    return make_document("d", made, tokens=words.split())


STORY = text(
    "Mr. Darcy met Mrs. Ann . He liked her house . The house was old . Darcy bought it .",
    (0, 2), (3, 5), (6, 7), (8, 9), (8, 10), (11, 13), (16, 17), (18, 19),
)  # fmt: skip
DARCY, ANN, HE, HER, HER_HOUSE, THE_HOUSE, DARCY_AGAIN, IT = range(8)


def together(document: Document) -> set[frozenset[int]]:
    return {frozenset(i for i in range(len(document)) if document.chains[i] == c) for c in range(document.chain_count)}


def test_one_chain_and_singletons() -> None:
    assert respond("one_chain", STORY)[0].chain_count == 1
    assert respond("singletons", STORY)[0].chain_count == len(STORY)
    assert respond("one_chain", make_document("empty", []))[0].chain_count == 0


def test_same_string_and_same_head() -> None:
    [strings] = respond("same_string", text("The cat saw the cat and a cat", (0, 2), (3, 5), (6, 8)))
    assert together(strings) == {frozenset({0, 1}), frozenset({2})}
    [heads] = respond("same_head", STORY)
    assert frozenset({HER_HOUSE, THE_HOUSE}) in together(heads)
    assert frozenset({DARCY, DARCY_AGAIN}) in together(heads)
    french = text("la vieille maison de Marie et la maison blanche", (0, 5), (6, 9))
    assert respond("same_head", french)[0].chain_count == 1
    assert respond("same_head", french, head="last")[0].chain_count == 2


def test_agreement() -> None:
    [document] = respond("agreement", STORY)
    assert together(document) == {  # it looks at the nearest mention only, and nothing tells that Darcy is no "it"
        frozenset({DARCY, HE, DARCY_AGAIN, IT}), frozenset({ANN, HER}), frozenset({HER_HOUSE, THE_HOUSE}),
    }  # fmt: skip
    number = text("the kings saw the king ; they left", (0, 2), (3, 5), (6, 7))
    assert together(respond("agreement", number)[0]) == {frozenset({0, 2}), frozenset({1})}


def test_activation_prefers_the_active_class_and_average_agreement() -> None:
    [document] = respond("activation", STORY)
    assert {frozenset({HER_HOUSE, THE_HOUSE, IT}), frozenset({ANN, HER})} <= together(document)
    assert frozenset({DARCY, HE, DARCY_AGAIN}) in together(document)
    names = text(
        "Ann met Ben . Ann saw Ann . Then she left . She slept", (0, 1), (2, 3), (4, 5), (6, 7), (9, 10), (12, 13)
    )
    assert frozenset({0, 2, 3, 4, 5}) in together(respond("activation", names)[0])


# The two resolvers a second time: mention by mention, over every member of every class.

WORDS = ["he", "she", "it", "they", "Ann", "Bob", "Mr. Darcy", "Ann Darcy", "Fitzwilliam Darcy", "Ann Fitzwilliam",
         "the house", "the houses", "a king", "I"]  # fmt: skip


def story(drawn: list[str]) -> Document:
    """A text whose mentions are these expressions, one word apart."""
    words: list[str] = []
    places = []
    for expression in drawn:
        places.append((len(words), len(words) + len(expression.split())))
        words += [*expression.split(), "saw"]
    return text(" ".join(words), *places)


Met = tuple[str, str, str, Traits]
"""The kind, head, words and traits of a mention."""


def met_mentions(document: Document) -> list[Met]:
    seen = describe_mentions(document, "english")
    return list(zip(seen.kinds, seen.heads, seen.texts, seen.traits, strict=True))


def told_apart(traits: Traits, other: Traits, *names: str) -> bool:
    pairs = [(getattr(traits, name), getattr(other, name)) for name in names]
    return any(key_chain and response_chain and key_chain != response_chain for key_chain, response_chain in pairs)


def slow_agreement(mentions: list[Met]) -> list[int]:
    groups: list[int] = []
    for index, (kind, head, _, traits) in enumerate(mentions):
        groups.append(index)
        for before in reversed(range(index)):
            known = mentions[before]
            meets = kind == "pronoun" or (known[0] != "pronoun" and head and head == known[1])
            if meets and not told_apart(traits, known[3], "gender", "number"):
                groups[index] = groups[before]
                break
    return groups


def signs(mention: Met) -> set[str]:
    words = {mention[1]} if mention[1] else set()
    return words | {
        word.lower() for word in mention[2].split() if mention[0] == "name" and word[:1].isupper() and len(word) > 2
    }


def agreeing(mention: Met, members: list[Met], trait: str) -> float:
    return sum(not told_apart(mention[3], member[3], trait) for member in members) / len(members)


def slow_sense(mention: Met, members: list[Met]) -> float:
    """The share of the members that agree with a mention in sense, asked one by one."""
    return sum(same_sense(mention, member) for member in members) / len(members)


def same_sense(met: Met, other: Met) -> bool:
    if "pronoun" in (met[0], other[0]):
        return not told_apart(met[3], other[3], "person", "being")
    return bool(signs(met) & signs(other))


def slow_activation(mentions: list[Met], places: list[int]) -> list[int]:
    """§6.2: among the classes with whose members it agrees well enough on average, the most active one."""
    classes: list[list[int]] = []
    boost = {"name": 3.0}
    groups = []
    for index, mention in enumerate(mentions):
        fitting = []
        for number, members in enumerate(classes):
            those = [mentions[member] for member in members]
            shares = agreeing(mention, those, "gender"), agreeing(mention, those, "number"), slow_sense(mention, those)
            if min(shares) >= 0.7:
                active = sum(
                    boost.get(mentions[member][0], 2.0) * 0.5 ** ((places[index] - places[member]) / 20)
                    for member in members
                )
                fitting.append((round(active, 9), members[-1], number))
        if not fitting:
            classes.append([])
        groups.append(max(fitting)[2] if fitting else len(classes) - 1)
        classes[groups[-1]].append(index)
    return groups


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_the_resolvers_member_by_member(drawn: list[str]) -> None:
    document = story(drawn)
    mentions, places = met_mentions(document), document.spans[:, 0].tolist()
    for name, groups in (
        ("agreement", slow_agreement(mentions)),
        ("activation", slow_activation(mentions, places)),
    ):
        [found] = respond(name, document, language="english")
        expected = {frozenset(i for i, group in enumerate(groups) if group == entry) for entry in groups}
        assert together(found) == expected, name


def test_activation_reads_traits_from_the_format() -> None:
    words = ["Kim", "met", "Lee", ".", "She", "left"]
    made = [
        Mention(0, 1, 0, features={"gender": "Masc"}),
        Mention(2, 3, 1, features={"gender": "Fem"}),
        Mention(4, 5, 2),
    ]
    assert frozenset({1, 2}) in together(respond("activation", make_document("d", made, tokens=words))[0])


def test_activation_parameters(tmp_path: Path) -> None:
    outcome = tmp_path / "mine.toml"
    outcome.write_text("[activation]\nname = 9\n")
    assert read_parameters(str(outcome)).name == 9
    assert read_parameters(str(outcome)).noun == read_parameters().noun
    for wrong in ("[activation]\nnames = 9\n", "x = [", "[activation]\nkept = 2\n"):
        outcome.write_text(wrong)
        with pytest.raises(UsageError, match="parameter"):
            respond("activation", STORY, parameters=str(outcome))
    with pytest.raises(UsageError, match="group of rules"):
        respond("activation", STORY, off=("grammar",))


PARTITIONS = st.lists(st.integers(0, 5), min_size=1, max_size=20).map(
    lambda chains: make_document("d", [Mention(place, place + 1, chain) for place, chain in enumerate(chains)])
)


@settings(max_examples=50)
@given(PARTITIONS, st.integers(0, 99))
def test_random_partitions_have_the_keys_profile(key: Document, seed: int) -> None:
    [document] = respond("random_profile", key, seed=seed)
    sizes = [sorted(map(len, entry.clusters())) for entry in (key, document)]
    assert sizes[0] == sizes[1]
    assert document.chains.tolist() == respond("random_profile", key, seed=seed)[0].chains.tolist()


def test_draws_are_any_partition_of_the_keys_profile_alike() -> None:
    """§5.1: over many draws MUC and B³ get what they get on average over every permutation of the mentions."""
    chains = [{0, 1, 2}, {3, 4}, {5}]
    key = make_document("d", [Mention(m, m + 1, number) for number, chain in enumerate(chains) for m in chain])
    every: dict[str, list[float]] = {}
    for order in permutations(range(6)):
        response = [frozenset(order[:3]), frozenset(order[3:5]), frozenset(order[5:])]
        for name in ("muc", "b_cubed"):
            every.setdefault(name, []).append(float(getattr(oracle, name)(list(map(frozenset, chains)), response)[0]))
    drawn: dict[str, list[float]] = {name: [] for name in every}
    for seed in range(600):
        [response] = respond("random_profile", key, seed=seed)
        rows = [frozenset(start for start, _ in chain) for chain in response.clusters()]
        for name, numbers in drawn.items():
            numbers.append(float(getattr(oracle, name)(list(map(frozenset, chains)), rows)[0]))
    for name, numbers in drawn.items():
        error = np.std(every[name]) / np.sqrt(len(numbers))
        assert abs(np.mean(numbers) - np.mean(every[name])) < 3 * error, name


def test_draws_depend_on_the_document_not_on_its_place() -> None:
    several = [make_document(name, [Mention(i, i + 1, i % 3) for i in range(12)]) for name in "abc"]
    one_way = {entry.id: entry.chains.tolist() for entry in respond("random_profile", *several)}
    other_way = {entry.id: entry.chains.tolist() for entry in respond("random_profile", *reversed(several))}
    assert one_way == other_way
    assert one_way["a"] != one_way["b"]


@settings(max_examples=50)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(2, 3))
def test_an_independent_partition_gets_no_information(sizes: list[int], shared: int) -> None:
    """PROP. 12: H is exactly 0 when every response chain takes the same share of every key chain."""
    chains = [number for number, size in enumerate(sizes) for _ in range(size * shared)]
    random.Random(0).shuffle(chains)
    key = make_document("d", [Mention(place, place + 1, chain) for place, chain in enumerate(chains)])
    result = aune.score("coref", key, respond("independent", key)[0], measures=["entropy"])["entropy"]
    assert result.f1 == pytest.approx(0, abs=1e-9)


def test_no_independent_partition_without_a_common_divisor() -> None:
    key = make_document("d", [Mention(0, 1, 0), Mention(1, 2, 0), Mention(2, 3, 1)])
    with pytest.raises(UsageError, match="no common divisor"):
        respond("independent", key)
    assert respond("independent", key, otherwise="one_chain")[0].chain_count == 1


@pytest.mark.parametrize("name", baselines.names("coref"))
def test_every_baseline_answers_every_mention(data: Path, name: str) -> None:
    for corpus in ("litbank/key", "fr-litbank/test.V2.key"):
        key = read(TASK, str(data / "coref" / f"{corpus}.conll.gz")).documents[:3]
        options = {"otherwise": "one_chain"} if name == "independent" else {}
        for before, after in zip(key, respond(name, *key, **options), strict=True):
            assert (before.id, before.spans.tolist()) == (after.id, after.spans.tolist())


def test_muc_is_indulgent_to_one_big_chain(data: Path) -> None:
    """What Popescu-Belis 1999 argues: no real system of litbank gets the MUC score of one chain; H gives it 0."""
    key = read(TASK, str(data / "coref/litbank/key.conll.gz"))
    systems = {
        name: str(data / f"coref/litbank/{name}.conll.gz") for name in ("s1-strmatch", "s2-sieve", "s3-goldment")
    }
    outcome = Corpus(respond("one_chain", *key.documents))
    result = aune.evaluate("coref", key, {**systems, "one": outcome}, measures=["muc", "b_cubed", "entropy"])
    muc = {system: result[system, "muc"].f1 for system in result.systems}
    assert max(muc, key=lambda system: muc[system] or 0) == "one"
    assert result["one", "entropy"].f1 == pytest.approx(0)
    b_cubed = {system: result[system, "b_cubed"].f1 for system in systems if system != "s1-strmatch"}
    assert min(b_cubed.values()) > result["one", "b_cubed"].f1  # type: ignore[operator, type-var]


def test_a_novel_of_30000_tokens_is_resolved_in_10_seconds(data: Path) -> None:
    tokens: list[str] = []
    mentions: list[Mention] = []
    documents = read(TASK, str(data / "coref/litbank/key.conll.gz")).documents
    while len(tokens) < 30_000:
        outcome = documents[len(tokens) % len(documents)]
        mentions += [
            Mention(s + len(tokens), e + len(tokens), (len(tokens), c))
            for (s, e), c in zip(outcome.spans.tolist(), outcome.chains.tolist(), strict=True)
        ]
        tokens += outcome.tokens or []
    novel = make_document("novel", mentions, tokens=tokens)
    started = time.perf_counter()
    respond("activation", novel)
    assert time.perf_counter() - started < 10


def test_activation_says_what_it_cannot_do_before_it_begins() -> None:
    many = make_document("d", (Mention(place, place + 1, place) for place in range(50_001)), tokens=["a"] * 50_001)
    with pytest.raises(UsageError, match="50,001 mentions, expected at most 50,000"):
        respond("activation", many)
