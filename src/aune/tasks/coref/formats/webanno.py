r"""WebAnno TSV 3: coreference as INCEpTION and WebAnno write it.

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation

    #Text=Ann met her sister .
    1-1	0-3	Ann	*->1-1	*[1]

A layer of chains (`#T_CH`) is read, or what the relations of a layer (`#T_RL`) tie together: those named coref, ident,
ana, cata, appos, pred, disc or nothing, while others (bridging) are relations between chains. `layer` names the layer
where several are possible; a layer of spans alone is read as chains of one mention. Features of spans are features of
mentions. A mention of a part of a token is one of the whole token. Written are chains, in the layer of DKPro's
coreference; where there are features or relations, mentions in a layer of their own, and the links between them. A file
is one document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.layers import LayerName
from aune.syntax.webanno_tsv import MAGIC, OLDER, escape, read_layers, write_sentences
from aune.syntax.writing import refuse
from aune.tasks.coref.formats._layers import IDENTITY, layer_documents
from aune.tasks.coref.formats._tokenization import document_words, sentence_starts, word_spans
from aune.tasks.coref.model import Document

FEATURE_NAME = re.compile(r"(?!ROLE_|BT_)[\w.-]+")
LINK_FEATURES = ("referenceRelation", "referenceType")
COREF, MENTION, RELATION = "coref", "webanno.custom.Mention", "webanno.custom.Coref"
LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"


def read(source: Source, *, layer: LayerName = "") -> Iterator[Document]:
    if source.text.strip():
        yield from layer_documents(source, read_layers(source), layer, unit="token")


def sniff(head: str) -> bool:
    return head.startswith(MAGIC) or OLDER.match(head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    for index, document in enumerate(documents):
        if index:
            raise UsageError("webanno has one document per file, and there are several: convert them to a folder")
        words, starts = document_words(document, "webanno"), sentence_starts(document)
        features = [name for name in document.features if FEATURE_NAME.fullmatch(name)]
        as_relations = bool(document.relations or set(features).difference(LINK_FEATURES))
        header, columns = _relation_columns(document, features, starts) if as_relations else _chain_columns(document)
        yield f"#FORMAT=WebAnno TSV 3.3\n{header}\n"
        rows = [[columns[place].get(number, "_") for place in range(len(columns))] for number in range(len(words))]
        yield from write_sentences(words, starts, rows, "webanno", f"document {document.id!r}")


def _join(cells: dict[int, str], words: Iterable[int], item: str) -> None:
    """Add an annotation to the cells of some words."""
    for word in words:
        cells[word] = f"{cells[word]}|{item}" if word in cells else item


def _chain_columns(document: Document) -> tuple[str, list[dict[int, str]]]:
    """The header of a layer of chains, and its cells by word."""
    links: dict[int, str] = {}
    kinds: dict[int, str] = {}
    names = [document.features.get(name, [""] * len(document)) for name in LINK_FEATURES]
    places = {mention: place for row in document.members() for place, mention in enumerate(row, 1)}
    spans = word_spans(document)
    for mention, (chain, span) in enumerate(zip(document.chains.tolist(), spans, strict=True)):
        relation, kind = (escape(column[mention]) or "*" for column in names)
        _join(links, range(*span), f"{relation}->{chain + 1}-{places[mention]}")
        _join(kinds, range(*span), f"{kind}[{mention + 1}]")
    return f"#T_CH={LAYER}|{'|'.join(LINK_FEATURES)}\n", [links, kinds]


def _relation_columns(
    document: Document, features: Sequence[str], starts: Sequence[int]
) -> tuple[str, list[dict[int, str]]]:
    """The header of a layer of mentions and of one of relations between them, and their cells by word."""
    spans = word_spans(document)
    columns: list[dict[int, str]] = [{} for _ in features or [""]]
    kinds: dict[int, str] = {}
    ends: dict[int, str] = {}
    for mention, span in enumerate(spans):
        values = [document.features[name][mention] for name in features] or [""]
        for column, value in zip(columns, values, strict=True):
            _join(column, range(*span), f"{escape(value) or '*'}[{mention + 1}]")
    links = [(COREF, later, earlier) for row in document.members() for earlier, later in pairwise(row)]
    for kind, source, target in [*links, *document.relations]:
        if kind != COREF and IDENTITY.fullmatch(kind):
            refuse("webanno", f"a relation named {kind!r}, which makes a chain there", document.id, instead="jsonlines")
        word = spans[target][0]
        sentence = bisect_right(starts, word)
        row = f"{sentence}-{word - starts[sentence - 1] + 1}"
        _join(kinds, [spans[source][0]], escape(kind))
        _join(ends, [spans[source][0]], f"{row}[{target + 1}_{source + 1}]")
    header = f"#T_SP={MENTION}|{'|'.join(features)}\n#T_RL={RELATION}|type|BT_{MENTION}\n"
    return header, [*columns, kinds, ends]


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(("tokens", "sentences", "singletons", "spans", "kinds", "features", "relations")),
    suffixes=(".tsv",),
)
