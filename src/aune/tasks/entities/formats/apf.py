"""ACE's APF: an XML file of entities, each with its mentions, over the characters of a source file.

    <source_file URI="a.sgm"><document DOCID="a">
    <entity ID="E1" TYPE="PER" SUBTYPE="Individual" CLASS="SPC">
      <entity_mention ID="E1-1" TYPE="NAM" ROLE="PER">
        <extent><charseq START="10" END="21">…</charseq></extent><head><charseq START="10" END="14">…</charseq></head>

Mentions are placed by their head, or by their extent without one; ENDs are inclusive. For `ace_value`; for the other
measures each mention is an entity labelled TYPE.SUBTYPE. Relations, events and time expressions are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from aune.contract.format import Format
from aune.reading.source import Source
from aune.tasks.entities.model import MAX_POSITION, Document, Mention, Referent, Span, make_document
from aune.typologies.typology import TypologyName


def read(source: Source, *, typology: TypologyName = "") -> Iterator[Document]:
    try:
        root = ElementTree.fromstring(source.text)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        line, column = getattr(error, "position", (1, 0))
        source.add_problem(
            "xml.malformed", line, column + 1, found=f"broken XML ({error})", expected="APF", remedies=["mend it"]
        )
        return
    for number, element in enumerate(root.iter("document"), 1):
        referents, spans = [], []
        for entity in element.iter("entity"):
            mentions = [
                parsed for node in entity.iter("entity_mention") if (parsed := _mention(source, node)) is not None
            ]
            kind, subtype = entity.get("TYPE", ""), entity.get("SUBTYPE", "")
            if not kind:
                source.add_problem(
                    "label.missing",
                    *_place(source, entity),
                    found=f"the entity {entity.get('ID')!r} without a TYPE",
                    expected="one",
                    remedies=["add it"],
                )
                continue
            referents.append(Referent(kind, subtype, entity.get("CLASS", "SPC"), tuple(mentions)))
            label = f"{kind}.{subtype}" if subtype else kind
            spans += [Span(mention.start, mention.end, label) for mention in mentions]
        name = element.get("DOCID") or (source.stem if number == 1 else str(number))
        yield make_document(
            name, spans, unit="character", referents=tuple(referents), typology=typology, path=source.name
        )


def _mention(source: Source, node: Element) -> Mention | None:
    place = node.find("head/charseq")
    place = node.find("extent/charseq") if place is None else place
    start, end = (place.get("START", ""), place.get("END", "")) if place is not None else ("", "")
    numbers = all(re.fullmatch(r"[0-9]{1,12}", place) for place in (start, end))
    if not numbers or not int(start) <= int(end) < MAX_POSITION:
        name, where = f"the mention {node.get('ID')!r}", _place(source, node)
        if numbers:
            actual, expected = f"{name} from {start} to {end}", f"START before END, within 0 to {MAX_POSITION}"
            source.add_problem("mention.reversed", *where, found=actual, expected=expected, remedies=["mend them"])
        else:
            actual, expected = f"{name} without a place", "a charseq with START and END"
            source.add_problem("mention.without-place", *where, found=actual, expected=expected, remedies=["add it"])
        return None
    role, style = node.get("ROLE", ""), node.get("METONYMY_MENTION", "")
    style = "METONYMIC" if style.upper() == "TRUE" else "LITERAL"
    return Mention(int(start), int(end) + 1, node.get("TYPE", "NAM"), role, style)


def _place(source: Source, node: Element) -> tuple[int, int]:
    """Where an element stands, by its ID."""
    match = re.search(rf"<{node.tag}\b[^<>]*\bID\s*=\s*[\"']{re.escape(node.get('ID', ''))}[\"']", source.text)
    if match is None:
        return 1, 1
    before = source.text[: match.start()]
    return before.count("\n") + 1, match.start() - before.rfind("\n")


def sniff(head: str) -> bool:
    return "<entity_mention" in head or "<source_file" in head


FORMAT = Format(read, sniff, carries=frozenset({"mentions"}), suffixes=(".apf.xml", ".apf"))
