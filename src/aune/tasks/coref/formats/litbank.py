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

>>> from aune.reading.corpus import Source
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

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax import brat as syntax
from aune.tasks.coref.formats._tokenization import BLANK_SEPARATED, text_columns
from aune.tasks.coref.model import Document, Mention, Relation, make_document

KINDS = {"PROP": "name", "NOM": "noun", "PRON": "pronoun"}
TYPED_LABEL = re.compile(r"(PROP|NOM|PRON)_(\w+)")
TABLE = re.compile(r"^(?:MENTION\tT\w+(?:\t\d{1,9}){4}\t|COREF\tT\w+\t\S+-\d+$)", re.MULTILINE)
MOST_COLUMNS = {"MENTION": 9, "COREF": 3, "COP": 3, "APPOS": 3}


def read(source: Source) -> Iterator[Document]:
    """The document of a file."""
    if TABLE.search(source.head):
        yield _table_document(source)
    else:
        yield _brat_document(source)


class _MentionLine(NamedTuple):
    """A `MENTION` line."""

    number: int
    name: str
    bounds: Sequence[int]
    """Sentence and token of the first and of the last token."""
    words: str
    type: str
    kind: str


def _table_document(source: Source) -> Document:
    rows: dict[str, _MentionLine] = {}
    chains: dict[str, str] = {}
    links: list[tuple[int, str, str, str]] = []
    for number, line in source.lines():
        cells = line.split("\t")
        if not line.strip():
            continue
        if cells[0] not in MOST_COLUMNS or len(cells) != MOST_COLUMNS[cells[0]]:
            expected = "MENTION with nine columns, or COREF, COP or APPOS with three, separated by tabs"
            source.add_problem(
                "line.malformed",
                number,
                1,
                found=f"{line[:40].expandtabs(1)!r}",
                expected=expected,
                remedies=["correct the line"],
            )
        elif cells[0] == "MENTION":
            _take_mention(source, rows, number, cells)
        elif cells[0] == "COREF":
            chains[cells[1]] = cells[2]
            links.append((number, "", cells[1], cells[1]))
        else:
            links.append((number, cells[0].lower(), cells[1], cells[2]))
    sentences = _sentences(source)
    mentions = [_mention(source, row, chains.get(row.name, row.name), sentences) for row in rows.values()]
    relations = _relations(source, links, list(rows))
    starts = [0, *accumulate(map(len, sentences))][:-1]
    filled = [start for start, words in zip(starts, sentences, strict=True) if words]
    tokens = [word for words in sentences for word in words]
    placed_mentions = [mention for mention in mentions if mention is not None]
    return make_document(
        source.stem,
        placed_mentions,
        relations=relations if len(placed_mentions) == len(mentions) else (),
        tokens=tokens,
        sentences=filled,
        path=source.name,
    )


def _relations(source: Source, links: Sequence[tuple[int, str, str, str]], names: Sequence[str]) -> list[Relation]:
    """The relations between mentions; a problem for each name that is no mention of the file."""
    place = {name: index for index, name in enumerate(names)}
    relations: list[Relation] = []
    for number, kind, first, second in links:
        missing = [name for name in (first, second) if name not in place]
        if missing:
            source.add_problem(
                "mention.unknown",
                number,
                1,
                found=f"{missing[0]!r}, which is no mention of the file",
                expected="the name of a MENTION line",
                remedies=["correct it or add the mention"],
            )
        elif kind:
            relations.append(Relation(kind, place[first], place[second]))
    return relations


def _take_mention(source: Source, rows: dict[str, _MentionLine], number: int, cells: Sequence[str]) -> None:
    _, name, *places, words, kind_of_entity, kind = cells
    if not all(place.isascii() and place.isdigit() and len(place) < 10 for place in places):
        source.add_problem(
            "mention.malformed",
            number,
            len(name) + 10,
            found=f"the places {' '.join(places)[:40]!r}",
            expected="four numbers: sentence and token, twice",
            remedies=["correct them"],
        )
    elif name in rows:
        source.add_problem(
            "mention.repeated",
            number,
            9,
            found=f"{name} a second time",
            expected="every mention once",
            remedies=["give it another name"],
        )
    else:
        rows[name] = _MentionLine(number, name, [int(place) for place in places], words, kind_of_entity, kind)


