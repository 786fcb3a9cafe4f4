r"""MUC: SGML text with `<COREF>` around every mention and links from one to another.

    <DOC>
    <DOCID> a </DOCID>
    <TEXT>
    <COREF ID="1" MIN="Lee">Mrs. Ann Lee</COREF> met <COREF ID="2" REF="1" TYPE="IDENT">her</COREF> sister.
    </TEXT>
    </DOC>

Chains are the transitive closure of the links `REF` of `TYPE` IDENT (or of no type); a link of another type is a
relation of that name. `MIN` is the least text that recognises the mention: its first occurrence among the tokens of the
mention is kept, the first that is found when `|` separates several. A mention with `STATUS="OPT"` is optional: a key
may as well lack it. Other attributes are features, named in small letters. A mention without a link to or from it is a
singleton.

Tags and attributes are in any case and order, values in double quotes, single quotes or none, `&amp;` and the like are
decoded, tags other than those above are passed over. A file has one `<DOC>` or several, named by `<DOCID>`, `<DOCNO>`
or the attribute `ID` of `<DOC>`; without `<DOC>` it is one document, named as the file. `<S>` and `<P>` begin
sentences.

Tokens are words, numbers and single signs, found in the text once all tags are gone, so that key and response agree
whatever their mentions; with `<DOC TOKENS="blanks">`, which `write` uses, they are what blanks separate.

Source: MUC-6 and MUC-7, coreference task definition (Hirschman and Chinchor 1997).

>>> from aune.reading.corpus import Source
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
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from aune.contract.format import SGML_DOCUMENTS, Format
from aune.errors import UsageError
from aune.numeric.union_find import UnionFind
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.markup import BareText, Tag, edit_tag, split_at_tags, without_comments
from aune.tasks.coref.formats._changes import Changes, changes, file_order, fresh_numbers, spliced_documents
from aune.tasks.coref.formats._tag_nesting import NewTags, TaggedMention, TagPlace, change_tags, with_tags
from aune.tasks.coref.formats._tokenization import (
    BLANK_SEPARATED,
    WORD,
    Tokens,
    document_words,
    refuse_crossing,
    replace_blanks,
    sentence_starts,
    sentences_of,
    tokenize,
    word_spans,
)
from aune.tasks.coref.model import Document, Mention, Relation, make_document, token_spans

NAME_TAGS = ("docid", "docno")
LINK_ATTRIBUTES = ("id", "ref", "type", "min")
STATUS, OPTIONAL = "STATUS", "OPT"
"""The attribute of a mention that a key may as well lack."""


@dataclass
class _CorefElement:
    """A mention as its tag gives it; the span is in characters of the bare text."""

    tag: Tag
    start: int
    end: int = -1
    closed: Tag | None = None

    @property
    def place(self) -> tuple[int, int]:
        return self.tag.line, self.tag.column

    def attribute(self, name: str, absent: str = "") -> str:
        """What an attribute says."""
        return self.tag.attributes.get(name, absent).strip()

    @property
    def link(self) -> tuple[str, str]:
        """The kind of its link, and the ID that this goes to, if it goes anywhere."""
        return self.attribute("type", "IDENT"), self.attribute("ref")

    @property
    def is_optional(self) -> bool:
        """Whether a key may as well lack it."""
        return self.attribute("status").upper() == OPTIONAL

    @property
    def features(self) -> dict[str, str]:
        left_out = {*LINK_ATTRIBUTES, STATUS.lower()} if self.is_optional else LINK_ATTRIBUTES
        return {name: value for name, value in self.tag.attributes.items() if name not in left_out and value}


@dataclass
class _MucDocument(BareText[_CorefElement]):
    blanks: bool = False
    """Whether its tokens are what stands between blanks."""
    tags: list[Tag] = field(default_factory=list)
    """All the tags inside it."""

    @property
    def word_pattern(self) -> re.Pattern[str]:
        return BLANK_SEPARATED if self.blanks else WORD

    def tokens(self) -> Tokens:
        return tokenize(self.text, self.word_pattern)


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    return (_document(source, text) for text in _texts(source))


def _texts(source: Source) -> Iterator[_MucDocument]:
    """The documents of a file, without their tags."""
    sgml = source.text
    several = re.search(r"<doc[\s>]", without_comments(sgml), re.IGNORECASE) is not None
    current = None if several else _MucDocument(source.stem, 1)
    naming = False
    for tag, before in split_at_tags(sgml, source.file_line):
        if current and naming:
            current.id = without_comments(sgml[slice(*before)]).strip() or current.id
        elif current:
            current.unescape(sgml, *before)
        if tag is None:
            break
        name = tag.name.lower()
        naming = name in NAME_TAGS and not tag.closing
        if name == "doc":
            if current and several:
                yield current
            current = None if tag.closing else _begin_document(source, tag)
        elif name == "coref":
            _read_tag(source, current, tag)
        elif current and name in ("s", "p"):
            current.breaks.append(current.size)
        if current:
            current.tags.append(tag)
            if name != "coref":
                current.add(" ", tag.start, tag.end)  # a tag other than a mention's parts two words
    if current and (several or current.marks or current.text.strip()):
        yield current


def _begin_document(source: Source, tag: Tag) -> _MucDocument:
    name = next((tag.attributes[name] for name in ("id", *NAME_TAGS) if name in tag.attributes), source.stem)
    return _MucDocument(name, tag.line, blanks=tag.attributes.get("tokens", "").lower() == "blanks")


def _read_tag(source: Source, current: _MucDocument | None, tag: Tag) -> None:
    """Open or close a mention."""
    if current is None:
        tag_text = source.text[tag.start : min(tag.end, tag.start + 40)]
        source.add_problem(
            "mention.outside-document",
            tag.line,
            tag.column,
            found=f"{tag_text!r} outside <DOC>",
            expected="mentions inside documents",
            remedies=["move the tag or the document's"],
        )
    elif not tag.closing:
        coref = _CorefElement(tag, current.size)
        current.marks.append(coref)
        current.open.append(coref)
    elif current.open:
        coref = current.open.pop()
        coref.end, coref.closed = current.size, tag
    else:
        source.add_problem(
            "mention.unopened",
            tag.line,
            tag.column,
            found="'</COREF>' where no mention is open",
            expected="'<COREF ID=…>' before it",
            remedies=["open the mention or remove the tag"],
        )


def _document(source: Source, text: _MucDocument) -> Document:
    tokens = text.tokens()
    for coref in text.open:
        source.add_problem(
            "mention.unclosed",
            *coref.place,
            found="'<COREF>' that is never closed",
            expected="'</COREF>' in the same document",
            remedies=["close the mention"],
        )
    corefs = _corefs_by_id(source, text, tokens)
    chains, relations = _read_links(source, corefs)
    mentions = []
    for name, coref in corefs.items():
        start, end = tokens.span(coref.start, coref.end)
        least = _minimum_span(source, coref, tokens, text.word_pattern)
        mentions.append(
            Mention(start, end, chains[name], coref.tag.line, minimum=least, features=coref.features,
                    optional=coref.is_optional)
        )  # fmt: skip
    sentences = sorted({0, *sentences_of(text.breaks, tokens)} - {len(tokens.texts)}) if text.breaks else None
    return make_document(text.id, mentions, relations=relations, tokens=tokens.texts, sentences=sentences,
                    path=source.name, line=text.line)  # fmt: skip


def _corefs_by_id(source: Source, text: _MucDocument, tokens: Tokens) -> dict[str, _CorefElement]:
    """The mentions by their ID; those that have none, one that is taken, or no text are problems."""
    corefs_by_id: dict[str, _CorefElement] = {}
    for coref in text.marks:
        name = coref.attribute("id")
        start, end = tokens.span(coref.start, coref.end)
        if not name:
            source.add_problem(
                "name.missing",
                *coref.place,
                found="a COREF without ID",
                expected='ID="…"',
                remedies=["give every mention an ID"],
            )
        elif name in corefs_by_id:
            source.add_problem(
                "mention.repeated",
                *coref.place,
                found=f"the ID {name!r} a second time",
                expected="every ID once in a document",
                remedies=["give the mention another one"],
            )
        elif coref.end >= 0 and start >= end:
            source.add_problem(
                "mention.empty",
                *coref.place,
                found=f"the COREF {name!r} around no text",
                expected="a word in it",
                remedies=["remove it or move its tags"],
            )
        elif coref.end >= 0:
            corefs_by_id[name] = coref
    return corefs_by_id


def _read_links(source: Source, corefs: Mapping[str, _CorefElement]) -> tuple[dict[str, str], list[Relation]]:
    """The chain of every mention, named by its first one, and the links that are not of identity."""
    ties = UnionFind(corefs)
    number = {name: index for index, name in enumerate(corefs)}
    relations = []
    for name, coref in corefs.items():
        kind, target = coref.link
        if not target:
            continue
        if target not in corefs:
            source.add_problem(
                "mention.unknown",
                *coref.place,
                found=f"REF={target!r}, which is no ID of the document",
                expected="one that is",
                remedies=["correct it or add the mention"],
            )
        elif kind.upper() == "IDENT":
            ties.union(name, target)
        else:
            relations.append(Relation(kind, number[name], number[target]))
    return {name: ties.find(name) for name in corefs}, relations


def _minimum_span(
    source: Source, coref: _CorefElement, tokens: Tokens, pattern: re.Pattern[str]
) -> tuple[int, int] | None:
    """The tokens of MIN inside the mention."""
    minimum_text = coref.tag.attributes.get("min", "")
    span = tokens.span(coref.start, coref.end)
    for choice in (minimum_text, *minimum_text.split("|")):
        if (place := _first_place(choice, tokens, span, pattern)) is not None:
            return place
    if minimum_text.strip():
        source.warn(f"line {coref.tag.line}: MIN={minimum_text!r} is not in the text of its mention, left out")
    return None


def _first_place(text: str, tokens: Tokens, span: tuple[int, int], pattern: re.Pattern[str]) -> tuple[int, int] | None:
    """Where the words of a text first stand among some tokens."""
    sought = [token.lower() for token in tokenize(text, pattern).texts]
    inside = [token.lower() for token in tokens.texts[slice(*span)]]
    for index in range(len(inside) - len(sought) + 1) if sought else ():
        if inside[index : index + len(sought)] == sought:
            return span[0] + index, span[0] + index + len(sought)
    return None


def sniff(head: str) -> bool:
    """Whether there is a `<COREF` tag."""
    return re.search(r"<coref[\s>]", head, re.IGNORECASE) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One `<DOC>` per document; mentions are linked to the one before them in their chain."""
    for document in documents:
        yield "".join(_format_document(document))


