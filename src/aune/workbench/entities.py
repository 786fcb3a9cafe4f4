"""Convert documents with labelled spans to texts and states, and back: span 12 of a document has the id `m12`.

Features of spans are features of mentions, and relations between spans are relations between mentions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

from aune.errors import InputError, Problem
from aune.tasks.entities.model import Document, Features, Span, make_document, spans_of
from aune.tasks.entities.model import Relation as EntityRelation
from aune.workbench.documents import entity_relations
from aune.workbench.layout import MOST_SHOWN, WORD, Layout, WrittenDocument, layout_from_text, layout_from_words
from aune.workbench.model import Mention, Relation, State, Text, in_text_order
from aune.workbench.spacing import Follower

COPIED_FIELDS = ("length", "unit", "sentences", "words", "text", "attributes", "typology", "path", "line", "other_keys")


def layout(document: Document, follower: Follower | None = None) -> Layout:
    """The displayed text of a document; numbers if it has none, the strings if its entities are a list of strings."""
    if document.listed is not None and document.text is None and document.tokens is None:
        strings = [listed.string for listed in document.listed]
        return layout_from_words(strings, [], range(len(strings)), [False] * len(strings))
    if document.unit == "character" and document.text is not None:
        return _layout_from_characters(document.text, document)
    if document.tokens is not None:
        sentences = [] if document.sentences is None else document.sentences.tolist()
        words = list(document.tokens)
        gaps = follower.gaps(words) if follower else ()
        return layout_from_words(words, sentences, range(len(words)), [False] * len(words), gaps)
    if document.length > MOST_SHOWN:
        problem = Problem.in_file(
            "text.missing",
            document.path or document.id,
            document.line,
            found=f"entities up to position {document.length} without a text",
            expected=f"at most {MOST_SHOWN}",
            remedies=["add the text"],
        )
        raise InputError([problem])
    if document.unit == "character":
        return layout_from_text("_" * document.length, [], [], [])
    return layout_from_words(
        [str(place) for place in range(document.length)], [], range(document.length), [False] * document.length
    )


def _layout_from_characters(characters: str, document: Document) -> Layout:
    words = list(WORD.finditer(characters))
    starts = [word.start() for word in words]
    breaks = [] if document.sentences is None else document.sentences.tolist()
    firsts = {bisect_left(starts, place) for place in breaks} - {len(words)}
    return layout_from_text(characters, starts, [word.end() for word in words], sorted(firsts))


def bare(id: str, text_layout: Layout, typology: str = "") -> Document:
    """A document without entities."""
    return make_document(
        id, [], length=len(text_layout.characters), unit="character", text=text_layout.characters, typology=typology
    )


def text(document: Document, text_layout: Layout) -> Text:
    return Text(
        id=document.id,
        characters=text_layout.characters,
        tokens=text_layout.tokens(),
        sentences=text_layout.first_tokens(),
        task="entities",
        typology=str(document.typology),  # the value of an option carries more than its name, which JSON cannot encode
    )


def state(document: Document, text_layout: Layout) -> State:
    """The annotation of a document."""
    if document.listed is not None and not len(document):
        words = zip(text_layout.starts, text_layout.ends, strict=True)
        return State({
            f"m{number}": Mention(parts=(word,), label=listed.label)
            for number, (listed, word) in enumerate(zip(document.listed, words, strict=False))
        })  # fmt: skip
    mentions = {}
    for number, (start, end, label) in enumerate(document.triples()):
        parts, order = text_layout.parts(document.segments.get(number, ((start, end),)))
        features = _joined_features(document.features.get(number, ()))
        mentions[f"m{number}"] = Mention(parts=parts, order=order, label=label, features=features)
    relations = {
        f"r{number}": Relation(kind=relation.kind, source=f"m{relation.source}", targets=(f"m{relation.target}",))
        for number, relation in enumerate(document.relations)
    }
    return State(mentions, relations=relations)


def _joined_features(features: Features) -> dict[str, str]:
    """Features by name; several values of one name are joined, since a mention has one value of each feature."""
    joined: dict[str, str] = {}
    for name, value in features:
        joined[name] = f"{joined[name]}; {value}" if name in joined else value
    return joined


def apply_state(original: Document, text_layout: Layout, current: State, grouped: bool = True) -> WrittenDocument:
    """The document with the annotation of a state; entities are never grouped, so `grouped` has no effect."""
    before = state(original, text_layout)
    lost: Counter[str] = Counter()
    old_spans = {} if original.listed is not None else {f"m{n}": span for n, span in enumerate(spans_of(original))}
    spans: list[Span] = []
    numbers: dict[str, int] = {}
    for name in in_text_order(current.mentions):
        mention, old = current.mentions[name], before.mentions.get(name)
        if old is not None and (old.parts, old.label) == (mention.parts, mention.label) and name in old_spans:
            span = old_spans[name]
        elif places := _positions(text_layout, mention, lost):
            parts = tuple(places) if len(places) > 1 else ()
            depth = 0 if original.depths is None else _depth(current, name)
            span = Span(places[0][0], places[-1][1], mention.label, depth, parts)
            span = span._replace(id=old_spans[name].id) if name in old_spans else span
        else:
            continue
        is_same = name in old_spans and _joined_features(old_spans[name].features) == mention.features
        features = old_spans[name].features if is_same else tuple(sorted(mention.features.items()))
        numbers[name] = len(spans)
        spans.append(span._replace(features=features))
    relations = _relations(original, current, numbers)
    lost["relations"] += sum(len(relation.targets) for relation in current.relations.values()) - len(relations)
    copied = {field: getattr(original, field) for field in COPIED_FIELDS}
    if original.listed is not None and original.tokens is None:
        strings = [listed.string for listed in original.listed]
        copied |= {"words": strings.copy, "length": len(strings)}
    return WrittenDocument(make_document(original.id, spans, relations=relations, **copied), +lost)


def _relations(original: Document, current: State, numbers: Mapping[str, int]) -> list[EntityRelation]:
    """The relations of a state between the mentions that have a number; those of the file keep their features."""
    names = {number: name for name, number in numbers.items()}
    old_features = {
        (relation.kind, f"m{relation.source}", f"m{relation.target}"): relation.features
        for relation in original.relations
    }
    return [
        relation._replace(
            features=old_features.get((relation.kind, names[relation.source], names[relation.target]), ())
        )
        for relation in entity_relations(current, numbers)
    ]


def _positions(text_layout: Layout, mention: Mention, lost: Counter[str]) -> list[tuple[int, int]]:
    """The positions of the parts of a mention; empty if it has no position in the document."""
    positions: list[tuple[int, int]] = []
    for start, end in mention.parts:
        span = text_layout.span(start, end) if start < end else None
        if span is None:
            lost["entities without a word"] += 1
            return []
        lost["extents inside words"] += not span[1]
        if not positions or positions[-1] != span[0]:
            positions.append(span[0])
    return positions


def _depth(current: State, name: str) -> int:
    """The number of mentions around a mention: longer ones, and those of equal extent with a smaller id."""
    mention = current.mentions[name]
    return sum(
        candidate.start <= mention.start
        and mention.end <= candidate.end
        and ((candidate.start, candidate.end) != (mention.start, mention.end) or other < name)
        for other, candidate in current.mentions.items()
        if other != name
    )


def labels(typology_labels: Sequence[str], current: State) -> list[str]:
    """The labels to choose from: those of the typology, then those used in the text, the most frequent first."""
    used = Counter(mention.label for mention in current.mentions.values())
    return list(dict.fromkeys([*typology_labels, *(label for label, _ in used.most_common())]))