def _sentences(source: Source) -> list[list[str]]:
    """The sentences of the text beside the file."""
    beside = syntax.path_beside(source.path) if source.path else None
    if beside is None or not beside.is_file():
        expected = f"{beside.name} with a sentence per line" if beside else "a file with its text beside it"
        source.add_problem(
            "text.missing",
            1,
            1,
            found="no text, which places mentions by sentence",
            expected=expected,
            remedies=["put it there"],
        )
        return []
    return [line.split() for _, line in Source(str(beside), beside.read_bytes()).lines()]


def _mention(source: Source, row: _MentionLine, chain: str, sentences: Sequence[Sequence[str]]) -> Mention | None:
    first_sentence, first, last_sentence, last = row.bounds
    inside = [
        sentence < len(sentences) and token < len(sentences[sentence])
        for sentence, token in ((first_sentence, first), (last_sentence, last))
    ]
    if not sentences:
        return None
    starts = [0, *accumulate(map(len, sentences))]
    if not all(inside) or starts[first_sentence] + first > starts[last_sentence] + last:
        place = f"{row.name} from token {first} of sentence {first_sentence} to {last} of {last_sentence}"
        expected = f"places of the text, which has {len(sentences)} sentences, counted from 0"
        source.add_problem(
            "mention.outside-text",
            row.number,
            1,
            found=place,
            expected=expected,
            remedies=["check that the text is the right one"],
        )
        return None
    kind = KINDS.get(row.kind, row.kind)
    return Mention(starts[first_sentence] + first, starts[last_sentence] + last + 1, chain, row.number,
                   features={"etype": row.type, "kind": kind})  # fmt: skip


def _brat_document(source: Source) -> Document:
    file = syntax.read(source)
    typed = {
        span.parts: TYPED_LABEL.fullmatch(span.label)
        for span in file.spans.values()
        if TYPED_LABEL.fullmatch(span.label)
    }
    chains = {span.parts: span.label for span in file.spans.values() if not TYPED_LABEL.fullmatch(span.label)}
    mentions: dict[syntax.Parts, Mention] = {}
    for span in file.spans.values():
        kind = typed.get(span.parts)
        features = {"etype": kind[2], "kind": KINDS[kind[1]]} if kind else {}
        mention = Mention(*span.bounds, chains.get(span.parts, span.name), span.line.number,
                          segments=span.parts if len(span.parts) > 1 else (), features=features)  # fmt: skip
        mentions.setdefault(span.parts, mention)
    place = {parts: index for index, parts in enumerate(mentions)}
    relations = []
    for link in file.links:
        if isinstance(link, syntax.Relation):
            ends = [file.spans.get(name) for name in (link.source, link.target)]
            if all(ends):
                relations.append(Relation(link.label, *(place[end.parts] for end in ends if end)))
            else:
                source.add_problem(
                    "mention.unknown",
                    link.line.number,
                    1,
                    found=f"{link.source} and {link.target}",
                    expected="the numbers of two T lines",
                    remedies=["correct them"],
                )
    return make_document(source.stem, mentions.values(), relations=relations, unit="character", path=source.name,
                    **text_columns(file.text, BLANK_SEPARATED) if file.text is not None else {})  # fmt: skip


def sniff(head: str) -> bool:
    """Whether there are lines of a table, or `T` lines with a kind and a type."""
    return bool(TABLE.search(head) or re.search(r"^T\d+\t(?:PROP|NOM|PRON)_[A-Z]+ \d+ \d+", head, re.MULTILINE))


FORMAT = Format(read, sniff, suffixes=(".ann",), companion_endings=(".txt",), settings_files=syntax.SETTINGS_FILES)
