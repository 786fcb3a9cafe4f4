"""Inline tags as in the QUAERO and ETAPE corpora: XML-like, with dots in the names.

    La <pers.coll> <kind> diaspora </kind> <demonym> argentine </demonym> </pers.coll> s'est réunie à
    <loc.adm.town> <name> Paris </name> </loc.adm.town> .

Every tag is an entity or a component; which is which says the typology (`quaero` unless `--typology` names another).
Tags must nest. Attributes are ignored, `<doc id="NAME">` begins a document, and lines are sentences. The text is cut
into words and single signs, blanks do not count, so that key and response may be spaced differently around tags.

Carries sentences and nesting; tokens such as `can't` come back as several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.markup import Tag
from aune.tasks.entities.formats._inline import NAME, TOKEN, InlineText, TagPair, inline_texts, splice_tags
from aune.tasks.entities.formats._splicing import splice_file
from aune.tasks.entities.formats._writing import refuse, sentence_starts, tokens_of
from aune.tasks.entities.model import Document
from aune.typologies.typology import TypologyName

DOCUMENT = ("doc", "document")
SIGN = re.compile(
    r"<(?:pers|func|org|loc|prod|time|amount|event|name|kind)(?:\.[\w-]+)*(?:\s[^<>]*)?>|<[a-z]+\.[\w.-]+>"
)


def read(source: Source, *, typology: TypologyName = "quaero") -> Iterator[Document]:
    for text in _texts(source):
        yield text.document(source, typology=typology)


def _texts(source: Source) -> list[InlineText]:
    return inline_texts(source, _begins, _label, source.stem)


def _begins(tag: Tag) -> str | None:
    if tag.name.lower() not in DOCUMENT:
        return None
    return tag.attributes.get("id", tag.attributes.get("docid", str(tag.line)))


def _label(tag: Tag) -> str | None:
    return None if tag.name.lower() in DOCUMENT else tag.name


def sniff(head: str) -> bool:
    return SIGN.search(head) is not None and "<ENAMEX" not in head and not head.lstrip().startswith(("<?xml", "{", "["))


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Tags with blanks around them, a line per sentence."""
    for document in documents:
        if re.search(r'["<>\n]', document.id) or document.id != document.id.strip():
            refuse("quaero", f"the name {document.id!r}, which must stand in a tag", document)
        yield f'<doc id="{document.id}">\n'
        tokens = tokens_of(document, "quaero")
        breaks = sentence_starts(document)
        opening: dict[int, list[str]] = {}
        closing: dict[int, list[str]] = {}
        around: list[int] = []  # the ends of the entities that are open
        for start, end, label in document.triples():
            around = [other for other in around if other > start]
            if around and around[-1] < end:
                refuse("quaero", f"the entity {label!r} that crosses another", document)
            around.append(end)
            if not _is_tag(label):
                refuse("quaero", f"the label {label!r}, which is no name of a tag", document)
            opening.setdefault(start, []).append(f"<{label}>")
            closing.setdefault(end, []).insert(0, f"</{label}>")
        for place in range(document.length + 1):
            token = tokens[place : place + 1]
            if token and ("<" in token[0] or not TOKEN.search(token[0])):
                refuse("quaero", f"the token {token[0]!r}, which is no word there", document)
            pieces = [*closing.get(place, []), *(["\n"] if place in breaks else []), *opening.get(place, [])]
            yield " ".join([*pieces, *token, ""])
        yield "\n</doc>\n"


def _is_tag(label: str) -> bool:
    return re.fullmatch(NAME, label) is not None and label.lower() not in DOCUMENT


def splice(source: Source, documents: Sequence[Document], *, typology: TypologyName = "quaero") -> bytes:
    """The file with other entities: only their tags change."""

    def tagging(label: str) -> TagPair:
        if not _is_tag(label):
            raise UsageError(f"quaero cannot represent the label {label!r}, which is no name of a tag")
        return TagPair(f"<{label}>", f"</{label}>")

    return splice_file(
        source,
        documents,
        partial(read, typology=typology),
        lambda pairs, _: splice_tags(source, _texts(source), pairs, tagging),
    )


CARRIES = frozenset({"sentences", "nesting"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".ne", ".quaero"), splice=splice)
