"""WebAnno TSV 3, as INCEpTION and WebAnno write it.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Laurent Blanc joue
    1-1	0-7	Laurent	*[1]	pers.ind[1]
    1-2	8-13	Blanc	*[1]	pers.ind[1]

The label is the `value` of the layer NamedEntity where there is one, else the feature of the first layer of spans whose
name says that it is a label, or its last; a warning names it, and `--feature` chooses another. Cells hold labels joined
by `|`, each with the number of its annotation in brackets when it covers several tokens or shares them; `_` is none,
`*` an annotation without a value, which is labelled by its layer. Annotations of parts of tokens count for the whole
token. The other features of the layer are features of the entities, and relations (`#T_RL`) between them are read;
other layers, chains and slots are counted and not read. Written are the layer NamedEntity and relations, one document
per file; a text without tokens is cut into words, and where spans begin and end.

Carries tokens, sentences, nesting, features, relations and features of relations.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.webanno_tsv import MAGIC, OLDER, escape, read_layers, write_sentences
from aune.tasks.entities.formats._layers import Feature, layer_documents
from aune.tasks.entities.formats._writing import over_words, refuse, sentence_starts, tokens_of
from aune.tasks.entities.model import Document, Features, Span, spans_of
from aune.typologies.typology import TypologyName

FEATURE_NAME = re.compile(r"(?!ROLE_|BT_)[\w.-]+")
RELATION = "webanno.custom.Relation"
LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"


def read(source: Source, *, feature: Feature = "", typology: TypologyName = "") -> Iterator[Document]:
    yield from layer_documents(source, read_layers(source), feature, typology, unit="token")


def sniff(head: str) -> bool:
    return head.startswith(MAGIC) or OLDER.match(head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    for index, document in enumerate(documents):
        if index:
            raise UsageError("webanno has one document per file, and there are several: convert them to a folder")
        document = over_words(document, "webanno")
        words = tokens_of(document, "webanno")
        spans = spans_of(document)
        names = feature_names(span.features for span in spans)
        columns = _span_columns(document, spans, names, len(words))
        header = f"#T_SP={LAYER}|{'|'.join(['value', *names])}\n"
        starts = sorted(sentence_starts(document))
        if document.relations:
            names = feature_names((relation.features for relation in document.relations), ("label",))
            columns += _relation_columns(document, spans, names, [0, *starts], len(words))
            header += f"#T_RL={RELATION}|{'|'.join(['label', *names])}|BT_{LAYER}\n"
        yield f"#FORMAT=WebAnno TSV 3.3\n{header}\n"
        rows = [["|".join(column[place]) or "_" for column in columns] for place in range(len(words))]
        yield from write_sentences(words, starts, rows, "webanno", f"document {document.id!r}")


def feature_names(rows: Iterable[Features], taken: Sequence[str] = ("value",)) -> list[str]:
    """The names of features that can be columns; others are left out."""
    names = {name for features in rows for name, _ in features}
    return sorted(name for name in names if FEATURE_NAME.fullmatch(name) and name not in taken)


Columns: TypeAlias = list[list[list[str]]]
"""For each column, and each word, the annotations in its cell."""


def _span_columns(document: Document, spans: Sequence[Span], names: Sequence[str], size: int) -> Columns:
    columns: Columns = [[[] for _ in range(size)] for _ in ["value", *names]]
    for number, span in enumerate(spans, 1):
        if not span.label.strip():
            refuse("webanno", "an entity without a label", document)
        features = dict(span.features)
        values = [escape(span.label), *(escape(features.get(name, "")) or "*" for name in names)]
        for column, value in zip(columns, values, strict=True):
            for place in range(span.start, span.end):
                column[place].append(f"{value}[{number}]")
    return columns


def _relation_columns(
    document: Document, spans: Sequence[Span], names: Sequence[str], starts: Sequence[int], size: int
) -> Columns:
    """A relation is in the row of its target, and names the row of its source."""
    columns: Columns = [[[] for _ in range(size)] for _ in ["label", *names, "ends"]]
    for kind, source, target, features in document.relations:
        word = spans[source].start
        sentence = bisect_right(starts, word)
        row = f"{sentence}-{word - starts[sentence - 1] + 1}"
        values = dict(features)
        cells = [escape(kind) or "*", *(escape(values.get(name, "")) or "*" for name in names)]
        for column, value in zip(columns, [*cells, f"{row}[{source + 1}_{target + 1}]"], strict=True):
            column[spans[target].start].append(value)
    return columns


CARRIES = frozenset({"tokens", "sentences", "nesting", "features", "relations", "features of relations"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".tsv",))
