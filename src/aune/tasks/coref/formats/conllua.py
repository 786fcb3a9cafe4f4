r"""CoNLL-UA: the exploded format of Universal Anaphora, with mentions in a column of their own.

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING
    # newdoc id = a
    1   Ann   _  PROPN  _  _  _  _  _  _  (EntityID=1|MarkableID=markable_1|Min=1|SemType=dn)  _
    2   saw   _  VERB   _  _  _  _  _  _  _                                                    _
    3   the   _  DET    _  _  _  _  _  _  (EntityID=2|MarkableID=markable_2|Min=4              (MarkableID=markable_2|…
    4   door  _  NOUN   _  _  _  _  _  _  )                                                    )

`# global.columns` names the columns, which are separated by tabs or by runs of blanks. In IDENTITY, `(` opens a mention
and `)` closes the last one opened; the chain is its `EntityID`, `Min` lists the IDs of the words that recognise it, and
other properties are features, named in small letters. In BRIDGING, `MarkableID`, `MentionAnchor` and `Rel` make a
relation (`bridge` without Rel) from the first mention to the second. The other columns are not kept, except that the
part of speech of the head (a `Min` of one word) gives the kind. `# newdoc id = NAME` begins a document; a file without
one is one document, named as the file. Lines for multiword tokens (`3-4`) are passed over.

Source: Yu et al. 2023, the Universal Anaphora scorer 2.0; the CODI-CRAC shared tasks.

>>> from aune.core.corpus import Source
>>> text = b"# global.columns = ID FORM UPOS IDENTITY\n1 Ann PROPN (EntityID=7|Min=1)\n2 sat VERB _\n"
>>> [found] = read(Source("a.conllua", text))
>>> found.id, found.clusters(), found.labels, found.features
('a', [[(0, 1)]], ['7'], {'kind': ['name']})
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.coref.formats._words import no_blank, one_line, refuse_crossing, sentence_starts, word_spans, words
from aune.tasks.coref.formats.corefud import KINDS, comment
from aune.tasks.coref.model import Document, Mention, Relation, document, token_spans

BRACKET = re.compile(r"\(([^()]*)|\)")
BRACKETS = re.compile(r"(?:\([^()]++|\))+")
COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING"
KNOWN = ("entityid", "markableid", "min")


@dataclass
class _Open:
    """A mention while its words go by."""

    said: Mapping[str, str]
    line: int
    column: int
    start: int
    end: int = -1


@dataclass
class _Text:
    """A document while its lines are read."""

    id: str
    line: int
    tokens: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The ID of every token."""
    tags: list[str] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    found: list[_Open] = field(default_factory=list)
    open: list[_Open] = field(default_factory=list)
    links: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    columns = COLUMNS.lower().split()
    text: _Text | None = None
    at_start, count = True, 0
    for number, line in source.lines():
        if line[:1] == "#" or not line.strip():
            at_start = True
            name, value = comment(line)
            if name == "global.columns":
                columns = (value or COLUMNS).lower().split()
            elif name == "newdoc":
                if text:
                    yield _document(source, text)
                count += 1
                text = _Text(value or f"document {count}", number)
            elif name.startswith("meta::") and text and value:
                text.attributes[name.removeprefix("meta::")] = value
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        row = dict(zip(columns, cells, strict=False))
        if not {"id", "form", "identity"} <= row.keys():
            what = f"found {len(cells)} column{'s' * (len(cells) > 1)}, expected ID, FORM and IDENTITY among them"
            source.problem(number, 1, f"{what}: complete the line, or name the columns in '# global.columns'")
            continue
        if "-" in row["id"]:
            continue
        text = text or _Text(source.stem, number)
        if at_start:
            text.sentences.append(len(text.tokens))
            at_start = False
        text.tokens.append(row["form"])
        text.names.append(row["id"])
        text.tags.append(row.get("upos", "_"))
        _take(source, text, (number, line), row["identity"].strip())
        links = re.findall(r"\(([^()]+)", row.get("bridging", ""))
        text.links += [(number, _properties(link)) for link in links]
    if text:
        yield _document(source, text)


def _take(source: Source, text: _Text, numbered: tuple[int, str], cell: str) -> None:
    """Open and close the mentions of a cell."""
    if cell in ("_", "-", ""):
        return
    number, line = numbered
    column = line.find(cell) + 1
    if not BRACKETS.fullmatch(cell):
        what = f"found {cell[:40]!r}, expected '_' or brackets such as '(EntityID=1|MarkableID=markable_1)'"
        source.problem(number, column, f"{what}: correct IDENTITY")
        return
    for bracket in BRACKET.finditer(cell):
        if bracket[1] is not None:
            mention = _Open(_properties(bracket[1]), number, column + bracket.start(), len(text.tokens) - 1)
            text.found.append(mention)
            text.open.append(mention)
        elif text.open:
            text.open.pop().end = len(text.tokens)
        else:
            what = "found ')' where no mention is open, expected '(EntityID=…' before it"
            source.problem(number, column + bracket.start(), f"{what}: open the mention or remove the bracket")


def _properties(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split("|"))
    return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs if value.strip()}


