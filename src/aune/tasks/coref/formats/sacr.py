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

Tokens are found in the text without braces: words with the apostrophe that ends them (`l'`), numbers, single signs.
With `#TOKENS:blanks`, which `write` uses, they are what blanks separate.

Source: Oberle 2018, SACR: a drag-and-drop based tool for coreference annotation.

>>> from aune.core.corpus import Source
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.coref.formats import partition
from aune.tasks.coref.formats._words import (
    BareText,
    no_blank,
    one_line,
    refuse_crossing,
    sentence_starts,
    word_spans,
    words,
)
from aune.tasks.coref.model import Document, Mention, document

WORDS = re.compile(r"[^\W\d_]+['’]?|[-+±]?[.,]?\d+(?:[.,]\d+)*|\w+['’]?|[^\w\s]")
OPENING = re.compile(r"\{([-\w]+)(?=[:\s])", re.ASCII)
PROPERTY = re.compile(r'[:,]([-\w]+)=("(?:[^"\\]|\\.)*"|[^\s,"{}]*)')
SIGNS = re.compile(r"[{}\\]")
LETTERS = {"n": "\n", "{": "{", "}": "}", "#": "#", "*": "*", "\\": "\\"}


@dataclass
class _Open:
    """A mention; the span is in characters of the bare text."""

    chain: str
    features: dict[str, str]
    line: int
    column: int
    start: int
    end: int = -1


_Text: TypeAlias = BareText[_Open]


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    current = _Text(source.stem, 1)
    inside = False  # a paragraph
    named = False
    for number, line in source.lines():
        if not line.strip():
            inside = False
        elif not inside and line.lstrip()[0] == "#":
            name, _, value = (part.strip() for part in line.strip().removeprefix("#").partition(":"))
            name = name.lower().replace("_", "")
            if name == "textid" and (named or current.size):
                yield _document(source, current)
                current = _Text(value, number)
            _note(current, name, value)
            named = named or name == "textid"
        elif not inside and not line.strip().strip("*"):
            continue
        else:
            if not inside:
                current.breaks.append(current.size)
            inside = True
            _take(source, current, number, line)
            current.add("\n")
    if named or current.size:
        yield _document(source, current)


def _note(current: _Text, name: str, value: str) -> None:
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


def _take(source: Source, current: _Text, number: int, line: str) -> None:
    """Read a line of text with its braces."""
    at = 0
    while at < len(line):
        sign = SIGNS.search(line, at)
        current.add(line[at : sign.start() if sign else len(line)])
        if sign is None:
            return
        at = sign.end()
        if sign[0] == "\\":
            letter = LETTERS.get(line[at : at + 1])
            current.add(letter or "\\")
            at += letter is not None
        elif sign[0] == "}":
            if current.open:
                current.open.pop().end = current.size
            else:
                what = "found '}' where no mention is open, expected '{chain ' before it"
                source.problem(number, sign.start() + 1, f"{what}: remove it, or write '\\}}' for the sign itself")
        else:
            at = _opened(source, current, (number, line), sign.start())


def _opened(source: Source, current: _Text, numbered: tuple[int, str], at: int) -> int:
    """Open the mention at a brace; the place where its text begins."""
    number, line = numbered
    opening = OPENING.match(line, at) or (OPENING.match(line + " ", at))
    if not opening:
        what = f"found {line[at : at + 20]!r}, expected '{{chain ' or '{{chain:name=\"value\" '"
        source.problem(number, at + 1, f"{what}: name the chain, or write '\\{{' for the sign itself")
        current.open.append(_Open("", {}, number, at + 1, current.size))  # for its closing brace
        return at + 1
    end = opening.end()
    features: dict[str, str] = {}
    while end < len(line) and not line[end].isspace():
        given = PROPERTY.match(line, end)
        if not given:
            what = f"found the properties {line[end : end + 20]!r}, expected ':name=\"value\"' and a blank"
            source.problem(number, end + 1, f"{what}: correct them")
            break
        value = given[2]
        features[given[1]] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value[:1] == '"' else value
        end = given.end()
    mention = _Open(
        opening[1], {name: value for name, value in features.items() if value}, number, at + 1, current.size
    )
    current.found.append(mention)
    current.open.append(mention)
    return end


