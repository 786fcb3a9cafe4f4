"""One item of a key, edited as data: a tag, a compound, an entity, a mention, an antecedent, a transcript.

    tagging    {"word": 12, "tags": "Ncms"}              {"compound": [3, 5], "tags": "Rgp"}     (null removes it)
    entities   {"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]}                                   (one may be left out)
    coref      {"mention": [3, 5], "with": [0, 1]}       with: null removes it, [] makes it a chain of its own
    anaphora   {"anaphor": "12", "antecedents": ["3"]}
    speech     {"text": "what was said"}                 {"utterance": "u3", "text": …} in a recording

Positions are those of aune's documents: from 0, ends exclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aune.core.corpus import Source
from aune.core.errors import UsageError
from aune.core.task import Format
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging
from aune.tasks.tagging.plain import cell

LONGEST = 10_000  # characters of an edit
EXAMPLES = {
    "tagging": '{"word": 12, "tags": "Ncms"}',
    "entities": '{"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]}',
    "coref": '{"mention": [3, 5], "with": [0, 1]}',
    "anaphora": '{"anaphor": "12", "antecedents": ["3"]}',
    "speech": '{"text": "what was said"}',
}


def edited(task: str, documents: Sequence[Any], document: str, edit: Mapping[str, Any]) -> list[Any]:
    """The documents with one item of one of them edited; a UsageError where there is no such item."""
    if document not in {one.id for one in documents}:
        raise UsageError(f"no document {document!r} in the key: expected one of its documents")
    try:
        return [EDITED[task](one, dict(edit)) if one.id == document else one for one in documents]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(f"document {document!r}: no such edit ({error}): expected such as {EXAMPLES[task]}") from None


def _check_keys(edit: Mapping[str, Any], *known: str) -> None:
    if unknown := set(edit) - set(known):
        raise ValueError(f"{min(unknown)!r} is not one of {', '.join(known)}")


def _tags(document: tagging.Document, edit: Mapping[str, Any]) -> tagging.Document:
    if "compound" in edit:
        return _compound(document, edit)
    _check_keys(edit, "word", "tags")
    word, tags = int(edit["word"]), cell(edit["tags"])
    if not 0 <= word < len(document):
        raise ValueError(f"there are words from 0 to {len(document) - 1}, not {word}")
    if any(sign in tags for sign in "\t\n\r ") or len(tags) > LONGEST:
        raise ValueError("tags have no blanks")
    name = tagging.chosen_column(document)
    values = document.column(name).values()
    values[word] = tags
    return replace(document, columns={**document.columns, name: tagging.Vocabulary().coded(values)})


def _compound(document: tagging.Document, edit: Mapping[str, Any]) -> tagging.Document:
    _check_keys(edit, "compound", "tags")
    start, end = map(int, edit["compound"])
    if not 0 <= start < end <= len(document):
        raise ValueError(f"there are words from 0 to {len(document) - 1}")
    kept = [one for one in document.compounds if not (one.start < end and start < one.end)]
    if edit["tags"] is not None:
        kept.append(tagging.Compound(start, end, cell(edit["tags"])))
    elif len(kept) == len(document.compounds):
        raise ValueError("there is no compound to remove")
    return replace(document, compounds=tuple(sorted(kept)))


def _spans(document: entities.Document, edit: Mapping[str, Any]) -> entities.Document:
    _check_keys(edit, "remove", "add")
    spans = list(_entity_spans(document))
    if edit.get("remove"):
        start, end, label = edit["remove"]
        gone = next((one for one in spans if one[:3] == (start, end, label)), None)
        if gone is None:
            raise ValueError(f"there is no entity {start}–{end} {label}")
        spans.remove(gone)
    if edit.get("add"):
        start, end, label = edit["add"]
        if not 0 <= int(start) < int(end) <= document.length or not isinstance(label, str) or not label.strip():
            raise ValueError(f"positions go from 0 to {document.length}, and a label is text")
        spans.append(entities.Span(int(start), int(end), label))
    if not edit.get("remove") and not edit.get("add"):
        raise ValueError("nothing to remove or add")
    rest = {
        name: getattr(document, name)
        for name in ("unit", "sentences", "words", "text", "attributes", "typology", "referents", "path", "line")
    }
    return entities.document(document.id, spans, length=document.length, **rest)


def _entity_spans(document: entities.Document) -> Iterator[entities.Span]:
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    for place, ((start, end, label), depth) in enumerate(zip(document.triples(), depths, strict=True)):
        yield entities.Span(start, end, label, depth, document.segments.get(place, ()))


def _chains(document: coref.Document, edit: Mapping[str, Any]) -> coref.Document:
    _check_keys(edit, "mention", "with")
    place = tuple(map(int, edit["mention"]))
    spans = [tuple(span) for span in document.spans.tolist()]
    if edit["with"] is None and place not in spans:
        raise ValueError(f"there is no mention {place[0]}–{place[1]}")
    length = len(document.tokens) if document.tokens is not None else max((end for _, end in spans), default=0)
    if len(place) != 2 or not 0 <= place[0] < place[1] or (document.positions is None and place[1] > length):
        raise ValueError(f"positions go from 0 to {length}")
    chains: dict[tuple[int, ...], Any] = dict(zip(spans, document.chains.tolist(), strict=True))
    if edit["with"] is None:
        chain = None
    elif not edit["with"]:
        chain = document.chain_count
    else:
        chain = chains[tuple(map(int, edit["with"]))]
    mentions = []
    known = {span: number for number, span in enumerate(spans)}
    for span, own in {**chains, place: chain}.items():
        if own is not None:
            mentions.append(_mention(document, known.get(span), span, own))
    kept = ("tokens", "sentences", "positions", "unit", "attributes", "path", "line")
    return coref.document(document.id, mentions, **{name: getattr(document, name) for name in kept})


def _mention(document: coref.Document, number: int | None, span: tuple[int, ...], chain: Any) -> coref.Mention:
    if number is None:
        return coref.Mention(span[0], span[1], chain)
    return coref.Mention(
        span[0], span[1], chain,
        head=int(document.heads[number]) if document.heads is not None else -1,
        segments=document.segments.get(number, ()),
        minimum=tuple(document.minima[number].tolist()) if document.minima is not None else None,
        features={name: column[number] for name, column in document.features.items() if column[number]},
        dependencies=document.dependencies.get(number, frozenset()),
    )  # fmt: skip


def _antecedents(document: anaphora.Document, edit: Mapping[str, Any]) -> anaphora.Document:
    _check_keys(edit, "anaphor", "antecedents")
    mention = anaphora.mention_name(str(edit["anaphor"]))
    if mention not in document.by_mention:
        raise ValueError(f"there is no anaphor {mention!r}")
    chosen = tuple(anaphora.mention_name(str(one)) for one in edit["antecedents"])
    others = [one for one in document.anaphors if one.mention != mention]
    anaphors = [*others, document.by_mention[mention]._replace(antecedents=chosen)]
    kept = ("kinds", "texts", "attributes", "passage", "offsets", "path", "line")
    rest = {name: getattr(document, name) for name in kept}
    groups = [[one for one in chain if one != mention] for chain in document.members.values()]
    return anaphora.document(document.id, anaphors, chains=[one for one in groups if len(one) > 1], **rest)


def _words(document: speech.Document, edit: Mapping[str, Any]) -> speech.Document:
    _check_keys(edit, "utterance", "text")
    text = edit["text"]
    if not isinstance(text, str) or len(text) > LONGEST or "\n" in text:
        raise ValueError("a transcript is one line of text")
    if isinstance(document, speech.Utterance):
        return document._replace(text=" ".join(text.split()), tree=None, entities=(), times=None, confidences=None)
    name = edit["utterance"]
    if name not in {one.id for one in document.utterances}:
        raise ValueError(f"there is no utterance {name!r}")
    changed = [_words(one, {"text": text}) if one.id == name else one for one in document.utterances]
    return document._replace(utterances=tuple(one for one in changed if isinstance(one, speech.Utterance)))


EDITED: Mapping[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "tagging": _tags,
    "entities": _spans,
    "coref": _chains,
    "anaphora": _antecedents,
    "speech": _words,
}


def rewritten(form: Format, source: Source, documents: Sequence[Any], /, **options: Any) -> bytes:
    """The file of a key with other documents in it: only what changed is written, where the format can do that."""
    if form.splice is not None:
        return form.splice(source, documents, **options)
    if form.write is None:
        raise UsageError(f"a key in the format {form.name} cannot be edited: convert it to another format first")
    return "".join(form.write(documents)).encode()