def _document(source: Source, text: _Text) -> Document:
    mentions: list[Mention] = []
    numbers: dict[str, int] = {}
    for mention in text.found:
        if "entityid" not in mention.said:
            what = "found a mention without EntityID, expected '(EntityID=…'"
            source.problem(mention.line, mention.column, f"{what}: name its chain")
        elif mention.end < 0:
            what = (
                f"found a mention of {mention.said['entityid']} that is never closed, expected ')' in the same document"
            )
            source.problem(mention.line, mention.column, f"{what}: close the mention")
        else:
            numbers.setdefault(mention.said.get("markableid", ""), len(mentions))
            mentions.append(_mention(source, mention, text))
    return document(
        text.id, mentions, relations=_relations(source, text, numbers), tokens=text.tokens, sentences=text.sentences,
        attributes=text.attributes, path=source.name, line=text.line,
    )  # fmt: skip


def _mention(source: Source, mention: _Open, text: _Text) -> Mention:
    wanted = mention.said.get("min", "").split(",")
    inside = range(mention.start, mention.end)
    least = [token for token in inside if text.names[token] in wanted]
    if "min" in mention.said and not least:
        source.warn(f"line {mention.line}: Min={mention.said['min']} is not among the words of its mention, left out")
    head = least[0] if len(least) == 1 else mention.start if len(inside) == 1 else -1
    kind = KINDS.get(text.tags[head], "") if head >= 0 else ""
    own = {name: value for name, value in mention.said.items() if name not in KNOWN}
    minimum = (least[0], least[-1] + 1) if least else None
    return Mention(mention.start, mention.end, mention.said["entityid"], mention.line, head, minimum=minimum,
                   features={"kind": kind, **own} if kind else own)  # fmt: skip


def _relations(source: Source, text: _Text, numbers: Mapping[str, int]) -> Iterator[Relation]:
    for line, said in text.links:
        ends = [said.get("markableid", ""), said.get("mentionanchor", "")]
        missing = [name for name in ends if name not in numbers]
        if missing:
            what = f"found the bridge with {missing[0]!r}, which is no mention of the document, expected a MarkableID"
            source.problem(line, 1, f"{what}: correct BRIDGING")
        else:
            yield Relation(said.get("rel", "bridge"), numbers[ends[0]], numbers[ends[1]])


def sniff(head: str) -> bool:
    """Whether `# global.columns` names IDENTITY."""
    return re.search(r"^#\s*global\.columns\b.*\bIDENTITY\b", head, re.MULTILINE | re.IGNORECASE) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Twelve columns, those that aune does not know as `_`; words numbered through each document."""
    yield f"# global.columns = {COLUMNS}\n"
    for found in documents:
        yield "".join(_written(found))


def _written(found: Document) -> Iterator[str]:
    tokens = words(found, "conllua")
    spans = word_spans(found)
    refuse_crossing(found, ((start, end, "") for start, end in spans), "conllua")
    identity = _column(len(tokens), spans, _openings(found))
    starts = frozenset(sentence_starts(found)) | {0}
    sources = [source for _, source, _ in found.relations]
    bridges = [
        f"(MarkableID=markable_{source + 1}|Rel={_escaped(kind)}|MentionAnchor=markable_{target + 1}"
        for kind, source, target in found.relations
    ]
    bridging = _column(len(tokens), [spans[index] for index in sources], bridges)
    yield f"# newdoc id = {one_line(found.id)}\n"
    yield from (f"# meta::{one_line(name)} = {one_line(value)}\n" for name, value in found.attributes.items())
    for index, token in enumerate(tokens):
        blank = "\n" if index and index in starts else ""
        cells = (str(index + 1), no_blank(token), *"________", identity[index], bridging[index])
        yield blank + "\t".join(cells) + "\n"
    yield "\n"


def _column(size: int, spans: Sequence[tuple[int, int]], openings: Iterable[str]) -> list[str]:
    """Brackets that close, then those that open, outer first."""
    closing = [""] * size
    opening: list[list[tuple[int, int, str]]] = [[] for _ in range(size)]
    for index, ((start, end), text) in enumerate(zip(spans, openings, strict=True)):
        alone = end == start + 1
        opening[start].append((-end, index, text + ")" * alone))
        closing[end - 1] += "" if alone else ")"
    return [
        shut + "".join(text for *_, text in sorted(some)) or "_" for shut, some in zip(closing, opening, strict=True)
    ]


def _openings(found: Document) -> Iterator[str]:
    """The opening bracket of every mention."""
    least = token_spans(found, found.minima).tolist() if found.minima is not None else None
    for index, chain in enumerate(found.chains.tolist()):
        said = {"EntityID": str(chain + 1), "MarkableID": f"markable_{index + 1}"}
        if least is not None:
            said["Min"] = ",".join(str(token + 1) for token in range(*least[index]))
        said |= {name.lower(): _escaped(column[index]) for name, column in found.features.items() if column[index]}
        yield "(" + "|".join(f"{name}={value}" for name, value in said.items())


def _escaped(value: str) -> str:
    """A value without the signs that end one."""
    return value if value.isalnum() else quote(value, safe=":,;./~!@$&*+'-")


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(
        ("tokens", "sentences", "kinds", "features", "minima", "relations", "singletons", "spans", "attributes")
    ),
    suffixes=(".conllua", ".CONLLUA"),
)
