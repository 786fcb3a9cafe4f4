"""Items of a key, edited as data: a tag, a compound, an entity, a mention, an antecedent, a transcript.

    tagging    {"word": 12, "tags": "Ncms"}              {"compound": [3, 5], "tags": "Rgp"}     (null removes it)
    entities   {"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]}                                   (one may be left out)
    coref      {"mention": [3, 5], "with": [0, 1]}       with: null removes it, [] makes it a chain of its own
    anaphora   {"anaphor": "12", "antecedents": ["3"]}
    speech     {"text": "what was said"}                 {"utterance": "u3", "text": …} in a recording
    all        {"edits": [edit, edit, …]}                one after the other

Positions are those of aune's documents: from 0, ends exclusive. What is in several pieces has them at its end, as
`[3, 9, "LOC", [[3, 5], [7, 9]]]` or `[3, 9, [[3, 5], [7, 9]]]`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import index
from typing import Any, TypeAlias

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
MOST = 10_000  # edits in one
DEEPEST = 100  # an entity in others
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
        raise UsageError(f"no document {document!r} in the key: expected one of {some(one.id for one in documents)}")
    try:
        return [_edited(task, one, edit) if one.id == document else one for one in documents]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(f"document {document!r}: no such edit ({error}): expected such as {EXAMPLES[task]}") from None


SHOWN = 5


def some(names: Iterable[str]) -> str:
    """The first of some names, for a message.

    >>> some("abcdefg")
    'a, b, c, d, e …'
    """
    first = list(islice(names, SHOWN + 1))
    return ", ".join(first[:SHOWN]) + " …" * (len(first) > SHOWN)


def _edited(task: str, document: Any, edit: Mapping[str, Any]) -> Any:
    if "edits" not in edit:
        return EDITED[task](document, edit)
    _check_keys(edit, "edits")
    if not edit["edits"] or len(edit["edits"]) > MOST:
        raise ValueError(f"expected from one to {MOST:,} edits")
    for step in edit["edits"]:
        document = EDITED[task](document, step)
    return document


def _check_keys(edit: Mapping[str, Any], *known: str) -> None:
    if unknown := set(edit) - set(known):
        raise ValueError(f"{min(unknown)!r} is not one of {', '.join(known)}")


def _tags(document: tagging.Document, edit: Mapping[str, Any]) -> tagging.Document:
    if "compound" in edit:
        return _compound(document, edit)
    _check_keys(edit, "word", "tags")
    word, tags = index(edit["word"]), cell(edit["tags"])
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
    start, end = map(index, edit["compound"])
    if not 0 <= start < end <= len(document):
        raise ValueError(f"there are words from 0 to {len(document) - 1}")
    kept = [compound for compound in document.compounds if not (compound.start < end and start < compound.end)]
    if edit["tags"] is not None:
        kept.append(tagging.Compound(start, end, cell(edit["tags"])))
    elif len(kept) == len(document.compounds):
        raise ValueError("there is no compound to remove")
    return replace(document, compounds=tuple(sorted(kept)))


def _spans(document: entities.Document, edit: Mapping[str, Any]) -> entities.Document:
    _check_keys(edit, "remove", "add")
    spans = list(_entity_spans(document))
    if not edit.get("remove") and not edit.get("add"):
        raise ValueError("nothing to remove or add")
    if edit.get("remove"):
        gone = _entity(document, edit["remove"])
        alike = [span for span in spans if span[:3] == gone[:3] and span.segments == gone.segments]
        if not alike:
            raise ValueError(f"there is no entity {gone.start}–{gone.end} {gone.label}")
        spans.remove(next((one for one in alike if one.depth == gone.depth), alike[0]))
    if edit.get("add"):
        spans.append(_entity(document, edit["add"]))
    rest = {
        name: getattr(document, name)
        for name in ("unit", "sentences", "words", "text", "attributes", "typology", "referents", "path", "line")
    }
    return entities.document(document.id, spans, length=document.length, **rest)


def _entity(document: entities.Document, item: Sequence[Any]) -> entities.Span:
    """An entity as an edit has it: start, end, label, then perhaps its pieces, then perhaps its depth."""
    start, end, label = item[:3]
    pieces, depth = item[3] if len(item) > 3 else (), item[4] if len(item) > 4 else 0
    if not 0 <= index(start) < index(end) <= document.length or not isinstance(label, str) or not label.strip():
        raise ValueError(f"positions go from 0 to {document.length}, and a label is text")
    if not 0 <= index(depth) <= DEEPEST:
        raise ValueError(f"depths go from 0 to {DEEPEST}")
    return entities.Span(index(start), index(end), label, index(depth), _pieces(index(start), index(end), pieces))


def _pieces(start: int, end: int, pieces: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """The pieces of something that is not in one: in order, from its start to its end."""
    found = tuple((index(first), index(last)) for first, last in pieces)
    edges = [place for piece in found for place in piece]
    empty = any(first >= last for first, last in found)
    if found and (len(found) < 2 or empty or edges != sorted(edges) or (edges[0], edges[-1]) != (start, end)):
        raise ValueError(f"pieces are several, in order, from {start} to {end}")
    return found


def _entity_spans(document: entities.Document) -> Iterator[entities.Span]:
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    for place, ((start, end, label), depth) in enumerate(zip(document.triples(), depths, strict=True)):
        yield entities.Span(start, end, label, depth, document.segments.get(place, ()))


Extent: TypeAlias = tuple[int, int, tuple[tuple[int, int], ...]]
"""Where a mention is: its start, its end, and its pieces where it has several."""


def _chains(document: coref.Document, edit: Mapping[str, Any]) -> coref.Document:
    _check_keys(edit, "mention", "with")
    places = extents(document)
    place = _extent(edit["mention"])
    number = _only(places, place)
    if edit["with"] is None and number is None:
        raise ValueError(f"there is no mention {place[0]}–{place[1]}")
    length = len(document.tokens) if document.tokens is not None else max((end for _, end, _ in places), default=0)
    if not 0 <= place[0] < place[1] or (document.positions is None and place[1] > length):
        raise ValueError(f"positions go from 0 to {length}")
    chains = _chain_names(document)
    chain: Hashable = None
    if edit["with"]:
        other = _only(places, _extent(edit["with"]))
        if other is None:
            raise ValueError(f"there is no mention {edit['with'][0]}–{edit['with'][1]}")
        chain = chains[other]
    elif edit["with"] is not None:
        chain = next(name for name in map(str, range(len(chains) + 1)) if name not in chains)
    mentions = [_mention(document, one, chain if one == number else chains[one]) for one in range(len(places))]
    kept = [one for one in range(len(places)) if mentions[one].chain is not None]
    moved = {old: new for new, old in enumerate(kept)}
    relations = [
        relation._replace(source=moved[relation.source], target=moved[relation.target])
        for relation in document.relations
        if relation.source in moved and relation.target in moved
    ]
    made = [mentions[one] for one in kept]
    if number is None:
        made.append(coref.Mention(place[0], place[1], chain, segments=place[2]))
    rest = ("tokens", "sentences", "positions", "unit", "attributes", "path", "line")
    return coref.document(
        document.id, made, relations=relations, **{name: getattr(document, name) for name in rest}
    )  # fmt: skip


def _chain_names(document: coref.Document) -> list[Hashable]:
    """The chain of each mention, by the name that its file gives it."""
    numbers = document.chains.tolist()
    names = document.labels or ()
    return [names[number] for number in numbers] if len(set(names)) == document.chain_count else numbers


def extents(document: coref.Document) -> list[Extent]:
    """Where each mention of a document is."""
    return [(start, end, document.segments.get(one, ())) for one, (start, end) in enumerate(document.spans.tolist())]


def _extent(item: Sequence[Any]) -> Extent:
    """Where a mention is, as an edit has it."""
    start, end = item[:2]
    pieces = item[2] if len(item) > 2 else ()
    return index(start), index(end), _pieces(index(start), index(end), pieces)


def _only(extents: Sequence[Extent], place: Extent) -> int | None:
    """The number of the mention at a place; None where there is none."""
    there = [number for number, extent in enumerate(extents) if extent == place]
    if len(there) > 1:
        raise ValueError(f"there are several mentions {place[0]}–{place[1]}")
    return there[0] if there else None


def _mention(document: coref.Document, number: int, chain: Hashable) -> coref.Mention:
    """A mention of a document, in another chain perhaps."""
    start, end = document.spans[number].tolist()
    return coref.Mention(
        start, end, chain,
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
        raise ValueError(f"there is no anaphor {mention!r}: expected one of {some(document.by_mention)}")
    if not isinstance(edit["antecedents"], list):
        raise ValueError("antecedents are a list of mentions")
    chosen = tuple(anaphora.mention_name(str(one)) for one in edit["antecedents"])
    others = [anaphor for anaphor in document.anaphors if anaphor.mention != mention]
    anaphors = [*others, document.by_mention[mention]._replace(antecedents=chosen)]
    kept = ("kinds", "texts", "attributes", "passage", "offsets", "path", "line")
    rest = {name: getattr(document, name) for name in kept}
    return anaphora.document(document.id, anaphors, chains=_declared(document, mention), **rest)


def _declared(document: anaphora.Document, mention: str) -> list[list[str]]:
    """The chains that stay without a mention: none where they say no more than the antecedents do."""
    implied = anaphora.document(document.id, document.anaphors)
    if sorted(map(sorted, implied.members.values())) == sorted(map(sorted, document.members.values())):
        return []
    groups = [[one for one in chain if one != mention] for chain in document.members.values()]
    return [group for group in groups if len(group) > 1]


def _words(document: speech.Document, edit: Mapping[str, Any]) -> speech.Document:
    _check_keys(edit, "utterance", "text")
    text = edit["text"]
    if not isinstance(text, str) or len(text) > LONGEST or "\n" in text:
        raise ValueError("a transcript is one line of text")
    if isinstance(document, speech.Utterance):
        return document._replace(text=" ".join(text.split()), tree=None, entities=(), times=None, confidences=None)
    name = edit.get("utterance")
    if name not in {one.id for one in document.utterances}:
        raise ValueError(
            f"there is no utterance {name!r}: expected one of {some(one.id for one in document.utterances)}"
        )
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
