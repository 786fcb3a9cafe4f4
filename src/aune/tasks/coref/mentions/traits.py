"""Describe the mentions of a document: kind, head, gender, number, person, and whether each is a person.

Values of the format take precedence; the others come from rules over the mention's words and the closed-class words of
its language:

- pronoun: the mention is one word (or a fixed expression) of the language's pronoun list;
- name: its head is capitalised, and not merely because it opens a sentence;
- noun: any other.

A mention's head is given by the format; otherwise it is the last word (English) or the first (French) of the part of
the phrase before its first preposition, relative pronoun or comma.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aune.tasks.coref.mentions.lexicon import SENTENCE_ENDINGS, Lexicon, Traits, language_of, lexicon
from aune.tasks.coref.model import Document, check_places, mention_words, token_spans

KINDS_OF_PARTS: Mapping[str, str] = {
    "PRON": "pronoun", "DET": "pronoun", "PRP": "pronoun", "PRP$": "pronoun", "WP": "pronoun", "PRO": "pronoun",
    "PROPN": "name", "NNP": "name", "NNPS": "name", "NPP": "name", "NOUN": "noun", "NN": "noun", "NNS": "noun",
    "NC": "noun",
}  # fmt: skip
TRAIT_VALUES: Mapping[str, Mapping[str, str]] = {
    "gender": {"m": "masculine", "f": "feminine", "n": "neuter"},
    "number": {"s": "singular", "p": "plural"},
    "person": {"1": "first", "2": "second", "3": "third"},
}
RULES = ("english", "french")
"""The languages with a lexicon of closed-class words."""
WORD_JOINT = re.compile(r" ?(-) ?|(?<=['’])() ")
"""White space around a hyphen and after an apostrophe."""
PERSON_TYPES = frozenset({"person", "per", "people", "human", "pers"})


@dataclass(frozen=True)
class MentionDescriptions:
    """A document's mentions as columns of their known properties; '' if unknown."""

    texts: list[str]
    heads: list[str]
    """The head word of each mention, in lower case."""
    kinds: list[str]
    traits: list[Traits]


def describe_mentions(
    document: Document, language: str = "auto", given_kinds: bool = True, head_side: str = ""
) -> MentionDescriptions:
    """The known properties of the mentions of a document; without tokens, only those of the format.

    `head_side` (first or last) overrides the format's heads and the language's rule for them.

    >>> from aune.tasks.coref.model import Mention, make_document
    >>> text = "The queen saw Ann and she smiled .".split()
    >>> mentions = [Mention(0, 2, 1), Mention(3, 4, 2), Mention(5, 6, 1)]
    >>> found = describe_mentions(make_document("a", mentions, tokens=text))
    >>> found.kinds, found.heads, found.traits[2].gender
    (['noun', 'name', 'pronoun'], ['queen', 'ann', 'she'], 'feminine')
    """
    tokens = document.tokens
    if tokens is None:
        kinds = list(document.features.get("kind", [""] * len(document)))
        blank = [""] * len(document)
        return MentionDescriptions(
            blank, blank, kinds, [_format_traits(document, index) for index in range(len(document))]
        )
    words = lexicon(language_of(tokens) if language == "auto" else language)
    words = replace(words, head_side=head_side) if head_side else words
    common = _common_words(tokens)
    kinds, heads, traits, texts = [], [], [], []
    spans = mention_word_spans(document)
    places = [-1] * len(document) if head_side else _head_tokens(document)
    for index, (start, end) in enumerate(spans):
        mention_tokens = mention_words(document, index, (start, end))
        head = places[index] - start
        head = head if 0 <= head < len(mention_tokens) else words.head(mention_tokens) if mention_tokens else -1
        kind = _format_kind(document, index, given_kinds) or _kind(
            mention_tokens, head, words, common, _opens_sentence(tokens, start + head)
        )
        kinds.append(kind)
        texts.append(" ".join(mention_tokens))
        heads.append(mention_tokens[head].lower() if mention_tokens else "")
        traits.append(_format_traits(document, index).completed_by(_traits(mention_tokens, head, kind, words)))
    return MentionDescriptions(texts, heads, kinds, traits)


def mention_texts(document: Document) -> list[str]:
    """The words of each mention; in a text without words, its name or its position."""
    tokens = document.tokens
    if tokens is None and "name" in document.features:
        return list(document.features["name"])
    if tokens is None:
        return [str(start) if end - start == 1 else f"{start}–{end - 1}" for start, end in document.spans.tolist()]
    return [" ".join(mention_words(document, index, span)) for index, span in enumerate(mention_word_spans(document))]


