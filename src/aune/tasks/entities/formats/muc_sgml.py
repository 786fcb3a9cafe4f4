"""The SGML of MUC-6 and MUC-7: ENAMEX, TIMEX and NUMEX elements with a TYPE, inside documents.

    <DOC> <DOCID> wsj94_008.0212 </DOCID>
    Mr. <ENAMEX TYPE="PERSON">Harry Schearer</ENAMEX> of <ENAMEX TYPE="ORGANIZATION">DARPA</ENAMEX>

The label of an entity is its TYPE. Of alternatives (`LOCATION|ORGANIZATION`) any is right, and an entity with
`STATUS="OPT"` may be missing from a key. All other tags are left out. The text is cut into words and single signs, and
lines are sentences. The typology is `muc6` unless `--typology` names another.

Carries tokens, sentences, nesting and alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from aune.contract.format import SGML_DOCUMENTS, Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.markup import Tag
from aune.tasks.entities.formats._inline import InlineText, TagPair, inline_texts, splice_tags
from aune.tasks.entities.formats._splicing import splice_file
from aune.tasks.entities.model import Document, Others, Span
from aune.typologies.typology import TypologyName

ELEMENTS = ("ENAMEX", "TIMEX", "NUMEX")
ELEMENT_OF = {"DATE": "TIMEX", "TIME": "TIMEX", "MONEY": "NUMEX", "PERCENT": "NUMEX"}
NAME = re.compile(r"\s*(\S+)")


def read(source: Source, *, typology: TypologyName = "muc6") -> Iterator[Document]:
    for text in _texts(source):
        yield text.document(source, _others, typology=typology)


def _others(span: Span, tag: Tag) -> Others:
    """What a key may as well have in the place of an entity: another type, or nothing."""
    _, *types = tag.attributes.get("type", "").split("|")
    other_types = tuple((span._replace(label=name),) for name in dict.fromkeys(types) if name not in ("", span.label))
    return other_types + (((),) if tag.attributes.get("status", "").strip().upper() == "OPT" else ())


def _texts(source: Source) -> list[InlineText]:
    """The documents in the making, with their names."""

    def label(tag: Tag) -> str | None:
        if tag.name.upper() not in ELEMENTS:
            return None
        kinds = tag.attributes.get("type", "").split("|")
        if not kinds[0] and not tag.closing:
            source.add_problem(
                "label.missing",
                tag.line,
                tag.column,
                found=f"<{tag.name}> without a TYPE",
                expected='one such as TYPE="PERSON"',
                remedies=["add it"],
            )
        return kinds[0] or tag.name

    documents = inline_texts(source, _begins, label, source.stem)
    ends = [*(text.start for text in documents[1:]), len(source.text)]
    for number, (text, end) in enumerate(zip(documents, ends, strict=True), 1):
        name = _name(source.text[text.start : end])
        text.id = name or (text.id if len(documents) == 1 else str(number))
        source.is_standalone &= bool(name) or not source.is_piece
    return documents


def _begins(tag: Tag) -> str | None:
    return str(tag.line) if tag.name.upper() == "DOC" else None


def _name(part: str) -> str:
    """What stands in DOCID, DOCNO or as the document's id, in a part of a file."""
    if mark := re.search(r"<(?:DOCID|DOCNO)\s*>\s*([^<>]*\S)\s*</", part, re.IGNORECASE):
        return mark[1]
    mark = re.search(r"<DOC\s[^<>]*\bid\s*=\s*[\"']?([^\"'\s>]+)", part, re.IGNORECASE)
    return mark[1] if mark else ""


def sniff(head: str) -> bool:
    return re.search(r"<(?:ENAMEX|TIMEX|NUMEX)[\s>]", head, re.IGNORECASE) is not None


def splice(source: Source, documents: Sequence[Document], *, typology: TypologyName = "muc6") -> bytes:
    """The file with other entities: only their tags change; a type stands in the element it has in MUC."""

    def tagging(label: str) -> TagPair:
        if not label or re.search(r'["<>|]', label):
            raise UsageError(f"muc_sgml cannot represent the label {label!r}, which must stand in a tag")
        element = ELEMENT_OF.get(label.upper(), "ENAMEX")
        return TagPair(f'<{element} TYPE="{label}">', f"</{element}>")

    return splice_file(
        source,
        documents,
        partial(read, typology=typology),
        lambda pairs, _: splice_tags(source, _texts(source), pairs, tagging),
    )


CARRIES = frozenset({"tokens", "sentences", "nesting", "alternatives"})
FORMAT = Format(read, sniff, carries=CARRIES, suffixes=(".sgml", ".sgm"), splice=splice, boundaries=SGML_DOCUMENTS)
