"""Convert documents with anaphors to texts and states, and back.

A pronoun is a mention with the label `pronoun`. A relation `antecedent` leads from it to its antecedents, any of which
is a correct answer. A pronoun without an antecedent has the label `none` or `expletive`; the other mentions serve as
antecedents. Files name mentions by their tokens, counted from 0 (`7`, `3-5`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aune.errors import InputError, Problem
from aune.tasks.anaphora.model import PLACE, Anaphor, Document, make_document, span_name
from aune.workbench.layout import WORD, Layout, WrittenDocument, layout_from_text
from aune.workbench.model import Mention, Part, Relation, State, Text, in_text_order, mention_text
from aune.workbench.spacing import Follower

PRONOUN, NONE, EXPLETIVE, ANTECEDENT = "pronoun", "none", "expletive", "antecedent"
LABELS = {
    PRONOUN: "refers to an antecedent",
    NONE: "refers, but to nothing in the text",
    EXPLETIVE: "refers to nothing: it rains",
    ANTECEDENT: "what a pronoun refers to",
}
"""The labels of mentions, with their meanings."""
ANAPHORS = (PRONOUN, NONE, EXPLETIVE)
ANAPHORICITY = "anaphoricity"
"""The attribute in which files state why a pronoun has no antecedent."""


def layout(document: Document, follower: Follower | None = None) -> Layout:
    """The text of a document as it is displayed; refused if the file does not contain the text."""
    if not document.passage:
        problem = Problem.in_file(
            "text.missing",
            document.path or document.id,
            document.line,
            found="anaphors without their text",
            expected="the text they are in",
            remedies=["open the text, and import this file on its page"],
        )
        raise InputError([problem])
    words = list(WORD.finditer(document.passage))
    return layout_from_text(document.passage, [word.start() for word in words], [word.end() for word in words], [0])


def bare(id: str, text_layout: Layout) -> Document:
    """A document without anaphors."""
    return make_document(id, [], passage=text_layout.characters)


def text(document: Document, text_layout: Layout) -> Text:
    return Text(
        id=document.id,
        characters=text_layout.characters,
        tokens=text_layout.tokens(),
        sentences=text_layout.first_tokens(),
        task="anaphora",
    )


def state(document: Document, text_layout: Layout) -> State:
    """The annotation of a document; mentions without a position in the text are left out."""
    extents = _extents(document, text_layout)
    labels = {name: ANTECEDENT for anaphor in document.anaphors for name in anaphor.antecedents}
    labels |= {name: ANTECEDENT for anaphor in document.anaphors for name, *_ in anaphor.candidates}
    labels |= {anaphor.mention: _label(anaphor) for anaphor in document.anaphors}
    names = sorted((name for name in labels if name in extents), key=lambda name: (extents[name], name))
    ids = {name: f"m{number}" for number, name in enumerate(names)}
    features = {
        anaphor.mention: {name: value for name, value in anaphor.attributes.items() if name != ANAPHORICITY}
        for anaphor in document.anaphors
    }
    mentions = {
        ids[name]: Mention(parts=(extents[name],), label=labels[name], features=features.get(name, {}))
        for name in names
    }
    relations: dict[str, Relation] = {}
    for anaphor in document.anaphors:
        targets = tuple(ids[name] for name in anaphor.antecedents if name in ids)
        if targets and anaphor.mention in ids:
            relations[f"r{len(relations)}"] = Relation(kind=ANTECEDENT, source=ids[anaphor.mention], targets=targets)
    return State(mentions, {}, relations)


def _label(anaphor: Anaphor) -> str:
    if anaphor.antecedents:
        return PRONOUN
    return EXPLETIVE if anaphor.attributes.get(ANAPHORICITY) == EXPLETIVE else NONE


def _extents(document: Document, text_layout: Layout) -> dict[str, Part]:
    """The extents of the mentions of a document, from its character offsets or from token numbers."""
    names = {anaphor.mention: None for anaphor in document.anaphors}
    names |= {name: None for anaphor in document.anaphors for name in anaphor.antecedents}
    names |= {candidate.mention: None for anaphor in document.anaphors for candidate in anaphor.candidates}
    extents = {}
    for name in names:
        if name in document.offsets:
            start = document.offsets[name]
            extent = start, start + len(document.texts.get(name, ""))
            fits = extent[0] < extent[1] <= len(text_layout.characters)
        elif place := PLACE.fullmatch(name):
            first, last = int(place[1]), int(place[2] or place[1])
            fits = first <= last < len(text_layout.visible_words)
            words = text_layout.visible_words[first : last + 1]
            extent = (text_layout.starts[words[0]], text_layout.ends[words[-1]]) if fits else (0, 0)
        else:
            continue
        if fits:
            extents[name] = extent
    return extents


class Resolution(NamedTuple):
    """A pronoun, and the mentions that it refers to."""

    pronoun: str
    antecedents: tuple[str, ...]


def resolutions(current: State) -> list[Resolution]:
    """The pronouns of a state with their antecedents, in text order."""
    targets: dict[str, dict[str, None]] = {}
    for relation in current.relations.values():
        if relation.kind == ANTECEDENT:
            targets.setdefault(relation.source, {}).update(dict.fromkeys(relation.targets))
    order = {name: place for place, name in enumerate(in_text_order(current.mentions))}
    return [
        Resolution(name, tuple(sorted(targets.get(name, ()), key=order.__getitem__)))
        for name in order
        if current.mentions[name].label in ANAPHORS
    ]


def apply_state(original: Document, text_layout: Layout, current: State, grouped: bool = True) -> WrittenDocument:
    """The document with the annotation of a state; if `grouped` is false, pronouns have no antecedents."""
    lost: Counter[str] = Counter()
    known = {extent: name for name, extent in _extents(original, text_layout).items()}
    names: dict[str, str] = {}
    for id, mention in current.mentions.items():
        name = _name(text_layout, mention, known, lost)
        if name is not None:
            names[id] = name
    resolved = resolutions(current)
    used = {name for resolution in resolved for name in (resolution.pronoun, *resolution.antecedents)}
    lost["mentions that no pronoun refers to"] = len(current.mentions.keys() - used)
    lost["relations of other kinds"] = sum(relation.kind != ANTECEDENT for relation in current.relations.values())
    anaphors = []
    for resolution in resolved:
        mention = current.mentions[resolution.pronoun]
        antecedents = tuple(names[id] for id in resolution.antecedents if id in names) if grouped else ()
        lost["pronouns without an answer yet"] += mention.label == PRONOUN and not resolution.antecedents
        if resolution.pronoun in names:
            anaphors.append(_anaphor(original, names[resolution.pronoun], mention, antecedents))
    text = Text(id=original.id, characters=text_layout.characters)
    texts = {names[id]: mention_text(text, current.mentions[id]) for id in used if id in names} | dict(original.texts)
    kinds = {names[resolution.pronoun]: "pronoun" for resolution in resolved if resolution.pronoun in names}
    kinds = dict(original.kinds) if original.offsets else kinds  # a line of GAP states the kinds by its columns
    document = make_document(
        original.id, anaphors, kinds=kinds, texts=texts, attributes=original.attributes, passage=original.passage,
        offsets=original.offsets, path=original.path, line=original.line,
    )  # fmt: skip
    return WrittenDocument(document, +lost)


def _anaphor(original: Document, name: str, mention: Mention, antecedents: Sequence[str]) -> Anaphor:
    """An anaphor with its features as attributes; the candidates come from the file."""
    why = {ANAPHORICITY: mention.label} if mention.label in (NONE, EXPLETIVE) and not antecedents else {}
    before = original.by_mention.get(name)
    return Anaphor(name, tuple(antecedents), before.candidates if before else (), {**mention.features, **why})


def _name(text_layout: Layout, mention: Mention, known: Mapping[Part, str], lost: Counter[str]) -> str | None:
    """The name of a mention in the file, or its token numbers; None if it contains no word."""
    if len(mention.parts) == 1 and (name := known.get(mention.parts[0])) is not None:
        return name
    span = text_layout.token_span(mention.start, mention.end)
    if span is None:
        lost["mentions without a word"] += 1
        return None
    first, last = text_layout.visible_words[span[0]], text_layout.visible_words[span[1] - 1]
    exact = text_layout.starts[first] == mention.start and text_layout.ends[last] == mention.end
    lost["extents inside words"] += not exact
    lost["discontinuous mentions"] += len(mention.parts) > 1
    return span_name(*span)


def anaphora_document(text: Text, current: State) -> Document:
    """The pronouns of a state as a document whose mentions are named by token numbers."""
    text_layout = Layout(text.characters, text.tokens[::2], text.tokens[1::2], text.tokens[::2])
    document: Document = apply_state(make_document(text.id, []), text_layout, current).document
    return document
