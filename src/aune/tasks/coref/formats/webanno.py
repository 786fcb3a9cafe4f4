r"""WebAnno TSV 3: coreference as INCEpTION and WebAnno write it.

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation

    #Text=Ann met her sister .
    1-1	0-3	Ann	*->1-1	*[1]

A layer of chains (`#T_CH`) is read, or what the relations of a layer (`#T_RL`) tie together: those named coref, ident,
ana, cata, appos, pred, disc or nothing, while others (bridging) are relations between chains. `layer` names the layer
where several are possible; a layer of spans alone is read as chains of one mention. Features of spans are features of
mentions. A mention of a part of a token is one of the whole token. Written are chains, in the layer of DKPro's
coreference, one document per file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.layers import LayerName
from aune.syntax.webanno_tsv import MAGIC, escape, read_layers, write_sentences
from aune.tasks.coref.formats._layers import layer_documents
from aune.tasks.coref.formats._tokenization import document_words, sentence_starts, word_spans
from aune.tasks.coref.model import Document

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"


def read(source: Source, *, layer: LayerName = "") -> Iterator[Document]:
    if source.text.strip():
        yield from layer_documents(source, read_layers(source), layer, unit="token")


def sniff(head: str) -> bool:
    return head.startswith(MAGIC)


def write(documents: Iterable[Document]) -> Iterator[str]:
    for index, document in enumerate(documents):
        if index:
            raise UsageError("webanno holds one document per file, and there are several: convert them to a folder")
        words = document_words(document, "webanno")
        yield f"#FORMAT=WebAnno TSV 3.3\n#T_CH={LAYER}|referenceRelation|referenceType\n\n"
        cells: list[list[tuple[str, str]]] = [[] for _ in words]
        for link, kind, (start, end) in _links(document, word_spans(document)):
            for place in range(start, end):
                cells[place].append((link, kind))
        rows = [["|".join(column) or "_" for column in zip(*items, strict=True)] or ["_", "_"] for items in cells]
        yield from write_sentences(words, sentence_starts(document), rows, "webanno", f"document {document.id!r}")


def _links(document: Document, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """The cells and the words of every mention, in the order of the text."""
    kinds = document.features.get("referenceType", [""] * len(document))
    relations = document.features.get("referenceRelation", [""] * len(document))
    places = {mention: place for row in document.members() for place, mention in enumerate(row, 1)}
    for mention, (chain, span) in enumerate(zip(document.chains.tolist(), spans, strict=True)):
        relation = escape(relations[mention]) or "*"
        kind = escape(kinds[mention]) or "*"
        yield f"{relation}->{chain + 1}-{places[mention]}", f"{kind}[{mention + 1}]", span


FORMAT = Format(
    read, sniff, write, carries=frozenset(("tokens", "sentences", "singletons", "spans")), suffixes=(".tsv",)
)
