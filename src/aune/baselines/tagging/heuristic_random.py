"""Heuristics and chance: the tags of a lexicon, a few rules that rule some of them out, then a random choice.

The rules look at the category of a tag, which is the tag itself (`DET`) or its first letter (`Da-ms-d`):

1. after a determiner, no verb and no adposition;
2. before a determiner, no determiner;
3. after a pronoun that can be a subject, no noun where a verb is possible;
4. an unknown word with a capital inside a sentence is a proper noun where that is possible.

A rule that would leave no tag is not applied. The choice is uniform, and the same for the same seed and text.

Source: «Heur+Rnd» in Adda et al. 1999, §5; the rules are ours.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Annotated

from aune.baselines import Baseline
from aune.baselines.tagging._lexicon import Lexicon, Training, by_frequency, learn_lexicon, retag_document
from aune.contract.options import Range
from aune.tasks.tagging.model import Document

DETERMINER, VERB, NOUN = {"D", "DET"}, {"V", "VERB", "AUX"}, {"N", "NOUN", "PROPN"}
ADPOSITION, PRONOUN, PROPER = {"S", "ADP"}, {"PRON"}, ("PROPN", "Np", "NPP")


def respond(
    documents: Sequence[Document], *, training: Training = "", seed: Annotated[int, "which draw", Range(0)] = 0
) -> list[Document]:
    """Every word with one tag.

    >>> from aune.tasks.tagging.model import documents as given
    >>> known = given([("la", "D"), ("porte", "N"), ("porte", "V")])
    >>> respond(given([("la", "_"), ("porte", "_")]), training=known)[0].columns["tag"].values()
    ['D', 'N']
    """
    lexicon = learn_lexicon(training)
    return [_tag_document(document, lexicon, seed) for document in documents]


def _tag_document(document: Document, lexicon: Lexicon, seed: int) -> Document:
    digest = hashlib.blake2b(f"{seed} {document.id}".encode(), digest_size=8).digest()
    rng = random.Random(int.from_bytes(digest))
    words = document.words.values()
    starts = set(document.sentences.tolist())
    possible = [by_frequency(lexicon.tags(word)) for word in words]
    tags: list[list[str]] = []
    for index, word in enumerate(words):
        before = tags[-1][0] if tags and index not in starts else ""
        following = possible[index + 1] if index + 1 < len(words) and index + 1 not in starts else []
        candidates = possible[index]
        if not lexicon.knows(word) and word[:1].isupper() and index not in starts:
            candidates = _filter_tags(candidates, lambda tag: tag.startswith(PROPER))
        candidates = _apply_rules(candidates, before, following)
        tags.append([rng.choice(candidates)])
    return retag_document(document, tags, range(len(tags)))


def _apply_rules(tags: list[str], before: str, following: Sequence[str]) -> list[str]:
    """The tags that the rules allow."""
    if category(before) in DETERMINER:
        tags = _filter_tags(tags, lambda tag: category(tag) not in VERB | ADPOSITION)
    if following and all(category(tag) in DETERMINER for tag in following):
        tags = _filter_tags(tags, lambda tag: category(tag) not in DETERMINER)
    if (category(before) in PRONOUN or before.startswith("Pp")) and any(category(tag) in VERB for tag in tags):
        tags = _filter_tags(tags, lambda tag: category(tag) not in NOUN)
    return tags


def _filter_tags(tags: list[str], fits: Callable[[str], bool]) -> list[str]:
    return [tag for tag in tags if fits(tag)] or tags


def category(tag: str) -> str:
    """The category of a tag: the whole tag in capitals, or the first letter of a positional one.

    >>> category("NOUN"), category("Ncms"), category("")
    ('NOUN', 'N', '')
    """
    return tag if tag.isupper() else tag[:1]


BASELINE = Baseline(respond)
