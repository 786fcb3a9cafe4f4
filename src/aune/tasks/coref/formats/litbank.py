r"""LitBank: the files of the LitBank corpus, its tables and its own way with brat.

A table (`coref/tsv`) places mentions by sentence and token, both from 0, the last token included:

    MENTION	T1	0	3	0	4	her sister	PER	NOM
    COREF	T1	Ann_s_sister-2
    COP	T7	T1

`MENTION` has a name, the sentence and token where it begins, those where it ends, its words, its type (the feature
`etype`) and its kind (PROP, NOM or PRON: name, noun or pronoun). `COREF` puts it into a chain; a mention without such a
line is a chain of its own, as in the corpus's CoNLL files. `COP` and `APPOS` are relations, not identity. The text is
in the file beside (`a.txt` for `a.ann`): a sentence per line, tokens between blanks. It is needed.

In brat (`coref/brat`), every mention has two `T` lines over the same characters: one for its kind and type (`NOM_PER`),
one for its chain (`Ann_s_sister-2`). Positions are characters, as in brat; the text beside gives the tokens, which
blanks separate.

The format is only read: the document is named as the file.

Source: Bamman, Lewke and Mansoor 2020, an annotated dataset of coreference in English literature.

>>> from aune.core.corpus import Source
>>> text = b"T1\tPROP_PER 0 3\tAnn\nT2\tAnn-0 0 3\tAnn\nT3\tPRON_PER 8 11\ther\nT4\tAnn-0 8 11\ther\n"
>>> [found] = read(Source("a.ann", text))
>>> found.clusters(), found.labels, found.features
([[(0, 3), (8, 11)]], ['Ann-0'], {'etype': ['PER', 'PER'], 'kind': ['name', 'pronoun']})
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from aune.core.corpus import Source
from aune.core.task import Format
from aune.syntax import brat as syntax
from aune.tasks.coref.formats._words import BLANKS, laid_out
from aune.tasks.coref.model import Document, Mention, Relation, document

KINDS = {"PROP": "name", "NOM": "noun", "PRON": "pronoun"}
TYPED = re.compile(r"(PROP|NOM|PRON)_(\w+)")
TABLE = re.compile(r"^(?:MENTION\tT\w+(?:\t\d{1,9}){4}\t|COREF\tT\w+\t\S+-\d+$)", re.MULTILINE)
MOST_COLUMNS = {"MENTION": 9, "COREF": 3, "COP": 3, "APPOS": 3}


def read(source: Source) -> Iterator[Document]:
    """The document of a file."""
    if TABLE.search(source.head):
        yield _table(source)
    else:
        yield _brat(source)


class _Row(NamedTuple):
    """A `MENTION` line."""

    number: int
    name: str
    bounds: Sequence[int]
    """Sentence and token of the first and of the last token."""
    words: str
    type: str
    kind: str


def _table(source: Source) -> Document:
    rows: dict[str, _Row] = {}
    chains: dict[str, str] = {}
    links: list[tuple[int, str, str, str]] = []
    for number, line in source.lines():
        cells = line.split("\t")
        if not line.strip():
            continue
        if cells[0] not in MOST_COLUMNS or len(cells) != MOST_COLUMNS[cells[0]]:
            expected = "MENTION with nine columns, or COREF, COP or APPOS with three, separated by tabs"
            source.problem(number, 1, f"found {line[:40].expandtabs(1)!r}, expected {expected}: correct the line")
        elif cells[0] == "MENTION":
            _take_mention(source, rows, number, cells)
        elif cells[0] == "COREF":
            chains[cells[1]] = cells[2]
            links.append((number, "", cells[1], cells[1]))
        else:
            links.append((number, cells[0].lower(), cells[1], cells[2]))
    sentences = _sentences(source)
    mentions = [_mention(source, row, chains.get(row.name, row.name), sentences) for row in rows.values()]
    place = {name: index for index, name in enumerate(rows)}
    relations = []
    for number, kind, first, second in links:
        missing = [name for name in (first, second) if name not in place]
        if missing:
            what = f"found {missing[0]!r}, which is no mention of the file, expected the name of a MENTION line"
            source.problem(number, 1, f"{what}: correct it or add the mention")
        elif kind:
            relations.append(Relation(kind, place[first], place[second]))
    starts = [0, *accumulate(map(len, sentences))][:-1]
    filled = [start for start, words in zip(starts, sentences, strict=True) if words]
    tokens = [word for words in sentences for word in words]
    kept = [mention for mention in mentions if mention is not None]
    return document(source.stem, kept, relations=relations if len(kept) == len(mentions) else (), tokens=tokens,
                    sentences=filled, path=source.name)  # fmt: skip


def _take_mention(source: Source, rows: dict[str, _Row], number: int, cells: Sequence[str]) -> None:
    _, name, *places, words, kind_of_entity, kind = cells
    if not all(place.isascii() and place.isdigit() and len(place) < 10 for place in places):
        what = f"found the places {' '.join(places)[:40]!r}, expected four numbers: sentence and token, twice"
        source.problem(number, len(name) + 10, f"{what}: correct them")
    elif name in rows:
        source.problem(number, 9, f"found {name} a second time, expected every mention once: give it another name")
    else:
        rows[name] = _Row(number, name, [int(place) for place in places], words, kind_of_entity, kind)


def _sentences(source: Source) -> list[list[str]]:
    """The sentences of the text beside the file."""
    beside = syntax.path_beside(source.path) if source.path else None
    if beside is None or not beside.is_file():
        expected = f"{beside.name} with a sentence per line" if beside else "a file with its text beside it"
        source.problem(1, 1, f"found no text, which places mentions by sentence, expected {expected}: put it there")
        return []
    return [line.split() for _, line in Source(str(beside), beside.read_bytes()).lines()]


def _mention(source: Source, row: _Row, chain: str, sentences: Sequence[Sequence[str]]) -> Mention | None:
    first_sentence, first, last_sentence, last = row.bounds
    inside = [
        sentence < len(sentences) and token < len(sentences[sentence])
        for sentence, token in ((first_sentence, first), (last_sentence, last))
    ]
    if not sentences:
        return None
    starts = [0, *accumulate(map(len, sentences))]
    if not all(inside) or starts[first_sentence] + first > starts[last_sentence] + last:
        what = f"found {row.name} from token {first} of sentence {first_sentence} to {last} of {last_sentence}"
        expected = f"places of the text, which has {len(sentences)} sentences, counted from 0"
        source.problem(row.number, 1, f"{what}, expected {expected}: check that the text is the right one")
        return None
    kind = KINDS.get(row.kind, row.kind)
    return Mention(starts[first_sentence] + first, starts[last_sentence] + last + 1, chain, row.number,
                   features={"etype": row.type, "kind": kind})  # fmt: skip


def _brat(source: Source) -> Document:
    found = syntax.read(source)
    typed = {span.parts: TYPED.fullmatch(span.label) for span in found.spans.values() if TYPED.fullmatch(span.label)}
    chains = {span.parts: span.label for span in found.spans.values() if not TYPED.fullmatch(span.label)}
    mentions: dict[syntax.Parts, Mention] = {}
    for span in found.spans.values():
        kind = typed.get(span.parts)
        features = {"etype": kind[2], "kind": KINDS[kind[1]]} if kind else {}
        mention = Mention(*span.bounds, chains.get(span.parts, span.name), span.line.number,
                          segments=span.parts if len(span.parts) > 1 else (), features=features)  # fmt: skip
        mentions.setdefault(span.parts, mention)
    place = {parts: index for index, parts in enumerate(mentions)}
    relations = []
    for link in found.links:
        if isinstance(link, syntax.Relation):
            ends = [found.spans.get(name) for name in (link.source, link.target)]
            if all(ends):
                relations.append(Relation(link.label, *(place[end.parts] for end in ends if end)))
            else:
                what = f"found {link.source} and {link.target}, expected the numbers of two T lines"
                source.problem(link.line.number, 1, f"{what}: correct them")
    return document(source.stem, mentions.values(), relations=relations, unit="character", path=source.name,
                    **laid_out(found.text, BLANKS) if found.text is not None else {})  # fmt: skip


def sniff(head: str) -> bool:
    """Whether there are lines of a table, or `T` lines with a kind and a type."""
    return bool(TABLE.search(head) or re.search(r"^T\d+\t(?:PROP|NOM|PRON)_[A-Z]+ \d+ \d+", head, re.MULTILINE))


FORMAT = Format(read, sniff, suffixes=(".ann",))
