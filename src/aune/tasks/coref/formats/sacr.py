r"""SACR: text with every mention in braces, after the name of its chain.

    #title:The Peasant and the Eagle
    #textid:aesop

    {Peasant:partofspeech="noun",head=1 A Peasant} found {Eagle an Eagle captured in {M3 a trap}}.

`{Peasant ` opens a mention of the chain Peasant, `}` closes the last one opened. Properties come after a colon,
separated by commas, `name="value"` or `name=value`; inside quotes `\"` is a quote. They are the features of the
mention, by the names that the annotator chose. In the text `\n` is a line break and `\{`, `\}`, `\#`, `\\` are the
signs themselves.

Blank lines part paragraphs, which count as sentences. A line that begins with `#` between paragraphs is a remark, or
one of: `#textid:NAME` (the document; another one begins a new document; without it, the document is named as the file),
`#title:…` and `#textmetadata:NAME=VALUE` (attributes of the document). A line of stars is a remark, too.

The blank after the name and the properties is part of the markup, so that a text has the same tokens whatever its
mentions. Tokens are found in the text without braces: words with the apostrophe that ends them (`l'`), numbers, single
signs. With `#TOKENS:blanks`, which `write` uses, they are what blanks separate.

Source: Oberle 2018, SACR: a drag-and-drop based tool for coreference annotation.

>>> from aune.reading.corpus import Source
>>> [found] = read(Source("a.sacr", b"{Ann Ann} saw {M2 {Ann her} sister}.\n"))
>>> found.tokens, found.clusters(), found.labels
(['Ann', 'saw', 'her', 'sister', '.'], [[(0, 1), (2, 3)], [(2, 4)]], ['Ann', 'M2'])
>>> print("".join(write([found])), end="")
#textid:a
#TOKENS:blanks
<BLANKLINE>
{Ann Ann} saw {M2 {Ann her} sister} .
<BLANKLINE>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aune.contract.format import Boundaries, Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.markup import BareText
from aune.tasks.coref.formats import partition
from aune.tasks.coref.formats._changes import chain_names, changes, file_order, spliced_documents
from aune.tasks.coref.formats._tag_nesting import NewTags, TaggedMention, TagPlace, change_tags, with_tags
from aune.tasks.coref.formats._tokenization import (
    BLANK_SEPARATED,
    Tokens,
    document_words,
    refuse_crossing,
    replace_blanks,
    sentence_starts,
    sentences_of,
    single_line,
    tokenize,
    word_spans,
)
from aune.tasks.coref.model import Document, Mention, make_document

WORDS = re.compile(r"[^\W\d_]+['’]?|[-+±]?[.,]?\d+(?:[.,]\d+)*|\w+['’]?|[^\w\s]")
OPENING = re.compile(r"\{([-\w]+)(?=[:\s])", re.ASCII)
PROPERTY = re.compile(r'[:,]([-\w]+)=("(?:[^"\\]|\\.)*"|[^\s,"{}]*)')
SPECIAL_SIGNS = re.compile(r"[{}\\]")
ESCAPES = {"n": "\n", "{": "{", "}": "}", "#": "#", "*": "*", "\\": "\\"}


@dataclass
class _SacrMention:
    """A mention; the span is in characters of the bare text."""

    chain: str
    features: dict[str, str]
    line: int
    column: int
    start: int
    opened: tuple[int, int]
    """Where its opening brace begins, and where its text begins, in the source."""
    end: int = -1
    closed: int = -1
    """Where its closing brace stands in the source."""


@dataclass
class _SacrDocument(BareText[_SacrMention]):
    blanks: bool = False
    """Whether its tokens are what stands between blanks."""

    def tokens(self) -> Tokens:
        return tokenize(self.text, BLANK_SEPARATED if self.blanks else WORDS)


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    return (_document(source, text) for text in _texts(source))


def _texts(source: Source) -> Iterator[_SacrDocument]:
    """The documents of a file, without their braces."""
    current = _SacrDocument(source.stem, 1)
    inside = False  # a paragraph
    named = False
    at = 0
    for number, line in source.lines():
        if not line.strip():
            inside = False
        elif not inside and line.lstrip()[0] == "#":
            name, _, value = (part.strip() for part in line.strip().removeprefix("#").partition(":"))
            name = name.lower().replace("_", "")
            if name == "textid" and (named or current.size):
                yield current
                current = _SacrDocument(value, number)
            elif name == "textid":
                current.line = number
            _read_header(current, name, value)
            named = named or name == "textid"
        elif inside or line.strip().strip("*"):
            if not inside:
                current.breaks.append(current.size)
            inside = True
            _read_line(source, current, (number, at, line))
            current.add("\n", at + len(line))
        at += len(line) + 1
    if named or current.size:
        yield current


def _read_header(current: _SacrDocument, name: str, value: str) -> None:
    """Keep what a header says of the document."""
    if name == "textid":
        current.id = value or current.id
    elif name == "tokens":
        current.blanks = value.lower() == "blanks"
    elif name == "title" and value:
        current.attributes["title"] = value
    elif name == "textmetadata" and "=" in value:
        key, _, text = value.partition("=")
        current.attributes[key.strip()] = text.strip()


def _read_line(source: Source, current: _SacrDocument, placed: tuple[int, int, str]) -> None:
    """Read a line of text with its braces: its number, where it begins, and what it says."""
    number, begins, line = placed
    at = 0
    while at < len(line):
        sign = SPECIAL_SIGNS.search(line, at)
        current.add(line[at : sign.start() if sign else len(line)], begins + at)
        if sign is None:
            return
        at = sign.end()
        if sign[0] == "\\":
            letter = ESCAPES.get(line[at : at + 1])
            at += letter is not None
            current.add(letter or "\\", begins + sign.start(), begins + at)
        elif sign[0] == "}":
            if current.open:
                mention = current.open.pop()
                mention.end, mention.closed = current.size, begins + sign.start()
            else:
                source.add_problem(
                    "mention.unopened",
                    number,
                    sign.start() + 1,
                    found="'}' where no mention is open",
                    expected="'{chain ' before it",
                    remedies=["remove it, or write '\\}' for the sign itself"],
                )
        else:
            at = _open_mention(source, current, placed, sign.start())


def _open_mention(source: Source, current: _SacrDocument, placed: tuple[int, int, str], at: int) -> int:
    """Open the mention at a brace; the place where its text begins."""
    number, begins, line = placed
    opening = OPENING.match(line, at) or (OPENING.match(line + " ", at))
    if not opening:
        source.add_problem(
            "mention.malformed",
            number,
            at + 1,
            found=f"{line[at : at + 20]!r}",
            expected="'{chain ' or '{chain:name=\"value\" '",
            remedies=["name the chain, or write '\\{' for the sign itself"],
        )
        current.open.append(_SacrMention("", {}, number, at + 1, current.size, (at, at)))  # for its closing brace
        return at + 1
    end = opening.end()
    features: dict[str, str] = {}
    while end < len(line) and not line[end].isspace():
        match = PROPERTY.match(line, end)
        if not match:
            source.add_problem(
                "mention.malformed",
                number,
                end + 1,
                found=f"the properties {line[end : end + 20]!r}",
                expected="':name=\"value\"' and a blank",
                remedies=["correct them"],
            )
            break
        value = match[2]
        features[match[1]] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value[:1] == '"' else value
        end = match.end()
    end += end < len(line) and line[end].isspace()
    filled = {name: value for name, value in features.items() if value}
    mention = _SacrMention(opening[1], filled, number, at + 1, current.size, (begins + at, begins + end))
    current.marks.append(mention)
    current.open.append(mention)
    return end


def _document(source: Source, text: _SacrDocument) -> Document:
    tokens = text.tokens()
    mentions = []
    for mention in text.marks:
        start, end = tokens.span(mention.start, mention.end)
        if mention.end < 0:
            source.add_problem(
                "mention.unclosed",
                mention.line,
                mention.column,
                found=f"'{{{mention.chain}' that is never closed",
                expected="'}' in the same document",
                remedies=["close the mention"],
            )
        elif start >= end:
            source.add_problem(
                "mention.empty",
                mention.line,
                mention.column,
                found=f"a mention of {mention.chain} around no text",
                expected="a word in it",
                remedies=["remove it or move its braces"],
            )
        else:
            mentions.append(Mention(start, end, mention.chain, mention.line, features=mention.features))
    return make_document(text.id, mentions, tokens=tokens.texts, sentences=sentences_of(text.breaks, tokens),
                    attributes=text.attributes, path=source.name, line=text.line)  # fmt: skip


def sniff(head: str) -> bool:
    """Whether a brace opens a mention and another closes one, and the file is in no other format with braces."""
    if re.match(r'\s*(?:\[|\{\s*")', head) or re.search(r"<coref[\s>]|^#\s*begin document", head, re.I | re.M):
        return False
    opening = re.search(r"(?<!\\)\{(?=[-0-9]*[A-Za-z_])[-\w]+(?::[-\w]+=|[ \n])", head)
    return opening is not None and "}" in head and not partition.sniff(head)


def write(documents: Iterable[Document]) -> Iterator[str]:
    """A `#textid` and a paragraph per sentence, chains by their own names where these will do."""
    for document in documents:
        yield "".join(_format_document(document))


def _format_document(document: Document) -> Iterator[str]:
    tokens = [re.sub(r"([{}\\])", r"\\\1", replace_blanks(token)) for token in document_words(document, "sacr")]
    starts = frozenset(sentence_starts(document)) | {0}
    spans = word_spans(document)
    refuse_crossing(document, ((*span, "") for span in spans), "sacr")
    names = _names(document)
    tags = [NewTags(*span, _brace(document, index, names), "}") for index, span in enumerate(spans)]
    for index in starts.difference(start for start, _ in spans):
        if index < len(tokens) and tokens[index][0] in "#*":
            tokens[index] = f"\\{tokens[index]}"
    yield f"#textid:{single_line(document.id)}\n#TOKENS:blanks\n"
    for name, value in document.attributes.items():
        key = "#title:" if name == "title" else f"#textmetadata:{single_line(name)}="
        yield f"{key}{single_line(value)}\n"
    for index, token in enumerate(with_tags(tokens, tags)):
        before = " " if index not in starts else "\n\n" if index else "\n"
        yield f"{before}{token}"
    yield "\n\n"


def _names(document: Document) -> Sequence[str]:
    """Names for the chains: the file's own, or e1, e2… when some of them cannot be written."""
    labels = document.labels or ()
    if len(set(labels)) == document.chain_count and all(re.fullmatch(r"[-\w]+", name, re.ASCII) for name in labels):
        return labels
    return [f"e{number}" for number in range(1, document.chain_count + 1)]