def mention_word_spans(document: Document) -> list[list[int]]:
    """The token range of each mention; refused if the mentions together cover too many tokens."""
    check_places(document)
    return token_spans(document).tolist()  # type: ignore[no-any-return]


def kinds_by_rule(document: Document, language: str) -> list[str]:
    """The kind of each mention, by the rule alone."""
    return (
        describe_mentions(document, language, given_kinds=False).kinds
        if document.tokens is not None
        else [""] * len(document)
    )


def _head_tokens(document: Document) -> list[int]:
    """The token number of each mention's head according to the format, or -1."""
    if document.heads is None:
        return [-1] * len(document)
    spans = token_spans(document, np.stack([document.heads, document.heads + 1], axis=1))
    return np.where(document.heads < 0, -1, spans[:, 0]).tolist()  # type: ignore[no-any-return]


def is_pronoun(words: Sequence[str], known: Lexicon) -> bool:
    return fixed_expression(words) in known.pronouns


def fixed_expression(words: Sequence[str]) -> str:
    """The spelling of a fixed expression, whatever its tokenization in the file.

    >>> fixed_expression(["Celui", "-ci"]), fixed_expression(["l'", "un"]), fixed_expression(["le", "sien"])
    ('celui-ci', "l'un", 'le sien')
    """
    return WORD_JOINT.sub(r"\1", " ".join(words).lower())


def _common_words(tokens: Sequence[str]) -> frozenset[str]:
    """The words that also occur in lower case: capitals at the start of a sentence mean nothing for them."""
    return frozenset(token for token in set(tokens) if token[:1].islower())


def _opens_sentence(tokens: Sequence[str], place: int) -> bool:
    """Whether a token opens a sentence, judging by the sign before it."""
    return place <= 0 or tokens[place - 1][-1:] in SENTENCE_ENDINGS or not tokens[place - 1][-1:].isalnum()


def _kind(words: Sequence[str], head: int, known: Lexicon, common: frozenset[str], opens: bool) -> str:
    if not words:
        return ""
    if is_pronoun(words, known):
        return "pronoun"
    word = words[head]
    capital = word[:1].isupper() and (word.lower() not in common or not opens)
    return "name" if capital and word.lower() not in known.determiners else "noun"


def _traits(words: Sequence[str], head: int, kind: str, known: Lexicon) -> Traits:
    """The traits that follow from the words of a mention."""
    if not words:
        return Traits()
    low = [word.lower() for word in words]
    if kind == "pronoun":
        return known.pronouns.get(fixed_expression(words), Traits())
    if any(word in known.conjunctions for word in low[:-1]) and len(low) > 2:
        return Traits(number="plural", person="third")
    traits = Traits(person="third")
    traits = traits.completed_by(known.nouns.get(low[head], Traits()))
    for word in low[: head + 1] if kind == "name" else ():  # Mr Knightley, but not the captain's ship
        traits = traits.completed_by(known.titles.get(word, Traits()))
    if kind != "name" or low[0] not in known.determiners:
        first = known.determiners.get(low[0], Traits()) if len(low) > 1 else Traits()
        traits = traits.completed_by(first)
    if kind == "name":
        return traits.completed_by(Traits(number="singular"))
    return (
        traits.completed_by(Traits(number=_number_by_ending(low[head]))) if len(low) > 1 or kind == "noun" else traits
    )


def _number_by_ending(word: str) -> str:
    """The number of a common noun by its ending: in both languages a plural ends in s or x."""
    return "plural" if word[-1:] in "sx" and word[-2:] not in ("ss", "us", "is") else "singular"


def _format_kind(document: Document, index: int, kinds_allowed: bool) -> str:
    """The kind given by the format (if allowed), or implied by the part of speech of the head."""
    for name in ("kind", "upos", "pos") if kinds_allowed else ("upos", "pos"):
        column = document.features.get(name)
        if column and column[index]:
            return column[index] if name == "kind" else KINDS_OF_PARTS.get(column[index].upper(), "")
    return ""


def _format_traits(document: Document, index: int) -> Traits:
    """The traits given by the format, in any notation (Masc, m, masculine…)."""
    traits = {}
    for name, values in TRAIT_VALUES.items():
        column = document.features.get(name)
        if column and column[index]:
            traits[name] = values.get(column[index][0].lower(), "")
    kind = document.features.get("etype")
    if kind and kind[index]:
        traits["being"] = "person" if kind[index].lower() in PERSON_TYPES else "thing"
    return Traits(**traits)
