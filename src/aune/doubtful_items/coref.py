"""The mentions of the key and of responses, and the chain of each mention.

The value of a mention is a chain of the key, named by another mention of it; or that it is alone, or no mention. A
system's chain is identified with the key's chain that shares most mentions with it, so that systems agree if they
assign a mention to the same chain of the key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from aune.corrections.document_diffs import Edit
from aune.doubtful_items.items import Adaptor, ContextWindow, Item
from aune.doubtful_items.maxent import cross_fit
from aune.tasks.coref.mentions.lexicon import language_of, lexicon
from aune.tasks.coref.model import Document, token_spans

Place: TypeAlias = tuple[int, int]
ALONE = "alone"
NO_MENTION = "no mention"
CANDIDATES = 12  # chains before a mention among which a model chooses
BLOCK = 25  # mentions that are judged by the same model


@dataclass(frozen=True)
class ChainView:
    """The chains of one document in the key or in a response, by the places of mentions."""

    document: Document

    @cached_property
    def chain_of(self) -> dict[Place, int]:
        places = map(_place, self.document.spans.tolist())
        return dict(zip(places, self.document.chains.tolist(), strict=True))

    @cached_property
    def members(self) -> dict[int, list[Place]]:
        members: defaultdict[int, list[Place]] = defaultdict(list)
        for place, chain in self.chain_of.items():
            members[chain].append(place)
        return members

    def value(self, place: Place) -> Hashable:
        """The chain of a mention, named by its first other mention."""
        if place not in self.chain_of:
            return NO_MENTION
        return self.representative(self.chain_of[place], place)

    def representative(self, chain: int, place: Place) -> Hashable:
        return next((other for other in self.members[chain] if other != place), ALONE)

    def value_in(self, key: ChainView, place: Place) -> Hashable:
        """The chain of the key that shares most mentions with this view's chain of a mention."""
        if place not in self.chain_of:
            return NO_MENTION
        others = [other for other in self.members[self.chain_of[place]] if other != place]
        chains = Counter(key.chain_of[other] for other in others if other in key.chain_of)
        if not chains:
            return ALONE
        best = min(chains, key=lambda chain: (-chains[chain], chain))
        return key.representative(best, place)


def _place(span: Sequence[int]) -> Place:
    start, end = span
    return start, end


def items(documents: Sequence[Document], comparisons: Mapping[str, Sequence[Any]]) -> list[Item]:
    """An item for every mention of the key or of a response."""
    originals = {document.id: document for document in documents}
    texts = []
    for parts in zip(*comparisons.values(), strict=True):
        for pairs in zip(*(part.pairs for part in parts), strict=True):
            others = {name: ChainView(pair[1]) for name, pair in zip(comparisons, pairs, strict=True)}
            texts.append(_Text(originals.get(pairs[0][0].id, pairs[0][0]), ChainView(pairs[0][0]), others))
    texts.sort(key=lambda text: text.original.id)
    likelihoods = _judge(texts)
    return [item for text in texts for item in text.items(likelihoods)]


@dataclass(frozen=True)
class _Text:
    """A document of the key, with the chains of all responses."""

    original: Document
    key: ChainView
    others: Mapping[str, ChainView]

    @cached_property
    def places(self) -> list[Place]:
        return sorted({place for view in (self.key, *self.others.values()) for place in view.chain_of})

    @cached_property
    def is_raw(self) -> bool:
        """Whether the places are positions of the original file."""
        return (self.original.positions is None) == (self.key.document.positions is None)

    @cached_property
    def words(self) -> dict[Place, str]:
        """The words of each mention; empty if the text is not known."""
        document = self.key.document
        if document.tokens is None:
            return {}
        spans = token_spans(document, self.places).tolist()  # type: ignore[arg-type]
        return {
            place: " ".join(document.tokens[start:end]) for place, (start, end) in zip(self.places, spans, strict=True)
        }

    @cached_property
    def tokens(self) -> dict[Place, Place]:
        return dict(zip(self.places, map(_place, token_spans(self.key.document, self.places).tolist()), strict=True))  # type: ignore[arg-type]

    @cached_property
    def pronouns(self) -> set[str]:
        tokens = list(self.key.document.tokens or ())
        return set(lexicon(language_of(tokens)).pronouns) if tokens else set()

    def is_pronoun(self, place: Place) -> bool:
        return self.words.get(place, "").lower() in self.pronouns

    @cached_property
    def by_string(self) -> dict[str, list[Place]]:
        strings: defaultdict[str, list[Place]] = defaultdict(list)
        for place in self.key.chain_of:
            if place in self.words and not self.is_pronoun(place):
                strings[self.words[place].lower()].append(place)
        return strings

    def variation(self, place: Place) -> float | None:
        """The share of mentions with the same words that are in another chain; None for pronouns."""
        if place not in self.words or self.is_pronoun(place):
            return None
        others = [other for other in self.by_string.get(self.words[place].lower(), ()) if other != place]
        chain = self.key.chain_of.get(place)
        different = sum(self.key.chain_of[other] != chain for other in others)
        return different / (len(others) + 1)

    def items(self, likelihoods: Mapping[tuple[str, Place], tuple[float, Hashable]]) -> Iterator[Item]:
        tokens = self.key.document.tokens
        window = ContextWindow(list(tokens or ()))
        for place in self.places:
            start, end = self.tokens[place]
            likelihood, likely = likelihoods.get((self.original.id, place), (None, None))
            yield Item(
                self.original.id, place, self.words.get(place, f"{place[0]}–{place[1]}"), self.key.value(place),
                {name: view.value_in(self.key, place) for name, view in self.others.items()},
                window.before(start), window.after(end), variation=self.variation(place),
                likelihood=likelihood, likely=likely, where=self,
            )  # fmt: skip


