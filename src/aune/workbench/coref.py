"""Convert documents with chains to texts and states, and back.

Mention number 12 of a document has the id `m12`, chain number 3 the id `c3`. In the other direction, a mention whose
extent did not change keeps all details of its file (positions, head, minimal extent, dependencies), found by its id.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from aune.errors import InputError, Problem
from aune.numeric.ranges import merge_ranges
from aune.tasks.coref.model import STEP, Document, make_document
from aune.tasks.coref.model import Mention as Expression
from aune.tasks.coref.model import Relation as Link
from aune.workbench.layout import (
    MOST_SHOWN,
    Layout,
    WrittenDocument,
    layout_from_gaps,
    layout_from_positions,
    layout_from_text,
    layout_from_words,
)
from aune.workbench.model import Chain, Mention, Part, Relation, State, Text, in_text_order
from aune.workbench.spacing import Follower

NUMBERED = re.compile(r"\D{0,2}\d+(?:-Pseudo)?")  # labels that files give to chains without a name
COPIED_FIELDS = ("tokens", "sentences", "positions", "unit", "attributes", "path", "line", "listed", "lost")


def layout(document: Document, follower: Follower | None = None) -> Layout:
    """The text of a document as it is displayed; numbers or names if the document has no text.

    The follower knows the characters between the words in the file.
    """
    sentences = list(document.sentences or ())
    length = int(document.spans.max(initial=0))
    if document.listed is not None and document.tokens is None:
        strings = [listed.string for listed in document.listed]
        return layout_from_words(strings, [], range(len(strings)), [False] * len(strings))
    if document.tokens is None:
        return _without_words(document, length)
    tokens = list(document.tokens)
    places = list(range(len(tokens))) if document.positions is None else document.positions.tolist()
    if document.unit == "character":
        return layout_from_positions(tokens, places, sentences, length)
    empty = [document.positions is not None and place % STEP != 0 for place in places]
    if document.gaps is not None:
        return layout_from_gaps(tokens, sentences, places, empty, document.gaps)
    words = ["" if node else token for token, node in zip(tokens, empty, strict=True)]
    return layout_from_words(tokens, sentences, places, empty, follower.gaps(words) if follower else ())


def _without_words(document: Document, length: int) -> Layout:
    """A text of which only positions or names are known."""
    if document.unit == "character" and length <= MOST_SHOWN:
        return layout_from_text("_" * length, [], [], [])
    if document.unit == "token" and length <= MOST_SHOWN:
        return layout_from_words([str(place) for place in range(length)], [], range(length), [False] * length)
    if (document.spans[:, 1] - document.spans[:, 0] > 1).any():
        problem = Problem.in_file(
            "text.missing",
            document.path or document.id,
            document.line,
            found=f"mentions up to position {length} without a text",
            expected=f"at most {MOST_SHOWN}",
            remedies=["add the text"],
        )
        raise InputError([problem])
    places, first = np.unique(document.spans[:, 0], return_index=True)
    names = document.features.get("name") or [""] * len(document)
    words = [names[index] or str(place) for index, place in zip(first.tolist(), places.tolist(), strict=True)]
    return layout_from_words(words, [], places.tolist(), [False] * len(places))


def bare(id: str, words: Sequence[str], text_layout: Layout) -> Document:
    """A document without mentions."""
    places = np.asarray(text_layout.starts, np.int64)
    return make_document(
        id, [], tokens=list(words), positions=places, sentences=list(text_layout.sentences), unit="character"
    )


def text(document: Document, text_layout: Layout) -> Text:
    return Text(
        id=document.id,
        characters=text_layout.characters,
        tokens=text_layout.tokens(),
        sentences=text_layout.first_tokens(),
        task="coref",
    )


def state(document: Document, text_layout: Layout) -> State:
    """The annotation of a document."""
    if document.listed is not None:
        return _listed_state(document, text_layout)
    chains = document.chains.tolist()
    columns = [(name, column) for name, column in document.features.items() if name != "name"]
    mentions = {}
    for number, spans in enumerate(_extents(document)):
        parts, order = text_layout.parts(spans)
        features = {name: column[number] for name, column in columns if column[number]}
        mentions[f"m{number}"] = Mention(parts=parts, order=order, chain=f"c{chains[number]}", features=features)
    names = document.labels or [""] * document.chain_count
    return State(
        mentions,
        {f"c{number}": Chain(name="" if NUMBERED.fullmatch(name) else name) for number, name in enumerate(names)},
        {f"r{number}": relation for number, relation in enumerate(_relations(document, chains))},
    )


def _listed_state(document: Document, text_layout: Layout) -> State:
    """Mentions that are given as strings: the text consists of these strings."""
    names = {
        name: f"c{number}" for number, name in enumerate(dict.fromkeys(item.chain for item in document.listed or ()))
    }
    words = zip(text_layout.starts, text_layout.ends, strict=True)
    return State(
        {
            f"m{number}": Mention(parts=(word,), chain=names[listed.chain])
            for number, (listed, word) in enumerate(zip(document.listed or (), words, strict=True))
        },
        {chain: Chain(name="" if NUMBERED.fullmatch(name) else name) for name, chain in names.items()},
    )


def _extents(document: Document) -> list[Sequence[Part]]:
    extents: list[Sequence[Part]] = [((start, end),) for start, end in document.spans.tolist()]
    for number, parts in document.segments.items():
        extents[number] = parts
    return extents


def _relations(document: Document, chains: Sequence[int]) -> Iterator[Relation]:
    """Consecutive links of one kind from one mention form one relation with several targets."""
    for (kind, source), links in groupby(document.relations, key=lambda link: (link.kind, link.source)):
        targets = [link.target for link in links]
        yield Relation(
            kind=kind,
            source=f"c{chains[source]}",
            targets=tuple(f"c{chains[target]}" for target in targets),
            via=(f"m{source}", *(f"m{target}" for target in targets)),
        )


def with_nodes(original: Document, text_layout: Layout, current: State) -> tuple[Document, Layout]:
    """The document and its layout, without mentions, with an empty node for every zero of a state.

    For formats that have empty nodes. Positions are then tokens of the text, whatever unit the document counted.
    """
    zeros = {(mention.start, mention.order) for mention in current.mentions.values() if mention.is_zero}
    words = [
        (
            text_layout.starts[word],
            1,
            text_layout.ends[word],
            text_layout.characters[text_layout.starts[word] : text_layout.ends[word]],
        )
        for word in text_layout.visible_words
    ]
    nodes = [(place, 0, order, "_") for place, order in sorted(zeros)]
    firsts = {text_layout.starts[first] for first in text_layout.sentences if first < len(text_layout.starts)}
    tokens, starts, ends, orders, places = [], [], [], [], []
    count = minor = 0
    for start, is_word, end_or_order, token in sorted([*words, *nodes]):
        count, minor = (count + 1, 0) if is_word else (count, minor + 1)
        tokens.append(token)
        starts.append(start)
        ends.append(end_or_order if is_word else start)
        orders.append(0 if is_word else end_or_order)
        places.append(count * STEP + minor)
    sentence_starts = sorted({bisect_left(starts, first) for first in firsts} - {len(starts)})
    rebuilt = make_document(
        original.id, [], tokens=tokens, sentences=sentence_starts, positions=np.asarray(places, np.int64),
        attributes=original.attributes, path=original.path, line=original.line,
    )  # fmt: skip
    return rebuilt, Layout(
        text_layout.characters, starts, ends, places, sentence_starts, has_blanks=text_layout.has_blanks, orders=orders
    )


def apply_state(original: Document, text_layout: Layout, current: State, grouped: bool = True) -> WrittenDocument:
    """The document with the annotation of a state; if `grouped` is false, every mention is a singleton."""
    before = state(original, text_layout)
    lost: Counter[str] = Counter()
    if original.has_alternatives:
        if grouped and current == before:
            return WrittenDocument(original, lost)
        lost["other right answers"] = (
            len(original.optional) + len(original.other_chains) + len(original.other_keys)
        )  # an edited annotation has only one answer
    expressions, names = [], []
    for name in _in_file_order(current):
        mention = current.mentions[name]
        number = int(name[1:]) if name in before.mentions else -1
        chain = mention.chain if grouped and mention.chain is not None else f"\0{name}"
        expression = _expression(original, text_layout, number, before.mentions.get(name), mention, chain, lost)
        if expression is not None:
            expressions.append(expression)
            names.append(name)
    lost["mentions not grouped yet"] = sum(mention.chain is None for mention in current.mentions.values())
    lost["notes"] = sum(bool(chain.notes) for chain in current.chains.values())
    lost["chain features"] = sum(len(chain.features) for chain in current.chains.values())
    links = list(_links(current, names, lost)) if grouped else []
    copied = {field: getattr(original, field) for field in COPIED_FIELDS}
    if original.listed is not None:
        copied |= {"listed": None, "tokens": [item.string for item in original.listed]}
    rebuilt = make_document(original.id, expressions, relations=links, **copied)
    if original.unit == "name":
        rebuilt = replace(rebuilt, features={**rebuilt.features, "name": _names(original, text_layout, rebuilt)})
    gaps = text_layout.gaps() if rebuilt.tokens is not None and len(rebuilt.tokens) == len(text_layout.starts) else None
    labels = _labels(original, current, rebuilt.labels or ())
    return WrittenDocument(replace(rebuilt, labels=labels, gaps=gaps), +lost)


def _in_file_order(current: State) -> list[str]:
    """Mentions of the file by their numbers, then the others in text order."""
    numbered = sorted((name for name in current.mentions if name[1:].isdecimal()), key=lambda name: int(name[1:]))
    others = {name: mention for name, mention in current.mentions.items() if not name[1:].isdecimal()}
    return numbered + in_text_order(others)


def _expression(
    document: Document,
    text_layout: Layout,
    number: int,
    before: Mention | None,
    mention: Mention,
    chain: str,
    lost: Counter[str],
) -> Expression | None:
    """A mention in the form of its document; None if it has no position there."""
    if (
        before is not None
        and (before.parts, before.order) == (mention.parts, mention.order)
        and document.listed is None
    ):
        start, end = document.spans[number].tolist()
        return Expression(
            start,
            end,
            chain,
            line=0 if document.lines is None else int(document.lines[number]),
            head=-1 if document.heads is None else int(document.heads[number]),
            segments=document.segments.get(number, ()),
            minimum=None if document.minima is None else tuple(document.minima[number].tolist()),
            features=mention.features,
            dependencies=document.dependencies.get(number, frozenset()),
        )
    spans: list[Part] = []
    for part in mention.parts:
        span = text_layout.span(*part, mention.order)
        if span is None:
            lost["zeros" if mention.is_zero else "mentions without a word"] += 1
            return None
        lost["extents inside words"] += not span[1]
        spans.append(span[0])
    pieces = merge_ranges(spans)
    start, end = pieces[0][0], pieces[-1][1]
    if document.unit == "name" and end - start > 1:
        lost["mentions over several names"] += 1
        return None
    head, least = _surviving_head(document, number, pieces)
    return Expression(
        start, end, chain,
        head=head, segments=pieces if len(pieces) > 1 else (), minimum=least, features=mention.features,
    )  # fmt: skip


def _surviving_head(document: Document, number: int, pieces: Sequence[Part]) -> tuple[int, Part | None]:
    """The head and the minimal extent of a mention whose extent changed, if they still lie inside it."""
    if number < 0 or document.listed is not None:
        return -1, None
    head = -1 if document.heads is None else int(document.heads[number])
    least = None if document.minima is None else tuple(document.minima[number].tolist())
    if not any(start <= head < end for start, end in pieces):
        head = -1
    if least == tuple(document.spans[number].tolist()) or not (
        least and pieces[0][0] <= least[0] < least[1] <= pieces[-1][1]
    ):
        least = None
    return head, least


def _links(current: State, names: Sequence[str], lost: Counter[str]) -> Iterator[Link]:
    """Relations as links between the mentions that they name, or between the first mentions of the chains."""
    numbers = {name: number for number, name in enumerate(names)}
    first: dict[str, str] = {}
    for name in in_text_order(current.mentions):
        chain = current.mentions[name].chain
        if chain is not None and name in numbers:
            first.setdefault(chain, name)

    def through(chain: str, via: str | None) -> str | None:
        return via if via in numbers and current.mentions[via].chain == chain else first.get(chain)

    for relation in current.relations.values():
        via = [*relation.via, *[None] * (1 + len(relation.targets) - len(relation.via))]
        source = through(relation.source, via[0])
        for chain, tie in zip(relation.targets, via[1:], strict=False):
            target = through(chain, tie)
            if source is None or target is None:
                lost["relations of chains without a mention"] += 1
            else:
                yield Link(relation.kind, numbers[source], numbers[target])


def _names(original: Document, text_layout: Layout, rebuilt: Document) -> list[str]:
    """The names of the mentions of a document that has names instead of positions."""
    names = dict(zip(original.spans[:, 0].tolist(), original.features.get("name", ()), strict=False))
    words = dict(zip(text_layout.places, zip(text_layout.starts, text_layout.ends, strict=True), strict=True))
    return [names.get(start, text_layout.characters[slice(*words[start])]) for start, _ in rebuilt.spans.tolist()]


def _labels(document: Document, current: State, chains: Sequence[str]) -> list[str]:
    """The label of each chain in a file: its name, its former label in the file, or an unused number."""
    labels = {f"c{number}": label for number, label in enumerate(document.labels or ())}
    taken = set(labels.values())
    numbers = (str(number) for number in range(1, len(chains) + len(taken) + 2))
    free = (number for number in numbers if number not in taken)
    called: list[str] = []
    used: Counter[str] = Counter()
    for chain in chains:
        name = current.chains[chain].name if chain in current.chains else ""
        label = name or labels.get(chain) or next(free)
        used[label] += 1
        called.append(label if used[label] == 1 else f"{label}-{used[label]}")
    return called
