"""Agreement: the elementary resolver, which knows gender, number and the identity of heads, and nothing else.

Mentions are taken in order. A pronoun joins the chain of the nearest mention before it that agrees with it in gender
and number; any other mention joins that of the nearest mention before it with the same head that agrees with it
in gender and number. What is unknown agrees with everything. A mention that finds none begins a chain.

Source: Popescu-Belis 1999, §5.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.coref._grouping import Language, regroup_mentions
from aune.tasks.coref.mentions.lexicon import Traits
from aune.tasks.coref.mentions.traits import describe_mentions
from aune.tasks.coref.model import Document


def respond(documents: Sequence[Document], *, language: Language = "auto") -> list[Document]:
    """Mentions grouped by agreement and heads."""
    return [regroup_mentions(document, _groups(document, language)) for document in documents]


def _groups(document: Document, language: str) -> list[int]:
    words = describe_mentions(document, language)
    groups: list[int] = []
    latest: dict[Traits, int] = {}
    """For each gender and number, the last mention with them: a later pronoun considers no others."""
    with_head: defaultdict[str, dict[Traits, int]] = defaultdict(dict)
    """The same for each head; pronouns have no head here."""
    for index, (kind, head, traits) in enumerate(zip(words.kinds, words.heads, words.traits, strict=True)):
        pronoun = kind == "pronoun"
        earlier = latest if pronoun else with_head[head] if head else {}
        met = [other for known, other in earlier.items() if agree(traits, known)]
        groups.append(groups[max(met)] if met else index)
        latest[Traits(traits.gender, traits.number)] = index
        if not pronoun:
            with_head[head][Traits(traits.gender, traits.number)] = index
    return groups


def agree(first: Traits, second: Traits) -> bool:
    """Whether the known genders and numbers of two mentions are compatible."""
    compared = [(first.gender, second.gender), (first.number, second.number)]
    return all(not a or not b or a == b for a, b in compared)


BASELINE = Baseline(respond)