def _judge(texts: Sequence[_Text]) -> dict[tuple[str, Place], tuple[float, Hashable]]:
    """For each mention of the key, how likely its chain is among the chains before it, and the likeliest value."""
    candidates = [
        (text, place, chain, number // BLOCK)
        for text in texts
        if text.words
        for number, place in enumerate(sorted(text.key.chain_of))
        for chain in [*_chains_before(text, place), -1]
    ]
    if not candidates:
        return {}
    is_first = {(id(text), members[0]) for text in texts for members in map(sorted, text.key.members.values())}
    labels = [
        "yes" if (chain == -1 and (id(text), place) in is_first) or (chain == text.key.chain_of[place] and (
            (id(text), place) not in is_first)) else "no"
        for text, place, chain, _ in candidates
    ]  # fmt: skip
    groups: dict[tuple[str, int], int] = {}
    numbers = [groups.setdefault((text.original.id, block), len(groups)) for text, _, _, block in candidates]
    judged = cross_fit([_features(text, place, chain) for text, place, chain, _ in candidates], labels, numbers)
    if judged.classes != ["no", "yes"]:
        return {}
    by_mention: defaultdict[tuple[str, Place], list[tuple[float, int, bool, _Text]]] = defaultdict(list)
    for (text, place, chain, _), label, share in zip(candidates, labels, judged.matrix[:, 1].tolist(), strict=True):
        by_mention[text.original.id, place].append((share, chain, label == "yes", text))
    return {name: _decision(name[1], rows) for name, rows in by_mention.items()}


def _decision(place: Place, rows: Sequence[tuple[float, int, bool, _Text]]) -> tuple[float, Hashable]:
    """The key's share of the probabilities of all choices, and the value of the likeliest choice."""
    total = sum(share for share, *_ in rows)
    of_key = sum(share for share, _, is_key, _ in rows if is_key)
    _, chain, is_key, text = max(rows, key=lambda row: (row[0], row[1]))
    likely = text.key.value(place) if is_key else ALONE if chain == -1 else text.key.representative(chain, place)
    return of_key / total, likely


def _chains_before(text: _Text, place: Place) -> list[int]:
    """The chains with mentions before a place: the chain with the same words, and the nearest ones."""
    before = [other for other in sorted(text.key.chain_of) if other < place]
    same = [other for other in text.by_string.get(text.words[place].lower(), ()) if other < place]
    chains = dict.fromkeys(text.key.chain_of[other] for other in [*reversed(same[-1:]), *reversed(before[-60:])])
    return list(chains)[:CANDIDATES]


def _features(text: _Text, place: Place, chain: int) -> list[str]:
    kind = "pronoun" if text.is_pronoun(place) else "name" if text.words[place][:1].isupper() else "noun"
    low = text.words[place].lower()
    if chain == -1:
        is_known = any(other < place for other in text.by_string.get(low, ()))
        return ["new", f"new {kind}", f"new {kind} known={is_known}", f"new w={low.split(' ')[0]}"]
    before = [other for other in text.key.members[chain] if other < place]
    last = max(before)
    words = [text.words[other].lower() for other in before]
    rank = sum(last < other < place for other in text.key.chain_of)
    distance = next(limit for limit in (0, 1, 2, 4, 8, 16, 32, 10**9) if rank <= limit)
    last_kind = "pronoun" if text.is_pronoun(last) else "other"
    shared = any(set(low.split()) & set(word.split()) - {"the", "a", "of"} for word in words)
    return [
        f"{kind} d={distance}", f"{kind} {last_kind} d={distance}", f"{kind} same={low in words}",
        f"{kind} shared={shared}", f"{kind} head={any(word.split()[-1:] == low.split()[-1:] for word in words)}",
        f"{kind} size={min(len(before), 5)}", f"pair={low}|{words[-1]}" if kind == "pronoun" else kind,
        f"{kind} last-same={words[-1] == low}",
    ]  # fmt: skip


def edit(item: Item, value: Hashable) -> Edit | None:
    text: _Text = item.where
    if not text.is_raw or text.original.segments:
        return None
    with_: list[int] | None = (
        None if value == NO_MENTION else [] if value == ALONE else list(value)  # type: ignore[call-overload]
    )
    return {"mention": list(item.place), "with": with_}


def words(item: Item, value: Hashable) -> str:
    if isinstance(value, str):
        return value
    place: Place = value  # type: ignore[assignment]
    return f"with “{item.where.words.get(place, '')}” ({place[0]}–{place[1]})"


ADAPTOR = Adaptor(items, words, edit)
