"""The rule for the kinds and traits of mentions, in English and French, and what formats say before it."""

from __future__ import annotations

import numpy as np
import pytest

from aune.errors import UsageError
from aune.tasks.coref.mentions.lexicon import LANGUAGES, language_of, lexicon
from aune.tasks.coref.mentions.traits import describe_mentions, kinds_by_rule, mention_texts
from aune.tasks.coref.model import Mention, make_document

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
    # the mentions of §1.2 of Popescu-Belis 1999
    ("french", "Le sommet Ouest", "noun", "sommet", "masculine", "singular"),
    ("french", "Ce deuxième sommet", "noun", "sommet", "masculine", "singular"),
    ("french", "ce petit bastion", "noun", "bastion", "masculine", "singular"),
    ("french", "le grand couloir inférieur", "noun", "couloir", "masculine", "singular"),
    ("french", "celui-ci", "pronoun", "celui-ci", "masculine", "singular"),
    ("french", "Celui -ci", "pronoun", "celui", "masculine", "singular"),
    ("french", "celui - ci", "pronoun", "celui", "masculine", "singular"),
    ("french", "ce rassurant entonnoir", "noun", "entonnoir", "masculine", "singular"),
    ("french", "l' un", "pronoun", "un", "", ""),
]


@pytest.mark.parametrize(("language", "text", "kind", "head", "gender", "number"), CASES)
def test_the_rule(language: str, text: str, kind: str, head: str, gender: str, number: str) -> None:
    words = ["so", *text.split(), "."]
    mentions = describe_mentions(make_document("d", [Mention(1, len(words) - 1, 0)], tokens=words), language)
    assert mentions.kinds == [kind]
    assert mentions.heads == [head]
    assert (mentions.traits[0].gender, mentions.traits[0].number) == (gender, number)


def test_the_text_of_the_paper() -> None:
    """Popescu-Belis 1999, §1.2: its seventeen expressions where they stand, eight of them with a noun for a head."""
    text = (
        "[Le sommet Ouest] se trouve à 3854m . Pour [l'] atteindre , emprunter sur 150m [un petit couloir] [qui] est "
        "souvent glacé . [Ce couloir] démarre derrière [le sommet Sud] ( 3742m ) , [qui] est , [lui] , facile à "
        "atteindre . [Ce deuxième sommet] est bien visible , car [il] est très saillant . Pour rejoindre [ce petit "
        "bastion] , on doit [le] viser depuis [le grand couloir inférieur] , assez facile à gravir . Bien qu' [il] "
        "soit initialement large , [celui-ci] [se] resserre peu à peu . Attention , [ce rassurant entonnoir] reste "
        "très longtemps enneigé ."
    )
    words = text.split()
    starts = [place for place, word in enumerate(words) if word.startswith("[")]
    ends = [place + 1 for place, word in enumerate(words) if word.endswith("]")]
    mentions = [Mention(*span, number) for number, span in enumerate(zip(starts, ends, strict=True))]
    result = describe_mentions(make_document("d", mentions, tokens=[word.strip("[]") for word in words]), "french")
    nouns = [head for kind, head in zip(result.kinds, result.heads, strict=True) if kind == "noun"]
    assert nouns == ["sommet", "couloir", "couloir", "sommet", "sommet", "bastion", "couloir", "entonnoir"]
    pronouns = [text for kind, text in zip(result.kinds, result.texts, strict=True) if kind == "pronoun"]
    assert pronouns == ["l'", "qui", "qui", "lui", "il", "le", "il", "celui-ci", "se"]


def test_a_capital_that_only_opens_a_sentence_makes_no_name() -> None:
    words = ["Men", "ate", ".", "The", "men", "slept", ".", "Rome", "fell", "."]
    mentions = describe_mentions(make_document("d", [Mention(0, 1, 0), Mention(7, 8, 1)], tokens=words), "english")
    assert mentions.kinds == ["noun", "name"]


def test_what_the_format_says_comes_first() -> None:
    features = {"kind": "zero", "gender": "Fem", "number": "Plur", "etype": "person"}
    mentions = describe_mentions(make_document("d", [Mention(0, 1, 0, features=features)], tokens=["he"]), "english")
    assert mentions.kinds == ["zero"]
    assert mentions.traits[0] == ("feminine", "plural", "third", "person")
    assert kinds_by_rule(make_document("d", [Mention(0, 1, 0, features=features)], tokens=["he"]), "english") == [
        "pronoun"
    ]
    tagged = make_document("d", [Mention(0, 1, 0, features={"upos": "PROPN", "kind": "x"})], tokens=["ebay"])
    assert kinds_by_rule(tagged, "english") == ["name"]
    by_part = describe_mentions(
        make_document("d", [Mention(0, 1, 0, features={"upos": "PROPN"})], tokens=["ebay"]), "english"
    )
    assert by_part.kinds == ["name"]


def test_a_mention_inside_a_token_is_its_part_only() -> None:
    """Pour l'atteindre, in a file that counts characters and cuts words at blanks."""
    places = np.asarray([0, 5, 17])
    text = make_document(
        "d", [Mention(5, 7, 0)], tokens=["Pour", "l'atteindre", "."], positions=places, unit="character"
    )
    assert describe_mentions(text, "french").texts == ["l'"] == mention_texts(text)
    assert describe_mentions(text, "french").kinds == ["pronoun"]


def test_languages_are_told_apart_and_their_words_are_in_lower_case() -> None:
    assert language_of(["the", "house", "of", "my", "father"]) == "english"
    for language in LANGUAGES:
        words = lexicon(language)
        known = [*words.pronouns, *words.determiners, *words.titles, *words.nouns, *words.breaks, *words.adjectives]
        assert all(word == word.lower() for word in known)


def test_mentions_that_hold_one_another_without_end_are_refused() -> None:
    """Their words grow by the square of the text: it is told before anything is done."""
    count = 4000
    nested = make_document("a", [Mention(0, place + 1, place) for place in range(count)], tokens=["x"] * count)
    for look in (describe_mentions, mention_texts):
        with pytest.raises(UsageError, match="8,002,000 words in all its mentions"):
            look(nested)