def _format_document(document: Document) -> Iterator[str]:
    tokens = [escape(replace_blanks(token), quote=False) for token in document_words(document, "muc")]
    starts = frozenset(sentence_starts(document)) | {0}
    spans = word_spans(document)
    refuse_crossing(document, ((start, end, "") for start, end in spans), "muc")
    tags = [NewTags(*span, tag, "</COREF>") for span, tag in zip(spans, _tags(document, tokens), strict=True)]
    yield f'<DOC TOKENS="blanks">\n<DOCID>{escape(document.id.strip(), quote=False)}</DOCID>\n<TEXT>\n'
    for index, token in enumerate(with_tags(tokens, tags)):
        if index in starts:
            yield ("</S>\n" if index else "") + "<S> "
        yield f"{token} "
    yield ("</S>\n" if tokens else "") + "</TEXT>\n</DOC>\n"


def _tags(document: Document, tokens: Sequence[str]) -> Iterator[str]:
    """The opening tag of every mention. A chain has room for one link that is not of identity."""
    targets: dict[int, tuple[str, int]] = {}
    taken: set[int] = set()
    for kind, origin, target in document.relations:
        chain = int(document.chains[origin])
        if chain not in taken and kind.strip() == kind and kind.upper() not in ("IDENT", ""):
            targets[origin] = kind, target
            taken.add(chain)
    _tie_chains(document, targets)
    least = token_spans(document, document.minima).tolist() if document.minima is not None else None
    for index in range(len(document)):
        attributes = {"ID": str(index + 1)}
        if index in targets:
            attributes |= {"REF": str(targets[index][1] + 1), "TYPE": escape(targets[index][0])}
        if least is not None and (
            document.minima is not None and (document.minima[index] != document.spans[index]).any()
        ):
            attributes["MIN"] = " ".join(tokens[slice(*least[index])])
        for name, value in document.features_of(index).items():
            if name.lower() not in LINK_ATTRIBUTES:
                attributes[re.sub(r"[^\w.:-]", "_", name.upper())] = escape(value)
        if index in document.optional:
            attributes[STATUS] = OPTIONAL
        yield "<COREF " + " ".join(f'{name}="{value}"' for name, value in attributes.items()) + ">"


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other `<COREF>` tags in its text. Links through a mention that is gone go elsewhere."""
    edits = Edits(source)
    for text, (before, after) in zip(_texts(source), spliced_documents(FORMAT, source, documents), strict=True):
        _splice_text(edits, source.text, text, before, after)
    return edits.apply()


def _splice_text(edits: Edits, sgml: str, text: _MucDocument, before: Document, after: Document) -> None:
    spans, old_spans = word_spans(after), word_spans(before)
    refuse_crossing(after, ((*span, "") for span in spans), "muc")
    change = changes(before, after)
    mentions = [text.marks[number] for number in file_order(before)]
    ids = _mention_ids(mentions, change, len(after))
    links = _link_attributes(mentions, change, after, ids)
    tokens = text.tokens()
    blank = _tag_text(sgml, mentions[0])[:6] if mentions else "<COREF"

    def tagged_mention(old: int) -> TaggedMention | None:
        tag, closed = mentions[old].tag, mentions[old].closed
        return TaggedMention(*old_spans[old], (tag.start, tag.end), closed.start) if closed else None

    def new_tags(old: int | None, index: int) -> NewTags:
        coref = mentions[old] if old is not None else None
        named: dict[str, str | None] = {"id": ids[index]}  # first, and not what a relation named "id" would say
        attributes = links[index] if coref else named | links[index] | named
        if old is None or (_minimum_of(before, old), old_spans[old]) != (_minimum_of(after, index), spans[index]):
            attributes |= _minimum_attribute(after, index, spans[index], coref, text, tokens)
        opening = _tag_text(sgml, coref) if coref else f"{blank}>"
        tag = edit_tag(opening, attributes | _changed_features(after, index, coref))
        return NewTags(*spans[index], tag, f"</{blank[1:]}>")

    changed = [
        (None if old is None else tagged_mention(old), None if new is None else new_tags(old, new))
        for old, new in change.pairs
    ]
    change_tags(edits, text, tokens, _marks(text), changed)


def _tag_text(sgml: str, coref: _CorefElement) -> str:
    return sgml[coref.tag.start : coref.tag.end]


def _mention_ids(mentions: Sequence[_CorefElement], change: Changes, size: int) -> list[str]:
    """The ID of every mention after: its own, or a new number."""
    kept_ids = {new: mentions[old].attribute("id") for new, old in change.origin.items()}
    fresh = fresh_numbers(coref.attribute("id") for coref in mentions)
    return [kept_ids.get(index) or str(next(fresh)) for index in range(size)]


def _link_attributes(
    mentions: Sequence[_CorefElement], change: Changes, after: Document, ids: Sequence[str]
) -> list[dict[str, str | None]]:
    """REF and TYPE of every mention after, where they change: links stay as they are as long as they are true.

    Every other chain's pieces are tied together by links from mentions that have none.
    """
    place = {mentions[old].attribute("id"): new for old, new in change.fate.items()}
    origin = {new: mentions[old] for new, old in change.origin.items()}
    chains = after.chains.tolist()
    new_relations = Counter(after.relations)
    targets: dict[int, tuple[str, int]] = {}
    for index, coref in origin.items():
        kind, target = coref.link
        target_mention = place.get(target)
        if target_mention is not None and kind.upper() == "IDENT" and chains[target_mention] == chains[index]:
            targets[index] = kind, target_mention
        elif (
            target_mention is not None
            and kind.upper() != "IDENT"
            and new_relations[Relation(kind, index, target_mention)] > 0
        ):
            targets[index] = kind, target_mention
            new_relations[Relation(kind, index, target_mention)] -= 1
    for relation in new_relations.elements():
        if targets.get(relation.source, ("IDENT",))[0].upper() != "IDENT":
            raise UsageError(
                f"document {after.id!r} has two relations of one mention, so that they cannot be written as muc: "
                "convert it to jsonlines"
            )
        targets[relation.source] = relation.kind, relation.target
    _tie_chains(after, targets)
    return [_changed_link(origin.get(index), targets.get(index), ids) for index in range(len(after))]


def _tie_chains(after: Document, targets: dict[int, tuple[str, int]]) -> None:
    """Add links of identity until every chain holds together."""
    ties = UnionFind(range(len(after)))
    for mention, (kind, target) in targets.items():
        if kind.upper() == "IDENT":
            ties.union(mention, target)
    for members in after.members():
        tied, *loose = ties.groups(members)
        ordered = sorted(tied)
        for piece in loose:
            free = next((other for other in piece if other not in targets), None)
            if free is not None:
                before = bisect_left(ordered, free)
                targets[free] = "IDENT", ordered[before - 1] if before else tied[0]
            elif (other_free := next((other for other in tied if other not in targets), None)) is not None:
                targets[other_free] = "IDENT", piece[0]
            else:
                raise UsageError(
                    f"document {after.id!r} has a chain whose mentions all have other links, so that it cannot be "
                    "written as muc: convert it to jsonlines"
                )
            tied += piece
            for other in piece:
                insort(ordered, other)


def _changed_link(
    coref: _CorefElement | None, target: tuple[str, int] | None, ids: Sequence[str]
) -> dict[str, str | None]:
    """REF and TYPE of a tag, if they are not what it says."""
    if target is None:
        return {"ref": None, "type": None} if coref and coref.link[1] else {}
    kind, mention = target
    if coref and coref.link[1] and coref.link[0].upper() == kind.upper():
        return {"ref": ids[mention]} if coref.link[1] != ids[mention] else {}
    return {"ref": ids[mention], "type": kind}


def _changed_features(after: Document, index: int, coref: _CorefElement | None) -> dict[str, str | None]:
    """The attributes that are not what the tag says."""
    old_features = coref.features if coref else {}
    new_features = {name.lower(): value for name, value in after.features_of(index).items()}
    bad = [name for name in new_features if not re.fullmatch(r"[a-z_][\w.:-]*", name) or name in LINK_ATTRIBUTES]
    if bad:
        raise UsageError(f"document {after.id!r} has the feature {bad[0]!r}, which cannot be an attribute: rename it")
    return {
        name: new_features.get(name)
        for name in old_features | new_features
        if old_features.get(name) != new_features.get(name)
    }


def _minimum_attribute(
    after: Document, index: int, span: tuple[int, int], coref: _CorefElement | None, text: _MucDocument, tokens: Tokens
) -> dict[str, str | None]:
    """MIN of a mention that changed: the words, or nothing for the whole mention."""
    minimum = _minimum_of(after, index)
    if minimum == span:
        return {"min": None} if coref and "min" in coref.tag.attributes else {}
    minimum_text = text.text[tokens.starts[minimum[0]] : tokens.ends[minimum[1] - 1]].replace("\n", " ")
    if _first_place(minimum_text, tokens, span, text.word_pattern) != minimum:
        raise UsageError(
            f"document {after.id!r} has the least text {minimum_text!r} that is not the first of its "
            "mention: it cannot "
            "be written as muc: convert it to jsonlines"
        )
    return {"min": minimum_text}


def _minimum_of(document: Document, index: int) -> tuple[int, int]:
    spans = document.minima if document.minima is not None else document.spans
    start, end = token_spans(document, spans[index])[0].tolist()
    return start, end


def _marks(text: _MucDocument) -> list[TagPlace]:
    """All the tags of a text; those of one name are paired as they nest."""
    waiting: dict[str, list[Tag]] = defaultdict(list)
    partner: dict[int, int] = {}
    for tag in text.tags:
        name = tag.name.lower()
        if not tag.closing and not tag.alone:
            waiting[name].append(tag)
        elif tag.closing and waiting[name]:
            opened = waiting[name].pop()
            partner |= {opened.start: tag.start, tag.start: opened.start}
    return [TagPlace(tag.start, tag.end, not tag.closing, partner.get(tag.start)) for tag in text.tags]


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(
        ("tokens", "sentences", "kinds", "features", "minima", "singletons", "spans", "optional mentions")
    ),
    suffixes=(".sgm", ".sgml", ".muc"),
    splice=splice,
    boundaries=SGML_DOCUMENTS,
)
