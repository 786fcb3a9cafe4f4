"""Edits of single items of a key, as data: a tag, a compound, an entity, a mention, an antecedent, a transcript.

    tagging    {"word": 12, "tags": "Ncms"}              {"compound": [3, 5], "tags": "Rgp"}     (null removes it)
    entities   {"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]}                                   (one may be left out)
    coref      {"mention": [3, 5], "with": [0, 1]}       with: null removes it, [] makes it a chain of its own
    anaphora   {"anaphor": "12", "antecedents": ["3"]}
    speech     {"text": "what was said"}                 {"utterance": "u3", "text": …} in a recording
               {"words": [3, 5], "text": "Monro Inc"}    replaces some words ([3, 3]: inserts before the word 3)
    all        {"edits": [edit, edit, …]}                one after the other

Positions are those of aune's documents: from 0, ends exclusive. An item in several pieces lists them at its end, as in
`[3, 9, "LOC", [[3, 5], [7, 9]]]` or `[3, 9, [[3, 5], [7, 9]]]`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import index
from typing import Any, TypeAlias

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging
from aune.tasks.tagging.python_inputs import cell

LONGEST_EDIT = 10_000  # characters of an edit
MOST_EDITS = 10_000  # edits in a list of edits
MAX_DEPTH = 100  # levels of nested entities
EXAMPLES = {
    "tagging": '{"word": 12, "tags": "Ncms"}',
    "entities": '{"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]}',
    "coref": '{"mention": [3, 5], "with": [0, 1]}',
    "anaphora": '{"anaphor": "12", "antecedents": ["3"]}',
    "speech": '{"text": "what was said"}',
}


def edit_documents(task: str, documents: Sequence[Any], document_id: str, edit: Mapping[str, Any]) -> list[Any]:
    """The documents with one item edited; raises UsageError if the edit or its item is invalid."""
    if document_id not in {document.id for document in documents}:
        raise UsageError(
            f"no document {document_id!r} in the key: expected one of "
            f"{first_few(document.id for document in documents)}"
        )
    try:
        return [
            _edit_document(task, document, edit) if document.id == document_id else document for document in documents
        ]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(
            f"document {document_id!r}: no such edit ({error}): expected such as {EXAMPLES[task]}"
        ) from None


MOST_LISTED = 5


def first_few(names: Iterable[str]) -> str:
    """The first few of some names, for a message.

    >>> first_few("abcdefg")
    'a, b, c, d, e …'
    """
    first = list(islice(names, MOST_LISTED + 1))
    return ", ".join(first[:MOST_LISTED]) + " …" * (len(first) > MOST_LISTED)


def _edit_document(task: str, document: Any, edit: Mapping[str, Any]) -> Any:
    if "edits" not in edit:
        return EDITORS[task](document, edit)
    _check_keys(edit, "edits")
    if not edit["edits"] or len(edit["edits"]) > MOST_EDITS:
        raise ValueError(f"expected from one to {MOST_EDITS:,} edits")
    for step in edit["edits"]:
        document = EDITORS[task](document, step)
    return document


def _check_keys(edit: Mapping[str, Any], *known: str) -> None:
    if unknown := set(edit) - set(known):
        raise ValueError(f"{min(unknown)!r} is not one of {', '.join(known)}")


def _edit_tags(document: tagging.Document, edit: Mapping[str, Any]) -> tagging.Document:
    if "compound" in edit:
        return _edit_compound(document, edit)
    _check_keys(edit, "word", "tags")
    word, tags = index(edit["word"]), cell(edit["tags"])
    if not 0 <= word < len(document):
        raise ValueError(f"there are words from 0 to {len(document) - 1}, not {word}")
    if any(sign in tags for sign in "\t\n\r ") or len(tags) > LONGEST_EDIT:
        raise ValueError("tags have no blanks")
    name = tagging.choose_column(document)
    values = document.column(name).values()
    values[word] = tags
    return replace(document, columns={**document.columns, name: tagging.Vocabulary().encode(values)})


def _edit_compound(document: tagging.Document, edit: Mapping[str, Any]) -> tagging.Document:
    _check_keys(edit, "compound", "tags")
    start, end = map(index, edit["compound"])
    if not 0 <= start < end <= len(document):
        raise ValueError(f"there are words from 0 to {len(document) - 1}")
    compounds = [compound for compound in document.compounds if not (compound.start < end and start < compound.end)]
    if edit["tags"] is not None:
        compounds.append(tagging.Compound(start, end, cell(edit["tags"])))
    elif len(compounds) == len(document.compounds):
        raise ValueError("there is no compound to remove")
    return replace(document, compounds=tuple(sorted(compounds)))


def _edit_spans(document: entities.Document, edit: Mapping[str, Any]) -> entities.Document:
    _check_keys(edit, "remove", "add")
    spans = [span._replace(line=0, column=1) for span in entities.spans_of(document)]
    numbers = list(range(len(spans)))
    if not edit.get("remove") and not edit.get("add"):
        raise ValueError("nothing to remove or add")
    added = _entity(document, edit["add"]) if edit.get("add") else None
    if edit.get("remove"):
        place = _find_span(spans, _entity(document, edit["remove"]))
        if added is None:
            del spans[place], numbers[place]
        else:  # what is corrected keeps its features and relations
            spans[place] = added._replace(features=spans[place].features, id=spans[place].id)
    elif added is not None:
        spans.append(added)
    relations = entities.renumber_relations(document.relations, {old: new for new, old in enumerate(numbers)})
    unchanged = {
        name: getattr(document, name)
        for name in ("unit", "sentences", "words", "text", "attributes", "typology", "referents", "path", "line")
    }
    return entities.make_document(document.id, spans, length=document.length, relations=relations, **unchanged)


def _find_span(spans: Sequence[entities.Span], removed: entities.Span) -> int:
    """The number of the entity that an edit removes: one of the same depth, if several have its place and label."""
    alike = [
        number for number, span in enumerate(spans) if span[:3] == removed[:3] and span.segments == removed.segments
    ]
    if not alike:
        raise ValueError(f"there is no entity {removed.start}–{removed.end} {removed.label}")
    return next((number for number in alike if spans[number].depth == removed.depth), alike[0])


def _entity(document: entities.Document, item: Sequence[Any]) -> entities.Span:
    """An entity from an edit: start, end, label, optionally its pieces, optionally its depth."""
    start, end, label = item[:3]
    pieces, depth = item[3] if len(item) > 3 else (), item[4] if len(item) > 4 else 0
    if not 0 <= index(start) < index(end) <= document.length or not isinstance(label, str) or not label.strip():
        raise ValueError(f"positions go from 0 to {document.length}, and a label is text")
    if not 0 <= index(depth) <= MAX_DEPTH:
        raise ValueError(f"depths go from 0 to {MAX_DEPTH}")
    return entities.Span(index(start), index(end), label, index(depth), _pieces(index(start), index(end), pieces))


def _pieces(start: int, end: int, pieces: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """The pieces of a discontinuous item, which must be in order, from its start to its end."""
    spans = tuple((index(first), index(last)) for first, last in pieces)
    edges = [place for piece in spans for place in piece]
    empty = any(first >= last for first, last in spans)
    if spans and (len(spans) < 2 or empty or edges != sorted(edges) or (edges[0], edges[-1]) != (start, end)):
        raise ValueError(f"pieces are several, in order, from {start} to {end}")
    return spans


Extent: TypeAlias = tuple[int, int, tuple[tuple[int, int], ...]]
"""The position of a mention: its start, its end, and its pieces if there are several."""


def _edit_chains(document: coref.Document, edit: Mapping[str, Any]) -> coref.Document:
    _check_keys(edit, "mention", "with")
    places = extents(document)
    place = _extent(edit["mention"])
    number = _mention_number(places, place)
    if edit["with"] is None and number is None:
        raise ValueError(f"there is no mention {place[0]}–{place[1]}")
    length = len(document.tokens) if document.tokens is not None else max((end for _, end, _ in places), default=0)
    if not 0 <= place[0] < place[1] or (document.positions is None and place[1] > length):
        raise ValueError(f"positions go from 0 to {length}")
    chains = _chain_names(document)
    chain: Hashable = None
    if edit["with"]:
        other = _mention_number(places, _extent(edit["with"]))
        if other is None:
            raise ValueError(f"there is no mention {edit['with'][0]}–{edit['with'][1]}")
        chain = chains[other]
    elif edit["with"] is not None:
        chain = next(name for name in map(str, range(len(chains) + 1)) if name not in chains)
    mentions = [
        _mention(document, position, chain if position == number else chains[position])
        for position in range(len(places))
    ]
    remaining = [position for position in range(len(places)) if mentions[position].chain is not None]
    moved = {old: new for new, old in enumerate(remaining)}
    relations = [
        relation._replace(source=moved[relation.source], target=moved[relation.target])
        for relation in document.relations
        if relation.source in moved and relation.target in moved
    ]
    new_mentions = [mentions[position] for position in remaining]
    if number is None:
        new_mentions.append(coref.Mention(place[0], place[1], chain, segments=place[2]))
    unchanged = ("tokens", "sentences", "positions", "unit", "attributes", "path", "line")
    return coref.make_document(
        document.id, new_mentions, relations=relations, **{name: getattr(document, name) for name in unchanged}
    )  # fmt: skip


def _chain_names(document: coref.Document) -> list[Hashable]:
    """The name of each mention's chain in its file, or the chain's number if names are missing or repeated."""
    numbers = document.chains.tolist()
    names = document.labels or ()
    return [names[number] for number in numbers] if len(set(names)) == document.chain_count else numbers


def extents(document: coref.Document) -> list[Extent]:
    """The positions of all mentions of a document."""
    return [
        (start, end, document.segments.get(number, ())) for number, (start, end) in enumerate(document.spans.tolist())
    ]


def _extent(item: Sequence[Any]) -> Extent:
    """The position of a mention from an edit."""
    start, end = item[:2]
    pieces = item[2] if len(item) > 2 else ()
    return index(start), index(end), _pieces(index(start), index(end), pieces)


def _mention_number(extents: Sequence[Extent], place: Extent) -> int | None:
    """The number of the mention at a position; None if there is none."""
    matches = [number for number, extent in enumerate(extents) if extent == place]
    if len(matches) > 1:
        raise ValueError(f"there are several mentions {place[0]}–{place[1]}")
    return matches[0] if matches else None


def _mention(document: coref.Document, number: int, chain: Hashable) -> coref.Mention:
    """A mention of a document, perhaps moved to another chain."""
    start, end = document.spans[number].tolist()
    return coref.Mention(
        start, end, chain,
        head=int(document.heads[number]) if document.heads is not None else -1,
        segments=document.segments.get(number, ()),
        minimum=tuple(document.minima[number].tolist()) if document.minima is not None else None,
        features={name: column[number] for name, column in document.features.items() if column[number]},
        dependencies=document.dependencies.get(number, frozenset()),
    )  # fmt: skip


def _edit_antecedents(document: anaphora.Document, edit: Mapping[str, Any]) -> anaphora.Document:
    _check_keys(edit, "anaphor", "antecedents")
    mention = anaphora.mention_name(str(edit["anaphor"]))
    if mention not in document.by_mention:
        raise ValueError(f"there is no anaphor {mention!r}: expected one of {first_few(document.by_mention)}")
    if not isinstance(edit["antecedents"], list):
        raise ValueError("antecedents are a list of mentions")
    chosen = tuple(anaphora.mention_name(str(antecedent)) for antecedent in edit["antecedents"])
    others = [anaphor for anaphor in document.anaphors if anaphor.mention != mention]
    anaphors = [*others, document.by_mention[mention]._replace(antecedents=chosen)]
    fields = ("kinds", "texts", "attributes", "passage", "offsets", "path", "line")
    unchanged = {name: getattr(document, name) for name in fields}
    return anaphora.make_document(document.id, anaphors, chains=_remaining_chains(document, mention), **unchanged)


def _remaining_chains(document: anaphora.Document, mention: str) -> list[list[str]]:
    """The chains without a mention; empty if the antecedents imply all chains."""
    implied = anaphora.make_document(document.id, document.anaphors)
    if sorted(map(sorted, implied.members.values())) == sorted(map(sorted, document.members.values())):
        return []
    groups = [[name for name in chain if name != mention] for chain in document.members.values()]
    return [group for group in groups if len(group) > 1]


def _edit_transcript(document: speech.Document, edit: Mapping[str, Any]) -> speech.Document:
    _check_keys(edit, "utterance", "text", "words")
    text = edit["text"]
    if not isinstance(text, str) or len(text) > LONGEST_EDIT or "\n" in text:
        raise ValueError("a transcript is one line of text")
    if isinstance(document, speech.Utterance):
        text = _replace_words(document, edit["words"], text) if "words" in edit else text
        return document._replace(text=" ".join(text.split()), tree=None, entities=(), times=None, confidences=None)
    name = edit.get("utterance")
    if name not in {utterance.id for utterance in document.utterances}:
        raise ValueError(
            f"there is no utterance {name!r}: expected one of "
            f"{first_few(utterance.id for utterance in document.utterances)}"
        )
    changed = [
        _edit_transcript(utterance, {**edit, "utterance": None}) if utterance.id == name else utterance
        for utterance in document.utterances
    ]
    return document._replace(
        utterances=tuple(utterance for utterance in changed if isinstance(utterance, speech.Utterance))
    )


def _replace_words(document: speech.Utterance, place: Sequence[int], text: str) -> str:
    """A transcript in which some words are replaced."""
    words = list(document.words)
    start, end = map(index, place)
    if not 0 <= start <= end <= len(words):
        raise ValueError(f"there are {len(words)} words")
    return " ".join([*words[:start], *text.split(), *words[end:]])


EDITORS: Mapping[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "tagging": _edit_tags,
    "entities": _edit_spans,
    "coref": _edit_chains,
    "anaphora": _edit_antecedents,
    "speech": _edit_transcript,
}


def rewrite_key(form: Format, source: Source, documents: Sequence[Any], /, **options: Any) -> bytes:
    """The file of a key with changed documents; if the format allows it, only the changed parts are written anew."""
    if form.splice is not None:
        return form.splice(source, documents, **options)
    if form.write is None:
        raise UsageError(f"a key in the format {form.name} cannot be edited: convert it to another format first")
    return "".join(form.write(documents)).encode()
