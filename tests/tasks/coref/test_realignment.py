"""Responses of coreference whose text is not the key's."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from aune import score
from aune.contract import registry
from aune.errors import InputError
from aune.reading.corpus import read
from aune.tasks.coref.model import Document, ListedMention, Mention, make_document, mentions_of

DAMAGE = runpy.run_path(str(Path(__file__).parents[2] / "alignment" / "corruption.py"))
WORDS = ["Marie", "dit", "que", "sa", "sœur", "aime", "Paul", "et", "que", "Paul", "aime", "sa", "sœur", "."]
CHAINS = [
    Mention(0, 1, "m"),
    Mention(3, 4, "m"),
    Mention(3, 5, "s"),
    Mention(6, 7, "p"),
    Mention(9, 10, "p"),
    Mention(11, 13, "s"),
]
KEY = make_document("d", CHAINS, tokens=WORDS)
MEASURES = ["muc", "b_cubed", "ceaf_e", "lea", "conll"]


def list_items(*items: tuple[str, str], grouped: bool = False) -> Document:
    return replace(
        make_document("d", []),
        listed=tuple(ListedMention(string, chain, chain if grouped else "") for string, chain in items),
    )


def test_a_word_dropped_changes_nothing() -> None:
    tokens = [word for index, word in enumerate(WORDS) if index != 7]
    moved = [Mention(m.start - (m.start > 7), m.end - (m.end > 7), m.chain) for m in CHAINS]
    response = make_document("d", moved, tokens=tokens)
    result = score("coref", [KEY], [response], measures=MEASURES, realign="words")
    assert all(it.f1 == 1.0 for it in result)


def test_strings_are_refused_until_a_policy_is_named() -> None:
    clusters = list_items(
        ("Marie", "1"), ("sa", "1"), ("sa sœur", "2"), ("sa sœur", "2"), ("Paul", "3"), ("Paul", "3"), grouped=True
    )
    with pytest.raises(InputError, match="place them with place='in-order'"):
        score("coref", [KEY], [clusters])
    assert score("coref", [KEY], [clusters], measures=["conll"], place="in-order")["conll"].f1 == 1.0


def test_another_text_without_mentions_is_another_text() -> None:
    response = make_document("d", [], tokens=["I", "am", "sorry", ",", "that", "is", "not", "for", "me", "to", "say"])
    with pytest.raises(InputError, match="found another text than the key's"):
        score("coref", [KEY], [response], realign="words")


def test_unplaced_mentions_keep_the_size_of_their_chain() -> None:
    response = list_items(("Marie", "1"), ("sa", "1"), ("Zoé", "1"))
    counted = score("coref", [KEY], [response], measures=["b_cubed", "unplaced_rate"], place="in-order")
    ignored = score("coref", [KEY], [response], measures=["b_cubed"], place="in-order", unplaced="ignore")
    assert counted["unplaced_rate"].unplaced == pytest.approx(1 / 3)
    assert counted["b_cubed"].precision == pytest.approx((2 / 3 + 2 / 3) / 3)
    assert ignored["b_cubed"].precision == 1.0


@pytest.mark.parametrize("corpus", ["litbank/key", "fr-litbank/test.V2.key"])
@pytest.mark.parametrize("system", ["s1-strmatch", "s2-sieve", "s3-goldment"])
def test_a_rewritten_text_changes_no_score(data: Path, corpus: str, system: str) -> None:
    """Other quotes, accents, capitals and tokens: the scores of real systems to full precision."""
    task, key = registry.task("coref"), data / "coref" / f"{corpus}.conll.gz"
    found = read(task, key.with_name(f"{key.name.replace('key', system)}")).documents
    rewritten = [with_other_tokens(it) for it in found]
    expected = score("coref", str(key), found, measures=MEASURES)
    result = score("coref", str(key), rewritten, measures=MEASURES, realign="words")
    assert [it.values for it in result] == [it.values for it in expected]
    assert all("realign:words" in str(it.signature) for it in result)


def with_other_tokens(it: Document) -> Document:
    tokens, begins = DAMAGE["retokenise_text"](DAMAGE["rewritten"](list(it.tokens or ())), {*it.spans.flat})
    mentions = [mention._replace(start=begins[mention.start], end=begins[mention.end]) for mention in mentions_of(it)]
    return make_document(it.id, mentions, tokens=tokens)


def test_mentions_listed_in_order_find_their_places(data: Path) -> None:
    key = read(registry.task("coref"), data / "coref" / "litbank" / "key.conll.gz").documents
    strings = []
    for it in key:
        tokens, chains = list(it.tokens or ()), it.chains.tolist()
        order = sorted(range(len(it)), key=lambda index: (it.spans[index][0], -it.spans[index][1]))
        items = [ListedMention(" ".join(tokens[slice(*it.spans[index])]), str(chains[index])) for index in order]
        strings.append(replace(make_document(it.id, []), listed=tuple(items)))
    result = score("coref", key, strings, measures=["mentions", "conll"], place="in-order")
    assert result["mentions"].f1 >= 0.99
    assert result["conll"].f1 >= 0.99


def test_chains_stand_beside_each_other() -> None:
    """`democrats` is no part of another chain's `senate democrats`, when there are democrats elsewhere."""
    words = ["senate", "democrats", "lost", "when", "democrats", "left", "the", "democrats"]
    key = make_document("d", [Mention(0, 2, "s"), Mention(4, 5, "d"), Mention(7, 8, "d")], tokens=words)
    response = list_items(("democrats", "d"), ("democrats", "d"), ("senate democrats", "s"), grouped=True)
    assert score("coref", [key], [response], measures=["mentions"], place="in-order")["mentions"].f1 == 1.0


def test_a_string_of_two_chains_stands_at_all_its_places_in_both() -> None:
    response = list_items(("Paul", "1"), ("Paul", "2"))
    with pytest.raises(InputError, match="expected"):
        score("coref", [KEY], [response], place="all")
    merged = score("coref", [KEY], [response], place="all", duplicates="merge", measures=["unplaced_rate"])
    counts = merged["unplaced_rate"].counts
    assert (counts["unplaced"], counts["given"], counts["exact"]) == (0, 4, 4)
