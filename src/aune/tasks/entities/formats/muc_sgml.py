"""The SGML of MUC-6 and MUC-7: ENAMEX, TIMEX and NUMEX elements with a TYPE, inside documents.

    <DOC> <DOCID> wsj94_008.0212 </DOCID>
    Mr. <ENAMEX TYPE="PERSON">Harry Schearer</ENAMEX> of <ENAMEX TYPE="ORGANIZATION">DARPA</ENAMEX>

The label of an entity is its TYPE; of alternatives (`LOCATION|ORGANIZATION`) the first. All other tags are left out.
The text is cut into words and single signs, and lines are sentences. The typology is `muc6` unless `--typology` names
another.

Carries tokens, sentences and nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.entities.formats._inline import Tag, texts
from aune.tasks.entities.model import Document
from aune.tasks.entities.typology import TypologyName

ELEMENTS = ("ENAMEX", "TIMEX", "NUMEX")
NAME = re.compile(r"\s*(\S+)")


def read(source: Source, *, typology: TypologyName = "muc6") -> Iterator[Document]:
    lines = source.text.split("\n")
    alternatives = 0

    def begins(tag: Tag) -> str | None:
        return str(tag.line) if tag.name.upper() == "DOC" else None

    def label(tag: Tag) -> str | None:
        nonlocal alternatives
        if tag.name.upper() not in ELEMENTS:
            return None
        kinds = {name.upper(): value for name, value in tag.attributes.items()}.get("TYPE", "").split("|")
        if not kinds[0] and not tag.closing:
            what = f'found <{tag.name}> without a TYPE, expected one such as TYPE="PERSON": add it'
            source.problem(tag.line, tag.column, what)
        alternatives += len(kinds) > 1
        return kinds[0] or tag.name

    found = texts(source, begins, label, Path(source.name).stem)
    if alternatives:
        source.warn(f"{alternatives} entities with alternative types: the first one is taken")
    for number, one in enumerate(found):
        name = _name(lines[one.line - 1 : found[number + 1].line if number + 1 < len(found) else None])
        one.name = name or (one.name if len(found) == 1 else str(number + 1))
        yield one.document(source, typology=typology)


def _name(lines: Sequence[str]) -> str:
    """What stands in DOCID, DOCNO or as the document's id, in these lines."""
    part = "\n".join(lines)
    if mark := re.search(r"<(?:DOCID|DOCNO)\s*>\s*([^<>]*\S)\s*</", part, re.IGNORECASE):
        return mark[1]
    mark = re.search(r"<DOC\s[^<>]*\bid\s*=\s*[\"']?([^\"'\s>]+)", part, re.IGNORECASE)
    return mark[1] if mark else ""


def sniff(head: str) -> bool:
    return re.search(r"<(?:ENAMEX|TIMEX|NUMEX)[\s>]", head, re.IGNORECASE) is not None


FORMAT = Format(read, sniff, carries=frozenset({"tokens", "sentences", "nesting"}), suffixes=(".sgml", ".sgm"))
