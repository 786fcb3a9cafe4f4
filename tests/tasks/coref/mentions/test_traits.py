"""The rule for the kinds and traits of mentions, in English and French, and what formats say before it."""

from __future__ import annotations

import pytest

from aune.tasks.coref.mentions.lexicon import LANGUAGES, language_of, lexicon
from aune.tasks.coref.mentions.traits import described, kinds_by_rule
from aune.tasks.coref.model import Mention, document

CASES = [
    ("english", "she", "pronoun", "she", "feminine", "singular"),
    ("english", "Mr. Knightley 's", "name", "knightley", "masculine", "singular"),
    ("english", "the old man of the sea", "noun", "man", "masculine", "singular"),
    ("english", "these houses", "noun", "houses", "", "plural"),
    ("english", "Ann and Bob", "name", "ann", "", "plural"),
    ("english", "the captain 's ship", "noun", "ship", "", "singular"),
    ("french", "elle", "pronoun", "elle", "feminine", "singular"),
    ("french", "la petite maison blanche", "noun", "maison", "feminine", "singular"),
    ("french", "Mme Vauquer", "name", "vauquer", "feminine", "singular"),
    ("french", "les enfants de la rue", "noun", "enfants", "", "plural"),
    ("french", "l'", "pronoun", "l'", "", "singular"),
]


@pytest.mark.parametrize(("language", "text", "kind", "head", "gender", "number"), CASES)
def test_the_rule(language: str, text: str, kind: str, head: str, gender: str, number: str) -> None:
    words = ["so", *text.split(), "."]
    found = described(document("d", [Mention(1, len(words) - 1, 0)], tokens=words), language)
    assert found.kinds == [kind]
    assert found.heads == [head]
    assert (found.traits[0].gender, found.traits[0].number) == (gender, number)


def test_a_capital_that_only_opens_a_sentence_makes_no_name() -> None:
    words = ["Men", "ate", ".", "The", "men", "slept", ".", "Rome", "fell", "."]
    found = described(document("d", [Mention(0, 1, 0), Mention(7, 8, 1)], tokens=words), "english")
    assert found.kinds == ["noun", "name"]


def test_what_the_format_says_comes_first() -> None:
    features = {"kind": "zero", "gender": "Fem", "number": "Plur", "etype": "person"}
    found = described(document("d", [Mention(0, 1, 0, features=features)], tokens=["he"]), "english")
    assert found.kinds == ["zero"]
    assert found.traits[0] == ("feminine", "plural", "third", "person")
    assert kinds_by_rule(document("d", [Mention(0, 1, 0, features=features)], tokens=["he"]), "english") == ["pronoun"]
    tagged = document("d", [Mention(0, 1, 0, features={"upos": "PROPN", "kind": "x"})], tokens=["ebay"])
    assert kinds_by_rule(tagged, "english") == ["name"]
    by_part = described(document("d", [Mention(0, 1, 0, features={"upos": "PROPN"})], tokens=["ebay"]), "english")
    assert by_part.kinds == ["name"]


def test_languages_are_told_apart_and_their_words_are_in_lower_case() -> None:
    assert language_of(["the", "house", "of", "my", "father"]) == "english"
    for language in LANGUAGES:
        words = lexicon(language)
        known = [*words.pronouns, *words.determiners, *words.titles, *words.nouns, *words.breaks, *words.adjectives]
        assert all(word == word.lower() for word in known)
