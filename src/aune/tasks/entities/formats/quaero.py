"""Inline tags as in the QUAERO and ETAPE corpora: XML-like, with dots in the names.

    La <pers.coll> <kind> diaspora </kind> <demonym> argentine </demonym> </pers.coll> s'est réunie à
    <loc.adm.town> <name> Paris </name> </loc.adm.town> .

Every tag is an entity or a component; which is which says the typology (`quaero` unless `--typology` names another).
Tags must nest. Attributes are ignored, `<doc id="NAME">` begins a document, and lines are sentences. The text is cut
into words and single signs, blanks do not count, so that key and response may be spaced differently around tags.

Carries tokens, sentences and nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.entities.formats._inline import Tag, texts
from aune.tasks.entities.model import Document
from aune.tasks.entities.typology import TypologyName

DOCUMENT = ("doc", "document")
SIGN = re.compile(
    r"<(?:pers|func|org|loc|prod|time|amount|event|name|kind)(?:\.[\w-]+)*(?:\s[^<>]*)?>|<[a-z]+\.[\w.-]+>"
)


def read(source: Source, *, typology: TypologyName = "quaero") -> Iterator[Document]:
    for one in texts(source, _begins, _label, Path(source.name).stem):
        yield one.document(typology=typology, path=source.name)


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
    for found in documents:
        yield f'<doc id="{found.id}">\n'
        tokens = found.tokens or ["_"] * found.length
        breaks = set(([] if found.sentences is None else found.sentences.tolist())[1:])
        opening: dict[int, list[str]] = {}
        closing: dict[int, list[str]] = {}
        for start, end, label in found.triples():
            opening.setdefault(start, []).append(f"<{label}>")
            closing.setdefault(end, []).insert(0, f"</{label}>")
        for place in range(found.length + 1):
            pieces = [*closing.get(place, []), *(["\n"] if place in breaks else []), *opening.get(place, [])]
            yield " ".join([*pieces, *tokens[place : place + 1], ""])
        yield "\n</doc>\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"tokens", "sentences", "nesting"}), suffixes=(".ne", ".quaero"))
