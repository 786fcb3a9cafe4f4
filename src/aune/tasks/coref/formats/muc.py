r"""MUC: SGML text with `<COREF>` around every mention and links from one to another.

    <DOC>
    <DOCID> a </DOCID>
    <TEXT>
    <COREF ID="1" MIN="Lee">Mrs. Ann Lee</COREF> met <COREF ID="2" REF="1" TYPE="IDENT">her</COREF> sister.
    </TEXT>
    </DOC>

Chains are the transitive closure of the links `REF` of `TYPE` IDENT (or of no type); a link of another type is a
relation of that name. `MIN` is the least text that recognises the mention: its first occurrence among the tokens of the
mention is kept, the first that is found when `|` separates several. Other attributes (`STATUS="OPT"`…) are features,
named in small letters. A mention without a link to or from it is a singleton.

Tags and attributes are in any case and order, values in double quotes, single quotes or none, `&amp;` and the like are
decoded, tags other than those above are passed over. A file has one `<DOC>` or several, named by `<DOCID>`, `<DOCNO>`
or the attribute `ID` of `<DOC>`; without `<DOC>` it is one document, named as the file. `<S>` and `<P>` begin
sentences.

Tokens are words, numbers and single signs, found in the text once all tags are gone, so that key and response agree
whatever their mentions; with `<DOC TOKENS="blanks">`, which `write` uses, they are what blanks separate.

Source: MUC-6 and MUC-7, coreference task definition (Hirschman and Chinchor 1997).

>>> from aune.core.corpus import Source
>>> [found] = read(Source("a.sgm", b'<COREF ID="1">Ann</COREF> saw <coref id=2 type=ident ref=1>her</coref>.'))
>>> found.id, found.tokens, found.clusters()
('a', ['Ann', 'saw', 'her', '.'], [[(0, 1), (2, 3)]])
>>> print("".join(write([found])), end="")
<DOC TOKENS="blanks">
<DOCID>a</DOCID>
<TEXT>
<S> <COREF ID="1">Ann</COREF> saw <COREF ID="2" REF="1" TYPE="IDENT">her</COREF> . </S>
</TEXT>
</DOC>
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import TypeAlias

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.coref.formats._words import (
    BLANKS,
    WORD,
    BareText,
    Tokens,
    no_blank,
    refuse_crossing,
    sentence_starts,
    tokenized,
    word_spans,
    words,
)
from aune.tasks.coref.model import Document, Mention, Relation, document, token_spans

TAG = re.compile(r"<[!?][^<>]*+>|<(/?)([A-Za-z][\w.:-]*+)([^<>]*+)>")
ATTRIBUTE = re.compile(r"""(?<![\w.:-])([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
NAMES = ("docid", "docno")
LINKING = ("id", "ref", "type", "min")


@dataclass
class _Coref:
    """A mention as its tag gives it; the span is in characters of the bare text."""

    attributes: Mapping[str, str]
    line: int
    column: int
    start: int
    end: int = -1


_Text: TypeAlias = BareText[_Coref]


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    sgml = _without_comments(source.text)
    several = re.search(r"<doc[\s>]", sgml, re.IGNORECASE) is not None
    lines = [match.end() for match in re.finditer("\n", sgml)]
    current = None if several else _Text(source.stem, 1)
    naming = ""
    at = 0
    for tag in TAG.finditer(sgml):
        between = unescape(sgml[at : tag.start()])
        at = tag.end()
        if naming and current:
            current.id = between.strip() or current.id
        elif current:
            current.add(between)
        line = bisect_left(lines, tag.start() + 1) + 1
        column = tag.start() - (lines[line - 2] if line > 1 else 0) + 1
        closing, name = tag[1], (tag[2] or "").lower()
        naming = name if name in NAMES and not closing else ""
        if name == "doc":
            if current and several:
                yield _document(source, current)
            current = None if closing else _begun(source, tag[3], line)
        elif name == "coref":
            _take(source, current, tag, (line, column))
        elif current and name in ("s", "p"):
            current.breaks.append(current.size)
        if current and name != "coref":
            current.add(" ")  # a tag other than a mention's parts two words
    if current:
        current.add(unescape(sgml[at:]))
        if several or current.found or current.text.strip():
            yield _document(source, current)


def _without_comments(text: str) -> str:
    """The text with blanks for its comments, so that every place stays where it is."""
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        at = end + 3
    return "".join([*pieces, text[at:]])


def _begun(source: Source, given: str, line: int) -> _Text:
    attributes = _attributes(given)
    name = next((attributes[name] for name in ("id", *NAMES) if name in attributes), source.stem)
    return _Text(name, line, blanks=attributes.get("tokens", "").lower() == "blanks")


def _attributes(given: str) -> dict[str, str]:
    return {name.lower(): unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(given)}


def _take(source: Source, current: _Text | None, tag: re.Match[str], place: tuple[int, int]) -> None:
    """Open or close a mention."""
    if current is None:
        what = f"found {tag[0][:40]!r} outside <DOC>, expected mentions inside documents"
        source.problem(*place, f"{what}: move the tag or the document's")
    elif not tag[1]:
        coref = _Coref(_attributes(tag[3]), *place, current.size)
        current.found.append(coref)
        current.open.append(coref)
    elif current.open:
        current.open.pop().end = current.size
    else:
        what = "found '</COREF>' where no mention is open, expected '<COREF ID=…>' before it"
        source.problem(*place, f"{what}: open the mention or remove the tag")


def _document(source: Source, text: _Text) -> Document:
    tokens = text.tokens(WORD)
    for coref in text.open:
        what = "found '<COREF>' that is never closed, expected '</COREF>' in the same document"
        source.problem(coref.line, coref.column, f"{what}: close the mention")
    corefs = _named(source, text, tokens)
    chains, relations = _linked(source, corefs)
    mentions = []
    for name, coref in corefs.items():
        start, end = tokens.span(coref.start, coref.end)
        features = {name: value for name, value in coref.attributes.items() if name not in LINKING and value}
        least = _least(source, coref, tokens, WORD if not text.blanks else BLANKS)
        mentions.append(Mention(start, end, chains[name], coref.line, minimum=least, features=features))
    sentences = sorted({0, *text.sentences(tokens)} - {len(tokens.texts)}) if text.breaks else None
    return document(text.id, mentions, relations=relations, tokens=tokens.texts, sentences=sentences,
                    path=source.name, line=text.line)  # fmt: skip


def _named(source: Source, text: _Text, tokens: Tokens) -> dict[str, _Coref]:
    """The mentions by their ID; those that have none, one that is taken, or no text are problems."""
    found: dict[str, _Coref] = {}
    for coref in text.found:
        name = coref.attributes.get("id", "").strip()
        start, end = tokens.span(coref.start, coref.end)
        if not name:
            what = 'found a COREF without ID, expected ID="…"'
            source.problem(coref.line, coref.column, f"{what}: give every mention an ID")
        elif name in found:
            what = f"found the ID {name!r} a second time, expected every ID once in a document"
            source.problem(coref.line, coref.column, f"{what}: give the mention another one")
        elif coref.end >= 0 and start >= end:
            what = f"found the COREF {name!r} around no text, expected a word in it"
            source.problem(coref.line, coref.column, f"{what}: remove it or move its tags")
        elif coref.end >= 0:
            found[name] = coref
    return found


def _linked(source: Source, corefs: Mapping[str, _Coref]) -> tuple[dict[str, str], list[Relation]]:
    """The chain of every mention, named by its first one, and the links that are not of identity."""
    parent = {name: name for name in corefs}
    number = {name: index for index, name in enumerate(corefs)}
    relations = []

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = name = parent[parent[name]]
        return name

    for name, coref in corefs.items():
        target = coref.attributes.get("ref", "").strip()
        kind = coref.attributes.get("type", "IDENT").strip()
        if not target:
            continue
        if target not in corefs:
            what = f"found REF={target!r}, which is no ID of the document, expected one that is"
            source.problem(coref.line, coref.column, f"{what}: correct it or add the mention")
        elif kind.upper() == "IDENT":
            first, second = sorted((root(name), root(target)), key=number.__getitem__)
            parent[second] = first
        else:
            relations.append(Relation(kind, number[name], number[target]))
    return {name: root(name) for name in corefs}, relations


def _least(source: Source, coref: _Coref, tokens: Tokens, pattern: re.Pattern[str]) -> tuple[int, int] | None:
    """The tokens of MIN inside the mention."""
    given = coref.attributes.get("min", "")
    start, end = tokens.span(coref.start, coref.end)
    own = [token.lower() for token in tokens.texts[start:end]]
    for choice in (given, *given.split("|")):
        wanted = [token.lower() for token in tokenized(choice, pattern).texts]
        for index in range(len(own) - len(wanted) + 1) if wanted else ():
            if own[index : index + len(wanted)] == wanted:
                return start + index, start + index + len(wanted)
    if given.strip():
        source.warn(f"line {coref.line}: MIN={given!r} is not in the text of its mention, left out")
    return None


def sniff(head: str) -> bool:
    """Whether there is a `<COREF` tag."""
    return re.search(r"<coref[\s>]", head, re.IGNORECASE) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One `<DOC>` per document; every mention is linked to the one before it in its chain."""
    for found in documents:
        yield "".join(_written(found))


def _written(found: Document) -> Iterator[str]:
    tokens = [escape(no_blank(token), quote=False) for token in words(found, "muc")]
    starts = frozenset(sentence_starts(found)) | {0}
    spans = word_spans(found)
    refuse_crossing(found, ((start, end, "") for start, end in spans), "muc")
    opening: list[list[tuple[int, int, str]]] = [[] for _ in tokens]
    closing = [0] * len(tokens)
    for (start, end), tag in zip(spans, _tags(found, tokens), strict=True):
        opening[start].append((-end, len(opening[start]), tag))
        closing[end - 1] += 1
    yield f'<DOC TOKENS="blanks">\n<DOCID>{escape(found.id.strip(), quote=False)}</DOCID>\n<TEXT>\n'
    for index, token in enumerate(tokens):
        if index in starts:
            yield ("</S>\n" if index else "") + "<S> "
        tags = "".join(tag for *_, tag in sorted(opening[index]))
        yield f"{tags}{token}{'</COREF>' * closing[index]} "
    yield ("</S>\n" if tokens else "") + "</TEXT>\n</DOC>\n"


def _tags(found: Document, tokens: Sequence[str]) -> Iterator[str]:
    """The opening tag of every mention."""
    last: dict[int, int] = {}
    least = token_spans(found, found.minima).tolist() if found.minima is not None else None
    for index, chain in enumerate(found.chains.tolist()):
        attributes = {"ID": str(index + 1)}
        if chain in last:
            attributes |= {"REF": str(last[chain] + 1), "TYPE": "IDENT"}
        if least is not None and (found.minima is not None and (found.minima[index] != found.spans[index]).any()):
            attributes["MIN"] = " ".join(tokens[slice(*least[index])])
        last[chain] = index
        for name, column in found.features.items():
            if column[index] and name.lower() not in LINKING:
                attributes[re.sub(r"[^\w.:-]", "_", name.upper())] = escape(column[index])
        yield "<COREF " + " ".join(f'{name}="{value}"' for name, value in attributes.items()) + ">"


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(("tokens", "sentences", "kinds", "features", "minima", "singletons", "spans")),
    suffixes=(".sgm", ".sgml", ".muc"),
)