def _brace(document: Document, index: int, names: Sequence[str]) -> str:
    properties = _properties(document.features_of(index))
    return "{" + names[int(document.chains[index])] + (f":{properties}" if properties else "") + " "


def _properties(features: Mapping[str, str]) -> str:
    return ",".join(f"{re.sub(r'[^-a-zA-Z0-9_]', '_', name)}={_quote_value(value)}" for name, value in features.items())


def _quote_value(value: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", single_line(value)) + '"'


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other braces in its text; refused where the text would be another without them, or with them."""
    edits = Edits(source)
    pairs = list(spliced_documents(FORMAT, source, documents))
    for text, (before, after) in zip(_texts(source), pairs, strict=True):
        _splice_text(edits, source.text, text, before, after)
    data = edits.apply()
    again = read(Source(source.name, data, source.path))
    if [document.tokens for document in again] != [before.tokens for before, _ in pairs]:
        raise UsageError(
            "a line such as '*****' or '# …' would be no text after this edit, or become text: change the line, or "
            "write a new file"
        )
    return data


def _splice_text(edits: Edits, source: str, text: _SacrDocument, before: Document, after: Document) -> None:
    spans, old_spans = word_spans(after), word_spans(before)
    refuse_crossing(after, ((*span, "") for span in spans), "sacr")
    change = changes(before, after)
    names = chain_names(before, after, change.chains, re.compile(r"[-\w]+", re.ASCII))
    mentions = [text.marks[number] for number in file_order(before)]

    def new_tags(old: int | None, index: int) -> NewTags:
        brace = _brace(after, index, names)
        if old is not None and after.features_of(index) == mentions[old].features:
            written = source[slice(*mentions[old].opened)]
            brace = "{" + names[int(after.chains[index])] + written[1 + len(mentions[old].chain) :]
        return NewTags(*spans[index], brace, "}")

    tagged = [
        TaggedMention(*span, mention.opened, mention.closed) for span, mention in zip(old_spans, mentions, strict=True)
    ]
    changed = [
        (None if old is None else tagged[old], None if new is None else new_tags(old, new)) for old, new in change.pairs
    ]
    change_tags(edits, text, text.tokens(), _marks(text), changed)


def _marks(text: _SacrDocument) -> list[TagPlace]:
    opened = [TagPlace(*mention.opened, True, mention.closed) for mention in text.marks]
    closed = [TagPlace(mention.closed, mention.closed + 1, False, mention.opened[0]) for mention in text.marks]
    return sorted(opened + closed)


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(("tokens", "sentences", "kinds", "features", "singletons", "spans", "attributes")),
    suffixes=(".sacr",),
    splice=splice,
    boundaries=Boundaries((b"\n#textid:",)),  # behind an empty line: elsewhere it may be a line of text
)