def _document(source: Source, text: _Text) -> Document:
    tokens = text.tokens(WORDS)
    mentions = []
    for mention in text.found:
        start, end = tokens.span(mention.start, mention.end)
        if mention.end < 0:
            what = f"found '{{{mention.chain}' that is never closed, expected '}}' in the same document"
            source.problem(mention.line, mention.column, f"{what}: close the mention")
        elif start >= end:
            what = f"found a mention of {mention.chain} around no text, expected a word in it"
            source.problem(mention.line, mention.column, f"{what}: remove it or move its braces")
        else:
            mentions.append(Mention(start, end, mention.chain, mention.line, features=mention.features))
    return document(text.id, mentions, tokens=tokens.texts, sentences=text.sentences(tokens),
                    attributes=text.attributes, path=source.name, line=text.line)  # fmt: skip


def sniff(head: str) -> bool:
    """Whether a brace opens a mention and another closes one, and the file is in no other format with braces."""
    if re.match(r'\s*(?:\[|\{\s*")', head) or re.search(r"<coref[\s>]|^#\s*begin document", head, re.I | re.M):
        return False
    opening = re.search(r"(?<!\\)\{(?=[-0-9]*[A-Za-z_])[-\w]+(?::[-\w]+=|[ \n])", head)
    return opening is not None and "}" in head and not partition.sniff(head)


def write(documents: Iterable[Document]) -> Iterator[str]:
    """A `#textid` and a paragraph per sentence, chains by their own names where these will do."""
    for found in documents:
        yield "".join(_written(found))


def _written(found: Document) -> Iterator[str]:
    tokens = [re.sub(r"([{}\\])", r"\\\1", no_blank(token)) for token in words(found, "sacr")]
    starts = frozenset(sentence_starts(found)) | {0}
    spans = word_spans(found)
    refuse_crossing(found, ((start, end, "") for start, end in spans), "sacr")
    opening: list[list[tuple[int, int, str]]] = [[] for _ in tokens]
    closing = [0] * len(tokens)
    names = _names(found)
    for index, (start, end) in enumerate(spans):
        opening[start].append((-end, index, _brace(found, index, names)))
        closing[end - 1] += 1
    yield f"#textid:{one_line(found.id)}\n#TOKENS:blanks\n"
    for name, value in found.attributes.items():
        key = "#title:" if name == "title" else f"#textmetadata:{one_line(name)}="
        yield f"{key}{one_line(value)}\n"
    for index, token in enumerate(tokens):
        begins = index in starts
        sign = "\\" if begins and token[0] in "#*" and not opening[index] else ""
        before = ("\n\n" if index else "\n") if begins else " "
        braces = "".join(brace for *_, brace in sorted(opening[index]))
        yield f"{before}{braces}{sign}{token}{'}' * closing[index]}"
    yield "\n\n"


def _names(found: Document) -> Sequence[str]:
    """Names for the chains: the file's own, or e1, e2… when some of them cannot be written."""
    own = found.labels or ()
    if len(set(own)) == found.chain_count and all(re.fullmatch(r"[-\w]+", name, re.ASCII) for name in own):
        return own
    return [f"e{number}" for number in range(1, found.chain_count + 1)]


def _brace(found: Document, index: int, names: Sequence[str]) -> str:
    features = {name: column[index] for name, column in found.features.items() if column[index]}
    properties = ",".join(
        f"{re.sub(r'[^-a-zA-Z0-9_]', '_', name)}={_quoted(value)}" for name, value in features.items()
    )
    return "{" + names[int(found.chains[index])] + (f":{properties}" if properties else "") + " "


def _quoted(value: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", one_line(value)) + '"'


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(("tokens", "sentences", "kinds", "features", "singletons", "spans", "attributes")),
    suffixes=(".sacr",),
)
