"""Statistics of annotated texts: table 4 of the original paper with a column per text, and passages of a given size.

Source: Popescu-Belis 1999, table 4 (words, |E|, |P_K|, |E| / |P_K|, mentions by kind) and §6.2 (a passage LPG.eq of
about as many mentions as another text).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from aune.tasks.coref.describe import is_word
from aune.tasks.coref.mentions.lexicon import language_of
from aune.tasks.coref.mentions.traits import kinds_by_rule
from aune.workbench.documents import state_document
from aune.workbench.model import Mention, State, Text, in_text_order

UNANALYSED = "unanalysed"
SIZES = ("1", "2", "3", "4", "5–9", "10–19", "20–49", "50 and more")
SIZE_LIMITS = (1, 2, 3, 4, 5, 10, 20, 50)


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One column of table 4."""

    text: str
    words: int
    sentences: int
    mentions: int
    chains: int
    rate: float | None
    """|E| / |P_K|; None if there is no chain."""
    ungrouped: int
    """Mentions without a chain; each is counted as a singleton in `chains`."""
    zeros: int
    discontinuous: int
    kinds: dict[str, int]
    """The number of mentions of each kind; mentions of unknown kind are unanalysed."""
    sizes: dict[str, int]
    """The number of chains of each size."""
    labels: dict[str, int]
    """The number of entities with each label."""
    relations: dict[str, int]


def profile(text: Text, state: State, *, by_rule: bool = False) -> Profile:
    """The statistics of a text. `by_rule` guesses unannotated kinds from the words."""
    mentions = state.mentions.values()
    sizes = Counter(mention.chain for mention in mentions if mention.chain is not None)
    ungrouped = sum(mention.chain is None for mention in mentions) if text.task == "coref" else 0
    chains = len(sizes) + ungrouped
    counted = Counter(SIZES[bisect_right(SIZE_LIMITS, size) - 1] for size in [*sizes.values(), *[1] * ungrouped])
    return Profile(
        text=text.id,
        words=sum(is_word(text.characters[start:end]) for start, end in text.words()),
        sentences=len(text.sentences),
        mentions=len(state.mentions),
        chains=chains,
        rate=len(state.mentions) / chains if chains else None,
        ungrouped=ungrouped,
        zeros=sum(mention.is_zero for mention in mentions),
        discontinuous=sum(len(mention.parts) > 1 for mention in mentions),
        kinds=_kinds(text, state, by_rule) if text.task == "coref" else {},
        sizes={size: counted[size] for size in SIZES} if text.task == "coref" else {},
        labels=dict(Counter(mention.label for mention in mentions if mention.label).most_common()),
        relations=dict(Counter(relation.kind for relation in state.relations.values()).most_common()),
    )


def _kinds(text: Text, state: State, by_rule: bool) -> dict[str, int]:
    kinds = {name: mention.features.get("kind", "") for name, mention in state.mentions.items()}
    if by_rule and not all(kinds.values()):
        made = state_document(text, state)
        guessed = kinds_by_rule(made.document, language_of(made.document.tokens))
        kinds = {name: kinds[name] or kind for name, kind in zip(made.mentions, guessed, strict=True)}
    counted = Counter(kind or UNANALYSED for kind in kinds.values())
    usual = {kind: counted.pop(kind, 0) for kind in ("name", "noun", "pronoun")}
    last = counted.pop(UNANALYSED, 0)
    return {**usual, **dict(sorted(counted.items())), UNANALYSED: last}


def pooled_profile(profiles: Sequence[Profile]) -> Profile:
    """The statistics of a whole corpus, as one column."""

    def sum_counts(name: str) -> dict[str, int]:
        total: Counter[str] = Counter()
        for column in profiles:
            total.update(getattr(column, name))
        return dict(total)

    numbers = ("words", "sentences", "mentions", "chains", "ungrouped", "zeros", "discontinuous")
    sums = {name: sum(getattr(profile, name) for profile in profiles) for name in numbers}
    grouped = sum(profile.mentions for profile in profiles if profile.chains)  # entities have no chains
    return Profile(
        text="all",
        rate=grouped / sums["chains"] if sums["chains"] else None,
        kinds=sum_counts("kinds"),
        sizes=sum_counts("sizes"),
        labels=sum_counts("labels"),
        relations=sum_counts("relations"),
        **sums,
    )


class Passage(NamedTuple):
    """A range of whole sentences, in characters, and the number of mentions in it."""

    start: int
    end: int
    mentions: int


def passages(text: Text, state: State, mentions: int) -> list[Passage]:
    """Divide a text into passages of about `mentions` mentions, at sentence boundaries; the last one may be shorter.

    Each passage ends where its number of mentions is closest to `mentions`. A mention across a boundary is in neither.
    """
    starts = [text.tokens[2 * first] for first in text.sentences] or [0]
    ends = [*starts[1:], len(text.characters)]
    order = [state.mentions[name] for name in in_text_order(state.mentions)]
    first_places = [mention.start for mention in order]
    cut: list[Passage] = []
    begin = 0
    while begin < len(ends):
        counts = []
        for end in ends[begin:]:
            counts.append(_inside(order, first_places, starts[begin], end))
            if counts[-1] >= mentions:
                break
        best = min(range(len(counts)), key=lambda place: (abs(counts[place] - mentions), place))
        last = best if counts[-1] >= mentions else len(counts) - 1
        cut.append(Passage(starts[begin], ends[begin + last], counts[last]))
        begin += last + 1
    return cut


def _inside(order: Sequence[Mention], places: Sequence[int], start: int, end: int) -> int:
    near = order[bisect_left(places, start) : bisect_right(places, end)]
    return sum(mention.end <= end for mention in near)


def cut_out(text: Text, state: State, start: int, end: int, name: str = "") -> tuple[Text, State]:
    """A passage as a separate text, with the mentions inside it."""
    words = [number for number, (a, b) in enumerate(text.words()) if start <= a and b <= end]
    first = words[0] if words else 0
    sentences = {max(sentence - first, 0) for sentence in text.sentences if words and sentence <= words[-1]}
    passage = msgspec.structs.replace(
        text,
        id=name or f"{text.id} {start}–{end}",
        characters=text.characters[start:end],
        tokens=[place - start for number in words for place in text.tokens[2 * number : 2 * number + 2]],
        sentences=sorted(sentences),
    )
    mentions = {
        name: msgspec.structs.replace(mention, parts=tuple((a - start, b - start) for a, b in mention.parts))
        for name, mention in state.mentions.items()
        if start <= mention.start and mention.end <= end
    }
    used = {mention.chain for mention in mentions.values()}
    chains = {name: chain for name, chain in state.chains.items() if name in used}
    relations = {
        name: relation
        for name, relation in state.relations.items()
        if {relation.source, *relation.targets} <= chains.keys()
    }
    return passage, State(mentions, chains, relations)
